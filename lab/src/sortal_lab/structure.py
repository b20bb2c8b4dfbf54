"""Decisions on structure for data with and without clusters, and for real tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal import InputError, assess_structure, clusterers
from sortal.measures import adjusted_rand_index
from sortal.nulls import predictors
from sortal_lab import ExperimentResult
from sortal_lab.choice_tasks import family_of, read
from sortal_lab.data import data_folder, index
from sortal_lab.journal import Journal
from sortal_lab.number_of_clusters import REAL
from sortal_lab.structure_kinds import CLUSTERED, LEFT_OUT, NULLS

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    from numpy.typing import NDArray


SIZES = (100, 200, 400, 1000, 2000)
#: data sets of each kind and size, sizes of a single one, and the first seed of the figures; the
#: packaged coefficients were fitted to seeds 0 to 2 and 1,000 to 1,002
EACH, FEW_SIZES, FIGURES = 10, 3, 2_000
#: best agreement of k-means with the classes from which on real tables are clustered
FOUND = 0.5
MOST = 400


def run(
    *,
    name: str = "structure",
    samples: int | None = None,
    random_state: int = 0,
    storage: str | Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> ExperimentResult:
    """Decisions on structure for simulated data of many kinds and for real tables.

    ``samples``: data sets of each kind and size; ten by default. A single one has at most 400
    objects. ``random_state`` -2000 and -1000 have the data sets of the fit, three of each.

    Returns for each group of kinds and number of objects, the share of each answer: first of kinds
    that nothing was chosen or fitted on, by name, then of the others.
    """
    import pandas as pd

    journal = Journal(storage, f"random_state {random_state!r}")
    rows: list[dict[str, Any]] = []
    first = FIGURES + int(random_state)
    for seed in range(first, first + (EACH if samples is None else samples)):
        for n in SIZES[:FEW_SIZES] if samples == 1 else SIZES:
            rows += simulated(seed, n, journal)
            if progress is not None:
                progress(f"seed {seed}, {n} objects")
    simulations = pd.DataFrame(rows)
    is_left_out = simulations["kind"].isin(LEFT_OUT)
    by_name = simulations[is_left_out].assign(group="left out: " + simulations["kind"])
    table = pd.concat([_shares(by_name), _shares(simulations[~is_left_out])], ignore_index=True)
    real, absent = _real(journal)
    return ExperimentResult(
        name,
        pd.concat([table, real], ignore_index=True),
        (
            *_reliability(simulations[is_left_out]),
            "The kinds that were not left out have the coefficients "
            + ", ".join(f"{value:.2f}" for value in fit(simulations[~is_left_out]))
            + ": the intercept, by evidence, and by the number of objects.",
            f"At most {MOST} objects of a real table, features of unit variance. Its classes are "
            f"clusters if k-means at their number finds them (ARI of {FOUND}).",
            *([f"Not in {data_folder()}: {', '.join(absent)}."] if absent else []),
        ),
    )


def simulated(seed: int, n: int, journal: Journal) -> list[dict[str, Any]]:
    """Decisions for one data set of each kind."""
    title = (str(seed), str(n))
    answers: Any = journal.get(title)
    if answers is None:
        answers = {}
        for place, kind in enumerate((*NULLS, *CLUSTERED)):
            assessment = assess_structure(kind.draw(np.random.default_rng([seed, n, place]), n))
            answers[kind.name] = {
                name: getattr(assessment, name)
                for name in ("evidence", "n_objects", "linearity", "decision", "probability")
            }
        journal.put(title, answers)
    return [
        {"kind": kind.name, "group": kind.group, "clusters": kind.clusters, "n": n}
        | dict(answers[kind.name])
        for kind in (*NULLS, *CLUSTERED)
    ]


def fit(rows: pd.DataFrame) -> tuple[float, float, float]:
    """Coefficients of the probability: intercept, by relative evidence, by the number of objects.

    Every kind has the same weight among those with clusters, and among those without.
    """
    from sklearn.linear_model import LogisticRegression

    columns = ["evidence", "n_objects", "linearity"]
    X = np.array([predictors(*row) for row in rows[columns].itertuples(index=False)])
    of_kind = rows.groupby("kind")["kind"].transform("size")
    weights = 1 / of_kind / (1 / of_kind).groupby(rows["clusters"]).transform("sum")
    model = LogisticRegression(C=10).fit(X, rows["clusters"], sample_weight=weights * len(X) / 2)
    return float(model.intercept_[0]), float(model.coef_[0, 0]), float(model.coef_[0, 1])


def _shares(each: pd.DataFrame) -> pd.DataFrame:
    """Decisions by kind of data and number of objects."""
    import pandas as pd

    rows = []
    for (clusters, group), part in each.groupby(["clusters", "group"], sort=False):
        for n, of_size in part.groupby("n"):
            rows.append(
                {"data": group, "clusters": "yes" if clusters else "no", **_summary_row(of_size, n)}
            )
    return pd.DataFrame(rows)


def _summary_row(data_sets: pd.DataFrame, n: Any) -> dict[str, Any]:
    """Shares of the decisions over data sets."""
    shares = {
        decision: float((data_sets["decision"] == decision).mean())
        for decision in ("yes", "unclear", "no")
    }
    return {
        "n": n,
        "sets": len(data_sets),
        **shares,
        "probability": float(data_sets["probability"].mean()),
    }


def _reliability(each: pd.DataFrame) -> list[str]:
    """What held of each tenth of the probabilities, with equal weight of both groups."""
    each = each.assign(weight=1 / each.groupby("clusters")["kind"].transform("size"))
    tenths = np.minimum((10 * each["probability"]).astype(int), 9)
    notes = []
    for place in np.unique(tenths).tolist():
        part = each[tenths == place]
        said, held = (
            np.average(part[c], weights=part["weight"]) for c in ("probability", "clusters")
        )
        notes.append(
            f"Left out, probability {place / 10:.1f} to {place / 10 + 0.1:.1f}: {said:.2f} said, "
            f"{held:.2f} held, {len(part)} data sets."
        )
    return notes


def _real(journal: Journal) -> tuple[pd.DataFrame, list[str]]:
    """Real tables by whether k-means finds their classes, and with shuffled features."""
    import pandas as pd

    rows, absent = [], []
    registry = index()
    for name in REAL:
        answer: Any = journal.get(("real", name))
        if answer is None:
            try:
                X, truths = read(name)
            except InputError:
                absent.append(name)
                continue
            answer = _of_table(X, truths[0])
            journal.put(("real", name), answer)
        assert family_of(registry[name]) == "real"
        group = f"real tables, ARI {'from' if answer['agreement'] >= FOUND else 'below'} {FOUND}"
        rows.append({"group": group, **answer})
        rows.append({"group": "real tables, features shuffled", **answer["shuffled"]})
    each = pd.DataFrame(rows)
    if each.empty:
        return each, absent
    rows_told = [
        {
            "data": group,
            "clusters": "no" if "shuffled" in str(group) else "",
            **_summary_row(data_sets, ""),
        }
        for group, data_sets in each.groupby("group", sort=False)
    ]
    return pd.DataFrame(rows_told), absent


def _of_table(X: NDArray[Any], truth: NDArray[np.int64]) -> dict[str, Any]:
    """Structure of a table, and of the table with shuffled features."""
    rng = np.random.default_rng(0)
    rows = np.sort(rng.permutation(len(X))[:MOST])
    X, truth = np.asarray(X[rows], dtype=np.float64), truth[rows]
    X = X[:, np.ptp(X, axis=0) > 0]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    k = len(np.unique(truth[truth >= 0]))
    labels = clusterers.catalogue["kmeans"].make(k, 0).fit_predict(X)
    labelled = truth >= 0
    shuffled = np.column_stack([rng.permutation(column) for column in X.T])
    return {
        "agreement": float(adjusted_rand_index(truth[labelled], labels[labelled])),
        **_answer(X),
        "shuffled": _answer(shuffled),
    }


def _answer(X: NDArray[np.float64]) -> dict[str, Any]:
    """Decision, probability and evidence for one data set."""
    assessment = assess_structure(X)
    return {
        "decision": assessment.decision,
        "probability": assessment.probability,
        "evidence": assessment.evidence,
    }
