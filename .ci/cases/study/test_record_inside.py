"""What decided is recorded once: resumed studies, code, every way of telling say the same."""

from __future__ import annotations

import functools
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.distance import chebyshev
from sklearn.cluster import KMeans
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sortal
from sortal.judge import load_judge
from sortal.study.identity import NoIdentityError, identity

RNG = np.random.default_rng(0)


X = np.repeat([0.0, 5.0, 10.0], 20)[:, None] + RNG.normal(scale=0.9, size=(60, 2))


def test_identity():
    pair = [lambda a, b: a + b, lambda a, b: a - b]
    assert identity(pair[0]) != identity(pair[1])
    big = np.zeros(5000)
    changed = big.copy()
    changed[2500] = 1
    assert identity(KMeans(init=big)) != identity(KMeans(init=changed))
    assert identity({"a": 1, "b": [big]}) == identity({"b": [big.copy()], "a": 1})
    assert identity(1) != identity(1.0) != identity(True)
    assert identity(functools.partial(chebyshev, w=big)) != identity(
        functools.partial(chebyshev, w=changed)
    )
    with pytest.raises(NoIdentityError):
        identity(object())
    code = "from sklearn.cluster import KMeans; from sortal.study.identity import identity;"
    code += "from scipy.spatial.distance import chebyshev; print(identity([KMeans(3), chebyshev]))"
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert there.stdout.strip() == identity([KMeans(3), chebyshev])


def test_a_resumed_study_says_that_it_had_another_packaged_judge(tmp_path, monkeypatch):
    path = tmp_path / "s.sortal"
    with sortal.Study(X, storage=path) as study:
        old = study.judge
    new = replace(load_judge(), version="8", between=0.4).signed()
    monkeypatch.setattr("sortal.study.record.load_judge", lambda path=None: new)
    with pytest.warns(UserWarning, match=rf"begun with judge 7 \({old.digest[:8]}\).* judge 8 \("):
        study = sortal.Study(X, storage=path)
    assert study.state.settings.judge == f"8#{new.digest}"
    study.close()
    sortal.Study(X, storage=path).close()  # it is recorded, and said once


def test_pipelines_have_an_identity():
    assert identity(make_pipeline(StandardScaler(), KMeans(2))) != identity(
        make_pipeline(StandardScaler(with_mean=False), KMeans(2))
    )
