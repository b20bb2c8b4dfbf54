"""sortal among scikit-learn's estimators, pipelines and searches."""

from __future__ import annotations

import pickle
import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.datasets import make_blobs
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import sortal
from sortal import InputError
from sortal.labelings import hard_labelings
from sortal.measures.scorer import CrossValidationError

X, Y = make_blobs(90, centers=[[0, 0], [6, 0], [0, 7]], random_state=0)
ROWS = np.arange(len(X))
QUICK = sortal.ChosenClustering(["kmeans", "ward"], n_clusters=(2, 3), n_init=1, by="silhouette")


@pytest.mark.quick(6)
@parametrize_with_checks([QUICK])
def test_it_is_an_estimator(estimator: Any, check: Any) -> None:
    check(estimator)


def test_it_chooses_and_predicts() -> None:
    chosen = clone(QUICK)
    labels = chosen.fit_predict(X)
    assert sortal.adjusted_rand_index(Y, labels) == 1
    assert chosen.answer_.n_clusters == chosen.n_clusters_ == 3
    np.testing.assert_array_equal(chosen.predict(X), labels)


def test_numbers_jobs_and_random_states_are_those_of_scikit_learn() -> None:
    expected = clone(QUICK).fit_predict(X)
    for n_jobs in (None, -1, 2):
        np.testing.assert_array_equal(
            clone(QUICK).set_params(n_jobs=n_jobs).fit_predict(X), expected
        )
    for random_state in (None, np.random.RandomState(0), np.random.default_rng(0)):
        chosen = clone(QUICK).set_params(random_state=random_state, n_clusters=3).fit(X)
        assert sortal.adjusted_rand_index(Y, chosen.labels_) == 1
    with pytest.raises(ValueError, match="n_jobs"):
        clone(QUICK).set_params(n_jobs=0).fit(X)


def test_it_lives_in_a_pipeline_and_gives_frames() -> None:
    frame = pd.DataFrame(X, columns=["a", "b"])
    pipeline = make_pipeline(StandardScaler(), clone(QUICK)).set_output(transform="pandas")
    distances = pipeline.fit_transform(frame)
    assert distances.columns.tolist() == [f"chosenclustering{i}" for i in range(3)]
    assert pipeline[-1].feature_names_in_.tolist() == ["a", "b"]
    np.testing.assert_array_equal(distances.to_numpy().argmin(axis=1), pipeline.predict(frame))


# -- scorers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measure", "estimator", "grid", "best"),
    [
        ("silhouette", AgglomerativeClustering(), {"n_clusters": [2, 3, 4, 5]}, 3),
        ("davies_bouldin_index", KMeans(n_init=2, random_state=0), {"n_clusters": [2, 3, 4, 5]}, 3),
        ("dbcv", DBSCAN(min_samples=3), {"eps": [0.2, 1.5, 30.0]}, 1.5),
    ],
)
def test_a_search_with_all_objects(measure: str, estimator: Any, grid: Any, best: float) -> None:
    search = GridSearchCV(estimator, grid, scoring=sortal.scorer(measure), cv=[(ROWS, ROWS)])
    if measure == "dbcv":  # one cluster has no value, and is said so
        with pytest.warns(UserWarning, match="dbcv"):
            search.fit(X)
    else:
        search.fit(X)
    assert list(search.best_params_.values()) == [best]


def test_the_value_is_that_of_the_measure() -> None:
    fitted = KMeans(3, n_init=1, random_state=0).fit(X)
    assert sortal.scorer("silhouette")(fitted, X) == pytest.approx(
        sortal.silhouette(X, fitted.labels_)
    )
    lower = sortal.scorer("davies_bouldin_index")(fitted, X)
    assert lower == pytest.approx(-sortal.davies_bouldin_index(X, fitted.labels_))
    agreement = sortal.scorer("adjusted_rand_index")(fitted, X, Y)
    assert agreement == pytest.approx(sortal.adjusted_rand_index(Y, fitted.labels_))
    mixture = GaussianMixture(3, random_state=0).fit(X)
    assert sortal.scorer("silhouette")(mixture, X) > 0.5
    pipeline = make_pipeline(StandardScaler(), KMeans(3, n_init=1, random_state=0)).fit(X)
    assert sortal.scorer("silhouette")(pipeline, X) > 0.5
    assert repr(pickle.loads(pickle.dumps(sortal.scorer("dbcv")))) == repr(sortal.scorer("dbcv"))


