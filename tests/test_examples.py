"""Every example runs, and the README shows what its commands print."""

import doctest
import importlib.util
import re
import runpy
import shlex
import shutil
import subprocess
import sys

import pytest

import dalembert as da
from dalembert.cli import main
from peers import ROOT

pytestmark = pytest.mark.usefixtures("made_well")  # code as users get it

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda f: f.stem)
def test_an_example_runs(file, tmp_path):
    run = subprocess.run(
        [sys.executable, str(file)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout
    pictures = list((tmp_path / "out").iterdir())
    assert pictures and all(f"out/{file.name}" in run.stdout for file in pictures)


def test_the_first_example_is_short_and_says_where_its_page_is(tmp_path):
    file = ROOT / "examples" / "first.py"
    run = subprocess.run(
        [sys.executable, str(file)], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert len(run.stdout.splitlines()) <= 20
    assert run.stdout.splitlines()[-1].endswith("out/first.html")


@pytest.mark.parametrize("page", [ROOT / "README.md"], ids=["README"])
def test_the_five_minutes_of_the_readme_run_in_order_and_print_what_it_shows(page, beside, capsys):
    ran = 0
    for text in blocks(page, ""):
        for part in re.split(r"^(?=\$ dalembert |dalembert )", text, flags=re.M):
            line, _, shown = part.partition("\n")
            command = shlex.split(line.removeprefix("$ "), comments=True)
            if command[:1] != ["dalembert"] or command[1] == "doctor":
                continue
            if "--check" in command and shutil.which("gcc") is None:
                continue
            assert main(command[1:]) == 0
            printed = capsys.readouterr().out
            assert not line.startswith("$ ") or printed == shown
            ran += 1
    assert ran >= 6


TABLE = re.findall(r"\| `(dalembert .*?)` \|$", (ROOT / "README.md").read_text("utf-8"), re.M)


@pytest.mark.slow
@pytest.mark.parametrize("page", [ROOT / "README.md"], ids=["README"])
@pytest.mark.parametrize("command", TABLE)
def test_a_command_of_the_readmes_table_runs(page, command, beside, capsys):
    code, (said, wrong) = main(shlex.split(command)[1:]), capsys.readouterr()
    assert code == 0 or ("--q" in command and "the motors do not hold" in wrong)
    if "--prune" in command:
        assert "# pruned: 596 of 832 terms" in said
    if "agree" in command:
        assert "eight" in page.read_text("utf-8") and len(said.split("\n")[0].split()) == 2 + 8


PAGES = sorted((ROOT / "README.md", *(ROOT / "docs").glob("*.md")))
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.S | re.M)


def blocks(page, *languages):
    """Return the blocks of a page in some languages; "" is none."""
    found = BLOCK.findall(page.read_text(encoding="utf-8"))
    return [text for language, text in found if language in languages]


def files(page):
    """Return the whole files that a page shows, by name: blocks that begin with `# name.toml`."""
    named = [(re.match(r"# (\S+\.\w+)\n", text), text) for text in blocks(page, "toml", "csv")]
    return {name[1]: text for name, text in named if name}


def commands(page):
    """Return the command lines of a page that need nothing but its own files and a ready robot."""
    lines = [line.removeprefix("$ ") for text in blocks(page, "") for line in text.splitlines()]
    found = [shlex.split(x, comments=True)[1:] for x in lines if x.startswith("dalembert ")]
    ready = ("robot:", "examples/", *files(page))
    found = [x for x in found if len(x) > 1 and (x[1].startswith(ready) or ";" in x[1])]
    return [x for x in found if "--motion" not in x]  # a file that another command wrote


@pytest.fixture
def beside(page, tmp_path, monkeypatch):
    """The working directory, with the files of the page in it."""
    for name, text in files(page).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def pages(language):
    """Return the parameter of the pages that have blocks in a language; figures take seconds."""
    found = [(page, "".join(blocks(page, language))) for page in PAGES]
    return pytest.mark.parametrize(
        "page",
        [
            pytest.param(page, id=page.stem, marks=[pytest.mark.slow] * (".plot(" in text))
            for page, text in found
            if text
        ],
    )


@pages("pycon")
def test_a_page_shows_what_its_python_prints(page, beside):
    text = "".join(blocks(page, "pycon"))
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(doctest.DocTestParser().get_doctest(text, {}, page.stem, None, 0))
    assert runner.summarize(verbose=False) == (0, runner.tries) and runner.tries


@pages("python")
def test_the_python_of_a_page_runs(page, beside):
    script = beside / "page.py"
    script.write_text("\n".join(blocks(page, "python")), encoding="utf-8")
    runpy.run_path(str(script))


@pages("toml")
def test_the_files_of_a_page_are_read(page, beside):
    for name, text in files(page).items():
        if re.search(r"^(format = |\[\[dh\]\]|convention,)", text, re.M):
            assert da.load(name).bodies


LONG = {"agree", "cost", "simulate"}  # commands that take seconds
COMMANDS = [
    pytest.param(
        page,
        arguments,
        id=f"{page.stem} {arguments[0]} {arguments[1][:20]}",
        marks=[pytest.mark.slow] * (arguments[0] in LONG),
    )
    for page in PAGES
    for arguments in commands(page)
]


@pytest.mark.parametrize("page, arguments", COMMANDS)
def test_a_command_of_a_page_runs(page, arguments, beside, capsys):
    if "--check" in arguments and shutil.which("gcc") is None:
        pytest.skip("there is no gcc")
    assert main(arguments) == 0, capsys.readouterr().err


def test_the_commands_of_the_five_minutes_run_on_the_log_of_their_page(tmp_path, monkeypatch):
    """docs/measured.md: its Python writes the machine and the log, its commands read them."""
    pytest.importorskip("scipy")
    pytest.importorskip("clarabel")
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs" / "measured.md"
    script = doctest.script_from_examples("".join(blocks(page, "pycon")[:1]))
    (tmp_path / "page.py").write_text(script, encoding="utf-8")
    runpy.run_path("page.py")
    lines = [shlex.split(x)[1:] for text in blocks(page, "") for x in text.splitlines()]
    assert [x[0] for x in lines] == ["torques", "identify", "identify", "view", "excite"]
    for arguments in lines:
        assert main(arguments) == 0, arguments
    assert len((tmp_path / "forces.csv").read_text().splitlines()) == 4001
    assert da.load("found.urdf").nv == 2 and "<svg" in (tmp_path / "found.html").read_text()
    assert da.read_motion("play.csv", da.load("arm.toml")).qdd.shape[1] == 2


def test_the_manual_lists_every_page():
    text = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    own = {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md", "index.md"}
    assert {name for name in own if f"]({name})" in text} == own


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
