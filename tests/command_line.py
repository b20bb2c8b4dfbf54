"""The command line in this process: what a shell would see, without another interpreter."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from dataclasses import dataclass
from unittest import mock

from sortal.cli import main


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


def sortal_command(*arguments: object, cwd: str | os.PathLike[str] | None = None) -> Done:
    """Run ``sortal`` with these arguments in a folder; an exception of its own passes through."""
    out, err = io.StringIO(), io.StringIO()
    code: object = 0
    with (
        contextlib.chdir(cwd or os.curdir),
        mock.patch.object(sys, "argv", ["sortal", *map(str, arguments)]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as stop:
            code = stop.code
    assert code is None or isinstance(code, int), code
    return Done(code or 0, out.getvalue(), err.getvalue())
