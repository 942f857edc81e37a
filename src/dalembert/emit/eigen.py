"""The functions of a C++ header once more, with results of Eigen."""

from __future__ import annotations

from collections.abc import Sequence

from .language import Routine, Vector, each
from .unit import Unit


def eigen(unit: Unit, routines: Sequence[Routine]) -> str:
    """Return the functions once more with results of Eigen, where Eigen was included before."""
    return (
        "\n// Eigen: #include <Eigen/Core> before this header; matrices are stored row by row.\n"
        "#ifdef EIGEN_WORLD_VERSION\nnamespace eigen {\n\n"
        + each(routines, lambda r: _eigen_function(unit, r), "\n")
        + "\n} // namespace eigen\n#endif\n"
    )


def _eigen_kind(v: Vector) -> str:
    if not v.matrix:
        return f"Eigen::Matrix<double, {v.n}, 1>"
    rows, columns = v.shape[0], v.n // v.shape[0]
    order = "" if columns == 1 else ", Eigen::RowMajor"
    return f"Eigen::Matrix<double, {rows}, {columns}{order}>"


def _eigen_function(unit: Unit, r: Routine) -> str:
    given = each(r.given, "view<{0.n}> {0.word}", ", ")
    words = each(r.given, "{0.word}.data()", ", ")
    if len(r.made) == 1:
        kind, struct = _eigen_kind(r.made[0]), ""
        words += ", made.data()"
    else:
        kind = f"{r.name}_results"
        fields = each(r.made, lambda v: f"    {_eigen_kind(v)} {v.word};\n")
        struct = f"struct {kind} {{\n{fields}}};\n\n"
        words += each(r.made, ", made.{0.word}.data()")
    return (
        f"{struct}inline {kind} {r.name}({given})\n{{\n    {kind} made;\n"
        f"    {unit.id}::{r.name}({words});\n    return made;\n}}\n"
    )
