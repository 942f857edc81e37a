"""The doctor of models: every body beside its mesh, and whether what is wrong matters.

A wrong number matters where a base parameter depends on it: the joint forces are functions of the
base parameters alone (Gautier and Khalil, Direct calculation of minimum set of inertial parameters,
1990). How much it matters is the change of the diagonal of the mass matrix, the inertia each joint
feels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..algebra import Mat3, Transform, Vec3
from ..algorithms.base_parameters import BaseParameters, base_parameters
from ..errors import DalembertError, ModelError
from ..expr.exact import exact, to_float
from ..inertia import Inertia
from ..mechanism import Mechanism
from ..read.shapes import Shape
from ..reference import in_floats
from .body import BodyReport, judged
from .solid import Solid, solid_of

SAME = 1e-9  # of the largest base parameter of its kind
STATES = 64
LISTED = 15  # joints up to which base parameters are named: of more they take minutes to find
MINOR = 0.02  # of the inertia that a joint feels


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What is said of one link, and what its nearest inertia would change."""

    report: BodyReport
    verdict: str  # fits, no shape, harmless, minor, harmful, not judged
    effect: str = ""

    def data(self) -> dict[str, Any]:
        """Return the diagnosis as plain data."""
        r = self.report
        return {
            "link": r.link,
            "mass": r.mass,
            "ellipsoid": [None if x != x else x for x in r.ellipsoid.tolist()],
            "mesh": None if r.solid is None else r.solid.extents.tolist(),
            "verdict": self.verdict,
            "findings": list(r.findings),
            "effect": self.effect,
            "inertia": six(r.tensor),
            "nearest": six(r.nearest) if r.findings else None,
        }


def diagnose(
    m: Mechanism, shapes: Mapping[str, Sequence[Shape]], density: float | None = None
) -> tuple[list[Diagnosis], list[str]]:
    """Return a diagnosis of every link with mass, and notes on shapes that could not be read.

    With a density, links that have a shape and no mass get those of their shape as the nearest.
    """
    notes: list[str] = []
    reports = []
    for link, parts in shapes.items():
        found = _link(m, link)
        if found is None:
            continue
        lost = [s.uri for s in parts if s.form == "mesh" and s.file is None]
        solid = solid_of(parts)
        if lost and solid is None:
            notes.append(f"{link}: its mesh is not there: {lost[0]}")
        body, T = found
        report = _judged(m, link, body, T, solid, density)
        if report is not None:
            reports.append(report)
    felt = _Felt(m)
    return [_verdict(felt, r) for r in reports], notes


def mended(m: Mechanism, found: Sequence[Diagnosis]) -> Mechanism:
    """Return the mechanism with the nearest inertia wherever something was found."""
    for d in found:
        if d.report.findings:
            m = _with(m, d.report)
    return m


def six(tensor: np.ndarray) -> list[float]:
    """Return XX, YY, ZZ, XY, XZ, YZ."""
    return [float(tensor[k]) for k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]


def _link(m: Mechanism, link: str) -> tuple[int, Transform] | None:
    """Return the body that carries a link, and the pose of the link's frame in it."""
    try:
        body, T = m.frame(link)
    except ModelError:
        return None
    return (body, T) if body >= 0 else None


def _judged(
    m: Mechanism, link: str, body: int, T: Transform, solid: Solid | None, density: float | None
) -> BodyReport | None:
    try:
        inertia = m.bodies[body].inertia.moved(T.inverse).map(to_float)
    except (TypeError, ValueError, DalembertError):  # parameters without a value
        return None
    if not inertia.mass > 0:
        return _filled(link, body, solid, density) if inertia.is_massless() else None
    centre = np.array(list(inertia.centre), float)
    tensor = np.array(inertia.about_centre.rows, float)
    return judged(link, body, float(inertia.mass), centre, tensor, solid)


def _filled(link: str, body: int, solid: Solid | None, density: float | None) -> BodyReport | None:
    if solid is None or density is None:
        return None
    mass = density * solid.volume
    said = f"{link}: no mass; its shape holds {mass:.3g} kg at {density:g} kg/m³"
    return BodyReport(
        link, body, mass, solid.centre, np.zeros((3, 3)), solid, solid.tensor(mass), (said,)
    )


