"""All problems of a file in one message, and a command that settles them."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NoReturn

from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from karat.datasets._dataset import Dataset

ROUNDS = 12
_DEFAULTS = {
    "encoding": "utf-8", "scale": "auto", "drop": (), "accept": (), "na_values": (),
    "strict": False,
}  # fmt: skip
#: options that are called otherwise on the command line
_FLAG = {"kind": "--as"}
_LISTS = ("drop", "accept", "na_values")
_FLAGS = ("weight", "min_df", "max_df", "stemmer")


class RepairableError(InputError):
    """Problems of a file that options of :func:`karat.datasets.read` settle.

    Attributes
    ----------
    problems : tuple of str
    repairs : dict
        The options. Names in ``drop`` come to those that were given.
    """

    __module__ = "karat.datasets"

    def __init__(self, *problems: str, **repairs: Any) -> None:
        super().__init__("\n".join(problems))
        self.problems, self.repairs = problems, repairs


class DoubtfulError(InputError):
    """Data that can be taken for something else than they were; the message says what to say."""

    __module__ = "karat.datasets"


class UnusableError(InputError):
    """All problems of a file.

    Attributes
    ----------
    problems : list of str
    settled : dict or None
        Options with which it was read; None where options do not settle everything.
    """

    __module__ = "karat.datasets"

    def __init__(
        self, problems: list[str], settled: Mapping[str, Any] | None, again: str = ""
    ) -> None:
        self.problems, self.settled = problems, settled
        told = problems[0]
        if len(problems) > 1:
            told = f"the file has {len(problems)} problems:\n- " + "\n- ".join(problems)
        if settled is None:
            super().__init__(f"{told}\nOptions alone do not settle the last of them.")
        else:
            super().__init__(f"{told}\nThis works: {again}")


def settle(attempt: Callable[..., Dataset], path: str, given: Mapping[str, Any]) -> Dataset:
    """What ``attempt`` reads with ``given``; if it cannot, every problem that it meets.

    Each repairable problem is settled by its options and reading goes on to the next, so that the
    options that are told at the end have been tried.
    """
    options, problems = dict(given), list[str]()
    changed: set[str] = set()
    for _ in range(ROUNDS):
        try:
            found = attempt(**options)
        except RepairableError as error:
            problems += error.problems
            repairs = dict(error.repairs)
            if "drop" in repairs:
                repairs["drop"] = tuple(dict.fromkeys((*options["drop"], *repairs["drop"])))
            if all(options[name] == value for name, value in repairs.items()):
                break
            changed.update(repairs)
            options |= repairs
        except InputError as error:
            if not problems:
                raise
            problems.append(str(error))
            break
        else:
            if not problems:
                return found
            return _told(attempt, path, problems, options, changed)
    raise UnusableError(problems, None)


def _told(
    attempt: Callable[..., Dataset],
    path: str,
    problems: list[str],
    options: dict[str, Any],
    changed: set[str],
) -> NoReturn:
    if options["skip_ragged"] and options["impute"] != "drop":
        # what skips lines skips objects without a value, too
        options |= {"skip_ragged": False, "impute": "drop"}
        try:
            attempt(**options)
        except InputError as error:
            raise UnusableError([*problems, str(error)], None) from None
    if "skip_ragged" in changed:
        changed = changed - {"skip_ragged"} | {"impute"}
    again = {name: options[name] for name in options if name in changed}
    raise UnusableError(problems, again, _python(path, options))


def _python(path: str, options: Mapping[str, Any]) -> str:
    """The call of :func:`karat.datasets.read` that reads it."""
    words = [repr(path)]
    for name, value in _chosen(options).items():
        if name in ("truth", "vectorizer", "embeddings") and not isinstance(value, str):
            words.append(f"{name}={name}")
        else:
            words.append(f"{name}={list(value) if name in _LISTS else value!r}")
    return f"karat.datasets.read({', '.join(words)})"


def _chosen(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that are not the default."""
    return {
        name: value
        for name, value in options.items()
        if name != "skip_ragged"
        and value is not None
        and not (name in _DEFAULTS and value == _DEFAULTS[name])
    }


def as_flags(options: Mapping[str, Any]) -> list[str]:
    """Options of the reader as words of the command line."""
    words: list[str] = []
    for name, value in _chosen(options).items():
        flag = _FLAG.get(name, f"--{name.replace('_', '-')}")
        if name in _LISTS:
            words += [word for one in value for word in (flag, _listed(one))]
        elif isinstance(value, bool):
            words.append(flag if value else f"--no-{flag[2:]}")
        elif isinstance(value, Mapping):
            words += as_flags({key: value[key] or "none" for key in _FLAGS if key in value})
        else:
            words += [flag, str(value)]
    return words


def _listed(name: str) -> str:
    """A column's name in a list that commas separate."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow([name])
    return line.getvalue()


def command(source: str, options: Mapping[str, Any]) -> str:
    """``karat run`` with the file and the options."""
    return shlex.join(["karat", "run", source, *as_flags(options)])
