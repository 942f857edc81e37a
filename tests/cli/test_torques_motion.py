"""`dalembert torques --motion`: a measured motion from a table."""

import json

import numpy as np
import pytest

from dalembert.cli import main

pytest.importorskip("scipy")
ARM = "RZ(), TXK(1); gravity = (0, -9.81, 0); body 1: M = 1, D = (0.5, 0, 0), I = (0, 0, 0.1);"


@pytest.fixture
def run(capsys):
    def call(*words):
        code = main(list(words))
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.fixture
def log(tmp_path):
    t = np.linspace(0, 2, 201)
    rows = ["time,pos", *(f"{x!r},{float(np.rad2deg(np.cos(x)))!r}" for x in t.tolist())]
    file = tmp_path / "log.csv"
    file.write_text("\n".join(rows))
    return file


def test_a_row_per_sample_and_a_table_that_reads_back(run, log, tmp_path):
    table = tmp_path / "out.csv"
    given = ["torques", ARM, "--motion", str(log), "--columns", "j1=pos:deg"]
    code, out, err = run(*given, "--csv", str(table), "--json")
    assert code == 0, err
    data = json.loads(out)
    assert len(data["tau"]) == 201
    assert data["tau"][0][0] == pytest.approx(0.35 * -1 + 9.81 * 0.5 * np.cos(1), abs=1e-4)
    again = run("torques", ARM, "--motion", str(table), "--json")[1]
    assert json.loads(again)["tau"] == data["tau"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--to", "1"], "--motion is a whole motion"),
        (["--cutoff", "1,2"], "takes one frequency"),
        (["--cutoff", "1000"], "half the sampling rate"),
        (["--columns", "j1"], "NAME=HEAD"),
    ],
)
def test_bad_options_are_said(run, log, more, message):
    given = ["torques", ARM, "--motion", str(log)]
    given += [] if "--columns" in more else ["--columns", "j1=pos:deg"]
    code, _, err = run(*given, *more)
    assert code == 2 and message in err


def test_options_of_a_motion_need_one(run, log):
    code, _, err = run("torques", ARM, "--to", "1", "--wrench", str(log))
    assert code == 2 and "belongs to --motion" in err


def test_a_plate_with_other_heads_is_told_how_to_map_them(run, log, tmp_path):
    plate = tmp_path / "plate.csv"
    plate.write_text(
        "t;Fx;Fy;Fz\n" + "".join(f"{x / 10:.1f};0;-10,5;0\n".replace(".", ",") for x in range(21))
    )
    given = ["torques", ARM, "--motion", str(log), "--wrench", str(plate), "--json", "--columns"]
    code, _, err = run(*given, "j1=pos:deg")
    assert code == 2 and "--columns foot.f=F reads Fx, Fy, Fz" in err
    _, without, _ = run(*given[:4], "--json", "--columns", "j1=pos:deg")
    code, out, err = run(*given, "j1=pos:deg,tip.f=F")
    assert code == 0, err
    more = np.array(json.loads(out)["tau"]) - np.array(json.loads(without)["tau"])
    lever = np.cos(np.cos(np.linspace(0, 2, 201)))  # of the tip, at the angle cos(t)
    assert more[:, 0] == pytest.approx(10.5 * lever, abs=1e-3)
