"""A map of the internal measures: which say the same, and which are near the truth on what data.

From their values on the candidates of the tested tasks of the experiment ``choice`` (real tables
and parts of them, benchmark shapes, texts). ``storage`` is the folder of that experiment: its
finished tasks are read from there, and what is computed beyond them is kept there; at the end
``measure_map.json`` and the pictures ``measure_map.html`` are written to it. ``samples`` is the
number of sub-tasks of each real table (21 in full).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from sortal.measures import catalogue
from sortal.measures.measure_map import DATA_GROUPS, SAME_CORRELATION, MeasureMap, cut
from sortal.runtime.output import write_output
from sortal_lab import ExperimentResult
from sortal_lab.choice import PARTS, corpus
from sortal_lab.choice_table import BOOTSTRAPS, interval
from sortal_lab.map_trials import (
    Corpus,
    best_cut,
    consensus_trial,
)
from sortal_lab.measure_values import further_keys, judged
from sortal_lab.rivals import MEASURES

if TYPE_CHECKING:
    from sortal.typing import Floats, RandomState
    from sortal_lab.measure_values import MeasuredTask


COMMAND = "sortal reproduce map-of-measures --storage FOLDER"
#: bootstraps over collections for the stability of families
TREES = 500


def run(
    *,
    name: str,
    samples: int | None = None,
    random_state: RandomState = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Draw the map, and try the families on excluded collections.

    ``samples``: sub-tasks of each real table; 21 in full.

    Returns a row per measure: family, and correlation with the truth by kind of data.
    """
    say = progress or (lambda line: None)
    cases = corpus(PARTS if samples is None else samples, storage, say)
    tasks = judged(cases, storage, say)
    measure_map = map_of(tasks, random_state=random_state, say=say)
    if storage is not None:
        measure_map.save(Path(storage) / "measure_map.json", overwrite=True)
        _draw(measure_map, Path(storage) / "measure_map.html")
    return ExperimentResult(name, table_of(measure_map), tuple(notes_on(measure_map)))


def map_of(
    tasks: Sequence[MeasuredTask],
    *,
    random_state: RandomState = 0,
    say: Callable[[str], None] = print,
) -> MeasureMap:
    """The map, from values on tasks.

    Parameters
    ----------
    tasks : sequence of MeasuredTask
        Of at least three collections.
    """
    complete = [key for key in MEASURES if all(key in task.values for task in tasks)]
    voters = [key for key in complete if catalogue[key].compares_k]
    default = [key for key in voters if catalogue[key].default]
    by_default = Corpus(tasks, default)
    cuts = {str(n): best_cut(by_default, str(n)) for n in np.unique(by_default.collection)}
    apart = best_cut(by_default)
    consensus = {
        "measures by default": consensus_trial(by_default, cuts.__getitem__, say),
        "all that compare k": consensus_trial(Corpus(tasks, voters), cuts.__getitem__, say),
    }
    keys = [*complete, *(k for k in further_keys() if any(k in task.values for task in tasks))]
    whole = Corpus([_filled(task, keys) for task in tasks], keys)
    rho = whole.by_collection(whole.correlation)
    say("correlations of the measures are known")
    first = np.where(whole.present, whole.first, np.nan)
    comparing = [j for j, key in enumerate(keys) if catalogue[key].compares_k]
    together = _together(rho[:, comparing][:, :, comparing], apart, random_state)
    names = [keys[j] for j in comparing]
    return MeasureMap(
        pd.DataFrame(np.nan_to_num(np.nanmean(rho, axis=0)), index=keys, columns=keys),
        pd.DataFrame(together, index=names, columns=names),
        {
            group: _agreement(whole, whole.nearness, first, group)
            for group in DATA_GROUPS
            if whole.members(group).any()
        },
        apart,
        pd.Series([sum(key in task.values for task in tasks) for key in keys], index=keys),
        {
            "command": COMMAND,
            "tasks": len(tasks),
            "collections": len(np.unique(whole.collection)),
            "voters by default": default,
            "consensus": consensus,
        },
    )


def _filled(task: MeasuredTask, keys: Sequence[str]) -> MeasuredTask:
    """The task with NaN for measures that were not computed there."""
    from dataclasses import replace

    missing = np.full(len(task.truth), np.nan)
    return replace(task, values={key: task.values.get(key, missing) for key in keys})


def _together(rho: Floats, apart: float, random_state: RandomState) -> Floats:
    """Share of bootstraps over collections in which two measures are of one family."""
    rng = np.random.default_rng(random_state)
    total = np.zeros(rho.shape[1:])
    defined = ~np.isnan(rho)
    flat = np.where(defined, rho, 0).reshape(len(rho), -1)
    counted = defined.reshape(len(rho), -1).astype(np.float64)
    for _ in range(TREES):
        times = np.bincount(rng.integers(len(rho), size=len(rho)), minlength=len(rho))
        with np.errstate(invalid="ignore"):
            R = ((times @ flat) / (times @ counted)).reshape(total.shape)
        labels = cut(R, apart)
        total += labels[:, None] == labels
    return total / TREES


