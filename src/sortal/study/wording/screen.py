"""The answer on one screen: data, finding, groups, and one short line for each further fact."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sortal.bounds.tails import b_max
from sortal.bounds.wording import skipped_short
from sortal.runtime.numerals import certain_percent, number_word, percent, percent_down, percent_up
from sortal.study.facts import RANDOM
from sortal.study.wording.assumed import assumptions
from sortal.study.wording.number import how_many, number_phrase
from sortal.study.wording.phrases import (
    LIMITS,
    agreement,
    groups,
    is_supplied,
    kind_of_groups,
    listed,
    lower_first,
    named_groups,
    natural,
    recovered,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sortal.meaning import ClusterDescription
    from sortal.study.facts import (
        AnswerFacts,
        LevelCandidate,
        OwnClustering,
        Recovery,
        ReferenceClustering,
    )

#: headings of the table of the user's clusterings
OWN_HEADS = ("", "yours", "groups", "recovery", "like the first")
#: what takes the place of the groups where there are none
INSTEAD = (
    "Groups that these columns do not show cannot be excluded. A few labels (sortal label) or "
    "other columns would tell."
)
ANYWAY = "--anyway shows the best split."


@dataclass(frozen=True)
class Group:
    """A line on one group; ``right`` is the share of unseen objects on the rule's right side."""

    number: str
    size: str
    name: str
    rule: str
    right: str


def data_line(answer: AnswerFacts, seconds: float | None = None) -> str:
    """The data, what was tried, and how long it took."""
    parts = [f"{answer.n_objects:,} {answer.noun}"]
    if answer.n_rows is not None:
        parts = [f"a sample of {answer.n_objects:,} of {answer.n_rows:,} rows"]
    if answer.n_columns:
        unit = "term" if answer.noun == "texts" else "column"
        parts.append(f"{answer.n_columns:,} {unit}{'s' * (answer.n_columns > 1)}")
    compared = f"{answer.tried.candidates:,} clusterings compared"
    if answer.tried.candidates == 1:
        compared = "one clustering judged"
    spent = "" if seconds is None else f" in {_duration(seconds)}"
    return f"{answer.data}: {', '.join(parts)}; {compared}{spent}"


def _duration(seconds: float) -> str:
    """Seconds below two minutes, else minutes."""
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def headline(answer: AnswerFacts, *, anyway: bool = True) -> str:
    """The finding: the number and the kind of the groups, and the chance that there are any.

    Without ``anyway``, the best split of data without groups is not shown, and the option that
    shows it is named.
    """
    data = _data(answer)
    if is_supplied(answer):
        more = f" {data[0].upper()}{data[1:]}." if data else ""
        return f"{_of_own(answer, groups(answer.n_clusters))}{more}"
    if not natural(answer):
        assert answer.structure is not None
        if is_none(answer) and not anyway:
            return f"{answer.structure.cloud} {ANYWAY}"
        return f"{answer.structure.cloud} The best split has {groups(answer.n_clusters)}."
    return f"{_number(answer)}; {data}." if data else f"{_number(answer)}."


def _number(answer: AnswerFacts) -> str:
    """The number of groups, and of which kind they are."""
    kind = kind_of_groups(answer)
    if kind == "overlapping":
        return f"About {answer.n_clusters} kinds that overlap"
    return number_phrase(answer, "separate groups" if kind == "separate" else "groups")


def _of_own(answer: AnswerFacts, k: str) -> str:
    """The finding on clusterings that the user supplied."""
    n, recovery = answer.tried.distinct, answer.recovery
    if recovery is not None and recovery.value < RANDOM:
        subject = "Your clustering" if n == 1 else f"None of your {number_word(n)} clusterings"
        verb = "does not look" if n == 1 else "looks"
        return f"{subject} {verb} better than random groups."
    level = [clustering.name for clustering in answer.own[1:] if clustering.level]
    if answer.measured is not None:
        level += answer.measured.inside_error
    if n == 1:
        return f"Your clustering {answer.name} has {k}."
    if level:
        more = [f"{len(level) - LIMITS.few} more"] * (len(level) > LIMITS.few)
        others = listed([*level[: LIMITS.few], *more])
        verb = "is" if len(level) == 1 else "are"
        return f"{answer.name} ({k}) comes first; {others} {verb} about as good."
    return f"The best of your {number_word(n)} clusterings is {answer.name}, with {k}."


