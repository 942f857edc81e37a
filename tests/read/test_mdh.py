"""Denavit-Hartenberg tables: conventions, files, variables, errors, and numbers of other tools."""

import json
from fractions import Fraction

import numpy as np
import pytest

import dalembert as da
from dalembert.algorithms.coriolis import coriolis_matrix
from dalembert.algorithms.kinematics import jacobian, pose
from dalembert.read.dh_cells import ORDERS, in_our_order
from dalembert.read.mdh import read_dh
from models import articulated_body, composite, newton_euler
from peers import ORACLES, PEERDATA, ROOT, absent
from sympybotics import sympybotics

ZERO = [0.0] * 6


def peer_data(name):
    file = PEERDATA / name
    if not file.exists():
        absent(f"peer data {name}")
    return json.loads(file.read_text())


# -- SymPyBotics: both conventions, two parameter sets -----------------------------------------


@pytest.mark.parametrize("test", ["test_puma_dh_num_geo_kin_dyn", "test_puma_mdh_num_geo_kin_dyn"])
@pytest.mark.parametrize(("key", "tail"), [("dynparm_test", "pcorke"), ("dynparm_test2", "assrt2")])
def test_sympybotics_puma_to_ten_decimals(test, key, tail):
    case = peer_data("sympybotics_puma560_expected.json")[test]
    robot, modified = sympybotics(case, key)
    m = robot.bound()
    q, qd, qdd = case["q_test"], case["dq_test"], case["ddq_test"]

    def near(ours, name):
        theirs = np.array(case[f"{name}_{tail}"])
        np.testing.assert_allclose(np.array(ours).reshape(theirs.shape), theirs, atol=1e-10)

    g = newton_euler(m, q, ZERO, ZERO)
    near(newton_euler(m, q, qd, qdd), "tau")
    near(g, "g")
    near(np.subtract(newton_euler(m, q, qd, ZERO), g), "c")
    near(composite(m, q), "M")
    if tail == "pcorke":
        tip = "j6" if modified else "tip"
        near(pose(m, tip, q), "T")
        near(jacobian(m, tip, q), "J")


# -- Robotics Toolbox: motors, friction, negative speeds ---------------------------------------


def toolbox(data, **changes):
    rows = []
    for link in data["links"]:
        row = {k: v for k, v in link.items() if k not in ("type", "r")}
        kind = "revolute" if link["type"].startswith("Revolute") else "prismatic"
        rows.append(row | {"type": kind, "com": link["r"]} | changes)
    return read_dh(rows, "standard", inertia_order="rtb")


@pytest.fixture(scope="module")
def puma():
    data = peer_data("rtb_puma560_expected.json")
    return data, toolbox(data)


def test_toolbox_puma_torques_with_motors_and_friction(puma):
    data, m = puma
    q, ones = data["configs"]["qn"], [1.0] * 6
    expected = data["expected_4_decimals"]["test_rne"]
    bound = m.bound()
    still = m.with_gravity((0, 0, 0)).bound()
    states = {"tr0": (ZERO, ZERO), "tr1": (ZERO, ones), "tr2": (ones, ones), "tr3": (ones, ZERO)}
    for key, (qd, qdd) in states.items():
        ours = newton_euler(bound, q, qd, qdd, drives="all")
        np.testing.assert_allclose(ours, expected[key], atol=5.1e-5, err_msg=key)
    ours = newton_euler(still, q, ones, ones, drives="all")
    np.testing.assert_allclose(ours, expected["tr4"], atol=5.1e-5)
    # the load of the last case is that of link 6 on the environment, in its axes
    J = np.array(jacobian(bound, "tip", q, axes="local"), dtype=float)
    ours = newton_euler(bound, q, ZERO, ZERO, drives="all") + J.T @ expected["fext"]
    np.testing.assert_allclose(ours, expected["tr5"], atol=5.1e-5)


