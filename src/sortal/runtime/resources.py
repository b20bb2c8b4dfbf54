"""Memory that this process may use, and data that are too large to copy."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from sortal.runtime.validation import InputError

#: limit of cost: bytes from which on dense data are mapped from files and read in blocks of rows
LARGE = 2**28
#: limit of cost: values in a block of rows
BLOCK_VALUES = 2**21
_PROC = Path("/proc/meminfo")
_CGROUP = Path("/sys/fs/cgroup")
_STATUS = Path("/proc/self/status")


def row_blocks(shape: tuple[int, ...]) -> Iterator[slice]:
    """Slices of consecutive rows, each of some millions of values."""
    step = max(1, BLOCK_VALUES // max(shape[1], 1))
    for start in range(0, shape[0], step):
        yield slice(start, min(start + step, shape[0]))


class NotEnoughMemoryError(InputError, MemoryError):
    """A request would not fit into memory; the message says how much it takes and how to fix it."""


def is_large(X: object) -> bool:
    """Whether data are dense and too large to copy for convenience, see :data:`LARGE`."""
    return isinstance(X, np.ndarray) and X.nbytes >= LARGE


def available_memory() -> int | None:
    """Bytes that this process may still take, or None where the system does not tell.

    The least of three numbers: the machine's free memory, and what the limits of the control group
    (a container) and of the address space (``ulimit -v``) leave. The file cache counts as free.
    """
    candidates = (_machine(), _group(), _address_space())
    limits = [n for n in candidates if n is not None]
    return min(limits) if limits else None


def total_memory() -> int | None:
    """Bytes that the machine has, or None where the system does not tell."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def require_memory(required: float, purpose: str, remedy: str) -> None:
    """Raise :class:`NotEnoughMemoryError` unless ``required`` bytes are free."""
    free = available_memory()
    if free is not None and required > free:
        raise NotEnoughMemoryError(
            f"{purpose} needs about {readable(required)} of memory, and {readable(free)} are free; "
            f"{remedy}"
        )


def readable(n_bytes: float) -> str:
    """A number of bytes in words, such as "12.3 GB".

    >>> readable(12_300_000_000)
    '12.3 GB'
    """
    size = float(n_bytes)
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:,.3g} TB" if size < 1000 else f"{size:,.0f} TB"


def _address_space() -> int | None:
    """Bytes that the process may still map; without this Arrow ends it where it gets none."""
    try:
        import resource

        limit, used = resource.getrlimit(resource.RLIMIT_AS)[0], _field(_STATUS, "VmSize")
    except (ImportError, OSError):
        return None
    return None if limit == resource.RLIM_INFINITY or used is None else max(0, limit - used)


def _machine() -> int | None:
    """Bytes that the machine has free."""
    available = _field(_PROC, "MemAvailable")
    if available is not None:
        return available
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _field(path: Path, key: str) -> int | None:
    """Bytes that a line ``key: 12 kB`` of a system file states."""
    try:
        for line in path.read_text().splitlines():
            if line.startswith(key + ":"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return None


def _group() -> int | None:
    """Bytes that the control group leaves; its file cache counts as free."""
    try:
        most = int((_CGROUP / "memory.max").read_text())
        used = int((_CGROUP / "memory.current").read_text())
        stat = dict(line.split() for line in (_CGROUP / "memory.stat").read_text().splitlines())
        return max(0, most - used + int(stat.get("inactive_file", 0)))
    except (OSError, ValueError):
        return None
