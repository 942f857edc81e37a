"""Bodies that roll without slip, and constraints written on bodies, against closed forms."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import DalembertError, DescriptionError, ModelError, UsageError
from dalembert.exact_agreement import agree_exactly
from dalembert.plan.kane import with_speeds

EXAMPLES = Path(__file__).parents[1] / "examples"
LEVEL = [0, 0, 0, 0, 0, 0, 1]

# Meijaard et al. (2007), table 2: weave or two real eigenvalues, capsize, castering
PUBLISHED = {
    0: [-5.530943717653932, -3.131643247906559, 3.131643247906559, 5.530943717653932],
    3: [-10.351014672459152, -2.633661372536667, 1.706756056639750 + 2.315824473843250j],
    5: [-14.078389692798216, -0.322866429004090, -0.775341882195845 + 4.464867713788229j],
    10: [-24.624596350174042, 0.161053386532097, -3.720168404372871 + 10.906811394757624j],
}


def free(name, mass, inertia, com=(0, 0, 0)):
    joint = {"type": "free", "name": name}
    return {"name": name, "parent": -1, "joint": joint, "mass": mass, "com": list(com),
            "inertia": list(inertia)}  # fmt: skip


def loaded(bodies, **more):
    return da.load({"format": "dalembert/1", "bodies": bodies, **more})


def turned(axis, angle):
    return [*(np.sin(angle / 2) * np.asarray(axis, dtype=float)), np.cos(angle / 2)]


@pytest.mark.parametrize("speed", PUBLISHED)
def test_the_whipple_bicycle_has_the_published_eigenvalues(speed):
    text = (EXAMPLES / "bicycle.toml").read_text("utf-8")
    assert len(text.splitlines()) <= 40
    m = da.load(EXAMPLES / "bicycle.toml")
    assert m.nv - len(da.kane_speeds(m)) == 6
    linear = da.linearize(m, [*LEVEL, 0, 0, 0], [0, 0, speed / 0.35])
    found = np.linalg.eigvals(linear.A)
    for value in PUBLISHED[speed]:
        for root in {value, np.conj(value)}:
            assert np.abs(found - root).min() < 1e-8
    # the others are those of position, heading and spin
    assert (np.abs(found) < 1e-5).sum() == len(found) - 4


def disc(**more):
    """Return a free disc of radius 0.3 on the ground."""
    m, r = 2.0, 0.3
    roll = {"name": "d", "kind": "disc", "body": "disc", "axis": [0, 1, 0], "radius": r, **more}
    body = free("disc", m, [m * r**2 / 4, m * r**2 / 2, m * r**2 / 4])
    return loaded([body], rolling=[roll], speeds=["disc.wx", "disc.wy", "disc.wz"])


def test_a_disc_that_leans_precesses_at_the_rate_of_the_textbook():
    """A Ω² cs - (C + m r²) ω Ω c = m g r s, ω the spin about the axle, lean s = sin, c = cos."""
    m, mass, r = disc(), 2.0, 0.3
    A, C, lean, yaw = mass * r**2 / 4, mass * r**2 / 2, 0.4, -1.7
    s, c = np.sin(lean), np.cos(lean)
    spin = (A * yaw**2 * c * s - mass * 9.81 * r * s) / ((C + mass * r**2) * yaw * c)
    q = [0.1, 0.2, r * c, *turned([1, 0, 0], lean)]
    alpha = [0, spin, yaw * c]
    _, qdd = da.kane_motion(m, q, alpha, [], [], np.zeros(6), [])
    # the rate of ω in body axes: the disc turns under them, ω × Ω
    turning = np.cross(alpha, [0, yaw * s, yaw * c])
    np.testing.assert_allclose(qdd[3:], -turning, atol=1e-12)


def test_a_disc_in_coordinates_of_its_contact_is_the_same():
    m, plain = disc(), da.robots.rolling_disc()
    yaw, lean, spin = 0.3, 0.4, 1.1
    rates = np.array([0.7, -0.4, 5.0])  # yaw, lean, spin
    qd, qdd = da.kane_motion(plain, [0, 0, yaw, lean, spin], rates, [], [], np.zeros(5), [])
    frame = "disc"
    pose = da.pose(plain, [0, 0, yaw, lean, spin], frame=frame)
    v = da.velocity(plain, [0, 0, yaw, lean, spin], qd, frame=frame, axes="local")
    a = da.acceleration(plain, [0, 0, yaw, lean, spin], qd, qdd, frame=frame, axes="local")
    from scipy.spatial.transform import Rotation

    q = [*pose[:3, 3], *Rotation.from_matrix(pose[:3, :3]).as_quat()]
    found = da.kane_motion(m, q, v[3:], [], [], np.zeros(6), [])
    np.testing.assert_allclose(found[0], v, atol=1e-12)
    np.testing.assert_allclose(found[1][3:], a[3:], atol=1e-11)
    # the weight is borne by the contact, one plane force each way
    forces = da.constraint_forces(m, q, v[3:], [], [], np.zeros(6), [])
    centre = da.acceleration(plain, [0, 0, yaw, lean, spin], qd, qdd, frame=frame, axes="base")
    assert forces[2] == pytest.approx(2 * (9.81 + centre[2]))
    assert np.hypot(*forces[:2]) == pytest.approx(2 * np.hypot(*centre[:2]))


def test_a_crowned_wheel_touches_beside_its_plane():
    m = disc(crown=0.05)
    lean = 0.3
    height = 0.25 * np.cos(lean) + 0.05
    q = [0, 0, height, *turned([1, 0, 0], lean)]
    assert abs(np.asarray(da.closure(m, q))).max() < 1e-12
    with pytest.raises(DalembertError, match=r"d\.contact"):
        da.kane_motion(m, [0, 0, 0.3, *turned([1, 0, 0], lean)], [0] * 3, [], [], [0] * 6, [])


def ball(**more):
    return free("ball", 1.5, [0.4 * 1.5 * 0.01] * 3), {
        "name": "b", "kind": "sphere", "body": "ball", "radius": 0.1, **more}  # fmt: skip


def test_a_ball_on_a_turntable_circles_at_two_sevenths_of_its_rate():
    body, roll = ball(on="plate")
    plate = {"name": "plate", "parent": -1, "mass": 1, "inertia": [1, 1, 1],
             "joint": {"type": "revolute", "axis": [0, 0, 1], "name": "turn"}}  # fmt: skip
    m = loaded([plate, body], rolling=[roll], prescribed=["turn"])
    assert len(da.kane_speeds(m)) == 3
    rate = 2.1
    q = [0.3, 0.2, -0.4, 0.1, *turned([0.6, 0, 0.8], 0.7)]
    alpha = [0.4, 0.3, -0.2]
    qd, qdd = da.kane_motion(m, q, alpha, [rate], [0], np.zeros(7), [])
    R = da.pose(m, q, frame="ball")[:3, :3]
    v = R @ qd[1:4]
    a = da.acceleration(m, q, qd, qdd, [rate], [0], frame="ball", axes="base")[:3]
    np.testing.assert_allclose(a, np.cross([0, 0, 2 / 7 * rate], v), atol=1e-12)
    turn = {"turn": ([0, 20], [0, 20 * rate])}
    end = 7 * np.pi / rate
    r = da.simulate(m, q, alpha, t=[0, end], motion=turn, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(r.q[-1, 1:4], q[1:4], atol=1e-7)


@pytest.mark.parametrize("normal", [[0, 0, 1], [0, "sin(0.3)", "cos(0.3)"], [0, 0, -1]])
def test_a_ball_rolls_down_an_incline_at_five_sevenths(normal):
    body, roll = ball(normal=normal)
    m = loaded([body], rolling=[roll], gravity=[0, -4, -9])
    n = np.array([0, np.sin(0.3), np.cos(0.3)]) if normal[1] else np.array(normal, dtype=float)
    q = [*(0.1 * n), 0, 0, 0, 1]
    _, qdd = da.kane_motion(m, q, [0] * 3, [], [], np.zeros(6), [])
    g = np.array([0, -4.0, -9.0])
    np.testing.assert_allclose(qdd[:3], 5 / 7 * (g - n * n.dot(g)), atol=1e-12)


def test_a_knife_edge_is_a_wheel_that_is_not_driven():
    """Chaplygin's sleigh: v' = a ω², (I + m a²) ω' = -m a v ω."""
    m, I, a = 3.0, 0.7, 0.25
    joint = {"type": "planar", "name": "base"}
    body = {"name": "sleigh", "parent": -1, "joint": joint, "mass": m, "com": [a, 0, 0],
            "inertia": [0, 0, I]}  # fmt: skip
    blade = {"name": "blade", "kind": "knife_edge", "body": "sleigh", "axis": [0, 1, 0]}
    made = loaded([body], rolling=[blade], speeds=["v(sleigh).x", "w(sleigh).z"])
    assert with_speeds(made).idle == ("blade.contact",)
    v, w = 1.3, 0.8
    found = da.alpha_dot(made, [0.1, 0.2, 0.9], [v, w], [], [], np.zeros(3), [])
    np.testing.assert_allclose(found, [a * w**2, -m * a * v * w / (I + m * a**2)], rtol=1e-13)
    r = da.simulate(made, [0, 0, 0.9], [v, w], t=[0, 20], rtol=1e-11, atol=1e-12)
    assert abs(r.energy[-1] / r.energy[0] - 1) < 1e-9
    # it ends in a straight run with all its energy
    assert r.speeds[-1][0] == pytest.approx(np.sqrt(2 * r.energy[0] / m), rel=1e-3)


