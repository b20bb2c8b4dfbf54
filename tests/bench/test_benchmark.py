"""A race of clusterers, and a folder of label files: every cell an entry, never a hole."""

import gzip
import html
import json
import re
import shutil
import sqlite3
import subprocess
from contextlib import closing

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from typer.testing import CliRunner

from sortal import InputError, StorageError
from sortal.bench import Benchmark, read_folder
from sortal.cli import app


def _sets():
    return {
        f"blobs{seed}": make_blobs(60, centers=3, cluster_std=2.5, random_state=seed)
        for seed in range(4)
    }


class Failing(KMeans):
    def fit_predict(self, X, y=None, sample_weight=None):
        raise RuntimeError("no luck")


def test_scores_are_those_of_scikit_learn():
    race = Benchmark(_sets(), {"k-means": KMeans(n_init=1), "ward": "ward"}, n_init=3).run()
    assert len(race.table) == 4 * (3 + 1)
    X, y = _sets()["blobs2"]
    expected = [
        adjusted_rand_score(y, KMeans(3, n_init=1, random_state=s).fit_predict(X)) for s in range(3)
    ]
    scores = race.scores("adjusted_rand_index")
    assert scores.loc["blobs2", "k-means"] == pytest.approx(np.mean(expected))
    best = race.scores("adjusted_rand_index", tries=3)
    assert best.loc["blobs2", "k-means"] == pytest.approx(max(expected))
    assert best["ward"].equals(scores["ward"])
    assert (race.table["seconds"] > 0).all()


def test_a_failure_is_an_entry():
    race = Benchmark(_sets(), {"ward": "ward", "failing": Failing()}, n_init=2).run()
    failed = race.table[race.table["method"] == "failing"]
    assert set(failed["reason"]) == {"RuntimeError: no luck"}
    assert race.scores()["failing"].isna().all()
    with pytest.raises(InputError, match=r"failing failed in 8 of 8 fits \(RuntimeError: no luck"):
        race.compare()
    comparison = race.compare(failed=0.0)
    assert comparison.ranks.index[0] == "ward"
    assert comparison.words[1] == "failing failed in 8 of 8 fits. A failed fit counts as 0."


class Picky(KMeans):
    """Fails for seeds and numbers of clusters that it does not like."""

    def fit_predict(self, X, y=None, sample_weight=None):
        if self.n_clusters > 3 or self.random_state in (1, 2):
            raise RuntimeError("no luck")
        return super().fit_predict(X)


def test_a_failed_try_is_in_the_mean():
    race = Benchmark(_sets(), {"ward": "ward", "picky": Picky(n_init=1)}, n_init=4).run()
    first = race.table[race.table["method"] == "picky"].set_index(["set", "try"])
    values = first.loc["blobs1", "adjusted_rand_index"]
    assert race.scores()["picky"].isna().all()
    assert race.scores(tries=2)["picky"].isna().all()
    assert race.intervals().loc[("blobs1", "picky"), ["mean", "low"]].isna().all()
    assert race.scores(failed=0).loc["blobs1", "picky"] == pytest.approx(values.fillna(0).mean())
    assert race.intervals(failed=0).loc[("blobs1", "picky"), "tries"] == 4
    assert race.failures.loc["picky"].tolist() == [16, 8, "RuntimeError: no luck"]
    with pytest.raises(InputError, match="picky failed in 8 of 16 fits"):
        race.compare()
    assert "picky failed in 8 of 16 fits. A failed fit counts as 0." in race.compare(failed=0).words


def test_a_failed_number_of_clusters_is_in_the_mean():
    clusterers = {"ward": "ward", "picky": Picky(n_init=1)}
    race = Benchmark(_sets(), clusterers, k=[2, 3, 4], n_init=1).run()
    assert race.scores()["picky"].isna().all()
    picky_scores = race.table.query("method == 'picky' and set == 'blobs0'")["adjusted_rand_index"]
    assert race.scores(failed=0).loc["blobs0", "picky"] == pytest.approx(picky_scores.sum() / 3)


