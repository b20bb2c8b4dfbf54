"""Labelling on a local page: only from this machine, only with the token, closed when idle."""

from __future__ import annotations

import json
import secrets
import threading
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from karat.labeling.desk import IMAGES
from karat.runtime.validation import InputError

if TYPE_CHECKING:
    from karat.labeling.desk import Desk
    from karat.labeling.reading.desk import ReadingDesk

#: seconds without a request after which the page is closed, and seconds until it must be opened
QUIET, UNOPENED = 180.0, 1_800.0
#: bytes of an answer at most
_MAX_BYTES = 2**16
PAGE = Path(__file__).with_name("page.html")
_REPLY_KINDS = ("label", "unknown", "skip", "undo", "stop")


class LabelPage:
    """A server on 127.0.0.1 for one labeller's page.

    Parameters
    ----------
    desk : Desk or ReadingDesk

    Attributes
    ----------
    url : str
        The address to open; it contains the token that every request needs.
    closed : bool
        Whether the labeller stopped, the target is met, or nothing is left.

    Notes
    -----
    Answers are taken one at a time. A request must name this host, so that other names that
    resolve to it are rejected, and have the token. The page may load nothing from elsewhere, and
    shows texts as text.
    """

    def __init__(self, desk: Desk | ReadingDesk) -> None:
        self.desk, self.closed = desk, False
        self.token = secrets.token_urlsafe(24)
        self.lock = threading.Lock()
        handler = type("Handler", (_Handler,), {"page": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = False  # the last answer is sent before the end
        self._host = f"127.0.0.1:{self._server.server_port}"
        self.url = f"http://{self._host}/?token={self.token}"
        self._heard = time.monotonic() + UNOPENED - QUIET

    def serve(self) -> None:
        """Answer requests until the page is closed."""
        self._server.timeout = 1.0
        with self._server:
            while not self.closed and time.monotonic() - self._heard < QUIET:
                self._server.handle_request()

    def answers(self, host: str, token: str) -> bool:
        """Whether a request may be answered."""
        allowed = host == self._host and secrets.compare_digest(token.encode(), self.token.encode())
        if allowed:
            self._heard = time.monotonic()
        return allowed

    def state(self) -> dict[str, Any]:
        """State that the page shows."""
        desk = self.desk
        at = None if self.closed else desk.at
        state = {"status": desk.status, "fixed": desk.fixed is not None, "words": desk.words}
        if at is None:
            self.closed = True
            return {**state, "closed": True, "sentence": desk.ending}
        shown = desk.objects(at)
        parts = {"text": shown.text, "cells": shown.cells, "images": len(shown.images)}
        return {**state, "closed": False, "at": at, "keys": desk.keys, **parts}

    def take(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Take an answer of the page; returns the new state, or a similar class."""
        kind, label, at = answer.get("kind"), str(answer.get("label", "")), answer.get("at")
        if kind not in _REPLY_KINDS or not isinstance(at, int) or not 0 <= at < len(self.desk):
            raise ValueError
        if kind == "label" and self.desk.fixed is not None and label not in self.desk.fixed:
            raise ValueError
        if kind == "label" and not answer.get("sure") and (similar := self.desk.variant(label)):
            return {"variant": similar}
        if kind == "stop":
            self.closed = True
        else:
            self.desk.give(kind, label, None if kind == "undo" else at)
        return self.state()

    def image(self, at: int, number: int) -> Path | None:
        """An image that an object names."""
        if not 0 <= at < len(self.desk):
            return None
        images = self.desk.objects(at).images
        return images[number] if 0 <= number < len(images) else None


class _Handler(BaseHTTPRequestHandler):
    """Handler of the page's requests."""

    page: LabelPage
    timeout = 5.0  # a browser may open a connection and send nothing

    def do_GET(self) -> None:
        """Send the page, its state or an image."""
        url = urlsplit(self.path)
        query = {key: values[0] for key, values in parse_qs(url.query).items()}
        if not self._may_ask(self.headers.get("X-Token") or query.get("token", "")):
            return
        if url.path == "/":
            nonce = secrets.token_urlsafe(16)
            text = PAGE.read_text(encoding="utf-8")
            self._send(text.replace("NONCE", nonce).encode(), "text/html; charset=utf-8", nonce)
        elif url.path == "/state":
            with self.page.lock:
                state = self.page.state()
            self._json(state)
        elif url.path == "/image" and (path := self._image(query)) is not None:
            self._send(path.read_bytes(), f"image/{IMAGES[path.suffix.lower()]}")
        else:
            self._json({"error": "there is no such page"}, HTTPStatus.NOT_FOUND)

    def do_POST(self) -> None:
        """Take an answer and send the new state."""
        # the token is in a header that no form of another site can send
        if not self._may_ask(self.headers.get("X-Token", "")):
            return
        try:
            length = int(self.headers.get("Content-Length", ""))
            if not 0 <= length <= _MAX_BYTES:
                raise ValueError
            answer = json.loads(self.rfile.read(length))
            if not isinstance(answer, dict):
                raise ValueError
            with self.page.lock:
                reply = {} if self.path == "/here" else self.page.take(answer)
            self._json(reply)
        except InputError as error:
            self._json({"error": str(error)}, HTTPStatus.BAD_REQUEST)
        except ValueError:
            self._json({"error": "this is no answer"}, HTTPStatus.BAD_REQUEST)

    def _may_ask(self, token: str) -> bool:
        """Whether the request may be answered; sends the rejection otherwise."""
        allowed = self.page.answers(self.headers.get("Host", ""), token)
        if not allowed:
            self._json({"error": "open the address that karat printed"}, HTTPStatus.FORBIDDEN)
        return allowed

    def _image(self, query: dict[str, str]) -> Path | None:
        """The image that a query names, None without one."""
        try:
            return self.page.image(int(query["at"]), int(query["number"]))
        except (KeyError, ValueError):
            return None

    def _json(self, value: dict[str, Any], status: HTTPStatus = HTTPStatus.OK) -> None:
        """Send a value as JSON."""
        self._send(json.dumps(value).encode(), "application/json", status=status)

    def _send(
        self, body: bytes, kind: str, nonce: str = "", status: HTTPStatus = HTTPStatus.OK
    ) -> None:
        """Send a body with the headers that keep the page isolated."""
        source = f"'nonce-{nonce}'" if nonce else "'none'"
        policy = (
            f"default-src 'none'; script-src {source}; style-src {source}; img-src 'self'; "
            "connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
        )
        self.send_response(status)
        for name, value in (
            ("Content-Type", kind),
            ("Content-Length", str(len(body))),
            ("Content-Security-Policy", policy),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
            ("Cache-Control", "no-store"),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing: the address contains the token."""
