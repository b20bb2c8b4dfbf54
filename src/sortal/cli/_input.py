"""Options of the commands that read a data file, and the function that reads it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from sortal.cli._output import printable
from sortal.runtime.validation import InputError, check_choice

if TYPE_CHECKING:
    import pandas as pd

    from sortal.datasets import Dataset, Finding

#: contents of a data file, by the metric of its objects
KIND_OF_METRIC = {"precomputed": "distances", "graph": "graph"}

DataArgument = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A data file (CSV, Parquet, JSON, NPY, NPZ, Excel, Matrix Market, SQLite). Or a "
        "folder or pattern of Parquet, Arrow or CSV files, also in a bucket (s3://). Or documents "
        "(JSON lines, a folder, CLUTO, LIBSVM), an address, or a packaged set: iris, wine.",
    ),
]
HeaderOption = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first line of a text file names the columns; detected by default.",
    ),
]
EncodingOption = Annotated[str, typer.Option("--encoding", help="Encoding of a text file.")]
TextColumnOption = Annotated[
    str | None,
    typer.Option(
        "--text-column",
        metavar="NAME",
        help="The column (or field of JSON lines) with the texts, to be clustered by their terms.",
    ),
]
NameOption = Annotated[str | None, typer.Option(metavar="NAME")]
FileOption = Annotated[str | None, typer.Option(metavar="FILE")]


@dataclass(frozen=True, kw_only=True)
class InputOptions:
    """How a data file is read.

    id_column: The column that names the objects.
    drop: A column to exclude; repeatable, or several separated by commas.
    scale: How to scale the features. auto: to standard deviation 1 if a table's columns have
        different units.
    impute: How to replace missing and infinite values, or drop those objects. By default tables
        take the values of the nearest objects.
    strict: Assume nothing: reject names, dates, texts and missing values, and scale nothing,
        unless an option says so.
    accept: Accept this finding of sortal check, and change nothing; repeatable.
    na_values: More values that mean missing, separated by commas: -9, or age:0 for one column.
    decimal: The decimal mark, if numbers can be read in two ways.
    one_row_per: The column that names the objects, if each has several rows. Rows are summarised by
        means and last values, shares of categories, and their number.
    pivot: The columns with the variables and their values, for a table in long format.
    series: The rows are times of series: one object per series.
    as_: What the file contains, if it is ambiguous.
    messages: Texts are e-mails or Usenet articles: use their bodies only. Detected by default.
    """

    panel: ClassVar = "Reading the data"

    data: DataArgument
    id_column: NameOption = None
    drop: Annotated[list[str] | None, typer.Option(metavar="NAME")] = None
    scale: Literal["auto", "none", "standard", "robust", "minmax"] = "auto"
    impute: Literal["neighbors", "median", "drop"] | None = None
    strict: Annotated[bool, typer.Option("--strict")] = False
    accept: Annotated[list[str] | None, typer.Option(metavar="FINDING")] = None
    na_values: Annotated[list[str] | None, typer.Option(metavar="LIST")] = None
    decimal: Literal[".", ","] | None = None
    one_row_per: NameOption = None
    pivot: Annotated[str | None, typer.Option(metavar="VARIABLE:VALUE")] = None
    series: Annotated[bool, typer.Option("--series")] = False
    as_: Annotated[Literal["features", "distances", "graph"] | None, typer.Option("--as")] = None
    header: HeaderOption = None
    encoding: EncodingOption = "utf-8"
    text_column: TextColumnOption = None
    messages: Annotated[bool | None, typer.Option("--messages/--no-messages")] = None

    @property
    def inputs(self) -> dict[str, str | None]:
        """What is read, by option."""
        return {"DATA": self.data}

    @property
    def layout(self) -> dict[str, Any]:
        """Arguments of the readers of cells."""
        names = ("header", "encoding", "text_column")
        return {name: getattr(self, name) for name in names}

    def cells(self) -> pd.DataFrame:
        """The rows as written in the file."""
        from sortal.datasets import read_cells

        return read_cells(self.data, **self.layout)[0]

    def settings(self) -> dict[str, Any]:
        """Arguments of :func:`sortal.datasets.read`."""
        settings = {field.name: getattr(self, field.name) for field in fields(self)}
        settings["kind"] = settings.pop("as_")
        if "truth" in settings:
            settings["y"] = settings.pop("truth")
        del settings["data"]
        return settings | {
            name: split_names(settings[name]) for name in ("drop", "accept", "na_values")
        }


@dataclass(frozen=True, kw_only=True)
class LabelledInputOptions(InputOptions):
    """How a data file with optional known classes is read.

    label_column: The column with the class of each object; blank where it is not known.
    truth: A file with the class of each object: one per line, or beside any column of the data that
        differs from row to row.
    on: inner: ignore classes of objects that the data lack.
    weights: Weights of the columns. auto: a column that depends on no other is ignored.
    """

    label_column: NameOption = None
    truth: FileOption = None
    on: Literal["same", "inner"] = "same"
    weights: Literal["auto", "equal"] = "auto"

    @property
    def inputs(self) -> dict[str, str | None]:
        """What is read, by option."""
        return {**super().inputs, "--truth": self.truth}

    @property
    def column_weights(self) -> str | None:
        """The ``column_weights`` of a study."""
        return None if self.weights == "auto" else self.weights

    def settings(self) -> dict[str, Any]:
        """Arguments of :func:`sortal.datasets.read`."""
        return {name: value for name, value in super().settings().items() if name != "weights"}


@dataclass(frozen=True, kw_only=True)
class DocumentOptions:
    """How documents become terms, and terms become numbers.

    terms: A file with the term of each column of a count matrix, one per line.
    weight: Weight of a term: tf-idf (default), tf, binary, bm25-tf, bm25-tf-idf.
    min_df: Drop terms of fewer documents (2).
    max_df: Drop terms of a larger share of the documents (0.5).
    stemmer: porter (default), german, french, ... or none. Only English has a list of stop words.
    """

    panel: ClassVar = InputOptions.panel

    terms: FileOption = None
    weight: str | None = None
    min_df: int | None = None
    max_df: float | None = None
    stemmer: str | None = None

    def settings(self) -> dict[str, Any]:
        """Arguments of :func:`sortal.datasets.read` for documents, without defaults."""
        settings = {"weight": self.weight, "min_df": self.min_df, "max_df": self.max_df}
        chosen: dict[str, Any] = {
            key: value for key, value in settings.items() if value is not None
        }
        if self.stemmer is not None:
            chosen["stemmer"] = None if self.stemmer == "none" else self.stemmer
            if self.stemmer not in ("none", "porter", "english"):
                chosen["stop_words"] = None
        return {"terms": self.terms, "vectorizer": chosen or None}


def read_dataset(
    reading: InputOptions,
    documents: DocumentOptions | None = None,
    *,
    metric: str | None = None,
    stop: bool = True,
    whole: bool = True,
    executor: object = None,
) -> Dataset:
    """Read the data file of a command; see :func:`sortal.datasets.read`.

    Without ``whole``, a large table is sampled. With ``stop``, ambiguous data raise instead of
    giving a meaningless answer.
    """
    from sortal import datasets
    from sortal.datasets.readers import OBJECT_FILES, read_objects
    from sortal.datasets.values.findings import SENTENCES, sentence
    from sortal.datasets.values.reading_options import RepairableError

    for key in split_names(reading.accept):
        check_choice(key, (*SENTENCES, "first-table"), "--accept")
    data, options = reading.data, reading.settings()
    if documents is not None:
        options |= documents.settings()
    if reading.as_ is None and metric is not None:
        options["kind"] = KIND_OF_METRIC.get(metric)
    try:
        if metric in OBJECT_FILES:
            dataset = read_objects(data, metric, **options)
        else:
            dataset = datasets.read(data, whole=whole, executor=executor, **options)
    except RepairableError as error:
        raise InputError(
            f"{error}\nTry: {_repeated_command(data, options, error.repairs)}"
        ) from None
    for finding in dataset.findings:
        if stop and finding.stops:
            accepted: dict[str, Any] = {"accept": (finding.key,)}
            otherwise = {"decimal": ","} if finding.key == "decimal-mark" else accepted
            lines = [sentence(finding)]
            if finding.option != accepted:
                lines.append(f"If that is so:  {_repeated_command(data, options, finding.option)}")
            lines.append(f"If not:         {_repeated_command(data, options, otherwise)}")
            raise datasets.DoubtfulError("\n".join(lines))
    return dataset


def print_findings(findings: Iterable[Finding], *, err: bool = False) -> None:
    """Print odd assumptions about the data, each with the option that changes it."""
    from sortal.datasets.values.findings import sentence
    from sortal.datasets.values.reading_options import as_flags

    for finding in findings:
        mark = "!" if finding.severity == "harmful" else "-"
        flags = shlex.join(as_flags(finding.option))
        typer.echo(printable(f"{mark} {sentence(finding)} [{flags}]"), err=err)


def _repeated_command(data: str, options: dict[str, Any], repairs: Mapping[str, Any]) -> str:
    """The user's command with options that repair the input."""
    from sortal.datasets.values.reading_options import as_flags, command

    words = sys.argv[1:]
    if data not in words:
        return command(data, {**options, **repairs})
    more = dict(repairs)
    for name in ("drop", "accept"):
        if name in more:
            more[name] = [value for value in more[name] if value not in options[name]]
    if "id_column" in more:
        position = next(i for i, word in enumerate(words) if word.startswith("--id-column"))
        words[position : position + (1 if "=" in words[position] else 2)] = []
    return shlex.join(["sortal", *words, *as_flags(more)])


def parse_classes(text: str | None) -> Any:
    """The argument ``classes=`` for ``--classes a,b``, ``--classes 3`` or ``--classes open``.

    >>> parse_classes("b,a"), parse_classes("0,1"), parse_classes("3"), parse_classes("open")
    (['b', 'a'], [0, 1], 3, 'open')
    """
    if text is None or text.strip() == "open":
        return text and "open"
    if text.strip().isascii() and text.strip().isdigit():
        return int(text)
    names = list(split_names([text]))
    are_integers = all(name.lstrip("-").isdigit() and str(int(name)) == name for name in names)
    return [int(name) for name in names] if are_integers else names


def split_names(texts: list[str] | None) -> tuple[str, ...]:
    """Names in ``--drop a,b --drop c``; quoted names may contain commas.

    >>> split_names(["a,b", '"c, d"'])
    ('a', 'b', 'c, d')
    """
    import csv

    rows = csv.reader(texts or [], skipinitialspace=True)
    return tuple(dict.fromkeys(name.strip() for row in rows for name in row if name.strip()))
