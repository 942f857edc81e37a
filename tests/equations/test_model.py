"""Equations are models: what was left out stays out, wherever a mechanism may stand."""

import re

import numpy as np
import pytest

import dalembert as da
from dalembert.cost import costs
from dalembert.errors import ComputationError, UsageError

LIMITS = {"all": {"q": (-3, 3), "qd": 2, "qdd": 5}}
QUANTITIES = ("inverse_dynamics", "gravity", "mass_matrix", "coriolis", "bias", "forward_dynamics")


def random_phrase(rng, n):
    """Return a numeric chain of turns and slides about random axes, with full inertias."""
    parts, bodies = [], []
    for j in range(1, n + 1):
        kind = "T" if rng.random() < 0.25 else "R"
        parts.append(f"{kind}{rng.choice(list('XYZ'))}()")
        parts.append(f"T{rng.choice(list('XYZ'))}K({rng.uniform(0.1, 1):.2f})")
        if rng.random() < 0.3:
            parts.append(f"R{rng.choice(list('XYZ'))}K({rng.uniform(-2, 2):.2f})")
        d = ", ".join(f"{x:.2f}" for x in rng.uniform(-0.3, 0.3, 3))
        six = [*rng.uniform(0.2, 0.3, 3), *rng.uniform(-0.02, 0.02, 3)]
        inertia = ", ".join(f"{x:.3f}" for x in six)
        bodies.append(f"body {j}: M = {rng.uniform(0.5, 3):.2f}, D = ({d}), I = ({inertia})")
    return ", ".join(parts) + "; " + "; ".join(bodies) + ";"


def chain_of(eq, rng):
    """Return the equations after a random chain of simplifications."""
    if rng.random() < 0.5 and eq.n > 1:
        eq = eq.freeze({int(rng.integers(1, eq.n + 1)): round(float(rng.uniform(-1, 1)), 2)})
    if rng.random() < 0.4:
        eq = eq.neglect(str(rng.choice(["velocity", "coriolis", "centrifugal", "gravity"])))
    for kind in "QABC":
        entries = [e for e in getattr(eq, kind) if len(e.terms("report")) > 1]
        if entries and rng.random() < 0.6:
            entry = entries[int(rng.integers(len(entries)))]
            eq = eq.drop(f"{entry.name}:{int(rng.integers(1, len(entry.terms('report')) + 1))}")
    if rng.random() < 0.2:
        eq = eq.with_sign("section2")
    return eq


def agrees(eq, rng, states=5):
    """Compare every quantity of the compiled equations with the polynomials themselves."""
    q, qd, qdd = rng.uniform(-2, 2, (3, states, eq.n))
    zero = np.zeros_like(q)
    tau = eq.evaluate({}, q, qd, qdd)
    scale = max(1.0, np.abs(tau).max())
    assert np.abs(da.compile(eq, "inverse_dynamics")(q, qd, qdd) - tau).max() <= 1e-13 * scale
    g, h = eq.evaluate({}, q, zero, zero), eq.evaluate({}, q, qd, zero)
    assert np.abs(da.gravity(eq, q) - g).max() <= 1e-13 * scale
    assert np.abs(da.bias(eq, q, qd) - h).max() <= 1e-13 * scale
    assert np.abs(da.coriolis(eq, q, qd) - (h - g)).max() <= 2e-13 * scale
    M = da.mass_matrix(eq, q)
    assert np.abs(np.einsum("sij,sj->si", M, qdd) + h - tau).max() <= 2e-13 * scale
    condition = np.linalg.cond(M).max()
    if condition < 1e6:
        back = da.forward_dynamics(eq, q, qd, tau)
        assert np.abs(back - qdd).max() <= 1e-13 * condition * scale


@pytest.mark.parametrize("seed", range(12))
def test_compiled_equations_equal_their_polynomials(seed):
    rng = np.random.default_rng(seed)
    eq = da.equations(da.load(random_phrase(rng, int(rng.integers(1, 5)))))
    agrees(chain_of(eq, rng), rng)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 200))
def test_compiled_equations_equal_their_polynomials_on_many_robots(seed):
    rng = np.random.default_rng(seed)
    eq = da.equations(da.load(random_phrase(rng, int(rng.integers(1, 6)))))
    agrees(chain_of(eq, rng), rng)


