"""Elastic joints: recursion and partition agree, springs act, stiff joints become rigid."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import dalembert as da
from agreement import floats
from dalembert.algebra import Vec3
from dalembert.algorithms.elastic import elastic_indices
from dalembert.algorithms.joint_forces import joint_springs
from dalembert.errors import ModelError
from dalembert.mechanism import JointSpring, PointSpring
from mechanisms import random_mechanisms, random_state
from models import elastic_inverse, elastic_inverse_by_partition
from pinocchio_model import to_pinocchio


def with_springs(m, seed):
    """Return the mechanism with springs in about half of its one-freedom joints."""
    rng = np.random.default_rng(seed)
    single = [j for j, b in enumerate(m.bodies) if b.joint.nv == 1]
    chosen = [j for j in single if rng.random() < 0.5] or single[:1]
    springs = tuple(
        JointSpring(j, Fraction(int(rng.integers(10, 900))), Fraction(1, 10), Fraction(2, 5))
        for j in chosen
    )
    return replace(m, elastic=springs, checked=False)


def state(m, seed):
    """Return q, qd, qdd of everyday size as arrays."""
    return tuple(np.array(x) for x in random_state(m, seed, mild=True))


MODELS = [
    with_springs(m, k)
    for k, m in enumerate(
        random_mechanisms(24, seed=90, dof=(2, 12), massless=0, masses={"decade": 1}, root=0.3)
    )
    if any(b.joint.nv == 1 for b in m.bodies)
]


@pytest.mark.parametrize("m", MODELS, ids=lambda m: m.name)
def test_recursion_and_partition_agree(m):
    b = m.bound()
    q, qd, qdd = state(m, seed=1)
    first = elastic_inverse(b, q, qd, qdd)
    second = elastic_inverse_by_partition(b, q, qd, qdd)
    for x, y in zip(first, second, strict=True):
        scale = max(1.0, np.abs(floats(y)).max(initial=0.0))
        np.testing.assert_allclose(floats(x), floats(y), atol=1e-11 * scale, rtol=0)


@pytest.mark.parametrize("m", MODELS[:3], ids=lambda m: m.name)
def test_the_direct_model_returns_what_the_inverse_one_was_given(m):
    q, qd, qdd = state(m, seed=2)
    elastic, rigid = elastic_indices(m)
    found, tau = da.elastic_inverse(m, q, qd, qdd)
    whole = np.zeros(m.nv)
    whole[rigid] = tau
    moved = da.forward_dynamics(m, q, qd, whole)
    scale = np.abs(moved).max() + 1
    np.testing.assert_allclose(moved[elastic], found, atol=1e-8 * scale)
    np.testing.assert_allclose(moved[rigid], qdd[rigid], atol=1e-8 * scale)
    np.testing.assert_allclose(
        da.inverse_dynamics(m, q, qd, moved), whole, atol=1e-8 * (np.abs(whole).max() + scale)
    )


ARM = """RZ(), TXK(0.5) [RY(), TXK(0.4), RX(), TXK(0.3)], RX(), TYK(0.2), RZ(), TXK(0.1);
    body 1: M = 3, D = (0.2, 0, 0.1), I = (0.1, 0.2, 0.3);
    body 2: M = 2, D = (0.2, 0.1, 0), I = (0.1, 0.2, 0.1);
    body 3: M = 1, D = (0.1, 0, 0.1), I = (0.02, 0.03, 0.04);
    body 4: M = 2, D = (0.1, 0, 0), I = (0.05, 0.04, 0.03);
    body 5: M = 1, D = (0, 0.1, 0), I = (0.01, 0.03, 0.02);"""


def test_passive_joints_feel_no_force_beside_elastic_and_motorised_ones():
    """Motors in 1 and 3, springs in 2, nothing in 4 and 5 of a tree; Pinocchio's M and h."""
    pin = pytest.importorskip("pinocchio")
    m = replace(
        da.load(ARM), active=("j1", "j3"), elastic=(JointSpring(1, 80, 0, 1),), checked=False
    )
    q, qd, qdd = state(m, seed=4)
    assert elastic_indices(m) == ([1, 3, 4], [0, 2])
    model = to_pinocchio(m)
    data = model.createData()
    wrench = np.random.default_rng(3).normal(size=(5, 6))
    carried = pin.StdVec_Force()
    for w in [np.zeros(6), *(-wrench)]:
        carried.append(pin.Force(w[:3], w[3:]))
    for method in ("recursion", "partition"):
        found, tau = da.elastic_inverse(m, q, qd, qdd, method=method, wrench_on_environment=wrench)
        qdd[[1, 3, 4]] = found
        force = pin.rnea(model, data, q, qd, qdd, carried)
        spring = -80 * q[1] - qd[1]
        scale = np.abs(force).max()
        np.testing.assert_allclose(force, [tau[0], spring, tau[1], 0, 0], atol=1e-11 * scale)


