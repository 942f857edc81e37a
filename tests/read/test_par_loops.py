"""Loops of SYMORO files are closed loops like any other."""

import pytest

import dalembert as da
import peers
from dalembert.plan.assembly import geometry_of

DIRECTORY = peers.ORACLES.parent / "peerdata" / "symoro"


@pytest.mark.parametrize(
    ("name", "equations", "rank", "motors"),
    [("AKR3000", 10, 4, 6), ("SR400", 5, 2, 6), ("TwoLoops", 10, 4, 4)],
)
def test_a_symoro_robot_has_the_mobility_of_its_motors(name, equations, rank, motors):
    file = DIRECTORY / f"{name}.par"
    if not file.exists():
        peers.absent(file.name)
    m = da.load(file)
    lengths = geometry_of(m).open_parameters
    p = da.plan(m.with_values(**dict.fromkeys(lengths, 0.5)))
    assert (p.equations, p.rank, p.mobility, len(p.motors)) == (equations, rank, motors, motors)
    assert not p.free
