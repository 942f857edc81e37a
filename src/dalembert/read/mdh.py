"""Denavit-Hartenberg tables: modified (Khalil and Kleinfinger 1986), Craig's and standard.

- modified: frame j stands on the axis of joint j, iTj = Rz(γ) Tz(b) Rx(α) Tx(d) Rz(θ) Tz(r) (Khalil
  2010, eq (1), E2.1); `a` is the antecedent of j, so that trees are written too; σ is 0 for a
  revolute joint, 1 for a prismatic one, 2 for a fixed frame;
- craig: the same frames of a chain as Rx(α) Tx(a) Rz(θ) Tz(d) (Craig, Introduction to robotics);
- standard: frame j stands at the far end of link j, A_j = Rz(θ) Tz(d) Tx(a) Rx(α); the mass data
  given there are moved to the joint frame.

In the place of the joint variable (θ or d, r) stands nothing, a constant that is added to it, or a
name that stands nowhere else. The convention is always echoed in the notes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..algebra import Rotation, Transform, Vec3
from ..errors import DescriptionError, Place, closest, shown
from ..expr import Graph
from ..joint import Fixed, Prismatic, Revolute
from ..mechanism import Body, Frame, Mechanism, Parameter
from ..mechanism.validate import numbers
from .context import placed
from .dh_cells import COMMON, At, Cells
from .fields import exact_turn

MODIFIED = ("a", "sigma", "gamma", "b", "alpha", "d", "theta", "r")
OFFSET = ("type", "sigma", "theta", "offset", "d", "a", "alpha")
KINDS = {"revolute": 0, "prismatic": 1, "fixed": 2, "R": 0, "P": 1}
JOINTS: tuple[type[Any], ...] = (Revolute, Prismatic, Fixed)


def read_dh(
    rows: Sequence[Mapping[str, Any]],
    convention: str = "modified",
    *,
    name: str = "mechanism",
    gravity: Sequence[Any] = (0, 0, "-9.81"),
    parameters: Mapping[str, Any] | None = None,
    inertia_order: str = "dalembert",
    source: str = "<table>",
    snap: float | None = None,
    at: At | None = None,
) -> Mechanism:
    """Return the mechanism of a Denavit-Hartenberg table, one mapping per row.

    `inertia_order` says how six entries of a tensor are listed (docs/inertia-order.md); `at(j,
    column)` is the place of a cell of row j, from 0, for errors.

    >>> read_dh([{"theta": None}, {"d": 1, "theta": None, "r": 0.4}]).nv
    2
    """
    at = at or (lambda j, column: Place(source, j + 1))
    if not rows:
        raise DescriptionError("the table has no row", Place(source))
    if convention not in CONVENTIONS:
        what = f"unknown convention {shown(str(convention), 40)!r}"
        raise DescriptionError(what, at(0, ""), closest(str(convention), list(CONVENTIONS)))
    cells = Cells(rows, at, snap, inertia_order, parameters)
    known, build = CONVENTIONS[convention]
    cells.check_columns((*known, *COMMON))
    bodies, named = build(cells)
    drives = tuple(d for j in range(len(bodies)) if (d := cells.drive(j)) and bodies[j].joint.nv)
    g = Vec3(*(cells.value(x, 0, "gravity") for x in gravity))
    note = f"Denavit-Hartenberg table read in the {convention} convention"
    with placed(Place(source)):
        m = Mechanism(
            tuple(bodies), name, g, named=named, drives=drives, notes=(note, *cells.notes),
            checked=True,
        )  # fmt: skip
        return declared(m, cells)


def declared(m: Mechanism, cells: Cells) -> Mechanism:
    """Return the mechanism with its parameters in order of appearance, validated."""
    used = {n for x in numbers(m) for n in getattr(x, "names", tuple)()}
    seen = cells.graph.parameters()
    names = dict.fromkeys([*(n for n in seen if n in used), *cells.given])
    parameters = tuple(Parameter(n, cells.given.get(n)) for n in names)
    return replace(m, parameters=parameters, checked=False)


Built = tuple[list[Body], tuple[Frame, ...]]


def modified_frames(cells: Cells) -> Built:
    """Return a body for each row of a modified table."""
    antecedents = _antecedents(cells)
    bodies = []
    for j, a in enumerate(antecedents):
        sigma = _sigma(cells, j)
        T = _rz(cells, cells.number(j, "gamma", angle=True)) @ _tz(cells.number(j, "b"))
        T = T @ _rx(cells, cells.number(j, "alpha", angle=True)) @ _tx(cells.number(j, "d"))
        T = T @ _joint_change(cells, j, sigma, "theta", "r")
        bodies.append(_body(cells, j, a - 1, T, sigma))
    return bodies, ()


def _craig(cells: Cells) -> Built:
    bodies = []
    for j in range(len(cells.rows)):
        sigma = _sigma(cells, j)
        T = _rx(cells, cells.number(j, "alpha", angle=True)) @ _tx(cells.number(j, "a"))
        T = T @ _joint_change(cells, j, sigma, "theta", "d")
        bodies.append(_body(cells, j, j - 1, T, sigma))
    return bodies, ()


def _standard(cells: Cells) -> Built:
    bodies: list[Body] = []
    end = Transform()  # far end of the previous link in its joint frame
    for j in range(len(cells.rows)):
        sigma = _sigma(cells, j)
        tail = _tx(cells.number(j, "a")) @ _rx(cells, cells.number(j, "alpha", angle=True))
        T = _joint_change(cells, j, sigma, "theta", "d")
        if sigma == 0:
            # the length along the axis belongs to the link
            T, tail = Transform(T.R), Transform(Rotation(), T.p) @ tail
        bodies.append(_body(cells, j, j - 1, end @ T, sigma, tail))
        end = tail
    taken = {b.name for b in bodies}
    tip = next(n for n in ("tip", "tip_frame", f"tip_{len(taken)}") if n not in taken)
    return bodies, (Frame(tip, len(bodies) - 1, end),)


CONVENTIONS: dict[str, tuple[tuple[str, ...], Callable[[Cells], Built]]] = {
    "modified": (MODIFIED, modified_frames),
    "craig": (OFFSET, _craig),
    "standard": (OFFSET, _standard),
}


def _joint_change(cells: Cells, j: int, sigma: int, turn: str, slide: str) -> Transform:
    """Return Rz(θ) Tz(r) at zero joint variable; `offset` is added to what moves."""
    theta = (cells.variable if sigma == 0 else cells.number)(j, turn, angle=True)
    r = (cells.variable if sigma == 1 else cells.number)(j, slide)
    if "offset" in cells.rows[j]:
        if sigma == 2:
            cells.fail(j, "offset", "a fixed frame has no joint variable")
        moves = (turn, slide)[sigma]
        if moves in cells.rows[j] and j not in cells.variables:
            cells.fail(j, "offset", f"is given together with {moves}, where the variable is")
        offset = cells.number(j, "offset", angle=sigma == 0)
        theta, r = (theta + offset, r) if sigma == 0 else (theta, r + offset)
    return _rz(cells, theta) @ _tz(r)


def _body(
    cells: Cells, j: int, parent: int, place: Transform, sigma: int, tail: Transform | None = None
) -> Body:
    inertia = cells.inertia(j) if tail is None else cells.inertia(j).moved(tail)
    limits = cells.limits(j, "length" if sigma else "angle") if sigma < 2 else ()
    name, joint_name = cells.names(j)
    return Body(name, parent, place, JOINTS[sigma](), inertia, joint_name, limits)


def _sigma(cells: Cells, j: int) -> int:
    row = cells.rows[j]
    if "type" in row:
        if "sigma" in row:
            cells.fail(j, "type", "is given together with sigma", "give one of them")
        word = row["type"]
        if not isinstance(word, str) or word not in KINDS:
            cells.fail(j, "type", f"{shown(str(word), 40)!r}", "revolute, prismatic or fixed")
        return KINDS[word]
    sigma = cells.whole(j, "sigma", 0)
    if sigma not in (0, 1, 2):
        hint = "0 is revolute, 1 prismatic, 2 fixed"
        cells.fail(j, "sigma", f"{sigma} is not 0, 1 or 2", hint)
    return sigma


def _antecedents(cells: Cells) -> list[int]:
    """Return a(j) of each frame: 0 is the base, frames count from 1; an earlier one always."""
    n = len(cells.rows)
    a = [cells.whole(j, "a", j) for j in range(n)]
    for j in range(n):
        if not 0 <= a[j] <= n:
            cells.fail(j, "a", f"there is no frame {a[j]}", f"0 is the base, frames are 1 to {n}")
    for j in range(n):
        if a[j] <= j:
            continue
        chain, k = [j + 1], a[j]
        while k and k not in chain:
            chain.append(k)
            k = a[k - 1]
        if k == j + 1:
            way = " on ".join(map(str, [*chain[:6], k]))
            cells.fail(j, "a", f"the frames form a cycle: {way}")
        hint = "number the frames from the base outwards"
        cells.fail(j, "a", f"frame {a[j]} comes after frame {j + 1}", hint)
    return a


# -- elementary frame changes ------------------------------------------------------------------


def _rz(cells: Cells, angle: Any) -> Transform:
    return Transform(_turn(cells.graph, 2, angle))


def _rx(cells: Cells, angle: Any) -> Transform:
    return Transform(_turn(cells.graph, 0, angle))


def _turn(graph: Graph, axis: int, angle: Any) -> Rotation:
    return Rotation((exact_turn(axis, angle, graph),)) if angle != 0 else Rotation()


def _tx(d: Any) -> Transform:
    return Transform(Rotation(), Vec3(d, 0, 0))


def _tz(r: Any) -> Transform:
    return Transform(Rotation(), Vec3(0, 0, r))
