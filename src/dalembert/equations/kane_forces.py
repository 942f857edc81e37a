"""Active forces of Kane's step 8: gravity, motors, traction, springs; DeSantis (1996), (5.10)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..algebra import Vec3, is_plain_zero
from ..algorithms import kane
from ..algorithms.joint_forces import joint_springs
from ..algorithms.kinematics import path, target_pose
from ..algorithms.springs import spring_forces
from ..algorithms.velocity_rows import forward_row, heading, sideways_row, wheel_angle
from ..expr import Expr, Graph, atan2, sqrt
from ..expr.formula import Symbol, formula
from .kane_lean import carried
from .kane_step_names import Line
from .kane_symbols import written
from .ratio import Ratio

if TYPE_CHECKING:
    from .kane_form import KaneForm


def falling(form: KaneForm, b: int, j: int) -> Vec3:
    """Return gravity in the axes of a body: by the named normal of the ground it is along."""
    m = form.m
    first = path(m, j)[0]
    if form.implicit is None or first not in form.implicit.steps.normals:
        return form.f[b][1].T @ m.gravity
    n, axis = form.implicit.steps.normals[first]
    down = axis.dot(m.gravity)
    if not all(map(is_plain_zero, m.gravity - axis * down)):
        return form.f[b][1].T @ m.gravity
    seen, q = carried(m, first, form.setting.q)
    R, turned = target_pose(seen, kane.centre(m, j), q).R, form.cyclic.get(j)
    return (R if turned is None else R @ turned.turn.T).T @ (n * down)


def tyre_lines(form: KaneForm) -> Iterator[Line]:
    """Yield velocities ahead and aside of each tyre, its slip angle and its force S."""
    s, graph = form.setting, Graph()

    for told, wheel in zip(form.mechanism.wheels, form.m.wheels, strict=True):
        if told.tyre is None:
            continue
        name = written(told.name)
        for word, row in (("ahead", forward_row), ("aside", sideways_row)):
            H = row(form.m, wheel, s.q, [0] * form.m.nv, s.steer).H
            yield Symbol(f"{word}_{name}"), sum(h * x for h, x in zip(H, s.qd, strict=True))
        ahead, aside, slip = (graph.param(f"{x}_{name}") for x in ("ahead", "aside", "slip"))
        given = told.tyre.map(lambda x: graph.adopt(x) if isinstance(x, Expr) else x)
        stiffness, peak, low = given.stiffness, given.peak, given.low
        angle = atan2(aside, sqrt(ahead * ahead + low * low))
        yield Symbol(f"slip_{name}"), formula(angle)
        force = slip * -stiffness
        share = 0 if peak is None else force / peak
        held = force if peak is None else force / sqrt(1 + share * share)
        yield Symbol(f"S_{name}"), formula(held)


def active_forces(form: KaneForm) -> tuple[list[list[Any]], list[Any]]:
    """Return the wrenches ω_a of the bodies, and forces on the rates that none of them can say."""
    m, s = form.m, form.setting
    where = {j: b for b, j in enumerate(form.bodies)}
    wrenches = [[*(falling(form, b, j) * m.bodies[j].m), 0, 0, 0]
                for b, j in enumerate(form.bodies)]  # fmt: skip
    rest: list[Any] = [0] * m.nv

    def push(j: int, at: Vec3, f: Vec3, n: Vec3) -> None:
        moment = n + (at - m.bodies[j].inertia.centre).cross(f)
        b = where[j]
        if j in form.cyclic:
            f, moment = form.cyclic[j].R @ f, form.cyclic[j].R @ moment
        wrenches[b] = [x + y for x, y in zip(wrenches[b], [*f, *moment], strict=True)]

    for j, body in m.outward():
        k = m.velocity_index[j]
        tau = s.force(k + 1) if body.joint.nv == 1 else 0
        if not isinstance(tau, Ratio):
            continue
        if j not in where or not (body.parent < 0 or body.parent in where):
            rest[k] = rest[k] + tau
            continue
        q_ = m.split_q(s.q)[j]
        ((linear, angular),) = body.joint.columns(q_)
        f, n = linear * tau, angular * tau
        push(j, Vec3.zero(), f, n)
        if body.parent >= 0:
            R, P = body.pose(q_)
            push(body.parent, P, -(R @ f), -(R @ n))
    for wheel in m.wheels:
        F, S = s.force(wheel.name), s.force(("side", wheel.name))
        if wheel.body not in where:
            for x, row in ((F, forward_row), (S, sideways_row)):
                H = row(m, wheel, s.q, [0] * m.nv, s.steer).H
                rest = [y + h * x for y, h in zip(rest, H, strict=True)]
            continue
        angle, _ = wheel_angle(m, wheel, s.q, s.qd, s.steer)
        normal, forward = heading(wheel, angle)
        push(wheel.body, wheel.point, forward * F + normal * S, Vec3.zero())
    # what tyres do has names of its own
    held = tuple(w for w in m.wheels if w.tyre is None)
    pulled = spring_forces(replace(m, springs=form.springs, wheels=held, checked=True), s.q, s.qd)
    rest = [x + y for x, y in zip(rest, pulled, strict=True)]
    for k, force in joint_springs(m, s.q, s.qd).items():
        rest[k] = rest[k] + force
    return wrenches, rest
