"""Pairs of objects that must or cannot be together, as evidence of a study."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.datasets import read_constraints
from sortal.datasets.prepared.dataset import rows_of
from sortal.labelings.pairs import Constraints, as_constraints
from sortal.labelings.row_join import naming_column
from sortal.study.facts import PairEvidence
from sortal.study.scores import candidate_labels

if TYPE_CHECKING:
    from sortal.datasets import Dataset
    from sortal.study.state import StudyState


def constrain(state: StudyState, pairs: object) -> None:
    """Record pairs that must, or cannot, be together, see :meth:`sortal.Study.constrain`."""
    fingerprint = None
    if pairs is not None:
        constraints = constraints_among(state.dataset, pairs)
        content = json.dumps([constraints.pairs.tolist(), constraints.must.tolist()]).encode()
        fingerprint = hashlib.sha256(content).hexdigest()[:16]
        state.storage.add_blob(f"pairs {fingerprint}", content)
    state.record.change(constraints=fingerprint)


def constraints_among(dataset: Dataset, pairs: Any) -> Constraints:
    """The constraints that :meth:`sortal.Study.constrain` takes, on the objects of a data set."""
    if isinstance(pairs, Constraints):
        return pairs
    if isinstance(pairs, str) or hasattr(pairs, "__fspath__"):
        pairs = read_constraints(pairs)
    if hasattr(pairs, "to_numpy"):
        pairs = pairs.to_numpy(dtype=object).tolist()
    pairs = list(pairs)
    names = [name for pair in pairs for name in pair[:2]]
    return as_constraints(pairs, dataset.n_objects, naming_column(rows_of(dataset), names))


def constraints_of(state: StudyState) -> Constraints | None:
    """The recorded pairs; None where there are none."""
    fingerprint = state.settings.constraints
    if fingerprint is None:
        return None
    content = state.storage.blob(f"pairs {fingerprint}")
    if content is None:
        raise state.storage.damaged("the pairs")
    pairs, must = json.loads(content)
    return Constraints(np.array(pairs, dtype=np.int64).reshape(-1, 2), np.array(must, dtype=bool))


def pair_evidence(
    state: StudyState,
    name: str,
    before: float = np.nan,
    after: float = np.nan,
    alike: float = np.nan,
) -> PairEvidence | None:
    """How many of the known pairs a candidate keeps; None where there are no pairs."""
    constraints = constraints_of(state)
    if constraints is None:
        return None
    is_kept, must = constraints.kept(candidate_labels(state, name)[None])[0], constraints.must
    return PairEvidence(
        n_must=int(must.sum()), n_cannot=int((~must).sum()),
        kept_must=int(is_kept[must].sum()), kept_cannot=int(is_kept[~must].sum()),
        before=before, after=after, alike=alike,
    )  # fmt: skip
