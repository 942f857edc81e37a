"""The kinematic scheme of a mechanism as SVG: links, joint signs, loops, springs, wheels, names."""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any

import numpy as np

from ..algebra import Vec3
from ..errors import shown
from ..files import write_file
from ..mechanism import Mechanism, joint_name
from . import symbols as sign
from .bodies import array, attachments, floating, shape_points
from .pose import in_numbers, start_pose, whole, world_frames
from .symbols import Camera

Array = np.ndarray
NAMES = 14  # joints up to which names stay readable
POINTS = 40  # of one plate
Part = tuple[float, str]  # depth, drawing


def svg(
    m: Mechanism, q: Any = None, width: int = 560, height: int = 420, names: bool | None = None
) -> str:
    """Return the scheme of a mechanism at a pose, as the text of an SVG file."""
    m, q = whole(m, q)
    numeric = in_numbers(m)
    pose = start_pose(m, q)[0]
    frames = [matrix_of(T) for T in world_frames(numeric, pose)]
    held = attachments(numeric)
    corners = np.array([*held[-1], *(T[:3, 3] for T in frames)])
    size = float(np.linalg.norm(np.ptp(corners, axis=0))) or 1.0
    points = [
        [T[:3, :3] @ np.array(p) + T[:3, 3] for p in own]
        for T, own in zip(frames, shape_points(numeric, m, size), strict=True)
    ]
    everything = [p for own in points for p in own] + base_points(numeric, held)
    camera = camera_of(numeric, frames, np.array(everything), width, height)
    # joints lie on the links that they hold
    links = _links(numeric, points, camera)
    joints = _joints(numeric, frames, camera) + _cut(numeric, frames, camera)
    drawn = _base(numeric, held, camera)
    for parts in (links, joints):
        drawn += [text for _, text in sorted(parts, key=lambda part: part[0])]
    if names or (names is None and len(m.joint_names) <= NAMES):
        drawn += _names(numeric, frames, points, camera)
    title = html.escape(shown(m.name, 80))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-width / 2:g} {-height / 2:g} {width} '
        f'{height}" width="{width}" height="{height}" role="img" '
        f'style="max-width:100%;height:auto"><title>{title}</title>'
        f'<g fill="none" font-family="system-ui,sans-serif" font-size="13">{"".join(drawn)}</g>'
        "</svg>\n"
    )


def save_svg(m: Mechanism, path: str | Path, q: Any = None) -> Path:
    """Return the path of an SVG file of the scheme after writing it."""
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    write_file(file, svg(m, q))
    return file


def matrix_of(T: Any) -> Array:
    """Return a frame as a matrix of four rows."""
    out = np.eye(4)
    out[:3, :3] = [[float(x) for x in row] for row in T.R.matrix().rows]
    out[:3, 3] = array(T.p)
    return out


def base_points(m: Mechanism, held: dict[int, list[Array]]) -> list[Array]:
    """Return where the base is drawn: not below a machine that only floats or drives."""
    hidden = floating(m)
    moving = [b for j, b in enumerate(m.bodies) if b.parent < 0 and j in hidden]
    return [] if moving and not m.loops else held[-1]


def feet(m: Mechanism, points: list[Array]) -> list[tuple[Array, Array]]:
    """Return (lowest, highest) of the points of the base that stand above each other."""
    g = array(m.gravity)
    up = -g / np.linalg.norm(g) if np.linalg.norm(g) > 1e-9 else np.array([0.0, 0, 1])
    columns: list[list[Array]] = []
    for p in sorted(points, key=lambda p: float(p @ up)):
        own = (c for c in columns if np.linalg.norm(np.cross(p - c[0], up)) < 1e-6)
        column = next(own, None)
        if column is None:
            columns.append([p])
        else:
            column.append(p)
    return [(c[0], c[-1]) for c in columns]


def camera_of(m: Mechanism, frames: list[Array], points: Array, width: int, height: int) -> Camera:
    """Return a camera that sees all points: a planar machine from its side, others from above."""
    g = array(m.gravity)
    up = -g / np.linalg.norm(g) if np.linalg.norm(g) > 1e-9 else np.array([0.0, 0, 1])
    e = np.array([1.0, 0, 0]) if abs(up[0]) < 0.9 else np.array([0.0, 1, 0])
    e = e - (e @ up) * up
    e /= np.linalg.norm(e)
    normal = plane_normal(m, frames)
    if normal is not None and abs(normal @ up) < 0.1:
        towards = normal if np.cross(up, normal) @ e > 0 else -normal
    else:
        raised = 0.72 if normal is None else 1.6
        towards = 0.62 * e - 1.25 * np.cross(up, e) + raised * up
    towards = towards / np.linalg.norm(towards)
    right = np.cross(up, towards)
    right /= np.linalg.norm(right)
    top = np.cross(towards, right)
    flat = np.stack([points @ right, points @ top], axis=1)
    low, high = flat.min(axis=0), flat.max(axis=0)
    room = np.array([width - 110, height - 110])
    scale = float(np.min(room / np.maximum(high - low, 1e-9)))
    middle = (low + high) / 2
    return Camera(right, top, towards, min(scale, 1e9), right * middle[0] + top * middle[1])


