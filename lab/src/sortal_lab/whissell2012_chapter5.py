"""whissell2012 chapter 5: what weights of terms do to seventeen clusterers of documents."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.bench import average_ranks, compare_methods, mean_interval, rank_agreement
from sortal_lab import ExperimentResult, whissell2012_chapter5_figures
from sortal_lab import whissell2012_tables as published
from sortal_lab.whissell2012_chapter5_overall import overall_notes, overall_rows
from sortal_lab.whissell2012_chapter5_race import (
    CHOSE_K1,
    CLUTO,
    FRESH,
    MEASURES,
    ON_IDF,
    SATURATED,
    SETS,
    TESTED,
    cells,
    of_scale,
    scale,
)

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt
    import pandas as pd


#: the weights that a table compares, the first of them with the second
COMPARED = {
    "5.3": ("tf-idf", "tf"),
    "5.4": ("tf-idf", "tf"),
    "5.5": ("tf-idf", "tf"),
    "5.6": ("tf",),
    "5.7": ("tf-idf",),
    "5.8": ("tf", "tf-idf"),
    "5.9": ("binary", "tf"),
    "5.10": ("bm25-tf", "tf"),
    "5.11": ("bm25-tf-idf", "tf-idf"),
    "5.12": ("bm25-tf", "tf"),
    "5.13": ("bm25-tf-idf", "tf-idf"),
    "5.14": ("bm25-tf-idf", "bm25-tf"),
}
#: another reading of a weight, tried because the thesis' figures do not fit its formula
READINGS = {"bm25-tf-idf": SATURATED}
#: the tables of BM25, whose k1 the thesis tested on the collections that it was not chosen on
OF_BM25 = ("5.10", "5.11", "5.12", "5.13", "5.14")
FRESH_PAIRS = (("tf-idf", "tf"), ("bm25-tf-idf", "tf-idf"))
ON_IDF_NOTE = (
    f"'{ON_IDF.strip()}': the toolkit of RB, Direct and Agglo scales the columns of sparse data by "
    "idf unless it is told not to, and then the rows to length 1; the thesis does not say what it "
    "was told."
)
#: a ranking of the clusterers that the author wrote himself
WITHOUT_TOOLKIT = "without the toolkit's six"
#: draws of the collections for the chance of a ranking
CHANCE_DRAWS = 999
TABLE, FIGURE, FRESH_NAME = (
    "whissell2012-table",
    "whissell2012-figure",
    "whissell2012-chapter5-fresh",
)


def run(
    *,
    name: str,
    samples: int | None = None,
    random_state: int | None = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """A table or a figure of chapter 5, or its questions on fresh collections.

    ``samples``: three times as many numbers of clusters of 2..30, and five times as many
    starts. By default all numbers, and 20 starts. 0 is the quick look: one number, one start,
    two collections.

    Returns our figures beside the published ones, with intervals over the collections.
    """
    seed = int(random_state or 0)
    if name == FIGURE + "5.1":
        return whissell2012_chapter5_figures.neighbours(name, storage, progress)
    if name == FIGURE + "5.2":
        return whissell2012_chapter5_figures.saturation(name, samples, storage, progress)
    if name == FRESH_NAME:
        return _fresh(samples, seed, storage, progress)
    number = name.removeprefix(TABLE)
    weights = COMPARED[number]
    # the quick look has two collections, and one of them chose k1
    sets = TESTED if number in OF_BM25 and samples != 0 else SETS
    compared = list(dict.fromkeys(weight for pair in _pairs(weights) for weight in pair))
    scores = cells(
        of_scale(sets, samples), compared, samples, seed, storage, progress,
        on_idf=number in published.BY_ALGORITHM or number in published.RANKINGS,
    )  # fmt: skip
    if number in published.BEST:
        table, notes = _best(scores, number, weights)
    elif number in published.BY_COLLECTION:
        table, notes = _by_collection(scores, number, weights)
    elif number in published.BY_ALGORITHM:
        table, notes = _by_algorithm(scores, number, weights)
    elif number == "5.8":
        table, notes = _taus(scores, seed)
    else:
        table, notes = _rankings(scores, number, weights[0], seed, like=samples != 0)
    return ExperimentResult(name, table, (*notes, *_setting(scores, samples, weights)))


def _setting(scores: pd.DataFrame, samples: int | None, weights: Sequence[str]) -> list[str]:
    """Notes on the setting of the experiment."""
    starts, ks = scale(samples)
    notes = [
        f"Means over k = {', '.join(map(str, ks)) if len(ks) < 29 else '2..30'}; best of {starts} "
        "starts by the clusterer's own objective (at most 10 for the criteria, a fifth of them for "
        "NC-NMF). Intervals are of 95 %, over the collections. new3 cannot be had; fbis is its "
        "first 2,000 documents, as in the thesis."
    ]
    if any("bm25" in weight for weight in weights):
        notes.append(
            f"k1 = 20 was chosen on {' and '.join(CHOSE_K1)} by the thesis, which tested on the "
            "others."
        )
    empty = scores[scores.isna().any(axis=1)]
    if len(empty):
        keys = ", ".join(" ".join(map(str, key)) for key in empty.index)
        notes.append(f"Some fits failed, so these have no value: {keys}.")
    return notes


def _change(values: npt.ArrayLike, baseline: npt.ArrayLike) -> dict[str, Any]:
    """Mean change in % from the second to the first of each pair, with its interval."""
    change = 100 * (np.asarray(values) / np.asarray(baseline) - 1)
    change = change[~np.isnan(change)]
    low, high = mean_interval(change)
    return {
        "change": float(change.mean()),
        "±": (high - low) / 2,
        "least": float(change.min()),
        "most": float(change.max()),
        "better on": int((change > 0).sum()),
    }


def _wide(scores: pd.DataFrame, weight: str, measure: str) -> pd.DataFrame:
    """The scores of the algorithms that have one on every collection: (sets, algorithms)."""
    of_weight: Any = scores.loc[weight]
    wide = of_weight[measure].unstack("algorithm", sort=False)
    return wide.dropna(axis=1)


def _sets(scores: pd.DataFrame) -> tuple[str, ...]:
    """The collections that were run."""
    return tuple(map(str, scores.index.unique("set")))


# -- the tables --------------------------------------------------------------------------------


def _pairs(weights: Sequence[str]) -> list[Sequence[str]]:
    """The weights that are compared: as in the thesis' formula, and in another reading of it."""
    read = [READINGS.get(weight, weight) for weight in weights]
    return [weights] if read == list(weights) else [weights, read]


