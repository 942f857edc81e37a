"""What a reader may have meant by the name of a file that is not there."""

from __future__ import annotations

import os
from importlib import import_module

from ..errors import closest, shown

GIVE = 'give a file, robot:NAME, or a phrase such as "RZ(A1,B1),TXK(L1);"'


def near_model(model: str) -> str:
    """Return a hint at a ready-made robot or a file with a similar name, else what to give."""
    # robots are made by the readers: this way round they are found only when asked for
    robots = import_module("dalembert.robots").__all__
    called = model.rpartition(":")[2].lower()
    if called in robots:
        return f"did you mean robot:{called}?"
    return near_file(model) or GIVE


def near_file(path: str) -> str:
    """Return a hint at a file of the same folder with a similar name; nothing where none is."""
    folder, name = os.path.split(path)
    try:
        files = os.listdir(folder or ".")
    except (OSError, ValueError):
        return f"there is no folder {shown(folder)}" if folder else ""
    near = closest(name, files, most=1)
    if not near.startswith("did"):
        return ""
    return near.replace("mean ", f"mean {shown(folder)}/") if folder else near
