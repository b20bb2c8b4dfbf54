"""NumPy's files of arrays and SciPy's of sparse matrices, with clear errors."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import numpy as np

from sortal.runtime.validation import InputError


@contextmanager
def explained_arrays(path: Path) -> Iterator[None]:
    """Turn NumPy's errors for broken and foreign files into one sentence."""
    try:
        yield
    except InputError:
        raise
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        if "Python objects" in str(error) or "pickle" in str(error).lower():
            raise InputError(
                f"{path} holds Python objects or no arrays; save numbers with numpy.save"
            ) from None
        raise InputError(f"{path} cannot be read: {error}") from None
    except (EOFError, KeyError, TypeError, zipfile.BadZipFile) as error:
        raise InputError(f"{path} is damaged or truncated: {error}") from None


def load_array(
    path: Path, *, archive: bool = False, mmap_mode: Literal["r", "c"] | None = None
) -> Any:
    """Array of an ``.npy`` file, or the archive of arrays that an ``.npz`` file is."""
    with explained_arrays(path):
        loaded: Any = np.load(path, mmap_mode=mmap_mode, allow_pickle=False)
    if isinstance(loaded, np.ndarray) == archive:
        stored, wanted = (".npy", ".npz") if archive else (".npz", ".npy")
        misnamed = path.suffix.lower() == wanted
        fix = "rename it to that" if misnamed else f"an {wanted} file is wanted"
        raise InputError(f"{path} has the content of an {stored} file; {fix}")
    return loaded


def load_sparse(path: Path) -> Any:
    """Sparse matrix of a file that :func:`scipy.sparse.save_npz` wrote."""
    from scipy import sparse

    with load_array(path, archive=True) as file:
        if "format" not in file.files:
            raise InputError(
                f"{path} holds no sparse matrix; write one with scipy.sparse.save_npz(path, A)"
            )
    with explained_arrays(path):
        return sparse.load_npz(path)