def gears(ring):
    spin = {"type": "revolute", "axis": [0, 0, 1]}
    at = 0.2 if ring else 0.4

    def body(name, parent, place=0):
        joint = {**spin, "name": name, "placement": {"translation": [place, 0, 0]}}
        return {"name": name, "parent": parent, "joint": joint, "mass": 1, "inertia": [0, 0, 0.1]}

    return loaded(
        [body("arm", -1), body("sun", -1), body("planet", "arm", at)],
        rolling=[{"name": "mesh", "kind": "gear", "body": "planet", "axis": [0, 0, 1],
                  "radius": 0.1, "on": "sun", "on_radius": -0.3 if ring else 0.3}],
        speeds=["arm", "sun"],
    )  # fmt: skip


def test_uses_of_open_trees_refuse_gears(tmp_path):
    with pytest.raises(ModelError, match="loops or constraints"):
        agree_exactly(gears(False))
    with pytest.raises(UsageError, match="no ROS 2 package: the machine has loops, wheels"):
        da.export(gears(False), ["inverse_dynamics"], "ros2", tmp_path)


@pytest.mark.parametrize("ring", [False, True])
def test_gears_turn_as_willis_says(ring):
    m = gears(ring)
    arm, sun = 0.7, -0.4
    qd = da.kane_J_nh(m, [0.3, 0.1, 0.2], []) @ [arm, sun]
    ratio = 3 if ring else -3  # planet less arm over sun less arm
    assert qd[2] == pytest.approx(ratio * (sun - arm))


