"""PD with gravity compensation and its Lyapunov function, DeSantis (1996), (6.11)-(6.18)."""

import numpy as np

import dalembert as da
from dalembert.control import PD

ARM = """RZ(), TXK(0.8), RZ(), TXK(0.6); gravity = (0, -9.81, 0);
body 1: M = 3, D = (0.8, 0, 0); body 2: M = 2, D = (0.6, 0, 0);"""


def main() -> None:
    m = da.load(ARM)
    law = PD([0.9, -0.7], kp=[60.0, 40.0], kd=[18.0, 9.0])
    r = da.simulate(m, [-0.5, 0.4], [0.3, -0.2], law, np.linspace(0, 4, 41), rtol=1e-10)
    V = law.lyapunov(m, r.q, r.qd)
    print("   t       q1       q2         V")
    for t, q, v in zip(r.t[::4], r.q[::4], V[::4], strict=True):
        print(f"{t:4.1f} {q[0]:8.4f} {q[1]:8.4f} {v:9.4f} " + "*" * round(40 * v / V[0]))
    r.save_html("out/pd_control.html")
    print("the motion: out/pd_control.html")
    print(f"V never rises: {bool((np.diff(V) <= 1e-9 * V[0]).all())}")


if __name__ == "__main__":
    main()
