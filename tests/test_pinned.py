"""Pinned answers: what karat computes today, so that nothing changes unseen.

``python tests/test_pinned.py`` writes ``pinned.json`` anew. Whoever changes an answer on purpose
commits the new file, and its differences show what else has changed. Answers that another processor
computes otherwise, because k-means ends elsewhere after a rounding, are not pinned.
"""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from pinning import plain, same, skip_for_other_releases

FILE = Path(__file__).with_name("pinned.json")


@cache
def names() -> dict[str, Any]:
    """What the expressions may use: data with 1, 3 and 5 groups, wide data, counts of terms."""
    from karat.nulls import coordinates, references, structure, valleys
    from karat.text import TextVectorizer

    rng = np.random.default_rng(0)
    three, five, four = (np.arange(n) % k for n, k in ((90, 3), (240, 5), (150, 4)))
    topics = ["wine grape soil vine cork", "ship harbour sea sail wind", "bread oven flour salt"]
    words = [topic.split() for topic in topics]
    documents = [" ".join(rng.choice(words[i % 3], 6)) for i in range(60)]
    return {
        "karat": karat, "np": np, "rng": np.random.default_rng,
        "ONE": rng.normal(size=(80, 2)),
        "X": rng.normal(size=(90, 2)) + 4.0 * np.eye(3)[three][:, :2] + 1.0, "y": three,
        "FIVE": rng.normal(size=(240, 4)) + 2.5 * rng.normal(size=(5, 4))[five], "y5": five,
        "WIDE": rng.normal(size=(150, 60)) + rng.normal(size=(4, 60))[four], "y4": four,
        "RING": np.column_stack([np.cos(np.arange(200.0)), np.sin(np.arange(200.0))]),
        "S": TextVectorizer().fit_transform(documents), "texts": documents, "y3": np.arange(60) % 3,
        "coordinates": coordinates.coordinates, "valleys": valleys, "structure": structure,
        "references": references, "WARD": karat.clusterers.catalogue["ward"].make(3, 0),
    }  # fmt: skip


EXPRESSIONS = [
    "valleys.find_valleys(ONE, rng(0), [2, 4, 8])",
    "valleys.separated(WIDE[:, :3], rng(0), 3.0)",
    "valleys.valley_evidence(X, y, rng(0))",
    "valleys.valley_evidence(FIVE, y5, rng(0))",
    "valleys._thin_border(X, np.arange(90), X[:, 0] - X[:, 0].mean())",
    "coordinates(WIDE, 'euclidean', rng(0))[:5]",
    "coordinates(WIDE[:40], 'cosine', rng(0))[:5]",
    "coordinates(X.round(0), 'euclidean', rng(0))[:9]",
    *(f"vars(karat.assess_structure({X}))" for X in ("ONE", "WIDE")),
    "structure.probability_of(4.0, 400, 0.5)",
    *(f"karat.stability.draw_reference(X, {kind!r}, random_state=0)[:4]"
      for kind in ("uniform", "gaussian")),
    "karat.stability.draw_reference(S, 'shuffled', random_state=0).toarray().sum(axis=1)",
    "sorted(karat.clusterers.catalogue)",
    *(f"karat.clusterers.catalogue[{key!r}].make({one.values[0] if one.values else 3}, 0)"
      f".fit_predict(abs({X}))"
      for key, one in karat.clusterers.catalogue.items() for X in ("FIVE", "S")
      if X == "FIVE" or ("cosine" in one.distances and key != "spectral-symmetric")),
    *(f"karat.stability.{name}(FIVE, 'ward', k=[2, 4, 5], random_state=0, {options})"
      for name, options in (
          ("ben_hur", "n_resamples=6"), ("clest", "n_splits=4, n_references=3"),
          ("levine_domany", "n_resamples=4"),
          ("fang_wang", "n_resamples=5"), ("lange", "n_splits=4"),
          ("prediction_strength", "n_splits=4"),
          *(("subsampling", f"n_resamples=2, method={i}") for i in (1, 2, 3)))),
    "karat.stability.clusterwise_bootstrap(FIVE, 'kmeans', k=5, n_resamples=6, random_state=0)",
    "str(karat.stability.assess(FIVE, 'kmeans', k=[4, 5], random_state=0))",
    "karat.inference.differences(FIVE, WARD)",
    "karat.stability.consensus_matrix(X[:9], 'ward', k=[2], n_resamples=9, random_state=0)",
    "karat.inference.mixture_covariance(FIVE)",
    "str(karat.guarantee(y5, [int(c) if i % 4 == 0 else None for i, c in enumerate(y5)]))",
    "karat.pac_mdl_bound(y5, [int(c) if i % 4 == 0 else None for i, c in enumerate(y5)])",
    "[str(one) for one in karat.meaning.describe_clusters(FIVE, y5)]",
    "karat.text.telling_terms(S, y3)", "karat.text.topic_quality(S, y3)",
    "karat.labeling.agreement([(0, 0), (1, 1), (1, 0), (2, 2), (2, 2)], 100)",
    "karat.labeling.teaching_objects([y5, np.minimum(y5, 2)], 9, random_state=0)",
    "karat.labeling.central_objects(FIVE, y5, 3)",
    "karat.bench.compare_methods({'a': [.9, .8, .7, .8], 'b': [.8, .7, .7, .9]})",
    "karat.bench.rank_agreement({'u': {'a': [.9, .8, .7], 'b': [.8, .7, .7]},"
    " 'v': {'a': [.5, .6, .7], 'b': [.8, .5, .8]}}, random_state=0)",
    "karat.bench.expected_best([.1, .5, .4, .7], 2)",
    "karat.bench.mean_interval([.1, .5, .4, .7])",
]  # fmt: skip


def answer(expression: str) -> Any:
    """The value of an expression, or its error."""
    return plain(eval(expression, dict(names())))


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_the_answer_is_the_pinned_one(expression: str) -> None:
    skip_for_other_releases()
    kept = json.loads(FILE.read_text("utf-8"))[expression]
    assert same(answer(expression), kept)


def test_no_pinned_answer_is_left_over() -> None:
    assert set(json.loads(FILE.read_text("utf-8"))) == set(EXPRESSIONS)


if __name__ == "__main__":
    rows = (f"{json.dumps(one)}: {json.dumps(answer(one))}" for one in EXPRESSIONS)
    FILE.write_text("{\n" + ",\n".join(rows) + "\n}\n", "utf-8")
    sys.exit(0)