def test_a_pinion_on_a_rack():
    slide = {"type": "prismatic", "axis": [1, 0, 0], "name": "x"}
    spin = {"type": "revolute", "axis": [0, 0, 1], "name": "turn",
            "placement": {"translation": [0, 0.05, 0]}}  # fmt: skip
    m = loaded(
        [{"name": "rack", "parent": -1, "joint": slide, "mass": 2},
         {"name": "pinion", "parent": -1, "joint": spin, "mass": 1, "inertia": [0, 0, 0.3]}],
        rolling=[{"name": "mesh", "kind": "rack", "body": "pinion", "axis": [0, 0, 1],
                  "radius": 0.05, "on": "rack", "normal": [0, 1, 0]}],
        speeds=["turn"],
    )  # fmt: skip
    np.testing.assert_allclose(da.kane_J_nh(m, [0.2, 0.3], []).T, [[0.05, 1]], atol=1e-15)
    assert da.kane_D(m, [0, 0], [])[0, 0] == pytest.approx(0.3 + 2 * 0.05**2)


# -- equations on bodies ---------------------------------------------------------------------------


def test_a_unicycle_in_body_speeds_is_the_one_with_a_wheel():
    m = da.robots.unicycle()
    body = {"name": "chassis", "parent": -1, "joint": {"type": "planar", "name": "base"},
            "mass": 12, "com": [0.1, 0, 0], "inertia": [0, 0, 0.4]}  # fmt: skip
    made = loaded(
        [body],
        velocity_constraints=[{"name": "axle", "equation": "v(chassis).y = 0"}],
        speeds=["v(chassis).x", {"name": "turn", "equation": "2*base.thetad"}],
    )
    q, push = [0.3, 0.1, 0.7], [1.0, 2.0, 0.5]
    found = da.alpha_dot(made, q, [1.5, 2 * 0.6], [], [], push, [])
    given = da.alpha_dot(m, q, [1.5, 0.6], [], [], push, [0])
    np.testing.assert_allclose(found, given * [1, 2], rtol=1e-13)


