"""A race of clusterers, and a folder of label files: every cell an entry, never a hole."""

import gzip
import html
import json
import re
import shutil
import subprocess

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from typer.testing import CliRunner

from karat.bench import Benchmark, _fits, read_folder
from karat.bench.figures import rank_diagram
from karat.cli import app
from karat.runtime.validation import InputError, StorageError


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
    own = [
        adjusted_rand_score(y, KMeans(3, n_init=1, random_state=s).fit_predict(X)) for s in range(3)
    ]
    scores = race.scores("adjusted_rand_index")
    assert scores.loc["blobs2", "k-means"] == pytest.approx(np.mean(own))
    best = race.scores("adjusted_rand_index", tries=3)
    assert best.loc["blobs2", "k-means"] == pytest.approx(max(own))
    assert best["ward"].equals(scores["ward"])
    assert (race.table["seconds"] > 0).all()


def test_a_failure_is_an_entry():
    race = Benchmark(_sets(), {"ward": "ward", "failing": Failing()}, n_init=2).run()
    failed = race.table[race.table["method"] == "failing"]
    assert set(failed["reason"]) == {"RuntimeError: no luck"}
    assert race.scores()["failing"].isna().all()
    with pytest.raises(InputError, match="scores are missing"):
        race.compare()
    assert race.compare(failed=0.0).ranks.index[0] == "ward"


def test_classes_are_drawn_and_clustered_into_as_many():
    X, y = make_blobs(100, centers=5, random_state=0)
    sets = {"a": (X, y), "b": (X, np.array(list("vwxyz"))[y])}
    race = Benchmark(sets, ["ward"], k=[2, 4, 9], sample_classes=True, n_init=1).run()
    assert sorted(set(race.table["k"])) == [2, 4]
    assert race.scores()["ward"].iloc[0] == pytest.approx(race.scores()["ward"].iloc[1])


