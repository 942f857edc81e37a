"""Does the model pay? Independent joint control beside model feed-forward on a 6R robot.

The 1980 report, sections 1.1 and 5, claims that taking the dynamics into account makes a robot much
more accurate, and asks which terms count. The robot is that of its section 4 with numbers of a
middle-sized arm.
"""

import numpy as np

import dalembert as da
from dalembert.control import PD, ComputedTorque, FeedForward
from dalembert.trajectory import quintic

NUMBERS = {
    "L1": 0.5, "M1": 20, "D1": 0.3, "IX1": 0.9, "IZ1": 0.9,
    "L2": 0.4, "M2": 12, "D2": 0.2, "IX2": 0.4, "IZ2": 0.4,
    "L3": 0.4, "M3": 6, "D3": 0.2, "IX3": 0.2, "IY3": 0.2,
    "L6": 0.1, "M6": 2, "D6": 0.05, "IX6": 0.012, "IY6": 0.012, "G": -9.81,
}  # fmt: skip
ROTORS = [2.0, 2.0, 1.0, 0.05, 0.05, 0.02]  # rotor inertias seen at the joints
START = np.array([0.0, 0.3, -0.5, 0.2, -0.4, 0.1])
END = np.array([1.4, -0.6, 0.7, 0.9, 0.8, -0.9])


def robot() -> da.Mechanism:
    from dataclasses import replace

    from dalembert.mechanism import Drive

    m = da.robots.report6r().with_values(NUMBERS)
    drives = tuple(Drive(j, inertia=x) for j, x in enumerate(ROTORS))
    return replace(m, drives=drives)


def main() -> None:
    m = robot()
    light = m.with_payload("tip", 0.2)  # the model knows the payload to 200 g
    kp = 400.0 * np.array(ROTORS)
    kd = 2 * np.sqrt(kp * np.array(ROTORS))
    for seconds in (2.0, 1.0, 0.6):
        path = quintic(START, END, seconds)
        forces = da.torques_along(m, path)
        share = forces.share("coriolis", "centrifugal")
        print(f"move in {seconds} s: Coriolis and centrifugal are {100 * share.max():.0f} % of the"
              f" force at most, {100 * np.median(share):.0f} % in the middle")  # fmt: skip
        laws = {
            "independent PD": PD(path, kp, kd, gravity=False),
            "PD + gravity": PD(path, kp, kd, model=m),
            "PD + model feed-forward": FeedForward(path, kp, kd, model=m),
            "computed torque": ComputedTorque(path, 400.0, 40.0, model=m),
        }
        errors = {}
        for name, law in laws.items():
            r = da.simulate(light, START, torque=law, t=path.times(), events="none")
            tips = [da.pose(light, q, frame="tip")[:, :3, 3] for q in (r.q, path(r.t))]
            errors[name] = np.linalg.norm(tips[0] - tips[1], axis=1).max()
            print(f"  {name:<24} tip off by {1e3 * errors[name]:8.3f} mm")
        ratio = errors["independent PD"] / errors["PD + model feed-forward"]
        print(f"  the model makes the robot {ratio:.0f} times more accurate")
    forces.save_html("out/feed_forward.html")
    print("the fastest move with its forces: out/feed_forward.html")


if __name__ == "__main__":
    main()
