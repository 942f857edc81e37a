"""What the headline models cost: an algorithm may be written anew, it may not grow."""

import pytest

import dalembert as da
from dalembert import bench
from dalembert.compute import program_of

# robot, quantity, method: multiplications, additions, and divisions where systems are solved
COUNTS = {
    ("ur5", "inverse_dynamics", "newton_euler"): (153, 109),
    ("ur5", "mass_matrix", "composite"): (71, 57),
    ("ur5", "forward_dynamics", "articulated_body"): (325, 226),
    ("puma560", "inverse_dynamics", "newton_euler"): (182, 144),
    ("puma560", "mass_matrix", "composite"): (85, 71),
    ("puma560", "forward_dynamics", "articulated_body"): (450, 356),
    ("puma560", "inverse_dynamics_derivatives", "analytic"): (793, 627),
    ("stanford", "inverse_dynamics", "newton_euler"): (144, 109),
    ("stanford", "forward_dynamics", "articulated_body"): (386, 299),
    ("panda", "inverse_dynamics", "newton_euler"): (296, 273),
    ("panda", "mass_matrix", "composite"): (165, 147),
    ("panda", "forward_dynamics", "articulated_body"): (710, 584),
    ("walker", "inverse_dynamics", "newton_euler"): (259, 189),
    ("walker", "forward_dynamics", "articulated_body"): (535, 401),
    ("walker", "moving_base_inverse", "composite"): (383, 279),
    ("truck", "alpha_dot", "kane"): (158, 107),
    ("fourbar", "inverse_dynamics", "newton_euler"): (59, 33, 5),
    ("fivebar", "forward_dynamics", "projection"): (117, 73, 7),
    ("flexible2r", "elastic_inverse", "recursion"): (63, 43),
    ("puma560", "inverse_dynamics", "active_chain"): (1892, 1471),
    ("stewart", "inverse_dynamics", "newton_euler"): (1404, 1060, 37),
    ("stewart", "forward_dynamics", "projection"): (2810, 2258, 43),
    ("stewart", "inverse_dynamics_derivatives", "graph"): (10878, 9420, 37),
    ("stewart", "forward_dynamics_derivatives", "graph"): (16084, 14867, 43),
    ("stewart", "actuator_forces", "newton_euler"): (1256, 781),
    ("stewart", "platform_acceleration", "composite"): (1921, 1238),
}
TALOS = {  # a free base and 32 joints
    ("inverse_dynamics", "newton_euler"): (1806, 1724),
    ("mass_matrix", "composite"): (1700, 1342),
    ("forward_dynamics", "articulated_body"): (4674, 4015),
}


@pytest.mark.parametrize("row", COUNTS, ids=" ".join)
def test_a_model_costs_no_more_than_it_did(row):
    robot, quantity, method = row
    cost = program_of(getattr(da.robots, robot)(), quantity, method).cost["step"]
    counted = cost.mul + cost.add + (cost.div if len(COUNTS[row]) == 3 else 0)
    assert counted <= sum(COUNTS[row]) + 2, (str(cost), COUNTS[row])


def test_the_rate_of_a_truck_is_a_tenth_more_than_the_forces_of_a_ur5():
    """In operations, an angle weighed as twenty and a division as four of them."""
    own = program_of(da.robots.truck(1), "alpha_dot").cost["step"]
    arm = program_of(da.robots.ur5(), "inverse_dynamics").cost["step"]
    truck, unit = (c.mul + c.add + c.other + 4 * c.div + 20 * c.sincos for c in (own, arm))
    assert truck <= 1.1 * unit


@pytest.mark.parametrize("row", TALOS, ids=" ".join)
def test_a_humanoid_costs_no_more_than_it_did(row):
    talos = bench.robots().get("Talos")
    if talos is None:
        pytest.skip("no file of Talos here")
    cost = program_of(talos, *row).cost["step"]
    assert cost.mul + cost.add <= sum(TALOS[row]) + 2, (str(cost), TALOS[row])


def test_a_simulation_of_a_closed_machine_starts_with_four_traces(monkeypatch):
    from dalembert.compute import recorded
    from dalembert.plan import assembly

    found = []
    for module in (recorded, assembly):
        trace = module.trace
        count = lambda *a, _trace=trace, **k: found.append(1) or _trace(*a, **k)  # noqa: E731
        monkeypatch.setattr(module, "trace", count)
    m = da.robots.fourbar().with_gravity((0, -9.7035, 0))  # one that no cache knows
    da.simulate(m, t=0.01)
    assert 1 <= len(found) <= 4
