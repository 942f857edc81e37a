"""The kinematic scheme: valid SVG with a sign per joint, names escaped."""

import re
import xml.etree.ElementTree as ET

import pytest

import dalembert as da
from dalembert.view import svg

SPACE = "{http://www.w3.org/2000/svg}"
ROBOTS = [name for name in da.robots.__all__ if name != "REPORT"]


@pytest.mark.parametrize("name", ROBOTS)
def test_every_ready_robot_has_a_scheme_on_its_sheet(name):
    root = ET.fromstring(svg(getattr(da.robots, name)()))
    x, y, width, height = map(float, root.get("viewBox").split())
    ends = [(float(e.get(f"x{k}")), float(e.get(f"y{k}"))) for e in root.iter(f"{SPACE}line")
            for k in (1, 2)]  # fmt: skip
    assert all(x <= a <= x + width and y <= b <= y + height for a, b in ends)


def test_each_revolute_joint_is_a_drum_and_each_slide_a_box():
    root = ET.fromstring(svg(da.robots.stanford()))
    kinds = [b.joint.kind for b in da.robots.stanford().bodies]
    assert len(list(root.iter(f"{SPACE}ellipse"))) == 2 * kinds.count("revolute")
    assert {t.text for t in root.iter(f"{SPACE}text")} == set(da.robots.stanford().joint_names)


def test_names_are_escaped():
    m = da.load({
        "format": "dalembert/1", "name": "<b>",
        "bodies": [{"name": "<i>&\"'", "parent": -1, "joint": {"type": "revolute",
                    "axis": [0, 0, 1]}, "mass": 1}],
    })  # fmt: skip
    assert "<i>" not in svg(m) and ET.fromstring(svg(m)) is not None


@pytest.mark.parametrize("name", ["puma560", "fourbar", "delta", "walker", "flexible2r"])
def test_names_of_a_scheme_stand_apart(name):
    text = svg(getattr(da.robots, name)())
    found = re.findall(r'<text x="([-\d.]+)" y="([-\d.]+)"[^>]*>([^<]*)<', text)
    boxes = [(float(x), float(y), float(x) + 6.5 * len(t)) for x, y, t in found]
    assert len(boxes) > 2
    for k, a in enumerate(boxes):
        for b in boxes[k + 1 :]:
            assert a[2] <= b[0] or b[2] <= a[0] or abs(a[1] - b[1]) >= 11