def test_toolbox_puma_matrices_and_accelerations(puma):
    data, m = puma
    expected, bound = data["expected_4_decimals"], m.bound()
    q = data["configs"]["qn"]
    M = np.array(composite(bound, q))
    np.testing.assert_allclose(M, expected["test_inertia"]["Ir"], atol=5.1e-5)
    case = expected["test_coriolis"]
    C = np.array(coriolis_matrix(bound, q, [float(x) for x in case["qd"]]))
    np.testing.assert_allclose(C @ case["qd"], np.array(case["Cr"]) @ case["qd"], atol=1e-3)
    np.testing.assert_allclose(M @ expected["test_itorque"]["qdd"],
                               expected["test_itorque"]["tauir"], atol=5.1e-5)  # fmt: skip
    case = expected["test_accel"]
    ours = articulated_body(bound, q, case["qd"], case["torque"], drives="all")
    np.testing.assert_allclose(ours, case["res"], atol=5.1e-5)


def test_coulomb_friction_is_that_of_the_sense_of_motion(puma):
    data, m = puma
    q, bound = data["configs"]["qn"], m.bound()
    for sign in (1.0, -1.0):
        qd = [sign] * 6
        plain = newton_euler(bound, q, qd, ZERO, drives="none")
        full = newton_euler(bound, q, qd, ZERO, drives="all")
        for k, link in enumerate(data["links"]):
            N, Tc = abs(link["G"]), link["Tc"][0 if sign > 0 else 1]
            assert full[k] - plain[k] == pytest.approx(N * (link["B"] * N * sign + Tc), abs=1e-12)


def test_the_stanford_arm_of_the_toolbox_loads():
    m = toolbox(peer_data("rtb_stanford_params.json"))
    kinds = [b.joint.kind for b in m.bodies]
    assert kinds == ["revolute"] * 2 + ["prismatic"] + ["revolute"] * 3
    low, high = m.bodies[2].limits[0]
    assert (float(low), float(high)) == (pytest.approx(0.3048), 1.27)


# -- the project's own reference files ---------------------------------------------------------


def test_the_tree_of_tables_agrees_with_its_model():
    file = ORACLES / "s002_mdh_tree.json"
    if not file.exists():
        absent("the directory of reference files")
    data = json.loads(file.read_text())
    rows = [
        row | {"m": p["M"], "first_moment": p["MS"], "I_origin": p["J_origin"]}
        for row, p in zip(data["mdh_table"], data["standard_inertial_parameters"], strict=True)
    ]
    m = da.load(rows).bound()
    for state in data["states"]:
        tau = newton_euler(m, state["q"], state["qd"], state["qdd"])
        np.testing.assert_allclose(tau, state["expected"]["tau"], atol=1e-11)
        np.testing.assert_allclose(composite(m, state["q"]), state["expected"]["A"], atol=1e-11)


@pytest.mark.parametrize("name", ["puma560", "stanford_arm"])
def test_standard_tables_agree_with_their_models(name):
    file = ORACLES / f"{name}.json"
    if not file.exists():
        absent("the directory of reference files")
    data = json.loads(file.read_text())
    rows = [{**row, "com": row["r"]} for row in data["standard_dh"]]
    for row in rows:
        del row["r"]
    m = read_dh(rows, "standard").bound()
    for state in data["states"]:
        tau = newton_euler(m, state["q"], state["qd"], state["qdd"])
        np.testing.assert_allclose(tau, state["expected"]["tau"], atol=1e-11)


# -- conventions and cells ---------------------------------------------------------------------


def test_craig_is_modified_with_other_letters():
    craig = read_dh([{"alpha": "pi/3", "a": "L", "d": 0.2, "theta": "t + pi/4"}], "craig")
    khalil = read_dh([{"alpha": "pi/3", "d": "L", "r": 0.2, "theta": "t + pi/4"}], "modified")
    assert craig == khalil
    assert "craig convention" in craig.notes[0] and "modified convention" in khalil.notes[0]


