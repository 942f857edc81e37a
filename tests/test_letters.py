"""A parameter that was given a value is still one to vary and differentiate by."""

import numpy as np
import pytest

import dalembert as da

PHRASE = (
    "RZ(), TXK(L1), RZ(), TXK(L2); gravity = (0, -9.81, 0); body 1: M = 3*L1, D = (L1/2, 0, 0); "
    "body 2: M = 2, D = (L2/2, 0, 0);"
)
STATE = [0.1, 0.2], [0.3, 0.4], [0.5, 0.6]


def test_a_value_may_be_given_again_and_varied():
    m = da.load(PHRASE).with_values(L1=0.5, L2=0.4)
    assert m.open_parameters == () and da.equations(m).constants is not None
    assert "L1" not in da.equations(m).text()  # closed forms hold numbers
    other = da.load(PHRASE).with_values(L1=0.7, L2=0.4)
    assert m.with_values(L1=0.7) == other
    wanted = da.inverse_dynamics(other, *STATE)
    assert np.allclose(da.inverse_dynamics(m, *STATE, parameters={"L1": 0.7}), wanted, rtol=1e-13)
    k = da.compile(m, "inverse_dynamics", parameters=["L1"])
    assert k.parameters == ("L1",) and k.defaults == {"L1": 0.5}
    assert np.allclose(k(*STATE), da.inverse_dynamics(m, *STATE), rtol=1e-13)
    many = k(*STATE, parameters={"L1": np.array([0.5, 0.7])})
    assert np.allclose(many[1], wanted, rtol=1e-13)


def test_edits_keep_the_names():
    m = da.load(PHRASE).with_values(L1=0.5, L2=0.4)
    loaded = m.with_payload("tip", 1.5, (0, 0, 0)).with_gravity((0, -3.7, 0)).lock(["j2"], at=0.3)
    k = da.compile(loaded, "inverse_dynamics", wrt=["L2"])
    tau, slope = k([0.1], [0.2], [0.3])
    assert np.allclose(tau, da.inverse_dynamics(loaded, [0.1], [0.2], [0.3]), rtol=1e-12)
    h = 1e-6
    ends = [da.inverse_dynamics(loaded.with_values(L2=0.4 + s * h), [0.1], [0.2], [0.3])
            for s in (1, -1)]  # fmt: skip
    assert slope == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-6)


def test_edits_keep_what_they_were_given():
    m = da.load(PHRASE).with_values(L1=0.5, L2=0.4)
    com, at = np.array([0.1, 0, 0]), [0.3]
    loaded = m.with_payload("tip", 1.5, com).lock(["j2"], at=at)
    com[0], at[0] = 5.0, 1.2  # the caller goes on with its own arrays
    again = m.with_payload("tip", 1.5, (0.1, 0, 0)).lock(["j2"], at=0.3)
    assert loaded.with_values(L2=0.6) == again.with_values(L2=0.6)


def test_sweeps_simulations_and_exports_take_the_names(tmp_path):
    m = da.load(PHRASE).with_values(L1=0.5, L2=0.4)
    move = {"joint_moves": [{"to": [1.0, 0.5], "time": 1.0}], "samples": 20}
    s = da.sweep(m, {"L1": [0.3, 0.5]}, task=move, measure=["peak"], workers=1)
    assert len(set(s.columns["peak"])) == 2
    r = da.simulate(m, [0.1, 0.2], t=[0, 0.5], parameters={"L1": np.array([0.5, 0.6])})
    one = da.simulate(m.with_values(L1=0.6), [0.1, 0.2], t=[0, 0.5])
    assert np.abs(r.q[1] - one.q).max() < 1e-7
    da.export(m, "gravity", "c", tmp_path, parameters=["L2"])
    assert "L2" in next(tmp_path.glob("*.h")).read_text()


def test_a_name_that_never_was_is_still_an_error():
    m = da.load(PHRASE).with_values(L1=0.5, L2=0.4)
    with pytest.raises(da.ParameterError, match="no parameter 'L3'"):
        m.with_values(L3=1.0)
    with pytest.raises(da.ParameterError, match="no parameter 'L3'"):
        da.compile(m, "gravity", parameters=["L3"])
