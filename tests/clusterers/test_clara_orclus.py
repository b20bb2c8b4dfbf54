"""CLARA beside k-medoids of all objects; ORCLUS on clusters that are narrow in subspaces."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from sortal import InputError
from sortal.clusterers import CLARA, ORCLUS, KMedoids


def test_clara_of_one_sample_of_all_objects_is_k_medoids():
    X = np.random.default_rng(0).normal(size=(60, 3))
    for metric in ("euclidean", "cityblock"):
        clara = CLARA(4, metric=metric, sample_size=60, random_state=3).fit(X)
        pam = KMedoids(4, metric=metric, random_state=3).fit(X)
        assert clara.inertia_ == pytest.approx(pam.inertia_)
        assert (clara.labels_ == pam.labels_).all()


@pytest.mark.parametrize("seed", range(4))
def test_clara_is_what_its_medoids_say(seed):
    X = np.random.default_rng(seed).normal(size=(300, 2))
    D = cdist(X, X)
    model = CLARA(3, random_state=seed).fit(X)
    to_medoids = D[:, model.medoid_indices_]
    assert (model.labels_ == to_medoids.argmin(axis=1)).all()
    assert model.inertia_ == pytest.approx(to_medoids.min(axis=1).sum())
    same = CLARA(3, metric="precomputed", random_state=seed).fit(D)
    assert (same.labels_ == model.labels_).all()
    # more samples never do worse from the same draws, and the best of all is not far
    assert CLARA(3, n_samples=20, random_state=seed).fit(X).inertia_ <= model.inertia_ + 1e-9
    pam = min(KMedoids(3, random_state=s).fit(X).inertia_ for s in range(5))
    assert model.inertia_ < 1.1 * pam


def projected(seed, n=80):
    """Two clusters that are lines along the same axis, crossing a third along another."""
    rng = np.random.default_rng(seed)
    wide, narrow = 10.0, 0.2
    parts = [rng.normal(size=(n, 4)) * narrow for _ in range(3)]
    for part, axes in zip(parts, ((0, 1), (1, 2), (2, 3)), strict=True):
        for axis in axes:
            part[:, axis] += rng.normal(size=n) * wide
    turn = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    return np.concatenate(parts) @ turn, np.repeat(np.arange(3), n)


def test_orclus_finds_clusters_that_are_narrow_in_subspaces_of_their_own():
    found, plain = [], []
    for seed in range(6):
        X, truth = projected(seed)
        models = [ORCLUS(3, n_dimensions=2, random_state=s).fit(X) for s in range(4)]
        best = min(models, key=lambda model: model.energy_)
        found.append(adjusted_rand_score(truth, best.labels_))
        plain.append(adjusted_rand_score(truth, KMeans(3, n_init=10).fit_predict(X)))
    assert np.mean(found) > 0.6
    assert np.mean(found) > 2 * np.mean(plain)


def test_energy_is_that_of_the_subspaces():
    X, _ = projected(0)
    model = ORCLUS(3, n_dimensions=2, random_state=0).fit(X)
    total = 0.0
    for c in range(3):
        rows = X[model.labels_ == c]
        values, vectors = np.linalg.eigh(np.cov(rows.T, bias=True))
        span = vectors[:, :2]
        assert np.allclose(span @ span.T, model.subspaces_[c].T @ model.subspaces_[c])
        assert np.allclose(rows.mean(axis=0), model.cluster_centers_[c])
        total += values[:2].sum() * len(rows)
    assert model.energy_ == pytest.approx(total / len(X))


@pytest.mark.parametrize(
    ("model", "says"),
    [
        (CLARA(3, sample_size=2), "at least one sample of 3"),
        (CLARA(11), "between 1 and the 10"),
        (ORCLUS(11), "between 1 and the 10"),
        (ORCLUS(3, n_dimensions=9), "n_dimensions"),
    ],
)
def test_what_cannot_be_is_said(model, says):
    with pytest.raises(InputError, match=says):
        model.fit(np.random.default_rng(0).normal(size=(10, 2)))
