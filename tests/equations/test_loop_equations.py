"""Closed loops in symbols: against kernels, SymPy, an independent reader of the text, and sizes."""

import itertools
import re

import numpy as np
import pytest

import dalembert as da
from closed_text import FOUR_BAR, closed_states, closes_from_what_leads, read_back
from dalembert.cli import main
from dalembert.equations.loop_blocks import value
from dalembert.equations.trig_form import formula_of
from dalembert.expr.style import TEXT, write
from machines.linkages import PLANAR
from machines.spatial import SPATIAL

TWELVE = ("crank-rocker", "drag link", "five-bar", "slider-crank", "Watt I", "Watt II",
          "Stephenson I", "Stephenson II", "Stephenson III", "palletiser", "3-RRR", "3-RPR",
          "inverted slider-crank", "Klann", "geared five-bar")  # fmt: skip
SIX = ("Bennett", "spherical four-bar", "Sarrus", "Cardan joint", "Goldberg", "agile eye", "Delta")

VALUES = {"a": 0.3, "b": 0.8, "c": 0.6, "d": 0.7, "G": -9.81, "m1": 1.0, "m2": 1.5, "m3": 1.2,
          "J1": 0.01, "J2": 0.08, "J3": 0.04}  # fmt: skip


def against_kernels(m, eq, q, qd, qdd, values=None):
    found = eq.evaluate(values, list(q.T), list(qd.T), list(qdd.T))
    lead = [k - 1 for k in eq.independent]
    assert (
        tuple(lead) == da.plan(m if values is None else m.with_values(**values), q[0]).independent
    )
    known = m if values is None else m.with_values(**values)
    G, A = da.active_map(known, q), da.active_mass_matrix(known, q)
    H = da.active_bias(known, q, qd)
    name = eq.loops.name
    for (i, j), x in eq.loops.G.items():
        own = found.get(name("G", i + 1, j + 1), x)
        own = np.asarray(own, dtype=float)
        np.testing.assert_allclose(
            own, G[:, i, lead.index(j)], rtol=1e-8, atol=1e-8 * np.abs(G).max()
        )
    for x, a in enumerate(lead):
        for y, b in enumerate(lead):
            if y >= x:
                own = found[name("Ac", a + 1, b + 1)]
                np.testing.assert_allclose(own, A[:, x, y], rtol=1e-8, atol=1e-8 * np.abs(A).max())
        own = found[name("Hc", a + 1)]
        np.testing.assert_allclose(own, H[:, x], rtol=1e-7, atol=1e-8 * np.abs(H).max())
        tau = (A[:, x] * qdd[:, lead]).sum(axis=1) + H[:, x]
        np.testing.assert_allclose(
            found[f"tau{a + 1}"], tau, rtol=1e-7, atol=1e-8 * np.abs(tau).max()
        )


@pytest.mark.parametrize("name", [*TWELVE, *SIX])
def test_symbols_against_kernels(name):
    """G, A_c, H_c and forces at closed states of planar and spatial machines."""
    data, start = (PLANAR | SPATIAL)[name]()
    m = da.load(data)
    eq = da.equations(m, q=start)
    against_kernels(m, eq, *closed_states(m, start, 100))


@pytest.mark.parametrize("name", ["fourbar", "fivebar", "delta", "parallelogram_arm"])
def test_ready_robots(name):
    m = getattr(da.robots, name)()
    q = da.assemble(m)
    eq = da.equations(m, q=q)
    rng = np.random.default_rng(1)
    against_kernels(m, eq, q[None], rng.normal(size=(1, m.nv)), rng.normal(size=(1, m.nv)))


