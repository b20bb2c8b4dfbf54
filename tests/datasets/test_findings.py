"""What each kind of confident wrong answer is about: found, named, and settled by its option."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sortal
import sortal.datasets
from sortal import InputError, cli
from sortal.datasets import DoubtfulError, from_array, from_objects, from_table, read

FAST = ["-c", "kmeans", "-k", "2:6", "--n-init", "2", "--workers", "1", "--quiet", "--no-stability"]


def command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: object
) -> tuple[int, str, str]:
    monkeypatch.setattr("sys.argv", ["sortal", *map(str, arguments)])
    code = 0
    try:
        cli.main()
    except SystemExit as stop:
        code = int(stop.code or 0)
    out, err = capsys.readouterr()
    return code, out, err


def screen_of(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: object
) -> str:
    code, out, _ = command(monkeypatch, capsys, *arguments)
    assert code == 0
    return " ".join(out.split())


def findings_by_key(data: Any) -> dict[str, Any]:
    return {finding.key: finding for finding in data.findings}


def groups(n: int = 150, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    X = rng.normal(size=(n, 3)) + 9 * np.eye(3)[y]
    return pd.DataFrame(X.round(3), columns=["height", "width", "depth"]), y


def noise(n: int = 300, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(rng.normal(size=(n, 4)).round(4), columns=list("abcd"))


@pytest.fixture
def with_ids(tmp_path: Path) -> Path:
    table, y = groups()
    ids = [f"c{i}" for i in np.random.default_rng(2).permutation(len(y))]
    table.insert(0, "id", ids)
    table.to_csv(tmp_path / "withid.csv", index=False)
    truth = pd.DataFrame({"id": ids, "kind": y}).sample(frac=1, random_state=1)
    truth.to_csv(tmp_path / "t.csv", index=False)
    truth.assign(id="z" + truth["id"]).to_csv(tmp_path / "other.csv", index=False)
    pd.DataFrame({"id": ids, "mine": y}).to_csv(tmp_path / "lab.csv", index=False)
    few = truth.rename(columns={"kind": "label"}).sample(30, random_state=3)
    few.to_csv(tmp_path / "few.csv", index=False)
    return tmp_path


def test_classes_in_another_order_are_joined(with_ids, monkeypatch, capsys):
    path, truth = with_ids / "withid.csv", with_ids / "t.csv"
    for options in ([], ["--id-column", "id"]):
        code, out, _ = command(
            monkeypatch, capsys, "run", path, *options, "--truth", truth, "--json", *FAST
        )
        best = json.loads(out)["best"]
        assert (code, best["n_clusters"]) == (0, 3)
        assert json.loads(out)["ranking"][0]["score"] == 1
    code, out, _ = command(monkeypatch, capsys, "compare", truth, with_ids / "lab.csv", "--json")
    answer = json.loads(out)
    assert any("by 'id'." in note for note in answer["notes"])
    (index,) = [row for row in answer["measures"] if row["key"] == "adjusted_rand_index"]
    assert index["values"] == {"kind": {"mine": 1}}
    code, out, _ = command(
        monkeypatch, capsys, "bound", with_ids / "lab.csv", with_ids / "few.csv", "--json"
    )
    assert code == 0
    assert json.loads(out)["table"][0]["errors"] == 0


@pytest.mark.parametrize("option", ["truth", "labelings", "compare"])
def test_other_ids_are_an_error_that_shows_three_of_each(option, with_ids, monkeypatch, capsys):
    data, other_path = with_ids / "withid.csv", with_ids / "other.csv"
    arguments = {
        "truth": ["run", data, "--truth", other_path, *FAST],
        "labelings": ["run", data, "--labelings", other_path, "--only-labelings"],
        "compare": ["compare", other_path, with_ids / "lab.csv"],
    }[option]
    code, _, err = command(monkeypatch, capsys, *arguments)
    assert code == 2
    if option != "compare":
        assert err.count("'zc") == 3
        assert err.count("'c") >= 3


def test_ids_on_one_side_only(with_ids, tmp_path, monkeypatch, capsys):
    plain = tmp_path / "plain.csv"
    groups()[0].to_csv(plain, index=False)
    with pytest.raises(InputError, match="names its rows by 'id'"):
        read(plain, y=with_ids / "t.csv")
    unnamed = pd.DataFrame({"k": [0, 1, 2] * 50})
    unnamed.to_csv(tmp_path / "rows.csv", index=False)
    code, _, err = command(
        monkeypatch, capsys, "compare", with_ids / "t.csv", tmp_path / "rows.csv"
    )
    assert code == 2
    assert "names its rows by 'id'" in err
    labels = sortal.datasets.read_labelings(tmp_path / "rows.csv", ids=range(150))
    assert any("row by row" in note for note in labels.notes)


def test_frames_are_joined_by_their_index():
    table, y = groups()
    table.index = pd.Index([f"o{i}" for i in range(len(y))])
    truth = pd.Series(y, index=table.index).sample(frac=1, random_state=0)
    data = from_table(table, y=truth)
    assert list(data.y) == list(y)
    assert data.ids[4] == "o4"
    with pytest.raises(InputError, match=r"'q0', 'q1', 'q2', \.\.\.") as caught:
        from_table(table, y=pd.Series(y, index=[f"q{i}" for i in range(len(y))]))
    assert "'o0', 'o1', 'o2'" in str(caught.value)


def test_a_class_among_the_features(tmp_path, monkeypatch, capsys):
    path = tmp_path / "x.csv"
    noise().assign(target=[0, 10, 20] * 100).to_csv(path, index=False)
    data = read(path)
    assert data.feature_names == ("a", "b", "c", "d")
    assert findings_by_key(data)["label"].option == {"label_column": "target"}
    assert "target" in read(path, accept="label").feature_names
    assert read(path, **findings_by_key(data)["label"].option).truth_name == "target"
    # under a name that tells nothing, the answer itself shows it, unless there are no groups
    settings = inspect.signature(sortal.assess_structure).parameters["settings"].default
    monkeypatch.setitem(vars(settings), "no_clusters_below", 0.0)
    noise().assign(qq=[0, 100, 200] * 100).to_csv(path, index=False)
    arguments = ["run", path, "--scale", "none", *FAST]
    code, out, err = command(monkeypatch, capsys, *arguments)
    assert code == 0
    # who wants one line is warned beside it
    assert out.count("\n") == 1
    assert "values of the column 'qq' alone" in err
    arguments.remove("--quiet")
    said = screen_of(monkeypatch, capsys, *arguments, "--why")
    assert "the groups repeat the values of 'qq'" in said
    assert "values of the column 'qq' alone" in said


def test_repeated_far_values_are_missing(tmp_path):
    table = noise()
    rng = np.random.default_rng(0)
    for name in "abcd":
        table.loc[rng.random(300) < 0.05, name] = -999.0
    data = from_table(table)
    assert findings_by_key(data)["sentinel"].facts["values"] == dict.fromkeys("abcd", (-999.0,))
    assert np.abs(data.X).max() < 6
    assert "sentinel" not in findings_by_key(from_table(table, accept="sentinel"))
    assert from_table(table, accept="sentinel").X.min() < -3
    pressure = pd.DataFrame({"p": rng.normal(90, 8, 300), "q": rng.normal(30, 8, 300)})
    pressure.loc[:9, "p"] = 0.0
    assert findings_by_key(from_table(pressure))["sentinel"].facts["values"] == {"p": (0.0,)}
    ends = np.repeat([-9999.0, -999.0, *range(20), 9999.0], [20, 20, *[9] * 20, 20])
    both_ends = from_table({"p": ends, "q": rng.normal(size=len(ends))})
    assert sorted(findings_by_key(both_ends)["sentinel"].facts["values"]["p"]) == [
        -9999.0, -999.0, 9999.0,
    ]  # fmt: skip
    counts = pd.DataFrame({"a": rng.poisson(2, 300), "b": rng.poisson(9, 300)})
    assert "sentinel" not in findings_by_key(from_table(counts))


def test_dates_and_codes():
    day = pd.date_range("2020-06-15", periods=200)
    table = noise(200).assign(
        when=day.strftime("%Y%m%d").astype(int),
        stamp=day.astype("int64") // {"ns": 10**9, "us": 10**6, "s": 1}[day.unit],
        region_code=np.tile([101, 205, 907, 412], 50),
    )
    data = from_table(table, scale="none", accept="duplicate-columns")
    when, stamp = (data.X[:, data.feature_names.index(name)] for name in ("when", "stamp"))
    np.testing.assert_allclose(np.diff(when), 1)
    np.testing.assert_allclose(when, stamp)
    assert findings_by_key(data)["date"].columns == ("when", "stamp")
    assert findings_by_key(data)["code"].columns == ("region_code",)
    assert "region_code=101" in data.feature_names
    assert from_table(table, accept=["date", "code"], scale="none").X.max() > 2e7


def test_columns_in_different_units_are_scaled(tmp_path, monkeypatch, capsys):
    table, _ = groups()
    income = np.random.default_rng(0).normal(40_000, 900, len(table))
    table["income"] = income + 9_000 * table.iloc[:, 0]
    path = tmp_path / "customers.csv"
    table.to_csv(path, index=False)
    data = read(path)
    np.testing.assert_allclose(data.X.std(axis=0), 1)
    assert data.plan.scale == "standard"
    plain = read(path, scale="none")
    assert plain.X.max() > 30_000
    assert "as requested" in findings_by_key(plain)["units"].to_dict()["sentence"]
    arguments = ["run", path, *(option for option in FAST if option != "--quiet")]
    said = screen_of(monkeypatch, capsys, *arguments)
    assert "columns scaled to standard deviation 1, since their units differ" in said
    assert "different units" in screen_of(monkeypatch, capsys, *arguments, "--why")
    assert not read("iris").findings
    assert from_array(table.to_numpy()).scale is None


def test_a_matrix_of_distances_is_asked_about(tmp_path, monkeypatch, capsys):
    X = groups(60)[0].to_numpy()
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    np.save(tmp_path / "D.npy", D)
    pd.DataFrame(D).to_csv(tmp_path / "D.csv", index=False)
    pd.DataFrame(D, index=[f"o{i}" for i in range(60)]).to_csv(tmp_path / "named.csv")
    for name in ("D.npy", "D.csv"):
        code, _, err = command(monkeypatch, capsys, "run", tmp_path / name, *FAST)
        assert code == 4
        assert "--as distances" in err
        assert "--accept distances" in err
        assert command(monkeypatch, capsys, "check", tmp_path / name)[0] == 4
        assert read(tmp_path / name, kind="distances").metric == "precomputed"
        assert read(tmp_path / name, kind="features").n_features == 60
    assert read(tmp_path / "named.csv", kind="distances").ids[7] == "o7"
    code, out, _ = command(
        monkeypatch, capsys, "run", tmp_path / "D.npy", "--as", "distances", "-c", "kmedoids",
        "-k", "2:4", "--workers", "1", "--quiet", "--no-stability",
    )  # fmt: skip
    assert code == 0
    assert "3 separate groups" in out


def test_a_list_of_edges_is_asked_about(tmp_path, monkeypatch, capsys):
    rng = np.random.default_rng(0)
    ends = np.array([(i, j) for i in range(40) for j in range(i) if rng.random() < 0.3 * (
        i // 20 == j // 20) + 0.01])  # fmt: skip
    path = tmp_path / "edges.csv"
    pd.DataFrame(rng.permutation(ends), columns=["a", "b"]).to_csv(path, index=False)
    code, _, err = command(monkeypatch, capsys, "run", path, *FAST)
    assert code == 4
    assert "--as graph" in err
    graph = read(path, kind="graph")
    assert graph.metric == "graph"
    assert graph.X.nnz == 2 * len(ends)
    assert read(path, accept="edges").n_features == 2
    grid = pd.DataFrame(rng.integers(0, 30, (400, 2)), columns=["x", "y"])
    assert "edges" not in findings_by_key(from_table(grid))
    # loops are excluded, and of a pair that is named again the heavier edge counts
    path.write_text("u,v,w\np,q,1\nq,p,2.5\nq,r,1\nr,r,4\n")
    data = read(path, kind="graph")
    assert data.ids.tolist() == ["p", "q", "r"]
    np.testing.assert_array_equal(data.X.toarray(), [[0, 2.5, 0], [2.5, 0, 1], [0, 1, 0]])
    assert any("1 edges from a node to itself were excluded; 1 repeated" in n for n in data.notes)
    path.write_text("u,v\np,-1\n-1,q\nq,p\n")
    assert [str(name) for name in read(path, kind="graph").ids] == ["-1", "p", "q"]
    path.write_text("u,v\np,p\nq,q\n")
    with pytest.raises(InputError, match="no edge"):
        read(path, kind="graph")


def test_graphml(tmp_path):
    xml = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="w" for="edge" '
    xml += 'attr.name="weight" attr.type="double"/><graph edgedefault="undirected"><node id="s"/>'
    xml += '<edge source="p" target="q"><data key="w">2.5</data></edge>'
    xml += '<edge source="q" target="r"/></graph></graphml>'
    path = tmp_path / "g.graphml"
    path.write_text(xml)
    data = read(path)
    assert data.ids.tolist() == ["p", "q", "r", "s"]
    np.testing.assert_array_equal(data.X.toarray()[:3, :3], [[0, 2.5, 0], [2.5, 0, 1], [0, 1, 0]])
    assert not data.X.toarray()[3].any()
    for wrong in (xml[:-9], xml.replace('source="p"', ""), xml.replace("2.5", "")):
        path.write_text(wrong)
        with pytest.raises(InputError, match=r"not GraphML|without a source|positive numbers"):
            read(path)


def test_graphml_by_a_peer(tmp_path):
    nx = pytest.importorskip("networkx")
    graph = nx.les_miserables_graph()
    nx.write_graphml(graph, tmp_path / "g.graphml")
    data = read(tmp_path / "g.graphml")
    want = nx.to_numpy_array(graph, nodelist=data.ids.tolist())
    np.testing.assert_array_equal(data.X.toarray(), want)


def test_fields_and_terms_are_of_different_namespaces(tmp_path):
    words = {"spam": "spam offer spam winner", "ham": "meeting file notes file"}
    lines = [
        {"text": words[kind] + f" w{i % 3} spam file", "spam": kind, "file": f"f{i}"}
        for i, kind in enumerate(["spam", "ham"] * 10)
    ]
    path = tmp_path / "mails.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    options: dict[str, Any] = {"vectorizer": {"min_df": 1, "max_df": 1.0}}
    data = read(path, label_column="spam", id_column="file", **options)
    assert {"spam", "file"} <= set(data.feature_names)
    assert any(f"became {data.n_features} terms" in note for note in data.notes)
    with pytest.raises(InputError, match="no column is called 'winner'"):
        read(path, drop="winner", **options)


@pytest.mark.parametrize("power", [-200, -155])
def test_tiny_magnitudes(power, tmp_path, monkeypatch, capsys):
    table, y = groups()
    tiny = table * 10.0**power
    path = tmp_path / "tiny.csv"
    tiny.to_csv(path, index=False)
    data = read(path)
    assert "magnitude" in findings_by_key(data) or power > -150
    with pytest.raises(InputError, match="smaller unit"):
        sortal.evaluate(tiny.to_numpy(), y)
    with pytest.raises(InputError, match="smaller unit"):
        from_array(tiny.to_numpy())
    code, out, _ = command(monkeypatch, capsys, "run", path, *FAST)
    assert code == 0
    assert "3 separate groups" in out


def test_asymmetric_distances_are_rejected_everywhere():
    D = np.random.default_rng(0).random((30, 30))
    np.fill_diagonal(D, 0)
    labels = np.arange(30) % 3
    for act in (
        lambda: sortal.evaluate(D, labels, metric="precomputed"),
        lambda: sortal.Study(D, metric="precomputed"),
        lambda: from_objects(list(range(30)), lambda a, b: abs(a - b) * (1 + (a > b))),
        lambda: sortal.silhouette(D, labels, metric=lambda a, b: max(a[0] - b[0], 0.0)),
    ):
        with pytest.raises(InputError, match=r"symmetric|direction"):
            act()


@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf])
def test_what_is_no_distance_is_rejected(value):
    X = np.arange(30.0)[:, None]
    for last in (0, 29):  # among the first that are asked, and later

        def metric(a, b, last=last):
            return value if max(a[0], b[0]) == last else abs(a[0] - b[0])

        with pytest.raises(InputError, match=r"finite|negative"):
            sortal.silhouette(X, np.arange(30) % 3, metric=metric)


@pytest.mark.parametrize(
    ("cells", "values", "form"),
    [
        (["1,200", "15", "1,000,000"], [1200, 15, 1e6], "thousands"),
        (["1.200,5", "3,25"], [1200.5, 3.25], "decimal comma"),
        (["12 %", "-3%"], [12, -3], "per cent"),
        (["€ 5", "$1,200.50", "7 USD"], [5, 1200.5, 7], "currency"),
        (["1,2", "3,4"], [1.2, 3.4], "decimal comma"),
        (["1e3", ".5", "7"], [1000, 0.5, 7], ""),
    ],
)
def test_numbers_as_people_write_them(cells, values, form):
    table = {"a": cells * 9, "b": np.linspace(0, 1, 9 * len(cells))}
    data = from_table(table, scale="none", accept="decimal-mark")
    np.testing.assert_array_equal(data.X[: len(cells), 0], values)
    said = [f.to_dict()["sentence"] for f in data.findings if f.key == "format"]
    assert form in " ".join(said)
    assert bool(said) == bool(form)


def test_dates_as_people_write_them():
    want = (np.datetime64("2021-03-15") - np.datetime64("1970-01-01")).astype(int)
    for cell in ("2021-03-15", "15.03.2021", "03/15/2021", "15/03/2021", "Mar 15, 2021"):
        data = from_table({"a": [cell] * 9, "b": np.linspace(0, 1, 9)}, scale="none")
        assert data.X[0, 0] == want, cell
    for cell in ("12-5", "hello", "1.5"):
        data = from_table({"a": [cell, "x"] * 9, "b": np.linspace(0, 1, 18)})
        assert data.plan.columns[0].kind != "date", cell


def test_ids_that_several_rows_share_are_no_feature(tmp_path):
    rng = np.random.default_rng(0)
    ids = 1000 + 7 * np.repeat(rng.permutation(60), 2)
    table = pd.DataFrame(rng.normal(size=(120, 2)), columns=["x", "v"])
    table.insert(0, "customer_id", ids)
    table.to_csv(tmp_path / "x.csv", index=False)
    data = read(tmp_path / "x.csv")
    assert data.feature_names == ("x", "v")
    assert "code" in findings_by_key(data)
    (finding,) = [finding for finding in data.findings if finding.stops]
    assert finding.option == {"one_row_per": "customer_id"}


def test_markers_and_own_marks(tmp_path):
    rng = np.random.default_rng(0)
    cells = [f"{x:.2f}" for x in rng.normal(50, 5, 60)]
    cells[3:7] = ["n/a", "-", "?", "empty"]
    noise = rng.normal(50, 5, 60).round(2)
    noise[5] = -1
    pd.DataFrame({"a": cells, "b": noise}).to_csv(tmp_path / "x.csv", index=False)
    data = read(tmp_path / "x.csv", na_values="b:-1")
    assert findings_by_key(data)["missing"].facts["count"] == 5
    assert data.X.min() > 20
    with pytest.raises(InputError, match="no column is called 'c'"):
        read(tmp_path / "x.csv", na_values="c:-1")


def test_a_second_header_line_and_a_swallowed_one(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("height,weight\ncm,kg\n" + "".join(f"{i % 7},{i % 5}\n" for i in range(40)))
    data = read(path)
    assert findings_by_key(data)["rows"].facts["rows"] == {"units": [0]}
    assert data.n_objects == 40
    lines = [f"{i % 7} %,{i % 5} %\n" for i in range(39)]
    path.write_text("".join(["31 %,77 %\n", *lines]))
    (first,) = [finding for finding in read(path).findings if finding.stops]
    assert (first.key, first.option) == ("header", {"header": False})
    assert read(path, header=False).n_objects == 40


def test_only_the_first_of_sorted_rows_are_labelled():
    table, y = groups()
    table = table.sort_values("height", ignore_index=True)
    truth = np.where(np.arange(len(y)) < 40, "a", None)
    truth[:5] = "b"
    assert findings_by_key(from_table(table, y=truth))["order"].columns == ("height",)
    mixed = table.sample(frac=1, random_state=0)
    assert "order" not in findings_by_key(from_table(mixed.reset_index(drop=True), y=truth))


def customers(n: int = 5000, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """A marketing analyst's export: four segments in age, income and how long ago things were."""
    rng = np.random.default_rng(seed)
    segment = rng.integers(0, 4, n)
    day = np.datetime64("2024-01-01")
    table = pd.DataFrame(
        {
            "id": rng.permutation(n) + 10_000,
            "age": rng.normal(np.array([24, 38, 52, 68])[segment], 2.5).round(),
            "income": rng.normal(np.array([22e3, 61e3, 95e3, 38e3])[segment], 4e3).round(-2),
            "region": np.array(["north", "south", "east", "west"])[
                np.where(rng.random(n) < 0.9, segment, rng.integers(0, 4, n))
            ],
            "plan": np.array(["free", "basic", "plus", "basic"])[segment],
            "signup date": day
            - rng.normal(np.array([200, 900, 1600, 2500])[segment], 80).astype(int),
            "last order": day - rng.normal(np.array([20, 60, 120, 200])[segment], 12).astype(int),
            "notes": [f"customer {i} asked about order {i * 7}" for i in range(n)],
        }
    )
    for name in table.columns[1:]:
        table.loc[rng.random(n) < 0.08, name] = None
    return table, segment


