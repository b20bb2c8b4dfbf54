"""Contingency tables: the common input of external measures."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

from sortal.labelings.contingency import ContingencyTable
from sortal.labelings.labels import NoisePolicy
from sortal.labelings.partitions import OverlappingPartition, SoftPartition
from sortal.labelings.structures import Dendrogram
from sortal.measures.catalogue import define
from sortal.measures.external.soft import expected_table
from sortal.runtime.validation import InputError, UndefinedMeasureError

if TYPE_CHECKING:
    from sortal.labelings.contingency import PairCounts
    from sortal.measures.external.soft import ClusteringLike
    from sortal.typing import ArrayLike, Labels

#: first argument of an external measure: a clustering, or the counts of two
LabelsOrTable: TypeAlias = "ClusteringLike | ContingencyTable"
LabelsOrCounts: TypeAlias = "LabelsOrTable | PairCounts"


def as_table(
    labels_true: LabelsOrTable,
    labels_pred: ClusteringLike | None = None,
    *,
    noise: NoisePolicy = "error",
    sample_weight: ArrayLike | None = None,
) -> ContingencyTable:
    """The contingency table of two clusterings, or ``labels_true`` if it is a table.

    Two label arrays give counts. With a :class:`~sortal.labelings.SoftPartition` the cells are
    expected counts.
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
            "bcubed_recall, bcubed_f_measure or element_centric_similarity"
        )
    if any(isinstance(side, SoftPartition) for side in sides):
        if sample_weight is not None:
            raise InputError("memberships take no sample_weight; repeat the objects instead")
        return expected_table(labels_true, labels_pred)
    y, labels = cast("Labels", labels_true), cast("Labels", labels_pred)
    return ContingencyTable(y, labels, noise=noise, sample_weight=sample_weight)


def need_counts(table: ContingencyTable, title: str) -> None:
    """Raise for weights or memberships, which the permutation model cannot shuffle."""
    if not table.is_counted:
        raise UndefinedMeasureError(
            f"{title} is defined for counted objects only, not for weights or memberships; "
            "omit sample_weight, or harden the memberships"
        )


def check_beta(beta: float) -> None:
    """Raise unless ``beta`` is a finite number, not negative."""
    if not 0 <= beta < float("inf"):
        raise InputError(f"beta must be a finite number of at least 0; got {beta}")


# -- a measure written as its formula ------------------------------------------------------------

_STRUCTURES: dict[str, type] = {"overlapping": OverlappingPartition, "dendrogram": Dendrogram}


class OfTable(Protocol):
    """An external measure; its formula determines the options."""

    def __call__(
        self,
        labels_true: LabelsOrCounts,
        labels_pred: ClusteringLike | None = None,
        *,
        noise: NoisePolicy = "error",
        sample_weight: ArrayLike | None = None,
        **options: object,
    ) -> float:
        """Value for two clusterings, or for one table."""


def of_table(
    title: str,
    *,
    counted: bool = False,
    others: Mapping[str, Callable[..., float]] | None = None,
    reads: Callable[..., Any] = as_table,
    **record: Any,
) -> Callable[[Callable[..., float]], OfTable]:
    """A decorator that turns a formula ``value(table, **options)`` into a measure.

    ``counted``: defined for counted objects only. ``others``: functions for overlapping sides and
    dendrograms, which have no table. ``reads``: returns the first argument of ``value``.
    ``record``: options of :func:`sortal.measures.catalogue.define`.
    """
    apart = {_STRUCTURES[name]: function for name, function in (others or {}).items()}

    def add(value: Callable[..., float]) -> OfTable:
        def function(
            labels_true: LabelsOrCounts,
            labels_pred: ClusteringLike | None = None,
            *,
            noise: NoisePolicy = "error",
            sample_weight: ArrayLike | None = None,
            **options: object,
        ) -> float:
            for structure, of_structure in apart.items():
                if isinstance(labels_true, structure) or isinstance(labels_pred, structure):
                    if sample_weight is not None:
                        raise InputError(
                            f"a side that is an {structure.__name__} takes no sample_weight; "
                            "repeat the objects instead"
                        )
                    return of_structure(labels_true, labels_pred, **options)
            counts = reads(labels_true, labels_pred, noise=noise, sample_weight=sample_weight)
            if counted:
                need_counts(counts, title)
            return value(counts, **options)

        for attribute in ("__name__", "__qualname__", "__module__", "__doc__"):
            setattr(function, attribute, getattr(value, attribute))
        plain = inspect.signature(function)
        shared = [p for p in plain.parameters.values() if p.kind is not p.VAR_KEYWORD]
        more = [p for p in inspect.signature(value).parameters.values() if p.kind is p.KEYWORD_ONLY]
        signature = plain.replace(parameters=[*shared[:2], *more, *shared[2:]])
        function.__signature__ = signature  # type: ignore[attr-defined]
        structures = {*(others or {}), *(() if counted else ("soft",))}
        undefined = "For weights or memberships." if counted else ""
        define(function, title, structures=structures, undefined=undefined, **record)
        return function

    return add
