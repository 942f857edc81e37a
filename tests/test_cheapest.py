"""Where no method is asked for, a kernel uses the one that needs fewer operations."""

import numpy as np
import pytest

import dalembert as da
from dalembert import bench
from dalembert.catalog import quantity
from dalembert.compute import program_of
from dalembert.compute.cheapest import cheapest, has_choice
from dalembert.compute.ways import Asked
from dalembert.errors import SingularModel
from runtime.test_packed import humanoid

ARMS = {"ur5": (271, 214), "panda": (581, 511), "puma560": (321, 253)}


def work(kernel):
    return kernel.cost["step"].mul + kernel.cost["step"].add


@pytest.mark.parametrize("name", [*ARMS])
def test_arms_use_composite_bodies(name):
    m = getattr(da.robots, name)()
    kernel, other = da.compile(m, "forward_dynamics"), "articulated_body"
    plain = da.compile(m, "forward_dynamics", other)
    step = kernel.cost["step"]
    assert (step.mul, step.add) <= ARMS[name] and work(kernel) < 0.9 * work(plain)
    assert plain.cost == program_of(m, "forward_dynamics", other).cost  # as it was asked for
    q, qd, qdd = np.random.default_rng(0).uniform(-2, 2, (3, 200, m.nv))
    tau = da.inverse_dynamics(m, q, qd, qdd)
    for k in (kernel, plain):
        found = k(q, qd, tau)
        assert np.abs(found - qdd).max() < 1e-9 * np.abs(qdd).max()


def test_large_trees_keep_articulated_bodies():
    m = humanoid()
    kernel = da.compile(m, "forward_dynamics")
    assert kernel.cost == program_of(m, "forward_dynamics", "articulated_body").cost


def test_a_model_that_the_other_method_refuses_keeps_its_own():
    asked = []

    class Refusing(Asked):
        def program(self, method):
            asked.append(method)
            if method == "composite":
                raise SingularModel("no")
            return super().program(method)

    m = da.robots.ur5()
    found = cheapest(Refusing(m, quantity("forward_dynamics"), None, {"drives": "none"}))
    assert asked == [None, "composite"]
    assert found == program_of(m, "forward_dynamics", drives="none", calls=True)


def test_leaves_first_fills_no_zero_of_a_tree():
    m = humanoid()
    step = program_of(m, "forward_dynamics", "composite").cost["step"]
    assert step.mul + step.add <= 7475
    slopes = program_of(m, "forward_dynamics_derivatives").cost["step"]
    assert slopes.mul <= 35_513 and slopes.add <= 30_557


@pytest.mark.slow
def test_deep_chains_use_base_axes():
    m = bench.chain(25)
    most = {
        "mass_matrix": 8624,
        "inverse_dynamics_derivatives": 38047,
        "forward_dynamics_derivatives": 114496,
    }
    for name, limit in most.items():
        found = cheapest(Asked(m, quantity(name), None, {"drives": "none"}))
        assert work(found) <= limit
        assert found == program_of(m, name, "base_axes", drives="none", calls=True)
    assert not has_choice(Asked(humanoid(), quantity("mass_matrix"), None, {}))
