"""Readers and writers of descriptions: one file per language, found by what the source holds."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import DalembertError, DescriptionError, Place, UsageError, shown
from ..frozen import dataclass
from .context import Context, placed

if TYPE_CHECKING:
    from ..mechanism import Mechanism
    from .document import Document

__all__ = ["load", "write"]

_TOML = re.compile(
    r"(?m)^[ \t]*(?:\[\[[ \t]*[a-z_]+[ \t]*\]\]|(?:format|phrase|bodies|name)[ \t]*=[ \t]*[\"'\[])"
)


@dataclass(frozen=True, slots=True)
class Language:
    """A language that is read: what it is called, and the function that reads it.

    `follows` says that it may hold joints that follow others, `rooted` that its own root stands on
    the base that is asked.
    """

    what: str
    reader: str
    follows: bool = False
    rooted: bool = False


LANGUAGES = {
    "phrase": Language("a phrase", "phrase.read_phrase", rooted=True),
    "native": Language("a native file", "native.read_native", follows=True),
    "oracle": Language("an oracle file", "oracle.read_oracle", follows=True),
    "members": Language("an active chain", "active_chain.read_members"),
    "table": Language("a table", "table.read_table", follows=True),
    "rows": Language("a table", "table.read_rows"),
    "csv": Language("a table", "table.read_csv"),
    "par": Language("a SYMORO file", "par.read_par"),
    "urdf": Language("URDF", "urdf.read_urdf", follows=True, rooted=True),
    "sdf": Language("SDF", "sdf.read_sdf", follows=True, rooted=True),
    "mjcf": Language("MJCF", "mjcf.read_mjcf", follows=True),
    "parallel": Language("a parallel robot's file", "parallel_yaml.read_parallel", rooted=True),
}
XML = {"mujoco": "mjcf", "sdf": "sdf", "robot": "urdf"}  # by the first tag
XML_ENDINGS = (".urdf", ".xml", ".sdf", ".world")
WRITERS = {
    "phrase": "phrase_writer.write_phrase",
    "toml": "native_writer.write_toml",
    "json": "native_writer.write_json",
    "urdf": "urdf_writer.write_urdf",
    "mdh": "mdh_writer.write_mdh",
    "par": "par_writer.write_par",
}


def load(
    source: str | Path | Mapping[str, Any] | Sequence[Mapping[str, Any]],
    base: str = "fixed",
    mimic: str = "substitute",
    snap: float | None = None,
    inertia: str = "simple",
) -> Mechanism:
    """Return the mechanism that a file, a text, a dict or a list of rows describes.

    - `source`: the name of a file (phrase, TOML, JSON, URDF, SDF, MJCF, CSV or SYMORO), the text
      of such a file, "robot:ur5" and other ready-made robots, a native dict, the dict of a
      reference file, or the rows of a Denavit-Hartenberg table.
    - `base`: "fixed", "free" or "planar".
    - `mimic`: how to treat a joint that follows another one. "substitute" gives it no coordinate,
      "couple" a coordinate and one equation, "free" lets it move by itself.
    - `snap`: an angle this near to a multiple of pi/12 is read as that multiple; 0 keeps the text.
    - `inertia`: "simple" or "full" mass data, for a phrase that gives none.

    >>> import dalembert as da
    >>> m = da.load("RZ(), TXK(0.5), RZ(), TXK(0.4);")
    >>> m.joint_names, m.frames
    (('j1', 'j2'), ('j1', 'j2', 'tip'))
    >>> da.load("RZ(), TXK(0.5);", base="free").joint_names
    ('base', 'j1')
    """
    asked = _asked(base, mimic, snap, inertia)
    try:
        if isinstance(source, str) and source.startswith("robot:"):
            # the robots are made by the readers: this way round they are found only when asked for
            named = import_module("dalembert.robots.named")
            return adapted(named.ready_made(source.removeprefix("robot:").strip()), base, mimic)
        kind, given, context = _found(source, asked)
        return _read(kind, given, context, mimic)
    except DalembertError as error:
        # the message says where the description is wrong: the parser's own way there does not help
        raise error.with_traceback(None) from None


def _read(kind: str, given: Any, context: Context, mimic: str) -> Mechanism:
    """Return the mechanism of a description, on its base, followers treated as asked."""
    language = LANGUAGES[kind]
    if mimic == "free" and not language.follows:
        raise UsageError(
            f"mimic = {mimic!r}: {language.what} has no joints that follow others",
            hint="leave mimic out; URDF, MJCF and native files have such joints",
        )
    module, function = language.reader.split(".")
    reader = getattr(import_module(f"{__name__}.{module}"), function)
    try:
        with placed(Place(context.source)):
            m = reader(given, context)
            if context.base != "fixed":
                from ..mechanism.simplified import require_same_terms

                require_same_terms(m, f"base={context.base!r}")
            return adapted(m, "fixed" if language.rooted else context.base, mimic)
    except DalembertError as error:
        if kind in XML.values():
            from .xml_tree import with_line

            error.where = with_line(error.where, given)
        raise


def write(m: Mechanism, format: str) -> tuple[str, list[str]]:
    """Return a mechanism as text in a language, and notes on what that language cannot hold."""
    if format not in WRITERS:
        raise UsageError(f"unknown language {shown(str(format))!r}", hint=", ".join(WRITERS))
    module, function = WRITERS[format].split(".")
    text, notes = getattr(import_module(f"{__name__}.{module}"), function)(m)
    if m.simplified and format not in ("toml", "json"):
        kept = f"{format} cannot hold simplified ({', '.join(m.simplified)})"
        notes = [*notes, f"the whole mechanism is written: {kept}"]
    return text, notes


def adapted(m: Mechanism, base: str = "fixed", mimic: str = "substitute") -> Mechanism:
    """Return a mechanism on another base, with the joints that follow others treated as asked."""
    from ..mechanism.assemble import on_base

    return on_base(_followers(m, mimic), base)


def _followers(m: Mechanism, mimic: str) -> Mechanism:
    """Return the mechanism with its couplings as `mimic` says."""
    if mimic != "substitute":
        m = m.coupled
    if mimic == "couple" or not m.couplings:
        return m
    if mimic == "substitute":
        from ..mechanism.followers import substituted

        return substituted(m)
    from ..mechanism import joint_name

    names = ", ".join(shown(joint_name(m.bodies[c.joint]), 40) for c in m.couplings[:20])
    note = f"mimic joints and couplings are ignored, as asked: {names}"
    return replace(m, couplings=(), notes=(*m.notes, note))


def _asked(base: Any, mimic: Any, snap: Any, inertia: Any) -> Context:
    """Return how a description is to be read, or raise UsageError."""
    choices = {
        "base": (base, ("fixed", "free", "planar")),
        "mimic": (mimic, ("couple", "substitute", "free")),
        "inertia": (inertia, ("simple", "full")),
    }
    for name, (given, words) in choices.items():
        if given not in words:
            raise UsageError(
                f"{name} = {shown(repr(given), 60)}", hint="one of " + ", ".join(words)
            )
    if snap is not None and not (isinstance(snap, (int, float)) and 0 <= snap < 0.1):
        hint = "give a distance in radians, such as 1e-5, or 0"
        raise UsageError(f"snap = {shown(repr(snap), 60)}", hint=hint)
    return Context(snap=snap, inertia=inertia, base=base, follows=mimic != "free")


# -- which language a description is in --------------------------------------------------------

Found = tuple[str, Any, Context]  # the language, what its reader takes, and its context


def _found(source: Any, asked: Context) -> Found:
    if isinstance(source, Mapping):
        from .document import Document

        return _data(Document(source), asked)
    if isinstance(source, os.PathLike) or (isinstance(source, str) and _is_file(source)):
        return _file(Path(source), asked)
    if isinstance(source, (list, tuple)):
        return "rows", source, replace(asked, source="<rows>")
    if not isinstance(source, str):
        raise UsageError(
            f"cannot load {type(source).__name__}", hint="give a file, a text, a dict or rows"
        )
    from .document import bounded

    return _text(bounded(source), asked)


def _is_file(text: str) -> bool:
    # a long text is not a file name, and a name with line ends is hardly one
    return len(text) < 4096 and "\0" not in text and "\n" not in text and os.path.exists(text)


def _file(file: Path, asked: Context) -> Found:
    from .document import decode, from_json, from_toml, read_bytes

    data, source, ending = read_bytes(file), str(file), file.suffix.lower()
    here = replace(asked, source=source, name=file.stem, file=file)
    if ending == ".xacro":
        hint = f"expand it first: dalembert convert {file.name} --to urdf > {file.stem}.urdf"
        raise DescriptionError("a xacro file runs Python when it is read", Place(source), hint)
    start = data[:1000].removeprefix(b"\xef\xbb\xbf").lstrip()
    if ending in XML_ENDINGS or (ending not in (".toml", ".json") and start[:1] == b"<"):
        return _xml(data, here)
    text = decode(data, source)
    if ending in (".yaml", ".yml"):
        return "parallel", text, here
    if ending == ".json" or (ending != ".toml" and start[:1] == b"{"):
        return _data(from_json(text, source), here)
    if ending == ".toml" or _TOML.search(text):
        return _data(from_toml(text, source), here)
    return _table(text, ending) or "phrase", text, here


def _text(text: str, asked: Context) -> Found:
    from .document import from_json, from_toml

    start = text.lstrip()[:1]
    if start == "<":
        return _xml(text, replace(asked, source="<xml>"))
    if start == "{":
        return _data(from_json(text, "<json>"), asked)
    if _TOML.search(text):
        return _data(from_toml(text, "<toml>"), asked)
    kind = _table(text)
    if kind is not None:
        return kind, text, replace(asked, source="<table>")
    if any(sign in text for sign in "(,;"):
        return "phrase", text, replace(asked, source="<phrase>")
    from .near import near_model

    raise DescriptionError(f"no such file: {shown(text)}", hint=near_model(text))


def _xml(text: str | bytes, here: Context) -> Found:
    from .xml_tree import first_tag, with_line

    try:
        return XML.get(first_tag(text), "urdf"), text, here
    except DalembertError as error:
        error.where = with_line(error.where, text)
        raise


def _table(text: str, ending: str = "") -> str | None:
    """Return whether a text is a SYMORO file or a CSV table, None where it is neither."""
    from .par import is_par
    from .table import is_csv

    if ending == ".par" or (ending != ".csv" and is_par(text)):
        return "par"
    return "csv" if ending == ".csv" or is_csv(text) else None


def _data(document: Document, here: Context) -> Found:
    from .oracle import is_oracle
    from .table import is_table

    here = replace(here, source=document.source)
    if is_oracle(document.data):
        return "oracle", document, here
    if isinstance(document.data, Mapping) and "members" in document.data:
        return "members", document, here
    return "table" if is_table(document.data) else "native", document, here
