"""Samples of e-mails, clustered, filtered and scored: the work of whissell2012 chapter 7."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.clusterers import SphericalKMeans
from sortal.labeling import central_objects
from sortal.text import TextVectorizer
from sortal_lab.data import records

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd
    from numpy.typing import NDArray

    from sortal.typing import Floats, Rows

    Objects = NDArray[np.object_]

MAILS = ("trec07p_sample", "spamassassin", "lingspam_bare")
#: the expected number of e-mails of a sample, and of one for a quick look
TRAINED, FEW = 1000, 500
FIRST_BYTES, MIN_DF = 2500, 20
KS = tuple(range(2, 51))
STARTS = 5
#: random draws of labelled e-mails for each sample and number of labels
DRAWS = 5
CLUSTERERS = ("K-means", "RBK-means", "Spect-RW", "PCA-K", "UPGMA")
MEASURES = {
    "informativeness": "Inf.",
    "between_within_ratio": "B/W",
    "c_index": "C-Index",
    "point_wise_margin": "PWM",
    "davies_bouldin_index": "DB",
}
#: other ways to spend as many labels: labels a cluster, share of them for a second round
SPENT = {"FCSF, 3 a cluster": (3, 0.0), "CMSF, 2nd round": (1, 0.5)}


#: what the sender wrote into the header; no field of a server, a filter or a clock
WRITTEN = re.compile(
    r"(from|reply-to|sender|to|cc|subject|mime-version|content-type|content-transfer-encoding):",
    re.I,
)


def content(text: str) -> str:
    r"""A message with the header fields that its sender wrote, and no trace of its way.

    >>> content("X-Spam-Status: Yes\nSubject: tea\n at five\nDate: Mon\n late\n\nCome.")
    'Subject: tea\n at five\n\nCome.'
    """
    head, blank, body = text.replace("\r\n", "\n").partition("\n\n")
    fields = re.split(r"\n(?![ \t])", head)
    return "\n".join(field for field in fields if WRITTEN.match(field)) + blank + body


def vectors(texts: list[str]) -> Any:
    """Presence of 4-byte-grams in the first bytes of each text, for those in at least 20 texts."""
    vectorizer = TextVectorizer(
        "binary", analyzer="bytes", min_df=MIN_DF, max_df=1.0, max_bytes=FIRST_BYTES, norm=None
    )
    return vectorizer.fit_transform([content(text) for text in texts])


@lru_cache(maxsize=1)
def mails(name: str) -> tuple[Any, Objects]:
    """Vectors and classes of a collection."""
    mails_read = records(name)
    labels = np.array([record["label"] for record in mails_read], dtype=object)
    return vectors([record["text"] for record in mails_read]), labels


@dataclass(frozen=True)
class Mails:
    """A sample to cluster and to learn from, and all other e-mails to test on.

    ``Z`` and ``Z_test`` are the unit vectors turned into the space that the sample spans: all
    distances within the sample, and all products with it, are those of the vectors ``X``.
    """

    X: Any
    Z: Floats
    Z_test: Floats
    truth: Objects
    truth_test: Objects


def sample_of(name: str, rng: np.random.Generator, size: int) -> Mails:
    """Each e-mail with the same chance; byte-grams of fewer than 20 of the sample are dropped."""
    from scipy import linalg, sparse
    from sklearn.preprocessing import normalize

    X, truth = mails(name)
    inside = rng.random(X.shape[0]) < min(0.5, size / X.shape[0])
    train, test = X[inside], X[~inside]
    kept = np.flatnonzero(np.bincount(train.indices, minlength=X.shape[1]) >= MIN_DF)
    train, test = normalize(train[:, kept]), normalize(test[:, kept])
    gram = (train @ train.T).toarray()
    values, turned = linalg.eigh(gram)
    spanned = values > 1e-10 * values[-1]
    turned = turned[:, spanned] / np.sqrt(values[spanned])
    Z_test = np.asarray(test @ np.asarray(train.T @ turned))
    return Mails(
        sparse.csr_array(train),
        gram @ turned,
        Z_test,
        truth[inside],
        truth[~inside],
    )


def bisections(X: Rows, most: int, starts: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """Repeated bisection: the largest cluster is split, by spherical k-means, into two."""
    labels = np.zeros(X.shape[0], dtype=np.int64)
    for k in range(2, most + 1):
        largest = int(np.bincount(labels).argmax())
        members = np.flatnonzero(labels == largest)
        model = SphericalKMeans(
            2, refine=False, init="random", n_init=starts, random_state=seed + k
        )
        labels[members[model.fit_predict(X[members]) == 1]] = k - 1
        yield labels.copy()


def clusterings(mails: Mails, seed: int) -> Iterator[tuple[str, NDArray[Any]]]:
    """(clusterer and number of clusters, labels) for all five clusterers of table 7.1."""
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    from sortal.clusterers import catalogue, under

    centred = mails.Z - mails.Z.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    scores = centred @ axes[:20].T
    tree = under(catalogue["average"], "cosine").make(2, 0).fit(mails.Z)
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Graph is not fully connected")
        for k in KS:
            for name, rows in (("K-means", mails.Z), ("PCA-K", scores)):
                model = KMeans(k, init="random", n_init=STARTS, random_state=seed)
                yield f"{name} {k}", model.fit_predict(rows)
            spectral = under(catalogue["spectral"], "cosine").make(k, seed)
            yield f"Spect-RW {k}", spectral.fit_predict(mails.Z)
            yield f"UPGMA {k}", tree.cut(k)
        # documents that are all alike are not split: then two numbers have the same clustering
        for k, labels in zip(KS, bisections(mails.X, max(KS), STARTS, seed), strict=True):
            yield f"RBK-means {k}", labels


def judge(mails: Mails, labelings: dict[str, NDArray[Any]]) -> pd.DataFrame:
    """Purity and the five internal measures of every clustering, greater for better."""
    import sortal
    from sortal.measures.clarity import assess

    assessment = assess(mails.Z, labelings, classifiers="email")
    others = [key for key in MEASURES if key != "informativeness"]
    table = sortal.evaluate(
        mails.Z, assessment.labelings, y=mails.truth, measures=["purity", *others]
    ).table
    for key in others:
        table[key] *= sortal.measures.catalogue[key].sign
    # the nearest of no objects is infinitely far (6.15)
    alone = [np.bincount(codes).min() == 1 for codes in assessment.labelings.codes]
    table.loc[alone, "point_wise_margin"] = np.inf
    table["informativeness"] = assessment.values()
    return table


def ranked(mails: Mails, rows: NDArray[Any], labels: npt.ArrayLike) -> tuple[float, float]:
    """1 − AUC and the share of errors, in %, of a logistic regression on the other e-mails."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score

    is_spam = np.asarray(labels) == "spam"
    spam = mails.truth_test == "spam"
    if is_spam.all() or not is_spam.any():
        return 50.0, 100 * float(np.mean(spam != is_spam[0]))
    model = LogisticRegression(max_iter=1000).fit(mails.Z[rows], is_spam)
    scores = model.decision_function(mails.Z_test)
    return 100 * (1 - float(roc_auc_score(spam, scores))), 100 * float(
        np.mean((scores > 0) != spam)
    )


