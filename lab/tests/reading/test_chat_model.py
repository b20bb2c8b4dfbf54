"""Models behind OpenAI's interface: a stub server on this machine stands in for them."""

from __future__ import annotations

import importlib.util
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from command_line import sortal_command
from readers import Oracle, objects_of
from sortal import InputError
from sortal_lab.reading import ChatModel, chat_model, clarity_by_reading, intruder_test

LABELS = np.repeat([0, 1, 2], [40, 25, 20])
TEXTS = objects_of(LABELS)
WORDS = np.array(["red square", "green circle", "blue square"])[LABELS]


class Stub:
    """A server that answers as a reader does, after the states and bodies that it is to send."""

    def __init__(self, reader):
        self.reader, self.states, self.requests = reader, [], []
        self.at_once = self.most_at_once = 0
        self.barrier = None
        stub, lock = self, threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if stub.barrier is not None:
                    stub.barrier.wait(timeout=60)
                with lock:
                    stub.requests.append((self.path, dict(self.headers), body))
                    state, content = stub.states.pop(0) if stub.states else (200, None)
                    if content is None:
                        content = stub.answer(body)
                self.send_response(state)
                self.send_header("Content-Length", str(len(content)))
                if state == 302:
                    self.send_header("Location", "http://127.0.0.1:1/elsewhere")
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.handle_error = lambda *_: None
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, args=(0.01,)).start()

    def answer(self, body):
        content = self.reader(body["messages"][0]["content"])
        usage = {"prompt_tokens": 100, "completion_tokens": 7}
        message = {"choices": [{"message": {"role": "assistant", "content": content}}]}
        return json.dumps({**message, "usage": usage}).encode()


@pytest.fixture
def stub(monkeypatch):
    monkeypatch.setattr("sortal_lab.reading.chat._FIRST_WAIT", 0.0)
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")  # which must not be asked
    served = Stub(Oracle(LABELS))
    yield served
    served.server.shutdown()
    served.server.server_close()


def test_a_named_model_reads(stub, monkeypatch, tmp_path):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    name = f"openai:llama@{stub.url}"
    answers = tmp_path / "a.sortal"
    clarity = clarity_by_reading(TEXTS, LABELS, name, answers=answers)
    assert (clarity.score, clarity.by, clarity.cost.calls) == (1, name, 33)
    assert (clarity.cost.tokens_sent, clarity.cost.tokens_received) == (3300, 231)
    assert "3,300 tokens sent, 231 received" in str(clarity.cost)
    path, headers, body = stub.requests[0]
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == "Bearer secret"
    assert (body["model"], body["temperature"], body["seed"]) == ("llama", 0, 0)
    again = clarity_by_reading(TEXTS, LABELS, name, answers=answers)
    assert (again.score, again.cost.calls, again.cost.remembered) == (1, 0, 33)
    assert b"secret" not in answers.read_bytes()
    assert intruder_test(TEXTS, LABELS, name, n_sets=5).share == 1


def test_several_calls_at_a_time_give_the_same(stub):
    model = ChatModel("llama", stub.url, prices=(10.0, 20.0))
    clarity = clarity_by_reading(TEXTS, LABELS, model, n_parallel=3)
    assert clarity.cost.price == pytest.approx((3300 * 10 + 231 * 20) / 1e6)
    assert "cost 0.0376" in str(clarity.cost)
    stub.barrier = threading.Barrier(3)  # answers only three requests at a time
    together = clarity_by_reading(TEXTS, LABELS, model, n_parallel=3)
    assert (together.names, together.assigned) == (clarity.names, clarity.assigned)
    stub.barrier = None
    few = clarity_by_reading(TEXTS, LABELS, model, n_parallel=3, max_calls=5)
    assert (few.cost.calls, few.answered) == (5, 2)


def test_a_busy_server_is_asked_again(stub):
    stub.states = [(429, b"slow down"), (503, b""), (200, b"no json"), (200, b'{"choices": []}')]
    assert ChatModel("m", stub.url)(_prompt()) == '{"group": 1}'
    assert len(stub.requests) == 5
    stub.states = [(200, b"[" * 60_000), (500, b"ill")]
    with pytest.raises(ConnectionError, match=r"no answer in 2 attempts; the last: 500 ill"):
        ChatModel("m", stub.url, retries=1)(_prompt())


