"""A truck backs up: left alone the trailer folds, steered by the hitch angle it follows.

DeSantis (1996), section 8: q̇ = J_nh α with the forward speed as the one speed; the steering angle
is prescribed.
"""

import numpy as np

import dalembert as da
from dalembert.view import save_html
from dalembert.view.motion import motion

SPEED, STEP = -1.0, 0.1


def back_up(m: da.Mechanism, gain: float, seconds: float = 8.0) -> np.ndarray:
    """Return time, steering angle and pose of the backing truck; steering is renewed every step."""
    q = da.neutral(m)
    q[-1] = np.radians(3.0)
    v = np.array([SPEED])
    rows = []
    for k in range(round(seconds / STEP)):
        delta = float(np.clip(gain * q[-1], -0.6, 0.6))
        rows.append([k * STEP, delta, *q])
        if abs(q[-1]) > np.radians(80):
            break
        r = da.simulate(m, q, v, t=[0, STEP], motion={"delta": delta}, events="none")
        q, v = r.q[-1], r.speeds[-1]
    return np.array(rows)


def main() -> None:
    m = da.robots.truck(1)
    straight = da.linearize(m, None, [SPEED], steer=[0.0])
    print(f"backing straight, the fastest mode grows as exp({straight.A[3, 3]:.3f} t)")
    for gain in (0.0, 3.0, -3.0):
        rows = back_up(m, gain)
        shown = "  ".join(f"{np.degrees(x):7.2f}" for x in rows[::10, -1])
        end = "folds" if len(rows) < round(8.0 / STEP) else "stays"
        print(f"steering = {gain:4.1f} x hitch angle: the trailer {end}; each second: {shown} deg")
    moved = motion(m, rows[:, 0], rows[:, 2:], steer={"delta": rows[:, 1]})
    save_html(m, "out/truck_backing_up.html", motion=moved)
    print("the last run: out/truck_backing_up.html")


if __name__ == "__main__":
    main()
