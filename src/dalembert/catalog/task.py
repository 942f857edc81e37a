"""The rows of the catalog for task space: the same terms of a tree and of a closed machine."""

from __future__ import annotations

from typing import Any

from ..mechanism import Mechanism
from .axes import gives
from .later import joint_forces, task
from .loops import STEPS, of_closed
from .quantity import Quantity

OPTIONS: dict[str, Any] = {"frame": None, "rows": None, "axes": "base", "drives": "inertia"}
TEXT = "x' = J u, x'' = J u' + drift of rows of a frame, and A u' + H, the forces on the speeds u"


def _of_tree(m: Mechanism, *state: Any, drives: Any = "inertia", **options: Any) -> Any:
    return task.task_terms(joint_forces.JointForces(m, drives), *state, **options)


def _row(outputs: Any, run: Any, options: Any, planned: bool) -> Quantity:
    methods = {"newton_euler": run}
    return Quantity(
        "task_terms", ("q", "qd"), outputs, methods, "mixed", TEXT, False, options, planned
    )


def task_row() -> Quantity:
    """Return the row of trees: the speeds are all rates."""
    outputs = gives(J="task_row joint", A="joint joint", H="joint", drift="task_row",
             velocity="task_row")  # fmt: skip
    return _row(outputs, _of_tree, OPTIONS, False)


def closed_task_row() -> Quantity:
    """Return the row where loops or wheels hold the machine: speeds of the independent joints."""
    outputs = gives(J="task_row independent", A="independent independent", H="independent",
             drift="task_row", velocity="task_row", G_a="motor independent")  # fmt: skip
    return _row(outputs, of_closed(task.closed_task_terms), {**STEPS, **OPTIONS}, True)
