"""Which few measures to report for a kind of data, by what they did on data with known classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from karat.measures.measure_map import KINDS, MeasureMap, load_map
from karat.measures.properties import definitions, stored_verdicts
from karat.runtime.validation import InputError, check_choice

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FEW", "Recommendation", "one_a_family", "recommend"]

FEW = 3
#: benchmark shapes have up to three features
MOST_OF_SHAPES = 3
_DATA = {
    "shapes": "points in the plane or in space",
    "tables": "tables of numeric features",
    "texts": "texts and term counts",
}


@dataclass(frozen=True)
class Recommendation:
    """A few measures to report, and why.

    Attributes
    ----------
    kind : {"shapes", "tables", "texts"}
        What the data were taken for.
    measures : tuple of str
        Keys of the measures, the one nearest to the truth first; see ``karat.evaluate``.
    table : DataFrame
        A row per measure: ``rho``, ``low``, ``high``, ``first`` (see ``MeasureMap.agreement``)
        and ``instead_of``, the measures of its family.
    reasons : tuple of str
        Why these.
    cannot_see : tuple of str
        What they do not tell.
    """

    kind: str
    measures: tuple[str, ...]
    table: pd.DataFrame
    reasons: tuple[str, ...]
    cannot_see: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(
            [
                f"For {_DATA[self.kind]}: {', '.join(self.measures)}",
                "",
                *(f"- {line}" for line in self.reasons),
                "",
                "What they cannot see:",
                *(f"- {line}" for line in self.cannot_see),
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "kind": self.kind,
            "measures": self.table.rename_axis("key").reset_index().to_dict("records"),
            "reasons": list(self.reasons),
            "cannot_see": list(self.cannot_see),
        }


def recommend(X: Any = None, *, kind: str | None = None) -> Recommendation:
    """Say which three internal measures to report for some data, and what they cannot see.

    Parameters
    ----------
    X : array-like or sparse, shape (n, d), sequence of str, or a kind, optional
        The data. A sparse matrix and strings are texts, rows of up to three features are shapes,
        others are a table.
    kind : {"shapes", "tables", "texts"}, optional
        What the data are, where there are none or the rule above is wrong.

    Returns
    -------
    Recommendation

    Raises
    ------
    InputError
        For an unknown kind, and where neither the data nor their kind are given.

    Notes
    -----
    By the packaged map of the measures (``load_map``): of the measures that
    compare numbers of clusters, the one whose order of the candidates correlates most with the
    adjusted Rand index on data of this kind, then the next of another family, and the next. On
    collections of data sets left out of the choice, see ``reasons``. Takes milliseconds.

    Examples
    --------
    >>> import karat
    >>> advice = karat.recommend(kind="texts")
    >>> len(advice.measures)
    3
    >>> X = [[0.0, 0.1], [0.2, 0.0], [5.0, 5.1], [5.2, 5.0]]
    >>> karat.recommend(X).kind
    'shapes'
    >>> scores = karat.evaluate(X, [0, 0, 1, 1], measures=karat.recommend(X).measures)
    """
    if kind is None and X is None:
        raise InputError(
            "give the data, or kind=" + ", ".join(map(repr, KINDS)) + " for what they are"
        )
    known = load_map()
    found = kind_of(X) if kind is None else kind
    check_choice(found, KINDS, "kind")
    few = chosen(known, found)
    return Recommendation(
        found,
        tuple(few),
        _table(known, found, few),
        tuple(_reasons(known, found, few)),
        tuple(_cannot_see(known, found, few)),
    )


def kind_of(X: Any) -> str:
    """What data look like: texts, shapes or a table."""
    from scipy import sparse

    from karat.runtime.validation import check_data

    if isinstance(X, str):
        return X
    if sparse.issparse(X):
        return "texts"
    if not hasattr(X, "shape") and len(X) and all(isinstance(value, str) for value in X):
        return "texts"
    return "shapes" if check_data(X).shape[1] <= MOST_OF_SHAPES else "tables"


def eligible(known: MeasureMap, kind: str) -> list[str]:
    """Measures that compare numbers of clusters and were computed on every collection."""
    collections = known.agreement[kind]["collections"]
    return [str(key) for key in known.together.index if collections[key] == collections.max()]


def chosen(known: MeasureMap, kind: str) -> list[str]:
    """The measures to report on data of a kind, the one nearest to the truth first."""
    keys = eligible(known, kind)
    return one_a_family(known.agreement[kind]["rho"][keys], known.families(keys))


def one_a_family(
    nearness: pd.Series[float], families: Mapping[str, Sequence[str]], few: int = FEW
) -> list[str]:
    """The best measures of the best families.

    Examples
    --------
    >>> import pandas as pd
    >>> nearness = pd.Series({"a": 0.5, "b": 0.4, "c": 0.3})
    >>> one_a_family(nearness, {"A": ["a", "b"], "C": ["c"]})
    ['a', 'c']
    """
    best = [str(nearness[list(members)].idxmax()) for members in families.values()]
    ordered = nearness.loc[best].sort_values(ascending=False, kind="stable").index[:few]
    return [str(key) for key in ordered]


# -- telling ---------------------------------------------------------------------------------------


def _table(known: MeasureMap, kind: str, few: Sequence[str]) -> pd.DataFrame:
    table = known.agreement[kind].loc[list(few), ["rho", "low", "high", "first"]].copy()
    home = {
        key: members
        for members in known.families(eligible(known, kind)).values()
        for key in members
    }
    table["instead_of"] = [", ".join(k for k in home[key] if k != key) for key in few]
    return table


def _reasons(known: MeasureMap, kind: str, few: Sequence[str]) -> list[str]:
    from karat.measures import catalogue

    instead = _table(known, kind, few)["instead_of"]
    collections = int(known.agreement[kind]["collections"].max())
    lines = [
        f"{catalogue[key].title} ({key}): its order of the candidates correlates with that by the "
        f"true classes by ρ = {_told(known, kind, key)} on {collections} collections of "
        f"{_DATA[kind]}{_in_place_of(instead[key])}."
        for key in few
    ]
    highest = max(float(known.rho[a][b]) for a, b in combinations(few, 2))
    lines.append(
        "No two of one family: their orders of the candidates correlate by ρ = "
        f"{_signed(highest)} at most."
    )
    trial = known.about["recommended"][kind]
    told = ", ".join(
        f"{way} {_signed(row['rho'])}"
        for way, row in trial.items()
        if way != "recommended" and "rho" in row
    )
    lines.append(
        "On collections left out of the choice the mean rank by the three correlates with the "
        f"truth by ρ = {_signed(trial['recommended']['rho'])}; {told}."
    )
    return lines


def _cannot_see(known: MeasureMap, kind: str, few: Sequence[str]) -> list[str]:
    from karat.measures import catalogue

    trial = known.about["recommended"][kind]
    own = trial["recommended"]
    lines = [
        "Which clustering is right: what their mean rank puts first has a mean adjusted Rand index "
        f"of {own['first']:.2f} on collections left out, where a candidate at random has "
        f"{trial['a candidate at random']['first']:.2f}, that by silhouette alone "
        f"{trial['silhouette alone']['first']:.2f} and the best one "
        f"{trial['the best candidate']['first']:.2f}."
    ]
    unsure = [catalogue[key].title for key in few if _low(known, kind, key) <= 0]
    if unsure:
        lines.append(
            f"On {_DATA[kind]} {' and '.join(unsure)} may not follow the truth at all: the "
            "interval reaches 0."
        )
    for other in KINDS:
        weak = [
            f"{catalogue[key].title} {_told(known, other, key)}"
            for key in few
            if other != kind and _low(known, other, key) <= 0
        ]
        if weak:
            lines.append(f"On {_DATA[other]} they may tell nothing: {', '.join(weak)}.")
    return [*lines, *_lacking(few)]


def _lacking(few: Sequence[str]) -> list[str]:
    """Properties that the measures were found not to have."""
    from karat.measures import catalogue

    known = [v for v in stored_verdicts() if v.measure in few and v.outcome == "violated"]
    lines = []
    for key in few:
        names = [definitions()[v.property].name for v in known if v.measure == key]
        if names:
            lines.append(
                f"{catalogue[key].title} lacks {', '.join(name.lower() for name in names)}: "
                f"karat.properties({key!r}) shows when."
            )
    return lines


def _in_place_of(keys: str) -> str:
    others = keys.split(", ")
    if not keys:
        return ""
    more = f" and {len(others) - 3} more of its family" * (len(others) > 3)
    return f"; it stands for {', '.join(others[:3])}{more}"


def _low(known: MeasureMap, kind: str, key: str) -> float:
    return float(known.agreement[kind]["low"][key])


def _told(known: MeasureMap, kind: str, key: str) -> str:
    rho, low, high = (float(known.agreement[kind][name][key]) for name in ("rho", "low", "high"))
    return f"{_signed(rho)} ({_signed(low)} to {_signed(high)})"


def _signed(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")
