"""What comes of two tables about the same objects: partners, keys, and the facts of each error."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import sortal
from sortal import datasets, labelings, meaning
from values import table_test

T = "t5,t3,t9,t1,t7,t0,t2,t8,t4,t6,ta,tb".split(",")
M = [5, 0, 7, 2, 9, 11, 4, 10, 1, 8, 3, 6]


def facts(text: object) -> list[str]:
    """Names and numbers of a sentence."""
    return re.findall(r"'[^']*'|\d[\d,]*", str(text))


def of_join(join: Any, folder: str) -> Any:
    """Partners, keys, and the facts of the notes."""
    said = [facts(note.replace(folder, "")) for note in join.notes]
    return [
        join.places, join.key, sorted(join.keys), sorted(join.left_keys), join.by_position,
        join.is_in_order, len(join.left_rows), join.right_rows[:1], said,
    ]  # fmt: skip


def table(columns: dict[str, Any]) -> str:
    """Columns as a text of comma-separated values."""
    return pd.DataFrame({name: pd.Series(list(v), dtype=object) for name, v in columns.items()}
                        ).to_csv(index=False)  # fmt: skip


def joined(left: Any, right: dict[str, Any], *, key: str | None = None) -> Any:
    """What each door makes of two tables, or of ids and a table."""
    with tempfile.TemporaryDirectory() as folder:
        one, other = Path(folder, "left.csv"), Path(folder, "right.csv")
        other.write_text(table(right))
        outcomes: list[Any] = []
        is_table = isinstance(left, dict)
        if is_table:
            one.write_text(table(left))
        given = datasets.read_labelings(one) if is_table else left

        def doors() -> Any:
            """Each way to join them."""
            if is_table:
                for on in ("same", "inner"):
                    yield lambda on=on: of_join(
                        datasets.read_labels(other, given, id_column=key, on=on).join, folder
                    )
                for on in ("same", "inner"):
                    yield lambda on=on: [
                        [[dict(columns) for columns in tables.values()], [*ignored.values()]]
                        for tables, ignored in [datasets.read_joined([one, other], id_column=key, on=on)]
                    ]  # fmt: skip
            else:
                for on in ("left", "both"):
                    yield lambda on=on: of_join(
                        datasets.read_labelings(other, ids=given, id_column=key, on=on).join, folder
                    )

        for door in doors():
            try:
                outcomes.append(door())
            except ValueError as error:
                outcomes.append(facts(str(error).replace(folder, "")))
        return outcomes


def known(labels: list[Any], **options: Any) -> Any:
    """Classes that are read from a column."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "y.csv")
        path.write_text("\n".join(["label", *map(str, labels), ""]))
        try:
            return datasets.read_labels(path, len(labels), **options).values
        except ValueError as error:
            return facts(str(error).replace(folder, ""))


def in_order(left: Any, right: Any, **options: Any) -> Any:
    """A series in the order of another one, or its error."""
    try:
        values = labelings.as_labelings({"l": left}).in_order(right, **options)
        return values.tolist() if hasattr(values, "tolist") else values
    except ValueError as error:
        return facts(error)


def several(given: Any, **options: Any) -> Any:
    """Clusterings put into one order."""
    try:
        batch = labelings.as_labelings(given, **options)
        return batch.codes, [names.tolist() for names in batch.cluster_names]
    except ValueError as error:
        return facts(error)


def moved(values: Any) -> list[Any]:
    """Values in another order."""
    return [list(values)[i] for i in M]


