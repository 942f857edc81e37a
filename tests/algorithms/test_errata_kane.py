"""Errata E3.1-E3.31 of DeSantis (1996): each printed formula fails, the corrected one holds.

Printed formulas are coded in NumPy over the Jacobians of the library; the reference is Newton-Euler
or Lagrange with multipliers, which share nothing with them.
"""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from agreement import floats
from dalembert.algebra import Vec3
from dalembert.algorithms.kane import J_h, J_h_dot, massive, reduction
from dalembert.algorithms.kinematics import target_pose
from mechanisms import random_mechanisms, random_state
from models import D_and_C, constraint_forces, newton_euler, state_model

FAILS = 1e-6  # what a printed formula misses by, at least


def skew(w):
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def printed_skew(w):
    """(2.1): Ωx and Ωy have changed places."""
    return np.array([[0, -w[2], w[0]], [w[2], 0, -w[1]], [-w[0], w[1], 0]])


def arms(count=4):
    return random_mechanisms(
        count, seed=21, dof=(4, 6), root=0, massless=0, masses={"decade": 1}, drives=0,
        joints={"revolute": 1}, shapes={"chain": 1}, lengths={"metre": 1},
    )  # fmt: skip


ARMS = arms()
IDS = [m.name for m in ARMS]


def still(b):
    return replace(b, gravity=Vec3.zero(), checked=True)


class Stack:
    """J, J̇, M and W of a tree at a state, α = q̇, as NumPy arrays."""

    def __init__(self, m, q, qd, S=skew):
        b = m.bound()
        self.J = np.array([floats(r) for r in J_h(b, q)])
        self.Jd = np.array([floats(r) for r in J_h_dot(b, q, qd)])
        n = len(self.J)
        self.M, self.W = np.zeros((n, n)), np.zeros((n, n))
        for k, j in enumerate(massive(b)):
            i = 6 * k
            w = self.J[i + 3 : i + 6] @ qd
            self.M[i : i + 3, i : i + 3] = float(b.bodies[j].m) * np.eye(3)
            self.M[i + 3 : i + 6, i + 3 : i + 6] = floats(b.bodies[j].inertia.about_centre)
            self.W[i : i + 3, i : i + 3] = self.W[i + 3 : i + 6, i + 3 : i + 6] = S(w)

    @property
    def D(self):
        return self.J.T @ self.M @ self.J

    @property
    def C(self):
        return self.J.T @ (self.M @ self.Jd + self.W @ self.M @ self.J)


def worst(a, b):
    return float(np.abs(np.asarray(a) - np.asarray(b)).max())


def arm_state(m, seed=3):
    return (np.array(x) for x in random_state(m, seed, mild=True))


# -- sections 2 to 4 ---------------------------------------------------------------------------


@pytest.mark.parametrize("m", ARMS, ids=IDS)
def test_e3_1_the_angular_velocity_matrix_is_that_of_the_cross_product(m):
    q, qd, _ = arm_state(m)
    ref = floats(newton_euler(still(m.bound()), q, qd, [0.0] * m.nv))
    scale = np.abs(ref).max() + 1
    assert worst(Stack(m, q, qd).C @ qd, ref) < 1e-11 * scale
    assert worst(Stack(m, q, qd, printed_skew).C @ qd, ref) > FAILS


def test_e3_2_steady_circling_needs_a_force_that_v_dot_does_not_give():
    """v and Ω are constant in body axes: (3.1), (3.2) as printed, in their rates, give nothing."""
    mass, r, w = 2.0, 0.7, np.array([0.0, 0.0, 3.0])
    v = np.cross(w, [r, 0, 0])
    at_rest = np.zeros(3)
    printed = skew(w) @ (mass * at_rest) + mass * at_rest
    right = skew(w) @ (mass * v) + mass * at_rest
    assert worst(right, [-mass * r * w[2] ** 2, 0, 0]) < 1e-12
    assert worst(printed, right) > FAILS
    # a body that turns steadily about an axis that is not principal
    inertia, spin = np.diag([1.0, 2.0, 4.0]), np.array([0.3, 0.0, 0.5])
    assert worst(skew(spin) @ inertia @ at_rest, np.cross(spin, inertia @ spin)) > FAILS


