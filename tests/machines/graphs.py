"""Random closed graphs of one to three loops, with every cut joint and rest poses of all kinds."""

from __future__ import annotations

from typing import Any

import numpy as np

import referee

from .sketch import BASE, Sketch, random_rotation

CUTS = ("revolute", "prismatic", "cylindrical", "universal", "spherical", "fixed", "rod")
HELD = dict(zip(CUTS, (5, 5, 4, 4, 3, 6, 1), strict=True))
IN_PLANE = {"prismatic": 2, "fixed": 3, "rod": 1, "cylindrical": 2, "revolute": 2, "spherical": 2}
KINDS = ("planar", "flat", "folded", "spatial", "concurrent", "mixed")


def closed_graph(seed: int) -> tuple[dict, np.ndarray]:
    """Return (native dict, closed coordinates) of one random machine."""
    return {"planar": planar, "flat": planar, "folded": folded, "spatial": spatial,
            "concurrent": concurrent, "mixed": mixed}[KINDS[seed % len(KINDS)]](seed)  # fmt: skip


def _chains(s: Sketch, rng: Any, cuts: list[str], spare: int, held: dict[str, int],
            spots: Any, axes: Any, slides: float) -> Sketch:  # fmt: skip
    """Hang chains on random bodies until each cut joint can move, and cut them to other bodies."""
    bodies, count = [BASE], 0
    for k, kind in enumerate(cuts):
        length = held[kind] + (spare if k == 0 else 0)
        at = bodies[int(rng.integers(len(bodies)))] if k else BASE
        fork = int(rng.integers(1, length + 1)) if rng.random() < 0.5 else length
        ends = []
        for side, many in ((0, fork), (1, length - fork)):
            last = at if side == 0 else bodies[int(rng.integers(len(bodies)))] if k else BASE
            for _ in range(many):
                count += 1
                type_ = "prismatic" if rng.random() < slides else "revolute"
                s.join(type_, last, f"b{count}", spots(), axes(type_), name=f"j{count}")
                last = f"b{count}"
            ends.append(last)
        bodies += [f"b{c + 1}" for c in range(count) if f"b{c + 1}" not in bodies]
        i, j = ends if rng.random() < 0.5 else ends[::-1]
        axis = axes("prismatic" if kind in ("prismatic", "cylindrical") else "revolute")
        aside = None
        if kind == "universal":
            aside = np.cross(axis, rng.normal(size=3))
            aside /= np.linalg.norm(aside)
        spot = spots()
        if kind == "rod":
            aside = spots()
        s.join(kind, i, j, spot, axis, cut=True, name=f"c{k}", aside=aside)
    return s


def _gravity(rng: Any) -> list[float]:
    return (rng.normal(size=3) * 6).round(3).tolist()


