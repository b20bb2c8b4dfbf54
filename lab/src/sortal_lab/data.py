"""Location and reading of the experiments' data sets.

They are in one folder: that of ``--data``, else that of the environment variable ``SORTAL_DATA``,
else ``sortal`` in the user's cache. Sets that sortal packages are read from there.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sortal import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

VARIABLE = "SORTAL_DATA"
#: where data sets that are not there are drawn, and which were, a line each
SIMULATED, DRAWN = "SORTAL_SIMULATED", "simulated.txt"
#: the names of the only data sets of the registry, where not all are asked for
ONLY = "SORTAL_ONLY"


def data_folder() -> Path:
    """The folder of the data sets, whether it exists or not."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else cache_folder()


def cache_folder() -> Path:
    """``sortal`` in the user's cache."""
    home = Path.home()
    if sys.platform == "win32":
        cache = os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local"
    elif sys.platform == "darwin":
        cache = home / "Library" / "Caches"
    else:
        cache = os.environ.get("XDG_CACHE_HOME") or home / ".cache"
    return Path(cache) / "sortal"


@contextmanager
def data_in(
    folder: str | Path | None,
    *,
    simulated: str | Path | None = None,
    only: Sequence[str] = (),
) -> Iterator[None]:
    """Use this folder of data sets within the context, also in processes started there.

    What is not there is drawn in the same shape into ``simulated``, where that is given. Of the
    registry there are ``only`` these, where any are named.
    """
    before = {name: os.environ.get(name) for name in (VARIABLE, SIMULATED, ONLY)}
    variables = {VARIABLE: folder, SIMULATED: simulated, ONLY: " ".join(only) or None}
    os.environ |= {name: str(value) for name, value in variables.items() if value is not None}
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


def index() -> dict[str, dict[str, Any]]:
    """Entries of all data sets: kind, size, sources, files and their SHA-256."""
    only = os.environ.get(ONLY, "").split()
    return {name: e for name, e in _registry().items() if name in only or not only}


@cache
def _registry() -> dict[str, dict[str, Any]]:
    """Entries of all data sets, by name."""
    entries = json.loads(files("sortal_lab").joinpath("datasets.json").read_text("utf-8"))
    return {entry["name"]: entry for entry in entries}


def is_packaged(name: str) -> bool:
    """Whether sortal brings the data set."""
    import sortal.datasets

    return name in sortal.datasets.available()


def locate(name: str) -> Path:
    """The main file of a data set, all of whose files are there.

    All readers come through here.

    Raises
    ------
    InputError
        If a file is missing, and nothing is to be simulated.
    """
    return _folder_of(name) / str(index()[name]["path"])


def _folder_of(name: str) -> Path:
    """Folder with the files of a data set."""
    folder = data_folder()
    absent = [file for file in index()[name]["sha256"] if not (folder / file).is_file()]
    if absent and os.environ.get(SIMULATED):
        return _simulated(name)
    if absent:
        why = f"named by {VARIABLE} or --data" if os.environ.get(VARIABLE) else "the cache"
        raise InputError(
            f"the data set {name} is not there: {' and '.join(absent)} would be in "
            f"{folder.absolute()} ({why}); fetch it with sortal lab fetch {name} (--all: "
            "every data set), put the files there, or name the folder that has them with --data "
            f"or {VARIABLE}"
        )
    return folder


def absent() -> list[str]:
    """The data sets that are neither packaged nor in the folder."""
    folder = data_folder()
    return [
        name
        for name, entry in index().items()
        if not is_packaged(name) and not all((folder / file).is_file() for file in entry["sha256"])
    ]


def _simulated(name: str) -> Path:
    """The folder with a simulated data set; that it was needed is written there."""
    from sortal_lab.simulated import simulate

    folder = Path(os.environ[SIMULATED])
    if not all((folder / file).is_file() for file in index()[name]["sha256"]):
        simulate(index()[name], folder)
    with open(folder / DRAWN, "a", encoding="utf-8") as file:
        file.write(f"{name}\n")
    return folder


def points(
    name: str,
    *,
    impute: Literal["drop", "median"] = "drop",
    scale: Literal["auto", "none"] = "auto",
) -> tuple[NDArray[np.float64], NDArray[np.object_]]:
    """Features and classes of a table; objects that lack a value are dropped or imputed.

    ``scale``: as sortal scales what a user reads, or not at all. Packaged sets are never scaled.
    """
    import sortal.datasets

    if is_packaged(name):
        data_set = sortal.datasets.load(name)
    else:
        data_set = sortal.datasets.read(
            locate(name), label_column="label", impute=impute, scale=scale
        )
    names = [str(value) for value in np.asarray(data_set.y)]
    if is_packaged(name):
        # numbered as they appear: the order of the classes in the collections
        order = list(dict.fromkeys(names))
        names = [str(order.index(value)) for value in names]
    return np.asarray(data_set.X, dtype=np.float64), np.array(names, dtype=object)


def benchmark(name: str) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Points and reference labelings (L, n) of a benchmark set, ``-1`` where an object is noise."""
    import pandas as pd

    X = pd.read_csv(locate(name)).to_numpy(dtype=np.float64)
    folder = _folder_of(name)
    paths = index()[name]["labels"]
    labels = [
        pd.read_csv(folder / path)["label"].to_numpy(dtype=np.int64) - 1
        for path in ([paths] if isinstance(paths, str) else paths)
    ]
    return X, np.stack(labels)


def term_counts(name: str) -> tuple[Any, NDArray[np.object_]]:
    """Counts of terms as float64 (documents, terms), and the classes."""
    from scipy import sparse

    counts = sparse.csr_array(sparse.load_npz(locate(name))).astype(np.float64)
    labels = _folder_of(name) / str(index()[name]["labels"])
    with gzip.open(labels, "rt", encoding="utf-8") as file:
        return counts, np.array(file.read().split("\n")[:-1], dtype=object)


def records(name: str) -> list[dict[str, str]]:
    """The documents of a collection of texts or e-mails."""
    with gzip.open(locate(name), "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]
