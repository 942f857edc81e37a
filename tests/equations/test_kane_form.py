"""Kane's ten steps in closed form: the printed examples exactly, every machine by numbers."""

import shutil
import sys
from dataclasses import replace
from fractions import Fraction as Q

import numpy as np
import pytest

import dalembert as da
import models
from agreement import floats
from dalembert.algebra import Rotation, Transform, Vec3
from dalembert.algorithms import kane
from dalembert.algorithms.joint_forces import JointForces
from dalembert.algorithms.velocity_constraints import Constraints
from dalembert.equations.ratio import Ratio
from dalembert.errors import ModelError, NotPolynomialError
from dalembert.mechanism import Drive, JointSpring, PointSpring
from mechanisms import random_mechanisms

R = da.robots


def rational_angle(t):
    """Return (cos, sin) of an angle with rational both."""
    return (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)


class Point:
    """A random rational state and random rational parameters: exact values of all symbols."""

    def __init__(self, form, seed):
        rng = np.random.default_rng(seed)
        s = form.setting.symbols
        angle = {k: rational_angle(Q(int(rng.integers(1, 9)), 10)) for k in s.angles()}
        self.named = {}
        values = []
        for g in s.generators:
            if g.key[0] in ("sin", "cos"):
                c, si = 1, 0
                for k in g.key[1]:
                    ck, sk = angle[k]
                    c, si = c * ck - si * sk, si * ck + c * sk
                x = c if g.key[0] == "cos" else si
            else:
                x = Q(int(rng.integers(1, 20)), int(rng.integers(1, 9)))
            self.named[g.name] = Q(x)
            values.append(Q(x))
        self.values = values

    def __call__(self, x):
        return x.at(self.values) if isinstance(x, Ratio) else Q(x)

    def matrix(self, A):
        return [[self(x) for x in row] for row in A]


# -- the planar 2R, (7.9)-(7.25) -------------------------------------------------------------------

PLANAR_STEP_9 = """\
D(1,1) = m2*(l1**2+2*l1*l2*C2+l2**2)+m1*l1**2+j1+j2
D(1,2) = m2*l2*(l1*C2+l2)+j2
D(2,1) = m2*l2*(l1*C2+l2)+j2
D(2,2) = m2*l2**2+j2
C(1,1) = -m2*l1*l2*S2*qd2
C(1,2) = -m2*l1*l2*S2*(qd1+qd2)
C(2,1) = m2*l1*l2*S2*qd1
C(2,2) = 0
tau(1) = G*(m1*l1*C1+m2*l1*C1+m2*l2*C12)+tau1
tau(2) = tau2+m2*G*l2*C12
"""


def test_the_planar_2r_prints_its_printed_matrices():
    text = da.kane_form(R.planar2r()).text()
    assert PLANAR_STEP_9 in text
    assert [line for line in text.splitlines() if line.startswith("# step")] == [
        "# step 1: frames",
        "# step 2: generalized coordinates",
        "# step 3: f(q): positions of the mass centres, orientations",
        "# step 4: J_h: v = J_h qd",
        "# step 5: alpha and J_nh: qd = J_nh alpha",
        "# step 6: J = J_h J_nh, Jd = dJ/dt",
        "# step 7: M and W of each body",
        "# step 8: active forces and couples at the mass centres",
        "# step 9: D = J'MJ, C = J'(M Jd + W M J), tau, g0, gw",
        "# step 10: state model",
    ]
    for line in ("x2 = l1*C1+l2*C12", "J_h(5,1) = l1*C2+l2", "Jd(5,1) = -l1*S2*qd2",
                 "W2(1,2) = -(qd1+qd2)", "omega1(3) = tau1-tau2"):  # fmt: skip
        assert line in text.splitlines()


@pytest.mark.parametrize("beyond", [-1, 0, 1])
def test_products_are_left_where_they_take_more_terms_than_are_multiplied_out(monkeypatch, beyond):
    """D counts those of J'J, and C those of J'J̇ beside them."""
    form = da.kane_form(R.planar2r())
    one, both = (form._work(form.J, x) for x in (form.J, form.J_dot))
    for name, most in (("D", one), ("C", one + both)):
        monkeypatch.setattr(sys.modules["dalembert.equations.kane_form"], "EXPANDED", most + beyond)
        assert (getattr(da.kane_form(R.planar2r()), name) is None) == (beyond < 0)


def test_powers_of_ratios_are_their_products():
    form = da.kane_form(R.unicycle())
    field, names = form.field, [g.key for g in form.setting.symbols.generators]
    x, y = (field.gen(*key) for key in names[:2])
    for ratio in (x / y, (x + 2) / (3 * y - 1), -y):
        assert ratio**1 == ratio and ratio**2 == ratio * ratio
        assert ratio**3 == ratio * ratio * ratio and (1 / ratio) ** 3 * ratio**3 == 1


