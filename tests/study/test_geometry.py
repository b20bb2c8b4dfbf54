"""One distance for clusterers and judges: any kind of object in a study."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist, pdist
from sklearn.cluster import DBSCAN, KMeans
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline

import sortal
from sortal import InputError
from sortal.datasets import from_distances, from_graph, from_objects

NAMES = ["average", "complete", "kmedoids", "hdbscan"]


def directions(n=60, seed=0):
    """Two directions at lengths from 1 to 1,000: clear by angle, hopeless by Euclidean distance."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 2
    angle = np.pi / 2 * truth + rng.normal(scale=0.1, size=n)
    length = 10 ** rng.uniform(0, 3, n)
    return np.column_stack([np.cos(angle), np.sin(angle)]) * length[:, None], truth


def sweep(study, names=NAMES, **options):
    study.sweep(names, k=[2, 3], n_init=2, workers=1, **options)
    return study


def test_a_planted_clustering_by_angle_is_found():
    X, truth = directions()
    study = sweep(sortal.Study(X, metric="cosine"), ["average", "kmeans", "ward", "spectral"])
    for name in ("average k=2", "kmeans on unit rows k=2 start=0", "ward on unit rows k=2"):
        assert adjusted_rand_score(truth, study.labels(name)) == 1
    assert adjusted_rand_score(truth, study.best().labels) == 1
    euclidean = sweep(sortal.Study(X), ["average"])
    assert adjusted_rand_score(truth, euclidean.labels("average k=2")) < 0.5


def of_rows_and_of_matrix(metric, names):
    """Two studies of the same objects: by their features, and by their distances."""
    X = np.random.default_rng(3).gamma(1.0, size=(50, 4)) + 3 * np.repeat(np.eye(2, 4), 25, axis=0)
    of_rows = sweep(sortal.Study(X, metric=metric, column_weights="equal"), names)
    D = sortal.distances.distance_matrix(X, metric)
    return of_rows, sweep(sortal.Study(D, metric="precomputed"), names)


def check_same(of_rows, of_matrix):
    """Partitions, scores and the order by a measure are the same."""
    assert of_rows.candidates["partition"].equals(of_matrix.candidates["partition"])
    a, b = of_rows.scores(), of_matrix.scores()
    shared = [column for column in b if column in sortal.measures.catalogue]
    assert "silhouette" in shared
    assert "informativeness" in shared
    np.testing.assert_allclose(a[shared], b[shared], rtol=1e-7)
    by = of_matrix.rank("silhouette").index
    assert list(of_rows.rank("silhouette").index) == list(by)


def test_their_orders_by_contents_change_nothing_for_trees():
    studies = of_rows_and_of_matrix(
        "euclidean", ["average", "complete", "genie", "weighted", "single"]
    )
    orders = [study.state.objects.contents.rows.tolist() for study in studies]
    assert orders[0] != orders[1]
    check_same(*studies)


def test_a_clusterer_of_means_is_never_run_on_a_matrix():
    X, truth = directions()
    D = cdist(X, X, "cosine")
    study = sortal.Study(D, metric="precomputed", y=truth)
    study.sweep(["kmeans", "ward", "average", "gaussian-mixture"], k=2, workers=1)
    table = study.candidates
    excluded = table[table["status"] == "excluded"]
    assert list(excluded.index) == ["kmeans", "ward", "gaussian-mixture"]
    assert excluded["reason"].str.contains("needs the objects' features").all()
    assert adjusted_rand_score(truth, study.labels("average k=2")) == 1
    with pytest.raises(InputError, match="kmeans has no labels: k-means needs"):
        study.labels("kmeans")
    # again: nothing new, and the ranking has them not
    study.sweep(["kmeans", "average"], k=2, workers=1)
    assert len(study.candidates) == 4
    assert list(study.rank().index) == ["average k=2"]
    only = sortal.Study(D, metric="precomputed")
    only.sweep("kmeans", k=2)
    with pytest.raises(InputError, match="k-means needs the objects' features"):
        only.best()


