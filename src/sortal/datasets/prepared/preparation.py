"""Preparation of further objects in the same way as the data were prepared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sortal.datasets.values import column_arrays, number_readings
from sortal.datasets.values.column_kinds import temporal_days
from sortal.datasets.values.missing_values import Filler as Filler
from sortal.datasets.values.names_and_ids import quoted, visible, with_visible_names
from sortal.datasets.values.number_readings import PLAIN_READING, numbers_of
from sortal.runtime.validation import InputError, check_data
from sortal.text import TermWeighter, TextVectorizer

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from sortal.datasets.tables.reading_plan import ReadingPlan
    from sortal.datasets.values.column_arrays import Table
    from sortal.datasets.values.column_kinds import Column
    from sortal.datasets.values.drafts import DatasetDraft
    from sortal.datasets.values.reading_options import ReadingOptions
    from sortal.typing import Bools, Floats, Rows


@dataclass(frozen=True)
class Prepared:
    """Further objects, prepared like the data."""

    X: Rows  # ndarray or csr_array, shape (m, d)
    filled: Floats  # shape (m,): share of each object's columns whose missing value was filled in
    notes: tuple[str, ...] = ()


#: attributes that are stored unchanged
STORED_FIELDS = (
    "feature_names", "aside", "of_table", "dtype", "text_column", "messages", "reshaping",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Preparation:
    """Conversion of a source's columns to the features of a data set."""

    columns: tuple[SourceColumn, ...]  # in the order of their features; none for documents
    feature_names: tuple[str, ...]
    aside: tuple[str, ...] = ()  # columns of the source that are not features
    #: shape (d,): features are ``(values - center) / scale``
    center: Floats | None = None
    scale: Floats | None = None
    #: imputation of missing values in features of weight above 0; None if none were missing
    filler: Filler | None = None
    #: whether the source was a table. Otherwise the columns have no kinds, and arrays match by
    #: position.
    of_table: bool = False
    dtype: str = "<f8"
    text_column: str | None = None  # the column with the texts of documents
    messages: bool = False  # whether only the bodies of the texts were used
    #: fitted; converts texts or counts of terms to weights
    terms: TextVectorizer | TermWeighter | None = None
    #: shape (d,): factors of the scaled features; those of weight 0 are excluded
    weights: Floats | None = None
    #: options that made one row per object of several; empty if none did
    reshaping: Mapping[str, Any] = field(default_factory=dict)

    @property
    def needed(self) -> tuple[str, ...]:
        """Columns that further objects must have."""
        if isinstance(self.terms, TextVectorizer):
            return () if self.text_column is None else (self.text_column,)
        return tuple(column.name for column in self.columns)

    def apply(self, data: Any, filler: Filler | None = None) -> Prepared:
        """Features of further objects.

        Parameters
        ----------
        data : DataFrame, Arrow table, mapping, array-like, sparse, or list of str
            Tables are matched by the names of their columns, in any order; arrays by position.
            Documents are texts, or a table with ``text_column``.
        filler : Filler, optional
            Imputation of missing values if none were missing in the data.

        Raises
        ------
        InputError
            If columns are missing, or their number differs.
        """
        if isinstance(self.terms, TextVectorizer):
            X: Any = self.terms.transform(self._texts(data))
            return Prepared(self._scale_sparse(X), np.zeros(X.shape[0]))
        if _is_table(data):
            default_names = tuple(f"x{j + 1}" for j in range(len(self.feature_names)))
            matches_names = self.of_table or self.feature_names != default_names
            table = column_arrays.to_arrow(data)
            if matches_names or set(self.needed) <= set(table.column_names):
                return self._prepare_table(table, filler)
        if self.of_table and any(column.kind != "number" for column in self.columns):
            raise InputError(
                "the data have columns of different kinds, so further objects must be a table with "
                f"the columns {quoted(self.needed)}; got {type(data).__name__}"
            )
        return self._prepare_array(data, filler)

    def _texts(self, documents: Any) -> list[str]:
        """Texts of further documents."""
        if _is_table(documents):
            table = column_arrays.to_arrow(documents)
            name = self.text_column or "text"
            if name not in table.column_names:
                raise InputError(
                    f"there is no column {name!r}, which has the texts; the columns are "
                    f"{quoted(table.column_names)}"
                )
            documents = ["" if v is None else str(v) for v in table.column(name).to_pylist()]
        if isinstance(documents, str) or not all(isinstance(text, str) for text in documents):
            raise InputError(
                "the data are documents, so further objects must be a list of texts, or a table "
                f"with the column {self.text_column or 'text'!r}"
            )
        from sortal.text.documents import Documents, bodies

        return list(bodies(Documents(list(documents), {}), self.messages).texts)

    def _prepare_table(self, table: pa.Table, filler: Filler | None) -> Prepared:
        """Further objects of a table, matched by column names."""
        table = column_arrays.plain_columns(with_visible_names(table))
        if table.num_columns and table.column_names[0] == "":
            table = table.rename_columns(["column1", *table.column_names[1:]])
        available = set(table.column_names)
        missing = [name for name in self.needed if name not in available]
        if missing:
            message = _missing_columns_message(missing, table.column_names)
            if self.reshaping:
                message += "; the columns of this model were made of several rows per object"
            raise InputError(message)
        extra = [n for n in table.column_names if n not in self.needed and n not in self.aside]
        notes = [f"Ignored columns that the data did not have: {quoted(extra)}."] if extra else []
        blocks = []
        for column in self.columns:
            try:
                block, unknown = column.features(table.column(column.name))
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError, ValueError) as error:
                raise InputError(
                    f"column {column.name!r} was understood as {column.kind} in the data, and "
                    f"cannot be here: {error}"
                ) from None
            blocks.append(block)
            if unknown:
                notes.append(_unknown_values_note(column.name, unknown))
        X = np.concatenate(blocks, axis=1) if blocks else np.empty((table.num_rows, 0))
        return self._fill_and_scale(X, filler, notes)

    def _prepare_array(self, array: Any, filler: Filler | None) -> Prepared:
        """Further objects of an array, matched by position."""
        if self.filler is not None and not hasattr(array, "toarray"):
            X: Any = np.array(array, dtype=np.float64, ndmin=2)
        else:
            X = check_data(array, name="X")
        if X.shape[1] != len(self.feature_names):
            raise InputError(
                f"X has {X.shape[1]} features, but the data have {len(self.feature_names)}: "
                f"{quoted(self.feature_names)}"
            )
        if isinstance(self.terms, TermWeighter):
            X = self.terms.transform(X)
        if hasattr(X, "toarray"):
            return Prepared(self._scale_sparse(X), np.zeros(X.shape[0]))
        return self._fill_and_scale(X, filler, [])

    def _scale_sparse(self, X: csr_array) -> csr_array:
        """Scale a sparse matrix."""
        if self.scale is not None:
            X = X.copy()
            X.data = X.data / self.scale[X.indices]
        return X.astype(self.dtype, copy=False)

    def _fill_and_scale(self, X: NDArray[Any], filler: Filler | None, notes: list[str]) -> Prepared:
        """Impute, scale and check the features of further objects."""
        has_weight = self.kept
        X, origin = X[:, has_weight], self.origin[has_weight] if self.columns else self.origin
        bad = ~np.isfinite(X)
        # the first feature of each column
        gaps = bad[:, np.unique(origin, return_index=True)[1]]
        share = gaps.mean(axis=1) if self.columns else np.zeros(len(X))
        filler = self.filler or filler
        if bad.any():
            if filler is None:
                check_data(X, name="X")  # raises with the places
            assert filler is not None
            X = np.array(X, dtype=np.float64)
            filler.fill(X, bad, origin, self.categorical[has_weight])
            count, rows = int(gaps.sum()), int((share > 0).sum())
            notes.append(
                f"Filled in {count:,} missing value{'s' * (count > 1)} of {rows:,} "
                f"row{'s' * (rows > 1)}."
            )
        if self.scale is not None and self.center is not None:
            X = (X - self.center[has_weight]) / self.scale[has_weight]
        if self.weights is not None:
            X = X * self.weights[has_weight]
        X = check_data(X.astype(self.dtype, copy=False), name="X") if len(X) else X
        return Prepared(X, share, tuple(notes))

    @property
    def kept(self) -> Bools:
        """Mask of the features that have a weight above 0."""
        if self.weights is None:
            return np.ones(len(self.feature_names), dtype=bool)
        return self.weights > 0

    def original(self, X: NDArray[Any]) -> NDArray[Any]:
        """Features of prepared objects in original units; those without weight at their center."""
        if self.weights is not None:
            has_weight = self.kept
            features = np.zeros((len(X), len(has_weight)))
            features[:, has_weight] = X / self.weights[has_weight]
            X = features
        if self.scale is not None and self.center is not None:
            X = X * self.scale + self.center
        return X

    @property
    def origin(self) -> NDArray[np.intp]:
        """Number of the source column of each feature."""
        widths = [column.n_features for column in self.columns]
        return np.repeat(np.arange(len(widths)), widths)

    @property
    def categorical(self) -> Bools:
        """Mask of the features that stand for categories."""
        return np.array([bool(self.columns[j].categories) for j in self.origin], dtype=bool)

    def to_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Facts for JSON, and arrays by name; :meth:`from_parts` undoes it."""
        facts: dict[str, Any] = {name: getattr(self, name) for name in STORED_FIELDS}
        facts["columns"] = [asdict(column) for column in self.columns]
        arrays = {"center": self.center, "scale": self.scale, "weights": self.weights}
        if self.filler is not None:
            arrays |= {f"filler_{name}": value for name, value in vars(self.filler).items()}
        if self.terms is not None:
            facts["terms"], term_arrays = _terms_to_parts(self.terms)
            arrays |= term_arrays
        return facts, {name: value for name, value in arrays.items() if value is not None}

    @classmethod
    def from_parts(
        cls, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> Preparation:
        """Preparation from the result of :meth:`to_parts`."""
        columns = tuple(map(_column_from, facts["columns"]))
        of_filler = {
            name.removeprefix("filler_"): value
            for name, value in arrays.items()
            if name.startswith("filler_")
        }
        return cls(
            columns=columns,
            center=arrays.get("center"),
            scale=arrays.get("scale"),
            weights=arrays.get("weights"),
            filler=Filler(**of_filler) if of_filler else None,
            terms=_terms_from_parts(facts["terms"], arrays) if "terms" in facts else None,
            **_with_tuples({name: facts[name] for name in STORED_FIELDS if name in facts}),
        )


def _with_tuples(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts with tuples in place of JSON's lists."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in facts.items()}


def _column_from(facts: Mapping[str, Any]) -> SourceColumn:
    """A column from its stored facts; early files have ``decimal_comma`` in place of a reading."""
    stored = {key: value for key, value in facts.items() if key != "decimal_comma"}
    if facts.get("decimal_comma"):
        stored["reading"] = ("comma", *PLAIN_READING[1:])
    return SourceColumn(**_with_tuples(stored))


def preparation_of(
    draft: DatasetDraft,
    plan: ReadingPlan | None,
    center: Floats | None,
    scale: Floats | None,
    options: ReadingOptions,
    *,
    aside: Iterable[str] = (),
) -> Preparation:
    """Preparation of a finished data set."""
    # sparse data have one column per feature, without further facts
    columns = () if draft.sparse else tuple(SourceColumn(name) for name in draft.names)
    if plan is not None:
        column_of_name = {column.name: column for column in plan.columns}
        origins = dict.fromkeys(draft.origin.tolist())
        columns = tuple(
            _source_column(draft, j, column_of_name[draft.columns[j]], options) for j in origins
        )
    return Preparation(
        columns, tuple(draft.names), tuple(aside), center, scale, draft.filler,
        plan is not None, draft.X.dtype.str, reshaping=options.reshaping,
    )  # fmt: skip


def preparation_of_features(
    X: Rows, names: tuple[str, ...], center: Floats | None, scale: Floats | None
) -> Preparation:
    """Preparation of numeric features that were scaled and not otherwise changed."""
    columns = tuple(SourceColumn(name) for name in names) if isinstance(X, np.ndarray) else ()
    return Preparation(columns, names, (), center, scale, dtype=X.dtype.str)


def _source_column(
    draft: DatasetDraft, j: int, column: Column, options: ReadingOptions
) -> SourceColumn:
    """Conversion of source column ``j``, as the draft encodes it."""
    name, facts = column.name, column.facts
    features = np.flatnonzero(draft.origin == j)
    categories: tuple[str, ...] = ()
    column_type: str = "date" if column.kind == "date" else "number"
    if draft.categorical[features[0]] and not facts.get("indicator"):
        categories = tuple(draft.names[i][len(name) + 1 :] for i in features)
        column_type = "code" if column.kind == "code" else "category"
    return SourceColumn(
        name,
        column_type,
        categories,
        form=str(facts.get("form", "")) if column_type == "date" else "",
        reading=tuple(facts.get("reading", PLAIN_READING)),
        day_first=bool(facts.get("day_first")),
        missing=tuple(sorted(options.missing(name))),
        sentinels=tuple(float(value) for value in facts.get("sentinels", ())),
    )


def _is_table(data: object) -> TypeGuard[Table]:
    """Whether data have named columns."""
    return (
        isinstance(data, Mapping)
        or hasattr(data, "columns")
        or hasattr(data, "column_names")
        or hasattr(data, "__arrow_c_stream__")
    )


def _missing_columns_message(missing: list[str], available: list[str]) -> str:
    """Message about missing columns, with similar names."""
    similar = [match for name in missing for match in get_close_matches(name, available, n=1)]
    hint = f"; near to it: {quoted(similar)}" if similar else f"; there are {quoted(available)}"
    many = len(missing) > 1
    return (
        f"the column{'s' * many} {quoted(missing)} of the data {'are' if many else 'is'} not there"
        f"{hint}. Rename or add what is missing"
    )


def _unknown_values_note(name: str, unknown: Counter[str]) -> str:
    """Note on values that are no known category."""
    rows, values = sum(unknown.values()), sorted(unknown, key=lambda value: -unknown[value])
    return (
        f"{rows:,} row{'s have values' if rows > 1 else ' has a value'} of {name!r} that the data "
        f"did not have ({quoted(values, 3)}): none of the known categories."
    )


def _terms_to_parts(
    terms: TextVectorizer | TermWeighter,
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Facts for JSON and arrays of a vectorizer or weighter."""
    weighter = terms.weighter_ if isinstance(terms, TextVectorizer) else terms
    params = terms.get_params()
    for key, value in params.items():
        if key == "dtype":
            params[key] = np.dtype(value).str
        elif value is not None and not isinstance(value, (str, int, float, bool)):
            params[key] = sorted(map(str, value))
    facts: dict[str, Any] = {"params": params, "mean_length": weighter.mean_length_}
    if isinstance(terms, TextVectorizer):
        facts["vocabulary"] = list(terms.vocabulary_)
        facts["names"] = [str(term) for term in terms.terms_]
    return facts, {"idf": weighter.idf_}


