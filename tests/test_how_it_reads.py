"""The code of docs/how-it-reads.md is that of the tree, the places of how-it-works.md exist."""

import re
import textwrap

import pytest

from peers import ROOT, SOURCE, sources

PAGE = ROOT / "docs" / "how-it-reads.md"
BLOCKS = re.findall(r"^```py\n# (\S+)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.S | re.M)


@pytest.mark.parametrize(
    "file, code", BLOCKS, ids=[f"{file}-{k}" for k, (file, _) in enumerate(BLOCKS)]
)
def test_the_code_of_the_page_is_in_the_tree(file, code):
    text = (SOURCE / file).read_text(encoding="utf-8")
    assert any(textwrap.indent(code, " " * n) in text for n in (0, 4, 8)), file


def test_the_page_shows_the_seven():
    names = ["newton_euler", "composite", "articulated_body", "moving_base", "kane"]
    names += ["closed_loop", "parallel"]
    assert {file for file, _ in BLOCKS} == {f"algorithms/{name}.py" for name in names}


def test_every_place_that_the_page_names_exists():
    page = (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| .* \| (.*) \|$", page.split("Where exactly?")[1], re.M)
    named = [(row, word) for row in rows for word in re.findall(r"`([\w./]+)`", row)]
    files = [word for _, word in named if "/" in word or word.endswith(".py")]
    folders = (
        SOURCE,
        ROOT,
        SOURCE / "algorithms",
    )  # a second file of a row stands beside the first
    assert len(files) > 50
    assert [f for f in files if not any((folder / f).exists() for folder in folders)] == []
    whole = "\n".join(text for text, _ in sources().values())
    words = {word.split(".")[-1] for _, word in named if re.fullmatch(r"[A-Za-z_.]{4,}", word)}
    words -= {"py"}
    known = set(re.findall(r"(?m)^ *(?:def |class )?(\w+)", whole))
    assert sorted(words - known) == []