def _agreement(corpus: Corpus, nearness: Floats, first: Floats, group: str) -> pd.DataFrame:
    """A row per measure; without values where it has some on at most half of the collections."""
    rho = corpus.levelled(nearness, group)
    reached = corpus.levelled(first, group)
    rows = []
    for j in range(len(corpus.keys)):
        column = rho[:, j]
        n = int((~np.isnan(column)).sum())
        many = n > len(column) / 2
        mean, low, high = interval(column) if many else (np.nan, np.nan, np.nan)
        at_first = float(np.nanmean(reached[:, j])) if many else np.nan
        rows.append((mean, low, high, at_first, n))
    columns = ["rho", "low", "high", "first", "collections"]
    return pd.DataFrame(rows, index=list(corpus.keys), columns=columns)


# -- telling ---------------------------------------------------------------------------------------


def table_of(measure_map: MeasureMap) -> pd.DataFrame:
    """A row per measure, by families: correlation with the truth by kind of data."""
    families = measure_map.families(measure_map.together.index)
    home = {key: family for family, members in families.items() for key in members}
    rows = {}
    for key in [*home, *(key for key in measure_map.keys if key not in home)]:
        row = {"family": home.get(key, "improves with k"), "studies": int(measure_map.studies[key])}
        for group, table in measure_map.agreement.items():
            value, low, high = (float(table[name][key]) for name in ("rho", "low", "high"))
            row[group] = "–" if np.isnan(value) else f"{value:.2f} ({low:.2f}–{high:.2f})"
        rows[key] = row
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("measure")


def notes_on(measure_map: MeasureMap) -> list[str]:
    """Families, what says the same, and the trials on excluded collections."""
    about = measure_map.about
    notes = [
        f"{about['tasks']:,} tasks of {about['collections']} collections. Spearman's ρ of a "
        "measure's order of the candidates with that by the adjusted Rand index, mean over "
        f"collections with a 95 % bootstrap interval ({BOOTSTRAPS:,} draws of collections).",
        f"Families: average linkage of 1 − ρ, cut at {measure_map.apart:g}, which is best for the "
        "consensus of the measures that are computed by default.",
    ]
    for name, members in measure_map.families(measure_map.together.index).items():
        notes.append(f"{name}: {', '.join(members)}. {stability(measure_map, members)}")
    notes += fit_and_unfit(measure_map)
    notes += [
        f"The same (ρ > {SAME_CORRELATION}): {', '.join(group)}." for group in measure_map.same()
    ]
    for voters, table in about["consensus"].items():
        for way, row in table.items():
            correlations = ", ".join(
                f"{g} {v:.3f} ({a:.3f}–{b:.3f})" for g, (v, a, b) in row.items()
            )
            notes.append(f"consensus of {voters}, {way}: {correlations}.")
    return notes


def fit_and_unfit(measure_map: MeasureMap) -> list[str]:
    """For each kind of data the measures nearest to the truth, and those worse than none."""
    lines = []
    for group, table in measure_map.agreement.items():
        defined = table.dropna()
        nearest = [
            f"{catalogue[str(key)].title} ({defined['rho'][key]:.2f})"
            for key in defined["rho"].sort_values(ascending=False, kind="stable").index[:5]
        ]
        against = [catalogue[str(key)].title for key in defined.index[defined["high"] < 0]]
        unsure = int((defined["low"] <= 0).sum()) - len(against)
        line = (
            f"{group}: nearest to the truth are {', '.join(nearest)}. Of {len(defined)} measures "
            f"{int((defined['low'] > 0).sum())} have an interval above 0, {unsure} one around 0"
        )
        if against:
            line += f", and {len(against)} one below 0: {', '.join(against)}"
        lines.append(line + ".")
    return lines


def stability(measure_map: MeasureMap, members: Sequence[str]) -> str:
    """Frequency with which the measures of a family stay together in the bootstraps."""
    inside = measure_map.together.loc[list(members), list(members)].to_numpy()
    if len(members) == 1:
        others = measure_map.together.loc[members[0]].drop(members[0])
        return f"Alone in {100 * (1 - others.max()):.0f} % of bootstraps at least."
    pairs = inside[np.triu_indices(len(inside), 1)]
    return (
        f"Two of them stay together in {100 * pairs.mean():.0f} % of bootstraps, the loosest two "
        f"in {100 * pairs.min():.0f} %."
    )


def _draw(measure_map: MeasureMap, path: Path) -> None:
    """Write the map as an HTML page."""
    from sortal.plot import agreement

    figure = agreement(measure_map.rho, symbol="ρ").to_html(full_html=False)
    write_output(path, f"<!doctype html><meta charset=utf-8>{figure}", overwrite=True)
