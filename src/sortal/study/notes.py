"""Results of a study: derived from its record, or noted in its storage as JSON."""

from __future__ import annotations

import base64
from collections.abc import Callable, Collection
from dataclasses import fields
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from sortal.inference import Differences
from sortal.stability import Assessment, ClusterStability, StabilityCurve
from sortal.study.store import packed, unpacked

if TYPE_CHECKING:
    from sortal.study.state import StudyState


T = TypeVar("T")
_CLASSES = {
    cls.__name__: cls for cls in (Assessment, ClusterStability, StabilityCurve, Differences)
}


def noted(state: StudyState, key: str, question: object, work_out: Callable[[], T]) -> T:
    """The result noted under a key for the same question; else a new one, which is noted."""
    note = state.storage.meta.get(key)
    if note is not None and note["question"] == question:
        return cast("T", _unpack(note["answer"]))
    result = work_out()
    state.storage.set_meta({key: {"question": question, "answer": _pack(result)}})
    return result


def last_noted(state: StudyState, key: str) -> tuple[Any, Any]:
    """The question and the result under a key, None and None where there is no note."""
    note = state.storage.meta.get(key)
    return (None, None) if note is None else (note["question"], _unpack(note["answer"]))


def _pack(thing: Any) -> Any:
    """A result as JSON; anything but plain values becomes its class and its content."""
    class_name, content = type(thing).__name__, thing
    if class_name in _CLASSES:
        names = [field.name for field in fields(thing) if field.name != "details"]
        content = {name: _pack(getattr(thing, name)) for name in names}
    elif isinstance(thing, np.ndarray):
        content = base64.b64encode(packed(thing)).decode()
    elif class_name == "DataFrame":
        content = {
            "index": [thing.index.name, thing.index.tolist()],
            "columns": {str(name): thing[name].tolist() for name in thing},
        }
    elif isinstance(thing, dict):
        content = [[key, _pack(value)] for key, value in thing.items()]
    elif not isinstance(thing, tuple):
        return thing
    return [class_name, content]


def _unpack(note: Any) -> Any:
    """Inverse of :func:`_pack`."""
    import pandas as pd

    if not isinstance(note, list):
        return note
    class_name, content = note
    if class_name in _CLASSES:
        return _CLASSES[class_name](**{name: _unpack(value) for name, value in content.items()})
    if class_name == "dict":
        return {key: _unpack(value) for key, value in content}
    if class_name == "ndarray":
        return unpacked(base64.b64decode(content))
    if class_name == "DataFrame":
        name, index = content["index"]
        return pd.DataFrame(content["columns"], index=pd.Index(index, name=name))
    return tuple(content)


def derived(*, without: Collection[str] = ()) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Decorate a function of the state: its value is cached under a digest of its premises.

    The premises are the record, the candidates' outcomes, the scores, the notes, the ledger,
    whether judging was stopped, and further arguments. ``without`` excludes settings, ``"scores"``
    or ``"notes"``. Nothing has to be cleared by hand.
    """

    def decorate(work_out: Callable[..., T]) -> Callable[..., T]:
        @wraps(work_out)
        def cached(state: StudyState, *arguments: str) -> T:
            name = f"{work_out.__module__}.{work_out.__name__}"
            premises = _premises(state, without), arguments
            if state.results.get(name, ("",))[0] != premises:
                value = work_out(state, *arguments)  # which may score on the way
                state.results[name] = (_premises(state, without), arguments), value
            result: T = state.results[name][1]
            return result

        return cached

    return decorate


def _premises(state: StudyState, without: Collection[str]) -> str:
    """A digest of what a value depends on."""
    excluded = {*without, "calls"}  # the record's digest has the calls
    changes = {name: n for name, n in state.storage.changes.items() if name not in excluded}
    questions = state.ledger, state.draw, state.undrawn, state.skipped, state.unreadable
    return f"{state.record.digest(without=without)} {changes} {questions} {state.stopped}"
