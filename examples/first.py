"""The first minute: one sentence, its equations, its kernel, and the robot moving on a page.

The six-joint robot of Liégeois and Aldon, INRIA RR 32 (1980); `report_robot.py` prints all of it.
"""

import time

import numpy as np

import dalembert as da

# metres, kilograms and kilogram square metres of a middle-sized arm
NUMBERS = {
    "L1": 0.5, "M1": 20, "D1": 0.3, "IX1": 0.9, "IZ1": 0.9,
    "L2": 0.4, "M2": 12, "D2": 0.2, "IX2": 0.4, "IZ2": 0.4,
    "L3": 0.4, "M3": 6, "D3": 0.2, "IX3": 0.2, "IY3": 0.2,
    "L6": 0.1, "M6": 2, "D6": 0.05, "IX6": 0.012, "IY6": 0.012,
}  # fmt: skip
START = np.array([-0.7, 0.5, 0.7, -0.9, 0.2, 0.0])
END = np.array([0.7, 0.1, -0.1, -0.3, -0.9, 1.5])


def main() -> None:
    symbolic = da.robots.report6r()
    equations = da.equations(symbolic)
    m = symbolic.with_values(NUMBERS)
    print(f"a robot in one sentence:\n  {da.robots.REPORT}\n")
    print("its equations of motion, closed and condensed; three of them:")
    print(f"  Q(5)   = {equations.Q[5]}\n  A(4,4) = {equations.A[4, 4]}")
    print(f"  A(4,5) = {equations.A[4, 5]}\n")

    begin = time.perf_counter()
    kernel = da.compile(m, "inverse_dynamics")
    ready = time.perf_counter() - begin
    states = np.random.default_rng(0).uniform(-3, 3, (3, 4096, m.nv))
    tau = kernel(*states)
    closed = [equations.evaluate(NUMBERS, *(x[k] for x in states)) for k in range(10)]
    begin = time.perf_counter()
    kernel(*states, out=tau)
    each = (time.perf_counter() - begin) / 4096
    print(f"its inverse dynamics: {kernel.cost['step']}")
    print(f"  compiled in {1e3 * ready:.0f} ms, {1e9 * each:.0f} ns a state; it agrees with the"
          f" equations to {abs(tau[:10] - closed).max():.0e} N m\n")  # fmt: skip

    forces = da.torques_along(m, da.trajectory.quintic(START, END, 1.5))
    print(f"a move of 1.5 s needs at most {forces.peak.max():.0f} N m")
    path = forces.save_html("out/first.html")
    print(f"watch it move: {path.resolve()}")


if __name__ == "__main__":
    main()
