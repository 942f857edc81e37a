"""Public logs of real robots: friction and gravity loads are those their authors found.

Looked for in DALEMBERT_LOGS, tests are skipped without them; nothing of them is kept here.

- `ur10e/`: shamilmamedov/dynamic_calibration, dataset_ur10e and URe/urdf/ur10e.urdf;
- `panda/`: marcocognetti/FrankaEmikaPandaDynModel, matlab/data/Exciting_Traj (Gaz et al. 2019);
- `tx40/`: thanhndv212/figaroh-examples, examples/staubli_TX40.
"""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanism import Drive

pytest.importorskip("scipy")
PLACE = Path(os.environ.get("DALEMBERT_LOGS", "logs"))


def needs(name):
    return pytest.mark.skipif(not (PLACE / name).is_dir(), reason="no public logs here")


def table(m, t, q, tau):
    rows = {"t": t} | {f"q.{n}": q[:, k] for k, n in enumerate(m.rate_names)}
    return rows | {f"tau.{n}": tau[:, k] for k, n in enumerate(m.rate_names)}


@needs("ur10e")
def test_a_ur10e_through_its_currents():
    """Unequal sampling at 94 Hz; gains and friction are those of the authors' last fit."""
    m = da.load(PLACE / "ur10e/ur10e.urdf")
    log = np.loadtxt(PLACE / "ur10e/ur-20_02_12-50sec_12harm.csv", delimiter=",")
    gains = np.array([10.0, 10.6956, 8.4566, 9.0029, 9.48, 10.1232])
    d = da.read_motion(table(m, log[:, 0], log[:, 1:7], log[:, 13:19] * gains), m, cutoff=5.0)
    f = da.identify(m, d)
    assert min(f.r_squared.values()) > 0.98 and f.physical
    viscous = [f.base[f"FV{k + 1}"] for k in range(6)]
    coulomb = [f.base[f"FS{k + 1}"] for k in range(6)]
    assert viscous == pytest.approx([21.26, 20.22, 10.38, 3.575, 2.49, 3.026], rel=0.25)
    assert coulomb == pytest.approx([12.55, 13.27, 4.994, 1.998, 2.69, 2.298], rel=0.25)


@needs("panda")
def test_a_panda_against_its_published_parameters():
    """1 kHz with four pauses of the recorder; friction was compensated by the robot."""
    m = da.robots.panda()
    t, q, tau = (np.loadtxt(PLACE / f"panda/exciting_traj_{n}.txt")
                 for n in ("time", "positions", "torques"))  # fmt: skip
    d = da.read_motion(table(m, t, q.reshape(-1, 7), tau.reshape(-1, 7)), m, cutoff=5.0)
    assert len(d.gaps) == 4 and all(g.bridged for g in d.gaps)
    f = da.identify(m, d)
    assert min(f.r_squared.values()) > 0.97 and f.physical
    for name in ("MYR2", "MXR3", "MXR4", "MYR4", "XXR2", "ZZR2", "XXR4", "ZZR4"):
        assert f.base[name] == pytest.approx(f.nominal_base[name], rel=0.07), name
    for joint, loss in enumerate(f.r_squared.values()):
        assert loss > 0.97, joint


@needs("tx40")
def test_a_tx40_through_its_motors():
    """Motor angles at 5 kHz, joints 5 and 6 coupled by their gears, no column of times."""
    m = da.load(PLACE / "tx40/tx40_mdh_modified.urdf")
    rotors = (0.36, 0.36, 0.1, 0.03, 0.05, 0.01)
    m = replace(m, drives=tuple(Drive(j, inertia=x) for j, x in enumerate(rotors)))
    motor, current = (np.loadtxt(PLACE / f"tx40/{n}_data.csv", delimiter=",", skiprows=1)
                      for n in ("pos_read", "curr"))  # fmt: skip
    gear, force = (np.diag([32.0, 32, 45, -48, 45, 32]) for _ in range(2))
    gear[5, 4] = force[4, 5] = 32
    q, tau = motor @ np.linalg.inv(gear).T, current @ force.T
    d = da.read_motion(table(m, 2e-4 * np.arange(len(q)), q, tau), m, cutoff=20.0)
    f = da.identify(m, d, friction="offset")
    published = {"FV": (8.05, 5.53, 1.97, 1.11), "FS": (7.14, 8.26, 6.34, 2.48)}
    for kind, values in published.items():
        for k, x in enumerate(values):  # a wrist with coupled friction is not modelled
            low, high = f.interval[f"{kind}{k + 1}"]
            assert low < x < high and high - low < 0.4 * x, f"{kind}{k + 1}"
