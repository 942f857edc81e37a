"""Elastic and passive joints on a moving base: recursion, partition and Pinocchio agree."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import dalembert as da
from agreement import floats
from dalembert.algebra import Vec3
from dalembert.algorithms.elastic import elastic_indices
from dalembert.algorithms.joint_forces import joint_springs
from dalembert.algorithms.moving_base import base_size
from dalembert.errors import ModelError
from dalembert.joint import Planar
from dalembert.mechanism import JointSpring
from mechanisms import random_mechanisms, random_state
from models import elastic_base_by_partition, elastic_base_inverse
from pinocchio_model import to_pinocchio


def models(count: int):
    """Return random trees on free and planar bases with springs in some joints, others passive."""
    found = []
    drawn = random_mechanisms(
        3 * count, seed=33, dof=(8, 20), root=1.0, massless=0, masses={"decade": 1}
    )
    for k, m in enumerate(drawn):
        one_root = sum(b.parent < 0 for b in m.bodies) == 1
        if not one_root or m.bodies[0].joint.kind != "free":
            continue
        rng = np.random.default_rng([5, k])
        if k % 3 == 0:
            base = replace(m.bodies[0], joint=Planar())
            m = replace(m, bodies=(base, *m.bodies[1:]), checked=False)
        single = [j for j, b in enumerate(m.bodies) if b.joint.nv == 1]
        soft = [j for j in single if rng.random() < 0.4] or single[:1]
        springs = tuple(
            JointSpring(j, Fraction(int(rng.integers(10, 900))), Fraction(1, 5), 2) for j in soft
        )
        motors = tuple(name for name in m.joint_names if rng.random() < 0.7) if k % 2 else ()
        found.append(replace(m, elastic=springs, active=motors, checked=False))
    return found[:count]


MODELS = models(14)


def test_there_are_both_bases_and_passive_joints():
    assert {m.bodies[0].joint.kind for m in MODELS} == {"free", "planar"}
    assert any(len(elastic_indices(m)[0]) > len(m.elastic) for m in MODELS)


def drawn_state(m, seed):
    return tuple(np.array(x) for x in random_state(m, seed, mild=True))


def wrenches(m):
    """Return a wrench on the environment for each moving link."""
    rng = np.random.default_rng(8)
    moving = [[b.joint.nv > 0] for b in m.bodies]
    return rng.normal(size=(len(m.bodies), 6)) * moving


def as_vectors(rows):
    return {j: (Vec3(*w[:3]), Vec3(*w[3:])) for j, w in enumerate(rows)}


@pytest.mark.parametrize("convention", ["classical", "spatial"])
@pytest.mark.parametrize("m", MODELS, ids=lambda m: m.name)
def test_recursion_and_partition_agree(m, convention):
    b, k = m.bound(), base_size(m)
    q, qd, qdd = drawn_state(m, seed=1)
    given = (q, qd, qdd[k:], as_vectors(wrenches(m)), "all", convention)
    first, second = elastic_base_inverse(b, *given), elastic_base_by_partition(b, *given)
    for x, y in zip(first, second, strict=True):
        scale = max(1.0, np.abs(floats(y)).max(initial=0.0))
        np.testing.assert_allclose(floats(x), floats(y), atol=1e-11 * scale, rtol=0)


@pytest.mark.parametrize("m", MODELS, ids=lambda m: m.name)
def test_pinocchio_finds_no_wrench_at_the_base_and_the_springs_at_elastic_joints(m):
    pin = pytest.importorskip("pinocchio")
    b, k = m.bound(), base_size(m)
    q, qd, qdd = drawn_state(m, seed=2)
    rows = wrenches(m)
    base, found, tau = elastic_base_inverse(
        b, q, qd, qdd[k:], as_vectors(rows), "inertia", "spatial"
    )
    elastic, rigid = elastic_indices(m)
    qdd[:k], qdd[elastic] = floats(base), floats(found)
    wanted = np.zeros(m.nv)
    for n, force in joint_springs(b, q, qd).items():
        wanted[n] = float(force)
    wanted[[n for n in rigid if n >= k]] = floats(tau)
    model = to_pinocchio(m)
    carried = pin.StdVec_Force()
    carried.append(pin.Force.Zero())
    for row, body in zip(rows, m.bodies, strict=True):
        if body.joint.nv:
            carried.append(pin.Force(-row[:3], -row[3:]))
    force = pin.rnea(model, model.createData(), q, qd, qdd, carried)
    scale = np.abs(force).max() + np.abs(wanted).max()
    np.testing.assert_allclose(force, wanted, atol=1e-10 * scale)


def test_the_kernel_and_the_direct_model_agree():
    m = da.robots.spacecraft()
    m = replace(m, elastic=(JointSpring(3, 500, 0, 2), JointSpring(6, 90)), checked=False)
    q, qd, qdd = drawn_state(m, seed=3)
    base, found, tau = da.elastic_base_inverse(m, q, qd, qdd[6:], convention="spatial")
    elastic, rigid = elastic_indices(m)
    whole = np.zeros(m.nv)
    whole[rigid] = [*np.zeros(6), *tau]
    moved = da.forward_dynamics(m, q, qd, whole)
    scale = np.abs(moved).max()
    np.testing.assert_allclose(moved[:6], base, atol=1e-10 * scale)
    np.testing.assert_allclose(moved[elastic], found, atol=1e-10 * scale)
    np.testing.assert_allclose(moved[rigid][6:], qdd[rigid][6:], atol=1e-10 * scale)


def test_springs_and_a_moving_base_are_both_asked_for():
    q, qd, qdd = drawn_state(da.robots.spacecraft(), seed=1)
    with pytest.raises(ModelError, match="no elastic joint"):
        da.elastic_base_inverse(da.robots.spacecraft(), q, qd, qdd[6:])
    with pytest.raises(ModelError, match="no free base"):
        da.elastic_base_inverse(da.robots.flexible2r(), *np.zeros((2, 4)), [])
