"""The result of judging clusterings: values, reasons, errors, coverage and exactness."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

from sortal.runtime.numerals import percent

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import ArrayLike

    from sortal.typing import Floats

#: derived: printed rows at most, as pandas prints
LINES = 60


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Mapping[str, "pd.Series[float]"]):
    """Clusterings judged by measures, a mapping of each measure's key to its values.

    Attributes
    ----------
    table : DataFrame
        A row for each clustering, a column for each measure.
    reasons : dict of str to dict of str to str
        ``reasons[clustering][measure]`` says why a value is NaN.
    coverage : Series
        Share of the objects, or of their weight, on which each clustering is judged.
    standard_errors : DataFrame
        Standard errors of the estimates, a column for each *estimated* measure; 0 if the sample
        contained all objects.
    exact : DataFrame of bool
        Parallel to ``table``: False for an estimate, or the result of a local search.
    hardened : DataFrame of bool
        Parallel to ``table``: True for a soft or overlapping clustering whose hard labels were
        judged, because the measure does not support memberships.
    sample_size : dict of str to int
        Numbers of drawn ``"objects"`` and ``"pairs"``.

    Examples
    --------
    >>> import sortal
    >>> X = [[0.0], [1.0], [10.0], [11.0]]
    >>> labelings = {"two": [0, 0, 1, 1], "one": [0, 0, 0, 0]}
    >>> scores = sortal.evaluate(X, labelings, measures=["silhouette"])
    >>> scores["silhouette"].idxmax()
    'two'
    >>> scores.reasons["one"]["silhouette"]
    'the clustering has 1 cluster; it needs at least 2'
    """

    table: pd.DataFrame
    reasons: dict[str, dict[str, str]]
    coverage: pd.Series[float]
    standard_errors: pd.DataFrame
    exact: pd.DataFrame
    hardened: pd.DataFrame
    sample_size: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        values: Mapping[str, ArrayLike],
        reasons: dict[str, dict[str, str]],
        coverage: Floats,
        *,
        standard_errors: Mapping[str, ArrayLike] | None = None,
        exact: Mapping[str, ArrayLike] | None = None,
        hardened: Mapping[str, ArrayLike] | None = None,
        sample_size: dict[str, int] | None = None,
    ) -> Scores:
        """Scores of named clusterings, from an array for each measure."""
        import pandas as pd

        index = pd.Index(list(names), dtype=object)
        table = pd.DataFrame(dict(values), index)
        return cls(
            table,
            reasons,
            pd.Series(coverage, index, name="coverage"),
            pd.DataFrame(dict(standard_errors or {}), index),
            pd.DataFrame(True if exact is None else dict(exact), index, table.columns),
            pd.DataFrame(dict(hardened) if hardened else False, index, table.columns),
            sample_size or {},
        )

    def __getitem__(self, measure: str) -> pd.Series[float]:
        return self.table[measure]

    def __iter__(self) -> Iterator[str]:
        return iter(self.table.columns)

    def __len__(self) -> int:
        return self.table.shape[1]

    def to_frame(self) -> pd.DataFrame:
        """One long table, a row for each clustering and measure.

        Returns
        -------
        DataFrame
            Columns ``clustering``, ``measure``, ``value``, ``standard_error`` (NaN unless the
            value is an estimate), ``exact``, ``hardened`` and ``reason`` (empty unless the value
            is missing).
        """
        import pandas as pd

        rows = [
            (
                name,
                key,
                self.table.loc[name, key],
                self._error(name, key),
                bool(self.exact.loc[name, key]),
                bool(self.hardened.loc[name, key]),
                self.reasons.get(name, {}).get(key, ""),
            )
            for name in self.table.index
            for key in self.table.columns
        ]
        columns = [
            "clustering", "measure", "value", "standard_error", "exact", "hardened", "reason",
        ]  # fmt: skip
        return pd.DataFrame(rows, columns=columns)

    def _error(self, name: str, key: str) -> float:
        """Standard error of a value; NaN unless it is an estimate."""
        if key not in self.standard_errors:
            return math.nan
        return float(self.standard_errors.loc[name, key])  # type: ignore[arg-type]

    def _cell(self, name: str, key: str) -> str:
        """A value as text, with its standard error or a mark if it is not exact."""
        value = float(self.table.loc[name, key])  # type: ignore[arg-type]
        error = self._error(name, key)
        if math.isnan(value):
            return "–"
        if error > 0 and math.isfinite(error):
            places = max(0, -math.floor(math.log10(error)))
            return f"{value:.{places}f} ± {error:.{places}f}"
        return f"{'' if self.exact.loc[name, key] else '≈ '}{value:.4g}"

    def _cells(self) -> pd.DataFrame:
        """The values as text, with standard errors."""
        import pandas as pd

        cells = [[self._cell(name, key) for key in self] for name in self.table.index]
        return pd.DataFrame(cells, self.table.index, self.table.columns)

    def _notes(self) -> list[str]:
        """Reasons for missing and inexact values, each reason once."""
        grouped: dict[str, list[str]] = {}
        for name, why in self.reasons.items():
            for key, reason in why.items():
                grouped.setdefault(reason, []).append(f"{key} of {name}")
        notes = [
            f"– {', '.join(cells[:3])}{f' and {len(cells) - 3} more' * (len(cells) > 3)}: {reason}"
            for reason, cells in grouped.items()
        ]
        if (self.coverage < 1).any():
            shares = ", ".join(
                f"{name} {percent(share, 1)}" for name, share in self.coverage[:3].items()
            )
            notes.append(f"share of the objects that is judged: {shares}")
        for name in self.table.index[self.hardened.any(axis=1)]:
            hardened = self.hardened.loc[name]
            direct = [str(key) for key in hardened.index[~hardened]]
            judges = (
                f"{', '.join(direct)} judge its memberships, the others" if direct else "all judge"
            )
            notes.append(f"{name}: {judges} its hard labels")
        if self.sample_size:
            counts = ", ".join(f"{number:,} {unit}" for unit, number in self.sample_size.items())
            notes.append(f"value ± standard error, from {counts}")
        if any("≈" in cell for cell in self._cells().to_numpy().ravel()):
            notes.append("≈: found by a local search, not certain to be the optimum")
        return notes

    def __str__(self) -> str:
        cells = self._cells()
        if cells.shape[1] > cells.shape[0]:
            cells = cells.T
        text = cells.to_string(max_rows=LINES, justify="right", line_width=100)
        return "\n".join([text, *self._notes()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """The table and the notes as HTML."""
        cells = self._cells()
        if cells.shape[1] > cells.shape[0]:
            cells = cells.T
        notes = "".join(f"<li>{escape(note)}</li>" for note in self._notes())
        return cells.to_html(max_rows=LINES, border=0) + f"<ul>{notes}</ul>" * bool(notes)
