"""What a quantity says where it would be that of the cut tree alone.

A quantity answers for the whole machine, or refuses: CLASSES are the kinds of machines that close
or constrain the tree; what to ask for instead stands in the row of the quantity. Closed forms that
stand for a mechanism, whole or simplified, answer for FORMS alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from ..errors import UsageError, shown
from ..mechanism import Mechanism, is_closed, is_rolling
from .later import closed_form
from .quantity import Algorithm, Quantity

# what a machine may have beside its tree, in the words of a message
CLASSES: Mapping[str, Callable[[Mechanism], bool]] = {
    "closed loops": lambda m: bool(m.loops),
    "wheels": lambda m: bool(m.wheels),
    "rolling bodies": lambda m: bool(m.rolling),
    "velocity constraints": lambda m: bool(m.velocity_constraints),
    "couplings": lambda m: bool(m.couplings),
}
SPEEDS = ("wheels", "velocity constraints")  # classes that Kane's method answers for


def _unmotorised(row: Quantity, m: Mechanism) -> UsageError | None:
    """Return why forces of motors cannot be asked for: none is named."""
    # joints that follow no other have motors where couplings are all there is
    held = [what for what in CLASSES if what != "couplings" and CLASSES[what](m)]
    if m.active or not held or not row.named_motors:
        return None
    from ..plan.loops import no_motor

    return no_motor(m, f"{row.name}: ", f"with {held[0]},")


# forces and accelerations of a machine with loops: no input says how a prescribed joint moves
OF_FORCES = ("inverse_dynamics", "forward_dynamics", "hybrid_dynamics", "link_wrenches",
             "inverse_dynamics_derivatives", "forward_dynamics_derivatives", "active_torques",
             "loop_reactions", "task_terms")  # fmt: skip


def moved_from_outside(name: str, m: Mechanism) -> UsageError | None:
    """Return why a joint of a loop may not be prescribed: it would be one that nothing drives."""
    led = [n for n in m.prescribed if n in m.joint_names and n not in m.active]
    if not led or is_rolling(m) or not is_closed(m):
        return None
    which = ", ".join(repr(shown(n)) for n in led)
    these = f"name {'it' if len(led) == 1 else 'them'} in active too"
    return UsageError(
        f"{name}: {which} {'is' if len(led) == 1 else 'are'} prescribed, and no input says how",
        hint=f"{these}: motors that hybrid_dynamics takes by their accelerations (given=[...]) and "
        "torques_along by their motions; simulate takes motions as it is",
        command=f"{these}, in a native file",
    )


def refusal(row: Quantity, m: Mechanism) -> UsageError | None:
    """Return why a quantity does not hold for the whole machine, None where it does."""
    if m.prescribed and row.name in OF_FORCES and (error := moved_from_outside(row.name, m)):
        return error
    if not row.instead:
        return _unmotorised(row, m)
    what = next((what for what, has in CLASSES.items() if has(m)), None)
    if what is None:
        return None
    instead = row.instead + f"; {row.instead_kane}" * (what in SPEEDS and bool(row.instead_kane))
    return UsageError(
        f"{row.name} would be that of the cut tree alone: {shown(m.name)!r} has {what}",
        hint=f"{instead}; m.tree is the machine without {what}",
        command=instead,
    )


# quantities that have closed forms; the coefficients are the method
FORMS: Mapping[str, Algorithm] = {
    "mass_matrix": closed_form.mass_matrix,
    "gravity": closed_form.gravity,
    "coriolis": closed_form.coriolis,
    "bias": closed_form.bias,
    "inverse_dynamics": closed_form.inverse_dynamics,
    "forward_dynamics": closed_form.forward_dynamics,
}


def of_forms(row: Quantity, m: Mechanism) -> Quantity:
    """Return the row by closed forms; UsageError for what would be that of the full mechanism."""
    if m.form is None:
        raise UsageError(
            f"{row.name} would be that of the full mechanism: {shown(m.name)!r} is simplified",
            hint="m.full is the mechanism with nothing left out, equations(m) the simplified model",
            command="take `simplified` out of the file, or use derive, export or simulate",
        )
    if row.name not in FORMS:
        of = "of equations there are " + ", ".join(FORMS)
        raise UsageError(
            f"{row.name} is not a quantity of closed forms",
            hint=f"ask the mechanism itself (m.full where it is simplified); {of}",
            command="leave out --freeze, --neglect, --drop and --prune, "
            f"and take `simplified` out of the file where it has some; {of}",
        )
    return replace(row, methods={"closed_form": FORMS[row.name]}, frame_free=False)
