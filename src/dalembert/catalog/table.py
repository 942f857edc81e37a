"""The one table from quantity name to algorithms, inputs, outputs and units.

API, command line, emitters, kernels and docs list what this table lists: a new quantity is one
algorithm file and one row here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from html import escape
from typing import Any

from ..errors import UsageError, closest, shown
from ..mechanism import Mechanism, is_closed, is_rolling
from . import folded, loops, moving
from .axes import gives
from .kane import CARTESIAN, KANE
from .later import (
    active_chain,
    articulated_body,
    augmented_body,
    base_axes,
    composite,
    coriolis,
    derivatives,
    direct_by_mass_matrix,
    energy,
    homogeneous,
    kinematics,
    lagrange_coefficients,
    regressor,
    springs,
    task,
    velocity_rows,
    world_spatial,
)
from .models import (
    BODIES,
    INVERSE,
    PARTITION,
    Algorithm,
    acceleration_energy,
    acted,
    active_chain_V,
    bias_forces,
    by_columns,
    coriolis_forces,
    direct_model,
    each,
    framed,
    gravity_load,
    hybrid_model,
    kinetic_energy,
    lagrange_model,
    mass_with_rotors,
    potential_energy,
)
from .quantity import Quantity, row
from .refused import of_forms, refusal

# -- the rows ---------------------------------------------------------------------------------

DRIVES = {"drives": "inertia"}
COLUMNS = {"drives": "inertia", "columns": "standard"}  # or "base": the independent ones
FRAME = {"frame": None}
AXES = {"frame": None, "axes": "base"}
MOTION_FORCES = "active_bias less active_bias at qd = 0 are these forces on the active joints"
ACTIVE_CHAIN = "active_mass_matrix and active_bias are A_c and H_c of the closed machine"

LAGRANGE = {
    "composite": lagrange_model(lagrange_coefficients.lagrange_coefficients),
    "augmented_body": lagrange_model(augmented_body.augmented_coefficients),
    "homogeneous": lagrange_model(homogeneous.homogeneous_coefficients),
}

IN_TASK: dict[str, Any] = {"frame": None, "rows": None, "axes": "base", "drives": "inertia"}
TASKS = "x' = J u, x'' = J u' + drift of rows of a frame, and A u' + H, the forces on the speeds u"

TASK = row(  # of trees: the speeds are all rates
    "task_terms", "q qd",
    gives(J="task_row / joint", A="kg m2 / joint joint", H="J / joint", drift="task_row / s2",
          velocity="task_row / s"),
    {"newton_euler": acted(task.task_terms)}, TASKS, IN_TASK, followers="projected",
)  # fmt: skip
TASK_CLOSED = row(  # where loops or wheels hold the machine: speeds of the independent joints
    "task_terms", "q qd",
    gives(J="task_row / independent", A="kg m2 / independent independent", H="J / independent",
          drift="task_row / s2", velocity="task_row / s", G_a="motor / independent"),
    {"newton_euler": loops.of_closed(task.closed_task_terms)}, TASKS,
    {**loops.STEPS, **IN_TASK}, planned=True,
)  # fmt: skip

_ROWS = (
    row("pose", "q", gives(T="place / homogeneous"), {"kinematics": framed(kinematics.pose)},
        "pose of a frame in the base frame, 4 x 4", FRAME, followers="projected"),
    row("jacobian", "q", gives(J="six / joint"), {"kinematics": framed(kinematics.jacobian)},
        "[v; w] of a frame's origin = J qd", AXES, followers="projected"),
    row("jacobian_derivative", "q qd", gives(Jd="six / s joint"),
        {"kinematics": framed(kinematics.jacobian_derivative)},
        "time derivative of the Jacobian", AXES, followers="projected", in_motion=True),
    row("velocity", "q qd", gives(v="six / s"), {"kinematics": framed(kinematics.velocity)},
        "velocity [v; w] of a frame's origin", AXES, followers="projected", in_motion=True),
    row("acceleration", "q qd qdd", gives(a="six / s2"),
        {"kinematics": framed(kinematics.acceleration)},
        "classical acceleration of a frame's origin", AXES, followers="projected", in_motion=True),
    row("centre_of_mass", "q", gives(c="xyz"), {"sum": energy.centre_of_mass},
        "mass centre of all bodies in the base frame", followers="projected"),
    row("momentum", "q qd", gives(h="kg m2 / s six"), {"sum": energy.momentum},
        "momentum [linear; angular about the base origin]", followers="projected", in_motion=True),
    row("kinetic_energy", "q qd", gives(T="J"), {"sum": acted(kinetic_energy)},
        "kinetic energy, rotors included", DRIVES, frame_free=True, followers="projected",
        in_motion=True),
    row("acceleration_energy", "q qd qdd", gives(S="J / s2"),
        {"gibbs_appell": acted(acceleration_energy)},
        "energy of acceleration S, tau = dS/dqdd without gravity", DRIVES, frame_free=True,
        followers="projected", in_motion=True),
    row("potential_energy", "q", gives(V="J"), {"sum": potential_energy},
        "potential energy of gravity and springs", followers="projected"),
    row("mass_matrix", "q", gives(M="kg m2 / joint joint"),
        {"composite": mass_with_rotors(composite.composite),
         "base_axes": mass_with_rotors(base_axes.composite_base), **each(by_columns)},
        "mass matrix M", DRIVES, frame_free=True, followers="projected", cheaper="base_axes",
        counted="any", instead="active_mass_matrix is A_c in the active joints",
        instead_kane="kane_D is that of the speeds"),
    row("gravity", "q", gives(g="J / joint"), each(gravity_load),
        "joint forces that hold it at rest against gravity, -Q; no springs", frame_free=True,
        followers="projected", counted="any",
        instead="active_bias at qd = 0 is the gravity load of the active joints",
        instead_kane="kane_tau at rest holds the weight on the speeds"),
    row("coriolis", "q qd", gives(c="J / joint"), each(coriolis_forces),
        "Coriolis and centrifugal forces", frame_free=True, followers="projected", counted="any",
        instead=MOTION_FORCES, instead_kane="kane_C is that of the speeds"),
    row("coriolis_matrix", "q qd", gives(C="kg m2 / s joint joint"),
        {"composite": coriolis.coriolis_matrix},
        "Christoffel's C: M' - 2C is skew", frame_free=True, followers="projected", counted="any",
        instead=MOTION_FORCES, instead_kane="kane_C is that of the speeds"),
    row("bias", "q qd", gives(h="J / joint"), each(bias_forces),
        "coriolis + gravity (and friction with drives=\"all\"); no springs", DRIVES,
        frame_free=True, wrenches=True, lighten=True, followers="projected", counted="any",
        instead="active_bias is H_c in the active joints",
        instead_kane="kane_C and kane_tau are those of the speeds"),
    row("inverse_dynamics", "q qd qdd", gives(tau="J / joint"), INVERSE,
        "joint forces that give the accelerations qdd", DRIVES,
        frame_free=True, wrenches=True, lighten=True, followers="projected",
        counted="any", named_motors=True),
    row("forward_dynamics", "q qd tau", gives(qdd="joint / s2"),
        {"articulated_body": direct_model(articulated_body.articulated_body),
         "composite": direct_model(direct_by_mass_matrix.composite_direct),
         "direct_from_inverse": direct_model(direct_by_mass_matrix.direct_from_inverse),
         "active_chain": direct_model(active_chain.active_chain_direct)},
        "accelerations that the joint forces tau give", DRIVES, frame_free=True,
        wrenches=True, cheaper="composite", counted="any", folded=folded.FORWARD),
    row("hybrid_dynamics", "q qd x", gives(qdd="joint / s2", tau="J / joint"),
        {"articulated_body": hybrid_model(BODIES),
         "partition": hybrid_model(PARTITION)},
        "qdd and tau from x: qdd of the joints in `given`, tau of the others",
        {"given": (), **DRIVES}, frame_free=True, wrenches=True, named_motors=True,
        folded={"partition": folded.hybrid}),
    row("link_wrenches", "q qd qdd", gives(f="J / body six"),
        {"newton_euler": springs.sprung_link_wrenches},
        "wrench of each parent on its link, at the link's origin, link axes", wrenches=True,
        followers="projected", named_motors=True),
    row("spatial_velocity", "q qd", gives(xi="body six / s"),
        {"world_spatial": world_spatial.spatial_velocity},
        "twist of each solid at the origin O, base axes", followers="projected", in_motion=True),
    row("spatial_acceleration", "q qd qdd", gives(xid="body six / s2"),
        {"world_spatial": world_spatial.spatial_acceleration},
        "rate of the twist of each solid at O, base axes", followers="projected", in_motion=True),
    row("spatial_inertia", "q", gives(Is="kg m2 / body six six"),
        {"world_spatial": world_spatial.spatial_inertia},
        "inertia of each solid at O, base axes", followers="projected"),
    row("spatial_force", "q qd qdd", gives(f="J / body six"),
        {"world_spatial": world_spatial.spatial_force},
        "wrench that each joint transmits to its solid, at O, base axes", followers="projected",
        instead="link_wrenches counts what holds the machine, in link axes"),
    row("regressor", "q qd qdd", gives(Y="J / joint parameter"),
        {"newton_euler": regressor.regressor},
        "tau = Y phi, linear in the inertial parameters", COLUMNS, followers="projected",
        instead="active_regressor is linear in the parameters of the closed machine"),
    row("energy_regressor", "q qd", gives(E="J / parameter"),
        {"sum": regressor.energy_regressor},
        "T + V = E phi, linear in the inertial parameters", COLUMNS, followers="projected",
        in_motion=True),
    row("lagrange_coefficients", "q",
        gives(Q="J / joint", A="kg m2 / joint joint", B="kg m2 / joint joint joint",
              C="kg m2 / joint joint2"),
        LAGRANGE, "Q, A, B, C of the Lagrange form", DRIVES, frame_free=True,
        folded={name: folded.lagrange(run) for name, run in LAGRANGE.items()},
        instead="active_mass_matrix and active_bias are A_c, H_c",
        instead_kane="kane_D and kane_C are those of the speeds"),
    row("inverse_dynamics_derivatives", "q qd qdd",
        gives(dtau_dq="J / joint joint", dtau_dqd="kg m2 / s joint joint",
              M="kg m2 / joint joint"),
        {"analytic": acted(derivatives.inverse_dynamics_derivatives),
         "base_axes": acted(base_axes.inverse_derivatives_base)},
        "dtau/dq, dtau/dqd and M", DRIVES, frame_free=True, wrenches=True, followers="projected",
        cheaper="base_axes", counted="any", named_motors=True),
    row("forward_dynamics_derivatives", "q qd tau",
        gives(dqdd_dq="joint / s2 joint", dqdd_dqd="joint / s joint",
              Minv="joint joint / kg m2"),
        {"analytic": acted(derivatives.forward_dynamics_derivatives),
         "base_axes": acted(base_axes.forward_derivatives_base)},
        "dqdd/dq, dqdd/dqd and the inverse of M", DRIVES, frame_free=True, wrenches=True,
        cheaper="base_axes", folded={"analytic": folded.forward_derivatives}),
    *moving.ROWS,
    *KANE, *CARTESIAN,
    row("active_chain_W", "q", gives(W="kg m2 / joint joint"),
        {"active_chain": mass_with_rotors(active_chain.active_chain_W)},
        "inertia matrix W of W qdd = P + V", DRIVES, followers="projected",
        instead=ACTIVE_CHAIN),
    row("active_chain_V", "q qd", gives(V="J / joint"), {"active_chain": acted(active_chain_V)},
        "V = Y + dT/dq - W' qd of W qdd = P + V", DRIVES, followers="projected",
        instead=ACTIVE_CHAIN),
    *loops.LOOPS, *loops.PARALLEL,
    TASK,
)  # fmt: skip

QUANTITIES: Mapping[str, Quantity] = {row.name: row for row in _ROWS}
CLOSED = {row.name: row for row in (*loops.CLOSED, TASK_CLOSED)}
# of loops, couplings and wheels: rates of the independent joints are read, the others follow
MOTION = {row.name: loops.in_closed_motion(row) for row in _ROWS if row.in_motion}

WRENCHED = frozenset(row.name for row in QUANTITIES.values() if row.wrenches)


class Catalog(list[Quantity]):
    """Every quantity, in order; one by its number or its name."""

    def __getitem__(self, which: Any) -> Any:
        return quantity(which) if isinstance(which, str) else super().__getitem__(which)

    def __reduce__(self) -> Any:
        return catalog, ()  # its rows hold functions

    def __repr__(self) -> str:
        width = max((len(row.name) for row in self), default=0)
        lines = [f"{row.name:{width}}  {row.summary}" for row in self]
        return "\n".join([*lines, 'inputs, methods and units of one: da.catalog()["mass_matrix"]'])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{x}</th>" for x in ("quantity", "of", "gives", "methods", "unit", ""))
        rows = ("".join(f"<td>{escape(x)}</td>" for x in row.cells()) for row in self)
        return f"<table><tr>{head}</tr>" + "".join(f"<tr>{r}</tr>" for r in rows) + "</table>"


# what other programs and books call these quantities
MEANT = {
    "torque": "inverse_dynamics", "torques": "inverse_dynamics", "rnea": "inverse_dynamics",
    "id": "inverse_dynamics", "tau": "inverse_dynamics", "newton_euler": "inverse_dynamics",
    "aba": "forward_dynamics", "fd": "forward_dynamics", "direct_dynamics": "forward_dynamics",
    "accelerations": "forward_dynamics", "articulated_body": "forward_dynamics",
    "crba": "mass_matrix", "inertia_matrix": "mass_matrix", "inertia": "mass_matrix",
    "m": "mass_matrix", "joint_space_inertia": "mass_matrix",
    "nle": "bias", "nonlinear_effects": "bias", "nonlineareffects": "bias", "qfrc_bias": "bias",
    "coriolis_vector": "coriolis", "rne": "inverse_dynamics", "gravload": "gravity",
    "jacob0": "jacobian", "jacobe": 'jacobian with axes="local"', "mj_inverse": "inverse_dynamics",
    "mj_forward": "forward_dynamics", "mj_fullm": "mass_matrix", "fdyn": "da.simulate",
    "massmatrix": "mass_matrix", "gettransform": "pose", "geometricjacobian": "jacobian",
    "fk": "pose", "forward_kinematics": "pose", "fkine": "pose", "kinematics": "pose",
    "transform": "pose", "position": "pose", "frame": "pose", "jac": "jacobian",
    "com": "centre_of_mass", "center_of_mass": "centre_of_mass",
    "energy": "kinetic_energy or potential_energy", "g": "gravity", "gravity_torque": "gravity",
    "reactions": "link_wrenches or loop_reactions", "joint_torque_regressor": "regressor",
    "rnea_derivatives": "inverse_dynamics_derivatives",
    "aba_derivatives": "forward_dynamics_derivatives",
    "ik": "da.inverse_kinematics, a function of its own",
    "inverse_kinematics": "da.inverse_kinematics, a function of its own",
}  # fmt: skip


def catalog() -> Catalog:
    """Return every quantity dalembert computes, as a table that is indexed by number or name.

    >>> [row.name for row in catalog()][:2]
    ['pose', 'jacobian']
    >>> catalog()["inverse_dynamics"].inputs
    ('q', 'qd', 'qdd')
    """
    return Catalog(QUANTITIES.values())


def quantity(name: str, m: Mechanism | None = None) -> Quantity:
    """Return the row of a quantity, for closed loops if `m` has any; names are checked."""
    if name not in QUANTITIES:
        meant = MEANT.get(str(name).lower())
        near = closest(str(name), QUANTITIES)
        if not near.startswith("did"):
            near = "docs/which.md finds one by what you want; there are: " + ", ".join(QUANTITIES)
        hint = f"did you mean {meant}?" if meant else near
        if name == "mobility":  # a count of the plan of loops, which no kernel computes
            hint = "da.mobility(m) or dalembert eval MODEL mobility: it counts, no kernel has it"
        raise UsageError(f"unknown quantity {shown(str(name))!r}", hint=hint)
    found = QUANTITIES[name]
    if m is None:
        return found
    error = refused(name, m)
    if error is not None:
        raise error
    if m.form is not None or m.simplified is not None:
        return of_forms(found, m)
    held = CLOSED.get(name) or MOTION.get(name)
    if held is not None and is_closed(m):
        return _steered(held, m)
    return folded.folded(found, m) if m.followers else _steered(found, m)


def refused(name: str, m: Mechanism) -> UsageError | None:
    """Return why a quantity does not hold for the whole machine, None where it does."""
    return refusal(QUANTITIES[name], m)


def _steered(row: Quantity, m: Mechanism) -> Quantity:
    """Return a planned row that is also told what is prescribed, where wheels or equations ask."""
    if not (row.planned and is_rolling(m) and velocity_rows.prescribed_names(m)):
        return row
    return replace(row, inputs=(*row.inputs, "steer", "steer_rate"))


def algorithm(row: Quantity, method: str | None) -> tuple[str, Algorithm]:
    """Return (method, algorithm) of a quantity; None is the default method."""
    if method is None:
        return row.default, row.methods[row.default]
    if method not in row.methods:
        raise UsageError(
            f"{row.name} has no method {shown(str(method))!r}",
            hint=closest(str(method), list(row.methods), "methods"),
        )
    return method, row.methods[method]
