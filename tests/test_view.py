"""A mechanism prints as a table of joints, axes, offsets and inertias, in a notebook as HTML."""

import dalembert as da

ARM = "RZ(A1,B1),TXK(L1),elbow: RX(A2,B2),RYK(30deg),TZK(1/3); gravity = (0, G, 0);"


def test_a_table_names_joints_axes_offsets_and_inertias():
    assert str(da.load(ARM)).splitlines() == [
        "mechanism: 2 joints, nq = 2, nv = 2",
        "#  joint  type      axis   on    offset  rotation  mass  centre       inertia",
        "1  j1     revolute  0 0 1  base  0       -         M1    D1 0 0       0 IY1 IZ1 0 0 0",
        "2  elbow  revolute  1 0 0  j1    L1 0 0  -         M2    DX2 DY2 DZ2"
        "  IX2 IY2 IZ2 IXY2 IXZ2 IYZ2",
        "gravity: 0 G 0 m/s²",
        "total mass: M1+M2",
        "limits j1: q A1 to B1 rad",
        "limits elbow: q A2 to B2 rad",
        "parameters: A1, B1, L1, A2, B2, M1, D1, IY1, IZ1, M2, DX2, DY2, DZ2, IX2, IY2, IZ2, IXY2,"
        " IXZ2, IYZ2, G = -9.81",
        "frames: tip",
    ]


def test_at_a_prompt_a_mechanism_is_one_line():
    assert repr(da.load("RZ();")) == "<Mechanism mechanism: 1 joint, nq = 1, nv = 1>"


def test_the_middle_of_a_long_mechanism_is_left_out():
    lines = str(da.load(",".join(["RZ(),TXK(1)"] * 1000) + ";")).splitlines()
    assert len(lines) < 100 and lines[31].startswith("30 ") and lines[32] == "..."
    assert lines[33].startswith("971 ")


def test_names_cannot_write_html():
    body = {"name": "<script>", "parent": -1, "joint": {"type": "revolute"}, "mass": 1}
    data = {"format": "dalembert/1", "name": "<b>", "bodies": [body]}
    text = da.load(data)._repr_html_()
    assert "<script>" not in text and "&lt;script&gt;" in text and "<b>" not in text
    assert text.startswith("<table>") and text.count("<tr>") == 2


def test_symbols_about_the_origin_are_shown_as_they_were_given():
    table = str(da.robots.rx90())
    assert "(MX2 MY2 MZ2)/M2" in table
    assert "XX2 YY2 ZZ2 XY2 XZ2 YZ2 at origin" in table and "**2" not in table
