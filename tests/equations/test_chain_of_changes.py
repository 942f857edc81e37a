"""Equations after simplifications: what their programs cost, and laws that believe in them."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dalembert as da
from dalembert.compute import program_of
from pruning import robot


def test_two_items_of_drop_on_one_coefficient_count_together():
    eq = da.equations(da.robots.puma560())
    both = eq.drop("A11:1 A11:3")
    assert both.A[1, 1].raw == eq.drop("A11:1,3").A[1, 1].raw
    assert len(both.A[1, 1].terms("report")) == len(eq.A[1, 1].terms("report")) - 2


LIMITS = {"all": {"q": [-1, 1], "qd": 2, "qdd": 5}}


def test_what_is_left_out_after_pruning_is_not_in_the_bounds():
    pruned = da.equations(da.robots.planar2r()).prune(
        dict.fromkeys(("l1", "l2", "m1", "j1", "m2", "j2"), 0.5), LIMITS, "30%"
    )
    for more in (pruned.neglect("gravity"), pruned.drop("A11:1")):
        assert "bounds above are those of the equations before" in more.remarks[-1]
    assert pruned.neglect().remarks == pruned.equations.remarks


@pytest.mark.parametrize(
    ("limits", "values", "message"),
    [
        ({**LIMITS, "j1": {"qd": float("inf")}}, {}, "qd = inf"),
        ({**LIMITS, "j1": {"dq": 3}}, {}, "limit of 'dq'"),
        ({**LIMITS, "j9": {"qd": 3}}, {}, "no joint 'j9'"),
        (LIMITS, {"m9": 1}, "no parameter 'm9'"),
    ],
)
def test_a_box_that_is_not_understood_is_refused(limits, values, message):
    eq = da.equations(da.load("RZ(),TXK(0.4); body 1: M=1, D=(0.2,0,0), I=(0,0.1,0.1);"))
    with pytest.raises(da.DalembertError, match=message):
        eq.prune(values, limits, "1%")


def test_a_joint_is_held_at_one_value():
    eq = da.equations(da.robots.planar2r())
    with pytest.raises(da.UsageError, match="is held at 0 and at 1"):
        eq.freeze({2: 0, "j2": 1})
    assert eq.freeze({2: 0, "j2": 0}).n == 1


def test_a_length_behind_the_last_body_needs_no_value():
    eq = da.equations(da.load("RZ(),TXK(L); gravity = (0, -9.81, 0);"))
    values = {"M1": 2, "D1": 0.5, "IZ1": 0.1, "IY1": 0}
    assert_allclose(eq.evaluate(values, [0], [0], [1]), [0.6 + 9.81])
    assert eq.prune(values, LIMITS, "1%").kept == 2


# -- the program form ------------------------------------------------------------------------------


def operations(eq):
    """Return multiplications and additions of the program form, counted in its own lines."""
    head = eq.text(form="program").splitlines()[0]
    found = re.search(r"in (\d+) mul, (\d+) add", head)
    return int(found[1]) + int(found[2])


def of_kernel(m):
    """Return the same of the best kernel for the coefficients."""
    costs = [program_of(m, "lagrange_coefficients", by).cost["step"]
             for by in ("composite", "augmented_body")]  # fmt: skip
    return min(c.mul + c.add for c in costs)


@pytest.mark.parametrize("name", ["report6r", "puma560", "stanford", "rx90"])
def test_the_program_form_costs_no_more_than_the_kernel(name):
    m = getattr(da.robots, name)()
    assert operations(da.equations(m)) <= 1.1 * of_kernel(m)


@pytest.mark.slow
def test_the_program_form_of_a_panda_costs_no_more_than_the_kernel():
    m = da.robots.panda()
    assert operations(da.equations(m)) <= 1.1 * of_kernel(m)


@pytest.mark.parametrize("seed", range(20))
def test_the_program_form_of_random_robots_costs_no_more(seed):
    m = robot(seed)
    assert operations(da.equations(m)) <= 1.1 * of_kernel(m) + 1


# -- laws on machines with fewer motors than joints ------------------------------------------------


def test_a_law_with_equations_pushes_no_joint_without_a_motor():
    m = da.load({
        "format": "dalembert/1", "active": ["j1"], "gravity": [0, -9.81, 0],
        "phrase": "RZ(),TXK(0.4),RZ(),TXK(0.3); gravity = (0, -9.81, 0);"
        "body 1: M=2, D=(0.2,0,0), I=(0.01,0.02,0.02); body 2: M=1, D=(0.15,0,0),"
        "I=(0.01,0.01,0.01);",
    })  # fmt: skip
    goal, t = da.trajectory.quintic([0, 0], [0.5, 0], 1.0), np.linspace(0, 1, 11)

    def run(law, model):
        made = law(goal=goal, kp=50, kd=5, model=model)
        return da.simulate(m, [0, 0], torque=made, t=t, rtol=1e-10, atol=1e-10)

    for law in (da.control.FeedForward, da.control.ComputedTorque):
        r = run(law, da.equations(m).neglect("velocity"))
        assert np.abs(r.tau[:, 0]).max() > 0 and np.abs(r.tau[:, 1:]).max(initial=0.0) == 0
        # the whole equations are the mechanism
        assert_allclose(run(law, da.equations(m)).q, run(law, m).q, atol=1e-7)


def test_an_fmu_of_equations_moves_as_they_do(tmp_path):
    fmpy = pytest.importorskip("fmpy")
    eq = da.equations(da.robots.planar2r().with_values(
        l1=0.5, l2=0.4, m1=2, j1=0.1, m2=1, j2=0.05)).neglect("velocity")  # fmt: skip
    da.export(eq, [], language="fmu", path=tmp_path)
    file = tmp_path / "planar2r.fmu"
    assert "neglected: velocity" in fmpy.read_model_description(str(file)).description
    found = fmpy.simulate_fmu(str(file), stop_time=0.5, step_size=1e-3, output_interval=0.1,
                              fmi_type="ModelExchange", relative_tolerance=1e-9)  # fmt: skip
    r = da.simulate(eq.mechanism, [0, 0], t=np.linspace(0, 0.5, 6), plant=eq, rtol=1e-10)
    assert_allclose(found["position.j1"][-1], r.q[-1, 0], atol=1e-5)
    assert_allclose(found["position.j2"][-1], r.q[-1, 1], atol=1e-5)
