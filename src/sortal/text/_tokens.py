"""Texts to terms: words as doc2mat cuts them, or overlapping runs of bytes."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sortal.runtime.validation import InputError, unknown_name

_WORD = re.compile(r"[^\W_]+")
# remains of "don't" and "we'll" after a cut at the apostrophe
_CONTRACTIONS = (
    *("ain", "aren", "couldn", "d", "didn", "doesn", "don", "hadn", "hasn", "haven", "isn", "ll"),
    *("m", "mightn", "mustn", "needn", "s", "shan", "shouldn", "t", "ve", "wasn", "weren", "won"),
    "wouldn",
)


def words(text: str) -> list[str]:
    """The words of a text in lower case, without those that contain digits.

    Parameters
    ----------
    text : str

    Returns
    -------
    list of str

    Notes
    -----
    As doc2mat does (whissell2012 §5.2): words are separated by anything but letters and digits.

    Examples
    --------
    >>> from sortal.text import words
    >>> words("The B52s' <b>Rock-Lobster</b>, 1978")
    ['the', 'b', 'rock', 'lobster', 'b']
    """
    return [word for word in _WORD.findall(text.lower()) if word.isalpha()]


def byte_ngrams(text: str, length: int = 4, most: int | None = None) -> list[str]:
    """Every run of ``length`` bytes of a text, as Latin-1.

    Parameters
    ----------
    text : str
    length : int, default 4
    most : int, optional
        Number of first bytes to use; by default all.

    Returns
    -------
    list of str

    Notes
    -----
    whissell2012 chapter 7 uses 4 bytes, from the first 2,500.

    Examples
    --------
    >>> from sortal.text import byte_ngrams
    >>> byte_ngrams("e-mail", most=5)
    ['e-ma', '-mai']
    """
    data = text.encode("utf-8", "surrogateescape")[:most].decode("latin-1")
    return [data[i : i + length] for i in range(len(data) - length + 1)]


def stop_list(stop_words: str | Iterable[str] | None) -> frozenset[str]:
    """The words to ignore: ``"english"``, ``None`` for none, or a user-supplied list."""
    if stop_words is None:
        return frozenset()
    if isinstance(stop_words, str):
        if stop_words != "english":
            raise InputError(
                f"stop_words must be 'english', None or a list of words; got {stop_words!r}"
            )
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return ENGLISH_STOP_WORDS.union(_CONTRACTIONS)
    return frozenset(str(word).lower() for word in stop_words)


def stemmer(name: str | None) -> Callable[[list[str]], list[str]]:
    """The function that cuts words to their stems; with ``None`` it leaves them whole."""
    if name is None:
        return list
    import Stemmer

    if name not in Stemmer.algorithms():
        raise unknown_name(name, Stemmer.algorithms(), "stemmer")
    stem: Callable[[list[str]], list[str]] = Stemmer.Stemmer(name).stemWords
    return stem


class TokenCounts(NamedTuple):
    """Documents as rows of token numbers and counts, in the form of a CSR matrix."""

    tokens: list[str]
    indptr: NDArray[np.int64]
    indices: NDArray[np.int64]
    counts: NDArray[np.int64]


def count(lists: Iterable[list[str]]) -> TokenCounts:
    """Count the distinct tokens of each document; tokens are numbered by first appearance."""
    numbers: dict[str, int] = {}
    indptr, indices, counts = array("q", [0]), array("q"), array("q")
    for tokens in lists:
        occurrences = Counter(tokens)
        indices.extend(numbers.setdefault(token, len(numbers)) for token in occurrences)
        counts.extend(occurrences.values())
        indptr.append(len(indices))
    arrays = (np.array(values, dtype=np.int64) for values in (indptr, indices, counts))
    return TokenCounts(list(numbers), *arrays)
