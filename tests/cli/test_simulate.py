"""dalembert simulate and dalembert torques: what they print and write."""

import json

import numpy as np
import pytest

import dalembert as da
from dalembert.cli import main

ROD = "RX(-0.4,2),TZK(-1); body 1: M = 1, D = (0, 0, -1);"


def answer(arguments, capsys):
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_simulate_prints_a_table_and_events(capsys):
    assert main(["simulate", ROD, "--q0", "0.5", "--time", "1"]) == 0
    out = capsys.readouterr().out
    assert "steps of dop853" in out and "event at t = 0.809" in out
    assert len(out.splitlines()) == 14


def test_a_table_that_does_not_show_all_says_so(capsys):
    assert main(["simulate", "robot:stewart", "--time", "0.05"]) == 0
    out = capsys.readouterr().out
    joints = len(da.robots.stewart().joint_names)
    assert f"8 of {joints} joints shown; --csv has all" in out
    table = [line.split() for line in out.splitlines() if line.lstrip()[:1].isdigit()]
    assert [len(row) for row in table if row[1] != "of"] == [10] * 11
    fall = "TZ(-0.1,0.1); body 1: M = 1;"
    assert main(["simulate", fall, "--time", "0.01"]) == 0
    assert "shown" not in capsys.readouterr().out


def test_events_that_are_not_shown_are_counted(capsys):
    swing = "RX(-0.1,0.1),TZK(-1); body 1: M = 1, D = (0, 0, -1);"
    assert main(["simulate", swing, "--q0", "0.5", "--time", "60"]) == 0
    out = capsys.readouterr().out
    assert out.count("event at") == 20
    told = [line for line in out.splitlines() if line.startswith("20 of ")]
    assert told and told[0].endswith("events shown; --json has all")


def test_simulate_writes_files(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    names = [str(tmp_path / n) for n in ("a.png", "a.csv", "a.npz")]
    files = ["--plot", names[0], "--csv", names[1], "--npz", names[2]]
    assert main(["simulate", ROD, "--q0", "30deg", "--method", "rk4", *files]) == 0
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "a.csv").read_text().startswith("t,q.j1,qd.j1,tau.j1,energy")
    assert np.load(names[2])["q"].shape == (201, 1)


def test_simulate_goes_to_a_goal(capsys):
    data = answer(["simulate", ROD, "--goal", "1.0", "--time", "10"], capsys)
    assert data["q"][-1][0] == pytest.approx(1.0, abs=1e-6) and data["method"] == "dop853"
    assert len(data["t"]) == 201 and data["events"] == []


def test_simulate_a_truck(capsys):
    given = ["--qd0", "1", "--steer", "delta=0.2", "--time", "2", "--samples", "3"]
    data = answer(["simulate", "robot:truck", *given], capsys)
    assert data["energy"][0] == pytest.approx(data["energy"][-1], rel=1e-9)
    assert data["notes"] == []
    assert main(["simulate", "robot:truck", "--qd0", "1", "--time", "1", "--samples", "3"]) == 0
    assert "steering delta is not given and stays 0" in capsys.readouterr().out


