"""The manual as a site: its tutorials run, it builds without warnings, search finds, no network."""

import functools
import http.server
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import threading

import pytest

import dalembert as da
from peers import ROOT

DOCS = ROOT / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.md"))
CELL = re.compile(r"^```\{code-cell\} python\n((?::[^\n]*\n)*)(.*?)^```$", re.S | re.M)


LONG = ("truck",)  # tutorials that take long


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=page.stem, marks=[pytest.mark.slow] * (page.stem in LONG))
        for page in NOTEBOOKS
    ],
)
def test_the_cells_of_a_tutorial_run(page, tmp_path):
    cells = CELL.findall(page.read_text(encoding="utf-8"))
    assert len(cells) > 3 and "save_svg" in cells[0][1], "a tutorial begins with a picture"
    code = "\n".join(code for _, code in cells)
    here = tmp_path / "docs" / "notebooks"
    here.mkdir(parents=True)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=here,
        env={**os.environ, "MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr


def test_every_page_is_in_the_table_of_contents():
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    pages = {p.relative_to(DOCS).with_suffix("").as_posix() for p in DOCS.rglob("*.md")}
    left = {p for p in pages if not p.startswith("reference/")} - {"README", "index"}
    assert not [page for page in sorted(left) if not re.search(rf"^{page}$", text, re.M)]


@pytest.mark.parametrize("page", sorted((DOCS / "theory").glob("*.md")), ids=lambda p: p.stem)
def test_a_theory_page_has_equations_a_source_and_code_that_is_there(page):
    text = page.read_text(encoding="utf-8")
    assert "$$" in text and "**Source.**" in text and "**Errata.**" in text
    for file in re.findall(r"`(algorithms/\w+\.py)`", text):
        assert (ROOT / "src" / "dalembert" / file).exists(), file
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (page.parent / target).exists(), target


PAGES = sorted(
    p for p in DOCS.rglob("*.md") if p != DOCS / "README.md" and "reference" not in p.parts
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_page_has_a_picture_or_an_equation(page):
    text = page.read_text(encoding="utf-8")
    assert "![" in text or "$$" in text or "save_svg" in text or re.search(r"\$\\\w+", text)


def test_every_public_name_is_in_the_reference(tmp_path):
    spec = importlib.util.spec_from_file_location("api", DOCS / "api.py")
    api = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(api)
    api.write(tmp_path)
    for page in tmp_path.glob("*.md"):
        opening = page.read_text(encoding="utf-8").split(":::")[0].split("```")[0]
        assert "$$" in opening or "![" in opening, page.name
        for file in re.findall(r"\.\./(figures/[^)]+)", opening):
            assert (DOCS / file).exists(), file
    text = "".join(page.read_text(encoding="utf-8") for page in tmp_path.glob("*.md"))
    names = [n for n in da.__all__ if not n.startswith("_")]
    assert not [n for n in names if not re.search(rf"\}} dalembert\.{n}\b", text)]


@pytest.mark.slow
def test_the_site_builds_without_warnings_and_works_without_network(tmp_path):
    site = built(tmp_path)
    assert_nothing_from_the_network(site)
    assert_search_finds_and_equations_are_set(site)


def built(out):
    """Return the site, built with warnings as errors."""
    for package in ("sphinx", "furo", "myst_nb", "sphinx_copybutton"):
        pytest.importorskip(package)
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html"]
    run = subprocess.run(
        [*command, "-d", str(out / "trees"), str(DOCS), str(out / "html")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return out / "html"


def assert_nothing_from_the_network(site):
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 40
    for page in pages:
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r"<(?:script|img|iframe)[^>]* src=\"(.*?)\"", text)
        loaded += re.findall(r"<link rel=\"stylesheet\"[^>]* href=\"(.*?)\"", text)
        assert not [url for url in loaded if re.match(r"(https?:)?//", url)], page


def assert_search_finds_and_equations_are_set(site):
    playwright = pytest.importorskip("playwright.sync_api")
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("there is no Chromium")
    serve = functools.partial(Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{server.server_address[1]}"
        with playwright.sync_playwright() as p:
            started = p.chromium.launch(executable_path=browser, args=["--no-sandbox"])
            page, asked = started.new_page(), []
            page.on("request", lambda request: asked.append(request.url))
            page.goto(f"{base}/search.html?q=regressor")
            page.wait_for_selector("ul.search li a")
            assert page.locator("ul.search li").count() >= 5
            page.locator("ul.search li a").first.click()
            page.wait_for_load_state()
            assert "search" not in page.url and "regressor" in page.content().lower()
            page.goto(f"{base}/theory/kane.html")
            page.wait_for_selector("mjx-container")
            started.close()
        server.shutdown()
    assert not [url for url in asked if not url.startswith((base, "data:"))]


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server of files that prints nothing."""

    def log_message(self, *_):
        pass


def test_the_pictures_of_the_package_show_what_it_is():
    spec = importlib.util.spec_from_file_location("way", DOCS / "figures" / "way.py")
    drawn = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(drawn)
    for name, text in (("way", drawn.way()), ("errors", drawn.errors())):
        kept = (DOCS / "figures" / f"{name}.svg").read_text(encoding="utf-8")
        assert kept == text, f"docs/figures/{name}.svg is old: python docs/figures/way.py"
