"""Labels in any container as integer codes, with missing labels and outliers settled.

A clustering of ``n`` objects is stored as integer codes ``0..k-1`` in the order of the sorted
cluster names, and ``-1`` for an object in no cluster.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sortal.runtime.validation import InputError, check_choice, on_host
from sortal.typing import Labels

NoisePolicy: TypeAlias = Literal["error", "cluster", "singletons", "drop"]
#: derived: the label of outliers in scikit-learn
NOISE = -1
#: ways to treat objects in no cluster
NOISE_POLICIES: tuple[NoisePolicy, ...] = ("error", "cluster", "singletons", "drop")
#: the label of a row that nobody can read, for a reason that has nothing to do with its class
UNREADABLE = "unreadable"


@dataclass(frozen=True)
class Encoded:
    """One clustering as codes.

    Attributes
    ----------
    codes : ndarray of int32, shape (n,)
        ``0..k-1``; ``-1`` for outliers.
    names : ndarray of object, shape (k,)
        The label of each code: sorted where the labels can be sorted, else by first appearance.
    """

    codes: NDArray[np.int32]
    names: NDArray[np.object_]

    @property
    def n_clusters(self) -> int:
        """Number of clusters, outliers not counted."""
        return len(self.names)


def encode(labels: Labels, *, name: str = "labels") -> Encoded:
    """Codes for labels of any hashable type.

    Parameters
    ----------
    labels : array-like, shape (n,)
        Integers, strings, booleans, any hashable objects; NumPy, pandas, polars, Arrow or a
        list. ``"1"`` and ``1`` are different names. The label ``-1`` marks an outlier.
    name : str
        What the caller calls it, for messages.

    Examples
    --------
    >>> from sortal.labelings.labels import encode
    >>> encode(["b", "a", "b"]).codes
    array([1, 0, 1], dtype=int32)
    >>> encode([7, -1, 7]).codes
    array([ 0, -1,  0], dtype=int32)
    """
    array = _label_array(labels, name)
    if array.ndim != 1:
        raise InputError(f"{name} must be one-dimensional; its shape is {array.shape}")
    if len(array) == 0:
        raise InputError(f"{name} is empty; at least one object is needed")
    if _is_whole(array):
        integer_codes, values = encode_integers(array)
        noise = int(np.searchsorted(values, NOISE))
        if noise == len(values) or values[noise] != NOISE:
            return Encoded(integer_codes, as_names(values.tolist()))
        rank = np.arange(len(values), dtype=np.int32)
        rank[noise:] -= 1
        rank[noise] = NOISE
        return Encoded(rank[integer_codes], as_names(np.delete(values, noise).tolist()))
    codes, names = _factorized(array, name)
    order = [i for i, value in enumerate(names) if not _is_noise(value)]
    with suppress(TypeError):
        order = sorted(order, key=names.__getitem__)
    rank = np.full(len(names), NOISE, dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return Encoded(rank[codes], names[order])


def _factorized(array: NDArray[Any], name: str) -> tuple[NDArray[np.intp], NDArray[np.object_]]:
    """Codes by first appearance, and the labels in that order."""
    import pandas as pd

    try:
        codes, uniques = pd.factorize(array)
    except TypeError as error:
        raise InputError(f"{name} must be one-dimensional and hashable: {error}") from None
    missing = np.flatnonzero(codes < 0)
    if len(missing):
        raise InputError(
            f"{name} has {len(missing)} missing label{'s' if len(missing) > 1 else ''} "
            f"(the first at position {missing[0]}); exclude those objects, "
            "or give them a label of their own (-1 marks outliers)"
        )
    return codes, as_names(uniques.tolist())


def encode_known(labels: Labels, n: int) -> Encoded:
    """Codes of the classes of ``n`` objects, -1 where the class is unknown."""
    array = _label_array(labels, "truth")
    if _is_whole(array) and array.shape == (n,) and (array != NOISE).any():
        return encode(array, name="truth")
    values = known_labels(array, n)
    is_known = np.array([value is not None for value in values])
    classes = encode(values[is_known], name="truth")
    codes = np.full(n, NOISE, dtype=np.int32)
    codes[is_known] = classes.codes
    return Encoded(codes, classes.names)


def known_labels(
    labels: Labels, n: int | None = None, *, name: str = "truth", classes: Iterable[object] = ()
) -> NDArray[np.object_]:
    """Classes of objects, None for those whose class is unknown; whole numbers as integers.

    Either a missing value (None, NaN, NA, masked, a blank text, the text ``nan``) or the number
    ``-1`` marks an object whose class is unknown, not both. If ``-1`` (or its text) is among
    ``classes``, it is no mark but a class, and comes out as the text ``"-1"``. So is ``nan``.

    >>> known_labels([2.0, float("nan"), 1.0])
    array([2, None, 1], dtype=object)
    """
    import pandas as pd

    array = _label_array(labels, name)
    values = as_names(array.tolist() if _is_whole(array) else array)
    if n is not None and len(values) != n:
        raise InputError(f"{name} has {len(values)} labels, but there are {n} objects")
    classes = list(classes)
    missing = pd.isna(values)
    missing |= [_is_blank(value) and value not in classes for value in values]
    minus = np.zeros(len(values), dtype=bool)
    minus[~missing] = [_is_noise(value) for value in values[~missing]]
    if any(_is_noise(value) or value == str(NOISE) for value in classes):
        values[minus] = str(NOISE)
        minus[:] = False
    if missing.any() and minus.any():
        raise InputError(
            f"{name} marks unknown classes in two ways: {missing.sum():,} objects have no label "
            f"and {minus.sum():,} have -1. If -1 is a class, list the classes (classes=, "
            "--classes) or rename it; if it means unknown, leave those labels empty"
        )
    values[missing | minus] = None
    classified = values[~(missing | minus)].tolist()
    if not classified:
        raise InputError(f"{name} names the class of no object; omit it instead")
    if all(isinstance(v, (float, np.floating)) and float(v).is_integer() for v in classified):
        values[:] = [None if value is None else int(value) for value in values]
    return values


def count_labels(labels: NDArray[np.object_], most: int = 8) -> str:
    """A sentence on the number of labels of each class."""
    counts = Counter(value for value in labels if value is not None)
    total = sum(counts.values())
    listed = ", ".join(f"{value} ({count:,})" for value, count in counts.most_common(most))
    more = f", and {len(counts) - most:,} more" if len(counts) > most else ""
    summary = f"{total:,} {'label' if total == 1 else 'labels'} of {len(counts):,} "
    summary += f"{'class' if len(counts) == 1 else 'classes'}: {listed}{more}"
    n_unknown = len(labels) - total
    if n_unknown:
        summary += f"; the class of {n_unknown:,} object{'s' if n_unknown > 1 else ''} is unknown"
    return summary


def alike_names(names: Iterable[Any]) -> str | None:
    """A sentence about names that differ only by blanks around them, None where none do."""
    seen: dict[str, str] = {}
    for name in names:
        if isinstance(name, str):
            earlier = seen.setdefault(name.strip(), name)
            if earlier != name:
                return f"the classes {earlier!r} and {name!r} differ only by blanks around them"
    return None


def none_note(labels: Iterable[object]) -> list[str]:
    """A note if ``none`` is among the classes, which may mean that the class is unknown."""
    names = sorted({str(v) for v in labels if isinstance(v, str) and v.strip().lower() == "none"})
    if not names:
        return []
    return [f"The label {names[0]!r} is a class; leave the label empty where the class is unknown."]


def _is_blank(value: object) -> bool:
    """Whether a label is a text that NumPy and spreadsheets have for a missing one."""
    return isinstance(value, str) and value.strip().lower() in ("", "nan")


def _is_noise(value: object) -> bool:
    """Whether a label is the number -1."""
    number = isinstance(value, (int, float, np.integer, np.floating))
    return number and not isinstance(value, bool) and value == NOISE


def no_order(name: str) -> InputError:
    """The error for a mapping of objects to labels."""
    return InputError(
        f"{name} is a mapping of objects to labels, which has no order; give the labels as a "
        f"sequence in the order of the objects, e.g. [{name}[object] for object in objects]"
    )


def _label_array(labels: Any, name: str) -> Any:
    """A NumPy array or a pandas one, without conversion where that is possible."""
    if isinstance(labels, np.ma.MaskedArray) and np.ma.is_masked(labels):
        unmasked = np.array(labels.data, dtype=object)
        unmasked[np.ma.getmaskarray(labels)] = None
        return unmasked
    labels = on_host(labels, name=name)
    if isinstance(labels, np.ndarray):
        return np.asarray(labels)
    if isinstance(labels, Mapping):
        raise no_order(name)
    if hasattr(labels, "memberships") and hasattr(labels, "harden"):
        raise InputError(
            f"{name} has memberships ({type(labels).__name__}), and hard labels are needed here; "
            f"take {name}.harden(), or judge it with sortal.evaluate, which says what is hardened"
        )
    package = type(labels).__module__.partition(".")[0]
    if package in ("polars", "pyarrow"):
        import pyarrow as pa

        arrow = labels.to_arrow() if package == "polars" else labels
        if pa.types.is_dictionary(arrow.type):
            arrow = arrow.cast(arrow.type.value_type)
        labels, package = arrow.to_pandas(), "pandas"
    if package == "pandas":
        array = getattr(labels, "array", labels)
        return array.to_numpy() if type(array).__name__ == "NumpyExtensionArray" else array
    if hasattr(labels, "to_numpy") or hasattr(labels, "__array__"):
        return np.asarray(labels)
    if isinstance(labels, (str, bytes)) or not isinstance(labels, Iterable):
        raise InputError(f"{name} must be a sequence of labels; got {type(labels).__name__}")
    values = _unboxed(labels)
    types = {type(value) for value in values}
    if types and all(issubclass(each, (int, np.integer)) and each is not bool for each in types):
        integers = np.asarray(values)
        if _is_whole(integers):
            return integers
    return as_names(values)  # NumPy would turn ["1", 1] into strings


def _unboxed(labels: Iterable[Any]) -> list[Any]:
    """A list of labels; of arrays without a dimension, as PyTorch's scalars are, the values."""
    values = list(labels)
    types = set(map(type, values))
    if not any(hasattr(each, "ndim") and not issubclass(each, np.generic) for each in types):
        return values
    return [
        (value if hasattr(value, "item") else np.asarray(value)).item()
        if getattr(value, "ndim", 1) == 0
        else value
        for value in values
    ]


