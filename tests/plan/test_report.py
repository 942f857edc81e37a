"""What is said of a machine's motion: counts, names, axes that are not at right angles."""

from dataclasses import replace

import dalembert as da
from dalembert.plan.report import _together, motion_facts, motion_lines, skew_axes


def crossed(angle, joint="universal"):
    """Return a shaft on a cross whose second axis is turned by an angle."""
    turn = {"type": "revolute", "axis": [1, 0, 0]}
    bodies = [
        {"name": "in", "parent": -1, "joint": turn, "mass": 1, "inertia": [1, 1, 1]},
        {"name": "out", "parent": -1, "mass": 1, "inertia": [1, 1, 1],
         "joint": {"type": "spherical", "placement": {"translation": [1, 0, 0]}}},
    ]  # fmt: skip
    loop = {"body_i": "in", "point_i": [0.5, 0, 0], "body_j": "out", "point_j": [-0.5, 0, 0],
            "joint": joint, "axis": [0, 1, 0],
            "axis_j": [0, f"cos({angle}*pi/180)", f"sin({angle}*pi/180)"]}  # fmt: skip
    return da.load({"format": "dalembert/1", "bodies": bodies, "loops": [loop]})


def test_axes_of_a_cut_cross_that_are_not_at_right_angles_are_told_with_their_angle():
    assert skew_axes(crossed(90)) == []
    for angle in (60, 80, 120):
        (said,) = skew_axes(crossed(angle))
        assert f"at {angle} degrees" in said and "loop 1 (in - out)" in said
    far = crossed(60)
    loop = replace(far.loops[0], point_i=far.loops[0].point_i * 2, name="cross")
    assert skew_axes(replace(far, loops=(loop,), checked=False)) == []  # it is open anyway
    base = replace(far.loops[0], name="cross")
    (said,) = skew_axes(replace(far, loops=(base,), checked=False))
    assert said.startswith("loop cross (in - out)")
    assert skew_axes(da.robots.puma560()) == [] == skew_axes(da.robots.fivebar())


def test_equations_of_one_loop_stand_together():
    assert _together(["loop 1 (a - b), equation 3"]) == "loop 1 (a - b), equation 3"
    names = [f"loop 1, equation {k}" for k in (3, 4)] + ["c0", "loop 2, equation 1"]
    assert _together(names) == "loop 1, equations 3, 4; c0; loop 2, equation 1"
    many = [f"c{k}" for k in range(9)]
    assert _together(many) == "; ".join(many[:8]) + "; ..."
    assert _together(many[:8]) == "; ".join(many[:8]) and _together([]) == ""


def test_motors_are_told_against_the_mobility():
    m = da.robots.fivebar()
    one = replace(m, active=("crankA",), checked=False)
    three = replace(m, active=("crankA", "crankB", "rodA"), checked=False)
    none = replace(m, active=(), checked=False)
    said = {
        m: "2 for 2", one: "1 for 2, 1 degree of freedom without a motor",
        three: "3 for 2, 1 spare: forces are shared (least norm)",
        none: "none named, mobility 2; name them in active",
    }  # fmt: skip
    for machine, text in said.items():
        assert f"motors against mobility: {text}" in motion_lines(machine)
    facts = [motion_facts(x) for x in said]
    assert [f["motors"] for f in facts] == [2, 1, 3, 0]
    assert [f["spare_motors"] for f in facts] == [0, 0, 1, 0]
    assert [f["idle_count"] for f in facts] == [0, 1, 0, 0]
    assert all(f["mobility"] == 2 and f["equations"] == 5 for f in facts)
    assert all(len(f["redundant"]) == 3 for f in facts)
    assert facts[1]["idle"] and facts[1]["idle"][0] in m.joint_names
    assert "idle degrees of freedom: none" in motion_lines(m)
    assert any(x.startswith("idle degrees of freedom: 1, moved by") for x in motion_lines(one))
    delta = "\n".join(motion_lines(da.robots.delta()))
    assert "redundant equations: none\n" in delta
