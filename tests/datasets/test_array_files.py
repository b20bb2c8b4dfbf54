"""Arrays under the name of an archive, and archives under that of an array, are told."""

from __future__ import annotations

import numpy as np
import pytest

import karat
from karat.datasets import read, read_labelings
from karat.runtime.validation import InputError

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
    with pytest.raises(InputError, match=r"is not an \.npy file of numbers"):
        karat.silhouette(archive, Y, metric="precomputed")
