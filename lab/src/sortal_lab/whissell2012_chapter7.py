"""whissell2012 chapter 7: e-mails filtered after a few labels (tables 7.2 to 7.5, figures)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal_lab import ExperimentResult
from sortal_lab.journal import Journal
from sortal_lab.whissell2012_chapter7_mails import (
    CLUSTERERS,
    FEW,
    KS,
    MAILS,
    MEASURES,
    SPENT,
    TRAINED,
    row_of,
)

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    from numpy.typing import NDArray

    from sortal.typing import Floats


SAMPLES = 20
SHOWN = (2, 5, 10, 25, 50)
METHODS = ("CMSF", "FCSF")
#: table 7.2; random: the share of the larger class
PUBLISHED_PURITY = {
    "TREC2005": {
        "K-means": (0.848, 0.854, 0.855, 0.905, 0.921),
        "RBK-means": (0.848, 0.860, 0.910, 0.949, 0.949),
        "Spect-RW": (0.850, 0.877, 0.930, 0.940, 0.940),
        "PCA-K": (0.853, 0.863, 0.895, 0.951, 0.959),
        "UPGMA": (0.835, 0.923, 0.950, 0.960, 0.967),
        "random": (0.572,) * 5,
    },
    "CEAS2008": {
        "K-means": (0.832, 0.897, 0.947, 0.966, 0.961),
        "RBK-means": (0.803, 0.933, 0.973, 0.976, 0.979),
        "Spect-RW": (0.817, 0.928, 0.971, 0.971, 0.961),
        "PCA-K": (0.821, 0.870, 0.938, 0.966, 0.980),
        "UPGMA": (0.803, 0.978, 0.979, 0.983, 0.986),
        "random": (0.803,) * 5,
    },
}
#: pages 169 and 174: random labels are so much worse, in %, on TREC2005 and CEAS2008
PUBLISHED_WORSE = {"CMSF": (65, 81), "FCSF": (95, 397)}
#: tables 7.3 and 7.4 (pp. 169 and 172): what stands above the diagonal, row by row. That by FCSF
#: C-Index is better than B/W on CEAS2008 is printed there; the text (p. 173) denies it
PUBLISHED_SIGNS = {
    "TREC2005": {"CMSF": ">> >> > >> - - - - - -", "FCSF": ">> >> >> >> - - - - - -"},
    "CEAS2008": {"CMSF": ">> >> >> - - << << << << -", "FCSF": ">> >> - - << << << << << -"},
}
#: table 7.5 (p. 174): the better method by each measure
PUBLISHED_BETTER = {
    "TREC2005": ("FCSF", "CMSF", "CMSF", "CMSF", "CMSF"),
    "CEAS2008": ("FCSF",) * 5,
}
#: the corpus of the thesis that a collection here is set beside
BESIDE = dict(zip(MAILS, ("TREC2005", "CEAS2008", "CEAS2008"), strict=True))
_SETS = (
    "The thesis's TREC 2005 and CEAS 2008 corpora cannot be had: its columns are for orientation. "
    "Here: samples of about {size:,} e-mails of each collection, 4-byte-grams of the first 2,500 "
    "bytes of body and of the header fields that the sender wrote, in 20 e-mails of the sample or "
    "more. k-means by 5 random starts. Logistic regression is scikit-learn's, where the thesis "
    "has one of its own."
)
_SPLIT: dict[str, tuple[str, ...]] = {
    "whissell2012-table7.3": (MAILS[0],),
    "whissell2012-table7.4": MAILS[1:],
}


def run(
    *,
    name: str,
    samples: int | None = None,
    random_state: int | None = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """A table or a figure of chapter 7; all of them share their samples.

    ``samples``: samples of each collection, 20 by default (10 in the thesis); 0 for one of half
    the e-mails.
    """
    seed, count = int(random_state or 0), SAMPLES if samples is None else max(samples, 1)
    size = FEW if samples == 0 else TRAINED
    tables = _samples(count, size, seed, storage, progress)
    sets = _SETS.format(size=size)
    if name.endswith("table7.2"):
        return ExperimentResult(name, _purities(tables), (sets, *_errors_of(count)))
    if name in _SPLIT:
        return ExperimentResult(name, _measures_compared(tables, _SPLIT[name]), (sets, _TESTED))
    if name.endswith("table7.5"):
        return ExperimentResult(name, _methods_compared(tables), (sets, _TESTED))
    if name.endswith("figure7.4"):
        return ExperimentResult(name, _spent_table(tables), (sets, _GAIN))
    return ExperimentResult(name, _gains(tables), (sets, _GAIN, *_claims(tables)))


def _samples(
    count: int,
    size: int,
    seed: int,
    storage: str | Path | None,
    progress: Callable[[str], None] | None,
) -> dict[str, pd.DataFrame]:
    """Rows of the samples of each collection."""
    import pandas as pd

    few = "" if size == TRAINED else f", {size} e-mails"
    journal = Journal(storage, f"chapter 7, random_state {seed}{few}")
    rows: dict[str, list[dict[str, float]]] = {name: [] for name in MAILS}
    for sample in range(count):
        for name in MAILS:
            row = journal.get((name, str(sample)))
            if row is None:
                row = row_of(name, sample, seed, size)
                journal.put((name, str(sample)), row)
                if progress is not None:
                    progress(f"{name}: sample {sample + 1} of {count}")
            rows[name].append(row)
    return {name: pd.DataFrame(rows_of_name) for name, rows_of_name in rows.items()}


def _errors_of(count: int) -> tuple[str, ...]:
    """Note on the intervals."""
    if count == 1:
        return ("One sample, so that no error is known.",)
    return (f"Means over {count} samples; ±: half width of the 95 % interval by t.",)


def _half_width(values: Floats) -> float:
    """Half width of the 95 % interval of a mean."""
    from scipy import stats

    n = len(values)
    if n < 2:
        return float("nan")
    return float(stats.t.ppf(0.975, n - 1) * values.std(ddof=1) / np.sqrt(n))


def _purities(samples: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Purities of the clusterings beside the published ones."""
    import pandas as pd

    rows = []
    for name, table in samples.items():
        for clusterer in (*CLUSTERERS, "random"):
            for k, published in zip(SHOWN, PUBLISHED_PURITY[BESIDE[name]][clusterer], strict=True):
                key = "purity random" if clusterer == "random" else f"purity {clusterer} {k}"
                values = table[key].to_numpy()
                rows.append(
                    {"collection": name, "clusterer": clusterer, "k": f"k = {k}"}
                    | {"sortal": values.mean(), "±": _half_width(values)}
                    | {"published": published, "corpus": BESIDE[name]}
                )
    return pd.DataFrame(rows)