def test_points_axes_and_base_components():
    """The velocity of a point of a body, in its own axes and in those of the base."""
    at = "v(disc, [0.1, a, 0])"
    text = f"{at}.x + 2*{at}.Y - w(disc).Z*axis(disc, [0, 1, 0]).X = 0.3*t"
    m = loaded(
        [free("disc", 2, [1, 1, 1])],
        velocity_constraints=[{"name": "c", "equation": text}],
        parameters={"a": 0.2},
    )
    q = [0.1, 0.2, 0.3, *turned([0.6, 0.8, 0], 0.8)]
    alpha = np.array([0.2, -0.3, 0.5, 0.7, 0.1])
    clock = 0.4
    qd, qdd = da.kane_motion(m, q, alpha, [clock], [1], np.zeros(6), [])

    def left(q, qd):
        J = da.jacobian(m.tree, q, frame="disc", axes="local")
        R = da.pose(m.tree, q, frame="disc")[:3, :3]
        v, w = (J @ qd)[:3], (J @ qd)[3:]
        here = v + np.cross(w, [0.1, 0.2, 0])
        return here[0] + 2 * (R @ here)[1] - (R @ w)[2] * R[0, 1]

    assert left(q, qd) == pytest.approx(0.3 * clock)
    h = 1e-6
    ends = [left(da.integrate(m.tree, q, s * h * qd), qd + s * h * qdd) for s in (1, -1)]
    assert (ends[0] - ends[1]) / (2 * h) == pytest.approx(0.3, abs=1e-8)


@pytest.mark.parametrize(
    "text",
    [
        "distance(a, b) = 1.1",
        "direction(a, [0, 0.1, 0], b).Z = 0.2",
        "direction(b, a).y = 0.1",
        "p(b).Z - 0.3*axis(a, [1, 0, 0]).Y = 0.5",
        "p(b).x = 0.4",
        "a.qx = 0.1*b.px",
    ],
)
def test_positions_of_bodies_hold_at_all_times(text):
    bodies = [free("a", 1, [1, 2, 1.5]), free("b", 2, [1, 1, 0.5], (0.1, 0, 0))]
    m = loaded(bodies, velocity_constraints=[{"name": "c", "equation": text}], gravity=[0, 0, 0])
    rng = np.random.default_rng(3)
    q = da.integrate(m.tree, [*LEVEL, 1, 0.2, 0.3, 0, 0, 0, 1], rng.uniform(-0.4, 0.4, 12))
    q = da.assemble(m, q)
    qd, qdd = da.kane_motion(m, q, rng.uniform(-1, 1, 11), [], [], np.zeros(12), [])

    def gap(s):
        return da.closure(m, da.integrate(m.tree, q, s * qd + s * s / 2 * qdd))[0]

    h = 1e-4
    assert abs(gap(0)) < 1e-11
    first, second = (gap(h) - gap(-h)) / (2 * h), (gap(h) + gap(-h) - 2 * gap(0)) / h**2
    assert abs(first) < 1e-6 and abs(second) < 1e-5
    both = da.kane_motion(m, q, np.ones(11), [], [], np.zeros(12), [], method="multipliers")
    one = da.kane_motion(m, q, np.ones(11), [], [], np.zeros(12), [])
    np.testing.assert_allclose(both[1], one[1], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "equation, said",
    [
        ("v(disk).x = 0", "no frame 'disk'"),
        ("v(disc) = 0", "is a vector"),
        ("distance(disc, base).x = 1", "is a number"),
        ("v(disc, [1, 2]).x = 0", "not the point"),
        ("axis(disc).x = 0", "other arguments"),
        ("v(disc).x*w(disc).x = 0", "not linear"),
        ("v(disc.x = 0", "not closed"),
    ],
)
def test_equations_on_bodies_that_cannot_be_read_say_why(equation, said):
    given = [{"name": "c", "equation": equation}]
    with pytest.raises(DescriptionError, match=said) as error:
        loaded([free("disc", 1, [1, 1, 1])], velocity_constraints=given)
    assert error.value.hint


