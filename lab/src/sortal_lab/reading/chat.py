"""A reader on any server with OpenAI's interface for chats, ollama and vLLM included."""

from __future__ import annotations

import json
import os
import re
import time
from dataclasses import dataclass
from http.client import HTTPException
from ipaddress import ip_address
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

from sortal import InputError

#: environment variable that has the key, where the server wants one
KEY_VARIABLE = "OPENAI_API_KEY"
#: states of a server that is busy or ill for a moment
_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
#: seconds before the second attempt, doubled for each further one, and the longest wait
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 60.0
_MOST_BYTES = 2**22
_FORM = re.compile(r"openai:(.+?)@(https?://\S+)")


class Reply(str):
    """An answer that knows what it took.

    Attributes
    ----------
    tokens_sent, tokens_received : int
        Tokens of the prompt and of the answer, as the server counts them; 0 if it does not.
    price : float
        What they cost, 0 where no prices are known.
    """

    __slots__ = ("price", "tokens_received", "tokens_sent")
    tokens_sent: int
    tokens_received: int
    price: float


@dataclass(frozen=True)
class ChatModel:
    """A language model behind OpenAI's interface for chats, as a function from prompt to answer.

    Parameters
    ----------
    model : str
        The model's name on the server.
    url : str
        Address of the interface, such as ``"http://localhost:11434/v1"`` (ollama),
        ``"http://localhost:8000/v1"`` (vLLM) or ``"https://api.openai.com/v1"``.
    seed : int
        Sent with each prompt. The temperature is 0.
    key_variable : str
        Environment variable that has the key; without it none is sent.
    prices : tuple of float, optional
        Price of a million tokens sent and of a million received.
    timeout : float, default 120
        Seconds without a sign of the server after which an attempt fails.
    retries : int, default 4
        Further attempts while the server is busy or cannot be reached, with growing pauses.

    Raises
    ------
    InputError
        For an address without http or https, or one that contains a password.

    Notes
    -----
    The prompts go to that server, with the objects in them. Redirects are not followed, so that
    neither objects nor key go elsewhere. A server need not honour the seed: stored answers
    (``answers=``) repeat a result, the seed alone may not.

    Examples
    --------
    >>> from sortal_lab.reading import ChatModel
    >>> ChatModel("llama3.2", "http://localhost:11434/v1").name
    'openai:llama3.2@http://localhost:11434/v1'
    """

    model: str
    url: str
    seed: int = 0
    key_variable: str = KEY_VARIABLE
    prices: tuple[float, float] | None = None
    timeout: float = 120.0
    retries: int = 4

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
            raise InputError(
                f"the address of a model must be like http://localhost:11434/v1, without a "
                f"password (the key is read from ${self.key_variable}); got "
                f"{parts.scheme}://{parts.hostname or ''}"
            )

    @property
    def name(self) -> str:
        """The reader's name; another seed makes another reader."""
        return f"openai:{self.model}@{self.url}" + (f" seed {self.seed}" if self.seed else "")

    def __call__(self, prompt: str) -> Reply:
        """The model's answer to a prompt.

        Raises
        ------
        InputError
            If the server rejects the request, so that to repeat it is of no use.
        ConnectionError
            If no attempt was answered.
        """
        message = {"role": "user", "content": prompt}
        content = {"model": self.model, "messages": [message], "temperature": 0, "seed": self.seed}
        body = json.dumps({**content, "stream": False}).encode()
        failure = ""
        for attempt in range(self.retries + 1):
            try:
                return self._reply(self._post(body))
            except HTTPError as error:
                with error:
                    failure = f"{error.code} {_line(error.read(2_000))}"
                    if error.code not in _PASSING:
                        raise InputError(f"{self.name} rejects the request: {failure}") from None
                    retry_after = error.headers.get("Retry-After", "")
            except (OSError, HTTPException, ValueError, RecursionError) as error:
                failure, retry_after = f"{type(error).__name__}: {error}", ""
            if attempt < self.retries:
                time.sleep(_pause(attempt, retry_after))
        raise ConnectionError(
            f"{self.name} gave no answer in {self.retries + 1} attempts; the last: {failure}"
        )

    def _post(self, body: bytes) -> Any:
        """The server's answer to one request."""
        address = self.url.rstrip("/")
        if not address.endswith("/chat/completions"):
            address += "/chat/completions"
        headers = {"Content-Type": "application/json", "User-Agent": "sortal"}
        if key := os.environ.get(self.key_variable, "").strip():
            headers["Authorization"] = f"Bearer {key}"
        handlers: list[Any] = [_NoRedirect()]
        if _is_this_machine(urlsplit(address).hostname or ""):
            handlers.append(ProxyHandler({}))
        opener = build_opener(*handlers)
        with opener.open(Request(address, body, headers), timeout=self.timeout) as answer:
            text = answer.read(_MOST_BYTES + 1)
        if len(text) > _MOST_BYTES:
            raise ValueError(f"the answer has more than {_MOST_BYTES:,} bytes")
        return json.loads(text)

    def _reply(self, answer: Any) -> Reply:
        """The text of an answer, with the tokens that it took."""
        try:
            content = answer["choices"][0]["message"]["content"]
            if not isinstance(content, str):
                raise TypeError
        except (KeyError, IndexError, TypeError):
            raise ValueError(f"this is not a chat answer: {_line(json.dumps(answer))}") from None
        usage = answer.get("usage")
        counts = usage if isinstance(usage, dict) else {}
        reply = Reply(content)
        reply.tokens_sent, reply.tokens_received = (
            count if type(count) is int and count >= 0 else 0
            for count in (counts.get("prompt_tokens"), counts.get("completion_tokens"))
        )
        sent, received = self.prices or (0.0, 0.0)
        reply.price = (reply.tokens_sent * sent + reply.tokens_received * received) / 1e6
        return reply


class _NoRedirect(HTTPRedirectHandler):
    """Handler that follows no redirect: it would send the key to another server."""

    def redirect_request(self, *_: object) -> None:
        """Return None, so that the redirect is an error."""


def chat_model(named: str, **options: Any) -> ChatModel | None:
    """The model that ``openai:MODEL@URL`` names, None for another form.

    >>> chat_model("openai:qwen3:8b@http://localhost:11434/v1").model
    'qwen3:8b'
    >>> chat_model("my_models:ask") is None
    True
    """
    match = _FORM.fullmatch(named.strip())
    return None if match is None else ChatModel(match[1], match[2], **options)


def _pause(attempt: int, retry_after: str) -> float:
    """Seconds before the next attempt: what the server asks for, or doubled with each attempt."""
    wait = float(retry_after) if re.fullmatch(r"\d{1,6}", retry_after) else 0.0
    return min(_LONGEST_WAIT, max(wait, _FIRST_WAIT * 2**attempt))


def _line(content: bytes | str) -> str:
    """The beginning of an answer on one line, for a message."""
    text = content.decode("utf-8", "replace") if isinstance(content, bytes) else content
    return "".join(c for c in " ".join(text.split()) if c.isprintable())[:300]


def _is_this_machine(host: str) -> bool:
    """Whether a host is this machine, to which no proxy leads."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"
