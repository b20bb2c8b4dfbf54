"""The properties of internal measures, in exact words."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sortal_lab.axioms import consistency, invariances, richness, weak_local_consistency
from sortal_lab.axioms.cases import without_object
from sortal_lab.axioms.search import PROPERTIES, Property
from sortal_lab.axioms.small_metrics import SCOPE

if TYPE_CHECKING:
    from sortal.measures import Measure

__all__: list[str] = []

THESIS = "Whissell 2012"


def _has_distances(measure: Measure) -> str:
    """Reason why a measure of graphs is excluded."""
    if measure.takes == "graph":
        return "it judges the weights of a graph's edges, and the property speaks of distances"
    return ""


def _add(key: str, name: str, definition: str, reference: str, **more: Any) -> Property:
    """Add a property of internal measures."""
    more.setdefault("scope", SCOPE)
    return PROPERTIES.add(
        Property(
            key=key,
            name=name,
            kind="internal",
            definition=definition,
            reference=reference,
            applies=_has_distances,
            **more,
        )
    )


_add(
    "consistency",
    "Consistency",
    "For all objects, clusterings and metrics d and d' where d' <= d within clusters and d' >= d "
    "between them, the value under d' is not worse than that under d.",
    f"Ackerman & Ben-David 2008; {THESIS}, definitions 1 and 2. For clusterings that are neither "
    "one cluster nor singletons only.",
    trials=consistency.trials("both", strict=False),
    margin=consistency.margin,
    premise=consistency.premise("both"),
    simpler=consistency.simpler,
)
_add(
    "weak_local_consistency",
    "Weak local consistency",
    "For all objects, clusterings and metrics d and d' where each cluster's distances are "
    "multiplied by a number of its own of at most 1, no distance between clusters shrinks, and "
    "the distances among some set of one object of each cluster are all multiplied by the same "
    "number of at least 1, the value under d' is not worse than that under d.",
    f"{THESIS}, definitions 3 and 4, with equalities: as printed, inequalities alone let "
    "distances within grow and those of the representatives shrink.",
    trials=weak_local_consistency.trials,
    margin=consistency.margin,
    premise=weak_local_consistency.is_local_variant,
    simpler=weak_local_consistency.simpler,
    scope="",
)
for _side, _number, _change in (("within", 7, "smaller"), ("between", 8, "larger")):
    for _form in ("strict", "weak"):
        _strict = _form == "strict"
        _add(
            f"improving_{_side}" + ("" if _strict else "_weak"),
            f"Improving {_side}" + (" (strict)" if _strict else " (weak)"),
            f"Where some distances {_side} clusters become {_change} and all others stay, the "
            f"value is {'better' if _strict else 'not worse'}, for all metrics and all clusterings "
            "that are neither one cluster nor singletons only.",
            f"{THESIS}, definitions {_number - 2} and {_number}; that all other distances stay is "
            "not printed, but without it no measure that reads them could have the property.",
            trials=consistency.trials(_side, strict=_strict),  # type: ignore[arg-type]
            margin=consistency.strict_margin if _strict else consistency.margin,
            strict=_strict,
            form=_form,
            premise=consistency.premise(_side, strict=_strict),  # type: ignore[arg-type]
            simpler=consistency.simpler,
        )


def _changed(change: invariances.Change) -> dict[str, Callable[..., Any]]:
    """Premise and simplification for properties of a change."""
    return {"premise": invariances.changed_by(change), "simpler": invariances.simpler_by(change)}


_add(
    "scale_invariance",
    "Scale invariance",
    "Multiplying all distances by one positive number leaves the value as it is.",
    f"Ackerman & Ben-David 2008; {THESIS}, definition 10.",
    trials=invariances.one_value(invariances.scaled),
    margin=invariances.margin_of_one,
    **_changed(invariances.scaled),
)
_add(
    "relative_scale_invariance",
    "Relative scale invariance",
    "Multiplying all distances by one positive number leaves the ratio of the values of any two "
    "clusterings as it is.",
    f"{THESIS}, definition 11, with products in place of ratios so that values of 0 count.",
    trials=invariances.two_values(invariances.scaled, invariances.other_ratio),
    margin=invariances.margin_of_two(invariances.other_ratio),
    form="strict",
    **_changed(invariances.scaled),
)
_add(
    "scale_order",
    "Order under scale",
    "Multiplying all distances by one positive number never makes the worse of two clusterings "
    "the better one.",
    f"The weak form of {THESIS}, definition 11: only the order of the values must stay.",
    trials=invariances.two_values(invariances.scaled, invariances.other_order),
    margin=invariances.margin_of_two(invariances.other_order),
    form="weak",
    **_changed(invariances.scaled),
)
_add(
    "richness",
    "Richness",
    "For each clustering that is neither one cluster nor singletons only there is a metric under "
    "which no clustering of the objects has a better value.",
    f"Ackerman & Ben-David 2008; {THESIS}, definition 12. Clusterings for which the measure is "
    "undefined are no rivals.",
    trials=richness.richness,
    margin=consistency.margin,
    scope="one clustering of every pattern of cluster sizes",
)
_add(
    "cofinal_richness",
    "Co-final richness",
    "For each metric d and any two clusterings C and D that are neither one cluster nor "
    "singletons only, there is a metric d' where d' <= d within clusters of C and d' >= d between "
    "them, such that the value of C under d' is at least as good as that of D under d.",
    f"Ackerman & Ben-David 2008; named in {THESIS}, section 4.9.",
    trials=richness.cofinal_richness,
    margin=consistency.margin,
)
_add(
    "permutation_invariance",
    "Permutation invariance",
    "Neither the order of the objects nor the names of the clusters change the value.",
    "Ackerman & Ben-David 2008, isomorphism invariance.",
    trials=invariances.one_value(invariances.reordered, exhaustive=4),
    margin=invariances.margin_of_one,
    **_changed(invariances.reordered),
)
_add(
    "duplication_invariance",
    "Duplication invariance",
    "Where every object gets a copy of itself, at distance 0 and in its cluster, the value stays.",
    "After the admissibility criteria of Fisher & Van Ness 1971, for all objects at once.",
    trials=invariances.one_value(invariances.duplicated),
    margin=invariances.margin_of_one,
    form="strict",
    **_changed(invariances.duplicated),
)
_add(
    "duplication_order",
    "Order under duplication",
    "Where every object gets a copy of itself, at distance 0 and in its cluster, the worse of two "
    "clusterings never becomes the better one.",
    "The weak form of duplication invariance.",
    trials=invariances.two_values(invariances.duplicated, invariances.other_order),
    margin=invariances.margin_of_two(invariances.other_order),
    form="weak",
    **_changed(invariances.duplicated),
)
_add(
    "continuity",
    "Continuity",
    "Where distances converge to positive distances under which the measure has a value, so do "
    "the values. Tried by distances moved by a millionth and a billionth: what stays apart by "
    "more than a ten-thousandth of the value in both, and by as much, is a jump.",
    f"After {THESIS}, section 4.5: small changes of the distances change the value little.",
    trials=invariances.continuity,
    margin=invariances.margin_of_jump,
    simpler=without_object,
)