def planar(seed: int) -> tuple[dict, np.ndarray]:
    """Return a planar machine: flat rest pose, or one turned into space with a random one."""
    rng = np.random.default_rng([seed, 1])
    flat = KINDS[seed % len(KINDS)] == "flat"
    W = np.eye(3) if flat else random_rotation(rng)
    s = Sketch(f"{'flat' if flat else 'planar'} {seed}", _gravity(rng), seed)
    loops = int(rng.integers(1, 4))
    names = list(IN_PLANE)
    cuts = [names[(seed // 6 + k * 5) % 6] if k == 0 else "revolute" for k in range(loops)]
    if seed // 6 % 6 == 3:  # both axes of a cylinder in the plane's normal: it slides across
        cuts[0] = "revolute"

    def axes(kind: str) -> np.ndarray:
        a = rng.uniform(0, 2 * np.pi)
        return W @ (np.array([np.cos(a), np.sin(a), 0]) if kind == "prismatic" else [0, 0, 1.0])

    def spots() -> np.ndarray:
        return W @ np.array([*rng.uniform(-1, 1, 2), 0])

    slides = 0.0 if flat else 0.2
    _chains(s, rng, cuts, int(rng.integers(1, 3)), IN_PLANE, spots, axes, slides)
    return s.data("flat" if flat else "random")


def folded(seed: int) -> tuple[dict, np.ndarray]:
    """Return a planar machine drawn with all pins on one line: its rest pose is singular."""
    for again in range(50):
        rng = np.random.default_rng([seed, 2, again])
        data, q = _folded(seed, rng)
        if _unfolds(data, q, rng):
            return data, q
    raise ValueError(f"folded {seed} does not move")


def _unfolds(data: dict, q: np.ndarray, rng: Any) -> bool:
    """Return whether it leaves its singular pose: some are stuck there, as a flat triangle is."""
    m, found = referee.read(data), 0
    for _ in range(6):
        near = referee.close(m, referee.shifted(m, q, rng.normal(size=m.nv)))
        if near is not None:
            values = referee.State(m, near).singular_values
            more = referee.mobility(m, near) < referee.mobility(m, q)
            found += more and values[values > referee.solve.RANK].min() > 0.02
    return found > 1


def _folded(seed: int, rng: Any) -> tuple[dict, np.ndarray]:
    s = Sketch(f"folded {seed}", _gravity(rng), seed)
    if seed // 6 % 2:  # parallelograms on a line, one or more cranks beside the first
        a, d, more = rng.uniform(0.3, 0.6), rng.uniform(0.7, 1.2), int(rng.integers(1, 4))
        s.pin(BASE, "c0", [0, 0], name="j0").pin("c0", "rod", [a, 0], name="jr")
        for k in range(1, more + 1):
            s.pin(BASE, f"c{k}", [k * d, 0], name=f"j{k}")
            s.pin(f"c{k}", "rod", [k * d + a, 0], cut=True)
    else:
        joints = iter(rng.uniform(-1, 1, 40))
        loops = int(rng.integers(1, 4))
        z = np.array([0, 0, 1.0])
        _chains(s, rng, ["revolute"] * loops, int(rng.integers(1, 3)), IN_PLANE,
                lambda: np.array([next(joints), 0, 0]), lambda kind: z, 0)  # fmt: skip
    return s.data("drawn")


def spatial(seed: int) -> tuple[dict, np.ndarray]:
    """Return loops anywhere in space, each cut at a joint of another kind."""
    rng = np.random.default_rng([seed, 3])
    s = Sketch(f"spatial {seed}", _gravity(rng), seed)
    loops = int(rng.integers(1, 3))
    cuts = [CUTS[(seed // 6 + 3 * k) % len(CUTS)] for k in range(loops)]
    _chains(s, rng, cuts, int(rng.integers(1, 3)), HELD, lambda: rng.uniform(-1, 1, 3),
            lambda kind: rng.normal(size=3), 0.2)  # fmt: skip
    return s.data(("random", "drawn")[seed // 6 % 2])


def concurrent(seed: int) -> tuple[dict, np.ndarray]:
    """Return loops of revolute joints whose axes meet: two of five equations are redundant."""
    rng = np.random.default_rng([seed, 4])
    s = Sketch(f"concurrent {seed}", _gravity(rng), seed)
    held = {"revolute": 3, "spherical": 0}
    centre, axis = rng.uniform(-0.5, 0.5, 3), np.zeros(3)

    def axes(kind: str) -> np.ndarray:
        return axis.copy()

    def spots() -> np.ndarray:
        axis[:] = rng.normal(size=3)
        axis[:] /= np.linalg.norm(axis)
        return centre + axis * rng.uniform(0.3, 1)

    loops = int(rng.integers(1, 3))
    count, last = 0, BASE
    for k in range(loops):
        first = last if k else BASE
        last = first
        for _ in range(held["revolute"] + (k == 0)):
            count += 1
            point = spots()
            s.join("revolute", last, f"b{count}", point, axes(""), name=f"j{count}")
            last = f"b{count}"
        point = spots()
        s.join("revolute", BASE, last, point, axes(""), cut=True, name=f"c{k}")
        last = "b1"
    return s.data("random")


def mixed(seed: int) -> tuple[dict, np.ndarray]:
    """Return a loop with a spherical, screw or planar joint in its tree, and a chain outside it."""
    rng = np.random.default_rng([seed, 5])
    s = Sketch(f"mixed {seed}", _gravity(rng), seed)
    special = ("spherical", "screw", "planar", "spherical")[seed // 6 % 4]
    kind = CUTS[seed // 6 % len(CUTS)]
    freedoms = {"spherical": 3, "screw": 1, "planar": 3}[special]
    length = max(2, HELD[kind] + 1 + int(rng.integers(2)) - freedoms + 1)
    where, last = int(rng.integers(length)), BASE
    if special == "planar":
        where = 0
    for k in range(length):
        type_ = special if k == where else "prismatic" if rng.random() < 0.2 else "revolute"
        axis = (0, 0, 1) if type_ == "planar" else rng.normal(size=3)
        s.join(type_, last, f"b{k}", rng.uniform(-1, 1, 3), axis, name=f"j{k}")
        last = f"b{k}"
    axis, aside = rng.normal(size=3), rng.uniform(-1, 1, 3)
    if kind == "universal":
        aside = np.cross(axis, aside)
        aside /= np.linalg.norm(aside)
    s.join(kind, BASE, last, rng.uniform(-1, 1, 3), axis, cut=True, aside=aside, name="c")
    s.join("revolute", "b0", "arm", rng.uniform(-1, 1, 3), rng.normal(size=3), name="arm")
    return s.data(("random", "drawn")[seed // 12 % 2])