def plane_normal(m: Mechanism, frames: list[Array]) -> Array | None:
    """Return the axis about which everything turns, where the whole machine moves in one plane."""
    normal: Array | None = None
    slides = []
    hidden = floating(m)
    for j, (b, T) in enumerate(zip(m.bodies, frames, strict=True)):
        if b.joint.kind == "fixed" or (j in hidden and b.joint.kind != "free"):
            continue
        axis = getattr(b.joint, "axis", None)
        if axis is None or b.joint.kind == "screw":
            return None
        u = T[:3, :3] @ array(axis)
        if b.joint.kind == "prismatic":
            slides.append(u)
        elif normal is None:
            normal = u
        elif np.linalg.norm(np.cross(normal, u)) > 1e-6:
            return None
    if normal is None or any(abs(u @ normal) > 1e-6 for u in slides):
        return None
    return normal


def _unit(count: int) -> float:
    """Return the radius of a joint sign in pixels, smaller if there are many."""
    return float(np.clip(11.0 - 0.12 * count, 4.5, 11.0))


def _links(m: Mechanism, points: list[list[Array]], camera: Camera) -> list[Part]:
    width = 0.75 * _unit(len(m.bodies))
    out: list[Part] = []
    for j, own in enumerate(points):
        color = sign.LINKS[depth_of(m, j) % len(sign.LINKS)]
        depth = float(np.mean([camera.depth(p) for p in own])) - 1e-6
        flat = [camera(p) for p in own]
        if 3 <= len(own) <= POINTS and not _in_line(own):
            out.append((depth, sign.polygon(_outline(flat), color, width)))
            continue
        out += [(depth, sign.line(flat[0], end, color, width)) for end in flat[1:]]
    for b, T in zip(m.bodies, points, strict=True):
        # the way of a slide
        if b.joint.kind == "prismatic" and b.parent >= 0 and T:
            start = points[b.parent][0]
            near = min(points[b.parent], key=lambda p: float(np.linalg.norm(p - T[0])))
            if np.linalg.norm(near - start) < 1e-9 or np.linalg.norm(near - T[0]) > 1e-9:
                out.append(
                    (camera.depth(T[0]) - 1, sign.line(camera(near), camera(T[0]), sign.SOFT, 3))
                )
    return out


def depth_of(m: Mechanism, j: int) -> int:
    """Return how many bodies carry a body."""
    n = 0
    while m.bodies[j].parent >= 0:
        j, n = m.bodies[j].parent, n + 1
    return n


def _in_line(points: list[Array]) -> bool:
    spread = np.linalg.svd(np.array(points) - np.mean(points, axis=0), compute_uv=False)
    return bool(spread[1] < 0.02 * spread[0])


