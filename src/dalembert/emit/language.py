"""A language: what surrounds the statements of a dialect, and the one driver that writes a Unit.

A language file holds a `Language` and no loop: the driver walks functions, pieces, statements and
golden vectors; `each` writes a row of anything. Files are parts (`text.py`) whose holes it fills.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import wrap

from ..expr.function import Port
from .dialect import Dialect
from .names import comment
from .statements import Code, Give, Remark, SinCos, Statement, statements
from .text import about, each, part
from .unit import Entry, Golden, Unit

GOLDEN = ("-o", "{out}/golden")  # what a compiler makes of golden vectors
STRICT = ("-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror")


# -- functions ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Vector:
    """An argument or a local array: its identifier and its shape."""

    word: str
    shape: tuple[int, ...]
    size: int

    @classmethod
    def of(cls, word: str, port: Port | int) -> Vector:
        """Return the vector of a port, or of a length."""
        if isinstance(port, int):
            return cls(word, (port,), port)
        return cls(word, port.shape, port.size)

    @property
    def n(self) -> int:
        """The length of an array that holds it, which some languages do not let be zero."""
        return max(1, self.size)

    @property
    def matrix(self) -> bool:
        """Whether it has more than one index."""
        return len(self.shape) > 1

    @property
    def dims(self) -> tuple[int, ...]:
        """The shape, a number counted as a vector of one."""
        return self.shape or (1,)

    @property
    def turned(self) -> tuple[int, ...]:
        """The axes, from one, in the opposite order."""
        return tuple(range(len(self.shape), 0, -1))


@dataclass(frozen=True, slots=True)
class Routine:
    """A function to be written: `prepare`, or a quantity (or all of them together).

    `entry` is None for `prepare`.
    """

    unit: Unit
    name: str
    given: tuple[Vector, ...]
    made: tuple[Vector, ...]
    code: Code
    entry: Entry | None = None

    @property
    def local(self) -> tuple[Vector, ...]:
        """The vectors that its pieces share."""
        code = self.code
        found = (("wk", code.scratch), ("sn", code.turns), ("cs", code.turns))
        return tuple(Vector.of(word, n) for word, n in found if n)

    @property
    def words(self) -> tuple[str, ...]:
        """The identifiers of inputs and outputs."""
        return tuple(v.word for v in (*self.given, *self.made))

    @property
    def outs(self) -> tuple[str, ...]:
        """The identifiers of the outputs."""
        return tuple(v.word for v in self.made)

    @property
    def shared(self) -> str:
        """All that a piece is called with."""
        return ", ".join((*self.words, *(v.word for v in self.local)))

    @property
    def meaning(self) -> str:
        """What it returns, with the unit."""
        if self.entry is None:
            return "what depends on parameters only: once per set"
        return f"the {self.entry.summary} [{self.entry.unit}]"

    @property
    def sentence(self) -> str:
        """The same with a capital letter."""
        return self.meaning[0].upper() + self.meaning[1:]


Text = Callable[..., str]


@dataclass(frozen=True, slots=True)
class Result:
    """One output of a golden vector: how far it may be off, in parts of its largest value."""

    entry: Entry
    k: int
    vector: Vector
    values: Sequence[float]

    @property
    def name(self) -> str:
        """What the program prints: quantity and output."""
        return f"{self.entry.name} {self.vector.word}"

    @property
    def size(self) -> float:
        """The largest value."""
        return self.entry.size(self.k)

    @property
    def tolerance(self) -> float:
        """How far it may be off in double precision."""
        return self.entry.roundings(self.k) * 2.0**-52


@dataclass(frozen=True, slots=True)
class Language:
    """How a language writes what is around the statements of its dialect."""

    dialect: Callable[[Unit], Dialect]
    # statements: templates of {name} and {value}, and of the {id} of the model
    let: str = "    {name} = {value}\n"
    remark: str = ""  # a line that is read by people only, of its {text}
    mask: str = ""  # a name for a comparison, if it is another kind of value
    give: str = ""  # an entry of a vector; as `let` where nothing is said
    sincos: tuple[str, str, str] = ("", "", "")  # before, {k} {at} {angle} each, after; {n} {first}
    line: Callable[[str], str] = str  # a statement as lines that are not too long
    place: Callable[[Vector, int], str] | None = None  # an entry of a result, flat by default
    parameter: str = "p[{k}]"  # a parameter in `prepare`, of {k}, {n} = k + 1 and its {id}
    always: bool = False  # r is an argument even where there are no parameters
    # functions: of a Routine and text
    function: Text = field(default=lambda r, opened, inner: inner)
    opened: Text = field(default=lambda r, piece: "")  # before the statements of a piece
    piece: Text = field(default=lambda r, k, inner: inner)
    call: Text = field(default=lambda r, k: "")
    pieces_last: bool = False
    # golden vectors: of an Entry and text
    literal: Text = field(default=lambda vector, values: "")
    case: Text = field(default=lambda unit, entry, given: "")
    check: Text = field(default=lambda unit, result, wanted: "")
    end: str = ""  # after the checks of a case
    checked: Text = field(default=lambda unit, entry, cases: cases)
    prepare: Callable[[Unit], str] = field(default=lambda unit: "")  # r of the trial parameters
    # files: the part of each by its name, of the {id}; what fills its holes beside `about`,
    # `functions`, `golden` and `prepare`; files of another language, or one for each function
    comment: str = "# {}"
    files: Mapping[str, str] = field(default_factory=dict)
    words: Callable[[Unit, Written], Mapping[str, str]] = field(default=lambda unit, made: {})
    beside: Callable[[Unit], dict[str, str]] = field(default=lambda unit: {})
    apart: Callable[[Routine, str], tuple[str, str]] | None = None
    # commands that build and run them: of the {id}, directories {d} and {out}, and {python}
    run: tuple[Sequence[str], ...] = ()
    needs: tuple[str, ...] = ()  # Python packages
    libraries: tuple[str, ...] = ()  # of the system


@dataclass(frozen=True)
class Written:
    """What the driver has made of a Unit."""

    routines: Mapping[str, Routine]
    texts: Mapping[str, str]  # of each routine
    golden: str
    ops: set[str]

    @property
    def functions(self) -> str:
        """All routines, an empty line between them."""
        return "\n".join(self.texts.values())

    @property
    def entries(self) -> list[Routine]:
        """The routines of quantities."""
        return [r for r in self.routines.values() if r.entry]

    @property
    def helpers(self) -> list[str]:
        """Primitives in use that are functions where a language has no library for them."""
        used = self.ops | {"sincos" for op in ("sin", "cos") if op in self.ops}
        return [x for x in ("sincos", "minimum", "maximum", "sign") if x in used]


def write(language: Language, unit: Unit) -> dict[str, str]:
    """Return the files of a Unit by name."""
    made = written(language, unit)
    words = {
        "about": about(unit, language.comment),
        "functions": made.functions,
        "golden": made.golden,
        "prepare": language.prepare(unit) if unit.parameters else "",
        **language.words(unit, made),
    }
    files = {to.format(id=unit.id): part(x, unit, words) for to, x in language.files.items()}
    if language.apart:
        files |= dict(language.apart(r, made.texts[name]) for name, r in made.routines.items())
    return files | language.beside(unit)


def written(language: Language, unit: Unit) -> Written:
    """Return the functions of a Unit and its golden vectors as text."""
    dialect = language.dialect(unit)
    made = [_prepare(language, dialect, unit)] if unit.parameters else []
    made += [_entry(language, dialect, entry, unit) for entry in unit.entries]
    texts = {r.name: _text(language, r) for r in made}
    ops = set[str]().union(*(r.code.ops for r in made))
    golden = "".join(_golden(language, entry, unit) for entry in unit.entries if entry.golden)
    return Written({r.name: r for r in made}, texts, golden, ops)


def _entry(language: Language, dialect: Dialect, entry: Entry, unit: Unit) -> Routine:
    given = [Vector.of(w, p) for w, p in zip(entry.given, entry.inputs, strict=True)]
    made = [Vector.of(w, p) for w, p in zip(entry.made, entry.outputs, strict=True)]
    names = {port.name: v.word for port, v in zip(entry.inputs, given, strict=True)}
    at = language.place or (lambda v, k: dialect.at(v.word, k))
    leaves = [(names.get(x.name, "r"), x.index) for x in entry.step.leaves]
    code = statements(
        entry.step,
        dialect,
        [(word, dialect.at(word, k)) for word, k in leaves],
        [(v.word, at(v, k)) for v in made for k in range(v.size)],
        entry.words if language.remark else {},
        entry.told if language.remark else {},
    )
    if unit.parameters or language.always:
        given.append(Vector.of("r", unit.prepared))
    return Routine(unit, entry.name, tuple(given), tuple(made), code, entry)


def _prepare(language: Language, dialect: Dialect, unit: Unit) -> Routine:
    def parameter(k: int) -> str:
        return language.parameter.format(k=k, n=k + 1, id=unit.parameters[k].id)

    leaves = [parameter(x.index) if x.kind == "param" else "" for x in unit.prepare.leaves]
    code = statements(
        unit.prepare,
        dialect,
        [("p", text) for text in leaves],
        [("r", dialect.at("r", k)) for k in range(unit.prepared)],
    )
    p, r = Vector.of("p", len(unit.parameters)), Vector.of("r", unit.prepared)
    return Routine(unit, "prepare", (p,), (r,), code)


def _text(language: Language, r: Routine) -> str:
    """Return a function, with its pieces where it has several."""
    opened = [language.opened(r, piece) for piece in r.code.pieces]
    id = r.unit.id
    bodies = ["".join(_lines(language, s, id) for s in x.statements) for x in r.code.pieces]
    if len(bodies) == 1:
        return language.function(r, opened[0], bodies[0])
    made = [
        language.piece(r, k, a + b) for k, (a, b) in enumerate(zip(opened, bodies, strict=True), 1)
    ]
    outer = language.function(r, "", each(range(1, len(made) + 1), lambda k: language.call(r, k)))
    pieces = "".join(made)
    return f"{outer}\n{pieces}" if language.pieces_last else pieces + outer


def _lines(language: Language, s: Statement, id: str) -> str:
    if isinstance(s, SinCos):
        before, one, after = language.sincos
        n = len(s.angles)
        rows = [one.format(k=k, at=s.first + k, angle=a) for k, a in enumerate(s.angles)]
        ends = [text.format(id=id, n=n, first=s.first) for text in (before, after)]
        return ends[0] + "".join(rows) + ends[1]
    if isinstance(s, Remark):
        lines = wrap(s.text, 88, subsequent_indent="  ", break_on_hyphens=False)
        return "".join(language.remark.format(text=comment(x)) for x in lines)
    name = s.place if isinstance(s, Give) else s.name
    if isinstance(s, Give) or s.kept:
        form = language.give or language.let
    else:
        form = (s.mask and language.mask) or language.let
    return language.line(form.format(name=name, value=s.value, id=id))


def _golden(language: Language, entry: Entry, unit: Unit) -> str:
    """Return the checks of all golden vectors of a function."""
    ins = [Vector.of(w, p) for w, p in zip(entry.given, entry.inputs, strict=True)]
    cases = []
    for golden in entry.golden:
        given = [language.literal(v, x) for v, x in zip(ins, golden.inputs, strict=True)]
        given += ["r"] * bool(unit.parameters)
        checks = [
            language.check(unit, x, language.literal(x.vector, x.values))
            for x in results(entry, golden)
        ]
        cases.append(language.case(unit, entry, given) + "".join(checks) + language.end)
    return language.checked(unit, entry, "".join(cases))


def results(entry: Entry, golden: Golden) -> list[Result]:
    """Return the outputs that golden vectors know."""
    return [
        Result(entry, k, Vector.of(entry.made[k], entry.outputs[k]), golden.outputs[k])
        for k in range(len(entry.outputs))
    ]