def test_a_failure_is_never_the_best_score():
    measures = ["variation_of_information", "adjusted_rand_index"]
    race = Benchmark(_sets(), {"ward": "ward", "failing": Failing()}, measures, n_init=1).run()
    with pytest.raises(InputError, match="failed=0 would be the best value of variation"):
        race.compare(failed=0)
    assert race.compare(failed=9).ranks.index[0] == "ward"
    assert race.scores(failed=9).loc["blobs0", "failing"] == -9
    with pytest.raises(InputError, match="would be the best value"):
        race.compare("adjusted_rand_index", failed=1)


def test_classes_are_drawn_and_clustered_into_as_many():
    X, y = make_blobs(100, centers=5, random_state=0)
    sets = {"a": (X, y), "b": (X, np.array(list("vwxyz"))[y])}
    race = Benchmark(sets, ["ward"], k=[2, 4, 9], draw="classes", n_init=1).run()
    assert sorted(set(race.table["k"])) == [2, 4]
    assert race.scores()["ward"].iloc[0] == pytest.approx(race.scores()["ward"].iloc[1])


def test_fits_of_an_earlier_version_are_no_storage(tmp_path):
    path = tmp_path / "race.jsonl"
    path.write_text('{"key": "a", "row": {"score": 0.5}}\n')
    with pytest.raises(StorageError, match="is not a record of finished work"):
        Benchmark(_sets(), ["ward"], n_init=1, storage=path)


def n_stored(path):
    """Number of finished fits in a storage."""
    with closing(sqlite3.connect(path)) as file:
        return file.execute("SELECT count(*) FROM entries WHERE kind = 'value'").fetchone()[0]


def test_a_killed_run_resumes(tmp_path):
    path, lines = tmp_path / "race.sortal", []

    def kill(line):
        lines.append(line)
        if len(lines) == 2:
            raise KeyboardInterrupt

    def race(**options):
        return Benchmark(_sets(), ["kmeans"], n_init=2, **options)

    with pytest.raises(KeyboardInterrupt):
        race(storage=path).run(kill)
    assert n_stored(path) == 4
    again = race(storage=path).run()
    assert n_stored(path) == len(again.table) == 8
    assert again.scores().equals(race().run().scores())
    # stored fits have the seconds that they took
    assert race(storage=path).run().table["seconds"].equals(again.table["seconds"])
    race(storage=path, random_state=1).run()
    assert n_stored(path) == 16


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measures": ["silhouette"]}, "does not compare with classes"),
        ({"measures": []}, "at least one"),
        ({"k": [0]}, "whole numbers"),
        ({"draw": "classes"}, "numbers of classes"),
        ({"n_init": 0}, "n_init"),
    ],
)
def test_settings_that_cannot_work(options, message):
    with pytest.raises(InputError, match=message):
        Benchmark(_sets(), ["ward"], **options)
    with pytest.raises(InputError, match="3 objects and 2 classes"):
        Benchmark({"a": (np.zeros((3, 1)), [0, 1])}, ["ward"])


# -- folders -----------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    """Four sets, two references of one, three methods; the third has no file for a set."""
    rng = np.random.default_rng(0)
    for number in range(4):
        set_folder = tmp_path / "results" / f"set{number}"
        set_folder.mkdir(parents=True)
        truth = np.repeat([0, 1, 2], 10)
        _write(set_folder / "truth.csv", truth)
        _write(set_folder / "good.csv", truth)
        for number_of_try in (1, 2):
            _write(set_folder / f"chance.{number_of_try}.csv", rng.integers(0, 3, 30))
        if number:
            _write(set_folder / "some.txt", np.where(np.arange(30) < 25, truth, -1))
    _write(tmp_path / "results" / "set3" / "truth2.csv", np.repeat([0, 1], 15))
    return tmp_path / "results"


def _write(path, labels):
    path.write_text("label\n" + "".join(f"{label}\n" for label in labels))


def test_a_folder_for_each_set(folder):
    entries = read_folder(folder)
    assert list(entries) == ["set0", "set1", "set2", "set3"]
    assert len(entries["set3"].references) == 2
    assert {m: len(t) for m, t in entries["set1"].tries.items()} == {
        "chance": 2, "good": 1, "some": 1,
    }  # fmt: skip
    race = Benchmark.from_folder(folder)
    assert race.table["reason"].dropna().tolist() == ["no file of labels"]
    scores = race.scores()
    assert (scores["good"] == 1).all()
    labels = np.where(np.arange(30) < 25, np.repeat([0, 1, 2], 10), np.arange(100, 130))
    wanted = adjusted_rand_score(np.repeat([0, 1, 2], 10), labels)
    assert scores.loc["set1", "some"] == pytest.approx(wanted)


