"""What the tries of a benchmark amount to: scores, intervals, rankings, a comparison, a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from karat.bench.agreement import rank_agreement
from karat.bench.comparison import Comparison, compare_methods
from karat.bench.statistics import expected_best, mean_interval
from karat.runtime.validation import InputError, check_choice, unknown_name

if TYPE_CHECKING:
    import pandas as pd

    from karat.bench._fits import Rules

References = Literal["best", "mean", "each"]


class Scored:
    """The table of a benchmark and what it says; see :class:`karat.Benchmark`."""

    measures: list[str]
    rules: Rules
    judge: str | None
    _rows: list[dict[str, Any]]

    @property
    def table(self) -> pd.DataFrame:
        """All tries; see the class."""
        import pandas as pd

        if not self._rows:
            raise InputError("nothing was scored yet; call run()")
        before = ["set", "representation", "method", "try", "k", "reference"]
        after = ["seconds", "megabytes", "chosen", "note", "reason"]
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

    def tries(self, measure: str | None = None, *, references: References = "best") -> pd.DataFrame:
        """The score of each try: the mean over k.

        Parameters
        ----------
        measure : str, optional
            The first of ``measures`` by default.
        references : {"best", "mean", "each"}
            Of several references of a set, the one that each clustering agrees with most, all, or
            each for itself, as a data set of its own.

        Returns
        -------
        DataFrame
            ``set``, ``contestant``, ``try``, ``value`` (greater is better) and, of a benchmark
            with a judge, ``chosen``, the value of what it chose for each k.
        """
        from karat.measures import catalogue

        check_choice(references, ("best", "mean", "each"), "references")
        key = measure or self.measures[0]
        if key not in self.measures:
            raise unknown_name(key, self.measures, "measure")
        table = self.table.assign(contestant=self.contestants)
        table["value"] = table[key] * catalogue[key].sign
        table = table[table["reason"].isna()]
        if references == "each":
            several = table.groupby("set")["reference"].transform("nunique") > 1
            named = table["set"] + ", " + table["reference"].astype(str)
            table["set"] = table["set"].where(~several, named)
        by = ["set", "contestant", "try", "k"]
        cells = table.groupby(by, dropna=False, sort=False)
        own = cells.agg(
            value=("value", "mean" if references == "mean" else "max"), chosen=("chosen", "first")
        ).reset_index()
        by = ["set", "contestant"]
        found = own.groupby([*by, "try"], sort=False)["value"].mean().reset_index()
        if self.judge is None:
            return found
        chosen = own[own["chosen"].eq(True)].groupby(by)["value"].mean().rename("chosen")
        return found.merge(chosen.reset_index(), how="left", on=by)

    def scores(
        self,
        measure: str | None = None,
        *,
        references: References = "best",
        tries: int | Literal["mean", "chosen"] = "mean",
    ) -> pd.DataFrame:
        """One score for each data set and contestant.

        Parameters
        ----------
        measure, references
            As for :meth:`tries`.
        tries : "mean", int or "chosen"
            The mean over the tries; the expected best of so many, the same number for all; or the
            try that the judge chose without labels. In each the number of tries is of no
            advantage.

        Returns
        -------
        DataFrame
            A row for each set, a column for each contestant. Greater is better; missing where a
            contestant failed in every try.

        Raises
        ------
        InputError
            If a contestant has fewer tries than are asked for, or nothing was judged.
        """
        found = self.tries(measure, references=references)
        if tries == "chosen":
            if self.judge is None:
                raise InputError('nothing was chosen without labels; give Benchmark judge="judge"')
            found = found.assign(value=found["chosen"])
        cells = found.groupby(["set", "contestant"], sort=False)["value"]
        if isinstance(tries, str):
            check_choice(tries, ("mean", "chosen"), "tries")
            values = cells.mean()
        elif self.rules.draws:
            raise InputError(
                "each try has objects of its own, so the best of them is the easiest draw; leave "
                "tries out"
            )
        else:
            # a clusterer without a seed gives the same whatever it tries
            values = cells.agg(
                lambda v: v.iloc[0] if len(v) == 1 else expected_best(v.to_numpy(), tries)
            )
        wide = values.unstack("contestant")
        sets = [*dict.fromkeys(found["set"])]
        if references != "each":
            sets = [*dict.fromkeys(self.table["set"])]
        return wide.reindex(index=sets, columns=[*dict.fromkeys(self.contestants)])

    def intervals(
        self,
        measure: str | None = None,
        *,
        references: References = "best",
        level: float = 0.95,
    ) -> pd.DataFrame:
        """What each contestant scores on each set, and what trying more often would seem to add.

        Parameters
        ----------
        measure, references
            As for :meth:`tries`.
        level : float, default 0.95

        Returns
        -------
        DataFrame
            By ``set`` and ``contestant``: ``tries``; ``mean`` over them with ``low`` and ``high``
            (Student's t, over starts and draws of this set; missing for one try); ``best``, the
            greatest; ``expected best`` of as many tries as the contestant with fewest has, of those
            that have more than one; ``chosen`` without labels, where there is a judge.
        """
        found = self.tries(measure, references=references)
        cells = found.groupby(["set", "contestant"], sort=False)
        values = cells["value"]
        table: pd.DataFrame = cells.agg(
            tries=("value", "count"), mean=("value", "mean"), best=("value", "max")
        )
        table[["low", "high"]] = [mean_interval(own, level) for _, own in values]
        several = table["tries"][table["tries"] > 1]
        same = 1 if self.rules.draws or not len(several) else int(several.min())
        table["expected best"] = values.agg(lambda v: expected_best(v, min(same, len(v))))
        columns = ["tries", "mean", "low", "high", "expected best", "best"]
        if self.judge is not None:
            table["chosen"] = cells["chosen"].first()
            columns.append("chosen")
        return table.loc[:, columns]

    def agreement(self, **options: Any) -> pd.DataFrame:
        """Whether the measures rank the contestants alike; see :func:`karat.bench.rank_agreement`.

        Parameters
        ----------
        **options
            ``references``, ``tries`` and ``failed`` as for :meth:`compare`, the others as for
            :func:`karat.bench.rank_agreement`.

        Returns
        -------
        DataFrame
        """
        own = {key: options.pop(key) for key in ("references", "tries") if key in options}
        failed = options.pop("failed", None)
        tables = {key: self.scores(key, **own) for key in self.measures}
        if failed is not None:
            tables = {key: table.fillna(failed) for key, table in tables.items()}
        return rank_agreement(tables, **{"random_state": self.rules.random_state} | options)

    def compare(
        self,
        measure: str | None = None,
        *,
        alpha: float = 0.05,
        rope: float = 0.01,
        references: Literal["best", "mean"] = "best",
        tries: int | Literal["mean", "chosen"] = "mean",
        failed: float | None = None,
    ) -> Comparison:
        """Compare over the data sets; see :func:`karat.bench.compare_methods`.

        Parameters
        ----------
        measure, references, tries
            As for :meth:`scores`.
        alpha, rope
            As for :func:`karat.bench.compare_methods`.
        failed : float, optional
            Score of a method that failed on a data set; by default that is an error.

        Returns
        -------
        Comparison
        """
        check_choice(references, ("best", "mean"), "references")
        wide = self.scores(measure, references=references, tries=tries)
        if failed is not None:
            wide = wide.fillna(failed)
        seed = self.rules.random_state
        return compare_methods(wide, alpha=alpha, rope=rope, random_state=seed)

    def report(self, path: Any, *, overwrite: bool = False, **options: Any) -> None:
        """Write the page that goes into an appendix: words, ranks, tests, and the table.

        Parameters
        ----------
        path : str or path
            An HTML file; ``.tex`` for a LaTeX table (booktabs), ``.parquet`` for all tries.
        overwrite : bool, default False
        **options
            As for :meth:`compare`.
        """
        from karat.bench.page import html_page, latex_table

        target = Path(path)
        if target.exists() and not overwrite:
            raise InputError(f"{target} exists already; pass overwrite=True or another name")
        suffix = target.suffix.lower()
        if suffix == ".parquet":
            self.table.to_parquet(target, index=False)
            return
        found = self.compare(**options)
        made = latex_table if suffix == ".tex" else html_page
        target.write_text(made(self, found, options), encoding="utf-8")
