"""A motion as a film: GIF by Pillow, MP4 and WebM by ffmpeg. No browser is needed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import UsageError, shown
from ..mechanism import Mechanism
from .bodies import array, attachments, floating, shape_points
from .pose import in_numbers, whole, world_frames
from .scheme import base_points, camera_of, depth_of, feet, matrix_of
from .symbols import LINKS, SOFT, Camera

Array = np.ndarray
ENDINGS = (".gif", ".mp4", ".webm")
RATE = {".gif": 20, ".mp4": 30, ".webm": 30}  # pictures a second
LONGEST = 1800  # pictures
SIZE = (800, 600)


def save_film(
    m: Mechanism,
    path: str | Path,
    t: Any,
    q: Any,
    report: Callable[[float], None] | None = None,
) -> Path:
    """Return the path of a film of a motion after writing it, in real time."""
    file, ending = Path(path), Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise UsageError(f"a film cannot be written as {shown(str(path))}", hint="write: run.gif")
    if ending != ".gif" and shutil.which("ffmpeg") is None:
        raise UsageError(f"{ending} needs ffmpeg, which is not here", hint="write: run.gif")
    try:
        from matplotlib import animation
        from matplotlib.figure import Figure
    except ImportError:
        raise UsageError("films need matplotlib", hint="pip install matplotlib") from None
    t, q = np.asarray(t, dtype=float), np.asarray(q, dtype=float)
    m, q = whole(m, q)
    times, poses = _sampled(t, q, RATE[ending])
    scene = _Stage(in_numbers(m), m, poses)
    figure = Figure(figsize=(SIZE[0] / 100, SIZE[1] / 100), dpi=100)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    film: Any = (
        animation.PillowWriter(fps=RATE[ending])
        if ending == ".gif"
        else animation.FFMpegWriter(fps=RATE[ending], extra_args=_encoding(ending))
    )
    file.parent.mkdir(parents=True, exist_ok=True)
    with film.saving(figure, str(file), 100):
        for k, time in enumerate(times):
            scene.draw(axes, k, f"{time:.2f} s")
            film.grab_frame()
            if report is not None:
                report((k + 1) / len(times))
    return file


def _encoding(ending: str) -> list[str]:
    return ["-pix_fmt", "yuv420p"] if ending == ".mp4" else ["-c:v", "libvpx-vp9", "-b:v", "1M"]


def _sampled(t: Array, q: Array, rate: int) -> tuple[Array, Array]:
    """Return times of the pictures and the poses then, each the nearest one of the motion."""
    if q.ndim != 2 or t.ndim != 1 or len(t) != len(q) or len(t) < 2:
        raise UsageError("a film shows one motion of at least two times")
    count = int(np.clip(round((t[-1] - t[0]) * rate) + 1, 2, LONGEST))
    times = np.linspace(t[0], t[-1], count)
    after = np.clip(np.searchsorted(t, times), 1, len(t) - 1)
    near = np.where(times - t[after - 1] < t[after] - times, after - 1, after)
    return times, q[near]


class _Stage:
    """Everything that moves, in world axes, seen by a camera that stays."""

    def __init__(self, m: Mechanism, symbolic: Mechanism, poses: Array):
        self.m, self.hidden = m, floating(m)
        self.frames = [[matrix_of(T) for T in world_frames(m, q)] for q in poses]
        held = attachments(m)
        first = np.array([*held[-1], *(T[:3, 3] for T in self.frames[0])])
        size = float(np.linalg.norm(np.ptp(first, axis=0))) or 1.0
        self.shapes = [np.array(own) for own in shape_points(m, symbolic, size)]
        self.base = base_points(m, held)
        seen = [p for k in range(len(poses)) for own in self.points(k) for p in own]
        self.camera: Camera = camera_of(m, self.frames[0], np.array([*seen, *self.base]), *SIZE)
        self.tips = [j for j in range(len(m.bodies)) if all(b.parent != j for b in m.bodies)]

    def points(self, k: int) -> list[Array]:
        """Return the points of each body in the k-th picture."""
        return [self.points_of(k, j) for j in range(len(self.shapes))]

    def draw(self, axes: Any, k: int, words: str) -> None:
        """Draw the k-th picture."""
        axes.clear()
        axes.set_axis_off()
        axes.set(xlim=(-SIZE[0] / 2, SIZE[0] / 2), ylim=(SIZE[1] / 2, -SIZE[1] / 2))
        for p, top in feet(self.m, self.base):
            x, y = self.camera(p)
            axes.plot(*zip((x, y), self.camera(top), strict=True), color=SOFT, lw=6)
            axes.plot([x - 22, x + 22], [y + 14, y + 14], color=SOFT, lw=3)
            axes.plot([x, x], [y, y + 14], color=SOFT, lw=2)
        for j in self.tips[:6]:
            trail = [self.camera(self.points_of(i, j)[-1]) for i in range(max(0, k - 40), k + 1)]
            axes.plot(*zip(*trail, strict=True), color=LINKS[depth_of(self.m, j) % len(LINKS)],
                      lw=1.2, alpha=0.5)  # fmt: skip
        bodies = self.points(k)
        order = sorted(range(len(bodies)), key=lambda j: self.camera.depth(bodies[j].mean(axis=0)))
        for j in order:
            self._slide(axes, bodies, j)
            self._link(axes, bodies[j], LINKS[depth_of(self.m, j) % len(LINKS)])
        joints = [self.camera(T[:3, 3]) for j, T in enumerate(self.frames[k])
                  if j not in self.hidden and self.m.bodies[j].joint.nv]  # fmt: skip
        if joints:
            axes.plot(*zip(*joints, strict=True), "o", color="#2b3240", ms=9, mec="white", mew=1.2)
        self._between(axes, k)
        axes.text(-SIZE[0] / 2 + 16, SIZE[1] / 2 - 16, words, color=SOFT, fontsize=11)

    def points_of(self, k: int, j: int) -> Array:
        """Return the points of one body in the k-th picture."""
        T = self.frames[k][j]
        return np.asarray(self.shapes[j] @ T[:3, :3].T + T[:3, 3])

    def _link(self, axes: Any, points: Array, color: str) -> None:
        flat = [self.camera(p) for p in points]
        for end in flat[1:]:
            axes.plot(*zip(flat[0], end, strict=True), color=color, lw=9, solid_capstyle="round")

    def _slide(self, axes: Any, bodies: list[Array], j: int) -> None:
        """Draw the way from a slide to the body that carries it."""
        b = self.m.bodies[j]
        if b.joint.kind == "prismatic" and b.parent >= 0 and j not in self.hidden:
            carrier = bodies[b.parent]
            near = min(carrier, key=lambda p: float(np.linalg.norm(p - bodies[j][0])))
            ends = self.camera(near), self.camera(bodies[j][0])
            axes.plot(*zip(*ends, strict=True), color=SOFT, lw=5, solid_capstyle="round")

    def _between(self, axes: Any, k: int) -> None:
        """Draw rods and springs."""
        ends: list[tuple[Any, str]] = [(x, "-") for x in self.m.loops if x.joint == "rod"]
        for x, style in [*ends, *((s, ":") for s in self.m.springs)]:
            a, b = (self._at(k, i, p) for i, p in ((x.body_i, x.point_i), (x.body_j, x.point_j)))
            axes.plot(*zip(self.camera(a), self.camera(b), strict=True), style, color=SOFT, lw=3)

    def _at(self, k: int, body: int, point: Any) -> Array:
        T = np.eye(4) if body < 0 else self.frames[k][body]
        return np.asarray(T[:3, :3] @ array(point) + T[:3, 3])
