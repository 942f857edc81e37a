"""Industrial and research arms with published geometry and mass data, each with its source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from ..algebra import Rotation, Transform, Vec3
from ..errors import UsageError
from ..expr.exact import exact
from ..mechanism import Frame, Mechanism
from .readers import read_dh, read_native, read_phrase

AXES = ("XX", "YY", "ZZ", "XY", "XZ", "YZ")


def standard_parameters(k: int) -> dict[str, Any]:
    """Return ten symbolic inertial parameters of link k for a Denavit-Hartenberg row."""
    six = tuple(f"{axes}{k}" for axes in AXES)
    return {"m": f"M{k}", "first_moment": (f"MX{k}", f"MY{k}", f"MZ{k}"), "I_origin": six}


# d, a, alpha, theta of the slide; mass, centre, diagonal inertia at the far end; rotor; limits
_STANFORD = (
    ("0.412", "0", "-90deg", "9.29", ("0", "0.0175", "-0.1105"), ("0.276", "0.255", "0.071"),
     "0.953", "17/18*pi"),
    ("0.154", "0", "90deg", "5.01", ("0", "-0.1054", "0"), ("0.108", "0.018", "0.1"),
     "2.193", "17/18*pi"),
    (None, "0.0203", "0", "4.25", ("0", "0", "-0.6447"), ("2.51", "2.51", "0.006"), "0.782", ""),
    ("0", "0", "-90deg", "1.08", ("0", "0.0092", "-0.0054"), ("0.002", "0.001", "0.001"),
     "0.106", "17/18*pi"),
    ("0", "0", "90deg", "0.63", ("0", "0.0566", "0.0003"), ("0.003", "0.0004", "0"),
     "0.097", "pi/2"),
    ("0", "0", "0", "0.51", ("0", "0", "0.1554"), ("0.013", "0.013", "0.0003"),
     "0.02", "17/18*pi"),
)  # fmt: skip


def stanford() -> Mechanism:
    """Return the Stanford arm, RRPRRR, in standard Denavit-Hartenberg frames.

    Geometry: Stanford AIM-177, figure 2.3. Mass data: Paul, Robot manipulators (1981), tables 6.5
    and 6.6, as distributed in the Robotics Toolbox (models/DH/Stanford.py), which prints the mass
    centres of links 2 to 6 in decimetres: they stand in metres here. The reflected rotor inertia is
    given, gear ratios are not; the zero inertia of link 5 about z is that of the source.

    >>> [b.joint.kind[0] for b in stanford().bodies]
    ['r', 'r', 'p', 'r', 'r', 'r']
    """
    rows: list[dict[str, Any]] = []
    for d, a, alpha, m, com, I, Ia, limit in _STANFORD:
        row = {"a": a, "alpha": alpha, "m": m, "com": com, "I": I, "Ia": Ia}
        if d is None:
            limits = ("0.3048", "1.27")  # 12 inches and 38 more
            row |= {"type": "prismatic", "theta": "-90deg", "qlim": limits}
        else:
            row |= {"d": d, "qlim": (f"-{limit}", limit)}
        rows.append(row)
    return read_dh(rows, "standard", name="stanford")


_RX90: tuple[dict[str, str], ...] = (
    {},
    {"alpha": "90deg"},
    {"d": "D3"},
    {"alpha": "-90deg", "r": "RL4"},
    {"alpha": "90deg"},
    {"alpha": "-90deg"},
)


def rx90(drives: bool = False) -> Mechanism:
    """Return the Stäubli RX90, every parameter a symbol, in modified Denavit-Hartenberg frames.

    Khalil and Dombre, Modélisation, identification et commande des robots (1999), as distributed
    with OpenSYMORO (robots/RX90/RX90.par): lengths D3 and RL4, ten inertial parameters a link about
    the frame origin, gravity G3 along z0 (its signed component). With `drives` also IA, FV and FS.

    >>> rx90().nv
    6
    """
    rows: list[dict[str, Any]] = []
    for k, cells in enumerate(_RX90, 1):
        row: dict[str, Any] = {**cells, "theta": f"th{k}", **standard_parameters(k)}
        rows.append(row | ({"Ia": f"IA{k}", "Fv": f"FV{k}", "Fs": f"FS{k}"} if drives else {}))
    return read_dh(rows, name="RX90", gravity=(0, 0, "G3"))


# theta, d, a, alpha; mass, first moment, tensor about the frame origin; rotor, viscous, Coulomb
_TX40 = (
    ("0", "0", "0", "0", "8.61", ("0", "0", "-0.4305"),
     ("0.424", "0", "0", "0.424", "0", "0.352"), "0.362", "7.9379", "6.9822"),
    ("-90deg", "0", "0", "-90deg", "4.85", ("0.392", "-0.0072", "0.162"),
     ("0.0163", "0.000785", "-0.0157", "0.0881", "0.000324", "0.0828"),
     "0.507", "5.6948", "7.8301"),
    ("90deg", "0.035", "0.225", "0", "4.07", ("0.0326", "0.0244", "0.265"),
     ("0.0223", "-0.000195", "-0.00116", "0.0224", "-0.00222", "0.00441"),
     "0.0829", "1.9804", "6.1939"),
    ("0", "0.225", "0", "90deg", "3.62", ("0.0145", "-0.00724", "-0.586"),
     ("0.109", "0.000029", "0.00135", "0.108", "-0.00117", "0.00407"),
     "0.0341", "1.1141", "2.4063"),
    ("0", "0", "0", "-90deg", "1.02", ("0", "-0.00306", "-0.00102"),
     ("0.00101", "0", "0", "0.001", "-0.00000306", "0.00101"), "0.0361", "1.6", "3.4092"),
    ("180deg", "0", "0", "90deg", "0.2", ("0", "0", "0.0084"),
     ("0.00353", "0", "0", "0.00353", "0", "0.000353"), "0.0114", "0.6894", "1.8313"),
)  # fmt: skip


def tx40() -> Mechanism:
    """Return the Stäubli TX40 in Craig's frames, with rotor inertia and friction at the joints.

    Leboutet, Roux, Janot, Guadarrama-Olvera and Cheng, Inertial parameter identification in
    robotics: a survey (2021), data of the accompanying BIRDy benchmark (TUM-ICS/BIRDy). Its tensors
    are read in the order XX, XY, XZ, YY, YZ, ZZ about the frame origin. The coupling of joints 5
    and 6 in the wrist (Fvm6 = 0.8, Fcm6 = 1.6) has no place in a drive and is left aside.

    >>> float(tx40().total_mass)
    22.37
    """
    columns = ("theta", "d", "a", "alpha", "m", "first_moment", "I_origin", "Ia", "Fv", "Fs")
    rows = [dict(zip(columns, row, strict=True)) for row in _TX40]
    m = read_dh(rows, "craig", name="tx40", inertia_order="symoro")
    note = "not modelled: friction of the wrist coupling of joints 5 and 6"
    return replace(m, notes=(*m.notes, note), checked=True)


# mass, sides and centre in the joint frame of a uniform box; z points down from the quill on
_SCARA = (
    ("10", ("0.44", "0.16", "0.12"), ("0.1625", "0", "-0.06")),
    ("8", ("0.38", "0.14", "0.2"), ("0.1375", "0", "0.05")),
    ("1.2", ("0.02", "0.02", "0.35"), ("0", "0", "-0.1")),
    ("0.3", ("0.05", "0.05", "0.03"), ("0", "0", "0.06")),
)


def scara() -> Mechanism:
    """Return the Adept Cobra 600, RRPR, with its lengths and nominal inertial parameters.

    Geometry and limits: Robotics Toolbox (models/DH/Cobra600.py). Neither it nor the maker gives
    the masses of the links, and no measured set that could be cited was found. The default values
    are therefore nominal: each link is a uniform box of plausible size (the table above). Every
    one is a parameter (M1, MX1, XX1 ... about the origin of its joint frame): give your own with
    `with_values`.

    >>> m = scara()
    >>> m.nv, float(m.bound().total_mass)
    (4, 19.5)
    """
    rows: list[dict[str, Any]] = [
        {"d": "0.387", "qlim": ("-5/18*pi", "5/18*pi")},
        {"a": "0.325", "qlim": ("-22/45*pi", "22/45*pi")},
        {"type": "prismatic", "a": "0.275", "alpha": "180deg", "qlim": ("0", "0.21")},
        {},
    ]
    rows = [row | standard_parameters(k) for k, row in enumerate(rows, 1)]
    m = read_dh(rows, "craig", name="scara")
    values = {name: x for k, box in enumerate(_SCARA, 1) for name, x in _boxed(k, *box).items()}
    note = "masses are nominal (uniform boxes), not measured: give your own values"
    parameters = tuple(replace(p, value=values[p.name]) for p in m.parameters)
    return replace(m, parameters=parameters, notes=(*m.notes, note), checked=True)


def _boxed(k: int, mass: str, sides: Sequence[str], centre: Sequence[str]) -> dict[str, Any]:
    """Return the values of the ten parameters of link k, a uniform box."""
    m = Fraction(mass)
    a, b, c = (Fraction(s) ** 2 for s in sides)
    own = m * (b + c) / 12, m * (a + c) / 12, m * (a + b) / 12
    x, y, z = (Fraction(s) for s in centre)
    tensor = (own[0] + m * (y * y + z * z), own[1] + m * (x * x + z * z),
              own[2] + m * (x * x + y * y), -m * x * y, -m * x * z, -m * y * z)  # fmt: skip
    names = (f"M{k}", f"MX{k}", f"MY{k}", f"MZ{k}", *(f"{axes}{k}" for axes in AXES))
    return dict(zip(names, (m, m * x, m * y, m * z, *tensor), strict=True))


# link, joint, offset, turn about y, axis; mass, height of the centre, XX = YY, ZZ; limits
_UR5 = (
    ("shoulder_link", "shoulder_pan_joint", ("0", "0", "0.089159"), "0", "z",
     "3.7", "0", "0.010267495893", "0.00666", ("2*pi", "3.15", "150")),
    ("upper_arm_link", "shoulder_lift_joint", ("0", "0.13585", "0"), "pi/2", "y",
     "8.393", "0.28", "0.22689067591", "0.0151074", ("2*pi", "3.15", "150")),
    ("forearm_link", "elbow_joint", ("0", "-0.1197", "0.425"), "0", "y",
     "2.275", "0.25", "0.049443313556", "0.004095", ("pi", "3.15", "150")),
    ("wrist_1_link", "wrist_1_joint", ("0", "0", "0.39225"), "pi/2", "y",
     "1.219", "0", "0.0025599", "0.0021942", ("2*pi", "3.2", "28")),
    ("wrist_2_link", "wrist_2_joint", ("0", "0.093", "0"), "0", "z",
     "1.219", "0", "0.0025599", "0.0021942", ("2*pi", "3.2", "28")),
    ("wrist_3_link", "wrist_3_joint", ("0", "0", "0.09465"), "0", "y",
     "0.1879", "0", "0.000084695925", "0.0001321171875", ("2*pi", "3.2", "28")),
)  # fmt: skip


def ur5() -> Mechanism:
    """Return the Universal Robots UR5 with the frames and numbers of its ROS description.

    ROS-Industrial, universal_robot/ur_description (urdf/ur5.urdf.xacro). Its lengths are those of
    the maker's Denavit-Hartenberg table (d1 = 0.089159, a2 = -0.425, a3 = -0.39225, d4 = 0.10915,
    d5 = 0.09465, d6 = 0.0823); its tensors are those of cylinders, the maker publishes none. The
    cylinders of the wrist are those of the later ur_description/config/ur5/physical_parameters.yaml
    (radius 0.06, length 0.12; 0.0375, 0.0345 of the last): the first files, and those that
    example-robot-data 6.0.0 distributes, have a radius of 0.6 m there. `tool0` is the flange.
    Universal Robots' own later description for ROS 2 differs from this one.

    >>> ur5().joint_names[2]
    'elbow_joint'
    """
    bodies: list[dict[str, Any]] = []
    for k, (link, name, offset, turn, axis, m, height, xx, zz, limits) in enumerate(_UR5):
        bound, speed, effort = limits
        place: dict[str, Any] = {"translation": offset}
        place |= {} if turn == "0" else {"rotation": [["y", turn]]}
        joint = {
            "type": "revolute", "name": name, "axis": [int(axis == u) for u in "xyz"],
            "placement": place, "limits": [f"-{bound}", bound],
            "velocity_limit": speed, "effort_limit": effort,
        }  # fmt: skip
        bodies.append({"name": link, "parent": k - 1, "joint": joint, "mass": m,
                       "com": [0, 0, height], "inertia": [xx, xx, zz]})  # fmt: skip
    tool = {"translation": ["0", "0.0823", "0"], "rotation": [["x", "-pi/2"]]}
    frames = [{"name": "tool0", "body": "wrist_3_link", "placement": tool}]
    return read_native({"name": "ur5", "bodies": bodies, "frames": frames})


# a, d, alpha; mass, centre, tensor about the centre XX YY ZZ XY XZ YZ; limits
_PANDA = (
    ("0", "0.333", "0", "4.970684", ("0.003875", "0.002081", "-0.04762"),
     ("0.70337", "0.70661", "0.009117", "-0.000139", "0.006772", "0.019169"),
     ("-2.8973", "2.8973")),
    ("0", "0", "-90deg", "0.646926", ("-0.003141", "-0.02872", "0.003495"),
     ("0.007962", "0.02811", "0.025995", "-0.003925", "0.010254", "0.000704"),
     ("-1.7628", "1.7628")),
    ("0", "0.316", "90deg", "3.228604", ("0.027518", "0.039252", "-0.066502"),
     ("0.037242", "0.036155", "0.01083", "-0.004761", "-0.011396", "-0.012805"),
     ("-2.8973", "2.8973")),
    ("0.0825", "0", "90deg", "3.587895", ("-0.05317", "0.104419", "0.027454"),
     ("0.025853", "0.019552", "0.028323", "0.007796", "-0.001332", "0.008641"),
     ("-3.0718", "-0.0698")),
    ("-0.0825", "0.384", "-90deg", "1.225946", ("-0.011953", "0.041065", "-0.038437"),
     ("0.035549", "0.029474", "0.008627", "-0.002117", "-0.004037", "0.000229"),
     ("-2.8973", "2.8973")),
    ("0", "0", "90deg", "1.666555", ("0.060149", "-0.014117", "-0.010517"),
     ("0.001964", "0.004354", "0.005433", "0.000109", "-0.001158", "0.000341"),
     ("-0.0175", "3.7525")),
    ("0.088", "0", "90deg", "0.735522", ("0.010517", "-0.004252", "0.061597"),
     ("0.012516", "0.010027", "0.004815", "-0.000428", "-0.001196", "-0.000741"),
     ("-2.8973", "2.8973")),
)  # fmt: skip


def panda() -> Mechanism:
    """Return the Franka Emika Panda, seven joints without a hand, in Craig's frames.

    Geometry and limits: Franka's documentation of the Franka Control Interface. Mass data: Gaz,
    Cognetti, Oliva, Robuffo Giordano and De Luca, Dynamic identification of the Franka Emika Panda
    robot with retrieval of feasible parameters using penalty-based optimization (2019), as printed
    in frankaemika/franka_ros (franka_description/robots/common/inertial.yaml). `flange` stands
    0.107 m beyond the last joint.

    >>> panda().nv
    7
    """
    columns = ("a", "d", "alpha", "m", "com", "I", "qlim")
    m = read_dh([dict(zip(columns, r, strict=True)) for r in _PANDA], "craig", name="panda")
    flange = Frame("flange", 6, Transform(Rotation(), Vec3(0, 0, exact(0.107))))
    return replace(m, named=(flange,), checked=False)


REPORT = (
    "RY(T1MIN,T1MAX),TYK(L1),RX(T2MIN,T2MAX),TYK(L2),RX(T3MIN,T3MAX),TZK(L3),"
    "RX(T4MIN,T4MAX),TZK(0),RY(T5MIN,T5MAX),TZK(0),RZ(T6MIN,T6MAX),TZK(L6); gravity = (0, G, 0);"
)


def report6r() -> Mechanism:
    """Return the six-revolute robot of the 1980 report, all data symbolic.

    Liégeois and Aldon, Génération et programmation automatiques des équations de la dynamique des
    robots, INRIA RR 32 (1980), section 4.

    >>> report6r().nv
    6
    """
    return read_phrase(REPORT, name="report6r")


def planar2r() -> Mechanism:
    """Return the planar two-revolute arm with mass centres at the segment ends, gravity along -y.

    DeSantis, Dynamique des systèmes mécaniques (1996), section 7: m1, m2, l1, l2, j1, j2 symbolic.

    >>> planar2r().joint_names
    ('j1', 'j2')
    """
    return read_phrase(
        "RZ(), TXK(l1), RZ(), TXK(l2);"
        "body 1: M = m1, D = (l1, 0, 0), I = (0, 0, j1);"
        "body 2: M = m2, D = (l2, 0, 0), I = (0, 0, j2);"
        "gravity = (0, G, 0);",
        name="planar2r",
    )


# standard DH: d, a, alpha; mass, centre, diagonal inertia at the far end of the link; then motor
# inertia, gear ratio, viscous friction, Coulomb friction in both senses, all on the motor side
_PUMA = (
    ("0.672", "0", "90deg", "0", ("0", "0", "0"), ("0", "0.35", "0"),
     "0.0002", "-62.6111", "0.00148", ("0.395", "-0.435")),
    ("0", "0.4318", "0", "17.4", ("-0.3638", "0.006", "0.2275"), ("0.13", "0.524", "0.539"),
     "0.0002", "107.815", "0.000817", ("0.126", "-0.071")),
    ("0.15005", "0.0203", "-90deg", "4.8", ("-0.0203", "-0.0141", "0.07"),
     ("0.066", "0.086", "0.0125"), "0.0002", "-53.7063", "0.00138", ("0.132", "-0.105")),
    ("0.4318", "0", "90deg", "0.82", ("0", "0.019", "0"), ("0.0018", "0.0013", "0.0018"),
     "0.000033", "76.0364", "0.0000712", ("0.0112", "-0.0169")),
    ("0", "0", "-90deg", "0.34", ("0", "0", "0"), ("0.0003", "0.0004", "0.0003"),
     "0.000033", "71.923", "0.0000826", ("0.00926", "-0.0145")),
    ("0", "0", "0", "0.09", ("0", "0", "0.032"), ("0.00015", "0.00015", "0.00004"),
     "0.000033", "76.686", "0.0000367", ("0.00396", "-0.0105")),
)  # fmt: skip

# the same joint frames as modified DH, lengths as symbols
_PUMA_FRAMES: tuple[dict[str, str], ...] = (
    {},
    {"b": "d1", "alpha": "90deg"},
    {"d": "a2"},
    {"b": "d3", "d": "a3", "alpha": "-90deg"},
    {"b": "d4", "alpha": "90deg"},
    {"alpha": "-90deg"},
)
_PUMA_LENGTHS = {"d1": "0.672", "a2": "0.4318", "d3": "0.15005", "a3": "0.0203", "d4": "0.4318"}


def puma560(symbolic: bool | str = False) -> Mechanism:
    """Return the PUMA 560: numbers, or symbolic inertial parameters on the same joint frames.

    Corke and Armstrong-Hélouvry, A search for consensus among model parameters reported for the
    PUMA 560 robot (1994), as distributed in the Robotics Toolbox (standard Denavit-Hartenberg).
    `symbolic="inertia"`: ten symbolic parameters per link about the frame origin (M1, MX1, XX1...),
    numeric lengths; `symbolic=True`: lengths d1, a2, d3, a3, d4 too.

    >>> puma560().nv
    6
    """
    if symbolic not in (False, True, "inertia"):
        raise UsageError(f"symbolic={symbolic!r}", hint='False, True or "inertia"')
    if not symbolic:
        columns = ("d", "a", "alpha", "m", "com", "I", "Jm", "G", "B", "Tc")
        rows = [dict(zip(columns, row, strict=True)) for row in _PUMA]
        return read_dh(rows, "standard", name="puma560")
    table: list[dict[str, Any]] = []
    for k, cells in enumerate(_PUMA_FRAMES, 1):
        known = _PUMA_LENGTHS if symbolic == "inertia" else {}
        table.append({n: known.get(x, x) for n, x in cells.items()} | standard_parameters(k))
    return read_dh(table, name="puma560")
