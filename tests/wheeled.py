"""Random machines on wheels, and a referee that shares nothing with the algorithms.

Poses are chains of 4 x 4 matrices written here; Jacobians are complex steps of them, their rates
central differences, and the accelerations solve M qdd + h = B tau + J' lam, J qdd = -J' qd by
least squares, so that rows may follow from each other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

AXES = {"x": [1, 0, 0], "y": [0, 1, 0], "z": [0, 0, 1]}
TINY = 1e-30


def body(name: str, parent: int, kind: str, axis: str, at: Any, mass: Any = 0, com: Any = (0, 0, 0),
         inertia: Any = (0, 0, 0)) -> dict[str, Any]:  # fmt: skip
    """Return a body of a native description."""
    joint = {"type": kind, "name": name, "axis": AXES[axis]}
    joint["placement"] = {"translation": [float(x) for x in at], "rotation": []}
    tensor = np.diag(np.asarray(inertia, dtype=float)).tolist()
    return {"name": f"body {name}", "parent": parent, "joint": joint, "mass": float(mass),
            "com": [float(x) for x in com], "inertia": tensor}  # fmt: skip


def base(rng: Any, mass: float = 10.0) -> list[dict[str, Any]]:
    """Return a body that slides along x and y and turns."""
    com = [*rng.uniform(-0.2, 0.2, 2), 0.1]
    return [
        body("x", -1, "prismatic", "x", (0, 0, 0)),
        body("y", 0, "prismatic", "y", (0, 0, 0)),
        body("th", 1, "revolute", "z", (0, 0, 0), mass, com, (0.3, 0.4, 0.5)),
    ]


def castor(rng: Any, active: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return a robot on two driven wheels of one axle and a castor that swivels and rolls."""
    bodies = base(rng)
    for name, y in (("pl", 0.25), ("pr", -0.25)):
        own = (1.0, (0, 0, 0), (0.004, 0.008, 0.004))
        bodies.append(body(name, 2, "revolute", "y", (0, y, 0), *own))
    own = (0.4, (-0.03, 0, 0), (0, 0, 0.002))
    bodies.append(body("swivel", 2, "revolute", "z", (-0.4, 0, 0), *own))
    own = (0.3, (0, 0, 0), (0.001, 0.002, 0.001))
    bodies.append(body("roll", 5, "revolute", "y", (-0.06, 0, 0), *own))
    side = [0, 1, 0]
    wheels = [
        {"name": "left", "body": "body th", "point": [0, 0.25, 0], "normal": side, "radius": 0.1,
         "spin": "pl"},
        {"name": "right", "body": "body th", "point": [0, -0.25, 0], "normal": side, "radius": 0.1,
         "spin": "pr"},
        {"name": "castor", "body": "body swivel", "point": [-0.06, 0, 0], "normal": side,
         "radius": 0.05, "spin": "roll"},
    ]  # fmt: skip
    return {"format": "dalembert/1", "name": "castor", "bodies": bodies, "wheels": wheels,
            "active": list(active)}  # fmt: skip


