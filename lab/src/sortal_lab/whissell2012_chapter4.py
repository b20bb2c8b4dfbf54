"""Table 4.1 of whissell2012: what it says of measures, beside what a search finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sortal import InputError
from sortal.measures import catalogue
from sortal.measures.properties import Properties, Verdict
from sortal_lab import ExperimentResult
from sortal_lab.axioms import PROPERTIES, known
from sortal_lab.growth import AT, CLUSTERS, LABELS, OBJECTS, growth
from sortal_lab.whissell2012_chapter4_external import ROWS as EXTERNAL
from sortal_lab.whissell2012_chapter4_external import claims_beside

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd


@dataclass(frozen=True)
class TableClaim:
    """One cell of the table.

    Attributes
    ----------
    measure : str
        Its name in the thesis.
    key : str
        Its catalogue key.
    column : str
    published : str
    property : str
        The property that the cell speaks of.
    holds : bool
        Whether the cell says that the measure has the property.
    """

    measure: str
    key: str
    column: str
    published: str
    property: str
    holds: bool


#: column -> property
INTERNAL = {
    "Improving between": "improving_between",
    "Improving within": "improving_within",
    "Scale invariant": "scale_invariance",
    "Relative scale invariant": "relative_scale_invariance",
}
#: name, equation -> catalogue key, and the columns above in that order
ROWS = {
    ("aWCS", "3.4"): ("average_within_cluster_scatter", "no yes no yes"),
    ("B/W", "3.8"): ("between_within_ratio", "yes yes yes yes"),
    ("C-Index", "3.15"): ("c_index", "no yes yes yes"),
    ("DB Index", "3.17"): ("davies_bouldin_index", "no no yes yes"),
    ("Dunn Index", "3.14"): ("centroid_dunn_index", "no no yes yes"),
    ("Gamma", "3.10"): ("baker_hubert_gamma", "no no yes yes"),
    ("N-Cut", "3.9"): ("normalized_cut", "yes yes yes yes"),
    ("Ratio-Cut", "3.7"): ("ratio_cut", "yes no no yes"),
    ("Rel. Margin", "3.18"): ("relative_margin", "no no yes yes"),
    ("Silhouette", "3.12"): ("silhouette", "yes yes yes yes"),
    ("WCS", "3.1"): ("within_cluster_scatter", "no yes no yes"),
    ("WWCS1", "3.2"): ("weighted_within_cluster_scatter_1", "no yes no yes"),
    ("WWCS2", "3.3"): ("weighted_within_cluster_scatter_2", "no yes no yes"),
}
#: what the table says of the time of each, for a matrix of distances or for centroids
RUNTIMES = {
    "C-Index": "n² log n",
    "DB Index": "max(nm, k²m)",
    "Dunn Index": "max(nm, k²m)",
    "Gamma": "n² log n",
    "Rel. Margin": "n^k",
}
NAMES = ("whissell2012-table4.1", "measure-properties", "measure-times")
#: what the text says of every internal measure of the table
TEXT = ("Weakly locally consistent (section 4.2)", "weak_local_consistency")


EXTERNAL_NOTE = (
    "Fullness of external measures is judged by whether a cell of the table of classes and "
    "clusters is ignored: no measure changes with every change of a label (definition 9), as the "
    "rows 'every change' show. Chance and optima: all pairs of partitions of 7 objects, exact "
    "means."
)


def internal_claims() -> list[TableClaim]:
    """The cells of the internal measures, and what the text says of all of them."""
    claims = []
    for (name, _), (key, words) in ROWS.items():
        for (column, property), published in zip(INTERNAL.items(), words.split(), strict=True):
            claims.append(TableClaim(name, key, column, published, property, published == "yes"))
        claims.append(TableClaim(name, key, TEXT[0], "yes", TEXT[1], True))
    return claims


def found_beside(claim: TableClaim, verdict: Verdict) -> dict[str, Any]:
    """A row of the result: a claim, and what the search says of it.

    A counterexample refutes that a measure has a property, or confirms that it has not; cases
    without one confirm nothing.
    """
    if verdict.outcome == "violated":
        judged = "refuted" if claim.holds else "confirmed"
    elif verdict.outcome == "holds" and claim.holds:
        judged = f"not refuted in {verdict.n_cases:,} cases"
    else:
        judged = "not decided"
    return {
        "measure": claim.measure,
        "key": claim.key,
        "column": claim.column,
        "published": claim.published,
        "found": verdict.outcome,
        "verdict": judged,
        "cases": verdict.n_cases,
        "exhaustive to": verdict.exhaustive_to,
    }


def run(
    *,
    name: str = "whissell2012-table4.1",
    samples: int | None = None,
    random_state: int = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Seek a counterexample to every cell of table 4.1, or for every measure of the catalogue.

    ``samples``: only so many measures; by default all.

    Returns for the table, a row for each cell: published, found, and whether that confirms or
    refutes it, with the counterexamples of what is refuted as notes. For the catalogue, a row
    for each measure and a column for each property. For times, the published and the measured
    growth with n and k of the table's internal measures.
    """
    import pandas as pd

    def judged(keys: Iterable[str]) -> dict[str, Properties]:
        properties_of = {}
        for key in list(dict.fromkeys(keys))[:samples]:
            properties_of[key] = known(key, random_state=random_state, storage=storage)
            if progress is not None:
                outcomes = [v.outcome for v in properties_of[key].verdicts]
                lacks = outcomes.count("violated")
                progress(f"{key}: {outcomes.count('holds')} properties hold, {lacks} do not")
        return properties_of

    if name == "measure-properties":
        return _catalogue(judged(catalogue))
    if name == "measure-times":
        return _times(samples, random_state, progress)
    if name not in NAMES:
        raise InputError(f"name must be one of {', '.join(NAMES)}; got {name!r}")
    result = _table(internal_claims(), judged)
    rows, notes = claims_beside(
        samples, random_state=random_state, storage=storage, progress=progress
    )
    table = pd.concat([result.table, pd.DataFrame(rows)], ignore_index=True)
    table[["cases", "exhaustive to"]] = table[["cases", "exhaustive to"]].astype("Int64")
    return ExperimentResult(name, table, (*result.notes, EXTERNAL_NOTE, *notes))


