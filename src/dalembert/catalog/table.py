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
from ..mechanism import Mechanism, is_rolling
from . import loops, moving, reduced
from .axes import gives
from .folded import folded
from .kane import cartesian_rows, kane_rows
from .later import (
    active_chain,
    active_chain_direct,
    articulated_body,
    augmented_body,
    base_axes,
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
)
from .models import (
    INVERSE,
    Algorithm,
    acceleration_energy,
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
    potential_energy,
    with_forces,
    with_rotors,
)
from .quantity import Quantity
from .refused import check_class
from .task import closed_task_row, task_row

# -- the rows ---------------------------------------------------------------------------------

DRIVES = {"drives": "inertia"}
COLUMNS = {"drives": "inertia", "columns": "standard"}  # or "base": the independent ones
FRAME = {"frame": None}
AXES = {"frame": None, "axes": "base"}


_ROWS = (
    Quantity("pose", ("q",), gives(T="4 4"), {"kinematics": framed(kinematics.pose)},
             "m", "pose of a frame in the base frame, 4 x 4", False, FRAME),
    Quantity("jacobian", ("q",), gives(J="six joint"), {"kinematics": framed(kinematics.jacobian)},
             "m, 1", "[v; w] of a frame's origin = J qd", False, AXES),
    Quantity("jacobian_derivative", ("q", "qd"), gives(Jd="six joint"),
             {"kinematics": framed(kinematics.jacobian_derivative)},
             "m/s, 1/s", "time derivative of the Jacobian", False, AXES),
    Quantity("velocity", ("q", "qd"), gives(v="six"),
             {"kinematics": framed(kinematics.velocity)},
             "m/s, rad/s", "velocity [v; w] of a frame's origin", False, AXES),
    Quantity("acceleration", ("q", "qd", "qdd"), gives(a="six"),
             {"kinematics": framed(kinematics.acceleration)},
             "m/s2, rad/s2", "classical acceleration of a frame's origin", False, AXES),
    Quantity("centre_of_mass", ("q",), gives(c="xyz"), {"sum": energy.centre_of_mass},
             "m", "mass centre of all bodies in the base frame", False),
    Quantity("momentum", ("q", "qd"), gives(h="six"), {"sum": energy.momentum},
             "kg m/s, kg m2/s", "momentum [linear; angular about the base origin]", False),
    Quantity("kinetic_energy", ("q", "qd"), gives(T=""), {"sum": kinetic_energy},
             "J", "kinetic energy, rotors included", True, DRIVES),
    Quantity("acceleration_energy", ("q", "qd", "qdd"), gives(S=""),
             {"gibbs_appell": acceleration_energy},
             "W/s", "energy of acceleration S, tau = dS/dqdd without gravity", True, DRIVES),
    Quantity("potential_energy", ("q",), gives(V=""), {"sum": potential_energy},
             "J", "potential energy of gravity and springs", False),
    Quantity("mass_matrix", ("q",), gives(M="joint joint"),
             {"composite": with_rotors(composite.composite),
              "base_axes": with_rotors(base_axes.composite_base), **each(by_columns)},
             "kg, kg m2", "mass matrix M", True, DRIVES),
    Quantity("gravity", ("q",), gives(g="joint"), each(gravity_load),
             "N, N m", "joint forces that hold it at rest against gravity, -Q", True),
    Quantity("coriolis", ("q", "qd"), gives(c="joint"), each(coriolis_forces),
             "N, N m", "Coriolis and centrifugal forces", True),
    Quantity("coriolis_matrix", ("q", "qd"), gives(C="joint joint"),
             {"composite": coriolis.coriolis_matrix},
             "N s, N m s", "Christoffel's C: M' - 2C is skew", True),
    Quantity("bias", ("q", "qd"), gives(h="joint"), each(bias_forces),
             "N, N m", "coriolis + gravity (and friction with drives=\"all\")", True, DRIVES,
             wrenches=True, lighten=True),
    Quantity("inverse_dynamics", ("q", "qd", "qdd"), gives(tau="joint"), INVERSE,
             "N, N m", "joint forces that give the accelerations qdd", True, DRIVES,
             wrenches=True, lighten=True),
    Quantity("forward_dynamics", ("q", "qd", "tau"), gives(qdd="joint"),
             {
                "articulated_body": direct_model(articulated_body.articulated_body),
                "composite": direct_model(composite_direct.composite_direct),
                "direct_from_inverse": direct_model(direct_from_inverse.direct_from_inverse),
                "active_chain": direct_model(active_chain_direct.active_chain_direct),
            },
             "m/s2, rad/s2", "accelerations that the joint forces tau give", True, DRIVES,
             wrenches=True),
    Quantity("hybrid_dynamics", ("q", "qd", "x"), gives(qdd="joint", tau="joint"),
             {
                "articulated_body": hybrid_model(articulated_body.hybrid_dynamics),
                "partition": hybrid_model(partition.hybrid_by_partition),
            },
             "m/s2, rad/s2; N, N m",
             "qdd and tau from x: qdd of the joints in `given`, tau of the others", True,
             {"given": (), "drives": "inertia"}, wrenches=True),
    Quantity("link_wrenches", ("q", "qd", "qdd"), gives(f="body six"),
             {"newton_euler": springs.link_wrenches},
             "N, N m", "wrench of each parent on its link, at the link's origin, link axes",
             False, wrenches=True),
    Quantity("spatial_velocity", ("q", "qd"), gives(xi="body six"),
             {"world_spatial": solids.spatial_velocity},
             "m/s, rad/s", "twist of each solid at the origin O, base axes", False),
    Quantity("spatial_acceleration", ("q", "qd", "qdd"), gives(xid="body six"),
             {"world_spatial": solids.spatial_acceleration},
             "m/s2, rad/s2", "rate of the twist of each solid at O, base axes", False),
    Quantity("spatial_inertia", ("q",), gives(Is="body six six"),
             {"world_spatial": solids.spatial_inertia},
             "kg, kg m, kg m2", "inertia of each solid at O, base axes", False),
    Quantity("spatial_force", ("q", "qd", "qdd"), gives(f="body six"),
             {"world_spatial": solids.spatial_force},
             "N, N m", "wrench that each joint transmits to its solid, at O, base axes", False),
    Quantity("regressor", ("q", "qd", "qdd"), gives(Y="joint parameter"),
             {"newton_euler": regressor.regressor},
             "mixed", "tau = Y phi, linear in the inertial parameters", False, COLUMNS),
    Quantity("energy_regressor", ("q", "qd"), gives(E="parameter"),
             {"sum": regressor.energy_regressor},
             "mixed", "T + V = E phi, linear in the inertial parameters", False, COLUMNS),
    Quantity("lagrange_coefficients", ("q",),
             gives(Q="joint", A="joint joint", B="joint joint joint", C="joint joint"),
             {"composite": lagrange_model(lagrange_coefficients.lagrange_coefficients),
              "augmented_body": lagrange_model(augmented_body.augmented_coefficients),
              "homogeneous": lagrange_model(homogeneous.homogeneous_coefficients)},
             "N, N m; kg, kg m2", "Q, A, B, C of the Lagrange form", True, DRIVES),
    Quantity("inverse_dynamics_derivatives", ("q", "qd", "qdd"),
             gives(dtau_dq="joint joint", dtau_dqd="joint joint", M="joint joint"),
             {"analytic": with_forces(derivatives.inverse_dynamics_derivatives),
              "base_axes": with_forces(base_axes.inverse_derivatives_base)},
             "N/m, N m/rad; N s; kg", "dtau/dq, dtau/dqd and M", True, DRIVES, wrenches=True),
    Quantity("forward_dynamics_derivatives", ("q", "qd", "tau"),
             gives(dqdd_dq="joint joint", dqdd_dqd="joint joint", Minv="joint joint"),
             {"analytic": with_forces(derivatives.forward_dynamics_derivatives),
              "base_axes": with_forces(base_axes.forward_derivatives_base)},
             "1/s2; 1/s; 1/kg", "dqdd/dq, dqdd/dqd and the inverse of M", True, DRIVES,
             wrenches=True),
    *moving.ROWS,
    *kane_rows(), *cartesian_rows(),
    Quantity("active_chain_W", ("q",), gives(W="joint joint"),
             {"active_chain": with_rotors(active_chain.active_chain_W)},
             "kg, kg m2", "inertia matrix W of W qdd = P + V", False, DRIVES),
    Quantity("active_chain_V", ("q", "qd"), gives(V="joint"),
             {"active_chain": active_chain_V},
             "N, N m", "V = Y + dT/dq - W' qd of W qdd = P + V", False, DRIVES),
    *loops.loop_rows(),
    *loops.parallel_rows(),
    task_row(),
)  # fmt: skip