def _by_collection(
    scores: pd.DataFrame, number: str, weights: Sequence[str]
) -> tuple[Any, list[str]]:
    """Changes by collection, with notes."""
    import pandas as pd

    rows: list[dict[str, Any]] = []
    for pair in _pairs(weights):
        beside = published.BY_COLLECTION[number] if pair == weights else {}
        for which in [*_sets(scores), "overall"]:
            row: dict[str, Any] = {"collection": which, "to": pair[0]}
            for i, measure in enumerate(MEASURES):
                second, first = (_wide(scores, w, measure).mean(axis=1) for w in pair)
                title = f"{measure} change"
                if which == "overall":
                    change = _change(second, first)
                    row |= {title: change["change"], f"{title} ±": change["±"]}
                else:
                    row[title] = 100 * (second[which] / first[which] - 1)
                row[f"{title} published"] = beside[which][i] if which in beside else math.nan
            rows.append(row)
    printed = published.BY_COLLECTION[number]
    notes = [f"Change in % from {weights[1]} of the mean over the algorithms. {_reading(weights)}"]
    for to, _ in _pairs(weights):
        shared = [
            r for r in rows if r["to"] == to and r["collection"] in set(printed) - {"overall"}
        ]
        means = (
            f"{m} {np.mean([r[f'{m} change'] for r in shared]):.1f} (published "
            f"{np.mean([printed[r['collection']][i] for r in shared]):.1f})"
            for i, m in enumerate(MEASURES)
        )
        notes.append(
            f"Means over the {len(shared)} collections that both have, with {to}: "
            f"{', '.join(means)}."
        )
    return pd.DataFrame(rows), notes


