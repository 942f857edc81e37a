"""Operation counts of quantities, for the numbers of a model and for symbolic inertial parameters.

Counted: every + - × / that remains after folding and sharing; negation is free, x² is one
multiplication, a sine and a cosine of one angle are a pair. What depends on parameters only is
counted apart, as `prepare`. Khalil and Dombre, Modeling, Identification and Control of Robots
(2002), section 9.6, counts in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .algorithms.drives import Drives
from .algorithms.elastic import elastic_indices
from .algorithms.moving_base import has_moving_base
from .algorithms.parameter_sets import with_parameters
from .algorithms.velocity_constraints import is_constrained
from .catalog import QUANTITIES, Quantity, algorithm, quantity, refused
from .catalog.refused import FORMS
from .compute import program_of, trace_quantity
from .compute.model import model_of
from .compute.trace import Prepare
from .errors import ComputationError, ModelError
from .expr import Program, program
from .mechanism import Mechanism, is_closed
from .mechanism.rehome import merge_fixed
from .reframe import reframe, simplify

KINDS = ("standard", "base", "given")
# methods that ask for mass centres, which a body of base parameters does not have
CENTRED = frozenset({"active_chain", "kane"})
SMALL = 12  # degrees of freedom up to which every method is counted unasked


@dataclass(frozen=True, slots=True)
class Count:
    """The cost of one quantity by one method; `prepare` runs once per parameter set."""

    quantity: str
    method: str
    parameters: str
    mul: int
    add: int
    div: int
    sincos: int
    prepare_mul: int
    prepare_add: int

    def data(self) -> dict[str, Any]:
        """Return the row as JSON holds it."""
        names = ("quantity", "method", "parameters", "mul", "add", "div", "sincos")
        prepare = {"mul": self.prepare_mul, "add": self.prepare_add}
        return {name: getattr(self, name) for name in names} | {"prepare": prepare}


def costs(
    m: Mechanism,
    quantities: Sequence[str] | None = None,
    methods: Sequence[str] | None = None,
    kinds: Sequence[str] = KINDS,
    drives: Drives = "none",
) -> tuple[list[Count], list[str]]:
    """Return (rows, notes): operation counts, and which methods do not hold for the mechanism.

    `standard`: ten symbolic inertial parameters per moving body; `base`: the base parameters of
    `da.base_parameters` as symbols, in frames chosen as kernels choose them; `given`: the
    mechanism's own numbers and symbols, as kernels are made. Without `quantities` the
    usual ones are counted; without `methods` all of a small mechanism, else each default.
    """
    m = model_of(m, "cost")
    if m.form is not None:  # their terms are what they are, rotors among them
        kinds, drives = ("given",), "inertia"
        quantities = list(FORMS) if quantities is None else quantities
    rows: list[Count] = []
    refused: dict[str, list[tuple[str, str]]] = {}
    if is_constrained(m):
        from .plan.kane import with_speeds

        m = with_speeds(m)
    models = {"given": m}
    if m.form is None:
        models["standard"] = with_symbolic_inertia(m, drives)
    if "base" in kinds:
        models["base"] = with_parameters(reframe(models["standard"]), "base", drives)
    for name in usual(m) if quantities is None else quantities:
        row = quantity(name, m)
        every = list(row.methods) if m.nv <= SMALL else [row.default]
        for method in every if methods is None else methods:
            if methods is not None:
                algorithm(row, method)  # an unknown one is an error
            for kind in kinds:
                if kind == "base" and (not row.frame_free or method in CENTRED):
                    continue
                try:
                    made = _program(models[kind], row, method, kind, drives)
                except (ModelError, ComputationError, ZeroDivisionError) as error:
                    reason = getattr(error, "message", "the model is singular")
                    if drives == "none" and m.drives and not isinstance(error, ModelError):
                        reason += '; rotors are not counted (drives="inertia" counts them)'
                    refused.setdefault(reason, []).append((name, method))
                    break
                rows.append(_row(name, method, kind, made))
    return rows, [_note(pairs, reason) for reason, pairs in refused.items()]


def usual(m: Mechanism) -> list[str]:
    """Return the quantities that are counted unasked."""
    soft, moving = bool(elastic_indices(m)[0]) and not is_closed(m), has_moving_base(m)
    here = {
        "any": True,
        "elastic": soft and not moving,
        "moving": moving,
        "elastic moving": soft and moving,
        "closed": is_closed(m),
        "constrained": is_constrained(m),
    }
    rows = [row for row in QUANTITIES.values() if here.get(row.counted)]
    return [row.name for row in rows if refused(row.name, m) is None]


def _note(pairs: Sequence[tuple[str, str]], reason: str) -> str:
    """Return one line for all that has the same reason."""
    names, methods = (list(dict.fromkeys(column)) for column in zip(*pairs, strict=True))
    together: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        own = tuple(method for method in methods if (name, method) in pairs)
        together.setdefault(own, []).append(name)
    parts = (f"{', '.join(n)} by {', '.join(by)}" for by, n in together.items())
    return "; ".join(parts) + f": {reason}"


def _row(name: str, method: str, kind: str, made: Program) -> Count:
    step, early = made.cost["step"], made.cost["prepare"]
    return Count(
        name, method, kind, step.mul, step.add, step.div, step.sincos, early.mul, early.add
    )


def _program(m: Mechanism, row: Quantity, method: str, kind: str, drives: str) -> Program:
    options = {"drives": drives} if "drives" in row.options else {}
    if kind == "given" or row.planned:
        return program_of(m, row.name, method, **options)
    if not row.frame_free or method not in (row.default, "composite"):
        return _traced(m, row, method, lambda x: x, options)
    # inertias moved to parents pay, unless forming them costs more than it saves
    ways = (reframe, simplify) if kind == "standard" else (simplify,)
    made = [_traced(m, row, method, way, options) for way in ways]
    return min(made, key=lambda one: sum(c.mul + c.add for c in one.cost.values()))


def _traced(m: Mechanism, row: Quantity, method: str, prepare: Prepare, options: Any) -> Program:
    """Return the Program of a quantity on a prepared mechanism, all open parameters at run time."""
    function = trace_quantity(m, row.name, method, prepare=prepare, **options)
    return program(function, m.open_parameters)


def with_symbolic_inertia(m: Mechanism, drives: Drives = "none") -> Mechanism:
    """Return the mechanism with ten symbolic inertial parameters for each moving body.

    Fixed bodies are merged into their parents first; bodies that are massless stay so. Of drives
    what is counted is a symbol too.
    """
    return with_parameters(merge_fixed(m), "standard", drives)
