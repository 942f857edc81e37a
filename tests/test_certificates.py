"""Every state of a closed machine is computed with a plan of its own branch, or refused.

Lifts and cranks whose rest pose is flat or folded, beside virtual work and maximal coordinates.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import dalembert as da
from dalembert.catalog import quantity
from dalembert.errors import SingularPose
from dalembert.plan.assembly import Closure
from dalembert.plan.loops import made_at
from dalembert.read.dump import json_text
from dalembert.read.native_writer import native_data
from referee import solve
from scissors import (
    crank_data,
    crank_pose,
    holding_force,
    scissor,
    scissor_data,
    scissor_pose,
    slider_crank_data,
)


def cut(m):
    """Return the cut tree with its loops as the referee reads it."""
    return json.loads(json_text(native_data(m)))


@pytest.mark.parametrize("stages", range(1, 7))
def test_a_scissor_lift_is_held_by_what_virtual_work_asks(stages):
    m = scissor(stages)
    angles = np.array([0.3, 0.5, 0.9, 1.3])
    q = np.array([scissor_pose(m, a) for a in angles])
    assert np.abs(da.closure(m, q)).max() < 1e-14
    rest = np.zeros_like(q)
    expected = [holding_force(stages, np.cos(a)) for a in angles]
    tau = da.inverse_dynamics(m, q, rest, rest)
    np.testing.assert_allclose(tau[:, 0], expected, rtol=1e-6)
    assert np.abs(da.forward_dynamics(m, q, rest, tau)).max() < 1e-8
    plan = da.plan(m)
    assert plan.mobility == 1 and not plan.free and "generic branch" in str(plan)


def test_the_lift_of_two_stages_moves_as_maximal_coordinates_do():
    m = scissor(2)
    q = scissor_pose(m, 0.5)
    rest = np.zeros(m.nv)
    assert da.inverse_dynamics(m, q, rest, rest)[0] == pytest.approx(-143.6566764, abs=1e-6)
    qd = da.active_map(m, q)[:, 0] * 0.7
    found = da.forward_dynamics(m, q, qd, [-20.0])
    np.testing.assert_allclose(found, solve.forward(cut(m), q, qd, [-20.0]), rtol=1e-9)
    moved = da.assembly_along(m, q, [[0.88], [0.9]])
    np.testing.assert_allclose(moved[:, 0], [0.88, 0.9], atol=1e-12)
    assert np.abs(da.closure(m, moved)).max() < 1e-12


def test_a_plan_of_another_branch_is_told_by_its_certificate_and_not_used():
    m = scissor(2)
    q, rest = scissor_pose(m, 0.5), np.zeros(m.nv)
    flat = made_at(Closure(m), rest)  # the plan of the folded rest pose
    assert flat.mobility == 2
    for name in ("inverse_dynamics", "forward_dynamics", "active_map"):
        inputs = {"inverse_dynamics": (q, rest, rest), "forward_dynamics": (q, rest, [0.0])}
        kernel = da.compile(m, name, plan=flat)
        assert [p.name for p in kernel.outputs][-3:] == ["residual", "pivot", "certificate"]
        assert kernel(*inputs.get(name, (q,)))[-1][0] > 1e-3
        good = da.compile(m, name, plan=da.plan(m, q))(*inputs.get(name, (q,)))
        assert good[-1][0] < 1e-12 and good[-2][0] > 1e-3 and np.abs(good[-3]).max() < 1e-12


def test_states_of_a_batch_are_grouped_by_their_plans(monkeypatch):
    """The kernel begins with the plan of the folded branch, as it once did."""
    from dalembert.compute import loops, replan
    from dalembert.compute.kernels import kernel_of

    m = scissor(2)
    q = np.array([scissor_pose(m, a) for a in np.linspace(0.2, 1.2, 9)])
    rest = np.zeros_like(q)
    expected = da.inverse_dynamics(m, q, rest, rest)
    flat = made_at(Closure(m), np.zeros(m.nv))
    kept = []
    monkeypatch.setattr(replan, "planned", lambda m: flat)
    monkeypatch.setattr(loops, "planned", lambda m: flat)
    start = partial(kernel_of, m, "inverse_dynamics", None, parameters=None, wrench=False)
    kernel = start(plan=flat)
    found = loops.answered(
        m, quantity("inverse_dynamics", m), lambda plan: kept.append(plan) or start(plan=plan),
        kernel, (q, rest, rest), None,
    ).result  # fmt: skip
    np.testing.assert_allclose(found, expected, rtol=1e-9)
    assert len(set(kept)) == 1  # one plan served all nine states


def test_three_cranks_with_a_flat_rest_pose_turn_alike():
    m = da.load(crank_data())
    q, qd = crank_pose(m, 0.7), np.array([-1.0 if n == "P" else 1.0 for n in m.joint_names])
    found = da.forward_dynamics(m, q, qd, [2.0])
    assert found[:3] == pytest.approx([found[0]] * 3) and found[3] == pytest.approx(-found[0])
    np.testing.assert_allclose(found, solve.forward(cut(m), q, qd, [2.0]), rtol=1e-9)
    # flat, the branches meet: refused, and the loop is named
    rest = np.zeros(m.nv)
    with pytest.raises(da.SingularPose, match=r"equations of (loop|Q|R)"):
        da.inverse_dynamics(m, rest, rest, rest)
    there = da.regular_pose(m, rest)
    assert np.abs(da.closure(m, there)).max() < 1e-11
    assert np.isfinite(da.inverse_dynamics(m, there, rest, rest)).all()


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-5, 1e-3])
def test_accelerations_exist_at_and_near_a_dead_point(angle):
    """A slider-crank driven by its slide, crank and rod in line: the crank turns on."""
    m = da.load(slider_crank_data())
    q = da.assemble(m, [np.cos(angle) * 0.3 + 0.8, angle, -angle / 3], hold=["crank"])
    qd, _ = solve.feasible(cut(m), q, np.random.default_rng(1))
    found = da.forward_dynamics(m, q, qd, [3.0])
    expected = solve.forward(cut(m), q, qd, [3.0])
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())
    if angle == 0.0:
        with pytest.raises(da.SingularPose, match="do not hold"):
            da.inverse_dynamics(m, q, qd, np.zeros(m.nv))


@pytest.mark.parametrize("stages", [2, 3])
def test_a_lift_without_motors_is_planned_where_it_lifts_and_takes_a_force_of_every_joint(stages):
    m = da.load(scissor_data(stages) | {"active": []})
    (lead,) = da.plan(m).independent
    q, rest = scissor_pose(m, 0.5), np.zeros(m.nv)
    with pytest.raises(da.UsageError, match="no motor is named") as error:
        da.inverse_dynamics(m, q, rest, rest)
    assert f'active = ["{m.joint_names[lead]}"] in the file' in error.value.hint
    # it falls like one whose motor is idle, and each joint may be pushed
    named = da.load(scissor_data(stages) | {"active": [m.joint_names[lead]]})
    want = da.forward_dynamics(named, q, rest, [0.0])
    assert da.forward_dynamics(m, q, rest, rest) == pytest.approx(want, abs=1e-8)
    tau = np.linspace(-1, 2, m.nv)
    want = da.forward_dynamics(named, q, rest, da.active_map(named, q).T @ tau)
    assert da.forward_dynamics(m, q, rest, tau) == pytest.approx(want, abs=1e-8)
    folded = np.zeros(m.nv)  # a branch on which the slide stands still and every stage turns
    want = da.forward_dynamics(named, folded, rest, [0.0])
    assert da.forward_dynamics(m, folded, rest, rest) == pytest.approx(want, abs=1e-8)


def test_open_loops_say_the_gap_in_metres_and_its_direction():
    m = da.robots.fivebar()
    q = da.assemble(m)
    with pytest.raises(da.ComputationError, match=r"is 0\.\d+ m along [xy] in loop 1"):
        da.inverse_dynamics(m, q + [0, 0.1, 0, 0], [0.0] * 4, [0.0] * 4)


def test_simulations_and_fmus_do_not_trust_the_plan_of_another_branch():
    from dalembert.export.plant import StateModel
    from dalembert.simulate.systems import Closed

    m = scissor(2)
    q, rest = scissor_pose(m, 0.5).tolist(), [0.0] * m.nv
    flat, good = made_at(Closure(m), np.zeros(m.nv)), da.plan(m)
    for plan, trusted in ((flat, False), (good, True)):
        measure = Closed(m, plan).bound(m.bound()).project(q, rest, ())[2]
        assert (measure > 1e-3) == trusted and (measure == 0) != trusted
        plant = StateModel.of(m, [], "inertia")
        plant = replace(plant, own=replace(plant.own, plan=plan))
        assert (plant.rates()(q, rest, [0.0])[-1] > 1e-3) == trusted


def test_kernels_and_exported_code_say_on_which_branch_they_are_planned(tmp_path):
    m = scissor(2)
    kernel = da.compile(m, "inverse_dynamics")
    assert kernel.notes == (str(da.plan(m)),)
    assert "generic branch" in repr(kernel)
    assert not da.compile(m.tree, "inverse_dynamics").notes
    da.export(m, ["inverse_dynamics"], language="c", path=tmp_path)
    head = next(tmp_path.glob("*.h")).read_text(encoding="utf-8").split("*/")[0]
    for part in str(da.plan(m)).split("; "):
        assert f" * {part}\n" in head


def test_an_open_loop_is_seen_wherever_the_base_stands():
    """The tolerance belongs to the linkage, not to its distance from the origin."""
    m = da.robots.fourbar()
    away = m.rooted([[1, 0, 0, 1e4], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    q = np.array(da.assemble(m))
    q[2] += 1e-4
    for at in (m, away):
        with pytest.raises(da.ComputationError, match="loops are open"):
            da.inverse_dynamics(at, q, [1, 0, 0], [0.5, 0, 0])


@pytest.mark.parametrize("beside", [0.0, 1e-10, 1e-6])
def test_torques_pass_a_pose_that_the_usual_plan_cannot_solve(beside):
    """Upright, the rows of three parallel cranks that were planned hold nothing, others do."""
    m = da.load(crank_data())
    q = np.pi / 2 + beside + 0.1 * np.arange(-2, 3.0)
    t, rates, rises = np.arange(5.0), np.full(5, 0.3), np.full(5, 0.2)
    poses = np.array([crank_pose(m, a) for a in q])
    usual = da.compile(m, "tree_motion")(poses, 0 * poses, 0 * poses)
    assert usual[3][2, 0] < 1e-6 < usual[3][1, 0]  # the pivots of that plan
    motion = (t, q[:, None], rates[:, None], rises[:, None])
    found = da.torques_along(m, motion, start=crank_pose(m, q[0]), drives="none").tau
    # virtual work: the plate moves on a circle, its mass and three cranks turn about z
    inertia = 3 * (0.01 + 1 * 0.1**2) + 2 * 0.2**2
    weight = 9.81 * (3 * 1 * 0.1 + 2 * 0.2) * np.cos(q)
    np.testing.assert_allclose(found[:, 0], inertia * rises + weight, atol=1e-8)


def test_torques_do_not_pass_a_pose_where_branches_meet():
    """Flat, the loops are closed to the last digit, and any force of the motor would do."""
    m = da.load(crank_data())
    q = np.array([0.2, 0.1, 0.0, -0.1])[:, None]
    with pytest.raises(da.SingularPose, match="singular pose of the loops at sample 2"):
        da.torques_along(m, (np.arange(4.0), q, 0 * q - 0.1, 0 * q), start=crank_pose(m, 0.2))


@pytest.mark.parametrize("angle", [0.0, np.pi])
def test_a_run_that_starts_at_a_singular_pose_names_the_loop(angle):
    """A parallelogram lies flat there: its rod and its rocker are in line."""

    def body(name, parent, at):
        place = {"type": "revolute", "axis": [0, 0, 1], "placement": {"translation": [at, 0, 0]}}
        return {"name": name, "parent": parent, "joint": place, "mass": 1, "com": [0.1, 0, 0],
                "inertia": [0.01, 0.01, 0.01]}  # fmt: skip

    pin = {"body_i": "rod", "point_i": [0.5, 0, 0], "body_j": "rocker", "point_j": [0.3, 0, 0]}
    m = da.load({
        "format": "dalembert/1", "name": "flat", "active": ["crank"],
        "bodies": [body("crank", -1, 0), body("rod", "crank", 0.3), body("rocker", -1, 0.5)],
        "loops": [{**pin, "joint": "revolute", "axis": [0, 0, 1]}],
    })  # fmt: skip
    with pytest.raises(SingularPose, match=r"loop 1 \(rod - rocker\)"):
        da.simulate(m, [angle, -angle, angle], [0, 0, 0], t=0.1)
