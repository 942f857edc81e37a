"""Starts and ends of rolling motions that no ground allows are said, never passed over."""

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import SingularPose

DISC = {"name": "rim", "kind": "disc", "body": "coin", "axis": [0, 0, 1], "radius": 0.2}
COIN = {"name": "coin", "parent": -1, "joint": {"type": "free", "name": "b"}, "mass": 1.5,
        "inertia": [0.015, 0.015, 0.03]}  # fmt: skip


@pytest.fixture(scope="module")
def coin():
    return da.load({"format": "dalembert/1", "bodies": [COIN], "rolling": [DISC]})


def leaning(angle):
    """Return a pose of the coin, its plane this far from the vertical."""
    half = (np.pi / 2 - angle) / 2
    return [0, 0, 0.2 * np.cos(angle), np.sin(half), 0, 0, np.cos(half)]


def test_a_disc_that_falls_flat_says_so_and_stops_there(coin):
    """Beyond it the contact jumps to the other side of the rim, at constant energy."""
    for rtol in (1e-8, 1e-4):
        r = da.simulate(coin, leaning(0.05), t=[0, 1], rtol=rtol)
        assert "rim lies flat at t = 0.668" in r.notes[0] and "stop='rim'" in r.notes[0]
    r = da.simulate(coin, leaning(0.05), t=np.linspace(0, 1, 101), stop="rim")
    assert r.stopped == "rim lies flat" and r.q[-1, 2] < 0.02


def test_a_start_that_lies_flat_is_refused(coin):
    with pytest.raises(SingularPose, match="division by zero") as error:
        da.simulate(coin, leaning(np.pi / 2), t=1.0)
    assert "lies flat" in error.value.hint


def test_a_pose_off_the_ground_is_moved_and_told(coin):
    r = da.simulate(coin, [0, 0, 1, 0.5, 0.5, 0.5, 0.5], t=[0, 0.1])
    assert r.notes == ("q0 breaks the constraints: b.pz is changed by 0.8",)
    assert r.q[0, 2] == pytest.approx(0.2)
    assert da.simulate(coin, [0, 0, 0.2, 0.5, 0.5, 0.5, 0.5], t=[0, 0.1]).notes == ()


def test_a_leaning_disc_circles_as_the_closed_form_says(coin):
    """(C + m a²) w Ω cos λ = m g a sin λ - A Ω² sin λ cos λ, with w the turning about the axle."""
    m, a, A, C, lean, turn = 1.5, 0.2, 0.015, 0.03, 0.4, 2.0
    c, s = np.cos(lean), np.sin(lean)
    w = -(m * 9.81 * a * s - A * turn**2 * s * c) / ((C + m * a**2) * turn * c)
    q = leaning(lean)
    # in the axes of the disc: turning is about a horizontal x, the line down the disc, the axle
    r = da.simulate(coin, q, [0, turn * c, w], t=np.linspace(0, 3, 13))
    assert np.ptp(r.q[:, 2]) < 1e-7 and r.notes == ()
    spun = r.q[-1, 3:7]
    axle = [
        2 * (spun[0] * spun[2] + spun[1] * spun[3]),
        2 * (spun[1] * spun[2] - spun[0] * spun[3]),
    ]
    start = np.array([0, -np.cos(lean)])
    angle = np.arctan2(axle[1], axle[0]) - np.arctan2(start[1], start[0])
    assert np.exp(1j * angle) == pytest.approx(np.exp(1j * turn * 3), abs=1e-6)


def test_an_assembled_pose_has_quaternions_of_length_one():
    ball = {"name": "ball", "parent": -1, "mass": 3, "inertia": [0.1, 0.2, 0.15],
            "joint": {"type": "free", "name": "base"}}  # fmt: skip
    rolls = {"name": "r", "kind": "sphere", "body": "ball", "radius": 0.3, "point": [0, 0, 0]}
    m = da.load({"format": "dalembert/1", "bodies": [ball], "rolling": [rolls]})
    q = da.assemble(m, [0.1, 0.2, 0.3, 0.1, 0.2, 0.3, 0.9])  # on the ground already
    assert np.linalg.norm(q[3:]) == pytest.approx(1, abs=1e-15)
    assert np.isfinite(da.forward_dynamics(m, q, np.zeros(6), np.zeros(6))).all()
    with pytest.raises(da.ModelError, match="quaternion of joint 'base' is 0"):
        da.assemble(m, np.zeros(7))
