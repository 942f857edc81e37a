"""The quantities of closed forms that stand for a mechanism, whole or simplified.

Each keeps the inputs, outputs and unit of the mechanism's own; the coefficients are the method.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import UsageError, shown
from ..mechanism import Mechanism
from .later import closed_form

METHOD = "closed_form"
ALGORITHMS: Mapping[str, Any] = {
    "mass_matrix": closed_form.mass_matrix,
    "gravity": closed_form.gravity,
    "coriolis": closed_form.coriolis,
    "bias": closed_form.bias,
    "inverse_dynamics": closed_form.inverse_dynamics,
    "forward_dynamics": closed_form.forward_dynamics,
}


def check_reduced(name: str, m: Mechanism) -> None:
    """Raise UsageError for a quantity that would be that of the full mechanism."""
    if m.form is not None and name not in ALGORITHMS:
        raise UsageError(
            f"{name} is not a quantity of closed forms",
            hint="ask the mechanism itself (m.full where it is simplified); of equations there are "
            + ", ".join(ALGORITHMS),
            command="leave out --freeze, --neglect, --drop and --prune; of equations there are "
            + ", ".join(ALGORITHMS),
        )
    if m.form is None and m.simplified is not None:
        raise UsageError(
            f"{name} would be that of the full mechanism: {shown(m.name)!r} is simplified",
            hint="m.full is the mechanism with nothing left out, equations(m) the simplified model",
            command="take `simplified` out of the file, or use derive, export or simulate",
        )
