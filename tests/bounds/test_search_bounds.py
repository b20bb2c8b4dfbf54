"""The language of a study charges for all that was searched."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sortal import InputError
from sortal.bounds import Searched, b_always, study_bounds, study_guarantee

N = 240
RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 3, N)
Y = np.where(RNG.random(N) < 0.3, TRUTH, -1)


def grid(names, *, k, starts=1) -> Searched:
    """Every clusterer with every k; starts for all of them, or by clusterer (else 1)."""
    times = starts if isinstance(starts, dict) else dict.fromkeys(names, starts)
    return Searched({name: dict.fromkeys(k, times.get(name, 1)) for name in names})


def noisy(k: int) -> np.ndarray:
    return np.where(RNG.random(N) < 0.1, RNG.integers(0, k, N), TRUTH % k)


def test_bits_by_hand() -> None:
    searched = grid(["kmeans", "average"], k=[2, 3, 4], starts={"kmeans": 10})
    labelings = {"km-3": noisy(3), "av-4": noisy(4)}
    origins = [("kmeans", 3), ("average", 4)]
    table = study_bounds(labelings, Y, searched=searched, origins=origins).table
    total = 1 / 2 + 1 / 6 + 1 / 12
    assert table.loc["km-3", "choice_bits"] == pytest.approx(
        1 + math.log2(6 * total) + math.log2(10)
    )
    assert table.loc["av-4", "choice_bits"] == pytest.approx(1 + math.log2(12 * total))
    assert (table["bits"] == table["choice_bits"] + table["label_bits"]).all()


def test_more_search_costs_more() -> None:
    labelings = [noisy(3)]
    small = grid(["a"], k=[3])
    wide = grid(list("abcdefgh"), k=range(2, 40), starts=20)
    few, many = (
        study_bounds(labelings, Y, searched=s, origins=[("a", 3)]).best for s in (small, wide)
    )
    assert few.choice_bits == 0
    assert many.choice_bits > 9
    assert many.bound > few.bound


def test_an_open_list_has_its_whole_price_at_every_number_of_labels() -> None:
    options = {"origins": [("a", 3)], "anytime": True}
    listed, open_list = (
        study_bounds([noisy(3)], Y, classes=classes, **options).table.iloc[0]  # type: ignore[arg-type]
        for classes in ([0, 1, 2], None)
    )
    counts = np.bincount(Y[Y >= 0])
    price = math.log2(math.comb(N, 3) * 3 * 4 / math.prod(counts.tolist()))
    assert open_list["label_bits"] - listed["label_bits"] == pytest.approx(price)
    m, n, errors = (int(open_list[c]) for c in ("labelled", "unlabelled", "errors"))
    level = math.log(0.1) - open_list["bits"] * math.log(2)
    assert open_list["bound"] == b_always(m, n, errors, log_delta=level)


def test_starts_that_agree_share_their_words() -> None:
    same = noisy(3)
    labelings = [same, (same + 1) % 3, same, noisy(3)]
    table = study_bounds(labelings, Y, origins=[("a", 3)] * 4).table
    assert table["choice_bits"].tolist() == pytest.approx([math.log2(4 / 3)] * 3 + [2.0])


def test_clusterings_of_the_user_are_one_more_group_and_a_warning() -> None:
    bounds = study_bounds([noisy(3), noisy(3), noisy(2)], Y, origins=[("a", 3), None, None])
    assert bounds.table["choice_bits"].tolist() == pytest.approx([1.0, 2.0, 2.0])
    assert any("without looking at the labels" in w for w in bounds.warnings)
    assert any("without looking at the labels" in w for w in bounds.best.warnings)
    clean = study_bounds([noisy(3)], Y, origins=[("a", 3)])
    assert clean.warnings == ()


def test_what_was_not_counted_is_rejected() -> None:
    plan = grid(["a"], k=[2, 3])
    with pytest.raises(InputError, match="searched counts 1"):
        study_bounds([noisy(2), noisy(2)], Y, searched=plan, origins=[("a", 2)] * 2)
    with pytest.raises(InputError, match="searched counts 0"):
        study_bounds([noisy(2)], Y, searched=plan, origins=[("b", 2)])
    with pytest.raises(InputError, match="from the user"):
        study_bounds([noisy(2)], Y, searched=plan, origins=[None])
    with pytest.raises(InputError, match="2 candidates, but 1 origins"):
        study_bounds([noisy(2), noisy(2)], Y, origins=[("a", 2)])


def test_outliers_may_be_left_out() -> None:
    labels = noisy(3)
    labels[:30] = -1
    bounds = study_bounds([labels, noisy(3)], Y, origins=[("a", 3), ("b", 3)], noise="drop")
    table = bounds.table
    assert table["labelled"].iloc[0] == (Y[30:] >= 0).sum()
    assert table["labelled"].iloc[1] == (Y >= 0).sum()


def test_the_guarantee_of_a_study_pays_for_the_search_and_prefers_few_clusters() -> None:
    fine = TRUTH * 4 + RNG.integers(0, 4, N)
    labelings = {"coarse": TRUTH, "fine": fine}
    rows = np.flatnonzero(Y >= 0)
    guarantee = study_guarantee(labelings, Y, origins=[("kmeans", 3), ("kmeans", 12)])
    assert guarantee.name == "coarse"
    assert guarantee.tested == len(rows) - len(rows) // 2
    bounds = study_bounds(labelings, Y, origins=[("kmeans", 3), ("kmeans", 12)])
    assert (guarantee.mdl.table["choice_bits"] == bounds.table["choice_bits"]).all()
    assert guarantee.mdl.delta == pytest.approx(0.1 * 0.08)
    liked = study_guarantee(
        labelings, Y, origins=[("kmeans", 3), ("kmeans", 12)], prior=[1e-30, 0.9]
    )
    assert liked.name == "fine"
    shares = 2.0 ** -liked.mdl.table["choice_bits"]
    assert shares.sum() == pytest.approx(1, abs=1e-6)
    plain_shares = 2.0 ** -bounds.table["choice_bits"]
    ratio = (shares["fine"] / shares["coarse"]) ** 2
    assert ratio == pytest.approx(0.9 / 1e-30 * plain_shares["fine"] / plain_shares["coarse"])
    user = study_guarantee(labelings, Y, origins=[None, None])
    assert any("supplied" in warning for warning in user.warnings)
    with pytest.raises(InputError, match="sum to at most 1"):
        study_guarantee(labelings, Y, origins=[None, None], prior=[0.9, 0.9])
