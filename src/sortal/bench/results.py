"""Results of a benchmark's tries: scores, intervals, rankings, a comparison."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

from sortal.bench.agreement import rank_agreement
from sortal.bench.comparison import Comparison, compare_methods
from sortal.bench.statistics import expected_best, mean_interval
from sortal.runtime.validation import InputError, check_choice, unknown_name

if TYPE_CHECKING:
    import pandas as pd

    from sortal.bench.collection import Entry
    from sortal.bench.runs import Rules


class BenchmarkResults:
    """The table of a benchmark and its statistics; see :class:`sortal.Benchmark`."""

    measures: list[str]
    rules: Rules
    sets: dict[str, Entry]
    _rows: list[dict[str, Any]]

    @property
    def table(self) -> pd.DataFrame:
        """All tries; see the class."""
        import pandas as pd

        if not self._rows:
            raise InputError("nothing was scored yet; call run()")
        keys = ["set", "representation", "method", "try", "k", "reference"]
        details = ["seconds", "note", "reason"]
        return pd.DataFrame(self._rows).reindex(columns=[*keys, *self.measures, *details])

    @property
    def contestants(self) -> pd.Series:
        """The contestant of each row of the table: its method, representation, or both."""
        table = self.table
        method, representation = table["method"].astype(str), table["representation"]
        several = representation.nunique() > 1
        if several and method.nunique() == 1:
            return representation.astype(str)
        if not several:
            return method
        pairs = method + " on " + representation.astype(str)
        return pairs.where(representation.notna(), method)

    @property
    def failures(self) -> pd.DataFrame:
        """Number of fits of each contestant (``fits``), how many failed, and the first ``reason``.

        A missing file is a failed fit.
        """
        fits = self._contestant_table().groupby(
            ["contestant", "set", "representation", "try", "k"], dropna=False
        )
        reasons = fits["reason"].first().groupby("contestant")
        counts = reasons.agg(["size", "count", "first"]).set_axis(
            ["fits", "failed", "reason"], axis=1
        )
        return counts.reindex([*dict.fromkeys(self.contestants)])

    def _contestant_table(self) -> pd.DataFrame:
        """The table with a column ``contestant``, and 0 for a missing k."""
        return self.table.assign(contestant=self.contestants, k=lambda table: table["k"].fillna(0))

    def tries(self, measure: str | None = None, *, failed: float | None = None) -> pd.DataFrame:
        """The score of each try: the mean over k.

        Parameters
        ----------
        measure : str, optional
            The first of ``measures`` by default.
        failed : float, optional
            Score of a failed fit, on the measure's own scale.

        Returns
        -------
        DataFrame
            ``set``, ``contestant``, ``try`` and ``value``. Greater is better. With several
            references it is the best agreement. It is missing if the fit of any k failed, unless
            ``failed`` is given.
        """
        key, sign = self._key(measure, failed)
        table = self._contestant_table()
        value = table[key].mask(table["reason"].notna(), math.nan if failed is None else failed)
        table["value"] = value.astype(float) * sign
        keys = ["set", "contestant", "try", "k"]
        fits = table.groupby(keys, sort=False)["value"].agg(lambda v: v.max(skipna=False))
        tries = fits.groupby(keys[:3], sort=False)
        return tries.agg(_mean).reset_index()

    def _key(self, measure: str | None, failed: float | None) -> tuple[str, int]:
        """The measure's key, and its sign: 1, or -1 if less is better."""
        from sortal.measures import catalogue

        key = measure or self.measures[0]
        if key not in self.measures:
            raise unknown_name(key, self.measures, "measure")
        record = catalogue[key]
        if failed is not None and not failed * record.sign < record.optimum * record.sign:
            raise InputError(
                f"failed={failed:g} would be the best value of {key}; give a bad one, so that a "
                "failure is no advantage"
            )
        return key, record.sign

    def scores(
        self,
        measure: str | None = None,
        *,
        tries: int | Literal["mean"] = "mean",
        failed: float | None = None,
    ) -> pd.DataFrame:
        """One score for each data set and contestant.

        Parameters
        ----------
        measure, failed
            As for :meth:`tries`.
        tries : "mean" or int
            The mean over the tries, or the expected best of this number of tries, the same for
            all contestants. Either way, more tries are no advantage.

        Returns
        -------
        DataFrame
            A row for each set, a column for each contestant. Greater is better. A score is missing
            if the contestant failed in any try, unless ``failed`` is given.
        """
        by_try = self.tries(measure, failed=failed)
        cells = by_try.groupby(["set", "contestant"])["value"]
        if isinstance(tries, str):
            check_choice(tries, ("mean",), "tries")
            values = cells.agg(_mean)
        elif self.rules.draw is not None:
            raise InputError(
                "each try draws its own objects, so the best try is the easiest draw; omit tries"
            )
        else:
            # a clusterer without a seed gives the same result in every try
            values = cells.agg(lambda v: _expected_best(v, 1 if len(v) == 1 else tries))
        wide = values.unstack("contestant")
        sets = [*dict.fromkeys(self.table["set"])]
        return wide.reindex(index=sets, columns=[*dict.fromkeys(self.contestants)])

    def intervals(self, measure: str | None = None, *, failed: float | None = None) -> pd.DataFrame:
        """Mean score of each contestant on each set, with a 95 % interval.

        Parameters
        ----------
        measure, failed
            As for :meth:`tries`.

        Returns
        -------
        DataFrame
            By set and contestant: ``tries``, ``mean``, and the ends ``low`` and ``high`` of the
            interval of the mean (Student's t). Values are missing if a try failed, unless
            ``failed`` is given. The ends are missing for a single try.
        """
        import pandas as pd

        by_try = self.tries(measure, failed=failed)
        values = by_try.groupby(["set", "contestant"], sort=False)["value"]
        table = pd.DataFrame(values.agg(tries="size", mean=_mean))
        table[["low", "high"]] = [mean_interval(scores) for _, scores in values]
        return table

    def agreement(self, **options: Any) -> pd.DataFrame:
        """Agreement of the measures' rankings; see :func:`sortal.bench.rank_agreement`.

        Parameters
        ----------
        **options
            ``tries`` and ``failed`` as for :meth:`compare`, the others as for
            :func:`sortal.bench.rank_agreement`.
        """
        scoring = {key: options.pop(key) for key in ("tries", "failed") if key in options}
        tables = {key: self.scores(key, **scoring) for key in self.measures}
        return rank_agreement(tables, **{"random_state": self.rules.random_state} | options)

    def compare(
        self,
        measure: str | None = None,
        *,
        alpha: float = 0.05,
        tries: int | Literal["mean"] = "mean",
        failed: float | None = None,
    ) -> Comparison:
        """Compare over the data sets; see :func:`sortal.bench.compare_methods`.

        Parameters
        ----------
        measure, tries, failed
            As for :meth:`scores`.
        alpha
            As for :func:`sortal.bench.compare_methods`.
        """
        wide = self.scores(measure, tries=tries, failed=failed)
        failures = self.failures.query("failed > 0")
        failed_fits = "; ".join(
            f"{name} failed in {row['failed']} of {row['fits']} fits"
            for name, row in failures.iterrows()
        )
        if failed_fits and failed is None:
            raise InputError(
                f"{failed_fits} ({failures['reason'].iloc[0]}). Say what a failed fit counts as, "
                "such as failed=0 (--failed 0), or exclude the method or the data set"
            )
        notes = [f"{failed_fits}. A failed fit counts as {failed:g}."] if failed_fits else []
        if by_row := [file for entry in self.sets.values() for file in entry.by_row]:
            more = f" and {len(by_row) - 1:,} more have" if len(by_row) > 1 else " has"
            notes.append(f"{by_row[0]}{more} no ids, and the references have: taken row by row.")
        return compare_methods(wide, alpha=alpha, notes=notes)


def _mean(values: pd.Series) -> float:
    """Mean of the values; NaN if any is missing."""
    return float(values.mean(skipna=False))


def _expected_best(values: pd.Series, m: int) -> float:
    """Expected best of m tries; NaN if any try is missing."""
    return math.nan if values.isna().any() else expected_best(values.to_numpy(), m)
