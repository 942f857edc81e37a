"""Octave and MATLAB: one function per file, column vectors, fit for code generation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..expr.function import Port
from .bodies import entry_body, prepare_body, results
from .c import about
from .dialect import Dialect, Form, infix, numbers
from .names import plain
from .statements import Code, Let, SinCos
from .unit import Entry, Unit

_number = numbers("Inf", "NaN")


OCTAVE = Dialect(
    "octave",
    "{name} = {value};",
    infix(where=Form("pick({}, {}, {})")),
    _number,
    entry="{}({})",
    first=1,
)

PICK = """
function x = pick(mask, yes, no)
  if mask
    x = yes;
  else
    x = no;
  end
end
"""


def files(unit: Unit) -> dict[str, str]:
    """Return the files by name."""
    made = {f"{unit.id}_{entry.name}.m": _file(entry, unit) for entry in unit.entries}
    if unit.parameters:
        made[f"{unit.id}_prepare.m"] = _prepare(unit)
    made[f"{unit.id}_test.m"] = test(unit)
    return made


def _help(lines: Sequence[str]) -> str:
    return "".join(f"  % {line}".rstrip() + "\n" for line in lines)


def _file(entry: Entry, unit: Unit) -> str:
    name = f"{unit.id}_{entry.name}"
    arguments = [*entry.given, *(["r"] if unit.parameters else [])]
    made = list(zip(entry.made, entry.outputs, strict=True))
    sizes = [
        f"{word}: {' x '.join(map(str, port.shape or (1,)))}"
        for word, port in zip(entry.arguments, (*entry.inputs, *entry.outputs), strict=True)
    ]
    about_it = [f"{entry.summary} [{entry.unit}].", ", ".join(sizes), "", *about(unit)]
    body = entry_body(entry, OCTAVE)
    lead = [
        f"  {word} = {_rows(word, port)};\n"
        for word, port in zip(entry.given, entry.inputs, strict=True)
        if len(port.shape) > 1
    ]
    ends = [f"  {word} = {_shaped(word, port)};\n" for word, port in made if len(port.shape) > 1]
    vectors = [(word, port.size) for word, port in made]
    return _functions(name, arguments, vectors, about_it, lead, body, ends)


def _rows(word: str, port: Port) -> str:
    """Return an array as a vector in C order."""
    n = len(port.shape)
    return f"reshape(permute({word}, [{' '.join(str(n - k) for k in range(n))}]), [], 1)"


def _shaped(word: str, port: Port) -> str:
    """Return a vector in C order as an array."""
    shape = port.shape
    turned = " ".join(map(str, reversed(shape)))
    order = " ".join(str(len(shape) - k) for k in range(len(shape)))
    return f"permute(reshape({word}, [{turned}]), [{order}])"


def _prepare(unit: Unit) -> str:
    names = [f"p({k}): {plain(p.name)}" for k, p in enumerate(unit.parameters, 1)]
    given = [(p.name, p.value) for p in unit.parameters if p.value is not None]
    values = [f"{plain(name)} = {value!r}" for name, value in given]
    lines = ["What depends on parameters only: once per set.", *names, "", *values]
    body = prepare_body(unit, OCTAVE, lambda k: f"p({k + 1})")
    return _functions(f"{unit.id}_prepare", ["p"], [("r", unit.prepared)], lines, [], body, [])


def _functions(
    name: str,
    arguments: Sequence[str],
    made: Sequence[tuple[str, int]],
    lines: Sequence[str],
    lead: Sequence[str],
    body: Code,
    ends: Sequence[str],
) -> str:
    """Return a file: the function, its pieces where it has several, and helpers it uses."""
    vectors = [*made, *([("wk", body.scratch)] if body.scratch else [])]
    declared = "".join(f"  {word} = zeros({n}, 1);\n" for word, n in vectors)
    outs = ", ".join(word for word, _ in made)
    head = f"function [{outs}] = {name}({', '.join(arguments)}) %#codegen\n{_help(lines)}"
    pieces = ""
    if len(body.pieces) == 1:
        inner = "".join(_lines(body.pieces[0]))
    else:
        passed = ", ".join(word for word, _ in vectors)
        call = f"({', '.join([*arguments, *(word for word, _ in vectors)])})"
        inner = ""
        for k, piece in enumerate(body.pieces, 1):
            inner += f"  [{passed}] = part_{k}{call};\n"
            pieces += f"\nfunction [{passed}] = part_{k}{call}\n{''.join(_lines(piece))}end\n"
    helpers = PICK if "where" in body.ops else ""
    return f"{head}{''.join(lead)}{declared}{inner}{''.join(ends)}end\n{pieces}{helpers}"


def _lines(piece: Sequence[object]) -> Iterator[str]:
    for statement in piece:
        assert not isinstance(statement, SinCos)
        name = statement.name if isinstance(statement, Let) else statement.place  # type: ignore[attr-defined]
        yield f"  {name} = {statement.value};\n"  # type: ignore[attr-defined]


# -- test --------------------------------------------------------------------------------------

CHECK = """
function bad = differs(name, x, golden, size_, tolerance)
  error_ = abs(x(:) - golden(:))/size_;
  bad = numel(x) ~= numel(golden) || ~all(error_ <= tolerance);
  verdict = 'ok';
  if bad
    verdict = 'MISS';
  end
  fprintf('%s worst=%.3e tol=%.3e %s\\n', name, max([error_; 0]), tolerance, verdict);
end
"""


def _literal(values: Sequence[float], port: Port) -> str:
    text = "[" + "; ".join(_number(x) for x in values) + "]"
    if not values:
        return "zeros(0, 1)"
    return _shaped(text, port) if len(port.shape) > 1 else text


def test(unit: Unit) -> str:
    """Return <id>_test.m: every function at states whose results are known."""
    lines = [f"function bad = {unit.id}_test()\n", "  % Golden vectors: 0 when all of them hold.\n"]
    lines.append("  bad = 0;\n")
    if unit.parameters:
        lines.append(f"  r = {unit.id}_prepare([{'; '.join(map(_number, unit.trial))}]);\n")
    for entry in unit.entries:
        words = [f"x{k}" for k in range(1, len(entry.outputs) + 1)]
        for golden in entry.golden:
            given = [_literal(x, port) for x, port in zip(golden.inputs, entry.inputs, strict=True)]
            given += ["r"] * bool(unit.parameters)
            lines.append(f"  [{', '.join(words)}] = {unit.id}_{entry.name}({', '.join(given)});\n")
            for word, port, k in results(entry):
                wanted = _literal(golden.outputs[k], port)
                size, most = entry.size(k), entry.roundings(k) * 2.0**-52
                lines.append(
                    f"  bad = bad + differs('{entry.name} {word}', {words[k]}, {wanted}, "
                    f"{size!r}, {most!r});\n"
                )
    return "".join(lines) + "end\n" + CHECK