def filters(mails: Mails, table: pd.DataFrame, labelings: dict[str, Any]) -> dict[str, float]:
    """(1 − AUC)% of CMSF and FCSF for every number of labels and measure; errors for FCSF."""
    from sklearn.metrics import pairwise_distances

    D = pairwise_distances(mails.Z)
    all_rows = np.arange(len(D))
    row: dict[str, float] = {}
    results: dict[str, tuple[float, tuple[float, float]]] = {}
    for k in KS:
        names = [f"{clusterer} {k}" for clusterer in CLUSTERERS]
        for key in MEASURES:
            best = str(table.loc[names, key].astype(float).idxmax())
            if best not in results:
                chosen = central_objects(D, labelings[best], metric="precomputed")
                medoids = np.concatenate(chosen)
                full = _spread_labels(labelings[best], chosen, mails.truth)
                cmsf = ranked(mails, medoids, mails.truth[medoids])[0]
                results[best] = (cmsf, ranked(mails, all_rows, full))
            cmsf, fcsf = results[best]
            row[f"CMSF {key} {k}"], row[f"FCSF {key} {k}"] = cmsf, fcsf[0]
            if key == "informativeness":
                row[f"errors {k}"] = fcsf[1]
    for k in range(6, max(KS) + 1, 6):
        row |= _spent(mails, table, labelings, D, k)
    return row


