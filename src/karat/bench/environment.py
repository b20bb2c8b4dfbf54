"""What a comparison was made with: versions, machine, procedure and seeds."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from karat.bench.scored import Scored


def environment(race: Scored) -> list[tuple[str, str]]:
    """Names and values of what another run would need."""
    import platform
    from importlib.metadata import version

    from karat import __version__
    from karat.runtime.threads import available_cores

    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "scikit-learn"))
    found = [
        ("versions", f"karat {__version__}, Python {platform.python_version()}, {packages}"),
        ("machine", f"{platform.platform()}, {_processor()}, {available_cores()} cores used"),
    ]
    if race.table["seconds"].isna().all():
        return [*found, ("clusterings", "read from files, which do not tell how they were made")]
    rules = race.rules
    first = rules.random_state
    k = "as many as classes" if rules.k == "classes" else ", ".join(map(str, rules.k))
    return [
        *found,
        ("seeds", f"{first} to {first + rules.n_init - 1}, one for each of {rules.n_init} tries"),
        ("numbers of clusters", k),
        ("objects of each try", "all" if rules.draw is None else "those of k of the classes"),
    ]


def _processor() -> str:
    """The model of the processor where the system tells."""
    import platform
    import re
    from pathlib import Path

    told = Path("/proc/cpuinfo")
    text = told.read_text(encoding="utf-8", errors="replace") if told.exists() else ""
    model = re.search(r"^model name\s*:\s*(.+)", text, re.MULTILINE)
    return model[1] if model else platform.processor() or platform.machine()
