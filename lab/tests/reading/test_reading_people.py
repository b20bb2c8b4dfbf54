"""People who read: the desk, the page in a browser, the terminal, the command, two readers."""

from __future__ import annotations

import http.client
import io
import json
import re
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import sortal
from chromium import CHROMIUM, reported
from command_line import sortal_command
from readers import Oracle, objects_of
from sortal import InputError, StorageError
from sortal.labeling import LabelPage
from sortal_lab.reading import (
    ReadingDesk,
    agreement_of_readers,
    clarity_by_reading,
    correct_reading,
    draw_intruders,
    draw_round,
    shown_by,
)
from sortal_lab.reading.correction import bounded_interval
from sortal_lab.reading.minutes import effort
from sortal_lab.reading.score import exact_interval

LABELS = np.repeat([0, 1, 2], [40, 25, 20])
WORDS = np.array(["red square", "green circle", "blue square"])[LABELS]
TEXTS = [f"{one} {words}" for one, words in zip(objects_of(LABELS), WORDS, strict=True)]


def round_of(n=6, seed=0):
    return draw_round(shown_by(TEXTS, len(TEXTS)), LABELS, n, random_state=seed)


def answer_all(desk, right=lambda at: True, most=None):
    """Name the clusters a, b, c, and assign the objects rightly or to the next cluster."""
    first = desk.questions.n_names
    while (at := desk.at) is not None and (most is None or len(desk.said) < most):
        if at < first:
            desk.give("label", f"{'abc'[at]}: those", at)
            continue
        true = desk.questions.truth[at - first]
        desk.give("label", desk.names[true if right(at) else (true + 1) % first], at)
    return desk.questions.read(desk.said, desk.by)


def test_a_desk_resumes_and_takes_back(tmp_path):
    path = tmp_path / "a.jsonl"
    desk = ReadingDesk(path, round_of(), "ann")
    assert (desk.at, desk.fixed, len(desk)) == (0, None, 9)
    desk.give("label", "first: so", 0)
    desk.give("skip", at=1)
    assert desk.at == 2
    desk.give("unknown", at=2)
    assert desk.at == 1
    desk.give("label", "second", 1)
    assert desk.names == ["first: so", "second", "group 3, without a name"]
    desk.give("undo")
    assert desk.at == 1
    desk.give("label", "first", 1)
    again = ReadingDesk(path, round_of(), "ann")
    assert again.names[:2] == ["first: so", "first (2)"]
    again.give("label", again.names[2], 3)
    again.give("unknown", at=4)
    assert (again.said[3], again.said[4]) == (2, -1)
    with pytest.raises(InputError, match="is none of"):
        again.give("label", "no such name", 5)
    assert len(ReadingDesk(path, round_of(), "ann").said) == 5
    with pytest.raises(StorageError, match=r"has answers about.*another round"):
        ReadingDesk(path, round_of(seed=1), "ann")


def test_a_short_round_takes_five_minutes_and_says_what_it_lacks():
    labels = np.repeat(range(5), 40)
    long = [f"object {i} " + "word " * 2_000 for i in range(200)]
    whole = draw_round(shown_by(long, 200), labels)
    short = draw_round(shown_by(long, 200), labels, short=True)
    assert (len(whole), len(short)) == (35, 15)
    assert {len(examples) for examples in short.examples} == {3}
    minutes = [int(re.findall(r"(\d+) minutes", effort(drawn))[0]) for drawn in (whole, short)]
    assert minutes[0] > 100
    assert minutes[1] == 5
    assert max(len(short.question(at, {}).prompt) for at in range(15)) < 2_000
    clarity = clarity_by_reading(long, labels, Oracle(labels), short=True, by="ann")
    assert len(clarity.assigned) == 10
    assert (clarity.score, clarity.to_dict()["short"]) == (1, short.most)
    low = exact_interval(30, 30, 0.1)[0]
    assert f"30 at this rate would give {(5 * low - 1) / 4:.2f} to 1.00." in str(clarity)
    assert "A short round" not in str(clarity_by_reading(long, labels, Oracle(labels), by="ann"))


def test_a_reading_is_what_was_said(tmp_path):
    desk = ReadingDesk(tmp_path / "a.jsonl", round_of(30), "ann")
    clarity = answer_all(desk, most=13)
    assert (clarity.score, clarity.answered, clarity.by) == (1, 10, "ann")
    assert sorted(clarity.cluster_names.values()) == ["a", "b", "c"]
    clarity = answer_all(desk, right=lambda at: at % 2)
    assert 0 < clarity.score < 1


