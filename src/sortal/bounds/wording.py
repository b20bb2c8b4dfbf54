"""Every sentence about a guarantee."""

from __future__ import annotations

import html
import math
from typing import TYPE_CHECKING, Any

from sortal.runtime.numerals import number_word, percent, percent_digits, percent_down, percent_up

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sortal.bounds.sampling import Doubt
    from sortal.labelings.partitions import Labelings

#: methods of a guarantee
METHODS = {
    "half": "chosen on half of the labels, tested on the other half",
    "pac-mdl": "all labels, the choice paid for in bits",
    "start": "chosen on the first labels, tested on all later ones by a confidence sequence",
    "target": "chosen on the first labels, tested on the later ones until the target was certain "
    "enough",
    "mdl-sequence": "all labels, the choice paid for in bits, by a confidence sequence",
    "largest class": "all labels, the class paid for by its share of them",
}
#: sources of the predictions
CARRIERS = {
    "clustering": "the clusters of {name!r}, each with one class",
    "clusterings": "a classifier on the clusters of all {n} clusterings",
    "features": "a classifier on the features",
    "clusterings and features": "a classifier on the features and the clusters of all {n} "
    "clusterings",
    "largest class": "the largest class for every object",
}
#: tuned: by eye; rows to label next that are named
MOST_ROWS = 10
#: words for numbers above twelve
ROUND_NUMBERS = {20: "twenty", 50: "fifty"}
DRAWN = "the labelled objects were drawn uniformly at random from all objects (sortal sample)"
TAUGHT = (
    "the first objects were chosen without any label, and the other labelled ones were drawn "
    "uniformly at random from the rest (sortal label)"
)
BLIND = "the clusterings were made without looking at the labels"
CLASSES_LISTED = "the list of classes is complete, and was fixed before labelling"
RIGHT_LABEL = "the right class of an object is the labeller's"
ORDER = "the order is that of the draw"
IN_ORDER = f"{ORDER}, and no label was skipped"
FIXED = "the number of labels was fixed beforehand"
FIXED_NUMBER = f"{FIXED}, and this is the only question about them"
ONLY_QUESTION = "this is the only question about these labels (ledger= counts several)"
RESTORE = (
    "Sort it by the column 'draw', which sortal sample and sortal label write, or undo the sort; "
    "without the order, --once bounds a number of labels that was fixed beforehand"
)
NO_RANDOM_PAIRS = (
    "the objects that both labelled cannot have come in a random order, since the labellers' "
    "differences come together; compare the answers again in the order of the draw"
)
NO_RANDOM_ORDER = f"these labels cannot have come in a random order; was the file sorted? {RESTORE}"


class Worded:
    """Sentences of a bound, made from its attributes."""

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
            """Key of the method that made the bound."""

        @property
        def reason(self) -> str:
            """Composition of the bound, in words."""

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
            f"At most {percent_up(self.bound_rate)} of the {self.n:,} unlabelled rows have a wrong "
            f"`class`. {chance(self.delta)} {premises(self.premises)}"
        )

    @property
    def conditions(self) -> str:
        """What was read, in words."""
        return f"Read: {self.labels_read}."

    def __str__(self) -> str:
        doubts = [f"Warning: {warning}." for warning in self.warnings]
        return "\n".join([self.sentence, self.reason, self.conditions, *doubts])

    def _repr_html_(self) -> str:
        """Sentences as HTML, the first one in bold."""
        first, *further = map(html.escape, str(self).split("\n"))
        return f"<p><strong>{first}</strong></p>{''.join(f'<p>{line}</p>' for line in further)}"


def chance(delta: float) -> str:
    """Meaning of the allowed chance of failure, in words."""
    draws = next((d for d in (2, 5, 10, 20, 50, 100, 1000) if abs(d * delta - 1) < 1e-9), None)
    often = 1
    if draws is None:
        draws = 100 if delta >= 0.01 else 10 ** math.ceil(-math.log10(delta))
        often = math.ceil(draws * delta - 1e-9)
    failures = f"at most {number_word(often)} would make this false"
    return f"Of {ROUND_NUMBERS.get(draws, number_word(draws))} random draws like yours, {failures}."


def skipped_short(count: int, if_right: float | None) -> str:
    """What the objects of the draw without a label count as, and what they could change."""
    they, counts = ("they", "count") if count > 1 else ("it", "counts")
    answer = (
        f"{count:,} drawn row{'s' * (count > 1)} before the last label "
        f"{'have' if count > 1 else 'has'} no label and {counts} as errors."
    )
    if if_right is None:
        return answer
    return f"{answer} Labelled and right, {they} would give at most {percent_up(if_right)}."


def skipped(count: int, if_right: float | None) -> str:
    """The same, with what such rows are and how to excuse some."""
    return (
        f"{skipped_short(count, if_right)} Such rows are blank, deleted, or absent from the "
        "clusters; --unreadable excuses those whose reason cannot depend on the class."
    )


def unreadable(count: int) -> str:
    """Premise about rows of the draw that were declared unreadable."""
    rows = f"{count:,} drawn row{'s' * (count > 1)}"
    return f"why {rows} cannot be read has nothing to do with the class"


