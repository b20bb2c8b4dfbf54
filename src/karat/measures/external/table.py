"""What every external measure is a function of: the contingency table of its two clusterings."""

from __future__ import annotations

from typing import Any

from karat.labelings.contingency import ContingencyTable
from karat.labelings.labels import NoisePolicy
from karat.labelings.partitions import OverlappingPartition, SoftPartition
from karat.runtime.validation import InputError, UndefinedMeasureError


def as_table(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    noise: NoisePolicy = "error",
    sample_weight: Any = None,
) -> ContingencyTable:
    """The contingency table that is given, or that of two clusterings.

    Two label arrays give counts. Where a side is a :class:`~karat.labelings.SoftPartition`, the
    cells are expected counts.
    """
    if isinstance(labels_true, ContingencyTable):
        if labels_pred is not None:
            raise InputError("give either a ContingencyTable alone or two arrays of labels")
        if sample_weight is not None:
            raise InputError("a ContingencyTable has its weights; omit sample_weight")
        return labels_true
    if labels_pred is None:
        raise InputError("labels_pred is missing; only a ContingencyTable may stand alone")
    sides = (labels_true, labels_pred)
    if any(isinstance(side, OverlappingPartition) for side in sides):
        raise InputError(
            "clusters that overlap have no contingency table; use bcubed_precision, "
            "bcubed_recall, bcubed_f_measure, omega_index or element_centric_similarity"
        )
    if any(isinstance(side, SoftPartition) for side in sides):
        if sample_weight is not None:
            raise InputError("memberships take no sample_weight; repeat the objects instead")
        from karat.measures.external.soft import expected_table

        return expected_table(labels_true, labels_pred)
    return ContingencyTable(labels_true, labels_pred, noise=noise, sample_weight=sample_weight)


def need_counts(table: ContingencyTable, title: str) -> None:
    """Raise where cells are weights or memberships, which the permutation model cannot shuffle."""
    if not table.is_counted:
        raise UndefinedMeasureError(
            f"{title} is defined for counted objects only, not for weights or memberships; "
            "omit sample_weight, or harden the memberships"
        )


def check_beta(beta: float) -> None:
    """Raise unless ``beta`` is a finite number, not negative."""
    if not 0 <= beta < float("inf"):
        raise InputError(f"beta must be a finite number of at least 0; got {beta}")
