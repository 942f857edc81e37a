"""Sensitivities of motions: against simulations with other values, through events, to an end."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da

ARM = {
    "format": "dalembert/1", "name": "arm", "gravity": [0, -9.81, 0],
    "parameters": {"L1": 0.5, "M2": 2.0},
    "phrase": "RZ(), TXK(L1), RZ(), TXK(0.4); body 1: M = 3*L1, D = (L1/2, 0, 0); "
    "body 2: M = M2, D = (0.2, 0, 0), I = (0, 0, 0.02);",
}  # fmt: skip
FOURBAR = {
    "format": "dalembert/1", "name": "fourbar", "gravity": [0, -9.81, 0],
    "parameters": {"A": 0.2, "B": 0.5, "C": 0.4}, "active": ["crank"],
    "phrase": "[crank: RZ(), TXK(A), rod: RZ(), TXK(B)] [rocker: RZ(), TXK(C)]; "
    "body 1: M = 1, D = (A/2, 0, 0), I = (0, 0, 0.01); "
    "body 2: M = 1, D = (B/2, 0, 0), I = (0, 0, 0.02); "
    "body 3: M = 1, D = (C/2, 0, 0), I = (0, 0, 0.02);",
    "loops": [{"body_i": "rod", "point_i": ["B", 0, 0], "body_j": "rocker", "point_j": ["C", 0, 0],
               "joint": "revolute", "axis": [0, 0, 1]}],
}  # fmt: skip
START = [0.1, 0.2]
H = 1e-5


def slope(run, value):
    """Return the central difference of a motion by one number."""
    return (run(value + H) - run(value - H)) / (2 * H)


@pytest.mark.parametrize("method", ["dop853", "dopri5", "rosenbrock", "rk4"])
def test_slopes_by_a_length_and_gains_are_those_of_other_motions(method):
    m, t = da.load(ARM), np.linspace(0, 0.8, 5)
    options = {"t": t, "method": method, "rtol": 1e-10}

    def law(kp=20.0, kd=(3.0, 3.0)):
        return da.control.PD([0.5, 0.3], kp=kp, kd=list(kd))

    r = da.simulate(m, START, torque=law(), sensitivities=["L1", "kp", "kd.j2"], **options)
    runs = {
        "L1": (lambda x: da.simulate(m.with_values(L1=x), START, torque=law(), **options).q, 0.5),
        "kp": (lambda x: da.simulate(m, START, torque=law(x), **options).q, 20.0),
        "kd.j2": (lambda x: da.simulate(m, START, torque=law(kd=(3, x)), **options).q, 3.0),
    }
    for name, (run, value) in runs.items():
        wanted = slope(run, value)
        assert np.abs(r.dq[name] - wanted).max() < 2e-5 * np.abs(wanted).max()
        assert r.dqd[name].shape == r.qd.shape


def test_they_pass_joints_that_stick_and_slip():
    m = da.load({**ARM, "drives": [{"joint": "j1", "coulomb": [0.8, -0.8], "viscous": 0.1},
                                   {"joint": "j2", "coulomb": [0.4, -0.4]}]})  # fmt: skip
    t = np.linspace(0, 1.5, 7)
    r = da.simulate(m, START, t=t, sensitivities=["L1", "M2"], rtol=1e-11)
    assert {e.name for e in r.events} == {"j2 sticks", "j2 slips"}
    for name, value in (("L1", 0.5), ("M2", 2.0)):
        wanted = slope(lambda x, n=name: da.simulate(m.with_values(**{n: x}), START, t=t,
                                                     rtol=1e-12).q, value)  # fmt: skip
        assert np.abs(r.dq[name] - wanted).max() < 1e-5 * np.abs(wanted).max()


def test_the_time_of_an_event_has_a_slope():
    m = da.load(ARM)
    options = {"t": [0.0, 2.0], "stop": "hit", "rtol": 1e-11,
               "events": {"hit": lambda t, q, qd: q[0] + 1.0}}  # fmt: skip
    r = da.simulate(m, START, sensitivities=["L1"], **options)

    def time(x):
        return da.simulate(m.with_values(L1=x), START, **options).events[0].time

    assert r.events[0].slopes["L1"] == pytest.approx(slope(time, 0.5), rel=1e-6)


def test_loops_start_and_stay_closed_with_their_slopes():
    m = da.load(FOURBAR)
    q0 = da.assemble(m, [1.0, -0.5, 1.5])
    t = np.linspace(0, 0.5, 4)
    r = da.simulate(m, q0, t=t, sensitivities=["B"], rtol=1e-11)
    crank = q0[0]

    def run(x):
        own = m.with_values(B=x)
        return da.simulate(own, [crank, *q0[1:]], t=t, rtol=1e-12).q

    wanted = slope(run, 0.5)
    assert np.abs(wanted[0]).max() > 0.1  # where the loop closes depends on the length
    assert np.abs(r.dq["B"] - wanted).max() < 1e-5 * np.abs(wanted).max()


def test_a_free_body_and_batches():
    m = da.load({"format": "dalembert/1", "gravity": [0, 0, -9.81], "parameters": {"M": 2.0},
                 "phrase": "RZ(), TXK(0.3); body 1: M = M, D = (0.1, 0, 0), "
                 "I = (0.1, 0.2, 0.3);"}, base="free")  # fmt: skip
    m = m.with_payload("base", 1.5, (0, 0, 0.1), [0.2, 0.1, 0.3, 0, 0, 0])
    q0 = [0, 0, 0, 0, 0, 0, 1.0, 0.2]
    qd0 = [[0.1, 0.2, 0, 1.0, 2.0, 0.3, 0.5], [0, 0, 0, 0.3, -1.0, 1.0, -1.0]]
    t = np.linspace(0, 1, 3)
    r = da.simulate(m, q0, qd0, t=t, sensitivities="M", rtol=1e-10)
    wanted = slope(lambda x: da.simulate(m.with_values(M=x), q0, qd0, t=t, rtol=1e-12).q, 2.0)
    assert r.dq["M"].shape == (2, 3, 8)
    assert np.abs(r.dq["M"] - wanted).max() < 1e-5 * np.abs(wanted).max()


def test_a_length_is_found_again_by_descent_through_a_simulation():
    m, t = da.load(ARM), np.linspace(0, 1, 21)
    seen = da.simulate(m.with_values(L1=0.62), START, t=t).q
    x = 0.5
    for _ in range(8):
        r = da.simulate(m.with_values(L1=x), START, t=t, sensitivities="L1")
        gap, J = (r.q - seen).ravel(), r.dq["L1"].ravel()
        x -= float(J @ gap / (J @ J))
    assert x == pytest.approx(0.62, abs=1e-8)


def test_what_has_no_sensitivities_is_refused():
    m = da.load(ARM)
    with pytest.raises(da.UsageError, match="neither a parameter nor a gain"):
        da.simulate(m, START, sensitivities=["L9"])
    with pytest.raises(da.UsageError, match="a Python function has none"):
        da.simulate(m, START, torque=lambda t, q, qd: [0, 0], sensitivities=["L1"])
    with pytest.raises(da.UsageError, match="no sensitivities are computed there"):
        da.simulate(m, START, method="radau", sensitivities=["L1"])
    with pytest.raises(da.UsageError, match="no joint 'j7'"):
        law = da.control.PD([0, 0], kp=1.0, kd=1.0)
        da.simulate(m, START, torque=law, sensitivities=["kp.j7"])
    with pytest.raises(da.UsageError, match="are names"):
        da.simulate(m, START, sensitivities=[3])


def test_the_adjoint_gives_the_gradient_by_everything_at_once():
    m, t = da.load(ARM), np.linspace(0, 0.5, 6)
    law = da.control.PD([0.5, 0.3], kp=20.0, kd=3.0)
    values = {"L1": 0.5, "M2": 2.0}

    def run(**k):
        return da.simulate(m, START, torque=law, t=t, method="rk4", step=1e-2,
                           parameters={**values, **k})  # fmt: skip

    def number(r):
        return float((r.q**2).sum() + (r.qd[-1] ** 2).sum())

    r = run()
    dqd = np.zeros_like(r.qd)
    dqd[-1] = 2 * r.qd[-1]
    g = r.gradient(2 * r.q, dqd)
    for name, x in values.items():
        wanted = (number(run(**{name: x + H})) - number(run(**{name: x - H}))) / (2 * H)
        assert g[name] == pytest.approx(wanted, rel=1e-8)
    # forward sensitivities of the same steps say the same
    s = da.simulate(m, START, torque=law, t=t, method="rk4", step=1e-2, sensitivities=["L1", "kp"])
    forward = float((2 * r.q * s.dq["L1"]).sum() + (dqd * s.dqd["L1"]).sum())
    assert g["L1"] == pytest.approx(forward, rel=1e-12)
    # the first settings of PD are its gains kp
    gains = float((2 * r.q * s.dq["kp"]).sum() + (dqd * s.dqd["kp"]).sum())
    assert float(g["settings"][:2].sum()) == pytest.approx(gains, rel=1e-10)
    with pytest.raises(da.UsageError, match="need rk4"):
        da.simulate(m, START, t=t).gradient(r.q)


def test_the_adjoint_of_turning_bodies_goes_through_their_quaternions():
    m = da.robots.flying_arm()
    rng = np.random.default_rng(0)
    q0 = da.integrate(m, da.neutral(m), 0.3 * rng.normal(size=m.nv))
    qd0 = 0.5 * rng.normal(size=(2, m.nv))
    t = np.linspace(0, 0.2, 3)
    options = {"t": t, "method": "rk4", "step": 2e-2, "events": "none", "drives": "inertia"}
    r = da.simulate(m, q0, qd0, **options)
    w = rng.normal(size=r.q.shape)
    g = r.gradient(w)["qd0"]
    for k in (0, 4, m.nv - 1):
        e = H * np.eye(m.nv)[k]
        ends = [(w * da.simulate(m, q0, qd0 + s * e, **options).q).sum(axis=(1, 2))
                for s in (1, -1)]  # fmt: skip
        assert np.allclose(g[:, k], (ends[0] - ends[1]) / (2 * H), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("active", [("crankB", "crankA"), ("rodA", "crankB", "rodB", "crankA")])
def test_gains_of_closed_machines_are_those_of_their_motors(active):
    m = replace(da.robots.fivebar(), active=active)
    q, t = da.assemble(m), np.linspace(0, 0.2, 3)
    goal = {n: float(q[m.joint_index(n)]) + 0.1 for n in active}

    def moved(kp, **options):
        gains = dict.fromkeys(active, 20.0) | {"crankA": kp}
        law = da.control.PD(goal, gains, 3.0)
        return da.simulate(m, q, t=t, torque=law, rtol=1e-11, **options)

    found = moved(50.0, sensitivities=["kp.crankA"]).dq["kp.crankA"]
    assert np.abs(found).max() > 1e-4
    assert np.allclose(found, (moved(50.01).q - moved(49.99).q) / 0.02, rtol=1e-4, atol=1e-8)
    if len(active) == 2:
        with pytest.raises(da.UsageError, match="there is no motor 'rodA'"):
            moved(50.0, sensitivities=["kp.rodA"])
