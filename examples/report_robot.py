"""The six-joint robot of the 1980 report: one sentence, its tables, its equations, its kernel.

Liégeois and Aldon, Génération et programmation automatiques des équations de la dynamique des
robots, INRIA RR 32 (1980).
"""

import time

import numpy as np

import dalembert as da
from dalembert.tables import tables_text

SENTENCE = (
    "RY(T1MIN,T1MAX),TYK(L1),RX(T2MIN,T2MAX),TYK(L2),RX(T3MIN,T3MAX),TZK(L3),"
    "RX(T4MIN,T4MAX),TZK(0),RY(T5MIN,T5MAX),TZK(0),RZ(T6MIN,T6MAX),TZK(L6);"
    " gravity = (0, G, 0);"
)
# metres, kilograms and kilogram square metres of a middle-sized arm
NUMBERS = {
    "L1": 0.5, "M1": 20, "D1": 0.3, "IX1": 0.9, "IZ1": 0.9,
    "L2": 0.4, "M2": 12, "D2": 0.2, "IX2": 0.4, "IZ2": 0.4,
    "L3": 0.4, "M3": 6, "D3": 0.2, "IX3": 0.2, "IY3": 0.2,
    "L6": 0.1, "M6": 2, "D6": 0.05, "IX6": 0.012, "IY6": 0.012,
}  # fmt: skip
STATES = 4096


def seconds(run, repeats: int) -> float:
    """Return the shortest of some runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def kernel_lines(m: da.Mechanism, equations) -> list[str]:
    """Return what the compiled inverse model costs, and how it agrees with the equations."""
    start = time.perf_counter()
    kernel = da.compile(m.with_values(NUMBERS), "inverse_dynamics")
    ready = time.perf_counter() - start
    q, qd, qdd = np.random.default_rng(0).uniform(-3, 3, (3, STATES, m.nv))
    tau = kernel(q, qd, qdd)
    closed = np.array([equations.evaluate(NUMBERS, q[k], qd[k], qdd[k]) for k in range(10)])
    batch = seconds(lambda: kernel(q, qd, qdd, out=tau), 200) / STATES
    one, out = (q[0], qd[0], qdd[0]), np.empty(m.nv)
    call = seconds(lambda: [kernel(*one, out=out) for _ in range(1000)], 20) / 1000
    return [
        f"inverse dynamics, in numbers: {kernel.cost['step']}",
        f"kernel ready in {1e3 * ready:.0f} ms",
        f"{STATES} states at once: {1e9 * batch:.0f} ns each; one call from Python:"
        f" {1e9 * call:.0f} ns",
        f"largest difference from the equations: {abs(tau[:10] - closed).max():.1e} N m"
        f" of {abs(closed).max():.0f} N m",
    ]


def main() -> None:
    m = da.load(SENTENCE)
    print(f"# {SENTENCE}\n\n{tables_text(m)}\n", flush=True)
    equations = da.equations(m)
    print(f"EQUATIONS OF MOTION\n{equations.text(form='report').rstrip()}\n", flush=True)
    print("KERNEL\n" + "\n".join(kernel_lines(m, equations)))
    m.save_svg("out/report_robot.svg", [0.3, 0.4, 0.6, -0.7, 0.4, 0])
    print("\nits kinematic scheme: out/report_robot.svg")


if __name__ == "__main__":
    main()
