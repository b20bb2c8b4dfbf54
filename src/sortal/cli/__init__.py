"""The command line: one module per command, imported when the command runs."""

from __future__ import annotations

import inspect
import os
import sys
import warnings
from collections.abc import Callable
from io import TextIOWrapper
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from sortal.cli._stopping import unwrapped
from sortal.cli.assign import assign
from sortal.cli.bench import bench
from sortal.cli.bound import bound
from sortal.cli.check import check
from sortal.cli.compare import compare
from sortal.cli.label import label
from sortal.cli.measures import measures
from sortal.cli.report import report
from sortal.cli.run import run
from sortal.cli.sample import sample
from sortal.cli.watch import watch

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["app", "main"]

EXIT_CODES = (
    "Exit codes: 0 done; 1 it ran, but nothing could be judged; 2 the input or an option cannot be "
    "used; 3 the study file cannot be used; 4 the data are ambiguous (say how to read them); 130 "
    "interrupted, finished work is kept."
)

__all__ = ["app", "main"]

OUT_OF_MEMORY = "sortal: out of memory; give a sample of the rows, or fewer columns"
#: entry points of this group are commands of other packages
GROUP = "sortal.commands"
#: commands of sortal-lab, to say how to get them where it is missing
LABORATORY = ("clarity", "lab", "reproduce")


class _Commands(TyperGroup):
    """Command group with the commands of other packages, which are imported when they are needed.

    It reports an interruption; typer itself exits silently.
    """

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        """Names of sortal's own commands, then those of other packages."""
        from importlib.metadata import entry_points

        names = super().list_commands(ctx)
        return names + sorted({point.name for point in entry_points(group=GROUP)} - set(names))

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]
        """A command by name, sortal's own before one of another package."""
        command = super().get_command(ctx, cmd_name)
        return command if command is not None else _command_elsewhere(cmd_name)

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        """Run the command."""
        try:
            with unwrapped():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            typer.echo("sortal: interrupted", err=True)
            raise typer.Exit(130) from None


#: the command line as a Typer application
app = typer.Typer(
    cls=_Commands,
    name="sortal",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


class _CommandElsewhere(TyperCommand):
    """Command of another package, which is imported when the command runs, or for its help."""

    def __init__(self, point: EntryPoint) -> None:
        package = point.module.partition(".")[0] if point.dist is None else point.dist.name
        super().__init__(point.name, callback=None, help=f"A command of {package}.")
        self._point = point

    def make_context(self, *arguments: Any, **options: Any) -> Any:
        """Context of the command itself."""
        content = self._point.load()
        if not isinstance(content, typer.Typer):
            function, content = content, typer.Typer(add_completion=False)
            content.command(help=_help_of(function))(function)
        return typer.main.get_command(content).make_context(*arguments, **options)


def _command_elsewhere(name: str) -> _CommandElsewhere | None:
    """Command of another package; raises for one of sortal-lab if that is not installed."""
    from importlib.metadata import entry_points

    for point in entry_points(group=GROUP, name=name):
        return _CommandElsewhere(point)
    if name in LABORATORY:
        from sortal.runtime.validation import InputError

        raise InputError(
            f"sortal {name} is part of sortal-lab, which is not installed: pip install -e lab in a "
            "checkout of sortal"
        )
    return None


def _print_version(show: bool) -> None:
    """Print the version and exit, if ``show``."""
    if show:
        from sortal.runtime.version import __version__

        typer.echo(f"sortal {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Tells whether a clustering is any good, and which one to use."""


def _help_of(command: Callable[..., None]) -> str:
    """The docstring with each paragraph on a line, so that it fills terminals of any width."""
    paragraphs = inspect.cleandoc(command.__doc__ or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


for _command in (
    run,
    assign,
    watch,
    check,
    report,
    compare,
    bound,
    label,
    sample,
    bench,
    measures,
):
    app.command(help=_help_of(_command))(_command)


def _check_thread_count() -> None:
    """Raise for a number of threads that Numba would reject when it is loaded."""
    from sortal.runtime.validation import InputError

    count = os.environ.get("NUMBA_NUM_THREADS")
    if count is not None and not (count.isascii() and count.isdigit() and int(count) > 0):
        raise InputError(
            f"the environment variable NUMBA_NUM_THREADS is {count!r}; it must be a whole number "
            "of at least 1, so change or unset it"
        )


def main() -> None:
    """Run the command line; errors that a user can fix have no traceback."""
    from sortal.cli._output import printable
    from sortal.runtime.validation import InputError, NothingToRankError, StorageError

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal of 8 bits lacks some letters
            stream.reconfigure(errors="replace")
    # warnings of scikit-learn's clusterers are in the answer
    warnings.filterwarnings("ignore", module=r"sklearn\b")
    code = 2
    try:
        if sys.stdout is None:
            raise InputError("the standard output is closed, so there is nowhere to write to")
        _check_thread_count()
        try:
            app()  # ends with an exit code of its own
        finally:
            sys.stdout.flush()
    except InputError as error:
        from sortal.datasets.values.reading_options import DoubtfulError  # takes a second to load

        typer.echo(f"sortal: {printable(str(error))}", err=True)
        kinds = ((NothingToRankError, 1), (StorageError, 3), (DoubtfulError, 4))
        code = next((value for kind, value in kinds if isinstance(error, kind)), code)
    except MemoryError:
        typer.echo(OUT_OF_MEMORY, err=True)
    except ImportError as error:
        if "failed to map segment" not in str(error) and "allocate memory" not in str(error):
            raise
        typer.echo(f"{OUT_OF_MEMORY}, or raise the limit (ulimit -v)", err=True)
    except OSError as error:
        place = error.filename or "the standard output"
        reason = f"{place} cannot be used: {error.strerror}" if error.strerror else str(error)
        typer.echo(f"sortal: {reason}", err=True)
        # or Python would try once more when it ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(code)