def undrawn(count: int) -> str:
    """Premise about labelled objects without a number in the draw."""
    return f"the {count:,} labelled rows without a number in 'draw' were drawn at random too"


def premises(conditions: tuple[str, ...]) -> str:
    """Premises of a guarantee, as a sentence."""
    return f"Premises: {'; '.join(conditions)}."


def _errors(errors: int, m: int) -> str:
    """Number of errors on the tested labels, in words."""
    return f"{errors:,} error{'s' * (errors != 1)} on {m:,} labelled objects"


def beside(bound: Any) -> str:
    """Error rate of the simplest rival, the most common class for every object."""
    return (
        f"Always saying {bound.constant_class} would be wrong for "
        f"{percent(bound.constant_error_rate, 1)} of the objects you labelled."
    )


def reason_of_description(bound: Any) -> str:
    """Composition of a PAC-MDL bound, in words."""
    chosen = f", one of {bound.n_compared:,} compared" if bound.n_compared > 1 else ""
    return (
        f"{bound.name!r}{chosen}: {bound.n_clusters} clusters, {_errors(bound.errors, bound.m)}, "
        f"{bound.bits:.1f} bits ({bound.choice_bits:.1f} for the choice, {bound.label_bits:.1f} "
        f"for the cluster labels, language {bound.language}). {beside(bound)}"
    )


def carrier_of(guarantee: Any) -> str:
    """Source of a guarantee's predictions, in words."""
    return CARRIERS[guarantee.carrier].format(name=guarantee.name, n=guarantee.n_compared)


def reason_of(guarantee: Any) -> str:
    """Composition of a guarantee, in words."""
    chosen = f", one of {guarantee.n_compared:,} compared" if guarantee.n_compared > 1 else ""
    anytime = " It holds at every number of labels at once." if guarantee.anytime else ""
    return (
        f"The classes come from {carrier_of(guarantee)}: "
        f"{_errors(guarantee.errors, guarantee.tested)}, at most {guarantee.bound:,} among the "
        f"others; {METHODS[guarantee.method]}.{anytime} The clustering is "
        f"{guarantee.name!r}{chosen}, with {guarantee.n_clusters} clusters. {beside(guarantee)}"
    )


def doubt(deviation: Doubt, batch: Labelings) -> str:
    """Reason why the labelled objects do not look like a random draw, and how to fix it."""
    codes = batch.codes[deviation.row]
    cluster = "no cluster"
    if deviation.cluster >= 0:
        cluster = f"cluster {batch.cluster_names[deviation.row][deviation.cluster]}"
    share = "fewer than one" if deviation.p < 0.001 else f"about {math.ceil(1000 * deviation.p)}"
    return (
        f"the labelled objects are not spread over the clusters as a random draw would be: "
        f"{deviation.count:,} of {deviation.m:,} are in {cluster} of "
        f"{batch.names[deviation.row]!r}, which has {int((codes == deviation.cluster).sum()):,} of "
        f"the {len(codes):,} objects, so {deviation.expected:.1f} were expected; {share} in 1,000 "
        "random draws deviate so far. Draw with sortal sample and label from the top, without "
        "skipping; labels that were picked may train a classifier, and guarantee nothing"
    )


def outlook(labelled: int, rate: float, futures: Iterable[Any]) -> str:
    """What more labels would buy, in words: the bound now, and forecast bounds."""
    coming = [
        f"{forecast.labelled:,} → about {percent_up(forecast.rate)} "
        f"({percent_down(forecast.low).removesuffix(' %')}–{percent_up(forecast.high)})"
        for forecast in futures
    ]
    return (
        f"{labelled:,} labels → {percent_up(rate)}; {'; '.join(coming)}; a forecast with 80 % "
        "intervals, no guarantee"
    )


def next_rows(rows: Sequence[int]) -> str:
    """Which rows to label next, and why these, in words."""
    listed = ", ".join(f"{row:,}" for row in rows[:MOST_ROWS])
    return (
        f"Label next, in this order: rows {listed} (counted from 0). They are drawn at random, and "
        "the guarantee needs that: a skipped row counts as wrong. Rows that teach (sortal label "
        "--teach) are chosen apart from these."
    )


def contradicted(component: Any) -> str:
    """Reason why a bound is refused that its own test labels contradict, and how to fix it."""
    return (
        f"{_errors(component.errors, component.tested)} contradict the bound that the labels "
        f"before them gave, so {NO_RANDOM_ORDER}"
    )


def picked_pairs(count: int, m: int, alike: str, expected: float) -> str:
    """Reason why pairs were not drawn at random from all pairs, and how to fix it."""
    return (
        f"these pairs were not drawn at random from all pairs of objects: {count:,} of {m:,} "
        f"{alike}, where {expected:.1f} were expected; omit random=True for the share of these "
        "pairs"
    )