def test_a_name_that_stands_nowhere_else_is_the_joint_variable():
    rows = [
        {"theta": "th1 + pi/2", "r": "L"},
        {"sigma": 1, "theta": "pi/6", "r": "s2", "d": "L"},
        {"theta": "off", "alpha": "off"},
    ]
    m = read_dh(rows)
    assert m.joint_names == ("th1", "s2", "j3")
    assert [p.name for p in m.parameters] == ["L", "off"]


def test_a_given_parameter_is_no_joint_variable():
    m = read_dh([{"theta": "t0"}], parameters={"t0": "0.25"})
    assert m.joint_names == ("j1",) and m.values["t0"] == 0.25


def test_a_rounded_right_angle_is_exact_and_noted():
    m = read_dh([{"alpha": 1.5707963267948966}])
    assert m.bodies[0].placement.R.factors[0].c == 0
    assert any("pi/2" in note for note in m.notes)


def test_the_convention_must_be_said_where_columns_do_not_show_it():
    with pytest.raises(da.DescriptionError, match="convention") as caught:
        da.load([{"theta": None, "d": 0.1, "a": 0.4, "alpha": 0}])
    assert "standard" in caught.value.hint


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{}, {"alhpa": 0}], r"row 2, column alhpa: unknown column"),
        ([{"alpha": "pi/"}], r"row 1, column alpha"),
        ([{"alpha": True}], r"row 1, column alpha: a number is needed"),
        ([{"d": "3deg"}], r"row 1, column d"),
        ([{"a": 0}, {"a": 3}, {"a": 2}], r"row 2, column a: the frames form a cycle: 2 on 3 on 2"),
        ([{"a": 1}], r"row 1, column a: the frames form a cycle: 1 on 1"),
        ([{}, {"a": 3}, {"a": 0}], r"row 2, column a: frame 3 comes after frame 2"),
        ([{"a": 7}], r"row 1, column a: there is no frame 7"),
        ([{"a": "0.5"}], r"row 1, column a: '0.5' is not a whole number"),
        ([{"sigma": 3}], r"row 1, column sigma: 3 is not 0, 1 or 2"),
        ([{"com": [0, 0]}], r"row 1, column com: 2 entries, 3 needed"),
        ([{"I": [1, 1, 1, 0]}], r"row 1, column I: an inertia of 4 entries"),
        ([{"com": [0, 0, 0], "MX": 1}], r"row 1, column MX: is given together with com"),
        ([{"Ia": 1, "G": 2}], r"row 1, column G: is given together with Ia"),
        ([{"theta": "2*t"}], r"row 1, column theta: .* not a joint variable"),
        ([{"name": ""}], r"row 1, column name"),
        ([{"Tc": [1, 2, 3]}], r"row 1, column Tc: 3 entries"),
        ([{"d": float("nan")}], r"row 1, column d"),
        ([4], r"row 1: a number, not a table"),
        ([], r"no row"),
    ],
)
def test_a_bad_cell_is_named_by_row_and_column(rows, message):
    with pytest.raises(da.DescriptionError, match=message):
        read_dh(rows)


# -- files -------------------------------------------------------------------------------------

CSV = """# a spatial arm
robot,arm
convention,modified
parameter,L,0.4
j,a,sigma,alpha,d,theta,r,m,cx,Ixx,Iyy,Izz,Ia,Fs,Fs_neg
1,0,0,0,0,,0,2,0.1,0.1,0.2,0.3,0.01,0.5,-0.6
2,1,1,90deg,L,0,,1,0,,,,,,
"""


def test_a_csv_table_is_the_table_of_its_rows(tmp_path):
    file = tmp_path / "arm.csv"
    file.write_text(CSV)
    m = da.load(file)
    rows = [
        {"a": 0, "m": 2, "com": [0.1, 0, 0], "I": [0.1, 0.2, 0.3], "Ia": 0.01, "Fs": [0.5, -0.6]},
        {"a": 1, "sigma": 1, "alpha": "pi/2", "d": "L", "m": 1},
    ]
    assert m == read_dh(rows, name="arm", parameters={"L": "0.4"})
    assert m == da.load(CSV) == da.load(CSV.replace(",", ";"))


