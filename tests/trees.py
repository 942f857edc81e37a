"""Random trees of floats with every kind of joint an augmented body may have."""

import numpy as np

from dalembert.algebra import Mat3, Rotation, Transform, Vec3
from dalembert.inertia import Inertia
from dalembert.joint import Fixed, Prismatic, Revolute, Screw
from dalembert.mechanism import Body, Mechanism


def random_tree(seed, n=8):
    """Return a tree of floats with every kind of joint an augmented body may have."""
    rng = np.random.default_rng(seed)
    bodies = []
    for j in range(n):
        axis = rng.normal(size=3)
        axis = Vec3(*(float(x) for x in axis / np.linalg.norm(axis)))
        joint = [Revolute(axis), Prismatic(axis), Screw(axis, 0.3), Fixed()][rng.integers(4)]
        R = Rotation.about(0, float(rng.normal())) @ Rotation.about(2, float(rng.normal()))
        half = rng.normal(size=(3, 3))
        inertia = Inertia(
            float(rng.uniform(0, 5)) if rng.random() > 0.2 else 0.0,
            Vec3(*map(float, rng.normal(size=3))),
            Mat3(*(tuple(map(float, r)) for r in half @ half.T)),
        )
        if rng.random() < 0.3:
            inertia = Inertia(inertia.m, inertia.h, inertia.Io, "origin")
        place = Transform(R, Vec3(*map(float, rng.normal(size=3))))
        bodies.append(Body(f"b{j}", int(rng.integers(-1, j)), place, joint, inertia))
    return Mechanism(tuple(bodies)), rng


def tree_state(seed):
    """Return a random tree and a state (q, qd, qdd) of it."""
    m, rng = random_tree(seed)
    m = m.map(float)
    return m, [[float(x) for x in rng.normal(size=m.nv)] for _ in range(3)]
