"""Readers and writers of descriptions: one file per language, found by what the source holds."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..mechanism import Mechanism

__all__ = ["load", "write"]

_TOML = re.compile(
    r"(?m)^[ \t]*(?:\[\[[ \t]*[a-z_]+[ \t]*\]\]|(?:format|phrase|bodies|name)[ \t]*=[ \t]*[\"'\[])"
)
LANGUAGES = ("phrase", "toml", "json", "urdf", "mdh")


def load(
    source: str | Path | Mapping[str, Any] | Sequence[Mapping[str, Any]],
    base: str = "fixed",
    mimic: str = "substitute",
    snap: float | None = None,
    inertia: str = "simple",
) -> Mechanism:
    """Return the mechanism that a file, a text, a dict or a list of rows describes.

    `source` is the name of a phrase, TOML, JSON, URDF, MJCF, CSV or SYMORO file, such a text
    itself, robot:NAME (ready-made), a native dict, a whole oracle file or the rows of a
    Denavit-Hartenberg table. `base` is "fixed", "free" or "planar"; `mimic` says what becomes of
    joints that follow another one: "substitute" (no coordinate, frames stay), "couple" (a
    coordinate and one equation) or "free" (a joint of its own); `snap` is how near to a multiple
    of pi/12 an angle is read as one (0: keep the text); `inertia` is "simple" or "full", the mass
    data that a phrase without body statements generates.

    >>> import dalembert as da
    >>> m = da.load("RZ(), TXK(0.5), RZ(), TXK(0.4);")
    >>> m.joint_names, m.frames
    (('j1', 'j2'), ('j1', 'j2', 'tip'))
    >>> da.load("RZ(), TXK(0.5);", base="free").joint_names
    ('base', 'j1')
    """
    from ..errors import DalembertError

    options = {"base": base, "mimic": mimic, "snap": snap, "inertia": inertia}
    try:
        return _load(source, options)
    except DalembertError as error:
        # the message says where the description is wrong: the parser's own way there does not help
        raise error.with_traceback(None) from None


def _load(source: Any, options: Mapping[str, Any]) -> Mechanism:
    _check(options)
    base, mimic, snap = (options[key] for key in ("base", "mimic", "snap"))
    if isinstance(source, Mapping):
        from .document import Document

        return _data(Document(source), options, "mechanism")
    if isinstance(source, os.PathLike) or (isinstance(source, str) and _is_file(source)):
        return _file(Path(source), options)
    if isinstance(source, (list, tuple)):
        from .table import read_rows

        _no_followers(options, "a table")
        return read_rows(source, base=base, snap=snap)
    if isinstance(source, str) and source.startswith("robot:"):
        # the robots are made by the readers: this way round they are found only when asked for
        named = import_module("dalembert.robots.named")
        return adapted(named.ready_made(source.removeprefix("robot:").strip()), base, mimic)
    if not isinstance(source, str):
        from ..errors import UsageError

        raise UsageError(
            f"cannot load {type(source).__name__}", hint="give a file, a text, a dict or rows"
        )
    from .document import bounded

    return _text(bounded(source), options)


def write(m: Mechanism, format: str) -> tuple[str, list[str]]:
    """Return a mechanism as text in a language, and notes on what that language cannot hold."""
    from ..errors import UsageError, shown

    if format in ("toml", "json"):
        from .native_writer import native_text

        return native_text(m, format), []
    if format == "phrase":
        from .phrase_writer import write_phrase

        text, notes = write_phrase(m.coupled)
        return text, list(notes)
    if format == "urdf":
        from .urdf_writer import write_urdf

        return write_urdf(m)
    if format == "mdh":
        from .mdh_writer import write_mdh

        return write_mdh(m.coupled)
    raise UsageError(f"unknown language {shown(str(format))!r}", hint=", ".join(LANGUAGES))


def adapted(m: Mechanism, base: str = "fixed", mimic: str = "substitute") -> Mechanism:
    """Return a mechanism on another base, with the joints that follow others treated as asked."""
    from ..mechanism.assemble import on_base

    return on_base(_followers(m, {"mimic": mimic}), base)


def _check(options: Mapping[str, Any]) -> None:
    from ..errors import UsageError, shown

    choices = {
        "base": ("fixed", "free", "planar"),
        "mimic": ("couple", "substitute", "free"),
        "inertia": ("simple", "full"),
    }
    for name, words in choices.items():
        if options[name] not in words:
            given = shown(repr(options[name]), 60)
            raise UsageError(f"{name} = {given}", hint="one of " + ", ".join(words))
    snap = options["snap"]
    if snap is not None and not (isinstance(snap, (int, float)) and 0 <= snap < 0.1):
        hint = "give a distance in radians, such as 1e-5, or 0"
        raise UsageError(f"snap = {shown(repr(snap), 60)}", hint=hint)


def _is_file(text: str) -> bool:
    # a long text is no file name, and a name with line ends is hardly one
    return len(text) < 4096 and "\0" not in text and "\n" not in text and os.path.exists(text)


def _file(file: Path, options: Mapping[str, Any]) -> Mechanism:
    from .document import decode, from_json, from_toml, read_bytes

    if file.suffix.lower() in (".yaml", ".yml"):
        from .parallel_yaml import read_parallel

        _no_followers(options, "a parallel robot's file")
        return read_parallel(file, base=options["base"], snap=options["snap"])
    data, source, ending = read_bytes(file), str(file), file.suffix.lower()
    start = data[:1000].removeprefix(b"\xef\xbb\xbf").lstrip()
    if ending in (".urdf", ".xml") or (ending not in (".toml", ".json") and start[:1] == b"<"):
        return _xml(data, source, options, file)
    text = decode(data, source)
    if ending == ".json" or (ending != ".toml" and start[:1] == b"{"):
        return _data(from_json(text, source), options, file.stem)
    if ending == ".toml" or _TOML.search(text):
        return _data(from_toml(text, source), options, file.stem)
    return _table(text, source, options, file.stem, ending) or _phrase(
        text, source, options, file.stem
    )


def _text(text: str, options: Mapping[str, Any]) -> Mechanism:
    from ..errors import DescriptionError, shown
    from .document import from_json, from_toml

    start = text.lstrip()[:1]
    if start == "<":
        return _xml(text, "<xml>", options)
    if start == "{":
        return _data(from_json(text, "<json>"), options, "mechanism")
    if _TOML.search(text):
        return _data(from_toml(text, "<toml>"), options, "mechanism")
    table = _table(text, "<table>", options, "mechanism")
    if table is not None:
        return table
    if any(sign in text for sign in "(,;"):
        return _phrase(text, "<phrase>", options, "mechanism")
    raise DescriptionError(
        f"no such file: {shown(text)}",
        hint='give a file, or a phrase such as "RZ(A1,B1),TXK(L1);"',
    )


def _xml(
    text: str | bytes, source: str, options: Mapping[str, Any], file: Path | None = None
) -> Mechanism:
    from ..errors import DalembertError
    from .mjcf import is_mjcf, read_mjcf
    from .urdf import read_urdf
    from .xml_tree import with_line

    given = {key: options[key] for key in ("base", "mimic", "snap")}
    if options["mimic"] == "substitute":
        given["mimic"] = "couple"
    try:
        if is_mjcf(text):
            made = read_mjcf(text, source=source, **given, file=str(file) if file else None)
        else:
            made = read_urdf(text, source=source, **given)
        return _followers(made, options)
    except DalembertError as error:
        error.where = with_line(error.where, text)
        raise


def _table(
    text: str, source: str, options: Mapping[str, Any], name: str, ending: str = ""
) -> Mechanism | None:
    """Return the mechanism of a CSV table or a SYMORO file, None where the text is neither."""
    from .par import is_par, read_par
    from .table import is_csv, read_csv

    given = {"source": source, "name": name, "base": options["base"], "snap": options["snap"]}
    if ending == ".par" or (ending != ".csv" and is_par(text)):
        _no_followers(options, "a SYMORO file")
        return read_par(text, **given)
    if ending == ".csv" or is_csv(text):
        _no_followers(options, "a table")
        return read_csv(text, **given)
    return None


def _phrase(text: str, source: str, options: Mapping[str, Any], name: str) -> Mechanism:
    from .phrase import read_phrase

    _no_followers(options, "a phrase")
    return read_phrase(
        text,
        source=source,
        name=name,
        snap=options["snap"],
        inertia=options["inertia"],
        base=options["base"],
    )


def _data(document: Any, options: Mapping[str, Any], name: str) -> Mechanism:
    from .native import read_native
    from .oracle import is_oracle, read_oracle
    from .table import is_table, read_table

    given = {key: options[key] for key in ("base", "snap", "inertia")}
    if is_oracle(document.data):
        return _followers(read_oracle(document, **given), options)
    if is_table(document.data):
        _no_followers(options, "a table")
        return read_table(document, base=options["base"], snap=options["snap"], name=name)
    return _followers(read_native(document, **given, name=name), options)


def _no_followers(options: Mapping[str, Any], what: str) -> None:
    """Raise UsageError when `mimic` is given for a description without joints that follow."""
    if options["mimic"] == "free":
        from ..errors import UsageError

        raise UsageError(
            f"mimic = {options['mimic']!r}: {what} has no joints that follow others",
            hint="leave mimic out; URDF, MJCF and native files have such joints",
        )


def _followers(m: Mechanism, options: Mapping[str, Any]) -> Mechanism:
    """Return the mechanism with its couplings as `mimic` says."""
    if options["mimic"] != "substitute":
        m = m.coupled
    if options["mimic"] == "couple" or not m.couplings:
        return m
    from dataclasses import replace

    from ..errors import shown
    from ..mechanism import joint_name
    from ..mechanism.followers import substituted

    if options["mimic"] == "substitute":
        return substituted(m)
    names = ", ".join(shown(joint_name(m.bodies[c.joint]), 40) for c in m.couplings[:20])
    note = f"couplings are ignored, as asked: {names}"
    return replace(m, couplings=(), notes=(*m.notes, note))
