"""Kane's ten steps of closed chains: against kernels and SymPy's method, as they are printed."""

import numpy as np
import pytest

import dalembert as da
from closed_text import closed_states, read_back
from dalembert.cli import main
from dalembert.errors import ModelError
from machines.linkages import PLANAR
from machines.spatial import SPATIAL

FEW = ("crank-rocker", "slider-crank", "five-bar", "Bennett")
MANY = ("Watt I", "Watt II", "Stephenson I", "Stephenson II", "Stephenson III", "palletiser",
        "3-RRR", "3-RPR", "inverted slider-crank", "geared five-bar", "spherical four-bar",
        "Sarrus", "Cardan joint", "Goldberg")  # fmt: skip


def at_states(m, form, q, qd):
    """Return every printed name at states, motors without force."""
    lead = form.closed.plan.independent
    at = {f"q{k + 1}": x for k, x in enumerate(q.T)} | {p: float(v) for p, v in m.values.items()}
    full, _ = da.tree_motion(m, q, qd, np.zeros_like(qd))
    at |= {f"qd{k + 1}": x for k, x in enumerate(full.T)}
    at |= {f"e{k}": 1.0 for k in range(1, 20)} | {f"tau{k + 1}": 0.0 for k in range(m.nv)}
    zeros, known = read_back(form.text(), at)
    assert all(np.abs(x).max() < 1e-9 for x in zeros)
    return known, full[:, list(lead)]


def compared(name):
    data, start = (PLANAR | SPATIAL)[name]()
    m = da.load(data)
    form = da.kane_form(m, start)
    q, qd, _ = closed_states(m, start, 100)
    known, alpha = at_states(m, form, q, qd)
    A, H = da.active_mass_matrix(m, q), da.active_bias(m, q, qd)
    size = len(form.closed.plan.independent)
    zero = np.zeros(len(q))
    D = np.array([[known[f"D_{a}_{b}"] + zero for b in range(1, size + 1)]
                  for a in range(1, size + 1)])  # fmt: skip
    C = np.array([[known[f"C_{a}_{b}"] + zero for b in range(1, size + 1)]
                  for a in range(1, size + 1)])  # fmt: skip
    tau = np.array([known[f"tau_{a}"] + zero for a in range(1, size + 1)])
    np.testing.assert_allclose(np.moveaxis(D, 2, 0), A, rtol=1e-8, atol=1e-8 * np.abs(A).max())
    bias = np.einsum("abn,nb->na", C, alpha) - tau.T
    np.testing.assert_allclose(bias, H, rtol=1e-7, atol=1e-8 * np.abs(H).max())


