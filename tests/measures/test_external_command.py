"""``sortal compare``: files of labels to every external measure."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import sortal
from sortal import InputError
from sortal.cli import app
from sortal.measures import catalogue

TRUE = list("xxxxxoxoooo◇xx◇◇◇")
PRED = [1] * 6 + [2] * 6 + [3] * 5


def run(*args):
    result = CliRunner().invoke(app, ["compare", *map(str, args)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def judged(*args):
    return json.loads(run(*args, "--json"))


def of_pair(answer):
    """Values by measure of a clustering and its gold standard."""
    gold = answer["truth"]
    (labeling,) = set(answer["labelings"]) - {gold}
    return {m["key"]: m["values"][gold][labeling] for m in answer["measures"]}


@pytest.fixture
def files(tmp_path):
    frame = pd.DataFrame({"id": range(17), "class": TRUE, "cluster": PRED})
    frame.to_csv(tmp_path / "both.csv", index=False)
    frame[["class"]].to_csv(tmp_path / "true.csv", index=False)
    frame[["cluster"]].to_csv(tmp_path / "pred.csv", index=False)
    frame[["cluster"]].to_csv(tmp_path / "bare.txt", index=False, header=False)
    frame[["class"]].to_csv(tmp_path / "names.csv", index=False, header=False)
    frame[["class"]].to_parquet(tmp_path / "true.parquet")
    shuffled = frame.sample(frac=1, random_state=0)
    shuffled[["id", "cluster"]].to_csv(tmp_path / "ids.tsv", index=False, sep="\t")
    frame[["id", "class"]].to_parquet(tmp_path / "ids.parquet")
    return tmp_path


@pytest.mark.quick(4)
@pytest.mark.parametrize(
    "args",
    [
        ("true.csv", "pred.csv"),
        ("true.csv", "bare.txt"),
        ("names.csv", "pred.csv"),
        ("true.parquet", "pred.csv"),
        ("both.csv", "--columns", "class,cluster"),
        ("both.csv", "both.csv", "--columns", "class,cluster"),
        ("ids.parquet", "ids.tsv", "--id-column", "id"),
        ("both.csv", "ids.tsv", "--id-column", "id", "--columns", "class,cluster"),
        ("both.csv", "--columns", "class,cluster", "--id-column", "id"),
    ],
    ids=" ".join,
)
def test_every_way_to_name_two_labelings(files, args):
    answer = judged(*(files / a if "." in a else a for a in args))
    assert answer["objects"] == 17
    assert [labeling["clusters"] for labeling in answer["labelings"].values()] == [3, 3]
    values = of_pair(answer)
    assert list(values) == [m.key for m in catalogue.select(kind="external")]
    for key, value in values.items():
        assert value == pytest.approx(catalogue[key].function(TRUE, PRED), rel=1e-12)
    assert {c["cluster"]: c["class"] for c in answer["by_cluster"]} == {
        "1": "x", "2": "o", "3": "◇",
    }  # fmt: skip
    assert len(answer["by_class"]) == 3


def test_the_first_of_two_columns_is_the_gold_standard(files):
    for names in ("class,cluster", "cluster,class"):
        answer = judged(files / "true.csv", files / "pred.csv", "--columns", names)
        assert answer["truth"] == names.partition(",")[0]


def test_text_for_people(files):
    output = run(files / "true.csv", files / "pred.csv")
    assert "17 objects, 2 labelings" in output
    assert "class (gold standard): 3 clusters" in output
    assert "0.705882" in output
    assert "lower" in output
    assert "◇" in output


def test_outliers(tmp_path):
    (tmp_path / "t.csv").write_text("t\na\na\nb\nb\n")
    (tmp_path / "c.csv").write_text("c\n0\n-1\n1\n1\n")
    with pytest.raises(InputError, match="marks 1 of 4"):
        run(tmp_path / "t.csv", tmp_path / "c.csv")
    answer = judged(tmp_path / "t.csv", tmp_path / "c.csv", "--noise", "drop")
    assert answer["labelings"]["c"]["coverage"] == 0.75
    assert "25.0 %" in run(tmp_path / "t.csv", tmp_path / "c.csv", "--noise", "drop")
    with pytest.raises(InputError, match="--noise"):
        run(tmp_path / "t.csv", tmp_path / "c.csv", "--noise", "keep")


def test_join_says_what_is_left_out(tmp_path):
    (tmp_path / "t.csv").write_text("id,t\n1,a\n2,a\n3,b\n")
    (tmp_path / "c.csv").write_text("id,c\n3,0\n2,1\n8,1\n9,1\n")
    answer = judged(tmp_path / "t.csv", tmp_path / "c.csv", "--id-column", "id", "--on", "inner")
    assert answer["objects"] == 2
    assert list(answer["left_out"].values()) == [1, 2]
    shown = " ".join(run(tmp_path / "t.csv", tmp_path / "c.csv", "--on", "inner").split())
    assert "excluded: 2 objects of" in shown


@pytest.mark.parametrize(
    ("true", "pred", "options", "message"),
    [
        ("id,t\n1,a\n", "id,c\nx1,0\n", ["--id-column", "id"], "by 'id': 0 in both.*'1'.*'x1'"),
        ("id,t\n1,a\n1,b\n", "id,c\n1,0\n", ["--id-column", "id"], "'1' occurs 2 times"),
        ("id,t\n1,a\n,b\n", "id,c\n1,0\n", ["--id-column", "id"], "blank in row 2"),
        ("id,t\n1,a\n", "c\n0\n", ["--id-column", "id"], "no column is called 'id'"),
            ("t\na\nb\nb\n", "c\n0\n", [], "1 rows for the 3 objects"),
        ("t\na\n\"\"\n\"\"\n", "c\n0\n1\n2\n", [], "no label in 2 of 3"),
        ("t\na\n", "c\n0\n", ["--columns", "t"], "two or more names"),
    ],
)  # fmt: skip
def test_errors(tmp_path, true, pred, options, message):
    (tmp_path / "t.csv").write_text(true)
    (tmp_path / "c.csv").write_text(pred)
    with pytest.raises(InputError, match=message):
        run(tmp_path / "t.csv", tmp_path / "c.csv", *options)


def test_files_that_are_not_there(tmp_path):
    (tmp_path / "t.csv").write_text("t\na\nb\n")
    with pytest.raises(InputError, match="there is no file"):
        run(tmp_path / "none.csv", tmp_path / "t.csv")
    with pytest.raises(InputError, match="one labeling, 't'; give another file"):
        run(tmp_path / "t.csv")
    (tmp_path / "t.xlsx").write_text("t")
    with pytest.raises(InputError, match="labels are read from CSV"):
        run(tmp_path / "t.xlsx", tmp_path / "t.csv")


@pytest.fixture
def many(tmp_path):
    rng = np.random.default_rng(5)
    labels = {name: rng.integers(0, k, 40) for name, k in (("a", 3), ("b", 4), ("c", 2))}
    labels["gold"] = np.where(rng.random(40) < 0.7, labels["a"], rng.integers(0, 3, 40))
    frame = pd.DataFrame({"id": [f"o{i}" for i in range(40)], **labels})
    frame.to_csv(tmp_path / "all.csv", index=False)
    frame.to_parquet(tmp_path / "all.parquet")
    frame[["gold"]].to_csv(tmp_path / "gold.csv", index=False)
    labelings = {name: labels[name] for name in "abc"}
    np.savez(tmp_path / "found.npz", **labelings)
    np.save(tmp_path / "rows.npy", np.stack(list(labelings.values())))
    for name, values in labelings.items():
        np.save(tmp_path / f"{name}.npy", values)
        pd.DataFrame({"label": values}).to_csv(tmp_path / f"{name}.csv", index=False)
    frame[["id", "gold"]][::-1].to_csv(tmp_path / "gold-ids.csv", index=False)
    frame[["id", "a", "b", "c"]][3:].to_parquet(tmp_path / "found-ids.parquet")
    return tmp_path, labels


@pytest.mark.parametrize(
    "args",
    [
        "all.csv --truth gold",
        "all.parquet --truth gold",
        "found.npz --truth gold.csv",
        "rows.npy --truth gold.csv",
        "a.npy b.npy c.npy --truth gold.csv",
        "a.csv b.csv c.csv --truth gold.csv",
        "a.npy b.csv c.npy gold.csv --truth gold",
    ],
)
def test_many_labelings_against_a_truth(many, args):
    folder, labels = many
    answer = judged(*(folder / a if "." in a else a for a in args.split()))
    assert answer["objects"] == 40
    assert len(answer["labelings"]) == 4
    gold = answer["truth"]
    assert gold == "gold"
    assert [m["key"] for m in answer["measures"]] == [
        m.key for m in catalogue.select(kind="external")
    ]
    for m in answer["measures"]:
        for value, name in zip(m["values"][gold].values(), "abc", strict=True):
            want = catalogue[m["key"]].function(labels["gold"], labels[name])
            assert value == pytest.approx(want, rel=1e-12)


def test_all_against_all(many):
    folder, labels = many
    for files in (["all.csv"], ["found.npz", "gold.csv"], ["gold.csv", "a.npy", "b.npy", "c.npy"]):
        answer = judged(*(folder / name for name in files))
        assert answer["truth"] is None
        assert [m["key"] for m in answer["measures"]] == [
            "adjusted_rand_index", "normalized_mutual_information", "adjusted_mutual_information",
        ]  # fmt: skip
        frame = sortal.compare_labelings(labels).to_dict("index")
        for row, values in answer["measures"][0]["values"].items():
            assert values == pytest.approx({name: frame[row][name] for name in values})
            assert len(values) == 4
    shown = run(folder / "all.csv", "--measure", "purity", "--columns", "a,gold,c")
    assert "3 labelings" in shown
    assert "rows as gold standard" in shown
    assert f"{sortal.purity(labels['gold'], labels['c']):.6g}" in shown
    assert f"{sortal.purity(labels['c'], labels['gold']):.6g}" in shown


def test_titles_name_the_normaliser(many):
    folder, _ = many
    titles = [m["title"] for m in judged(folder / "all.csv")["measures"]]
    assert titles[1].endswith("(normaliser geometric)")
    assert titles[2].endswith("(normaliser max)")


def test_many_files_are_joined_by_id(many):
    folder, labels = many
    args = (folder / "found-ids.parquet", "--truth", folder / "gold-ids.csv", "--on", "inner")
    answer = judged(*args)
    assert answer["objects"] == 37
    assert list(answer["left_out"].values()) == [3, 0]
    ari = next(m for m in answer["measures"] if m["key"] == "adjusted_rand_index")
    assert ari["values"]["gold"]["b"] == pytest.approx(
        sortal.adjusted_rand_index(labels["gold"][3:], labels["b"][3:])
    )
    assert "excluded: 3 objects of" in " ".join(run(*args).split())


def test_outliers_of_many(tmp_path):
    frame = pd.DataFrame({"t": [0, 0, 1, 1], "a": [0, 0, 1, -1], "b": [-1, -1, -1, -1]})
    frame.to_csv(tmp_path / "x.csv", index=False)
    with pytest.raises(InputError, match="marks 1 of 4"):
        run(tmp_path / "x.csv", "--truth", "t")
    answer = judged(tmp_path / "x.csv", "--truth", "t", "--noise", "drop")
    assert answer["labelings"]["a"]["coverage"] == 0.75
    for m in answer["measures"]:
        assert m["values"]["t"]["b"] is None
        assert ["t | b"] in m["reasons"].values()
    assert "outliers excluded: 25.0 %" in run(
        tmp_path / "x.csv", "--truth", "t", "--noise", "drop", "--measure", "purity"
    )


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["x.csv", "--truth", "nobody"], "is not a file, and no column is called 'nobody'"),
        (["x.csv", "y.csv", "y.csv", "--truth", "x.csv"], "2 rows for the 3 objects of x.csv"),
        (["x.csv", "y.csv"], "2 rows for the 3 objects of x.csv"),
        (["x.csv", "--measure", "silhouette"], "no external measure is called 'silhouette'"),
        (["x.csv", "--columns", "a,b,c"], "no column is called 'c'"),
        (["x.csv", "y.csv", "--id-column", "id"], "no column is called 'id'"),
    ],
)
def test_errors_of_many(tmp_path, monkeypatch, args, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.csv").write_text("a,b\n0,1\n1,1\n0,1\n")
    (tmp_path / "y.csv").write_text("c\n0\n1\n")
    with pytest.raises(InputError, match=message):
        run(*args)


def test_a_line_that_does_not_fit(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("k\n" + "1\n" * 60 + "1,2,3\n")
    with pytest.raises(InputError, match="line 62: 3 cells"):
        run(path, path)


def test_real_labels(shared_data):
    truth = shared_data / "benchmarks" / "fcps_target.labels0.csv.gz"
    second_file = shared_data / "benchmarks" / "fcps_target.labels1.csv.gz"
    answer = judged(truth, second_file, "--noise", "cluster")
    first, second = (pd.read_csv(path)["label"].to_numpy() for path in (truth, second_file))
    values = of_pair(answer)
    ari = sortal.adjusted_rand_index(first, second, noise="cluster")
    assert values["adjusted_rand_index"] == pytest.approx(ari)
    assert answer["objects"] == len(first)
    assert np.isfinite([v for v in values.values() if v is not None]).all()
