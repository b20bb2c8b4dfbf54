"""Matrices of term counts in files: CLUTO's and LIBSVM's formats, lists of terms."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

LIBSVM = (".svm", ".libsvm", ".svmlight")


def cluto(path: Path, stream: BinaryIO) -> csr_array:
    """Read CLUTO's ``.mat``: a header "rows columns non-zeros", then a line of pairs per row."""
    from scipy import sparse

    lines = stream.read().split(b"\n")
    if not lines[-1]:
        lines.pop()
    if lines[0][:6] == b"MATLAB":
        raise InputError(f"{path} is a MATLAB file; CLUTO's .mat is text. Save it as .mtx or .npz")
    header = _numbers(lines[0], path, 1)
    if len(header) not in (2, 3) or (header % 1).any() or (header < 0).any():
        raise InputError(
            f"{path}, line 1 is {lines[0][:60]!r}; CLUTO's .mat begins with the numbers of rows, "
            "columns and (if sparse) non-zeros"
        )
    n, d = int(header[0]), int(header[1])
    rows = lines[1 : n + 1]
    if len(rows) < n or any(line.strip() for line in lines[n + 1 :]):
        raise InputError(f"{path} says it has {n:,} rows, but has {len(lines) - 1:,} lines of them")
    values = [_numbers(line, path, i) for i, line in enumerate(rows, 2)]
    if len(header) == 2:
        wrong = next((i for i, row in enumerate(values, 2) if len(row) != d), None)
        if wrong is not None:
            raise InputError(f"{path}, line {wrong} has {len(values[wrong - 2])} of {d} values")
        return _finite(sparse.csr_array(np.array(values).reshape(n, d)), path)
    unpaired = next((i for i, row in enumerate(values, 2) if len(row) % 2), None)
    if unpaired is not None:
        raise InputError(f"{path}, line {unpaired} is not pairs of a column and a value")
    flat = np.concatenate(values) if values else np.empty(0)
    columns, counts = flat[::2], flat[1::2]
    if len(counts) != int(header[2]):
        raise InputError(
            f"{path} says it has {int(header[2]):,} non-zeros, but has {len(counts):,}"
        )
    if len(columns) and not 1 <= columns.min() <= columns.max() <= d:
        raise InputError(f"{path} has columns outside 1 .. {d}")
    indptr = np.cumsum([0, *(len(row) // 2 for row in values)])
    matrix = sparse.csr_array((counts, columns.astype(np.int32) - 1, indptr), shape=(n, d))
    matrix.sum_duplicates()
    return _finite(matrix, path)


def libsvm(path: Path, stream: BinaryIO) -> tuple[csr_array, NDArray[Any]]:
    """Read LIBSVM's sparse rows, and the label at the start of each."""
    from scipy import sparse
    from sklearn.datasets import load_svmlight_file

    try:
        X, labels = load_svmlight_file(stream)
    except ValueError as error:
        raise InputError(f"{path} is not in LIBSVM's format: {error}") from None
    return _finite(sparse.csr_array(X), path), labels


def _numbers(line: bytes, path: Path, number: int) -> NDArray[np.float64]:
    """The numbers on a line."""
    try:
        return np.array(line.split(), dtype=np.float64)
    except ValueError:
        raise InputError(
            f"{path}, line {number} is {line[:60]!r}, which is not numbers separated by spaces"
        ) from None


def _finite(matrix: csr_array, path: Path) -> csr_array:
    """The counts, checked to be finite."""
    invalid = np.flatnonzero(~np.isfinite(matrix.data))
    if len(invalid):
        row = int(np.searchsorted(matrix.indptr, invalid[0], side="right"))
        raise InputError(
            f"{path}: {len(invalid):,} counts of terms are missing or infinite, the first in row "
            f"{row} of {matrix.shape[0]:,}; write the count, or leave the term out where it is 0"
        )
    return matrix


def beside(path: Path, endings: tuple[str, ...]) -> Path | None:
    """The first file beside ``path`` with its name or stem and one of the endings."""
    stems = (path.name, path.name.removesuffix(".gz"), path.name.partition(".")[0])
    for stem in stems:
        for ending in endings:
            for compression in ("", ".gz"):
                neighbor = path.with_name(f"{stem}{ending}{compression}")
                if neighbor != path and neighbor.is_file():
                    return neighbor
    return None


def term_names(path: Path, terms: list[str], d: int) -> tuple[str, ...]:
    """The lines of ``path`` as terms, one per column; a repeated term gets a number."""
    if len(terms) != d:
        raise InputError(f"{path} has {len(terms):,} terms, but the matrix has {d:,} columns")
    occurrences = Counter(terms)
    return tuple(t if occurrences[t] == 1 else f"{t} ({j + 1})" for j, t in enumerate(terms))
