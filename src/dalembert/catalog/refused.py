"""What a quantity says where it would be that of the cut tree alone: one row for each.

A quantity answers for the whole machine, or refuses: CLASSES are the kinds of machines that close
or constrain the tree, REFUSED the quantities that do not hold for them, with what to ask instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..errors import UsageError, shown
from ..mechanism import Mechanism

# what a machine may have beside its tree, in the words of a message
CLASSES: Mapping[str, Callable[[Mechanism], bool]] = {
    "closed loops": lambda m: bool(m.loops),
    "wheels": lambda m: bool(m.wheels),
    "rolling bodies": lambda m: bool(m.rolling),
    "velocity constraints": lambda m: bool(m.velocity_constraints),
    "couplings": lambda m: bool(m.couplings),
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a quantity is refused: class of machine -> what to ask for instead."""

    instead: Mapping[str, str]
    tree: bool = True  # whether the cut tree has this quantity


def _of(names: str, tree: bool = True, **instead: str) -> dict[str, Refusal]:
    """Return one refusal for several quantities; `closed_loops="..."` is that class's hint.

    A class without a hint of its own has that of closed loops; Kane's quantities, `kane="..."`,
    are those of wheels and velocity constraints too.
    """
    kane = instead.pop("kane", "")
    hints = dict.fromkeys(CLASSES, instead["closed_loops"])
    for key in ("wheels", "velocity constraints"):
        hints[key] += f"; {kane}" * bool(kane)
    return dict.fromkeys(names.split(), Refusal(hints, tree))


REFUSED: Mapping[str, Refusal] = {
    **_of(
        "mass_matrix",
        closed_loops="active_mass_matrix is A_c in the active joints",
        kane="kane_D is that of the speeds",
    ),
    **_of(
        "gravity",
        closed_loops="active_bias at qd = 0 is the gravity load of the active joints",
        kane="kane_tau at rest holds the weight on the speeds",
    ),
    **_of(
        "bias",
        closed_loops="active_bias is H_c in the active joints",
        kane="kane_C and kane_tau are those of the speeds",
    ),
    **_of(
        "coriolis coriolis_matrix",
        closed_loops="active_bias less active_bias at qd = 0 are these forces on the active joints",
        kane="kane_C is that of the speeds",
    ),
    **_of(
        "lagrange_coefficients",
        closed_loops="active_mass_matrix and active_bias are A_c, H_c",
        kane="kane_D and kane_C are those of the speeds",
    ),
    **_of(
        "spatial_force",
        closed_loops="link_wrenches counts what holds the machine, in link axes",
    ),
    **_of(
        "regressor",
        closed_loops="active_regressor is linear in the parameters of the closed machine",
    ),
    **_of(
        "active_chain_W active_chain_V",
        closed_loops="active_mass_matrix and active_bias are A_c and H_c of the closed machine",
    ),
    **_of(
        "cartesian_mass cartesian_bias cartesian_force",
        closed_loops="task_model(m, frame) is that of any frame of any machine",
    ),
    **_of(
        "elastic_inverse moving_base_inverse moving_base_direct base_acceleration "
        "prescribed_base_inverse elastic_base_inverse",
        closed_loops="forward_dynamics and inverse_dynamics count base and springs: "
        "name the motors in active",
    ),
}


# what is asked of the motors, which a machine on wheels has only where they are named
MOTORS = frozenset((
    "inverse_dynamics", "active_torques", "hybrid_dynamics", "inverse_dynamics_derivatives",
    "loop_reactions", "link_wrenches",
))  # fmt: skip


def _unmotorised(name: str, m: Mechanism) -> UsageError | None:
    """Return why forces of motors cannot be asked for: none is named."""
    # joints that follow no other have motors where couplings are all there is
    held = [what for what in CLASSES if what != "couplings" and CLASSES[what](m)]
    if m.active or not held or name not in MOTORS:
        return None
    spins = dict.fromkeys(w.spin for w in m.wheels if w.spin)
    some = ", ".join(f'"{shown(n)}"' for n in spins or m.joint_names[-2:])
    return UsageError(
        f"{name}: no motor is named: with {held[0]}, {shown(m.name)!r} has none of its own",
        hint=f"active = [{some}] in the file, or dataclasses.replace(m, active=(...))",
        command=f"write active = [{some}] in the file",
    )


def refused(name: str, m: Mechanism) -> UsageError | None:
    """Return why a quantity does not hold for the whole machine, None where it does."""
    refusal = REFUSED.get(name)
    if refusal is None:
        return _unmotorised(name, m)
    for what, has in CLASSES.items():
        if what in refusal.instead and has(m):
            tree = f"; m.tree is the machine without {what}" if refusal.tree else ""
            return UsageError(
                f"{name} would be that of the cut tree alone: {shown(m.name)!r} has {what}",
                hint=refusal.instead[what] + tree,
                command=refusal.instead[what],
            )
    return None


def check_class(name: str, m: Mechanism) -> None:
    """Raise UsageError for a quantity that does not hold for the whole machine."""
    error = refused(name, m)
    if error is not None:
        raise error
