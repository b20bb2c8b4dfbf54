"""A headless Chromium, driven through its debugging pipe: no package is needed for it."""

from __future__ import annotations

import base64
import html
import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


def reported(url: str, folder: Path) -> Any:
    """What a script of a page writes into it as ``SEEN{json}SEEN``; the console must stay empty."""
    command = [
        str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        f"--user-data-dir={folder / 'profile'}", "--enable-logging=stderr",
        "--virtual-time-budget=20000", "--dump-dom", url,
    ]  # fmt: skip
    out = subprocess.run(command, capture_output=True, text=True, timeout=600, check=True)
    found = re.search("SEEN(.*)SEEN", out.stdout)
    assert found is not None, out.stdout + out.stderr
    assert "CONSOLE" not in out.stderr
    return json.loads(html.unescape(found[1]))


class Chromium:
    """One browser with one page; what the page asked for and complained of is kept."""

    def __init__(self, folder: Path) -> None:
        (ours, theirs), (back, answers) = os.pipe(), os.pipe()
        command = [
            str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--remote-debugging-pipe", f"--user-data-dir={folder / 'profile'}", "about:blank",
        ]  # fmt: skip
        # the browser reads commands from descriptor 3 and writes answers to 4
        self._process = os.posix_spawn(
            command[0],
            command,
            os.environ,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, ours, 3),
                (os.POSIX_SPAWN_DUP2, answers, 4),
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            ],
        )
        os.close(ours)
        os.close(answers)
        self._write, self._read = theirs, back
        self._rest = b""
        self._count = 0
        self._session: str | None = None
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self._loaded = False
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Chromium:
        return self

    def __exit__(self, *error: object) -> None:
        os.close(self._write)
        os.close(self._read)
        os.kill(self._process, signal.SIGTERM)
        os.waitpid(self._process, 0)

    def call(self, method: str, **parameters: Any) -> Any:
        """One command of the DevTools protocol and its answer."""
        self._count += 1
        message: dict[str, Any] = {"id": self._count, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            found = self._next()
            if found.get("id") == self._count:
                assert "error" not in found, found
                return found["result"]

    def _next(self) -> Any:
        while b"\0" not in self._rest:
            part = os.read(self._read, 1 << 20)
            assert part, "the browser closed its pipe"
            self._rest += part
        message, _, self._rest = self._rest.partition(b"\0")
        found = json.loads(message)
        method, values = found.get("method"), found.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(values["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(values["exceptionDetails"])[:500])
        elif method == "Log.entryAdded":
            self.complaints.append(values["entry"]["text"])
        elif method == "Page.loadEventFired":
            self._loaded = True
        return found

    def open(self, path: Path, width: int = 1400, height: int = 900, **features: str) -> None:
        """Show a page at a width; ``prefers_color_scheme="dark"`` and the like are settings."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip
        media = [{"name": k.replace("_", "-"), "value": v} for k, v in features.items()]
        self.call("Emulation.setEmulatedMedia", features=media)
        self._loaded = False
        self.call("Page.navigate", url=path.as_uri())
        while not self._loaded:
            self._next()

    def run(self, expression: str) -> Any:
        """The value of an expression in the page, a promise's once it is there."""
        found = self.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait(self, condition: str, seconds: float = 60) -> None:
        """Until a condition holds in the page."""
        end = time.monotonic() + seconds
        while not self.run(condition):
            assert time.monotonic() < end, f"the page never came to {condition}"
            time.sleep(0.1)

    def press(self, key: str) -> None:
        """Press one key, as a person would."""
        text = {"Enter": "\r", "Space": " "}.get(key, "")
        name, code = (" ", 32) if key == "Space" else (key, {"Enter": 13, "Tab": 9}.get(key, 27))
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent",
                type=kind, key=name, code=key, windowsVirtualKeyCode=code,
                **({"text": text} if kind == "keyDown" and text else {}),
            )  # fmt: skip

    def click(self, x: float, y: float) -> None:
        """Click at a place of the window."""
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            button = {} if kind == "mouseMoved" else {"button": "left", "clickCount": 1}
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **button)
            time.sleep(0.3)  # figures look where the pointer is from time to time only

    def picture(self, path: Path, *, whole: bool = False) -> None:
        """A screenshot, of the whole page if wished."""
        found = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(found["data"]))

    def printed(self) -> bytes:
        """The page as PDF."""
        return base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True)["data"])