@pytest.mark.parametrize("name", ["puma560", "stanford"])
def test_whole_equations_equal_the_mechanism(name):
    m = getattr(da.robots, name)()
    eq = da.equations(m)
    rng = np.random.default_rng(3)
    q, qd, x = rng.normal(size=(3, 10, m.nv))
    for quantity in QUANTITIES:
        given = (q, qd, x)[: len(da.catalog()[quantity].inputs)]
        ours, theirs = getattr(da, quantity)(eq, *given), getattr(da, quantity)(m, *given)
        assert np.abs(ours - theirs).max() <= 1e-12 * np.abs(theirs).max()


def test_inputs_are_those_of_the_mechanism_less_frozen_joints():
    eq = da.equations(da.robots.puma560()).neglect("velocity").freeze([4, 5, 6])
    k = da.compile(eq, "inverse_dynamics")
    assert [(p.name, p.size) for p in k.inputs] == [("q", 3), ("qd", 3), ("qdd", 3)]
    assert k.outputs[0].size == 3


def test_parameters_stay_inputs():
    eq = da.equations(da.robots.planar2r()).drop("A12:1")
    values = {"l1": 0.4, "l2": 0.3, "m1": 2.0, "j1": 0.1, "m2": 1.5, "j2": 0.2}
    k = da.compile(eq, "inverse_dynamics")
    state = [0.3, 0.7], [1.0, -2.0], [0.5, 0.25]
    given = {name: values[name] for name in k.parameters}
    assert np.allclose(k(*state, parameters=given), eq.evaluate(values, *state), atol=1e-14)


def test_rotors_count_and_friction_is_added_where_it_is_asked_for():
    m = da.load({
        "phrase": "RZ(), TXK(1); body 1: M = 2, D = (1, 0, 0); gravity = (0, -9.81, 0);",
        "drives": [{"joint": "j1", "Ia": 0.5, "viscous": 0.3, "coulomb": 0.2}],
    })  # fmt: skip
    eq, state = da.equations(m), ([0.3], [2.0], [1.0])
    for drives in ("inertia", "all"):
        ours = da.inverse_dynamics(eq, *state, drives=drives)
        assert np.allclose(ours, da.inverse_dynamics(m, *state, drives=drives), atol=1e-13)
    with pytest.raises(UsageError, match="rotors"):
        da.inverse_dynamics(eq, *state, drives="none")


def test_what_the_equations_do_not_hold_is_refused():
    eq = da.equations(da.robots.puma560())
    with pytest.raises(UsageError, match="closed forms"):
        da.compile(eq, "jacobian")
    none = da.equations(da.load("RZ(), TXK(1); body 1: M = 2, D = (1, 0, 0);")).drop("A11:1")
    with pytest.raises(ComputationError, match="j1"):
        da.forward_dynamics(none, [0.0], [0.0], [1.0])


def test_a_pruned_result_is_a_model_too():
    pruned = da.equations(da.robots.puma560()).neglect("velocity").prune({}, LIMITS, "5%")
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-1, 1, (3, 20, 6))
    ours = da.inverse_dynamics(pruned, q, qd, qdd)
    assert np.allclose(ours, pruned.equations.evaluate({}, q, qd, qdd), atol=1e-12)
    costly = da.compile(da.equations(da.robots.puma560()).neglect("velocity"), "inverse_dynamics")
    cheap = da.compile(pruned, "inverse_dynamics")
    assert cheap.cost["step"].mul < costly.cost["step"].mul


def test_exported_headers_say_what_was_left_out(tmp_path):
    eq = da.equations(da.robots.puma560()).freeze([4, 5, 6]).neglect("velocity")
    pruned = eq.prune({}, LIMITS, "5%")
    files = da.export(pruned, ["inverse_dynamics"], "c", tmp_path)
    head = files[0].read_text().split("#ifndef")[0]
    assert "neglected: velocity" in head and "frozen: 4 = 0" in head
    for i, bound in enumerate(pruned.bound, 1):
        said = re.search(rf"joint {i}: error at most (\S+)", head)[1]
        assert bound <= float(said) <= 1.001 * bound  # rounded up: what is printed is a bound too
        words = " ".join(head.replace("\n *", " ").split())
        assert f"largest found {pruned.found[i - 1]:.3e}" in words


@pytest.mark.parametrize("language", ["c", "python", "octave", "fortran"])
def test_exported_equations_hold_their_golden_vectors(language, tmp_path):
    from dalembert.export.check import check_export, tool

    if tool(language):
        pytest.skip(f"no {language}")
    eq = da.equations(da.robots.stanford()).freeze([5, 6]).drop("A11:1")
    names = ["inverse_dynamics", "mass_matrix", "forward_dynamics"]
    files = da.export(eq, names, language, tmp_path)
    assert all(row.ok for row in check_export(eq, names, language, files))


