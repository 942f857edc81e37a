"""Motors and friction put on a mechanism that was read without them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import dalembert as da
from dalembert.mechanism import Drive

ARM = da.load("""a: RZ(), TXK(0.4), b: RZ(), TXK(0.3); gravity = (0, -9.81, 0);
    body 1: M = 2, D = (0.2, 0, 0), I = (0, 0, 0.1); body 2: M = 1, D = (0.1, 0, 0);""")
STATE = np.array([0.1, 0.2]), np.array([2.0, -3.0]), np.array([0.5, 0.7])


def test_drives_add_rotor_inertia_and_friction():
    m = ARM.with_drives({"a": {"Jm": 1e-4, "gear": 50, "viscous": 1e-4}, "b": {"coulomb": 0.4}})
    plain = da.inverse_dynamics(ARM, *STATE)
    found = da.inverse_dynamics(m, *STATE, drives="all")
    # 50² Jm q̈ + 50² B q̇ (the values are those of the motor), and T_c against the speed
    assert_allclose(found - plain, [0.25 * 0.5 + 0.25 * 2.0, -0.4], atol=1e-13)


def test_drives_of_a_list_of_a_file_and_of_python_are_the_same(tmp_path):
    row = {"Ia": 0.1, "coulomb": [0.4, -0.5], "viscous": 0.2}
    m = ARM.with_drives({2: row})
    assert m == ARM.with_drives([{"joint": "b", **row}]) == ARM.with_drives(m.drives)
    m.save(tmp_path / "arm.toml")
    assert da.load(tmp_path / "arm.toml") == m


def test_all_means_the_joints_that_are_not_named():
    m = ARM.with_drives({"b": {"viscous": 3}, "all": {"viscous": 1}})
    assert [d.viscous for d in m.drives] == [1, 3]
    assert m.with_drives({"a": {"Ia": 2}}).drives == (Drive(0, 2), m.drives[1])


def test_joints_that_follow_others_have_drives():
    bodies = [
        {"name": f"link {n}", "parent": k - 1, "mass": 1, "joint": {"type": "revolute", "name": n}}
        for k, n in enumerate("ab")
    ]
    data = {"bodies": bodies, "couplings": [{"joint": "b", "of": "a", "ratio": 2}]}
    wanted = da.load(data | {"drives": [{"joint": "b", "Ia": 1}]})
    m = da.load(data)
    assert m.followers == ("b",)
    assert m.with_drives({"b": {"Ia": 1}}) == wanted == wanted.with_drives(wanted.drives)
    assert m.with_drives({"link b": {"Ia": 1}}) == wanted


def test_friction_of_both_ways_may_be_an_array():
    m = ARM.with_drives({"a": {"coulomb": np.array([0.1, -0.2]), "viscous": np.float64(3)}})
    assert m == ARM.with_drives({"a": {"coulomb": (0.1, -0.2), "viscous": 3}})


def test_letters_of_a_drive_become_parameters():
    m = ARM.with_drives({"a": {"viscous": "FV"}})
    assert [p.name for p in m.parameters] == ["FV"]
    assert m.with_values(FV=2).drives[0].viscous == 2


@pytest.mark.parametrize(
    "drives, said",
    [
        ({"a": {"visc": 1}}, "did you mean viscous"),
        ({"c": {"viscous": 1}}, "there is no joint 'c'"),
        ({"a": 3}, "not its values"),
        ([{"viscous": 1}], "names its joint"),
        (3, "drives by joint"),
        ({"a": {"Ia": 1, "Jm": 1}}, "give one of them"),
        ({"a": {"joint": "b", "viscous": 9}}, "of 'a' name a joint of their own"),
        ([{"joint": "a", "Ia": 1}, {"joint": "a", "viscous": 2}], "joint 'a' has two drives"),
        ({"b": {"Ia": 1}, 2: {"Ia": 2}}, "joint 'b' has two drives"),
        ([{"joint": "all", "Ia": 1}, {"joint": "all", "Ia": 2}], "'all' has two drives"),
        ([Drive(-1, 2)], "-1 is not a moving joint"),
        ([Drive(99, 2)], "99 is not a moving joint"),
        ({"a": {"coulomb": np.array([0.1, -0.2, 0.3])}}, "3 entries, 2 needed"),
    ],
)
def test_wrong_drives_are_refused_with_what_to_write(drives, said):
    with pytest.raises(da.DalembertError, match=said):
        ARM.with_drives(drives)


@pytest.mark.parametrize(
    "name, meant",
    [("joints", "joint_names"), ("with_motors", "with_drives"), ("jont_names", "joint_names")],
)
def test_a_name_from_elsewhere_leads_to_ours(name, meant):
    with pytest.raises(AttributeError, match=f"did you mean {meant}"):
        getattr(ARM, name)


def test_parts_of_a_mechanism_show_themselves_in_a_line():
    m = da.load("a: RZ(), TXK(L1); body 1: M = 2.5, D = (L1, 0, 0);")
    assert repr(m.parameters) == "(L1, G = -9.81)"
    assert repr(m.bodies[0]) == "<Body a: revolute joint a on the base, mass 2.5>"


def test_inputs_of_a_kernel_may_be_given_by_name():
    k = da.compile(ARM, "inverse_dynamics")
    q, qd, qdd = STATE
    assert (k(q, qdd=qdd, qd=qd) == k(q, qd, qdd)).all()
    with pytest.raises(da.UsageError, match="no input 'ddq'"):
        k(q, qd, ddq=qdd)
    with pytest.raises(da.UsageError, match="given twice"):
        k(q, qd, q=q)
    with pytest.raises(da.UsageError, match="takes 3 inputs"):
        k(q=q, qd=qd)
    with pytest.raises(da.UsageError, match="'v' is 'qd' here"):
        da.inverse_dynamics(ARM, q, v=qd, a=qdd)
