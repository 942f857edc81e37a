"""Closed forms against the kernels, the reference files, and SymPy."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dalembert as da
from dalembert.algebra import Mat3, Rotation, Transform, Vec3
from dalembert.equations.expand import expanded, expanded_pose
from dalembert.expr.exact import exact
from dalembert.inertia import Inertia
from dalembert.joint import UNITS, Free, Planar, Prismatic, Revolute, Screw, Spherical
from dalembert.mechanism import Body, Mechanism
from machines import linkages
from models import lagrange_coefficients, newton_euler

FILES = (
    "s000_robot6r",
    "s000_robot6r_general_inertia",
    "s000_prismatic_cylindrical",
    "s000_constant_rotations",
    "stanford_arm",
    "tree_robot",
    "s002_mdh_tree",
)


def random_mechanism(seed, n=4, general=False):
    """Return a tree with slides, screws, constant rotations and general inertias, exact numbers."""
    rng = np.random.default_rng(seed)

    def some(size):
        return [exact(round(float(x), 3)) for x in rng.normal(size=size)]

    bodies = []
    for j in range(n):
        axis = UNITS[rng.integers(3)]
        if general and j == 1:
            axis = Vec3(exact(0.6), 0, exact(0.8))
        if rng.random() < 0.2:
            axis = -axis
        joint = [Revolute(axis), Revolute(axis), Prismatic(axis), Screw(axis, exact(0.25))][
            rng.integers(4)
        ]
        R = Rotation()
        if rng.random() < 0.4:
            R = Rotation.about(int(rng.integers(3)), some(1)[0])
        half = np.round(rng.normal(size=(3, 3)), 2)
        inertia = Inertia(
            exact(round(float(rng.uniform(0, 5)), 2)) if rng.random() > 0.2 else 0,
            Vec3(*some(3)),
            Mat3(*(tuple(exact(float(x)) for x in row) for row in np.round(half @ half.T, 4))),
        )
        parent = int(rng.integers(max(-1, j - 2), j)) if j else -1
        bodies.append(Body(f"b{j}", parent, Transform(R, Vec3(*some(3))), joint, inertia))
    m = Mechanism(tuple(bodies))
    return m, [rng.normal(size=n) for _ in range(3)]


def compare(eq, m, q, tolerance=1e-11):
    """Assert that every coefficient has the value that differentiation of the kernels gives."""
    found = lagrange_coefficients(m.bound(), [float(x) for x in q])
    Q, A, B, C = (np.array(x, float) for x in found)
    scale = 1 + np.abs(A).max() + np.abs(Q).max()
    for (kind, place), x in eq.coefficients({}, list(q)).items():
        at = tuple(k - 1 for k in place)
        truth = {"Q": Q, "A": A, "B": B, "C": C}[kind][at]
        assert abs(x - truth) <= tolerance * scale, (kind, place)
        raw = eq.ring.evaluate(eq.raw(kind, place), eq.values({}, list(q)))
        assert abs(raw - truth) <= tolerance * scale, (kind, place)


@pytest.mark.parametrize("seed", range(12))
def test_closed_forms_equal_the_kernels_on_random_trees(seed):
    m, (q, qd, qdd) = random_mechanism(seed)
    eq = da.equations(m)
    truth = np.array(newton_euler(m.bound(), *([float(x) for x in v] for v in (q, qd, qdd))))
    assert_allclose(eq.evaluate({}, q, qd, qdd), truth, atol=1e-11 * (1 + np.abs(truth).max()))
    compare(eq, m, q)


@pytest.mark.parametrize("seed", range(4))
def test_a_general_axis_has_closed_forms(seed):
    m, (q, _, _) = random_mechanism(seed, n=3, general=True)
    compare(da.equations(m), m, q)


@pytest.mark.parametrize("seed", range(8))
def test_both_forms_are_exactly_the_same(seed):
    m, _ = random_mechanism(seed, n=4)
    eq = da.equations(m)
    for kind in "QABC":
        for entry in getattr(eq, kind):
            assert eq.ring.reduced(entry.form("condensed") - entry.raw) == 0


@pytest.mark.parametrize("name", FILES)
def test_the_reference_files(oracles_dir, name):
    data = json.loads((oracles_dir / f"{name}.json").read_text())
    eq = da.equations(da.load(data))
    still = eq.neglect("velocity")
    for state in data["states"]:
        expected, q = state["expected"], state["q"]
        c = eq.coefficients({}, q)
        for i, row in enumerate(expected["A"], 1):
            for j, x in enumerate(row, 1):
                assert abs(c["A", (min(i, j), max(i, j))] - x) < 1e-11
        for i, x in enumerate(expected["gravity_load"], 1):
            assert abs(c["Q", (i,)] + x) < 1e-11
        if "C" in expected:
            for i, row in enumerate(expected["C"], 1):
                for j, x in enumerate(row, 1):
                    assert abs(c["C", (i, j)] - x) < 1e-11
            key = "B_nonzero_1based_ijk_k_gt_j"
            known = {tuple(row[:3]): row[3] for row in expected[key]}
            for place in eq.places("B"):
                assert abs(c["B", place] - known.get(place, 0.0)) < 1e-11
        tau = eq.evaluate({}, q, state["qd"], state["qdd"])
        assert_allclose(tau, expected["tau"], atol=1e-10)
        if "tau_without_coriolis_centrifugal" in expected:
            tau = still.evaluate({}, q, state["qd"], state["qdd"])
            assert_allclose(tau, expected["tau_without_coriolis_centrifugal"], atol=1e-10)


def test_the_report_s_phrase_gives_the_reported_constants_and_values(oracles_dir):
    data = json.loads((oracles_dir / "s000_robot6r.json").read_text())
    eq = da.equations(da.robots.report6r())
    values = data["parameters"] | {"G": -9.81}
    state = data["states"][0]
    at = dict(zip(eq.ring.symbols.names, eq.values(values, state["q"]), strict=True))
    for name, x in data["reported_constants"].items():
        if name in at:
            assert_allclose(at[name], x, rtol=1e-13)
    assert "WY1" in eq.constants
    tau = eq.evaluate(values, state["q"], state["qd"], state["qdd"])
    assert_allclose(tau, state["expected"]["tau"], atol=1e-10)


def test_the_frozen_wrist_is_the_restricted_model(oracles_dir):
    data = json.loads((oracles_dir / "s000_robot6r.json").read_text())
    eq = da.equations(da.robots.report6r())
    values = data["parameters"] | {"G": -9.81}
    for state in data["states"]:
        q, expected = state["q"], state["expected"]["restricted_model_frozen_wrist"]
        frozen = eq.freeze({4: q[3], 5: q[4], 6: "t6"})
        known = values | {"t6": q[5]}
        tau = frozen.evaluate(known, q[:3], state["qd"][:3], state["qdd"][:3])
        assert_allclose(tau, expected["tau"], atol=1e-10)
        for i in range(3):
            assert_allclose(frozen.Q[i + 1].value(known, q[:3]), expected["Q"][i], atol=1e-10)
            for j in range(3):
                A = frozen.A[i + 1, j + 1].value(known, q[:3])
                assert_allclose(A, expected["A"][i][j], atol=1e-10)


@pytest.mark.parametrize("held", [{4: 0.3, 5: -1, 6: 0}, {4: "t4", 5: "t5"}, {1: 0, 2: "t2", 3: 1}])
def test_frozen_equations_are_those_of_the_locked_mechanism(held):
    m = da.robots.report6r()
    frozen = da.equations(m).freeze(held)
    locked = da.equations(m.lock(list(held), at=held))
    assert frozen.n == 6 - len(held)
    assert frozen.ring.symbols.names == locked.ring.symbols.names
    for kind in "QABC":
        for a, b in zip(getattr(frozen, kind), getattr(locked, kind), strict=True):
            assert a.poly.to_dict() == b.poly.to_dict() and a.raw.to_dict() == b.raw.to_dict()
    # and the values are those of the full equations with the joints at rest
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.normal(size=(3, 6))
    symbols = {x: q[j - 1] for j, x in held.items() if isinstance(x, str)}
    for j, x in held.items():
        q[j - 1] = symbols.get(x, x)
        qd[j - 1] = qdd[j - 1] = 0
    free = [k for k in range(6) if k + 1 not in held]
    values = {p.name: rng.uniform(0.1, 2) for p in m.parameters}
    full = da.equations(m).evaluate(values, q, qd, qdd)[free]
    assert_allclose(frozen.evaluate(values | symbols, q[free], qd[free], qdd[free]), full, 1e-11)


def test_states_may_be_arrays():
    eq = da.equations(random_mechanism(1)[0])
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 5, eq.n))
    batch = eq.evaluate({}, q, qd, qdd)
    assert batch.shape == (5, eq.n)
    assert_allclose(batch[2], eq.evaluate({}, q[2], qd[2], qdd[2]), atol=1e-12)


def test_b_is_symmetric_and_has_no_squares():
    eq = da.equations(da.robots.report6r())
    assert eq.B[1, 3, 2].poly == eq.B[1, 2, 3].poly
    assert eq.A[2, 1].poly == eq.A[1, 2].poly
    with pytest.raises(da.UsageError, match="B\\[1, 2, 2\\]") as error:
        eq.B[1, 2, 2]
    assert "C[1, 2]" in str(error.value)
    for bad in (lambda: eq.A[0, 1], lambda: eq.Q[7], lambda: eq.C[1]):
        with pytest.raises(da.UsageError):
            bad()


def test_the_sign_of_section_2_is_the_other_one():
    eq = da.equations(da.robots.report6r())
    other = eq.with_sign("section2")
    assert other.Q[2].poly == -eq.Q[2].poly
    assert "+ Q(i)" in other.text("report", ["Q"]) and "section 2" in other.text("report", ["Q"])
    values = dict.fromkeys((p.name for p in eq.mechanism.parameters), 1.0)
    q = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    assert_allclose(other.evaluate(values, q, q, q), eq.evaluate(values, q, q, q))
    # also after terms were left out
    less = eq.drop("Q(2):1")
    turned = less.with_sign("section2")
    assert less.Q[2].poly != eq.Q[2].poly and turned.Q[2].poly == -less.Q[2].poly
    assert_allclose(turned.evaluate(values, q, q, q), less.evaluate(values, q, q, q))


def test_what_vanishes_is_told_at_once_where_it_is_more_than_one():
    one = da.equations(da.load("RZ(); body 1: I = (0, 0, 1);")).text()
    assert "Q(1) = 0" in one and "are zero" not in one
    two = da.equations(da.load("RZ(), TXK(1), RZ(); body 2: I = (0, 0, 1);")).text()
    assert "# Q: all 2 are zero" in two and "Q(1)" not in two


def test_sympy_agrees_on_a_planar_arm():
    sympy = pytest.importorskip("sympy")
    form = da.equations(da.robots.planar2r()).to_sympy()
    q1, q2 = form.q
    names = ("m1", "m2", "l1", "l2", "j1", "j2", "G")
    m1, m2, l1, l2, j1, j2, G = (sympy.Symbol(x, real=True) for x in names)
    u1, u2 = sympy.symbols("u1 u2", real=True)
    x1, y1 = l1 * sympy.cos(q1), l1 * sympy.sin(q1)
    x2, y2 = x1 + l2 * sympy.cos(q1 + q2), y1 + l2 * sympy.sin(q1 + q2)

    def speed(f):
        return sympy.diff(f, q1) * u1 + sympy.diff(f, q2) * u2

    energy = m1 * (speed(x1) ** 2 + speed(y1) ** 2) + m2 * (speed(x2) ** 2 + speed(y2) ** 2)
    energy = (energy + j1 * u1**2 + j2 * (u1 + u2) ** 2) / 2
    work = G * (m1 * y1 + m2 * y2)
    for i, (q, u) in enumerate(zip((q1, q2), (u1, u2), strict=True)):
        assert sympy.simplify(form.Q[i].subs(form.constants) - sympy.diff(work, q)) == 0
        for j, v in enumerate((u1, u2)):
            truth = sympy.diff(energy, u, v)
            assert sympy.simplify(form.A[i, j].subs(form.constants) - truth) == 0
    assert sympy.simplify((form.B[1, 1, 2] - 2 * form.C[0, 1]).subs(form.constants)) == 0


def test_what_has_no_closed_form_is_refused_with_the_way_out():
    load = Inertia(2, Vec3(0, 0, 1))
    flat = Mechanism((Body("a", -1, joint=Planar(), inertia=load),))
    free = Mechanism((Body("a", -1, joint=Free(), inertia=load),))
    for m in (flat, free):
        with pytest.raises(da.ModelError, match="expand=True"):
            da.equations(m)
    assert da.equations(flat, expand=True).n == 3
    assert da.equations(free, expand=True).n == 6
    ball = Mechanism((Body("a", -1, joint=Spherical(), inertia=load),))
    with pytest.raises(da.ModelError, match="expand=True takes it apart into three turns"):
        da.equations(ball)


def test_an_expanded_ball_has_the_mass_matrix_of_its_turns():
    load = Inertia(2, Vec3(0.3, 0.1, 1), Mat3.symmetric(1, 2, 3, 0.1, 0.2, 0.3))
    ball = Body("b", 0, Transform(p=Vec3(1, 0, 0)), Spherical(), load)
    eq = da.equations(Mechanism((Body("a", -1, joint=Revolute()), ball)), expand=True)
    assert eq.mechanism.joint_names == ("a", "b.rz", "b.ry", "b")
    compare(eq, eq.mechanism, [0.1, 0.2, 0.3, 0.4])


def test_a_pose_is_taken_over_by_what_is_expanded():
    """Frames stand where they stood, whatever the quaternion."""
    bodies = (Body("a", -1, joint=Free()), Body("s", 0, Transform(p=Vec3(1, 2, 3)), Prismatic()))
    m = Mechanism((*bodies, Body("b", 1, Transform(p=Vec3(1, 0, 0)), Spherical())))
    rng, whole = np.random.default_rng(1), expanded(m)
    for _ in range(20):
        q = da.integrate(m, da.neutral(m), 3 * rng.normal(size=m.nv))
        own = expanded_pose(m, q.tolist())
        assert len(own) == whole.nq == 10 and expanded_pose(m, own) == own
        np.testing.assert_allclose(
            da.pose(whole, own, frame="b"), da.pose(m, q, frame="b"), atol=1e-12
        )


def test_an_expanded_free_body_has_the_mass_matrix_of_its_coordinates():
    load = Inertia(2, Vec3(0, 0, 1), Mat3.symmetric(1, 2, 3, 0, 0, 0))
    eq = da.equations(Mechanism((Body("a", -1, joint=Free(), inertia=load),)), expand=True)
    assert str(eq.A[1, 1]) == "MT1" and eq.constants["MT1"] == 2
    compare(eq, eq.mechanism, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6])


def test_parameters_that_are_missing_or_unknown_are_named():
    eq = da.equations(da.robots.report6r())
    q = [0.0] * 6
    with pytest.raises(da.ParameterError, match="L1"):
        eq.evaluate({}, q)
    with pytest.raises(da.ParameterError, match="XYZ"):
        eq.evaluate({"XYZ": 1}, q)


def test_a_model_that_is_too_large_is_refused_with_the_estimate():
    chain = "".join(f"R{'XYZ'[j % 3]}(),TZK(L{j}),TXK(A{j})," for j in range(1, 17))
    m = da.load(chain + "RZ();", inertia="full")
    eq = da.equations(m)
    assert len(eq.Q[16]) > 0
    with pytest.raises(da.TooLargeError, match="terms, and the limit") as error:
        len(eq.B[1, 2, 3])
    assert "inverse_dynamics" in str(error.value)
    with pytest.raises(da.TooLargeError, match="sums of angles"):
        da.equations(da.load("RZ(),TXK(1)," * 100 + "RZ();"))


@pytest.mark.parametrize("name", ["q2", "qd1", "qdd1"])
def test_a_parameter_called_like_a_coordinate_has_no_closed_form(name):
    link = {"mass": 1, "com": [name, 0, 0], "inertia": [1, 1, 1]}
    turn = {"type": "revolute", "axis": [0, 0, 1]}
    bodies = [{"name": f"b{k}", "parent": k - 1, "joint": turn, **link} for k in range(2)]
    m = da.load({"format": "dalembert/1", "symbols": [name], "bodies": bodies})
    with pytest.raises(da.ParameterError, match="has the name of a coordinate"):
        da.equations(m)
    da.inverse_dynamics(m.with_values(**{name: 0.2}), [0, 0], [0, 0], [0, 0])


ROUND = "RZ(),TZK(0.3),RY(),TXK(0.4),RX(),TXK(0.2);"
BODIES = "body {}: M = {}, D = ({}, 0, 0), I = ({}, {}, {});"


def arm_with_last_body(*moments):
    numbers = [BODIES.format(j, 3 - j, 0.1, 0.02, 0.05, 0.06) for j in (1, 2)]
    return da.load(ROUND + " ".join([*numbers, BODIES.format(3, 0.5, 0.05, 0.001, *moments)]))


def test_the_angle_of_a_round_body_given_as_numbers_is_in_no_coefficient():
    """Its moments across the axis are one number: c² + s² of its turn is 1."""
    eq = da.equations(arm_with_last_body("0.004", "0.004"))
    for form in ("condensed", "report"):
        assert "S3" not in eq.text(form) and "C3" not in eq.text(form)
    assert "S3" in da.equations(arm_with_last_body("0.004", "0.0041")).text("report")
    assert "JZ3" not in eq.constants and "JY3" in eq.constants
    q, qd, qdd = np.random.default_rng(3).normal(size=(3, 3))
    expected = newton_euler(eq.mechanism.bound(), q, qd, qdd)
    assert_allclose(eq.evaluate({}, q, qd, qdd), expected, atol=1e-13)


def test_round_bodies_given_by_letters_keep_their_names():
    eq = da.equations(da.load("RZ(),TZK(0.3),RX(),TXK(0.2); body 2: M = 1, I = (0.1, A, A);"))
    assert {"JY2", "JZ2"} <= set(eq.constants)


@pytest.mark.parametrize(("base", "parts"), [("free", 6), ("planar", 3)])
def test_the_name_of_an_expanded_base_holds_all_of_it(base, parts):
    m = da.load("RZ(),TXK(L1),RZ(),TXK(L2);", base=base)
    eq = da.equations(m, expand=True)
    fixed = da.equations(da.load("RZ(),TXK(L1),RZ(),TXK(L2);"))
    for held in ({"base": 0}, ["base"], "base"):
        frozen = eq.freeze(held)
        assert frozen.mechanism.joint_names == ("j1", "j2")
        assert [str(x) for x in frozen.A] == [str(x) for x in fixed.A]
    with pytest.raises(da.UsageError, match="held whole at 0"):
        eq.freeze({"base": 0.3})
    with pytest.raises(da.UsageError, match="held whole at 0"):
        eq.freeze({"base": 0, "base.x": 0})
    names = eq.mechanism.joint_names[:parts]
    assert eq.freeze(dict.fromkeys(names, 0.3)).n == 2  # part by part
    assert eq.freeze({parts: 0.3}).n == eq.n - 1  # the last turn alone, by its number


def test_loops_that_are_also_constrained_have_no_closed_form_of_a_tree():
    data, _ = linkages.four_bar("four-bar", 0.3, 0.8, 0.6, 0.7, 0.9)
    rule = {"name": "c", "equation": "crank0d = 1"}
    m = da.load({**data, "velocity_constraints": [rule]})
    with pytest.raises(da.ModelError, match="has loops or constraints"):
        da.equations(m)
