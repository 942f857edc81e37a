"""Python: plain `math` on lists, and NumPy on arrays of states (..., size).

JAX and CasADi build on what is here. None of the emitted files imports dalembert.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from .dialect import Dialect, Form, infix, numbers
from .language import Language, Result, Routine, Vector, Written, about, each, nested, part
from .names import plain
from .unit import Entry, Slot, Unit

number = numbers("float('inf')", "float('nan')")
MATH = Dialect(
    "python",
    "",
    infix(
        sign=Form("_sign({})"),
        sqrt=Form("_sqrt({})"),
        asin=Form("_asin({})"),
        acos=Form("_acos({})"),
        log=Form("_log({})"),
        where=Form("{1} if {0} else {2}", 0, (1, 1, 1)),
    ),
    number,
    call="math.{}",
)
NUMPY = Dialect("numpy", "", {}, number, call="np.{}", library="numpy")


# -- functions ---------------------------------------------------------------------------------


def function(r: Routine, lead: str, inner: str, end: str, prefix: str = "") -> str:
    """Return a function with a docstring, vectors of zeros, and what it returns."""
    zeros = each((*r.made, *r.local), "    {0.word} = [0.0] * {0.size}\n")
    head = f"def {prefix}{r.name}({each(r.given, '{0.word}', ', ')}):\n"
    return f'\n{head}    """Return {r.meaning}."""\n{lead}{zeros}{inner}    return {end}\n'


def _function(size: Callable[[Vector], str]) -> Callable[..., str]:
    def write(r: Routine, opened: str, inner: str) -> str:
        own = r.given[: len(r.entry.inputs)] if r.entry else r.given
        lead = each(own, lambda v: f"    {v.word} = _vector({v.word}, {size(v)})\n")
        ends = each(r.made, lambda v: f"_shaped({v.word}, {v.shape!r})", ", ") if r.entry else "r"
        return function(r, lead, inner, ends)

    return write


def piece(r: Routine, k: int, inner: str) -> str:
    """Return an inner function."""
    return f"\ndef _{r.name}_{k}({r.shared}):\n{inner or '    pass'}\n"


def tables(unit: Unit) -> str:
    """Return names, units and values as plain data."""

    def texts(name: str, slots: Sequence[Slot]) -> str:
        names = each(map(lambda s: plain(s.name), slots), '"{}"', ", ")
        units = f"{name}_UNITS = [" + each(slots, '"{0.unit}"', ", ") + "]\n"
        return f"{name}_NAMES = [{names}]\n" + units * (name != "PARAMETER")

    values = each(unit.parameters, lambda p: number(p.number), ", ")
    return (
        texts("POSITION", unit.positions) + texts("SPEED", unit.speeds)
        + texts("PARAMETER", unit.parameters) + f"DEFAULT_PARAMETERS = [{values}]\n"
    )  # fmt: skip


def source(unit: Unit, written: Written, top: str) -> str:
    """Return the module; `top` is the part with its helpers."""
    head = each(about(unit), lambda line: f"# {line}".rstrip() + "\n")
    return "\n".join([head, part(top, unit), "\n" + tables(unit), written.functions])


# -- golden vectors ----------------------------------------------------------------------------


def literal(v: Vector, values: Sequence[float]) -> str:
    """Return numbers as nested lists."""
    return nested([*map(repr, values)], v.shape)


def check(unit: Unit, x: Result, wanted: str) -> str:
    """Return the comparison of one result."""
    found = "x" if len(x.entry.outputs) == 1 else f"x[{x.k}]"
    wanted = repr(list(x.values))
    return f'bad |= differs("{x.name}", {found}, {wanted}, {x.size!r}, {x.tolerance!r})\n'


def test(unit: Unit, written: Written, module: str, setup: str = "") -> str:
    """Return the program with golden vectors of a module."""
    r = f"r = model.prepare({list(unit.trial)!r})\n"
    return (
        f'"""Golden vectors. Exit 0 when all of them hold."""\n\nimport sys\n\n{setup}'
        f"import {module} as model\n\n\n{part('golden.py', unit)}{r if unit.parameters else ''}"
        f"{written.golden}sys.exit(bad)\n"
    )


def case(unit: Unit, entry: Entry, given: Sequence[str]) -> str:
    """Return the call at one state."""
    return f"x = model.{entry.name}({', '.join(given)})\n"


def language(
    dialect: Dialect, suffix: str, top: str, size: Callable[[Vector], str],
    setup: str = "", needs: tuple[str, ...] = (),
) -> Language:  # fmt: skip
    """Return one of the Pythons: its dialect, the end of its module's name, its helpers."""

    def files(unit: Unit, written: Written) -> dict[str, str]:
        module = unit.id + suffix
        return {
            f"{module}.py": source(unit, written, top),
            f"{module}_test.py": test(unit, written, module, setup),
        }

    return Language(
        dialect=lambda unit: dialect,
        remark="    # {text}\n",
        function=_function(size),
        piece=piece,
        call=lambda r, k: f"    _{r.name}_{k}({r.shared})\n",
        literal=literal,
        case=case,
        check=check,
        files=files,
        run=(("{python}", f"{{d}}/{{id}}{suffix}_test.py"),),
        needs=needs,
    )


LANGUAGE = language(MATH, "", "plain.py", lambda v: str(prod(v.shape)))
ARRAYS = language(NUMPY, "_numpy", "arrays.py", lambda v: repr(v.shape))
