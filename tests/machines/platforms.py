"""Parallel robots with every kind of leg, platforms on platforms: (native dict, closed pose)."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

import dalembert as da
import referee

from .lettered import LETTERED
from .linkages import PLANAR, Drawn
from .sketch import BASE, Sketch
from .spatial import SPATIAL, six_legs, universal


def rods(kind: str) -> Drawn:
    """Return a platform on three arms with two rods each: a Delta, or slides as in Orthoglide."""
    s, top = Sketch(kind, (0.0, 0.0, -9.81)), np.array([0.0, 0.0, 0.7])
    s.join("free", BASE, "platform", top, name="platform")
    for k in range(3):
        a = 2 * np.pi / 3 * k + 0.2
        out, side = np.array([np.cos(a), np.sin(a), 0]), np.array([-np.sin(a), np.cos(a), 0])
        if kind == "Delta with rods":
            knee = 0.6 * out + [0, 0, 0.15]
            s.join("revolute", BASE, f"arm{k}", 0.4 * out, side, motor=True, name=f"arm{k}")
        else:
            along = 0.8 * out + [0, 0, 0.6]
            knee, side = 0.6 * along, np.cross(along, [0.0, 0, 1])
            side /= np.linalg.norm(side)
            s.join("prismatic", BASE, f"arm{k}", knee, along, motor=True, name=f"arm{k}")
        for sign in (-1, 1):
            end = top + 0.15 * out + 0.1 * sign * side
            s.join("rod", f"arm{k}", "platform", knee + 0.1 * sign * side, cut=True, aside=end)
    return s.data("drawn")


def upu(cut: str) -> Drawn:
    """Return a 3-UPU whose platform has a joint of its own, cut at a hinge or a universal joint."""
    s, top = Sketch(f"3-UPU, {cut}", (0.0, 0.0, -9.81)), np.array([0.0, 0.0, 0.6])
    s.join("free", BASE, "platform", top, name="platform")
    for k in range(3):
        a = 2 * np.pi / 3 * k + 0.2
        out, side = np.array([np.cos(a), np.sin(a), 0]), np.array([-np.sin(a), np.cos(a), 0])
        foot, tip = 0.5 * out, top + 0.25 * out
        along = (tip - foot) / np.linalg.norm(tip - foot)
        second = np.cross(along, side)
        universal(s, BASE, f"low{k}", foot, side, second)
        middle = (foot + tip) / 2
        s.join("prismatic", f"low{k}", f"up{k}", middle, along, motor=True, name=f"p{k}")
        if cut == "universal":
            s.join("universal", f"up{k}", "platform", tip, second, cut=True, aside=side)
        else:
            s.join("revolute", f"up{k}", f"end{k}", tip, second)
            s.join("revolute", f"end{k}", "platform", tip, side, cut=True)
    return s.data("drawn")


def described(m: da.Mechanism) -> dict:
    """Return the native dict of a mechanism."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "m.json"
        m.save(file)
        return json.loads(file.read_text())


def hybrid(lower: Callable[[], Drawn], upper: Callable[[], Drawn]) -> Drawn:
    """Return a platform on the platform of another robot."""
    (low, q1), (high, q2) = lower(), upper()
    m = da.load(low).attach(da.load(high), "platform")
    return described(m), np.concatenate([q1, q2])


def numbered(name: str) -> Drawn:
    """Return a machine in letters with their values."""
    data, values = LETTERED[name]()
    m = da.load(data).with_values(**values)
    return described(m), da.regular_pose(m)


def motion(data: dict, q: np.ndarray, seed: int = 0, far: float = 0.15) -> tuple:
    """Return a closed state not far from q, with feasible rates, from the referee alone."""
    rng, m = np.random.default_rng(seed), referee.read(data)
    qd, _ = referee.feasible(data, q, rng)
    q = referee.close(data, referee.shifted(m, np.asarray(q, float), far * qd / np.abs(qd).max()))
    return (q, *referee.feasible(data, q, rng))


PLATFORMS: dict[str, Callable[[], Drawn]] = {
    "3-RRR": PLANAR["3-RRR"],
    "3-RPR": PLANAR["3-RPR"],
    "3-PRR": lambda: numbered("3-PRR"),
    "Orthoglide": lambda: numbered("Orthoglide"),
    "Delta of rods": lambda: numbered("Delta of rods"),
    "Delta": lambda: numbered("Delta"),
    "3-UPU": lambda: numbered("3-UPU"),
    "3-PRS": SPATIAL["3-PRS"],
    "agile eye": SPATIAL["agile eye"],
    "Stewart": SPATIAL["Stewart"],
    "hexaglide": SPATIAL["hexaglide"],
    "Hexa": lambda: six_legs("Hexa"),
    "3-RPR on 3-RPR": lambda: hybrid(PLANAR["3-RPR"], PLANAR["3-RPR"]),
    "3-RRR on 3-PRS": lambda: hybrid(SPATIAL["3-PRS"], PLANAR["3-RRR"]),
}
