"""A headless Chromium, told what to do by DevTools' protocol over a pair of pipes: no library, no port."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
LIMIT_S = 60.0
END_S = 10.0


def found() -> str | None:
    """The browser of this machine, if it has one."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """One page. `said`: what its console and its log have; `asked`: the addresses that it has asked for."""

    def __init__(self, program: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="macsad-browser-", ignore_cleanup_errors=True)
        to_browser, to_us = os.pipe(), os.pipe()
        # The protocol is on 3 and 4 of the browser: the shell moves them there.
        command = f'exec "$0" "$@" 3<&{to_browser[0]} 4>&{to_us[1]}'
        options = (
            "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--disable-background-networking",
            "--disable-dev-shm-usage", f"--user-data-dir={self._folder.name}", "--hide-scrollbars", "about:blank",
        )  # fmt: skip
        self._process = subprocess.Popen(
            ["bash", "-c", command, program, *options], pass_fds=(to_browser[0], to_us[1]), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(to_browser[0])
        os.close(to_us[1])
        self._out, self._in = to_browser[1], to_us[0]
        self._rest, self._number, self._session = b"", 0, ""
        self.said: list[str] = []
        self.asked: list[str] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session = ""
        if self._process.poll() is None:
            os.write(self._out, b'{"id": 0, "method": "Browser.close"}\0')
        try:
            self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._out)
        os.close(self._in)
        self._folder.cleanup()

    def call(self, method: str, **arguments: object) -> dict[str, Any]:
        """A method of the protocol. What comes before its answer is noted."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": arguments}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            told = self._next()
            if told.get("id") == self._number:
                assert "error" not in told, told
                result: dict[str, Any] = told["result"]
                return result

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._in], [], [], LIMIT_S)
            assert ready, "the browser says nothing"
            got = os.read(self._in, 1 << 20)
            assert got, "the browser has ended"
            self._rest += got
        text, _, self._rest = self._rest.partition(b"\0")
        told: dict[str, Any] = json.loads(text)
        self._note(told)
        return told

    def _note(self, told: dict[str, Any]) -> None:
        match told.get("method"):
            case "Network.requestWillBeSent":
                self.asked.append(told["params"]["request"]["url"])
            case (
                "Runtime.consoleAPICalled"
                | "Runtime.exceptionThrown"
                | "Log.entryAdded"
                | "Page.javascriptDialogOpening"
            ):
                self.said.append(json.dumps(told["params"]))

    def open(self, page: Path, width: int, height: int = 900, dark: bool = False) -> None:
        """Load a file, in a window so wide, and wait until it is there."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media="", features=[scheme])
        self.call("Page.navigate", url=page.resolve().as_uri())
        while self._next().get("method") != "Page.loadEventFired":
            pass

    def value(self, expression: str) -> Any:
        """Of an expression of JavaScript."""
        told = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    def picture(self, place: Path) -> None:
        """The whole page as PNG."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 16000), "scale": 1}
        told = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        place.write_bytes(base64.b64decode(told["data"]))

    def paper(self, place: Path) -> None:
        """The page as it is printed."""
        place.write_bytes(base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"]))
