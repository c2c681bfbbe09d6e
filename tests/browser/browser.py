"""A real browser for tests: Debian's Chromium, driven by playwright-core through remote.mjs. Skips where one of them is not there."""
import atexit
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "app"))
from harness import Skip, check

PHONE = {"width": 390, "height": 844, "phone": True}
DESK = {"width": 1280, "height": 900}
# A page so long that all of it is in sight.
LONG = {"width": 1280, "height": 6000}


def chromium():
    for name in ("chromium-headless-shell", "chromium"):
        if found := shutil.which(name):
            return found
    raise Skip("there is no Chromium (Debian: chromium), so no page is looked at in a browser")


def playwright():
    """Where playwright-core is: CKG_PLAYWRIGHT, or where scripts/fetch-playwright.sh has put it."""
    for place in (os.environ.get("CKG_PLAYWRIGHT"), ROOT / "build" / "playwright" / "package", pathlib.Path.home() / ".cache" / "ckg" / "playwright" / "package"):
        if place and (pathlib.Path(place) / "index.js").exists():
            return str(pathlib.Path(place) / "index.js")
    raise Skip("there is no playwright-core (scripts/fetch-playwright.sh brings it), so no page is looked at in a browser")


class Browser:
    """A browser with any number of pages, each with a memory of its own. One serves every test, as long as it lives, and ends with the last."""
    process = None

    def __enter__(self):
        if Browser.process is None or Browser.process.poll() is not None:
            Browser.start()
        return self

    def __exit__(self, kind, *_):
        if kind:  # what a test that failed has left behind is nobody else's
            Browser.stop()

    @classmethod
    def start(cls):
        node = shutil.which("node")
        if not node:
            raise Skip("there is no Node.js (Debian: nodejs), so no page is looked at in a browser")
        cls.process = subprocess.Popen([node, HERE / "remote.mjs", playwright(), chromium()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        atexit.register(cls.stop)

    @classmethod
    def stop(cls):
        if cls.process is not None:
            with contextlib.suppress(BrokenPipeError):
                cls.process.stdin.close()
            cls.process.wait()
            cls.process = None

    def tell(self, **what):
        self.process.stdin.write(json.dumps(what) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        check(line, "the browser has gone")
        answer = json.loads(line)
        check("error" not in answer, what, answer.get("error"))
        return answer["value"]

    def page(self, dark=False, **size):
        return Page(self, self.tell(do="open", dark=dark, **(size or DESK)))


class Page:
    """A page of the browser; code is JavaScript, what it gives is JSON. A page must not complain of anything."""

    def __init__(self, browser, number):
        self.browser, self.number = browser, number

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        said = self.tell("said") if not kind else []
        self.tell("close")
        check(not said, "the page complains:", said)

    def tell(self, command, **more):
        return self.browser.tell(do=command, page=self.number, **more)

    def goto(self, url, status=200):
        got = self.tell("goto", url=url)
        check(got == status, url, "gives", got)

    def get(self, code):
        return self.tell("evaluate", code=code)

    def wait(self, code):
        self.tell("wait", code=code)

    def text(self, what):
        return self.get(f"document.querySelector({json.dumps(what)})?.innerText ?? null")

    def click(self, what, at=None):
        self.tell("click", what=what, at=at)

    def fill(self, what, text):
        self.tell("fill", what=what, text=text)

    def select(self, what, value):
        self.tell("select", what=what, value=value)

    def press(self, key):
        self.tell("press", key=key)

    def drag(self, what, start, end, steps=1):
        self.tell("drag", what=what, steps=steps, **{"from": start, "to": end})

    def answer(self, url, body):
        """What an address (a pattern) gives from now on."""
        self.tell("answer", url=url, body=body)

    def hold(self, url, ms):
        """An address (a pattern) answers so much later from now on."""
        self.tell("hold", url=url, ms=ms)

    def shot(self, name, full=False):
        """A picture for people, where CKG_SHOTS names a folder."""
        if folder := os.environ.get("CKG_SHOTS"):
            pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
            self.tell("shot", path=str(pathlib.Path(folder) / f"{name}.png"), full=full)

    def drawn(self):
        """Everything in sight is there."""
        self.wait("document.querySelectorAll('[aria-busy]').length === 0")
