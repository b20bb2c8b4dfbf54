"""Readers of data files: as data sets, and as cells."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import numpy as np

from karat.datasets import packaged_sets
from karat.datasets.formats.data_files import (
    check_file,
    check_name,
    read_raw,
    split_name,
    split_part,
)
from karat.datasets.formats.document_files import (
    COUNT_SUFFIXES,
    DOCUMENT_SUFFIXES,
    TEXT_DATA_SUFFIXES,
    documents_of,
    has_terms,
    read_counts,
    read_documents,
)
from karat.datasets.formats.downloads import local
from karat.datasets.formats.json_tables import has_records_without_text
from karat.datasets.formats.relation_files import GRAPHML
from karat.datasets.partitioned.partitions import open_partitions
from karat.datasets.partitioned.sampled_tables import read_partitions, unusable_in_parts
from karat.datasets.prepared.dataset import Dataset
from karat.datasets.prepared.pipeline import prepare
from karat.datasets.relations import read_relation
from karat.datasets.values.drafts import RawData
from karat.datasets.values.reading_options import FileOptions, Impute, ReadingOptions, Scale
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    import pandas as pd

    from karat.runtime.types import Labels


def read(
    path: str | os.PathLike[str],
    *,
    label_column: str | None = None,
    id_column: str | None = None,
    drop: Iterable[str] | str = (),
    scale: Scale = "auto",
    impute: Impute | None = None,
    y: Labels | str | os.PathLike[str] | None = None,
    strict: bool = False,
    accept: Iterable[str] | str = (),
    whole: bool = False,
    executor: object = None,
    **written: Unpack[FileOptions],
) -> Dataset:
    """Read a data file: CSV, TSV, Excel, Parquet, JSON, NPY, NPZ, Matrix Market, or documents.

    The suffix determines the format: ``.csv``, ``.txt``, ``.data``, ``.dat`` (the delimiter is
    detected), ``.tsv``, ``.tab``, ``.parquet``, ``.json``, ``.npy``, ``.npz`` (NumPy arrays, or a
    SciPy sparse matrix), ``.mtx``, ``.graphml``. Text may be compressed (``.gz``, ``.bz2``,
    ``.xz``), ``.mtx`` too (``.gz``, ``.bz2``). Spreadsheets (``.xlsx``, ``.xls``, ``.ods``) and
    databases (``.sqlite``, ``.db``, ``.duckdb``) may name a sheet or table after ``#``, annotated
    matrices (``.h5ad``) a representation. An address (``https://``) is downloaded, with a note.

    Documents are a column of a table (``text_column``), JSON lines (``.jsonl``), or a folder with
    one file each. Term counts are CLUTO's ``.mat`` (with ``.rclass`` and ``.clabel`` beside it),
    LIBSVM's ``.svm``, or a sparse matrix with its list of terms. Both become weighted terms with
    cosine distances, see :class:`karat.text.TextVectorizer`.

    Tables of any size are read in parts: folders, patterns and addresses of Parquet, Arrow, CSV or
    TSV files, and lazy tables of PyArrow, Dask, Polars and DuckDB. Above 200,000 rows the objects
    are a uniform sample of 50,000, and :attr:`Dataset.whole` has exact sums over all rows.

    Parameters
    ----------
    path : str, path or lazy table
        The file, folder, pattern (``data/*.parquet``) or address (``s3://bucket/folder``). If no
        file has this name, the packaged set from :func:`available` is loaded.
    label_column : str, optional
        The column with the class of each object, read as written. An empty cell means that the
        class is unknown (``?``, ``NA`` and ``None`` are classes); so does the number -1 where no
        cell is empty. In an NPZ file also the name of another array.
    id_column : str, optional
        The column that names the objects; without blanks or repeats.
    drop : str or iterable of str
        Columns to exclude.
    scale : {"auto", "none", "standard", "robust", "minmax"}
        ``auto``: ``standard`` for tables whose columns are in different units, see :doc:`/input`;
        otherwise ``none``. ``standard``: mean 0, standard deviation 1 (sparse data are not
        centred). ``robust``: median 0, interquartile range 1. ``minmax``: from 0 to 1. Columns of
        0 and 1 made from text are not scaled; constant columns become 0.
    impute : {"neighbors", "median", "drop"}, optional
        Treatment of missing and infinite values. ``neighbors``: mean (of text the most frequent
        value) of the five nearest objects by the other columns. ``median``: the column's median
        (of text the most frequent value). ``drop``: exclude those objects, and lines with too few
        or too many cells. The default is ``neighbors`` for tables; in arrays, and with
        ``strict``, missing values are an error.
    y : array-like of shape (n,), or path, optional
        The classes, where no column has them. A path names a file with one class per line, or
        one that ``karat sample`` wrote (:func:`read_labels`).
    strict : bool
        Assume nothing: reject names, dates, text and missing values, and do not scale, unless an
        option says what to do.
    accept : str or iterable of str
        Kinds of findings (:attr:`Dataset.findings`) to ignore: the data are used as written.
    whole : bool
        Whether to take all rows of a table of any size, which must fit into memory.
    executor : concurrent.futures.Executor, dask.distributed.Client or str, optional
        Where the parts of a table are read, see :meth:`karat.Study.sweep`.
    **written
        Format of the file, and vectorization of texts. ``na_values``: additional marks of missing
        values, in all columns (``"-9"``) or in one (``"age:0"``). ``decimal``: the decimal mark of
        numbers in text, where they can be read in two ways. Several rows per object become one by
        ``one_row_per`` (the column of ids: means, last values, shares, counts), ``pivot``
        (``"variable:value"``) or ``series`` (true). ``kind`` (``"features"``, ``"distances"``,
        ``"graph"``): content of an ambiguous file, such as a square matrix of distances or a list
        of edges. ``header``: whether the first line of a text file names the columns. By default it
        does, unless a cell is a number, or all cells recur below in their columns. Numbers that
        count three or more columns from 0 or 1 are names. ``encoding`` of a text file.
        ``text_column``: the column, or the field of JSON lines, with the texts (``"text"``).
        ``messages``: whether the texts are e-mails or Usenet articles, so that only the bodies are
        used; by default if nearly all begin with header lines. ``terms``: a file with the names of
        a sparse matrix's columns; by default the one beside it that ends in ``.clabel`` or
        ``.terms.txt``. ``vectorizer``: a :class:`karat.text.TextVectorizer`, or a mapping of its
        parameters.

    Raises
    ------
    InputError
        If the file cannot be used; the message names the lines, columns and values, and the
        options that help. A file that does not fit into memory is rejected before it is read.

    Examples
    --------
    >>> import karat.datasets
    >>> wine = karat.datasets.read("wine", label_column="cultivar", scale="standard")
    >>> wine.X.shape, wine.truth_name
    ((178, 13), 'cultivar')
    """
    options = ReadingOptions.of(
        label_column=label_column, id_column=id_column, drop=drop, scale=scale, impute=impute,
        y=y, strict=strict, accept=accept, **written,
    )  # fmt: skip
    partitions = open_partitions(path, header=options.header, encoding=options.encoding)
    is_file = isinstance(path, (str, os.PathLike)) and os.path.isfile(path)
    if partitions is not None and not (is_file and (whole or unusable_in_parts(options))):
        return read_partitions(partitions, options, whole=whole, executor=executor)
    if not isinstance(path, (str, os.PathLike)):
        raise InputError(
            f"{type(path).__name__} is no path, address or lazy table; for data in memory use "
            "from_table or from_array"
        )
    with local(path) as (local_path, download_notes):
        dataset = _read_local(local_path, options)
    return (
        replace(dataset, source=os.fspath(path), notes=(*download_notes, *dataset.notes))
        if download_notes
        else dataset
    )


def _read_local(path: str | os.PathLike[str], options: ReadingOptions) -> Dataset:
    """Data set of a file on this machine."""
    file = Path(path)
    check_name(file)
    suffix = split_name(file)[1]
    if options.kind in ("distances", "graph") or suffix == GRAPHML:
        return read_relation(file, options)
    if suffix in COUNT_SUFFIXES or has_terms(file, options.terms):
        return read_counts(file, options)
    if has_records_without_text(file, suffix, options.text_column):
        return prepare(_read_raw(path, options), options)
    if file.is_dir() or suffix in TEXT_DATA_SUFFIXES or options.text_column is not None:
        return read_documents(file, options)
    return prepare(_read_raw(path, options), options)


def read_cells(
    path: str | os.PathLike[str],
    *,
    header: bool | None = None,
    encoding: str = "utf-8",
    text_column: str | None = None,
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Unchanged rows of a data file, and notes.

    Parameters
    ----------
    path, header, encoding, text_column
        As for :func:`read`, which reads the same rows.

    Returns
    -------
    DataFrame
        Cells of text files are text, "" where empty. Sparse matrices have no columns.
    tuple of str
        Decisions about the format of the file.

    Raises
    ------
    InputError
        If the file cannot be read.

    Examples
    --------
    >>> from karat.datasets import read_cells
    >>> cells, notes = read_cells("iris")
    >>> cells.shape, cells.iloc[0, 0]
    ((150, 4), '5.1')
    """
    options = ReadingOptions(header=header, encoding=encoding, text_column=text_column)
    with local(path) as (local_path, download_notes):
        cells, notes = _cells(local_path, options)
    return cells, (*download_notes, *notes)


def _cells(
    path: str | os.PathLike[str], options: ReadingOptions
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Cells of a file on this machine, and notes."""
    import pandas as pd
    import pyarrow as pa

    file = Path(path)
    check_name(file)
    suffix = split_name(file)[1]
    has_records = has_records_without_text(file, suffix, options.text_column)
    if file.is_dir() or (suffix in DOCUMENT_SUFFIXES and not has_records):
        documents = documents_of(file, options)
        cells = {
            name: ["" if v is None else v for v in values]
            for name, values in documents.fields.items()
        }
        return pd.DataFrame({**cells, "text": documents.texts}), documents.notes
    raw = _read_raw(path, options, literal=True)
    if isinstance(raw.content, pa.Table):
        columns = [column.to_pandas() for column in raw.content.columns]
        text = [column.fillna("") if column.dtype == object else column for column in columns]
        table = pd.concat(text, axis=1, keys=raw.content.column_names)
    elif isinstance(raw.content, np.ndarray):
        names = raw.names or [f"x{j + 1}" for j in range(raw.content.shape[1])]
        # pandas takes no rows of the other byte order
        native = raw.content.astype(raw.content.dtype.newbyteorder("="), copy=False)
        table = pd.DataFrame(native, columns=list(names))
    else:
        table = pd.DataFrame(index=range(raw.content.shape[0]))
    return table, tuple(raw.notes)


def _read_raw(
    path: str | os.PathLike[str], options: ReadingOptions, *, literal: bool = False
) -> RawData:
    """Raw data of a file or of a packaged set."""
    file = split_part(path)[0]
    if not file.exists():
        if str(path) in packaged_sets.available():
            return packaged_sets.open_set(str(path), options, literal=literal)
        check_file(file, packaged_sets.available())
    return read_raw(Path(path), options, literal=literal)
