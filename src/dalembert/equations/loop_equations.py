"""Closed forms of a mechanism with loops: closure, G, A_c and H_c beside those of its cut tree.

Khalil (2010), section 4: Γ_c = Gᵀ Γ_tr (55), Γ_c = A_c q̈_a + H_c (58). The coefficients A, B, C, Q
of the tree are used by their names; what the loops add are a few lines (`loop_blocks.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ..algebra import is_plain_zero
from ..door import doors
from ..errors import ComputationError, UsageError, shown
from ..expr import Expr
from ..expr.formula import Symbol, names_in
from ..expr.style import REPORT, TEXT, write
from ..mechanism import Mechanism
from .closed_form import Equations
from .derive import equations
from .entry import Kind
from .loop_blocks import Line, Solved, circle, solved, told, value
from .loop_passive import angle_at
from .loop_regular import require_regular
from .sections import Document, Section, with_numbers_named
from .size import LIMIT
from .trig_form import folded, formula_of, zero_formula

OPEN = 1e-6
# the parts, by the words that `only=` and `--only` take: heading in print, key in JSON
PARTS = {
    "closure": ("Closure", "closure"),
    "passive": ("Passive coordinates", "passive"),
    "G": ("Rates", "rates"),
    "E": ("Accelerations at constant speeds of the independent joints", "drifts"),
    "tree": ("of the cut tree", "tree"),
    "A_c": ("Inertia of the closed mechanism", "inertia"),
    "H_c": ("Forces at constant speeds of the independent joints", "forces"),
    "tau": ("Forces", "motors"),
}


def asked(only: str | Sequence[str] | None) -> list[str]:
    """Return the words of `only` in the order of print, all of them where nothing is asked."""
    words = only.split(",") if isinstance(only, str) else PARTS if only is None else list(only)
    for word in words:
        if word not in PARTS:
            raise UsageError(
                f"the equations of a closed mechanism have no part {shown(str(word))!r}",
                hint="parts: " + ", ".join(PARTS) + "; eq.tree has Q, A, B, C",
            )
    return [word for word in PARTS if word in words]


class LoopTable:
    """Named entries by their indices from 1, as text."""

    def __init__(self, entries: Mapping[tuple[int, ...], Any]):
        self.entries = entries

    def __getitem__(self, place: int | tuple[int, ...]) -> str:
        key = place if isinstance(place, tuple) else (place,)
        if key not in self.entries:
            known = ", ".join(str(list(k)) for k in list(self.entries)[:12])
            raise UsageError(f"there is no entry {list(key)}", hint=f"there are {known}")
        return write(formula_of(self.entries[key]), TEXT) or "0"

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __repr__(self) -> str:
        return "\n".join(f"{list(k)}: {self[k]}" for k in self.entries)


@doors("evaluate", "text", "latex", "markdown", "json")
@dataclass(frozen=True)
class LoopEquations:
    """tau = A_c qdd + H_c of the motors of a closed mechanism, every step in symbols.

    `G[i, j]` is the rate of joint i from that of the independent joint j, `A_c[i, j]`, `H_c[i]` and
    `tau[i]` are those of the independent joints, all indices those of the joints from 1.
    """

    mechanism: Mechanism
    tree: Equations = field(repr=False)
    loops: Solved = field(repr=False)

    @cached_property
    def independent(self) -> tuple[int, ...]:
        """The joints that lead, from 1."""
        return tuple(k + 1 for k in self.loops.plan.independent)

    # -- what follows from the loops and the tree ------------------------------------------------

    def _entry(self, kind: Kind, *place: int) -> Any:
        """Return the symbol of a coefficient of the tree, 0 where it is zero."""
        entry = getattr(self.tree, kind)[place]
        return self.loops.symbol(entry.name) if entry else 0

    def _rate(self, k: int) -> Any:
        """Return the symbol of a rate; those that follow are lines."""
        return self.loops.symbol(f"qd{k + 1}")

    @cached_property
    def rates(self) -> list[Line]:
        """The rates that follow, and those of sums of angles that are named."""
        s = self.loops
        lines: list[Line] = []
        for k in sorted(s.plan.dependent):
            x = sum((s.G[k, c] * self._rate(c) for c in s.plan.independent), 0)
            lines.append((f"qd{k + 1}", x))
        used = {n for _, x in s.drifts if isinstance(x, Expr) for n in x.names()}
        return lines + [(n, x) for n, x in s.turns.items() if n in used]

    @cached_property
    def inertia(self) -> list[Line]:
        """A_c = Gᵀ A G."""
        s, lead, n = self.loops, self.loops.plan.independent, self.tree.n
        lines: list[Line] = []
        for x, a in enumerate(lead):
            for b in lead[x:]:
                total: Any = 0
                for i in range(n):
                    for j in range(i, n):
                        A = self._entry("A", i + 1, j + 1)
                        pair = s.G[i, a] * s.G[j, b]
                        if i != j:
                            pair = pair + s.G[j, a] * s.G[i, b]
                        if not (is_plain_zero(A) or is_plain_zero(pair)):
                            total = total + A * pair
                lines.append((s.name("Ac", a + 1, b + 1), total))
        return lines

    @cached_property
    def forces(self) -> list[Line]:
        """The tree's forces at constant speeds of the independent joints, h, and H_c = Gᵀ h."""
        s, n = self.loops, self.tree.n
        lines: list[Line] = []
        h: list[Any] = []
        for i in range(1, n + 1):
            total: Any = 0
            for j in range(1, n + 1):
                total = total + self._entry("A", i, j) * s.E[j - 1]
                total = total + self._entry("C", i, j) * self._rate(j - 1) * self._rate(j - 1)
                for k in range(j + 1, n + 1):
                    both = self._rate(j - 1) * self._rate(k - 1)
                    total = total + self._entry("B", i, j, k) * both
            Q = self._entry("Q", i)
            total = total + Q if self.tree.sign == "section2" else total - Q
            if isinstance(total, Expr) and total.value is None:
                lines.append((s.name("h", i), total))
                h.append(s.symbol(lines[-1][0]))
            else:
                h.append(0)
        for a in s.plan.independent:
            total = sum((s.G[i, a] * h[i] for i in range(n)), 0)
            lines.append((s.name("Hc", a + 1), total))
        return lines

    @cached_property
    def motors(self) -> list[Line]:
        """The forces of the independent joints; those without a motor are zero."""
        s = self.loops
        lead = s.plan.independent
        lines: list[Line] = []
        for a in lead:
            total: Any = s.symbol(s.name("Hc", a + 1))
            for b in lead:
                first, second = sorted((a, b), key=lead.index)  # as A_c names them
                entry = s.symbol(s.name("Ac", first + 1, second + 1))
                total = total + entry * s.symbol(f"qdd{b + 1}")
            lines.append((f"tau{a + 1}", total))
        return lines

    @property
    def G(self) -> LoopTable:
        """G[i, j], each by its own line."""
        said = {self.loops.symbol(n): x for n, x in self.loops.rates if n}
        return LoopTable({(i + 1, j + 1): said.get(x, x)
                          for (i, j), x in sorted(self.loops.G.items())})  # fmt: skip

    @property
    def A_c(self) -> LoopTable:
        """A_c[i, j] over the independent joints, i before j in their order."""
        lead = self.independent
        places = [(a, b) for x, a in enumerate(lead) for b in lead[x:]]
        return LoopTable({p: x for p, (_, x) in zip(places, self.inertia, strict=True)})

    @property
    def H_c(self) -> LoopTable:
        """H_c[i] over the independent joints."""
        lead = self.independent
        lines = self.forces[len(self.forces) - len(lead) :]
        return LoopTable({(a,): x for a, (_, x) in zip(lead, lines, strict=True)})

    @property
    def closure(self) -> tuple[str, ...]:
        """The closure equations that are independent, as text: each is zero."""
        return tuple(write(zero_formula(x), TEXT) for _, x in self.loops.closure)

    # -- evaluation ------------------------------------------------------------------------------

    def evaluate(
        self, values: Mapping[str, float] | None, q: Sequence[Any], qd: Sequence[Any],
        qdd: Sequence[Any],
    ) -> dict[str, Any]:  # fmt: skip
        """Return every named line at a closed state: G.., D.., Ac.., Hc.., tau...

        Of qd and qdd the entries of the independent joints are read. A pose that is not closed, or
        singular, or on another branch than a parallelogram of these equations, is an error.
        """
        import numpy as np

        known = {k: value(x, {}) for k, x in self.mechanism.values.items()} | dict(values or {})
        at: dict[str, Any] = {k: float(x) for k, x in known.items()}
        at |= {f"q{k + 1}": np.asarray(x, dtype=float) for k, x in enumerate(q)}
        for k in self.loops.plan.independent:
            at[f"qd{k + 1}"] = np.asarray(qd[k], dtype=float)
            at[f"qdd{k + 1}"] = np.asarray(qdd[k], dtype=float)
        missing = [n for n in self.mechanism.open_parameters if n not in at]
        if missing:
            raise UsageError(f"no value for {', '.join(map(shown, missing[:8]))}")
        self._require_closed(at)
        found: dict[str, Any] = {}
        trees = self.tree.coefficients(known, list(q))
        at |= {getattr(self.tree, kind)[place].name: x for (kind, place), x in trees.items()}
        with np.errstate(divide="ignore", invalid="ignore"):  # told by what follows
            for name, x in self.lines():
                at[name] = found[name] = value(x, at)
        require_regular(self.loops, at)
        return found

    def _require_closed(self, at: Mapping[str, Any]) -> None:
        import numpy as np

        at = dict(at)
        for name, x in self.loops.before:
            at[name] = value(x, at)
        for name, x in self.loops.closure:
            gap = float(np.abs(np.asarray(value(x, at))).max(initial=0.0))
            if gap > OPEN:
                raise ComputationError(
                    f"{shown(name)} is open by {gap:.3g}",
                    hint="give an assembled pose: dalembert.assembly(m, q)",
                    command="give an assembled pose",
                )
        for a, b in self.loops.parallel:
            turn = np.asarray(angle_at(at, a) - angle_at(at, b))
            if np.abs(np.sin(turn / 2)).max(initial=0.0) > OPEN:
                raise ComputationError(
                    "the parallelogram is crossed here: the equations hold on its other branch",
                    hint="equations(m, q=pose) with a pose of this branch",
                    command="give a pose of the other branch",
                )

    @property
    def parts(self) -> dict[str, list[Line]]:
        """The lines by the words of the parts that they belong to."""
        s = self.loops
        return {"passive": s.passive, "G": [*s.rates, *self.rates], "E": s.drifts,
                "A_c": self.inertia, "H_c": self.forces, "tau": self.motors}  # fmt: skip

    def lines(self) -> list[Line]:
        """Return every named line after the coefficients of the tree, in order."""
        parts = self.parts.items()
        return [(n, x) for word, part in parts if word != "passive" for n, x in part if n]

    # -- print -----------------------------------------------------------------------------------

    def printed(self, only: Any = None) -> Document:
        """Return the sections that are printed."""
        s = self.loops
        names = ", ".join(f"{k + 1} {shown(n)}" for k, n in enumerate(self.mechanism.rate_names))
        known = [
            f"closed loops: {s.plan}",
            f"joints: {names}; those that lead: {', '.join(map(str, self.independent))}",
            "qd(i) = sum_j G(i,j)*qd(j), qdd(i) = sum_j G(i,j)*qdd(j) + E(i); "
            "tau = Ac*qdd + Hc of those that lead",
            f"{circle(self.mechanism)}; A, B, C, Q: of the cut tree",
            *self._letters(),
            *self.tree.remarks,
        ]
        sections = [x for word in asked(only) for x in self._sections(word) if x.lines]
        title = f"{shown(self.mechanism.name)}: equations of motion, closed loops"
        law = r"\tau = A_c\,\ddot q_a + H_c"
        named = with_numbers_named(sections, lambda k: s.name("K", k))
        return Document(title, law, known, named)

    def _letters(self) -> list[str]:
        """Return what letters of constant angles in names of cosines mean."""
        from .text import angles, constant_angles

        return angles(self.tree) if constant_angles(self.tree) else []

    def _sections(self, word: str) -> list[Section]:
        """Return the sections of one part."""
        s = self.loops
        if word == "tree":
            return self._tree_sections()
        if word == "closure":
            zeros = [(Symbol("0", "0"), zero_formula(x)) for x in s.ordered]
            return [Section(PARTS[word][0], [*told(s.before), *zeros])]
        more = s.lost if word == "passive" else []
        return [Section(PARTS[word][0], [*told(self.parts[word]), *more])]

    def _tree_sections(self) -> list[Section]:
        """Return the coefficients of the cut tree that are not zero."""
        from .text import TITLES, left, section

        eq, out = self.tree, []
        for kind in "QABC":
            own = {left(e).name for e in getattr(eq, kind) if e}
            made = section(eq, kind, "condensed", False)
            kept = [x for x in made.lines if not isinstance(x, str) and x[0].name in own]
            out.append(Section(f"{TITLES[kind]} of the cut tree", kept))
        used = set().union(*(names_in(x[1]) for made in out for x in made.lines))  # type: ignore[arg-type]
        kept = []
        for line in reversed(section(eq, "constants", "condensed", False).lines):
            if not isinstance(line, str) and line[0].name in used:
                kept.insert(0, line)
                used |= names_in(line[1])
        return [Section("Constants", kept), *out]

    def text(self, form: str = "condensed", only: Any = None) -> str:
        """Return closure, G, the tree's coefficients, A_c, H_c and forces as lines.

        `only` names parts: closure, passive, G, E, tree, A_c, H_c, tau.

        >>> import dalembert as da
        >>> print(da.equations(da.robots.fourbar()).text().splitlines()[0])
        # fourbar: equations of motion, closed loops
        """
        if form == "program":
            if only is not None:
                raise UsageError("a program is printed whole", hint='form="condensed"')
            from .loop_listing import listing

            return listing(self)
        if form not in ("condensed", "report"):
            raise UsageError(f"form {shown(str(form))!r}", hint="condensed, report or program")
        return self.printed(only).text(REPORT if form == "report" else TEXT, heads=True)

    def latex(self, only: Any = None) -> str:
        """Return a LaTeX fragment."""
        return self.printed(only).latex()

    def markdown(self, only: Any = None) -> str:
        """Return Markdown with display formulas."""
        return self.printed(only).markdown()

    def json(self, only: Any = None) -> dict[str, Any]:
        """Return every line by its name, with those of the tree."""
        words, parts = asked(only), self.parts
        out: dict[str, Any] = {
            "name": self.mechanism.name,
            "joints": list(self.mechanism.rate_names),
            "independent": list(self.independent),
        }
        if "closure" in words:
            if self.loops.before:
                said = {n: write(formula_of(folded(x)), TEXT) for n, x in self.loops.before}
                out["steps"] = said
            out["closure"] = [write(zero_formula(x), TEXT) for x in self.loops.ordered]
        for word in (w for w in words if w in parts):
            said = {n: write(formula_of(folded(x)), TEXT) for n, x in parts[word] if n}
            out[PARTS[word][1]] = said
        return out | {"tree": self.tree.json()} if "tree" in words else out

    def to_sympy(self) -> dict[str, Any]:
        """Return every named line as a SymPy expression over the names before it."""
        from .sympy_form import converted, sympy_of

        package = sympy_of()
        return {n: converted(x, package) for n, x in self.lines()}

    def __repr__(self) -> str:
        return f"<LoopEquations of {shown(self.mechanism.name)}: {self.loops.plan}>"

    def _repr_markdown_(self) -> str:
        return self.markdown()


def loop_equations(
    m: Mechanism, expand: bool = False, full: bool = False, limit: int = LIMIT, q: Any = None
) -> LoopEquations:
    """Return the closed forms of a mechanism with loops."""
    from .expand import expanded, expanded_pose

    if expand:
        q = None if q is None else expanded_pose(m, q)
        m = expanded(m)
    tree = replace(m, loops=(), couplings=(), springs=(), active=(), named=(), checked=True)
    eq = equations(tree, full=full, limit=limit)
    springs = ("springs are not in these equations",) if m.springs or m.elastic else ()
    return LoopEquations(m, replace(eq, remarks=springs), solved(m, q))