def test_a_native_file_may_hold_a_table(tmp_path):
    text = """
name = "fourbar"
convention = "modified"
gravity = [0, "-G", 0]
symbols = ["G"]
active = ["j1"]
[[dh]]
m = 1
first_moment = [0.2, 0, 0]
I_origin = [0, 0.1, 0.1]
[[dh]]
d = 0.5
m = 1
[[loops]]
body_i = "j2"
point_i = [0.5, 0, 0]
body_j = -1
point_j = [1, 0, 0]
joint = "revolute"
axis = [0, 0, 1]
"""
    m = da.load(text)
    assert m.name == "fourbar" and m.active == ("j1",) and len(m.loops) == 1
    file = tmp_path / "m.toml"
    file.write_text(text)
    assert da.load(file) == m
    data = {"dh": [{"d": 0.5, "r": 0}], "inertia_order": "rtb"}
    assert da.load(data).nv == 1 and da.load(json.dumps(data)).nv == 1


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        (CSV.replace("90deg", "90degrees"), ":7:7", "row 2, column alpha"),
        (CSV.replace("sigma", "sgma"), ":5:5", "unknown column 'sgma'"),
        (CSV.replace("j,a,", "a,a,"), ":5:3", "duplicate column 'a'"),
        (CSV.replace("modified", "khalil"), ":3:12", "unknown convention 'khalil'"),
        (CSV + "3,5,0\n", ":8:3", "row 3, column a: there is no frame 5"),
        (CSV + "4,2,0\n", ":8:1", "row 3, column j"),
        (CSV + "3,2,0,,,,,,,,,,,,,9\n", ":8:19", "has no column above"),
        (CSV.replace("parameter,L,0.4", "parameter,L"), ":4:1", "2 needed"),
        ("convention,modified\na,d\n", ":1:1", "no row"),
    ],
)
def test_a_mistake_in_a_csv_file_has_line_and_column(tmp_path, text, place, message):
    file = tmp_path / "arm.csv"
    file.write_text(text)
    with pytest.raises(da.DescriptionError, match=message) as caught:
        da.load(file)
    assert str(caught.value).startswith(f"{file}{place}:")


def test_a_mistake_in_a_native_table_has_its_line():
    with pytest.raises(da.DescriptionError, match="row 2, column alpha") as caught:
        da.load('name = "x"\n[[dh]]\nr = 1\n[[dh]]\nd = 1\nalpha = "pi/"\n')
    assert caught.value.where.line == 6


# -- the order of inertia entries: docs/inertia-order.md ---------------------------------------

SIX = {"XX": 2, "YY": 2.5, "ZZ": 3, "XY": 0.12, "XZ": 0.13, "YZ": 0.23}


@pytest.mark.parametrize("order", ORDERS)
def test_every_order_of_entries_means_the_same_tensor(order):
    listed = [SIX[axes] for axes in ORDERS[order]]
    assert in_our_order(listed, order) == list(SIX.values())
    row = {"m": 1, "I": listed}
    assert read_dh([row], inertia_order=order) == read_dh([{"m": 1, "I": list(SIX.values())}])
    text = (ROOT / "docs" / "inertia-order.md").read_text()
    assert f"| `{order}` |" in text and ", ".join(ORDERS[order]) in text


def test_pinocchio_lists_its_ten_so(peer):
    pin = peer("pin")
    tensor = np.array([[1, 0.12, 0.13], [0.12, 2, 0.23], [0.13, 0.23, 3]])
    body = pin.Inertia(2.0, np.array([0.1, 0.2, 0.3]), tensor)
    ten = body.toDynamicParameters()
    row = {"m": ten[0], "first_moment": ten[1:4], "I_origin": ten[4:]}
    ours = read_dh([row], inertia_order="pinocchio").bound().bodies[0].inertia
    np.testing.assert_allclose(ours.about_centre.rows, tensor, atol=1e-12)


