"""Where the printed rates of closed loops hold: the Jacobian of their blocks has full rank."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..algorithms.closed_kinematics import SINGULAR
from ..errors import SingularPose, shown, state_text
from .loop_blocks import Solved, value


def require_regular(s: Solved, at: Mapping[str, Any]) -> None:
    """Raise SingularPose where a block cannot be solved at one of the states.

    Rows and columns are measured by their largest entries, so that units do not matter.
    """
    import numpy as np

    for block in s.blocks:
        if block.constants:  # a parallelogram: its rates are constants
            continue
        entries = [[value(s.J[r][j], at) for j in block.joints] for r in block.rows]
        flat = np.broadcast_arrays(*(np.asarray(x, dtype=float) for row in entries for x in row))
        J = np.stack(flat, axis=-1).reshape(*flat[0].shape, len(block.rows), len(block.joints))
        for axis in (-1, -2):
            size = np.abs(J).max(axis=axis, keepdims=True)
            J = J / np.where(size > 0, size, 1)
        J = np.nan_to_num(J, nan=0.0, posinf=0.0, neginf=0.0)
        least = np.linalg.svd(J, compute_uv=False)[..., -1]
        bad = np.argwhere(~(least > SINGULAR))
        if len(bad):
            loops = ", ".join(shown(n) for n in dict.fromkeys(s.places[r][0] for r in block.rows))
            names = ", ".join(f"q{j + 1}" for j in block.joints)
            raise SingularPose(
                f"the loops are singular at this pose{state_text(tuple(bad[0]))}: {loops} "
                f"does not decide {names}",
                hint="move away from it: dalembert.regular_pose(m, q)",
                command="give another pose",
            )