def test_two_readers_share_a_file_and_their_agreement_is_told(tmp_path):
    path = tmp_path / "a.jsonl"
    ann = answer_all(ReadingDesk(path, round_of(30), "ann"))
    bob = answer_all(ReadingDesk(path, round_of(30), "bob"), right=lambda at: at > 12)
    assert set(ReadingDesk(path, round_of(30), "eve").readers) == {"ann", "bob"}
    both = agreement_of_readers(ann, bob)
    assert (both.common, both.same) == (30, 20)
    assert agreement_of_readers(ann, bob).kappa == both.kappa
    with pytest.raises(InputError, match="same questions"):
        agreement_of_readers(ann, answer_all(ReadingDesk(tmp_path / "b", round_of(5), "bob")))


def test_a_person_finds_intruders_by_the_same_door(tmp_path):
    drawn = draw_intruders(shown_by(TEXTS, len(TEXTS)), LABELS, 10, 0)
    desk = ReadingDesk(tmp_path / "a.jsonl", drawn, "ann")
    while (at := desk.at) is not None:
        assert len(desk.names) == 5
        desk.give("label", desk.names[drawn.places[at]], at)
    found = drawn.read(desk.said, "ann")
    assert found.share == 1
    table = found.per_cluster
    assert (table["answered"] > 1).any()
    assert (table["share"] == table["hits"] / table["answered"]).all()
    assert drawn.read(desk.said, "ann", delta=0.1).interval == found.interval


def test_intruders_are_rows_and_images_too(tmp_path):
    rows = [{"age": 10 + i} for i in range(4)] + [{"age": 90}]
    images = [tmp_path / f"{i}.png" for i in range(5)]
    for objects in (rows, images):
        drawn = draw_intruders(shown_by(objects, 5), [0] * 4 + [1], 1, 0)
        question = drawn.question(0, {})
        last = drawn.places[0]
        assert drawn.sets[0][last] == 4
        assert ("90" if objects is rows else "4.png") in question.shown.cells[last][1]
        assert len(question.shown.images) == (5 if objects is images else 0)


def test_a_model_is_corrected_by_a_person():
    labels = np.repeat([0, 1, 2], 200)
    texts = objects_of(labels)

    def read(reader, n):
        return clarity_by_reading(texts, labels, reader, n_assignments=n, by=str(n))

    model = read(Oracle(labels, lies=0.1, seed=1), 300)
    person = read(Oracle(labels, lies=0.4, seed=2), 60)
    corrected = correct_reading(model, person)
    assert corrected.agreement.common == 60
    assert abs(corrected.score - person.score) < 0.15
    assert corrected.interval[0] < corrected.score < corrected.interval[1] < model.score
    assert str(corrected).startswith("300 and 60 assigned")
    # the person's corrections of the model's answers, and the model's mean
    hits_of_person = dict(zip(person.round.objects, person.hits, strict=True))
    weight, guesses = corrected.estimate.weight, [1.0 if hit else -0.5 for hit in model.hits]
    rest = [
        (1.0 if hits_of_person[at] else -0.5) - weight * guess
        for at, guess in zip(model.round.objects, guesses, strict=True)
        if at in hits_of_person
    ]
    ends = bounded_interval(rest, -0.5 - weight, 1 + 0.5 * weight, 0.1)
    assert 0 < weight < 1
    assert corrected.interval == pytest.approx([end + weight * np.mean(guesses) for end in ends])
    assert "does not read as the person does" in str(
        correct_reading(read(Oracle(labels, lies=0.9), 300), person)
    )
    sure = correct_reading(read(Oracle(labels), 300), read(Oracle(labels), 30))
    assert sure.score == 1
    assert sure.interval == pytest.approx(sure.person.interval, abs=0.01)
    with pytest.raises(InputError, match="not of one draw"):
        correct_reading(person, model)


def test_rows_are_compared_feature_by_feature():
    rows = [{"age": i, "sex": "fm"[i % 2]} for i in range(8)]
    drawn = draw_round(shown_by(rows, 8), [0] * 4 + [1] * 4, 4)
    for at, members in ((0, drawn.examples[0]), (1, drawn.examples[1])):
        ages = dict(drawn.question(at, {}).shown.cells)["age"].split("  | others: ")[0]
        assert ages == " · ".join(map(str, members))


