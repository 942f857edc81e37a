"""The one table from quantity name to algorithms, inputs, outputs and units.

API, command line, emitters, kernels and docs list what this table lists: a new quantity is one
algorithm file and one row here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

from ..algorithms import (
    active_chain,
    articulated_body,
    augmented_body,
    composite,
    composite_direct,
    coriolis,
    derivatives,
    direct_from_inverse,
    energy,
    homogeneous,
    kinematics,
    lagrange_coefficients,
    partition,
    regressor,
    solids,
    springs,
    velocity_constraints,
)
from ..algorithms.velocity_rows import is_rolling
from ..errors import UsageError, shown
from ..mechanism import Mechanism
from ..plan.kane import kane_speeds
from . import loops, moving, reduced
from .folded import folded
from .kane import kane_rows
from .models import (
    INVERSE,
    Algorithm,
    bias_forces,
    coriolis_forces,
    direct_model,
    each,
    framed,
    gravity_load,
    hybrid_model,
    mass_matrix_of,
    potential_energy,
)
from .refused import check_class
from .shapes import (
    Shape,
    bodies_six,
    bodies_six_six,
    columns,
    joints,
    joints2,
    joints3,
    joints_columns,
    six_joints,
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """One row: what it needs, what it gives, which algorithms compute it.

    `methods` maps a method to an algorithm `f(mechanism, *inputs, **options)`; the first one is the
    default. `frame_free`: the result lives in joint space, so frames may be re-chosen and inertias
    regrouped before tracing. `options` are names with their default values.
    """

    name: str
    inputs: tuple[str, ...]
    outputs: tuple[tuple[str, Shape], ...]
    methods: Mapping[str, Algorithm]
    unit: str
    summary: str
    frame_free: bool = True
    options: Mapping[str, Any] = field(default_factory=dict)
    planned: bool = False  # the algorithm takes a LoopPlan after the mechanism (loops.py)

    @property
    def default(self) -> str:
        """The method that is used where none is named."""
        return next(iter(self.methods))

    def cells(self) -> tuple[str, ...]:
        """Return the row as texts: name, inputs, outputs, methods, unit, meaning."""
        gives = ", ".join(name for name, _ in self.outputs)
        methods = ", ".join(self.methods)
        return self.name, ", ".join(self.inputs), gives, methods, self.unit, self.summary

    def __repr__(self) -> str:
        name, inputs, gives, methods, unit, meaning = self.cells()
        return f"{name}({inputs}) -> {gives}: {meaning} ({unit}); methods: {methods}"


# -- shapes ------------------------------------------------------------------------------------


def _fixed(*shape: int) -> Shape:
    return lambda m, options: shape


# -- the rows ---------------------------------------------------------------------------------

DRIVES = {"drives": "inertia"}
COLUMNS = {"drives": "inertia", "columns": "standard"}  # or "base": the independent ones
FRAME = {"frame": None}
AXES = {"frame": None, "axes": "base"}


_ROWS = (
    Quantity("pose", ("q",), (("T", _fixed(4, 4)),), {"kinematics": framed(kinematics.pose)},
             "m", "pose of a frame in the base frame, 4 x 4", False, FRAME),
    Quantity("jacobian", ("q",), (("J", six_joints),), {"kinematics": framed(kinematics.jacobian)},
             "m, 1", "[v; w] of a frame's origin = J qd", False, AXES),
    Quantity("jacobian_derivative", ("q", "qd"), (("Jd", six_joints),),
             {"kinematics": framed(kinematics.jacobian_derivative)},
             "m/s, 1/s", "time derivative of the Jacobian", False, AXES),
    Quantity("velocity", ("q", "qd"), (("v", _fixed(6)),),
             {"kinematics": framed(kinematics.velocity)},
             "m/s, rad/s", "velocity [v; w] of a frame's origin", False, AXES),
    Quantity("acceleration", ("q", "qd", "qdd"), (("a", _fixed(6)),),
             {"kinematics": framed(kinematics.acceleration)},
             "m/s2, rad/s2", "classical acceleration of a frame's origin", False, AXES),
    Quantity("centre_of_mass", ("q",), (("c", _fixed(3)),), {"sum": energy.centre_of_mass},
             "m", "mass centre of all bodies in the base frame", False),
    Quantity("momentum", ("q", "qd"), (("h", _fixed(6)),), {"sum": energy.momentum},
             "kg m/s, kg m2/s", "momentum [linear; angular about the base origin]", False),
    Quantity("kinetic_energy", ("q", "qd"), (("T", _fixed()),), {"sum": energy.kinetic_energy},
             "J", "kinetic energy, rotors included", True, DRIVES),
    Quantity("potential_energy", ("q",), (("V", _fixed()),), {"sum": potential_energy},
             "J", "potential energy of gravity and springs", False),
    Quantity("mass_matrix", ("q",), (("M", joints2),),
             {"composite": composite.composite, **each(mass_matrix_of)},
             "kg, kg m2", "mass matrix M", True, DRIVES),
    Quantity("gravity", ("q",), (("g", joints),), each(gravity_load),
             "N, N m", "gravity load, -Q", True),
    Quantity("coriolis", ("q", "qd"), (("c", joints),), each(coriolis_forces),
             "N, N m", "Coriolis and centrifugal forces", True),
    Quantity("coriolis_matrix", ("q", "qd"), (("C", joints2),),
             {"composite": coriolis.coriolis_matrix},
             "N s, N m s", "Christoffel's C: M' - 2C is skew", True),
    Quantity("bias", ("q", "qd"), (("h", joints),), each(bias_forces),
             "N, N m", "coriolis + gravity (and friction with drives=\"all\")", True, DRIVES),
    Quantity("inverse_dynamics", ("q", "qd", "qdd"), (("tau", joints),), INVERSE,
             "N, N m", "joint forces that give the accelerations qdd", True, DRIVES),
    Quantity("forward_dynamics", ("q", "qd", "tau"), (("qdd", joints),),
             {
                "articulated_body": direct_model(articulated_body.articulated_body),
                "composite": direct_model(composite_direct.composite_direct),
                "direct_from_inverse": direct_model(direct_from_inverse.direct_from_inverse),
            },
             "m/s2, rad/s2", "accelerations that the joint forces tau give", True, DRIVES),
    Quantity("hybrid_dynamics", ("q", "qd", "x"), (("qdd", joints), ("tau", joints)),
             {
                "articulated_body": hybrid_model(articulated_body.hybrid_dynamics),
                "partition": hybrid_model(partition.hybrid_by_partition),
            },
             "m/s2, rad/s2; N, N m",
             "qdd and tau from x: qdd of the joints in `given`, tau of the others", True,
             {"given": (), "drives": "inertia"}),
    Quantity("link_wrenches", ("q", "qd", "qdd"), (("f", bodies_six),),
             {"newton_euler": springs.link_wrenches},
             "N, N m", "wrench of each parent on its link, at the link's origin, link axes", False),
    Quantity("spatial_velocity", ("q", "qd"), (("xi", bodies_six),),
             {"world_spatial": solids.spatial_velocity},
             "m/s, rad/s", "twist of each solid at the origin O, base axes", False),
    Quantity("spatial_acceleration", ("q", "qd", "qdd"), (("xid", bodies_six),),
             {"world_spatial": solids.spatial_acceleration},
             "m/s2, rad/s2", "rate of the twist of each solid at O, base axes", False),
    Quantity("spatial_inertia", ("q",), (("Is", bodies_six_six),),
             {"world_spatial": solids.spatial_inertia},
             "kg, kg m, kg m2", "inertia of each solid at O, base axes", False),
    Quantity("spatial_force", ("q", "qd", "qdd"), (("f", bodies_six),),
             {"world_spatial": solids.spatial_force},
             "N, N m", "wrench that each joint transmits to its solid, at O, base axes", False),
    Quantity("regressor", ("q", "qd", "qdd"), (("Y", joints_columns),),
             {"newton_euler": regressor.regressor},
             "mixed", "tau = Y phi, linear in the inertial parameters", False, COLUMNS),
    Quantity("energy_regressor", ("q", "qd"), (("E", columns),),
             {"sum": regressor.energy_regressor},
             "mixed", "T + V = E phi, linear in the inertial parameters", False, COLUMNS),
    Quantity("lagrange_coefficients", ("q",),
             (("Q", joints), ("A", joints2), ("B", joints3), ("C", joints2)),
             {"composite": lagrange_coefficients.lagrange_coefficients,
              "augmented_body": augmented_body.augmented_coefficients,
              "homogeneous": homogeneous.homogeneous_coefficients},
             "N, N m; kg, kg m2", "Q, A, B, C of the Lagrange form", True, DRIVES),
    Quantity("inverse_dynamics_derivatives", ("q", "qd", "qdd"),
             (("dtau_dq", joints2), ("dtau_dqd", joints2), ("M", joints2)),
             {"analytic": derivatives.inverse_dynamics_derivatives},
             "N/m, N m/rad; N s; kg", "dtau/dq, dtau/dqd and M", True, DRIVES),
    Quantity("forward_dynamics_derivatives", ("q", "qd", "tau"),
             (("dqdd_dq", joints2), ("dqdd_dqd", joints2), ("Minv", joints2)),
             {"analytic": derivatives.forward_dynamics_derivatives},
             "1/s2; 1/s; 1/kg", "dqdd/dq, dqdd/dqd and the inverse of M", True, DRIVES),
    *(Quantity(**row) for row in moving.ROWS),
    *(Quantity(*row) for row in kane_rows()),
    Quantity("active_chain_W", ("q",), (("W", joints2),),
             {"active_chain": active_chain.active_chain_W},
             "kg, kg m2", "inertia matrix W of W qdd = P + V", False, DRIVES),
    Quantity("active_chain_V", ("q", "qd"), (("V", joints),),
             {"active_chain": active_chain.active_chain_V},
             "N, N m", "V = Y + dT/dq - W' qd of W qdd = P + V", False, DRIVES),
    *(Quantity(**row) for row in loops.loop_rows(INVERSE)),
    *(Quantity(**row) for row in loops.parallel_rows()),
)  # fmt: skip

QUANTITIES: Mapping[str, Quantity] = {row.name: row for row in _ROWS}
CLOSED = {row["name"]: Quantity(**row) for row in loops.closed_rows(INVERSE)}
# of loops and couplings: rates of the independent joints are read, the others follow
MOTION = {
    name: loops.in_closed_motion(QUANTITIES[name])
    for name in ("velocity", "acceleration", "momentum", "kinetic_energy")
}

# how long each input vector is; all others have nv entries
INPUT_SIZES: Mapping[str, Callable[[Mechanism], Any]] = {
    "q": lambda m: m.nq,
    **moving.INPUTS,
    "alpha": lambda m: len(kane_speeds(m)),
    "steer": lambda m: len(velocity_constraints.prescribed_names(m)),
    "steer_rate": lambda m: len(velocity_constraints.prescribed_names(m)),
    "traction": lambda m: len(m.wheels),
    **loops.INPUTS,
}

WRENCHED = frozenset((
    "inverse_dynamics", "forward_dynamics", "link_wrenches", "bias", "elastic_inverse",
    "moving_base_inverse", "moving_base_direct", "base_acceleration", "prescribed_base_inverse",
    "elastic_base_inverse", "hybrid_dynamics", "tree_torques", "active_torques", "active_bias",
    "loop_reactions", "kane_tau", "alpha_dot", "kane_motion", "constraint_forces",
    "inverse_dynamics_derivatives", "forward_dynamics_derivatives",
))  # fmt: skip


class Catalog(list[Quantity]):
    """Every quantity, in order; one by its number or its name."""

    def __getitem__(self, which: Any) -> Any:
        return quantity(which) if isinstance(which, str) else super().__getitem__(which)

    def __repr__(self) -> str:
        rows: list[tuple[str, ...]] = [("quantity", "of", "gives", "methods", "unit", "meaning")]
        rows += [row.cells() for row in self]
        widths = [max(len(r[k]) for r in rows) for k in range(len(rows[0]))]
        lines = ("  ".join(x.ljust(w) for x, w in zip(r, widths, strict=True)) for r in rows)
        return "\n".join(line.rstrip() for line in lines)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{x}</th>" for x in ("quantity", "of", "gives", "methods", "unit", ""))
        rows = ("".join(f"<td>{escape(x)}</td>" for x in row.cells()) for row in self)
        return f"<table><tr>{head}</tr>" + "".join(f"<tr>{r}</tr>" for r in rows) + "</table>"


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
    if m is not None:
        check_class(name, m)
        if name in QUANTITIES and (m.form is not None or m.simplified is not None):
            return _reduced(name, m)
        if name in CLOSED and loops.is_closed(m):
            return _steered(CLOSED[name], m)
        if name in MOTION and loops.is_closed(m) and not is_rolling(m):
            return MOTION[name]
    if name in QUANTITIES:
        row = QUANTITIES[name]
        if m is None:
            return row
        return folded(row, m) if m.followers else _steered(row, m)
    import difflib

    close = difflib.get_close_matches(str(name), QUANTITIES, 3)
    hint = f"did you mean {', '.join(close)}?" if close else "there are: " + ", ".join(QUANTITIES)
    raise UsageError(f"unknown quantity {shown(str(name))!r}", hint=hint)


def _reduced(name: str, m: Mechanism) -> Quantity:
    """Return the row of a quantity whose closed forms stand for the mechanism."""
    reduced.check_reduced(name, m)
    methods = {reduced.METHOD: reduced.ALGORITHMS[name]}
    return replace(QUANTITIES[name], methods=methods, frame_free=False)


def _steered(row: Quantity, m: Mechanism) -> Quantity:
    """Return a planned row that is also told what is prescribed, where wheels or equations ask."""
    if not (row.planned and is_rolling(m) and velocity_constraints.prescribed_names(m)):
        return row
    return replace(row, inputs=(*row.inputs, "steer", "steer_rate"))


def algorithm(row: Quantity, method: str | None) -> tuple[str, Algorithm]:
    """Return (method, algorithm) of a quantity; None is the default method."""
    if method is None:
        return row.default, row.methods[row.default]
    if method not in row.methods:
        raise UsageError(
            f"{row.name} has no method {method!r}", hint="methods: " + ", ".join(row.methods)
        )
    return method, row.methods[method]
