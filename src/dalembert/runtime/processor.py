"""What tells processors and code generators apart, asked of the system rather than of LLVM.

Object code that is kept runs again where both are the same; LLVM is not loaded to find that out.
"""

from __future__ import annotations

import os

_FACTS = "/proc/cpuinfo"
_PAGE = 1 << 12  # bytes: more would describe more cores than the first
_ENOUGH = 1 << 14  # bytes that no line has
_SAID = (
    "vendor_id", "cpu family", "model", "model name", "stepping", "flags",
    "CPU implementer", "CPU architecture", "CPU variant", "CPU part", "CPU revision", "Features",
)  # fmt: skip


def generator() -> str:
    """Return the version of llvmlite, and what the system says of its library."""
    import llvmlite

    place = os.path.join(os.path.dirname(llvmlite.__file__), "binding")
    facts = [f"llvmlite {llvmlite.__version__}"]
    with os.scandir(place) as found:
        for each in sorted((e for e in found if "llvmlite" in e.name), key=lambda e: e.name):
            known = each.stat()
            facts.append(f"{each.name} {known.st_size} {known.st_mtime_ns}")
    return ", ".join(facts)


def processor() -> str:
    """Return the instruction sets of this processor and its model.

    Where Linux does not list them, LLVM does.
    """
    listed = _listed()
    if listed is not None:
        return listed
    from .llvm import host

    return f"{host().triple} {host().cpu} {host().features}"


def _listed() -> str | None:
    """Return what Linux says of the first core, without what changes; None where it says nothing.

    A short read: the system writes the description of a core only when it is asked for.
    """
    lines: list[str] = []
    try:
        with open(_FACTS, "rb", buffering=_PAGE) as file:
            while (line := file.readline(_ENOUGH).decode("ascii", "replace")).strip():
                lines.append(line)
    except OSError:
        return None
    rows = [[part.strip() for part in line.partition(":")[::2]] for line in lines]
    said = [f"{name}: {value}" for name, value in rows if name in _SAID]
    known = any(line.startswith(("flags: ", "Features: ")) for line in said)
    return "\n".join([os.uname().machine, *said]) if known else None
