"""The mixtures of banerjee2004 beside their start: cells by hand, resuming."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, sparse, special, stats

from sortal.clusterers import SphericalKMeans, VonMisesFisherMixture
from sortal.extension import KeptValues
from sortal.measures import purity
from sortal_lab import banerjee2004_mixtures
from sortal_lab.banerjee2004_collections import Collection


@pytest.fixture
def data(monkeypatch):
    draw = np.random.default_rng(4)
    truth = np.repeat([0, 1, 2], [20, 30, 50])
    topics = [draw.dirichlet(np.full(40, c)) for c in (0.1, 0.2, 2.0)]
    X = np.array([draw.multinomial(8, topics[t]) for t in truth], dtype=float)
    X[7] = 0
    rows = sparse.csr_array(X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-9))
    made = Collection("yahoo", rows, sparse.csr_array(X), truth)
    monkeypatch.setattr(banerjee2004_mixtures, "collection", lambda name, rng: made)
    monkeypatch.setattr(banerjee2004_mixtures, "COLLECTIONS", ("yahoo", "cmu-same-100"))
    return made


def naive_log_likelihood(U, labels, k):
    """Of the mixture whose components are the clusters."""
    d = U.shape[1]
    columns = []
    for c in range(k):
        mean = U[labels == c].mean(axis=0)
        r = np.linalg.norm(mean)

        def short(q, r=r):
            return special.ive(d / 2, q) / special.ive(d / 2 - 1, q) - r

        kappa = optimize.brentq(short, 1e-3, 1e4, xtol=1e-12)
        constant = (d / 2 - 1) * np.log(kappa) - d / 2 * np.log(2 * np.pi)
        constant -= np.log(special.ive(d / 2 - 1, kappa)) + kappa
        columns.append(np.log((labels == c).mean()) + constant + kappa * (U @ mean) / r)
    return special.logsumexp(columns, axis=0).sum()


def test_cells_by_hand(data):
    table = banerjee2004_mixtures.run(samples=2).table.query("collection == 'yahoo'")
    table = table.set_index("clustering")
    U, truth = np.delete(data.X.toarray(), 7, axis=0), np.delete(data.truth, 7)
    found, likelihoods = [], []
    for seed in range(2):
        labels = SphericalKMeans(3, n_init=1, max_iter=100, random_state=seed).fit_predict(U)
        means = np.array([U[labels == c].mean(axis=0) for c in range(3)])
        centers = means / np.linalg.norm(means, axis=1, keepdims=True)
        wrong = sum((labels == c).sum() - np.bincount(truth[labels == c]).max() for c in range(3))
        nearest = ((U[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)
        found.append(
            [
                100 * wrong / 99,
                np.mean([U[i] @ centers[labels[i]] for i in range(99)]),
                100 * np.bincount(labels).max() / 99,
                100 * (nearest == labels).mean(),
                100 * ((U @ centers.T).argmax(axis=1) == labels).mean(),
            ]
        )
        likelihoods.append(naive_log_likelihood(U, labels, 3))
    columns = ["error", "cosine", "largest", "nearest mean", "nearest direction"]
    np.testing.assert_allclose(table.loc["SPKMeans", columns].astype(float), np.mean(found, axis=0))
    errors = [row[0] for row in found]
    added = [
        100 * (1 - purity(truth, mixture.labels_)) - error
        for error, seed in zip(errors, range(2), strict=True)
        for mixture in [VonMisesFisherMixture(3, n_init=1, random_state=seed).fit(U)]
    ]
    assert np.std(added) > 0
    assert table.loc["Soft-moVMF", "added"] == pytest.approx(np.mean(added))
    assert table.loc["Soft-moVMF", "±"] == pytest.approx(12.706 * stats.sem(added), rel=1e-3)
    assert table.loc["SPKMeans", "log-likelihood"] == 0
    assert table.loc["Soft-moVMF", "log-likelihood"] > 0

    classes = np.array([U[truth == c].sum(axis=0) for c in range(3)])
    told = (U @ (classes / np.linalg.norm(classes, axis=1, keepdims=True)).T).argmax(axis=1)
    expected = (naive_log_likelihood(U, told, 3) - np.mean(likelihoods)) / 99
    assert table.loc["class centers", "log-likelihood"] == pytest.approx(expected, rel=1e-6)


def test_resuming(data, tmp_path):
    kept = tmp_path / "kept.sortal"
    first = banerjee2004_mixtures.run(samples=2, storage=kept)
    fitted = kept.read_bytes()
    assert len(KeptValues(kept)._values) == 4
    again = banerjee2004_mixtures.run(samples=2, storage=kept)
    assert kept.read_bytes() == fitted
    assert again.table.equals(first.table)
