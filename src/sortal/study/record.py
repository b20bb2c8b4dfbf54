"""The record of a study: the settings that decide, and the calls that tried something."""

from __future__ import annotations

import hashlib
import json
import warnings
import zlib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.judge import Judge, load_judge
from sortal.labelings.labels import NoisePolicy
from sortal.runtime.validation import StorageError
from sortal.runtime.version import __version__
from sortal.study.identity import NoIdentityError, identity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sortal.study.store import Store

#: settings that fits may depend on: another value makes another study
FIXED = ("metric", "random_state", "exact")


@dataclass(frozen=True)
class Settings:
    """The settings of a study that decide its results together with the data and the calls."""

    #: the :func:`~sortal.study.identity.identity` of the distance
    metric: str = "euclidean"
    noise: NoisePolicy = "drop"
    delta: float = 0.1
    random_state: int = 0
    #: fingerprint of the classes
    truth: str | None = None
    #: all possible classes
    classes: Any = None
    #: what decides; None for the default with or without classes
    by: str | None = None
    #: whether everything is computed from all objects, never from a sample
    exact: bool = False
    #: version and digest of the learned judge, as ``version#digest``
    judge: str = ""
    #: fingerprint of the must-link and cannot-link pairs
    constraints: str | None = None
    #: whether sortal's own sweep is compared with the user's clusterings
    reference: bool = True


class Record:
    """The settings of a study and its calls, in order.

    Iterating gives pairs of a kind and its content: ``"settings"`` in force from then on,
    ``"sweep"`` and ``"add"``. Results follow from the record and the data alone. ``changes`` are
    the settings that the caller names; ``metric`` is the default distance for the data. A
    StorageError names recorded settings that differ and may not change without ``update``.
    """

    def __init__(
        self,
        store: Store,
        changes: dict[str, Any],
        *,
        update: bool = False,
        metric: str = "euclidean",
    ) -> None:
        self._store = store
        self._calls: tuple[int, str] = -1, ""
        self.judge = load_judge()
        recorded = store.calls("settings")
        if recorded:
            self.settings = Settings(**recorded[-1][1])
            check_unchanged(store, self.settings, changes, update=update)
            self._resume_judge()
        else:
            self.settings = Settings(metric=metric, judge=_name_of(self.judge))
        self.change(**changes)

    def __iter__(self) -> Iterator[tuple[str, dict[str, Any]]]:
        return iter(self._store.calls())

    @property
    def sweeps(self) -> list[dict[str, Any]]:
        """The arguments of each sweep."""
        return [content for _, content in self._store.calls("sweep")]

    def change(self, **settings: Any) -> None:
        """Record other settings, in force from now on."""
        changed = replace(self.settings, **settings)
        self._store.record("settings", asdict(changed))
        self.settings = changed

    def change_judge(self, judge: Judge | None) -> None:
        """Store another learned judge and use it from now on; None is the packaged one."""
        packaged = load_judge()
        judge = packaged if judge is None else judge.signed()
        if judge.digest != packaged.digest:
            content = BytesIO()
            judge.save(content)
            self._store.add_blob(f"judge {judge.digest}", content.getvalue())
        self.change(judge=_name_of(judge))
        self.judge = judge

    def _resume_judge(self) -> None:
        """Load the recorded judge; warn if only another version of sortal has it."""
        version, _, digest = self.settings.judge.partition("#")
        if digest == self.judge.digest:
            return
        content = self._store.blob(f"judge {digest}")
        if content is not None:
            self.judge = load_judge(BytesIO(content))
            return
        warnings.warn(
            f"this study was begun with judge {version} ({digest[:8]}), which this sortal does not "
            f"have; {self.judge.name} decides from now on",
            UserWarning,
            stacklevel=4,
        )
        self.settings = replace(self.settings, judge=_name_of(self.judge))

    def digest(self, *, without: Collection[str] = ()) -> str:
        """A hash of the data, the settings except those in ``without``, and the calls."""
        settings = {k: v for k, v in asdict(self.settings).items() if k not in without}
        text = json.dumps([__version__, settings, self._digest_of_calls()])
        return hashlib.sha256(text.encode()).hexdigest()

    def _digest_of_calls(self) -> str:
        """A hash of the data and the calls, recomputed only after a change."""
        now = self._store.changes["calls"]
        if self._calls[0] != now:
            calls = [call for call in self._store.calls() if call[0] != "settings"]
            text = json.dumps([self._store.meta["fingerprint"], calls])
            self._calls = now, hashlib.sha256(text.encode()).hexdigest()
        return self._calls[1]


