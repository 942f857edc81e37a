"""Joints that follow others: motions keep the ratio, as in coordinates of the leaders alone."""

import numpy as np
from scipy.integrate import solve_ivp

import dalembert as da

GRIPPER = {
    "format": "dalembert/1",
    "gravity": [0, -9.81, 0],
    "phrase": "lead: RZ(), TXK(0.3), follow: RZ(), TXK(0.2);"
    "body 1: M = 1, D = (0.1, 0, 0), I = (0.1, 0.1, 0.1);"
    "body 2: M = 0.5, D = (0.1, 0, 0), I = (0.02, 0.02, 0.02); gravity = (0, -9.81, 0);",
    "couplings": [{"joint": "follow", "of": "lead", "ratio": 2, "offset": 0.1}],
}
S = np.array([1.0, 2.0])  # qd = S qd_lead


def test_a_simulated_follower_keeps_its_ratio_and_moves_as_the_reduced_equation_says():
    m = da.load(GRIPPER, mimic="couple")
    t = np.linspace(0, 1.5, 31)
    force = 0.7
    r = da.simulate(m, [0.2, 0.5], [0.3, 0.6], {"lead": force}, t, rtol=1e-10)
    assert np.abs(r.q[:, 1] - 2 * r.q[:, 0] - 0.1).max() < 1e-12
    free = da.load(GRIPPER, mimic="free")

    def rate(_, y):
        q, qd = np.array([y[0], 2 * y[0] + 0.1]), S * y[1]
        M, h = da.mass_matrix(free, q), da.bias(free, q, qd)
        return [y[1], (force - S @ h) / (S @ M @ S)]

    wanted = solve_ivp(rate, (0, 1.5), [0.2, 0.3], "DOP853", t, rtol=1e-11, atol=1e-12)
    assert np.abs(r.q[:, 0] - wanted.y[0]).max() < 1e-8


def test_small_motions_of_a_follower_are_those_of_its_leader():
    m, free = da.load(GRIPPER, mimic="couple"), da.load(GRIPPER, mimic="free")
    q = np.array([-1.0, -1.9])
    found = da.linearize(m, q)
    assert found.coordinates == (0,) and found.A.shape == (2, 2)

    def acceleration(x):
        q = np.array([x, 2 * x + 0.1])
        return -(S @ da.gravity(free, q)) / (S @ da.mass_matrix(free, q) @ S)

    slope = (acceleration(-1.0 + 1e-5) - acceleration(-1.0 - 1e-5)) / 2e-5
    assert abs(found.A[1, 0] - slope) < 1e-7 * abs(slope)