@pytest.mark.parametrize("m", ARMS, ids=IDS)
def test_e3_3_and_e3_4_the_rates_stand_on_v_and_on_j(m):
    q, qd, qdd = arm_state(m)
    s = Stack(m, q, qd)
    ref = floats(newton_euler(still(m.bound()), q, qd, qdd))
    scale = np.abs(ref).max() + 1
    # E3.3: M v̇ = -W M v + ω projected
    vd = s.J @ qdd + s.Jd @ qd
    assert worst(s.J.T @ (s.M @ vd + s.W @ s.M @ s.J @ qd), ref) < 1e-11 * scale
    assert worst(s.J.T @ (s.W @ s.M @ s.J @ qd), ref) > FAILS  # Ṁ v with M constant is zero
    # E3.4: C with M J in place of M J̇
    printed = s.J.T @ (s.M @ s.J + s.W @ s.M @ s.J)
    assert worst(s.D @ qdd + s.C @ qd, ref) < 1e-11 * scale
    assert worst(s.D @ qdd + printed @ qd, ref) > FAILS


@pytest.mark.parametrize("m", ARMS[:2], ids=IDS[:2])
def test_e3_5_the_rate_of_a_rotation_is_right_as_printed(m):
    q, qd, _ = arm_state(m)
    b, h, last = m.bound(), 1e-6, len(m.bodies) - 1

    def rotation(p):
        return floats(target_pose(b, (last, type(b.bodies[0].placement)()), p).R.matrix())

    R = rotation(q)
    w = Stack(m, q, qd).J[-3:] @ qd
    rate = (rotation(q + h * qd) - rotation(q - h * qd)) / (2 * h)
    assert worst(rate, skew(R @ w) @ R) < 1e-7


@pytest.mark.parametrize("m", ARMS, ids=IDS)
def test_e3_6_only_the_quadratic_form_of_d_dot_minus_2c_vanishes(m):
    q, qd, _ = arm_state(m)
    s, h = Stack(m, q, qd), 1e-6
    Ddot = s.Jd.T @ s.M @ s.J + s.J.T @ s.M @ s.Jd
    ahead, behind = Stack(m, q + h * qd, qd).D, Stack(m, q - h * qd, qd).D
    scale = np.abs(Ddot).max() + np.abs(s.D).max()
    assert worst(Ddot, (ahead - behind) / (2 * h)) < 1e-6 * scale
    assert abs(qd @ (Ddot - 2 * s.C) @ qd) < 1e-11 * scale * (qd @ qd)
    assert abs(qd @ (s.D - 2 * s.C) @ qd) > FAILS
    gap = Ddot - 2 * s.C
    assert np.abs(gap + gap.T).max() > FAILS  # not skew: C is not Christoffel's


# -- section 6: the Cartesian model and the PD law -----------------------------------------------


def planar3r():
    bodies = [
        {"name": f"s{k}", "parent": k - 1,
         "joint": {"type": "revolute", "axis": [0, 0, 1],
                   "placement": {"translation": [0.5 if k else 0, 0, 0], "rotation": []}},
         "mass": 1 + k, "com": [0.3, 0.05, 0], "inertia": [0, 0, 0.1 + 0.05 * k]}
        for k in range(3)
    ]  # fmt: skip
    return da.load({"format": "dalembert/1", "bodies": bodies, "gravity": [0, 0, 0]})


def test_e3_7_to_e3_9_the_cartesian_model():
    m = planar3r()
    rng = np.random.default_rng(4)
    q, qd, qdd = rng.uniform(0.3, 1.2, 3), rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 3)
    s = Stack(m, q, qd)
    keep = [-6, -5, -1]
    J, Jd = s.J[keep], s.Jd[keep]
    v, vd = J @ qd, J @ qdd + Jd @ qd
    tau = floats(newton_euler(m.bound(), q, qd, qdd))
    inverse = np.linalg.inv(J)
    Mx, F = inverse.T @ s.D @ inverse, inverse.T @ tau
    V = inverse.T @ (s.C - s.D @ inverse @ Jd) @ inverse @ v
    assert worst(F, Mx @ vd + V) < 1e-11
    np.testing.assert_allclose(da.cartesian_mass(m, q), Mx, rtol=1e-10)
    np.testing.assert_allclose(da.cartesian_bias(m, q, qd), V, rtol=0, atol=1e-11)
    np.testing.assert_allclose(da.cartesian_force(m, q, tau), F, rtol=0, atol=1e-11)
    # E3.7: q̇ of v, not of v̇
    assert worst(inverse @ v, qd) < 1e-12
    assert worst(inverse @ vd, qd) > FAILS
    # E3.8: without the transpose the force does other work
    assert abs((inverse.T @ tau) @ v - tau @ qd) < 1e-11
    assert abs((inverse @ tau) @ v - tau @ qd) > FAILS
    # E3.9: sign and factors of V_x
    printed = -inverse.T @ (s.C @ inverse + s.D @ inverse @ Jd @ inverse) @ v
    assert worst(F, Mx @ vd + printed) > FAILS


