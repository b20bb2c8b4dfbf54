"""Foundations of every room: validation, executors, resources, progress, kept work, registries.

The names stand in ``__init__.pyi``; each is imported from its module when it is first used.
:mod:`sortal.extension` has what extensions use.
"""

from typing import Any

from sortal.runtime.stubs import attribute as _attribute


def __getattr__(name: str) -> Any:
    return _attribute(__name__, name)