def _name_of(judge: Judge) -> str:
    """Version and digest of a judge, as stored in the settings."""
    return f"{judge.version}#{judge.digest}"


def check_unchanged(
    store: Store, recorded: Settings, changes: dict[str, Any], *, update: bool
) -> None:
    """Raise a StorageError for settings that differ from the recorded ones and may not change."""
    before = asdict(recorded)
    for key, value in changes.items():
        if before[key] == value or key == "by" or (update and key not in FIXED):
            continue
        was, now = (_in_words(store, key, setting) for setting in (before[key], value))
        remedy = "give that, or use another storage file"
        if key not in FIXED:
            remedy = (
                "to judge all of it by the new value from now on, allow it with update=True "
                "(--update on the command line); otherwise give the old one, or use another "
                "storage file"
            )
        name = "y" if key == "truth" else key
        raise StorageError(f"this study was started with {name} = {was}, not {now}; {remedy}")


def _in_words(store: Store, key: str, value: object) -> str:
    """A setting in an error message; labels are summarised by their numbers."""
    if key != "truth":
        return repr(value)
    if value is None:
        return "none"
    fingerprint = str(value)
    labels = [name for name in kept_classes(store, fingerprint) if name is not None]
    return f"{len(labels):,} labels of {len(set(labels)):,} classes ({fingerprint[:8]})"


def keep_classes(store: Store, y: NDArray[np.object_]) -> str:
    """Store the class of each object (None where unknown) and return their fingerprint."""
    fingerprint = fingerprint_of(y)
    store.add_blob(f"truth {fingerprint}", zlib.compress(_packed(y)))
    return fingerprint


def fingerprint_of(y: NDArray[np.object_]) -> str:
    """A hash that is equal for equal classes of the same objects."""
    return hashlib.sha256(_packed(y)).hexdigest()[:16]


def kept_classes(store: Store, fingerprint: str) -> NDArray[np.object_]:
    """The stored class of each object; None where unknown."""
    content = store.blob(f"truth {fingerprint}")
    if content is None:
        raise store.damaged("the classes")
    return np.array(json.loads(zlib.decompress(content)), dtype=object)


def _packed(y: NDArray[np.object_]) -> bytes:
    """Classes encoded as JSON, for storing and hashing."""
    return json.dumps([_plain(name) for name in y]).encode()


def _plain(name: object) -> object:
    """The name of a class as a JSON value."""
    value = name.item() if isinstance(name, np.generic) else name
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


#: marks the text of an object without identity
WITHOUT = "without identity: "


def stable(thing: object, what: str, *, needed: bool) -> str:
    """The identity of a metric or clusterer; StorageError if it is ``needed`` and missing."""
    try:
        return identity(thing)
    except NoIdentityError as error:
        text = f"{what}, {WITHOUT}{error} (#{id(thing)})"
        if needed:
            check_identities([text])
        return text


def check_identities(identities: Iterable[str]) -> None:
    """Raise a StorageError unless a resumed study can recognise all ``identities``."""
    for text in identities:
        if WITHOUT in text:
            what, _, why = text.partition(f", {WITHOUT}")
            raise StorageError(
                f"{what} cannot be recognised when a stored study is resumed: "
                f"{why.rpartition(' (#')[0]}. Define it as a plain function or class in a module "
                "of its own, or give no storage"
            )
