"""The local page: who is answered, what is taken, and the whole in a browser."""

from __future__ import annotations

import http.client
import json
import re
import socket
import struct
import threading
import time
import zlib

import pandas as pd
import pytest

from chromium import CHROMIUM, reported
from sortal.bounds import sample
from sortal.labeling import Desk, LabelPage, LabelSession, ShownObjects, Watch

N = 30
ORDER = sample(N, N, random_state=0)


def _png():
    """One white pixel."""
    parts = [(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)),
             (b"IDAT", zlib.compress(b"\0\xff")), (b"IEND", b"")]  # fmt: skip
    chunks = [
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in parts
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


PNG = _png()


@pytest.fixture
def opened(tmp_path):
    (tmp_path / "cat.png").write_bytes(PNG)
    (tmp_path.parent / "secret.png").write_bytes(PNG)
    cells = pd.DataFrame({"name": [f"<b>{i}</b>" for i in range(N)], "picture": "cat.png"})
    cells.loc[3, "picture"] = "../secret.png"
    objects = ShownObjects(None, cells, tmp_path)
    session = LabelSession(tmp_path / "answers.jsonl", ORDER, objects.lines(), by="ann")
    desk = Desk(session, Watch(session, {"halves": [0] * 15 + [1] * 15}, target=0.9), objects)
    served = LabelPage(desk, timeout=0.5)
    thread = threading.Thread(target=served.serve, name="page")
    thread.start()
    yield served
    served.closed = True
    thread.join(timeout=60)
    assert not thread.is_alive()


def ask(served, path, body=None, *, token=None, host=None):
    address = served.url.split("/")[2]
    connection = http.client.HTTPConnection(address, timeout=60)
    headers = {"Host": host or address, "X-Token": served.token if token is None else token}
    connection.request(
        "GET" if body is None else "POST", path, None if body is None else json.dumps(body), headers
    )
    reply = connection.getresponse()
    content = reply.read()
    is_json = reply.headers["Content-Type"] == "application/json"
    return reply.status, json.loads(content) if is_json else content


def send(served, path, body, length=None):
    """Send bytes with any length, and read the answer."""
    address = served.url.split("/")[2]
    connection = http.client.HTTPConnection(address, timeout=60)
    connection.putrequest("POST", path)
    connection.putheader("X-Token", served.token)
    if length != "":
        connection.putheader("Content-Length", length or str(len(body)))
    connection.endheaders(body)
    reply = connection.getresponse()
    return reply.status, json.loads(reply.read())


@pytest.mark.parametrize("path", ["/", "/state", "/image?at=0&number=0", "/other"])
def test_nobody_else_is_answered(opened, path):
    assert opened.url.startswith("http://127.0.0.1:")
    assert ask(opened, path, token="")[0] == 403
    assert ask(opened, path, token="é")[0] == 403
    assert ask(opened, path, host="evil.example")[0] == 403
    assert ask(opened, path, {"kind": "label"}, token="x")[0] == 403


def test_answers_are_taken_one_after_the_other(opened):
    session = opened.desk.session
    status, state = ask(opened, "/state")
    assert (status, state["at"], state["cells"][0][1]) == (200, ORDER[0], f"<b>{ORDER[0]}</b>")
    assert state["images"] == 1

    def answer(kind, label="", **more):
        return ask(opened, "/answer", {"at": state["at"], "kind": kind, "label": label, **more})

    state = answer("label", "Barolo")[1]
    assert state["keys"] == {"b": "Barolo"}
    assert answer("label", "barolo")[1] == {"variant": "Barolo"}
    assert len(session) == 1
    state = answer("label", "barolo", sure=True)[1]
    state = answer("unknown")[1]
    state = answer("undo")[1]
    assert session.labels == ["Barolo", "barolo"]
    state = answer("skip")[1]
    assert state["at"] == ORDER[3]
    assert answer("label", " ")[0] == 400
    for spoilt in ({}, {"kind": "label", "at": -1}, {"kind": "no", "at": 0}, ["kind"]):
        assert ask(opened, "/answer", spoilt)[0] == 400
    state = answer("stop")[1]
    assert state["closed"]
    assert opened.closed


BODIES = [
    b'{"kind": "label", "at": true, "label": "x"}',
    b'{"kind": "label", "at": true}', b'{"at": true}', b"[" * 60_000, b"[]", b"null", b"\xff", b"",
    b'{"kind": "label", "at": 0.0}', b'{"kind": "label", "at": "0"}',
    b'{"kind": "label", "at": 99}',
    b'{"kind": "label", "at": -1, "label": "x"}', b'{"kind": ["label"], "at": 0}',
    b'{"kind": "open", "at": 0}', b'{"kind": "settle", "at": 0, "label": "x"}',
    b'{"kind": "label", "at": 0, "label": 1}', b'{"kind": "label", "at": 0, "label": null}',
    b'{"kind": "label", "at": 0, "label": "x", "sure": 1}',
    b'{"kind": "label", "at": 0, "label": "x", "by": "bob"}', b'{"kind": "label", "at": 1e999}',
    b'{"kind": "label", "at": 0, "label": "' + b"x" * 501 + b'"}',
    b'{"kind": "label", "at": 0, "label": "\\ud800"}', b'{"kind": "label", "at": 0, "label": ""}',
    b'{"kind": "label", "at": 1' + b"0" * 5_000 + b"}", b'{"kind": "review", "at": 0}',
    b'{"kind": "confirm", "at": 0, "label": "x"}', b'{"kind": "undo", "at": 0}',
]  # fmt: skip


@pytest.mark.parametrize("body", BODIES, ids=lambda body: body[:40].decode("latin-1"))
def test_a_spoilt_body_gets_an_answer(opened, body):
    status, reply = send(opened, "/answer", body)
    assert status == 400
    assert reply["error"]
    assert len(opened.desk.session) == 0
    assert ask(opened, "/state")[0] == 200


def test_bodies_without_an_end(opened):
    statuses = {"70000": 413, "999999999999": 411, "-1": 411, "x": 411, "": 411, "50": 408}
    for length, status in statuses.items():
        content = b"x" * (70_000 if length == "70000" else 3)
        assert send(opened, "/answer", content, length)[0] == status, length
    assert send(opened, "/other", b"{}")[0] == 404
    assert send(opened, "//[", b"{}")[0] == 404


RAW = {
    "no request": (b"\0\xff\x16\x03\r\n\r\n", 400),
    "a long line": (b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n", 414),
    "many headers": (b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 200 + b"\r\n", 431),
    "another method": (b"PUT /answer HTTP/1.1\r\n\r\n", 501),
    "another protocol": (b"GET / HTTP/9.9\r\n\r\n", 505),
    "no host": (b"POST /answer HTTP/1.1\r\nX-Token: x\r\n\r\n", 403),
    "parts": (b"POST /answer HTTP/1.1\r\nTransfer-Encoding: chunked\r\nHost: {host}\r\n"
              b"X-Token: {token}\r\n\r\nffffffff\r\n{", 411),
}  # fmt: skip


@pytest.mark.parametrize("name", RAW)
def test_an_odd_request_gets_an_answer(opened, name, capfd):
    request, status = RAW[name]
    host = opened.url.split("/")[2]
    request = request.replace(b"{host}", host.encode()).replace(b"{token}", opened.token.encode())
    with socket.create_connection(("127.0.0.1", int(host.split(":")[1])), timeout=60) as sent:
        sent.sendall(request)
        line = sent.makefile("rb").readline()
    # before its version is known, a request is answered as one of HTTP 0.9, without a status
    unversioned = status in (400, 505) and b"DOCTYPE" in line.upper()
    assert unversioned or f" {status} ".encode() in line
    assert ask(opened, "/state")[0] == 200
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("begun", [b"", b"POST /answer HTTP/1.1\r\nContent-"])
def test_a_browser_that_leaves_is_no_failure(opened, begun, capfd):
    with socket.create_connection(("127.0.0.1", opened._server.server_port)) as sent:
        sent.sendall(begun)
        # closed at once, without a farewell
        sent.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    assert ask(opened, "/state")[0] == 200
    opened.closed = True
    for thread in threading.enumerate():
        if thread.name == "page":
            thread.join(timeout=60)  # it waits for the handlers
    assert "Traceback" not in capfd.readouterr().err


def test_a_failure_inside_is_an_answer_too(opened, monkeypatch):
    monkeypatch.setattr(opened.desk, "give", lambda *_: 1 / 0)
    monkeypatch.setattr(opened._server, "handle_error", lambda *_: None)
    status, reply = ask(opened, "/answer", {"kind": "label", "at": 0, "label": "x"})
    assert (status, reply["error"][:13]) == (500, "sortal failed")
    monkeypatch.setattr(opened, "state", lambda: 1 / 0)
    assert ask(opened, "/state")[0] == 500


def test_the_page_shows_the_target_and_the_labels_to_go(opened):
    state = ask(opened, "/state")[1]
    assert state["goal"].startswith("Target: at most 90 % mislabelled. The forecast begins")
    answer = {"kind": "label", "at": state["at"], "label": "a"}
    opened.desk._watch.target = 0.1
    state = ask(opened, "/answer", answer)[1]
    assert re.search(r"Target: at most 10 % .*Forecast \(no guarantee\): .* 10 %", state["goal"])


def test_images_come_from_the_folder_of_the_data_alone(opened):
    assert ask(opened, "/image?at=0&number=0") == (200, PNG)
    for missing in ("at=3&number=0", "at=0&number=1", "at=99&number=0", "at=a&number=0", ""):
        assert ask(opened, f"/image?{missing}")[0] == 404


def test_it_closes_when_it_is_left(opened, monkeypatch):
    assert ask(opened, "/here", {}) == (200, {})
    clock = time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: clock() + 200)
    for _ in range(600):
        if opened._server.socket.fileno() < 0:
            break
        time.sleep(0.1)
    with pytest.raises(OSError):
        ask(opened, "/state")


def test_it_closes_at_the_target(opened):
    at, state = ask(opened, "/state")[1]["at"], {"closed": False}
    while not state["closed"]:
        state = ask(opened, "/answer", {"at": at, "kind": "label", "label": f"{at < 15}"})[1]
        at = state.get("at")
    assert "Of ten random draws like yours" in state["sentence"]


PROBE = """<script nonce="NONCE">
const faults = [];
addEventListener("error", (e) => faults.push(e.message));
addEventListener("securitypolicyviolation", (e) => faults.push(e.blockedURI));
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
const press = async (key) => {
  dispatchEvent(new KeyboardEvent("keydown", { key }));
  await wait(1500);
};
setTimeout(async () => {
  const seen = { faults, first: document.querySelector("#object td").textContent };
  seen.image = document.querySelector("#object img").naturalWidth;
  document.getElementById("name").value = "ham";
  document.getElementById("other").requestSubmit();
  await wait(1500);
  await press("h"); await press("s"); await press("d"); await press("h"); await press("u");
  seen.status = document.getElementById("status").textContent;
  await press("q");
  seen.end = document.getElementById("object").textContent;
  document.body.replaceChildren();
  document.body.textContent = "SEEN" + JSON.stringify(seen) + "SEEN";
}, 2000);
</script></body>"""


@pytest.mark.long
@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here")
def test_in_a_browser(opened, tmp_path):
    probed = tmp_path / "page.html"
    probed.write_text(opened.html.read_text().replace("</body>", PROBE))
    opened.html = probed
    seen = reported(opened.url, tmp_path)
    assert seen["faults"] == []
    assert (seen["first"], seen["image"]) == (f"<b>{ORDER[0]}</b>", 1)
    assert seen["status"].startswith("2 labels; 1 more count after a skipped one")
    assert "guaranteed" in seen["end"] or "At most" in seen["end"]
    assert opened.closed
    kinds = [answer.kind for answer in opened.desk.session.file.answers if answer.kind != "open"]
    assert kinds == ["label", "label", "skip", "unknown", "label", "undo"]