def test_the_layout_of_clustering_data_v1(tmp_path):
    for name in ("ring", "two.parts"):
        labels = np.array([1, 1, 2, 2, 0, 0])
        for number in (0, 1):
            with gzip.open(tmp_path / f"{name}.labels{number}.gz", "wt") as file:
                file.write("\n".join(map(str, labels)) + "\n")
        for method, method_labels in (("one", [5, 5, 6, 6, 7, 7]), ("other", [5, 6, 5, 6, 7, 8])):
            (tmp_path / method).mkdir(exist_ok=True)
            with gzip.open(tmp_path / method / f"{name}.gz", "wt") as file:
                file.write("\n".join(map(str, method_labels)) + "\n")
    with gzip.open(tmp_path / "one" / "ring.3.gz", "wt") as file:
        file.write("\n".join("112200"))
    assert list(read_folder(tmp_path)["ring"].tries["one"]) == [3, 0]
    (tmp_path / "one" / "ring.3.gz").unlink()
    scores = Benchmark.from_folder(tmp_path).scores()
    # what the reference calls noise counts for nothing
    assert scores["one"].tolist() == [1, 1]
    assert scores["other"].tolist() == pytest.approx([-0.5, -0.5])


def test_only_a_number_after_a_point_is_a_try(folder):
    for name in ("sbert-384", "sbert-768", "sbert_2", "km.3", "km.11", "Genie_G0"):
        _write(folder / "set1" / f"{name}.csv", np.repeat([0, 1, 2], 10))
    tries = read_folder(folder)["set1"].tries
    assert {"sbert-384", "sbert-768", "sbert_2"} < set(tries)
    assert list(tries["km"]) == [11, 3] or list(tries["km"]) == [3, 11]
    race = Benchmark.from_folder(folder)
    missing = race.table.query("method == 'km' and set == 'set2'")["reason"]
    assert missing.tolist() == ["no file of try 3", "no file of try 11"]
    _write(folder / "set1" / "km.03.csv", np.repeat([0, 1, 2], 10))
    with pytest.raises(InputError, match="another file of try 3 of km"):
        read_folder(folder)


def test_columns_are_methods(folder):
    rows = "".join(f"{i // 10},{i % 2}\n" for i in range(30))
    (folder / "set2" / "all.1.csv").write_text(f"G0.1,G0.3\n{rows}")
    tries = read_folder(folder)["set2"].tries
    assert list(tries["G0.1"]) == list(tries["G0.3"]) == [1]


def test_the_layout_of_clustering_results_v1(tmp_path):
    """METHODS/BATTERY/SET.resultK.gz, a column a method, beside the references in batteries."""
    references = {"labels0": [1, 1, 1, 2, 2, 2], "labels1": [1, 1, 2, 2, 3, 0]}
    results = {2: [1, 1, 1, 2, 2, 2], 3: [1, 2, 1, 2, 3, 3], 4: [1, 2, 3, 4, 4, 4]}
    for battery in ("fcps", "wut"):
        for path in (tmp_path / "data" / battery, tmp_path / "results" / "Genie" / battery):
            path.mkdir(parents=True)
        for key, labels in references.items():
            with gzip.open(tmp_path / "data" / battery / f"x.1.{key}.gz", "wt") as file:
                file.write("\n".join(map(str, labels)) + "\n")
        (tmp_path / "data" / battery / "x.1.data.gz").write_bytes(b"ignored")
        for k, labels in results.items():
            path = tmp_path / "results" / "Genie" / battery / f"x.1.result{k}.gz"
            if battery == "fcps" or k != 3:
                with gzip.open(path, "wt") as file:
                    rows = [f"{a},{b}" for a, b in zip(labels, labels[::-1], strict=True)]
                    file.write("\n".join(['"Genie_G0.1","Genie_G0.3"', *rows]) + "\n")
    (tmp_path / "results" / "Genie" / "README.txt").write_text("notes")
    race = Benchmark.from_folder(tmp_path, ["adjusted_rand_index"])
    table = race.table.set_index(["set", "method", "reference"])
    assert table.index.get_level_values("set").unique().tolist() == ["fcps/x.1", "wut/x.1"]
    # each reference is compared with the result of as many clusters
    assert table.loc[("fcps/x.1", "Genie_G0.1", "labels0"), "adjusted_rand_index"] == 1
    wanted = adjusted_rand_score(references["labels1"][:5], results[3][:5])
    score = table.loc[("fcps/x.1", "Genie_G0.1", "labels1"), "adjusted_rand_index"]
    assert score == pytest.approx(wanted)
    assert table.loc[("wut/x.1", "Genie_G0.3", "labels1"), "reason"] == "no result with 3 clusters"
    assert race.scores().loc["fcps/x.1", "Genie_G0.3"] == 1
    assert race.scores().loc["wut/x.1"].isna().all()
    assert race.scores(failed=0).loc["wut/x.1", "Genie_G0.3"] == 1
    with gzip.open(tmp_path / "results" / "Genie" / "wut" / "x.1.result3.gz", "wt") as file:
        file.write("Genie_G0.1,Genie_G0.3\n1,2\n1\n")
    with pytest.raises(InputError, match="the first line must name the methods"):
        read_folder(tmp_path)


