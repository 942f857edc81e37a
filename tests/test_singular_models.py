"""Direct models that do not exist in any state: refused with the joints named, never a number."""

import numpy as np
import pytest

import dalembert as da


def arm(**more):
    """Return two links whose hinges are parallel."""
    links = []
    for name, parent in (("a", -1), ("b", "a")):
        hinge = {"type": "revolute", "name": name, "placement": {"translation": [0.3, 0, 0]}}
        mass = {"mass": 1, "com": [0.15, 0.02, 0], "inertia": [0.01, 0.02, 0.02]}
        links.append({"name": name, "parent": parent, "joint": hinge, **mass})
    return {"format": "dalembert/1", "bodies": links, **more}


TOGETHER = "joint 'base' moves no inertia where 'a' moves along"


@pytest.mark.parametrize("base", ["free", "planar"])
def test_a_massless_base_may_turn_about_the_first_joint(base):
    """The base turns, the joint turns back: nothing resists, and no force says how fast."""
    m = da.load(arm(), base=base)
    q, rest, push = da.neutral(m), np.zeros(m.nv), np.eye(m.nv)[-1]
    assert np.linalg.eigvalsh(da.mass_matrix(m, q))[0] < 1e-15
    for method in ("articulated_body", "composite"):
        with pytest.raises(da.SingularModel, match=TOGETHER):
            da.forward_dynamics(m, q, rest, push, method=method)
    for ask in (
        lambda: da.forward_dynamics_derivatives(m, q, rest, push),
        lambda: da.hybrid_dynamics(m, q, rest, push, given=["b"]),
        lambda: da.moving_base_direct(m, q, rest, [0, 1]),
        lambda: da.linearize(m, q, rest, push),
        lambda: da.simulate(m, q, t=0.1),
    ):
        with pytest.raises(da.SingularModel, match=TOGETHER):
            ask()


@pytest.mark.parametrize("base", ["free", "planar"])
def test_what_holds_the_idle_motion_makes_the_model_exist(base):
    """A given motion of the joint, or a rotor in it: there is one answer, and it fits."""
    m = da.load(arm(), base=base)
    q, rest = da.neutral(m), np.zeros(m.nv)
    x = np.zeros(m.nv)
    x[-2:] = 0.4, 0.7
    qdd, tau = da.hybrid_dynamics(m, q, rest, x, given=["a"])
    assert da.inverse_dynamics(m, q, rest, qdd) == pytest.approx(tau, abs=1e-12)
    geared = da.load(arm(drives=[{"joint": "a", "Ia": 0.2}]), base=base)
    qdd = da.forward_dynamics(geared, q, rest, x)
    assert da.inverse_dynamics(geared, q, rest, qdd) == pytest.approx(x, abs=1e-11)
    with pytest.raises(da.SingularModel, match=TOGETHER):
        da.forward_dynamics(geared, q, rest, x, drives="none")
    assert len(da.simulate(m, q, t=0.1, motion={"a": ([0, 1], [0, 1])}).t)


def test_a_point_mass_off_the_origin_of_a_free_body_turns_about_itself():
    joint = {"type": "free", "name": "j"}
    body = {"name": "p", "parent": -1, "joint": joint, "mass": 1, "com": [0.1, 0.2, 0.3]}
    m = da.load({"format": "dalembert/1", "bodies": [body]})
    with pytest.raises(da.SingularModel, match="joint 'j' moves no inertia"):
        da.forward_dynamics(m, da.neutral(m), np.zeros(6), np.zeros(6))


def test_a_parameter_may_still_give_the_inertia():
    """A mass of zero that the call replaces is no reason to refuse."""
    base = {"name": "base", "parent": -1, "joint": {"type": "planar", "name": "base"},
            "mass": "M", "inertia": [0, 0, "M"]}  # fmt: skip
    first, second = arm()["bodies"]
    data = arm(parameters={"M": 0}) | {"bodies": [base, first | {"parent": "base"}, second]}
    m = da.load(data)
    state = np.zeros(5), np.zeros(5), np.eye(5)[3]
    with pytest.raises(da.SingularModel, match=TOGETHER):
        da.forward_dynamics(m, *state)
    qdd = da.forward_dynamics(m, *state, parameters={"M": 2.0})
    assert qdd == pytest.approx(da.forward_dynamics(m.with_values(M=2), *state), rel=1e-9)


def test_long_machines_are_refused_like_short_ones():
    """Code that does not grow with the machine, from 48 bodies on, asks for inertia too."""
    turns = ", ".join(f"R{'ZX'[k % 2]}(), TXK(0.1)" for k in range(60))
    masses = "".join(
        f"body {k}: M = 1, D = (0.05, 0, 0), I = (0.1, 0.1, 0.1);" for k in range(1, 61)
    )
    m = da.load(f"{turns};{masses}", base="free")
    with pytest.raises(da.SingularModel, match="joint 'base' moves no inertia where 'j1'"):
        da.forward_dynamics(m, da.neutral(m), np.zeros(m.nv), np.ones(m.nv))


@pytest.mark.parametrize("make", ["compile", "export"])
@pytest.mark.parametrize("name", ["forward_dynamics", "forward_dynamics_derivatives"])
def test_code_of_a_model_that_does_not_exist_is_not_made(name, make):
    """A link without mass at the end: the joint is named, also where no state is given."""
    data = arm()
    data["bodies"][1] |= {"mass": 0, "com": [0, 0, 0], "inertia": [0, 0, 0]}
    with pytest.raises(da.SingularModel, match="joint 'b' moves no inertia"):
        getattr(da, make)(da.load(data), name)
