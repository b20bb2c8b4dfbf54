"""What the tries of a benchmark amount to: scores, intervals, rankings, a comparison."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

from karat.bench.agreement import rank_agreement
from karat.bench.comparison import Comparison, compare_methods
from karat.bench.statistics import expected_best, mean_interval
from karat.runtime.validation import InputError, check_choice, unknown_name

if TYPE_CHECKING:
    import pandas as pd

    from karat.bench.collection import Entry
    from karat.bench.runs import Rules


class Scored:
    """The table of a benchmark and what it says; see :class:`karat.Benchmark`."""

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
        before = ["set", "representation", "method", "try", "k", "reference"]
        after = ["seconds", "note", "reason"]
        return pd.DataFrame(self._rows).reindex(columns=[*before, *self.measures, *after])

    @property
    def contestants(self) -> pd.Series:
        """What is compared, for each row of the table: methods, representations, or both."""
        table = self.table
        method, representation = table["method"].astype(str), table["representation"]
        several = representation.nunique() > 1
        if several and method.nunique() == 1:
            return representation.astype(str)
        if not several:
            return method
        on = method + " on " + representation.astype(str)
        return on.where(representation.notna(), method)

    @property
    def failures(self) -> pd.DataFrame:
        """How many fits each contestant had (``fits``), how many failed, and the first ``reason``.

        A missing file is a fit that failed.
        """
        table = self.table.assign(contestant=self.contestants)
        table["k"] = table["k"].fillna(0)
        fits = table.groupby(["contestant", "set", "representation", "try", "k"], dropna=False)
        own = fits["reason"].first().groupby("contestant", sort=False)
        found = own.agg(["size", "count", "first"]).set_axis(["fits", "failed", "reason"], axis=1)
        return found.reindex([*dict.fromkeys(self.contestants)])

    def tries(self, measure: str | None = None, *, failed: float | None = None) -> pd.DataFrame:
        """The score of each try: the mean over k.

        Parameters
        ----------
        measure : str, optional
            The first of ``measures`` by default.
        failed : float, optional
            What a fit that failed counts as, by the measure itself.

        Returns
        -------
        DataFrame
            ``set``, ``contestant``, ``try`` and ``value`` (greater is better, of several references
            that which the clustering agrees with most; missing where the fit of any k failed,
            unless ``failed`` is given).

        Raises
        ------
        InputError
            If ``failed`` would be the best value of the measure.
        """
        key, sign = self._key(measure, failed)
        table = self.table.assign(contestant=self.contestants)
        table["k"] = table["k"].fillna(0)
        value = table[key].mask(table["reason"].notna(), math.nan if failed is None else failed)
        table["value"] = value.astype(float) * sign
        keys = ["set", "contestant", "try", "k"]
        fits = table.groupby(keys, sort=False)["value"].agg(lambda v: v.max(skipna=False))
        tries = fits.groupby(keys[:3], sort=False)
        return tries.agg(lambda v: v.mean(skipna=False)).reset_index()

    def _key(self, measure: str | None, failed: float | None) -> tuple[str, int]:
        """The measure, and 1 or -1 where less is better."""
        from karat.measures import catalogue

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
            The mean over the tries, or the expected best of so many, the same number for all. In
            both the number of tries is of no advantage.

        Returns
        -------
        DataFrame
            A row for each set, a column for each contestant. Greater is better; missing where a
            contestant failed in any try, unless ``failed`` says what that counts as.

        Raises
        ------
        InputError
            If a contestant has fewer tries than are asked for.
        """
        found = self.tries(measure, failed=failed)
        cells = found.groupby(["set", "contestant"], sort=False)["value"]
        if isinstance(tries, str):
            check_choice(tries, ("mean",), "tries")
            values = cells.agg(lambda v: v.mean(skipna=False))
        elif self.rules.draw is not None:
            raise InputError(
                "each try has objects of its own, so the best of them is the easiest draw; omit "
                "tries"
            )
        else:
            # a clusterer without a seed gives the same whatever it tries
            values = cells.agg(lambda v: _expected_best(v, 1 if len(v) == 1 else tries))
        wide = values.unstack("contestant")
        sets = [*dict.fromkeys(self.table["set"])]
        return wide.reindex(index=sets, columns=[*dict.fromkeys(self.contestants)])

    def intervals(self, measure: str | None = None, *, failed: float | None = None) -> pd.DataFrame:
        """What each contestant scores on each set, with a 95 % interval.

        Parameters
        ----------
        measure, failed
            As for :meth:`tries`.

        Returns
        -------
        DataFrame
            By set and contestant: ``tries``, ``mean``, and the ends ``low`` and ``high`` of the
            interval of the mean (Student's t). Missing where a try failed, unless ``failed`` is
            given; ends are missing for one try.
        """
        import pandas as pd

        found = self.tries(measure, failed=failed)
        values = found.groupby(["set", "contestant"], sort=False)["value"]
        table = pd.DataFrame(values.agg(tries="size", mean=lambda v: v.mean(skipna=False)))
        table[["low", "high"]] = [mean_interval(own) for _, own in values]
        return table

    def agreement(self, **options: Any) -> pd.DataFrame:
        """Whether the measures rank the contestants alike; see :func:`karat.bench.rank_agreement`.

        Parameters
        ----------
        **options
            ``tries`` and ``failed`` as for :meth:`compare`, the others as for
            :func:`karat.bench.rank_agreement`.

        Returns
        -------
        DataFrame
        """
        own = {key: options.pop(key) for key in ("tries", "failed") if key in options}
        tables = {key: self.scores(key, **own) for key in self.measures}
        return rank_agreement(tables, **{"random_state": self.rules.random_state} | options)

    def compare(
        self,
        measure: str | None = None,
        *,
        alpha: float = 0.05,
        tries: int | Literal["mean"] = "mean",
        failed: float | None = None,
    ) -> Comparison:
        """Compare over the data sets; see :func:`karat.bench.compare_methods`.

        Parameters
        ----------
        measure, tries, failed
            As for :meth:`scores`.
        alpha
            As for :func:`karat.bench.compare_methods`.

        Returns
        -------
        Comparison

        Raises
        ------
        InputError
            If a fit failed and ``failed`` does not say what that counts as.
        """
        wide = self.scores(measure, tries=tries, failed=failed)
        failures = self.failures.query("failed > 0")
        told = "; ".join(
            f"{name} failed in {row['failed']} of {row['fits']} fits"
            for name, row in failures.iterrows()
        )
        if told and failed is None:
            raise InputError(
                f"{told} ({failures['reason'].iloc[0]}). Say what a failed fit counts as, such as "
                "failed=0 (--failed 0), or exclude the method or the data set"
            )
        notes = [f"{told}. A failed fit counts as {failed:g}."] if told else []
        if by_row := [file for entry in self.sets.values() for file in entry.by_row]:
            more = f" and {len(by_row) - 1:,} more have" if len(by_row) > 1 else " has"
            notes.append(f"{by_row[0]}{more} no ids, and the references have: taken row by row.")
        return compare_methods(wide, alpha=alpha, notes=notes)


def _expected_best(values: pd.Series, m: int) -> float:
    """Missing where any try is."""
    return math.nan if values.isna().any() else expected_best(values.to_numpy(), m)
