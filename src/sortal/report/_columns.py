"""Columns of the objects on the map: for colours, hover texts, histograms and dots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sortal.meaning.effects import Means
from sortal.report._drawing import rounded
from sortal.study.descriptions import features_of

if TYPE_CHECKING:
    from sortal.report._facts import Chosen

#: values in the page, and columns at most
MOST_VALUES, MOST_COLUMNS = 120_000, 40


def columns(chosen: Chosen) -> list[dict[str, Any]]:
    """The columns that tell the chosen clusters apart best, then the others, for the drawn rows."""
    rows, place_of = np.unique(chosen.map.rows, return_inverse=True)
    table = features_of(chosen.study.state, rows)
    if table is None:
        return []
    most = int(np.clip(MOST_VALUES // len(rows), 4, MOST_COLUMNS))
    codes, places = chosen.labels[rows], {f.name: j for j, f in enumerate(table.features)}
    picked: dict[int, None] = {}
    if codes.max() >= 0:
        means = Means(table, codes)
        told = [means.telling(c) for c in range(codes.max() + 1)]
        for place in range(max(map(len, told))):
            picked |= {places[t[place].feature]: None for t in told if place < len(t)}
    if len(table.features) <= most:
        picked |= dict.fromkeys(range(len(table.features)))
    kept = np.array(list(picked)[:most], dtype=np.intp)
    if not len(kept):
        return []
    values = table.columns(place_of, kept)
    return [
        {
            "name": table.features[j].name,
            "kind": "term" if chosen.terms is not None else table.features[j].kind,
            "values": rounded(values[:, i]),
        }
        for i, j in enumerate(kept)
    ]
