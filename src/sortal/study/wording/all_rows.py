"""All rows of a large table in the clusters of an answer, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sortal.runtime.numerals import percent

if TYPE_CHECKING:
    from sortal.model import AssignedRows

HEADS = ("", "cluster", "rows", "share", "unlike")


def of_rows(assigned: AssignedRows) -> str:
    """The rows that the numbers are of."""
    return f"{'' if assigned.left else 'all '}{assigned.n_rows:,} rows"


def rows(assigned: AssignedRows) -> Iterator[tuple[str, str, str, str, str]]:
    """A line for each cluster, the largest first: number, name, rows, share and unlike rows."""
    order = sorted(range(len(assigned.sizes)), key=lambda c: -assigned.sizes[c])
    for c in order:
        share = percent(assigned.sizes[c] / assigned.n_rows, 1)
        size, unlike = f"{assigned.sizes[c]:,}", f"{assigned.unlike[c]:,}"
        yield str(c), assigned.names[c], size, share, unlike


def sentences(
    assigned: AssignedRows, silhouette: float | None = None, error: float | None = None
) -> Iterator[str]:
    """What is exact over all rows, what is estimated, and what no cluster explains."""
    if assigned.left:
        n_rows = assigned.n_rows + assigned.left
        yield f"Interrupted: {assigned.left:,} of {n_rows:,} rows have no cluster yet."
    exact = [
        f"{title} {value:.5g}"
        for title, value in (
            ("within-cluster sum of squares", assigned.within_sum_of_squares),
            ("Calinski–Harabasz", assigned.calinski_harabasz),
        )
        if value is not None
    ]
    if exact:
        yield f"Exact over {of_rows(assigned)}: {', '.join(exact)}."
    if assigned.davies_bouldin is not None:
        yield (
            f"Davies–Bouldin over these rows: {assigned.davies_bouldin:.4f}, at most "
            f"{assigned.davies_bouldin_error:.4f} off."
        )
    if silhouette is not None:
        off = "" if error is None else f" ± {error:.4f}"
        yield f"Silhouette, estimated from the sampled rows: {silhouette:.4f}{off}."
    unlike = sum(assigned.unlike)
    if unlike:
        yield (
            f"{unlike:,} rows ({percent(unlike / assigned.n_rows, 2)}) are unlike anything in the "
            "sample; about 1 % of ordinary rows are."
        )
    for group in assigned.rare:
        center = ", ".join(f"{name} {value:.4g}" for name, value in list(group.center.items())[:4])
        examples = ", ".join(map(str, group.examples[:3]))
        yield (
            f"About {group.rows:,} of these form a group that the sample missed, around {center} "
            f"(for example rows {examples})."
        )
    if assigned.filled:
        yield f"{assigned.filled:,} rows had missing values, which were filled in."
    yield from assigned.notes
