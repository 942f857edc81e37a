"""Random trees under random constraints: Kane's method, multipliers and Newton-Euler are one."""

from dataclasses import replace

import numpy as np
import pytest

from agreement import floats
from dalembert.algebra import Vec3
from dalembert.algorithms.kane import reduction
from dalembert.algorithms.velocity_constraints import Constraints
from dalembert.errors import ModelError, Place
from dalembert.mechanism import JointSpring, PointSpring, VelocityConstraint, Wheel
from dalembert.plan.kane import with_speeds
from dalembert.read.velocity_equation import velocity_equation
from mechanisms import random_mechanisms
from models import D_and_C, constraint_forces, multipliers, newton_euler, state_model

PLAIN = dict(
    dof=(2, 9), joints={"revolute": 3, "prismatic": 1}, root=0, massless=0.1,
    masses={"decade": 1}, lengths={"metre": 1}, drives=0.5,
)  # fmt: skip


def constrained(m, seed):
    """Return a tree with blades, equations of both kinds, prescribed joints and springs."""
    rng = np.random.default_rng(seed)
    names, left = list(m.joint_names), m.nv - 1
    told, wheels, followed = [], [], []
    while left and (rng.random() < 0.7 or not (told or wheels or followed)):
        kind = rng.choice(["rates", "positions", "blade", "joint"], p=[0.4, 0.2, 0.2, 0.2])
        left -= 1
        if kind == "joint" and len(followed) < len(names) - 1:
            followed.append(str(rng.choice([n for n in names if n not in followed])))
        elif kind == "blade":
            normal = rng.normal(size=3)
            point, normal = rng.uniform(-1, 1, 3), normal / np.linalg.norm(normal)
            at = int(rng.integers(0, len(m.bodies)))
            places = (Vec3(*map(float, x)) for x in (point, normal))
            wheels.append(Wheel(f"w{len(wheels)}", at, *places))
        else:
            mark = "" if kind == "positions" else "d"
            terms = [f"{rng.uniform(-2, 2):.3f}*sin({a})*{n}{mark}"
                     for n, a in zip(names, rng.permutation(names), strict=True)]  # fmt: skip
            side = f"{rng.uniform(-1, 1):.3f}*sin(t)" if rng.random() < 0.4 else "0"
            text = f"{rng.choice(names)}{mark} + {' + '.join(terms)} = {side}"
            text = text.replace("+ -", "- ")
            given = VelocityConstraint(f"c{len(told)}", text)
            told.append(velocity_equation(m, given, Place("<test>")))
    springs = (PointSpring(-1, Vec3(1, 2, 3), len(m.bodies) - 1, Vec3(0.1, 0.2, 0), 9.0, 0.5, 1),)
    elastic = tuple(
        JointSpring(j, 20.0, 0.1, 0.3) for j, b in m.outward() if b.joint.nv and rng.random() < 0.3
    )
    return replace(
        m, velocity_constraints=tuple(told), wheels=tuple(wheels), prescribed=tuple(followed),
        springs=springs, elastic=elastic, speeds=(), checked=False,
    )  # fmt: skip


def compared(m, seed):
    m = constrained(m, seed)
    try:
        m = with_speeds(m)
    except ModelError:
        return False  # random rows that contradict each other
    if m.idle:
        return False
    rng = np.random.default_rng(seed + 1)
    given = len(Constraints.of(m).inputs)
    sizes = (m.nq, len(m.speeds), given, given, m.nv, len(m.wheels))
    s = [rng.uniform(-0.8, 0.8, n) for n in sizes]
    b = m.bound()
    drives = str(rng.choice(["none", "inertia", "all"]))
    r = reduction(b, *s[:4])
    J_nh = np.array([floats(x) for x in r.J_nh])
    D, C = (np.array([floats(x) for x in A]) for A in D_and_C(b, s[0], r, drives))
    if not np.linalg.cond(D) < 1e10:
        return False  # a massless body that nothing holds
    d = 1 / np.sqrt(np.diag(D))
    found = state_model(b, *s, drives=drives)
    ref = multipliers(b, *s, drives=drives)
    H = np.array([floats(x.H) for x in r.constraints])
    unit = H / np.linalg.norm(H, axis=1, keepdims=True)
    worse = np.linalg.cond(D * np.outer(d, d)) * np.linalg.cond(J_nh) ** 2 * np.linalg.cond(unit)
    limit = max(1e-11, 1e3 * m.nv * np.finfo(float).eps * worse)
    for one, other in zip(found, ref, strict=False):
        scale = np.abs(floats(other)).max(initial=0) + 1
        np.testing.assert_allclose(floats(one), floats(other), rtol=0, atol=limit * scale)
    # Newton-Euler: what the motion needs is what acts and what the constraints add
    lam = np.array(floats(constraint_forces(b, *s, drives=drives)))
    tree = replace(b, wheels=(), velocity_constraints=(), prescribed=(), springs=(), checked=True)
    needed = np.array(floats(newton_euler(tree, s[0], found[1], found[2], drives=drives)))
    from dalembert.algorithms.joint_forces import joint_springs
    from dalembert.algorithms.kane import steering
    from dalembert.algorithms.springs import spring_forces
    from dalembert.algorithms.velocity_rows import forward_row

    acting = s[4] + np.array(floats(spring_forces(b, s[0], found[1])))
    for k, force in joint_springs(b, s[0], found[1]).items():
        acting[k] += float(force)
    told = steering(b, s[2], s[3])
    for wheel, force in zip(b.wheels, s[5], strict=True):
        acting = acting + force * np.array(floats(forward_row(b, wheel, s[0], [0] * m.nv, told).H))
    scale = np.abs(needed).max() + np.abs(lam @ H).max() + 1
    np.testing.assert_allclose(needed, acting + lam @ H, rtol=0, atol=10 * limit * scale)
    # on the motions that are left they do no work
    np.testing.assert_allclose(J_nh.T @ (H.T @ lam), 0, rtol=0, atol=10 * limit * scale)
    if not given:
        h, qd = 1e-6, np.array(floats(r.qd))
        ends = [D_and_C(b, s[0] + e * qd, reduction(b, s[0] + e * qd, s[1]), drives)[0]
                for e in (h, -h)]  # fmt: skip
        ahead, behind = (np.array([floats(x) for x in A]) for A in ends)
        form = s[1] @ ((ahead - behind) / (2 * h) - 2 * C) @ s[1]
        assert abs(form) < 1e-5 * (np.abs(C).max() + np.abs(D).max() + 1) * np.linalg.cond(J_nh)
    return True


@pytest.mark.parametrize("m", random_mechanisms(25, seed=91, **PLAIN), ids=lambda m: m.name)
def test_random_machines(m):
    assert compared(m, m.nv) or compared(m, m.nv + 100) or compared(m, m.nv + 200)


@pytest.mark.slow
def test_many_random_machines():
    held = [compared(m, k) for k, m in enumerate(random_mechanisms(120, seed=92, **PLAIN))]
    assert np.mean(held) > 0.6
