"""Closed loops timed: kernels in units of the UR5's inverse dynamics, and beside Pinocchio.

python -m benchmarks loops
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np

import dalembert as da
from dalembert.bench.peers import Pinocchio
from dalembert.bench.rows import best, pinned
from dalembert.mechanism import Mechanism, joint_name

STATES = 4096
NEAR = 0.05  # radians or metres that assembly starts away from its pose
# the most units that each figure should need: (robot, quantity, Newton steps)
WANTED = {
    ("stewart", "inverse_dynamics", 0): 35,
    ("fivebar", "inverse_dynamics", 4): 15,
    ("stewart", "forward_dynamics", 0): 150,
}
MEASURED = (
    *((name, "inverse_dynamics", 0) for name in ("fourbar", "fivebar", "stewart")),
    ("fivebar", "inverse_dynamics", 4),
    ("stewart", "forward_dynamics", 0),
)
BESIDE = ("fourbar", "fivebar", "parallelogram_arm", "delta", "stewart")


def rows(peers: bool = True, seconds: float = 0.5) -> Iterator[str]:
    """Yield both tables as Markdown."""
    with pinned():
        yield from units(seconds)
        if peers and find_spec("pinocchio") is not None:
            yield from beside(seconds)


def states(m: Mechanism, count: int, away: float = 0.0) -> tuple[np.ndarray, ...]:
    """Return (q, qd, qdd, motor forces) at assembled poses, dependent joints moved by `away`."""
    rng = np.random.default_rng(len(m.bodies))
    start = assembled(m)
    step = np.zeros((count, m.nv))
    motors = list(da.plan(m, start).motors)
    step[:, motors] = rng.uniform(-NEAR, NEAR, (count, len(motors)))
    q = da.assembly(m, da.integrate(m, start, step))
    qd, qdd = da.tree_motion(m, q, *rng.normal(size=(2, count, m.nv)))
    if away:
        off = rng.uniform(-away, away, (count, m.nv))
        off[:, motors] = 0
        q = da.integrate(m, q, off)
    return q, qd, qdd, rng.normal(size=(count, len(motors)))


def assembled(m: Mechanism) -> np.ndarray:
    """Return a pose that is far from singular: a platform in front of its base."""
    start = da.neutral(m)
    for name, joint, z in (("stewart", "platform", 0.6), ("delta", "platform", -0.5)):
        if m.name == name:
            at = sum(b.joint.nq for b in m.bodies[: m.index[joint]])
            start[at + 2 if m.bodies[m.index[joint]].joint.nq > 1 else at] = z
            return da.assemble(m, start, hold=[joint])
    return da.assemble(m)


def calls(kernel: Any, inputs: tuple[np.ndarray, ...]) -> tuple[Callable[[int], None], Any]:
    """Return calls of a kernel to time, and its outputs."""
    inputs = tuple(np.ascontiguousarray(x) for x in inputs)
    out = kernel(*inputs)

    def run(loops: int) -> None:
        for _ in range(loops):
            kernel(*inputs, out=out)

    return run, out


def ours(m: Mechanism, name: str, steps: int, count: int | None) -> tuple[Any, Any]:
    """Return calls of a closed model, all states or the first alone, and its outputs."""
    q, qd, qdd, tau = states(m, count or 1, NEAR if steps else 0.0)
    last = tau if name == "forward_dynamics" else qdd
    given = (q, qd, last) if count else (q[0], qd[0], last[0])
    return calls(da.compile(m, name, steps=steps), given)


def units(seconds: float) -> Iterator[str]:
    """Yield nanoseconds per state and units, a unit being the UR5's inverse dynamics."""
    yield "\n| model | quantity | ns per state | UR5 ns | units | wanted | residual |"
    yield "|---|---|---|---|---|---|---|"
    rng = np.random.default_rng(0)
    arm = da.compile(da.robots.ur5(), "inverse_dynamics")
    unit, _ = calls(arm, tuple(rng.uniform(-1, 1, (STATES, 6)) for _ in range(3)))
    for name, quantity, steps in MEASURED:
        m = getattr(da.robots, name)()
        run, out = ours(m, quantity, steps, STATES)
        mine, one = (t / STATES * 1e9 for t in best(run, unit, budget=seconds))
        wants = WANTED.get((name, quantity, steps))
        limit = f"<= {wants}" if wants else ""
        shown = f"{quantity}, assembly in {steps} steps" if steps else quantity
        residual = float(np.abs(out[-3]).max())
        yield (f"| {name} | {shown} | {mine:.0f} | {one:.1f} | {mine / one:.1f} | {limit} "
               f"| {residual:.0e} |")  # fmt: skip


