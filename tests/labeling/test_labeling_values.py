"""Parts of labelling: sessions, answers, reviews, exports, and what they say."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

from sortal import bounds, labeling
from values import table_test

N = 60


def fixtures() -> dict[str, Any]:
    """Sessions of one and two labellers, a desk, texts of three groups, and readers by rules."""
    three = np.arange(N) % 3
    classes = np.array(["red", "green", "blue"], dtype=object)[three]
    order = bounds.sample(N, N, random_state=1)
    lines = [f"{colour} thing {i}" for i, colour in enumerate(classes)]

    def at_work(*steps: Any, taught: int = 0, by: str = "Ann", rows: Any = None) -> Any:
        """State of a session after some steps; a step of another labeller begins with a name."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.jsonl"
            of: dict[str, Any] = {}
            said = []
            for who, name, *arguments in steps:
                if who not in of:
                    of[who] = labeling.LabelSession(path, order, lines, rows, by=who, taught=taught)
                of[who].refresh()
                try:
                    said.append(getattr(of[who], name)(*arguments))
                except ValueError as error:
                    said.append(str(error).replace(str(path), "FILE"))
            one = labeling.LabelSession(path, order, lines, rows, by=by, taught=taught)
            columns = {who: "".join(str(v)[:1] for v in c) for who, c in one.by_labeller().items()}
            return (
                said, one.labels, one.next, one.names, one.settled, one.waiting, len(one),
                one.n_confirmed, one.twice, one.disagreements, columns, one.y[order[:4]],
                [is_blind for i in order[:12] if (is_blind := one.is_blind(i))],
                labeling.taught_rows(path), [(a.by, a.row, a.kind, a.label, a.about)
                                            for a in one.file.answers[-3:]],
            )  # fmt: skip

    def desk_of(
        labelled: int,
        *gifts: Any,
        wrong: Any = (),
        taught: int = 0,
        target: Any = None,
        **options: Any,
    ) -> Any:
        """What a desk says after so many right labels, then some answers."""
        with tempfile.TemporaryDirectory() as folder:
            one = labeling.LabelSession(
                Path(folder) / "a.jsonl", order, lines, by="Ann", taught=taught
            )
            one.take(
                [(int(i), "red" if i in wrong else classes[i], "Ann") for i in order[:labelled]]
            )
            given = options.pop("classes", None)
            watched = labeling.Watch(one, {"three": three, "two": three // 2}, target=target,
                                  classes=given, asked=options.pop("asked", None))  # fmt: skip
            it = labeling.Desk(one, watched, labeling.ShownObjects(lines, None), given, **options)
            said = []
            for gift in gifts:
                try:
                    it.give(*gift)
                except ValueError as error:
                    said.append(str(error))
                said.append((it.at, it.status))
            at = it.at
            beside = None if at is None else (it.beside(at), it.objects(at))
            return (said, it.status, it.goal, it.advice, it.ending, it.met, at, it.names, it.keys,
                    beside, it.reviewing, len(it), [str(d) for d in it.doubts()])  # fmt: skip

    def imported(name: str, text: str) -> Any:
        """How many labels a session takes from a file, and what they are."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_text(text)
            one = labeling.LabelSession(Path(folder) / "b.jsonl", order, lines, by="Eve")
            try:
                taken = labeling.import_labels(one, path)
            except ValueError as error:
                return str(error).replace(folder, "")
            return taken, {b: [*c[c != np.array(None)]] for b, c in one.by_labeller().items()}

    def answer_file(*written: Any) -> Any:
        """The answers in a file of these lines."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.jsonl"
            one = labeling.AnswerFile(path, order, lines, [3, 4])
            one.add([labeling.LabelAnswer("2026", "Ann", 3, "label", "x", "y")])
            with path.open("ab") as file:
                for line in written:
                    file.write(line if type(line) is bytes else f"{json.dumps(line)}\n".encode())
            try:
                two = labeling.AnswerFile(path, order, lines, [3, 4])
                return (
                    len(two.answers),
                    two.refresh(),
                    two.merge(path),
                    labeling.taught_rows(path),
                )
            except ValueError as error:
                return str(error).replace(folder, "")

    def head_of(text: bytes) -> Any:
        """What a file that begins like this is taken for."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.jsonl"
            path.write_bytes(text)
            said: list[Any] = []
            for read in (
                labeling.taught_rows,
                lambda p: labeling.AnswerFile(p, order, lines).answers,
            ):
                try:
                    said.append(read(path))
                except ValueError as error:
                    said.append(str(error).replace(folder, ""))
            return said

    def standing(**values: Any) -> str:
        """A standing in words."""
        found = SimpleNamespace(sentence="S.", question=values.pop("question", ""))
        return labeling.Standing(found, **values).sentence  # type: ignore[arg-type]

    def opened() -> Any:
        """Kinds of the answers in the file of a desk that asks twice for the same object."""
        with tempfile.TemporaryDirectory() as folder:
            one = labeling.LabelSession(Path(folder) / "a.jsonl", order, lines, by="Ann")
            it = labeling.Desk(
                one,
                labeling.Watch(one, {"a": three}),
                labeling.ShownObjects(lines, None),
            )
            said = [it.at, it.at]
            it.give("label", "red", said[0])
            return [*said, it.at], [answer.kind for answer in one.file.answers]

    return {
        "three": three, "at_work": at_work, "order": order, "answer_file": answer_file,
        "head_of": head_of, "desk_of": desk_of, "classes": classes, "standing": standing,
        "imported": imported, "opened": opened,
    }  # fmt: skip


# fmt: off
CASES = {
    "agreement": [
        lambda: labeling.agreement([], 5),
    ],
    "teaching_objects": [
        lambda three: [labeling.teaching_objects(b, s, random_state=0) for b, s in (([three, three
            // 2], 5), ({"a": three}, 3), ([0, 0, 1, 1, 1], 0), ([0, -1, 1, 1, 1], 3))],
        lambda three: labeling.teaching_objects({"a": three, "b": three // 2}, 4, prior={"a": .1,
            "b": 3}),
        lambda three: labeling.teaching_objects({"a": three, "b": three // 2}, 4,
            prior=pd.Series({"b": 0, "a": 1})),
        lambda: labeling.teaching_objects(np.arange(4000) % 7, 3, random_state=0),
        lambda: labeling.teaching_objects([0, 1], 2),
        lambda: labeling.teaching_objects([0, 1], -1),
        lambda: labeling.teaching_objects([0, 1], 1, prior=[1, 2]),
        lambda: labeling.teaching_objects([0, 1], 1, prior=[-1]),
        lambda: labeling.teaching_objects([0, 1], 1, prior=[0]),
    ],
    "central_objects": [
        lambda: labeling.central_objects(np.arange(9.0)[:, None] ** 2, [0, 0, 0, 0, 1, 1, 1, -1,
            2], 2),
        lambda: labeling.central_objects([[0.0], [1.0], [1.0], [2.0]], [0, 0, 0, 0], 9),
        lambda: labeling.central_objects([[0, 2, 3], [2, 0, 1], [3, 1, 0]], [0, 0, 0],
            metric="precomputed"),
        lambda: labeling.central_objects([[0.0], [1.0]], [0, 0], 0),
        lambda: labeling.central_objects([[0.0], [1.0]], [0, 0, 1]),
        lambda: labeling.central_objects(np.arange(2100.0)[:, None], np.arange(2100) // 2050, 2),
        lambda: labeling.central_objects(np.zeros((3, 1)), [0, 0, 0]),
    ],
    "at_work": [
        lambda at_work: at_work(),
        lambda at_work: at_work(("Ann", "add", "red"), ("Ann", "add", " green "), ("Ann", "add",
            "don't know"), ("Ann", "skip"), ("Ann", "add", "blue")),
        lambda at_work: at_work(("Ann", "add", "red"), ("Ann", "add", "blue"), ("Ann", "undo"),
            ("Ann", "undo"), ("Ann", "undo")),
        lambda at_work: at_work(("Ann", "add", "red"), ("Bob", "add", "red"), ("Ann", "add",
            "Red"), ("Bob", "add", "blue"), ("Bob", "add", "x", 5), ("Ann", "spell", "Red", "red"),
            ("Bob", "spell", "x", "x")),
        lambda at_work: at_work(*[("Ann", "add", "red")] * 9, *[("Bob", "add", "blue")] * 3,
            by="Bob"),
        lambda at_work, order: at_work(*[("Ann", "add", "red")] * 7, *[("Bob", "add", "blue")] * 2,
            ("Ann", "open", int(order[9])), taught=2, by="Bob", rows=np.arange(60) + 100),
        lambda at_work: at_work(*[("Ann", "skip")] * 2, *[("Ann", "add", "red")] * 9),
        lambda at_work: at_work(*[("Ann", "skip")] * 2, *[("Ann", "add", "red")] * 10),
        lambda at_work, order: at_work(("Ann", "take", [(3, "red", "Ann"), (3, "blue", "Ann"),
            (int(order[0]), "don't know", "Cy")]), ("Ann", "take", []), ("Ann", "add", " "),
            ("Ann", "add", "a\x07")),
        lambda at_work: at_work(*[("Ann", "add", "red")] * 60, ("Ann", "add", "red")),
        lambda at_work: at_work(("Ann", "open", 3), ("Bob", "add", "red"), by="Bob"),
        lambda at_work: at_work(*[("Ann", "add", "red")] * 58, ("Ann", "skip"), ("Ann", "skip")),
        lambda at_work, order: at_work(*[("Ann", "add", "red")] * 58, ("Ann", "skip"), ("Ann",
            "skip"), ("Bob", "open", int(order[58]))),
        lambda at_work: [at_work(*[("Ann", "add", "red")] * n, *[("Bob", "add", "red")] * m,
            taught=t, by="Bob")[2] for n, m, t in ((5, 0, 0), (5, 1, 0), (4, 0, 0), (6, 0, 1), (10,
            2, 0))],
        lambda at_work, order: at_work(("Ann", "add", "red", None), ("Ann", "add", "blue"), ("Ann",
            "spell", "blue", "red"), ("Ann", "spell", "red", "green"), ("Ann", "settle",
            int(order[0]), "blue"), ("Ann", "settle", int(order[1]), "")),
    ],
    "LabelSession": [
        lambda: labeling.LabelSession("/nowhere/a", [0, 1], ["a"]),
        lambda: labeling.LabelSession("/nowhere/a", [0, 0], ["a", "b"]),
    ],
    "variant_of": [
        lambda: [labeling.variant_of(n, ["Barolo", "Asti", "Œuf", "??"]) for n in ("BAROLO ",
            "Barolo", "Ásti", "b-a rolo", "x", "??", "?!")],
    ],
    "answer_file": [
        lambda answer_file: answer_file(),
        lambda answer_file: answer_file({"at": "1", "by": "b", "row": 1, "kind": "label"}),
        lambda answer_file: answer_file({"at": "1", "by": "b", "row": 1, "kind": "what"}),
        lambda answer_file: answer_file({"at": "1", "by": "b", "row": "1", "kind": "label"}),
        lambda answer_file: answer_file({"at": "1"}),
        lambda answer_file: answer_file([1]),
        lambda answer_file: answer_file(b'{"at": '),
        lambda answer_file: answer_file(b"what\n"),
    ],
    "head_of": [
        lambda head_of: [head_of(t) for t in (b"", b'{"form"', b'{"for', b"what", b"what\n",
            b"{}\n", b"[]\n", b'{"form": "x"}\n', b'{"form": "x", "taught": 3}\n', b'{"form": 1')],
    ],
    "desk_of 1": [
        lambda desk_of: desk_of(0),
    ],
    "desk_of 2": [
        lambda desk_of: desk_of(4, ("label", "red"), ("unknown",), ("skip",), ("undo",),
            ("confirm", "blue"), ("review",)),
    ],
    "desk_of 3": [
        lambda desk_of: desk_of(20, classes=["red", "green", "blue"], target=.3),
    ],
    "desk_of 4": [
        lambda desk_of: desk_of(40, target=.5),
    ],
    "desk_of 5": [
        lambda desk_of, order: desk_of(30, ("review",), ("label", "blue", 5), taught=6,
            wrong=order[[8, 12]]),
    ],
    "desk_of 6": [
        lambda desk_of, order: desk_of(30, ("label", "blue", int(order[8])), ("undo",), ("unknown",
            "", int(order[8])), ("skip", "", int(order[12])), ("review",), ("review",), taught=6,
            wrong=order[[8, 12]], review=True),
    ],
    "desk_of 7": [
        lambda desk_of, order: desk_of(30, ("confirm", "what", int(order[30])), suggest=.9),
    ],
    "desk_of 8": [
        lambda desk_of, classes, order: desk_of(30, ("confirm", classes[order[30]],
            int(order[30])), suggest=.6),
    ],
    "desk_of 9": [
        lambda desk_of: desk_of(3, taught=5),
    ],
    "desk_of 10": [
        lambda desk_of: desk_of(60),
    ],
    "desk_of 11": [
        lambda desk_of: desk_of(25, target=2),
    ],
    "desk_of 12": [
        lambda desk_of: (desk_of(12, suggest=.5, taught=0)[9], desk_of(9, suggest=.5)[9],
            desk_of(14, suggest=.5, target=.4)[2:6], desk_of(30, target=1.0)[2:6]),
    ],
    "desk_of 13": [
        lambda desk_of, order: desk_of(30, ("review",), ("skip", "", int(order[8])), ("undo",),
            ("review",), wrong=order[[8, 12]])[:3],
    ],
    "ShownObjects": [
        lambda: [(s.lines(), s(0), s(1)) for s in (labeling.ShownObjects(["a", "b"], None),
            labeling.ShownObjects(None, pd.DataFrame({"x": [1, 2], "y": ["u", "v"]})))],
    ],
    "LabelDoubt": [
        lambda: [str(labeling.LabelDoubt(3, {"A": "x", "B": "y"}, p, .789)) for p in ("", "z")],
    ],
    "standing": [
        lambda standing: [standing(**v) for v in ({}, {"unknown": 1}, {"unknown": 2000,
            "confirmed": 1}, {"confirmed": 3, "settled": 1}, {"settled": 2, "question": "Q."})],
    ],
    "Agreement": [
        lambda standing: [standing(team=labeling.Agreement(2000, s, .5, .01, .2345, .1, r)) for s,
            r in ((2000, ""), (900, "why"))],
        lambda standing: [standing(team=labeling.Agreement(c, s, k, .01, .2345, .1, "")) for c, s,
            k in ((1, 1, None), (10, 9, .8), (10, 10, 1.0))],
    ],
    "imported": [
        lambda imported: [imported("a.csv", t) for t in ("row,label\n3,red\n4,\n5,blue\n",
            "row,label\n99,red\n", "a,b\n1,2\n", "row,label\n3,'=x\n3.0,red\n",
            "row,label\n,red\n")],
        lambda imported: imported("a.jsonl", "what"),
    ],
    "opened": [
        lambda opened: opened(),
    ],
}
# fmt: on

test_values = table_test(__file__, CASES, fixtures)
