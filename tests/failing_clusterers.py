"""Clusterers that go wrong; a module of their own, so that worker processes can import them."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from multiprocessing import parent_process

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans


class Fails(ClusterMixin, BaseEstimator):
    def __init__(self, n_clusters=2, how="raise"):
        self.n_clusters = n_clusters
        self.how = how

    def fit_predict(self, X, y=None):
        if self.how == "raise":
            raise RuntimeError(f"no luck with {self.n_clusters}")
        if self.how == "exit":
            sys.exit(3)
        if self.how == "interrupt":
            raise KeyboardInterrupt
        if self.how == "short":
            return np.zeros(len(X) - 1, dtype=int)
        if self.how == "write":
            X[0, 0] = 1e9
        if self.how == "sleep":
            time.sleep(60)
        if self.how == "crash":
            ctypes.string_at(0)
        if self.how == "memory":
            np.empty(2**50)
        if self.how == "noise":
            return np.full(len(X), -1)
        if self.how == "nan":
            return np.full(len(X), np.nan)
        return np.zeros(len(X), dtype=int)


class Dies(Fails):
    def fit_predict(self, X, y=None):
        if self.n_clusters == 3:
            os._exit(11)
        return np.arange(len(X)) % self.n_clusters


class DiesAt(ClusterMixin, BaseEstimator):
    """Ends its process at a step there: when it arrives, fits or answers."""

    def __init__(self, n_clusters=2, step="fit"):
        self.n_clusters = n_clusters
        self.step = step

    def __setstate__(self, state):
        self.__dict__.update(state)
        if self.step == "arrival" and parent_process() is not None:
            os._exit(9)

    def fit_predict(self, X, y=None):
        if self.step == "fit":
            os._exit(9)
        if self.step == "answer":  # the labels are out, the worker is still busy
            threading.Timer(0.0, os._exit, [9]).start()
        return np.arange(len(X)) % self.n_clusters


class KillsOnce(ClusterMixin, BaseEstimator):
    """Ends its process the first time, k-means from then on."""

    def __init__(self, n_clusters=2, marker="", random_state=None):
        self.n_clusters = n_clusters
        self.marker = marker
        self.random_state = random_state

    def fit_predict(self, X, y=None):
        if not os.path.exists(self.marker):
            open(self.marker, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        model = KMeans(self.n_clusters, n_init=1, random_state=self.random_state)
        return model.fit_predict(X)


class DistanceThatKillsOnce:
    """Ends its process the first time, city-block distance from then on."""

    def __init__(self, marker):
        self.marker = marker

    def __call__(self, x, y):
        if not os.path.exists(self.marker):
            open(self.marker, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return np.abs(x - y).sum()