QUANTITIES: Mapping[str, Quantity] = {row.name: row for row in _ROWS}
CLOSED = {row.name: row for row in (*loops.closed_rows(), closed_task_row())}
# of loops, couplings and wheels: rates of the independent joints are read, the others follow
MOTION = {
    name: loops.in_closed_motion(QUANTITIES[name])
    for name in (
        "velocity", "acceleration", "jacobian_derivative", "spatial_velocity",
        "spatial_acceleration", "momentum", "kinetic_energy", "acceleration_energy",
        "energy_regressor",
    )
}  # fmt: skip

WRENCHED = frozenset(row.name for row in QUANTITIES.values() if row.wrenches)


class Catalog(list[Quantity]):
    """Every quantity, in order; one by its number or its name."""

    def __getitem__(self, which: Any) -> Any:
        return quantity(which) if isinstance(which, str) else super().__getitem__(which)

    def __reduce__(self) -> Any:
        return catalog, ()  # its rows hold functions

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
        if name in MOTION and loops.is_closed(m):
            return _steered(MOTION[name], m)
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


def _told(m: Mechanism) -> bool:
    """Return whether wheels or equations of a mechanism ask for what is prescribed."""
    from ..algorithms.velocity_constraints import Constraints

    return is_rolling(m) and bool(Constraints.of(m).inputs)


def _steered(row: Quantity, m: Mechanism) -> Quantity:
    """Return a planned row that is also told what is prescribed, where wheels or equations ask."""
    if not (row.planned and _told(m)):
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
