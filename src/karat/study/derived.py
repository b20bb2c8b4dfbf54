"""Results that follow from a study's record: worked out once for each state of it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import wraps
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from karat.study.study import Study

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
