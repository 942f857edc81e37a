"""The signs of a kinematic scheme as SVG: joints by kind, links, springs, wheels, the ground."""

from __future__ import annotations

import html
from dataclasses import dataclass
from math import atan2, degrees

import numpy as np

Array = np.ndarray
INK, PAPER, SOFT = "#39424f", "#ffffff", "#6b7685"
LINKS = ("#4573b8", "#e2913d", "#4f9e68", "#c65a52", "#7b68b5", "#35a0a8", "#bf8f3f", "#b766a0")


@dataclass(frozen=True, eq=False)
class Camera:
    """A parallel projection: `right` and `up` of the paper, `towards` the reader, in pixels."""

    right: Array
    up: Array
    towards: Array
    scale: float
    centre: Array

    def __call__(self, p: Array) -> tuple[float, float]:
        """Return where a point is on the paper; y points down."""
        d = (np.asarray(p, dtype=float) - self.centre) * self.scale
        return float(d @ self.right), -float(d @ self.up)

    def depth(self, p: Array) -> float:
        """Return how near to the reader a point is."""
        return float(np.asarray(p) @ self.towards)

    def flat(self, u: Array) -> tuple[Array, float]:
        """Return a unit vector as it lies on the paper, and its part towards the reader."""
        return np.array([u @ self.right, -(u @ self.up)]), float(u @ self.towards)


def _n(x: float) -> str:
    return f"{x:.2f}".rstrip("0").rstrip(".") if abs(x) >= 0.005 else "0"


def line(a: tuple[float, float], b: tuple[float, float], color: str, width: float) -> str:
    """Return a stroke with round ends."""
    return (
        f'<line x1="{_n(a[0])}" y1="{_n(a[1])}" x2="{_n(b[0])}" y2="{_n(b[1])}" stroke="{color}" '
        f'stroke-width="{_n(width)}" stroke-linecap="round"/>'
    )


def polygon(points: list[tuple[float, float]], color: str, width: float) -> str:
    """Return a filled outline with round corners: a plate."""
    at = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
    return (
        f'<polygon points="{at}" fill="{color}" fill-opacity=".35" stroke="{color}" '
        f'stroke-width="{_n(width)}" stroke-linejoin="round"/>'
    )


def _ellipse(
    c: Array, r: float, flat: Array, towards: float, fill: str, color: str, width: float
) -> str:
    """Return a circle of radius r whose normal lies as `flat` on the paper."""
    angle = degrees(atan2(flat[1], flat[0])) if np.any(flat) else 0.0
    return (
        f'<ellipse rx="{_n(r * abs(towards))}" ry="{_n(r)}" transform="translate({_n(c[0])} '
        f'{_n(c[1])}) rotate({_n(angle)})" fill="{fill}" stroke="{color}" '
        f'stroke-width="{_n(width)}"/>'
    )


def drum(camera: Camera, p: Array, axis: Array, r: float, half: float, fill: str = PAPER) -> str:
    """Return a cylinder along an axis, the sign of a revolute joint."""
    flat, towards = camera.flat(axis)
    if towards < 0:
        flat, towards = -flat, -towards
    c = np.array(camera(p))
    near, far = c + half * flat, c - half * flat
    out = [_ellipse(far, r, flat, towards, fill, INK, 1.3)]
    length = float(np.linalg.norm(flat))
    if length > 1e-6:
        side = r * np.array([-flat[1], flat[0]]) / length
        quad = [tuple(x) for x in (near + side, far + side, far - side, near - side)]
        at = " ".join(f"{_n(x)},{_n(y)}" for x, y in quad)
        out.append(f'<polygon points="{at}" fill="{fill}"/>')
        out += [line(quad[0], quad[1], INK, 1.3), line(quad[2], quad[3], INK, 1.3)]
    out.append(_ellipse(near, r, flat, towards, fill, INK, 1.3))
    if towards > 0.75:
        out.append(f'<circle cx="{_n(near[0])}" cy="{_n(near[1])}" r="1.6" fill="{INK}"/>')
    return "".join(out)


def box(camera: Camera, p: Array, axis: Array, r: float, half: float) -> str:
    """Return a square tube along an axis, the sign of a prismatic joint."""
    e = np.eye(3)[int(np.argmin(np.abs(axis)))]
    e = e - (e @ axis) * axis
    e /= np.linalg.norm(e)
    f = np.cross(axis, e)
    faces = []
    for u, v, w, a, b, c in (
        (axis, e, f, half, r, r), (e, f, axis, r, r, half), (f, axis, e, r, half, r)
    ):  # fmt: skip
        sign = 1.0 if u @ camera.towards >= 0 else -1.0
        centre = p + sign * (a / camera.scale) * u
        corners = [
            camera(centre + (s * b / camera.scale) * v + (t * c / camera.scale) * w)
            for s, t in ((1, 1), (1, -1), (-1, -1), (-1, 1))
        ]
        at = " ".join(f"{_n(x)},{_n(y)}" for x, y in corners)
        faces.append(
            f'<polygon points="{at}" fill="{PAPER}" stroke="{INK}" stroke-width="1.3" '
            'stroke-linejoin="round"/>'
        )
    return "".join(faces)


def ball(camera: Camera, p: Array, r: float, fill: str = PAPER) -> str:
    """Return a circle, the sign of a spherical joint."""
    x, y = camera(p)
    return (
        f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(r)}" fill="{fill}" stroke="{INK}" '
        'stroke-width="1.3"/>'
    )


def spring(a: tuple[float, float], b: tuple[float, float], width: float) -> str:
    """Return a zigzag between two points."""
    p, q = np.array(a), np.array(b)
    d = q - p
    length = float(np.linalg.norm(d)) or 1.0
    side = np.array([-d[1], d[0]]) / length * width
    points = [p, p + 0.15 * d]
    points += [p + (0.15 + 0.7 * (k + 0.5) / 8) * d + side * (-1) ** k for k in range(8)]
    points += [p + 0.85 * d, q]
    at = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
    return (
        f'<polyline points="{at}" fill="none" stroke="#2aa198" stroke-width="1.8" '
        'stroke-linejoin="round"/>'
    )


def ground(p: tuple[float, float], width: float) -> str:
    """Return a line with hatching below, the sign of what does not move."""
    x, y = p
    out = [line((x - width, y), (x + width, y), INK, 1.6)]
    step = width / 3
    for k in range(-3, 3):
        here = x + (k + 0.75) * step
        out.append(line((here, y + 1), (here - 0.55 * step, y + 0.75 * step), INK, 0.9))
    return "".join(out)


def wheel(camera: Camera, p: Array, normal: Array, r: float) -> str:
    """Return a tyre seen along its normal."""
    return drum(camera, p, normal, r, 0.18 * r, "#d5dae1")


def label(p: tuple[float, float], text: str) -> str:
    """Return a name beside a point."""
    # with a white rim, so that it can be read upon a link
    rim = 'stroke="#fff" stroke-width="3" stroke-linejoin="round" paint-order="stroke"'
    return f'<text x="{_n(p[0])}" y="{_n(p[1])}" {rim}>{html.escape(text)}</text>'
