"""What ``sortal run`` prints: one screen, nothing twice, at any width."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from command_line import sortal_command as run

FAST = ["-c", "kmeans", "-k", "2:4", "--n-init", "1", "--workers", "1", "--no-stability"]
TOPICS = ("goal team league coach", "pan oven butter recipe", "orbit rocket moon crew")


def written(folder):
    """Files of five kinds of data, and the arguments of their runs."""
    rng = np.random.default_rng(0)
    iris, kinds = load_iris(return_X_y=True)
    flowers = pd.DataFrame(iris, columns=["sepal length", "sepal width", "petal length", "p w"])
    flowers.to_csv(folder / "groups.csv", index=False)
    pd.DataFrame(rng.normal(size=(150, 3)), columns=list("abc")).to_csv(
        folder / "cloud.csv", index=False
    )
    own = {"mine": kinds, "split": 2 * kinds + rng.integers(0, 2, 150), "drawn": kinds[::-1] % 2}
    pd.DataFrame(own).to_csv(folder / "own.csv", index=False)
    known = pd.Series(np.array(["setosa", "versicolor", "virginica"])[kinds], dtype=object)
    known[rng.permutation(150)[40:]] = None
    flowers.assign(kind=known).to_csv(folder / "labels.csv", index=False)
    with (folder / "texts.jsonl").open("w") as file:
        for i in range(90):
            words = rng.choice(TOPICS[i % 3].split(), 3)
            file.write(json.dumps({"text": f"{' '.join(words)} word{i % 7} word{i % 11}"}) + "\n")


KINDS = {
    "groups": ["groups.csv", *FAST],
    "no groups": ["cloud.csv", *FAST],
    "own labelings": ["groups.csv", "--labelings", "own.csv", "--only-labelings", "--workers", "1"],
    "labels": ["labels.csv", "--label-column", "kind", *FAST],
    "texts": ["texts.jsonl", "--text-column", "text", "-c", "spherical-kmeans", *FAST[2:]],
}
MOST_LINES = {"labels": 25, "no groups": 5}
MOST_WORDS = {"labels": 200, "no groups": 45}
SAID = {
    "groups": [
        "separate groups; gaps between groups are almost certain",
        "If groups made these data, these match them about 0.",
        "(right for ",
        "then label 20 random rows",
    ],
    "no groups": [
        "One cloud: no split is better supported than another. --anyway shows the best split."
    ],
    "own labelings": ["The best of your three clusterings is mine", "like the first"],
    "labels": ["have a wrong class", "You can be 90 % sure", "; forecasts", "Label next"],
    "texts": ["90 texts", "orbit"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder of the files."""
    place = tmp_path_factory.mktemp("kinds")
    written(place)
    return place


@pytest.mark.quick(2)
@pytest.mark.parametrize("kind", KINDS)
def test_the_answer_fits_on_one_screen(kind, folder, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    result = run("run", *KINDS[kind], cwd=folder)
    assert result.returncode == 0, result.stderr
    lines = [line for line in result.stdout.splitlines() if line.strip()]
    assert len(lines) <= MOST_LINES.get(kind, 15), result.stdout
    assert len(result.stdout.split()) <= MOST_WORDS.get(kind, 150), result.stdout
    assert max(map(len, lines)) <= 80
    text = " ".join(result.stdout.split())
    for said in SAID[kind]:
        assert said in text
    for word in ("For it", "Against it", "320d", "Next,", "\x1b["):
        assert word not in result.stdout
    # nothing is said twice: no seven words in a row recur
    words = text.split()
    runs = [" ".join(words[i : i + 7]) for i in range(len(words) - 6)]
    assert not {part for part in runs if runs.count(part) > 1}


def test_levels_widths_and_quiet(folder, monkeypatch):
    monkeypatch.setenv("COLUMNS", "44")
    more = ("--why", "--all", "--storage", "s.sortal")
    result = run("run", *KINDS["groups"], *more, cwd=folder)
    text = " ".join(result.stdout.split())
    for said in ("adjusted Rand index", "Decided by judge", "80 % interval", "Silhouette"):
        assert said in text
    assert max(map(len, result.stdout.splitlines())) <= 60
    quiet = run("run", *KINDS["groups"], "--quiet", "--storage", "s.sortal", cwd=folder)
    assert quiet.stdout.count("\n") == 1
    assert quiet.stdout.startswith("groups: ")
    anyway = run("run", *KINDS["no groups"], "--anyway", cwd=folder)
    assert "Recovery" in anyway.stdout
    assert "The best split has" in " ".join(anyway.stdout.split())
    assert "--anyway" not in anyway.stdout
