"""A four-bar linkage: the torque for a constant crank speed, and the crank let go."""

import numpy as np

import dalembert as da

SPEED = 2 * np.pi  # one turn a second


def main() -> None:
    m = da.robots.fourbar()
    q0 = da.assemble(m)
    t = np.linspace(0, 1, 121)
    crank = (q0[0] + SPEED * t)[:, None]
    motion = (t, crank, np.full_like(crank, SPEED), np.zeros_like(crank))
    forces = da.torques_along(m, motion)
    print("crank [deg]   torque [N m]")
    for k in range(0, 121, 10):
        print(f"{np.degrees(crank[k, 0] - q0[0]):11.0f} {forces.tau[k, 0]:14.4f}")
    work = forces.energy[-1, 0]
    print(f"work of a whole turn: {work:.1e} J (peak power {forces.peak_power[0]:.2f} W)")

    r = da.simulate(m, q0, t=10.0, rtol=1e-10)
    change = np.ptp(r.energy) / np.abs(r.potential_energy).max()
    print(f"let go for 10 s: energy kept to {change:.1e}, loops closed to {r.residual.max():.1e}")
    r.save_html("out/four_bar.html")
    rest = da.equilibrium(m, q0)
    swing = da.linearize(m, rest).frequencies[0]
    print(f"it rests at {np.degrees(rest[0]):.1f} deg and swings there at {swing:.4f} Hz")
    print("the motion: out/four_bar.html")


if __name__ == "__main__":
    main()
