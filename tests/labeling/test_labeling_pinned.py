"""Parts of labelling: sessions, answers, reviews, exports, reading rounds, and what they say."""

from __future__ import annotations

import http.client
import io
import json
import os
import tempfile
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.error import HTTPError

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import karat
from karat import bounds
from karat.labeling import answers, desk, exchange, page, reading, session, watch
from karat.labeling.reading import (
    answers as replies,
)
from karat.labeling.reading import (
    chat,
    correction,
    display,
    interview,
    intruders,
    minutes,
    question,
    rounds,
    score,
)
from karat.runtime.output import appending
from pinning import Pins, tried

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

    head = {"form": "karat answers", "objects": 60, "taught": [1], "data": "?", "draw": "?"}

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

    def posted() -> Any:
        """Attempts, waits and the end of a model whose server fails in several ways."""
        waits: list[float] = []
        replies = iter([OSError("down"), ValueError("odd"), reply, *[OSError("gone")] * 3])
        it = chat.ChatModel("m", "http://x", retries=2)

        def post(body: bytes) -> Any:
            given = next(replies)
            if isinstance(given, Exception):
                raise given
            return given

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(chat.ChatModel, "_post", lambda self, body: post(body))
            patch.setattr(chat.time, "sleep", waits.append)
            said = it("what?")
            try:
                it("again?")
            except ConnectionError as error:
                return str(said), said.tokens_sent, waits, str(error)

    def sent(url: str, answer: bytes = b"[1]", key: str = "", most: int = 10) -> Any:
        """The request that a model sends, and what it makes of the answer."""
        told: list[Any] = []

        def opener(*handlers: Any) -> Any:
            told.append([type(one).__name__ for one in handlers])
            return SimpleNamespace(open=opened)

        def opened(request: Any, timeout: float) -> Any:
            told.append([request.full_url, request.data, dict(request.headers), timeout])
            return io.BytesIO(answer)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(chat, "build_opener", opener)
            patch.setattr(chat, "_MOST_BYTES", most)
            patch.setenv("OPENAI_API_KEY", key)
            return tried(chat.ChatModel("m", url, timeout=7)._post, b"{}"), told

    def rejected(*codes: int, retries: int = 2) -> Any:
        """Attempts and waits of a model whose server answers with these errors, then rightly."""
        waits: list[float] = []
        replies = iter([HTTPError("u", code, "", {"Retry-After": "3"}, io.BytesIO(b"why\n not"))  # type: ignore[arg-type]
                        for code in codes])  # fmt: skip

        def post(self: Any, body: bytes) -> Any:
            for error in replies:
                raise error
            return {**reply, "body": body}

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(chat.ChatModel, "_post", post)
            patch.setattr(chat.time, "sleep", waits.append)
            try:
                return str(chat.ChatModel("m", "http://x", retries=retries)("what?")), waits
            except (ConnectionError, ValueError) as error:
                return f"{type(error).__name__}: {error}", waits

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

    words = {"red": "fire rose", "green": "leaf grass", "blue": "sea sky"}

    def reads(prompt: str) -> str:
        """A reader that knows the colours."""
        if "belong?" not in prompt:
            return next(c for c in words if c in prompt.split("other groups:")[0])
        return next((c for c in words if c in prompt.split("<object>")[-1]), "none")

    def errs(prompt: str) -> str:
        """The same, wrong about every third object and silent about some."""
        if "belong?" not in prompt:
            return reads(prompt) + ": things of a colour"
        number = int("".join(filter(str.isdigit, prompt.split("thing")[-1][:4])))
        return ("none of them", "red", reads(prompt), reads(prompt), "1 or 2")[number % 5]

    def read(reader: Any = errs, labels: Any = three, **options: Any) -> Any:
        """Clarity by a reader."""
        found = karat.clarity_by_reading(lines, labels, reader, by="R", **options)
        return (found.to_dict(), str(found), found.names, found.assigned, found.score,
                found.interval, found.cluster_names, found.cluster_notes, found.hits,
                found.round.objects, found.round.examples, found.round.others, found.round.draws,
                found.cost)  # fmt: skip

    def asks(
        at: int, objects: Any = lines, labels: Any = three, said: Any = None, **options: Any
    ) -> Any:
        """A question of a round."""
        drawn = rounds.draw_round(display.shown_by(objects, len(labels)), labels, **options)
        one = drawn.question(at, said or {})
        return one.ask, one.shown, one.options, one.prompt, len(drawn), drawn.identity, [
            one.parse(reply) for reply in ("1", "none", "red: of fire", "9")
        ]  # fmt: skip

    def odd(prompt: str) -> str:
        """Find the intruder by its colour; wrong about some, and one is none."""
        shown = prompt.split("<objects>")[-1].split("</objects>")[0]
        colours = [c for c in shown.split() if c in words]
        rare = next(i for i, c in enumerate(colours) if colours.count(c) == 1)
        return "none" if "thing 7" in shown else str(rare + 1)

    def corrected(**options: Any) -> Any:
        """A person's clarity by a model's many answers."""
        labels, n = np.arange(90) % 3, 90
        texts = [f"{('red', 'green', 'blue')[i % 3]} thing {i}" for i in range(n)]
        model = karat.clarity_by_reading(texts, labels, errs, n_assignments=45, by="M")
        person = karat.clarity_by_reading(texts, labels, reads, n_assignments=15, by="P", **options)
        found = correction.correct_reading(model, person)
        return found.to_dict(), str(found), found.interval, found.agreement, (
            score.agreement_of_readers(person, person)
        )  # fmt: skip

    def at_desk(*gifts: Any, labels: Any = three) -> Any:
        """What a reading desk says after some answers."""
        with tempfile.TemporaryDirectory() as folder:
            drawn = rounds.draw_round(display.shown_by(lines, N), labels, 6)
            it = reading.ReadingDesk(Path(folder) / "a.jsonl", drawn, "Ann")
            said = []
            for kind, label in gifts:
                try:
                    it.give(kind, label, it.at)
                except ValueError as error:
                    said.append(str(error))
                said.append(it.at)
            return (said, it.said, it.readers, it.status, it.names, it.fixed, it.keys, len(it),
                    it.ending.replace(folder, ""), it.variant("x"), it.beside(0))  # fmt: skip

    def told(replies: Any, **options: Any) -> Any:
        """What an interview makes of these replies to one question."""
        given = iter(replies)

        def reader(prompt: str) -> Any:
            said = next(given)
            if isinstance(said, Exception):
                raise said
            return said

        it = interview.Interview(reader, "I", **options)
        found = [
            it.ask("what?", lambda reply: int(reply) if reply.isdigit() else None) for _ in "ab"
        ]
        return found, it.cost, str(it.cost)

    table = pd.DataFrame(
        {"size=big": [1, 0], "size=small": [0, 1], "x": [1.23456, 2.0], "n": [3, 4]}
    )
    reply = {"choices": [{"message": {"content": "yes"}}],
             "usage": {"prompt_tokens": 3000, "completion_tokens": 500}}  # fmt: skip
    shared = {
        "N": N, "replies": replies, "chat": chat, "display": display, "sparse": sparse, "karat": karat, "intruders": intruders,
        "minutes": minutes, "question": question, "Path": Path, "interview": interview,
        "SimpleNamespace": SimpleNamespace, "Shown": desk.Shown, "score": score,
        "correction": correction,
    }  # fmt: skip
    return locals() | shared


test_the_answer_is_the_pinned_one = Pins(__file__, names).test()
