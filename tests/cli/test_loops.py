"""Closed loops on the command line: names beside numbers, agreement, equations with closure."""

import pytest

from dalembert.cli import main

ROBOTS = ["fourbar", "fivebar", "parallelogram_arm", "three_rrr", "delta", "stewart"]


def shown(capsys, *arguments):
    assert main(list(arguments)) == 0
    return capsys.readouterr().out


def test_results_of_loops_stand_beside_the_names_of_joints(capsys):
    text = shown(capsys, "eval", "robot:fivebar", "assembly")
    found = [line.split()[0] for line in text.split("\nq\n")[1].splitlines()]
    assert found == ["crankA", "rodA", "crankB", "rodB"]
    text = shown(capsys, "eval", "robot:fivebar", "active_map")
    assert text.split("\nG\n")[1].splitlines()[0].split() == ["crankA", "crankB"]
    text = shown(capsys, "eval", "robot:fivebar", "closure")
    assert "loop 1 (rodA - rodB), equation 5" in text


def test_a_pose_that_is_open_says_where_and_what_to_call(capsys):
    assert main(["eval", "robot:fivebar", "inverse_dynamics", "--q", "0,0,0,0"]) == 1
    error = capsys.readouterr().err
    assert "loop 1 (rodA - rodB)" in error and "leave out --q" in error


@pytest.mark.parametrize("name", ROBOTS)
def test_a_closed_robot_is_checked_without_remarks_on_speeds(name, capsys):
    assert "speeds" not in shown(capsys, "check", f"robot:{name}")


@pytest.mark.slow
@pytest.mark.parametrize("name", ROBOTS)
def test_formalisms_agree_on_every_closed_robot(name, capsys):
    assert "MISS" not in shown(capsys, "agree", f"robot:{name}", "--states", "10")


def test_equations_come_with_closure_and_G(capsys):
    text = shown(capsys, "derive", "robot:fivebar")
    assert "0 = 0.4*sin(q3)+0.6*sin(q3+q4)-0.4*sin(q1)-0.6*sin(q1+q2)" in text
    assert "G41 = 0.24*sin(q2)/D1" in text and "A12 = " in text and "tau3 = " in text
    assert "## Closure" in shown(capsys, "derive", "robot:fivebar", "--form", "markdown")


@pytest.mark.slow
def test_a_platform_on_a_free_joint_is_taken_apart_with_its_loops(capsys):
    assert main(["derive", "robot:stewart"]) == 2
    assert "--expand" in capsys.readouterr().err
    text = shown(capsys, "derive", "robot:stewart", "--expand")
    assert "18 closure equations, 18 independent; mobility 6; 6 motors" in text
    assert "q25" not in text  # six coordinates, no quaternion
