"""Random mechanisms with every kind of joint, number and record, for round trips."""

import random
import re
from fractions import Fraction

from dalembert.algebra import Mat3, Rotation, Transform, Vec3
from dalembert.expr import Graph, sqrt
from dalembert.expr.exact import exact
from dalembert.inertia import Inertia
from dalembert.joint import Fixed, Free, Planar, Prismatic, Revolute, Screw, Spherical
from dalembert.mechanism import (
    Body,
    Coupling,
    Drive,
    Frame,
    JointSpring,
    Loop,
    Mechanism,
    Parameter,
    PointSpring,
    VelocityConstraint,
    Wheel,
)
from dalembert.read.fields import exact_turn

NAME = re.compile("[A-Za-z][A-Za-z0-9_]*")  # a joint that an equation can name
NAMES = ("L1", "θ2", "a b", "*/ \n", "pi", "x.y")
CHARACTERS = "abzAZ019_ -.,;:=[]{}()<>\"'\\/#%&*\n\t\r\0\x7f\x1b\u202e\u200bθé漢🤖"
AXES = (Vec3(1, 0, 0), Vec3(0, -1, 0), Vec3(0, 0, 1), Vec3(Fraction(3, 5), 0, Fraction(-4, 5)))
MATRIX = Mat3((0, -1, 0), (Fraction(3, 5), 0, Fraction(-4, 5)), (Fraction(4, 5), 0, Fraction(3, 5)))
ALMOST_QUARTER = Fraction(15707963267948966, 10**16)  # a decimal that reading would snap


