"""Files of arrays that are misnamed, damaged or of other content give the reason."""

from __future__ import annotations

import io

import numpy as np
import pytest
from scipy import sparse

import sortal
from sortal import InputError
from sortal.datasets import read, read_labelings

X = np.arange(12.0).reshape(6, 2)
Y = np.repeat([0, 1], 3)


@pytest.fixture
def misnamed(tmp_path):
    """An archive called .npy, and an array called .npz."""

    def write(array):
        np.savez(tmp_path / "x.npz", array)
        (tmp_path / "x.npz").rename(tmp_path / "archive.npy")
        np.save(tmp_path / "x.npy", array)
        (tmp_path / "x.npy").rename(tmp_path / "array.npz")
        return tmp_path / "archive.npy", tmp_path / "array.npz"

    return write


def test_labels(misnamed):
    archive, array = misnamed(Y)
    for path, content in ((archive, ".npz"), (array, ".npy")):
        with pytest.raises(InputError, match=rf"has the content of an {content} file; rename it"):
            read_labelings(path)


def test_data_and_distances(misnamed):
    archive, array = misnamed(X)
    with pytest.raises(InputError, match=r"has the content of an \.npz file; rename it"):
        read(archive)
    with pytest.raises(InputError, match=r"array\.npz"):
        read(array)
    with pytest.raises(InputError, match=r"has the content of an \.npz file"):
        read(archive, kind="distances")
    with pytest.raises(InputError, match=r"has the content of an \.npz file; rename it"):
        sortal.silhouette(archive, Y, metric="precomputed")
    with pytest.raises(InputError, match=r"holds no sparse matrix"):
        sortal.distances.as_graph(archive)


DISTANCES = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))


def _damaged(folder):
    """Files with what is wrong with each."""
    np.save(folder / "whole.npy", DISTANCES)
    sparse.save_npz(folder / "whole.npz", sparse.csr_array(DISTANCES))
    yield "empty.npy", b"", "is damaged or truncated"
    yield "archive.npy", (folder / "whole.npz").read_bytes()[:200], "is damaged or truncated"
    yield "head.npy", (folder / "whole.npy").read_bytes()[:60], "cannot be read"
    yield "cut.npy", (folder / "whole.npy").read_bytes()[:150], "cannot be read"
    yield "text.npy", b"0 1\n1 0\n", "holds Python objects or no arrays"
    parts = io.BytesIO()
    np.savez(parts, format=np.array(b"csr"), shape=np.array([5, 5]), data=np.ones(1))
    yield "parts.npz", parts.getvalue(), "is damaged or truncated|has the content of an"
    yield "rows.npy", (folder / "whole.npy").read_bytes(), "has the content of an"


def test_damaged_distances_and_graphs_give_a_reason(tmp_path):
    for name, content, reason in _damaged(tmp_path):
        path = tmp_path / name
        path.write_bytes(content)
        for read_matrix in (sortal.distances.as_square, sortal.distances.as_graph):
            if (name, read_matrix) == ("rows.npy", sortal.distances.as_square):
                assert np.array_equal(read_matrix(path), DISTANCES)
                continue
            with pytest.raises(InputError, match=reason):
                read_matrix(path)
    with pytest.raises(InputError, match="is damaged or truncated"):
        read(tmp_path / "parts.npz")