def _reading(weights: Sequence[str]) -> str:
    """What is known of the weights of the published figures."""
    if weights[0] not in READINGS:
        return ""
    return (
        f"'{READINGS[weights[0]]}' is BM25 of the tf-idf weights instead of formula 5.9, which is "
        "BM25 of the counts times idf. It was tried because idf seems to count less in the "
        "published figures than in the formula. It was found on re0, tr45 and wap with ten "
        "clusterers; re1 and tr41 are the check, and re1 speaks against it."
    )


def _by_algorithm(
    scores: pd.DataFrame, number: str, weights: Sequence[str]
) -> tuple[Any, list[str]]:
    """Changes by algorithm, with notes; in other readings the published figure repeats."""
    import pandas as pd

    printed = published.BY_ALGORITHM[number]
    rows = []
    for pair in _pairs(weights):
        for i, measure in enumerate(MEASURES):
            second, first = (_wide(scores, weight, measure) for weight in pair)
            for algorithm in second.columns.intersection(first.columns, sort=False):
                rows.append(
                    {"algorithm": algorithm, "measure": measure, "to": pair[0]}
                    | _change(second[algorithm], first[algorithm])
                    | {
                        "published": printed[algorithm.removesuffix(ON_IDF)][i],
                        "repeats": pair != weights or algorithm.endswith(ON_IDF),
                    }
                )
    table = pd.DataFrame(rows)
    counted = table[~table["repeats"]]
    inside = (counted["change"] - counted["published"]).abs() <= counted["±"]
    clear = counted["change"].abs() > counted["±"]
    agree = np.sign(counted["change"]) == np.sign(counted["published"])
    notes = [
        f"Change in % from {weights[1]} to {weights[0]}: the mean over {len(_sets(scores))} "
        f"collections, which are paired. {_reading(weights)}",
        f"{int(inside.sum())} of {len(counted)} published means lie within our interval; "
        f"{int(clear.sum())} of our intervals exclude 0, and of these {int((clear & agree).sum())} "
        "have the published sign.",
        ON_IDF_NOTE,
    ]
    together = overall_rows(table, number)
    table = pd.DataFrame([*rows, *({"to": weights[0]} | row for row in together)])
    return table, [*notes, *overall_notes(together, number)]


def _best(all_scores: pd.DataFrame, number: str, weights: Sequence[str]) -> tuple[Any, list[str]]:
    """Best algorithm of each collection beside the published one, with notes."""
    import pandas as pd

    rows = []
    for measure, printed in published.BEST[number].items():
        for position, weight in enumerate((weights[1], weights[0])):
            scores = _wide(all_scores, weight, measure)
            for which in _sets(all_scores):
                algorithm, value = (printed[which][:2], printed[which][2:])[position]
                values = scores.loc[[which]].to_numpy(dtype=float)[0].tolist()
                ours = dict(zip(map(str, scores.columns), values, strict=True))
                best = max(ours, key=lambda name: ours[name])
                rows.append(
                    {
                        "measure": measure,
                        "collection": which,
                        "weight": weight,
                        "best": best,
                        "ours": ours[best],
                        "published best": algorithm,
                        "published": value,
                        "difference": ours[best] - value,
                        "its score here": ours.get(algorithm, math.nan),
                        # table 5.4 has those of tf too
                        "repeats": number == "5.9" and weight == "tf",
                    }
                )
    table = pd.DataFrame(rows)
    same = int((table["best"] == table["published best"]).sum())
    far = table[table["difference"].abs() > 0.05]
    notes = [
        f"The best algorithm is the published one in {same} of {len(table)} cells; the best value "
        f"differs by {table['difference'].abs().mean():.3f} on average (ours less the published "
        f"{table['difference'].mean():+.3f}), by more than 0.05 in {len(far)}"
        + (": " if len(far) else ".")
        + ", ".join(f"{r['measure']} {r['collection']} {r['weight']}" for _, r in far.iterrows()),
    ]
    return table, notes