@pytest.mark.parametrize(
    "changes, said",
    [
        ({"kind": "cube"}, "nothing rolls as 'cube'"),
        ({"radius": 0}, "needs its radius"),
        ({"radius": -0.3}, "its radius is negative"),
        ({"radius": "-r"}, "its radius is negative"),
        ({"crown": 5}, "crown is not between 0 and its radius"),
        ({"crown": -0.1}, "crown is not between 0 and its radius"),
        ({"axis": None}, "needs its axis"),
        ({"on": "ball"}, "rolls on itself"),
        ({"kind": "gear", "axis": [0, 0, 1]}, "needs its on_radius"),
        ({"kind": "gear", "axis": [0, 0, 1], "on_radius": -0.1}, "a ring as large as the gear"),
    ],
)
def test_rolling_bodies_that_cannot_be_say_why(changes, said):
    body, roll = ball(kind="disc", axis=[0, 1, 0])
    roll |= changes
    roll = {k: x for k, x in roll.items() if x is not None}
    with pytest.raises((ModelError, DescriptionError), match=said) as error:
        loaded([body], rolling=[roll], parameters={"r": 0.3})
    assert error.value.hint


def test_a_disc_flat_on_the_ground_has_no_contact():
    body, roll = ball(kind="disc", axis=[0, 0, 1])
    m = loaded([body], rolling=[roll])
    with pytest.raises(da.SingularPose, match="contact has no value"):
        da.forward_dynamics(m, LEVEL, np.zeros(6), np.zeros(6))


def test_rolling_bodies_and_speeds_are_written_and_read(tmp_path):
    m = da.load(EXAMPLES / "bicycle.toml")
    m = replace(m, name="b")
    for ending in ("toml", "json"):
        m.save(tmp_path / f"m.{ending}")
        assert da.load(tmp_path / f"m.{ending}").rolling == m.rolling
    speeds = ["v(disc).x", {"name": "u", "equation": "v(disc, [a, 0, 0]).Y + disc.wz"}]
    made = loaded([free("disc", 1, [1, 1, 1])], speeds=speeds + ["disc.wx"] * 4,
                  parameters={"a": 0.1})  # fmt: skip
    made.save(tmp_path / "s.toml")
    again = da.load(tmp_path / "s.toml")
    assert again.speeds == made.speeds and again.speed_equations == made.speed_equations


def test_a_machine_attached_keeps_what_rolls():
    m = da.load(EXAMPLES / "bicycle.toml")
    two = da.robots.planar2r().attach(m, "base")
    assert [c.name for c in two.rolling] == ["rear_tyre", "front_tyre"]
    assert two.bodies[two.rolling[0].body_i].name == "rear"


def test_motors_of_rolling_machines_in_every_quantity():
    """inverse_dynamics undoes forward_dynamics on a bicycle with two motors."""
    m = replace(da.load(EXAMPLES / "bicycle.toml"), active=("rear", "steer"), speeds=())
    q = np.array([*LEVEL, 0.2, 0, 0.1])
    qd = da.kane_J_nh(m, q, []) @ [0.0, 0.3, 8.0]
    tau = [3.0, -1.0]
    qdd = da.forward_dynamics(m, q, qd, tau)
    np.testing.assert_allclose(da.inverse_dynamics(m, q, qd, qdd), tau, atol=1e-9)


def test_the_ground_bears_a_bicycle_through_its_wheels():
    """The wrench of the fork on the front wheel is what the ground leaves of weight and motion."""
    m = replace(da.load(EXAMPLES / "bicycle.toml"), active=("rear", "steer", "base"))
    q, rest = np.array([*LEVEL, 0, 0, 0]), np.zeros(9)
    found = da.link_wrenches(m, q, rest, rest)
    found = found[0] if isinstance(found, tuple) else found
    # the front wheel bears 309.3 N: its own weight and what the fork puts on it
    load = da.constraint_forces(m, q, [0, 0, 0], [], [], rest, [])[5]
    assert load == pytest.approx(9.81 * (85 * 0.3 + 4 * 0.9 + 3 * 1.02) / 1.02)
    assert found[3][2] == pytest.approx(3 * 9.81 - load)


