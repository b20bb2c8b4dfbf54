"""Random tables of numbers, flags and categories with known groups and irrelevant columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

    from sortal.typing import Floats, Ints

Rng: TypeAlias = np.random.Generator
#: columns by name, and the group of each object
Drawn: TypeAlias = "tuple[dict[str, Any], Ints]"

SMALLEST, LARGEST = 150, 450


def draw_mixed(kind: str, rng: Rng) -> tuple[pd.DataFrame, Ints]:
    """Random table of a kind: TRAINING, WEAK, EXCLUDED, (EXCLUDED_)GROUPLESS or SQUARES.

    Returns
    -------
    table : DataFrame
        Columns in random order; those that say nothing about the groups are called ``noise``.
    groups : ndarray of int64, shape (n,)
        All 0 for a table without groups.
    """
    import pandas as pd

    kinds = {**TRAINING, **WEAK, **EXCLUDED, **GROUPLESS, **EXCLUDED_GROUPLESS, **SQUARES}
    columns, groups = kinds[kind](rng, int(rng.integers(SMALLEST, LARGEST + 1)))
    names = rng.permutation(list(columns))
    return pd.DataFrame({name: columns[name] for name in names}), groups


# -- columns ---------------------------------------------------------------------------------


def _groups(rng: Rng, n: int, most: int = 6, least_share: float = 0.1) -> Ints:
    """Groups of the objects, of random sizes."""
    k = int(rng.integers(2, most + 1))
    shares = least_share + rng.dirichlet(np.full(k, 5.0))
    groups = rng.choice(k, n, p=shares / shares.sum())
    groups[: 12 * k] = np.arange(12 * k) % k
    return rng.permutation(groups)


def _apart(rng: Rng, groups: Ints, d: int, least: float = 5.5) -> Floats:
    """Group means in d columns, any two of which are ``least`` apart."""
    k = int(groups.max()) + 1
    means: Floats = least * rng.normal(size=(k, d))
    while True:
        gaps = np.linalg.norm(means[:, None] - means[None], axis=2) + np.diag(np.full(k, np.inf))
        if gaps.min() >= least:
            return means
        means = 1.05 * means + rng.normal(size=(k, d))


def _numbers(rng: Rng, groups: Ints, d: int | None = None) -> dict[str, Floats]:
    """Normal columns in units of their own, in which the groups are apart."""
    d = int(rng.integers(2, 6)) if d is None else d
    X = _apart(rng, groups, d)[groups] + rng.normal(size=(len(groups), d))
    return {f"number {j}": x * 10.0 ** rng.integers(-1, 3) for j, x in enumerate(X.T)}


def _coins(rng: Rng, n: int, most: int = 12) -> dict[str, Any]:
    """Irrelevant columns of two values, written in several ways."""
    ways = ([0, 1], ["no", "yes"], [False, True], ["F", "M"])
    return {
        f"noise flag {j}": np.array(ways[rng.integers(4)])[
            (rng.random(n) < rng.uniform(0.15, 0.85)).astype(int)
        ]
        for j in range(rng.integers(1, most + 1))
    }


def _categories(rng: Rng, n: int, most: int = 4) -> dict[str, Any]:
    """Irrelevant columns of three to six categories."""
    return {
        f"noise category {j}": rng.choice(list("uvwxyz")[: rng.integers(3, 7)], n)
        for j in range(rng.integers(1, most + 1))
    }


def _noise(rng: Rng, n: int, most: int = 8) -> dict[str, Floats]:
    """Irrelevant columns of numbers: normal, skewed, even, heavy-tailed, counts."""
    draws: list[Callable[[], Any]] = [
        lambda: rng.normal(50, 10, n), lambda: rng.gamma(1.2, 20, n), lambda: rng.random(n),
        lambda: rng.standard_t(3, n), lambda: rng.poisson(4, n), lambda: rng.lognormal(0, 1, n),
    ]  # fmt: skip
    return {
        f"noise number {j}": draws[rng.integers(len(draws))]()
        for j in range(rng.integers(1, most + 1))
    }


def _flags(rng: Rng, groups: Ints, d: int, sharp: float = 0.9) -> dict[str, Ints]:
    """Columns of 0 and 1 whose shares differ between the groups."""
    k = int(groups.max()) + 1
    is_high = rng.permuted(np.arange(d)[None] % 2 == np.zeros((k, 1)), axis=1)
    shares = np.where(is_high, sharp, 1 - sharp)
    return {
        f"flag {j}": (rng.random(len(groups)) < shares[groups, j]).astype(int) for j in range(d)
    }


# -- kinds -----------------------------------------------------------------------------------


def _with(*more: Callable[..., dict[str, Any]]) -> Callable[[Rng, int], Drawn]:
    """Kind of table whose groups are in numbers, beside irrelevant columns."""

    def draw(rng: Rng, n: int) -> Drawn:
        groups = _groups(rng, n)
        columns: dict[str, Any] = _numbers(rng, groups)
        for of_kind in more:
            columns |= of_kind(rng, n)
        return columns, groups

    return draw


def _latent_classes(rng: Rng, n: int) -> Drawn:
    """Groups in flags and one or two numbers, beside coins."""
    groups = _groups(rng, n, most=4)
    numbers = _numbers(rng, groups, int(rng.integers(1, 3)))
    return numbers | _flags(rng, groups, int(rng.integers(8, 15))) | _coins(rng, n, 4), groups


def _with_their_category(rng: Rng, n: int) -> Drawn:
    """Groups in numbers and a category that mostly goes with them, beside noise."""
    groups = _groups(rng, n)
    of = np.where(rng.random(n) < 0.9, groups, rng.permutation(groups))
    category = {"category": np.array(list("abcdef"))[of]}
    return _numbers(rng, groups) | category | _noise(rng, n, 3) | _coins(rng, n, 3), groups


def _repeated(rng: Rng, n: int) -> Drawn:
    """Groups in numbers, beside an irrelevant number in several units."""
    groups, noise = _groups(rng, n), rng.normal(size=n)
    copies = {f"noise unit {j}": noise * (j + 1) + j for j in range(rng.integers(2, 7))}
    return _numbers(rng, groups) | copies, groups


def _answers(rng: Rng, n: int) -> Drawn:
    """Groups in answers from 1 to 5, beside sex, region and age."""
    groups = _groups(rng, n, most=4)
    k, d = int(groups.max()) + 1, int(rng.integers(10, 21))
    levels = rng.permuted(np.tile(np.linspace(1, 5, k), (d, 1)), axis=1)
    answers = np.clip(np.rint(levels.T[groups] + rng.normal(0, 0.8, (n, d))), 1, 5).astype(int)
    person = {"noise sex": rng.choice(["f", "m"], n), "noise region": rng.choice(list("nesw"), n)}
    return (
        {f"answer {j}": answers[:, j] for j in range(d)}
        | person
        | {"noise age": rng.integers(18, 80, n)},
        groups,
    )


def _heavy(rng: Rng, n: int) -> Drawn:
    """Groups with heavy tails in numbers, beside flags and categories."""
    groups = _groups(rng, n, most=4)
    d = int(rng.integers(3, 6))
    X = 1.8 * _apart(rng, groups, d)[groups] + rng.standard_t(3, (n, d))
    numbers = {f"number {j}": X[:, j] for j in range(d)}
    return numbers | _coins(rng, n, 6) | _categories(rng, n, 2), groups


def _counts(rng: Rng, n: int) -> Drawn:
    """Groups in counts, beside irrelevant counts and flags."""
    groups = _groups(rng, n, most=4)
    k, d = int(groups.max()) + 1, int(rng.integers(4, 9))
    rates = rng.permuted(np.tile(np.geomspace(1, 30, max(k, 2))[:k], (d, 1)), axis=1)
    counts = rng.poisson(rates.T[groups])
    noise = {f"noise count {j}": rng.poisson(rng.uniform(2, 12), n) for j in range(3)}
    return {f"count {j}": counts[:, j] for j in range(d)} | noise | _coins(rng, n, 4), groups


def _categories_alone(rng: Rng, n: int) -> Drawn:
    """Groups in categories, beside irrelevant numbers."""
    groups = _groups(rng, n, most=4)
    words = np.array(list("abcd"))
    columns = {}
    for j in range(rng.integers(6, 11)):
        of = rng.permutation(4)[groups]
        columns[f"category {j}"] = words[
            np.where(rng.random(n) < 0.85, of, rng.integers(4, size=n))
        ]
    return columns | _noise(rng, n, 3), groups


def _unequal(rng: Rng, n: int) -> Drawn:
    """A large group and two small ones in numbers, beside noise of every kind."""
    groups = rng.permutation(np.repeat([0, 1, 2], [n - n // 4, n // 6, n // 4 - n // 6]))
    return _numbers(rng, groups) | _noise(rng, n, 3) | _coins(rng, n, 3), groups


def _corners(rng: Rng, n: int) -> Drawn:
    """Four groups that only three columns together separate, beside normal columns."""
    groups = rng.integers(4, size=n)
    corners = np.array([[0, 0, 0], [1, 1, 0], [1, 0, 1], [0, 1, 1]])
    X = 5 * corners[groups] + 0.9 * rng.normal(size=(n, 3))
    noise = {f"noise number {j}": rng.normal(size=n) for j in range(3)}
    return {f"number {j}": X[:, j] for j in range(3)} | noise, groups


def _moons(rng: Rng, n: int) -> Drawn:
    """Two half circles, beside normal columns."""
    groups = rng.integers(2, size=n)
    angle = np.pi * (rng.random(n) + groups)
    X = np.column_stack([np.cos(angle) + groups, np.sin(angle) + 0.5 * groups])
    X += 0.06 * rng.normal(size=X.shape)
    noise = {f"noise number {j}": rng.normal(0, 0.5, n) for j in range(4)}
    return {"across": X[:, 0], "along": X[:, 1]} | noise, groups


def _nuisance_pair(rng: Rng, n: int) -> Drawn:
    """Groups in numbers, beside two columns that depend on each other alone."""
    groups, factor = _groups(rng, n), rng.normal(size=n)
    pair = {f"noise pair {j}": factor + 0.6 * rng.normal(size=n) for j in range(2)}
    return _numbers(rng, groups, 4) | pair | _coins(rng, n, 3), groups


def _single_column(rng: Rng, n: int) -> Drawn:
    """Two groups in one column alone, beside irrelevant columns."""
    groups = rng.integers(2, size=n)
    number = {"number": 7 * groups + rng.normal(size=n)}
    return number | {f"noise {j}": rng.normal(size=n) for j in range(5)} | _coins(rng, n, 3), groups


def _weak_numbers(rng: Rng, n: int) -> Drawn:
    """Groups whose means differ a little in each of many numbers."""
    groups = _groups(rng, n)
    means = rng.normal(size=(int(groups.max()) + 1, int(rng.integers(8, 25))))
    gaps = np.linalg.norm(means[:, None] - means[None], axis=2)
    X = 5 * means[groups] / gaps[gaps > 0].min() + rng.normal(size=(n, means.shape[1]))
    return {f"number {j}": x for j, x in enumerate(X.T)}, groups


def _rare_marks(rng: Rng, n: int) -> Drawn:
    """Groups in numbers, and a small one that two nearly constant columns mark."""
    groups = _groups(rng, n, most=4)
    numbers = _numbers(rng, groups)
    k, small = (
        int(groups.max()) + 1,
        rng.choice(n, int(rng.integers(6, n // 20 + 7)), replace=False),
    )
    groups[small] = k
    is_marked = (groups == k) & (rng.random((2, n)) < 0.9)
    marks = {"mark 0": is_marked[0] * rng.choice([0.5, 0.8], n), "mark 1": is_marked[1] * 1}
    return numbers | marks, groups


def _own_numbers(rng: Rng, n: int) -> Drawn:
    """Groups each of which is high in a number of its own, and nowhere else."""
    k = int(rng.integers(4, 9))
    groups = rng.permutation(np.arange(n) % k)
    X = rng.normal(size=(n, k)) + rng.uniform(3.5, 6) * np.eye(k)[groups]
    return {f"number {j}": x for j, x in enumerate(X.T)}, groups


def _own_flags(rng: Rng, n: int) -> Drawn:
    """Groups each of which has two flags of its own, rare elsewhere."""
    k = int(rng.integers(4, 9))
    groups = rng.permutation(np.arange(n) % k)
    shares = [
        np.where(groups == j // 2, rng.uniform(0.6, 0.95), rng.uniform(0.01, 0.08))
        for j in range(2 * k)
    ]
    return {f"flag {j}": (rng.random(n) < share) * 1 for j, share in enumerate(shares)}, groups


def _weak_answers(rng: Rng, n: int) -> Drawn:
    """Groups in answers from 1 to 5, most of which are 1."""
    groups = _groups(rng, n, most=5)
    means = rng.normal(1, 1, (int(groups.max()) + 1, int(rng.integers(8, 17))))
    answers = np.clip(np.rint(means[groups] + rng.normal(0, 0.7, (n, means.shape[1]))), 1, 5)
    return {f"answer {j}": x.astype(int) for j, x in enumerate(answers.T)}, groups


def _one_shifted(rng: Rng, n: int) -> Drawn:
    """Groups in four numbers, half of the smallest one apart in a fifth alone."""
    groups = _groups(rng, n, most=5)
    numbers = _numbers(rng, groups, 4)
    is_apart = (groups == np.bincount(groups).argmin()) & (rng.random(n) < 0.5)
    groups[is_apart] = groups.max() + 1
    return numbers | {"fifth": rng.normal(size=n) + 7 * is_apart}, groups


def _weak_shares(rng: Rng, n: int) -> Drawn:
    """Groups in shares that sum to 1, like the parts of a mixture."""
    groups = _groups(rng, n, most=5)
    centers = rng.dirichlet(np.full(int(rng.integers(6, 11)), 1.5), int(groups.max()) + 1)
    shares = rng.gamma(1 + 60 * centers[groups])
    shares /= shares.sum(axis=1, keepdims=True)
    return {f"share {j}": x for j, x in enumerate(shares.T)}, groups


def _weak_counts(rng: Rng, n: int) -> Drawn:
    """Groups in many small counts, most of which are 0."""
    groups = _groups(rng, n, most=5)
    rates = rng.gamma(0.6, 1.5, (int(groups.max()) + 1, int(rng.integers(10, 21))))
    return {f"count {j}": x for j, x in enumerate(rng.poisson(rates[groups]).T)}, groups


def _independent(rng: Rng, n: int) -> Drawn:
    """Independent columns of every kind."""
    columns = _noise(rng, n) | _coins(rng, n, 6) | _categories(rng, n, 3)
    return columns, np.zeros(n, dtype=np.int64)


def _factor(rng: Rng, n: int) -> Drawn:
    """Numbers and flags that go with one factor, without groups."""
    factor = rng.normal(size=n)
    numbers = {f"number {j}": factor + rng.normal(size=n) for j in range(rng.integers(3, 6))}
    flags = {f"flag {j}": (factor + rng.normal(size=n) > 0).astype(int) for j in range(3)}
    return numbers | flags | _coins(rng, n, 3), np.zeros(n, dtype=np.int64)


def _square(count: int, values: Callable[[Rng, int], Any]) -> Callable[[Rng, int], Drawn]:
    """Kind of four groups in two columns, two that depend on these, and irrelevant ones."""

    def draw(rng: Rng, n: int) -> Drawn:
        groups = rng.integers(4, size=n)
        X = np.array([[0, 0], [8, 0], [0, 8], [8, 8]])[groups] + rng.normal(size=(n, 2))
        X = np.column_stack([X, X @ rng.normal(size=(2, 2)) * 0.3 + rng.normal(size=(n, 2))])
        numbers = {f"number {j}": x for j, x in enumerate(X.T)}
        return numbers | {f"noise {j}": values(rng, n) for j in range(count)}, groups

    return draw


def _coin(rng: Rng, n: int) -> Ints:
    """Coin flips."""
    return rng.integers(2, size=n)


Draw: TypeAlias = Callable[[Rng, int], Drawn]
#: kinds for choosing and training
TRAINING: dict[str, Draw] = {
    "numbers and flags": _with(_coins),
    "numbers and categories": _with(_categories),
    "numbers and noise": _with(_noise),
    "everything": _with(_coins, _categories, _noise),
    "latent classes": _latent_classes,
    "a category of the groups": _with_their_category,
    "a number in several units": _repeated,
}
#: kinds where every column counts, each a little or for few objects
WEAK: dict[str, Draw] = {
    "many weak numbers": _weak_numbers,
    "rare marks": _rare_marks,
    "a number for each group": _own_numbers,
    "flags for each group": _own_flags,
    "answers that are mostly 1": _weak_answers,
    "a number for half a group": _one_shifted,
}
#: kinds that nothing is chosen or trained on
EXCLUDED: dict[str, Draw] = {
    "weak shares": _weak_shares,
    "weak counts": _weak_counts,
    "answers from 1 to 5": _answers,
    "heavy tails": _heavy,
    "counts": _counts,
    "categories alone": _categories_alone,
    "unequal sizes": _unequal,
    "three columns together": _corners,
    "half circles": _moons,
    "a pair that goes together": _nuisance_pair,
    "one column": _single_column,
}
#: kinds without groups, for training and excluded
GROUPLESS: dict[str, Draw] = {"independent columns": _independent}
EXCLUDED_GROUPLESS: dict[str, Draw] = {"one factor": _factor}
#: four groups far apart, as the first rule was tried on
SQUARES: dict[str, Draw] = {
    "square alone": _square(0, _coin),
    "square and one coin": _square(1, _coin),
    "square and thirty coins": _square(30, _coin),
    "square and six normal columns": _square(6, lambda rng, n: rng.normal(size=n)),
    "square and eight skewed columns": _square(8, lambda rng, n: rng.exponential(size=n)),
}