def test_e3_10_and_e3_11_the_rate_of_the_lyapunov_function():
    m = planar3r()
    rng = np.random.default_rng(5)
    q, qd, e = rng.uniform(0.3, 1.2, 3), rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 3)
    Kp, Kd = np.diag([5.0, 4, 3]), np.diag([1.0, 2, 3])
    s = Stack(m, q, qd)
    tau = -Kp @ e - Kd @ qd
    qdd = np.linalg.solve(s.D, tau - s.C @ qd)
    Ddot = s.Jd.T @ s.M @ s.J + s.J.T @ s.M @ s.Jd
    right = qd @ Kp @ e + qd @ s.D @ qdd + 0.5 * qd @ Ddot @ qd
    printed = qd @ Kp @ e + qd @ s.D @ qdd + 0.5 * qd @ s.D @ qd
    assert abs(right + qd @ Kd @ qd) < 1e-11
    assert abs(printed + qd @ Kd @ qd) > FAILS
    # E3.11: V̇ is zero wherever q̇ is, e = 0 or not: the limit of V̇ alone does not give q = q_D
    assert worst(np.linalg.solve(s.D, -Kp @ e), 0) > FAILS


# -- section 7: the planar 2R --------------------------------------------------------------------

L1, L2, M1, M2, I1, I2, G = 0.8, 0.6, 3.0, 2.0, 0.12, 0.07, 9.81


def planar2r(j1=0.0, j2=0.0):
    values = {"l1": L1, "l2": L2, "m1": M1, "m2": M2, "j1": j1, "j2": j2, "G": -G}
    return da.robots.planar2r().with_values(**values)


STATE2 = np.array([0.4, -0.9]), np.array([0.7, 1.3]), np.array([-0.5, 0.8])


def test_e3_13_the_velocity_of_segment_2():
    q, qd, _ = STATE2
    s1, s2, c2 = np.sin(q[0]), np.sin(q[1]), np.cos(q[1])
    v2 = (Stack(planar2r(), q, qd).J @ qd)[6:8]
    second = (L1 * c2 + L2) * qd[0] + L2 * qd[1]
    assert worst(v2, [L1 * s2 * qd[0], second]) < 1e-14
    assert worst(v2, [L1 * s1 * qd[0], second]) > FAILS  # (7.8)


def printed_D(c2):
    """(7.22)."""
    off = M2 * (L2**2 + L1 * L2 * c2)
    first = M1 * L1**2 + M2 * (L1**2 + L2**2 + 2 * L1 * L2 * c2)
    return np.array([[first, off], [off, M2 * L2**2]])


def test_e3_14_d_as_printed_is_that_of_point_masses():
    q, _, _ = STATE2
    printed = printed_D(np.cos(q[1]))
    assert worst(da.mass_matrix(planar2r(), q), printed) < 1e-13
    real = da.mass_matrix(planar2r(I1, I2), q)
    assert worst(real, printed) > FAILS
    assert worst(real, printed + [[I1 + I2, I2], [I2, I2]]) < 1e-13


def test_e3_15_e3_16_and_e3_18_c_and_tau_are_right_as_printed():
    q, qd, _ = STATE2
    s1 = Stack(planar2r(), q, qd)
    k, w = M2 * L1 * L2 * np.sin(q[1]), qd.sum()
    C = np.array([[-k * qd[1], -k * w], [k * qd[0], 0]])
    assert worst(s1.C, C) < 1e-13
    # E3.18: J' Ṁ J is zero, M being constant
    assert worst(s1.J.T @ s1.W @ s1.M @ s1.J, C) > FAILS
    c1, c12 = np.cos(q[0]), np.cos(q.sum())
    load = np.array([-(M1 + M2) * G * L1 * c1 - M2 * G * L2 * c12, -M2 * G * L2 * c12])
    assert worst(-da.gravity(planar2r(), q), load) < 1e-12


