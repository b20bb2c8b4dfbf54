"""Parts of the guarantees: languages, tails, tests of draws and orders, forecasts, sentences."""

from __future__ import annotations

import tempfile
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pinning import Pins
from scipy.cluster.hierarchy import linkage

from sortal import bounds
from sortal.bounds import confidence_sequence, wording
from sortal.bounds.classifiers import ComponentBound, TransductiveClassifier
from sortal.bounds.ledger import LedgerEntry
from sortal.labelings import as_labelings

N = 400


def names() -> dict[str, Any]:
    """Clusterings of 400 objects in four groups of two classes, labels with a few errors."""
    rng = np.random.default_rng(0)
    four = np.arange(N) * 4 // N
    out = np.where(np.arange(N) % 20 == 7, -1, four)
    batch = {"two": four // 2, "four": four, "one": four * 0, "mixed": np.arange(N) % 3}
    truth = np.array(["ham", "spam"], dtype=object)[four // 2]
    truth[::23] = "eggs"
    X = rng.normal(size=(N, 2)) + 6.0 * np.eye(4)[four][:, :2]
    order = bounds.sample(N, 60, random_state=3)

    def y(*sizes: int, of: Any = truth) -> Any:
        """Labels of the objects drawn first, or from one number to another."""
        labels = np.full(N, None, dtype=object)
        drawn = order[slice(*sizes)] if len(sizes) > 1 else order[: sizes[0]]
        labels[drawn] = of[drawn]
        return labels

    def parts(found: Any) -> Any:
        """The sentences of a guarantee, and its parts without their classifiers."""
        return str(found), [
            (p.method, p.classifier.carrier, p.bound, p.n, p.errors, p.tested, p.delta,
             p.excluded, p.bits, p.wrong, p.bound_rate) for p in found.parts
        ], found.table, found.labels[::40], found.row_classes.by_class  # fmt: skip

    def series(target: float | None, step: int, **options: Any) -> Any:
        """Bounds of labels that keep coming."""
        found = bounds.LabelSequence(batch, 0.1, target, **options)
        several = [found.update(y(m), order[:m]) for m in range(step, 61, step)]
        told = [(one.bound, one.method, one.errors, one.tested) for one in several]
        return told, parts(several[-1])

    def said(**values: Any) -> Any:
        """Something with these attributes."""
        return SimpleNamespace(**values)

    def forecast_of(**values: Any) -> str:
        """A forecast in words."""
        usual = {"target": 0.1, "labelled": 40, "more": None, "low": None, "high": None,
                 "error_rate": 0.123, "standard_error": 0.0456, "refused": ""}  # fmt: skip
        return wording.forecast(SimpleNamespace(**{**usual, **values}))

    def asked(*questions: Any) -> Any:
        """Sentences and shares of questions, one after the other, about labels in a folder."""
        said = []
        with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
            patch.setenv("XDG_STATE_HOME", folder)
            for options in questions:
                try:
                    found = bounds.Ledger(folder).ask(**options)
                except ValueError as error:
                    said.append(str(error))
                    continue
                found.keep()
                said.append((found.sentence, found.number, found.share, found.anytime,
                             found.again, found.is_new, len(found.entry.pairs)))  # fmt: skip
        return said

    def part(**values: Any) -> Any:
        """A bound, by default on eight objects in two clusters."""
        predicted = np.array(values.pop("predicted", [0, 0, 1, 1, 0, 0, 1, 1]))
        clusters = values.pop("clusters", predicted)
        clusters = None if clusters is None else np.array(clusters)
        certainty = np.linspace(0.5, 0.9, len(predicted))
        classifier = TransductiveClassifier(
            "clustering", predicted, certainty, 0, np.array([0, 1]), clusters
        )
        usual = {"method": "half", "bound": 2, "n": 4, "errors": 1, "tested": 4, "delta": 0.1,
                 "test": np.arange(4)}  # fmt: skip
        return ComponentBound(classifier=classifier, **{**usual, **values})

    def entry(pairs: str, **values: Any) -> Any:
        """A question about labels that are letters."""
        usual = {"question": "q", "ordered": True, "once": False, "anytime": True}
        return LedgerEntry("id", "now", pairs=tuple(pairs), **{**usual, **values})

    codes_of = np.array
    rows = [(int(i), truth[i]) for i in order]
    Z = linkage(X, "average")
    few = {name: row[::20] for name, row in batch.items()}
    return locals() | {
        "N": N,
        "linkage": linkage,
        "as_labelings": as_labelings,
        "sequence": confidence_sequence,
        "TransductiveClassifier": TransductiveClassifier,
    }


test_the_answer_is_the_pinned_one = Pins(__file__, names).test()
