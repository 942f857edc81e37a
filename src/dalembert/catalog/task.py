"""The rows of the catalog for task space: the same terms of a tree and of a closed machine."""

from __future__ import annotations

from typing import Any

from .axes import gives
from .later import task
from .loops import STEPS, of_closed
from .models import acted
from .quantity import row

OPTIONS: dict[str, Any] = {"frame": None, "rows": None, "axes": "base", "drives": "inertia"}
TEXT = "x' = J u, x'' = J u' + drift of rows of a frame, and A u' + H, the forces on the speeds u"


TASK = row(  # of trees: the speeds are all rates
    "task_terms", "q qd",
    gives(J="task_row / joint", A="kg m2 / joint joint", H="J / joint", drift="task_row / s2",
          velocity="task_row / s"),
    {"newton_euler": acted(task.task_terms)}, TEXT, OPTIONS, followers="projected",
)  # fmt: skip
TASK_CLOSED = row(  # where loops or wheels hold the machine: speeds of the independent joints
    "task_terms", "q qd",
    gives(J="task_row / independent", A="kg m2 / independent independent", H="J / independent",
          drift="task_row / s2", velocity="task_row / s", G_a="motor / independent"),
    {"newton_euler": of_closed(task.closed_task_terms)}, TEXT, {**STEPS, **OPTIONS}, planned=True,
)  # fmt: skip
