"""Small mechanisms whose equations stand in every textbook, with those equations."""

from math import cos, sin

from dalembert.algebra import Mat3, Transform, Vec3
from dalembert.inertia import Inertia
from dalembert.joint import UNITS, Prismatic, Revolute
from dalembert.mechanism import Body, Mechanism

G = 9.81


def rod(mass, centre, izz):
    """A body with its centre on x; of its tensor only the entry about z is felt in the plane."""
    return Inertia(mass, Vec3(centre, 0.0, 0.0), Mat3.symmetric(0.0, izz, izz, 0.0, 0.0, 0.0))


def pendulum(m=2.0, c=0.7, izz=0.1):
    """One link that swings about z; q from the horizontal x axis."""
    return Mechanism((Body("rod", -1, joint=Revolute(), inertia=rod(m, c, izz)),),
                     gravity=Vec3(0.0, -G, 0.0))  # fmt: skip


def pendulum_torque(q, qd, qdd, m=2.0, c=0.7, izz=0.1):
    return [(izz + m * c * c) * qdd[0] + m * G * c * cos(q[0])]


DATA = dict(m1=3.0, m2=2.0, l1=0.8, c1=0.35, c2=0.45, i1=0.2, i2=0.15)


def planar_2r(m1, m2, l1, c1, c2, i1, i2, parameters=()):
    """Two links in the x-y plane under gravity along -y."""
    bodies = (
        Body("upper", -1, joint=Revolute(), inertia=rod(m1, c1, i1)),
        Body("fore", 0, Transform(p=Vec3(l1, 0.0, 0.0)), Revolute(), rod(m2, c2, i2)),
    )
    return Mechanism(bodies, gravity=Vec3(0.0, -G, 0.0), parameters=parameters)


def planar_2r_torques(q, qd, qdd, m1, m2, l1, c1, c2, i1, i2):
    M = planar_2r_mass(q, m1, m2, l1, c1, c2, i1, i2)
    h = m2 * l1 * c2 * sin(q[1])
    c12 = cos(q[0] + q[1])
    return [
        M[0][0] * qdd[0] + M[0][1] * qdd[1] - h * (2 * qd[0] * qd[1] + qd[1] ** 2)
        + G * ((m1 * c1 + m2 * l1) * cos(q[0]) + m2 * c2 * c12),
        M[1][0] * qdd[0] + M[1][1] * qdd[1] + h * qd[0] ** 2 + G * m2 * c2 * c12,
    ]  # fmt: skip


def planar_2r_mass(q, m1, m2, l1, c1, c2, i1, i2):
    a = i1 + i2 + m1 * c1**2 + m2 * (l1**2 + c2**2)
    b, d = m2 * l1 * c2 * cos(q[1]), i2 + m2 * c2**2
    return [[a + 2 * b, d + b], [d + b, d]]


def planar_2r_coriolis_matrix(q, qd, m1, m2, l1, c1, c2, i1, i2):
    h = m2 * l1 * c2 * sin(q[1])
    return [[-h * qd[1], -h * (qd[0] + qd[1])], [h * qd[0], 0.0]]


def cart_pole(M=5.0, m=0.6, l=0.9):
    """A cart along x with a point mass on a massless rod; q2 from the downward vertical."""
    bodies = (
        Body("cart", -1, joint=Prismatic(UNITS[0]), inertia=Inertia(M)),
        Body("pole", 0, joint=Revolute(), inertia=Inertia(m, Vec3(0.0, -l, 0.0))),
    )
    return Mechanism(bodies, gravity=Vec3(0.0, -G, 0.0))


def cart_pole_forces(q, qd, qdd, M=5.0, m=0.6, l=0.9):
    c, s = cos(q[1]), sin(q[1])
    return [
        (M + m) * qdd[0] + m * l * c * qdd[1] - m * l * s * qd[1] ** 2,
        m * l * c * qdd[0] + m * l * l * qdd[1] + m * G * l * s,
    ]