def test_legs_whose_slides_have_numbers_for_directions():
    """3-PPR: what each leg moves alone is a constant direction."""
    mass, bodies, loops = {"mass": 1, "com": [0.1, 0.05, 0], "inertia": [0.1, 0.1, 0.1]}, [], []
    ways = (("x", -1, [1, 0, 0]), ("y", "x", [0, 1, 0]))
    for name, parent, axis in ways:
        joint = {"type": "prismatic", "axis": axis}
        bodies.append({"name": name, "parent": parent, "joint": joint, **mass})
    bodies.append({"name": "p", "parent": "y", "joint": {"type": "revolute"}, **mass})
    for k, turn in enumerate(np.arange(3) * 2 * np.pi / 3):
        u = [float(np.cos(turn)), float(np.sin(turn)), 0]
        for name, parent, axis in ((f"a{k}", -1, [-u[1], u[0], 0]), (f"b{k}", f"a{k}", u)):
            joint = {"type": "prismatic", "axis": axis}
            bodies.append({"name": name, "parent": parent, "joint": joint, **mass})
        at = [0.3 * x for x in u]
        loops.append({"body_i": f"b{k}", "point_i": [0, 0, 0], "body_j": "p", "point_j": at})
    data = {"bodies": bodies, "gravity": [0, -9.81, 0], "active": ["a0", "a1", "a2"]}
    m = da.load({**data, "loops": [{**x, "joint": "revolute", "axis": [0, 0, 1]} for x in loops]})
    q = da.assemble(m, {"a0": 0.1, "a1": -0.05, "a2": 0.02})
    against_kernels(m, da.equations(m), q[None], *np.random.default_rng(1).normal(size=(2, 1, 9)))


def numbered():
    return FOUR_BAR | {"symbols": [], "parameters": VALUES}


def test_a_four_bar_with_letters():
    m = da.load(FOUR_BAR)
    eq = da.equations(m)
    assert eq.closure == ("c*cos(q3)+d-a*cos(q1)-b*cos(q1+q2)", "c*sin(q3)-a*sin(q1)-b*sin(q1+q2)")
    assert eq.G[3, 1] == "a*b*sin(q2)/D1" and eq.G[2, 1] == "-1-a*c*sin(q1-q3)/D1"
    assert eq.A_c[1, 1] == "A11+2*A12*G21+A22*G21**2+A33*G31**2"
    text = eq.text()
    assert "D1 = b*c*sin(q1+q2-q3)\n" in text and "tau1 = Ac11*qdd1+Hc1\n" in text
    known = m.with_values(**VALUES)
    q = np.array([da.assemble(known, [x, 0.3, 1.2], hold=["A"]) for x in (0.3, 0.9, 1.4)])
    rng = np.random.default_rng(0)
    against_kernels(m, eq, q, *rng.normal(size=(2, 3, 3)), values=VALUES)


def test_G_is_what_sympy_eliminates():
    """J qd = 0 solved by SymPy from the printed closure alone."""
    sympy = pytest.importorskip("sympy")
    for data in (FOUR_BAR, PLANAR["five-bar"]()[0], PLANAR["Stephenson III"]()[0]):
        m = da.load(data)
        eq = da.equations(m)
        q = sympy.symbols([f"q{k + 1}" for k in range(m.nq)])
        letters = {str(x): x for x in q}
        F = sympy.Matrix([sympy.sympify(x, locals=dict(letters)) for x in eq.closure])
        J = F.jacobian(q)
        dep = sorted(eq.loops.plan.dependent)
        lead = list(eq.loops.plan.independent)
        rng = np.random.default_rng(3)
        for _ in range(10):
            at = {s: rng.uniform(0.4, 1.5) for s in F.free_symbols | set(q)}
            D = np.array(J[:, dep].subs(at), dtype=float)
            want = -np.linalg.solve(D, np.array(J[:, lead].subs(at), dtype=float))
            names = {str(s): x for s, x in at.items()}
            for n, x in eq.to_sympy().items():
                if n.startswith(("D", "G", "U")):
                    names[n] = float(x.subs({s: names[s.name] for s in x.free_symbols}))
            for r, i in enumerate(dep):
                for c, j in enumerate(lead):
                    entry = eq.loops.G[i, j]
                    own = names.get(eq.loops.name("G", i + 1, j + 1), entry)
                    assert float(own) == pytest.approx(want[r, c], rel=1e-9, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*TWELVE, *SIX])
