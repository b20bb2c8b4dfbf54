"""Table 6.1 of whissell2012 with Weka's own classifiers, on the same clusterings and folds as ours.

The thesis took Weka's nearest neighbours (IBk), support vector machine (SMO) and decision tree
(J48). Weka is in no package of Python: ``WEKA_JAR`` names its file, and JPype calls it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal import InputError
from sortal_lab import ExperimentResult
from sortal_lab.java import with_jar
from sortal_lab.whissell2012_chapter6 import informativeness_of, predictions_of
from sortal_lab.whissell2012_chapter6_readings import (
    LESS_NOISE,
    NMI,
    inside,
    less_noisy,
    rows_of,
)
from sortal_lab.whissell2012_chapter6_samples import ClusteredSample, KeptParts, keeping, sample_of

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

    from sortal.typing import RandomState

WEKA_JAR = "WEKA_JAR"
ALL, FAST = "Weka's three", "Weka's neighbours and tree"
LESS = f"{FAST}, {LESS_NOISE}"
#: samples by reading and data set: more where figures move, and few of the support vector machine,
#: which takes a quarter of an hour for one
SAMPLES = {
    FAST: {"2GAUSS": 10, "6GAUSS": 3, "ELONGATED": 10, "CUBE": 3, "RINGS": 3},
    LESS: {"ELONGATED": 5},
    ALL: {"2GAUSS": 1, "ELONGATED": 1},
}
REPLACED = {FAST: ("5nn", "tree"), LESS: ("5nn", "tree"), ALL: ("5nn", "svm", "tree")}
#: its classes and options, by the name of ours
CLASSES = {
    "5nn": ("weka.classifiers.lazy.IBk", "-K 5"),
    "svm": ("weka.classifiers.functions.SMO", ""),
    "tree": ("weka.classifiers.trees.J48", ""),
}


@dataclass(frozen=True)
class WekaClassifier:
    """A classifier of Weka with its default options, but for five neighbours."""

    #: of ours
    name: str

    def out_of_fold(self, task: Any) -> NDArray[np.int32]:
        """Predicted codes (M, n), each object by a classifier trained without it."""
        assert task.folds is not None
        X = np.asarray(task.X, dtype=np.float64)
        out = np.empty(task.codes.shape, dtype=np.int32)
        for codes, k, folds, row in zip(task.codes, task.n_clusters, task.folds, out, strict=True):
            everything = _instances(X, codes, int(k))
            each = [everything.instance(i) for i in range(len(X))]
            for fold in range(int(folds.max()) + 1):
                model = self._trained(everything, [each[i] for i in np.flatnonzero(folds != fold)])
                for i in np.flatnonzero(folds == fold):
                    row[i] = int(model.classifyInstance(each[i]))
        return out

    def _trained(self, everything: Any, part: list[Any]) -> Any:
        """A new classifier, trained on some instances."""
        weka = _weka()
        name, options = CLASSES[self.name]
        data = weka.core.Instances(everything, len(part))
        for instance in part:
            data.add(instance)
        model = _jpype().JClass(name)()
        model.setOptions(weka.core.Utils.splitOptions(options))
        model.buildClassifier(data)
        return model


def is_there() -> bool:
    """Whether Weka and JPype are installed."""
    return Path(os.environ.get(WEKA_JAR, "")).is_file() and find_spec("jpype") is not None


def _jpype() -> Any:
    """JPype with Weka in its virtual machine."""
    return with_jar(os.environ[WEKA_JAR])


def _weka() -> Any:
    """Weka's packages."""
    return _jpype().JPackage("weka")


def _instances(X: NDArray[np.float64], codes: NDArray[np.int32], k: int) -> Any:
    """Weka's table of the objects with their clusters as classes."""
    lines = ["@relation clustering"]
    lines += [f"@attribute x{j} numeric" for j in range(X.shape[1])]
    lines += [f"@attribute cluster {{{','.join(map(str, range(k)))}}}", "@data"]
    for row, code in zip(X.tolist(), codes.tolist(), strict=True):
        lines.append(",".join(map(repr, [*row, code])))
    table = _weka().core.Instances(_jpype().java.io.StringReader("\n".join(lines)))
    table.setClassIndex(X.shape[1])
    return table


def _by_weka(clustered: ClusteredSample, name: str) -> NDArray[np.int32]:
    """Predictions of one of Weka's classifiers for every clustering of a sample."""
    from sortal.measures.clarity import assess

    # the seed of ours, so the folds are the same
    options: dict[str, Any] = {"random_state": clustered.seed, "cv": 10}
    clarity = assess(clustered.X, clustered.labels, classifiers=[WekaClassifier(name)], **options)
    return clarity.predictions[0]


