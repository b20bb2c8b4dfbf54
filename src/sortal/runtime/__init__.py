"""Foundations of every room: validation, executors, resources, progress, kept work, registries.

A name is imported from its module when it is first used; :mod:`sortal.extension` has what
extensions use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sortal.runtime.executors import LostWorkersError as LostWorkersError
    from sortal.runtime.executors import Workers as Workers
    from sortal.runtime.executors import as_executor as as_executor
    from sortal.runtime.executors import tree_sum as tree_sum
    from sortal.runtime.progress import doing as doing
    from sortal.runtime.progress import progress_bar as progress_bar
    from sortal.runtime.threads import in_order as in_order
    from sortal.runtime.threads import in_threads as in_threads
    from sortal.runtime.validation import check_data as check_data
    from sortal.runtime.validation import largest_value as largest_value
    from sortal.runtime.validation import smallest_value as smallest_value

_HOMES = {
    "LostWorkersError": "executors",
    "Workers": "executors",
    "as_executor": "executors",
    "check_data": "validation",
    "doing": "progress",
    "in_order": "threads",
    "in_threads": "threads",
    "largest_value": "validation",
    "progress_bar": "progress",
    "smallest_value": "validation",
    "tree_sum": "executors",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
