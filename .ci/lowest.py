"""Print the lowest versions that pyproject.toml allows, as constraints for pip.

``python .ci/lowest.py > lowest.txt && pip install -c lowest.txt -e '.[test]'``
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9._-]+)\s*>=\s*(?P<version>[0-9][0-9.]*)")


def lowest(project: dict[str, Any]) -> list[str]:
    """``name==version`` of each requirement of a project table, its extras included."""
    extras = project.get("optional-dependencies", {})
    given = [*project["dependencies"], *(line for lines in extras.values() for line in lines)]
    pins: dict[str, str] = {}
    for line in given:
        found = REQUIREMENT.fullmatch(line.strip())
        if found is None:
            raise SystemExit(f"{line!r} has no lower bound; write it as name>=version")
        if pins.setdefault(found["name"], found["version"]) != found["version"]:
            raise SystemExit(f"{found['name']} has two lower bounds in pyproject.toml")
    return sorted(f"{name}=={version}" for name, version in pins.items())


if __name__ == "__main__":
    root = Path(__file__).resolve().parent.parent
    pyproject = Path(sys.argv[1]) if len(sys.argv) > 1 else root / "pyproject.toml"
    print("\n".join(lowest(tomllib.loads(pyproject.read_text())["project"])))