# -- Pinocchio -----------------------------------------------------------------------------------


class Constrained:
    """Pinocchio's constraint dynamics of a mechanism whose loops hold a point."""

    def __init__(self, m: Mechanism):
        self.tree = tree = Pinocchio(m)
        pin, b = tree.pin, m.bound()
        ids = [tree.model.getJointId(f"{j}:{joint_name(x)}") for j, x in enumerate(b.bodies)]
        self.models, self.datas = (
            pin.StdVec_RigidConstraintModel(),
            pin.StdVec_RigidConstraintData(),
        )
        for loop in b.loops:
            ends = []
            for body, point in ((loop.body_i, loop.point_i), (loop.body_j, loop.point_j)):
                spot = pin.SE3(np.eye(3), np.array(list(point), dtype=float))
                ends += [ids[body] if body >= 0 else 0, spot]
            self.models.append(
                pin.RigidConstraintModel(
                    pin.ContactType.CONTACT_3D, tree.model, *ends, pin.ReferenceFrame.LOCAL
                )
            )
        for one in self.models:
            self.datas.append(one.createData())
        pin.initConstraintDynamics(tree.model, tree.data, self.models, self.datas)
        # planar loops hold their point across the plane too: proximal steps bear the redundancy
        self.settings = pin.ProximalSettings(1e-12, 1e-12, 1e-8, 50)

    def run(self, q: np.ndarray, qd: np.ndarray, tau: np.ndarray) -> tuple[Any, Any]:
        """Return calls to time at one state, and a call for the accelerations of all joints."""
        pin, model, data = self.tree.pin, self.tree.model, self.tree.data
        call, own = pin.constraintDynamics, (q[self.tree.q], qd[self.tree.v], tau[self.tree.v])
        models, datas, settings = self.models, self.datas, self.settings

        def run(loops: int) -> None:
            for _ in range(loops):
                call(model, data, *own, models, datas, settings)

        def result() -> np.ndarray:
            found = np.zeros(len(self.tree.v))
            found[self.tree.v] = call(model, data, *own, models, datas, settings)
            return found

        return run, result


def beside(seconds: float) -> Iterator[str]:
    """Yield forward dynamics beside `constraintDynamics`, in a batch and one call at a time."""
    yield ("\n| forward dynamics of | ours, batch ns | one call ns | constraintDynamics ns "
           "| ratio, batch | ratio, one call | error |")  # fmt: skip
    yield "|---|---|---|---|---|---|---|"
    for name in BESIDE:
        m = getattr(da.robots, name)()
        batch, _ = ours(m, "forward_dynamics", 0, STATES)
        single, out = ours(m, "forward_dynamics", 0, None)
        q, qd, _, u = (x[0] for x in states(m, 1))
        tau = np.zeros(m.nv)
        tau[list(da.plan(m, q).motors)] = u
        peer, result = Constrained(m).run(q, qd, tau)
        many, one, theirs = best(batch, single, peer, budget=seconds)
        many /= STATES
        expected = result()
        error = np.abs(out[0] - expected).max() / np.abs(expected).max()
        yield (f"| {name} | {many * 1e9:.0f} | {one * 1e9:.0f} | {theirs * 1e9:.0f} "
               f"| {theirs / many:.1f} | {theirs / one:.1f} | {error:.0e} |")  # fmt: skip


if __name__ == "__main__":
    for line in rows():
        print(line, flush=True)