class Draw:
    """One random mechanism on its way; its expressions live in one graph."""

    def __init__(self, seed: int):
        self.rng, self.graph = random.Random(seed), Graph()

    def rational(self):
        rng = self.rng
        kind = rng.randrange(6)
        if kind == 0:
            return rng.choice([0, 1, -1, ALMOST_QUARTER, 10**25, Fraction(1, 10**30)])
        if kind == 1:
            return exact(Fraction(rng.randint(-999, 999), rng.randint(1, 999)))
        return exact(Fraction(rng.randint(-(10**9), 10**9), 10 ** rng.randint(0, 20)))

    def number(self):
        """Return an exact number, sometimes an expression of parameters, pi and functions."""
        rng, graph = self.rng, self.graph
        if rng.randrange(3):
            return self.rational()
        x = graph.pi() if rng.randrange(3) == 0 else graph.param(rng.choice(NAMES[:3]))
        steps = {
            "add": lambda x, y: x + y,
            "subtract": lambda x, y: x - y,
            "from": lambda x, y: y - x,
            "times": lambda x, y: x * y,
            "over": lambda x, y: x / y,
            "under": lambda x, y: y / x,
            "sine": lambda x, y: x.sin(),
            "root": lambda x, y: sqrt(x * x + 1),
            "minus": lambda x, y: -x,
            "absolute": lambda x, y: x.absolute(),
            "square": lambda x, y: x * x,
        }
        for _ in range(rng.randrange(5)):
            y = rng.choice([3, Fraction(-7, 3), graph.param(rng.choice(NAMES)), graph.pi()])
            if x.value == 0:
                break
            x = steps[rng.choice(list(steps))](x, y)
        return exact(x)

    def vector(self):
        return Vec3(self.number(), self.number(), self.number())

    def axis(self):
        rng, graph = self.rng, self.graph
        root, angle = 1 / sqrt(graph.constant(2)), graph.param("L1")
        return rng.choice([*AXES, Vec3(root, 0, root), Vec3(angle.cos(), angle.sin(), 0)])

    def rotation(self):
        factors = []
        for _ in range(self.rng.randrange(4)):
            angle = self.rng.choice([self.number(), self.graph.pi() * Fraction(1, 2)])
            turned = exact_turn(self.rng.randrange(3), angle, self.graph)
            factors.append(MATRIX if self.rng.randrange(5) == 0 else turned)
        return Rotation(tuple(factors))

    def placement(self):
        return Transform(self.rotation(), self.vector())

    def inertia(self):
        mass = self.rng.choice([0, 1, Fraction(1, 3), self.graph.param("L1")])
        tensor = Mat3.symmetric(*(self.number() for _ in range(6)))
        return Inertia(mass, self.vector(), tensor, self.rng.choice(["centre", "origin"]))

    def names(self, count):
        found: dict[str, None] = {}
        while len(found) < count:
            size = self.rng.randint(1, 8)
            found["".join(self.rng.choice(CHARACTERS) for _ in range(size))] = None
        return list(found)

    def body(self, j, name, joint_name):
        axis, rng = self.axis(), self.rng
        simple = [Revolute(axis), Prismatic(axis), Screw(axis, self.number())]
        joint = rng.choice([*simple, Spherical(), Planar(), Free(), Fixed()])
        pairs = [(None, None), (-1, None), (None, Fraction(1, 3)), (-2, Fraction(5, 2))]
        limits = tuple(rng.choice(pairs) for _ in range(joint.nq))
        return Body(
            name,
            rng.randint(-1, j - 1),
            self.placement(),
            joint,
            self.inertia(),
            rng.choice(["", joint_name]),
            rng.choice([(), limits]),
            rng.choice([None, self.number()]),
            rng.choice([None, self.number()]),
        )

    def records(self, bodies, names):
        rng, last = self.rng, len(bodies) - 1
        ends = (rng.randint(-1, last), self.vector(), rng.randint(-1, last), self.vector())
        moving = [j for j, b in enumerate(bodies) if b.joint.nv]
        turning = [bodies[j].joint_name or bodies[j].name for j in moving[:1]]
        size = self.number()
        rolls = (exact(size * size + 1), *turning) if turning else ()  # a radius is positive
        normal, spun = self.axis(), bodies[moving[0]] if moving else None
        if spun is not None and spun.parent == 0 and getattr(spun.joint, "axis", None):
            normal = spun.placement.R @ spun.joint.axis  # the spin rolls ahead
        found = {
            "named": (Frame(names[0], rng.randint(-1, last), self.placement()),),
            "springs": (PointSpring(*ends, self.number(), self.number(), self.number()),),
            "wheels": (
                Wheel(names[0], rng.randint(-1, last), self.vector(), self.axis()),
                Wheel(names[1], 0, self.vector(), normal, "δ", *rolls),
            ),
            "speeds": tuple(names),
        }
        rates = [b.joint_name or b.name for b in bodies if b.joint.nv == 1]
        rates = [name for name in rates if NAME.fullmatch(name) and name not in NAMES]
        if rates:
            equation = f"{rates[0]}d*sin({rates[0]}) - 2*{rates[-1]}d = t"
            found["velocity_constraints"] = (VelocityConstraint(names[1], equation),)
        if last > 0:
            kind = rng.choice(["revolute", "spherical", "fixed", "rod"])
            pair = (0, self.vector(), last, self.vector())
            rotations = (self.rotation(), self.rotation())
            loop = Loop(*pair, kind, self.axis(), self.axis(), *rotations, self.number(), "cut")
            found["loops"] = (loop, Loop(*pair))
        single = [j for j in moving if bodies[j].joint.nv == 1]
        if single:
            j, k = rng.choice(single), rng.choice(single)
            gear = rng.choice([1, -1, 50, Fraction(-7, 2), self.graph.param("L1")])
            friction = (self.number(), self.number())
            found["drives"] = (Drive(j, self.number(), gear, friction, self.number()),)
            found["elastic"] = (JointSpring(j, self.number(), self.number(), self.number()),)
            if j != k:
                found["couplings"] = (Coupling(j, k, self.number(), self.number()),)
            found["active"] = (bodies[j].joint_name or bodies[j].name,)
        kept = {key: value for key, value in found.items() if rng.randrange(2)}
        return kept | ({"prescribed": ("δ",)} if "wheels" in kept else {})


def random_mechanism(seed: int, most: int = 6) -> Mechanism:
    """Return the random mechanism of a seed."""
    draw = Draw(seed)
    count = draw.rng.randint(1, most)
    names = draw.names(2 * count + 2)
    bodies = [draw.body(j, names[j], names[count + j]) for j in range(count)]
    values = {n: draw.rng.choice([None, draw.rational()]) for n in NAMES}
    order = draw.rng.sample(NAMES, len(NAMES))
    return Mechanism(
        tuple(bodies),
        draw.rng.choice(["", *names]),
        draw.vector(),
        tuple(Parameter(n, values[n]) for n in order),
        **draw.records(bodies, names[-2:]),
    )