def test_an_export_is_read_at_once(tmp_path):
    import dirty_tables

    table, segment = customers()
    path = tmp_path / "customers.csv"
    table.to_csv(path, index=False)
    data = read(path)
    assert {column.name: column.kind for column in data.plan.columns} == {
        "id": "id", "age": "number", "income": "number", "region": "category", "plan": "category",
        "signup date": "date", "last order": "date", "notes": "text",
    }  # fmt: skip
    assert {"units", "date", "id", "text", "missing"} <= set(findings_by_key(data))
    assert dirty_tables.agreement(data.X, segment) > 0.95
    with pytest.raises(InputError, match=r"(?s)'notes'.*--drop 'notes'"):
        read(path, strict=True)


@pytest.mark.long
def test_an_export_gives_its_segments(tmp_path, monkeypatch, capsys):
    table, segment = customers()
    path, labels = tmp_path / "customers.csv", tmp_path / "labels.csv"
    table.to_csv(path, index=False)
    code, out, _ = command(monkeypatch, capsys, "run", path, "--labels", labels)
    assert code == 0
    assert "units differ" in out
    from sklearn.metrics import adjusted_rand_score

    cluster = pd.read_csv(labels)["cluster"]
    assert cluster[cluster >= 0].nunique() == 4
    assert (cluster < 0).mean() < 0.01
    assert adjusted_rand_score(segment, cluster) > 0.95


def test_every_kind_of_finding_has_a_sentence_and_an_option(tmp_path):
    table, _ = customers(400)
    table["target"] = 1 + np.arange(400) % 2
    data = from_table(table)
    for finding in data.findings:
        facts = finding.to_dict()
        assert json.loads(json.dumps(facts)) == facts
        assert finding.option
        assert finding.to_dict()["sentence"].endswith(".")
    assert "<li>" in data._repr_html_()
    assert issubclass(DoubtfulError, InputError)