def test_G_of_every_mechanism_is_what_sympy_eliminates(name):
    """The printed closure differentiated by SymPy, its Jacobian solved at 20 closed states."""
    sympy = pytest.importorskip("sympy")
    data, start = (PLANAR | SPATIAL)[name]()
    m = da.load(data)
    eq = da.equations(m, q=start)
    s, told = eq.loops, eq.json()
    names = {f"q{k + 1}": sympy.Symbol(f"q{k + 1}") for k in range(m.nq)}
    steps = []

    def read(text):
        """Return an expression, its names and its slopes by them, as functions."""
        made = sympy.sympify(re.sub(r"\bZ\((\d+)\)", r"Z_\1", text), locals=dict(names))
        of = sorted(made.free_symbols, key=str)
        return of, sympy.lambdify(of, [made, *(made.diff(x) for x in of)], modules="math")

    for n, x in s.before:
        name = re.sub(r"\((\d+)\)", r"_\1", n)
        steps.append((name, read(write(formula_of(x), TEXT))))
        names[name] = sympy.Symbol(name)
    rows = [read(x) for x in told["closure"]]

    def J(*pose):
        """Return the slopes of the closure, steps by the chain rule."""
        at = {f"q{k + 1}": (x, np.eye(m.nq)[k]) for k, x in enumerate(pose)}

        def slope(made):
            of, f = made
            value, *by = f(*(at[str(x)][0] for x in of))
            return value, sum((d * at[str(x)][1] for d, x in zip(by, of, strict=True)), 0.0)

        for name, made in steps:
            at[name] = slope(made)
        return [slope(made)[1] for made in rows]

    dep, lead = sorted(s.plan.dependent), list(s.plan.independent)
    poses, qd, qdd = closed_states(m, start, 20)
    found = eq.evaluate(None, list(poses.T), list(qd.T), list(qdd.T))
    for k, pose in enumerate(poses):
        D = np.asarray(J(*pose), dtype=float)
        want = -np.linalg.solve(D[:, dep], D[:, lead])
        for r, i in enumerate(dep):
            for c, j in enumerate(lead):
                own = found.get(s.name("G", i + 1, j + 1), s.G[i, j])
                own = np.broadcast_to(np.asarray(own, dtype=float), len(poses))[k]
                assert own == pytest.approx(want[r, c], rel=1e-7, abs=1e-8 * np.abs(want).max())


@pytest.mark.parametrize("name", ["four-bar", "Stephenson III", "five-bar"])
def test_the_printed_text_is_read_back_by_another_reader(name):
    data = numbered() if name == "four-bar" else PLANAR[name]()[0]
    m = da.load(data)
    q = da.assemble(m)
    eq = da.equations(m, q=q)
    rng = np.random.default_rng(0)
    qd, qdd = rng.normal(size=(2, m.nv))
    at = {f"q{k + 1}": x for k, x in enumerate(q)} | {p: float(v) for p, v in m.values.items()}
    lead = [k - 1 for k in eq.independent]
    at |= {f"qd{k + 1}": qd[k] for k in lead} | {f"qdd{k + 1}": qdd[k] for k in lead}
    at |= {f"e{k}": 1.0 for k in range(1, 9)}
    zeros, known = read_back(eq.text(), at)
    assert np.abs(zeros).max() < 1e-12
    full, fulldd = da.tree_motion(m, q, qd, qdd)
    want = da.active_torques(m, q, full, fulldd)
    for tau, k in zip(want, lead, strict=True):
        assert known[f"tau{k + 1}"] == pytest.approx(tau, rel=1e-9, abs=1e-9)


def test_motors_named_in_another_order_than_their_joints():
    """Forces call the entries of A_c by the names they have."""
    data = PLANAR["five-bar"]()[0]
    data["active"] = list(reversed(data["active"]))
    m = da.load(data)
    q = da.assemble(m)
    eq = da.equations(m, q=q)
    assert list(eq.independent) != sorted(eq.independent)
    against_kernels(m, eq, *closed_states(m, q, 5))
    lead, ones = eq.independent, np.ones(m.nv)
    at = {f"{r}{k + 1}": 1.0 for r in ("qd", "qdd") for k in range(m.nv) if k + 1 in lead}
    at |= {f"q{k + 1}": x for k, x in enumerate(q)} | {f"e{k}": 1.0 for k in range(1, 9)}
    _, known = read_back(eq.text(), at)
    want = da.active_torques(m, q, *da.tree_motion(m, q, ones, ones))
    np.testing.assert_allclose([known[f"tau{k}"] for k in lead], want, rtol=1e-9)