def _data(answer: AnswerFacts) -> str:
    """Whether the data have groups, and of which kind, as a clause."""
    structure = answer.structure
    if structure is None:
        return ""
    if structure.answer == "one cloud":
        return lower_first(structure.cloud)
    what, chance = {
        "separate": ("gaps between groups are", structure.probability),
        "overlapping": ("groups without gaps are", structure.grouped),
    }[structure.answer]
    adverb = "likely" if chance >= LIMITS.likely else "possible"
    adverb = "almost certain" if chance >= LIMITS.certain else adverb
    is_series = any(finding.key == "successive" for finding in answer.findings)
    condition = f", if the {answer.noun} are independent" * is_series
    return f"{what} {adverb} ({certain_percent(chance)}){condition}"


def group_lines(
    answer: AnswerFacts, described: Iterable[ClusterDescription], of_terms: bool
) -> list[Group]:
    """A line for each of the largest groups."""
    ordered = sorted(described, key=lambda cluster: -cluster.size)
    lines = []
    for cluster in ordered[: LIMITS.listed]:
        rule = "" if cluster.rule is None else cluster.rule.brief
        right = "" if cluster.accuracy is None else f"right for {percent(cluster.accuracy, 0)}"
        name = "" if cluster.name == str(cluster.cluster) else cluster.name
        if of_terms and cluster.named_by is None:
            name = ", ".join(term.feature for term in cluster.telling[: LIMITS.listed])
            rule = right = ""
        if len(ordered) > LIMITS.detailed and rule and cluster.named_by is None:
            name = ""
        noun = answer.noun if cluster.size != 1 else answer.noun[:-1]
        lines.append(Group(str(cluster.cluster), f"{cluster.size:,} {noun}", name, rule, right))
    if len(ordered) > LIMITS.listed:
        n_further = sum(cluster.size for cluster in ordered[LIMITS.listed :])
        more = f"in {len(ordered) - LIMITS.listed:,} smaller groups"
        lines.append(Group("", f"{n_further:,} {answer.noun}", more, "", ""))
    if answer.outliers:
        lines.append(Group("", f"{answer.outliers:,} {answer.noun}", "in no group", "", ""))
    return lines


def own_lines(clusterings: Sequence[OwnClustering]) -> list[tuple[str, ...]]:
    """A line for each of the user's clusterings."""
    return [
        (
            "as good" if place and clustering.level else str(place + 1),
            clustering.name,
            str(clustering.n_clusters),
            "–" if clustering.recovery is None else agreement(clustering.recovery),
            f"{clustering.agreement:.2f}",
        )
        for place, clustering in enumerate(clusterings)
    ]


def is_none(answer: AnswerFacts) -> bool:
    """Whether the data are one cloud, and nothing else was asked about."""
    return (
        not natural(answer)
        and answer.structure is not None
        and not answer.structure.is_uncertain
        and not is_supplied(answer)
        and answer.guarantee is None
    )


def lines(answer: AnswerFacts, *, anyway: bool = False) -> list[tuple[str, str]]:
    """Further facts, each with its heading; of one cloud only ``anyway`` tells of the split."""
    if is_none(answer) and not anyway:
        # what a split repeats is told where the split is shown
        findings = tuple(finding for finding in answer.findings if finding.key != "reproduced")
        harmful = any(finding.severity == "harmful" for finding in findings)
        assumed = assumptions(replace(answer, findings=findings)) if harmful else ""
        return [("", INSTEAD), *[("Assumed", assumed)] * harmful]
    rows = (
        ("How many", how_many(answer)),
        ("Made by", _made_by(answer)),
        ("As good", _as_good(answer)),
        ("Steady", _steady(answer)),
        ("Recovery", _recovery(answer)),
        ("Your classes", _to_check(answer)),
        ("sortal's own", _beside(answer)),
        ("Guarantee", _guarantee(answer)),
        ("More labels", _more_labels(answer)),
        ("Label next", _next(answer)),
        ("Sample", _sample(answer)),
        ("Unfinished", _unfinished(answer)),
        ("Warning", _singles(answer)),
        ("Assumed", assumptions(answer)),
    )
    return [(head, text) for head, text in rows if text]


def changes(united: Iterable[tuple[str, Sequence[str]]], finer: bool) -> list[str]:
    """Which groups a finer clustering divides, or a coarser one joins.

    >>> changes([("1", ["1"]), ("2", ["2", "3"])], True), changes([("2", ["2", "3"])], False)
    (['group 2 divided into 2'], ['groups 2 and 3 joined'])
    """
    several = [(name, parts) for name, parts in united if len(parts) > 1]
    if not several:
        return []
    if finer:
        n_parts = sum(len(parts) for _, parts in several)
        return [f"{named_groups([name for name, _ in several])} divided into {n_parts}"]
    return [f"{named_groups(parts)} joined" for _, parts in several[: LIMITS.few]]


