"""The pass over pairs on a GPU, on processors: NumPy, array-api-strict's devices, torch."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import karat
from karat.distances import as_distances, distances_of_parts
from karat.labelings.partitions import as_labelings
from karat.measures.passes import accelerated
from karat.measures.passes.accelerated import ERROR, AcceleratedTiles, error_of
from karat.measures.passes.pairs import pair_pass, sampled_pass
from karat.measures.passes.tiles import Known
from karat.runtime.accelerators import Accelerator, accelerator_of, find_accelerator
from karat.runtime.validation import InputError
from karat.study import large

pytest.importorskip("array_api_compat", reason="array-api-compat is not installed")
strict = pytest.importorskip("array_api_strict", reason="array-api-strict is not installed")
EVERYTHING = dict.fromkeys(["sums", "minima", "maxima", "inverses", "matrices", "objects"], True)


def gpu():
    """What behaves as one: arrays that NumPy cannot read, and no others mix with."""
    return strict.Device("device1")


def places():
    yield Accelerator(np, "cpu")
    yield Accelerator(strict, gpu())
    try:
        import array_api_compat.torch as torch
    except ImportError:
        return
    yield Accelerator(torch, torch.device("cpu"))


@pytest.fixture(params=list(places()), ids=lambda place: place.xp.__name__)
def place(request):
    return request.param


@pytest.fixture
def small_tiles(monkeypatch):
    """So that a hundred objects take several, and the last of them are narrower."""
    monkeypatch.setattr(accelerated, "ROWS", 37)
    monkeypatch.setattr(accelerated, "WIDTH", 29)
    monkeypatch.setattr(accelerated, "FEATURES", 24)
    monkeypatch.setattr(accelerated, "GATHERED", 200)


def distances_on(place, X, metric="euclidean"):
    """All of them, put together from tiles."""
    distances = as_distances(X, metric)
    n, one = distances.n, np.zeros((distances.n, 1), dtype=np.int32)
    starts, wanted = np.array([0, 1]), np.ones(4, dtype=bool)
    known = Known(one[:, 0], np.ones(n), one, starts, wanted)
    tiles = AcceleratedTiles(distances, known, place)
    out = np.empty((n, n))
    for j in range(0, n, 29):
        for r in range(0, n, 37):
            r1, j1 = min(r + 37, n), min(j + 29, n)
            tile = tiles.tile(r, r1, tiles._strip(j, j1))
            assert tile.dtype == place.xp.float32
            out[r:r1, j:j1] = karat.runtime.validation.on_host(tile)
    out *= tiles.scale
    return out if distances.squared else out**2


def exact_distances(X):
    X = X.astype(np.longdouble)
    return np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))


def hard_cases():
    rng = np.random.default_rng(7)
    normal = rng.normal(size=(90, 6))
    far = normal * 1e-4 + rng.integers(0, 4, (90, 1)) * 1e3
    line = np.linspace(0, 1, 90)[:, None] ** 8
    yield "one feature", line
    yield "many features", rng.normal(size=(70, 300))
    yield "few of many features", rng.normal(size=(70, 2)) @ rng.normal(size=(2, 200))
    yield "equal coordinates", rng.normal(size=(60, 1)) * np.full(256, 1 / 3)
    yield "offset", normal + 1e6
    yield "offset of many features", rng.normal(size=(70, 100)) + 1e6
    yield "tight and far apart", far
    yield "pairs in pairs", np.repeat(normal[:45], 2, axis=0) + rng.normal(size=(90, 6)) * 1e-9
    yield "coincident", np.repeat(normal[:9], 10, axis=0) + 1e5
    yield "constant", np.full((60, 3), 1 / 3)
    yield "outlier", np.vstack([normal, np.full(6, 1e9)])
    yield "far outlier", np.vstack([normal, np.full(6, 1e30)])
    yield "tiny", normal * 1e-40
    yield "huge", normal * 1e40
    yield "scales", normal * np.exp(-20 * rng.random((90, 1)))
    yield "integers", rng.integers(0, 3, (90, 4)).astype(float)
    yield "single precision", normal.astype(np.float32)
    yield "one object", normal[:1]


HARD_CASES = dict(hard_cases())


@pytest.mark.usefixtures("small_tiles")
@pytest.mark.parametrize("X", HARD_CASES.values(), ids=HARD_CASES)
def test_every_distance_is_within_the_stated_error(place, X):
    found, exact = distances_on(place, X), exact_distances(X)
    apart = ~np.eye(len(X), dtype=bool)
    assert (np.abs(found - exact) <= ERROR * exact)[apart].all()
    assert_array_equal((found == 0)[apart], (exact == 0)[apart])


@pytest.mark.parametrize("d", [128, 256, 700])
def test_sums_strictly_in_order_of_equal_products_are_within_it_too(d):
    """The worst order for the worst case: each rounding errs in the direction of the last."""

    def matmul(A, B):
        if A.dtype != np.float32:
            return A @ B
        return np.add.accumulate(A[:, :, None] * B[None], axis=1, dtype=np.float32)[:, -1]

    names = {name: getattr(np, name) for name in dir(np) if not name.startswith("__")}
    place = Accelerator(SimpleNamespace(**names | {"matmul": matmul}), "cpu")
    for size in (0.1, 1 / 3, 0.7, 1.0):
        X = np.linspace(0.05, 1, 60)[:, None] * np.full(d, size)
        found, exact = distances_on(place, np.vstack([X, -X])), exact_distances(np.vstack([X, -X]))
        assert (np.abs(found - exact) <= ERROR * exact)[exact > 0].all()


@pytest.mark.usefixtures("small_tiles")
def test_every_cosine_distance_is_within_twice_that(place):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 90)) + 3 * rng.integers(0, 2, (80, 1))
    X[10:20] = X[20:30] * rng.random((10, 1)) + rng.normal(size=(10, 90)) * 1e-7
    X[5] = 2 * X[4]
    unit = X.astype(np.longdouble)
    unit /= np.sqrt((unit**2).sum(axis=1))[:, None]
    exact = exact_distances(unit) ** 2 / 2
    found = distances_on(place, X, "cosine")
    assert_allclose(found, exact.astype(float), rtol=2 * ERROR, atol=1e-15)


def assert_same(found, wanted, error):
    """Results of a pass whose distances have a relative error."""
    for name in ("sums", "minima", "maxima", "farthest"):
        assert_allclose(getattr(found, name), getattr(wanted, name), rtol=error)
    n = len(wanted.objects[0])
    # silhouettes; margins; nearest; sums; inverse squares
    for column, (relative, absolute) in enumerate(
        [(0, 2), (2, 0), (1, 0), (1, 0), (1, 0), (1, 0), (2, 0), (2, 0)]
    ):
        options = {"rtol": 1.01 * relative * error, "atol": absolute * error}
        assert_allclose(found.objects[..., column], wanted.objects[..., column], **options)
    # within, between, and the same of inverse squares; nearest, farthest; silhouettes; margins
    for column, (relative, absolute) in enumerate(
        [(1, 0), (1, 0), (2, 0), (2, 0), (1, 0), (1, 0), (1, 0), (0, 2 * n), (2, 0)]
    ):
        options = {"rtol": 1.01 * relative * error, "atol": absolute * error}
        assert_allclose(found.per_cluster[:, column], wanted.per_cluster[:, column], **options)


@st.composite
def problems(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, d = draw(st.integers(1, 90)), draw(st.sampled_from([1, 2, 5, 70]))
    centers = rng.normal(size=(4, d)) * draw(st.sampled_from([0.0, 1.0, 1e3]))
    X = rng.normal(size=(n, d)) + centers[rng.integers(0, 4, n)]
    X += draw(st.sampled_from([0.0, 1e6]))
    if draw(st.booleans()):
        X = X[rng.integers(0, max(n // 2, 1), n)]
    if draw(st.booleans()):
        X = X.astype(np.float32)
    labelings = {
        "some": rng.integers(-1, 4, n),
        "one": np.zeros(n, dtype=int),
        "singletons": np.arange(n),
        "halves": np.arange(n) * 2 // n,
    }
    weights = rng.choice([0.5, 1.0, 3.0], n) if draw(st.booleans()) else None
    return X, labelings, weights


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean"])
@settings(max_examples=25, deadline=None)
@given(problem=problems(), which=st.integers(0, len(list(places())) - 1))
def test_a_pass_equals_that_of_the_processors(metric, problem, which):
    X, labelings, weights = problem
    distances, batch = as_distances(X, metric), as_labelings(labelings, noise="drop")
    wanted = pair_pass(distances, batch, weights, **EVERYTHING)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(accelerated, "ROWS", 37)
        patch.setattr(accelerated, "WIDTH", 29)
        found = pair_pass(distances, batch, weights, on=list(places())[which], **EVERYTHING)
    assert_same(found, wanted, error_of(metric, sparse=False))


@pytest.mark.usefixtures("small_tiles")
@pytest.mark.parametrize("name", ["far outlier", "tiny", "scales", "coincident"])
def test_sums_of_squares_neither_overflow_nor_vanish(place, name):
    X = HARD_CASES[name]
    distances, batch = as_distances(X, "sqeuclidean"), as_labelings(np.arange(len(X)) % 7)
    wanted = pair_pass(distances, batch, **EVERYTHING)
    assert_same(pair_pass(distances, batch, on=place, **EVERYTHING), wanted, 2 * ERROR)


@pytest.mark.usefixtures("small_tiles")
def test_a_sampled_pass_too(place, monkeypatch):
    monkeypatch.setattr("karat.measures.passes.pairs.BLOCK_ROWS", 50)
    rng = np.random.default_rng(3)
    X, sample = rng.normal(size=(170, 5)) + 100, rng.choice(170, 40, replace=False)
    batch = as_labelings(rng.integers(0, 4, (3, 170)))
    distances = distances_of_parts(X)
    wanted = {"sums": True, "minima": True, "inverses": True}
    exact = sampled_pass(distances, batch, sample, **wanted)
    found = sampled_pass(distances, batch, sample, **wanted, on=place)
    assert_allclose(found[..., 0], exact[..., 0], atol=2 * ERROR)
    assert_allclose(found[..., 1:], exact[..., 1:], rtol=2 * ERROR)


def example():
    X, y = karat.datasets.read("iris", label_column="species").X, np.repeat([0, 1, 2], 50)
    return X, {"right": y, "wrong": np.arange(150) % 4}, y


def on_gpu(values):
    return strict.asarray(values, device=gpu())


@pytest.mark.parametrize(
    ("metric", "error"),
    [("euclidean", ERROR), ("cosine", 2 * ERROR), ("mahalanobis", ERROR), ("cityblock", 0)],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_evaluate_takes_arrays_that_lie_there(metric, error, weighted):
    X, labelings, y = example()
    weights = np.arange(150) % 3 + 0.5
    options = {"metric": metric, "sample_weight": weights if weighted else None}
    wanted = karat.evaluate(X, labelings, truth=y, **options)
    if weighted:
        options["sample_weight"] = on_gpu(weights)
    placed = {name: on_gpu(labels) for name, labels in labelings.items()}
    found = karat.evaluate(on_gpu(X), placed, truth=on_gpu(y), **options)
    assert_allclose(found.table, wanted.table, rtol=4 * error, atol=4 * error)
    assert found.reasons == wanted.reasons
    assert found.distance_error == error
    assert wanted.distance_error == 0
    assert ("single precision" in str(found)) == (error > 0)
    # it was there that the distances were computed
    same = (found.table == wanted.table)["silhouette"].all()
    assert same == (error == 0)


def test_what_reads_no_distances_of_pairs_is_exact():
    X, labelings, _ = example()
    keys = ["calinski_harabasz_index", "davies_bouldin_index", "simplified_silhouette"]
    found = karat.evaluate(on_gpu(X), labelings, measures=keys)
    assert found.distance_error == 0
    assert_array_equal(found.table, karat.evaluate(X, labelings, measures=keys).table)


def test_explain_names_it():
    X, labelings, _ = example()
    options = {"measures": ["silhouette", "davies_bouldin_index"]}
    plan = karat.explain(on_gpu(X), labelings, **options)
    assert "pairs: O(n² d), on array_api_strict.Device('device1') (array_api_strict)" in str(plan)
    assert str(plan).count("device1") == 1
    assert "device1" not in str(karat.explain(on_gpu(X), labelings, metric="cityblock"))
    assert "device1" not in str(karat.explain(X, labelings, **options))


def test_estimates_use_it_too():
    X, labelings, _ = example()
    options = {"measures": ["silhouette", "ratio_cut"], "precision": 0.2}
    found = karat.evaluate(on_gpu(X), labelings, **options)
    wanted = karat.evaluate(X, labelings, **options)
    assert_allclose(found.table, wanted.table, rtol=4 * ERROR)
    assert found.distance_error == ERROR
    assert not found.table.equals(wanted.table)


def test_other_forms_of_input():
    X, labelings, _ = example()
    both = np.stack(list(labelings.values()))
    wanted = karat.evaluate(X, both, measures=["silhouette"])
    placed = karat.evaluate(X, on_gpu(both), measures=["silhouette"])
    assert_array_equal(placed.table, wanted.table)
    listed = karat.evaluate(X, [on_gpu(row) for row in both], measures=["silhouette"])
    assert_array_equal(listed.table, wanted.table)
    square = karat.distances.distance_matrix(X)
    of_square = karat.evaluate(on_gpu(square), both, measures=["silhouette"], metric="precomputed")
    assert of_square.distance_error == 0
    assert_allclose(of_square.table, wanted.table, rtol=1e-9)
    assert karat.silhouette(on_gpu(X), on_gpu(both[0])) == pytest.approx(wanted.table.iloc[0, 0])
    sparse_rows = karat.evaluate(sparse.csr_array(X), both, measures=["silhouette"])
    assert sparse_rows.distance_error == 0


def test_arrays_in_main_memory_are_judged_as_numpy_is():
    X, labelings, _ = example()
    wanted = karat.evaluate(X, labelings)
    found = karat.evaluate(strict.asarray(X), labelings)
    assert found.distance_error == 0
    assert_array_equal(found.table, wanted.table)


def test_torch_arrays():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    X, labelings, y = example()
    wanted = karat.evaluate(X, labelings, truth=y)
    placed = {name: torch.asarray(labels) for name, labels in labelings.items()}
    tensor = torch.asarray(X).requires_grad_()
    found = karat.evaluate(tensor, placed, truth=torch.asarray(y))
    assert_array_equal(found.table, wanted.table)
    narrow = karat.evaluate(torch.asarray(X).bfloat16(), labelings, measures=["silhouette"])
    assert narrow["silhouette"]["right"] == pytest.approx(wanted["silhouette"]["right"], abs=0.02)
    with pytest.raises(InputError, match="array of torch that cannot be turned"):
        karat.evaluate(torch.asarray(X).to_sparse(), labelings)
    with pytest.raises(InputError, match="array of torch that cannot be turned"):
        karat.evaluate(torch.ones(4, 2, device="meta"), [0, 0, 1, 1])
    assert accelerator_of(tensor) is None


def test_what_has_no_numpy_form_is_rejected():
    class Odd:
        __module__ = "oddlib"

        def __array_namespace__(self):
            return np

        def __array__(self, *args, **kwargs):
            raise RuntimeError("quantized")

    with pytest.raises(InputError, match="X is an array of oddlib that cannot be turned into one"):
        karat.evaluate(Odd(), [0, 1])


def test_products_of_few_digits_are_rejected():
    def matmul(A, B):  # TF32 keeps ten bits after the first
        rounded = [strict.round(X * 1024) / 1024 for X in (A, B)]
        return strict.matmul(*rounded)

    names = {name: getattr(strict, name) for name in dir(strict) if not name.startswith("__")}
    namespace = SimpleNamespace(**names | {"matmul": matmul})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("array_api_compat.array_namespace", lambda values: namespace)
        with pytest.raises(InputError, match="TF32"):
            karat.evaluate(on_gpu(example()[0]), example()[1])


def test_a_device_without_double_precision_is_not_used(monkeypatch):
    def eye(*args, dtype, device):
        raise TypeError("no float64")

    names = {name: getattr(strict, name) for name in dir(strict) if not name.startswith("__")}
    namespace = SimpleNamespace(**names | {"eye": eye})
    monkeypatch.setattr("array_api_compat.array_namespace", lambda values: namespace)
    assert accelerator_of(on_gpu(np.ones((2, 2)))) is None


def test_without_the_extra_the_processors_do_it(monkeypatch):
    monkeypatch.setattr("karat.runtime.accelerators.find_spec", lambda name: None)
    X, labelings, _ = example()
    found = karat.evaluate(on_gpu(X), labelings, measures=["silhouette"])
    assert found.distance_error == 0
    assert find_accelerator() is None


def test_torch_and_cupy_are_asked_for_a_gpu(monkeypatch):
    """Both as they would look: their namespaces, and where their devices are named."""
    cuda = SimpleNamespace(is_available=lambda: True, current_device=lambda: 1)
    modules = {
        "torch": SimpleNamespace(cuda=cuda, device=lambda kind, number: gpu()),
        "cupy": SimpleNamespace(cuda=SimpleNamespace(Device=gpu)),
        "array_api_compat.torch": strict,
        "array_api_compat.cupy": strict,
    }
    installed = {"array_api_compat", "torch"}
    monkeypatch.setattr("karat.runtime.accelerators.import_module", modules.__getitem__)
    monkeypatch.setattr(
        "karat.runtime.accelerators.find_spec", lambda name: name in installed or None
    )
    assert find_accelerator() == Accelerator(strict, gpu())
    cuda.is_available = lambda: False
    assert find_accelerator() is None
    installed.add("cupy")
    assert find_accelerator() == Accelerator(strict, gpu())
    modules["cupy"].cuda.Device = lambda: 1 / 0  # no driver
    assert find_accelerator() is None
    installed.remove("array_api_compat")
    assert find_accelerator() is None


def test_nothing_is_imported_for_numpy():
    code = (
        "import sys, karat; karat.evaluate([[0.0], [1], [5]], [0, 0, 1]); "
        "assert not {'torch', 'cupy', 'array_api_compat'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.fixture
def seen(monkeypatch):
    """A machine with a GPU that pays from the first pair on."""
    monkeypatch.setattr(large, "ACCELERATE", 0)
    monkeypatch.setattr("karat.study.trying.find_accelerator", lambda: Accelerator(strict, gpu()))


def studied(**options):
    X, labelings, _ = example()
    study = karat.Study(X, **options)
    study.add(labelings)
    return study


def judged(study):
    return study.scores(progress=False)[["silhouette", "dunn_index", "davies_bouldin_index"]]


def test_a_study_plans_it_and_says_so(seen, tmp_path, monkeypatch):
    said = "in single precision, each to a relative error of 1e-05"
    with monkeypatch.context() as without:
        without.setattr("karat.study.trying.find_accelerator", lambda: None)
        with studied(storage=tmp_path / "iris.karat") as study:
            wanted = judged(study)
            assert said not in str(study.plan(["kmeans"], k=[2]))
            assert said not in str(study.best())
    with studied(storage=tmp_path / "iris.karat") as study:
        assert said in str(study.plan(["kmeans"], k=[2]))
        assert said in str(study.best())
        found = judged(study)
    assert_allclose(found, wanted, rtol=4 * ERROR)
    # stored values of double precision are not taken for it
    assert not found["silhouette"].equals(wanted["silhouette"])
    assert found["davies_bouldin_index"].equals(wanted["davies_bouldin_index"])


def test_few_pairs_and_other_distances_look_for_none(monkeypatch):
    def find():
        raise AssertionError

    monkeypatch.setattr("karat.study.trying.find_accelerator", find)
    assert studied().accelerator is None
    monkeypatch.setattr(large, "ACCELERATE", 0)
    assert studied(metric="cityblock").accelerator is None
    assert karat.Study(sparse.csr_array(example()[0])).accelerator is None
    assert studied(metric=lambda x, y: abs(x - y).sum()).accelerator is None


def test_a_study_goes_on_without_a_gpu_that_fails(seen, monkeypatch):
    def add(*args):
        raise RuntimeError("out of memory")

    monkeypatch.setattr(AcceleratedTiles, "add", add)
    study = studied()
    with pytest.warns(RuntimeWarning, match="computed by the processors: .* failed .out of mem"):
        found = judged(study)
    assert study.accelerator is None
    assert "single precision" not in str(study.best())
    monkeypatch.setattr(large, "ACCELERATE", np.inf)
    assert found.equals(judged(studied()))


def test_an_executor_judges_on_its_own_processors(seen):
    study = studied()
    with ThreadPoolExecutor(1) as executor:
        study.evaluate(executor=executor)
    assert study.accelerator is None