SOLVED = ("crank-rocker", "five-bar", "slider-crank", "Watt II", "Klann", "scotch yoke",
          "Oldham coupling", "elliptic trammel", "geared five-bar")  # fmt: skip


@pytest.mark.parametrize("name", SOLVED)
def test_passive_coordinates_in_closed_form_close_the_loops(name):
    data, start = (PLANAR | SPATIAL)[name]()
    closes_from_what_leads(da.load(data), start)


BENT = {
    "b h": ("b", "h", "c", 0), "c k": ("b", 0, "c", "k"), "both": ("b", "h", "c", "k"),
    "numbers": (0.8, 0.1, 0.6, -0.05), "across": (0, "b", "c", "k"), "back": ("-b", "h", "-c", "k"),
}  # fmt: skip


@pytest.mark.parametrize("slide", [None, (1, 0, 0), (0.6, 0.8, 0)])
@pytest.mark.parametrize("name", BENT)
def test_links_that_are_bent_have_passive_coordinates_in_closed_form(name, slide):
    """A point [b, h, 0] of a link is a side of length sqrt(b² + h²) that stands off its angle."""
    x, y, u, v = BENT[name]

    def link(name, parent, at, type_="revolute", axis=(0, 0, 1)):
        joint = {"type": type_, "axis": list(axis), "placement": {"translation": at}}
        mass = {"mass": 1, "com": [0.1, 0, 0], "inertia": [0.01, 0.01, 0.01]}
        return {"name": name, "parent": parent, "joint": joint, **mass}

    last = link("slider", -1, [0, "d/9", 0], "prismatic", slide) if slide else link(
        "rocker", -1, ["d", 0, 0])  # fmt: skip
    loop = {"body_i": "coupler", "point_i": [x, y, 0], "body_j": last["name"], "joint": "revolute",
            "point_j": [u, v, 0], "axis": [0, 0, 1]}  # fmt: skip
    values = {"a": 0.3, "b": 0.8, "c": 0.6, "d": 0.7, "h": 0.1, "k": 0.05}
    bodies = [link("crank", -1, [0, 0, 0]), link("coupler", 0, ["a", 0, 0]), last]
    m = da.load({"format": "dalembert/1", "parameters": values, "bodies": bodies, "loops": [loop],
                 "active": ["crank"]})  # fmt: skip
    for seed in range(2):
        closes_from_what_leads(m, da.assemble(m, np.random.default_rng(seed).normal(size=3)))


def test_an_equation_between_axes_has_one_solution():
    """Ends turned by half a turn are open: no sign names them."""
    for name, line in (("scotch yoke", "q3 = -q1"), ("Oldham coupling", "q2 = q1-atan2(0.8, 0.6)")):
        text = da.equations(da.load(PLANAR[name]()[0])).text()
        assert line in text.splitlines() and "# e" not in text


def test_parallelograms_have_constant_rates_and_know_their_branch():
    m = da.robots.parallelogram_arm()
    eq = da.equations(m)
    assert [eq.G[4, 2], eq.G[4, 3], eq.G[5, 2], eq.G[5, 3]] == ["-1", "1", "1", "-1"]
    assert not eq.loops.drifts and "stay parallel" in eq.text()
    flat = da.assemble(m)
    turn = np.sin((flat[1] + flat[3] - flat[2] - np.pi) / 2)
    crossed = abs(turn) > 1e-6
    other = da.equations(m, q=flat)
    assert bool(other.loops.parallel) is not crossed
    if crossed:
        with pytest.raises(da.ComputationError, match="crossed"):
            eq.evaluate(None, flat, np.zeros(m.nv), np.zeros(m.nv))
    with pytest.raises(da.ComputationError, match="open"):
        eq.evaluate(None, flat + 0.1, np.zeros(m.nv), np.zeros(m.nv))