@pytest.mark.parametrize("seed", range(5))
def test_the_planar_2r_is_7_22_to_7_25_corrected(seed):
    form = da.kane_form(R.planar2r())
    at = Point(form, seed)
    v = at.named
    m1, m2, l1, l2, j1, j2, g = (v[k] for k in ("m1", "m2", "l1", "l2", "j1", "j2", "G"))
    g = -g
    s2, c2, c1, c12 = v["S2"], v["C2"], v["C1"], v["C12"]
    va, vb, a, b = v["qd1"], v["qd2"], v["qdd1"], v["qdd2"]
    off = m2 * (l2**2 + l1 * l2 * c2) + j2
    first = m1 * l1**2 + m2 * (l1**2 + l2**2 + 2 * l1 * l2 * c2) + j1 + j2
    assert at.matrix(form.D) == [[first, off], [off, m2 * l2**2 + j2]]  # (7.22), E3.14
    k = m2 * l1 * l2 * s2
    assert at.matrix(form.C) == [[-k * vb, -k * (va + vb)], [k * va, 0]]  # (7.23)
    load = (m1 + m2) * g * l1 * c1 + m2 * g * l2 * c12
    assert at(form.tau[0]) == v["tau1"] - load  # (7.24)
    assert at(form.tau[1]) == v["tau2"] - m2 * g * l2 * c12
    gamma1 = m2 * l2**2 * (a + b) + m2 * l1 * l2 * c2 * (2 * a + b) + (m1 + m2) * l1**2 * a
    gamma1 += -k * vb**2 - 2 * k * va * vb + load + j1 * a + j2 * (a + b)
    gamma2 = m2 * l1 * l2 * c2 * a + k * va**2 + m2 * l2**2 * (a + b) + m2 * g * l2 * c12
    gamma2 += j2 * (a + b)
    assert at(form.balance[0]) == gamma1 - v["tau1"]  # (7.25), E3.17
    assert at(form.balance[1]) == gamma2 - v["tau2"]
    G = at.matrix(form.gw)
    D = at.matrix(form.D)
    assert [[sum(D[i][t] * G[t][j] for t in (0, 1)) for j in (0, 1)] for i in (0, 1)] == [
        [1, 0], [0, 1]
    ]  # fmt: skip


# -- the truck, (8.11)-(8.46) ----------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_the_truck_is_8_11_to_8_46_corrected(seed):
    form = da.kane_form(R.truck(1))
    at = Point(form, seed)
    n = at.named
    l1, l2, b, c, d = (n[k] for k in ("l1", "l2", "b", "c", "d"))
    s, k, t, cd = n["sin(phi1)"], n["cos(phi1)"], n["sin(delta)"] / n["cos(delta)"], n["cos(delta)"]
    st, ct, ss, cs = n["sin(th)"], n["cos(th)"], n["sin(th+phi1)"], n["cos(th+phi1)"]
    kept = [r for r in range(12) if r % 6 in form.kept]
    assert form.kept == (0, 1, 5)
    e = l2 - d
    J_h = [[ct, st, 0, 0], [-st, ct, b, 0], [0, 0, 1, 0],
           [cs, ss, -c * s, 0], [-ss, cs, -e - c * k, -e], [0, 0, 1, 1]]  # fmt: skip
    assert at.matrix([form.J_h[r] for r in kept]) == J_h  # (8.11), (8.12), E3.19
    last = -(l1 * s + (l2 + c * k) * t) / (l1 * l2)
    assert [at(r[0]) for r in form.J_nh] == [ct, st, t / l1, last]  # (8.18), E3.21
    J = [Q(1), b * t / l1, t / l1, k - c * s * t / l1, -d * s / l2 - c * d * k * t / (l1 * l2),
         -(l1 * s + c * k * t) / (l1 * l2)]  # fmt: skip
    assert [at(form.J[r][0]) for r in kept] == J  # (8.21)
    A = [0, 0, 0, -(l1 * s + c * k * t) / l1, -(d * l1 * k - c * d * s * t) / (l1 * l2),
         -(l1 * k - c * s * t) / (l1 * l2)]  # fmt: skip
    B = [x / cd**2 for x in (0, b / l1, 1 / l1, -c * s / l1, -c * d * k / (l1 * l2),
                             -c * k / (l1 * l2))]  # fmt: skip
    phid, deltad = n["phi1d"], n["deltad"]
    rate = [x * phid + y * deltad for x, y in zip(A, B, strict=True)]
    assert [at(form.J_dot[r][0]) for r in kept] == rate  # (8.22)-(8.25), E3.24
    M = [n["m1"], n["m1"], n["j1"], n["m2"], n["m2"], n["j2"]]
    D = sum(m * x * x for m, x in zip(M, J, strict=True))
    C = sum(m * x * y for m, x, y in zip(M, J, rate, strict=True))
    assert at(form.D[0][0]) == D  # (8.31)
    assert at(form.C[0][0]) == C  # (8.32)-(8.34), E3.26
    F = n["F_front"], n["F_rear"], n["F_axle1"]
    wa = [F[1] + F[0] * cd, F[0] * n["sin(delta)"], (l1 - b) * F[0] * n["sin(delta)"], F[2], 0, 0]
    assert [at(x) for w in form.omega for x in [w[r] for r in form.kept]] == wa  # E3.27
    assert at(form.tau[0]) == sum(x * y for x, y in zip(J, wa, strict=True))
    assert at(form.gw[0][0]) == 1 / D


