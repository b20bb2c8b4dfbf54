"""What this machine has: processors and memory that this process may use."""

from __future__ import annotations

import os
from pathlib import Path

from karat.validation import InputError


class NotEnoughMemoryError(InputError, MemoryError):
    """What is asked for would not fit; the message says how much it takes and the way out."""


def available_cores() -> int:
    """Number of processors that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def available_memory() -> int | None:
    """Bytes that can be taken without swapping: the system's, or a container's limit if less.

    None where the system does not tell.
    """
    found = []
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                found.append(int(line.split()[1]) * 1024)
        limit = Path("/sys/fs/cgroup/memory.max").read_text().strip()
        if limit != "max":
            used = int(Path("/sys/fs/cgroup/memory.current").read_text())
            found.append(max(int(limit) - used, 0))
    except (OSError, ValueError):
        pass
    return min(found) if found else None


def require_memory(needed: float, what: str, way_out: str) -> None:
    """Raise :class:`NotEnoughMemoryError` if ``needed`` bytes are more than there are."""
    there = available_memory()
    if there is not None and needed > there:
        raise NotEnoughMemoryError(
            f"{what}: {needed / 2**30:.1f} GiB, and {there / 2**30:.1f} GiB are free; {way_out}"
        )