def test_torques_along_a_move(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    files = ["--plot", str(tmp_path / "f.png"), "--csv", str(tmp_path / "f.csv")]
    assert main(["torques", ROD, "--to", "1.5", "--time", "2", *files]) == 0
    out = capsys.readouterr().out
    assert "no limit is passed" in out and (tmp_path / "f.png").exists()
    data = answer(["torques", ROD, "--to", "2.5", "--speed", "1", "--acceleration", "3"], capsys)
    assert data["executable"] is False and data["exceeded"][0]["what"] == "upper position"
    parts = sum(np.array(x) for x in data["parts"].values())
    assert np.allclose(parts, data["tau"])


def test_torques_along_a_line(capsys):
    arm = "RZ(),TXK(1),RZ(),TXK(1); body 1: M=1,D=(0.5,0,0); body 2: M=1,D=(0.5,0,0);"
    given = ["--from", "0.2,1.0", "--point", "0.9,1.2,0", "--frame", "tip"]
    data = answer(["torques", arm, *given], capsys)
    assert len(data["q"]) == 201


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["simulate", ROD, "--time", "-1"], "--time must be positive"),
        (["simulate", ROD, "--goal", "1", "--torque", "1"], "both given"),
        (["simulate", ROD, "--q0", "1,2"], "q0 has shape"),
        (["simulate", ROD, "--steer", "delta"], "a name and one angle"),
        (["torques", ROD], "give either --to or --point"),
        (["torques", ROD, "--to", "1", "--speed", "2"], "belong together"),
    ],
)
def test_what_is_wrong_is_said(arguments, words, capsys):
    assert main(arguments) == 2
    err = capsys.readouterr().err
    assert words in err and err.splitlines()[-1].startswith("error: ")


@pytest.mark.parametrize("command", [["simulate", "--time", "0.01"], ["torques", "--to", "1"]])
def test_an_ending_that_no_plot_has_is_refused_before_the_work(command, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    name, *options = command
    path, table = tmp_path / "x.zzz", tmp_path / "x.csv"
    pendulum = "RX(),TZK(-1); body 1: M = 1, D = (0, 0, -1);"
    code = main([name, pendulum, *options, "--plot", str(path), "--csv", str(table)])
    err = capsys.readouterr().err
    assert code == 2 and "cannot be written as" in err.splitlines()[-1] and "png" in err
    assert not table.exists()


@pytest.mark.parametrize("robot", ["fivebar", "fourbar"])
def test_a_closed_machine_starts_where_its_loops_close(robot, capsys):
    m = getattr(da.robots, robot)()
    assert main(["simulate", f"robot:{robot}", "--time", "0.1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert np.abs(da.closure(m, np.array(found["q"]))).max() < 1e-9
    np.testing.assert_allclose(found["q"][0], da.assemble(m), atol=1e-12)
    energy = np.array(found["energy"])
    np.testing.assert_allclose(energy, energy[0], rtol=1e-6)


def test_simulate_takes_a_closed_loop_to_a_goal_of_its_motors(capsys):
    start = ",".join(f"{x:.12g}" for x in da.assemble(da.robots.fivebar()))
    given = ["--q0", start, "--goal", "1.2,2.3", "--time", "10", "--samples", "3"]
    data = answer(["simulate", "robot:fivebar", *given], capsys)
    q = dict(zip(da.robots.fivebar().joint_names, data["q"][-1], strict=True))
    assert q["crankA"] == pytest.approx(1.2, abs=1e-6) and max(data["residual"]) < 1e-12


def test_simulate_gives_up_after_so_many_steps(capsys):
    assert main(["simulate", ROD, "--q0", "0.5", "--time", "1000", "--max-steps", "50"]) == 1
    assert "more than 50 steps" in capsys.readouterr().err


def test_torques_says_by_how_much_a_limit_is_passed(tmp_path, capsys):
    model = tmp_path / "rod.urdf"
    model.write_text("""<robot name="rod"><link name="base"/>
      <joint name="lift" type="revolute"><parent link="base"/><child link="arm"/>
      <axis xyz="0 1 0"/><limit lower="-3" upper="3" effort="5" velocity="100"/></joint>
      <link name="arm"><inertial><origin xyz="1 0 0"/><mass value="1"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>""")
    assert main(["torques", str(model), "--to", "1"]) == 0
    out = capsys.readouterr().out
    assert "lift: force" in out and " by " in out and "exceeded at rest" in out
    data = answer(["torques", str(model), "--to", "1"], capsys)
    (passed,) = data["exceeded"]
    assert passed["by"] == pytest.approx(abs(passed["value"]) - 5) and data["slower"] is None
