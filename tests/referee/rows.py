"""Constraint rows C x = c on x = (twists of all bodies, rates of all joints), from the description.

Every body has its own six velocities: of its origin, then angular, in base axes. A joint of the
tree is six rows: the twist of the body is that of its parent, carried along, plus the joint's. A
cut joint has one row for each direction it holds; wheels, couplings and equations have theirs.

Everything is analytic in the coordinates, so a complex step gives exact derivatives in time.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .description import Body, End, Machine, about, skew, value

STEP = 1e-30  # of complex steps: no cancellation, so as small as you like
EYE = np.eye(3)


@dataclass(frozen=True)
class Place:
    """Where a machine is: coordinates, time, and steering angles that are no joints."""

    q: np.ndarray
    t: Any = 0.0
    steer: dict[str, Any] = field(default_factory=dict)


def rates(m: Machine, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Return the time derivatives of the coordinates."""
    out = np.zeros(m.nq, np.result_type(q, qd, float))
    for b in m.bodies:
        x, v = q[b.q], qd[b.v]
        if b.kind == "spherical":
            out[b.q] = _turning(x, v)
        elif b.kind == "free":
            out[b.q] = [*(turned(x[3:]) @ v[:3]), *_turning(x[3:], v[3:])]
        else:
            out[b.q] = v
    return out


def _turning(u: np.ndarray, w: np.ndarray) -> list:
    """Return the rate of a quaternion (x, y, z, w) that turns with w in its own axes."""
    s, e = u[3], u[:3]
    return [*(0.5 * (s * w + np.cross(e, w))), -0.5 * (e @ w)]


def turned(u: np.ndarray) -> np.ndarray:
    """Return the rotation matrix of a quaternion."""
    s, E = u[3], skew(u[:3])
    return EYE + 2 * s * E + 2 * E @ E