def difference(answer: AnswerFacts, candidate: LevelCandidate) -> str:
    """What a candidate that is about as good shares with the answer, and what differs."""
    changed = (
        changes(candidate.united, candidate.n_clusters > answer.n_clusters)
        if candidate.is_nested
        else []
    )
    if not changed and candidate.is_nested:
        return f"some {answer.noun} change groups"
    if not changed:
        return f"{named_groups(candidate.shared) if candidate.shared else 'no group'} the same"
    return ", ".join(changed)


def _made_by(answer: AnswerFacts) -> str:
    """The clusterer, how many candidates give this clustering, and what labels or pairs did."""
    if is_supplied(answer):
        return ""
    text = answer.name
    if answer.reached_by > 1:
        text += f"; {answer.reached_by:,} clusterings gave exactly these groups"
    if answer.measured is not None and answer.tried.distinct > 1:
        measure = answer.measured
        classes = " with the known classes" if measure.n_known else ""
        text += f"; best {measure.title}{classes} ({measure.value:.4g})"
    for evidence, what in (
        (answer.labelled, f"the {answer.labelled.n_labels:,} labels" if answer.labelled else ""),
        (answer.pairs, "the known pairs"),
    ):
        if evidence is not None and evidence.before == evidence.before:
            before, after = percent(evidence.before), percent(evidence.after)
            verb = "favour" if evidence.after >= evidence.before else "speak against"
            if before != after:
                chance = f"{after} chance to be the best of {answer.tried.distinct:,}"
                text += f"; {what} {verb} it ({chance}, {before} without them; an estimate)"
    return text


def _as_good(answer: AnswerFacts) -> str:
    """Candidates that cannot be told apart from the answer."""
    names = [candidate.name for candidate in answer.level] or list(answer.tied)
    if answer.measured is not None:
        names += [name for name in answer.measured.inside_error if name not in names]
    if not names or is_supplied(answer):
        return ""
    first, n_further = names[0], len(names) - 1
    if answer.level:
        nearest = answer.level[0]
        first += f" ({groups(nearest.n_clusters)}: {difference(answer, nearest)})"
    return listed([first, *[f"{n_further} more"] * (n_further > 0)])


def _steady(answer: AnswerFacts) -> str:
    """How well the answer comes back on parts of the rows."""
    steady = answer.steadiness
    if steady is None:
        return ""
    left_out = percent(1 - steady.kept, 0)
    return f"without {left_out} of the {answer.noun}, {_likeness(steady.value)} come back"


def _likeness(agreement: float) -> str:
    """How like the answer another one is, by their adjusted Rand index.

    >>> _likeness(0.962), _likeness(0.5)
    ('nearly the same groups (0.96, 1 is identical)', 'other groups (0.50, 1 is identical)')
    """
    words = "nearly the same groups" if agreement >= 0.95 else "similar groups"
    words = words if agreement >= 0.75 else "other groups"
    return f"{words} ({agreement:.2f}, 1 is identical)"


def _recovery(answer: AnswerFacts) -> str:
    """The recovery in words; nothing where a guarantee says more."""
    if answer.recovery is None or answer.guarantee is not None:
        return ""
    return f"{recovered(answer.recovery)}; 1 is perfect, 0 is chance"


def _to_check(answer: AnswerFacts, m: int = 20, delta: float = 0.1) -> str:
    """What ``m`` labels would tell on whether somebody's classes follow the groups."""
    n, known = answer.n_objects, (answer.guarantee, answer.labelled, answer.pairs)
    if any(evidence is not None for evidence in known) or n < 2 * m:
        return ""
    most = percent_up(b_max(m, n - m, 0, delta) / (n - m))
    return (
        f"say what each group means, then label {m} random {answer.noun} (sortal sample -n {m}): "
        f"if all fit, at most {most} of the others do not ({percent(1 - delta, 0)} sure)"
    )


def _beside(answer: AnswerFacts) -> str:
    """The best of sortal's own sweep beside the user's clusterings, or beside a narrow sweep."""
    reference = answer.reference
    if reference is None:
        if is_supplied(answer) and answer.reference_skipped == "asked":
            return "not compared; omit --no-reference to compare"
        return ""
    if reference.agreement == 1:
        return f"{groups(reference.n_clusters)}, the same ones"
    worth = f"recovery {agreement(reference.recovery)}"
    if reference.agreement >= LIMITS.same:
        return f"{groups(reference.n_clusters)}, much the same ones ({worth})"
    if not is_better(reference, answer.recovery):
        return f"{groups(reference.n_clusters)}, no better ({worth})"
    how = "omit --only-labelings" if is_supplied(answer) else "widen -k or --clusterer"
    return f"{groups(reference.n_clusters)}, better ({worth}); {how} to use it"