def test_mujoco_lists_fullinertia_so(peer):
    mujoco = peer("mujoco")
    six = " ".join(str(SIX[axes]) for axes in ORDERS["mujoco"])
    inertial = f'<inertial pos="0 0 0" mass="1" fullinertia="{six}"/>'
    xml = f"<mujoco><worldbody><body><joint/>{inertial}</body></worldbody></mujoco>"
    model = mujoco.MjModel.from_xml_string(xml)
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, model.body_iquat[1])
    R = R.reshape(3, 3)
    tensor = R @ np.diag(model.body_inertia[1]) @ R.T
    assert tensor[0, 2] == pytest.approx(0.13) and tensor[1, 2] == pytest.approx(0.23)


def test_an_unknown_order_is_an_error():
    with pytest.raises(da.DescriptionError, match="inertia order 'corke'"):
        read_dh([{}], inertia_order="corke")


def test_a_damaged_table_is_refused_with_our_own_error():
    damage = np.random.default_rng(1)
    pieces = ("", "(", ")", ",", ";", '"', "1e999", "\0", "é", "/0", "L", "\n", "\t", "-", "nan")
    for _ in range(300):
        text = list(CSV)
        for k in damage.integers(len(text), size=4):
            text[k] = str(damage.choice(pieces))
        try:
            assert da.load("robot,arm\n" + "".join(text)).bodies
        except da.DalembertError:
            continue


def test_rows_of_any_values_are_read_or_refused():
    values = [None, True, 1, 0.5, "x", "pi/2", "", [], [1, 2, 3], [[1, 2, 3]] * 3, {"a": 1}, b"x",
              np.array([1.0, 2, 3]), np.float64(2), object, [None, None], float("inf")]  # fmt: skip
    columns = ("a", "sigma", "theta", "r", "d", "m", "com", "I", "Tc", "qlim", "name", "joint")
    rng = np.random.default_rng(2)
    for _ in range(300):
        row = {str(rng.choice(columns)): values[rng.integers(len(values))] for _ in range(3)}
        try:
            assert read_dh([row]).bodies
        except da.DalembertError:
            continue


def test_a_table_of_many_frames_is_read():
    m = read_dh([{"d": 1, "r": 0, "m": 1}] * 3000)
    assert m.nv == 3000


def test_the_tables_of_the_docs_are_the_same_mechanism():
    text = (ROOT / "docs" / "tables.md").read_text()
    csv, toml = (text.split(f"```{kind}\n")[1].split("```")[0] for kind in ("csv", "toml"))
    a, b = da.load(csv), da.load(toml)
    assert a.bodies == b.bodies and a.parameters == b.parameters


@pytest.mark.parametrize("convention", ["modified", "craig", "standard"])
@pytest.mark.parametrize("column", ["alpha", "theta"])
def test_an_angle_in_degrees_that_does_not_say_so_is_refused(convention, column):
    rows = {"convention": convention, "dh": [{column: 90}]}
    with pytest.raises(da.DescriptionError, match="a rotation by 90 rad is more than a turn"):
        da.load(rows)
    for right in ("90deg", "90rad", 6.2832, "pi/2", "q+90deg"):
        da.load(rows | {"dh": [{column: right}]})


def test_limits_of_a_table_may_have_units():
    (b, c) = da.load({"convention": "modified", "dh": [{"qmin": "-90deg", "qmax": "1"},
                      {"sigma": 1, "qlim": ["-50mm", 0.1]}]}).bodies  # fmt: skip
    assert str(b.limits) == "((-pi/2, 1),)" and c.limits == ((-Fraction(1, 20), Fraction(1, 10)),)
    with pytest.raises(da.DescriptionError, match="mm is a unit of length"):
        da.load({"convention": "modified", "dh": [{"qmin": "-90mm"}]})