def fixtures() -> dict[str, Any]:
    """Points of three groups, documents of two, and how clusters of them differ."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = 3.0 * np.eye(4)[y] + rng.normal(size=(60, 4))

    def telling(points: Any, labels: Any, **options: Any) -> Any:
        """Features by which clusters differ, with their intervals."""
        return [
            [(f.feature, f.within, f.elsewhere, f.effect, f.interval, f.clear) for f in one.telling]
            for one in meaning.describe_clusters(points, labels, **options)
        ]

    counts = (rng.random((60, 9)) < 0.15 + 0.5 * (np.arange(9) % 3 == y[:, None])).astype(float)
    return {"X": X, "y": y, "telling": telling, "counts": counts}


S = pd.Series
# fmt: off
CASES = {
    "text keys": [
        lambda: joined({"ticket": T, "g": M}, {"ticket": moved(T), "label": moved(T)}),
        lambda: joined({"ticket": T, "g": M}, {"ticket": moved(T)[:9], "label": moved(T)[:9]}),
        lambda: joined({"ticket": T[:7], "g": M[:7]}, {"ticket": moved(T), "label": M}),
        lambda: joined({"ticket": T, "g": M}, {"ticket": [*moved(T)[:5], "u", "v", "w", "x", "y"],
            "label": M[:10]}),
        lambda: joined({"ticket": T, "g": M}, {"ticket": [f"u{i}" for i in M], "label": M}),
        lambda: joined({"ticket": T, "g": M}, {"ticket": [f" {t} " for t in moved(T)], "label": M}),
        lambda: joined({"ticket": T, "g": M}, {"no": moved(T), "label": M}),
        lambda: joined({"row_id": T, "g": M}, {"id": moved(T), "label": M}),
        lambda: joined({"row_id": T, "g": M}, {"id": [*moved(T)[:11], "u"], "label": M}),
        lambda: joined({"ticket": T, "g": M}, {"id": moved(T), "label": M}),
    ],
    "numbers": [
        lambda: joined({"sku": [i + 101 for i in M], "g": M}, {"sku": range(101, 113), "label": M}),
        lambda: joined({"sku": [i + 101 for i in M], "g": M}, {"sku": range(103, 115), "label": M}),
        lambda: joined({"sku": [i + 101 for i in M], "g": M}, {"sku": range(108, 120), "label": M}),
        lambda: joined({"no": range(12), "g": M}, {"no": range(12), "label": M}),
        lambda: joined({"no": range(1, 13), "g": M}, {"no": range(12), "label": M}),
        lambda: joined({"no": range(12), "g": M}, {"no": range(9), "label": M[:9]}),
        lambda: joined({"id": range(1, 13), "g": M}, {"id": range(1, 10), "label": M[:9]}),
        lambda: joined({"no": [f"{i + 101}.0" for i in M], "g": M}, {"no": range(101, 113),
            "label": M}),
        lambda: joined({"no": [f"00{i + 101}" for i in M], "g": M}, {"no": range(101, 113),
            "label": M}),
        lambda: joined({"no": [i + 0.5 for i in M], "g": M}, {"no": [i + 0.5 for i in range(12)],
            "label": M}),
    ],
    "broken keys": [
        lambda: joined({"ticket": T, "g": M}, {"ticket": [*moved(T)[:11], T[5]], "label": M}),
        lambda: joined({"ticket": T, "g": M}, {"ticket": [*moved(T)[:11], ""], "label": M}),
        lambda: joined({"ticket": T, "g": M}, {"ticket": ["", "", *moved(T)[2:10], "", ""],
            "label": M}),
        lambda: joined({"ticket": [*T[:11], T[0]], "g": M}, {"ticket": moved(T), "label": M}),
        lambda: joined({"id": [*T[:11], T[0]], "g": M}, {"id": [*T[:11], T[1]], "label": M}),
        lambda: joined({"ticket": [*T[:11], T[0]], "g": M}, {"ticket": [*T[:11], T[1]], "label":
            M}),
        lambda: joined({"ticket": T, "g": M}, {"ticket": ["u"] * 8 + T[:4], "label": M}),
        lambda: joined({"ticket": T, "g": M}, {"ticket": [T[0]] * 2 + T[2:4] + list("uvwxyzpq"),
            "label": M}),
        lambda: joined({"ticket": T, "g": M}, {"ticket": [*moved(T)[:11], T[5]], "label": M},
            key="ticket"),
        lambda: joined({"ticket": T, "g": M}, {"ticket": moved(T), "label": M}, key="tickets"),
    ],
    "several keys": [
        lambda: joined({"ticket": T, "sku": [i + 101 for i in M], "g": M}, {"ticket": moved(T),
            "sku": moved([i + 101 for i in M]), "label": M}),
        lambda: joined({"ticket": T, "sku": [i + 101 for i in M], "g": M}, {"ticket": moved(T),
            "sku": [i + 101 for i in M], "label": M}),
        lambda: joined({"ticket": T, "sku": [i + 101 for i in M], "g": M}, {"ticket": moved(T),
            "sku": [i + 101 for i in M], "label": M}, key="sku"),
        lambda: joined({"a": T, "b": T, "c": [i + 101 for i in M], "g": M}, {"a": moved(T), "b":
            moved(T), "c": [i + 101 for i in M], "label": M}),
        lambda: joined({"ticket": T, "sku": [i + 101 for i in M], "g": M}, {"ticket":
            moved(T)[:9], "sku": moved([i + 101 for i in M])[:8] + [500], "label": M[:9]}),
        lambda: joined({"ticket": T, "id": [i + 101 for i in M], "g": M}, {"ticket": moved(T), "id":
            moved([i + 101 for i in M]), "label": M}),
        lambda: joined({"no": range(12), "ticket": T, "g": M}, {"no": range(12), "ticket":
            moved(T), "label": M}),
        lambda: joined({"id": range(12), "ticket": T, "g": M}, {"id": range(12), "ticket":
            [*moved(T)[:9], "u", "v", "w"], "label": M}),
    ],
    "rows by number": [
        lambda: joined({"g": T}, {"row": M, "label": M}),
        lambda: joined({"g": T}, {"row": M[:5], "label": M[:5]}),
        lambda: joined({"g": T}, {"row": [*M[:5], 12], "label": M[:6]}),
        lambda: joined({"g": T}, {"row": [*M[:5], "x"], "label": M[:6]}),
        lambda: joined({"g": T}, {"row": [*M[:5], -1], "label": M[:6]}),
        lambda: joined({"g": T}, {"row": [*M[:5], M[0]], "label": M[:6]}),
        lambda: joined({"g": T}, {"row": [*M[:5], ""], "label": M[:6]}),
        lambda: joined({"g": T}, {"row": [f"{i}.0" for i in M[:5]], "label": M[:5]}),
        lambda: joined({"row": M, "g": T}, {"label": T}),
        lambda: joined({"row": range(12), "g": T}, {"label": T}),
        lambda: joined({"row": M, "g": T}, {"row": moved(M), "label": T}),
        lambda: joined({"ticket": T, "g": M}, {"row": M, "ticket": [T[i] for i in M], "label": M}),
        lambda: joined({"ticket": T, "g": M}, {"row": M, "ticket": T, "label": M}),
        lambda: joined({"ticket": T, "g": M}, {"row": M[:6], "ticket": T[:6], "label": M[:6]}),
        lambda: joined({"ticket": T, "row": M, "g": M}, {"label": T, "ticket": moved(T)}),
    ],
    "rows in order": [
        lambda: joined({"g": M}, {"label": T}),
        lambda: joined({"g": M}, {"label": T[:11]}),
        lambda: joined({"ticket": T, "g": M}, {"label": list("aabbccddeeff")}),
        lambda: joined({"g": list("aabbccddeeff")}, {"ticket": T, "label": list("ab") * 6}),
        lambda: joined({"g": list("aabbccddeeff")}, {"distance": M, "label": list("ab") * 6}),
    ],
    "ids": [
        lambda: joined(T, {"id": moved(T), "k": list("ab") * 6}),
        lambda: joined(T, {"ticket": moved(T), "k": list("ab") * 6}, key="ticket"),
        lambda: joined(T, {"ticket": moved(T), "k": list("ab") * 6}),
        lambda: joined(T[:5], {"id": moved(T), "k": list("ab") * 6}),
        lambda: joined([*T, "u"], {"id": moved(T), "k": list("ab") * 6}),
        lambda: joined(list(range(12)), {"id": M, "k": list("ab") * 6}),
        lambda: joined(list(range(12)), {"k": list("ab") * 6}),
        lambda: joined([i + 101 for i in M], {"id": range(101, 113), "k": list("ab") * 6}),
        lambda: joined(T, {"k": list("ab") * 6}),
        lambda: joined(T, {"k": list("ab") * 5}),
        lambda: joined(T, {"row": M, "k": list("ab") * 6}),
    ],
    "indexes": [
        lambda: in_order(S([0, 1, 1], list("abc")), S([5, 6, 7], list("cab"))),
        lambda: in_order(S([0, 1, 1], list("abc")), S([5, 6, 7, 8], list("cabx"))),
        lambda: in_order(S([0, 1, 1], list("abc")), S([5, 6], list("ca"))),
        lambda: in_order(S([0, 1, 1], list("abc")), S([5, 6], list("ca")), on="both"),
        lambda: in_order(S([0, 1, 1], list("abc")), S([5, 6], list("cx")), on="inner"),
        lambda: in_order(S([0, 1, 1], list("abc")), S([5, 6, 7], list("xyz")), on="inner"),
        lambda: in_order(S([0, 1, 1], list("abc")), S([5, 6, 7])),
        lambda: in_order(S([0, 1, 1]), S([5, 6, 7], [2, 0, 1])),
        lambda: in_order(S([0, 1, 1]), S([5, 6, 7], list("abc"))),
        lambda: in_order(S([0, 1, 1], [7, 8, 9]), S([5, 6, 7], [9, 7, 8])),
        lambda: in_order(S([0, 1, 1], [7, 8, 9]), S([5, 6, 7], ["9", "7", "08"])),
        lambda: in_order(S([0, 1, 1], list("abc")), S([5, 6, 7], list("caa"))),
        lambda: in_order(S([0, 1, 1], list("aba")), S([5, 6, 7], list("cab"))),
        lambda: in_order(S([0, 1, 1], list("abc")), [5, 6, 7]),
        lambda: in_order(S([0, 1, 1], list("abc")), np.array([5, 6, 7])),
        lambda: [v.tolist() for v in labelings.as_labelings({"l": S([0, 1], ["a",
            "b"])}).in_order([S([5, 6], ["b", "a"]), S([1, 2], ["a", "b"])])],
        lambda: {k: v.tolist() for k, v in labelings.as_labelings({"l": S([0, 1], ["a",
            "b"])}).in_order({"p": S([5, 6], ["b", "a"]), "q": S([1, 2], ["a", "b"])}).items()},
        lambda: in_order([0, 1, 1], S([5, 6, 7], list("abc"))),
    ],
    "several series": [
        lambda: several({"p": S([0, 1, 2], list("abc")), "q": S([7, 8, 9], list("cab"))}),
        lambda: several([S([0, 1, 2], list("abc")), S([7, 8, 9], list("cab")), S([7, 7, 9],
            list("bac"))]),
        lambda: several({"p": S([0, 1, 2], list("abc")), "q": S([7, 8], list("ca"))}),
        lambda: several({"p": S([0, 1, 2], list("abc")), "q": S([7, 8], list("ca"))}, on="inner"),
        lambda: several({"p": S([0, 1, 2], list("abc")), "q": S([7, 8, 8], list("cax")), "r": S([3,
            4], list("cb"))}, on="inner"),
        lambda: several({"p": S([0, 1, 2], list("abc")), "q": S([7], list("c")), "r": S([3],
            list("b"))}, on="inner"),
        lambda: several({"p": S([0, 1, 2], list("abc")), "q": [1, 2, 2]}),
        lambda: several({"p": S([0, 1, 2], list("abc")), "q": [1, 2, 2], "r": S([3, 4, 4],
            list("cab"))}),
        lambda: several({"p": S([0, 1, 2], list("abc")), "q": [1, 2, 2], "r": S([3, 4, 4],
            list("cab"))}, on="inner"),
        lambda: several({"p": S([0, 1, 2]), "q": S([7, 8, 9], [2, 0, 1])}),
        lambda: several(pd.DataFrame({"p": [0, 1], "q": [1, 1]}, index=["u", "v"])),
    ],
    "known": [
        lambda: known([3, -1, 4]),
        lambda: known(["a", "", "b"]),
        lambda: known(["a", -1, ""]),
        lambda: known(["a", -1, "b"], classes=["a", "b", -1]),
        lambda: known(["a", -1, "nan", "b"], classes=["a", "b", "-1"]),
        lambda: known(["a", "nan", " NaN ", "b"]),
        lambda: known(["a", "nan", "b"], classes=["nan", "a", "b"]),
        lambda: known([1.0, 2.0, ""]),
        lambda: known([1.5, 2.0, ""]),
        lambda: known(["", "", "nan"]),
        lambda: known(["a", "unreadable", "b"]),
        lambda: known(["a", "Unreadable", "b"], classes=["a", "b", "unreadable"]),
        lambda: [facts(n) for y in ([*"abcabca", "None"], list("aabcdefghij"), [None, "a", "b"],
            [None, None, "a"]) for n in datasets.from_array(np.arange(float(len(y)))[:, None],
            y=y).notes],
    ],
    "halves": [
        lambda X, y, telling: telling(X, y),
        lambda X, y, telling: telling(X, y, random_state=3),
        lambda X, y, telling: telling(X, np.where(np.arange(60) % 10 == 4, -1, y)),
        lambda X, y, telling: telling(np.abs(X) + .1, y, metric="cosine"),
        lambda X, y, telling: telling(X, np.arange(60) // 20),
        lambda X, y, telling: telling(X[:9], y[:9]),
        lambda X, y, telling: telling(X[:12], y[:12]),
        lambda X, y, telling: telling(X, y * 0),
        lambda y, counts: sortal.text.telling_terms(counts, y),
        lambda y, counts: sortal.text.telling_terms(counts, np.where(np.arange(60) % 9 == 4, -1,
            y)),
        lambda y, counts: sortal.text.telling_terms(counts[:11], y[:11]),
    ],
}
# fmt: on

test_values = table_test(__file__, CASES, fixtures)
