"""NaN, infinite, tiny, huge and odd inputs in every slot: a typed error or the right number."""

import numpy as np
import pytest

import dalembert as da

UR5 = da.robots.ur5()
NAMES = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "gravity", "bias", "jacobian")


def inputs(name):
    kernel = da.compile(UR5, name)
    rng = np.random.default_rng(3)
    return kernel, [rng.uniform(-1, 1, p.shape) for p in kernel.inputs]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_finite_is_named_in_every_slot(name, value):
    kernel, given = inputs(name)
    for port, array in zip(kernel.inputs, given, strict=True):
        for k in range(array.size):
            old, array.flat[k] = array.flat[k], value
            results = kernel(*given)  # never an error, never a hang: nan goes through
            if not np.isfinite(results).all():
                with pytest.raises(da.ComputationError, match=f"input '{port.name}'.*state|joint"):
                    getattr(da, name)(UR5, *given)
            array.flat[k] = old
    assert np.isfinite(kernel(*given)).all()


@pytest.mark.parametrize("size", [5e-324, 1e-310, 1e-200])
def test_tiny_numbers_are_as_good_as_zero(size):
    zero = da.inverse_dynamics(UR5, np.zeros(6), np.zeros(6), np.zeros(6))
    tiny = da.inverse_dynamics(UR5, np.full(6, size), np.full(6, size), np.full(6, size))
    np.testing.assert_allclose(tiny, zero, rtol=0, atol=1e-14)


@pytest.mark.parametrize("turns", [1, 10**3, 159_155])
def test_angles_far_out_are_those_of_the_circle(turns):
    """Up to 1e6 rad; an angle that large is known to 1e-10 only."""
    q = np.linspace(-1, 1, 6)
    far = q + 2 * np.pi * turns
    same = np.array([float(np.longdouble(x) % (2 * np.longdouble("3.14159265358979323846264338328"))
                           ) for x in far])  # fmt: skip
    found, wanted = (da.mass_matrix(UR5, x) for x in (far, same))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize("value", [1e200, 1e308])
def test_huge_speeds_overflow_with_a_name(value):
    with pytest.raises(da.ComputationError, match="not finite"):
        da.inverse_dynamics(UR5, np.zeros(6), np.full(6, value), np.zeros(6))


def test_strides_orders_and_kinds_of_numbers_are_taken():
    kernel, (q, qd, qdd) = inputs("inverse_dynamics")
    want = kernel(q, qd, qdd)
    wide = np.zeros((6, 4))
    wide[:, 1] = q
    swapped = q.astype(q.dtype.newbyteorder())
    backwards = q[::-1].copy()[::-1]
    for form in (wide[:, 1], swapped, backwards, q.tolist(), tuple(q), np.asfortranarray(q)):
        assert kernel(form, qd, qdd).tobytes() == want.tobytes()
    frozen = q.copy()
    frozen.flags.writeable = False
    assert kernel(frozen, qd, qdd).tobytes() == want.tobytes()
    whole = kernel(np.ones(6, dtype=np.int32), np.zeros(6, dtype=bool), np.zeros(6, dtype=np.int8))
    assert whole.tobytes() == kernel(np.ones(6), np.zeros(6), np.zeros(6)).tobytes()


@pytest.mark.parametrize("shape", [(5,), (7,), (2, 5), (6, 1), ()])
def test_wrong_shapes_are_refused(shape):
    kernel, (_, qd, qdd) = inputs("inverse_dynamics")
    with pytest.raises(da.UsageError):
        kernel(np.zeros(shape), qd, qdd)


def test_a_place_for_results_may_not_be_shared_or_frozen():
    kernel, (q, qd, qdd) = inputs("inverse_dynamics")
    out = np.zeros(6)
    out.flags.writeable = False
    for bad in (out, np.zeros(5), np.zeros(6, dtype=np.float32), np.zeros(12)[::2], [0.0] * 6):
        with pytest.raises(da.UsageError):
            kernel(q, qd, qdd, out=bad)
    memory = np.zeros(9)
    memory[:6] = q
    try:  # overlapping: refused, or computed as if it were not
        kernel(memory[:6], qd, qdd, out=memory[3:9])
    except da.UsageError:
        return
    assert memory[3:9].tobytes() == kernel(q, qd, qdd).tobytes()


@pytest.mark.parametrize("ratio", [1e6, 1e12])
def test_mass_ratios_keep_the_law_of_conditioning(ratio):
    """Forward dynamics within 1e3 n eps kappa, kappa of M scaled to unit diagonal."""
    from agreement import conditioning

    text = "RZ(),TXK(1),RY(),TXK(1),RZ(),TXK(1); gravity = (0, -9.81, 0);"
    bodies = "; ".join(
        f"body {k}: M = {mass!r}, D = (0.5, 0.1, 0), I = ({i!r}, {i!r}, {i!r})"
        for k, (mass, i) in enumerate([(ratio, ratio), (1.0, 1.0), (1 / ratio, 1 / ratio)], 1)
    )
    for values in (bodies, bodies.replace(repr(ratio), "X").replace(repr(1 / ratio), repr(ratio))
                   .replace("X", repr(1 / ratio))):  # fmt: skip
        m = da.load(f"{text} {values};")
        rng = np.random.default_rng(1)
        for _ in range(20):
            q, qd, qdd = rng.uniform(-1, 1, (3, 3))
            tau = da.inverse_dynamics(m, q, qd, qdd)
            M = da.mass_matrix(m, q)
            kappa, d = conditioning(M)
            back = da.forward_dynamics(m, q, qd, tau)
            size = max(np.abs(d * qdd).max(), (np.abs(tau) / d).max())
            assert (np.abs(d * (back - qdd)) <= 1e3 * 3 * 2.3e-16 * kappa * size).all()


@pytest.mark.parametrize("length", [0.0, 0.999, 2.0])
def test_a_quaternion_that_is_no_unit_is_refused(length):
    m = da.load({"bodies": [{"name": "base", "mass": 2, "parent": -1, "com": [0.5, 0, 0],
                             "inertia": [1, 1, 1], "joint": {"type": "free"}}]})  # fmt: skip
    q = np.tile(da.neutral(m), (3, 1))
    q[1, 3:7] *= length
    for call in (
        lambda: da.gravity(m, q),
        lambda: da.mass_matrix(m, q[1]),
        lambda: da.linearize(m, q[1]),
        lambda: da.simulate(m, q, t=0.1) if abs(length - 1) > 1e-2 else da.pose(m, q),
    ):
        with pytest.raises(da.UsageError, match="the quaternion of joint 'base'"):
            call()
    assert np.isfinite(da.gravity(m, q, check=False)).all()


def test_a_pose_that_turns_and_stretches_is_refused():
    m, rest = da.robots.stewart(), np.zeros(6)
    pose = np.eye(4)
    pose[2, 3] = 0.5
    for change, told in (
        (np.diag([1.5, 1.5, 1.5, 1]), "unit vectors"), (np.diag([-1, 1, 1, 1]), "left-handed"),
    ):  # fmt: skip
        with pytest.raises(da.UsageError, match=told):
            da.actuator_forces(m, pose @ change, rest, rest)
        with pytest.raises(da.UsageError, match=told):
            da.inverse_kinematics(UR5, pose @ change)


def test_masked_entries_are_no_numbers():
    with pytest.raises(da.UsageError, match="masked"):
        da.gravity(UR5, np.ma.masked_array(np.ones(6), mask=[0, 1, 0, 0, 0, 0]))