def test_e3_17_gamma1_lacks_c2():
    q, qd, qdd = STATE2
    s2, c2, c1, c12 = np.sin(q[1]), np.cos(q[1]), np.cos(q[0]), np.cos(q.sum())
    (a, b), (va, vb) = qdd, qd
    rest = M2 * L2**2 * (a + b) + (M1 + M2) * L1**2 * a - M2 * L1 * L2 * s2 * vb**2
    rest += -2 * M2 * L1 * L2 * s2 * va * vb + (M1 + M2) * G * L1 * c1 + M2 * G * L2 * c12
    tau = da.inverse_dynamics(planar2r(), q, qd, qdd)
    assert abs(tau[0] - (rest + M2 * L1 * L2 * c2 * (2 * a + b))) < 1e-12
    assert abs(tau[0] - (rest + M2 * L1 * L2 * (2 * a + b))) > FAILS
    second = M2 * L1 * L2 * c2 * a + M2 * L1 * L2 * s2 * va**2 + M2 * L2**2 * (a + b)
    assert abs(tau[1] - (second + M2 * G * L2 * c12)) < 1e-12


# -- section 8: the truck ------------------------------------------------------------------------

TRUCK = da.robots.truck(1)
SIZES = {k: float(v) for k, v in TRUCK.values.items()}


class Printed:
    """(8.11)-(8.46) with one erratum put back, or none."""

    def __init__(self, q, v, delta, rate, wrong=""):
        l1, l2, b, c, d = (SIZES[k] for k in ("l1", "l2", "b", "c", "d"))
        self.v, self.rate, self.wrong = v, rate, wrong
        _, _, th, phi = q
        s, k, t = np.sin(phi), np.cos(phi), np.tan(delta)
        sum_s, sum_c = np.sin(th + phi), np.cos(th + phi)
        e = d if wrong == "E3.19" else l2 - d
        J1 = [[np.cos(th), np.sin(th), 0, 0], [-np.sin(th), np.cos(th), b, 0], [0, 0, 1, 0]]
        J2 = [[sum_c, sum_s, -c * s, 0], [-sum_s, sum_c, -e - c * k, -e], [0, 0, 1, 1]]
        self.J_h = np.array([*J1, *J2])
        heading = phi if wrong == "E3.21" else th
        last = -(l1 * s + (l2 + c * k) * t) / (l1 * l2)
        self.J_nh = np.array([np.cos(heading), np.sin(heading), t / l1, last])
        self.J = np.array([
            1, b * t / l1, t / l1, k - c * s * t / l1, -d * s / l2 - c * d * k * t / (l1 * l2),
            -(l1 * s + c * k * t) / (l1 * l2),
        ])  # fmt: skip
        self.phid = last * v
        self.A = np.array([
            0, 0, 0, -(l1 * s + c * k * t) / l1, -(d * l1 * k - c * d * s * t) / (l1 * l2),
            -(l1 * k - c * s * t) / (l1 * l2),
        ])  # fmt: skip
        sign = -1 if wrong == "E3.24" else 1
        self.B = np.array([
            0, sign * b / l1, sign / l1, -c * s / l1, -c * d * k / (l1 * l2), -c * k / (l1 * l2)
        ]) / np.cos(delta) ** 2  # fmt: skip
        m1, m2, j1, j2 = (SIZES[x] for x in ("m1", "m2", "j1", "j2"))
        self.M = np.diag([m1, m1, j1, m2, m2, j2])
        lever = 0 if wrong == "E3.27" else (l1 - b) * np.sin(delta)
        self.front = np.array([np.cos(delta), np.sin(delta), lever, 0, 0, 0])
        self.D = self.J @ self.M @ self.J
        w1 = self.J[2] * v
        w2 = w1 + self.phid
        W = np.zeros((6, 6))
        W[0, 1], W[1, 0], W[3, 4], W[4, 3] = -w1, w1, -w2, w2
        turned = self.A if wrong == "E3.26" else self.A * self.phid
        self.C1 = self.J @ self.M @ turned + self.J @ W @ self.M @ self.J
        self.WMJ = self.J @ W @ self.M @ self.J
        self.C2 = self.J @ self.M @ self.B

    def alpha_dot(self, forces):
        """(8.39): forces at the front wheel, the rear axle, the trailer's axle."""
        rear, axle = np.eye(6)[0], np.eye(6)[3]
        gw = self.J / self.D
        acting = forces[0] * (gw @ self.front) + forces[1] * (gw @ rear) + forces[2] * (gw @ axle)
        return -(self.C1 + self.C2 * self.rate) * self.v / self.D + acting


Q8, V8, DELTA, RATE = np.array([1.0, -2.0, 0.7, 0.45]), 4.0, 0.3, 0.6
FORCES = np.array([900.0, 4000.0, -700.0])  # front, rear, trailer


def truck(wrong=""):
    return Printed(Q8, V8, DELTA, RATE, wrong)