def test_the_truck_prints_its_jacobian_with_tangents():
    lines = da.kane_form(R.truck(1)).text().splitlines()
    assert "J(4,1) = cos(phi1)-c*sin(phi1)*tan(delta)/l1" in lines
    assert "thd = v*tan(delta)/l1" in lines
    assert "D(1,1) = m1*J(1,1)**2+m1*J(2,1)**2+j1*J(3,1)**2+m2*J(4,1)**2+m2*J(5,1)**2"\
        "+j2*J(6,1)**2" in lines  # fmt: skip
    tex = da.kane_form(R.truck(1)).latex()
    assert r"J_{nh}(3,1) = \frac{\tan \delta}{l_{1}}" in tex
    assert tex.count("\\paragraph{Step") == 10


# -- every machine by numbers ----------------------------------------------------------------------


def free_machine(name, kind="free", more=(), **rest):
    """Return a body on a quaternion joint, others behind it."""
    body = {"name": name, "parent": -1, "joint": {"type": kind, "name": name}, "mass": 1.5,
            "com": [0.1, 0, -0.2], "inertia": [0.06, 0.07, 0.05]}  # fmt: skip
    return da.load({"format": "dalembert/1", "bodies": [body, *more], **rest})


UNIVERSAL = (
    {"name": "cross", "parent": 0, "joint": {"type": "revolute", "name": "u1", "axis": [1, 0, 0]}},
    {"name": "mast", "parent": "cross", "mass": 0.5, "com": [0, 0, 0.4], "inertia": [0.1, 0.2, 0.3],
     "joint": {"type": "revolute", "name": "u2", "axis": [0, 1, 0]}},
)  # fmt: skip
MACHINES = {
    "car": R.truck(0),
    "road train": R.truck(3),
    "double steering": R.double_steering_car(),
    "unicycle": R.unicycle(),
    "differential drive": R.differential_drive(),
    "mobile manipulator": R.mobile_manipulator(),
    "rolling disc": R.rolling_disc(),
    "crane": R.crane(),
    "ball": free_machine("ball", rolling=[{"name": "b", "kind": "sphere", "body": "ball",
                                           "radius": 0.1, "normal": [0, 0.6, 0.8]}]),
    "top": free_machine("top", "spherical"),
    "held by universals": free_machine("ship", "spherical", UNIVERSAL),
}  # fmt: skip


def values(form, q, rates, alpha, tau, forces, steer, steer_rate):
    """Return floats of all symbols at a state of the library."""
    m, s = form.mechanism, form.setting.symbols
    own = len(s.steer)
    clock = steer[own + len(s.given) :]  # after steering angles and rates of prescribed joints
    coordinates = [*q, *steer[:own], *(clock if len(clock) else [0.0])]
    speeds = [*rates, *steer_rate[:own]]
    second = dict(zip(s.given, steer_rate[own:], strict=False))
    wheels = {w.name: f for w, f in zip(m.wheels, forces, strict=True)}
    known = dict(m.values)
    out = []
    for g in s.generators:
        kind, *rest = g.key
        if kind in ("sin", "cos"):
            out.append(getattr(np, kind)(sum(coordinates[k - 1] for k in rest[0])))
        elif kind in ("q", "rate"):
            out.append((coordinates if kind == "q" else speeds)[rest[0] - 1])
        elif kind == "speed":
            out.append(alpha[s.speeds.index(rest[0])])
        elif kind == "force":
            out.append(tau[rest[0] - 1] if isinstance(rest[0], int) else wheels[rest[0]])
        elif kind == "second" and rest[1] in second:
            out.append(second[rest[1]])
        elif kind == "p":
            out.append(float(known[rest[0]]))
        elif kind == "other":
            out.append(float(da.expr.exact.to_float(s.others[rest[0]])))
        else:
            out.append(0.0)
    return out


