"""What was worked out in a study: derived from its record, or noted in its storage as JSON."""

from __future__ import annotations

import base64
from collections.abc import Callable, Collection
from dataclasses import fields
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from karat.inference import Differences
from karat.stability import Assessment, ClusterStability, StabilityCurve
from karat.study.store import packed, unpacked

if TYPE_CHECKING:
    from karat.study.study import Study


_KINDS = {
    kind.__name__: kind for kind in (Assessment, ClusterStability, StabilityCurve, Differences)
}


def noted(study: Study, key: str, question: Any, work_out: Callable[[], Any]) -> Any:
    """What is noted under a key, if the question was the same; else what is worked out now."""
    kept = study.storage.meta.get(key)
    if kept is not None and kept["question"] == question:
        return _unpack(kept["answer"])
    found = work_out()
    study.storage.set_meta({key: {"question": question, "answer": _pack(found)}})
    return found


def last_noted(study: Study, key: str) -> tuple[Any, Any]:
    """The question and the answer under a key, None and None where nothing was asked."""
    kept = study.storage.meta.get(key)
    return (None, None) if kept is None else (kept["question"], _unpack(kept["answer"]))


def _pack(thing: Any) -> Any:
    """A result as JSON takes it: what is not plain as its kind and its content."""
    kind, content = type(thing).__name__, thing
    if kind in _KINDS:
        names = [one.name for one in fields(thing) if one.name != "details"]
        content = {name: _pack(getattr(thing, name)) for name in names}
    elif isinstance(thing, np.ndarray):
        content = base64.b64encode(packed(thing)).decode()
    elif kind == "DataFrame":
        content = {
            "index": [thing.index.name, thing.index.tolist()],
            "columns": {str(name): thing[name].tolist() for name in thing},
        }
    elif isinstance(thing, dict):
        content = [[key, _pack(value)] for key, value in thing.items()]
    elif not isinstance(thing, tuple):
        return thing
    return [kind, content]


def _unpack(kept: Any) -> Any:
    """What :func:`_pack` took apart."""
    import pandas as pd

    if not isinstance(kept, list):
        return kept
    kind, content = kept
    if kind in _KINDS:
        return _KINDS[kind](**{name: _unpack(part) for name, part in content.items()})
    if kind == "dict":
        return {key: _unpack(value) for key, value in content}
    if kind == "ndarray":
        return unpacked(base64.b64decode(content))
    if kind == "DataFrame":
        name, index = content["index"]
        return pd.DataFrame(content["columns"], index=pd.Index(index, name=name))
    return tuple(content)


T = TypeVar("T")


def derived(*, without: Collection[str] = ()) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Decorate a function of a study: its value is kept under a digest of what it follows from.

    That is the record, what became of the candidates, and what was scored and noted since,
    ``without`` some settings, ``"scores"`` or ``"notes"``; so nothing is ever cleared.
    """

    def decorate(work_out: Callable[..., T]) -> Callable[..., T]:
        @wraps(work_out)
        def of(study: Study) -> T:
            name = work_out.__name__
            if study.results.get(name, ("",))[0] != _state(study, without):
                value = work_out(study)  # which may score on the way
                study.results[name] = _state(study, without), value
            found: T = study.results[name][1]
            return found

        return of

    return decorate


def _state(study: Study, without: Collection[str]) -> str:
    since = {k: n for k, n in study.storage.changes.items() if k not in without and k != "calls"}
    return f"{study.record.digest(without=without)} {since}"