def test_what_was_excluded_costs_no_bits():
    X, truth = directions()
    few = np.where(np.arange(60) < 30, truth, -1)
    bounds = []
    for names in (["average"], ["average", "kmeans"]):
        study = sweep(sortal.Study(cdist(X, X, "cosine"), metric="precomputed", y=few), names)
        bounds.append(study.best().guarantee.bound_rate)
    assert bounds[0] == bounds[1]


def test_measures_of_means_vote_only_where_there_are_means():
    X, _ = directions()
    votes = {}
    for metric in ("cosine", "cityblock"):
        table = sweep(sortal.Study(X, metric=metric), ["average"]).scores()
        votes[metric] = {"calinski_harabasz_index", "davies_bouldin_index"} & {*table}
    assert len(votes["cosine"]) == 2
    assert not votes["cityblock"]


def apart(x, y):
    return float(abs(x - y).max())


def test_a_function_of_two_rows_is_called_once_for_each_pair(tmp_path):
    X, _ = directions(20)
    calls = []

    def counted(x, y):
        calls.append(1)
        return apart(x, y)

    study = sweep(sortal.Study(X, metric=counted), ["average", "kmedoids", "kmeans"])
    study.best()
    assert len(calls) == 20 * 19 // 2 + 20  # some both ways
    assert study.candidates.loc["kmeans", "status"] == "excluded"
    sortal.write_report(study, tmp_path / "report.html")
    assert len(calls) == 20 * 19 // 2 + 20
    named = sweep(sortal.Study(X, metric="chebyshev"), ["average", "kmedoids", "kmeans"])
    assert (study.candidates["partition"].dropna() == named.candidates["partition"].dropna()).all()


def edits(x, y):
    return float(sum(a != b for a, b in zip(x, y, strict=False)) + abs(len(x) - len(y)))


def test_objects_of_any_kind():
    words = ["aaaa", "aaab", "aaaaa", "zzzz", "zzz", "zzzzy"]
    study = sortal.Study(words, metric=edits)
    study.sweep(k=[2], workers=1)
    assert study.labels("average k=2").tolist() == [0, 0, 0, 1, 1, 1]
    assert study.dataset.ids.tolist() == words
    assert study.metric == "precomputed"
    tuples = sortal.Study([tuple(word) for word in words], metric=edits)
    tuples.sweep("kmedoids", k=2, workers=1)
    assert tuples.labels("kmedoids k=2 start=0").tolist() == [0, 0, 0, 1, 1, 1]


def test_distances_must_be_those_of_the_objects():
    X, truth = directions(20)
    D = cdist(X, X)
    with pytest.raises(InputError, match="truth has 19 labels"):
        sortal.Study(D, metric="precomputed", y=truth[:-1])
    with pytest.raises(InputError, match="ids has 3 values"):
        from_distances(D, ids=["a", "b", "c"])
    wrong = D.copy()
    wrong[2, 7] += 1
    with pytest.raises(InputError, match="not symmetric: from 2 to 7"):
        sortal.Study(wrong, metric="precomputed")
    assert "are not a metric" in from_distances(D**2).notes[0]
    assert not from_distances(D).notes
    dataset = sortal.datasets.from_array(X, ids=[f"object {i}" for i in range(20)])
    from sortal.datasets import with_relation

    related = with_relation(dataset, pdist(X), "precomputed")
    assert related.ids[3] == "object 3"
    with pytest.raises(InputError, match="19 objects, and data has 20"):
        with_relation(dataset, D[1:, 1:], "precomputed")
    with pytest.raises(InputError, match="holds distances, so its metric is 'precomputed'"):
        sortal.Study(from_distances(D), metric="cosine")


def test_a_stored_study_of_distances_is_resumed(tmp_path):
    X, _ = directions(20)
    D, path = cdist(X, X), tmp_path / "d.sortal"
    with sortal.Study(D, metric="precomputed", storage=path) as study:
        sweep(study, ["average", "kmeans"])
        first = study.candidates
    with sortal.Study(from_distances(D), storage=path) as study:
        sweep(study, ["average", "kmeans"])
        assert study.candidates.equals(first)


