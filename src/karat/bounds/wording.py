"""Every sentence about a guarantee."""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from karat.bounds.sampling import Doubt
    from karat.labelings.partitions import Labelings

#: what made a guarantee
METHODS = {
    "half": "chosen on half of the labels, tested on the other half",
    "pac-mdl": "all labels, the choice paid for in bits",
    "pac-bayes": "all labels, averaged over the classes of the clusters",
    "start": "chosen on the first labels, tested on all later ones by a confidence sequence",
    "mdl-sequence": "all labels, the choice paid for in bits, by a confidence sequence",
    "largest class": "all labels, the class paid for by its share of them",
}
#: what the predictions are made from
CARRIERS = {
    "clustering": "the clusters of {name!r}, each with one class",
    "clusterings": "a classifier on the clusters of all {n} clusterings",
    "features": "a classifier on the features",
    "clusterings and features": "a classifier on the features and the clusters of all {n} "
    "clusterings",
    "largest class": "the largest class for every object",
}
NUMBERS = {1: "one", 2: "two", 5: "five", 10: "ten", 20: "twenty", 50: "fifty"}
DRAWN = "the labelled objects were drawn uniformly at random from all objects (karat sample)"
TAUGHT = (
    "the other labelled objects were drawn uniformly at random from all but those that teach, "
    "which were chosen without any label (karat label)"
)
BLIND = "the clusterings were made without looking at the labels"
LISTED = (
    "the classes given are all that a labeller could have used, and were known before labelling"
)
SAID = "right is the class that whoever labels the object gives it"
IN_ORDER = "the order given is that of the draw, and no label was skipped"


class Worded:
    """What every bound says of itself, from its own attributes."""

    if TYPE_CHECKING:
        refused: str
        n: int
        delta: float
        premises: tuple[str, ...]
        warnings: tuple[str, ...]
        labels_read: str
        bound: int

        @property
        def method(self) -> str:
            """Key of what made it."""

        @property
        def reason(self) -> str:
            """What it is made of, in words."""

    @property
    def bound_rate(self) -> float:
        """The bound as a share of the unlabelled objects; 0 where there are none."""
        return self.bound / self.n if self.n else 0.0

    @property
    def sentence(self) -> str:
        """The guarantee in words, how surely it holds, and its premises."""
        if self.refused:
            return f"Nothing is guaranteed: {self.refused}."
        if self.n == 0:
            return "Every object is labelled: nothing is left to predict."
        return (
            f"At most {percent_up(self.bound_rate)} of the {self.n:,} objects you did not label "
            f"are wrong. {chance(self.delta)} {premises(self.premises)}"
        )

    @property
    def conditions(self) -> str:
        """What was read, in words."""
        return f"Read: {self.labels_read}."

    def __str__(self) -> str:
        doubts = [f"Warning: {warning}." for warning in self.warnings]
        return "\n".join([self.sentence, self.reason, self.conditions, *doubts])

    def _repr_html_(self) -> str:
        first, *rest = map(html.escape, str(self).split("\n"))
        return f"<p><strong>{first}</strong></p>{''.join(f'<p>{line}</p>' for line in rest)}"


def percent_up(rate: float) -> str:
    """Rounded up: a guarantee is never printed tighter than it is."""
    return f"{math.ceil(rate * 1000 - 1e-9) / 10:.1f} %"


def percent_down(rate: float) -> str:
    """Rounded down, for what is at least so much."""
    return f"{math.floor(rate * 1000 + 1e-9) / 10:.1f} %"


def chance(delta: float) -> str:
    """What the allowed chance means."""
    draws = next((d for d in (2, 5, 10, 20, 50, 100, 1000) if abs(d * delta - 1) < 1e-9), None)
    often = 1
    if draws is None:
        draws = 100 if delta >= 0.01 else 10 ** math.ceil(-math.log10(delta))
        often = math.ceil(draws * delta - 1e-9)
    of, most = NUMBERS.get(draws, f"{draws:,}"), NUMBERS.get(often, f"{often:,}")
    return f"Of {of} random draws like yours, at most {most} would make this false."


def premises(given: tuple[str, ...]) -> str:
    """What a guarantee rests on."""
    return f"Premises: {'; '.join(given)}."


def _errors(errors: int, m: int) -> str:
    return f"{errors:,} error{'s' * (errors != 1)} on {m:,} labelled objects"


def beside(bound: Any) -> str:
    """The simplest rival: what was seen, no second guarantee."""
    return (
        f"Always saying {bound.constant_class} would be wrong for {bound.constant_error_rate:.1%} "
        "of the objects you labelled."
    )