def snake(rng: Any, links: int = 3, active: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return a chain of links on passive wheels, joints p1, p2, ... between them."""
    bodies, wheels = base(rng, 1.0), []
    for k in range(1, links):
        at = (0 if k == 1 else 0.5, 0, 0)
        com = (0.3, 0.0, 0.0)
        bodies.append(body(f"p{k}", k + 1, "revolute", "z", at, 0.8, com, (0, 0, 0.03)))
    points = [[-0.25, 0, 0]] + [[0.3, 0, 0]] * (links - 1)
    for k, point in enumerate(points):
        wheels.append({"name": f"w{k}", "body": bodies[k + 2]["name"], "point": point,
                       "normal": [0, 1, 0]})  # fmt: skip
    return {"format": "dalembert/1", "name": "snake", "bodies": bodies, "wheels": wheels,
            "active": list(active)}  # fmt: skip


def machine(seed: int) -> dict[str, Any]:
    """Return a random tree on random wheels and equations, one to three rows, some redundant."""
    rng = np.random.default_rng(seed)
    bodies = base(rng)
    for k in range(int(rng.integers(1, 5))):
        parent = int(rng.integers(2, len(bodies)))
        kind = "prismatic" if rng.random() < 0.25 else "revolute"
        at = [*rng.uniform(-0.5, 0.5, 2), float(rng.uniform(0, 0.3))]
        bodies.append(body(f"j{k}", parent, kind, str(rng.choice(["x", "y", "z"])), at,
                           rng.uniform(0.3, 2), rng.uniform(-0.2, 0.2, 3),
                           rng.uniform(0.01, 0.1, 3)))  # fmt: skip
    wheels, equations = [], []
    flat = [2, *(k for k, b in enumerate(bodies) if k > 2 and b["joint"]["axis"] == [0, 0, 1]
                 and b["parent"] == 2 and b["joint"]["type"] == "revolute")]  # fmt: skip
    for k in range(int(rng.integers(1, 3))):
        under, point = bodies[int(rng.choice(flat))]["name"], [*rng.uniform(-0.5, 0.5, 2), 0.0]
        wheels.append({"name": f"w{k}", "body": under, "point": point, "normal": [0, 1, 0]})
    if rng.random() < 0.3:  # a second wheel on the axle of the first
        twin = dict(wheels[0], name="twin", point=[wheels[0]["point"][0], 0.7, 0.0])
        wheels.append(twin)
    names = [b["joint"]["name"] for b in bodies]
    if rng.random() < 0.5:
        one = names[-1]
        equations.append({"name": "c", "equation": f"{one}d = 0.7*thd + 0.2*cos({one})*xd"})
    joints = names[2:]
    active = list(rng.choice(joints, int(rng.integers(1, len(joints) + 1)), replace=False))
    return {"format": "dalembert/1", "name": f"random {seed}", "bodies": bodies, "wheels": wheels,
            "velocity_constraints": equations, "active": [str(a) for a in active]}  # fmt: skip


class Referee:
    """A machine as the description says, in numbers."""

    def __init__(self, described: dict[str, Any], gravity: Any = (0, 0, -9.81)):
        self.d, self.gravity = described, np.array(gravity)
        self.bodies = described["bodies"]
        self.names = [b["joint"]["name"] for b in self.bodies]
        self.n = len(self.bodies)
        self.at = {b["name"]: k for k, b in enumerate(self.bodies)}

    def poses(self, q: Any) -> list[Any]:
        """Return (rotation, origin) of each body."""
        out: list[Any] = []
        for b, x in zip(self.bodies, q, strict=True):
            R, p = out[b["parent"]] if b["parent"] >= 0 else (np.eye(3), np.zeros(3))
            p = p + R @ np.array(b["joint"]["placement"]["translation"])
            axis = np.array(b["joint"]["axis"], dtype=float)
            if b["joint"]["type"] == "prismatic":
                out.append((R, p + R @ axis * x))
            else:
                K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]],
                              [-axis[1], axis[0], 0]])  # fmt: skip
                out.append((R @ (np.eye(3) + np.sin(x) * K + (1 - np.cos(x)) * K @ K), p))
        return out

    def jacobians(self, q: Any, k: int, point: Any) -> tuple[Any, Any, Any]:
        """Return (J of a point, J of the turn, rotation) in base axes, by complex steps."""
        R = self.poses(np.asarray(q, dtype=float))[k][0]
        Jv, Jw = np.zeros((3, self.n)), np.zeros((3, self.n))
        for c in range(self.n):
            z = np.asarray(q, dtype=complex)
            z[c] += 1j * TINY
            Rz, pz = self.poses(z)[k]
            Jv[:, c] = (pz + Rz @ np.asarray(point)).imag / TINY
            S = (Rz.imag / TINY) @ R.T
            Jw[:, c] = [S[2, 1], S[0, 2], S[1, 0]]
        return Jv, Jw, R

    def mass(self, q: Any) -> Any:
        """Return M."""
        M = np.zeros((self.n, self.n))
        for k, b in enumerate(self.bodies):
            Jv, Jw, R = self.jacobians(q, k, b["com"])
            M += b["mass"] * Jv.T @ Jv + Jw.T @ R @ np.array(b["inertia"]) @ R.T @ Jw
        return M

    def potential(self, q: Any) -> Any:
        """Return the energy of gravity."""
        poses = self.poses(q)
        return -sum(
            b["mass"] * self.gravity @ (poses[k][1] + poses[k][0] @ np.array(b["com"]))
            for k, b in enumerate(self.bodies)
        )

    def bias(self, q: Any, qd: Any, step: float = 1e-5) -> Any:
        """Return Coriolis, centrifugal and gravity forces: Lagrange with differences of M."""
        dM = []
        for c in range(self.n):
            e = np.zeros(self.n)
            e[c] = step
            dM.append((8 * (self.mass(q + e) - self.mass(q - e))
                       - (self.mass(q + 2 * e) - self.mass(q - 2 * e))) / (12 * step))  # fmt: skip
        D = np.array(dM)
        force = np.einsum("kij,k,j->i", D, qd, qd) - 0.5 * np.einsum("kij,i,j->k", D, qd, qd)
        load = np.zeros(self.n)
        for c in range(self.n):
            z = np.asarray(q, dtype=complex)
            z[c] += 1j * TINY
            load[c] = self.potential(z).imag / TINY
        return force + load

    def rows(self, q: Any) -> Any:
        """Return J of wheels and of the one equation there may be."""
        out = []
        for w in self.d.get("wheels", ()):
            k = self.at[w["body"]]
            Jv, _, R = self.jacobians(q, k, w["point"])
            normal = np.array(w["normal"], dtype=float)
            out.append(R @ normal @ Jv)
            if "radius" in w:
                row = R @ np.cross(normal, [0, 0, 1]) @ Jv
                row[self.names.index(w["spin"])] -= w["radius"]
                out.append(row)
        for c in self.d.get("velocity_constraints", ()):
            one = self.names.index(c["equation"].split("d =")[0])
            row = np.zeros(self.n)
            row[one], row[2], row[0] = 1, -0.7, -0.2 * np.cos(q[one])
            out.append(row)
        return np.array(out)

    def rates(self, q: Any, qd: Any) -> Any:
        """Return J' qd."""
        h = 1e-5
        J = [self.rows(q + s * h * qd) for s in (1, -1, 2, -2)]
        return (8 * (J[0] - J[1]) - (J[2] - J[3])) / (12 * h) @ qd

    def allowed(self, q: Any, rng: Any) -> Any:
        """Return rates that the rows allow."""
        _, s, V = np.linalg.svd(self.rows(q))
        N = V[int((s > 1e-9).sum()) :].T
        return N @ rng.normal(size=N.shape[1])

    def accelerations(self, q: Any, qd: Any, tau: Any) -> Any:
        """Return qdd under forces of all joints."""
        J, M = self.rows(q), self.mass(q)
        m = len(J)
        K = np.block([[M, -J.T], [J, np.zeros((m, m))]])
        right = np.concatenate([tau - self.bias(q, qd), -self.rates(q, qd)])
        x, *_ = np.linalg.lstsq(K, right, rcond=1e-12)
        return x[: self.n]

    def spread(self, forces: Any) -> Any:
        """Return forces of all joints from those of the motors."""
        tau = np.zeros(self.n)
        for name, u in zip(self.d["active"], forces, strict=True):
            tau[self.names.index(name)] = u
        return tau
