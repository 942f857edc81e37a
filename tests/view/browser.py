"""A real Chromium for the tests of pages, and the bundle that the pages need."""

import importlib.util
import os
import shutil
from contextlib import contextmanager

import pytest

from peers import ROOT

CHROMIUM = os.environ.get("DALEMBERT_CHROMIUM") or shutil.which("chromium")
ARGUMENTS = ["--no-sandbox", "--enable-unsafe-swiftshader"]


def hook():
    """Return the module hatch_build.py."""
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def need_bundle():
    """Skip the test where the pages are not bundled and cannot be."""
    if not hook().bundle(lambda text: None):
        pytest.skip("the front end is not bundled: neither Node.js nor its packages are here")
    from dalembert.view.document import program

    program.cache_clear()


@contextmanager
def chromium():
    """Yield a browser, or skip where none is installed."""
    if CHROMIUM is None:
        pytest.skip("there is no chromium: make toolchains installs it")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


def wait(page, expression, seconds=60):
    """Wait until an expression is true; the policy of a page forbids it to do so itself."""
    for _ in range(20 * seconds):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never true: {expression}")


class Watched:
    """A page with everything that it complained about or asked the network for."""

    def __init__(self, browser, size=(800, 600)):
        self.complaints, self.requests = [], []
        self.page = browser.new_page(viewport={"width": size[0], "height": size[1]})
        self.page.on("console", self._said)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def _said(self, message):
        # reading pixels back is slow in software, which is no fault of the page
        if message.type == "error" or (message.type == "warning" and "GPU" not in message.text):
            self.complaints.append(message.text)

    def open(self, path):
        """Return the page after its first picture."""
        self.page.goto(f"{path.as_uri()}#still")
        wait(self.page, "window.ready !== undefined")
        return self.page

    def asked(self):
        """Return the addresses beyond the page itself."""
        return [url for url in self.requests[1:] if not url.startswith(("data:", "blob:"))]
