# SPDX-License-Identifier: MIT
"""Chromium without a window, driven through its DevTools protocol over two pipes: nothing but Python's library, no port.

    with Browser(path) as browser:
        page = browser.open("report.html", width=390, dark=True)
        page.value("document.title")
"""

import base64
import fcntl
import json
import os
import pathlib
import select
import subprocess
import tempfile
import time

ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync", "--disable-extensions", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--remote-debugging-pipe"]
LONGEST_ANSWER_S = 120  # a browser that shares its machine


class Browser:
    def __init__(self, command):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, self.to = os.pipe()
        self.answers, from_browser = os.pipe()
        # The browser reads file 3 and writes file 4; high numbers first, so that neither overwrites the other.
        high = [fcntl.fcntl(end, fcntl.F_DUPFD, 20) for end in (to_browser, from_browser)]

        def place():
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen([command, *ARGUMENTS, f"--user-data-dir={self.profile.name}"], preexec_fn=place, pass_fds=(3, 4),
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for end in (to_browser, from_browser, *high):
            os.close(end)
        self.buffer, self.number, self.events = b"", 0, []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
            self.process.wait(timeout=20)
        except (OSError, EOFError, TimeoutError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.answers)
        self.profile.cleanup()

    def call(self, method, session=None, **parameters):
        """What the browser answers. Its events in between go to self.events."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters} | ({"sessionId": session} if session else {})
        os.write(self.to, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + LONGEST_ANSWER_S
        while True:
            answer = self.next_message(until)
            if answer.get("id") != self.number:
                self.events.append(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']}")
            else:
                return answer["result"]

    def next_message(self, until):
        while b"\0" not in self.buffer:
            if not select.select([self.answers], [], [], max(until - time.monotonic(), 0))[0]:
                raise TimeoutError("the browser does not answer")
            got = os.read(self.answers, 1 << 20)
            if not got:
                raise EOFError("the browser has ended")
            self.buffer += got
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def open(self, path, **looks):
        return Page(self, pathlib.Path(path).resolve().as_uri(), **looks)


class Page:
    """A tab of its own, loaded and drawn; `ready` is when."""

    def __init__(self, browser, address, width=1280, height=900, dark=False, mobile=None, ready="document.documentElement.dataset.ready === 'yes'"):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600 if mobile is None else mobile)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url=address)
        until = time.monotonic() + LONGEST_ANSWER_S
        while not self.value(f"document.readyState === 'complete' && {ready}"):
            if time.monotonic() > until or self.console_errors():
                break
            time.sleep(0.05)
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def value(self, expression):
        """What a JavaScript expression, or the promise that it is, comes to."""
        got = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in got:
            raise RuntimeError(f"{expression}: {got['exceptionDetails']}")
        return got["result"].get("value")

    def press(self, key, shift=False):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, modifiers=8 if shift else 0,
                      windowsVirtualKeyCode={"Tab": 9, "ArrowRight": 39, "ArrowDown": 40, "Home": 36, "Enter": 13}[key])

    def events(self, *methods):
        return [e["params"] for e in self.browser.events if e.get("sessionId") == self.session and e["method"] in methods]

    def console_errors(self):
        """Errors and warnings on the console, and exceptions that nobody caught."""
        said = [e for e in self.events("Runtime.consoleAPICalled") if e["type"] in ("error", "warning", "assert")]
        return [*said, *self.events("Runtime.exceptionThrown", "Log.entryAdded")]

    def requests(self):
        """Addresses that the page asked for, without those of what it brings along."""
        return [e["request"]["url"] for e in self.events("Network.requestWillBeSent") if not e["request"]["url"].startswith("data:")]

    def picture(self, path, whole=True):
        """A PNG of all of the page, however long."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        got = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole, **({"clip": clip} if whole else {}))
        pathlib.Path(path).write_bytes(base64.b64decode(got["data"]))

    def print_to(self, path):
        got = self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=False, paperWidth=8.27, paperHeight=11.69)
        pathlib.Path(path).write_bytes(base64.b64decode(got["data"]))
