"""One state from a kernel that is kept: the numbers of `evaluate`, without NumPy."""

import os
import sys

import numpy as np
import pytest

import dalembert as da
from dalembert.compute.evaluate import evaluate
from dalembert.compute.quick import quick
from test_import_time import heavy, import_times

ASKED = [
    ("inverse_dynamics", ("q", "qd", "qdd"), {}),
    ("mass_matrix", ("q",), {}),
    ("kinetic_energy", ("q", "qd"), {}),
    ("pose", ("q",), {"frame": "tool0"}),
    ("inverse_dynamics_derivatives", ("q", "qd", "qdd"), {"drives": "none"}),
]


def mapped_here():
    return sys.platform == "linux" and os.uname().machine == "x86_64"


def given(m, names, seed=3):
    rng = np.random.default_rng(seed)
    return [rng.normal(size=m.nq if n == "q" else m.nv) for n in names]


@pytest.mark.parametrize(("name", "inputs", "options"), ASKED)
def test_a_kept_kernel_gives_what_evaluate_gives(name, inputs, options):
    m = da.robots.ur5()
    if "frame" in options:
        options = {"frame": m.frames[-1]}
    arrays = given(m, inputs)
    wanted = evaluate(m, name, *arrays, **options)
    found = quick(m, name, [x.tolist() for x in arrays], None, **options)
    for a, b in zip(found, wanted if isinstance(wanted, tuple) else (wanted,), strict=True):
        assert np.shape(a) == b.shape and np.array_equal(a, b)


def test_what_must_be_checked_or_made_is_left_to_evaluate(monkeypatch, tmp_path):
    m = da.robots.ur5()
    q = [0.1] * 6
    evaluate(m, "gravity", q)
    assert quick(m, "gravity", [q], None) is not None
    assert quick(m, "gravity", [[float("nan")] * 6], None) is None
    assert quick(m, "gravity", [q[:5]], None) is None
    assert quick(m, "gravity", [q], None, branch=1) is None
    loop = da.robots.fivebar()
    assert quick(loop, "active_torques", [[0.0] * 4] * 3, None) is None
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path))
    assert quick(m, "gravity", [q], None) is None


def test_a_machine_of_many_bodies_is_asked_for_the_kernel_of_one_state():
    m = da.robots.eel(45)
    q = da.neutral(m)
    wanted = evaluate(m, "gravity", q)
    (found,) = quick(m, "gravity", [q.tolist()], None)
    assert np.array_equal(found, wanted)


def test_eval_from_the_cache_imports_no_numpy():
    words = ["eval", "robot:ur5", "inverse_dynamics", "--q", "0,1,0,0,0,0"]
    code = f"import sys; from dalembert.cli import main; sys.exit(main({words}))"
    import_times(code)  # fills the cache
    found = import_times(code)
    assert heavy(found) == {"llvmlite"}  # its version
    if mapped_here():
        assert "llvmlite.binding" not in found
