"""Laws beside the formalisms: right machines keep them, injected faults do not."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.agree import agree
from dalembert.algorithms import loop_closure
from dalembert.compute import loops, replan
from dalembert.plan.assembly import Closure
from dalembert.plan.loops import made_at
from dalembert.second_opinion import LAWS, laws
from scissors import crank_data, scissor, scissor_data


def failing(m, states=6):
    return [law.name for law in laws(m, states, 0) if not law.worst <= law.limit]


MACHINES = {
    "two-stage lift": lambda: scissor(2),
    "three cranks": lambda: da.load(crank_data()),
    "five-bar": da.robots.fivebar,
    "truck": da.robots.truck,
    "unicycle": da.robots.unicycle,
    "flexible arm": da.robots.flexible2r,
    "flying arm": da.robots.flying_arm,
}


@pytest.mark.parametrize("name", MACHINES)
def test_machines_keep_the_laws(name):
    assert failing(MACHINES[name]()) == []


def test_states_that_fall_on_another_branch_are_drawn_again():
    # half of the poses near a general one of this lift fold its upper stage flat, where the slide
    # does not hold it
    data = scissor_data(2)
    order = ["p1", "slide", "r1", "m1", "p2", "r2", "m2"]
    data["joints"].sort(key=lambda j: order.index(j["name"]))
    found = agree(da.load(data), states=8)
    assert [one.quantity for one in found if not one.ok] == []
    assert found[0].quantity == "tau"


def test_agree_has_the_rows_power_and_virtual_work():
    found = agree(da.robots.fourbar(), states=3)
    assert [one.quantity for one in found][-4:] == list(LAWS)
    assert all(one.ok for one in found)


def corrupted(monkeypatch, m, wrong):
    """Let everything believe in a wrong plan."""
    plans = sys.modules["dalembert.plan"]  # `dalembert.plan` itself is the function
    for module in (plans, loops, replan):
        monkeypatch.setattr(module, "planned", lambda m: wrong)


def test_the_plan_of_a_folded_pose_is_noticed(monkeypatch):
    m = scissor(2)
    assert failing(m) == []
    corrupted(monkeypatch, m, made_at(Closure(m), np.zeros(m.nv)))
    assert "closure" in failing(m)


def test_a_corrupted_plan_is_noticed(monkeypatch):
    m = da.robots.fivebar()
    right = da.plan(m)
    swapped = replace(right, rows=(right.rows[0], right.redundant[0]))
    corrupted(monkeypatch, m, swapped)
    try:
        found = failing(m)
    except da.DalembertError:
        found = ["refused"]
    assert found


def test_a_misplaced_motor_is_noticed(monkeypatch):
    m = da.robots.fivebar()
    right = da.plan(m)
    corrupted(monkeypatch, m, replace(right, motors=right.motors[::-1]))
    assert "power" in failing(m)


def test_an_ignored_wheel_is_noticed(monkeypatch):
    m = replace(da.robots.truck(), name="a truck whose last wheel is ignored")
    for name in ("held_rows", "held_names", "held_gaps", "held_units"):
        own = getattr(loop_closure, name)
        monkeypatch.setattr(loop_closure, name, lambda *a, own=own: own(*a)[:-1])
    assert {"closure", "power"} & set(failing(m))