def reference():
    """α̇ of the library, which multipliers confirm (test_kane.py)."""
    b = TRUCK.bound()
    forces = FORCES[[1, 0, 2]]
    found = state_model(b, Q8, [V8], [DELTA], [RATE], [0.0] * 4, forces)
    return floats(found[0])[0], floats(found[1]), forces


def test_the_corrected_truck_holds():
    alpha_dot, qd, _ = reference()
    assert abs(truck().alpha_dot(FORCES) - alpha_dot) < 1e-11
    assert worst(truck().J_nh * V8, qd) < 1e-13


def test_e3_19_e_is_the_hitch_to_the_mass_centre():
    b = TRUCK.bound()
    rows = [r for k in range(2) for r in (6 * k, 6 * k + 1, 6 * k + 5)]
    found = np.array([floats(r) for r in J_h(b, Q8)])[rows]
    assert worst(found, truck().J_h) < 1e-14
    assert worst(found, truck("E3.19").J_h) > FAILS


def test_e3_21_the_heading_of_the_truck_is_theta():
    r = reduction(TRUCK.bound(), Q8, [V8], [DELTA], [RATE])
    H = np.array([floats(x.H) for x in r.constraints])
    assert worst(H @ truck().J_nh, 0) < 1e-13
    assert worst(H @ truck("E3.21").J_nh, 0) > FAILS


def test_e3_23_to_e3_25_j_and_its_rate():
    p = truck()
    assert worst(p.J, p.J_h @ p.J_nh) < 1e-14  # E3.23
    h = 1e-6

    def J_at(q, delta):
        return Printed(q, V8, delta, RATE).J

    qd = p.J_nh * V8
    rate = (J_at(Q8 + h * qd, DELTA + h * RATE) - J_at(Q8 - h * qd, DELTA - h * RATE)) / (2 * h)
    assert worst(p.A * p.phid + p.B * RATE, rate) < 1e-7  # E3.25
    wrong = truck("E3.24")
    assert worst(wrong.A * p.phid + wrong.B * RATE, rate) > FAILS


@pytest.mark.parametrize("wrong", ["E3.24", "E3.26", "E3.27"])
def test_e3_24_e3_26_and_e3_27_change_the_acceleration(wrong):
    alpha_dot, _, _ = reference()
    assert abs(truck(wrong).alpha_dot(FORCES) - alpha_dot) > FAILS


def test_e3_26_and_e3_27_in_detail():
    assert abs(truck().WMJ) < 1e-9  # the second term of (8.32) is zero here
    p = truck()
    assert abs(p.J @ p.front - 1 / np.cos(DELTA)) < 1e-14
    assert abs(p.J @ truck("E3.27").front - 1 / np.cos(DELTA)) > FAILS
    b = TRUCK.bound()
    D, C = D_and_C(b, Q8, reduction(b, Q8, [V8], [DELTA], [RATE]))
    assert abs(float(D[0][0]) - p.D) < 1e-10 * p.D
    assert abs(float(C[0][0]) - (p.C1 + p.C2 * RATE)) < 1e-10 * p.D


def test_e3_29_the_car_is_the_truck_after_p33():
    p = truck()
    P = np.diag([1.0, 1, 1, 0, 0, 0])
    J, A, B, M = P @ p.J, P @ p.A, P @ p.B, P @ p.M
    D = J @ M @ J
    C = J @ M @ (A * p.phid + B * RATE)
    force = J @ (P @ (FORCES[0] * p.front + FORCES[1] * np.eye(6)[0]))
    car = da.robots.truck(0)
    found = da.alpha_dot(car, Q8[:3], [V8], [DELTA], [RATE], np.zeros(3), FORCES[[1, 0]])
    assert abs(found[0] - (-C * V8 + force) / D) < 1e-12


def test_e3_31_velocities_are_those_of_the_mass_centres():
    """With v of the frame origin (b = 0 in J) the same formulas give another D."""
    p = truck()
    l1, b = SIZES["l1"], SIZES["b"]
    at_origin = p.J.copy()
    at_origin[1] -= b * np.tan(DELTA) / l1
    assert abs(at_origin @ p.M @ at_origin - p.D) > FAILS


def test_lateral_forces_are_not_needed_and_do_no_work():
    b = TRUCK.bound()
    _, qd, forces = reference()
    lam = floats(constraint_forces(b, Q8, [V8], [DELTA], [RATE], [0.0] * 4, forces))
    r = reduction(b, Q8, [V8], [DELTA], [RATE])
    H = np.array([floats(x.H) for x in r.constraints])
    assert np.abs(lam).max() > 1
    assert abs(lam @ H @ qd) < 1e-9 * np.abs(lam).max()
