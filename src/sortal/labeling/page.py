"""Labelling on a local page: only from this machine, only with the token, closed when idle."""

from __future__ import annotations

import json
import re
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import parse_qs, urlsplit

from sortal.labeling.desk import IMAGES
from sortal.runtime.validation import InputError

if TYPE_CHECKING:
    from sortal.labeling.desk import Shown

#: limit of cost: seconds without a request, and until the first one, after which the page closes
QUIET, UNOPENED = 180.0, 1_800.0
#: limit of cost: bytes of an answer
_MAX_BYTES = 2**16
#: limit of cost: characters of a class, or of a name with its line
_MAX_LABEL = 500
PAGE = Path(__file__).with_name("page.html")


@dataclass(frozen=True)
class PageAnswer:
    """An answer as the page sends it, its types checked.

    Attributes
    ----------
    kind : str
        One of the desk's ``kinds``.
    at : int
        Position of the object.
    label : str
        The class.
    sure : bool
        Whether a similar existing class is not meant.
    """

    kind: str
    at: int
    label: str = ""
    sure: bool = False

    @classmethod
    def parse(cls, body: bytes) -> PageAnswer:
        """Read the body of a request; raises an InputError for any other."""
        try:
            content = json.loads(body)
        except (ValueError, RecursionError):
            raise InputError("the body is not JSON") from None
        types = {"kind": str, "at": int, "label": str, "sure": bool}
        if not isinstance(content, dict) or not {"kind", "at"} <= set(content) <= set(types):
            raise InputError(f"an answer is an object with the fields {', '.join(types)}")
        for name, value in content.items():
            # bool is an int, and true is no position
            if type(value) is not types[name]:
                raise InputError(f"{name} must be of type {types[name].__name__}")
        answer = cls(**content)
        if answer.at < 0 or len(answer.label) > _MAX_LABEL:
            raise InputError(f"at is at least 0, and a label has at most {_MAX_LABEL} characters")
        return answer