def test_point_springs_pull_in_the_elastic_model_too():
    m = replace(
        da.load(ARM),
        elastic=(JointSpring(3, 80),),
        springs=(PointSpring(2, Vec3(0, 0, 0.1), -1, Vec3(1, 1, 0), 300, Fraction(1, 5), 4),),
        checked=False,
    )
    q, qd, qdd = state(m, seed=5)
    for method in ("recursion", "partition"):
        found, tau = da.elastic_inverse(m, q, qd, qdd, method=method)
        qdd[3] = found[0]
        whole = da.inverse_dynamics(m, q, qd, qdd)  # what springs leave to the motors
        np.testing.assert_allclose(whole, [*tau[:3], 0, tau[3]], atol=1e-10)


def test_springs_hold_energy_and_lose_it_to_dampers():
    m = da.load("RZ(), TXK(1); body 1: M = 2, D = (1, 0, 0); gravity = (0, 0, 0);")
    m = replace(m, elastic=(JointSpring(0, 50, Fraction(1, 5), 3),), checked=False)
    force = joint_springs(m.bound(), [0.5], [2.0])
    assert force == {0: pytest.approx(-50 * 0.3 - 3 * 2.0)}
    assert da.potential_energy(m, [0.5]) == pytest.approx(0.5 * 50 * 0.3**2)
    assert da.forward_dynamics(m, [0.5], [2.0], [0.0])[0] == pytest.approx(force[0] / 2)


def test_stiff_joints_tend_to_the_rigid_robot():
    """With motor and link held together by a stiffness k, the deflection at rest falls as 1/k."""
    rigid = da.load(
        "RZ(), TXK(1), RZ(), TXK(1); body 1: M = 2, D = (0.5, 0, 0), I = (0, 0, 0.1);"
        "body 2: M = 1, D = (0.5, 0, 0), I = (0, 0, 0.1); gravity = (0, -9.81, 0);"
    )
    q, qd, qdd = np.array([0.3, -0.7]), np.array([0.4, 0.1]), np.array([0.5, -0.2])
    errors = []
    for stiffness in (1e4, 1e5, 1e6):
        m = rigid.with_flexible_joints(stiffness, 0.1)
        # quasi-static deflection: the spring carries the link torque
        load = da.inverse_dynamics(rigid, q, qd, qdd)
        bent = -load / stiffness
        x = np.array([q[0], bent[0], q[1], bent[1]])
        v = np.array([qd[0], 0, qd[1], 0])
        found, _ = da.elastic_inverse(m, x, v, [qdd[0], 0, qdd[1], 0])
        errors.append(np.abs(found).max())
    assert errors[0] > errors[1] > errors[2]
    assert errors[1] / errors[2] == pytest.approx(10, rel=0.3)


def test_flexible_joints_have_a_motor_side_and_a_link_side():
    m = da.robots.planar2r().with_values(m1=1, m2=1, l1=1, l2=1, j1=0, j2=0)
    f = m.with_flexible_joints([1000, 500], [0.1, 0.2], joints=["j1", "j2"])
    assert f.joint_names == ("j1", "j1.flex", "j2", "j2.flex")
    M = da.mass_matrix(f, np.zeros(4))
    assert M[0, 0] - M[0, 1] == pytest.approx(0.1)  # the rotor turns with the motor side alone
    with pytest.raises(ModelError, match="3 numbers for 2"):
        m.with_flexible_joints([1, 2, 3], 0.1)


def test_a_robot_without_springs_is_refused():
    m = da.robots.planar2r().with_values(m1=1, m2=1, l1=1, l2=1, j1=0, j2=0)
    with pytest.raises(ModelError, match="no elastic joint"):
        da.elastic_inverse(m, [0, 0], [0, 0], [0, 0])