def _table(
    claims: list[TableClaim], judged: Callable[[Iterable[str]], dict[str, Properties]]
) -> ExperimentResult:
    """Table 4.1 beside the verdicts."""
    import pandas as pd

    properties_of = judged(claim.key for claim in claims)
    tested_claims = [claim for claim in claims if claim.key in properties_of]
    rows = [
        found_beside(claim, properties_of[claim.key][claim.property]) for claim in tested_claims
    ]
    table = pd.DataFrame(rows)
    notes = [
        "The table gives Dunn's index the equation number 3.13, which is the general form without "
        "a scatter or separation; its verdicts and its time, max(nm, k²m), are of the form by "
        "centroids, 3.14, which the text cites (section 4.5) and which stands here.",
        "Improving is meant strictly, as definitions 7 and 8 print it; the weak forms hold where "
        f"only the strict ones fail: {_weak_forms(properties_of)}.",
        "No search confirms that a measure has a property: where the table says yes and no "
        "counterexample was found, the cell is not refuted; where it says no, not decided.",
    ]
    for row, claim in zip(rows, tested_claims, strict=True):
        example = properties_of[claim.key][claim.property].counterexample
        if row["verdict"] == "refuted" and example is not None:
            notes.append(f"{claim.measure}, {claim.column}, is refuted by\n{example}")
    return ExperimentResult("whissell2012-table4.1", table, tuple(notes))


def _times(
    samples: int | None, random_state: int, progress: Callable[[str], None] | None
) -> ExperimentResult:
    """Run times and their growth beside the published complexity."""
    import pandas as pd

    rows = []
    internal = [
        (name, catalogue[key], RUNTIMES.get(name, "n²")) for (name, _), (key, _) in ROWS.items()
    ]
    external = [(row.title, row.record, row.runtime) for row in EXTERNAL]
    for name, measure, published in [*internal[:samples], *external[:samples]]:
        times = growth(measure, random_state=random_state)
        rows.append(
            {
                "measure": name,
                "key": measure.key,
                "published": f"O({published})" if published else "",
                "here": measure.cost,
                "seconds": times["seconds"],
                "exponent of n": times["n"],
                "exponent of k": times["k"],
            }
        )
        if progress is not None:
            progress(f"{measure.key}: {times['seconds']:.3g} s")
    objects, clusters = ", ".join(map(str, OBJECTS)), ", ".join(map(str, CLUSTERS))
    note = (
        f"One clustering of {objects} objects in {CLUSTERS[0]} clusters, and of {AT} objects in "
        f"{clusters}, the best of several times; the exponent is that of the steepest step. "
        f"External measures get {LABELS} times as many objects. "
        "Measures of distances are given a matrix. Relative margin tries all sets of "
        "representatives where they are few, and searches else."
    )
    return ExperimentResult("measure-times", pd.DataFrame(rows), (note,))


def _weak_forms(properties_of: dict[str, Properties]) -> str:
    """Measures that have the weak form of a property, but not the strict one."""
    kept = [
        f"{key} ({side})"
        for key, verdicts in properties_of.items()
        for side in ("between", "within")
        if catalogue[key].kind == "internal"
        and verdicts[f"improving_{side}"].outcome == "violated"
        and verdicts[f"improving_{side}_weak"].outcome == "holds"
    ]
    return ", ".join(kept) or "none"


def _catalogue(properties_of: dict[str, Properties]) -> ExperimentResult:
    """Verdicts for every measure of the catalogue."""
    return ExperimentResult(
        "measure-properties",
        outcomes(properties_of),
        (
            "holds: no counterexample in the cases tried; ?: what should exist was not found, or "
            "the measure had no value; –: the property does not speak of it. "
            "sortal.properties(KEY) gives numbers, reasons and counterexamples.",
        ),
    )


def outcomes(properties_of: dict[str, Properties]) -> pd.DataFrame:
    """A row for each measure, a column for each property."""
    import pandas as pd

    words = {"holds": "holds", "violated": "no", "undecided": "?", "not applicable": "–"}
    rows = {
        key: {PROPERTIES[v.property].name: words[v.outcome] for v in verdicts.verdicts}
        for key, verdicts in properties_of.items()
    }
    return pd.DataFrame.from_dict(rows, orient="index").fillna("").rename_axis("measure")
