"""Parts of labelling: sessions, answers, reviews, exports, and what they say."""

from __future__ import annotations

import http.client
import json
import os
import tempfile
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pinning import Pins, tried
from scipy import sparse

import sortal
from sortal import bounds
from sortal.labeling import answers, desk, exchange, page, session, watch
from sortal.runtime.output import appending

N = 60


def names() -> dict[str, Any]:
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
                    of[who] = session.LabelSession(path, order, lines, rows, by=who, taught=taught)
                of[who].refresh()
                try:
                    said.append(getattr(of[who], name)(*arguments))
                except ValueError as error:
                    said.append(str(error).replace(str(path), "FILE"))
            one = session.LabelSession(path, order, lines, rows, by=by, taught=taught)
            columns = {who: "".join(str(v)[:1] for v in c) for who, c in one.by_labeller().items()}
            return (
                said, one.labels, one.next, one.names, one.settled, one.waiting, len(one),
                one.n_confirmed, one.twice, one.disagreements, columns, one.y[order[:4]],
                [is_blind for i in order[:12] if (is_blind := one.is_blind(i))],
                answers.taught_rows(path), [(a.by, a.row, a.kind, a.label, a.about)
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
            one = session.LabelSession(
                Path(folder) / "a.jsonl", order, lines, by="Ann", taught=taught
            )
            one.take(
                [(int(i), "red" if i in wrong else classes[i], "Ann") for i in order[:labelled]]
            )
            given = options.pop("classes", None)
            watched = watch.Watch(one, {"three": three, "two": three // 2}, target=target,
                                  classes=given, asked=options.pop("asked", None))  # fmt: skip
            it = desk.Desk(one, watched, desk.ShownObjects(lines, None), given, **options)
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

    def exported(suffix: str, *steps: Any, taught: int = 2) -> Any:
        """The export of a session, and what another session takes from it."""
        with tempfile.TemporaryDirectory() as folder:
            path, out = Path(folder) / "a.jsonl", Path(folder) / f"out{suffix}"
            for who, name, *arguments in steps:
                one = session.LabelSession(path, order, lines, by=who, taught=taught)
                getattr(one, name)(*arguments)
            exchange.export_labels(one, out)
            other = session.LabelSession(Path(folder) / "b.jsonl", order, lines, by="Eve")
            try:
                taken = exchange.import_labels(other, out)
            except ValueError as error:
                return out.read_text()[:1500], str(error).replace(folder, "")
            return out.read_text()[:1500], len(out.read_text()), taken, other.by_labeller().keys()

    def imported(name: str, text: str) -> Any:
        """How many labels a session takes from a file, and what they are."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_text(text)
            one = session.LabelSession(Path(folder) / "b.jsonl", order, lines, by="Eve")
            try:
                taken = exchange.import_labels(one, path)
            except ValueError as error:
                return str(error).replace(folder, "")
            return taken, {b: [*c[c != np.array(None)]] for b, c in one.by_labeller().items()}

    def answer_file(*written: Any) -> Any:
        """The answers in a file of these lines."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.jsonl"
            one = answers.AnswerFile(path, order, lines, [3, 4])
            one.add([answers.LabelAnswer("2026", "Ann", 3, "label", "x", "y")])
            with path.open("ab") as file:
                for line in written:
                    file.write(line if type(line) is bytes else f"{json.dumps(line)}\n".encode())
            try:
                two = answers.AnswerFile(path, order, lines, [3, 4])
                return len(two.answers), two.refresh(), two.merge(path), answers.taught_rows(path)
            except ValueError as error:
                return str(error).replace(folder, "")

    def file_of_answers() -> Any:
        """What a file of answers does where there is none, where it is a folder, and as it grows."""
        with tempfile.TemporaryDirectory() as folder:
            path, answer = Path(folder) / "a.jsonl", answers.LabelAnswer
            one = answers.AnswerFile(path, order, lines)
            said = [one.refresh(), path.exists(), tried(one.merge, Path(folder) / "b.jsonl")]
            one.add(
                answer(str(i), "Ann", i, kind, "x", "") for i, kind in enumerate(("label", "skip"))
            )
            two = answers.AnswerFile(path, order, lines)
            two.add([answer("3", "Bob", 5, "confirm", "x", "")])
            said += [one.refresh(), one.refresh(), len(one.answers), one._read_to, two.merge(path)]
            path.write_bytes(path.read_bytes() + b'{"when"')
            said += [one.refresh(), path.rename(Path(folder) / "c.jsonl") is None]
            path.mkdir()
            said.append(tried(one.add, [answer("9", "Ann", 2, "label", "y", "")]))
            said.append(tried(answers.AnswerFile, path, order, lines))
            return json.loads(json.dumps(said).replace(folder, "FOLDER"))

    def head_of(text: bytes) -> Any:
        """What a file that begins like this is taken for."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "a.jsonl"
            path.write_bytes(text)
            said: list[Any] = []
            for read in (
                answers.taught_rows,
                lambda p: answers.AnswerFile(p, order, lines).answers,
            ):
                try:
                    said.append(read(path))
                except ValueError as error:
                    said.append(str(error).replace(folder, ""))
            return said

    head = {"form": "sortal answers", "objects": 60, "taught": [1], "data": "?", "draw": "?"}

    def standing(**values: Any) -> str:
        """A standing in words."""
        found = SimpleNamespace(sentence="S.", question=values.pop("question", ""))
        return watch.Standing(found, **values).sentence  # type: ignore[arg-type]

    class FakeDesk:
        """A desk of three objects with a fixed list of classes."""

        kinds, words, status, ending = ("label", "stop", "undo"), {}, "now", "end"
        keys, fixed, at = {"a": "a"}, ["a", "b"], 1

        def __len__(self) -> int:
            return 3

        def give(self, *given: Any) -> None:
            """Remember what was given."""
            self.status = str(given)

        def variant(self, name: str) -> Any:
            """A similar class."""
            return {"b": "a"}.get(name)

        def beside(self, at: int) -> Any:
            """Nothing."""
            return {"goal": "g"}

        def objects(self, at: int) -> Any:
            """An object with an image."""
            return desk.Shown("t", (("a", "b"),), (Path("i.png"),))

    def asked(**answer: Any) -> Any:
        """The state of a page after an answer."""
        it = page.LabelPage(FakeDesk())  # type: ignore[arg-type]
        try:
            said = it.take(page.PageAnswer(**answer))
            return said, it.closed
        finally:
            it._server.server_close()

    def images() -> Any:
        """Images that a page may send."""
        it = page.LabelPage(FakeDesk())  # type: ignore[arg-type]
        it._server.server_close()
        pairs = ((0, 0), (2, 0), (3, 0), (-1, 0), (0, 1), (0, -1))
        return [it.image(*pair) is not None for pair in pairs], [
            it.answers(host, token) for host in (it._host, "x") for token in (it.token, "x")
        ]  # fmt: skip

    def requests() -> Any:
        """What a page answers to good, odd and foreign requests."""
        it, said = page.LabelPage(FakeDesk()), []  # type: ignore[arg-type]
        thread = threading.Thread(target=it.serve)
        thread.start()
        good = b'{"kind": "undo", "at": 1}'
        for method, path, token, body in (
            ("GET", f"/?token={it.token}", "", None), ("GET", "/state", it.token, None), ("GET", "/state", "x", None),
            ("GET", "/what", it.token, None), ("GET", "/image?at=1&number=5", it.token, None),
            ("GET", "/image?at=x", it.token, None), ("POST", "/here", it.token, b""), ("POST", "/what", it.token, b""),
            ("POST", "/answer", it.token, good), ("POST", "/answer", "x", good), ("POST", "/answer", it.token, b"what"),
            ("POST", "/answer", it.token, b'{"kind": "label", "at": 1, "label": "c"}'),
            ("POST", "/answer", it.token, b"{" + b" " * page._MAX_BYTES), ("POST", "/here", it.token, b" " * page._MAX_BYTES),
            ("POST", "/answer", it.token, b'{"kind": "stop", "at": 1}'),
        ):  # fmt: skip
            asked = http.client.HTTPConnection(it._host, timeout=20)
            asked.request(method, path, body, {"X-Token": token})
            answer = asked.getresponse()
            text = answer.read().decode()
            kind = answer.getheader("Content-Type")
            said.append(
                (answer.status, kind, text if kind == "application/json" else len(text) > 99)
            )
            asked.close()
        thread.join(20)
        return said, it.closed

    def opened() -> Any:
        """Kinds of the answers in the file of a desk that asks twice for the same object."""
        with tempfile.TemporaryDirectory() as folder:
            one = session.LabelSession(Path(folder) / "a.jsonl", order, lines, by="Ann")
            it = desk.Desk(one, watch.Watch(one, {"a": three}), desk.ShownObjects(lines, None))
            said = [it.at, it.at]
            it.give("label", "red", said[0])
            return [*said, it.at], [answer.kind for answer in one.file.answers]

    def watched_by(**options: Any) -> Any:
        """The watch of a session without labels."""
        with tempfile.TemporaryDirectory() as folder:
            one = session.LabelSession(Path(folder) / "a.jsonl", order, lines, by="Ann")
            return watch.Watch(one, {"a": three}, **options)

    def appended(before: bytes, *lines: bytes, fails: bool = False) -> Any:
        """A file of lines after more are written to it, and whether it has a whole line."""
        with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
            path = Path(folder, "a")
            path.write_bytes(before)
            if fails:
                patch.setattr(os, "fsync", broken)
            with appending(path) as file:
                said = [tried_os(file.append, line) for line in lines]
                return said, file.has_line(), path.read_bytes().decode()[-80:]

    def broken(file: int) -> None:
        """Fail as a full disk does."""
        raise OSError("full")

    def tried_os(*work: Any) -> Any:
        """What a call gives, or its error of the system."""
        try:
            return work[0](*work[1:])
        except OSError as error:
            return str(error)

    shared = {
        "N": N, "sparse": sparse, "sortal": sortal, "Path": Path, "SimpleNamespace": SimpleNamespace,
        "Shown": desk.Shown,
    }  # fmt: skip
    return locals() | shared


test_the_answer_is_the_pinned_one = Pins(__file__, names).test()