class PageDesk(Protocol):
    """What the page needs of the one whose questions it shows."""

    @property
    def words(self) -> dict[str, str]:
        """Words of the page: its title, another class, and not knowing."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """Kinds of answers that the page may send."""

    @property
    def at(self) -> int | None:
        """Position of the next object, None if nothing is left."""

    @property
    def status(self) -> str:
        """Progress, in words."""

    @property
    def ending(self) -> str:
        """What the page says when it closes."""

    @property
    def fixed(self) -> Sequence[str] | None:
        """The only classes that may be given, None if any may."""

    @property
    def keys(self) -> dict[str, str]:
        """Class of each key."""

    def __len__(self) -> int: ...

    def objects(self, at: int) -> Shown:
        """Object at a position, as shown."""

    def beside(self, at: int) -> dict[str, Any]:
        """What stands beside the object."""

    def variant(self, name: str) -> str | None:
        """A similar class that was probably meant."""

    def give(self, kind: str, label: str = "", at: int | None = None) -> None:
        """Take an answer."""


class LabelPage:
    """A server on 127.0.0.1 for one labeller's page.

    Parameters
    ----------
    desk : PageDesk
        :class:`Desk`, or another that answers likewise.
    timeout : float, default 5
        Seconds after which a connection that sends nothing is closed.

    Attributes
    ----------
    url : str
        The address to open; it contains the token that every request needs.
    html : Path
        The page that is sent.
    closed : bool
        Whether the labeller stopped, the target is met, or nothing is left.

    Notes
    -----
    Answers are taken one at a time. A request must name this host, so that other names that
    resolve to it are rejected, and have the token. The page may load nothing from elsewhere, and
    shows texts as text.
    """

    def __init__(self, desk: PageDesk, *, timeout: float = 5.0) -> None:
        self.desk, self.closed, self.html = desk, False, PAGE
        self.token = secrets.token_urlsafe(24)
        self.lock = threading.Lock()
        handler = type("Handler", (_Handler,), {"page": self, "timeout": timeout})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = False  # the last answer is sent before the end
        self._host = f"127.0.0.1:{self._server.server_port}"
        self.url = f"http://{self._host}/?token={self.token}"
        self._heard = time.monotonic() + UNOPENED - QUIET

    def serve(self) -> None:
        """Answer requests until the page is closed."""
        self._server.timeout = 0.1
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
        status = desk.objects(at)
        parts = {"text": status.text, "cells": status.cells, "images": len(status.images)}
        beside = {"keys": desk.keys, **desk.beside(at)}
        return {**state, "closed": False, "at": at, **beside, **parts}

    def take(self, answer: PageAnswer) -> dict[str, Any]:
        """Take an answer of the page; returns the new state, or a similar class."""
        desk, action, label, at = self.desk, answer.kind, answer.label, answer.at
        if action not in desk.kinds or at >= len(desk):
            raise InputError(f"the page sends {', '.join(desk.kinds)} about one of {len(desk)}")
        if action == "label" and desk.fixed is not None and label not in desk.fixed:
            raise InputError("this is none of the classes")
        if action == "label" and not answer.sure and (similar := desk.variant(label)):
            return {"variant": similar}
        if action == "stop":
            self.closed = True
        else:
            desk.give(action, label, None if action == "undo" else at)
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

    def handle_one_request(self) -> None:
        """Handle a request; a browser that leaves amid it is no failure."""
        try:
            super().handle_one_request()
        except ConnectionError:
            self.close_connection = True

    def do_GET(self) -> None:
        """Send the page, its state or an image."""
        self._guarded(self._get)

    def do_POST(self) -> None:
        """Take an answer and send the new state."""
        self._guarded(self._post)

    def _guarded(self, work: Callable[[], None]) -> None:
        """Answer a request; whatever fails is an answer too, not a dropped connection."""
        try:
            work()
        except ConnectionError:
            raise
        except TimeoutError:
            self._error("the request did not arrive in time", HTTPStatus.REQUEST_TIMEOUT)
        except ValueError as error:  # an InputError among them
            reason = str(error) if isinstance(error, InputError) else "this is not an answer"
            self._error(reason, HTTPStatus.BAD_REQUEST)
        except Exception as error:
            sentence = "sortal failed; the answers before are kept"
            self._error(f"{sentence} ({type(error).__name__})", HTTPStatus.INTERNAL_SERVER_ERROR)
            raise

    def _get(self) -> None:
        """Send the page, its state or an image."""
        url = urlsplit(self.path)
        query = {key: values[0] for key, values in parse_qs(url.query).items()}
        if not self._may_ask(self.headers.get("X-Token") or query.get("token", "")):
            return
        if url.path == "/":
            nonce = secrets.token_urlsafe(16)
            text = self.page.html.read_text(encoding="utf-8")
            self._send(text.replace("NONCE", nonce).encode(), "text/html; charset=utf-8", nonce)
        elif url.path == "/state":
            with self.page.lock:
                state = self.page.state()
            self._json(state)
        elif url.path == "/image" and (path := self._image(query)) is not None:
            self._send(path.read_bytes(), f"image/{IMAGES[path.suffix.lower()]}")
        else:
            self._error("there is no such page", HTTPStatus.NOT_FOUND)

    def _post(self) -> None:
        """Take an answer and send the new state."""
        # the token is in a header that no form of another site can send
        if not self._may_ask(self.headers.get("X-Token", "")):
            return
        if self.path not in ("/answer", "/here"):
            self._error("there is no such page", HTTPStatus.NOT_FOUND)
            return
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch("[0-9]{1,9}", length):
            self._error("the length of the body is missing", HTTPStatus.LENGTH_REQUIRED)
            return
        body = self.rfile.read(min(int(length), 16 * _MAX_BYTES))
        if int(length) > _MAX_BYTES:
            reason = f"a body has at most {_MAX_BYTES:,} bytes"
            self._error(reason, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
            return
        if self.path == "/here":
            self._json({})
            return
        answer = PageAnswer.parse(body)
        with self.page.lock:
            reply = self.page.take(answer)
        self._json(reply)

    def _may_ask(self, token: str) -> bool:
        """Whether the request may be answered; sends the rejection otherwise."""
        allowed = self.page.answers(self.headers.get("Host", ""), token)
        if not allowed:
            self._error("open the address that sortal printed", HTTPStatus.FORBIDDEN)
        return allowed

    def _image(self, query: dict[str, str]) -> Path | None:
        """The image that a query names, None without one."""
        try:
            return self.page.image(int(query["at"]), int(query["number"]))
        except (KeyError, ValueError):
            return None

    def _error(self, reason: str, status: HTTPStatus) -> None:
        """Send why a request is rejected, and close the connection: its body may be unread."""
        self.close_connection = True
        self._json({"error": reason}, status)

    def _json(self, value: dict[str, Any], status: HTTPStatus = HTTPStatus.OK) -> None:
        """Send a value as JSON."""
        self._send(json.dumps(value).encode(), "application/json", status=status)

    def _send(
        self, body: bytes, media_type: str, nonce: str = "", status: HTTPStatus = HTTPStatus.OK
    ) -> None:
        """Send a body with the headers that keep the page isolated."""
        source = f"'nonce-{nonce}'" if nonce else "'none'"
        policy = (
            f"default-src 'none'; script-src {source}; style-src {source}; img-src 'self'; "
            "connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
        )
        self.send_response(status)
        for name, value in (
            ("Content-Type", media_type),
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