def _spent(
    mails: Mails, table: pd.DataFrame, labelings: dict[str, Any], D: Floats, budget: int
) -> dict[str, float]:
    """The same number of labels spent in other ways, by the clustering of most informativeness."""
    from sklearn.linear_model import LogisticRegression

    row = {}
    for title, (per_cluster, later) in SPENT.items():
        k = int(budget * (1 - later)) // per_cluster
        names = [f"{clusterer} {k}" for clusterer in CLUSTERERS]
        best = str(table.loc[names, "informativeness"].astype(float).idxmax())
        chosen = central_objects(D, labelings[best], per_cluster, metric="precomputed")
        rows = np.concatenate(chosen)
        if per_cluster > 1:
            full = _spread_labels(labelings[best], chosen, mails.truth)
            full[rows] = mails.truth[rows]
            row[f"{title} {budget}"] = ranked(mails, np.arange(len(D)), full)[0]
            continue
        is_spam = mails.truth[rows] == "spam"
        unsure = np.zeros(len(D))
        if is_spam.any() and not is_spam.all():
            model = LogisticRegression(max_iter=1000).fit(mails.Z[rows], is_spam)
            unsure = np.abs(model.decision_function(mails.Z))
        unsure[rows] = np.inf
        rows = np.concatenate([rows, np.argsort(unsure, kind="stable")[: budget - len(rows)]])
        row[f"{title} {budget}"] = ranked(mails, rows, mails.truth[rows])[0]
    return row


def drawn(mails: Mails, rng: np.random.Generator) -> dict[str, float]:
    """(1 − AUC)% of filters trained on so many random e-mails, the mean over the draws."""
    row = {}
    for k in KS:
        errors = []
        for _ in range(DRAWS):
            rows = rng.choice(len(mails.truth), k, replace=False)
            errors.append(ranked(mails, rows, mails.truth[rows])[0])
        row[f"random {k}"] = float(np.mean(errors))
    return row


def row_of(name: str, sample: int, seed: int, size: int) -> dict[str, float]:
    """All figures of one sample of one collection, of so many e-mails."""
    seeds = np.random.SeedSequence([seed, sample]).spawn(2)
    rng = np.random.default_rng(seeds[0])
    mails = sample_of(name, rng, size)
    labelings = dict(clusterings(mails, int(seeds[1].generate_state(1)[0])))
    table = judge(mails, labelings)
    row = {f"purity {which}": float(value) for which, value in table["purity"].items()}
    row["purity random"] = float(
        max(np.mean(mails.truth == "spam"), np.mean(mails.truth != "spam"))
    )
    return row | filters(mails, table, labelings) | drawn(mails, rng)


def _spread_labels(
    labels: Sequence[int], labelled: list[NDArray[np.intp]], y: NDArray[np.object_]
) -> NDArray[np.object_]:
    """Most common label of each object's cluster, in a tie the most central one's."""
    spread = np.full(len(y), None, dtype=object)
    for rows in labelled:
        answers = list(y[rows])
        inside = np.asarray(labels) == labels[rows[0]]
        spread[inside] = max(dict.fromkeys(answers), key=answers.count)
    return spread
