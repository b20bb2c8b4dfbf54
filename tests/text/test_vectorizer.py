"""Texts to weighted terms: tokens, pruning, weights, names."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from sortal import InputError
from sortal.text import WEIGHTS, TermWeighter, TextVectorizer, byte_ngrams, words

PLAIN = {"stop_words": None, "stemmer": None, "min_df": 1, "max_df": 1.0}


@pytest.mark.quick(24)
@parametrize_with_checks([TermWeighter(), TermWeighter("bm25-tf", norm=None)])
def test_estimator_contract(estimator, check):
    check(estimator)


def naive_weight(counts, weight, k1, b):
    """SPEC 7 entry by entry."""
    n, d = counts.shape
    lengths = counts.sum(axis=1)
    mean = lengths.mean()
    out = np.zeros((n, d))
    for i in range(n):
        for j in range(d):
            tf = counts[i, j]
            if tf == 0:
                continue
            value = float(tf)
            if weight == "binary":
                value = 1.0
            if weight.startswith("bm25"):
                value = tf * (k1 + 1) / (tf + k1 * ((1 - b) + b * lengths[i] / mean))
            if weight.endswith("idf"):
                value *= math.log(n / np.count_nonzero(counts[:, j]))
            out[i, j] = value
        norm = math.sqrt((out[i] ** 2).sum())
        if norm > 0:
            out[i] /= norm
    return out


@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize(("k1", "b"), [(20.0, 1.0), (1.2, 0.75), (0.0, 0.0)])
def test_weights_are_those_of_the_definition(weight, k1, b):
    counts = np.random.default_rng(1).poisson(0.7, size=(30, 12)).astype(float)
    counts[4] = 0
    model = TermWeighter(weight, k1=k1, b=b)
    made = model.fit_transform(sparse.csr_array(counts))
    assert sparse.issparse(made)
    np.testing.assert_allclose(made.toarray(), naive_weight(counts, weight, k1, b), atol=1e-12)
    np.testing.assert_array_equal(counts, np.round(counts))


def test_long_documents_are_those_beyond_the_mean_that_was_learned():
    """BM25 by hand: lengths 1, 3 and 0 have the mean 4/3."""
    model = TermWeighter("bm25-tf", k1=2.0, b=0.5, norm=None)
    model.fit(np.array([[1.0, 0.0], [1.0, 2.0], [0.0, 0.0]]))
    assert model.mean_length_ == pytest.approx(4 / 3)
    made = model.transform(np.array([[4.0, 0.0]])).toarray()
    assert made[0, 0] == pytest.approx(4 * 3 / (4 + 2 * (0.5 + 0.5 * 4 / (4 / 3))))


def test_tf_idf_agrees_with_scikit_learn_up_to_its_added_one():
    counts = np.random.default_rng(2).poisson(1.0, size=(40, 9)).astype(float)
    theirs = TfidfTransformer(smooth_idf=False, norm=None).fit_transform(counts).toarray()
    ours = TermWeighter(norm=None).fit_transform(counts).toarray()
    np.testing.assert_allclose(ours, theirs - counts)


def test_new_documents_are_weighed_by_the_fitted_ones():
    vectorizer = TextVectorizer(**PLAIN, norm=None).fit(["a b", "a c", "c c"])
    np.testing.assert_allclose(
        vectorizer.transform(["a a zebra", "b"]).toarray(),
        [[2 * math.log(3 / 2), 0, 0], [0, math.log(3), 0]],
    )


def test_words():
    assert words("Don't e-mail A4, naïve_Straße!") == ["don", "t", "e", "mail", "naïve", "straße"]
    assert words("x2 2x 22 x") == ["x"]


def test_stop_words_and_stems():
    vectorizer = TextVectorizer(min_df=1, max_df=1.0)
    vectorizer.fit(["The computers don't compute", "computer computer isn't it"])
    assert vectorizer.get_feature_names_out().tolist() == ["computer"]
    assert list(vectorizer.vocabulary_) == ["comput"]
    without_stemmer = clone(vectorizer).set_params(stop_words=["Computer"], stemmer=None)
    assert "computer" not in without_stemmer.fit(["computer the compute"]).terms_
    assert "the" in without_stemmer.terms_
    german = clone(vectorizer).set_params(stop_words=None, stemmer="german")
    assert len(german.fit(["Häuser Haus", "Hauses"]).terms_) == 1


def test_pruning_by_document_frequency():
    texts = ["a b c", "a b", "a b d", "a"]
    of = {**PLAIN}
    assert TextVectorizer(**{**of, "min_df": 2}).fit(texts).terms_.tolist() == ["a", "b"]
    assert TextVectorizer(**{**of, "min_df": 2, "max_df": 0.75}).fit(texts).terms_.tolist() == ["b"]
    assert TextVectorizer(**{**of, "max_df": 1}).fit(texts).terms_.tolist() == ["c", "d"]
    with pytest.raises(InputError, match="lower min_df or raise max_df"):
        TextVectorizer(**{**of, "min_df": 5}).fit(texts)
    for wrong in (-1, 1.5, "3", None):
        with pytest.raises(InputError, match="min_df must be"):
            TextVectorizer(**{**of, "min_df": wrong}).fit(texts)


def test_document_frequencies_are_those_of_the_texts():
    rng = np.random.default_rng(3)
    texts = [" ".join(rng.choice(list("abcdefgh"), rng.integers(0, 9))) for _ in range(50)]
    vectorizer = TextVectorizer("tf", **PLAIN, norm=None)
    X = vectorizer.fit_transform(texts)
    having = Counter(letter for text in texts for letter in set(text.split()))
    assert dict(zip(vectorizer.terms_, vectorizer.document_frequency_, strict=True)) == having
    for i, text in enumerate(texts):
        counted = Counter(text.split())
        assert [counted[t] for t in vectorizer.terms_] == X[[i]].toarray().ravel().tolist()
    np.testing.assert_array_equal(X.toarray(), vectorizer.transform(texts).toarray())


def test_byte_ngrams():
    assert byte_ngrams("abcdef") == ["abcd", "bcde", "cdef"]
    assert byte_ngrams("é", 2) == ["Ã©"]
    assert byte_ngrams("abc") == []
    vectorizer = TextVectorizer("binary", analyzer="bytes", min_df=2, max_df=1.0, max_bytes=5)
    X = vectorizer.fit_transform(["hello world", "Hello w", "jello!"])
    assert vectorizer.terms_.tolist() == ["ello"]
    assert X.toarray().ravel().tolist() == [1, 1, 1]


def test_empty_documents_are_objects():
    X = TextVectorizer(**PLAIN).fit_transform(["a b", "", None, "b c", "???"])
    assert X.shape == (5, 3)
    np.testing.assert_array_equal(np.diff(X.indptr), [2, 0, 0, 2, 0])


def test_float32_and_small_indices():
    X = TextVectorizer(**PLAIN, dtype=np.float32).fit_transform(["a b", "b c"])
    assert X.dtype == np.float32
    assert X.indices.dtype == np.int32


def test_input_validation():
    with pytest.raises(InputError, match="give a list of texts"):
        TextVectorizer().fit("one text")
    with pytest.raises(InputError, match="text 1 is 7"):
        TextVectorizer().fit(["a", 7])
    with pytest.raises(InputError, match="there are no texts"):
        TextVectorizer().fit([])
    with pytest.raises(InputError, match="did you mean 'porter'"):
        TextVectorizer(stemmer="portr").fit(["a"])
    with pytest.raises(InputError, match="weight must be one of"):
        TermWeighter("bm25").fit([[1]])
    with pytest.raises(InputError, match="b from 0 to 1"):
        TermWeighter("bm25-tf", b=2).fit([[1]])


def test_a_term_of_no_document_has_a_finite_weight():
    fitted = TermWeighter().fit(sparse.csr_array([[1.0, 0.0], [2.0, 0.0]]))
    np.testing.assert_array_equal(fitted.idf_, [0.0, 0.0])


def test_scikit_learn_is_told_that_it_takes_texts():
    tags = get_tags(TextVectorizer())
    assert (tags.input_tags.string, tags.input_tags.two_d_array) == (True, False)
