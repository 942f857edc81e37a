"""LaTeX documents compile, and no line is wider than the page."""

import re
import shutil
import subprocess

import pytest

import dalembert as da
from dalembert.equations import sections
from dalembert.equations.sections import whole
from dalembert.expr import Graph
from dalembert.expr.formula import Symbol, formula
from dalembert.expr.style import LATEX, latex_width, pieces

TREE = {
    "name": "lift_50% & two arms \\input{x} θ é 中",
    "symbols": ["m2", "θ_arm", "c"],
    "bodies": [
        {"name": "lift", "parent": -1, "mass": 4,
         "joint": {"type": "prismatic", "axis": [0, 0, 1]}},
        {"name": "left", "parent": 0, "mass": "m2", "com": ["c", 0, 0.1],
         "joint": {"type": "revolute", "axis": [0, 0, 1],
                   "placement": {"translation": [0.2, 0, 0]}}},
        {"name": "right_$", "parent": 0, "mass": 2, "com": [0.1, "c", 0],
         "joint": {"type": "prismatic", "axis": [1, 0, 0],
                   "placement": {"rotation": [["x", "θ_arm"]]}}},
    ],
}  # fmt: skip
ROBOTS = {
    "report6r": da.robots.report6r,
    "puma560": lambda: da.robots.puma560(symbolic=True),
    "tree": lambda: da.load(TREE),
}
Y = ["base_parameters", "base_regressor", "energy_regressor"]


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
@pytest.mark.parametrize(
    ("name", "only"), [*((name, None) for name in ROBOTS), ("report6r", Y), ("tree", Y)]
)
def test_a_document_compiles_within_the_margins(name, only, tmp_path):
    text = whole(da.equations(ROBOTS[name]()).latex(only))
    (tmp_path / "x.tex").write_text(text, encoding="utf-8")
    options = ["-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error"]
    run = subprocess.run(
        ["pdflatex", *options, "x.tex"], cwd=tmp_path, capture_output=True, timeout=60, check=False
    )
    log = run.stdout.decode(errors="replace")
    assert run.returncode == 0, log[-2000:]
    assert (tmp_path / "x.pdf").stat().st_size > 10_000
    assert "Missing character" not in log
    wide = [float(x) for x in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log)]
    assert max(wide, default=0) < 15


def test_sums_are_cut_between_their_summands():
    g = Graph()
    a, b, c, x1 = (g.param(name) for name in ("a", "b", "c", "x_1"))
    assert pieces(formula(a + b * (c - a) - x1), LATEX) == ["a", "-x_{1}", r"-b\,\left(a-c\right)"]
    assert pieces(formula(-1e-05), LATEX) == [r"-1 \cdot 10^{-5}"]


def test_subscripts_are_narrow():
    assert latex_width("V_{Z6}") < latex_width("VZ6")


@pytest.mark.parametrize("lines", [["a"], ["a", "+ b"], ["a", "+ b", "+ c"]])
def test_a_formula_by_itself_has_all_its_lines(lines, monkeypatch):
    monkeypatch.setattr(sections, "_lines", lambda left, right: ("y", lines))
    text = sections._one(Symbol("y"), None)
    assert all(line in text for line in lines)
    assert ("aligned" in text) == (len(lines) > 1)
