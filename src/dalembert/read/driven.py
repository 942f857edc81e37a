"""Motors and friction put on the joints of a mechanism, with the keys of a native file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..errors import Place, UsageError, shown
from ..mechanism import Drive, Mechanism
from ..mechanism.edit import checked, into
from ..mechanism.parts import joint_name
from ..mechanism.simplified import require_same_terms
from .document import Document
from .expressions import Unit, expression
from .fields import Reading
from .native_fields import Index
from .native_keys import RECORDS

SHAPE = 'm.with_drives({"elbow": {"Ia": 0.1, "viscous": 0.5, "coulomb": 0.4}})'


class _Letters(Reading):
    """Values whose letters become parameters of the mechanism."""

    def expression(self, text: str, at: Sequence[str | int], unit: Unit | None = None) -> Any:
        """Return the value of a text; every name in it is a parameter."""
        return expression(text, self.graph, Place("", 1, 1, text), unit=unit)


def with_drives(m: Mechanism, drives: Any) -> Mechanism:
    """Return the mechanism with these drives; joints that are not named keep theirs."""
    require_same_terms(m, "with_drives", "A")
    reading = _Letters(Document(None, "with_drives"))
    new = into(m, reading.graph)
    index = Index(new.bodies, range(len(new.bodies)))
    made = {d.joint: d for d in new.drives}
    for joint, given in _rows(new, drives):
        if isinstance(given, Drive):
            made[joint] = replace(given, joint=joint)
            continue
        at = ("drives", shown(joint_name(new.bodies[joint])))
        row = {"joint": joint_name(new.bodies[joint]), **given}
        made[joint] = RECORDS["drives"].read(reading, row, at, index)
    notes = (*new.notes, *reading.notes())
    every = tuple(made[j] for j in sorted(made))
    return checked(replace(new, drives=every, notes=notes, checked=True))


def _rows(m: Mechanism, drives: Any) -> list[tuple[int, Any]]:
    """Return the body index of each joint that is named, with its values; "all" comes first."""
    if isinstance(drives, Mapping):
        pairs = list(drives.items())
    elif isinstance(drives, Sequence) and not isinstance(drives, str):
        pairs = [_named(m, row) for row in drives]
    else:
        raise UsageError(f"with_drives: drives by joint, not {type(drives).__name__}", hint=SHAPE)
    rows: list[tuple[int, Any]] = []
    for joint, given in pairs:
        if not isinstance(given, Mapping | Drive):
            what = f"with_drives: {shown(str(joint))!r} has {type(given).__name__}, not its values"
            raise UsageError(what, hint=SHAPE)
        if joint == "all" and "all" not in m.joint_names:
            moving = [j for j, b in enumerate(m.bodies) if b.joint.nv == 1]
            rows = [*((j, given) for j in moving), *rows]
        else:
            rows.append((m.joint_index(joint), given))
    return rows


def _named(m: Mechanism, row: Any) -> tuple[Any, Any]:
    if isinstance(row, Drive):
        return joint_name(m.bodies[row.joint]), row
    if not isinstance(row, Mapping) or "joint" not in row:
        raise UsageError("with_drives: a drive of a list names its joint", hint=SHAPE)
    return row["joint"], {k: x for k, x in row.items() if k != "joint"}
