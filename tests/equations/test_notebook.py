"""What a notebook shows is mathematics alone, of commands that MathJax and KaTeX both have."""

import re
import subprocess
import sys

import pytest

import dalembert as da
from dalembert.equations.generator import Generator
from peers import SOURCE

COMMANDS = """
begin end aligned textbf left right bigl bigr frac tfrac sqrt sin cos tan dot ddot quad sum
displaystyle tau mathit mathcal operatorname cdot text backslash wedge sim alpha beta theta
omega varphi Gamma pi bmatrix
"""
KNOWN = set(COMMANDS.split())
SHOWN = {
    "report6r": lambda: da.equations(da.robots.report6r()),
    "puma": lambda: da.equations(da.robots.puma560()),
    "regressor": lambda: da.equations(da.robots.planar2r()).regressor(base=True),
    "kane": lambda: da.kane_form(da.robots.unicycle()),
    "entry": lambda: da.equations(da.robots.report6r()).A[1, 1],
}


@pytest.mark.parametrize("kind", SHOWN)
def test_a_notebook_gets_mathematics(kind):
    text = SHOWN[kind]()._repr_latex_()
    assert set(re.findall(r"\\([A-Za-z]+)", text)) <= KNOWN
    assert text.count(r"\begin{aligned}") == text.count(r"\end{aligned}")
    assert text.count("{") == text.count("}") and text.count("$") % 2 == 0
    for line in text.splitlines():
        assert line.startswith("$") and line.endswith("$")
        assert line.count(r"\left") == line.count(r"\right")


def test_symbols_of_closed_forms_come_from_their_keys():
    assert Generator("C234", ("cos", (2, 3, 4))).symbol().latex == "c_{234}"
    assert Generator("S2m3", ("sin", (2, -3))).symbol().latex == "s_{2-3}"
    assert Generator("C2_11", ("cos", (2, 11))).symbol().latex == "c_{2,11}"
    assert Generator("VZ6_", ("V", 5, 2)).symbol().latex == "V_{Z6}"
    assert Generator("JXY1", ("J", 0, 0, 1)).symbol().latex == "J_{XY1}"


def test_no_printer_reads_text_that_another_has_written():
    for file in sorted((SOURCE / "equations").glob("*.py")):
        text = file.read_text(encoding="utf-8")
        if file.name != "drop.py":  # which reads what a user writes
            assert "import re\n" not in text and not re.search(r"\bre\.[a-z]+\(", text), file.name
        assert ".replace(" not in text, file.name


def test_printing_closed_forms_needs_no_numpy():
    code = "import sys, dalembert as da; str(da.equations(da.robots.planar2r()))"
    found = subprocess.run(
        [sys.executable, "-c", code + "; print('numpy' in sys.modules)"],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert found.stdout == "False\n"