# -- the page --------------------------------------------------------------------------------


@pytest.fixture
def opened(tmp_path):
    desk = ReadingDesk(tmp_path / "a.jsonl", round_of(3), "ann")
    served = LabelPage(desk)
    thread = threading.Thread(target=served.serve)
    thread.start()
    yield served
    served.closed = True
    thread.join(timeout=60)
    assert not thread.is_alive()


def ask(served, path, body=None, token=None):
    address = served.url.split("/")[2]
    connection = http.client.HTTPConnection(address, timeout=60)
    headers = {"Host": address, "X-Token": served.token if token is None else token}
    connection.request(
        "GET" if body is None else "POST", path, None if body is None else json.dumps(body), headers
    )
    reply = connection.getresponse()
    return reply.status, json.loads(reply.read())


def test_the_page_asks_for_names_then_for_groups(opened):
    assert ask(opened, "/state", token="x")[0] == 403
    state = ask(opened, "/state")[1]
    assert (state["fixed"], state["keys"], state["words"]["title"]) == (False, {}, "sortal clarity")
    assert "what do these have in common" in state["status"]
    assert len(state["cells"]) == 10
    for name in "abc":
        state = ask(opened, "/answer", {"at": state["at"], "kind": "label", "label": name})[1]
    assert (state["fixed"], state["keys"]) == (True, {"1": "a", "2": "b", "3": "c"})
    assert re.fullmatch(r"object \d+ \w+ \w+", state["text"])
    answer = {"at": state["at"], "kind": "label", "label": "no such"}
    assert ask(opened, "/answer", answer)[0] == 400
    for kind, label in (("label", "a"), ("skip", ""), ("unknown", ""), ("label", "b")):
        reply = ask(opened, "/answer", {"at": state["at"], "kind": kind, "label": label})[1]
        state = reply
    assert reply["closed"]
    assert "6 of 6 answered" in reply["sentence"]


PROBE = """<script nonce="NONCE">
const faults = [];
addEventListener("error", (e) => faults.push(e.message));
addEventListener("securitypolicyviolation", (e) => faults.push(e.blockedURI));
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const press = async (key) => {
  dispatchEvent(new KeyboardEvent("keydown", { key }));
  await wait(1000);
};
setTimeout(async () => {
  const seen = { faults, title: document.title, ask: document.getElementById("ask").textContent };
  for (const name of ["x: so", "y", "z"]) {
    document.getElementById("name").value = name;
    document.getElementById("other").requestSubmit();
    await wait(1000);
  }
  seen.other = document.getElementById("other").hidden;
  seen.classes = document.getElementById("classes").textContent;
  await press("2"); await press("u"); await press("1"); await press("s"); await press("d");
  seen.status = document.getElementById("status").textContent;
  await press("3");
  seen.end = document.getElementById("object").textContent;
  document.body.replaceChildren();
  document.body.textContent = "SEEN" + JSON.stringify(seen) + "SEEN";
}, 2000);
</script></body>"""


@pytest.mark.long
@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here")
def test_in_a_browser(opened, tmp_path, monkeypatch):
    read_text = Path.read_text

    def probed(path, *arguments, **options):
        text = read_text(path, *arguments, **options)
        return text.replace("</body>", PROBE) if path.name == "page.html" else text

    monkeypatch.setattr(Path, "read_text", probed)
    seen = reported(opened.url, tmp_path)
    assert seen["faults"] == []
    assert (seen["title"], seen["ask"], seen["other"]) == ("sortal clarity", "Name: line", True)
    assert seen["classes"] == "1x: so2y3z"
    assert seen["status"].startswith("5 of 6 answered")
    assert "6 of 6 answered" in seen["end"]
    assert opened.closed
    said = opened.desk.said
    assert [said[at] for at in range(3)] == ["x: so", "y", "z"]
    assert sorted([said[at] for at in range(3, 6)]) == [-1, 0, 2]


