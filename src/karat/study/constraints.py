"""Pairs of objects that must or cannot be together, as evidence of a study."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.datasets import object_ids, read_constraints
from karat.labelings.pairs import Constraints, as_constraints

if TYPE_CHECKING:
    from karat.datasets import Dataset
    from karat.study.study import Study


@dataclass(frozen=True)
class Paired:
    """How many known pairs the choice keeps, and what they made of its probability.

    ``alike`` is the probability of all candidates that hardly differ from it, itself among them.
    """

    n_must: int
    n_cannot: int
    kept_must: int
    kept_cannot: int
    before: float
    after: float
    alike: float


def constrain(study: Study, pairs: Any) -> None:
    """Take pairs of objects that must, or cannot, be together for evidence from now on.

    Parameters
    ----------
    pairs : array-like, shape (m, 3), DataFrame, path-like or None
        Two objects, by id or position, and ``"must"`` or ``"cannot"``; or a file of them. None
        for none.

    Raises
    ------
    InputError
        For objects that are not there, and for contradictions, with the chain that makes them.

    Notes
    -----
    They are recorded, and replace those given before. The judge's prior is multiplied by the
    likelihood of the pairs under each candidate; a candidate need not keep all of them, since a
    pair may be wrong.

    Examples
    --------
    >>> import karat
    >>> study = karat.Study(karat.datasets.load("iris"))
    >>> study.sweep("kmeans", k=[2, 3, 4], n_init=1, progress=False)
    >>> study.constrain([(0, 1, "must"), (60, 120, "cannot"), (0, 100, "cannot")])
    >>> study.best(stability=False).pairs.kept_must
    1
    """
    fingerprint = None
    if pairs is not None:
        known = constraints_among(study.dataset, pairs)
        content = json.dumps([known.pairs.tolist(), known.must.tolist()]).encode()
        fingerprint = hashlib.sha256(content).hexdigest()[:16]
        study.storage.add_blob(f"pairs {fingerprint}", content)
    study.record.change(constraints=fingerprint)


def constraints_among(dataset: Dataset, pairs: Any) -> Constraints:
    """Pairs as :meth:`constrain` takes them, of the objects of a data set."""
    if isinstance(pairs, Constraints):
        return pairs
    if isinstance(pairs, str) or hasattr(pairs, "__fspath__"):
        pairs = read_constraints(pairs)
    ids = None if object_ids.are_positions(dataset.ids) else dataset.ids
    return as_constraints(pairs, dataset.n_objects, ids)


def constraints_of(study: Study) -> Constraints | None:
    """The pairs of a study."""
    fingerprint = study.settings.constraints
    if fingerprint is None:
        return None
    content = study.storage.blob(f"pairs {fingerprint}")
    if content is None:
        raise study.storage.damaged("the pairs")
    pairs, must = json.loads(content)
    return Constraints(np.array(pairs, dtype=np.int64).reshape(-1, 2), np.array(must, dtype=bool))


def paired(
    study: Study, name: str, before: float = np.nan, after: float = np.nan, alike: float = np.nan
) -> Paired | None:
    """How many of the known pairs a candidate keeps; None where none is known."""
    known = constraints_of(study)
    if known is None:
        return None
    kept = known.kept(study.labels(name)[None])[0]
    m = int(known.must.sum())
    return Paired(
        m, len(known) - m, int(kept[known.must].sum()), int(kept[~known.must].sum()),
        before, after, alike,
    )  # fmt: skip
