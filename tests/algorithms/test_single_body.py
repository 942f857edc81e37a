"""One rigid body: forces of a motion, motion of forces, and the compact form."""

import numpy as np

import dalembert as da
from agreement import floats
from dalembert.algebra import Mat3, Rotation, Vec3
from dalembert.algorithms.single_body import extended, forces

J = np.array([[0.6, 0.1, -0.05], [0.1, 0.5, 0.02], [-0.05, 0.02, 0.7]])
MASS, INERTIA = 3.0, Mat3(*map(tuple, J.tolist()))


def vectors(seed, count):
    return [Vec3(*map(float, x)) for x in np.random.default_rng(seed).uniform(-2, 2, (count, 3))]


def accelerations(v, w, f, n):
    """Return v̇ = f/m - S(Ω) v and Ω̇ = j⁻¹ (n - S(Ω) j Ω) (3.3), (3.4)."""
    wd = np.linalg.solve(J, floats(n - w.cross(INERTIA @ w)))
    return f * (1 / MASS) - w.cross(v), Vec3(*wd)


def pose_rates(R, v, w):
    """Return ċ = R v and Ṙ = S(R Ω) R of the pose in the operational space (3.5), (3.6)."""
    return R @ v, (R @ w).skew() @ R.matrix()


def test_forces_and_accelerations_undo_each_other():
    v, w, vd, wd = vectors(1, 4)
    back = accelerations(v, w, *forces(MASS, INERTIA, v, w, vd, wd))
    for found, given in zip(back, (vd, wd), strict=True):
        np.testing.assert_allclose(floats(found), floats(given), rtol=0, atol=1e-13)


def test_the_compact_form_is_the_same():
    """M v̇ = -W M v + ω (3.7), E3.3."""
    v, w, vd, wd = vectors(2, 4)
    M, W = (np.array(A, dtype=float) for A in extended(MASS, INERTIA, w))
    f, n = forces(MASS, INERTIA, v, w, vd, wd)
    both, rate = np.r_[floats(v), floats(w)], np.r_[floats(vd), floats(wd)]
    np.testing.assert_allclose(
        M @ rate + W @ M @ both, np.r_[floats(f), floats(n)], rtol=0, atol=1e-13
    )


def test_a_free_body_is_the_one_of_the_recursion():
    """A free joint at the mass centre, its rates in body axes as here."""
    data = {"format": "dalembert/1", "gravity": [0, 0, 0], "bodies": [
        {"name": "b", "parent": -1, "joint": {"type": "free"}, "mass": MASS, "com": [0, 0, 0],
         "inertia": J.tolist()}]}  # fmt: skip
    m = da.load(data)
    v, w, vd, wd = vectors(3, 4)
    q = [0.1, 0.2, 0.3, 0, 0, 0, 1.0]
    tau = da.inverse_dynamics(m, q, [*v, *w], [*vd, *wd])
    f, n = forces(MASS, INERTIA, v, w, vd, wd)
    np.testing.assert_allclose(tau, np.r_[floats(f), floats(n)], rtol=0, atol=1e-12)


def test_a_body_left_alone_keeps_momentum_and_energy():
    from scipy.integrate import solve_ivp

    def rate(t, x):
        v, w = Vec3(*x[3:6]), Vec3(*x[6:9])
        R = Rotation.of(Mat3(*map(tuple, x[9:].reshape(3, 3).tolist())))
        cd, Rd = pose_rates(R, v, w)
        vd, wd = accelerations(v, w, Vec3.zero(), Vec3.zero())
        return np.r_[floats(cd), floats(vd), floats(wd), np.ravel([list(r) for r in Rd.rows])]

    v, w = vectors(4, 2)
    start = np.r_[0, 0, 0, floats(v), floats(w), np.eye(3).ravel()]
    end = solve_ivp(rate, (0, 2), start, "DOP853", rtol=1e-11, atol=1e-12).y[:, -1]

    def kept(x):
        R, own = x[9:].reshape(3, 3), J @ x[6:9]
        return np.r_[R @ x[3:6], R @ own, x[6:9] @ own]

    np.testing.assert_allclose(kept(end), kept(start), rtol=0, atol=1e-9)
    np.testing.assert_allclose(end[:3], 2 * start[3:6], rtol=0, atol=1e-9)  # it flies straight