# -- the command -----------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    lines = [json.dumps({"text": text}) for text in TEXTS]
    (tmp_path / "news.jsonl").write_text("\n".join(lines) + "\n")
    (tmp_path / "mine.csv").write_text("k3\n" + "\n".join(map(str, LABELS)) + "\n")
    (tmp_path / "my_reader.py").write_text(
        "import sys\nimport numpy as np\nfrom readers import Oracle\n"
        "ask = Oracle(np.repeat([0, 1, 2], [40, 25, 20]), lies=0.2)\n"
    )
    yield tmp_path
    sys.modules.pop("my_reader", None)


COMMAND = ("clarity", "news.jsonl", "--text-column", "text", "--labels", "mine.csv")


def test_the_command_lets_a_person_read_at_the_terminal(folder, monkeypatch):
    typed = "dogs: barking\ncats\n:\nbirds\n1\n2\nd\nx\nq\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    done = sortal_command(*COMMAND, "--reader", "ann", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "by the names of ann" in done.stdout
    assert "[1] dogs: barking" in done.stdout
    assert "'x' is none of these" in done.stdout
    assert "of 3 unseen objects" in done.stdout
    assert "27 more have no answer" in done.stdout
    answers = (folder / "news-clarity.jsonl").read_text().splitlines()
    assert len(answers) == 7
    monkeypatch.setattr(sys, "stdin", io.StringIO("1\n"))
    again = sortal_command(*COMMAND, "--reader", "ann", "--json", cwd=folder)
    reading = json.loads(again.stdout.splitlines()[-1])["read"]["ann"]
    assert (reading["answered"], reading["by"]) == (4, "ann")