@pytest.mark.parametrize("a, d", [(0.3, 0.7), ("a", "d")])
@pytest.mark.parametrize("senses", [*itertools.product([1, -1], repeat=3)])
def test_a_parallelogram_closes_at_all_angles_whichever_way_its_links_point(senses, a, d):
    """Opposite sides are parallel, or half a turn apart where one is drawn the other way."""

    def link(name, parent, at):
        joint = {"type": "revolute", "axis": [0, 0, 1], "placement": {"translation": [at, 0, 0]}}
        return {"name": name, "parent": parent, "joint": joint, "mass": 1, "com": [0.1, 0, 0],
                "inertia": [0, 0, 0.1]}  # fmt: skip

    crank, rod, rocker = (
        x if n > 0 else -x if isinstance(x, float) else f"-{x}"
        for x, n in zip((a, d, a), senses, strict=True)
    )
    bodies = [link("crank", -1, 0), link("rod", 0, crank), link("rocker", -1, d)]
    loop = {"body_i": "rod", "point_i": [rod, 0, 0], "body_j": "rocker",
            "point_j": [rocker, 0, 0], "joint": "revolute", "axis": [0, 0, 1]}  # fmt: skip
    m = da.load({"format": "dalembert/1", "parameters": {"a": 0.3, "d": 0.7}, "bodies": bodies,
                 "loops": [loop], "active": ["crank"]})  # fmt: skip
    s = da.equations(m).loops
    assert s.parallel and not s.drifts
    at = dict(s.example.values)
    for angle in (-2.0, 0.4, 1.3):
        at["q1"] = angle
        at |= {n: value(x, at) for n, x in s.passive if n}
        q = np.array([at["q1"], at["q2"], at["q3"]])
        assert np.abs(da.closure(m, q)).max() < 1e-12
        # the side of the crank is that of the rocker, as on no other branch
        assert senses[0] * np.exp(1j * q[0]) == pytest.approx(senses[2] * np.exp(1j * q[2]))
        assert da.equations(m, q=q).loops.parallel


def rounded(x):
    """Return a description with lengths in tenths of a millimetre."""
    if isinstance(x, dict):
        return {k: rounded(v) for k, v in x.items()}
    if isinstance(x, list):
        return [rounded(v) for v in x]
    return round(x, 4) + 0.0 if isinstance(x, float) else x


def test_sizes_of_texts():
    """One screen for the four-bar; a few thousand signs for six-bars and platforms."""
    eq = da.equations(da.load(FOUR_BAR))
    assert len(eq.text()) < 2500 and len(eq.text().splitlines()) < 62
    block = eq.text().split("# Rates\n")[1].split("# Accelerations")[0]
    assert len(block) < 250
    for name in ("Stephenson I", "Stephenson II", "Stephenson III", "Watt I", "Watt II"):
        for data in (PLANAR[name]()[0], rounded(PLANAR[name]()[0])):
            assert len(da.equations(da.load(data)).text()) < 8000, name
    assert len(da.equations(da.robots.delta()).text()) < 13000
    assert len(da.equations(da.robots.three_rrr(), expand=True).text()) < 12000


def test_derive_prints_every_form(capsys, tmp_path):
    import json

    file = tmp_path / "four-bar.json"
    file.write_text(json.dumps(FOUR_BAR))
    for form in ("condensed", "report", "latex", "markdown", "json"):
        assert main(["derive", str(file), "--form", form]) == 0
        printed = capsys.readouterr().out
        assert {"latex": r"\dot{q}_{2} = G_{21}\,\dot{q}_{1}", "json": '"G31"'}.get(
            form, "G_{31}" if form == "markdown" else "G31 = "
        ) in printed
    assert main(["derive", str(file), "--neglect", "gravity"]) == 2
    assert "has loops" in capsys.readouterr().err