@pytest.mark.parametrize("name", FEW)
def test_the_steps_as_printed_are_the_closed_model(name):
    """D is A_c, C alpha - tau is H_c at 100 closed states of the printed text."""
    compared(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", MANY)
def test_the_steps_of_more_mechanisms_are_the_closed_model(name):
    compared(name)


def test_the_four_bar_has_its_loop_in_step_five_and_its_rate_in_step_six(capsys):
    assert main(["derive", "robot:fourbar", "--form", "kane"]) == 0
    text = capsys.readouterr().out
    step = text.split("# step ")
    assert "D1 = 0.48*sin(q1+q2-q3)\nG21 = -1-0.18*sin(q1-q3)/D1\n" in step[5]
    assert "J_nh(2,1) = G21" in step[5] and "J(9,1) = G31" in step[6]
    assert "Jd(6,1) = Gd21" in step[6] and "qd3 = qd1*G31" in step[10]
    assert text.count("# step") == 10 and len(text) < 4500
    for options in (["--latex"], ["--json"]):
        assert main(["derive", "robot:fourbar", "--form", "kane", *options]) == 0
        assert "G_{2,1}" in capsys.readouterr().out


def test_sympys_method_of_kane_finds_the_same_acceleration():
    """SymPy's KanesMethod with the closure as configuration constraints, bodies written apart."""
    me = pytest.importorskip("sympy.physics.mechanics")
    sympy = pytest.importorskip("sympy")
    q1, q2, q3 = q = me.dynamicsymbols("q1:4")
    u1, u2, u3 = u = me.dynamicsymbols("u1:4")
    N = me.ReferenceFrame("N")
    O = me.Point("O")
    O.set_vel(N, 0)
    bodies, loads = [], []

    def link(name, frame, start, centre, mass, inertia):
        G = start.locatenew(f"G{name}", centre * frame.x)
        G.v2pt_theory(start, N, frame)
        body = me.RigidBody(name, G, frame, mass, (me.inertia(frame, 0, 0, inertia), G))
        bodies.append(body)
        loads.append((G, -mass * 9.81 * N.y))

    frames = []
    for k, (angle, rate) in enumerate([(q1, u1), (q1 + q2, u1 + u2), (q3, u3)]):
        frame = N.orientnew(f"F{k}", "Axis", [angle, N.z])
        frame.set_ang_vel(N, rate * N.z)
        frames.append(frame)
    A, B, C = frames
    P = O.locatenew("P", sympy.Rational(3, 10) * A.x)
    P.v2pt_theory(O, N, A)
    E = O.locatenew("E", sympy.Rational(7, 10) * N.x)
    E.set_vel(N, 0)
    link("crank", A, O, sympy.Rational(15, 100), 1, sympy.Rational(75, 10000))
    link("coupler", B, P, sympy.Rational(4, 10), sympy.Rational(15, 10), sympy.Rational(8, 100))
    link("rocker", C, E, sympy.Rational(3, 10), sympy.Rational(12, 10), sympy.Rational(36, 1000))
    a, b, c, d = (sympy.Rational(x, 10) for x in (3, 8, 6, 7))
    gap = [a * sympy.cos(q1) + b * sympy.cos(q1 + q2) - d - c * sympy.cos(q3),
           a * sympy.sin(q1) + b * sympy.sin(q1 + q2) - c * sympy.sin(q3)]  # fmt: skip
    t = me.dynamicsymbols._t
    speeds = {x.diff(t): y for x, y in zip(q, u, strict=True)}
    rates = [g.diff(t).subs(speeds) for g in gap]
    kane = me.KanesMethod(
        N, q_ind=[q1], q_dependent=[q2, q3], u_ind=[u1], u_dependent=[u2, u3],
        kd_eqs=[x.diff(t) - y for x, y in zip(q, u, strict=True)],
        configuration_constraints=gap, velocity_constraints=rates,
    )  # fmt: skip
    kane.kanes_equations(bodies, loads)
    mass, forcing = kane.mass_matrix, kane.forcing
    m = da.robots.fourbar()
    form = da.kane_form(m)
    rng = np.random.default_rng(4)
    for crank in (0.4, 1.1, 2.0):
        pose = da.assemble(m, [crank, 0.3, 1.2], hold=["crank"])
        qd = rng.normal(size=(1, 3))
        known, alpha = at_states(m, form, pose[None], qd)
        full, _ = da.tree_motion(m, pose[None], qd, np.zeros((1, 3)))
        values = dict(zip(q, pose, strict=True)) | dict(zip(u, full[0], strict=True))
        want = np.linalg.solve(
            np.array(mass.subs(values).evalf(), float),
            np.array(forcing.subs(values).evalf(), float),
        )
        own = (known["tau_1"] - known["C_1_1"] * alpha[0, 0]) / known["D_1_1"]
        assert own[0] == pytest.approx(float(want[0, 0]), rel=1e-9)


def test_named_speeds_lead_and_others_are_refused():
    from dataclasses import replace

    m = da.robots.fourbar()
    rocker = replace(m, speeds=("rocker",))
    text = da.kane_form(rocker).text()
    assert "alpha = [qd3]" in text and "qd1 = qd3*G13" in text and "tau1" in text
    with pytest.raises(ModelError, match="no joint"):
        da.kane_form(replace(m, speeds=("v",), checked=True))
    with pytest.raises(ModelError, match="do not decide"):
        da.kane_form(replace(m, speeds=("rocker", "crank"), checked=True))


def test_every_line_of_plain_data_has_its_left_side_in_latex():
    steps = da.kane_form(da.robots.fourbar()).json()["steps"]
    lines = [line for step in steps for line in step["lines"] if "latex" in line]
    assert [line["name"] for line in lines if not line["latex"].partition(" =")[0]] == []
