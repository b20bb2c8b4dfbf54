"""Classes of Java, in the one virtual machine that a process can have."""

from __future__ import annotations

import importlib
from functools import cache
from typing import Any


@cache
def with_jar(path: str) -> Any:
    """JPype, with the classes of a file in its virtual machine beside those that were there."""
    jpype = importlib.import_module("jpype")
    jpype.addClassPath(path)
    if not jpype.isJVMStarted():
        jpype.startJVM()
    return jpype