@pytest.mark.parametrize("state", [401, 404, 400, 302])
def test_a_rejected_request_ends_the_reading(stub, state):
    stub.states = [(state, b'{"error": "no such\nmodel \x1b[31m"}')] * 9
    with pytest.raises(InputError, match=rf"rejects the request: {state} .*no such model \[31m"):
        clarity_by_reading(TEXTS, LABELS, f"openai:m@{stub.url}")
    assert len(stub.requests) == 1


def test_a_server_that_is_not_there(monkeypatch):
    monkeypatch.setattr("sortal_lab.reading.chat._FIRST_WAIT", 0.0)
    with pytest.raises(InputError, match=r"no answer that can be used.*Connection refused"):
        clarity_by_reading(TEXTS, LABELS, "openai:m@http://127.0.0.1:1/v1")


def test_a_silent_server_is_left(stub):
    stub.barrier = threading.Barrier(2)
    with pytest.raises(ConnectionError, match=r"in 1 attempts.*timed out"):
        ChatModel("m", stub.url, timeout=0.1, retries=0)(_prompt())
    stub.barrier.abort()


def test_names_of_models():
    model = chat_model("openai:@cf/meta/llama@3@https://host/v1", seed=3)
    assert (model.model, model.url) == ("@cf/meta/llama@3", "https://host/v1")
    assert model.name.endswith("/v1 seed 3")
    for other in ("openai:gpt", "openai:m@ftp://x", "terminal", "openai:@http://"):
        assert chat_model(other) is None
    for address in ("ftp://x", "http://", "https://user:pass@host/v1"):
        with pytest.raises(InputError, match="without a password") as error:
            ChatModel("m", address)
        assert "pass@" not in str(error.value)
    with pytest.raises(InputError, match="openai:MODEL@URL"):
        clarity_by_reading(TEXTS, LABELS, "gpt")


def test_the_command_lets_a_model_read(stub, tmp_path):
    (tmp_path / "n.jsonl").write_text(
        "\n".join(
            json.dumps({"text": f"{text} {word}"}) for text, word in zip(TEXTS, WORDS, strict=True)
        )
    )
    (tmp_path / "k.csv").write_text("k\n" + "\n".join(map(str, LABELS)))
    command = ("clarity", "n.jsonl", "--text-column", "text", "--labels", "k.csv", "--json",
               "--by", f"openai:m@{stub.url}", "--seed", "2", "--short")  # fmt: skip
    done = sortal_command(*command, "--price", "1,2", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"The objects shown are sent to {stub.url}." in done.stderr
    reading = json.loads(done.stdout)["read"][f"openai:m@{stub.url} seed 2"]
    assert (reading["objects"], reading["cost"]["tokens_sent"]) == (10, 1300)
    assert reading["cost"]["price"] == pytest.approx((1300 + 2 * 91) / 1e6)
    assert {body["seed"] for _, _, body in stub.requests} == {2}
    wrong = sortal_command(*command, "--price", "1", cwd=tmp_path)
    assert wrong.returncode == 2
    assert "--price must be two numbers" in wrong.stderr


def test_the_example_runs(stub, tmp_path, capsys):
    def reader(prompt):
        if "in common" in prompt:
            return '{"name": "wines", "line": "all alike"}'
        return json.dumps({"group": len(re.findall(r"^\d+\. ", prompt, re.M))})

    stub.reader = reader
    path = Path(__file__).parents[3] / "examples" / "clarity_by_model.py"
    spec = importlib.util.spec_from_file_location("clarity_by_model", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    clarity = module.main(f"openai:m@{stub.url}", str(tmp_path / "a.sortal"))
    assert abs(clarity.score) < 0.1  # one group for all is a guess
    assert "tokens sent" in capsys.readouterr().out


def _prompt():
    listed = "1. a: those of 0\n2. b: those of 1"
    return f"belong?\n{listed}\n<object>\nobject 3\n</object>"