def _terms_from_parts(
    facts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> TextVectorizer | TermWeighter:
    """Vectorizer or weighter from the result of :func:`_terms_to_parts`."""
    params = dict(facts["params"])
    weighter = TermWeighter(**{key: params[key] for key in ("weight", "k1", "b", "norm")})
    weighter.idf_, weighter.mean_length_ = arrays["idf"], facts["mean_length"]
    weighter.n_features_in_ = len(weighter.idf_)
    if "vocabulary" not in facts:
        return weighter
    vectorizer = TextVectorizer(**{**params, "dtype": np.dtype(params["dtype"]).type})
    vectorizer.vocabulary_ = {stem: j for j, stem in enumerate(facts["vocabulary"])}
    vectorizer.terms_ = np.array(facts["names"], dtype=object)
    vectorizer.weighter_ = weighter
    return vectorizer


@dataclass(frozen=True)
class SourceColumn:
    """Conversion of a column of the source to features."""

    name: str
    #: number, date, category, or code: a category whose values are whole numbers
    kind: str = "number"
    categories: tuple[str, ...] = ()  # values of a category or code, in the order of their features
    form: str = ""  # format of dates
    #: reading of numbers in text, as ``NumbersOfCells`` has it
    reading: tuple[str, ...] = PLAIN_READING
    day_first: bool = False
    missing: tuple[str, ...] = ()  # marks of missing values besides the usual ones; in lower case
    sentinels: tuple[float, ...] = ()  # numbers that stand for missing values

    @property
    def n_features(self) -> int:
        """Number of features of the column."""
        return len(self.categories) or 1

    def features(self, column: pa.ChunkedArray) -> tuple[Floats, Counter[str]]:
        """Features, NaN where the value is missing, and counts of unknown categories."""
        if self.categories:
            return self._indicators(_category_texts(column, whole=self.kind == "code"))
        values = self._days(column) if self.kind == "date" else self._numbers(column)
        values[~np.isfinite(values) | np.isin(values, self.sentinels)] = np.nan
        return values[:, None], Counter()

    def _indicators(self, texts: list[str | None]) -> tuple[Floats, Counter[str]]:
        """Columns of 0 and 1, one per category, and counts of unknown categories."""
        feature_of_value = {value: j for j, value in enumerate(self.categories)}
        out = np.zeros((len(texts), len(feature_of_value)))
        unknown: Counter[str] = Counter()
        for i, text in enumerate(texts):
            if text is None or self._is_missing(text):
                out[i] = np.nan
            elif text in feature_of_value:
                out[i, feature_of_value[text]] = 1.0
            else:
                unknown[text] += 1
        return out, unknown

    def _is_missing(self, text: str) -> bool:
        """Whether a text marks a missing value."""
        lower = text.lower()
        is_category = text in self.categories
        return lower in self.missing or (lower in number_readings.MISSING_MARKS and not is_category)

    def _numbers(self, column: pa.ChunkedArray) -> Floats:
        """Values of a column of numbers."""
        dtype = column.type
        if pa.types.is_boolean(dtype):
            return np.array(column.cast(pa.float64()).to_numpy(), dtype=np.float64)
        if not column_arrays.is_text(dtype) and not pa.types.is_dictionary(dtype):
            return np.array(column_arrays.floats(column), dtype=np.float64)
        return self._parse_cells(column, self._parse_numbers)

    def _parse_numbers(self, cells: list[str]) -> Floats:
        """Numbers in text; true is 1 and false 0."""
        values = numbers_of(cells, self.reading).values
        for i in np.flatnonzero(np.isnan(values)):
            values[i] = {"true": 1.0, "false": 0.0}.get(cells[i].lower(), np.nan)
        return values

    def _days(self, column: pa.ChunkedArray) -> Floats:
        """Days since 1970 of a column of dates."""
        if pa.types.is_temporal(column.type):
            return np.array(temporal_days(column), dtype=np.float64)
        if self.form in ("seconds", "milliseconds"):
            unit = 1.0 if self.form == "seconds" else 1e3
            return self._numbers(column) / unit / number_readings.DAY
        if self.form == "yyyymmdd":
            values = self._numbers(column)
            is_known = np.isfinite(values)
            digits = number_readings.days_of_digits(values[is_known])
            values[is_known] = np.nan if digits is None else digits
            return values
        return self._parse_cells(column, self._parse_dates)

    def _parse_dates(self, cells: list[str]) -> Floats:
        """Days of dates or times in text."""
        if self.form == "time":  # Arrow parsed the text of the file so
            return temporal_days(pa.chunked_array([cells]).cast(pa.time32("ms")))
        return number_readings.days(cells, day_first=self.day_first)

    def _parse_cells(self, column: pa.ChunkedArray, parse: Callable[[list[str]], Floats]) -> Floats:
        """Values of text, each distinct cell parsed once."""
        column = pc.utf8_trim_whitespace(_as_text(column))
        codes, dictionary = column_arrays.encoded(column)
        cells = ["" if text is None else text for text in dictionary.to_pylist()]
        valued = [j for j, cell in enumerate(cells) if cell and not self._is_missing(cell)]
        lookup = np.full(len(cells) + 1, np.nan)
        if valued:
            lookup[valued] = parse([cells[j] for j in valued])
        return lookup[codes]


def _as_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Column as text."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column.cast(pa.large_string())


def _category_texts(column: pa.ChunkedArray, *, whole: bool) -> list[str | None]:
    """Values as categories are written; with ``whole``, 3.0 is 3."""
    numeric = pa.types.is_floating(column.type) or pa.types.is_integer(column.type)
    if numeric:
        return [
            None if v is None or v != v else str(int(v)) if v == int(v) else str(v)
            for v in column.to_pylist()
        ]
    cells = [
        None if cell is None or not cell.strip() else visible(cell.strip())
        for cell in _as_text(column).to_pylist()
    ]
    if not whole:
        return cells
    values = numbers_of([cell or "" for cell in cells], PLAIN_READING).values
    return [
        str(int(value)) if value == np.floor(value) and cell is not None else cell
        for cell, value in zip(cells, values, strict=True)
    ]
