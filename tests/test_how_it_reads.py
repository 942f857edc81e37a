"""The code that docs/how-it-reads.md shows is that of the tree."""

import re
import textwrap

import pytest

from peers import ROOT, SOURCE

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