def test_the_command_lets_a_function_read_and_corrects_it(folder):
    desk = ReadingDesk(
        folder / "people.jsonl",
        _as_the_command_draws(folder, 30),
        "ann",
    )
    answer_all(desk)
    options = ("--by", "my_reader:ask", "-n", "60", "-o", "model.sortal")
    done = sortal_command(*COMMAND, *options, "--person", "people.jsonl", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert re.match(r"Asked: \d\d calls", done.stderr)
    assert done.stdout.startswith("my_reader:ask and ann assigned")
    assert "Clarity for ann" in done.stdout
    done = sortal_command(*COMMAND, *options, "--person", "people.jsonl", "--json", cwd=folder)
    (reading,) = json.loads(done.stdout)["corrected"]
    assert (reading["person"], reading["common"]) == ("ann", 30)
    assert reading["low"] < reading["score"] <= reading["high"] <= 1
    again = sortal_command(*COMMAND, *options, "--json", cwd=folder)
    reading = json.loads(again.stdout)["read"]["my_reader:ask"]
    assert reading["cost"]["calls"] == 0
    assert (folder / "model.sortal").exists()
    done = sortal_command(*COMMAND, "--by", "my_reader:ask", "--task", "intruders", cwd=folder)
    assert "found the intruder in 30 of 30 sets" in done.stdout
    assert (folder / "news-prompts.sortal").exists()


def test_the_command_keeps_what_a_function_said_in_a_study(folder):
    path = folder / "news.sortal"
    dataset = sortal.datasets.read(str(folder / "news.jsonl"), text_column="text")
    with sortal.Study(dataset, storage=path) as study:
        study.add({"mine": LABELS}, reference=False)
        study.by = "silhouette"
        study.best()
    command = ("clarity", "news.jsonl", "--text-column", "text", "--study", "news.sortal",
               "--by", "my_reader:ask", "--json")  # fmt: skip
    first, again = (sortal_command(*command, cwd=folder) for _ in range(2))
    assert first.returncode == 0, first.stderr
    assert "Answers: in the study" in first.stderr
    assert not (folder / "news-prompts.sortal").exists()
    first_reading, second_reading = (
        json.loads(done.stdout)["read"]["my_reader:ask"] for done in (first, again)
    )
    assert first_reading["cost"]["calls"] >= 33
    assert second_reading["cost"]["calls"] == 0
    assert first_reading["score"] == second_reading["score"]


def test_the_command_asks_for_intruders_among_words(folder):
    topics = {0: "goal match team ball", 1: "bank share stock price", 2: "rain snow wind sun"}
    rng = np.random.default_rng(0)
    lines = [
        json.dumps({"text": " ".join(rng.permutation(topics[label].split())[:3])})
        for label in LABELS
    ]
    (folder / "news.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "knows.py").write_text(
        f"topics = {[*topics.values()]!r}\n"
        "def ask(prompt):\n"
        "    shown = prompt.split('<objects>')[-1].split('</objects>')[0].split()[1::2]\n"
        "    of = [next(t for t in topics if word in t) for word in shown]\n"
        "    return str(1 + next(i for i, t in enumerate(of) if of.count(t) == 1))\n"
    )
    options = ("--by", "knows:ask", "--task", "words", "--json")
    done = sortal_command(*COMMAND, *options, cwd=folder)
    sys.modules.pop("knows")
    assert json.loads(done.stdout)["read"]["knows:ask"]["share"] == 1


def test_the_command_opens_the_page(folder, monkeypatch):
    def serve(self):
        answer_all(self.desk, most=8)

    monkeypatch.setattr(LabelPage, "serve", serve)
    done = sortal_command(*COMMAND, "--by", "page", "--reader", "ann", cwd=folder)
    assert "Read on http://127.0.0.1:" in done.stderr
    assert "5 of 5 unseen objects" in done.stdout
    done = sortal_command(*COMMAND, "--by", "page", "--reader", "ben", cwd=folder)
    assert "ben and ann assigned 5 of 5 objects alike (kappa 1.00)" in done.stdout


def test_an_interrupted_person_loses_nothing(folder, monkeypatch):
    class Typed(io.StringIO):
        def readline(self, *size):
            line = super().readline(*size)
            if line == "interrupt\n":
                raise KeyboardInterrupt
            return line

    monkeypatch.setattr(sys, "stdin", Typed("dogs\ncats\nbirds\n2\ninterrupt\n"))
    done = sortal_command(*COMMAND, "--reader", "ann", cwd=folder)
    assert done.returncode == 130
    assert "4 answers are kept in news-clarity.jsonl" in done.stderr
    monkeypatch.setattr(sys, "stdin", io.StringIO("q\n"))
    done = sortal_command(*COMMAND, "--reader", "ann", "--json", cwd=folder)
    reading = json.loads(done.stdout.splitlines()[-1])["read"]["ann"]
    assert (reading["answered"], reading["objects"] > 20) == (1, True)
    assert [cluster["name"] for cluster in reading["clusters"]] == ["dogs", "cats", "birds"]


def _as_the_command_draws(folder, n):
    from sortal.labeling import ShownObjects

    dataset = sortal.datasets.read(str(folder / "news.jsonl"), text_column="text")
    show = shown_by(ShownObjects(dataset.texts, None), dataset.n_objects)
    return draw_round(show, LABELS, n, X=dataset.X, metric=dataset.metric)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--by", "nobody"), "module:function or openai:MODEL@URL"),
        (("--by", "openai:gpt"), "module:function or openai:MODEL@URL"),
        (("--by", "no_such_module:f"), "cannot be imported"),
        (("--by", "json:no_such"), "no function 'no_such'"),
        (("--column", "k4"), "k4"),
        (("--by", "my_reader:ask", "--person", "none.jsonl"), "there is no file"),
        (("--task", "words", "--person", "none.jsonl"), "by names"),
    ],
)
def test_what_cannot_be_done_is_told(folder, options, told):
    done = sortal_command(*COMMAND, *options, cwd=folder)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Asked:" not in done.stderr  # a function may cost money


def test_names_become_those_of_a_study(tmp_path):
    X = np.concatenate([np.zeros((30, 2)), np.ones((30, 2)) * 9])
    X += np.random.default_rng(0).normal(size=X.shape)
    study = sortal.Study(X, storage=tmp_path / "a.sortal")
    study.sweep("ward", k=[2])
    study.by = "silhouette"
    labels = study.best().labels
    clarity = clarity_by_reading([f"object {i}" for i in range(60)], labels, Oracle(labels), by="m")
    study.name_clusters(clarity.cluster_names, by=clarity.by, notes=clarity.cluster_notes)
    study.close()
    with sortal.load_study(tmp_path / "a.sortal", X) as again:
        clusters = again.describe()
        assert [(cluster.name, cluster.named_by) for cluster in clusters] == [
            ("name of 0", "m"),
            ("name of 1", "m"),
        ]
        sortal.write_report(again, tmp_path / "r.html")
        with pytest.raises(InputError, match="has the clusters 0 to 1"):
            again.name_clusters({5: "x"}, by="m")
    page = (tmp_path / "r.html").read_text()
    assert "named by m" in page
    assert "0: name of 0" in page
    assert "those of 1; recognised in 15 of 15 by m" in page