def reason_of_description(bound: Any) -> str:
    """What a PAC-MDL bound is made of."""
    chosen = f", one of {bound.n_compared:,} compared" if bound.n_compared > 1 else ""
    return (
        f"{bound.name!r}{chosen}: {bound.n_clusters} clusters, {_errors(bound.errors, bound.m)}, "
        f"{bound.bits:.1f} bits ({bound.choice_bits:.1f} for the choice, {bound.label_bits:.1f} "
        f"for the cluster labels, language {bound.language}). {beside(bound)}"
    )


def carrier_of(found: Any) -> str:
    """What the predictions of a guarantee are made from."""
    return CARRIERS[found.carrier].format(name=found.name, n=found.n_compared)


def reason_of(found: Any) -> str:
    """What a guarantee is made of."""
    chosen = f", one of {found.n_compared:,} compared" if found.n_compared > 1 else ""
    kept = " It holds at every number of labels at once." if found.anytime else ""
    return (
        f"The classes come from {carrier_of(found)}: {_errors(found.errors, found.tested)}, at "
        f"most {found.bound:,} among the others; {METHODS[found.method]}.{kept} The clustering "
        f"is {found.name!r}{chosen}, with {found.n_clusters} clusters. {beside(found)}"
    )


def doubt(found: Doubt, batch: Labelings) -> str:
    """Why the labelled objects do not look like a random draw, and what to do."""
    codes = batch.codes[found.row]
    cluster = "no cluster"
    if found.cluster >= 0:
        cluster = f"cluster {batch.cluster_names[found.row][found.cluster]}"
    share = "fewer than one" if found.p < 0.001 else f"about {math.ceil(1000 * found.p)}"
    return (
        f"the labelled objects are not spread over the clusters as a random draw would be: "
        f"{found.count:,} of {found.m:,} are in {cluster} of {batch.names[found.row]!r}, which has "
        f"{int((codes == found.cluster).sum()):,} of the {len(codes):,} objects, so "
        f"{found.expected:.1f} were expected; {share} in 1,000 random draws deviate so far. Draw "
        "with karat sample and label from the top, without skipping; labels that were picked may "
        "train a classifier, and guarantee nothing"
    )


def forecast(found: Any) -> str:
    """How many labels a target takes."""
    goal = f"a bound of {found.target * 100:.4g} %"
    if found.refused:
        return f"No forecast: {found.refused}."
    if found.more == 0:
        return f"The bound is {found.target * 100:.4g} % or lower already."
    if found.more is not None:
        low = "0" if found.low is None else f"{found.low:,}"
        high = "more than there are objects" if found.high is None else f"{found.high:,}"
        more = f"about {found.more:,} more labels ({low} to {high})"
        return f"Forecast (no guarantee): {more} for {goal}."
    seen = f"{100 * found.error_rate:.2g} ± {100 * found.standard_error:.2g} %"
    if found.low is not None:
        return (
            f"Forecast (no guarantee): {goal} takes {found.low:,} more labels or many more; the "
            f"tested labels were wrong in {seen}. Ask again after "
            f"{min(found.low, found.labelled):,} more."
        )
    return (
        f"Forecast (no guarantee): these labels speak against {goal}, since {seen} of those tested "
        f"were wrong; ask again after {found.labelled:,} more, or try other numbers of clusters, "
        "clusterers or features."
    )


def claim(one: Any) -> str:
    """One statement about a cluster, a class, a count, or the error rate."""
    if one.about == "clusters":
        return (
            f"Cluster {one.subject} is at least {percent_down(one.low)} {one.says} "
            f"({one.n:,} objects)."
        )
    if one.about == "classes":
        return f"At least {percent_down(one.low)} of all {one.subject} are found."
    if one.about == "counts":
        between = f"Between {one.low:,.0f} and {one.high:,.0f}"
        return f"{between} of the {one.n:,} objects are {one.subject}."
    if one.about == "abstain":
        return (
            f"At most {percent_up(one.high)} of the {one.n:,} unlabelled objects that get an "
            "answer are wrong."
        )
    return f"At most {percent_up(one.high)} of the {one.n:,} objects you did not label are wrong."


def claims(found: Any) -> str:
    """Statements that all hold at once, with what they rest on."""
    if found.refused:
        return f"Nothing is guaranteed: {found.refused}."
    lines = [claim(one) for one in found.claims]
    each = "All of these hold at once" if len(lines) > 1 else "It holds"
    return "\n".join(
        [
            *lines,
            f"{each}: {chance(found.delta)[0].lower()}{chance(found.delta)[1:]}",
            f"The classes come from {carrier_of(found)}. {premises(found.premises)}",
        ]
    )
