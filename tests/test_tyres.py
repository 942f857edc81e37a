"""Tyres that slip beside wheels that do not: understeer, the stiff limit, saturation."""

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from closed_text import read_back
from dalembert.errors import DescriptionError, ModelError, UsageError
from dalembert.mechanism import Tyre

MASS, YAW, WHEELBASE, FRONT = 1500.0, 2500.0, 2.7, 1.2  # FRONT: from the mass centre to the front
REAR = WHEELBASE - FRONT


def car(front, rear, **more):
    """Return a car whose front and rear axles have cornering stiffnesses."""
    tyres = [{"stiffness": c, **more} if c else None for c in (rear, front)]
    wheels = [
        {"name": "rear", "body": "car", "point": [0, 0, 0], "normal": [0, 1, 0]},
        {"name": "front", "body": "car", "point": [WHEELBASE, 0, 0], "normal": [0, 1, 0],
         "steer": "delta"},
    ]  # fmt: skip
    wheels = [w | ({"tyre": t} if t else {}) for w, t in zip(wheels, tyres, strict=True)]
    body = {"name": "car", "parent": -1, "joint": {"type": "planar", "name": "base"},
            "mass": MASS, "com": [REAR, 0, 0], "inertia": [0, 0, YAW]}  # fmt: skip
    return da.load({"format": "dalembert/1", "bodies": [body], "wheels": wheels,
                    "prescribed": ["delta"], "speeds": ["rear.v"]})  # fmt: skip


@pytest.mark.parametrize("front, rear", [(80e3, 90e3), (120e3, 70e3)])
def test_a_steady_turn_has_the_understeer_gradient_of_the_formula(front, rear):
    """δ = l/R + K v²/R, K = m/l (b/C_f - a/C_r), at small angles."""
    m, v, delta = car(front, rear), 12.0, 0.002
    K = MASS / WHEELBASE * (REAR / front - FRONT / rear)
    # the rear axle does not slip along its heading: traction holds its speed
    push = da.control.Cruise(v, 1e6)
    r = da.simulate(m, [0, 0, 0], [v, 0, 0], torque=push, t=[0, 8, 10], motion={"delta": delta})
    turning = (r.q[-1, 2] - r.q[-2, 2]) / 2
    assert (delta - WHEELBASE * turning / v) / (v * turning) == pytest.approx(K, rel=2e-3)


def test_stiff_tyres_come_to_no_slip_at_first_order():
    worst = []
    for stiff in (4e6, 8e6, 16e6):
        r = da.compare_slip(
            car(stiff, stiff), [0, 0, 0], [10.0], t=np.linspace(0, 3, 31),
            motion={"delta": lambda t: 0.05 * np.sin(t)}, method="rosenbrock", rtol=1e-9,
        )  # fmt: skip
        worst.append(max(r.worst.values()))
    ratios = np.array(worst[:-1]) / worst[1:]
    assert np.abs(ratios - 2).max() < 0.1 and worst[-1] < 0.02


def test_both_models_are_tabled_and_plotted(tmp_path):
    r = da.compare_slip(car(8e4, 9e4), [0, 0, 0], [15.0], t=2.0, motion={"delta": 0.03})
    assert r.names == ("base.x", "base.y", "base.theta")
    lines = r.table(5).splitlines()
    assert len(lines) == 6 and lines[0].split() == ["t", *r.names]
    assert "largest differences" in repr(r) and "<table" in r._repr_html_()
    r.plot(tmp_path / "slip.svg")
    assert (tmp_path / "slip.svg").stat().st_size > 1000
    with pytest.raises(UsageError, match=r"shape \(1,\), expected \(..., 3\)") as told:
        da.simulate(car(8e4, 9e4), [0, 0, 0], [15.0], t=1.0)
    assert "base.x, base.y, base.theta" in told.value.hint
    with pytest.raises(ModelError, match="no tyre"):
        da.compare_slip(da.robots.truck(0), [0, 0, 0], [1.0])