def _is_whole(array: object) -> bool:
    """Whether labels are a NumPy array of integers."""
    return isinstance(array, np.ndarray) and array.dtype.kind in "iu"


def encode_integers(array: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Codes in label order, and the labels; as int64, which the kernel is compiled for."""
    from sortal._kernels import contingency

    if array.dtype == np.uint64 and array.max() > np.iinfo(np.int64).max:
        raise InputError(
            f"integer labels must fit 64 bits with a sign; the greatest is {array.max()}. "
            "Give them as strings, or renumber them"
        )
    codes, values = contingency.encode(array.astype(np.int64, copy=False))
    if (values[1:] < values[:-1]).any():
        order = np.argsort(values)
        rank = np.empty(len(values), dtype=np.int32)
        rank[order] = np.arange(len(values), dtype=np.int32)
        codes, values = rank[codes], values[order]
    return codes, values


def as_names(values: Iterable[Any]) -> NDArray[np.object_]:
    """An array of labels, tuples among them kept whole."""
    return np.fromiter(values, dtype=object)


def outliers_error(name: str, count: float, total: float) -> InputError:
    """The error for outliers without a noise policy."""
    return InputError(
        f"{name} marks {count} of {total} objects as outliers (-1); say what they are: "
        'noise="cluster" (one ordinary cluster), "singletons" (each its own cluster) or "drop" '
        '(exclude them); noise="error" is the default'
    )


def apply_noise_policy(encoded: Encoded, noise: NoisePolicy, *, name: str = "labels") -> Encoded:
    """Apply the noise policy to outliers; only ``"drop"`` leaves codes of ``-1``.

    Parameters
    ----------
    noise : {"error", "cluster", "singletons", "drop"}
        Outliers form one ordinary cluster (``"cluster"``), or each its own (``"singletons"``).
        ``"drop"`` keeps ``-1``, and the judge excludes them. ``"error"`` rejects them.
    name : str
        What the caller calls it, for messages.
    """
    check_choice(noise, NOISE_POLICIES, "noise")
    if noise == "drop" or encoded.codes.min(initial=0) >= 0:
        return encoded
    outliers = encoded.codes == NOISE
    count = int(outliers.sum())
    if noise == "error":
        raise outliers_error(name, count, len(outliers))
    alone = noise == "singletons"
    codes = encoded.codes.copy()
    codes[outliers] = encoded.n_clusters + (np.arange(count) if alone else 0)
    extra = [f"outlier {i}" for i in np.flatnonzero(outliers)] if alone else [NOISE]
    return Encoded(codes, np.append(encoded.names, as_names(extra)))


def is_unreadable(value: Any, classes: Collection[Any] = ()) -> bool:
    """Whether a label says that its row cannot be read; no class may have this name."""
    is_word = isinstance(value, str) and value.strip().lower() == UNREADABLE
    return is_word and UNREADABLE not in map(str, classes)
