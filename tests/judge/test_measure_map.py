"""The map of the measures: families, opinions, the packaged file, what is recommended."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from scipy.stats import spearmanr

import sortal
from sortal import InputError, StorageError
from sortal.measures import catalogue
from sortal.measures.families import cut, rank_correlation
from sortal.measures.measure_map import load_map

DATA_KINDS = ("shapes", "tables", "texts")


def test_rank_correlation_is_spearmans():
    values = np.random.default_rng(0).integers(0, 6, size=(30, 4)).astype(float)
    np.testing.assert_allclose(rank_correlation(values), spearmanr(values).statistic)


def test_an_undefined_value_is_the_least():
    values = np.array([[1.0, 3.0], [2.0, np.nan], [3.0, 4.0]])
    least = np.array([[1.0, 3.0], [2.0, 0.0], [3.0, 4.0]])
    np.testing.assert_allclose(rank_correlation(values), rank_correlation(least))


def test_families_are_those_of_average_linkage():
    R = np.corrcoef(np.random.default_rng(1).normal(size=(9, 6)))
    apart = squareform(1 - R, checks=False)
    expected = fcluster(linkage(apart, "average"), 0.8, "distance")
    families = cut(R, 0.8)
    assert 1 < len(set(families)) < 9
    np.testing.assert_array_equal(expected[:, None] == expected, families[:, None] == families)
    assert list(dict.fromkeys(families)) == list(range(len(set(families))))


# -- the packaged map ----------------------------------------------------------------------------


def test_the_packaged_map_is_of_measures_of_the_catalogue():
    measure_map = load_map()
    assert set(measure_map.keys) <= set(catalogue)
    R = measure_map.rho.to_numpy()
    np.testing.assert_array_equal(R, R.T)
    assert (np.abs(R) <= 1).all()


def test_what_is_the_same_by_definition_is_the_same():
    """Of hard clusters Xie & Beni's index is Ray & Turi's; McClain & Rao's is one over another."""
    groups = load_map().same()
    assert any({"ray_turi_index", "xie_beni_index"} <= set(group) for group in groups)
    assert any({"between_within_ratio", "mcclain_rao_index"} <= set(group) for group in groups)
    R = load_map().rho
    for group in groups:
        assert R.loc[group, group].to_numpy().min() > 0.98


def test_each_measure_is_of_one_family():
    measure_map = load_map()
    voters = list(measure_map.together.index)
    families = measure_map.families(voters)
    assert sorted(key for members in families.values() for key in members) == sorted(voters)
    assert 3 <= len(families) < len(voters) / 2
    stable = measure_map.together
    for members in families.values():
        outside = [key for key in voters if key not in members]
        inside = stable.loc[members, members].to_numpy().mean()
        assert inside > 0.6
        assert stable.loc[members, outside].to_numpy().mean(axis=1).max() < 0.2


def test_what_is_no_map_is_refused(tmp_path):
    file = tmp_path / "map.json"
    file.write_text("{}", encoding="utf-8")
    with pytest.raises(StorageError, match="map-of-measures"):
        load_map(str(file))


# -- what is recommended ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", DATA_KINDS)
def test_no_two_recommended_measures_are_of_one_family(kind):
    measure_map, advice = load_map(), sortal.recommend(kind=kind)
    assert len(advice) == 3
    assert advice["rho"].is_monotonic_decreasing
    near = measure_map.agreement[kind].loc[measure_map.together.index]
    eligible = near[near["collections"] == near["collections"].max()]
    families = measure_map.families(eligible.index)
    homes = [n for n, members in families.items() for key in advice.index if key in members]
    assert len(set(homes)) == 3
    best = sorted(eligible.loc[members, "rho"].max() for members in families.values())[-3:]
    assert sorted(advice["rho"]) == best
    for key, others in advice["instead_of"].items():
        (members,) = (members for members in families.values() if key in members)
        assert sorted([key, *filter(None, others.split(", "))]) == sorted(members)


def test_what_data_look_like():
    from scipy import sparse

    shapes, tables, texts = (sortal.recommend(kind=kind) for kind in DATA_KINDS)
    for given, expected in (
        (["one text", "another"], texts), (sparse.csr_matrix(np.eye(4)), texts),
        (np.eye(4)[:, :2], shapes), (pd.DataFrame(np.eye(4)), tables), ("tables", tables),
    ):  # fmt: skip
        pd.testing.assert_frame_equal(sortal.recommend(given), expected)


def test_nothing_is_guessed():
    with pytest.raises(InputError, match="'shapes', 'tables', 'texts'"):
        sortal.recommend()
    with pytest.raises(InputError, match="got 'graphs'"):
        sortal.recommend(kind="graphs")
    with pytest.raises(InputError, match=r"kind must be one of .*'tables'.*got 'my tables'"):
        sortal.recommend("my tables")