def _rankings(
    all_scores: pd.DataFrame, number: str, weight: str, seed: int, *, like: bool
) -> tuple[Any, list[str]]:
    """Rankings of the algorithms beside the published ones, with notes.

    A ranking is one figure. ``like``: ours are of enough fits to be beside the published ones.
    """
    import pandas as pd

    rows = []
    for reading in ("", ON_IDF.strip(), WITHOUT_TOOLKIT):
        for measure in MEASURES:
            scores = _wide(all_scores, weight, measure)
            if reading == ON_IDF.strip():
                scores = _of_toolkit(scores)
            else:
                scores = scores.drop(columns=_on_idf(scores))
            if reading == WITHOUT_TOOLKIT:
                scores = scores.drop(columns=list(CLUTO), errors="ignore")
            ranks = average_ranks(scores)
            printed = [a for a in published.RANKINGS[number][measure] if a in scores.columns]
            tau = rank_agreement(
                {measure: scores}, published={"published": printed}, random_state=seed
            ).iloc[0]
            row = {"measure": measure, "reading": reading, "published": ", ".join(printed)}
            row |= {"ours": ", ".join(f"{name} {rank:.1f}" for name, rank in ranks.items())}
            row |= {"tau": tau["tau"], "low": tau["low"], "high": tau["high"]}
            chance = _chance_of_ranking(scores, printed, seed)
            rows.append(row | {"p": chance, "repeats": bool(reading), "like": like})
    table = pd.DataFrame(rows)
    table.loc[~table.pop("like"), "published"] = ""
    return table, [
        "Ours are average ranks over the collections, the published are places. 'tau' is Kendall's "
        "τ between the two.",
        "'p' is how often a ranking by as many collections, drawn with replacement, is as far from "
        f"ours as the published one: {CHANCE_DRAWS} draws.",
        ON_IDF_NOTE,
        f"'{WITHOUT_TOOLKIT}': the other eleven alone, in both rankings.",
    ]


def _on_idf(scores: pd.DataFrame) -> list[str]:
    """Columns of the toolkit's algorithms on columns scaled by idf."""
    return [str(name) for name in scores.columns if str(name).endswith(ON_IDF)]


def _of_toolkit(scores: pd.DataFrame) -> pd.DataFrame:
    """Scores with the toolkit's algorithms on columns scaled by idf in place of the others."""
    scaled = _on_idf(scores)
    plain = [name.removesuffix(ON_IDF) for name in scaled]
    own = scores[scaled].set_axis(plain, axis=1)
    return scores.drop(columns=scaled).assign(**{name: own[name] for name in plain})


def _chance_of_ranking(scores: pd.DataFrame, printed: Sequence[str], seed: int) -> float:
    """Chance that a ranking by as many sets drawn anew is as far from ours as a printed one."""
    from scipy.stats import kendalltau

    ranks = scores.rank(axis=1, ascending=False).to_numpy()
    ours = ranks.mean(axis=0)
    places = [printed.index(str(name)) for name in scores.columns]
    seen = kendalltau(ours, places).statistic
    draws = np.random.default_rng(seed).integers(len(ranks), size=(CHANCE_DRAWS, len(ranks)))
    i, j = np.triu_indices(len(ours), 1)
    drawn = ranks[draws].mean(axis=1)
    one, other = np.sign(ours[i] - ours[j]), np.sign(drawn[:, i] - drawn[:, j])
    with np.errstate(invalid="ignore"):  # a draw in which all are level has no tau
        taus = other @ one / np.sqrt((one**2).sum() * (other**2).sum(axis=1))
    return float((1 + (taus <= seen + 1e-12).sum()) / (1 + CHANCE_DRAWS))


