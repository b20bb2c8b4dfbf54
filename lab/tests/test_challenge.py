"""A method enters by the folds of the corpus; here on a corpus of four tasks made by hand."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from sortal import InputError
from sortal.cli import app
from sortal.judge import gather
from sortal_lab import challenge as module
from sortal_lab.cases import OWN as USERS
from sortal_lab.cases import TrainingCase
from sortal_lab.challenge import challenge, load_method
from sortal_lab.choice_corpus import agreement

CHALLENGERS = Path(__file__).resolve().parents[1] / "challengers"
#: of a labeling of a user's, of the five candidates of the sweep, and of another labeling
AGREEMENT = np.array([[1.0, 0.2, 0.9, 0.4, 0.5, 0.1, 0.95]])
NAMES = (USERS + "classes", *["kmeans"] * 5, USERS + "split")
SOURCES = tuple(frozenset({name}) for name in NAMES)


@pytest.fixture
def corpus(monkeypatch: pytest.MonkeyPatch) -> list[TrainingCase]:
    """Four tasks of four collections; the judge takes the first candidate of the sweep."""
    i = np.arange(12)
    codes = np.stack([i // 6, *(i % k for k in range(2, 7)), i // 4]).astype(np.int32)
    evidence = gather(np.random.default_rng(0).normal(size=(12, 2)), codes)
    cases = [
        TrainingCase(
            f"real/set{i}/0", "real", f"set{i}", evidence, AGREEMENT, SOURCES, {}, True, codes
        )
        for i in range(4)
    ]
    judge = lambda evidence: SimpleNamespace(score=np.array([1.0, 0, 0, 0, 0]))  # noqa: E731

    monkeypatch.setattr(module, "corpus", lambda *_: cases)
    monkeypatch.setattr(module, "load_judge", lambda: judge)
    monkeypatch.setattr(module, "RIVALS", {"the last": lambda evidence: np.arange(5)})
    task = SimpleNamespace(X=np.ones((12, 2)), truths=i[None] // 4)
    monkeypatch.setattr(module, "build", lambda name: task)
    return cases


def test_its_choices_are_scored_beside_the_rivals(corpus: list[TrainingCase]) -> None:
    seen = []

    class Method:
        def train(self, tasks: Any) -> None:
            seen.append([agreements for _, _, agreements in tasks])

        def choose(self, X: Any, labelings: Any) -> int:
            assert X.shape == (12, 2)
            assert labelings.shape == (5, 12)
            return int(np.flatnonzero(labelings.max(axis=1) == 2)[0])

    table = challenge({"mine": Method()}).table["real tables"]
    assert list(table.index) == [
        "mine", "the judge", "the last", "a candidate at random", "best candidate",
    ]  # fmt: skip
    means = [float(cell.split()[0]) for cell in table]
    assert means == [0.9, 0.2, 0.1, 0.42, 0.9]
    assert [len(tasks) for tasks in seen] == [3, 3, 3, 3]


def test_a_system_of_its_own_is_scored_by_its_labels(corpus: list[TrainingCase]) -> None:
    from sklearn.metrics import adjusted_rand_score

    labels = np.arange(12) // 6
    table = challenge({"system": SimpleNamespace(cluster=lambda X: labels)}).table["real tables"]
    wanted = adjusted_rand_score(np.arange(12) // 4, labels)
    assert float(table["system"].split()[0]) == pytest.approx(wanted, abs=6e-4)
    for wrong in (labels[:5], labels / 2):
        system = SimpleNamespace(cluster=lambda X, wrong=wrong: wrong)
        with pytest.raises(InputError, match=r"real/set\d/0; it must return 12 whole numbers"):
            challenge({"system": system})


@pytest.mark.parametrize("answer", [5, -1, 1.5, "first", None])
def test_a_wrong_answer_is_named(corpus: list[TrainingCase], answer: Any) -> None:
    with pytest.raises(InputError, match=r"real/set\d/0; .* 5 labelings, 0 to 4"):
        challenge({"mine": SimpleNamespace(choose=lambda X, labelings: answer)})


def test_a_file_of_a_method(corpus: list[TrainingCase], tmp_path: Path) -> None:
    file = tmp_path / "mymethod.py"
    with pytest.raises(InputError, match="there is no file"):
        load_method(file)
    file.write_text("def select(X, labelings): ...\n")
    with pytest.raises(InputError, match=r"has no function choose\(X, labelings\) or cluster\(X\)"):
        load_method(file)
    file.write_text("import no_such_package\n")
    with pytest.raises(InputError, match="needs no_such_package; pip install no_such_package"):
        load_method(file)
    file.write_text("def choose(X, labelings):\n    return 1\n")
    told = CliRunner().invoke(app, ["lab", "challenge", str(file), "--json"])
    assert told.exit_code == 0, told.exception
    result = json.loads(told.stdout)
    assert result["table"][0]["way of choosing"] == "mymethod"
    assert result["table"][0]["real tables"].startswith("0.900 (0.900")
    assert result["notes"][0].startswith("4 tasks of 4 collections")


@pytest.mark.parametrize("file", sorted(CHALLENGERS.glob("*.py")), ids=lambda file: file.stem)
def test_the_challengers_choose_what_is_plain(file: Path) -> None:
    """Three clusters far apart, among labelings of which one has them."""
    if file.stem in ("clusteval", "cvi"):
        pytest.importorskip(file.stem)
    method = load_method(file)
    tasks = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        truth = np.repeat(np.arange(3), 20)
        X = rng.normal(size=(60, 3)) + 20 * np.eye(3)[truth]
        tiny = np.where(np.arange(60) == 0, 3, truth)
        labelings = np.stack([truth % 2, rng.permutation(truth), truth, tiny])
        tasks.append((X, labelings, np.array([0.5, 0, 1, 0.9])))
    if hasattr(method, "train"):
        method.train(tasks[1:])
    X, labelings, _ = tasks[0]
    if hasattr(method, "cluster"):
        assert agreement(method.cluster(X), labelings[2]) == 1
    else:
        assert int(method.choose(X, labelings)) == 2


def test_autocluster_takes_noise_for_a_cluster() -> None:
    method = load_method(CHALLENGERS / "autocluster.py")
    X = np.concatenate([np.arange(40), 1000 + np.arange(40), [5000.0]])[:, None]
    with_noise = np.r_[np.repeat([0, 1], 40), -1]
    rough = np.r_[np.repeat([0, 0, 1, 1], 20), 0]
    # one object of 81 is more than 1 % of them, and less than 5 % of 40
    assert method.choose(X, np.stack([rough, with_noise])) == 0
    other = load_method(CHALLENGERS / "hypercluster.py")
    assert other.choose(X, np.stack([rough, with_noise])) == 1
