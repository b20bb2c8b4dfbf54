"""What was decided for a study and done in it, in order; all that tells of the study reads it.

The record is a list of calls in the store. A call of kind ``"settings"`` has the settings as they
are from then on; ``"sweep"`` and ``"add"`` are what was tried. Results never depend on anything
that is not in it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.labelings.labels import NOISE, NoisePolicy, encode
from karat.runtime.validation import StorageError
from karat.study.identity import NoIdentityError, identity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.study.store import Store

# what the fits depend on, or may: another value makes another study
FIXED = ("metric", "random_state", "exact")


@dataclass(frozen=True)
class Settings:
    """What the results of a study depend on, beside the data.

    Attributes
    ----------
    metric : str
        The :func:`~karat.study.identity.identity` of the distance.
    noise : str
    delta : float
    random_state : int
    truth : str or None
        Fingerprint of the classes.
    classes : list, int, "open" or None
        The classes there can be.
    by : str or None
        What decides; None for what suits the truth.
    exact : bool
        Whether nothing is fitted to a sample or estimated from one.
    """

    metric: str = "euclidean"
    noise: NoisePolicy = "drop"
    delta: float = 0.1
    random_state: int = 0
    truth: str | None = None
    classes: Any = None
    by: str | None = None
    exact: bool = False


def settle(
    store: Store, given: dict[str, Any], *, update: bool = False, metric: str = "euclidean"
) -> Settings:
    """The settings of a study, from its record and what is given now.

    Parameters
    ----------
    store : Store
    given : dict
        Settings that the caller names; the others are as recorded, or the defaults.
    update : bool
        Whether other values than the recorded ones may be taken over.
    metric : str
        The distance that suits the data, for a study that has none yet.

    Raises
    ------
    StorageError
        If the study was started with other settings and they may not be changed.
    """
    kept = current(store)
    if kept is None:
        settings = Settings(**({"metric": metric} | given))
        store.record("settings", asdict(settings))
        return settings
    before = asdict(kept)
    others = [key for key, value in given.items() if before[key] != value and key != "by"]
    for key in others:
        was, now = (_told(store, key, value) for value in (before[key], given[key]))
        if key in FIXED:
            raise StorageError(
                f"this study was started with {key} = {was}, not {now}; give that, or use another "
                "storage file"
            )
        if not update:
            raise StorageError(
                f"this study was started with {key} = {was}, not {now}. To judge all of it by "
                "the new value from now on, allow it with update=True (--update on the command "
                "line); otherwise give the old one, or use another storage file"
            )
    settings = Settings(**(before | given))
    store.record("settings", asdict(settings))
    return settings


def current(store: Store) -> Settings | None:
    """The settings as they are now; None for a study that has none yet."""
    calls = store.calls("settings")
    return Settings(**calls[-1][1]) if calls else None


def _told(store: Store, key: str, value: Any) -> str:
    if key != "truth":
        return repr(value)
    if value is None:
        return "none"
    codes, classes = store.truth(value)
    return f"{int((codes != NOISE).sum()):,} labels of {len(classes):,} classes ({value[:8]})"


def keep_truth(store: Store, truth: NDArray[np.object_]) -> str:
    """Keep the classes (None where unknown) in the store and return their fingerprint."""
    codes, classes = _coded(truth)
    fingerprint = fingerprint_of(truth)
    store.add_truth(fingerprint, codes, classes)
    return fingerprint


def fingerprint_of(truth: NDArray[np.object_]) -> str:
    """Equal for equal classes of the same objects."""
    codes, classes = _coded(truth)
    digest = hashlib.sha256(json.dumps(classes).encode())
    digest.update(codes.astype("<i4").tobytes())
    return digest.hexdigest()[:16]


def _coded(truth: NDArray[np.object_]) -> tuple[NDArray[np.int32], list[Any]]:
    known = np.array([value is not None for value in truth])
    encoded = encode(truth[known], name="truth")
    codes = np.full(len(truth), NOISE, dtype=np.int32)
    codes[known] = encoded.codes
    return codes, [_plain(name) for name in encoded.names]


def kept_truth(store: Store, fingerprint: str) -> NDArray[np.object_]:
    """The classes, None where they are not known."""
    codes, classes = store.truth(fingerprint)
    return np.array([*classes, None], dtype=object)[codes]


def _plain(name: Any) -> Any:
    value = name.item() if isinstance(name, np.generic) else name
    return value if isinstance(value, (bool, int, float, str)) else str(value)


WITHOUT = "without identity: "


def stable(thing: Any, what: str, *, needed: bool) -> str:
    """The identity of a metric or clusterer.

    What has none cannot be recognised when the study is resumed, so it is an error where
    ``needed``: in a study that is stored.
    """
    try:
        return identity(thing)
    except NoIdentityError as error:
        text = f"{what}, {WITHOUT}{error} (#{id(thing)})"
        if needed:
            check_identities([text])
        return text


def check_identities(identities: Iterable[str]) -> None:
    """Raise unless everything can be recognised when a stored study is resumed."""
    for text in identities:
        if WITHOUT in text:
            what, _, why = text.partition(f", {WITHOUT}")
            raise StorageError(
                f"{what} cannot be recognised when a stored study is resumed: "
                f"{why.rpartition(' (#')[0]}. Define it as a plain function or class in a module "
                "of its own, or leave out the storage"
            )
