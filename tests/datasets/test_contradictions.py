"""Contradictions within a column, across columns and along the file: settled and said."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sortal.datasets import from_table, read


def findings_by_key(data):
    return {finding.key: finding for finding in data.findings}


def column_of(cells, **options) -> np.ndarray:
    """Values of text cells in a table of numbers, missing ones as the reader fills them in."""
    table = {"a": list(cells) * 8, "b": np.linspace(0, 1, 8 * len(cells))}
    data = from_table(table, scale="none", **options)
    return data.X[: len(cells), data.feature_names.index("a")]


def keys_of(**columns) -> set[str]:
    return {finding.key for finding in from_table(pd.DataFrame(columns)).findings}


def table_of(n: int = 120, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) + 9 * np.eye(3)[rng.integers(0, 3, n)] + 40
    return pd.DataFrame(X.round(3), columns=["height", "width", "depth"])


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["15.881", "14.2", "12,841"], [15.881, 14.2, 12.841]),
        (["1.234", "950", "12.000"], [1234, 950, 12000]),
        (["1,234", "950", "12,000"], [1234, 950, 12000]),
        (["0,5", "1.5", "2.25"], [0.5, 1.5, 2.25]),
        (["1.234,5", "2,5"], [1234.5, 2.5]),
        (["14.5%", "0.145", "15 %", "0.15"], [14.5, 14.5, 15, 15]),
        (["5.1 kg", "5100 g", "5 kg"], [5.1, 5.1, 5]),
        (["1.2k", "1300", "1.1k"], [1200, 1300, 1100]),
        (["<2.1", "3.5", "> 9"], [2.1, 3.5, 9]),
        (["(12.5)", "12.5", "−3"], [-12.5, 12.5, -3]),
        (["12 345", "1\u00a0000"], [12345, 1000]),
        (["12.5 EUR", "€ 3"], [12.5, 3]),
    ],
)
def test_the_reading_that_keeps_the_range_is_taken(cells, values):
    np.testing.assert_allclose(column_of(cells), values)


def test_cells_in_units_that_no_table_has_are_no_numbers():
    data = from_table({"a": ["1a", "2b", "3c"] * 8, "b": np.linspace(0, 1, 24)})
    assert data.plan.columns[0].kind != "number"


def test_further_cells_are_read_as_the_first_were():
    for cells, cell, value in (
        (["14.5%", "0.145", "15 %", "0.15"], "0.2", 20),
        (["5.1 kg", "5100 g", "5 kg"], "700 g", 0.7),
    ):
        table = {"a": cells * 8, "b": np.linspace(0, 1, 8 * len(cells))}
        prepared = from_table(table, scale="none").preparation.apply({"a": [cell], "b": [0.5]})
        np.testing.assert_allclose(prepared.X, [[value, 0.5]])


def test_two_readings_that_fit_alike_stop(tmp_path):
    rng = np.random.default_rng(0)
    table = {"a": ["40.5", "31.5", "1,205", "33.3", "36.2"] * 8, "b": rng.normal(size=40)}
    pd.DataFrame(table).to_csv(tmp_path / "x.csv", index=False)
    (finding,) = [finding for finding in read(tmp_path / "x.csv").findings if finding.stops]
    assert (finding.key, finding.option) == ("decimal-mark", {"decimal": "."})
    assert finding.facts["cells"] == ["1,205"]
    data = read(tmp_path / "x.csv", decimal=",", scale="none")
    assert data.X[:, 0].max() < 50
    assert data.X[2, 0] == pytest.approx(1.205)
    assert read(tmp_path / "x.csv", decimal=".", scale="none").X[:, 0].max() == 1205


def semicolons(path, cells) -> None:
    """A file whose other column has decimal commas."""
    lines = [f"{cell};{i % 7},25" for i, cell in enumerate(cells)]
    path.write_text("\n".join(["a;b", *lines]) + "\n")


def test_points_beside_decimal_commas_keep_the_range_or_stop(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "x.csv"

    def first_column(**options):
        return read(path, scale="none", **options).X[:, 0]

    near = [f"{x:.1f}".replace(".", ",") for x in rng.uniform(9, 15, 60)]
    semicolons(path, [*near, "10.700", "9.800"])
    np.testing.assert_allclose(first_column()[-2:], [10.7, 9.8])
    semicolons(path, [f"{x:,.0f}".replace(",", ".") for x in rng.uniform(600, 1700, 60)])
    assert 600 <= first_column().min() <= first_column().max() <= 1700
    semicolons(path, [f"{x:.3f}" for x in rng.uniform(20, 80, 60)])  # thousands, as in the file
    assert first_column().min() > 20_000
    far = [f"{x:.1f}".replace(".", ",") for x in 10 ** rng.uniform(-0.5, 3, 60)]
    semicolons(path, [*far, "10.700", "9.800"])
    (finding,) = [finding for finding in read(path).findings if finding.stops]
    assert finding.key == "decimal-mark"
    np.testing.assert_allclose(first_column(decimal=".")[-2:], [10.7, 9.8])
    np.testing.assert_allclose(first_column(decimal=",")[-2:], [10_700, 9_800])
    np.testing.assert_allclose(first_column(decimal=".")[:60], first_column(decimal=",")[:60])


def test_a_typing_error_is_named_and_read_as_missing():
    table = table_of()
    table.loc[17, "height"] *= 1e5
    data = from_table(table)
    finding = findings_by_key(data)["lone"]
    assert finding.severity == "harmful"
    assert "row 18" in finding.to_dict()["sentence"]
    assert "units" not in findings_by_key(data)
    assert from_table(table, accept="lone").X.max() > 3


@pytest.mark.parametrize("seed", range(5))
def test_heavy_tails_and_counts_are_no_typing_errors(seed):
    rng = np.random.default_rng(seed)
    for values in (
        rng.lognormal(0, 2, 300), rng.pareto(1.5, 300), rng.poisson(0.05, 300).astype(float),
        np.r_[np.zeros(299), 50.0],
    ):  # fmt: skip
        assert "lone" not in keys_of(a=values, b=rng.normal(size=300))


@pytest.mark.parametrize("factor", [2.54, 1 / 2.54, 1000, 0.45359237])
def test_a_change_of_the_unit_is_converted(factor):
    table = table_of(200)
    changed = table.copy()
    changed.loc[120:, "width"] *= factor
    data = from_table(changed, scale="none")
    facts = findings_by_key(data)["unit-change"].facts["changes"]
    assert abs(int(facts["width"][0].split()[2]) - 121) <= 6
    np.testing.assert_allclose(data.X[130:, 1], table["width"][130:], rtol=1e-9)


def test_sorted_rows_and_drifts_change_no_unit():
    table = table_of(200)
    in_order = table.sort_values("height", ignore_index=True)
    for rows in (table, in_order, table.assign(width=np.linspace(1, 9, 200))):
        assert "unit-change" not in findings_by_key(from_table(rows))


def test_one_of_collinear_columns_counts():
    table = table_of()
    table["inches"] = (table["height"] / 2.54).round(6)
    table["minus"] = -3 * table["width"] + 7
    data = from_table(table)
    assert data.n_features == 3
    finding = findings_by_key(data)["duplicate-columns"]
    assert len(finding.columns) == 2
    roles = {column.name: column.role for column in data.plan.columns}
    assert {roles[name] for name in finding.columns} == {"set aside"}
    assert data.preparation.apply(table).X.shape == (120, 3)
    assert from_table(table, accept="duplicate-columns").n_features == 5


def test_exclusive_flags_are_one_category():
    table = table_of()
    code = np.arange(120) % 4
    flags = {f"region_{j}": (code == j).astype(int) for j in range(4)}
    table = table.assign(**flags)
    data = from_table(table)
    assert findings_by_key(data)["exclusive"].columns == tuple(flags)
    places = [data.feature_names.index(name) for name in flags]
    assert set(np.unique(data.X[:, places])) <= {0.0, 0.5, 1.0}
    np.testing.assert_allclose(data.preparation.apply(table).X, data.X)
    assert "exclusive" not in findings_by_key(from_table(table.drop(columns="region_3")))


def test_outcomes_and_weights_are_no_features():
    rng = np.random.default_rng(0)
    table = table_of().assign(
        is_churned=rng.integers(0, 2, 120), Survived=rng.choice(["yes", "no"], 120),
        fnlwgt=rng.gamma(1, 900, 120),
    )  # fmt: skip
    table["Churn?"] = rng.integers(0, 2, 120)
    data = from_table(table)
    assert data.n_features == 3
    assert findings_by_key(data)["outcome"].columns == ("is_churned", "Survived", "Churn?")
    roles = {column.name: column.role for column in data.plan.columns}
    assert (roles["is_churned"], roles["fnlwgt"], roles["height"]) == (
        "outcome", "weight", "feature",
    )  # fmt: skip
    assert from_table(table, accept=["outcome", "weight"]).n_features > 6


def test_an_outcome_named_by_the_file_of_classes_is_no_feature(tmp_path):
    table = table_of()
    kinds = np.random.default_rng(0).choice(["u", "v", "w"], 120)
    table.assign(kind=kinds).to_csv(tmp_path / "x.csv", index=False)
    pd.DataFrame({"kind": ["a", "b"] * 60}).to_csv(tmp_path / "truth.csv", index=False)
    data = read(tmp_path / "x.csv", y=tmp_path / "truth.csv")
    assert data.n_features == 3
    assert findings_by_key(data)["outcome"].columns == ("kind",)


def test_a_copy_of_the_label_column_is_no_feature():
    table = table_of().assign(churned=["yes", "no"] * 60, gone=[1, 0] * 60)
    data = from_table(table, label_column="churned")
    assert data.n_features == 3
    assert findings_by_key(data)["outcome"].columns == ("gone",)


def test_a_unit_that_goes_with_a_category_is_converted():
    rng = np.random.default_rng(0)
    site = np.where(rng.random(300) < 0.4, "Boston", "Berlin")
    height, mass = rng.normal(170, 9, 300), rng.normal(70, 8, 300)
    table = pd.DataFrame({"site": site, "height": height, "mass": mass})
    table.loc[site == "Boston", "height"] /= 2.54
    data = from_table(table.assign(other=rng.normal(size=300)), scale="none")
    (finding,) = [f for f in data.findings if f.key == "unit-change"]
    assert "where 'site' is 'Boston'" in finding.to_dict()["sentence"]
    np.testing.assert_allclose(data.X[:, data.feature_names.index("height")], height)
    # groups differ in several columns: no unit
    table = pd.DataFrame({"site": site, "height": height, "mass": mass})
    table.loc[site == "Boston", ["height", "mass"]] /= 2.54
    assert "unit-change" not in [f.key for f in from_table(table).findings]


def test_few_named_rows_with_very_many_columns_stop():
    rng = np.random.default_rng(0)
    wide = pd.DataFrame(rng.normal(size=(4, 60)), columns=[f"p{i}" for i in range(60)])
    named = pd.concat([pd.Series(list("abcd"), name="measure"), wide], axis=1)
    (finding,) = [f for f in from_table(named).findings if f.stops]
    assert finding.key == "transposed"
    assert "transpose it" in finding.to_dict()["sentence"]
    for harmless in (wide, named.iloc[:, :30], named.assign(measure="a")):
        assert not [f for f in from_table(harmless).findings if f.key == "transposed"]


def test_groups_that_a_category_marks_change_no_unit():
    n_changed = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        k, n = int(rng.integers(2, 5)), int(rng.integers(50, 300))
        groups = rng.integers(k, size=n)
        numbers = rng.uniform(3, 9) * rng.permutation(k)[groups] + rng.normal(size=n)
        table = {"word": np.array(list("abcd"))[groups], "x": numbers, "y": rng.normal(size=n)}
        keys = [finding.key for finding in from_table(table).findings]
        n_changed += "unit-change" in keys
    assert n_changed <= 3