def _kept_by_weka(
    clustered: ClusteredSample, name: str, dataset: str, sample: int, journal: KeptParts
) -> NDArray[np.int32]:
    """The same, made unless they are kept."""
    part = journal.get(dataset, sample, f"weka {name}")
    if part is None:
        part = {"codes": _by_weka(clustered, name).astype(np.int8)}
        journal.put(dataset, sample, f"weka {name}", part)
    return part["codes"].astype(np.int32)


def scores_with_weka(
    reading: str, dataset: str, sample: int, journal: KeptParts
) -> dict[str, pd.DataFrame]:
    """NMI and the five kinds of informativeness, by ours and with some classifiers of Weka's."""
    import sortal
    from sortal.measures.clarity import THESIS, assess

    tables = {
        who: journal.get_table(dataset, sample, f"{reading}, {who}") for who in ("ours", "Weka")
    }
    found = {who: table for who, table in tables.items() if table is not None}
    if len(found) == len(tables):
        return found
    if reading == LESS:
        clustered = less_noisy(dataset, sample, journal.seed)
        ours = assess(
            clustered.X, clustered.labels, classifiers=THESIS, cv=10, random_state=clustered.seed
        )
        by_weka = {name: _by_weka(clustered, name) for name in REPLACED[reading]}
    else:
        clustered = sample_of(dataset, sample, journal)
        ours = predictions_of(dataset, sample, clustered, journal)
        by_weka = {
            name: _kept_by_weka(clustered, name, dataset, sample, journal)
            for name in REPLACED[reading]
        }
    codes = np.stack([
        by_weka.get(name, of_ours)
        for name, of_ours in zip(ours.classifiers, ours.predictions, strict=True)
    ])  # fmt: skip
    table = sortal.evaluate(clustered.X, ours.labelings, y=clustered.truth, measures=[NMI]).table[
        [NMI]
    ]
    found = {
        "ours": table.assign(**informativeness_of(ours)),
        "Weka": table.assign(**informativeness_of(replace(ours, predictions=codes))),
    }
    for who, each in found.items():
        journal.put_table(dataset, sample, f"{reading}, {who}", each)
    return found


def run(
    *,
    name: str = "whissell2012-chapter6-weka",
    samples: int | None = None,
    random_state: RandomState = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Run the experiment; the samples are those of the tables, and kept in ``storage``.

    ``samples``: of each data set at most; with one the support vector machine is left out.

    Returns the figures with Weka's classifiers, by how much they differ from ours on the same
    clusterings, and the published ones.
    """
    import pandas as pd
    from threadpoolctl import threadpool_limits

    if not is_there():
        raise InputError(
            f"The experiment {name!r} needs Weka: set {WEKA_JAR} to the path of weka.jar (it is "
            f"{os.environ.get(WEKA_JAR, '')!r}) and install JPype1"
        )
    counts = {
        reading: {dataset: min(usual, samples or usual) for dataset, usual in of_sets.items()}
        for reading, of_sets in SAMPLES.items()
        if reading != ALL or samples != 1
    }
    rows = []
    with keeping(storage, random_state) as journal, threadpool_limits(1):
        for reading, of_reading in counts.items():
            tables: dict[str, dict[str, pd.DataFrame]] = {"ours": {}, "Weka": {}}
            for dataset, count in of_reading.items():
                found = []
                for sample in range(count):
                    found.append(scores_with_weka(reading, dataset, sample, journal))
                    if progress is not None:
                        progress(f"{reading}, {dataset}: sample {sample + 1} of {count}")
                for who, of_sets in tables.items():
                    of_sets[dataset] = pd.concat(
                        dict(enumerate(each[who] for each in found)),
                        names=["sample", "clustering"],
                    )
            ours, by_weka = (rows_of(reading, tables[who]) for who in ("ours", "Weka"))
            rows += [
                row | {"difference": row["ours"] - before["ours"]}
                for row, before in zip(by_weka, ours, strict=True)
                if "low" in row
            ]
    told = {
        reading: ", ".join(f"{dataset} {count}" for dataset, count in of_sets.items())
        for reading, of_sets in counts.items()
    }
    return ExperimentResult(name, pd.DataFrame(rows).assign(repeats=True), (
        "Published: 50 samples of each data set. The clusterings and the folds are those of our "
        "classifiers. Weka's neighbours scale the features, ours do not.",
        *(f"'{reading}': samples: {of_sets}." for reading, of_sets in told.items()),
        *(f"'{reading}': {_moves(rows, reading)}." for reading in counts),
        f"'{FAST}': of the τ {inside(rows, FAST)}.",
    ))  # fmt: skip


def _moves(rows: list[dict[str, Any]], reading: str) -> str:
    """How far the rank correlations of each data set move."""
    import pandas as pd

    table = pd.DataFrame(row for row in rows if row["reading"] == reading)
    of_sets = table["figure"].str.rpartition(", ")[2]
    means = table.groupby(of_sets, sort=False)["difference"].mean()
    told = ", ".join(f"{dataset} {mean:+.3f}" for dataset, mean in means.items())
    return f"τ moves by, on average, {told}"