def test_cost_counts_the_terms_that_are_left():
    eq = da.equations(da.robots.puma560())
    rows = {row.quantity: row for row in costs(eq.neglect("velocity"))[0]}
    assert set(rows) == set(QUANTITIES)
    assert rows["coriolis"].mul == 0
    assert rows["inverse_dynamics"].mul < costs(eq, ["inverse_dynamics"])[0][0].mul


# -- uses ------------------------------------------------------------------------------------------


def arm(**more):
    return da.load({
        "phrase": "RZ(), TXK(0.5), RZ(), TXK(0.4), RX(), TZK(0.1); gravity = (0, -9.81, 0);"
        "body 1: M = 2, D = (0.25, 0, 0), I = (0, 0.1, 0.1);"
        "body 2: M = 1, D = (0.2, 0, 0), I = (0.02, 0.05, 0.05);"
        "body 3: M = 0.5, D = (0, 0, 0.05), I = (0.01, 0.01, 0.01);",
    } | more)  # fmt: skip


def test_a_plant_of_whole_equations_moves_as_the_mechanism():
    m = arm()
    full = da.simulate(m, [0.1, 0.2, 0.3], t=[0.0, 0.5, 1.0])
    ours = da.simulate(m, [0.1, 0.2, 0.3], t=[0.0, 0.5, 1.0], plant=da.equations(m))
    assert np.allclose(full.q, ours.q, atol=1e-6)
    assert any("closed forms" in note for note in ours.notes)


def test_a_plant_with_frozen_joints_is_the_locked_mechanism():
    m = arm()
    eq = da.equations(m).freeze({3: 0.3})
    ours = da.simulate(m, [0.1, 0.2, 0.3], t=[0.0, 1.0], plant=eq)
    locked = da.simulate(m.lock(["j3"], at=0.3), [0.1, 0.2], t=[0.0, 1.0])
    assert np.allclose(ours.q[:, :2], locked.q, atol=1e-6)
    assert (ours.q[:, 2] == 0.3).all()
    assert da.simulate(m, t=[0.0, 0.1], plant=eq).q[0, 2] == 0.3
    with pytest.raises(UsageError, match=r"frozen at 0\.3"):
        da.simulate(m, [0.1, 0.2, 0.0], plant=eq)


def test_dry_friction_holds_and_lets_go_in_a_plant_of_equations():
    drives = [{"joint": f"j{k}", "Ia": 0.1, "coulomb": 1.5, "viscous": 0.1} for k in (1, 2, 3)]
    m = arm(drives=drives)
    given = {"t": np.linspace(0, 2, 5), "method": "rk4", "step": 1e-3}
    full = da.simulate(m, [-1.5, 0.2, 0.3], **given)
    ours = da.simulate(m, [-1.5, 0.2, 0.3], plant=da.equations(m), **given)
    assert np.allclose(full.q, ours.q, atol=1e-6)
    assert [e.name for e in full.events] == [e.name for e in ours.events]


def test_equations_of_another_mechanism_are_no_plant():
    with pytest.raises(UsageError, match="joint"):
        da.simulate(arm(), plant=da.equations(da.robots.puma560()))
    with pytest.raises(UsageError, match="plant="):
        da.simulate(arm(), plant=arm())


@pytest.mark.parametrize("law", ["PD", "ComputedTorque", "FeedForward"])
def test_laws_find_the_joints_of_their_equations_by_name(law):
    m = arm()
    move = da.trajectory.quintic([0.0, 0.0, 0.0], [0.5, -0.5, 0.2], 1.0)
    make = getattr(da.control, law)
    times = np.linspace(0, 1, 11)
    whole = da.simulate(m, torque=make(goal=move, kp=100, kd=20), t=times)
    stated = da.simulate(m, torque=make(goal=move, kp=100, kd=20, model=da.equations(m)), t=times)
    assert np.allclose(whole.q, stated.q, atol=1e-6)
    frozen = da.equations(m).freeze([3])
    held = da.simulate(m, torque=make(goal=move, kp=400, kd=40, model=frozen), t=times)
    assert np.abs(held.q[-1] - [0.5, -0.5, 0.2]).max() < 0.1


