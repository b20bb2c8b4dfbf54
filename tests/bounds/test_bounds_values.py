"""Parts of the guarantees: languages, tails, tests of draws and orders, forecasts, sentences."""

from __future__ import annotations

import tempfile
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sortal
from sortal import bounds, labelings
from values import attempt, fails, table_test

N = 400


def fixtures() -> dict[str, Any]:
    """Clusterings of 400 objects in four groups of two classes, labels with a few errors."""
    rng = np.random.default_rng(0)
    four = np.arange(N) * 4 // N
    out = np.where(np.arange(N) % 20 == 7, -1, four)
    batch = {"two": four // 2, "four": four, "one": four * 0, "mixed": np.arange(N) % 3}
    truth = np.array(["ham", "spam"], dtype=object)[four // 2]
    truth[::23] = "eggs"
    X = rng.normal(size=(N, 2)) + 6.0 * np.eye(4)[four][:, :2]
    order = bounds.sample(N, 60, random_state=3)

    def y(*sizes: int, of: Any = truth) -> Any:
        """Labels of the objects drawn first, or from one number to another."""
        labels = np.full(N, None, dtype=object)
        drawn = order[slice(*sizes)] if len(sizes) > 1 else order[: sizes[0]]
        labels[drawn] = of[drawn]
        return labels

    def parts(found: Any) -> Any:
        """The sentences of a guarantee, and its parts without their classifiers."""
        return str(found), [
            (p.method, p.classifier.carrier, p.bound, p.n, p.errors, p.tested, p.delta,
             p.excluded, p.bits, p.wrong, p.bound_rate) for p in found.parts
        ], found.table, found.labels[::40], found.row_classes.by_class  # fmt: skip

    def series(target: float | None, step: int, **options: Any) -> Any:
        """Bounds of labels that keep coming."""
        found = bounds.LabelSequence(batch, 0.1, target, **options)
        several = [found.update(y(m), order[:m]) for m in range(step, 61, step)]
        told = [(one.bound, one.method, one.errors, one.tested) for one in several]
        return told, parts(several[-1])

    def asked(*questions: Any) -> Any:
        """Sentences and shares of questions, one after the other, about labels in a folder."""
        said = []
        with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
            patch.setenv("XDG_STATE_HOME", folder)
            for options in questions:
                try:
                    found = bounds.Ledger(folder).ask(**options)
                except ValueError as error:
                    said.append(str(error))
                    continue
                found.keep()
                said.append((found.sentence, found.number, found.share, found.anytime,
                             found.again, found.is_new, len(found.entry.pairs)))  # fmt: skip
        return said

    def part(**values: Any) -> Any:
        """A bound, by default on eight objects in two clusters."""
        predicted = np.array(values.pop("predicted", [0, 0, 1, 1, 0, 0, 1, 1]))
        clusters = values.pop("clusters", predicted)
        clusters = None if clusters is None else np.array(clusters)
        certainty = np.linspace(0.5, 0.9, len(predicted))
        classifier = bounds.TransductiveClassifier(
            "clustering", predicted, certainty, 0, np.array([0, 1]), clusters
        )
        usual = {"method": "half", "bound": 2, "n": 4, "errors": 1, "tested": 4, "delta": 0.1,
                 "test": np.arange(4)}  # fmt: skip
        return bounds.ComponentBound(classifier=classifier, **{**usual, **values})

    def entry(pairs: str, **values: Any) -> Any:
        """A question about labels that are letters."""
        usual = {"question": "q", "ordered": True, "once": False, "anytime": True}
        return bounds.LedgerEntry("id", "now", pairs=tuple(pairs), **{**usual, **values})

    codes_of = np.array
    rows = [(int(i), truth[i]) for i in order]
    few = {name: row[::20] for name, row in batch.items()}
    return {
        "four": four, "out": out, "few": few, "y": y, "batch": batch, "truth": truth,
        "parts": parts, "order": order, "X": X, "series": series, "asked": asked, "rows": rows,
        "part": part, "entry": entry, "codes_of": codes_of,
    }  # fmt: skip


# fmt: off
CASES = {
    "b_max": [
        lambda: [bounds.b_max(m, n, a, d) for m, n in ((0, 5), (1, 1), (20, 80), (60, 340), (5, 0))
            for a in (0, 1, 4) if a <= m for d in (1.0, .5, .1, .01, 1e-9)],
        lambda: bounds.b_max([10, 20], 90, [[0], [3]], [.1, .01]),
        lambda: bounds.b_max(10, 90, 2, log_delta=[-2.0, -800.0]),
        lambda: bounds.b_max(5, 5, 6, .1),
        lambda: bounds.b_max(5, 5, -1, .1),
        lambda: bounds.b_max(-1, 5, 0, .1),
        lambda: bounds.b_max(2**31, 5, 0, .1),
        lambda: bounds.b_max(5, 2**31, 0, .1),
        lambda: bounds.b_max(5, 5, 1),
        lambda: bounds.b_max(5, 5, 1, .1, log_delta=-1.0),
        lambda: bounds.b_max(5, 5, 1, 0.0),
        lambda: bounds.b_max(5, 5, 1, 1.5),
        lambda: bounds.b_max(5, 5, 1, log_delta=.1),
        lambda: bounds.b_max(5, 5, 1, [.1, 2]),
        lambda: bounds.b_max(5, 5, 1, log_delta=[-np.inf]),
        lambda: bounds.b_max(5.5, 5, 1, .1),
        lambda: bounds.b_max("5", 5, 1, .1),
        lambda: bounds.b_max(5, 5, 5, 1.0),
        lambda: bounds.b_max(5, 5, 2, 1.0),
        lambda: bounds.b_max(5.0, 5, 1, .1),
    ],
    "b_always": [
        lambda: [bounds.b_always(m, 200 - m, a, .1) for m in (0, 1, 10, 50, 200) for a in (0, 1, 5)
            if a <= m],
        lambda: bounds.b_always(5, 5, 6, .1),
        lambda: bounds.b_always(5, 5, 1),
    ],
    "log_bucket": [
        lambda: [bounds.log_bucket(m, n, a, b) for m, n, a, b in ((3, 3, 0, 1), (9, 4, 9, 0), (9,
            4, 3, 4), (300, 200, 3, 100), (2, 5, 1, 3))],
    ],
    "bucket": [
        lambda: bounds.bucket(3, 3, 0, 4),
        lambda: bounds.bucket(3, 3, 0, -1),
        lambda: bounds.bucket([3, 4], 3, 0, [0, 3]),
    ],
    "binomial_tail_bound": [
        lambda: bounds.binomial_tail_bound(10, 11, .1),
        lambda: bounds.binomial_tail_bound(10, -1, .1),
        lambda: bounds.binomial_tail_bound(10, 3, 0),
        lambda: bounds.binomial_tail_bound(10, 10, .1),
        lambda: bounds.binomial_tail_bound(0, 0, .1),
        lambda: bounds.binomial_tail_bound(10, 3, .1),
    ],
    "sample": [
        lambda: bounds.sample(9, 4, random_state=0),
        lambda: bounds.sample(9, 9, random_state=0),
        lambda: bounds.sample(9, 0, random_state=0),
        lambda: bounds.sample(9, 10, random_state=0),
        lambda: bounds.sample(9, -1, random_state=0),
    ],
    "sample_more": [
        lambda: bounds.sample_more(30, bounds.sample(30, 7, random_state=1), 5, random_state=1),
        lambda: bounds.sample_more(30, [3, 5, 9], 50, random_state=1),
    ],
    "doubted_draw": [
        lambda four: bounds.doubted_draw(np.stack([four]), np.array(range(40))),
        lambda four: bounds.doubted_draw(np.stack([four]), np.array(range(0, 400, 9))),
        lambda four: bounds.doubted_draw(np.stack([four]), np.array(range(7))),
        lambda four: bounds.doubted_draw(np.stack([four]), np.array([*range(0, 400, 17), *range(1,
            60, 5)])),
        lambda four: bounds.doubted_draw(np.stack([four]), np.array([*range(0, 400, 17), *range(1,
            60, 5)]), 9),
        lambda four, out: bounds.doubted_draw(np.stack([four, out]), np.array(range(40))),
        lambda four, out: bounds.doubted_draw(np.stack([four, out]), np.array(range(0, 400, 9))),
        lambda four, out: bounds.doubted_draw(np.stack([four, out]), np.array(range(7))),
        lambda four, out: bounds.doubted_draw(np.stack([four, out]), np.array([*range(0, 400, 17),
            *range(1, 60, 5)])),
        lambda four, out: bounds.doubted_draw(np.stack([four, out]), np.array([*range(0, 400, 17),
            *range(1, 60, 5)]), 9),
        lambda four: bounds.doubted_draw(np.stack([four * 0]), np.array(range(40))),
        lambda four: bounds.doubted_draw(np.stack([four * 0]), np.array(range(0, 400, 9))),
        lambda four: bounds.doubted_draw(np.stack([four * 0]), np.array(range(7))),
        lambda four: bounds.doubted_draw(np.stack([four * 0]), np.array([*range(0, 400, 17),
            *range(1, 60, 5)])),
        lambda four: bounds.doubted_draw(np.stack([four * 0]), np.array([*range(0, 400, 17),
            *range(1, 60, 5)]), 9),
        lambda: [bounds.doubted_draw(np.array([c] if np.ndim(c) == 1 else c), np.array(l), t) for
            c, l, t in ((np.r_[np.zeros(57, int), [1] * 3], [*range(9), 57, 58, 59], 1),
            (np.r_[np.zeros(40, int), [1] * 15, [2] * 5], [*range(8), 55, 56, 57, 58], 2),
            (np.r_[np.zeros(40, int), [-1] * 15, [1] * 5], [*range(40, 52)], 1),
            (np.r_[np.zeros(40, int), [-1] * 15, [1] * 5], [*range(40, 52)], 100), ([np.arange(40)
            % 2, np.arange(40) // 20], [*range(11)], 1), (np.arange(40) // 20, [0, 1, 2, 3, 4, 5,
            6], 1), (np.arange(15) // 8, [0, 1, 2, 3, 4, 5, 6, 7], 1), (np.zeros(40, int),
            [*range(9)], 1), (np.arange(40) % 20, [*range(10)], 1))],
    ],
    "Doubt": [
        lambda: [bounds.Doubt(p, 0, 0, 1, 2, .5).refuses for p in (.0009, .001)],
    ],
    "kept_pairs": [
        lambda few: bounds.kept_pairs(few, [(0, 1, "must"), (1, 19, "cannot"), (2, 8, "must")]),
        lambda few: bounds.kept_pairs(few, [(0, 1, "must"), (1, 19, "cannot"), (2, 8, "must")],
            random=True),
        lambda few: bounds.kept_pairs(few, [(0, 1, "must"), (3, 2, "must"), (2, 8, "must"), (4, 9,
            "cannot")], random=True, delta=.3),
        lambda few: bounds.kept_pairs(few, []),
        lambda few: bounds.kept_pairs(few, [(0, 1, "must")], delta=0),
        lambda few: bounds.kept_pairs(few, [(0, 1, "must")], delta=1),
        lambda few: bounds.kept_pairs(few, [(0, i, "must") for i in range(1, 9)], random=True),
        lambda few: bounds.kept_pairs(few, [(i, i + 1, "must") for i in range(4)] + [(i, i + 1,
            "must") for i in (5, 6, 7, 8, 10, 11, 12, 13, 15, 16, 17, 18)], random=True),
        lambda few: bounds.kept_pairs(few, [("a0", "a1", "must"), ("a1", "a9", "cannot")],
            ids=[f'a{i}' for i in range(20)]),
        lambda few: bounds.kept_pairs(pd.DataFrame(few, index=[f'a{i}' for i in range(20)]),
            [("a0", "a1", "must"), ("a1", "a9", "cannot")]),
        lambda few: [attempt(bounds.kept_pairs, few, p, **o).to_dict("list") if
            isinstance(attempt(bounds.kept_pairs, few, p, **o), pd.DataFrame) else
            attempt(bounds.kept_pairs, few, p, **o) for p, o in (([(0, 1, "must"), (0, 19,
            "cannot")], {"random": True, "delta": .999}), ([(0, 1, "must")], {"delta": 1e-9,
            "random": True}), ([(0, 19, "cannot")], {}))],
    ],
    "pac_mdl_bound": [
        lambda four, y: str(sortal.pac_mdl_bound(four, y(60))),
        lambda batch, y: str(sortal.pac_mdl_bound(batch, y(40))),
        lambda four, y: str(sortal.pac_mdl_bound(four, y(40), .05, classes=["ham", "spam", "eggs"])),
        lambda out, y: str(sortal.pac_mdl_bound(out, y(40), noise="drop")),
        lambda out, y: str(sortal.pac_mdl_bound(out, y(40), noise="cluster", classes=4)),
        lambda out, y: str(sortal.pac_mdl_bound(out, y(40))),
        lambda four, y: str(sortal.pac_mdl_bound(four, y(0))),
        lambda four, y: str(sortal.pac_mdl_bound(four, y(9), 0)),
        lambda four, truth: str(sortal.pac_mdl_bound(four, truth)),
        lambda four, truth: str(sortal.pac_mdl_bound(four, [*truth[:60], *[None] * 340])),
        lambda batch, y: vars(sortal.pac_mdl_bound(batch, y(60))["four"]) | {"predicted": 0},
        lambda batch, y: [sortal.pac_mdl_bound(batch, y(60))[i].name for i in (0, 2, "mixed")],
        lambda batch, y: sortal.pac_mdl_bound(batch, y(60))["five"],
        lambda batch, y: sortal.pac_mdl_bound(batch, y(60)).best.name,
        lambda batch, y: len(sortal.pac_mdl_bound(batch, y(60))),
        lambda y, four, out: [type(sortal.pac_mdl_bound(one, y(30))).__name__ for one in (four,
            [four], [four, out + 1], np.stack([four]), four.tolist(), pd.Series(four), {"a": four},
            pd.DataFrame({"a": four}))],
    ],
    "guarantee": [
        lambda parts, batch, y: parts(sortal.guarantee(batch, y(60))),
        lambda parts, batch, y, order: parts(sortal.guarantee(batch, y(60), .02, order=order)),
        lambda parts, batch, y: parts(sortal.guarantee(batch, y(60), anytime=True)),
        lambda parts, batch, y, order: parts(sortal.guarantee(batch, y(60), anytime=True,
            order=order)),
        lambda parts, batch, y, order: parts(sortal.guarantee(batch, y(60), anytime=.3,
            order=order)),
        lambda parts, batch, y, X: parts(sortal.guarantee(batch, y(60), X=X)),
        lambda parts, batch, y, X, order: parts(sortal.guarantee(batch, y(60), X=X, anytime=.2,
            order=order[:60])),
        lambda parts, batch, y: parts(sortal.guarantee(batch, y(60), classes=["spam", "ham",
            "eggs"])),
        lambda parts, batch, y, order: parts(sortal.guarantee(batch, y(60), classes=6, anytime=.3,
            order=order)),
        lambda parts, batch, y: parts(sortal.guarantee(batch, y(60), taught=[0, 100, 200, 300])),
        lambda parts, batch, y: parts(sortal.guarantee(batch, y(60), 0)),
        lambda parts, batch, y, order: parts(sortal.guarantee(batch, y(60), order=order[:3])),
        lambda parts, batch, y, order: parts(sortal.guarantee(batch, y(60), order=[order])),
        lambda parts, batch, y, order: parts(sortal.guarantee(batch, y(60), order=order + .5)),
        lambda parts, batch, y, order: parts(sortal.guarantee(batch, y(60), taught=order[:5])),
        lambda parts, batch, y, order: parts(sortal.guarantee(batch, y(60), taught=order[:5],
            anytime=True, order=order)),
        lambda parts, batch, y, order: parts(sortal.guarantee(batch, y(60), taught=order[:5],
            anytime=.3, order=order[5:])),
        lambda parts, batch, y: parts(sortal.guarantee(batch, y(60), taught=[0, 0])),
        lambda parts, batch, y: parts(sortal.guarantee(batch, y(60), taught=[.5])),
        lambda parts, batch, y: parts(sortal.guarantee(batch, y(60), taught=[400])),
        lambda parts, batch, y: parts(sortal.guarantee(batch, y(60), taught=[-1])),
        lambda parts, batch, y, X: parts(sortal.guarantee(batch, y(60), X=X[:9])),
        lambda parts, batch, y: parts(sortal.guarantee(batch, y(60), anytime=1.5)),
        lambda parts, four, y: parts(sortal.guarantee(four, y(40))),
        lambda parts, four, truth: parts(sortal.guarantee(four, truth)),
        lambda parts, four, y: parts(sortal.guarantee(four, y(8))),
        lambda parts, four, y: parts(sortal.guarantee(four, y(1))),
        lambda parts, four, y: parts(sortal.guarantee(four, y(0))),
        lambda parts, four, out, y: parts(sortal.guarantee({"four": four, "out": out}, y(60),
            noise="drop")),
        lambda parts, out, y, order: parts(sortal.guarantee({"out": out}, y(60), noise="drop",
            anytime=True, order=order)),
        lambda parts, four, truth: parts(sortal.guarantee(four, [*truth[:60], *[None] * 340])),
        lambda parts, four, truth: parts(sortal.guarantee(four, [*truth[:60], *[None] * 340],
            anytime=True, order=np.arange(60))),
        lambda parts, batch, y, order: parts(sortal.guarantee(batch, y(60), anytime=True,
            order=np.sort(order))),
        lambda parts, batch, y, order: parts(sortal.guarantee(batch, y(60), order=np.sort(order))),
        lambda batch, y: sortal.guarantee(batch, y(60)).row_classes.table.iloc[::40].round(2),
        lambda batch, y: len(sortal.guarantee(batch, y(60)).row_classes),
        lambda batch, y: sortal.guarantee(batch, y(60)).carried_by,
        lambda batch, y: sortal.guarantee(batch, y(60)).refusing("why").table,
        lambda batch, y: str(sortal.guarantee(batch, y(60)).refusing("why")),
        lambda batch, y, order: ([fixed.anytime for fixed in (sortal.guarantee(batch, y(60)),
            sortal.guarantee(batch, y(60), anytime=True, order=order))], [[p for p in g.premises]
            for g in (sortal.guarantee(batch, y(60)), sortal.guarantee(batch, y(60), anytime=True),
            sortal.guarantee(batch, y(60), anytime=True, order=order))]),
    ],
    "series": [
        lambda series: series(None, 20),
        lambda series: series(.3, 10),
        lambda series, X: series(None, 30, X=X),
        lambda series: series(None, 30, prior={"two": .5, "four": .2, "one": .1, "mixed": .2},
            classes=3),
        lambda series: series(None, 30, prior=[.5, .5]),
        lambda series: series(0, 30),
        lambda series: series(1, 30),
        lambda series: series(.3, 30, taught=[2]),
    ],
    "claims": [
        lambda batch, y: str(bounds.claims(batch, y(60), about=bounds.claims.__globals__["ABOUT"])),
        lambda batch, y, X: str(bounds.claims(batch, y(60), .2, about=["abstain"], abstain=.5,
            X=X)),
        lambda batch, y, order: str(bounds.claims(batch, y(60), about=["counts", "counts"],
            order=order)),
        lambda batch, y: str(bounds.claims(batch, y(60), about=["what"])),
        lambda batch, y: str(bounds.claims(batch, y(60), about=[])),
        lambda batch, y: str(bounds.claims(batch, y(60), abstain=1)),
        lambda batch, y: str(bounds.claims(batch, y(60), abstain=-.1)),
        lambda batch, y: str(bounds.claims(batch, y(60), about=["classes"])),
        lambda batch, y: str(bounds.claims(batch, y(60), about=["error"], abstain=0)),
        lambda four, truth: str(bounds.claims(four, [*truth[:60], *[None] * 340], about=["error",
            "abstain"])),
        lambda codes_of: (lambda T: [[T.error(.1), T.certain(0.0), T.certain(.3), T.abstaining(.2,
            T.certain(.3)), T.clusters(.3, np.array(["A", "B", "C"], dtype=object), np.array(["p",
            "q"], dtype=object)), T.classes(.3, np.array(["p", "q"], dtype=object)), T.counts(.3,
            np.array(["p", "q"],
            dtype=object))]])(bounds.claims.__globals__["_Test"](bounds.TransductiveClassifier("clustering",
            codes_of([0, 0, 1, -1, 1, 0, 1, 0, -1, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 1]),
            np.linspace(.9, .5, 20), 0, codes_of([0, 1, 1]), codes_of([0, 0, 1, -1, 2, 0, 1, 0, -1,
            1, 0, 1, 0, 1, 2, 0, 0, 1, 0, 1])), codes_of([0, 0, 1, -1, 1, 1, 1, 0, 1, 1, 0, 1, 0,
            1, -1, -1, -1, -1, -1, -1]), np.arange(6), np.arange(6, 14), codes_of([0, 0, 1, -1, 2,
            0, 1, 0, -1, 1, 0, 1, 0, 1, 2, 0, 0, 1, 0, 1]))),
    ],
    "Searched": [
        lambda: [bounds.Searched({"a": {2: 4, 3: 1, 5: 2}, "b": {1: 3, 4: 1}, "c": {"x": 2, "y":
            1}}, n).bits(o, s) for n, o, s in ((0, ("a", 2), 3), (2, ("a", 3), 0), (2, ("b", 4),
            0), (1, ("c", "y"), 0), (2, None, 1), (0, ("b", 1), 2))],
        lambda: bounds.Searched({"user": {2: 1}}),
        lambda: bounds.Searched({}),
        lambda: bounds.Searched({"a": {}}),
        lambda: bounds.Searched({"a": {2: 0}}),
        lambda: bounds.Searched({"a": {2: 1}}).bits(("a", 2), 1),
        lambda: bounds.Searched({"a": {2: 1}}).bits(("a", 3)),
        lambda: bounds.Searched({"a": {2: 1}}).bits(None),
        lambda: bounds.Searched({}, 2).bits(None, 1),
        lambda: bounds.Searched({"a": {True: 1, 2: 1}}).bits(("a", 2)),
        lambda: bounds.Searched.from_origins([("a", 2), None, ("a", 2), ("b", 3), None]),
        lambda: ([attempt(bounds.Searched, t, n).bits(o, s) if isinstance(attempt(bounds.Searched,
            t, n), bounds.Searched) else attempt(bounds.Searched, t, n) for t, n, o, s in (({"a":
            {2: 1}}, 0, ("a", 2), 0), ({"a": {2: 4}}, 3, ("a", 2), 3), ({"a": {2: 4}}, 3, None, 2),
            ({"a": {2: 1}, "b": {2: 1}}, 1, ("b", 2), 0), ({}, 0, None, 0), ({"user": {2: 1}}, 0,
            None, 0), ({"a": {2: 1, 3: 0}}, 0, None, 0))], [fails(bounds.Searched({"a": {2: 2}},
            1).bits, o, s) for o, s in ((("a", 2), 2), (("b", 2), 0), (None, 1))]),
    ],
    "study_bounds": [
        lambda batch, y: bounds.study_bounds(batch, y(60), origins=[("a", 2), ("a", 4), None, ("b",
            3)]).table,
        lambda batch, y: bounds.study_bounds(batch, y(60), origins=[("a", 2)] * 3).table,
        lambda batch, y: bounds.study_bounds(batch, y(60), origins=[("a", 2)] * 4,
            searched=bounds.Searched({"a": {2: 3}})).table,
        lambda batch, y: bounds.study_bounds(batch, y(60), origins=[("a", 2)] * 4,
            searched=bounds.Searched({"a": {2: 9, 3: 9}})).table,
        lambda batch, y: bounds.study_bounds(batch, y(60), origins=[("a", 2), ("a", 4), None, ("b",
            3)]).warnings,
        lambda batch, y: bounds.study_bounds(batch, y(60), origins=[("a", 2)] * 4).warnings,
    ],
    "study_guarantee": [
        lambda parts, batch, y: parts(bounds.study_guarantee(batch, y(60), origins=[("a", 2), ("a",
            4), None, ("b", 3)])),
        lambda parts, batch, y: parts(bounds.study_guarantee(batch, y(60), origins=[("a", 2), ("a",
            4), None, ("b", 3)], prior=[.1, .2, .3, .4])),
        lambda parts, batch, y, order: parts(bounds.study_guarantee(batch, y(60), origins=[("a",
            2), ("a", 4), None, ("b", 3)], anytime=True, order=order)),
        lambda parts, batch, y, X: parts(bounds.study_guarantee(batch, y(60), origins=[("a", 2),
            ("a", 4), None, ("b", 3)], X=X, classes=3)),
        lambda parts, batch, y: parts(bounds.study_guarantee(batch, y(60), origins=[("a", 2), ("a",
            4), None, ("b", 3)], chooser=lambda rows, seen: 3)),
        lambda parts, batch, y: parts(bounds.study_guarantee(batch, y(60), origins=[("a", 2), ("a",
            4), None, ("b", 3)], prior=[.1, .2])),
        lambda parts, batch, y, order: parts(bounds.study_guarantee(batch, y(60), origins=[("a",
            2), ("a", 4), None, ("b", 3)], order=order)),
    ],
    "forecast_labels": [
        lambda four, y: bounds.forecast_labels(sortal.pac_mdl_bound(four, y(40))),
        lambda four, y: bounds.forecast_labels(sortal.pac_mdl_bound(four, y(40)), .1),
        lambda four, y: bounds.forecast_labels(sortal.pac_mdl_bound(four, y(40)), 1),
        lambda four, y: bounds.forecast_labels(sortal.pac_mdl_bound(four, y(40)), .9),
        lambda four, y: bounds.forecast_labels(sortal.pac_mdl_bound(four, y(60)), .001),
        lambda four, y: bounds.forecast_labels(sortal.guarantee(four, y(40)), .2),
        lambda four, y, order: bounds.forecast_labels(sortal.guarantee(four, y(60), anytime=.3,
            order=order)),
        lambda four, truth: bounds.forecast_labels(sortal.guarantee(four, [*truth[:60], *[None] *
            340])),
    ],
    "forecast_bounds": [
        lambda four, y: bounds.forecast_bounds(sortal.pac_mdl_bound(four, y(40))),
        lambda batch, y: bounds.forecast_bounds(sortal.guarantee(batch, y(40)), [40, 50, 399, 400]),
        lambda batch, y, order: bounds.forecast_bounds(sortal.guarantee(batch, y(60), anytime=True,
            order=order)),
        lambda four, y, order: bounds.forecast_bounds(sortal.guarantee(four, y(60), anytime=.12,
            order=order), [90, 200]),
        lambda four, truth: bounds.forecast_bounds(sortal.guarantee(four, [*truth[:60], *[None] *
            340])),
        lambda four, y: bounds.forecast_bounds(sortal.guarantee(four, y(40)), [9]),
    ],
    "asked": [
        lambda asked, rows: asked(*(dict(question=q, labels=rows[:m], ordered=o, once=c) for q, m,
            o, c in (("a", 20, True, False), ("a", 30, True, False), ("b", 30, True, False), ("c",
            9, False, False), ("d", 30, False, True), ("a", 10, True, True), ("b", 30, False,
            False)))),
        lambda asked, rows: asked(*(dict(question=q, labels=rows[:m], ordered=o, once=c) for q, m,
            o, c in (("a", 20, False, True), ("a", 20, False, True), ("a", 20, False, False), ("a",
            25, False, True), ("b", 20, False, False)))),
        lambda asked, rows: asked(*(dict(question=q, labels=rows[a:b], ordered=False) for q, a, b
            in (("a", 0, 10), ("b", 2, 12), ("c", 3, 13), ("d", 0, 5), ("e", 30, 40)))),
    ],
    "question_of": [
        lambda four, out: [len({bounds.question_of(labelings.as_labelings(b), **o) for b, o in
            pairs}) for pairs in ([({"a": four}, {}), ({"b": 3 - four}, {"x": None})], [({"a":
            four}, {}), ({"a": out + 1}, {})], [({"a": four}, {"x": 1}), ({"a": four}, {"x": 2})])],
        lambda batch, four: ([len(bounds.question_of(labelings.as_labelings(batch), **o)) for o in
            ({}, {"delta": .1})], [bounds.question_of(labelings.as_labelings(a), **o) ==
            bounds.question_of(labelings.as_labelings(b), **p) for a, o, b, p in ((batch, {"d": 1},
            dict(reversed(batch.items())), {"d": 1, "e": None}), (four, {}, 3 - four, {}), (four,
            {}, four // 2, {}), (four, {"d": 1}, four, {"d": 2}))]),
    ],
    "RowClasses": [
        lambda: [bounds.RowClasses(np.array(["a", "b", "a", None]), np.array([1, 0, 0, 0], bool),
            np.array([np.nan, .7, .9996, np.nan]), np.array([np.nan, .12345, 1.0,
            np.nan])).table.to_dict("list"), bounds.RowClasses(np.array(["a", "b", "a", None]),
            np.array([1, 0, 0, 0], bool), np.array([np.nan, .7, .9, np.nan]), np.array([np.nan, .1,
            1.0, np.nan])).by_class],
    ],
    "part": [
        lambda part: ([part(**o).wrong for o in ({}, {"excluded": 3})], [part(**o).bound_rate for o
            in ({}, {"n": 0})], part().classifier.wrong(np.array([0, 1, 4]), np.array([0, 1, 1])),
            part(predicted=[0, -1, 1, 1, 0, -1, 1, 1]).classifier.wrong(np.array([0, 1, 2]),
            np.array([1, 1, 1])), part(predicted=[0, -1, 1, 1, 0, -1, 1,
            1]).classifier.hidden(np.array([0, 1, 2]))),
    ],
    "entry": [
        lambda entry: ([entry(p, **o).is_about(tuple(q)) for p, q, o in (("abcde", "abcde", {}),
            ("abcd", "abcd", {}), ("abcd", "abcde", {}), ("abcdef", "abcdexyz", {}), ("abcdefg",
            "abcdezz", {}), ("abcdefghij", "abcdefghXYZ", {}), ("abcdefghij", "abcdefgXYZ", {}))],
            [entry(p, **o).covers(q, tuple(r), ordered=d) for p, o, q, r, d in (("abc", {}, "q",
            "abc", True), ("abc", {}, "x", "abc", True), ("abc", {}, "q", "abc", False), ("abc",
            {}, "q", "abcd", True), ("abc", {}, "q", "ab", True), ("abc", {}, "q", "acb", True),
            ("abc", {"ordered": False}, "q", "cba", False), ("abc", {"ordered": False}, "q",
            "abcd", False), ("abc", {"once": True}, "q", "abcd", True), ("abc", {"once": True},
            "q", "cba", True))]),
    ],
}
# fmt: on

test_values = table_test(__file__, CASES, fixtures)