@pytest.mark.parametrize("parts", [2, 3])
def test_held_out_objects_are_predicted_or_the_search_stops(parts: int) -> None:
    order = np.random.default_rng(0).permutation(len(X))
    test, *rest = np.array_split(order, parts)
    fitted = KMeans(3, n_init=1, random_state=0).fit(X[np.concatenate(rest)])
    judged = sortal.scorer("silhouette")(fitted, X[test])
    assert judged == pytest.approx(sortal.silhouette(X[test], fitted.predict(X[test])))
    fitted = AgglomerativeClustering(3).fit(X[np.concatenate(rest)])
    with pytest.raises(CrossValidationError, match=r"cv=\[\(all_rows, all_rows\)\]"):
        sortal.scorer("silhouette")(fitted, X[test])


@pytest.mark.parametrize("cv", [None, 2])
def test_cross_validation_works_or_stops_at_once(cv: int | None) -> None:
    search = GridSearchCV(KMeans(n_init=2, random_state=0), {"n_clusters": [2, 3, 5]}, cv=cv,
                          scoring=sortal.scorer("silhouette"))  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert search.fit(X[np.random.default_rng(0).permutation(90)]).best_params_ == {
            "n_clusters": 3
        }
        search = GridSearchCV(AgglomerativeClustering(), {"n_clusters": [2, 3]}, cv=cv,
                              scoring=sortal.scorer("silhouette"))  # fmt: skip
        with pytest.raises(CrossValidationError, match="has no predict"):
            search.fit(X)


def test_an_external_measure_needs_the_classes() -> None:
    with pytest.raises(InputError, match="give them as y"):
        sortal.scorer("adjusted_rand_index")(KMeans(3, n_init=1).fit(X), X)
    with pytest.raises(InputError, match="silhouete"):
        sortal.scorer("silhouete")


# -- what people hold already --------------------------------------------------------------------


def held() -> dict[str, Any]:
    obs = pd.DataFrame({"leiden_0.5": list("abc") * 30, "n_genes": range(90)})
    return {
        "estimator": KMeans(3, n_init=1, random_state=0).fit(X),
        "mixture": GaussianMixture(3, random_state=0).fit(X),
        "pipeline": make_pipeline(StandardScaler(), AgglomerativeClustering(3)).fit(X),
        "topics": SimpleNamespace(topics_=[-1, *([0, 1] * 44), 1]),
        "cells": SimpleNamespace(obs=obs, obsm={}, obs_names=obs.index),
    }


@pytest.mark.parametrize("kind", list(held()))
def test_what_holds_a_clustering_is_taken(kind: str) -> None:
    clustering = held()[kind]
    table = sortal.evaluate(X, clustering, measures=["silhouette"], noise="drop").table
    ((name, labels),) = hard_labelings(clustering, X)[0].items()
    assert table.index.tolist() == [name]
    expected = sortal.silhouette(X, labels, noise="drop")
    assert table["silhouette"].iloc[0] == pytest.approx(expected)
    study = sortal.Study(X)
    study.add(clustering)
    assert study.candidates.index.tolist() == [name]


def test_several_at_once() -> None:
    several = held()
    names = sortal.evaluate(X, several, measures=["silhouette"], noise="drop").table.index.tolist()
    assert names == ["estimator", "mixture", "pipeline", "topics", "leiden_0.5"]
    listed = [several["estimator"], several["estimator"], Y]
    assert list(hard_labelings(listed)[0]) == ["KMeans", "KMeans 2", "2"]
    assert hard_labelings(Y)[0] is Y


@pytest.mark.parametrize("one", [KMeans(3), GaussianMixture(3), AgglomerativeClustering(3)])
def test_what_is_not_fitted_is_said(one: Any) -> None:
    with pytest.raises(InputError, match="fit it first"):
        sortal.evaluate(X, one)
    cells = SimpleNamespace(obs=pd.DataFrame({"n": [1]}), obsm={}, obs_names=[0])
    with pytest.raises(InputError, match="leiden"):
        hard_labelings(cells)