# -- gains over random labels ------------------------------------------------------------------

_GAIN = (
    "Gain: ln(s/b), s and b the mean (1 − AUC)% over the samples of filters trained on random "
    "labels and by the method; above 0 the method is better. Intervals of 95 % by a bootstrap of "
    "the samples (2,000), of a single sample none."
)
_TESTED = (
    "p: Wilcoxon signed-rank test of the gains paired over k = 2..50, as in the thesis; these "
    "share their samples, so that it is smaller than it should be. Beside it the difference of "
    "the mean gains and its 95 % interval by a bootstrap of the samples (2,000), of a single "
    "sample none."
)


def _resampled(count: int) -> NDArray[np.int64]:
    """Rows: all samples in order, then resamples of them; none of a single one."""
    if count == 1:
        return np.zeros((1, 1), dtype=np.int64)
    rng = np.random.default_rng(0)
    return np.vstack([np.arange(count), rng.integers(0, count, (2000, count))])


def _gain(table: pd.DataFrame, column: str, ks: Any = KS) -> Floats:
    """ln(s/b) for all samples (first row) and for resamples of them; a column for each k."""
    draws = _resampled(len(table))
    columns = []
    for k in ks:
        s = table[f"random {k}"].to_numpy()[draws].mean(axis=1)
        b = table[f"{column} {k}"].to_numpy()[draws].mean(axis=1)
        # a perfect filter in every sample is as good as one wrong pair in 10^6
        columns.append(np.log(np.maximum(s, 1e-4) / np.maximum(b, 1e-4)))
    return np.column_stack(columns)


def _interval(values: Floats) -> tuple[float, float]:
    """Interval from a value for all samples and for each resample; NaN without resamples."""
    if len(values) == 1:
        return math.nan, math.nan
    low, high = np.quantile(values[1:], (0.025, 0.975))
    return float(low), float(high)


def _worded(values: Floats, form: str = ".2f", unit: str = "") -> str:
    """Value in words, with its interval if there is one."""
    low, high = _interval(values)
    text = f"{values[0]:{form}}{unit}"
    return text if math.isnan(low) else f"{text} ({low:{form}} to {high:{form}})"


