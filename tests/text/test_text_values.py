"""Values of texts: words, weights, vectors, topics, messages, and files of documents."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from sortal import text
from values import table_test


def fixtures() -> dict[str, Any]:
    """Documents of three topics, counts, and files."""
    rng = np.random.default_rng(0)
    words = ["wine grape soil vine x", "ship harbour sea sail y2", "bread oven flour salt z"]
    subjects = [subject.split() for subject in words]
    texts = [" ".join(rng.choice(subjects[i % 3], 6)) + " the end's" for i in range(60)]
    y = np.arange(60) % 3
    counts = sparse.csr_array([[2.0, 0, 1, 0], [0, 3, 0, 0], [1, 1, 1, 0], [0, 0, 0, 0]])

    def dense(X: Any) -> Any:
        """Values and type of a sparse matrix."""
        return X.toarray(), str(X.dtype), type(X).__name__

    def vectors(given: Any = texts, then: Any = None, **options: Any) -> Any:
        """What a vectorizer makes of texts."""
        it = text.TextVectorizer(**options)
        X = it.fit_transform(given)
        more = None if then is None else dense(it.transform(then))
        return (X.shape, X.sum(axis=0), it.terms_.tolist(), it.vocabulary_, it.document_frequency_,
                it.weighter_.idf_, more, it.get_feature_names_out().tolist())  # fmt: skip

    return {"vectors": vectors, "texts": texts, "dense": dense, "counts": counts, "y": y}


# fmt: off
CASES = {
    "vectors": [
        lambda vectors: vectors(),
        lambda vectors: vectors(then=["wine ship", "", None, "unknown"]),
        lambda vectors: vectors(["Dogs bark.", "The dog barks!", "Stars shine", "A star, shining"],
            ["the dog star"]),
        lambda vectors: [vectors(weight=w)[1] for w in ("tf", "binary", "bm25-tf", "bm25-tf-idf")],
        lambda vectors: vectors(weight="bm25-tf", k1=2.0, b=.5, norm=None)[1],
        lambda vectors: vectors(stop_words=None, stemmer=None, max_df=1.0)[2],
        lambda vectors: vectors(stop_words=["WINE", "sea"], stemmer="german")[2],
        lambda vectors: vectors(analyzer="bytes", ngram=3, max_bytes=9, max_df=1.0)[2],
        lambda vectors: vectors(["abcd", "abce"], analyzer="bytes", min_df=1, max_df=2)[2:5],
        lambda vectors: vectors(min_df=.3, max_df=.34)[2],
        lambda vectors: vectors(min_df=0, max_df=60)[2],
        lambda vectors: vectors(dtype=np.float32)[0],
        lambda vectors: vectors(min_df=61),
        lambda vectors: vectors(min_df=-1),
        lambda vectors: vectors(max_df=1.5),
        lambda vectors: vectors(min_df=True),
        lambda vectors: vectors(min_df="2"),
        lambda vectors: vectors("one text"),
        lambda vectors: vectors([]),
        lambda vectors: vectors([5, 6]),
        lambda vectors: vectors(["a b"], stop_words="what"),
        lambda vectors: vectors(stemmer="what"),
        lambda vectors: vectors(analyzer="what"),
        lambda vectors: vectors(weight="what"),
        lambda vectors: vectors(norm="l1"),
        lambda vectors: vectors(k1=-1),
        lambda vectors: vectors(b=1.1),
        lambda vectors: vectors(b=-.1),
        lambda vectors: vectors(k1=0, b=0, weight="bm25-tf")[1],
    ],
    "TextVectorizer": [
        lambda texts: str(text.TextVectorizer(dtype=np.float32).fit_transform(texts).dtype),
    ],
    "TermWeighter": [
        lambda dense, counts: [dense(text.TermWeighter(w, norm=n).fit_transform(counts)) for w in
            ("tf-idf", "tf", "binary", "bm25-tf", "bm25-tf-idf") for n in ("l2", None)],
        lambda counts: [(w.idf_, w.mean_length_) for w in [text.TermWeighter().fit(counts)]],
        lambda dense, counts: dense(text.TermWeighter().fit_transform(counts.astype(np.float32))),
        lambda dense, counts: dense(text.TermWeighter("bm25-tf").fit_transform(counts * 0)),
        lambda counts: text.TermWeighter().fit(-counts),
    ],
    "words": [
        lambda: text.words("The B52s' <b>Rock-Lobster</b>, 1978 über x_y"),
    ],
    "byte_ngrams": [
        lambda: [text.byte_ngrams("e-mail", *a) for a in ((), (4, 5), (6,), (7,), (2, 3))],
        lambda: text.byte_ngrams("é"),
    ],
    "telling_terms": [
        lambda texts, y: text.telling_terms(text.TextVectorizer().fit_transform(texts), y,
            text.TextVectorizer().fit(texts).terms_),
        lambda texts, y: text.telling_terms(text.TextVectorizer().fit_transform(texts), np.where(y
            == 2, -1, y * 5), count=2, level=.5),
        lambda counts: text.telling_terms(counts, [0, 1, 0, 1]),
        lambda counts: text.telling_terms(counts, [0, 0, 0, 0]),
        lambda counts: text.telling_terms(counts, [0, 1, 0, 1], ["p", "wine", "é", "q"]),
        lambda counts: text.telling_terms(counts, [0, 1]),
        lambda counts: text.telling_terms(counts, [.5, 1, 0, 0]),
        lambda counts: text.telling_terms(counts, [-1] * 4),
        lambda counts: text.telling_terms(counts, [0, 1, 0, 1], ["p"]),
        lambda counts: text.telling_terms(counts, [0, 1, 0, 1], level=1),
        lambda counts: text.telling_terms(counts, [0, 1, 0, 1], level=0),
    ],
    "topic_quality": [
        lambda texts, y: text.topic_quality(text.TextVectorizer().fit_transform(texts), y),
        lambda texts, y: text.topic_quality(text.TextVectorizer().fit_transform(texts), np.where(y
            == 2, -1, y * 5), count=3),
        lambda counts: text.topic_quality(counts, [0, 1, 0, 1]),
        lambda counts: text.topic_quality(counts, [0, 0, 0, 0]),
    ],
}
# fmt: on

test_values = table_test(__file__, CASES, fixtures)