def is_better(reference: ReferenceClustering, recovery: Recovery | None) -> bool:
    """Whether sortal's own clustering differs, and has a higher recovery."""
    ahead = recovery is None or reference.recovery.value >= recovery.value + LIMITS.better
    return ahead and reference.agreement < LIMITS.same


def _guarantee(answer: AnswerFacts) -> str:
    """The guaranteed error rate, and the column that it is about."""
    best = answer.guarantee
    if best is None:
        return ""
    if best.refused or not best.n:
        return best.sentence
    useless = ""
    if best.bound_rate >= best.constant_error_rate:
        useless = " Always saying the largest class does as well."
    return (
        f"At most {percent_up(best.bound_rate)} of the {best.n:,} unlabelled {answer.noun} have a "
        f"wrong class. You can be {percent(1 - best.delta, 0)} sure of this "
        f"if your {best.labels_read.partition(':')[0] or 'labels'} are a random draw.{useless}"
        f"{f' {skipped_short(best.skipped, best.if_right)}' * bool(best.skipped)}"
    )


def _more_labels(answer: AnswerFacts) -> str:
    """What more labels would buy."""
    more, best = answer.more_labels, answer.guarantee
    if more is None or best is None or best.refused or not more.outlook:
        return ""
    forecasts = "; ".join(
        f"with {forecast.labelled:,} labels about {percent_up(forecast.rate)} wrong "
        f"({percent_down(forecast.low).removesuffix(' %')} to {percent_up(forecast.high)})"
        for forecast in more.outlook
    )
    return f"{forecasts}; forecasts"


def _next(answer: AnswerFacts) -> str:
    """The rows to label next."""
    more, best = answer.more_labels, answer.guarantee
    if more is None or not more.rows or best is None or best.refused:
        return ""
    rows = ", ".join(f"{row:,}" for row in more.rows[: LIMITS.examples])
    further = ", ..." * (len(more.rows) > LIMITS.examples)
    return f"rows {rows}{further} in this order (counted from 0); a skipped row counts as wrong"


def _sample(answer: AnswerFacts) -> str:
    """The sample that the clustering was fitted to, and what another sample gives."""
    sample = answer.sample
    if sample is None:
        return ""
    text = f"fitted to {sample.fitted_on:,} of {answer.n_objects:,} {answer.noun}"
    if sample.agreement is None:
        return text
    warning = "" if sample.agreement >= 0.75 else ": do not rely on these (--exact fits all)"
    return f"{text}; another sample gives {_likeness(sample.agreement)}{warning}"


def _unfinished(answer: AnswerFacts) -> str:
    """Candidates that the budget left, and how to finish them."""
    n, unjudged = answer.tried.unfinished, answer.tried.unjudged
    text = f"{n:,} candidates; --storage FILE or a larger --budget fits them" if n else ""
    if unjudged is None:
        return text
    judged = answer.tried.distinct
    missing = "" if answer.structure else "; whether there are groups was not sought"
    stopped = f"judging, after {judged:,} of {judged + unjudged:,} clusterings{missing}"
    return f"{stopped}; {text}" if text else stopped


def _singles(answer: AnswerFacts) -> str:
    """Groups of a single object."""
    single = answer.sizes.count(1)
    if not single or len(answer.sizes) < 2:
        return ""
    noun = answer.noun[:-1]
    if single == 1:
        return f"one group is a single {noun}: an outlier rather than a group"
    return f"{single:,} groups are single {answer.noun}: outliers rather than groups"


def one_line(answer: AnswerFacts, *, anyway: bool = False) -> str:
    """The answer on one line; of one cloud the best split only with ``anyway``."""
    worth = ""
    if answer.recovery is not None and (anyway or not is_none(answer)):
        worth = f" {recovered(answer.recovery)}."
    if answer.guarantee is not None and not answer.guarantee.refused:
        worth = f" At most {percent_up(answer.guarantee.bound_rate)} wrong."
    return f"{answer.data}: {headline(answer, anyway=anyway)}{worth}"


def sentences(answer: AnswerFacts) -> tuple[str, ...]:
    """The finding and the further facts as sentences, without the groups."""
    facts = (f"{head}: {text}" if head else text for head, text in lines(answer))
    return headline(answer), *(text if text.endswith(".") else f"{text}." for text in facts)
