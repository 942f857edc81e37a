"""Simulation of the UR5: batches beside mujoco.rollout, adaptive runs beside SciPy's.

    python -m benchmarks.simulation

Same step, same method (classical Runge-Kutta), no contacts, one thread; runs of both sides
alternate and the shortest of each counts. SciPy calls the same compiled kernel from Python.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np

import dalembert as da

STATES, STEPS, STEP = 1024, 100, 1e-3
STIFF = """
format = "dalembert/1"
name = "elastic arm"
gravity = [0, -9.81, 0]
phrase = '''rotor1: RZ(), link1: RZ(), TXK(0.8), rotor2: RZ(), link2: RZ(), TXK(0.6);
body 1: M = 1, I = (0.1, 0.1, 0.1); body 2: M = 3, D = (0.4, 0, 0), I = (0, 0, 0.2);
body 3: M = 1, I = (0.1, 0.1, 0.1); body 4: M = 2, D = (0.3, 0, 0), I = (0, 0, 0.1);'''
elastic = [ { joint = "link1", stiffness = 1e6, damping = 1000 },
            { joint = "link2", stiffness = 1e6, damping = 1000 } ]
drives = [ { joint = "rotor1", viscous = 8 }, { joint = "rotor2", viscous = 4 } ]
"""


def shortest(runs: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Return the shortest time of each run, the runs taking turns."""
    best = dict.fromkeys(runs, np.inf)
    for _ in range(repeats):
        for name, run in runs.items():
            begin = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - begin)
    return best


def rollout(m: da.Mechanism) -> tuple[object, object]:
    """Return the MuJoCo model of an arm of hinges and data for it."""
    import mujoco

    bound = m.bound()
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.option.gravity = [float(x) for x in bound.gravity]
    spec.option.timestep = STEP
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
    spec.option.disableflags = int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    made = {-1: spec.worldbody}
    for j, body in bound.outward():
        R = np.array([[float(x) for x in row] for row in body.placement.R.matrix().rows])
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, R.ravel())
        new = made[body.parent].add_body(
            name=f"b{j}", pos=[float(x) for x in body.placement.p], quat=quaternion
        )
        new.explicitinertial = True
        new.mass = max(float(body.m), 1e-9)
        new.ipos = [float(x) for x in body.inertia.centre]
        six = [float(x) for x in body.inertia.about_centre.six()]
        new.fullinertia = [max(x, 1e-9) for x in six[:3]] + six[3:]
        if body.joint.kind == "revolute":
            new.add_joint(
                type=mujoco.mjtJoint.mjJNT_HINGE, axis=[float(x) for x in body.joint.axis]
            )
        made[j] = new
    model = spec.compile()
    return model, mujoco.MjData(model)


def batches(m: da.Mechanism) -> None:
    """Print steps per second of many states."""
    import mujoco
    import mujoco.rollout

    rng = np.random.default_rng(0)
    q0 = rng.uniform(-1, 1, (STATES, m.nq))
    times = np.array([0.0, STEPS * STEP])
    model, data = rollout(m)
    full = mujoco.mjtState.mjSTATE_FULLPHYSICS
    initial = np.zeros((64, mujoco.mj_stateSize(model, full)))
    initial[:, 1 : 1 + m.nq] = q0[:64]
    mine = lambda: da.simulate(m, q0, t=times, method="rk4", step=STEP, events="none")  # noqa: E731
    theirs = lambda: mujoco.rollout.rollout(model, data, initial, nstep=STEPS)  # noqa: E731
    mine()
    best = shortest({"dalembert": mine, "mujoco.rollout": theirs}, 20)
    ours = best["dalembert"] / (STATES * STEPS)
    other = best["mujoco.rollout"] / (64 * STEPS)
    end = mine().q[0, -1]
    state = np.asarray(theirs()[0])[0, -1, 1 : 1 + m.nq]
    print(f"RK4, {m.name}, step {STEP} s, one thread: {1e9 * ours:.0f} ns a step, mujoco.rollout "
          f"{1e9 * other:.0f} ns: {other / ours:.1f} times; q differs by "
          f"{np.abs(end - state).max():.1e}")  # fmt: skip


def adaptive(m: da.Mechanism) -> None:
    """Print the time of one adaptive run of 10 s."""
    from scipy.integrate import solve_ivp

    kernel = da.compile(m, "forward_dynamics")
    n, tau = m.nv, np.zeros(m.nv)
    times = np.linspace(0, 10, 201)
    start = np.concatenate([np.full(n, 0.3), np.zeros(n)])

    def rate(t: float, x: np.ndarray) -> np.ndarray:
        out = np.empty(2 * n)  # SciPy keeps what it is given
        out[:n] = x[n:]
        out[n:] = kernel(x[:n], x[n:], tau)
        return out

    options = {"rtol": 1e-8, "atol": 1e-10}
    mine = lambda: da.simulate(m, start[:n], t=times, events="none", **options)  # noqa: E731
    theirs = lambda: solve_ivp(rate, (0, 10), start, "DOP853", times, **options)  # noqa: E731
    mine()
    best = shortest({"ours": mine, "scipy": theirs}, 15)
    gap = np.abs(mine().q - theirs().y.T[:, :n]).max()
    print(f"DOP853, {m.name}, 10 s at rtol 1e-8: {1e3 * best['ours']:.2f} ms, SciPy on the same "
          f"kernel {1e3 * best['scipy']:.1f} ms: {best['scipy'] / best['ours']:.1f} times; q "
          f"differs by {gap:.1e}")  # fmt: skip


def stiff() -> None:
    """Print the time of 10 s of an arm behind transmissions of 1e6 N m/rad."""
    from scipy.integrate import solve_ivp

    m = da.load(STIFF)
    kernel, tau, n = da.compile(m, "forward_dynamics", drives="all"), np.zeros(m.nv), m.nv
    times = np.linspace(0, 10, 201)
    start = np.array([0.3, 0, 0.2, 0, 0, 0, 0, 0])

    def rate(t: float, x: np.ndarray) -> np.ndarray:
        out = np.empty(2 * n)
        out[:n] = x[n:]
        out[n:] = kernel(x[:n], x[n:], tau)
        return out

    def ours(method: str, rtol: float) -> np.ndarray:
        options = {"rtol": rtol, "atol": rtol * 1e-2, "events": "none"}
        return da.simulate(m, start[:n], t=times, method=method, **options).q

    def theirs(rtol: float) -> np.ndarray:
        options = {"rtol": rtol, "atol": rtol * 1e-2}
        return solve_ivp(rate, (0, 10), start, "Radau", times, **options).y.T[:, :n]

    exact = ours("dop853", 1e-12)
    for rtol in (1e-4, 1e-6, 1e-8):
        runs = {x: partial(ours, x, rtol) for x in ("rosenbrock", "dop853")}
        runs["radau"] = partial(theirs, rtol)
        gap = {name: np.abs(run() - exact).max() for name, run in runs.items()}
        best = shortest(runs, 3)
        own, other = best["rosenbrock"], best["radau"]
        print(f"rosenbrock, {m.name}, 10 s at rtol {rtol:g}: {1e3 * own:.1f} ms, error "
              f"{gap['rosenbrock']:.0e}; SciPy's Radau on the same kernel {1e3 * other:.0f} ms, "
              f"error {gap['radau']:.0e}: {other / own:.0f} times; dop853 "
              f"{1e3 * best['dop853']:.1f} ms, error {gap['dop853']:.0e}")  # fmt: skip


def main() -> None:
    m = da.robots.ur5()
    batches(m)
    adaptive(m)
    stiff()


if __name__ == "__main__":
    main()
