"""Python: plain `math` on lists and NumPy on arrays of states; CasADi's builder is in `casadi.py`.

The dialects of all three are here; none of the emitted files imports dalembert.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from .bodies import entry_body, prepare_body, results
from .c import about
from .dialect import Dialect, Form, infix, numbers
from .names import plain
from .statements import Code, Let, SinCos
from .unit import Entry, Unit

_number = numbers("float('inf')", "float('nan')")


def _calls(module: str, **renamed: str) -> dict[str, Form]:
    names = ("sin", "cos", "tan", "asin", "acos", "exp", "log", "sqrt")
    forms = {name: Form(f"{module}{renamed.get(name, name)}({{}})") for name in names}
    forms["atan2"] = Form(f"{module}{renamed.get('atan2', 'atan2')}({{}}, {{}})")
    return forms


MATH = Dialect(
    "python",
    "{name} = {value}",
    infix(
        **_calls("math."),
        sign=Form("_sign({})"),
        where=Form("{1} if {0} else {2}", 0, (1, 1, 1)),
    )
    | {name: Form(f"_{name}({{}})") for name in ("sqrt", "asin", "acos", "log")},
    _number,
)
NUMPY = Dialect(
    "numpy",
    "{name} = {value}",
    infix(
        **_calls("np.", asin="arcsin", acos="arccos", atan2="arctan2"),
        sign=Form("np.sign({})"),
        absolute=Form("np.abs({})"),
        minimum=Form("np.minimum({}, {})"),
        maximum=Form("np.maximum({}, {})"),
        where=Form("np.where({}, {}, {})"),
    ),
    _number,
)
CASADI = replace(
    MATH,
    name="casadi",
    forms=infix(
        **_calls("ca."),
        sign=Form("ca.sign({})"),
        absolute=Form("ca.fabs({})"),
        minimum=Form("ca.fmin({}, {})"),
        maximum=Form("ca.fmax({}, {})"),
        where=Form("ca.if_else({}, {}, {})"),
    ),
)

MATH_HELPERS = '''
def _sign(x):
    return 1.0 if x > 0 else -1.0 if x < 0 else x


def _sqrt(x):
    return math.sqrt(x) if x >= 0 else math.nan


def _asin(x):
    return math.asin(x) if -1 <= x <= 1 else math.nan


def _acos(x):
    return math.acos(x) if -1 <= x <= 1 else math.nan


def _log(x):
    return math.log(x) if x > 0 else math.nan


def _shaped(x, shape):
    """Return a flat list as nested lists, or a number where the shape is ()."""
    if not shape:
        return x[0]
    for n in reversed(shape[1:]):
        x = [x[k : k + n] for k in range(0, len(x), n)]
    return x


def _vector(x, n):
    x = [float(v) for v in _flat(x)]
    if len(x) != n:
        raise ValueError(f"a vector of {n} numbers is needed, not of {len(x)}")
    return x


def _flat(x):
    return [v for row in x for v in (_flat(row) if hasattr(row, "__iter__") else (row,))]
'''
NUMPY_HELPERS = '''
def _shaped(x, shape):
    """Return entries as one array, states first."""
    x = np.stack(np.broadcast_arrays(*(np.asarray(v, float) for v in x)), -1) if x else np.zeros(0)
    return x.reshape(x.shape[:-1] + tuple(shape))


def _vector(x, shape):
    """Return the entries of an input (..., *shape), one array of states each."""
    x = np.asarray(x, float)
    if x.shape[x.ndim - len(shape) :] != tuple(shape):
        raise ValueError(f"an array (..., {shape}) is needed, not {x.shape}")
    return np.moveaxis(x.reshape(x.shape[: x.ndim - len(shape)] + (-1,)), -1, 0)
'''


@dataclass(frozen=True, slots=True)
class How:
    """What the two say differently around the same statements."""

    dialect: Dialect
    top: str
    suffix: str = ""


PLAIN = How(MATH, "import math\n" + "\n" + MATH_HELPERS)
ARRAYS = How(NUMPY, "import numpy as np\n" + "\n" + NUMPY_HELPERS, "_numpy")


def files(unit: Unit) -> dict[str, str]:
    """Return the files of plain Python by name."""
    return _files(unit, PLAIN)


def numpy_files(unit: Unit) -> dict[str, str]:
    """Return the files of NumPy by name."""
    return _files(unit, ARRAYS)


def _files(unit: Unit, how: How) -> dict[str, str]:
    module = unit.id + how.suffix
    return {f"{module}.py": source(unit, how), f"{module}_test.py": test(unit, how)}


def source(unit: Unit, how: How) -> str:
    """Return the module."""
    parts = [
        "".join(f"# {line}".rstrip() + "\n" for line in about(unit)),
        how.top,
        "\n" + tables(unit),
    ]
    if unit.parameters:
        lead = [f"    p = _vector(p, {_size(how, (len(unit.parameters),))})\n"]
        body = prepare_body(unit, how.dialect, lambda k: f"p[{k}]")
        text = functions("prepare", ["p"], lead, body, [("r", unit.prepared)], "r")
        parts.append("\n" + text.replace("\n    p = ", "\n" + PREPARE + "    p = ", 1))
    for entry in unit.entries:
        parts.append("\n" + _function(entry, unit, how))
    return "\n".join(parts)


PREPARE = '    """Return what depends on parameters only: once per set."""\n'


def tables(unit: Unit) -> str:
    """Return names, units and values as plain data."""

    def texts(words: Sequence[str]) -> str:
        return "[" + ", ".join(f'"{word}"' for word in words) + "]"

    values = ["float('nan')" if p.value is None else _number(p.value) for p in unit.parameters]
    return (
        f"POSITION_NAMES = {texts([plain(s.name) for s in unit.positions])}\n"
        f"POSITION_UNITS = {texts([s.unit for s in unit.positions])}\n"
        f"SPEED_NAMES = {texts([plain(s.name) for s in unit.speeds])}\n"
        f"SPEED_UNITS = {texts([s.unit for s in unit.speeds])}\n"
        f"PARAMETER_NAMES = {texts([plain(p.name) for p in unit.parameters])}\n"
        f"DEFAULT_PARAMETERS = [{', '.join(values)}]\n"
    )


def _size(how: How, shape: Sequence[int]) -> str:
    return str(prod(shape)) if how is PLAIN else repr(tuple(shape))


def _function(entry: Entry, unit: Unit, how: How) -> str:
    arguments = [*entry.given, *(["r"] if unit.parameters else [])]
    lead = []
    for word, port in zip(entry.given, entry.inputs, strict=True):
        lead.append(f"    {word} = _vector({word}, {_size(how, port.shape)})\n")
    made = [(word, port.size) for word, port in zip(entry.made, entry.outputs, strict=True)]
    ends = [
        f"_shaped({word}, {tuple(port.shape)!r})"
        for word, port in zip(entry.made, entry.outputs, strict=True)
    ]
    body = entry_body(entry, how.dialect)
    text = functions(entry.name, arguments, lead, body, made, ", ".join(ends))
    head, _, rest = text.rpartition(f"def {entry.name}(")
    first, _, rest = rest.partition("\n")
    doc = f'    """Return the {entry.summary} [{entry.unit}]."""\n'
    return f"{head}def {entry.name}({first}\n{doc}{rest}"


def functions(
    name: str,
    arguments: Sequence[str],
    lead: Sequence[str],
    body: Code,
    made: Sequence[tuple[str, int]],
    end: str,
) -> str:
    """Return a function, its pieces first where it has several."""
    vectors = [*made, *([("wk", body.scratch)] if body.scratch else [])]
    declared = "".join(f"    {word} = [0.0] * {n}\n" for word, n in vectors)
    head = f"def {name}({', '.join(arguments)}):\n"
    if len(body.pieces) == 1:
        return f"{head}{''.join(lead)}{declared}{_lines(body.pieces[0])}    return {end}\n"
    inner = ", ".join([*arguments, *(word for word, _ in vectors)])
    pieces = [
        f"def _{name}_{k}({inner}):\n{_lines(piece) or '    pass'}\n\n"
        for k, piece in enumerate(body.pieces, 1)
    ]
    calls = "".join(f"    _{name}_{k}({inner})\n" for k in range(1, len(body.pieces) + 1))
    return f"{''.join(pieces)}{head}{''.join(lead)}{declared}{calls}    return {end}\n"


def _lines(piece: Sequence[object]) -> str:
    lines = []
    for statement in piece:
        assert not isinstance(statement, SinCos)
        name = statement.name if isinstance(statement, Let) else statement.place  # type: ignore[attr-defined]
        lines.append(f"    {name} = {statement.value}\n")  # type: ignore[attr-defined]
    return "".join(lines)


# -- test --------------------------------------------------------------------------------------

TEST = '''\
"""Golden vectors. Exit 0 when all of them hold."""

import sys

import @module@ as model


def flat(x):
    x = x.tolist() if hasattr(x, "tolist") else x
    return [v for row in x for v in flat(row)] if isinstance(x, list) else [float(x)]


def differs(name, x, golden, size, tolerance):
    """Print how far results are from golden ones, in parts of `size`; return whether too far."""
    errors = [abs(a - b) / size for a, b in zip(flat(x), golden)]
    bad = not all(error <= tolerance for error in errors) or len(flat(x)) != len(golden)
    verdict = "MISS" if bad else "ok"
    print(f"{name} worst={max(errors, default=0.0):.3e} tol={tolerance:.3e} {verdict}")
    return bad


bad = False
'''


def test(unit: Unit, how: How) -> str:
    """Return <module>_test.py: every function at states whose results are known."""
    lines = [TEST.replace("@module@", unit.id + how.suffix)]
    if unit.parameters:
        lines.append(f"r = model.prepare({list(unit.trial)!r})\n")
    for entry in unit.entries:
        for golden in entry.golden:
            given = [
                nested(x, port.shape) for x, port in zip(golden.inputs, entry.inputs, strict=True)
            ]
            given += ["r"] * bool(unit.parameters)
            lines.append(f"x = model.{entry.name}({', '.join(given)})\n")
            for word, _, k in results(entry):
                found = "x" if len(entry.outputs) == 1 else f"x[{k}]"
                size, most = entry.size(k), entry.roundings(k) * 2.0**-52
                wanted = repr(list(golden.outputs[k]))
                name = f"{entry.name} {word}"
                call = f'differs("{name}", {found}, {wanted}, {size!r}, {most!r})'
                lines.append(f"bad |= {call}\n")
    lines.append("sys.exit(bad)\n")
    return "".join(lines)


def nested(values: Sequence[float], shape: Sequence[int]) -> str:
    """Return numbers as nested lists."""
    rows: list = list(values)
    for n in reversed(tuple(shape)[1:]):
        rows = [rows[k : k + n] for k in range(0, len(rows), n)]
    return repr(rows)