def test_a_tyre_pushes_no_harder_than_its_peak():
    soft, hard = car(8e4, 9e4, peak=5000), car(8e4, 9e4)
    for side in (0.05, 0.5, 5.0):
        rates, rest = [10.0, side, 0.0], ([0.0], [0.0], np.zeros(3), np.zeros(2))
        one, two = (da.kane_motion(m, [0, 0, 0], rates, *rest)[1] for m in (soft, hard))
        force = MASS * (one[1] + one[2] * REAR)
        assert abs(force) < 10000 and abs(one[1]) < abs(two[1])
        slip = np.arctan(side / np.hypot(10, 0.1))
        wanted = [-c * slip / np.sqrt(1 + (c * slip / 5000) ** 2) for c in (9e4, 8e4)]
        spin = (wanted[1] * FRONT - wanted[0] * REAR) / YAW
        assert one[2] == pytest.approx(spin)
        assert one[1] == pytest.approx(sum(wanted) / MASS - spin * REAR)
    r = da.simulate(soft, [0, 0, 0], [10.0, 1.0, 0.3], t=3.0)
    assert (np.diff(r.energy) <= 1e-9).all()


def test_a_trailer_on_tyres_behind_wheels_that_hold():
    """Tyres and wheels that do not slip stand in one machine; methods agree."""
    m = da.robots.truck(1)
    wheels = tuple(
        replace(w, tyre=Tyre(2e5, peak=3e4)) if w.name == "axle1" else w for w in m.wheels
    )
    m = replace(m, wheels=wheels, speeds=())
    assert len(da.kane_speeds(m)) == 2
    state = [0, 0, 0.2, 0.1], [3.0, 0.1], [0.1], [0.05], np.zeros(4), [2000.0, 0, 0]
    one, two = (da.kane_motion(m, *state, method=x) for x in ("kane", "multipliers"))
    np.testing.assert_allclose(one, two, rtol=1e-10, atol=1e-10)
    told = dict(steer=[0.1], steer_rate=[0.05])
    qd = one[0]
    acts = replace(m, active=m.joint_names)
    plain = da.kane_motion(m, *state[:5], np.zeros(3))[1]
    np.testing.assert_allclose(
        da.forward_dynamics(acts, state[0], qd, np.zeros(4), **told), plain, rtol=1e-9, atol=1e-9
    )


def test_tyres_are_written_and_read(tmp_path):
    m = car(8e4, 9e4, peak=5000)
    m.save(tmp_path / "car.toml")
    again = da.load(tmp_path / "car.toml")
    assert again.wheels == m.wheels and again.wheels[0].tyre.peak == 5000
    assert "a tyre of 9" in str(again)
    with pytest.raises(DescriptionError, match="stiffness is missing"):
        wheel = {"name": "w", "body": -1, "point": [0, 0, 0], "normal": [0, 1, 0]}
        da.load({"format": "dalembert/1", "bodies": [], "wheels": [wheel | {"tyre": {"peak": 1}}]})


def on_tyres(trailer):
    wheels = [replace(w, tyre=Tyre(2e5, peak=3e4)) if w.name == "axle1" else w
              for w in trailer.wheels]  # fmt: skip
    return replace(trailer, wheels=tuple(wheels), speeds=())


@pytest.mark.parametrize(
    "m", [car(8e4, 9e4), car(8e4, 9e4, peak=5000), on_tyres(da.robots.truck(1))]
)
def test_printed_steps_hold_the_forces_of_tyres(m):
    """tau of the printed text, slip angles and forces S with it, is that of the kernel."""
    rng = np.random.default_rng(3)
    form = da.kane_form(m)
    m, s, text = form.mechanism, form.setting.symbols, form.text()
    for _ in range(4):
        q, alpha = rng.uniform(-0.5, 0.5, m.nq), rng.normal(size=len(s.speeds)) + 3
        steer, rate, push = rng.uniform(-0.3, 0.3, 1), rng.normal(size=1), rng.normal(size=3)
        push = push[: len(m.wheels)]
        qd = da.kane_J_nh(m, q, steer) @ alpha
        at = dict(zip(s.coordinates, [*q, *steer], strict=False)) | m.values
        at |= {s.rate_name(k): x for k, x in enumerate([*qd, *rate], 1)}
        at |= {s.names[s.index[s.alpha_key(a)]]: x for a, x in enumerate(alpha)}
        at |= {f"F_{w.name}": x for w, x in zip(m.wheels, push, strict=True)}
        at |= {s.names[i]: 0.0 for i, g in enumerate(s.generators)
               if g.key[0] == "force" and isinstance(g.key[1], int)}  # fmt: skip
        kept = text.split("# step 10")[0]
        known = read_back(kept, {k: float(x) for k, x in at.items()})[1]
        found = [known[f"tau_{a + 1}"] for a in range(len(alpha))]
        wanted = da.kane_tau(m, q, alpha, steer, rate, np.zeros(m.nv), push)
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-9)
    assert r"\operatorname{atan2}" in form.latex(only=[8])
    assert "slips along 0 1 0" in str(m)


