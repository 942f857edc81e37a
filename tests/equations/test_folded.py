"""Closed forms of trees in which joints follow others: the kernels, and Pinocchio, say the same."""

import numpy as np
import pytest

import dalembert as da
from pruning import robot


def machine(follower="prismatic", ratio=1, offset=0, inner=False):
    """Return an arm whose last joint follows the one before it, or one in its middle does."""

    def body(name, parent, kind, axis, p):
        return {"name": name, "parent": parent, "mass": 1.5, "com": [0.1, 0.2, -0.05],
                "joint": {"type": kind, "axis": axis, "placement": {"translation": p}},
                "inertia": [0.04, 0.05, 0.06, 0.001, 0.002, -0.003]}  # fmt: skip

    bodies = [
        body("a", -1, "revolute", [0, 0, 1], [0, 0, 0.3]),
        body("b", 0, "revolute", [0, 1, 0], [0.4, 0, 0]),
        body("c", 1, follower, [0, 1, 0], [0.3, 0.1, 0]),
        body("d", 1 if not inner else 2, follower, [0, -1, 0] if not inner else [1, 0, 0],
             [0.3, -0.1, 0]),
    ]  # fmt: skip
    who = ("d", "c") if not inner else ("c", "b")
    rule = {"joint": who[0], "of": who[1], "ratio": ratio, "offset": offset}
    return {"format": "dalembert/1", "name": "m", "gravity": [0.3, -0.2, -9.81], "bodies": bodies,
            "couplings": [rule]}  # fmt: skip


CASES = {
    "fingers": {},
    "fingers at another rate": {"ratio": -2, "offset": 0.1},
    "angles": {"follower": "revolute"},
    "angles, twice": {"follower": "revolute", "ratio": -2, "offset": "pi/2"},
    "angles at a rate that is no whole number": {"follower": "revolute", "ratio": 0.7,
                                                 "offset": 0.2},
    "in the middle": {"follower": "revolute", "ratio": -1, "inner": True},
    "in the middle, slides": {"ratio": 0.5, "inner": True},
}  # fmt: skip


@pytest.fixture(params=CASES, ids=str)
def m(request):
    return da.load(machine(**CASES[request.param]))


def states(m):
    return np.random.default_rng(1).normal(size=(3, 5, m.nv))


def test_the_equations_are_those_of_the_kernels(m):
    eq = da.equations(m)
    q, qd, qdd = states(m)
    assert eq.n == m.nv == 3
    assert eq.evaluate({}, q, qd, qdd) == pytest.approx(
        da.inverse_dynamics(m, q, qd, qdd), rel=1e-12, abs=1e-12)  # fmt: skip
    Q, A, B, C = da.lagrange_coefficients(m, q[0])
    found = eq.coefficients({}, list(q[0]))
    for (kind, place), x in found.items():
        whole = {"Q": Q, "A": A, "B": B, "C": C}[kind]
        assert x == pytest.approx(whole[tuple(k - 1 for k in place)], abs=1e-12), (kind, place)


def test_the_equations_are_a_model(m):
    eq = da.equations(m)
    q, qd, qdd = states(m)
    k = da.compile(eq, "inverse_dynamics")
    assert k(q, qd, qdd) == pytest.approx(da.inverse_dynamics(m, q, qd, qdd), abs=1e-11)
    tau = da.inverse_dynamics(m, q, qd, qdd)
    assert da.forward_dynamics(eq, q, qd, tau) == pytest.approx(qdd, abs=1e-9)


def test_sympy_agrees(m):
    sympy = pytest.importorskip("sympy")
    form = da.equations(m).to_sympy()
    at = dict(zip(form.q, [0.3, -0.4, 0.7], strict=True))
    known = {s: x.subs(at) if hasattr(x, "subs") else x for s, x in form.constants.items()}
    A = np.array(form.A.subs(at).subs(known).evalf(), dtype=float)
    assert pytest.approx(da.mass_matrix(m, [0.3, -0.4, 0.7]), abs=1e-12) == A
    assert all(str(s) in ("q1", "q2", "q3") or s in known for s in form.A.free_symbols), sympy


def test_every_form_prints(m):
    eq = da.equations(m)
    text = eq.text("report")
    assert "follows: its coordinate q4 is" in text and "A33 = " in text
    assert eq.latex() and eq.markdown() and eq.json()["A"] and str(eq.structure())
    assert eq.text("program")
    lead = m.joint_names[-1]
    assert eq.freeze({lead: 0.2}).n == 2


def test_a_finger_is_written_by_its_leader():
    eq = da.equations(da.load(machine()))
    lines = [x for x in eq.text("report").splitlines() if not x.startswith("#")]
    assert not any("q4" in x for x in lines) and any("q3" in x for x in lines)
    assert eq.neglect("gravity").Q[3].is_zero()
    with pytest.raises(da.UsageError, match="follow other joints"):
        eq.regressor()


