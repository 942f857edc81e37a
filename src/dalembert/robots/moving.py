"""Ready-made machines on moving bases, and a flexible arm. Round numbers, chosen here.

They are the systems that Khalil (2010), sections 6 and 7, names: eels, snakes, space vehicles,
flying and walking robots.
"""

from __future__ import annotations

from ..errors import UsageError
from ..mechanism import Mechanism
from .readers import read_phrase


def _links(axes: str, length: str, mass: str, radius: str) -> str:
    """Return a chain of equal round rods, one joint about each axis letter, along x."""
    joints = ",".join(f"R{axis}(),TXK({length})" for axis in axes)
    return joints + ";" + _rods(range(1, len(axes) + 1), length, mass, radius)


def _rods(numbers: range, length: str, mass: str, radius: str) -> str:
    across = f"{mass}*({radius}^2/4 + {length}^2/12)"
    tensor = f"({mass}*{radius}^2/2, {across}, {across})"
    return "".join(f"body {k}: M = {mass}, D = ({length}/2, 0, 0), I = {tensor};" for k in numbers)


def _count(n: int, what: str) -> int:
    if not isinstance(n, int) or n < 1:
        raise UsageError(f"{what}({n!r}): the number of joints is a whole number from 1 on")
    return n


def eel(n: int = 12) -> Mechanism:
    """Return a swimming chain: a free head and n segments that bend sideways, no gravity.

    >>> eel(3).nv
    9
    """
    text = _links("Z" * _count(n, "eel"), "0.1", "0.4", "0.03")
    head = "body base: M = 0.8, D = (-0.05, 0, 0), I = (0.0006, 0.002, 0.002);"
    text = f"TXK(0),{text}" + head + "gravity = (0, 0, 0);"
    return read_phrase(text, name="eel", base="free")


def snake(n: int = 12) -> Mechanism:
    """Return a chain on a free head whose n joints bend sideways and upwards in turn.

    >>> snake(4).nv
    10
    """
    axes = ("ZY" * _count(n, "snake"))[:n]
    head = "body base: M = 0.5, D = (-0.04, 0, 0), I = (0.0004, 0.001, 0.001);"
    return read_phrase(_links(axes, "0.12", "0.3", "0.025") + head, name="snake", base="free")


def spacecraft() -> Mechanism:
    """Return a free-flying satellite with a six-joint arm, no gravity.

    >>> spacecraft().nv
    12
    """
    arm = "TXK(0.8),RZ(),TZK(0.2),RY(),TXK(1.2),RY(),TXK(1),"
    arm += "RX(),TXK(0.1),RY(),TXK(0.1),RX(),TXK(0.1);"
    data = (
        "body base: M = 220, D = (0, 0, 0.05), I = (40, 45, 50);"
        "body 1: M = 8, D = (0, 0, 0.1), I = (0.05, 0.05, 0.03);"
        "body 2: M = 12, D = (0.6, 0, 0), I = (0.04, 1.5, 1.5);"
        "body 3: M = 9, D = (0.5, 0, 0), I = (0.03, 0.8, 0.8);"
        "body 4: M = 3, D = (0.05, 0, 0), I = (0.01, 0.01, 0.01);"
        "body 5: M = 2, D = (0.05, 0, 0), I = (0.006, 0.006, 0.006);"
        "body 6: M = 4, D = (0.05, 0, 0), I = (0.01, 0.01, 0.01);"
    )
    return read_phrase(arm + data + "gravity = (0, 0, 0);", name="spacecraft", base="free")


def flying_arm() -> Mechanism:
    """Return a four-rotor vehicle with a two-joint arm below; frames rotor1..rotor4 take thrusts.

    A thrust is a wrench on the base: force along its z axis at a rotor's frame.

    >>> [f for f in flying_arm().frames if f.startswith("rotor")]
    ['rotor1', 'rotor2', 'rotor3', 'rotor4']
    """
    rotors = "".join(
        f"[{axis[0]}, rotor{k}: {axis[1]}]"
        for k, axis in enumerate(
            (
                ("TZK(0.05)", "TXK(0.25)"),
                ("TZK(0.05)", "TYK(0.25)"),
                ("TZK(0.05)", "TXK(-0.25)"),
                ("TZK(0.05)", "TYK(-0.25)"),
            ),
            1,
        )
    )
    text = rotors + ",TZK(-0.05),RY(),TZK(-0.25),RY(),TZK(-0.2);"
    data = (
        "body base: M = 1.6, D = (0, 0, 0.01), I = (0.016, 0.016, 0.03);"
        "body 1: M = 0.15, D = (0, 0, -0.12), I = (0.0008, 0.0008, 0.00003);"
        "body 2: M = 0.1, D = (0, 0, -0.1), I = (0.0004, 0.0004, 0.00002);"
    )
    return read_phrase(text + data, name="flying_arm", base="free")


def walker() -> Mechanism:
    """Return a torso on two three-joint legs; ground wrenches act on `foot_left`, `foot_right`.

    >>> walker().nv
    12
    """
    leg = "RX(),TZK(0),RY(),TZK(-0.4),RY(),TZK(-0.4),foot_{0}: TZK(-0.02)"
    text = f"[TYK(0.1),{leg.format('left')}][TYK(-0.1),{leg.format('right')}];"
    data = "body base: M = 30, D = (0, 0, 0.25), I = (1.2, 1.1, 0.4);"
    for hip in (1, 4):
        data += f"body {hip}: M = 2, D = (0, 0, 0), I = (0.004, 0.004, 0.004);"
        data += f"body {hip + 1}: M = 5, D = (0, 0, -0.18), I = (0.07, 0.07, 0.01);"
        data += f"body {hip + 2}: M = 3, D = (0, 0, -0.2), I = (0.04, 0.04, 0.005);"
    return read_phrase(text + data, name="walker", base="free")


def flexible2r() -> Mechanism:
    """Return a planar two-joint arm with elastic transmissions (Spong 1987: motor and link sides).

    >>> flexible2r().joint_names
    ('j1', 'j1.flex', 'j2', 'j2.flex')
    """
    text = "RZ(),TXK(0.5),RZ(),TXK(0.4);" + _rods(range(1, 2), "0.5", "4", "0.04")
    text += _rods(range(2, 3), "0.4", "3", "0.03") + "gravity = (0, -9.81, 0);"
    rigid = read_phrase(text, name="flexible2r")
    return rigid.with_flexible_joints([900, 600], [0.35, 0.2], damping=[0.4, 0.3])