def _taus(all_scores: pd.DataFrame, seed: int) -> tuple[Any, list[str]]:
    """Agreement of the measures' rankings beside the published one, with notes."""
    scores = {
        f"{weight} {measure}": _wide(all_scores, weight, measure)
        for weight in ("tf", "tf-idf")
        for measure in MEASURES
    }
    shared = set.intersection(*(set(wide.columns) for wide in scores.values()))
    scores = {key: wide[[a for a in wide.columns if a in shared]] for key, wide in scores.items()}
    table = rank_agreement(scores, random_state=seed)[["one", "other", "tau", "low", "high"]]
    printed = [
        published.TAUS[first, second] for first, second in table[["one", "other"]].to_numpy()
    ]
    # these are tau of the printed rankings of tables 5.6 and 5.7, where they are counted
    table = table.assign(published=printed, repeats=True)
    inside = int(
        ((table["low"] <= table["published"]) & (table["published"] <= table["high"])).sum()
    )
    with_fq = table["one"].str.contains("FQ") != table["other"].str.contains("FQ")
    wide, published_means = (table.groupby(with_fq)[c].mean() for c in ("tau", "published"))
    return table, [
        "The published τ are exactly those of the printed rankings of tables 5.6 and 5.7, so they "
        "are counted there.",
        f"{inside} of {len(table)} published τ lie within our interval (collections drawn with "
        "replacement).",
        "The thesis: FQ stands apart. τ of FQ with another measure is "
        f"{wide[True]:.2f} on average here (published {published_means[True]:.2f}), of the others "
        f"{wide[False]:.2f} ({published_means[False]:.2f}).",
    ]


# -- fresh collections -------------------------------------------------------------------------


def _fresh(
    samples: int | None,
    seed: int,
    storage: str | Path | None,
    progress: Callable[[str], None] | None,
) -> ExperimentResult:
    """Effect of BM25, ranking of clusterers, and agreement of fresh with first collections."""
    import pandas as pd

    weights = list(dict.fromkeys(w for pair in FRESH_PAIRS for w in pair))
    first = cells(of_scale(SETS, samples), weights, samples, seed, storage, progress)
    fresh = cells(of_scale(FRESH, samples), weights, samples, seed, storage, progress)
    rows = []
    for pair in FRESH_PAIRS:
        for measure in MEASURES:
            tables = [[_wide(of_pair, w, measure) for w in pair] for of_pair in (first, fresh)]
            for algorithm in tables[1][0].columns:
                row: dict[str, Any] = {
                    "from": pair[1], "to": pair[0], "measure": measure, "algorithm": algorithm,
                }  # fmt: skip
                for title, (scores, baseline) in zip(("first", "fresh"), tables, strict=True):
                    change = _change(scores[algorithm], baseline[algorithm])
                    row |= {title: change["change"], f"{title} ±": change["±"]}
                rows.append(row)
    table = pd.DataFrame(rows)
    notes = []
    for pair in FRESH_PAIRS:
        of_pair = table[(table["to"] == pair[0]) & (table["measure"] == "NMI")]
        mean = [_wide(fresh, w, "NMI").mean(axis=1) for w in pair]
        change = _change(*mean)
        up = of_pair[of_pair["fresh"] > of_pair["fresh ±"]]["algorithm"]
        notes.append(
            f"{pair[0]} over {pair[1]} by NMI on fresh collections: {change['change']:+.1f} % ± "
            f"{change['±']:.1f} on average over the algorithms, better on {change['better on']} of "
            f"{len(mean[0])}; the interval of {len(up)} of {len(of_pair)} algorithms is above 0"
            + (f" ({', '.join(up)})." if len(up) else ".")
        )
    for measure in MEASURES:
        scores = _wide(fresh, "tf-idf", measure)
        compared = compare_methods(scores)
        before = average_ranks(_wide(first, "tf-idf", measure)[scores.columns])
        ways = {"the ranking on the first collections": list(before.index)}
        ways["the published ranking"] = [
            a for a in published.RANKINGS["5.7"][measure] if a in scores.columns
        ]
        taus = rank_agreement({measure: scores}, published=ways, random_state=seed)
        comparisons_text = "; ".join(
            f"τ with {r['other']} {r['tau']:.2f} ({r['low']:.2f} to {r['high']:.2f})"
            for _, r in taus.iterrows()
        )
        ranks = compared.ranks
        notes.append(
            f"By {measure} with tf-idf the best average ranks are "
            + ", ".join(f"{a} {ranks[a]:.1f}" for a in ranks.index[:4])
            + f" (critical difference {compared.critical_difference:.1f}); {comparisons_text}."
        )
    notes += _setting(fresh, samples, weights)
    notes.append(
        f"first: {', '.join(_sets(first))}; fresh: {', '.join(_sets(fresh))}, of each 1,000 "
        "documents at random. Changes in %, means over the collections, paired."
    )
    return ExperimentResult(FRESH_NAME, table, tuple(notes))
