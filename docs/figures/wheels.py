"""The pictures of docs/wheels.md; `python docs/figures/wheels.py` draws them beside this file."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import dalembert as da
from dalembert import control
from dalembert.mechanism import Tyre

HERE = Path(__file__).parent
BLUE, ORANGE, GREEN, RED, INK = "#4573b8", "#d97f26", "#3f8f58", "#c24d45", "#1d2430"


def save(figure: Figure, name: str, ending: str) -> None:
    """Write a figure without a date, so that equal pictures are equal files."""
    told = {"metadata": {"Date": None}} if ending == "svg" else {"dpi": 110}
    figure.savefig(HERE / f"{name}.{ending}", bbox_inches="tight", **told)


def car(ending: str) -> None:
    """Draw a lane change on tyres of three stiffnesses beside the car without slip."""
    plain = da.robots.truck(0)
    times = np.linspace(0, 6, 121)
    motion = {"delta": lambda t: 0.05 * np.sin(2 * np.pi * t / 4) * (t < 4)}
    figure = Figure((7.2, 2.6))
    axes = figure.add_subplot()
    for stiffness, color in ((2e5, RED), (5e5, ORANGE), (2e6, GREEN)):
        wheels = tuple(replace(w, tyre=Tyre(stiffness, peak=4e4)) for w in plain.wheels)
        r = da.compare_slip(
            replace(plain, wheels=wheels), [0, 0, 0], [12.0], t=times, motion=motion, rtol=1e-7
        )
        label = f"tyres, {stiffness / 1000:.0f} kN/rad"
        axes.plot(*r.slipping.q[:, :2].T, color=color, label=label, linewidth=1.6)
    axes.plot(*r.rolling.q[:, :2].T, "--", color=INK, label="no slip", linewidth=1.2)
    axes.set(xlabel="x  [m]", ylabel="y  [m]")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    save(figure, "car", ending)


def bicycle(ending: str) -> None:
    """Draw the eigenvalues of the Whipple bicycle over its speed."""
    m = da.load(HERE.parents[1] / "examples" / "bicycle.toml")
    speeds = np.linspace(0, 10, 81)
    figure = Figure((7.2, 3.4))
    axes = figure.add_subplot()
    for v in speeds:
        values = np.linalg.eigvals(da.linearize(m, [0] * 6 + [1, 0, 0, 0], [0, 0, v / 0.35]).A)
        values = values[np.argsort(-np.abs(values))][:4]
        for x in values:
            axes.plot(v, x.real, ".", color=BLUE, markersize=4)
            if x.imag > 1e-6:
                axes.plot(v, x.imag, ".", color=ORANGE, markersize=4)
    axes.plot([], [], ".", color=BLUE, label="real part")
    axes.plot([], [], ".", color=ORANGE, label="imaginary part")
    axes.axhline(0, color=INK, linewidth=0.8)
    axes.axvspan(4.292382536, 6.024262015, color=GREEN, alpha=0.15, label="rides by itself")
    axes.set(xlabel="speed  [m/s]", ylabel="eigenvalue  [1/s]", ylim=(-10, 10), xlim=(0, 10))
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8, loc="lower right")
    save(figure, "bicycle", ending)


def truck(ending: str) -> None:
    """Draw a truck that backs two trailers along an eight."""
    m = da.robots.truck(2)
    path = control.Eight((0, 0), 100, 70)
    law = control.FollowPath(path, guide="axle2", backwards=True, length=8)
    (x, y), (x1, y1), _ = path.curve(0.3)
    q0 = np.zeros(m.nq)
    q0[2] = np.arctan2(y1, x1) + np.pi
    back = np.array([-0.35 - 7.2 - 0.35 - 7.2, 0])
    c, s = np.cos(q0[2]), np.sin(q0[2])
    q0[:2] = np.array([x, y]) - np.array([[c, -s], [s, c]]) @ back + [2.0, 2.0]
    r = da.simulate(
        m, q0, [-2.0], t=np.linspace(0, 240, 481), motion={"delta": law}, rtol=1e-6,
        torque=control.Cruise(-2.0, 40000.0),
    )  # fmt: skip
    figure = Figure((7.2, 4.6))
    axes = figure.add_subplot()
    many = np.linspace(0, 2 * np.pi, 400)
    axes.plot(*np.array([path.curve(u)[0] for u in many]).T, "--", color=INK, linewidth=0.8)
    ends = {
        "chassis": (-0.8, 4.4, BLUE), "trailer1": (-8.2, 0, ORANGE), "trailer2": (-8.2, 0, GREEN),
    }  # fmt: skip
    for k in range(0, 481, 48):
        for name, (rear, front, color) in ends.items():
            T = da.pose(m.tree, r.q[k, : m.nq], frame=name)
            box = np.array([[rear, -1.2], [front, -1.2], [front, 1.2], [rear, 1.2], [rear, -1.2]])
            at = T[:2, 3] + box @ T[:2, :2].T
            axes.fill(*at.T, facecolor=color, alpha=0.35, edgecolor=color, linewidth=0.8)
    axes.set_aspect("equal")
    axes.set(xlabel="x  [m]", ylabel="y  [m]")
    axes.grid(alpha=0.3)
    save(figure, "truck", ending)


if __name__ == "__main__":
    ending = sys.argv[1] if sys.argv[1:] else "png"
    for each in sys.argv[2:] or ["car", "bicycle", "truck"]:
        {"car": car, "bicycle": bicycle, "truck": truck}[each](ending)