def _outline(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the convex outline of points on the paper (Andrew's monotone chain)."""
    ordered = sorted(set(points))
    if len(ordered) < 3:
        return ordered

    def half(some: list[tuple[float, float]]) -> list[tuple[float, float]]:
        kept: list[tuple[float, float]] = []
        for p in some:
            while len(kept) > 1 and _turn(kept[-2], kept[-1], p) <= 0:
                kept.pop()
            kept.append(p)
        return kept[:-1]

    return half(ordered) + half(ordered[::-1])


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _joints(m: Mechanism, frames: list[Array], camera: Camera) -> list[Part]:
    r, hidden, out = _unit(len(m.bodies)), floating(m), []
    for j, (b, T) in enumerate(zip(m.bodies, frames, strict=True)):
        if j in hidden:
            continue
        p, depth = T[:3, 3], camera.depth(T[:3, 3])
        u = T[:3, :3] @ array(getattr(b.joint, "axis", Vec3(0, 0, 1)))
        if b.joint.kind in ("revolute", "screw"):
            out.append((depth, sign.drum(camera, p, u, r, 1.25 * r)))
        elif b.joint.kind == "prismatic":
            out.append((depth, sign.box(camera, p, u, 0.85 * r, 1.3 * r)))
        elif b.joint.kind == "spherical":
            out.append((depth, sign.ball(camera, p, r)))
    return out


def _cut(m: Mechanism, frames: list[Array], camera: Camera) -> list[Part]:
    """Return cut joints, rods, springs and wheels."""
    r, out = _unit(len(m.bodies)), []

    def at(body: int, p: Any) -> Array:
        own = array(p)
        return own if body < 0 else frames[body][:3, :3] @ own + frames[body][:3, 3]

    for loop in m.loops:
        a, b = at(loop.body_i, loop.point_i), at(loop.body_j, loop.point_j)
        depth = camera.depth(a) + 1e-6
        if loop.joint == "rod":
            out.append((depth - 1e-3, sign.line(camera(a), camera(b), sign.SOFT, 3)))
            out += [(depth, sign.ball(camera, x, 0.6 * r)) for x in (a, b)]
        elif loop.axis is None or loop.joint in ("spherical", "fixed"):
            out.append((depth, sign.ball(camera, a, 0.8 * r, "#f3dfae")))
        else:
            R = np.eye(3) if loop.body_i < 0 else frames[loop.body_i][:3, :3]
            u = R @ array(loop.axis) / np.linalg.norm(array(loop.axis))
            out.append((depth, sign.drum(camera, a, u, 0.9 * r, 1.1 * r, "#f3dfae")))
    for s in m.springs:
        a, b = at(s.body_i, s.point_i), at(s.body_j, s.point_j)
        out.append((camera.depth(a), sign.spring(camera(a), camera(b), 0.6 * r)))
    for w in m.wheels:
        p, n = at(w.body, w.point), frames[w.body][:3, :3] @ array(w.normal)
        radius = 1.7 * r if w.radius is None else max(3.0, float(w.radius) * camera.scale)
        out.append((camera.depth(p) + 1e-3, sign.wheel(camera, p, n / np.linalg.norm(n), radius)))
    return out


def _base(m: Mechanism, held: dict[int, list[Array]], camera: Camera) -> list[str]:
    found, out, r = base_points(m, held), [], _unit(len(m.bodies))
    seen: set[tuple[int, int]] = set()
    for p, top in feet(m, found):
        x, y = camera(p)
        if top is not p:
            out.append(sign.line((x, y), camera(top), sign.INK, 2))
        if (round(x), round(y)) not in seen:
            seen.add((round(x), round(y)))
            out.append(sign.ground((x, y + 1.35 * r), 1.9 * r))
            out.append(sign.line((x, y), (x, y + 1.35 * r), sign.INK, 2))
    return out


def _names(
    m: Mechanism, frames: list[Array], points: list[list[Array]], camera: Camera
) -> list[str]:
    """Return the names of joints, each at the free place that is nearest to its joint."""
    hidden, out, r = floating(m), [], _unit(len(m.bodies))
    joints = [camera(T[:3, 3]) for j, T in enumerate(frames) if j not in hidden]
    links = [(camera(own[0]), camera(p)) for own in points for p in own[1:]]
    taken: list[Box] = [(x - r, y - r, x + r, y + r) for x, y in joints]
    grounds = [camera(p) for p, _ in feet(m, base_points(m, attachments(m)))]
    taken += [(x - 1.9 * r, y + r, x + 1.9 * r, y + 2.2 * r) for x, y in grounds]
    for j, (b, T) in enumerate(zip(m.bodies, frames, strict=True)):
        if j in hidden or not b.joint.nv:
            continue
        text = shown(joint_name(b), 24)
        at = _place(camera(T[:3, 3]), LETTER * len(text), r, taken, links)
        taken.append(_box(at, LETTER * len(text)))
        out.append(f'<g fill="{sign.SOFT}">{sign.label(at, text)}</g>')
    return out


Box = tuple[float, float, float, float]
LETTER, HIGH = 7.2, 13.0  # pixels of a character


def _box(at: tuple[float, float], wide: float) -> Box:
    return at[0], at[1] - 0.8 * HIGH, at[0] + wide, at[1] + 0.2 * HIGH


def _place(
    p: tuple[float, float], wide: float, r: float, taken: list[Box], links: list[Any]
) -> tuple[float, float]:
    """Return where a name begins: beside its joint, on no other name, on as few links as can be."""
    x, y = p
    places = [
        at
        for k in range(5)
        for at in (
            (x + 1.7 * r, y - 1.1 * r - k * HIGH), (x + 1.7 * r, y + 1.1 * r + (k + 0.6) * HIGH),
            (x - 1.7 * r - wide, y - 1.1 * r - k * HIGH),
            (x - 1.7 * r - wide, y + 1.1 * r + (k + 0.6) * HIGH),
        )
    ]  # fmt: skip

    def badness(at: tuple[float, float]) -> tuple[int, int, float]:
        box = _box(at, wide)
        upon = sum(
            box[0] < t[2] and t[0] < box[2] and box[1] < t[3] and t[1] < box[3] for t in taken
        )
        crossed = sum(_crosses(box, *link) for link in links)
        middle = (box[0] + box[2]) / 2 - x, (box[1] + box[3]) / 2 - y
        return upon, crossed, abs(middle[1]) + 0.1 * (middle[0] < 0)

    return min(places, key=badness)


def _crosses(box: Box, a: tuple[float, float], b: tuple[float, float]) -> bool:
    """Return whether a link passes through a box or close by it."""
    length = max(abs(b[0] - a[0]), abs(b[1] - a[1]))
    for s in np.linspace(0, 1, int(length / 3) + 2):
        x, y = a[0] + s * (b[0] - a[0]), a[1] + s * (b[1] - a[1])
        if box[0] - 3 < x < box[2] + 3 and box[1] - 3 < y < box[3] + 3:
            return True
    return False
