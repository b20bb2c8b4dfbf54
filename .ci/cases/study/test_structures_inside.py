"""Soft and overlapping clusterings and dendrograms beside hard ones: which measure takes what."""

from __future__ import annotations

import numpy as np

import sortal

N = 40


RNG = np.random.default_rng(0)


TRUTH = np.arange(N) % 3


X = 4 * np.eye(3)[TRUTH] + RNG.normal(size=(N, 3))


def test_memberships_are_extended_with_the_labels(monkeypatch):
    from sortal.study import samples

    monkeypatch.setattr(samples, "MAX_FITTED", 20)
    monkeypatch.setattr(sortal.study.fits.Fits, "fits_sample", lambda self, clusterer: True)
    study = sortal.Study(X)
    study.sweep("gaussian-mixture", k=3, n_init=1, workers=1)
    name = "gaussian-mixture k=3 start=0"
    assert len(study.memberships(name).memberships) == N
    np.testing.assert_array_equal(study.memberships(name).harden(), study.labels(name))