def _with(m: Mechanism, r: BodyReport) -> Mechanism:
    """Return the mechanism with the nearest inertia of one link."""
    j, T = m.frame(r.link)
    tensor = Mat3.symmetric(*(exact(x) for x in six(r.nearest)))
    held = m.bodies[j].inertia
    if held.is_massless():
        new = Inertia(exact(r.mass), Vec3(*(exact(float(x)) for x in r.centre)), tensor).moved(T)
    else:
        turned = T.R.rotate(tensor).map(exact)
        new = Inertia(held.m, held.centre, turned)
    body = replace(m.bodies[j], inertia=new.map(exact))
    bodies = (*m.bodies[:j], body, *m.bodies[j + 1 :])
    return replace(m, bodies=bodies, checked=True)


# -- whether it matters ------------------------------------------------------------------------


def _verdict(felt: _Felt, r: BodyReport) -> Diagnosis:
    if not r.findings:
        return Diagnosis(r, "fits" if r.solid is not None else "no shape")
    try:
        other = _with(felt.m, r)
        if not felt.differs(other):
            return Diagnosis(r, "harmless", "no joint force depends on it")
        names = felt.changed(other)
        joint, factor = felt.most(other)
    except DalembertError as error:
        return Diagnosis(r, "not judged", error.message)
    some = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
    some = f"base parameters {some}" if names else "joint forces"
    change = f"{factor:.3g} times" if factor >= 2 else f"{100 * (factor - 1):.2g} % too much of"
    said = f"{some} depend on it; {joint} feels {change} its inertia"
    return Diagnosis(r, "harmful" if factor - 1 > MINOR else "minor", said)


class _Felt:
    """What the joints of a machine feel: its base parameters and its mass matrix, found once.

    It is the tree, every joint with a coordinate of its own. Loops only lessen what matters: what
    the tree does not feel, the closed machine does not.
    """

    def __init__(self, m: Mechanism):
        self.m = replace(m.coupled.tree, couplings=(), checked=True)

    @cached_property
    def base(self) -> tuple[BaseParameters, np.ndarray]:
        """The base parameters and their values."""
        base = base_parameters(self.m)
        return base, np.array(base.values(self.m.bound()), float)

    @cached_property
    def inertia(self) -> tuple[np.ndarray, np.ndarray]:
        """Random poses, and the diagonal of the mass matrix there."""
        q = _poses(self.m, np.random.default_rng(0))
        return q, _diagonal(self.m, q)

    @cached_property
    def forces(self) -> tuple[list[np.ndarray], np.ndarray]:
        """Random states, and the joint forces there."""
        rng = np.random.default_rng(1)
        rates = [rng.uniform(-2, 2, (STATES, self.m.nv)) for _ in range(2)]
        states = [_poses(self.m, rng), *rates]
        return states, in_floats(self.m, "inverse_dynamics", None, states)[0]

    def differs(self, other: Mechanism) -> bool:
        """Return whether some joint force differs at a random state: a base parameter does then."""
        if not self.m.nv:
            return False
        states, old = self.forces
        new = in_floats(other, "inverse_dynamics", None, states)[0]
        return bool(abs(new - old).max(initial=0.0) > SAME * abs(old).max(initial=1e-300))

    def changed(self, other: Mechanism) -> list[str]:
        """Return the base parameters whose values differ; none of a machine of many joints."""
        if self.m.nv > LISTED:
            return []
        base, a = self.base
        b = np.array(base.values(other.bound()), float)
        scale = SAME * max(1e-300, float(abs(a).max()), float(abs(b).max()))
        return [n for n, x, y in zip(base.names, a, b, strict=True) if abs(x - y) > scale]

    def most(self, other: Mechanism) -> tuple[str, float]:
        """Return the joint whose inertia changes most, and by which factor, over random poses."""
        q, old = self.inertia
        new = _diagonal(other, q)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.nan_to_num(np.maximum(old / new, new / old), nan=1.0, posinf=np.inf)
        worst = ratio.max(axis=0)
        k = int(worst.argmax())
        return self.m.rate_joints[k], float(worst[k])


def _diagonal(m: Mechanism, q: np.ndarray) -> np.ndarray:
    M = np.array([in_floats(m, "mass_matrix", None, [q])[0]])[0]
    return np.diagonal(M, axis1=-2, axis2=-1)


def _poses(m: Mechanism, rng: np.random.Generator) -> np.ndarray:
    from ..compute import integrate, neutral

    start = np.broadcast_to(neutral(m), (STATES, m.nq))
    return np.asarray(integrate(m, start, rng.uniform(-1.5, 1.5, (STATES, m.nv))))
