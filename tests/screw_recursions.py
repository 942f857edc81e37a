"""The recursions of Khalil (2010) on 6 x 6 matrices, as printed or corrected, erratum by erratum.

`printed` names the errata left in; the empty set gives the corrected formulas. Revolute and
prismatic joints with their axis on z, as in the source.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.mechanism import Mechanism

Z = np.array([0.0, 0.0, 1.0])


def skew(v: Any) -> np.ndarray:
    x, y, z = v
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


class Link:
    """What the source writes for link j: a(j), σ_j, pose and standard inertial parameters."""

    def __init__(self, m: Mechanism, j: int, q: list[float]):
        body = m.bodies[j]
        R, P = body.pose([q[j]])
        self.i, self.sigma = body.parent, int(body.joint.kind == "prismatic")
        self.R = np.array(R.matrix().rows, float)  # iRj
        self.P = np.array([float(x) for x in P])
        self.M, self.MS = float(body.m), np.array([float(x) for x in body.h])
        self.J = np.array(body.Io.rows, float)

    @property
    def T(self) -> np.ndarray:
        """ʲT_i (17)."""
        return np.block([[self.R.T, -self.R.T @ skew(self.P)], [np.zeros((3, 3)), self.R.T]])

    @property
    def inertia(self) -> np.ndarray:
        """(11) with E2.4."""
        S = skew(self.MS)
        return np.block([[self.M * np.eye(3), -S], [S, self.J]])

    def column(self, printed: Any) -> np.ndarray:
        """(16): printed with seven entries (E2.7); read as its first six."""
        s, r = self.sigma, 1 - self.sigma
        if "E2.7" in printed:
            return np.array([0.0, 0, 0, s, 0, 0, r])[:6]
        return np.array([0.0, 0, s, 0, 0, r])

    def gamma(self, w_i: np.ndarray, qd: float, printed: Any) -> np.ndarray:
        """(15): printed with ⁱω_i in the lower block (E2.6)."""
        w_ij = self.R.T @ w_i
        lower = w_i if "E2.6" in printed else w_ij
        return np.concatenate(
            [
                self.R.T @ np.cross(w_i, np.cross(w_i, self.P))
                + 2 * self.sigma * np.cross(w_ij, qd * Z),
                (1 - self.sigma) * np.cross(lower, qd * Z),
            ]
        )

    def bias(self, w: np.ndarray) -> np.ndarray:
        """The second term of (9)."""
        return np.concatenate([np.cross(w, np.cross(w, self.MS)), np.cross(w, self.J @ w)])


def links(m: Mechanism, q: list[float]) -> list[Link]:
    return [Link(m, j, q) for j in range(len(m.bodies))]


def screw_inverse(m: Mechanism, q: Any, qd: Any, qdd: Any, fe: Any, printed: Any = ()) -> Any:
    """(13)-(17) and (25)."""
    L = links(m, q)
    V, Vd = {-1: np.zeros(6)}, {-1: np.array([*(-float(x) for x in m.gravity), 0, 0, 0])}
    f = {}
    for j, l in enumerate(L):
        a = l.column(printed)
        V[j] = l.T @ V[l.i] + qd[j] * a
        Vd[j] = l.T @ Vd[l.i] + l.gamma(V[l.i][3:], qd[j], printed) + qdd[j] * a
        f[j] = l.inertia @ Vd[j] + l.bias(V[j][3:]) + fe[j]
    tau = np.zeros(len(L))
    for j in reversed(range(len(L))):
        tau[j] = L[j].column(printed) @ f[j]
        if L[j].i >= 0:
            f[L[j].i] = f[L[j].i] + (L[j].T if "E2.12" in printed else L[j].T.T) @ f[j]
    return tau


def vector_inverse(m: Mechanism, q: Any, qd: Any, qdd: Any, fe: Any, printed: Any = ()) -> Any:
    """(18)-(31); U printed with ω̂ for ω̇^ (E2.11)."""
    L = links(m, q)
    w, wd = {-1: np.zeros(3)}, {-1: np.zeros(3)}
    vd, U = {-1: -np.array([float(x) for x in m.gravity])}, {-1: np.zeros((3, 3))}
    f, n = {}, {}
    for j, l in enumerate(L):
        s, r = l.sigma, 1 - l.sigma
        w_i = l.R.T @ w[l.i]
        w[j] = w_i + r * qd[j] * Z
        wd[j] = l.R.T @ wd[l.i] + r * (qdd[j] * Z + np.cross(w_i, qd[j] * Z))
        vd[j] = l.R.T @ (vd[l.i] + U[l.i] @ l.P) + s * (qdd[j] * Z + 2 * np.cross(w_i, qd[j] * Z))
        U[j] = skew(w[j] if "E2.11" in printed else wd[j]) + skew(w[j]) @ skew(w[j])
        f[j] = l.M * vd[j] + U[j] @ l.MS + fe[j][:3]
        n[j] = l.J @ wd[j] + np.cross(w[j], l.J @ w[j]) + np.cross(l.MS, vd[j]) + fe[j][3:]
    tau = np.zeros(len(L))
    for j in reversed(range(len(L))):
        l = L[j]
        tau[j] = l.sigma * f[j][2] + (1 - l.sigma) * n[j][2]
        if l.i >= 0:
            up = l.R @ f[j]
            f[l.i] = f[l.i] + up
            n[l.i] = n[l.i] + l.R @ n[j] + np.cross(l.P, up)
    return tau


def direct(m: Mechanism, q: Any, qd: Any, tau: Any, fe: Any, printed: Any = ()) -> Any:
    """(32)-(43): E2.15 prints ⁱT_i (the unit matrix), E2.16 a transpose, E2.17 a plus sign."""
    L = links(m, q)
    V = {-1: np.zeros(6)}
    T, gamma, beta, J = {}, {}, {}, {}
    for j, l in enumerate(L):
        T[j] = l.T
        V[j] = T[j] @ V[l.i] + qd[j] * l.column(())
        gamma[j] = l.gamma(V[l.i][3:], qd[j], ())
        beta[j] = -fe[j] - l.bias(V[j][3:])
        J[j] = l.inertia
    H, K, alpha = {}, {}, {}
    for j in reversed(range(len(L))):
        a, i = L[j].column(()), L[j].i
        Ja = J[j] @ a
        H[j] = a @ Ja  # (36)
        K[j] = J[j] - np.outer(Ja, Ja) / H[j]  # (37)
        alpha[j] = K[j] @ gamma[j] + Ja / H[j] * (tau[j] + a @ beta[j]) - beta[j]  # (38)
        if i >= 0:
            back = np.eye(6) if "E2.15" in printed else T[j].T
            sign = 1 if "E2.17" in printed else -1
            beta[i] = beta[i] + sign * back @ alpha[j]  # (39)
            J[i] = J[i] - sign * back @ K[j] @ back.T  # (40)
    Vd = {-1: np.array([*(-float(x) for x in m.gravity), 0, 0, 0])}
    qdd, f = np.zeros(len(L)), []
    for j, l in enumerate(L):
        a = l.column(())
        moved = (T[j].T if "E2.16" in printed else T[j]) @ Vd[l.i]
        qdd[j] = (-a @ J[j] @ (moved + gamma[j]) + tau[j] + a @ beta[j]) / H[j]  # (41)
        f.append(K[j] @ moved + alpha[j])  # (42)
        Vd[j] = moved + a * qdd[j] + gamma[j]  # (43)
    return qdd, np.array(f)
