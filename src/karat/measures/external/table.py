"""What every external measure is a function of: the contingency table of its two clusterings."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from karat.labelings.contingency import ContingencyTable
from karat.labelings.labels import NoisePolicy
from karat.labelings.partitions import OverlappingPartition, SoftPartition
from karat.labelings.structures import Dendrogram
from karat.measures.catalogue import define
from karat.measures.external.soft import expected_table
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
            "bcubed_recall, bcubed_f_measure or element_centric_similarity"
        )
    if any(isinstance(side, SoftPartition) for side in sides):
        if sample_weight is not None:
            raise InputError("memberships take no sample_weight; repeat the objects instead")
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


# -- a measure written as its formula ------------------------------------------------------------

_STRUCTURES: dict[str, Any] = {"overlapping": OverlappingPartition, "dendrogram": Dendrogram}


class OfTable(Protocol):
    """An external measure; its formula says which options it has."""

    def __call__(
        self,
        labels_true: Any,
        labels_pred: Any = None,
        *,
        noise: NoisePolicy = "error",
        sample_weight: Any = None,
        **options: Any,
    ) -> float:
        """Its value for two clusterings, or for one table."""


def of_table(
    title: str,
    *,
    counted: bool = False,
    others: Mapping[str, Callable[..., float]] | None = None,
    reads: Callable[..., Any] = as_table,
    **record: Any,
) -> Callable[[Callable[..., float]], OfTable]:
    """A decorator that makes ``value(table, **options)`` a measure of its name.

    ``counted`` ones are defined for counted objects only; ``others`` are functions of overlapping
    sides and dendrograms, which have no table; ``reads`` makes what ``value`` is given. The record
    is that of :func:`karat.measures.catalogue.define`.
    """
    apart = {_STRUCTURES[name]: function for name, function in (others or {}).items()}

    def add(value: Callable[..., float]) -> OfTable:
        def function(
            labels_true: Any,
            labels_pred: Any = None,
            *,
            noise: NoisePolicy = "error",
            sample_weight: Any = None,
            **options: Any,
        ) -> float:
            for structure, of_structure in apart.items():
                if isinstance(labels_true, structure) or isinstance(labels_pred, structure):
                    if sample_weight is not None:
                        raise InputError(
                            f"a side that is an {structure.__name__} takes no sample_weight; "
                            "repeat the objects instead"
                        )
                    return of_structure(labels_true, labels_pred, **options)
            given = reads(labels_true, labels_pred, noise=noise, sample_weight=sample_weight)
            if counted:
                need_counts(given, title)
            return value(given, **options)

        for attribute in ("__name__", "__qualname__", "__module__", "__doc__"):
            setattr(function, attribute, getattr(value, attribute))
        plain = inspect.signature(function)
        own = [p for p in plain.parameters.values() if p.kind is not p.VAR_KEYWORD]
        more = [p for p in inspect.signature(value).parameters.values() if p.kind is p.KEYWORD_ONLY]
        signature = plain.replace(parameters=[*own[:2], *more, *own[2:]])
        function.__signature__ = signature  # type: ignore[attr-defined]
        structures = {*(others or {}), *(() if counted else ("soft",))}
        undefined = "For weights or memberships." if counted else ""
        define(function, title, structures=structures, undefined=undefined, **record)
        return function

    return add