def test_base_parameters_give_the_forces_and_are_the_fewest(m):
    base = da.base_parameters(m)
    q, qd, qdd = np.random.default_rng(2).normal(size=(3, 40, m.nv))
    Y = da.regressor(m, q, qd, qdd, columns="base")
    phi = np.array(base.values(m.bound()), dtype=float)
    assert Y @ phi == pytest.approx(da.inverse_dynamics(m, q, qd, qdd), abs=1e-9)
    rank = np.linalg.matrix_rank(Y.reshape(-1, len(base)), tol=1e-8)
    standard = da.regressor(m, q, qd, qdd).reshape(-1, len(base.standard))
    assert rank == len(base) == np.linalg.matrix_rank(standard, tol=1e-8)
    assert da.parameter_names(m, columns="base") == list(base.names)


def test_base_parameters_of_a_finger_with_a_motor_and_friction():
    data = machine()
    data["drives"] = [{"joint": j, "Ia": 0.2, "viscous": 0.3, "coulomb": 0.4} for j in "cd"]
    m = da.load(data)
    q, qd, qdd = np.random.default_rng(2).normal(size=(3, 40, m.nv))
    for drives in ("none", "inertia", "all"):
        base = da.base_parameters(m, drives)
        Y = da.regressor(m, q, qd, qdd, columns="base", drives=drives)
        tau = da.inverse_dynamics(m, q, qd, qdd, drives=drives)
        assert Y @ np.array(base.values(m.bound()), float) == pytest.approx(tau, abs=1e-9)
        assert np.linalg.matrix_rank(Y.reshape(-1, len(base)), tol=1e-8) == len(base)


def test_base_parameters_with_letters():
    data = machine()
    data["bodies"][1]["joint"]["placement"]["translation"] = ["L", 0, 0]
    data["symbols"] = ["L"]
    m = da.load(data)
    base = da.base_parameters(m)
    assert not base.notes
    q, qd, qdd = np.random.default_rng(2).normal(size=(3, 40, m.nv))
    own = m.with_values(L=0.37)
    Y = da.regressor(own, q, qd, qdd, columns="base")
    phi = np.array(base.values(own.bound(), parameters={"L": 0.37}), dtype=float)
    assert Y @ phi == pytest.approx(da.inverse_dynamics(own, q, qd, qdd), abs=1e-9)


def test_the_tables_hold_all_joints():
    m = da.load(machine(ratio=-2, offset=0.1))
    from dalembert.tables import tables_text

    text = tables_text(m)
    assert "NUMBER OF DEGREES OF FREEDOM 3" in text
    assert "joint 4 follows joint 3: q4 = -2*q3+0.1" in text


def test_structure_is_found_behind_a_turned_base():
    eq = da.equations(da.load("RXK(0.4),RZ(),TXK(0.5),RY(),TXK(0.3); gravity = (0, G, G);"))
    assert "A: 2 of 3 not zero" in str(eq.structure())


def structured(eq, missed=False):
    """Check that coefficients are zero, or constant, where they are at random postures.

    `missed`: sums over bodies that slide count as moving, also those that no slide changes.
    """
    postures, counts = np.random.default_rng(6).uniform(-3, 3, (4, eq.n)), {}
    for kind in "QABC":
        for entry in getattr(eq, kind):
            values = [float(entry.value({}, list(q))) for q in postures]
            zero = max(map(abs, values)) < 1e-12
            wanted = "zero" if zero else "constant" if np.ptp(values) < 1e-12 else ""
            found = eq.structure_of(kind, entry.place)
            assert found == wanted or (missed and (found, wanted) == ("", "constant")), entry.name
            counts[wanted] = counts.get(wanted, 0) + 1
    return counts


@pytest.mark.parametrize("case", CASES)
def test_structure_is_that_of_the_values_at_random_postures(case):
    """Bodies of different masses: what vanishes for some numbers alone is not called zero."""
    data = machine(**CASES[case])
    for k, body in enumerate(data["bodies"]):
        body |= {"mass": 1.5 + 0.3 * k, "com": [0.1 + 0.03 * k, 0.2 - 0.07 * k, -0.05 + 0.01 * k]}
    slides = data["bodies"][3]["joint"]["type"] == "prismatic"
    counts = structured(da.equations(da.load(data)), missed=slides)
    assert counts["zero"] and counts[""]


@pytest.mark.parametrize("seed", range(6))
def test_structure_of_arms_is_that_of_their_values(seed):
    assert structured(da.equations(robot(seed)))


def test_forces_are_the_same_whichever_way_the_weight_is_counted(m):
    eq = da.equations(m)
    other = eq.with_sign("section2")
    q, qd, qdd = states(m)
    np.testing.assert_allclose(other.evaluate({}, q, qd, qdd), eq.evaluate({}, q, qd, qdd),
                               atol=1e-12)  # fmt: skip
    for i in range(1, eq.n + 1):
        assert len(other.Q[i].poly + eq.Q[i].poly) == 0
    assert any(len(eq.Q[i].poly) for i in range(1, eq.n + 1))
