"""``.. console-session::``: commands with what they print, run when the documentation is built.

Each line that begins with ``$`` runs in a copy of ``examples/data`` that all sessions of a page
share; the output follows it. ``:lines: 12`` keeps the first lines of each output.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parents[1] / "examples" / "data"


@cache
def folder(page: str) -> Path:
    """A copy of the examples' data for one page."""
    copy = Path(tempfile.mkdtemp(prefix="sortal-docs-")) / page
    shutil.copytree(DATA, copy)
    return copy


def output(command: str, page: str) -> str:
    """What a command prints; an error of the command fails the build."""
    environment = {**os.environ, "COLUMNS": "88", "NO_COLOR": "1", "TERM": "dumb"}
    environment["XDG_STATE_HOME"] = str(folder(page).parent)
    words = command.replace("sortal ", f"{sys.executable} -m sortal ", 1)
    done = subprocess.run(words, shell=True, cwd=folder(page), capture_output=True, text=True,
                          env=environment, check=False)  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{command}: {done.stderr}")
    return "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())


def setup(app: Any) -> dict[str, bool]:
    from docutils import nodes
    from docutils.parsers.rst import Directive, directives

    class Session(Directive):
        has_content = True
        option_spec = dict.fromkeys(["lines"], directives.positive_int)

        def run(self) -> list[Any]:
            page = Path(self.state.document.current_source).stem
            text = []
            for line in self.content:
                text.append(line)
                if line.startswith("$ "):
                    shown = output(line[2:].partition("  #")[0], page).splitlines()
                    limit = self.options.get("lines", len(shown))
                    text += shown[:limit] + ["..."] * (limit < len(shown))
            block = nodes.literal_block("\n".join(text), "\n".join(text))
            block["language"] = "text"
            return [block]

    app.add_directive("console-session", Session)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