def test_an_elastic_joint_without_stiffness_is_named():
    m = replace(da.load(ARM), elastic=(JointSpring(1, 10), JointSpring(3, 0)), checked=False)
    for method in ("recursion", "partition"):
        with pytest.raises(ModelError, match="joint 'j4' is elastic and has no stiffness"):
            da.elastic_inverse(m, *np.zeros((3, 5)), method=method)
    with pytest.raises(ModelError, match="joint 'j2' is elastic and has no stiffness"):
        da.load(ARM).with_flexible_joints([5, 0], 0.1, joints=["j1", "j2"])
    text = {"phrase": ARM, "elastic": [{"joint": "j4"}]}
    with pytest.raises(da.DescriptionError, match="joint 'j4': stiffness is missing"):
        da.load(text)


def test_a_mixture_that_leaves_no_equation_for_a_joint_names_it():
    """Two springs in series without inertia between: only their sum has an equation."""
    m = da.load("RZ(), TZK(0.3), RZ(), TXK(1); body 2: M = 1.1, D = (0.3, 0, 0);")
    m = replace(m, elastic=(JointSpring(0, 100), JointSpring(1, 50)), checked=False)
    for method in ("recursion", "partition"):
        with pytest.raises(da.SingularModel, match="joint 'j1' moves no inertia"):
            da.elastic_inverse(m, [0.3, 0.1], [0, 0], [0, 0], method=method)
    end = da.load("RZ(), TXK(1), RZ(); body 1: M = 1, D = (0.3, 0, 0); body 2: M = 0;")
    end = replace(end, elastic=(JointSpring(1, 50),), checked=False)
    for method in ("recursion", "partition"):
        with pytest.raises(da.SingularModel, match="joint 'j2' moves no inertia"):
            da.elastic_inverse(end, [0.3, 0.1], [0, 0], [0, 0], method=method)


GEARED = """
format = "dalembert/1"
phrase = "RZ(), TXK(0.5), RZ(), TXK(0.4); body 1: M = 2, D = (0.2, 0, 0); body 2: M = 1;"
drives = [ { joint = "j1", Jm = 0.001, gear = -10, viscous = 0.02, coulomb = [0.3, -0.4] } ]
"""


def test_a_flexible_joint_keeps_the_friction_of_its_motor():
    """Friction |N| (B |N| qd + T_c) acts at the motor; its inertia is the one that is given."""
    m = da.load(GEARED).with_flexible_joints(500, 0.05)
    assert m.joint_names == ("j1", "j1.flex", "j2", "j2.flex")
    q, qd = np.zeros(4), np.array([0.7, 0.0, 0, 0])
    found = da.inverse_dynamics(m, q, qd, np.zeros(4), drives="all")
    without = da.inverse_dynamics(m, q, qd, np.zeros(4))
    assert found - without == pytest.approx([10 * (0.02 * 10 * 0.7 + 0.3), 0, 0, 0], rel=1e-12)
    rotors = da.mass_matrix(m, q) - da.mass_matrix(m, q, drives="none")
    assert rotors == pytest.approx(np.diag([0.05, 0, 0.05, 0]), abs=1e-15)


@pytest.mark.parametrize(
    "more, says",
    [
        ({"couplings": [{"joint": "j2", "of": "j1", "ratio": -2}]}, "'j1' is coupled to another"),
        ({"elastic": [{"joint": "j1", "stiffness": 9, "rest": 0.1}]}, "'j1' has a spring of its"),
        (
            {"velocity_constraints": [{"name": "c", "equation": "j2 = 0.5*j1"}]},
            "'j1' is named by constraint 'c'",
        ),
    ],
)
@pytest.mark.parametrize("mimic", ["couple", "substitute"])
def test_what_tells_the_motion_of_a_joint_is_not_put_on_its_deflection(more, says, mimic):
    """q of the joint is motor and deflection together: a record on one is another machine."""
    m = da.load({"phrase": "RZ(), TXK(0.5), RZ(), TXK(0.4);", **more}, mimic=mimic)
    with pytest.raises(ModelError, match=f"joint {says}"):
        m.with_flexible_joints(500, 0.05, joints=["j1"])
