"""Sweeps that are ended: nothing is left of them, and an interruption is obeyed."""

from __future__ import annotations

import signal

import numpy as np
import pytest

import sortal
from sortal.study import execution


@pytest.fixture
def _heard():
    """Interruptions are heard, also where a shell started the tests in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.posix
@pytest.mark.usefixtures("_heard")
@pytest.mark.parametrize("where", ["in a fit", "after it"])
def test_an_interruption_that_compiled_code_made_an_error_of_is_obeyed(monkeypatch, where):
    def interrupted(*_: object) -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt as error:
            raise SystemError("returned a result with an exception set") from error

    if where == "in a fit":
        kmeans = type(sortal.clusterers.catalogue["kmeans"].make(2, 0))
        monkeypatch.setattr(kmeans, "fit_predict", interrupted)
    else:
        monkeypatch.setattr(execution, "run_job", interrupted)
    with sortal.Study(np.random.default_rng(0).normal(size=(60, 2))) as study:
        with pytest.raises(KeyboardInterrupt):
            study.sweep(["kmeans"], k=[2], n_init=1, workers=1)
        assert study.candidates.empty