def test_path_laws_say_that_a_vehicle_slips():
    law = da.control.FollowPath(da.control.Line((0, 1)), length=5)
    with pytest.raises(ModelError, match="exactly one speed") as told:
        law.prepared(car(8e4, 9e4), "delta")
    assert "leave `tyre` away" in told.value.hint


def test_tyres_push_on_the_body_and_not_through_its_joint():
    """A planar base has no motor: it transmits neither a force along the road nor a yaw moment."""
    tyre = {"normal": [0, 1, 0], "tyre": {"stiffness": 80e3}, "body": "car"}
    wheels = [tyre | {"name": n, "point": [x, 0, 0]} for n, x in (("rear", 0), ("front", 2.7))]
    base = {"name": "car", "parent": -1, "joint": {"type": "planar", "name": "base"},
            "mass": MASS, "com": [REAR, 0, 0], "inertia": [0, 0, YAW]}  # fmt: skip
    arm = {"name": "arm", "parent": "car", "joint": {"type": "revolute", "axis": [0, 0, 1],
           "name": "arm"}, "mass": 50, "com": [0.5, 0, 0], "inertia": [1, 1, 4]}  # fmt: skip
    m = da.load({"format": "dalembert/1", "bodies": [base, arm], "wheels": wheels,
                 "active": ["arm"]})  # fmt: skip
    q, qd = [0.1, 0.2, 0.3, 0.4], [10.0, 1.0, 0.2, 0.3]
    qdd = da.forward_dynamics(m, q, qd, [5.0])
    base, own = da.link_wrenches(m, q, qd, qdd)
    assert np.abs(base[[0, 1, 5]]).max() < 1e-8 < 1e3 < abs(base[2])
    assert own[5] == pytest.approx(5.0, abs=1e-9)


def driven_body():
    """Return a body on two tyres, pushed along and about every freedom of its planar joint."""
    tyre = {"normal": [0, 1, 0], "tyre": {"stiffness": 2000, "peak": 500}, "body": "car"}
    wheels = [tyre | {"name": n, "point": [x, 0, 0]} for n, x in (("rear", 0), ("front", 1.5))]
    body = {"name": "car", "parent": -1, "joint": {"type": "planar", "name": "base"},
            "mass": 100, "com": [0.5, 0, 0], "inertia": [5, 10, 20]}  # fmt: skip
    return da.load({"format": "dalembert/1", "bodies": [body], "wheels": wheels,
                    "active": ["base"]})  # fmt: skip


def test_the_forces_along_a_motion_hold_those_of_tyres():
    m, path = driven_body(), da.trajectory.quintic([0, 0, 0], [1, 1, 1], 1.0)
    t = np.linspace(0, 1, 7)
    found = da.torques_along(m, path, t)
    wanted = da.inverse_dynamics(m, path(t), path.qd(t), path.qdd(t), drives="all")
    np.testing.assert_allclose(found.tau, wanted, rtol=0, atol=1e-9 * np.abs(wanted).max())
    assert np.abs(found.parts["friction"]).max() > 100


def test_a_motor_of_several_freedoms_has_all_its_columns_in_the_linear_model():
    m, q, qd, tau = driven_body(), [0.1, 0.2, 0.3], [2.0, 0.1, 0.2], [5.0, 6.0, 7.0]
    made = da.linearize(m, q, qd, tau)
    assert made.B.shape == (6, 3) == da.linearize(m, q, qd).B.shape
    slopes = [da.forward_dynamics(m, q, qd, tau + e) - da.forward_dynamics(m, q, qd, tau)
              for e in np.eye(3)]  # fmt: skip
    np.testing.assert_allclose(made.B[3:], np.transpose(slopes), rtol=1e-9, atol=1e-12)
