"""What every external measure shares: its input, and its place in the catalogue."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from karat.contingency import ContingencyTable
from karat.measures.catalogue import Measure, catalogue
from karat.partition import NoisePolicy, OverlappingPartition, SoftPartition
from karat.validation import InputError, UndefinedMeasureError

if TYPE_CHECKING:
    from collections.abc import Mapping


SYMMETRIC = frozenset({"symmetric"})


def as_table(
    labels_true: Any, labels_pred: Any = None, *, noise: NoisePolicy = "error"
) -> ContingencyTable:
    """The contingency table that is given, or that of two clusterings.

    Two label arrays give counts. Where a side is a :class:`~karat.partition.SoftPartition`, the
    cells are expected counts.
    """
    if isinstance(labels_true, ContingencyTable):
        if labels_pred is not None:
            raise InputError("give either a ContingencyTable alone or two arrays of labels")
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
        from karat.measures.external.soft import expected_table

        return expected_table(labels_true, labels_pred)
    return ContingencyTable(labels_true, labels_pred, noise=noise)


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


def register(
    key: str,
    title: str,
    family: str,
    function: Callable[..., float],
    *,
    compute: Callable[[ContingencyTable], float] | None = None,
    **record: Any,
) -> None:
    """Add an external measure; by default greater is better, from 0 to 1, in linear time."""
    defaults: Mapping[str, Any] = {
        "greater_is_better": True,
        "range": (0.0, 1.0),
        "optimum": 1.0,
        "cost": "O(n + cells)",
    }
    catalogue.add(
        Measure(
            key=key,
            title=title,
            kind="external",
            family=family,
            function=function,
            compute=compute or function,
            **{**defaults, **record},
        )
    )
