"""Readers of data files: as data sets, as cells, by distances of objects; and packaged sets."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import pyarrow as pa

from sortal.datasets.formats.data_files import (
    check_file,
    check_name,
    has_records_without_text,
    local,
    read_raw,
    split_name,
    split_part,
)
from sortal.datasets.formats.document_files import (
    COUNT_SUFFIXES,
    DOCUMENT_SUFFIXES,
    TEXT_DATA_SUFFIXES,
    WeightedTerms,
    documents_of,
    has_terms,
    read_counts,
    read_documents,
)
from sortal.datasets.labels.labelings import classes_of_file, read_labels
from sortal.datasets.partitioned.partitions import open_partitions
from sortal.datasets.partitioned.sampled_tables import sample_rows, unusable_in_parts
from sortal.datasets.prepared.dataset import Dataset
from sortal.datasets.prepared.pipeline import prepare, prepare_sample
from sortal.datasets.relations import GRAPHML, from_distances, from_objects, read_relation
from sortal.datasets.values.drafts import RawData
from sortal.datasets.values.reading_options import FileOptions, Impute, ReadingOptions, Scale
from sortal.runtime.resources import require_memory
from sortal.runtime.validation import InputError, unknown_name

if TYPE_CHECKING:
    import pandas as pd

    from sortal.typing import Labels


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
    cosine distances, see :class:`sortal.text.TextVectorizer`.

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
        one that ``sortal sample`` wrote (:func:`read_labels`).
    strict : bool
        Assume nothing: reject names, dates, text and missing values, and do not scale, unless an
        option says what to do.
    accept : str or iterable of str
        Kinds of findings (:attr:`Dataset.findings`) to ignore: the data are used as written.
    whole : bool
        Whether to take all rows of a table of any size, which must fit into memory.
    executor : concurrent.futures.Executor, dask.distributed.Client or str, optional
        Where the parts of a table are read, see :meth:`sortal.Study.sweep`.
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
        ``.terms.txt``. ``vectorizer``: a :class:`sortal.text.TextVectorizer`, or a mapping of its
        parameters.

    Raises
    ------
    InputError
        If the file cannot be used; the message names the lines, columns and values, and the
        options that help. A file that does not fit into memory is rejected before it is read.

    Examples
    --------
    >>> import sortal.datasets
    >>> wine = sortal.datasets.read("wine", label_column="cultivar", scale="standard")
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
        sample = sample_rows(partitions, options, whole=whole, executor=executor)
        return prepare_sample(sample, options)
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
        return _of_terms(read_counts(file, options))
    if has_records_without_text(file, suffix, options.text_column):
        return _prepared(_read_raw(path, options), options)
    if file.is_dir() or suffix in TEXT_DATA_SUFFIXES or options.text_column is not None:
        return _of_terms(read_documents(file, options))
    return _prepared(_read_raw(path, options), options)


def _prepared(raw: RawData, options: ReadingOptions) -> Dataset:
    """Data set of raw data, with the classes of a file that the options name."""
    return prepare(raw, options, classes=classes_of_file(options))


def _of_terms(weighted: WeightedTerms) -> Dataset:
    """Data set of weighted terms with cosine distances, and the preparation of documents."""
    dataset = _prepared(weighted.raw, weighted.options)
    assert dataset.preparation is not None
    preparation = replace(
        dataset.preparation, columns=(), terms=weighted.terms, **weighted.preparation
    )
    return replace(dataset, texts=weighted.texts, metric="cosine", preparation=preparation)


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
    >>> from sortal.datasets import read_cells
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
        if str(path) in available():
            return open_set(str(path), options, literal=literal)
        check_file(file, available())
    return read_raw(Path(path), options, literal=literal)


_FOLDER = Path(__file__).parent / "data"


#: title and class column of each set; ``data/SOURCES.md`` names the origin
_PACKAGED_SETS = {
    "iris": ("Iris flowers: sepals and petals of 50 plants of each species", "species"),
    "wine": ("Wines of three cultivars, by chemical analysis", "cultivar"),
}


def available() -> dict[str, str]:
    """Packaged data sets: name to title.

    Examples
    --------
    >>> import sortal.datasets
    >>> list(sortal.datasets.available())
    ['iris', 'wine']
    """
    return {name: title for name, (title, _) in _PACKAGED_SETS.items()}


def load(name: str, **options: Any) -> Dataset:
    """Load a packaged data set, with its classes.

    Parameters
    ----------
    name : str
        One of :func:`available`.
    **options
        As for :func:`sortal.datasets.read`; ``label_column=None`` excludes the classes.

    Raises
    ------
    InputError
        If there is no such set.

    Examples
    --------
    >>> import sortal.datasets
    >>> sortal.datasets.load("iris")
    <Dataset 'iris', 150 × 4>
    """
    if name not in _PACKAGED_SETS:
        raise unknown_name(name, _PACKAGED_SETS, "packaged data set")
    if "y" not in options:
        options.setdefault("label_column", _PACKAGED_SETS[name][1])
    options.setdefault("scale", "none")
    reading_options = ReadingOptions.of(**options)
    return _prepared(open_set(name, reading_options), reading_options)


def open_set(name: str, options: ReadingOptions, *, literal: bool = False) -> RawData:
    """Read a packaged file; the class column is never a feature."""
    raw = read_raw(_FOLDER / f"{name}.csv", options, literal=literal)
    raw.source = name
    column = _PACKAGED_SETS[name][1]
    if column in (options.label_column, options.id_column, *options.drop):
        return raw
    raw.content = raw.content.drop_columns([column])
    raw.notes.append(f"The classes are not used; label_column (--label-column {column}) adds them.")
    return raw


#: metrics of whole objects, with their synonyms
OBJECT_FILES = {
    "edit": "edit", "levenshtein": "edit", "dtw": "dtw", "gower": "gower",
    "haversine": "haversine",
}  # fmt: skip
#: derived: mean radius by the International Union of Geodesy and Geophysics
EARTH_RADIUS_KM = 6371.0088


def read_objects(path: str | os.PathLike[str], metric: str, **options: Any) -> Dataset:
    """Read a file for a distance between whole objects.

    Parameters
    ----------
    path : str or path
    metric : {"edit", "levenshtein", "dtw", "gower", "haversine"}
        What it compares:

        - ``edit``: the strings of ``text_column``, or of the only column besides label and id
        - ``dtw``: the rows as series
        - ``gower``: the rows of a table of numbers and categories
        - ``haversine``: places by latitude and longitude in degrees, in kilometres
    **options
        As for :func:`read`.

    Returns
    -------
    Dataset
        Distances; for ``gower`` features with this cityblock distance.
    """
    comparison = OBJECT_FILES[metric]
    if comparison == "edit":
        return _strings(path, options)
    if comparison == "gower":
        return gower_features(read(path, **{**options, "scale": "none"}))
    data = read(path, **{**options, "scale": "none"})
    if not isinstance(data.X, np.ndarray) or data.metric != "euclidean":
        raise InputError(f"metric={metric!r} takes a table of numbers; {data.name} has {data.kind}")
    if comparison == "dtw":
        distances = from_objects(list(data.X), "dtw", ids=data.ids)
    else:
        distances = from_distances(_great_circles(data), ids=data.ids)
    return replace(
        data,
        X=distances.X,
        metric="precomputed",
        feature_names=(),
        notes=(*data.notes, *distances.notes),
    )


def gower_features(data: Dataset) -> Dataset:
    """Features whose cityblock distance is Gower's distance of the rows.

    A column contributes the difference divided by its range, or 1 where categories differ; the
    distance is the mean over the columns. Missing values were imputed.
    """
    if not isinstance(data.X, np.ndarray) or data.metric != "euclidean":
        raise InputError(f"metric='gower' takes a table; {data.name} has {data.kind}")
    X = np.array(data.X, dtype=np.float64)
    columns = () if data.plan is None else data.plan.columns
    category_columns = {column.name for column in columns if column.kind in ("category", "code")}
    category_of_feature = [
        next((name for name in category_columns if feature.startswith(f"{name}=")), None)
        for feature in data.feature_names
    ]
    low, high = X.min(axis=0), X.max(axis=0)
    reach = np.where(high > low, high - low, 1.0)
    for j, category in enumerate(category_of_feature):
        X[:, j] = X[:, j] / 2 if category else (X[:, j] - low[j]) / reach[j]
    count = sum(category is None for category in category_of_feature)
    count += len({category for category in category_of_feature if category})
    note = f"Distances are Gower's, the mean over {count} columns."
    return replace(
        data, X=X / count, metric="cityblock", notes=(*data.notes, note), center=None, scale=None
    )


def _strings(path: str | os.PathLike[str], options: dict[str, Any]) -> Dataset:
    """Data set of edit distances between the strings of a column."""
    cells, notes = read_cells(
        path, header=options.get("header"), encoding=options.get("encoding", "utf-8")
    )
    roles = {name: options.get(name) for name in ("label_column", "id_column", "text_column")}
    for name in roles.values():
        if name is not None and name not in cells:
            raise unknown_name(name, cells.columns, "column")
    not_strings = {roles["label_column"], roles["id_column"], *options.get("drop", ())}
    candidates = [name for name in cells.columns if name not in not_strings]
    string_column = roles["text_column"] or (candidates[0] if len(candidates) == 1 else None)
    if string_column is None:
        raise InputError(
            f"edit distance compares the strings of one column, and there are "
            f"{', '.join(candidates)}; name it (text_column, --text-column)"
        )
    strings = [str(value) for value in cells[string_column]]
    require_memory(
        8.0 * len(strings) ** 2, f"the distances of {len(strings):,} strings", "a sample"
    )
    label_column, id_column = roles["label_column"], roles["id_column"]
    y: Any = None if label_column is None else cells[label_column].replace("", None)
    ids = None if id_column is None else cells[id_column].tolist()
    dataset = from_objects(strings, "edit", y=y, ids=ids, name=os.fspath(path))
    if isinstance(options.get("y"), str):
        labels = read_labels(
            options["y"], dataset, id_column=id_column, on=options.get("on", "same")
        )
        dataset = replace(dataset, y=labels.values, truth_name="truth")
    return replace(dataset, notes=(*notes, *dataset.notes), source=os.fspath(path))


def _great_circles(data: Dataset) -> Any:
    """Distances between places in kilometres."""
    from sklearn.metrics.pairwise import haversine_distances

    names = [name.lower() for name in data.feature_names]
    positions = [
        next((j for j, name in enumerate(names) if name.startswith(begin)), None)
        for begin in ("lat", "lo")
    ]
    if len(names) != 2:
        raise InputError(
            f"metric='haversine' takes two columns, latitude and longitude in degrees; there are "
            f"{len(names)} ({', '.join(names[:6])})"
        )
    coordinates = [j for j in positions if j is not None]
    X = np.asarray(data.X)[:, coordinates if len(coordinates) == 2 else [0, 1]]
    if np.abs(X[:, 0]).max() > 90 or np.abs(X[:, 1]).max() > 360:
        raise InputError("latitudes are from -90 to 90 degrees and longitudes from -180 to 180")
    require_memory(16.0 * len(X) ** 2, f"the distances of {len(X):,} places", "a sample")
    return EARTH_RADIUS_KM * haversine_distances(np.radians(X))