def test_loops_with_spherical_joints_beside_wheels():
    """A sleigh that carries a closed linkage with a ball joint, by both methods."""

    def body(name, parent, joint, mass=1.0):
        return {"name": name, "parent": parent, "joint": {"name": name, **joint}, "mass": mass,
                "com": [0.1, 0.02, 0.03], "inertia": [0.02, 0.03, 0.04]}  # fmt: skip

    at = {"placement": {"translation": [0.5, 0, 0]}}
    m = loaded(
        [body("sleigh", -1, {"type": "planar"}, 5.0), body("a", "sleigh", {"type": "spherical"}),
         body("b", "sleigh", {"type": "revolute", "axis": [0, 1, 0], **at})],
        loops=[{"body_i": "a", "point_i": [0.5, 0, 0.3], "body_j": "b", "point_j": [0, 0, 0.3]}],
        wheels=[{"name": "blade", "body": "sleigh", "point": [0, 0, 0], "normal": [0, 1, 0]}],
    )  # fmt: skip
    assert len(da.kane_speeds(m)) == 7 - 3 - 1
    q = da.assemble(m, [0.1, 0.2, 0.4, 0.05, 0.02, 0.1, 0.99, 0.1])
    alpha = [0.7, 0.4, -0.3]
    qd, qdd = da.kane_motion(m, q, alpha, [], [], np.zeros(7), [0])
    wanted = da.forward_dynamics(m, q, qd, np.zeros(7))
    np.testing.assert_allclose(qdd, wanted, rtol=1e-9, atol=1e-9)


HITCH = {"type": "universal", "axis": [0, 0, 1], "axis_j": [0, 1, 0], "limits": [[-1, 1], [0, 1]],
         "name": "hitch", "placement": {"translation": [-0.5, 0, 0]}}  # fmt: skip


def test_a_universal_joint_is_two_revolute_ones_by_name():
    """A trailer that rolls on a ball behind a sleigh; also where a graph of joints goes on."""
    cab = {"name": "cab", "parent": -1, "joint": {"type": "planar", "name": "base"}, "mass": 3}
    trailer = {"name": "trailer", "mass": 2, "com": [-1, 0, 0.1], "inertia": [0.3, 0.4, 0.5]}
    rest = dict(
        rolling=[{"name": "ball", "kind": "sphere", "body": 1, "point": [-2, 0, 0], "radius": 0.3}],
        wheels=[{"name": "blade", "body": "cab", "point": [0, 0, 0], "normal": [0, 1, 0]}],
    )
    one = [cab, trailer | {"parent": 0, "joint": HITCH}]
    m = loaded(one, **rest)
    first = {"type": "revolute", "limits": [-1, 1], "placement": HITCH["placement"]}
    second = {"type": "revolute", "axis": [0, 1, 0], "limits": [0, 1], "name": "hitch_2"}
    two = [cab, {"name": "hitch_1", "parent": 0, "joint": first},
           trailer | {"parent": "hitch_1", "joint": second}]  # fmt: skip
    assert m.joint_names == ("base", "hitch_1", "hitch_2")
    assert m.bodies == loaded(two, **rest | {"rolling": []}).bodies
    assert m.rolling[0].body_i == 2 and da.kane_speeds(m) == ("hitch_1",)
    box = {"name": "hinge", "joint": "revolute", "body_i": 1, "body_j": 2, "axis": [0, 0, 1]}
    graph = loaded([*one, {"name": "box", "mass": 1}], joints=[box], **rest)
    assert graph.joint_names == ("base", "hitch_1", "hitch_2", "hinge")
    assert graph.bodies[:3] == m.bodies and graph.rolling == m.rolling


@pytest.mark.parametrize("joint, message", [
    ({"type": "universal"}, "a universal joint needs axis_j"),
    (HITCH | {"limits": [-1, 1]}, "1 pairs of limits, 2 needed"),
    ({"type": "cylindrical", "effort_limit": 3}, "one limit for a slide and a turn"),
    ({"type": "revolute", "axis_j": [0, 1, 0]}, "a revolute joint has one axis"),
])  # fmt: skip
def test_a_joint_of_two_parts_is_told_whole(joint, message):
    with pytest.raises(DescriptionError, match=message):
        loaded([{"name": "car", "parent": -1, "joint": joint, "mass": 1}])


def test_a_body_on_two_joints_does_not_name_one_of_them():
    row = {"name": "car", "parent": -1, "joint": {"type": "cylindrical"}, "mass": 1}
    assert loaded([row], active=["car_turn"]).active == ("car_turn",)
    with pytest.raises(DescriptionError, match="joint 'car' does not exist") as error:
        loaded([row], drives=[{"joint": "car", "Ia": 1}])
    assert "car_slide" in error.value.hint and "car_turn" in error.value.hint
