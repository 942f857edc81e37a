"""Hostile names stay letters in LaTeX: a small reader of TeX finds nothing that it would refuse."""

import re
from dataclasses import dataclass, field

import pytest

import dalembert as da

NAMES = [
    "a_b", "x{y}", "x}{", "$m$", "back\\slash", "\\end{document}", "\ufeffbom", "per%cent",
    "tag\U000e0041", "new\nline", "hash#1", "ca^ret", "til~de", "\u202ertl", "\ufffe", "a&b",
    "\x00nul", "__", "a__b", "_", "^^M", "Δq", "\u6c49", "ünï", "1_2_3", "$$", "{", "}",
]  # fmt: skip
TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|[\s\S]")


def check(tex: str) -> None:
    """Raise AssertionError where TeX would stop: braces, modes, specials, letters without type."""
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", tex)
    assert all(c < "\u0180" for c in tex), {c for c in tex if c >= "\u0180"}
    math, groups = 0, [Group()]
    tokens = TOKEN.findall(tex.replace("\\begin{align*}", "\\[").replace("\\end{align*}", "\\]"))
    for token in tokens:
        here = groups[-1]
        if token in ("\\[", "\\]"):
            math += 1 if token == "\\[" else -1
            assert math in (0, 1)
        if token == "{":
            groups.append(Group(script=here.waits))
            here.waits = False
        elif token == "}":
            groups.pop()
            assert groups, "a bracket too many"
            if not here.script:
                groups[-1].seen = set()
        elif token in "_^":
            assert math, f"{token} in text"
            assert token not in here.seen, "double subscript"
            here.seen.add(token)
            here.waits = True
        elif token in "$#%~" or (token == "&" and not math):
            raise AssertionError(f"{token} is not escaped")
        elif not token.isspace():
            if not here.waits:
                here.seen = set()
            here.waits = False
    assert len(groups) == 1 and not math


@dataclass
class Group:
    """What stands between two brackets: is it an index, has its last letter one, is one next."""

    script: bool = False
    waits: bool = False
    seen: set = field(default_factory=set)


def machine(name: str) -> da.Mechanism:
    joint = {"type": "revolute", "axis": [0, 0, 1], "name": name}
    slide = {"type": "prismatic", "axis": [1, 0, 0], "name": f"{name}2",
             "placement": {"translation": [0.3, 0, 0]}}  # fmt: skip
    own = {"mass": 2, "com": [0.1, 0, 0], "inertia": [0.1, 0.2, 0.3]}
    bodies = [{"name": f"b{name}", "parent": -1, "joint": joint, **own},
              {"name": f"c{name}", "parent": 0, "joint": slide, **own}]  # fmt: skip
    data = {"format": "dalembert/1", "name": f"m{name}", "gravity": [0, -9.81, 0]}
    return da.load(data | {"bodies": bodies})


@pytest.mark.parametrize("name", NAMES, ids=lambda n: ascii(n))
def test_names_are_letters(name):
    m = machine(name)
    eq = da.equations(m)
    check(eq.latex())
    check(da.kane_form(m).latex())
    check(eq.regressor(base=True).latex())
    for entry in (eq.A[1, 1], eq.Q[1]):
        check(f"\\[{entry.latex()}\\]")


@pytest.mark.parametrize("name", ["M_long_1", "L__1", "theta_", "alpha_1_2", "Δ", "_x"])
def test_parameters_are_symbols(name):
    data = {"format": "dalembert/1", "name": "p", "symbols": [name], "bodies": [
        {"name": "b", "parent": -1, "joint": {"type": "revolute", "axis": [0, 0, 1]}, "mass": name,
         "com": [name, 0, 0], "inertia": [1, 1, 1]}]}  # fmt: skip
    try:
        m = da.load(data)
    except da.DalembertError:
        return  # not a name of a parameter: said so
    check(da.equations(m).latex())


def test_the_reader_sees_what_tex_refuses():
    for wrong in ("a_b", "\\[a_{b}_{c}\\]", "{", "}", "50%", "\\[x", "\ufeff", "\x01"):
        with pytest.raises(AssertionError):
            check(wrong)
    check("\\[a_{b}^{2}+c_{d}\\] a\\_b \\{ \\}")