def test_folders_that_cannot_be_used(tmp_path, folder):
    with pytest.raises(InputError, match="is not a folder"):
        read_folder(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no label files"):
        read_folder(tmp_path / "empty")
    _write(folder / "set1" / "short.csv", [1, 2])
    with pytest.raises(InputError, match=r"2 rows for the 30 objects of .*truth.csv"):
        read_folder(folder)
    (folder / "set1" / "short.csv").unlink()
    (folder / "set0" / "truth.csv").unlink()
    with pytest.raises(InputError, match="has no reference"):
        read_folder(folder)


def test_the_command_makes_the_page(folder, tmp_path):
    page = tmp_path / "page.html"
    run = CliRunner().invoke
    refused = run(app, ["bench", str(folder)])
    assert "some failed in 1 of 4 fits (no file of labels)" in str(refused.exception)
    assert "--failed 0" in str(refused.exception)
    done = run(app, ["bench", str(folder), "--failed", "0", "--report", str(page)])
    assert done.exit_code == 0, done.output
    assert "3 methods on 4 data sets. good has the best average rank" in done.output
    assert "Failed or missing: 1;" in done.output
    text = page.read_text()
    assert "<svg" in text
    assert "http" not in text.replace("http-equiv", "")
    assert "exists already" in str(
        run(app, ["bench", str(folder), "--failed", "0", "--report", str(page)]).exception
    )
    result = run(app, ["bench", str(folder), "--failed", "0", "--json"])
    assert json.loads(result.stdout)["ranks"]["good"] == 1


def _six_on_ten(root):
    """Label files of six algorithms on ten sets, as a user has them."""
    rng = np.random.default_rng(3)
    quality = {
        "alpha": 0.05,
        "beta": 0.07,
        "gamma": 0.2,
        "delta": 0.25,
        "epsilon": 0.5,
        "zeta": 0.9,
    }
    for number in range(10):
        truth = np.repeat(np.arange(3 + number % 3), 12)
        set_folder = root / f"set {number}"
        set_folder.mkdir(parents=True)
        _write(set_folder / "truth.csv", truth)
        for method, share in quality.items():
            for number_of_try in range(1, 4 if method in ("alpha", "delta") else 2):
                is_moved = rng.uniform(size=len(truth)) < share + 0.02 * number
                labels = np.where(is_moved, rng.integers(0, truth.max() + 1, len(truth)), truth)
                _write(set_folder / f"{method}.{number_of_try}.csv", labels)
    return root


def test_six_algorithms_on_ten_sets_become_the_page_in_one_command(tmp_path):
    page = tmp_path / "appendix.html"
    folder = _six_on_ten(tmp_path / "results")
    measures = [
        "--measure", "adjusted_rand_index", "--measure", "adjusted_mutual_information",
    ]  # fmt: skip
    done = CliRunner().invoke(app, ["bench", str(folder), *measures, "--report", str(page)])
    assert done.exit_code == 0, done.output
    text = page.read_text()
    assert "6 contestants on 10 data sets, by Adjusted Rand index" in text
    headings = re.findall("<h2>(.*?)</h2>", text)
    assert headings == [
        "Average ranks", "Scores", "Pairs", "Do rankings agree?", "How this was made",
    ]  # fmt: skip
    race = Benchmark.from_folder(folder, ["adjusted_rand_index", "adjusted_mutual_information"])
    comparison = race.compare()
    assert {"alpha", "beta"} == set(comparison.ranks.index[:2])
    scores = race.intervals().loc[("set 4", "alpha")]
    half = (scores["high"] - scores["low"]) / 2
    assert f"{scores['mean']:.3f} <small>±{half:.3f}</small>" in text
    tau = race.agreement().iloc[0]
    assert f"{tau['tau']:.2f}</td><td>{tau['low']:.2f} to {tau['high']:.2f}" in text
    assert text.count("<svg") == 1
    assert "alpha – beta" in text or "beta – alpha" in text
    for sentence in comparison.words:
        assert html.escape(sentence) in text


@pytest.mark.long
@pytest.mark.skipif(shutil.which("chromium") is None, reason="there is no chromium here")
def test_the_page_in_a_browser(tmp_path):
    """Nothing wider than the page, no text beyond its figure, nothing on the console."""
    page = tmp_path / "appendix.html"
    Benchmark.from_folder(_six_on_ten(tmp_path / "results")).report(page)
    probe = """<script>addEventListener("load", () => {
      const beyond = [...document.querySelectorAll("svg text")].filter((t) => {
        const a = t.getBoundingClientRect(), b = t.closest("svg").getBoundingClientRect();
        return a.left < b.left - 1 || a.right > b.right + 1 || a.bottom > b.bottom + 1;
      }).map((t) => t.textContent);
      const seen = {beyond, page: document.documentElement.scrollWidth, width: innerWidth};
      document.body.textContent = "SEEN" + JSON.stringify(seen) + "SEEN";
    });</script></body>"""
    page.write_text(page.read_text().replace("</body>", probe))
    command = [
        "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
        f"--user-data-dir={tmp_path / 'profile'}", "--enable-logging=stderr",
        "--window-size=1000,800", "--virtual-time-budget=5000", "--dump-dom", page.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    assert "CONSOLE" not in done.stderr
    seen = json.loads(re.search("SEEN(.*)SEEN", done.stdout)[1])
    assert seen["beyond"] == []
    assert seen["page"] <= seen["width"]


def test_files_for_a_paper(tmp_path):
    import pandas as pd

    root = _six_on_ten(tmp_path / "results")
    for number in range(10):
        battery = root / ("even" if number % 2 == 0 else "odd")
        battery.mkdir(exist_ok=True)
        (root / f"set {number}").rename(battery / f"set_{number}")
    written = [tmp_path / name for name in ("t.tex", "t.html")]
    reports = [part for path in written for part in ("--report", str(path))]
    done = CliRunner().invoke(app, ["bench", str(root), *reports])
    tex, page = written
    assert done.exit_code == 0, done.output
    race = Benchmark.from_folder(root, ["adjusted_rand_index"])
    comparison, text = race.compare(), tex.read_text()
    # the order is that of the ranks; data sets as in the page
    assert " & ".join(["data set", *comparison.ranks.index]) in re.sub(
        r"\\textbf{(\w+)}", r"\1", text
    )
    half = race.intervals().loc[("even/set_4", "alpha")]
    cell = f"{half['mean']:.3f} \\pm {(half['high'] - half['low']) / 2:.3f}"
    row = next(line for line in text.splitlines() if line.startswith("even/set\\_4"))
    assert cell in row
    p = comparison.friedman.p_value
    assert (f"p = {p:.4f}" if p >= 1e-4 else "p < 0.0001") in text
    pair = comparison.pairs.iloc[0]
    assert f"{pair['one']} -- {pair['other']} & ${pair['difference']:+.3f}$" in text
    groups = comparison.groups.set_index(["group", "method"])
    group = groups.loc[("odd", comparison.ranks.index[0])]
    assert f"odd & 5 & ${group['score']:.3f}$ ({group['rank']:.2f})" in text
    assert (
        f"<td>odd</td><td>5</td><td>{group['score']:.3f} ({group['rank']:.2f})" in page.read_text()
    )
    for needed in ("Tries on each data set", "Adjusted Rand index", "tikzpicture", "sortal 0."):
        assert needed in text
    for kind in ("table", "figure", "tabular", "tikzpicture"):
        assert text.count(f"\\begin{{{kind}}}") == text.count(f"\\end{{{kind}}}") > 0
    assert len(pd.read_csv(tmp_path / "t.csv")) == len(race.table)
    tex.unlink()
    with pytest.raises(InputError, match=r"t\.csv exists already"):
        race.report(tex)
    race.report(tmp_path / "u.parquet")
    assert len(pd.read_parquet(tmp_path / "u.parquet")) == len(race.table)


def test_names_are_escaped(folder, tmp_path):
    for set_folder in folder.iterdir():
        for name in ("<b>x", "c\\d_%"):
            shutil.copy(set_folder / "good.csv", set_folder / f"{name}.csv")
    race = Benchmark.from_folder(folder)
    race.report(tmp_path / "page.html", failed=0.0)
    drawing = re.search(r"<svg.*</svg>", (tmp_path / "page.html").read_text(), re.DOTALL)[0]
    assert "&lt;b&gt;x" in drawing
    assert "<b>" not in drawing
    race.report(tmp_path / "tables.tex", failed=0.0)
    text = (tmp_path / "tables.tex").read_text().partition("tikzpicture")[2]
    assert r"{c\textbackslash{}d\_\% " in text.partition("tikzpicture")[0]


@pytest.mark.parametrize(
    ("text", "cut", "message"),
    [
        (b"1\n\n2\n", None, "line 2 has no label"),
        (b"1\n1\n2\n" * 99, -9, "damaged or truncated"),
        (b"caf\xe9\n", None, "UTF-8|utf-8"),
        (b"1\n2\n", 0, "truth.gz"),
    ],
)
def test_files_of_lines_that_cannot_be_used(tmp_path, text, cut, message):
    packed = gzip.compress(text)[:cut]
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "truth.gz").write_bytes(packed or text)
    with pytest.raises(InputError, match=message):
        Benchmark.from_folder(tmp_path)


@pytest.fixture
def named(tmp_path):
    """A folder whose references and clusterings name their objects, each in another order."""
    rng = np.random.default_rng(0)
    truth = pd.DataFrame({"id": [f"o{i}" for i in range(30)], "label": np.repeat([0, 1, 2], 10)})
    for number in range(3):
        set_folder = tmp_path / f"set{number}"
        set_folder.mkdir()
        for name in ("truth", "agrees", "same"):
            truth.iloc[rng.permutation(30)].to_csv(set_folder / f"{name}.csv", index=False)
        truth.iloc[rng.permutation(30)].to_csv(set_folder / "labels2.csv.gz", index=False)
        chance = truth.assign(label=rng.integers(0, 3, 30))
        chance.to_csv(set_folder / "chance.csv", index=False)
    return tmp_path


def test_files_are_joined_by_their_ids(named):
    race = Benchmark.from_folder(named)
    assert (race.scores()[["agrees", "same"]] == 1).all(axis=None)
    assert not any("row by row" in note for note in race.compare().notes)
    plain = named / "set1" / "same.csv"
    pd.read_csv(plain)[["label"]].to_csv(plain, index=False)
    race = Benchmark.from_folder(named)
    assert race.scores()["agrees"].eq(1).all()
    assert race.scores().loc["set1", "same"] < 0.5
    (note,) = race.compare().notes
    assert note == f"{plain} has no ids, and the references have: taken row by row."
    assert note in CliRunner().invoke(app, ["bench", str(named)]).output


def test_ids_of_other_objects_are_rejected(named):
    path = named / "set1" / "same.csv"
    table = pd.read_csv(path)
    table.assign(id=[f"q{i}" for i in range(30)]).to_csv(path, index=False)
    with pytest.raises(InputError, match=r"'q0', 'q1', 'q2'.*'o\d+', 'o\d+', 'o\d+'"):
        read_folder(named)
    pd.concat([table, table.head(1).assign(id="q")]).to_csv(path, index=False)
    with pytest.raises(InputError, match=r"30 in both.*1 of 31 objects only in .*same.csv \('q'\)"):
        read_folder(named)
    table.to_csv(path, index=False)
    for name in ("truth.csv", "labels2.csv.gz"):
        file = named / "set1" / name
        pd.read_csv(file)[["label"]].to_csv(file, index=False)
    with pytest.raises(InputError, match=r"by 'id' \('o.*has no column with these values"):
        read_folder(named)
