"""What decides in a study, and what was tried in it: all that tells of the study reads it."""

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

from karat.judge import Judge, load_judge
from karat.labelings.labels import NoisePolicy
from karat.runtime.validation import StorageError
from karat.runtime.version import __version__
from karat.study.identity import NoIdentityError, identity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.study.store import Store

#: what the fits depend on, or may: another value makes another study
FIXED = ("metric", "random_state", "exact")


@dataclass(frozen=True)
class Settings:
    """What decides in a study, beside the data and what was tried."""

    #: the :func:`~karat.study.identity.identity` of the distance
    metric: str = "euclidean"
    noise: NoisePolicy = "drop"
    delta: float = 0.1
    random_state: int = 0
    #: fingerprint of the classes
    truth: str | None = None
    #: the classes there can be
    classes: Any = None
    #: what decides; None for what suits the truth
    by: str | None = None
    #: whether nothing is fitted to a sample or estimated from one
    exact: bool = False
    #: version and digest of the learned judge, as ``version#digest``
    judge: str = ""
    #: fingerprint of the pairs of objects that must, or cannot, be together
    constraints: str | None = None
    #: whether karat looks for clusterings of its own beside those that were made elsewhere
    reference: bool = True


class Record:
    """What decides in a study and what was tried in it, in order.

    Iterating gives pairs of a kind and its content: ``"settings"`` as they are from then on,
    ``"sweep"`` and ``"add"``. Results follow from the record and the data alone. ``given`` are the
    settings that the caller names, ``metric`` is the distance that suits the data; a StorageError
    says which recorded settings differ and may not be changed without ``update``.
    """

    def __init__(
        self,
        store: Store,
        given: dict[str, Any],
        *,
        update: bool = False,
        metric: str = "euclidean",
    ) -> None:
        self._store = store
        self._tried: tuple[int, str] = -1, ""
        self.judge = load_judge()
        kept = store.calls("settings")
        if kept:
            self.settings = Settings(**kept[-1][1])
            check_unchanged(store, self.settings, given, update=update)
            self._resume_judge()
        else:
            self.settings = Settings(metric=metric, judge=_name_of(self.judge))
        self.change(**given)

    def __iter__(self) -> Iterator[tuple[str, dict[str, Any]]]:
        return iter(self._store.calls())

    @property
    def sweeps(self) -> list[dict[str, Any]]:
        """What each sweep was asked for."""
        return [content for _, content in self._store.calls("sweep")]

    def change(self, **settings: Any) -> None:
        """Other settings from now on."""
        changed = replace(self.settings, **settings)
        self._store.record("settings", asdict(changed))
        self.settings = changed

    def change_judge(self, judge: Judge | None) -> None:
        """Another learned judge from now on, which the store keeps; None for the packaged one."""
        packaged = load_judge()
        judge = packaged if judge is None else judge.signed()
        if judge.digest != packaged.digest:
            content = BytesIO()
            judge.save(content)
            self._store.add_blob(f"judge {judge.digest}", content.getvalue())
        self.change(judge=_name_of(judge))
        self.judge = judge

    def _resume_judge(self) -> None:
        """The judge that is recorded; where it was packaged with another karat, say so."""
        version, _, digest = self.settings.judge.partition("#")
        if digest == self.judge.digest:
            return
        content = self._store.blob(f"judge {digest}")
        if content is not None:
            self.judge = load_judge(BytesIO(content))
            return
        warnings.warn(
            f"this study was begun with judge {version} ({digest[:8]}), which this karat does not "
            f"have; {self.judge.name} decides from now on",
            UserWarning,
            stacklevel=4,
        )
        self.settings = replace(self.settings, judge=_name_of(self.judge))

    def digest(self, *, without: Collection[str] = ()) -> str:
        """A hash of the data, the settings but for some of them, and all that was tried."""
        settings = {k: v for k, v in asdict(self.settings).items() if k not in without}
        text = json.dumps([__version__, settings, self._digest_of_tried()])
        return hashlib.sha256(text.encode()).hexdigest()

    def _digest_of_tried(self) -> str:
        now = self._store.changes["calls"]
        if self._tried[0] != now:
            tried = [call for call in self._store.calls() if call[0] != "settings"]
            text = json.dumps([self._store.meta["fingerprint"], tried])
            self._tried = now, hashlib.sha256(text.encode()).hexdigest()
        return self._tried[1]


def _name_of(judge: Judge) -> str:
    return f"{judge.version}#{judge.digest}"


def check_unchanged(store: Store, kept: Settings, given: dict[str, Any], *, update: bool) -> None:
    """Raise for settings that are not those recorded, unless they may be changed."""
    before = asdict(kept)
    for key, value in given.items():
        if before[key] == value or key == "by" or (update and key not in FIXED):
            continue
        was, now = (_told(store, key, one) for one in (before[key], value))
        remedy = "give that, or use another storage file"
        if key not in FIXED:
            remedy = (
                "to judge all of it by the new value from now on, allow it with update=True "
                "(--update on the command line); otherwise give the old one, or use another "
                "storage file"
            )
        raise StorageError(f"this study was started with {key} = {was}, not {now}; {remedy}")


def _told(store: Store, key: str, value: Any) -> str:
    if key != "truth":
        return repr(value)
    if value is None:
        return "none"
    known = [one for one in kept_truth(store, value) if one is not None]
    return f"{len(known):,} labels of {len(set(known)):,} classes ({value[:8]})"


def keep_truth(store: Store, truth: NDArray[np.object_]) -> str:
    """Keep the classes (None where unknown) in the store and return their fingerprint."""
    fingerprint = fingerprint_of(truth)
    store.add_blob(f"truth {fingerprint}", zlib.compress(_packed(truth)))
    return fingerprint


def fingerprint_of(truth: NDArray[np.object_]) -> str:
    """Equal for equal classes of the same objects."""
    return hashlib.sha256(_packed(truth)).hexdigest()[:16]


def kept_truth(store: Store, fingerprint: str) -> NDArray[np.object_]:
    """The classes, None where they are not known."""
    content = store.blob(f"truth {fingerprint}")
    if content is None:
        raise store.damaged("the classes")
    return np.array(json.loads(zlib.decompress(content)), dtype=object)


def _packed(truth: NDArray[np.object_]) -> bytes:
    return json.dumps([_plain(name) for name in truth]).encode()


def _plain(name: Any) -> Any:
    value = name.item() if isinstance(name, np.generic) else name
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


WITHOUT = "without identity: "


def stable(thing: Any, what: str, *, needed: bool) -> str:
    """The identity of a metric or clusterer; an error where it has none and is ``needed``."""
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
                "of its own, or give no storage"
            )
