"""The external measures of table 4.1 of whissell2012, cell by cell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from sortal.measures import Measure, catalogue, normalized_mutual_information
from sortal_lab.axioms import Valuation, known, properties
from sortal_lab.axioms.external import UNDECIDED, asymptotic_chance, finite_chance, optimal_numbers

if TYPE_CHECKING:
    from pathlib import Path


#: pairs of partitions of so many objects are behind what is found of optima and of chance
OBJECTS = 7
#: the published times, in n objects, k clusters and t classes
RUNTIMES = {
    "Accuracy": "max(n, k³)", "Hamming": "max(n, k³)", "ARI": "n²", "Jaccard": "n²", "Rand": "n²",
    "AMI": "",
}  # fmt: skip
#: of all others
CELLS = "max(n, t k)"
#: definition 9, that every cell matters and as it is printed but for names, and the columns here
FULLNESS = {"weak_fullness": "Fullness", "fullness": "Fullness, every change"}


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

    @property
    def record(self) -> Measure:
        """The measure."""
        return self.measure if isinstance(self.measure, Measure) else catalogue[self.measure]

    @property
    def runtime(self) -> str:
        """Published time, or an empty string."""
        return RUNTIMES.get(self.title, CELLS)


def _normalized_by(normalizer: Any) -> Measure:
    """Measure of mutual information with one normalizer."""
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


def claims_beside(
    samples: int | None = None,
    *,
    random_state: int = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> tuple[list[dict[str, Any]], list[str]]:
    """Published beside found, a row for each cell, and a note for each that is refuted.

    Parameters
    ----------
    samples : int, optional
        Measures; by default all.
    random_state : int
        Of the random cases of fullness.
    storage : path, optional
        Text file that keeps the verdicts on fullness.
    progress : callable, optional
        Called with a line of text after each measure.

    Returns
    -------
    rows : list of dict
        ``measure``, ``key``, ``column``, ``published``, ``found``, ``verdict`` (confirmed by a
        case, not refuted in so many, refuted, not decided, or no claim, where the table has none),
        ``cases`` and ``exhaustive to``.
    notes : list of str
    """
    rows: list[dict[str, Any]] = []
    notes = []
    for row in ROWS[:samples]:
        judge = Valuation.of(row.measure)
        if isinstance(row.measure, str):
            full = known(row.measure, names=FULLNESS, random_state=random_state, storage=storage)
        else:
            full = properties(row.measure, names=FULLNESS, random_state=random_state)
        for key, column in FULLNESS.items():
            verdict = full[key]
            outcome = {"holds": "yes", "violated": "no"}.get(verdict.outcome, UNDECIDED)
            rows.append(
                _cell(row, column, row.full, outcome, verdict.n_cases, verdict.exhaustive_to)
            )
            if rows[-1]["verdict"] == "refuted":
                notes.append(f"{row.title}, {column}, is refuted by\n{verdict.counterexample}")
        rows.append(_cell(row, "Optimal number of clusters", row.number, optimal_numbers(judge)))
        chance = finite_chance(judge)
        varies = {"none": "no", UNDECIDED: UNDECIDED}.get(chance, "yes")
        rows.append(_cell(row, "Variable random chance", row.chance, varies))
        limit = asymptotic_chance(judge)
        rows.append(_cell(row, "Asymptotic random chance, with", row.limit, limit))
        if progress is not None:
            progress(f"{row.title}: {', '.join(cell['found'] for cell in rows[-5:])}")
    return rows, notes


def _cell(
    row: Row,
    column: str,
    published: str,
    outcome: str,
    cases: int | None = None,
    exhaustive_to: int | None = OBJECTS,
) -> dict[str, Any]:
    """Row for one cell of the table."""
    verdict = "confirmed" if published == outcome else "refuted"
    # one case shows that a measure is not full, or that its chance varies; nothing else is shown
    if published == outcome and (column in FULLNESS.values()) == (published == "yes"):
        verdict = f"not refuted in {cases:,} cases" if cases else "not refuted"
    if not published or outcome == UNDECIDED:
        verdict = UNDECIDED if published else "no claim"
    return {
        "measure": row.title,
        "key": row.record.key,
        "column": column,
        "published": published,
        "found": outcome,
        "verdict": verdict,
        "cases": cases,
        "exhaustive to": exhaustive_to,
    }