def _gains(samples: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Gains of the methods by measure."""
    import pandas as pd

    rows = []
    for name, table in samples.items():
        for method in METHODS:
            for key, title in MEASURES.items():
                gains = _gain(table, f"{method} {key}")
                row: dict[str, Any] = {"collection": name, "method": method, "measure": title}
                row |= {f"k={k}": _worded(gains[:, k - KS[0]]) for k in SHOWN}
                worse = 100 * (np.exp(gains) - 1).mean(axis=1)
                row["random worse by"] = _worded(worse, ".0f", " %")
                row["k with gain"] = f"{int((gains[0] > 0).sum())} of {len(KS)}"
                rows.append(row)
    return pd.DataFrame(rows)


def _claims(samples: dict[str, pd.DataFrame]) -> tuple[str, ...]:
    """Statements of the thesis about its figures, for ours."""
    notes = []
    for method in METHODS:
        parts = []
        for name, table in samples.items():
            worse = np.mean(
                [100 * (np.exp(_gain(table, f"{method} {m}")) - 1).mean(axis=1) for m in MEASURES],
                axis=0,
            )
            parts.append(f"{name} {_worded(worse, '.0f', ' %')}")
        trec, ceas = PUBLISHED_WORSE[method]
        notes.append(
            f"Random labels are worse than {method}, over all measures, by: {'; '.join(parts)} "
            f"(published: TREC2005 {trec} %, CEAS2008 {ceas} %)."
        )
    parts = []
    for name, table in samples.items():
        last = _gain(table, "FCSF informativeness", (50,))[:, 0]
        errors = table["errors 32"].to_numpy()
        half = f" ± {_half_width(errors):.1f}" if len(errors) > 1 else ""
        parts.append(
            f"{name}: {_worded(last)}, {errors.mean():.1f}{half} % misclassified at k = 32"
        )
    notes.append(
        "FCSF by informativeness with 50 labels, gain over random labels: "
        + "; ".join(parts)
        + " (published: about 2 % misclassified at k = 32 on CEAS2008)."
    )
    return tuple(notes)


# -- measures and methods compared -------------------------------------------------------------


def _compared(first: Floats, second: Floats) -> dict[str, Any]:
    """Wilcoxon's test over k, the mean difference and its interval over samples."""
    from scipy import stats

    low, high = _interval((first - second).mean(axis=1))
    same = np.array_equal(first[0], second[0])
    p = 1.0 if same else float(stats.wilcoxon(first[0], second[0]).pvalue)
    difference = float((first[0] - second[0]).mean())
    sign = "-" if p >= 0.05 or difference == 0 else ">" if difference > 0 else "<"
    return {
        "sign": sign * (2 if p < 0.005 and sign != "-" else 1),
        "p": p,
        "difference": difference,
        "low": low,
        "high": high,
    }


def _measures_compared(samples: dict[str, pd.DataFrame], names: tuple[str, ...]) -> pd.DataFrame:
    """Pairs of measures compared by the gains of each method."""
    import pandas as pd

    rows = []
    for name in names:
        for method in METHODS:
            signs = iter(PUBLISHED_SIGNS[BESIDE[name]][method].split())
            gains = {key: _gain(samples[name], f"{method} {key}") for key in MEASURES}
            for i, first in enumerate(MEASURES):
                for second in list(MEASURES)[i + 1 :]:
                    rows.append(
                        {
                            "collection": name,
                            "method": method,
                            "one": MEASURES[first],
                            "other": MEASURES[second],
                        }
                        | _compared(gains[first], gains[second])
                        | {"published": next(signs), "corpus": BESIDE[name]}
                    )
    return pd.DataFrame(rows)


def _methods_compared(samples: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """The two methods compared by measure."""
    import pandas as pd

    rows = []
    for name, table in samples.items():
        printed = PUBLISHED_BETTER[BESIDE[name]]
        for (key, title), published in zip(MEASURES.items(), printed, strict=True):
            result = _compared(_gain(table, f"FCSF {key}"), _gain(table, f"CMSF {key}"))
            better = {"<": "CMSF", ">": "FCSF"}.get(result.pop("sign")[0], "-")
            row = {"collection": name, "measure": title, "better": better} | result
            rows.append(row | {"published": published, "corpus": BESIDE[name]})
    return pd.DataFrame(rows)


def _spent_table(samples: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Gains of the methods by informativeness, and of other ways to spend the labels."""
    import pandas as pd

    ways = {f"{method} informativeness": method for method in METHODS} | {w: w for w in SPENT}
    rows = []
    for name, table in samples.items():
        for column, title in ways.items():
            row: dict[str, Any] = {"collection": name, "method": title}
            for k in range(6, max(KS) + 1, 6):
                row[f"k={k}"] = _worded(_gain(table, column, (k,))[:, 0])
            rows.append(row)
    return pd.DataFrame(rows)