# -- grids -----------------------------------------------------------------------------------


def test_real_valued_parameters_are_swept():
    X, truth = directions()
    study = sortal.Study(X / np.linalg.norm(X, axis=1, keepdims=True))
    study.sweep({"db": DBSCAN(min_samples=3)}, grid={"eps": [0.05, 0.3, 0.7]}, workers=1)
    assert list(study.candidates.index) == ["db eps=0.05", "db eps=0.3", "db eps=0.7"]
    expected = DBSCAN(eps=0.3, min_samples=3).fit_predict(study.X)
    assert adjusted_rand_score(study.labels("db eps=0.3"), expected) == 1
    assert adjusted_rand_score(truth, study.labels("db eps=0.3")) == 1
    study.sweep("dbscan", grid={"eps": [0.3]}, workers=1)
    assert "dbscan eps=0.3" in study.candidates.index


def test_what_a_grid_cannot_be():
    study = sortal.Study(directions()[0])
    with pytest.raises(InputError, match="parameter that these clusterers are swept by"):
        study.sweep(KMeans(), k=2, grid={"n_init": [1]})
    with pytest.raises(InputError, match="dbscan has no usual values of eps"):
        study.sweep("dbscan")
    with pytest.raises(InputError, match="no value of eps"):
        study.sweep("dbscan", grid={"eps": []})
    with pytest.raises(InputError, match="maps parameters to values"):
        study.sweep("dbscan", grid=[0.1])


def test_the_representation_is_an_axis_of_the_search():
    X = np.random.default_rng(0).normal(size=(60, 5)) + 6 * np.repeat(np.eye(2, 5), 30, axis=0)
    pipelines = {f"{d} components": make_pipeline(PCA(d), KMeans(n_init=1)) for d in (1, 3)}
    for metric in ("euclidean", "cityblock", apart):
        study = sortal.Study(X, metric=metric, column_weights="equal")
        study.sweep(pipelines, k=[2], n_init=1, workers=1)
        labels = study.labels("3 components k=2 start=0")
        assert adjusted_rand_score(np.repeat([0, 1], 30), labels) == 1
    study = sortal.Study(cdist(X, X), metric="precomputed")
    study.sweep(pipelines, k=[2], workers=1)
    assert set(study.candidates["status"]) == {"excluded"}


def test_data_sets_of_distances_and_graphs_say_what_they_are():
    D = pdist(directions(5)[0])
    assert str(from_distances(D)) == "distances: distances of 5 objects"
    assert "a graph of 3 nodes and 2 edges" in str(from_graph([[0, 1, 1], [1, 0, 0], [1, 0, 0]]))
    assert "objects: distances of 3 objects" in str(from_objects(["a", "b", "cc"], edits))


