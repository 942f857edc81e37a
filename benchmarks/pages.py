"""How long a page takes: to open, from slider to picture, from keystroke to equations.

In a real Chromium that draws in software, at 800 x 600. It needs playwright, chromium and the
bundle. Times are of the page's own clock; the one of opening begins with the navigation.
"""

from __future__ import annotations

import os
import shutil
import statistics
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dalembert import robots

ARGUMENTS = ["--no-sandbox", "--enable-unsafe-swiftshader"]
SIZE = {"width": 800, "height": 600}
SIX = "RZ(),TZK(0.4),RY(),TZK({}),RY(),TZK(0.3),RZ(),TZK(0.1),RY(),TZK(0.1),RZ(),TZK(0.08);"

# a picture counts once its pixels are there, not when it was ordered
OPENED = """() => new Promise((done) => {
  const look = () => {
    if (window.ready === undefined) return setTimeout(look, 1);
    const gl = view.stage.renderer.getContext();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    done(performance.now());
  };
  look();
})"""
SLID = """(part) => new Promise((done) => {
  const slider = document.querySelectorAll('.row input[type=range]')[1];
  const low = +slider.min, high = +slider.max;
  slider.value = low + (high - low) * part;
  const draw = view.stage.draw.bind(view.stage), since = performance.now();
  view.stage.draw = () => {
    draw();
    const gl = view.stage.renderer.getContext();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    view.stage.draw = draw;
    done(performance.now() - since);
  };
  slider.dispatchEvent(new Event('input'));
})"""


@contextmanager
def chromium() -> Iterator[Any]:
    """Yield a browser."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("DALEMBERT_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


def row(name: str, times: list[float], asked: float) -> str:
    """Return one line of the table."""
    low, middle, high = min(times), statistics.median(times), max(times)
    return f"| {name} | {middle:.0f} | {low:.0f} to {high:.0f} | {len(times)} | {asked:.0f} |"


def lines(quick: bool = False) -> Iterator[str]:
    """Yield the table."""
    yield "\n| ms | median | range | runs | asked below |"
    yield "|---|---|---|---|---|"
    with chromium() as browser:
        opened, slid = views(browser, 2 if quick else 9)
        yield row("Panda page, to its first picture", opened, 1000)
        yield row("slider to picture", slid, 50)
        typed = keystrokes(browser, 5 if quick else 25)
        yield row("keystroke to typeset equations, 6R", typed, 150)


def views(browser: Any, runs: int) -> tuple[list[float], list[float]]:
    """Return the times to open a page, each in a browser without memory, and of a slider."""
    opened, slid = [], []
    with tempfile.TemporaryDirectory() as folder:
        file = robots.panda().save_html(Path(folder) / "panda.html")
        for _ in range(runs):
            context = browser.new_context(viewport=SIZE)
            page = context.new_page()
            page.goto(f"{file.as_uri()}#still", wait_until="commit")
            opened.append(page.evaluate(OPENED))
            page.wait_for_timeout(400)
            for part in (0.3, 0.35, 0.4, 0.45):
                slid.append(page.evaluate(SLID, part))
            context.close()
    return opened, slid


def keystrokes(browser: Any, runs: int) -> list[float]:
    """Return the times from a key to equations on the page, of an arm with six joints."""
    from dalembert.studio import Studio

    running = Studio(SIX.format("0.5")).start()
    try:
        page = browser.new_page(viewport={"width": 1400, "height": 850})
        page.goto(running.url)
        until(page, lambda: page.evaluate("!!window.studio && studio.answered > 0"))
        page.locator(".cm-content").click()
        page.keyboard.press("Control+Home")
        for _ in range(26):  # behind the digits of the second length
            page.keyboard.press("ArrowRight")
        times = []
        for k in range(runs):
            page.wait_for_timeout(500)
            before = page.evaluate("studio.answered")
            page.keyboard.type(str(k % 9 + 1))
            until(page, lambda n=before: page.evaluate("studio.answered") > n)
            times.append(page.evaluate("studio.took"))
            page.keyboard.press("Backspace")
            until(page, lambda n=before: page.evaluate("studio.answered") > n + 1)
        return times
    finally:
        running.stop()


def until(page: Any, done: Callable[[], bool], seconds: float = 60) -> None:
    """Wait until something is true."""
    for _ in range(int(20 * seconds)):
        if done():
            return
        page.wait_for_timeout(50)
    raise TimeoutError("the page did not answer")
