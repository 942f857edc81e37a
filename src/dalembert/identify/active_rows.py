"""Regressors of the motors of any machine: Gᵀ Y of the cut tree in the closed motion.

Khalil (2010), eq. (46). Forces of the motors follow from those on the independent coordinates by
least norm, as in `inverse_dynamics`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..algorithms.base_parameters import BaseParameters
from ..algorithms.velocity_constraints import Constraints
from ..catalog.refused import moved_from_outside
from ..compute import evaluate
from ..errors import UsageError, shown
from ..kept import Kept
from ..mechanism import Mechanism, is_closed, require_mechanism
from ..plan import planned
from .closed_base import base_parameters
from .unknowns import freedom_regressor

Array = np.ndarray
_BASES: Kept[BaseParameters] = Kept(32)


def active_regressor(
    m: Mechanism,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    *,
    drives: str = "inertia",
    columns: str = "standard",
) -> Array:
    """Return Y with tau = Y phi for the motors of any machine: (..., motors, parameters).

    On a tree this is `regressor`. With loops, couplings and wheels, rates of independent joints are
    read, as in all closed quantities, and rows are motors as in `inverse_dynamics`. phi are the
    standard parameters of all bodies; with `columns="base"` those of `base_parameters(m)`. Forces
    of springs and elastic joints are known, and not in Y: tau is what is left without them.

    >>> import dalembert as da
    >>> m = da.robots.fourbar()
    >>> q = da.assemble(m)
    >>> v, a, *_ = da.tree_motion(m, q, [1.0, 0.0, 0.0], [0.5, 0.0, 0.0])
    >>> Y = da.active_regressor(m, q, v, a)
    >>> phi = da.parameter_vector(m.bound())
    >>> bool(abs(Y @ phi - da.inverse_dynamics(m, q, v, a)).max() < 1e-12)
    True
    """
    require_mechanism(m, "active_regressor")
    if columns not in ("standard", "base"):
        known = 'columns are "standard" or "base"'
        raise UsageError(f"unknown columns {shown(repr(columns))}", hint=known)
    if not is_closed(m):
        return np.asarray(evaluate(m, "regressor", q, qd, qdd, drives=drives, columns=columns))
    if error := moved_from_outside("active_regressor", m):
        raise error
    if Constraints.of(m).inputs:
        raise UsageError(
            "active_regressor is not known where motions are prescribed",
            hint="regressor(m.tree, ...) is that of the tree",
            command="ask for regressor of the machine without its loops",
        )
    qd, qdd = evaluate(m, "tree_motion", q, qd, qdd)
    Y = freedom_regressor(m, q, qd, qdd, drives=drives)
    Y = Y[..., : len(planned(m).motors), :]  # what no motor moves is last
    if columns == "standard":
        return np.asarray(Y)
    key = (m.digest, drives)
    base = _BASES.get(key, lambda: base_parameters(m, drives))  # type: ignore[arg-type]
    return np.ascontiguousarray(Y[..., list(base.kept)])
