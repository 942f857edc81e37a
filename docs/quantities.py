"""Write quantities.md, the page of all quantities, from the catalog: python docs/quantities.py."""

from collections.abc import Iterable
from pathlib import Path

import dalembert as da
from dalembert.catalog import Quantity
from dalembert.catalog.table import CLOSED as INSTEAD

HEAD = """# Quantities

*Which quantity do I want?* Begin with [the page of that name](which.md) if you have a question
rather than a name.

$$M(q)\\,\\ddot q + c(q, \\dot q) + g(q) = \\tau + J^T\\lambda$$

Each is a function `da.<name>(m, inputs..., method=None, check=True)`, a kernel
`da.compile(m, "<name>")` and a command `dalembert eval MODEL <name>`. Inputs are given in order or
by name, `q=...`; `help(da.<name>)` explains options and has an example. The first method
is the default. This page is written by `docs/quantities.py`.
"""
COLUMNS = """
| quantity | what it is | inputs | outputs | methods | unit | options |
|---|---|---|---|---|---|---|
"""
# heading, what it is for, names; the rest is found by what a name begins with
GROUPS = (
    ("Motion of frames", "Every machine.",
     ("pose", "jacobian", "jacobian_derivative", "velocity", "acceleration")),
    ("Mass, energy, momentum", "Every machine.",
     ("centre_of_mass", "momentum", "kinetic_energy", "potential_energy", "acceleration_energy")),
    ("Forces and accelerations", "Trees; of closed and wheeled machines see below.",
     ("inverse_dynamics", "forward_dynamics", "hybrid_dynamics", "gravity", "coriolis", "bias",
      "link_wrenches")),
    ("Matrices and derivatives", "For control, estimation and optimisation.",
     ("mass_matrix", "coriolis_matrix", "lagrange_coefficients", "inverse_dynamics_derivatives",
      "forward_dynamics_derivatives")),
    ("Parameters", "Linear in masses and inertias: for identification.",
     ("regressor", "energy_regressor")),
    ("Elastic joints and moving bases", "Springs in joints; machines that float, fly or swim.",
     ("elastic_inverse", "moving_base_inverse", "moving_base_direct", "base_acceleration",
      "prescribed_base_inverse", "elastic_base_inverse")),
    ("Closed loops", "Four-bars, five-bars, parallelograms; q is that of the whole tree.",
     ("assembly", "closure", "loop_jacobian", "cut_coordinates", "active_map", "tree_motion",
      "tree_torques", "active_torques", "active_mass_matrix", "active_bias", "loop_reactions")),
    ("Parallel robots", "A platform on legs: Stewart, delta, 3-RRR.",
     ("leg_states", "leg_torques", "platform_wrench", "platform_jacobian", "actuator_forces",
      "cartesian_model", "platform_acceleration")),
    ("Wheels and velocity constraints", "Cars, trailers, bicycles, by Kane's method.",
     ("kane_", "alpha_dot", "constraint_forces")),
    ("In task space", "The dynamics of a frame instead of joints.", ("cartesian_", "task_")),
    ("For readers of the sources", "Intermediate results in the notation of a paper.",
     ("spatial_", "active_chain_")),
)  # fmt: skip

CLOSED = """
## With closed loops

These quantities have another meaning when loops close the tree. Motors are in the order of
`m.active`, independent joints in the order of the columns of `active_map`. Velocities,
accelerations and energies are those of the closed motion, with loops, couplings and wheels alike:
the rates of independent joints are read, the others follow; where something is prescribed,
`steer` and `steer_rate` are inputs too. Quantities that would describe the cut tree alone are
refused, and the error says what to use instead: {refused}. `m.tree`, the machine without
loops, wheels and constraints, has them. `mobility` is a count, not a function that is traced:
`da.mobility(m, q)` and `dalembert eval MODEL mobility` tell it.

"""


def page() -> str:
    """Return the page as Markdown."""
    names = [row.name for row in da.catalog() if row.instead]
    refused = ", ".join(f"`{name}`" for name in names)
    text = HEAD
    for heading, what, rows in grouped(da.catalog()):
        text += f"\n## {heading}\n\n{what}\n{COLUMNS}{table(rows)}"
    return text + CLOSED.format(refused=refused) + COLUMNS[1:] + table(INSTEAD.values())


def grouped(rows: Iterable[Quantity]) -> list[tuple[str, str, list[Quantity]]]:
    """Return the quantities by class of machine and use; none is left out."""
    left = {row.name: row for row in rows}
    found = []
    for heading, what, names in GROUPS:
        own = [n for n in left if n in names]
        own += [
            n
            for n in left
            if n not in own and n.startswith(tuple(x for x in names if x[-1] == "_"))
        ]
        own.sort(key=lambda n: names.index(n) if n in names else len(names))
        found.append((heading, what, [left.pop(n) for n in own]))
    if left:
        found.append(("Others", "", list(left.values())))
    return [group for group in found if group[2]]


def table(rows: Iterable[Quantity]) -> str:
    """Return the rows of a table."""
    lines = []
    for row in rows:
        options = ", ".join(f"`{key}={value!r}`" for key, value in row.options.items())
        outputs = ", ".join(out.name for out in row.outputs)
        inputs, methods = ", ".join(row.inputs), ", ".join(row.methods)
        cells = [f"`{row.name}`", row.summary, inputs, outputs, methods, row.unit, options]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(__file__).with_suffix(".md").write_text(page(), encoding="utf-8")