def test_every_form_prints_the_parts_that_are_asked(capsys, tmp_path):
    import json

    eq = da.equations(da.load(FOUR_BAR))
    for form in (eq.text, eq.latex, eq.markdown):
        whole, part = form(), form(only="G")
        assert len(part) < 0.6 * len(whole) and "Rates" in part
        assert "Inertia of the closed mechanism" in whole
        assert "Inertia of the closed mechanism" not in part
    assert set(eq.json(only=["G", "H_c"])) == {"name", "joints", "independent", "rates", "forces"}
    file = tmp_path / "four-bar.json"
    file.write_text(json.dumps(FOUR_BAR))
    assert main(["derive", str(file), "--only", "A_c"]) == 0
    printed = capsys.readouterr().out
    assert "Ac11 = " in printed and "G31 = " not in printed
    with pytest.raises(da.UsageError, match="no part 'Q'"):
        eq.markdown(only="Q")


def test_letters_for_which_nothing_closes_are_said():
    data = numbered() | {"parameters": VALUES | {"d": 5.0}}
    with pytest.raises(da.ComputationError, match="do not close"):
        da.equations(da.load(data))
    with pytest.raises(da.ModelError, match=r"spherical|free"):
        da.equations(da.robots.stewart())


@pytest.mark.parametrize("name", ["3-RPR", "3-PRS"])
def test_constant_angles_and_balls_are_told_in_text_and_listing(name):
    """C3a = cos(q3+a) with the value of a; a ball is three turns, its pose taken from a closed one.

    Every name that is read is a line or a remark; forces are those of kernels.
    """
    data, start = (PLANAR | SPATIAL)[name]()
    m = da.load(data)
    if name == "3-PRS":
        with pytest.raises(da.ModelError, match="spherical") as error:
            da.equations(m, q=start)
        assert "expand=True" in error.value.hint
    eq = da.equations(m, q=start, expand=True)
    m, q = eq.mechanism, np.array(eq.loops.example.q)
    lead = [k - 1 for k in eq.independent]
    qd, qdd = np.zeros((2, m.nv))
    qd[lead], qdd[lead] = np.random.default_rng(4).normal(size=(2, len(lead)))
    want = da.inverse_dynamics(m, q, *da.tree_motion(m, q, qd, qdd))
    at = {f"q{k + 1}": x for k, x in enumerate(q)}
    at |= {f"qd{k + 1}": qd[k] for k in lead} | {f"qdd{k + 1}": qdd[k] for k in lead}
    text, program = eq.text(), eq.text("program")
    lines = [re.sub(r"^ *\d+ +", "", x) for x in program.splitlines() if x and x[0] != "#"]
    plain = "\n".join(re.sub(r"\b([CS])(\d\w*)\b", r"\1n\2", x) for x in lines)
    for told in (text, plain):
        zeros, known = read_back(told, at)
        assert np.abs(zeros).max(initial=0) < 1e-9
        found = [known[f"tau{k + 1}"] for k in eq.loops.plan.motors]
        np.testing.assert_allclose(found, want, atol=1e-9 * np.abs(want).max())
    if name == "3-RPR":
        assert "# C3a = cos(q3+a), S3a = sin(q3+a), a = 2.25" in text
        assert "C3a = cos(q3+(2.25" in program and "C3a = \\cos" not in text


def test_singular_poses_are_refused_and_those_beside_are_not():
    """Coupler and rocker in line: D1 is zero; that state is named, and 1e-3 beside it G holds."""
    values = VALUES | {"d": 0.5}
    m = da.load(FOUR_BAR)
    eq, known = da.equations(m), m.with_values(**values)
    flat, beside = np.zeros(3), da.assemble(known, [1e-3, 0.1, 0.1], hold=["A"])
    assert np.abs(da.closure(known, flat)).max() < 1e-15
    rest = [np.zeros(2)] * 3
    with pytest.raises(da.SingularPose, match=r"state 1: C does not decide q2, q3"):
        eq.evaluate(values, list(np.stack([beside, flat], axis=1)), rest, rest)
    found = eq.evaluate(values, list(beside), [1, 0, 0], [0, 0, 0])
    assert found["G21"] == pytest.approx(da.active_map(known, beside)[1, 0], rel=1e-9)
