"""The task of Vukobratović and Potkonjak (1979): a 3-dof arm lifts its tip at 2 m/s² for 1 s.

Figure 6 of the paper, which held lengths and axes, is lost. The geometry here is assumed: a
vertical first axis, two horizontal ones, two rods of 0.6 m, masses 0.1, 2 and 2 kg. The start is
the paper's own, (π, -π/2, -π/2): the first rod hangs down, the second stands out.
"""

import time

import numpy as np

import dalembert as da
from dalembert.algorithms.active_chain import circle
from dalembert.trajectory.paths import line

ARM = """RZ(), RY(), TXK(-0.6), RY(), TXK(-0.6);
body 1: M = 0.1, D = (0, 0, 0), I = (0.0001, 0.0001, 0.0001);
body 2: M = 2, D = (-0.3, 0, 0), I = (0, 0.06, 0.06);
body 3: M = 2, D = (-0.3, 0, 0), I = (0, 0.06, 0.06);"""
START = np.array([np.pi, -np.pi / 2, -np.pi / 2])


def main() -> None:
    m = da.load(ARM)
    tip = da.pose(m, START, frame="tip")[:3, 3]
    up = tip + [0, 0, 1.0]
    path = line(m, START, up, 1.0, frame="tip", profile="constant_acceleration")
    forces = da.torques_along(m, path, drives="none")
    end = da.pose(m, path(1.0), frame="tip")[:3, 3]
    print(f"tip from {np.round(tip, 6)} to {np.round(end, 6)}")
    print("   t      q1      q2      q3        P1        P2        P3")
    for k in range(0, 201, 20):
        row = [*forces.q[k], *forces.tau[k]]
        print(f"{forces.t[k]:4.1f}" + "{:8.4f}{:8.4f}{:8.4f}{:10.3f}{:10.3f}{:10.3f}".format(*row))

    forces.save_html("out/arm_of_1979.html")

    # the forces, played back: accelerations from driving forces, held over each step
    for step in (1e-2, 1e-3, 1e-4):
        table = da.trajectory.spline(forces.t, forces.tau, "natural").signal
        r = da.simulate(m, START, torque=table, t=path.times(11), step=step,
                        method="constant_acceleration")  # fmt: skip
        miss = np.abs(r.q - path(r.t)).max()
        print(f"constant accelerations over {step:g} s: off the path by {miss:.1e} rad")

    bound = m.bound()
    begin = time.perf_counter()
    for _ in range(100):
        circle(bound, list(START), [0.1, 0.2, 0.3])
    plain = (time.perf_counter() - begin) / 100
    kernel = da.compile(m, "inverse_dynamics", "active_chain")
    state = np.random.default_rng(0).normal(size=(3, 4096, 3))
    kernel(*state)
    begin = time.perf_counter()
    kernel(*state)
    compiled = (time.perf_counter() - begin) / 4096
    print(f"forming the model: 0.3 s in 1979; {1e3 * plain:.2f} ms in plain Python,"
          f" {1e9 * compiled:.0f} ns compiled")  # fmt: skip
    print("the lift with its forces: out/arm_of_1979.html")


if __name__ == "__main__":
    main()
