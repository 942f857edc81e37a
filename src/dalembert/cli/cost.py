"""dalembert cost: operations of each quantity and method."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..display import aligned
from .model import drives_option, echo_answer, echo_notes, model_command, with_left_out
from .values import several

if TYPE_CHECKING:
    from ..algorithms.drives import Drives
    from ..cost import Count
    from ..mechanism import Mechanism

HEAD = ("quantity", "method", "parameters", "mul", "add", "div", "sincos", "prepare")
REMARK = """
# at each state; prepare: mul+add once per set of parameters; sincos: pairs of one angle
# standard: ten symbols per body; base: the fewest symbols; given: the model's own numbers"""


@model_command
@with_left_out
@several("--quantity quantities", str, "Count this quantity")
@several("--method methods", str, "Count this method")
@several(
    "--parameters kinds",
    ("standard", "base", "given"),
    "Ten symbols per body, base parameters, or the model's own numbers",
)
@drives_option("none")
def command(
    mechanism: Mechanism,
    as_json: bool,
    quantities: tuple[str, ...],
    methods: tuple[str, ...],
    kinds: tuple[str, ...],
    drives: Drives,
) -> None:
    """Count the operations of each quantity and method of MODEL.

    Three sets of parameters: `standard`, ten symbolic inertial parameters per body; `base`, the
    base parameters as symbols; `given`, the model's own numbers. What runs once per parameter set
    is counted separately, as `prepare`.

    \b
    Example:
      dalembert cost robot:puma560 --quantity inverse_dynamics
    """
    from ..cost import KINDS, costs

    rows, notes = costs(mechanism, quantities or None, methods or None, kinds or KINDS, drives)
    lines = aligned([HEAD, *map(_cells, rows)], words=(0, 1, 2))
    echo_answer(as_json, [row.data() for row in rows], [*lines, REMARK])
    echo_notes(notes)


def _cells(row: Count) -> tuple[str, ...]:
    counts = (row.mul, row.add, row.div, row.sincos)
    prepare = f"{row.prepare_mul}+{row.prepare_add}"
    return row.quantity, row.method, row.parameters, *map(str, counts), prepare