def moved(b: Body, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the pose of the body in its joint's frame."""
    if b.kind in ("revolute", "screw"):
        return about(b.axis, x[0]), b.axis * (b.pitch * x[0])
    if b.kind == "prismatic":
        return EYE, b.axis * x[0]
    if b.kind == "planar":
        return about(EYE[2], x[2]), np.array([x[0], x[1], 0])
    if b.kind == "spherical":
        return turned(x), np.zeros(3)
    if b.kind == "free":
        return turned(x[3:]), x[:3]
    return EYE, np.zeros(3)


def poses(m: Machine, q: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return rotation and origin of every body; the last, index -1, is the base."""
    out = [(EYE, np.zeros(3))] * (len(m.bodies) + 1)
    for k, b in enumerate(m.bodies):
        (R, p), (own, at) = out[b.parent], moved(b, q[b.q])
        out[k] = R @ b.R @ own, p + R @ (b.p + b.R @ at)
    return out


def freedoms(b: Body, R: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Return the twist of the body for each rate of its joint; `before`: axes of the joint."""
    if b.kind in ("revolute", "screw", "prismatic"):
        a = (R @ b.axis)[:, None]
        slide = 1 if b.kind == "prismatic" else b.pitch
        return np.vstack([slide * a, (b.kind != "prismatic") * a])
    if b.kind == "planar":
        x, y, z = before.T
        return np.vstack([np.column_stack([x, y, 0 * z]), np.column_stack([0 * x, 0 * y, z])])
    if b.kind == "spherical":
        return np.vstack([0 * R, R])
    if b.kind == "free":
        return np.block([[R, 0 * R], [0 * R, R]])
    return np.zeros((6, 0))


def tree(m: Machine, at: list) -> np.ndarray:
    """Return six rows per body: its twist less the carried one less that of its joint."""
    n = 6 * len(m.bodies)
    C = np.zeros((n, n + m.nv), complex)
    for k, b in enumerate(m.bodies):
        own = slice(6 * k, 6 * k + 6)
        C[own, own] = np.eye(6)
        C[own, n:][:, b.v] = -freedoms(b, at[k][0], at[b.parent][0] @ b.R)
        if b.parent >= 0:
            up = slice(6 * b.parent, 6 * b.parent + 6)
            C[own, up] = -_carried(at[k][1] - at[b.parent][1])
    return C


def _carried(arm: np.ndarray) -> np.ndarray:
    return np.block([[EYE, -skew(arm)], [np.zeros((3, 3)), EYE]])


def twist_at(m: Machine, at: list, body: int, point: np.ndarray) -> np.ndarray:
    """Return six rows: the twist of a body at a point of space."""
    C = np.zeros((6, 6 * len(m.bodies) + m.nv), complex)
    if body >= 0:
        C[:, 6 * body : 6 * body + 6] = _carried(point - at[body][1])
    return C


def spot(at: list, end: End) -> np.ndarray:
    """Return where the point of an end is."""
    R, p = at[end.body]
    return p + R @ end.point


def across(axis: np.ndarray) -> np.ndarray:
    """Return two unit vectors normal to an axis (real), as rows."""
    return np.linalg.svd(axis[None])[2][1:]


def held(kind: str, i: End, j: End, at: list) -> tuple[np.ndarray, np.ndarray]:
    """Return the directions in which a cut joint holds body_j against body_i: shifts, turns."""
    none, Ri = np.zeros((0, 3)), at[i.body][0]
    normal = across(i.axis) @ Ri.T
    if kind == "rod":
        gap = spot(at, j) - spot(at, i)
        return (gap / np.sqrt(gap @ gap))[None], none
    if kind == "universal":
        return EYE, np.cross(Ri @ i.axis, at[j.body][0] @ j.axis)[None]
    return {
        "spherical": (EYE, none),
        "revolute": (EYE, normal),
        "cylindrical": (normal, normal),
        "prismatic": (normal, EYE),
        "fixed": (EYE, EYE),
    }[kind]


def loop_rows(m: Machine, at: list, loop: tuple) -> np.ndarray:
    """Return the rows of a cut joint, on the twist of body_j against body_i at point_j."""
    kind, i, j, _ = loop
    point = spot(at, j)
    apart = twist_at(m, at, j.body, point) - twist_at(m, at, i.body, point)
    shifts, turns = held(kind, i, j, at)
    return np.vstack([shifts @ apart[:3], turns @ apart[3:]])


def loop_gap(at: list, loop: tuple) -> np.ndarray:
    """Return how far a cut joint is open; zero if and only if it is closed (no half turns)."""
    kind, i, j, length = loop
    (Ri, _), (Rj, _) = at[i.body], at[j.body]
    gap, a, b = spot(at, j) - spot(at, i), Ri @ i.axis, Rj @ j.axis
    apart = (Ri @ i.R).T @ Rj @ j.R
    twist = 0.5 * np.array([apart[2, 1] - apart[1, 2], apart[0, 2] - apart[2, 0],
                            apart[1, 0] - apart[0, 1]])  # fmt: skip
    beside = across(i.axis) @ Ri.T @ gap
    return {
        "rod": lambda: [np.sqrt(gap @ gap) - length],
        "universal": lambda: [*gap, a @ b],
        "spherical": lambda: gap,
        "revolute": lambda: [*gap, *np.cross(a, b)],
        "cylindrical": lambda: [*beside, *np.cross(a, b)],
        "prismatic": lambda: [*beside, *twist],
        "fixed": lambda: [*gap, *twist],
    }[kind]()


def half_turned(m: Machine, q: np.ndarray) -> bool:
    """Return whether a cut joint is closed upside down."""
    at = poses(m, q)
    for kind, i, j, _ in m.loops:
        (Ri, _), (Rj, _) = at[i.body], at[j.body]
        if kind in ("revolute", "cylindrical") and (Ri @ i.axis) @ (Rj @ j.axis) < 0:
            return True
        if kind in ("fixed", "prismatic") and np.trace((Ri @ i.R).T @ Rj @ j.R) < 1:
            return True
    return False


def wheel_rows(m: Machine, at: list, w: dict, place: Place) -> np.ndarray:
    """Return the rows of a wheel: no sideways velocity, and where it spins, no slip."""
    R, p = at[w["body"]]
    normal = w["normal"]
    if w.get("steer") is not None:
        angle = place.steer.get(w["steer"])
        if angle is None:
            angle = place.q[next(b.q.start for b in m.bodies if b.joint == w["steer"])]
        normal = about(EYE[2], angle) @ normal
    speed = twist_at(m, at, w["body"], p + R @ w["point"])[:3]
    rows = [(R @ normal) @ speed]
    if w["radius"] is not None:
        roll = (R @ np.cross(normal, EYE[2])) @ speed
        roll[6 * len(m.bodies) + m.rate(w["spin"]).start] -= w["radius"]
        rows.append(roll)
    return np.array(rows)


def _length(a: np.ndarray) -> Any:
    return np.sqrt(a @ a)  # analytic, unlike a norm


def touching(at: list, c: dict) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (contact, directions without slip, last of them off the plane) of a rolling body."""
    (R, p), (S, s) = at[c["body"]], at[c["on"]]
    centre, axle, n = p + R @ c["point"], R @ c["axis"], S @ c["normal"]
    if c["kind"] == "gear":
        gap = s + S @ c["at"] - centre
        where = centre + gap * c["radius"] / (c["radius"] + c["on_radius"])
        along = np.cross(axle, gap)
        return where, along[None] / _length(along), n
    if c["kind"] == "rack":
        along = np.cross(axle, n)
        return centre - c["radius"] * n, along[None] / _length(along), n
    if c["kind"] == "sphere":
        return centre - c["radius"] * n, np.eye(3), n
    ahead = np.cross(axle, n)
    ahead = ahead / _length(ahead)
    aside = np.cross(n, ahead)
    if c["kind"] == "knife_edge":
        return centre, np.array([aside, n]), n
    # the lowest point of the middle circle of the tread, then down by its crown
    down = np.cross(ahead, axle)
    down = down / _length(down)
    down = -down if (down @ n).real > 0 else down
    where = centre + (c["radius"] - c["crown"]) * down - c["crown"] * n
    return where, np.eye(3), n


def rolling_rows(m: Machine, at: list, c: dict) -> np.ndarray:
    """Return the rows of a rolling body: its point at the contact moves as what it rolls on."""
    where, ways, _ = touching(at, c)
    slip = twist_at(m, at, c["body"], where)[:3] - twist_at(m, at, c["on"], where)[:3]
    return ways @ slip


class Jet:
    """A number with its derivative, for equations in coordinates alone."""

    def __init__(self, x: Any, d: Any = 0):
        self.x, self.d = x, d

    def _do(self, o: Any, f: Any) -> Jet:
        o = o if isinstance(o, Jet) else Jet(o)
        return Jet(*f(self.x, self.d, o.x, o.d))

    def __add__(self, o: Any) -> Jet:
        return self._do(o, lambda x, d, y, e: (x + y, d + e))

    def __mul__(self, o: Any) -> Jet:
        return self._do(o, lambda x, d, y, e: (x * y, d * y + x * e))

    def __truediv__(self, o: Any) -> Jet:
        return self._do(o, lambda x, d, y, e: (x / y, (d * y - x * e) / (y * y)))

    def __pow__(self, n: Any) -> Jet:
        return Jet(self.x**n, n * self.x ** (n - 1) * self.d)

    def __neg__(self) -> Jet:
        return self * -1

    def __sub__(self, o: Any) -> Jet:
        return self + -1 * o

    def __rsub__(self, o: Any) -> Jet:
        return -self + o

    def __rtruediv__(self, o: Any) -> Jet:
        return Jet(o) / self

    __radd__, __rmul__ = __add__, __mul__

    def sin(self) -> Jet:
        return Jet(np.sin(self.x), np.cos(self.x) * self.d)

    def cos(self) -> Jet:
        return Jet(np.cos(self.x), -np.sin(self.x) * self.d)

    def tan(self) -> Jet:
        return self.sin() / self.cos()

    def exp(self) -> Jet:
        return Jet(np.exp(self.x), np.exp(self.x) * self.d)

    def sqrt(self) -> Jet:
        return self**0.5


def has_rates(m: Machine, text: str) -> bool:
    """Return whether an equation holds a rate."""
    zero = dict.fromkeys((n for n, _, _ in m.names()), 1.0) | {"t": 0.0} | m.parameters
    try:
        value(text, zero)
    except NameError:
        return True
    return False


def equation_row(m: Machine, text: str, place: Place) -> tuple[np.ndarray, Any]:
    """Return (row, right side) of an equation: linear in rates, or differentiated in time."""
    row = np.zeros(6 * len(m.bodies) + m.nv, complex)
    q = {name: place.q[k] for name, k, _ in m.names()} | {"t": place.t}
    if not has_rates(m, text):

        def slope(name: str) -> Any:
            f = value(text, m.parameters | q | {name: Jet(q[name], 1)})
            return f.d if isinstance(f, Jet) else 0

        for name, _, v in m.names():
            row[6 * len(m.bodies) + v] = slope(name)
        return row, -slope("t")
    still = m.parameters | q | {f"{name}d": 0.0 for name, _, _ in m.names()}
    rest = value(text, still)
    for name, _, v in m.names():
        row[6 * len(m.bodies) + v] = value(text, still | {f"{name}d": 1.0}) - rest
    return row, -rest


def constraints(m: Machine, place: Place) -> tuple[np.ndarray, np.ndarray]:
    """Return (C, c) of everything beyond the tree: loops, couplings, wheels, equations."""
    at, n = poses(m, place.q), 6 * len(m.bodies)
    C = [np.zeros((0, n + m.nv)), *(loop_rows(m, at, loop) for loop in m.loops)]
    for a, b, ratio, _ in m.couplings:
        row = np.zeros((1, n + m.nv))
        row[0, n + a.v.start], row[0, n + b.v.start] = 1, -ratio
        C.append(row)
    C += [wheel_rows(m, at, w, place) for w in m.wheels]
    C += [rolling_rows(m, at, c) for c in m.rolling]
    c = [0.0] * sum(map(len, C))
    for text in m.equations:
        row, right = equation_row(m, text, place)
        C.append(row[None])
        c.append(right)
    return np.vstack(C), np.array(c)


def gaps(m: Machine, place: Place) -> np.ndarray:
    """Return how far the coordinates are from what loops, couplings and equations ask."""
    at, q = poses(m, place.q), place.q
    out = [np.zeros(0), *(np.asarray(loop_gap(at, loop)) for loop in m.loops)]
    out += [np.array([q[a.q.start] - r * q[b.q.start] - o]) for a, b, r, o in m.couplings]
    for c in m.rolling:
        if c["kind"] not in ("gear", "rack"):
            where, _, n = touching(at, c)
            S, s = at[c["on"]]
            out.append(np.array([n @ (where - s - S @ c["at"])]))
    names = m.parameters | {name: q[k] for name, k, _ in m.names()} | {"t": place.t}
    out += [np.array([value(e, names)]) for e in m.equations if not has_rates(m, e)]
    return np.concatenate(out)


def along(place: Place, coordinates: np.ndarray, steering: dict[str, float]) -> Place:
    """Return the place a complex step further in time."""
    steer = {n: a + 1j * STEP * steering[n] for n, a in place.steer.items()}
    return replace(place, q=place.q + 1j * STEP * coordinates, t=place.t + 1j * STEP, steer=steer)
