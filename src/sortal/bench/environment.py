"""Provenance of a comparison: versions, machine, procedure and seeds."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sortal.bench.results import BenchmarkResults


def environment(race: BenchmarkResults) -> list[tuple[str, str]]:
    """Names and values of everything that a rerun needs."""
    import platform

    from sortal.runtime.threads import available_cores
    from sortal.runtime.version import __version__, package_versions

    packages = [("sortal", __version__), *package_versions("numpy", "scipy", "scikit-learn")]
    entries = [
        ("versions", ", ".join(f"{name} {version}" for name, version in packages)),
        ("machine", f"{platform.platform()}, {_processor()}, {available_cores()} cores used"),
    ]
    if race.table["seconds"].isna().all():
        return [*entries, ("clusterings", "read from files, which do not tell how they were made")]
    rules = race.rules
    first = rules.random_state
    k = "as many as classes" if rules.k == "classes" else ", ".join(map(str, rules.k))
    return [
        *entries,
        ("seeds", f"{first} to {first + rules.n_init - 1}, one for each of {rules.n_init} tries"),
        ("numbers of clusters", k),
        ("objects of each try", "all" if rules.draw is None else "those of k of the classes"),
    ]


def _processor() -> str:
    """The processor's model if the system reports it, else its architecture."""
    import platform
    import re
    from pathlib import Path

    cpuinfo = Path("/proc/cpuinfo")
    text = cpuinfo.read_text(encoding="utf-8", errors="replace") if cpuinfo.exists() else ""
    model = re.search(r"^model name\s*:\s*(.+)", text, re.MULTILINE)
    return model[1] if model else platform.processor() or platform.machine()