def number(form, x, at):
    if not isinstance(x, Ratio):
        return float(x)
    ring = form.setting.ring
    return float(ring.evaluate(x.num, at) / ring.evaluate(x.den, at))


def still(form, at, J, Jd):
    """Return J and its rate with symmetric bodies in axes that do not spin: R J, R (J̇ + S q̇ J)."""
    J, Jd = (np.array([floats(x) for x in A]) for A in (J, Jd))
    for b, j in enumerate(form.bodies):
        if j in form.cyclic:
            c = form.cyclic[j]
            R = np.array([[number(form, x, at) for x in row] for row in c.R.rows])
            a = np.array([number(form, x, at) for x in c.axis])
            S = np.cross(np.eye(3), a) * number(form, form.setting.qd[c.rate], at)
            for k in (6 * b, 6 * b + 3):
                Jd[k : k + 3] = R @ (Jd[k : k + 3] + S @ J[k : k + 3])
                J[k : k + 3] = R @ J[k : k + 3]
    return J, Jd


def compared(m, seed):
    form = da.kane_form(m)
    rng = np.random.default_rng(seed)
    b = m.bound()
    steer = rng.uniform(-0.5, 0.5, len(Constraints.of(m).inputs))
    rate = rng.uniform(-1, 1, len(steer))
    q = rng.uniform(-0.8, 0.8, m.nq)
    if m.nq > m.nv:
        q = np.array(da.integrate(m.tree, da.neutral(m.tree), rng.uniform(-0.8, 0.8, m.nv)))
    m = form.mechanism
    alpha = rng.uniform(-1, 1, len(kane.speed_names(m)))
    b = m.bound()
    r = kane.reduction(b, q, alpha, steer, rate)
    moved = form.setting.symbols.motors()
    tau = np.array([rng.uniform(-5, 5) if k + 1 in moved else 0.0 for k in range(m.nv)])
    forces = rng.uniform(-5, 5, len(m.wheels))
    at = values(form, q, floats(r.qd), alpha, tau, forces, steer, rate)
    D, C = models.D_and_C(b, q, r)
    acting = kane.active_forces(b, r, kane.Acting(tau, forces, JointForces(b)))
    J_nh = np.array([floats(x) for x in r.J_nh])
    J, Jd = still(form, at, *models.J_and_rate(b, q, r))
    own_C = form.C or form.C_of(form.J, form.J_dot)
    pairs = [(J, form.J), (Jd, form.J_dot), (r.J_nh, form.J_nh),
             (D, form.D or form.D_of(form.J)), (C, own_C)]  # fmt: skip
    for ref, found in pairs:
        ref = np.array([floats(x) for x in ref])
        got = np.array([[number(form, x, at) for x in row] for row in found])
        np.testing.assert_allclose(got, ref, rtol=0, atol=1e-10 * (np.abs(ref).max() + 1))
    want = J_nh.T @ floats(acting)
    got = [number(form, x, at) for x in form.tau or form.tau_of(form.J)]
    np.testing.assert_allclose(got, want, rtol=0, atol=1e-10 * (np.abs(want).max() + 1))
    return form


def test_a_wheel_on_a_body_without_mass_pushes_what_the_body_carries():
    """The form leaves out the slides that carry a cart; the wheel stands on one of them."""
    slides = [("sx", -1, "x", [1, 0, 0]), ("sy", 0, "y", [0, 1, 0])]
    bodies = [
        {"name": n, "parent": k, "joint": {"type": "prismatic", "name": x, "axis": axis}}
        for n, k, x, axis in slides
    ]
    turn = {"type": "revolute", "name": "th", "axis": [0, 0, 1]}
    cart = {"name": "cart", "parent": 1, "joint": turn, "mass": 2, "com": [0.3, 0, 0]}
    wheel = {"name": "rail", "body": "sy", "point": [0.1, 0.2, 0], "normal": ["-3/5", "4/5", 0]}
    m = da.load({"format": "dalembert/1", "bodies": [*bodies, cart | {"inertia": [0, 0, 0.3]}],
                 "wheels": [wheel]})  # fmt: skip
    assert len(compared(m, 7).bodies) == 1


@pytest.mark.parametrize("name", MACHINES)
def test_closed_forms_are_those_of_the_algorithm(name):
    form = compared(MACHINES[name], 7)
    assert form.text().count("# step") == 10


@pytest.mark.parametrize(
    "m",
    random_mechanisms(
        6, seed=44, dof=(2, 4), joints={"revolute": 3, "prismatic": 1}, root=0, drives=0,
        masses={"decade": 1}, lengths={"metre": 1},
    ),
    ids=lambda m: m.name,
)  # fmt: skip
def test_closed_forms_of_random_trees(m):
    compared(m, 8)


