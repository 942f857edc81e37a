"""Pinocchio beside our kernels: the same mechanism, the same states, the same results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import ModelError, UsageError
from ..mechanism import Mechanism, joint_name
from ..mechanism.rehome import merge_fixed

Timed = tuple[Callable[[int], Any], Callable[[], Any]]  # calls to time, and their result


class Pinocchio:
    """A Pinocchio model built from a mechanism: same frames and coordinates, joints depth first.

    Pinocchio takes the joints of a branch as neighbours. Where a mechanism has them in another
    order, states are brought to Pinocchio's and results back, outside of what is timed.
    """

    def __init__(self, m: Mechanism):
        try:
            import pinocchio as pin
        except ImportError:
            raise UsageError(
                "Pinocchio is not installed", hint="pip install pin, or omit --peers"
            ) from None
        self.pin = pin
        self.model = self._built(m)
        self.data = self.model.createData()
        self.pool = pin.ModelPool(self.model, 1)

    def _built(self, m: Mechanism) -> Any:
        pin, b = self.pin, merge_fixed(m).bound()
        model = pin.Model()
        model.gravity.linear = np.array([float(x) for x in b.gravity])
        order, added = _depth_first([body.parent for body in b.bodies]), {-1: 0}
        self.q = _entries([body.joint.nq for body in b.bodies], order)
        self.v = _entries([body.joint.nv for body in b.bodies], order)
        for j in order:
            body = b.bodies[j]
            name = f"{j}:{joint_name(body)}"
            place = pin.SE3(_rows(body.placement.R.matrix()), _vector(body.placement.p))
            added[j] = model.addJoint(added[body.parent], self._joint(body.joint), place, name)
            own = body.inertia
            inertia = pin.Inertia(float(own.m), _vector(own.centre), _rows(own.about_centre))
            model.appendBodyToJoint(added[j], inertia, pin.SE3.Identity())
        return model

    def _joint(self, joint: Any) -> Any:
        pin, kind = self.pin, joint.kind
        if kind == "free":
            return pin.JointModelFreeFlyer()
        if kind == "spherical":
            return pin.JointModelSpherical()
        if kind not in ("revolute", "prismatic"):
            raise ModelError(f"no benchmark of {kind} joints beside Pinocchio")
        axis = _vector(joint.axis)
        for k, letter in enumerate("XYZ"):
            if np.array_equal(axis, np.eye(3)[k]):
                # the joints that Pinocchio is quickest with
                return getattr(pin, f"JointModel{'R' if kind == 'revolute' else 'P'}{letter}")()
        return getattr(pin, f"JointModel{kind.capitalize()}Unaligned")(axis / np.linalg.norm(axis))

    def label(self, name: str, batch: bool) -> str:
        """Return what is timed on the other side."""
        called = {
            "inverse_dynamics": "rneaInParallel" if batch else "rnea",
            "forward_dynamics": "abaInParallel" if batch else "aba",
            "mass_matrix": "crba",
            "inverse_dynamics_derivatives": "computeRNEADerivatives",
            "forward_dynamics_derivatives": "computeABADerivatives",
        }
        return f"pinocchio {self.pin.__version__} {called[name]}"

    def run(self, name: str, given: tuple[np.ndarray, ...], batch: bool) -> Timed:
        """Return a call that computes a quantity at the given states, and one for its result."""
        given = (given[0][:, self.q], *(x[:, self.v] for x in given[1:]))
        if name in ("inverse_dynamics", "forward_dynamics") and batch:
            return self._parallel(name, given)
        if name in ("inverse_dynamics", "forward_dynamics"):
            return self._single(name, given)
        return self._mass(given[0]) if name == "mass_matrix" else self._slopes(name, given)

    def _parallel(self, name: str, given: tuple[np.ndarray, ...]) -> Timed:
        run = self.pin.rneaInParallel if name == "inverse_dynamics" else self.pin.abaInParallel
        q, v, a = (np.asfortranarray(x.T) for x in given)
        pool, out = self.pool, np.zeros_like(v)

        def calls(loops: int) -> None:
            for _ in range(loops):
                run(1, pool, q, v, a, out)

        return calls, lambda: self._back(out.T)

    def _single(self, name: str, given: tuple[np.ndarray, ...]) -> Timed:
        inverse, model, data = name == "inverse_dynamics", self.model, self.data
        run = self.pin.rnea if inverse else self.pin.aba
        q, v, a = (x[0].copy() for x in given)

        def calls(loops: int) -> None:
            for _ in range(loops):
                run(model, data, q, v, a)

        return calls, lambda: self._back(data.tau if inverse else data.ddq)

    def _mass(self, q: np.ndarray) -> Timed:
        crba, model, data = self.pin.crba, self.model, self.data
        rows = list(q)

        def calls(loops: int) -> None:
            for _ in range(loops):
                for x in rows:
                    crba(model, data, x)

        def results() -> np.ndarray:
            found = np.array([_symmetric(crba(model, data, x)) for x in rows])
            return self._back(self._back(found).swapaxes(1, 2))

        return calls, results

    def _slopes(self, name: str, given: tuple[np.ndarray, ...]) -> Timed:
        pin, model, data = self.pin, self.model, self.data
        inverse = name == "inverse_dynamics_derivatives"
        derive = pin.computeRNEADerivatives if inverse else pin.computeABADerivatives
        rows = list(zip(*given, strict=True))

        def calls(loops: int) -> None:
            for _ in range(loops):
                for q, v, a in rows:
                    derive(model, data, q, v, a)

        def results() -> tuple[np.ndarray, ...]:
            found = [tuple(x.copy() for x in derive(model, data, *row)) for row in rows]
            dq, dv, M = (np.array(x) for x in zip(*found, strict=True))
            M = np.array([_symmetric(x) for x in M])
            sides = [self._back(x).swapaxes(1, 2) for x in (dq, dv, M)]
            return tuple(self._back(x).swapaxes(1, 2) for x in sides)

        return calls, results

    def _back(self, found: np.ndarray) -> np.ndarray:
        """Return results with the last dimension in the order of the mechanism."""
        return np.ascontiguousarray(found[..., np.argsort(self.v)])


def _depth_first(parents: list[int]) -> list[int]:
    """Return the bodies so that each branch is a run of neighbours."""
    children: dict[int, list[int]] = {}
    for j, i in enumerate(parents):
        children.setdefault(i, []).append(j)
    order, stack = [], children.get(-1, [])[::-1]
    while stack:
        order.append(stack.pop())
        stack += children.get(order[-1], [])[::-1]
    return order


def _entries(sizes: list[int], order: list[int]) -> list[int]:
    """Return the indices of a vector with parts of these sizes, the parts in that order."""
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(int)
    return [k for j in order for k in range(starts[j], starts[j + 1])]


def _symmetric(M: np.ndarray) -> np.ndarray:
    upper = np.triu(M)
    return upper + np.triu(M, 1).T


def _vector(v: Any) -> np.ndarray:
    return np.array([float(x) for x in v])


def _rows(matrix: Any) -> np.ndarray:
    return np.array([[float(x) for x in row] for row in matrix.rows])
