"""The command line: answers, exit codes, errors without tracebacks, nothing half-written."""

from __future__ import annotations

import json

import numpy as np
import pytest

import sortal
from command_line import sortal_command as run
from sortal.study import samples
from sortal.study.stability import sample_agreement


def test_a_choice_of_a_sample_says_what_it_loses(tmp_path, monkeypatch):
    monkeypatch.setattr(samples, "MAX_FITTED", 500)
    rng = np.random.default_rng(0)
    np.save(tmp_path / "X.npy", rng.normal(size=(540, 2)) + 6.0 * rng.integers(0, 3, (540, 1)))
    arguments = ("run", "X.npy", "-c", "average", "-k", "2:4", "--no-stability")
    answer = json.loads(run(*arguments, "--json", "--storage", "s.sortal", cwd=tmp_path).stdout)
    with sortal.load_study(tmp_path / "s.sortal", tmp_path / "X.npy") as study:
        kept = sample_agreement(study.state, answer["best"]["name"])
        assert study.candidates["fitted_on"].tolist() == [500] * 3
    assert answer["best"]["sample"]["agreement"] == pytest.approx(kept)
    assert -1 <= kept <= 1
    assert any(
        "fitted to 500 of 540 rows; another sample gives" in sentence
        for sentence in answer["best"]["sentences"]
    )