def driven(m, *joints, speeds=None, **more):
    """Return a machine with joints that follow a motion, drives and springs."""
    speeds = m.speeds if speeds is None else speeds
    return replace(m, prescribed=(*m.prescribed, *joints), speeds=speeds, checked=False, **more)


EQUIPPED = {
    "turned unicycle": driven(R.unicycle(), "th", speeds=("v",), drives=(Drive(0, Q(3, 10), 2),)),
    "spun disc": driven(R.rolling_disc(), "spin", speeds=("yaw", "lean")),
    "elastic hitch": driven(
        R.truck(1), elastic=(JointSpring(3, 500, Q(1, 10), 7),), drives=(Drive(2, 30, -2),)
    ),
    "arm that follows": driven(
        R.mobile_manipulator(), "elbow", speeds=("spin_left", "spin_right", "shoulder"),
        drives=(Drive(0, 1, 1), Drive(5, Q(1, 100), 3)), elastic=(JointSpring(5, 40, 0, 1),),
    ),
    "crane on a spring": driven(
        R.crane(), springs=(PointSpring(-1, Vec3(0, 0, 1), 1, Vec3(0, 0, -6), 20),)
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", EQUIPPED)
def test_prescribed_joints_rotors_and_springs_stand_in_the_closed_forms(name):
    """D α̇ + C α + c0 = τ gives the rates of the kernel."""
    m = EQUIPPED[name]
    form = compared(m, 9)
    rng = np.random.default_rng(10)
    given = len(Constraints.of(m).inputs)
    q, alpha = rng.uniform(-0.7, 0.7, m.nq), rng.uniform(-1, 1, len(m.speeds or (1,) * m.nv))
    steer, rate = rng.uniform(-0.5, 0.5, given), rng.uniform(-1, 1, given)
    tau, forces = np.zeros(m.nv), rng.uniform(-5, 5, len(m.wheels))
    qd, _ = da.kane_motion(m, q, alpha, steer, rate, tau, forces)
    at = values(form, q, qd, alpha, tau, forces, steer, rate)
    D, C = (np.array([[number(form, x, at) for x in row] for row in A])
            for A in (form.D_of(form.J), form.C_of(form.J, form.J_dot)))  # fmt: skip
    c0, acting = ([number(form, x, at) for x in v] for v in (form.drift_force, form.tau_of(form.J)))
    found = np.linalg.solve(D, np.array(acting) - C @ alpha - c0)
    ref = da.alpha_dot(m, q, alpha, steer, rate, tau, forces)
    np.testing.assert_allclose(found, ref, rtol=0, atol=1e-10 * (np.abs(ref).max() + 1))
    assert form.text().count("# step") == form.latex().count("paragraph{Step") == 10


def test_spin_angles_of_symmetric_wheels_stand_in_no_step():
    for m, spins in ((R.rolling_disc(), ("spin",)), (R.differential_drive(), ("spin_left",))):
        form = da.kane_form(m)
        lines = form.text().splitlines()
        said = [line for line in lines if line.startswith("# cyclic")]
        assert len(said) == 1 and all(n in said[0] for n in spins)
        assert not any(f"({n})" in line or f"+{n})" in line for line in lines for n in spins)
    # a disc that is not round keeps its angle
    disc = R.rolling_disc()
    *bodies, wheel = disc.bodies
    lame = wheel.inertia.moved(Transform(Rotation(), Vec3(Q(1, 10), 0, 0)))
    other = replace(disc, bodies=(*bodies, replace(wheel, inertia=lame)), checked=False)
    assert "sin(spin)" in da.kane_form(other).text()


def test_quaternions_print_their_kinematics():
    text = da.kane_form(MACHINES["top"]).text()
    assert "# quaternions have length 1: qx**2+qy**2+qz**2+qw**2 = 1\n" in text
    assert "top_qwd = -0.5*(top_qx*top_wx+top_qy*top_wy+top_qz*top_wz)\n" in text
    made = da.kane_form(MACHINES["ball"])
    assert made.text().count("# step") == made.latex().count("paragraph{Step") == 10
    assert len(made.text()) < 12_000


def test_what_stands_in_the_steps_is_said():
    text = da.kane_form(EQUIPPED["turned unicycle"]).text()
    assert "# prescribed: th\n" in text and "b(3) = thd\n" in text
    assert "Ia(1) = 1.2\n" in text and "# rotor of joint x\n" in text
    stiff = driven(R.crane(), springs=(PointSpring(-1, Vec3(0, 0, 1), 1, Vec3(0, 0, 0), 20, 1),),
                   drives=(Drive(0, viscous=2),))  # fmt: skip
    told = "# left out: friction of drives, springs with a natural length or damping\n"
    assert told in da.kane_form(stiff).text()


# -- long formulas ---------------------------------------------------------------------------------

LONG = ("mobile manipulator", "road train", "double steering")


@pytest.mark.parametrize("name", LONG)
def test_no_line_of_latex_is_wider_than_the_page(name):
    from dalembert.expr.style import LINE, latex_width

    tex = da.kane_form(MACHINES[name]).latex()
    for formula in tex.splitlines():
        assert formula.count("{") == formula.count("}")
        assert formula.count(r"\begin{align*}") == formula.count(r"\end{align*}")
        assert formula.count(r"\left(") == formula.count(r"\right)")
        lines = formula.split(r"\\")
        assert len(lines) <= 31
        if not formula.startswith(("\\noindent", "\\section", "\\paragraph")):
            # this measure counts both parts of a fraction, and the environment's name
            assert max(map(latex_width, lines)) < LINE * (2 if "frac" in formula else 1.2)


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("pdflatex"), reason="no pdflatex")
def test_latex_compiles_without_overfull_boxes(tmp_path):
    import subprocess

    from dalembert.equations.sections import whole

    machines = {**MACHINES, **EQUIPPED, "long": R.truck(5)}
    for name, m in machines.items():
        file = tmp_path / f"{name.replace(' ', '_')}.tex"
        file.write_text(whole(da.kane_form(m).latex()))
        run = ["pdflatex", "-interaction=batchmode", "-output-directory", tmp_path, file]
        assert subprocess.run(run, capture_output=True, timeout=60).returncode == 0, name
        assert "Overfull" not in file.with_suffix(".log").read_text(errors="replace"), name


# -- prescribed motion, bad input ------------------------------------------------------------------


def slider(equation, **more):
    bodies = [
        {"name": n, "parent": k - 1, "joint": {"type": "prismatic", "name": n, "axis": axis},
         "mass": 1 + k, "com": [0, 0, 0], "inertia": [0, 0, 0]}
        for k, (n, axis) in enumerate((("x", [1, 0, 0]), ("y", [0, 1, 0])))
    ]  # fmt: skip
    constraint = [{"name": "belt", "equation": equation}]
    return da.load({"format": "dalembert/1", "bodies": bodies, "speeds": ["x"],
                    "velocity_constraints": constraint, **more})  # fmt: skip


def test_prescribed_motion_stands_beside_j_nh():
    text = da.kane_form(slider("yd = 2*xd + 3*t")).text()
    assert "J_nh(2,1) = 2\n" in text
    assert "b(2) = 3*t\n" in text
    assert "c0(1) = 12\n" in text  # m2 J' d(b)/dt = 2 * 2 * 3
    assert "yd = 3*t+2*xd\n" in text or "yd = 2*xd+3*t\n" in text


def test_what_has_no_closed_form_is_said():
    with pytest.raises(ModelError, match="is decided by the constraints"):
        da.kane_form(slider("xd = 3*t")).text()
    with pytest.raises(NotPolynomialError):
        da.kane_form(slider("yd = sin(x*y)*xd")).text()


def test_the_crane_prints_its_zeros():
    lines = da.kane_form(R.crane()).text().splitlines()
    assert "C(1,1) = 0" in lines and "C(2,1) = 0" in lines
    assert "gw(1,1) = 0.00125/(1.3125-cos(swing)**2)" in lines


def test_a_long_inverse_of_two_rows_is_said_by_the_determinant():
    sympy = pytest.importorskip("sympy")
    form = da.kane_form(R.planar2r())
    lines = form.text([9]).splitlines()
    assert "detD = D(1,1)*D(2,2)-D(1,2)**2" in lines and "gw(2,1) = -D(1,2)/detD" in lines
    found = form.to_sympy([9], whole=True)
    for i in (1, 2):
        for j in (1, 2):
            own = form.gw[i - 1][j - 1].to_sympy()
            assert sympy.simplify(found[f"gw({i},{j})"] - own) == 0


def test_constants_stand_before_angles_below_a_fraction():
    lines = da.kane_form(R.truck()).text([1, 6]).splitlines()
    assert "B(2,1) = b/(l1*cos(delta)**2)" in lines and "centre2(x) = d-l2" in lines


def test_the_command_prints_the_steps(capsys):
    import json

    from dalembert.cli import main

    assert main(["derive", "robot:truck", "--form", "kane"]) == 0
    assert "J(4,1) = cos(phi1)-c*sin(phi1)*tan(delta)/l1" in capsys.readouterr().out
    assert main(["derive", "robot:planar2r", "--form", "kane", "--latex"]) == 0
    out = capsys.readouterr().out
    assert r"D(1,2) = m_{2}\,l_{2}\,\left(l_{1}\,c_{2}+l_{2}\right)+j_{2}" in out
    assert out.startswith("\\documentclass")
    assert main(["derive", "robot:unicycle", "--form", "kane", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [step["step"] for step in found["steps"]] == list(range(1, 11))
    assert found["speeds"] == ["v", "th"]


def test_steps_are_printed_one_by_one(capsys):
    from dalembert.cli import main

    form = da.kane_form(R.planar2r())
    one_by_one = [form.text([k]) for k in range(1, 11)]
    whole = form.text().splitlines()
    assert [line for text in one_by_one for line in text.splitlines()[2:]] == whole[2:]
    assert [step["step"] for step in form.json([5, 9])["steps"]] == [5, 9]
    derive = ["derive", "robot:planar2r", "--form", "kane"]
    assert main([*derive, "--only", "9"]) == 0
    assert PLANAR_STEP_9 in capsys.readouterr().out
    assert main([*derive, "--freeze", "2=0", "--only", "9"]) == 0
    assert "D(1,1) = m2*(l1**2+2*l1*l2+l2**2)+m1*l1**2+j1+j2" in capsys.readouterr().out
    for bad in (["--only", "D"], ["--only", "11"], ["--neglect", "velocity"]):
        assert main([*derive, *bad]) == 2
        assert "error:" in capsys.readouterr().err


def test_lengths_that_are_numbers_leave_a_planar_machine_planar():
    numeric = R.planar2r().with_values(l1=Q(2, 5), l2=Q(1, 3))
    assert da.kane_form(numeric).kept == (0, 1, 5)


def test_hostile_names_stay_on_their_line():
    joint = {"name": "a\u202e\x1b[0m\nq", "type": "revolute", "axis": [0, 0, 1]}
    body = {"name": "x", "parent": -1, "joint": joint, "mass": 1, "com": [0.1, 0, 0]}
    file = {"format": "dalembert/1", "bodies": [body | {"inertia": [0, 0, 0.1, 0, 0, 0]}]}
    plain = {**file, "bodies": [file["bodies"][0] | {"joint": joint | {"name": "a"}}]}
    text, wanted = (da.kane_form(da.load(x)).text() for x in (file, plain))
    assert not set(text) & {"\u202e", "\x1b"}
    assert text.count("\n") == wanted.count("\n")


def wheeled_snake(n):
    """Return a planar snake of n equal links, each with a wheel in its middle."""
    turn = {"type": "revolute", "axis": [0, 0, 1]}
    link = {"mass": "m", "com": ["-l/2", 0, 0], "inertia": [0, 0, "I"]}
    bodies = [
        {
            "name": "sx",
            "parent": -1,
            "joint": {"type": "prismatic", "name": "x", "axis": [1, 0, 0]},
        },
        {"name": "sy", "parent": 0, "joint": {"type": "prismatic", "name": "y", "axis": [0, 1, 0]}},
        {"name": "l1", "parent": 1, "joint": turn | {"name": "th"}, **link},
    ]
    for k in range(2, n + 1):
        joint = turn | {"name": f"p{k - 1}", "placement": {"translation": ["-l", 0, 0]}}
        bodies.append({"name": f"l{k}", "parent": k, "joint": joint, **link})
    wheels = [
        {"name": f"w{k}", "body": f"l{k}", "point": ["-l/2", 0, 0], "normal": [0, 1, 0]}
        for k in range(1, n + 1)
    ]
    return da.load({"format": "dalembert/1", "bodies": bodies, "wheels": wheels,
                    "parameters": {"l": 0.3, "m": 1, "I": 0.01}})  # fmt: skip


@pytest.mark.parametrize("m, limit", [(da.robots.truck(3), 12_000), (wheeled_snake(3), 10_000)])
def test_printed_steps_stay_short(m, limit):
    assert len(da.kane_form(m).text().encode()) < limit


def test_a_multiple_of_another_entry_is_written_by_it():
    lines = da.kane_form(da.robots.truck(1)).text().splitlines()
    assert "J(5,1) = d*J(6,1)" in lines and "A(5,1) = d*A(6,1)" in lines
    assert lines.index("J(5,1) = d*J(6,1)") > next(
        k for k, line in enumerate(lines) if line.startswith("J(6,1)")
    )


def test_the_truck_prints_the_parts_of_its_source():
    """(8.23)-(8.44): A, B, C1, C2, g01, g02 and a g_u for each force, by name; equal by numbers."""
    form = da.kane_form(R.truck(1))
    text = form.text()
    for line in (
        "A(4,1) = -sin(phi1)-c*cos(phi1)*tan(delta)/l1",
        "B(3,1) = 1/(l1*cos(delta)**2)",
        "# Jd = A*phi1d+B*deltad",
        "C1 = m2*J(4,1)*A(4,1)+m2*J(5,1)*A(5,1)+j2*J(6,1)*A(6,1)",
        "# C(1,1) = C1*phi1d+C2*deltad",
        "g01 = -C1/D(1,1)",
        "g02 = -C2/D(1,1)",
        "g_front = 1/(cos(delta)*D(1,1))",
        "# vd = (g01*phi1d+g02*deltad)*v+g_rear*F_rear+g_front*F_front+g_axle1*F_axle1",
    ):
        assert line in text.splitlines()
    assert r"g_{01} = -\frac{C_{1}}{D(1,1)}" in form.latex()
    # the lines, run one after the other, give what the kernel gives
    m, state = R.truck(1), {"phi1": 0.3, "delta": 0.2, "v": 1.7, "deltad": 0.4, "th": 0.5}
    names = {k: float(x) for k, x in m.values.items()} | state
    names |= {"F_rear": 900.0, "F_front": -300.0, "F_axle1": 150.0, "x": 0.0, "y": 0.0}
    found = run_lines(text, names)
    given = da.alpha_dot(
        m, [0, 0, 0.5, 0.3], [1.7], [0.2], [0.4], np.zeros(4), [900.0, -300.0, 150.0]
    )
    assert found["vd"] == pytest.approx(given[0], rel=1e-12)


def run_lines(text, names):
    """Return the values of printed lines, the last of them first where one needs it."""
    import ast
    import re

    joined = re.sub(r"\n  ", "", text).splitlines()
    lines = [x.removeprefix("# ") for x in joined if re.match(r"(# vd = )|[A-Za-z]", x)]
    todo = [x.split(" = ", 1) for x in lines if " = " in x]
    values = {k: v for k, v in names.items()}
    functions = {"sin": np.sin, "cos": np.cos, "tan": np.tan}
    operations = {ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply,
                  ast.Div: np.divide, ast.Pow: np.power}  # fmt: skip

    def value(node):
        if isinstance(node, ast.BinOp):
            return operations[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.UnaryOp):
            return -value(node.operand)
        if isinstance(node, ast.Constant):
            return float(node.value)
        if isinstance(node, ast.Call) and node.func.id in functions:
            return functions[node.func.id](value(node.args[0]))
        return values[ast.unparse(node).replace(" ", "")]

    for _ in range(6):
        for name, formula in todo:
            try:
                values[name] = value(ast.parse(formula, mode="eval").body)
            except KeyError:
                continue
    return values


@pytest.mark.parametrize(
    "m, said",
    [
        (R.unicycle(), "at every pose"),
        (R.differential_drive(), "at every pose"),
        (R.rolling_disc(), "at every pose"),
        (R.truck(2), "where cos(delta) is not 0"),
        (replace(R.unicycle(), speeds=("x", "th")), "where cos(th) is not 0"),
    ],
)
def test_steps_say_where_the_speeds_decide_the_motion(m, said):
    """det [H; S], exact: a constant is a proof for every pose."""
    form = da.kane_form(m)
    assert f"# the speeds decide the motion {said}" in form.text(only=[5]).splitlines()


def test_a_determinant_too_long_to_read_is_told_by_its_size():
    ball = {"name": "b", "kind": "sphere", "body": "ball", "radius": 0.1, "normal": [0, 0.6, 0.8]}
    m = replace(free_machine("ball", rolling=[ball]), speeds=("ball.vx", "ball.vy", "ball.wz"))
    said = [x for x in da.kane_form(m).text(only=[5]).splitlines() if "decide the motion" in x]
    assert len(said) == 1 and ("terms); kernels check it" in said[0] or "is not 0" in said[0])


def test_speeds_are_chosen_anew_where_they_fail():
    """A unicycle by the rate of x turns through the pose at which x stands still."""
    named = replace(R.unicycle(), speeds=("x", "th"))
    times = np.linspace(0, 4, 5)
    one, two = (da.simulate(m, [0, 0, 0], [0.3, 0.8], t=times, rtol=1e-10, torque={"th": 1.0})
                for m in (named, R.unicycle()))  # fmt: skip
    assert one.q[-1, 2] > np.pi / 2
    np.testing.assert_allclose(one.q, two.q, atol=1e-8)


def test_a_steering_angle_adds_to_that_of_its_body():
    text = da.kane_form(da.robots.truck()).text()
    assert "H(2,1) = -sin(th+delta)\n" in text and "H(2,2) = cos(th+delta)\n" in text
