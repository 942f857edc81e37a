"""Xacro files, expanded by xacrodoc: on the command line alone, since xacro runs Python of a file.

Packages that a file names are found by walking up from it, as those of meshes are.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import DalembertError, DescriptionError, Place, UsageError, shown

if TYPE_CHECKING:
    from ..mechanism import Mechanism

MOST_PACKAGES = 100
HINT = "arguments of the file are given as --xacro NAME=VALUE"
LOST = re.compile(r"Package not found: ([^\s]+)")


def is_xacro(model: str) -> bool:
    """Return whether a file name is that of a xacro file."""
    return model.lower().endswith(".xacro")


def read_xacro(file: Path, arguments: Mapping[str, str], **options: Any) -> Mechanism:
    """Return the mechanism of a xacro file."""
    from ..read import load

    text = expanded(file, arguments)
    try:
        return load(text, **options)
    except DalembertError as error:
        if error.where is not None:
            # lines are those of the expanded text
            error.where = replace(error.where, source=f"{file} (expanded)")
        if "has no link" in error.message:
            error.hint = "it defines macros alone: name the file that uses them"
        raise


def expanded(file: Path, arguments: Mapping[str, str]) -> str:
    """Return the URDF text of a xacro file."""
    try:
        import xacrodoc
    except ImportError:
        what = "a xacro file is expanded by xacrodoc, which is not installed"
        raise UsageError(what, hint="pip install xacrodoc") from None
    from ..read.resources import find_package

    known: dict[str, str] = {}
    for _ in range(MOST_PACKAGES):
        try:
            xacrodoc.packages.update_package_cache(known)
            # a file names others from where it is
            with contextlib.chdir(file.resolve().parent):
                document = xacrodoc.XacroDoc.from_file(file.name, subargs=dict(arguments))
            return document.to_urdf_string()
        except Exception as error:  # xacro evaluates expressions: anything may come back
            lost = LOST.search(str(error))
            if lost is None:
                raise DescriptionError(f"xacro: {_told(error)}", Place(str(file)), HINT) from None
            folder = find_package(lost[1], file)
            if folder is None or lost[1] in known:
                what = f"there is no package {shown(lost[1])!r} above the file"
                hint = "put its folder beside the file or beside a folder above it"
                raise DescriptionError(what, Place(str(file)), hint) from None
            known[lost[1]] = str(folder)
    raise DescriptionError("xacro: too many packages", Place(str(file)), HINT)


def _told(error: Any) -> str:
    first = next(iter(str(error).splitlines()), "")
    return shown(f"{type(error).__name__}: {first}" if first else type(error).__name__, 300)