def test_a_killed_run_resumes(tmp_path, monkeypatch):
    path = tmp_path / "race.jsonl"
    first = Benchmark(_sets(), ["kmeans"], n_init=2, storage=path).run()
    whole = path.read_text()
    path.write_text(whole[: len(whole) - 40])  # a kill in the middle of a line
    fits = []
    real = _fits.fit
    monkeypatch.setattr(
        _fits, "fit", lambda X, wanted, *a, **o: fits.extend(wanted) or real(X, wanted, *a, **o)
    )
    again = Benchmark(_sets(), ["kmeans"], n_init=2, storage=path).run()
    assert len(fits) == 1
    assert again.scores().equals(first.scores())
    fits.clear()
    Benchmark(_sets(), ["kmeans"], n_init=2, storage=path, random_state=1).run()
    assert len(fits) == 8
    path.write_text("nonsense\n" + whole)
    with pytest.raises(StorageError, match="line 1"):
        Benchmark(_sets(), ["kmeans"], storage=path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measures": ["silhouette"]}, "does not compare with classes"),
        ({"measures": []}, "at least one"),
        ({"k": [0]}, "whole numbers"),
        ({"sample_classes": True}, "numbers of classes"),
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
        own = tmp_path / "results" / f"set{number}"
        own.mkdir(parents=True)
        truth = np.repeat([0, 1, 2], 10)
        _write(own / "truth.csv", truth)
        _write(own / "good.csv", truth)
        for again in (1, 2):
            _write(own / f"chance.{again}.csv", rng.integers(0, 3, 30))
        if number:
            _write(own / "some.txt", np.where(np.arange(30) < 25, truth, -1))
    _write(tmp_path / "results" / "set3" / "truth2.csv", np.repeat([0, 1], 15))
    return tmp_path / "results"


def _write(path, labels):
    path.write_text("label\n" + "".join(f"{label}\n" for label in labels))


def test_a_folder_for_each_set(folder):
    found = read_folder(folder)
    assert list(found) == ["set0", "set1", "set2", "set3"]
    assert len(found["set3"].references) == 2
    assert {m: len(t) for m, t in found["set1"].tries.items()} == {
        "chance": 2, "good": 1, "some": 1,
    }  # fmt: skip
    race = Benchmark.from_folder(folder)
    assert race.table["reason"].dropna().tolist() == ["no file of labels"]
    scores = race.scores()
    assert (scores["good"] == 1).all()
    assert race.scores(references="mean").loc["set3", "good"] < 1
    labels = np.where(np.arange(30) < 25, np.repeat([0, 1, 2], 10), np.arange(100, 130))
    wanted = adjusted_rand_score(np.repeat([0, 1, 2], 10), labels)
    assert scores.loc["set1", "some"] == pytest.approx(wanted)


def test_the_layout_of_clustering_data_v1(tmp_path):
    for name in ("ring", "two.parts"):
        labels = np.array([1, 1, 2, 2, 0, 0])
        for number in (0, 1):
            with gzip.open(tmp_path / f"{name}.labels{number}.gz", "wt") as file:
                file.write("\n".join(map(str, labels)) + "\n")
        for method, own in (("one", [5, 5, 6, 6, 7, 7]), ("other", [5, 6, 5, 6, 7, 8])):
            (tmp_path / method).mkdir(exist_ok=True)
            with gzip.open(tmp_path / method / f"{name}.gz", "wt") as file:
                file.write("\n".join(map(str, own)) + "\n")
    scores = Benchmark.from_folder(tmp_path).scores()
    # what the reference calls noise counts for nothing
    assert scores["one"].tolist() == [1, 1]
    assert scores["other"].tolist() == pytest.approx([-0.5, -0.5])


def test_folders_that_cannot_be_used(tmp_path, folder):
    with pytest.raises(InputError, match="is no folder"):
        read_folder(tmp_path / "nowhere")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no label files"):
        read_folder(tmp_path / "empty")
    _write(folder / "set1" / "short.csv", [1, 2])
    with pytest.raises(InputError, match="set1: short has 2 objects where the reference has 30"):
        read_folder(folder)
    (folder / "set1" / "short.csv").unlink()
    (folder / "set0" / "truth.csv").unlink()
    with pytest.raises(InputError, match="has no reference"):
        read_folder(folder)


def test_the_command_makes_the_page(folder, tmp_path):
    page = tmp_path / "page.html"
    run = CliRunner().invoke
    refused = run(app, ["bench", str(folder)])
    assert "1 scores are missing, the first of 'some' on 'set0'" in str(refused.exception)
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
    told = run(app, ["bench", str(folder), "--failed", "0", "--json"])
    assert json.loads(told.stdout)["ranks"]["good"] == 1


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
        own = root / f"set {number}"
        own.mkdir(parents=True)
        _write(own / "truth.csv", truth)
        for method, share in quality.items():
            for again in range(1, 4 if method in ("alpha", "delta") else 2):
                moved = rng.uniform(size=len(truth)) < share + 0.02 * number
                labels = np.where(moved, rng.integers(0, truth.max() + 1, len(truth)), truth)
                _write(own / f"{method}.{again}.csv", labels)
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
        "Average ranks", "Scores", "Performance profiles", "Pairs",
        "What more tries would seem to add", "Do rankings agree?",
    ]  # fmt: skip
    race = Benchmark.from_folder(folder, ["adjusted_rand_index", "adjusted_mutual_information"])
    found = race.compare()
    assert {"alpha", "beta"} == set(found.ranks.index[:2])
    scores = race.intervals().loc[("set 4", "alpha")]
    half = (scores["high"] - scores["low"]) / 2
    assert f"{scores['mean']:.3f} <small>±{half:.3f}</small>" in text
    tau = race.agreement().iloc[0]
    assert f"{tau['tau']:.2f}</td><td>{tau['low']:.2f} to {tau['high']:.2f}" in text
    assert text.count("<svg") == 2
    assert "alpha – beta" in text or "beta – alpha" in text
    for sentence in found.words:
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


def test_latex_and_parquet(folder, tmp_path):
    import pandas as pd

    race = Benchmark.from_folder(folder)
    race.report(tmp_path / "t.tex", failed=0.0)
    lines = (tmp_path / "t.tex").read_text().splitlines()
    assert lines[1] == r"\toprule"
    assert lines[0] == r"\begin{tabular}{lrrr}"
    assert "textbf" not in "".join(lines)  # four sets tell nothing apart
    race.report(tmp_path / "t.parquet")
    assert len(pd.read_parquet(tmp_path / "t.parquet")) == len(race.table)


def test_names_are_escaped(folder):
    race = Benchmark.from_folder(folder)
    found = race.compare(failed=0.0)
    found.ranks.index = ["<b>x", *found.ranks.index[1:]]
    assert "&lt;b&gt;x" in rank_diagram(found)
    assert "<b>" not in rank_diagram(found)


@pytest.mark.parametrize(
    ("text", "cut", "message"),
    [
        (b"1\n\n2\n", None, "line 2 has no label"),
        (b"1\n1\n2\n" * 99, -9, "damaged or truncated"),
        (b"caf\xe9\n", None, "UTF-8|utf-8"),
        (b"1\n2\n", 0, "a.labels0.gz"),
    ],
)
def test_files_of_lines_that_cannot_be_used(tmp_path, text, cut, message):
    packed = gzip.compress(text)[:cut]
    (tmp_path / "a.labels0.gz").write_bytes(packed or text)
    with pytest.raises(InputError, match=message):
        Benchmark.from_folder(tmp_path)
