"""An eel bends in empty space: its mass centre stays, its head turns all the same.

Khalil (2010), section 7: joint motions are imposed, the motion of the free head follows from them.
"""

import numpy as np

import dalembert as da
from dalembert.trajectory import sampled

SEGMENTS, PERIOD, END = 6, 1.0, 6.0


def wave(k: int, phase: float) -> da.trajectory.Trajectory:
    """Return the bending of joint k: a wave that runs down the body, from rest to rest."""

    def angle(t: np.ndarray) -> np.ndarray:
        shape = (1 - np.exp(-((t / 0.5) ** 4))) * (1 - np.exp(-(((END - t) / 0.5) ** 4)))
        return (0.6 * shape * np.sin(2 * np.pi * t / PERIOD - phase * k))[:, None]

    return sampled(angle, np.linspace(0, END, 1201), "clamped")


def main() -> None:
    m = da.robots.eel(SEGMENTS)
    bending = m.joint_names[1:]
    print("phase per joint   largest momentum   mass centre moves   head turns   turned at rest")
    for phase in (0.0, 0.9, -0.9):
        motion = {name: wave(k, phase) for k, name in enumerate(bending)}
        r = da.simulate(m, t=np.linspace(0, END, 61), motion=motion, rtol=1e-9)
        centre = r.quantity("centre_of_mass")
        momentum = np.abs(r.quantity("momentum")).max()
        heading = 2 * np.degrees(np.arctan2(np.linalg.norm(r.q[:, 3:6], axis=1), r.q[:, 6]))
        print(f"{phase:15.1f}{momentum:19.1e}{np.abs(centre - centre[0]).max():18.1e} m"
              f"{np.abs(heading).max():9.1f} deg{heading[-1]:18.3f} deg")  # fmt: skip
    r.save_html("out/eel_in_vacuum.html")
    print("the last motion: out/eel_in_vacuum.html")


if __name__ == "__main__":
    main()
