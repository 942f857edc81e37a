"""Listings and all other forms of closed machines: the same lines, none of them idle."""

import json
import re

import numpy as np
import pytest

import dalembert as da
from closed_text import FOUR_BAR, closed_states, read_back
from dalembert.cli import main
from machines.linkages import PLANAR
from machines.spatial import SPATIAL

NAMES = ("crank-rocker", "slider-crank", "five-bar", "Stephenson III", "Watt II", "3-RRR")


def lines_of(text):
    return [line.split("  ", 2)[-1].strip() for line in text.splitlines()
            if line.strip() and not line.startswith("#")]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_listings_give_the_forces_of_the_motors(name):
    data, start = (PLANAR | SPATIAL)[name]()
    m = da.load(data)
    eq = da.equations(m, q=start)
    lines = [re.sub(r"^\d+ +", "", x) for x in lines_of(eq.text("program"))]
    q, qd, qdd = closed_states(m, start, 20)
    lead = [k - 1 for k in eq.independent]
    at = {f"q{k + 1}": x for k, x in enumerate(q.T)} | {p: float(v) for p, v in m.values.items()}
    at |= {f"qd{k + 1}": qd[:, k] for k in lead} | {f"qdd{k + 1}": qdd[:, k] for k in lead}
    # sines are lines here: their names are kept from being read as calls
    plain = [re.sub(r"\b([CS])(\d[\dm_]*)\b", r"\1n\2", x) for x in lines]
    _, known = read_back("\n".join(plain), at)
    want = da.active_torques(m, q, *da.tree_motion(m, q, qd, qdd))
    for k, j in enumerate(eq.loops.plan.motors):
        own = known[f"tau{j + 1}"]
        np.testing.assert_allclose(own, want[:, k], rtol=1e-8, atol=1e-8 * np.abs(want).max())
    text = "\n".join(lines)
    assert "abs(" not in text and "where(" not in text
    assert all(f"qd{k + 1} = " in text for k in eq.loops.plan.dependent if f"*qd{k + 1}" in text)
    for line in lines:
        left = line.split(" = ")[0]
        assert left.startswith("tau") or text.count(left) > 1, f"{left} is used nowhere"


def test_the_command_prints_them(capsys, tmp_path):
    file = tmp_path / "four-bar.json"
    file.write_text(json.dumps(FOUR_BAR))
    for form in ("listing", "program"):
        assert main(["derive", str(file), "--form", form]) == 0
        text = capsys.readouterr().out
        assert "G31 = a*b*S2/D1" in text and "qd3 = G31*qd1" in text
    assert main(["derive", str(file), "--form", "listing", "--json"]) == 0
    assert "tau1 = Ac11*qdd1+Hc1" in json.loads(capsys.readouterr().out)["listing"][-1]
    assert main(["derive", "robot:stewart", "--form", "listing"]) == 0  # by its kernel
    assert "newton_euler" in capsys.readouterr().out


@pytest.mark.parametrize("name", [*NAMES, "delta"])
def test_every_form_has_every_part(name):
    """Closure, passive angles, G, Ġ q̇, A_c, H_c and forces in text, LaTeX, SymPy and JSON."""
    pytest.importorskip("sympy")
    if name == "delta":
        eq = da.equations(da.robots.delta())
    else:
        data, start = (PLANAR | SPATIAL)[name]()
        eq = da.equations(da.load(data), q=start)
    text, tex, told, symbols = eq.text(), eq.latex(), eq.json(), eq.to_sympy()
    for title in ("Closure", "Passive coordinates", "Rates", "Inertia of the closed", "Forces"):
        assert f"# {title}" in text and title in tex
    assert all(told[part] for part in ("closure", "rates", "inertia", "forces", "motors"))
    assert told["passive"] or eq.loops.unsolved
    names = {n for n, _ in eq.lines()}
    assert set(symbols) == names
    for n in names:
        assert f"\n{n} = " in text
    parts = ("passive", "rates", "drifts", "inertia", "forces", "motors")
    assert names <= set().union(*(told[part] for part in parts))