def test_from_a_file_of_distances_to_a_report(tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from sortal.cli import app

    X, truth = directions(40)
    D = cdist(X, X, "cosine")
    np.fill_diagonal(D, 0)  # so that it looks like distances, too
    np.save(tmp_path / "D.npy", D)
    np.save(tmp_path / "X.npy", X)
    monkeypatch.chdir(tmp_path)
    options = ["-c", "average", "-c", "kmeans", "-k", "2:3", "--workers", "1", "--n-init", "1"]
    for name, data in {
        "given": ["D.npy", "--metric", "precomputed"],
        "beside": ["X.npy", "--distances", "D.npy"],
        "cosine": ["X.npy", "--metric", "cosine"],
    }.items():
        report = ["--report", f"{name}.html", "--labels", f"{name}.csv"]
        result = CliRunner().invoke(app, ["run", *data, *options, *report, "--why"])
        assert result.exit_code == 0, result.output
        assert ("1 skipped, e.g. kmeans" in result.output) == (name != "cosine")
        found = pd.read_csv(f"{name}.csv")["cluster"]
        assert adjusted_rand_score(truth, found) == 1
    page = (tmp_path / "given.html").read_text()
    assert "needs the objects" in page
    grid = ["--grid", "eps=0.1:0.3:0.1", "-c", "dbscan", "--workers", "1"]
    result = CliRunner().invoke(app, ["run", "D.npy", "--metric", "precomputed", *grid])
    assert result.exit_code == 0, result.output
    assert "dbscan eps=0." in result.output
    result = CliRunner().invoke(app, ["run", "X.npy", "--grid", "eps=a"])
    assert "--grid takes name=0.1:2:0.1" in str(result.exception)


def communities(n=40, k=2, seed=0):
    """Edges within k communities, and few between."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % k
    A = np.triu(rng.random((n, n)) < np.where(truth[:, None] == truth, 0.6, 0.03), 1)
    return (A + A.T).astype(float), truth


def test_a_graph_with_some_classes(tmp_path):
    A, truth = communities()
    study = sortal.Study(A, metric="graph", y=truth)
    study.sweep(["spectral", "average"], k=[2, 3], n_init=1, workers=1)
    assert study.candidates.loc["average", "status"] == "excluded"
    assert adjusted_rand_score(truth, study.best().labels) == 1
    sortal.write_report(study, tmp_path / "graph.html")


@pytest.mark.quick(1)
@pytest.mark.parametrize("k", [2, 3, 4])
def test_a_graph_without_classes_ends_in_an_answer(k):
    A, truth = communities(60, k)
    study = sortal.Study(A, metric="graph")
    study.sweep(["spectral", "kmeans"], k=range(2, 7), n_init=1, workers=1)
    choice = study.best()
    assert adjusted_rand_score(truth, choice.labels) == 1
    assert choice.decided_by == "consensus"
    assert any("2 families of internal measures voted" in one for one in choice.reasons)
    study.by = "judge"
    assert any("a graph has only edges, so the consensus" in one for one in study.best().reasons)
    study.by = "modularity"
    assert adjusted_rand_score(truth, study.best().labels) == 1
    assert study.candidates.loc["kmeans", "status"] == "excluded"


def test_a_graph_in_parts_with_a_lone_node_ends_in_an_answer(tmp_path):
    A, truth = communities(30, 3)
    A[truth[:, None] != truth] = 0
    A = np.pad(A, (0, 1))
    study = sortal.Study(A, metric="graph")
    assert "falls into 4 parts" in study.dataset.notes[-1]
    study.sweep(["spectral"], k=[2, 3, 4], n_init=1, workers=1)
    assert adjusted_rand_score(truth, study.best().labels[:-1]) == 1
    sortal.write_report(study, tmp_path / "parts.html")


@pytest.mark.long
def test_from_a_file_of_a_graph_to_a_report(tmp_path, monkeypatch):
    from scipy import sparse
    from typer.testing import CliRunner

    from sortal.cli import app

    A, truth = communities(40, 2)
    monkeypatch.chdir(tmp_path)
    sparse.save_npz("G.npz", sparse.csr_array(A))
    sparse.save_npz("short.npz", sparse.csr_array(A[1:, 1:]))
    sparse.save_npz("directed.npz", sparse.csr_array(np.triu(A)))
    pd.DataFrame({"name": [f"node {i}" for i in range(40)], "x": 1.0}).to_csv("nodes.csv")
    options = ["-k", "2:4", "--workers", "1", "--n-init", "1"]
    beside = ["nodes.csv", "--id-column", "name"]

    def run(*arguments):
        return CliRunner().invoke(app, ["run", *arguments, *options, "--why"])

    for name, data in {
        "graph": ["G.npz", "--metric", "graph"],
        "beside": [*beside, "--graph", "G.npz"],
    }.items():
        result = run(*data, "--report", f"{name}.html", "--labels", f"{name}.csv")
        assert result.exit_code == 0, result.output
        assert "2 families of internal measures voted" in " ".join(result.output.split())
        assert adjusted_rand_score(truth, pd.read_csv(f"{name}.csv")["cluster"]) == 1
        assert "Modularity" in (tmp_path / f"{name}.html").read_text()
    assert pd.read_csv("beside.csv")["id"][3] == "node 3"
    for arguments, said in (
        ([*beside, "--graph", "short.npz"], "edges of 39 objects, and nodes has 40"),
        ([*beside, "--graph", "directed.npz"], "of a directed graph"),
        ([*beside, "--graph", "nodes.csv"], "nodes.csv is not a graph"),
        ([*beside, "--graph", "G.npz", "--distances", "G.npz"], "not both"),
        (["G.npz", "--metric", "graph", "--by", "silhouette"], "silhouette"),
    ):
        result = run(*arguments)
        assert result.exit_code
        assert said in str(result.exception), said


# -- once ------------------------------------------------------------------------------------


def noted(x, y):
    """A distance that leaves a trace of each call."""
    with open("calls.txt", "a") as file:
        file.write(".")
    return abs(len(x) - len(y)) + (x[0] != y[0])


def noted_rows(x, y):
    with open("calls.txt", "a") as file:
        file.write(".")
    return float(abs(x - y).max())


@pytest.mark.quick(1)
@pytest.mark.parametrize("rows", [False, True])
def test_a_function_is_called_once_for_each_pair(tmp_path, monkeypatch, rows):
    monkeypatch.chdir(tmp_path)
    words = ["aaaa", "aaa", "aaaaa", "zzzz", "zzz", "zzzzy"]
    given, metric = (directions(6)[0], noted_rows) if rows else (words, noted)
    with sortal.Study(given, metric=metric, storage="s.sortal") as study:
        study.sweep(["average", "kmedoids"], k=[2, 3], n_init=1, workers=1)
        names = list(study.candidates["partition"])
        answer = study.best()
        if rows:
            assert answer.model.rule.metric is not metric
            study.describe()
        sortal.write_report(study, "report.html")
    assert len((tmp_path / "calls.txt").read_text()) == 6 * 5  # few, so all both ways
    with sortal.Study(given, metric=metric, storage="s.sortal") as study:
        assert list(study.candidates["partition"]) == names
    if not rows:
        with pytest.raises(InputError, match="belongs to other data"):
            sortal.Study([*words[1:], "q"], metric=noted, storage="s.sortal")


def test_the_model_of_a_function_takes_the_stored_distances():
    calls = []

    def counted(x, y):
        calls.append(1)
        return float(abs(x - y).max())

    X, _ = directions(40)
    study = sweep(sortal.Study(X, metric=counted))
    study.best()
    before = len(calls)
    # the numbers are those of the same distance by name
    model = study.best().model
    assert len(calls) == before
    assert model.extension_agreement.refitted
    by_name = sweep(sortal.Study(X, metric="chebyshev"))
    labels = study.best().labels
    alike = sortal.Model.of(X, labels, metric="chebyshev", refit=None)
    np.testing.assert_allclose(model.rule.limits, alike.rule.limits)
    assert by_name.best().model.extension_agreement == model.extension_agreement
    further = np.array([[0.5, 0.5], X[3]])
    expected = alike.predict(further)
    predicted = model.predict(further)
    np.testing.assert_allclose(predicted.distances, expected.distances)
    assert 40 <= len(calls) - before < 40 + 200  # 200: of a few rows all pairs are checked


def test_a_function_that_cannot_be_sent_to_other_processes_is_called_here():
    import threading

    lock = threading.Lock()

    def locked(x, y):
        with lock:
            return float(abs(x - y))

    numbers = list(range(110))  # pairs for several processes
    D = sortal.distances.object_distances(numbers, locked, workers=2)
    np.testing.assert_array_equal(D, np.abs(np.subtract.outer(numbers, numbers)))


# -- what is wrong with a matrix -------------------------------------------------------------


def test_a_table_of_distances_in_another_order_is_noticed():
    X, truth = directions(12)
    names = [f"object {i}" for i in range(12)]
    D = pd.DataFrame(cdist(X, X), names, names)
    assert list(from_distances(D).ids) == names
    with pytest.raises(InputError, match="in another order: row 0 is 'object 0'"):
        from_distances(D[names[::-1]])
    with pytest.raises(InputError, match="are others: row 11"):
        from_distances(D.rename(columns={"object 11": "another"}))
    by_name = pd.Series(truth[::-1], names[::-1])
    study = sortal.Study(D, metric="precomputed", y=by_name)
    study.add(pd.DataFrame({"mine": by_name}))
    assert list(study.y) == list(truth)
    assert sortal.adjusted_rand_index(study.labels("mine"), truth) == 1
    with pytest.raises(InputError, match=r"labelings\['mine'\] have different indexes"):
        study.add({"mine": by_name.reset_index(drop=True)})
    dataset = sortal.datasets.from_array(X, ids=names)
    from sortal.datasets import with_relation

    assert with_relation(dataset, D, "precomputed").ids[3] == "object 3"
    shuffled = np.random.default_rng(0).permutation(names)
    joined = with_relation(dataset, D.loc[shuffled, shuffled], "precomputed")
    np.testing.assert_array_equal(joined.X, D)
    others = D.rename(index=lambda name: f"{name}x", columns=lambda name: f"{name}x")
    with pytest.raises(InputError, match="table of distances names its rows by 'id'"):
        with_relation(dataset, others, "precomputed")
    unnamed = sortal.datasets.from_array(X)
    with pytest.raises(InputError, match="table of distances names its rows by 'id'"):
        with_relation(unnamed, D, "precomputed")


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_distances_that_are_not_finite(value):
    D = cdist(*[directions(10)[0]] * 2)
    D[2, 5] = D[5, 2] = value
    said = f"2 of the distances are not finite; that of 2 and 5 is {value}"
    for call in (
        lambda: sortal.Study(D, metric="precomputed"),
        lambda: sortal.silhouette(D, np.arange(10) % 2, metric="precomputed"),
        lambda: sortal.evaluate(D, np.arange(10) % 2, metric="precomputed"),
    ):
        with pytest.raises(InputError, match=said):
            call()


def test_distances_that_are_no_metric_still_cluster():
    rng = np.random.default_rng(0)
    truth = np.arange(30) % 3
    D = np.where(truth[:, None] == truth, 1.0, 10.0) * rng.uniform(0.1, 1, (30, 30))
    D = (D + D.T) / 2
    np.fill_diagonal(D, 0)
    study = sortal.Study(D, metric="precomputed")
    assert "the way over a third object is shorter" in study.dataset.notes[0]
    study.sweep(["average", "kmedoids"], k=[2, 3, 4], n_init=3, workers=1)
    assert adjusted_rand_score(truth, study.labels("average k=3")) == 1


def test_a_report_of_related_objects_has_no_features(tmp_path):
    from sortal.report import render

    A, _ = communities(30, 3)
    graph = sortal.Study(A, metric="graph")
    graph.sweep("spectral", k=[3], n_init=1, workers=1)
    assert '<section id="features"' not in render(graph)
    X, _ = directions(20)
    D = cdist(X, X)
    matrix = sortal.Study(from_distances(D, ids=[f"object {i}" for i in range(20)]))
    matrix.sweep("average", k=[2], workers=1)
    page = render(matrix)
    assert '<ul class="tells">' not in page.partition("<template")[0]
    answer = page.partition("</dl>")[0].partition("<main>")[2]
    assert '<dl class="lead">' in answer
    assert "columns" not in answer
    assert "Groups and columns" not in page
    own = np.flatnonzero(matrix.labels("average k=2") == 0)
    medoid = own[D[np.ix_(own, own)].sum(axis=1).argmin()]
    assert f"</small> object {medoid}</p>" in page
