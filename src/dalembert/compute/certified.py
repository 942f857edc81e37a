"""A quantity of many designs at many states, with what its certificates say of each design.

Certificates are computed in `algorithms/closed_kinematics.py`.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..algorithms.closed_kinematics import CERTIFIED
from ..catalog import quantity
from ..errors import ComputationError, SingularPose
from ..mechanism import Mechanism, freed
from ..plan.assembly import OPEN
from .designs import at_first
from .evaluate import arrays_of, evaluate
from .kernels import kernel_of
from .loops import UNFOUND, answered, pivot_limit, row_sizes
from .replan import Outputs

Array = np.ndarray


BLURRED = 1e-6  # largest relative error of a force that comes from how well a pose is closed


def certified(
    m: Mechanism, name: str, *inputs: Array, designs: dict[str, Array], **options: Any
) -> tuple[Any, Array]:
    """Return a quantity, inputs (designs or 1, samples, n), and which designs have no sure answer.

    One plan of the loops serves all designs; those that its certificates refuse are computed alone,
    with plans of their own. What is left is open or singular somewhere along its samples.
    """
    wide = {n: x[:, None] for n, x in designs.items()}
    count = len(next(iter(designs.values())))
    own = at_first(freed(m, wide), wide)
    row = quantity(name, own)
    if not row.planned:
        made = evaluate(m, name, *inputs, parameters=wide, check=False, **options)
        return made, np.zeros(count, dtype=bool)
    asked = tuple(sorted(set(wide) - set(own.open_parameters))) or None
    kernel = kernel_of(own, name, None, parameters=asked, wrench=False, **options)
    made = Outputs.of(kernel, inputs, wide)
    gap = scaled_gap(own, made.residual)
    sure = (made.ratio >= pivot_limit(own, row)) & (made.gap <= CERTIFIED)
    sure &= gap <= (UNFOUND if row.closes else OPEN)
    lost = np.zeros(count, dtype=bool)
    for d in np.flatnonzero(~sure.all(axis=1)):
        rows = [x[d if len(x) > 1 else 0] for x in inputs]
        alone = {n: float(x[d]) for n, x in designs.items()}
        try:
            found = evaluate(m, name, *rows, parameters=alone, **options)
        except ComputationError:
            lost[d] = True
            continue
        for x, y in zip(made.arrays, arrays_of(found), strict=True):
            x[d] = y
    lost |= (sure & _blurred(gap, made.ratio)).any(axis=1)
    return made.result, lost


def scaled_gap(m: Mechanism, residual: Array) -> Array:
    """Return the largest residual of each state, in parts of what its equation is measured in."""
    return largest_entry(residual / row_sizes(m))


def largest_entry(x: Array) -> Array:
    """Return the largest amount in each row; column by column, as rows are short and many."""
    out = np.zeros(x.shape[:-1])
    for k in range(x.shape[-1]):
        np.maximum(out, np.abs(x[..., k]), out=out)
    return out


def _blurred(gap: Array, ratio: Array) -> Array:
    """Return at which states a force is not certain, by how far loops are open and by pivots.

    The error of a pose is its residual over the pivot, that of a force once more over the pivot; no
    residual is known better than to rounding.
    """
    return np.asarray(~(np.maximum(gap, np.finfo(float).eps) <= BLURRED * ratio**2))


def require_sharp(m: Mechanism, what: str, q: Array) -> None:
    """Raise SingularPose where poses that were assembled are too near a singular one.

    Pivots are those of the plan by which a pose is answered for, which need not be the usual one.
    """
    zero, row = np.zeros((len(q), m.nv)), quantity("tree_motion", m)
    get = partial(kernel_of, m, row.name, None, wrench=False)
    found = answered(m, row, get, get(), (q, zero, zero), None)
    bad = np.flatnonzero(_blurred(scaled_gap(m, found.residual), found.ratio))
    if len(bad):
        raise SingularPose(
            f"{what}: the motion meets a singular pose of the loops at sample {bad[0]}, where no "
            "force of the motors is certain",
            hint="stop before it, or take another way",
        )
