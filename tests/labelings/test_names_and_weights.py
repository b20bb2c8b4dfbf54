"""Names, outliers and weights of tables of two labelings, by values computed by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import sortal
from sortal import ContingencyTable, InputError
from sortal.datasets import from_array
from sortal.labelings import NOISE, Dendrogram, apply_noise_policy, encode

TRUE, PRED = np.array([0, 0, 1, 1, 1, 2]), np.array([1, 1, 1, 0, 0, 0])
WEIGHTS = np.array([0.5, 1.0, 2.0, 0.25, 1.0, 4.0])


def test_weights_count_in_the_cells_of_whole_labels():
    table = ContingencyTable(TRUE, PRED, sample_weight=WEIGHTS)
    np.testing.assert_allclose(table.to_array(), [[0, 1.5], [1.25, 2], [4, 0]])


@pytest.mark.parametrize("scale", [0.2, 1e-3])
def test_pairs_of_small_weights_are_sums_of_products(scale):
    w = WEIGHTS * scale
    pairs = ContingencyTable(TRUE, PRED, sample_weight=w).pair_counts
    products = np.triu(np.outer(w, w), 1)
    same_true, same_pred = TRUE[:, None] == TRUE, PRED[:, None] == PRED
    expected = [products[one & other].sum() for one, other in (
        (same_true, same_pred), (~same_true, same_pred), (same_true, ~same_pred),
        (~same_true, ~same_pred),
    )]  # fmt: skip
    np.testing.assert_allclose(list(vars(pairs).values())[:4], expected, rtol=1e-9)


def test_names_that_are_tuples_stay_one_level():
    names = [("a", 1), ("a", 1), ("b", 2)]
    frame = ContingencyTable(names, [0, 1, 1]).to_frame()
    assert frame.index.nlevels == 1
    assert frame.loc[[("b", 2)]].to_numpy().tolist() == [[0, 1]]
    assert ContingencyTable(names, [0, 1, 1]).by_class().index.nlevels == 1


def test_labels_name_the_columns_of_a_frame_of_counts():
    frame = pd.DataFrame([[5, 1], [0, 4]], index=["a", "b"], columns=["x", "y"])
    assert list(ContingencyTable.from_counts(frame).column_names) == ["x", "y"]
    renamed = ContingencyTable.from_counts(frame, labels_pred=["u", "v"])
    assert list(renamed.column_names) == ["u", "v"]
    assert list(renamed.row_names) == ["a", "b"]


def test_outliers_are_excluded_and_counted_out():
    true, pred = encode([0, 0, 1, 1, -1]), encode([0, -1, 1, 1, 1])
    table = ContingencyTable.of_codes(true, pred)
    assert table.to_array().tolist() == [[1, 0], [0, 2]]
    assert table.coverage == 3 / 4
    weighted = ContingencyTable.of_codes(true, pred, np.array([1.0, 3.0, 1.0, 1.0, 9.0]))
    assert weighted.coverage == 3 / 6
    assert ContingencyTable.of_codes(true, encode([-1, -1, -1, -1, 0])) is None


def test_outliers_of_their_own_are_named_by_their_positions():
    alone = apply_noise_policy(encode([3, -1, 3, -1]), "singletons")
    assert list(alone.names[alone.codes]) == [3, "outlier 1", 3, "outlier 3"]
    together = apply_noise_policy(encode([3, -1, 3, -1]), "cluster")
    assert list(together.names[together.codes]) == [3, NOISE, 3, NOISE]


def test_sentences_about_labels():
    nine = np.array(list("abcdefghi"), dtype=object)
    for labels, words in ((nine, "h (1), and 1 more."), (nine[:8], "g (1), h (1).")):
        notes = from_array(np.arange(float(len(labels)))[:, None], y=labels).notes
        assert any(note.endswith(words) for note in notes)
    for labels, is_doubted in ((["a", "b", "a"], False), (["a", "b", "a "], True)):
        said = str(sortal.guarantee([0, 1, 0], labels))
        assert ("'a' and 'a ' differ only by blanks around them" in said) == is_doubted
    for missing, words in ((1, "1 missing label "), (2, "2 missing labels ")):
        with pytest.raises(InputError, match=words):
            sortal.adjusted_rand_index(["a", "b", *[None] * missing], [0] * (2 + missing))


def test_a_dendrogram_is_cut_at_the_usual_numbers_that_it_has():
    X = np.arange(6.0)[:, None] ** 2
    from scipy.cluster.hierarchy import linkage

    assert Dendrogram(linkage(X)).cuts == (2, 3, 4, 5)
    assert Dendrogram(linkage(X[:2])).cuts == (2,)
