"""Every example runs, and the README shows what its commands print."""

import doctest
import importlib.util
import re
import shlex
import subprocess
import sys

import pytest

import dalembert as da
from dalembert.cli import main
from peers import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda f: f.stem)
def test_an_example_runs(file, tmp_path):
    run = subprocess.run(
        [sys.executable, str(file)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout


def test_the_readme_shows_what_its_commands_print(capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    text = (ROOT / "README.md").read_text()
    blocks = re.findall(r"```\n\$ dalembert (.*?)\n(.*?)```", text, re.S)
    assert blocks
    for command, shown in blocks:
        assert main(shlex.split(command)) == 0
        assert capsys.readouterr().out == shown


def sessions(page):
    """Return the Python sessions of a page, one after the other."""
    return "".join(re.findall(r"```pycon\n(.*?)```", page.read_text(encoding="utf-8"), re.S))


PAGES = [page for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")) if sessions(page)]


@pytest.mark.parametrize("page", sorted(PAGES), ids=lambda f: f.stem)
def test_a_page_shows_what_its_python_prints(page):
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(doctest.DocTestParser().get_doctest(sessions(page), {}, page.stem, None, 0))
    assert runner.summarize(verbose=False) == (0, runner.tries) and runner.tries


def test_the_page_of_quantities_is_that_of_the_catalog():
    path = ROOT / "docs" / "quantities.py"
    spec = importlib.util.spec_from_file_location("quantities", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    page = path.with_suffix(".md").read_text(encoding="utf-8")
    assert page == module.page(), "run: .venv/bin/python docs/quantities.py"


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda f: f.stem)
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_the_phrase_of_the_manual_is_read():
    text = (ROOT / "docs" / "phrase.md").read_text(encoding="utf-8")
    m = da.load(text.split("```\n")[1].split("```")[0])
    assert m.joint_names == ("j1", "shoulder", "j3")
