"""What wheels, their tyres and bodies that roll must satisfy, checked once at construction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import ModelError, ParameterError, shown
from ..expr.exact import to_float
from .parts import joint_name
from .validate import choices, require_unique

if TYPE_CHECKING:
    from .mechanism import Mechanism
    from .parts import RollingContact, Wheel

NEEDED = {
    "disc": ("axis", "radius"), "wheel": ("axis", "radius"), "sphere": ("radius",),
    "knife_edge": ("axis",), "gear": ("axis", "radius", "radius_j"), "rack": ("axis", "radius"),
}  # fmt: skip
IN_FILES = {"radius_j": "on_radius"}
AGAINST = -0.999  # cosine of an axle and a normal that point apart
ALONG = 0.98  # of those that point the same way, to 11 degrees


def known(m: Mechanism, x: Any) -> float | None:
    """Return the number that a field has in this mechanism; None while it is open or not given."""
    try:
        return None if x is None else to_float(x, m.floats)
    except (ParameterError, ArithmeticError):
        return None


def require_wheels(m: Mechanism) -> None:
    """Raise ModelError if a wheel names something missing, or cannot roll as described."""
    for wheel in m.wheels:
        name = shown(wheel.name)
        if wheel.steer is not None and wheel.steer not in (*m.joint_names, *m.prescribed):
            steer = shown(wheel.steer)
            raise ModelError(
                f"wheel {name!r}: its steering {steer!r} is neither a joint nor prescribed",
                hint=f'prescribed = ["{steer}"], or one of the {choices(m)}',
            )
        if wheel.radius is not None and wheel.spin is None:
            raise ModelError(
                f"wheel {name!r} has a radius and no spin joint",
                hint='spin = "..." names the joint that turns it; a wheel without radius has none',
            )
        if wheel.spin is not None and wheel.spin not in m.joint_names:
            raise ModelError(
                f"wheel {name!r}: its spin {shown(wheel.spin)!r} is not a joint", hint=choices(m)
            )
        _rolls_ahead(m, wheel)
        _tyre(m, wheel)


def _rolls_ahead(m: Mechanism, wheel: Wheel) -> None:
    """Raise where the axle points against the normal: its spin would roll the other way."""
    if wheel.radius is None:
        return
    name, radius = shown(wheel.name), known(m, wheel.radius)
    if radius is not None and radius <= 0:
        raise ModelError(f"wheel {name!r}: its radius is {radius:g}", hint="write radius > 0")
    own = [b for b in m.bodies if joint_name(b) == wheel.spin]
    axis = getattr(own[0].joint, "axis", None) if own else None
    if axis is None or own[0].parent != wheel.body:
        return
    along = known(m, (own[0].placement.R @ axis).dot(wheel.normal))
    if along is not None and along < AGAINST:
        turned = ", ".join(f"{x:g}" for x in (known(m, -x) or 0.0 for x in wheel.normal))
        raise ModelError(
            f"wheel {name!r}: its spin {shown(wheel.spin or '')!r} turns about the axis opposite "
            "to its normal: a positive spin would roll it backwards",
            hint=f"write normal = [{turned}], the axis of the spin",
        )
    if along is not None and along < ALONG:
        axle = ", ".join(f"{known(m, x) or 0.0:g}" for x in own[0].placement.R @ axis)
        raise ModelError(
            f"wheel {name!r}: its spin {shown(wheel.spin or '')!r} does not turn about its normal",
            hint=f"write normal = [{axle}], the axis of the spin",
        )


def _tyre(m: Mechanism, wheel: Wheel) -> None:
    """Raise where a tyre would push a wheel the way it slips."""
    if wheel.tyre is None:
        return
    for field in ("stiffness", "peak", "low"):
        x = known(m, getattr(wheel.tyre, field))
        if x is not None and (x < 0 or (x == 0 and field == "peak")):
            raise ModelError(
                f"wheel {shown(wheel.name)!r}: {field} of its tyre is {x:g}",
                hint=f"write {field} > 0: the force acts against the slip",
            )


def require_rolling(m: Mechanism) -> None:
    """Raise ModelError when a rolling body lacks what its kind needs."""
    if m.rolling:
        held: tuple[Any, ...] = (*m.wheels, *m.rolling, *m.velocity_constraints)
        require_unique([c.name for c in held], "constraint")
    for c in m.rolling:
        name = shown(c.name)
        if c.kind not in NEEDED:
            raise ModelError(
                f"rolling body {name!r}: unknown kind {shown(c.kind)!r}", hint=", ".join(NEEDED)
            )
        for field in NEEDED[c.kind]:
            value = getattr(c, field)
            if value is None or (field != "axis" and known(m, value) == 0):
                key = IN_FILES.get(field, field)
                raise ModelError(
                    f"rolling body {name!r}: a {c.kind} needs its {key}", hint=f"write {key} = ..."
                )
        if c.body_i == c.body_j:
            raise ModelError(f"rolling body {name!r} rolls on itself", hint="`on` is another body")
        _sized(m, c)


def _sized(m: Mechanism, c: RollingContact) -> None:
    """Raise if the radii of a rolling body are impossible."""
    radius, crown, other = known(m, c.radius), known(m, c.crown), known(m, c.radius_j)
    if c.kind == "gear" and radius is not None and other is not None and radius + other == 0:
        raise ModelError(
            f"rolling body {shown(c.name)!r}: a ring as large as the gear in it",
            hint="on_radius is negative for a ring, and larger than radius",
        )
    if c.kind not in ("disc", "wheel", "sphere") or radius is None:
        return
    if radius < 0:
        raise ModelError(
            f"rolling body {shown(c.name)!r}: its radius is negative", hint="write radius > 0"
        )
    if crown is not None and not 0 <= crown <= radius:
        raise ModelError(
            f"rolling body {shown(c.name)!r}: its crown is not between 0 and its radius",
            hint="crown is the radius of the tread: 0 is a sharp edge, crown = radius a sphere",
        )