def picked_values(m: int, seen: float, mean: float) -> str:
    """Reason why objects with known values were not drawn at random, and how to fix it."""
    return (
        f"the {m:,} objects with a known value were not drawn at random. The mean guess is "
        f"{seen:.4g} for them and {mean:.4g} for all; fewer than one in 1,000 random draws "
        "deviates so far. Draw the objects with sortal.bounds.sample"
    )


def sorted_order(m: int) -> str:
    """Reason why labels in the order of the rows carry no bound that needs the order."""
    return f"the {m:,} labels are in the order of the rows, so {NO_RANDOM_ORDER}"


def question(number: int | None, ordered: bool, anytime: bool) -> str:
    """Sentence on a counted question about labels; None where it has all of delta."""
    if number is None:
        return (
            "One question about a number of labels that was fixed beforehand (--once): all of "
            "delta is spent, and no further question is covered."
        )
    share = 80.0 if number == 1 else 20 / (number * (number - 1))
    validity = (
        "It holds at every number of labels at once: label on in the order of the draw, ask again, "
        "and stop whenever you like."
        if ordered
        else "It holds at every number of labels at once, for labels that were added in the order "
        "of the draw."
        if anytime
        else "More labels are another question, since the order of the draw is not known; a file "
        "of sortal sample has it."
    )
    return (
        f"Question {number} about these labels; sortal counts them, in copies of the file too. "
        f"This answer uses {share:.3g} % of the risk that you allow (delta). {20 / number:.3g} % "
        f"are kept for later questions, so all answers hold together. {validity}"
    )


def once_too_late(number: int, share: float) -> str:
    """Sentence on ``--once`` after the same question was answered without it."""
    return (
        f"--once came too late: question {number} about these labels was answered before, with "
        f"{percent_digits(share, 3)} of delta. This is that answer, not a single question's."
    )


def spent(earlier: int, once: bool) -> str:
    """Reason why a question about labels is refused."""
    reason = (
        "--once is for the only question about them"
        if once
        else "one of these had all of delta (--once)"
    )
    return (
        f"these labels, or fewer of them, have answered {earlier} other "
        f"question{'s' * (earlier > 1)}, and {reason}: nothing of delta is left. Draw and label "
        f"new objects{', or ask without --once' * once}"
    )


def of_counted(conditions: tuple[str, ...]) -> tuple[str, ...]:
    """Premises of the answer to a counted question, which need not be the only one."""
    remaining = (premise for premise in conditions if premise != ONLY_QUESTION)
    return tuple(FIXED if premise == FIXED_NUMBER else premise for premise in remaining)


def forecast(needed: Any) -> str:
    """Forecast of the labels that a target takes, in words."""
    goal = f"a bound of {percent_digits(needed.target, 4)}"
    if needed.refused:
        return f"No forecast: {needed.refused}."
    if needed.more == 0:
        return f"The bound is {percent_digits(needed.target, 4)} or lower already."
    if needed.more is not None:
        low = "0" if needed.low is None else f"{needed.low:,}"
        high = "more than there are objects" if needed.high is None else f"{needed.high:,}"
        more = f"about {needed.more:,} more labels ({low} to {high})"
        return f"Forecast (no guarantee): {more} for {goal}."
    seen = f"{100 * needed.error_rate:.2g} ± {100 * needed.standard_error:.2g} %"
    if needed.low is not None:
        return (
            f"Forecast (no guarantee): {goal} takes {needed.low:,} more labels or many more; the "
            f"tested labels were wrong in {seen}. Ask again after "
            f"{min(needed.low, needed.labelled):,} more."
        )
    return (
        f"Forecast (no guarantee): these labels speak against {goal}, since {seen} of those tested "
        f"were wrong; ask again after {needed.labelled:,} more, or try other numbers of clusters, "
        "clusterers or features."
    )


def claim(statement: Any) -> str:
    """Sentence about a cluster, a class, a count, or the error rate."""
    if statement.about == "clusters":
        return (
            f"Cluster {statement.subject} is at least {percent_down(statement.low)} "
            f"{statement.says} ({statement.n:,} objects)."
        )
    if statement.about == "classes":
        return f"At least {percent_down(statement.low)} of all {statement.subject} are found."
    if statement.about == "counts":
        between = f"Between {statement.low:,.0f} and {statement.high:,.0f}"
        return f"{between} of the {statement.n:,} objects are {statement.subject}."
    if statement.about == "abstain":
        return (
            f"At most {percent_up(statement.high)} of the {statement.n:,} unlabelled objects that "
            "get an answer are wrong."
        )
    return (
        f"At most {percent_up(statement.high)} of the {statement.n:,} unlabelled rows have a wrong "
        "`class`."
    )


def claims(statements: Any) -> str:
    """Statements that all hold at once, with their premises."""
    if statements.refused:
        return f"Nothing is guaranteed: {statements.refused}."
    lines = [claim(statement) for statement in statements.claims]
    each = "All of these hold at once" if len(lines) > 1 else "It holds"
    return "\n".join(
        [
            *lines,
            f"{each}: {chance(statements.delta)[0].lower()}{chance(statements.delta)[1:]}",
            f"The classes come from {carrier_of(statements)}. {premises(statements.premises)}",
        ]
    )
