"""Large data: fits on a sample, extended; estimates with errors; thresholds lowered here."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans

import sortal
from sortal import InputError
from sortal.clusterers import LinkageClustering, as_clusterer
from sortal.labelings import canonical_codes
from sortal.measures import catalogue
from sortal.runtime.draws import draw_rows
from sortal.study import fits, jobs, samples
from sortal.study.ranking import points
from sortal.study.stability import sample_agreement


@pytest.fixture
def low(monkeypatch):
    monkeypatch.setattr(samples, "MAX_FITTED", 120)
    monkeypatch.setattr(samples, "MAX_EXACT", 200)


def blobs(n: int = 600, seed: int = 0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    return 10.0 * np.eye(3)[truth] + rng.normal(size=(n, 3)), truth


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "cityblock", "precomputed", "sparse"])
def test_every_object_takes_the_label_of_the_nearest_sampled_one(metric):
    X, _ = blobs(150)
    apart = cdist(X, X, "euclidean" if metric in ("precomputed", "sparse") else metric)
    data = {"precomputed": apart, "sparse": csr_array(X)}.get(metric, X)
    given = {"sparse": "euclidean"}.get(metric, metric)
    sample = samples.draw_sample(data, 30, metric=given, random_state=3)
    assert len(np.unique(sample.rows)) == 30
    nearest = apart[:, sample.rows].min(axis=1)
    taken = apart[np.arange(150), sample.rows[sample.nearest]]
    np.testing.assert_allclose(taken, nearest, rtol=1e-7, atol=1e-7)
    assert (sample.nearest[sample.rows] == np.arange(30)).all()


def test_sampled_objects_keep_their_own_label_even_among_duplicates():
    sample = samples.draw_sample(np.zeros((50, 2)), 20, random_state=0)
    labels = np.arange(20)
    assert (sample.extend(labels)[sample.rows] == labels).all()


def test_a_sample_of_everything_extends_nothing():
    X, _ = blobs(40)
    sample = samples.draw_sample(X, 40)
    assert len(sample) == len(X)
    labels = np.arange(40)
    assert (sample.extend(labels) == labels).all()


def test_what_does_not_scale_is_fitted_to_a_sample_and_says_so(low):
    X, truth = blobs()
    study = sortal.Study(X)
    study.sweep(["kmeans", "average"], k=[3], n_init=1, workers=1)
    table = study.candidates
    assert table["fitted_on"].isna().tolist() == [True, False]
    assert table.loc["average k=3", "fitted_on"] == 120
    rows = study.state.objects.sample.rows
    alone = LinkageClustering(3, method="average").fit_predict(X[rows])
    found = study.labels("average k=3")
    assert sortal.adjusted_rand_index(alone, found[rows]) == 1
    assert sortal.adjusted_rand_index(truth, found) > 0.99
    study.by = "silhouette"
    again = sortal.Study(X)
    again.sweep(["average"], k=[3], workers=2)
    answer = again.best(stability=False)
    assert "Sample: fitted to 120 of 600 rows; another sample gives" in str(answer)
    assert "The sample may miss clusters of fewer than 15 objects." in answer.reasons


def test_exact_is_exact(low):
    X, _ = blobs()
    study = sortal.Study(X, exact=True)
    study.sweep(["average"], k=[3], n_init=1, workers=1)
    assert study.candidates["fitted_on"].isna().all()
    value = study.scores()["silhouette"].item()
    assert value == pytest.approx(sortal.silhouette(X, study.labels("average k=3")), rel=1e-12)


def test_measures_of_pairs_are_estimated_and_extremes_have_a_reason(low):
    X, _ = blobs(2500)
    study = sortal.Study(3.0 * X + np.random.default_rng(1).normal(scale=9, size=X.shape))
    X = study.X
    study.add({"mine": KMeans(3, n_init=1, random_state=0).fit_predict(X)})
    scores = study.scores()
    exact = sortal.silhouette(X, study.labels("mine"))
    assert scores["silhouette"].item() == pytest.approx(exact, abs=4 * samples.PRECISION)
    error = study.standard_errors().loc["mine", "silhouette"]
    assert 0 < error <= samples.PRECISION
    assert np.isnan(scores["dunn_index"].item())
    assert "bounded terms" in study.reasons()["mine"]["dunn_index"]
    centroids = sortal.calinski_harabasz_index(X, study.labels("mine"))
    assert scores["calinski_harabasz_index"].item() == pytest.approx(centroids, rel=1e-9)


def test_the_sample_does_not_depend_on_workers_and_survives_a_resume(low, tmp_path):
    X, _ = blobs()
    found = []
    for workers in (1, 2):
        with sortal.Study(X, storage=tmp_path / f"{workers}.sortal") as study:
            study.sweep(["average", "ward"], k=[2, 3], workers=workers)
        with sortal.Study(X, storage=tmp_path / f"{workers}.sortal") as study:
            study.sweep(["average", "ward"], k=[2, 3], workers=workers)
            found.append(study.candidates["partition"].tolist())
    assert found[0] == found[1]


def test_the_judge_weighs_a_sample_of_large_data(low, monkeypatch):
    from sortal.judge import gather

    monkeypatch.setattr(samples, "MAX_WEIGHED", 300)
    seen = []

    def noted(X, *args, **options):
        seen.append(X.shape)
        return gather(X, *args, **options)

    monkeypatch.setattr("sortal.judge.gather", noted)
    X, truth = blobs()
    study = sortal.Study(X)
    study.sweep(["kmeans", "average"], k=range(2, 6), n_init=1, workers=1)
    best = study.best(stability=False)
    assert seen == [(120, 3)]
    assert "The judge saw a sample of 120 objects." in best.reasons
    assert sortal.adjusted_rand_index(truth, best.labels) > 0.98


class Unlucky(KMeans):
    """Cannot cluster data whose first number is the one that is set."""

    unlucky = None

    def fit_predict(self, X, y=None, sample_weight=None):
        if X[0, 0] == type(self).unlucky:
            raise RuntimeError("not these")
        return super().fit_predict(X)


def agreements(study, **options):
    """What a sample loses, of every candidate that was fitted to one."""
    table = study.candidates
    names = table.index[table["fitted_on"].notna() & table["partition"].notna()]
    return pd.Series({name: sample_agreement(study.state, name, **options) for name in names})


def overlapping(n: int = 600):
    X, _ = blobs(n)
    return X + np.random.default_rng(1).normal(scale=3, size=X.shape)


def second_rows(X, metric="euclidean"):
    drawn = draw_rows(600, 120, jobs.derived_seed(0, "second sample of the objects"))
    return samples.in_order_of_contents(X, metric).rows[drawn]


def test_agreement_of_two_samples_is_that_of_two_fits(low):
    X = overlapping()
    study = sortal.Study(X)
    study.sweep(["average", "ward", "spectral", "kmeans"], k=[3, 4], n_init=2, workers=1)
    found = agreements(study)
    rows = second_rows(X)
    nearest = cdist(X, X[rows]).argmin(axis=1)
    cells = np.array([X[nearest == i].mean(axis=0) for i in range(120)])
    expected = {}
    for k in (3, 4):
        ward = LinkageClustering(k, method="ward").fit_cells(cells, np.bincount(nearest))
        seed = jobs.derived_seed(0, f"spectral k={k} start=0")
        again = {
            "average": LinkageClustering(k, method="average").fit_predict(X[rows]),
            "ward": ward.labels_,
            "spectral": as_clusterer("spectral").make(k, seed).fit_predict(X[rows]),
        }
        for name in (
            f"average k={k}",
            f"ward k={k}",
            *(f"spectral k={k} start={i}" for i in (0, 1)),
        ):
            theirs = again[name.partition(" ")[0]][nearest]
            expected[name] = sortal.adjusted_rand_index(study.labels(name), theirs)
    assert set(found.index) == set(expected)
    np.testing.assert_allclose(found, [expected[name] for name in found.index], rtol=1e-12)
    assert found.min() < 0.9
    table = study.scores()
    assert table.loc[found.index, "fitted_on"].notna().all()
    with pytest.raises(InputError, match="was fitted to all objects"):
        sample_agreement(study.state, "kmeans k=4 start=0")
    with pytest.raises(InputError, match="did you mean"):
        sample_agreement(study.state, "averge k=4")


def test_a_second_sample_of_everything_agrees(low, monkeypatch):
    monkeypatch.setattr(fits.Fits, "fits_sample", lambda self, clusterer: True)
    study = sortal.Study(overlapping(120))
    study.sweep(["average", "ward", "kmeans"], k=[2, 5], n_init=1, workers=1)
    assert study.candidates["fitted_on"].tolist() == [120] * 6
    assert agreements(study).tolist() == [1.0] * 6


def test_agreements_of_a_grid_and_of_another_distance(low):
    X, _ = blobs()
    study = sortal.Study(X, metric="cityblock")
    study.sweep(["average", "hdbscan"], k=[3], grid={"min_cluster_size": [3, 5]}, workers=1)
    found = agreements(study)
    table = study.candidates
    assert table["fitted_on"].notna().all()
    assert found.index.tolist() == table.index[table["partition"].notna()].tolist()
    rows = second_rows(X)
    nearest = cdist(X, X[rows], "cityblock").argmin(axis=1)
    again = LinkageClustering(3, method="average", metric="cityblock").fit_predict(X[rows])
    expected = sortal.adjusted_rand_index(study.labels("average k=3"), again[nearest])
    assert found["average k=3"] == pytest.approx(expected, rel=1e-12)
    assert found.notna().all()


def test_what_was_measured_is_not_fitted_again(low, tmp_path, monkeypatch):
    X = overlapping()
    path = tmp_path / "s.sortal"
    fitted = []
    on_sample = fits.Fits.on_sample

    def noted(self, jobs, sample, **options):
        for outcomes in on_sample(self, jobs, sample, **options):
            fitted.extend(outcome.name for outcome in outcomes)
            yield outcomes

    with sortal.Study(X, storage=path) as study:
        study.sweep(["average", "spectral"], k=[2, 3], n_init=2, workers=1)
        monkeypatch.setattr(fits.Fits, "on_sample", noted)
        found = sample_agreement(study.state, "spectral k=3 start=1")
    with sortal.Study(X, storage=path) as study:
        assert sample_agreement(study.state, "spectral k=3 start=1") == found
        assert fitted == ["spectral k=3 start=0"]
        every = agreements(study)
    fresh = sortal.Study(X)
    fresh.sweep(["average", "spectral"], k=[2, 3], n_init=2, workers=1)
    with ThreadPoolExecutor(2) as pool:
        assert agreements(fresh, executor=pool).to_dict() == every.to_dict()


def test_a_fit_that_fails_on_the_second_sample_has_a_reason(low, monkeypatch):
    X = overlapping()
    monkeypatch.setattr(Unlucky, "unlucky", X[second_rows(X)][0, 0])
    study = sortal.Study(X, by="silhouette")
    unlucky = replace(as_clusterer(Unlucky(n_init=1)), key="unlucky", whole_to=0)
    study.sweep([unlucky], k=[3], n_init=2, workers=1)
    assert set(study.candidates["status"]) == {"ok"}
    why = "the fit to a second sample failed: RuntimeError: not these"
    for _ in range(2):
        with pytest.raises(InputError, match=why):
            sample_agreement(study.state, "unlucky k=3 start=1")
    answer = study.best(stability=False)
    assert answer.sample.agreement is None
    assert answer.sample.reason == why
    assert f"The loss by sampling was not measured: {why}." in answer.reasons


def test_the_clusterer_of_an_agreement_must_be_known(low, tmp_path):
    X, _ = blobs()
    path = tmp_path / "s.sortal"
    mine = {"mine": LinkageClustering(method="complete")}
    with sortal.Study(X, storage=path) as study:
        study.sweep(mine, k=[3], workers=1)
        assert study.candidates["fitted_on"].notna().all()
    with sortal.Study(X, storage=path) as study:
        with pytest.raises(InputError, match="the clusterer mine is not in the catalogue"):
            sample_agreement(study.state, "mine k=3")
        study.sweep(mine, k=[3], workers=1)
        assert sample_agreement(study.state, "mine k=3") > 0


def test_the_choice_says_what_its_sample_loses(low):
    X, _ = blobs()
    study = sortal.Study(X, by="silhouette")
    study.sweep(["average"], k=[3], workers=1)
    assert "another sample" not in str(study.best(second_sample=False))
    assert "another sample gives nearly the same groups" in str(study.best())


def test_a_difference_inside_the_error_is_a_tie():
    values = np.array([0.50, 0.504, 0.40, np.nan])
    errors = np.array([0.004, 0.004, 0.004, np.nan])
    np.testing.assert_allclose(points(values), [2 / 3, 1, 1 / 3, 0])
    np.testing.assert_allclose(points(values, 0 * errors), points(values))
    np.testing.assert_allclose(points(values, errors), [5 / 6, 5 / 6, 1 / 3, 0])


def test_the_consensus_takes_errors_into_account(low):
    X, _ = blobs(700)
    study = sortal.Study(3.0 * X + np.random.default_rng(1).normal(scale=9, size=X.shape))
    X = study.X
    labels = KMeans(3, n_init=1, random_state=0).fit_predict(X)
    moved = labels.copy()
    moved[:3] = (moved[:3] + 1) % 3
    study.add({"mine": labels, "moved": moved, "half": labels > 0})
    values, errors = study.scores(), study.standard_errors()
    voters = [m.key for m in catalogue.select(kind="internal") if m.compares_k and m.key in values]
    families = sortal.measures.measure_map.load_map().families(voters)
    name, family = next((n, keys) for n, keys in families.items() if "silhouette" in keys)
    assert errors.loc["mine", "silhouette"] > 0
    expected = np.mean(
        [points(catalogue[key].sign * values[key].to_numpy(), errors.get(key)) for key in family],
        axis=0,
    )
    plain = np.mean(
        [points(catalogue[key].sign * values[key].to_numpy()) for key in family], axis=0
    )
    votes = study.rank("consensus").loc[values.index, name]
    np.testing.assert_allclose(votes, expected)
    assert not np.allclose(expected, plain)
    study.by = "silhouette"
    other = "moved" if study.best().name == "mine" else "mine"
    assert f"comes first, level with {other}." in str(study.best())
    assert any(f"cannot separate it from {other}" in one for one in study.best().reasons)


def test_one_start_of_every_k_comes_first_and_short_fits_first():
    from sortal.study.request import SweepRequest

    asked = SweepRequest.checked("kmeans", [4, 2, 3], None, 2)
    planned = [
        job
        for name in ("hdbscan", "average", "kmeans")
        for job in jobs.jobs_for(as_clusterer(name), asked.candidates_of(as_clusterer(name), 0))
    ]
    names = [job.candidates[0].name for job in fits.order_of_work(planned)]
    assert names[:6] == [f"kmeans k={k} start={start}" for start in (0, 1) for k in (2, 3, 4)]
    assert names[6].startswith("average")
    assert names[7].startswith("hdbscan")


def test_ward_is_given_all_objects_as_cells(low):
    X, _ = blobs()
    study = sortal.Study(X, by="silhouette")
    study.sweep(["ward", "average"], k=[3], workers=1)
    means, sizes = samples.cells_of(X, study.state.objects.sample)
    assert sizes.sum() == 600
    nearest = cdist(X, X[study.state.objects.sample.rows]).argmin(axis=1)
    np.testing.assert_allclose(means[5], X[nearest == 5].mean(axis=0))
    tree = LinkageClustering(3, method="ward").fit_cells(means, sizes)
    assert (study.labels("ward k=3") == canonical_codes(tree.labels_[nearest])).all()
    study = sortal.Study(X, by="silhouette")
    study.sweep(["ward"], k=[3], workers=1)
    answer = study.best()
    assert "fitted to 120 of 600 rows" in str(answer)
    assert any(one.startswith("It was fitted to cells") for one in answer.reasons)
    assert sample_agreement(study.state, "ward k=3") > 0.9


def test_a_cluster_of_twelve_among_many_is_judged_by_all_that_it_has(low):
    X, truth = blobs(3000)
    X[:12] += 60.0
    truth = truth.copy()
    truth[:12] = 3
    merged = np.where(truth == 3, 0, truth)
    mine = {"apart": truth, "merged": merged}
    exact = sortal.evaluate(X, mine)
    study = sortal.Study(X)
    study.add(mine)
    found, errors = study.scores(), study.standard_errors()
    assert (errors.loc["merged"] > 0).all()  # nothing was drawn whole
    for key in errors:
        apart = (found[key] - exact[key].reindex(found.index)).abs()
        assert (apart <= 5 * errors[key] + 1e-9 * (1 + found[key].abs())).all(), key
    # what rests on that cluster alone is not averaged away
    assert found.loc["apart", "point_wise_margin"] != found.loc["merged", "point_wise_margin"]
    unjudged = [key for key in exact if found[key].isna().any() and exact[key].notna().all()]
    assert "dunn_index" in unjudged
    assert all(study.reasons()["apart"][key] for key in unjudged if key in exact)