def test_forces_along_a_motion_by_equations():
    m = arm()
    move = da.trajectory.quintic([0.0, 0.0, 0.0], [0.5, -0.5, 0.0], 1.0)
    whole, ours = da.torques_along(m, move), da.torques_along(m, move, model=da.equations(m))
    assert np.allclose(whole.tau, ours.tau, atol=1e-12)
    for name in ("static", "inertial", "coriolis", "centrifugal", "friction"):
        assert np.allclose(whole.parts[name], ours.parts[name], atol=1e-12), name
    some = da.torques_along(m, move, model=da.equations(m).freeze([3]).neglect("velocity"))
    assert some.names == ("j1", "j2") and not some.parts["coriolis"].any()
    assert "neglected: velocity" in some.notes


def test_springs_of_a_simplified_machine_are_not_lost_without_a_word():
    """Coriolis forces are left out on purpose, springs are not: closed forms have none."""
    data = {"phrase": "RZ(), TXK(0.5); gravity = (0, -9.81, 0); body 1: M = 2, D = (0.3, 0, 0);",
            "elastic": [{"joint": "j1", "stiffness": 50, "rest": 0.3}],
            "simplified": {"neglect": ["coriolis"]}}  # fmt: skip
    m = da.load(data)
    for ask in (
        lambda: da.inverse_dynamics(m, [0.1], [0], [0]),
        lambda: da.forward_dynamics(m, [0.1], [0], [0]),
        lambda: da.compile(m, "inverse_dynamics"),
    ):
        with pytest.raises(UsageError, match="is simplified and has springs"):
            ask()
    load = 2 * 9.81 * 0.3 * np.cos(0.1)
    assert da.gravity(m, [0.1]) == pytest.approx([load], rel=1e-12)
    held = da.inverse_dynamics(m.full, [0.1], [0], [0])
    assert held == pytest.approx([load + 50 * (0.1 - 0.3)], rel=1e-12)
    assert any("springs are not in" in note for note in da.simulate(m, [0.1], t=0.1).notes)


# -- pruned results --------------------------------------------------------------------------------


def test_a_pruned_result_answers_as_its_equations():
    pruned = da.equations(arm()).prune({}, LIMITS, "5%")
    assert pruned.n == 3 and pruned.text() == pruned.equations.text()
    assert str(pruned.A[1, 1]) == str(pruned.equations.A[1, 1])
    with pytest.raises(AttributeError):
        _ = pruned.nothing_of_this_name


def test_tolerances_may_differ_from_joint_to_joint():
    eq = da.equations(arm())
    same = eq.prune({}, LIMITS, {"all": "5%"})
    assert same.equations.text() == eq.prune({}, LIMITS, 0.05).equations.text()
    one = eq.prune({}, LIMITS, {"j1": "20%", "all": 0})
    assert one.bound[0] > 0 and one.bound[1:] == (0.0, 0.0)
    force = eq.prune({}, LIMITS, {1: "2 N m", "j2": "5%", "j3": "0.1Nm"})
    assert force.bound[0] <= 2 and force.share[1] <= 0.05 and force.bound[2] <= 0.1
    for wrong in ({"j1": "1%"}, {"j9": 1}, {"all": "x N"}, "-1 N", "150%"):
        with pytest.raises(da.DalembertError):
            eq.prune({}, LIMITS, wrong)


def test_a_kernel_says_what_its_equations_leave_out():
    """The spring of the joint is not in the closed forms; nothing at the prompt said so."""
    text = "RZ(), TXK(0.5); body 1: M = 2, D = (0.5, 0, 0);"
    m = da.load({"format": "dalembert/1", "phrase": text, "elastic": [
        {"joint": "j1", "stiffness": 100.0, "rest": 0.2, "damping": 0.0}]})  # fmt: skip
    eq = da.equations(m)
    k = da.compile(eq.neglect("velocity"), "inverse_dynamics")
    assert k.notes == ("neglected: velocity", "springs are not in these equations")
    assert repr(k).endswith("neglected: velocity; springs are not in these equations>")
    assert not da.compile(da.equations(da.load(text)), "inverse_dynamics").notes


def test_equations_refuse_wrenches_by_name():
    m = arm()
    eq, state, frame = da.equations(m), [[0.1] * m.nv] * 3, m.frames[0]
    with pytest.raises(da.UsageError, match="equations know no wrenches"):
        da.compile(eq, "inverse_dynamics", wrench=True)
    with pytest.raises(da.UsageError, match="equations know no wrenches"):
        da.inverse_dynamics(eq, *state, wrench_on_body={frame: [1, 0, 0, 0, 0, 0]})
