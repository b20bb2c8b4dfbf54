"""The external measures of table 4.1 of whissell2012, cell by cell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from karat.axioms import PROPERTIES, Judge, Verdict, search
from karat.axioms.external import UNDECIDED, asymptotic_chance, finite_chance, optimal_numbers
from karat.measures import Measure, catalogue, normalized_mutual_information

#: pairs of partitions of up to so many objects behind what is found of optima and of chance
OBJECTS = 7


@dataclass(frozen=True)
class Row:
    """A measure as the table prints it.

    Attributes
    ----------
    title, equation : str
    measure : str or Measure
    full : str
        Fullness.
    number : str
        Possible numbers of clusters of an optimal clustering.
    chance, limit : str
        Whether chance varies, and with what in the limit of many objects.
    """

    title: str
    equation: str
    measure: str | Measure
    full: str
    number: str
    chance: str
    limit: str


def _normalized_by(normalizer: Any) -> Measure:
    function = partial(normalized_mutual_information, normalizer=normalizer)
    record = catalogue["normalized_mutual_information"]
    key = f"{record.key} ({normalizer})"
    return replace(record, key=key, title=key, function=function, compute=function)


ROWS = (
    Row("Accuracy", "3.40", "matching_accuracy", "no", "", "yes", "C, T"),
    Row("ARI", "3.36", "adjusted_rand_index", "", "k = t", "no", "none"),
    Row("AMI", "3.28", "adjusted_mutual_information", "", "k = t", "no", "none"),
    Row("EQ", "3.33", "entropy_quality", "yes", "k >= t", "yes", "C, T"),
    Row("FQ", "3.45", "f_quality", "no", "k = t", "yes", "C, T"),
    Row("Hamming", "3.41", "hamming_distance", "no", "", "yes", "C, T"),
    Row("Jaccard", "3.35", "jaccard_index", "yes", "k = t", "yes", "C, T"),
    Row("NMI 1", "3.22", "normalized_mutual_information", "yes", "k = t", "yes", "none"),
    Row("NMI 2", "3.24", _normalized_by("min"), "yes",
        "1 <= k <= n", "yes", "none"),
    Row("NMI 3", "3.25", _normalized_by("joint"), "yes", "k = t",
        "yes", "none"),
    Row("PQ", "3.47", "purity", "no", "k >= t", "yes", "T"),
    Row("Rand", "3.34", "rand_index", "yes", "k = t", "yes", "C, T"),
    Row("VI", "3.27", "variation_of_information", "yes", "k = t", "yes", "C, T"),
)  # fmt: skip


def cells(
    rows: tuple[Row, ...] = ROWS,
    *,
    random_state: Any = 0,
    progress: Callable[[str], None] | None = None,
) -> list[dict[str, str]]:
    """Published beside found, one dictionary for each cell.

    Parameters
    ----------
    rows : tuple of Row
    random_state : int
        Of the random cases of fullness.
    progress : callable, optional
        Called with a line of text after each measure.

    Returns
    -------
    list of dict
        ``measure``, ``equation``, ``property``, ``published``, ``found``, ``verdict`` (confirmed,
        refuted, not decided, or not assessed, where the table has no claim) and ``because``.
    """
    found = []
    for row in rows:
        judge = Judge.of(row.measure)
        for form in ("weak_fullness", "fullness"):
            verdict = search(PROPERTIES[form], judge, random_state=random_state)
            holds = {"holds": "yes", "violated": "no"}.get(verdict.outcome, UNDECIDED)
            found.append(_cell(row, PROPERTIES[form].name, row.full, holds, _because(verdict)))
        exact = f"all pairs of partitions of {OBJECTS} objects"
        number = optimal_numbers(judge, OBJECTS)
        found.append(_cell(row, "Optimal number of clusters", row.number, number, exact))
        chance = finite_chance(judge, OBJECTS)
        varies = {"none": "no", UNDECIDED: UNDECIDED}.get(chance, "yes")
        why = f"exact means of {OBJECTS} objects vary with: {chance}"
        found.append(_cell(row, "Variable random chance", row.chance, varies, why))
        limit = asymptotic_chance(judge, OBJECTS)
        why = "value where p(c, t) = p(c) p(t), extrapolated to many objects"
        found.append(_cell(row, "Asymptotic random chance", row.limit, limit, why))
        if progress is not None:
            progress(f"{row.title}: {', '.join(cell['found'] for cell in found[-5:])}")
    return found


def _cell(row: Row, name: str, published: str, found: str, because: str) -> dict[str, str]:
    verdict = "confirmed" if published == found else "refuted"
    if not published or found == UNDECIDED:
        verdict = "not decided" if published else "not assessed"
    return {
        "measure": row.title,
        "equation": row.equation,
        "property": name,
        "published": published,
        "found": found,
        "verdict": verdict,
        "because": because,
    }


def _because(verdict: Verdict) -> str:
    example = verdict.counterexample
    if example is None:
        return verdict.reason
    shown = [
        f"T = {_joined(each.truth)}, C = {_joined(each.labels)}: {value:.4g}"
        for each, value in zip(example.case.situations, example.values, strict=True)
    ]
    return "; ".join(shown)


def _joined(labels: Any) -> str:
    return "".join(map(str, labels.tolist()))
