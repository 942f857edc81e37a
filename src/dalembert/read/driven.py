"""Motors and friction put on the joints of a mechanism, with the keys of a native file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..errors import Place, UsageError, shown
from ..mechanism import Drive, Mechanism
from ..mechanism.edit import checked, into
from ..mechanism.follower import own_joint
from ..mechanism.parts import joint_name
from ..mechanism.simplified import require_same_terms
from .document import Document
from .expressions import Unit, expression
from .fields import Reading
from .native_fields import Index
from .native_keys import RECORDS

SHAPE = 'm.with_drives({"elbow": {"Ia": 0.1, "viscous": 0.5, "coulomb": 0.4}})'


NOT_FINITE = ("nan", "inf", "infinity")


class _Letters(Reading):
    """Values whose letters become parameters of the mechanism."""

    def expression(self, text: str, at: Sequence[str | int], unit: Unit | None = None) -> Any:
        """Return the value of a text; every name in it is a parameter."""
        if text.strip().lower().lstrip("+-") in NOT_FINITE:
            raise UsageError(
                f"{text} is not a finite number", hint='a number, or a letter as "Ia1"'
            )
        return expression(text, self.graph, Place("", 1, 1, text), unit=unit)


def with_drives(m: Mechanism, drives: Any) -> Mechanism:
    """Return the mechanism with these drives; joints that are not named keep theirs."""
    require_same_terms(m, "with_drives", "A")
    reading = _Letters(Document(None, "with_drives"))
    new = into(m, reading.graph)
    # joints that follow others have drives too
    bodies = [replace(b, joint=own_joint(b.joint)) for b in new.bodies]
    index = Index(bodies, range(len(bodies)))
    everywhere, rows = _rows(new, drives)
    made = {d.joint: d for d in new.drives}

    def read(joint: int, given: Any) -> Drive:
        if isinstance(given, Drive):
            return replace(given, joint=joint)
        name = joint_name(bodies[joint])
        row = {"joint": name, **{k: _plain(x) for k, x in given.items()}}
        return RECORDS["drives"].read(reading, row, ("drives", shown(name)), index)

    for given in everywhere:
        made |= {j: read(j, given) for j, b in enumerate(new.bodies) if b.joint.nv == 1}
    named = [read(j, given) for j, given in rows]
    others = [made[j] for j in made if j not in {d.joint for d in named}]
    every = tuple(sorted((*others, *named), key=lambda d: d.joint))
    notes = (*new.notes, *reading.notes())
    return checked(replace(new, drives=every, notes=notes, checked=True))


def _rows(m: Mechanism, drives: Any) -> tuple[list[Any], list[tuple[int, Any]]]:
    """Return the values for all joints, if any, and body index and values of each that is named."""
    if isinstance(drives, Mapping):
        pairs = list(drives.items())
    elif isinstance(drives, Sequence) and not isinstance(drives, str):
        if len(drives) > len(m.bodies) + 1:  # one of all joints, and one of each
            what = f"with_drives: {len(drives)} drives, more than there are joints"
            raise UsageError(what, hint="one of each joint")
        pairs = [_named(row) for row in drives]
    else:
        raise UsageError(f"with_drives: drives by joint, not {type(drives).__name__}", hint=SHAPE)
    everywhere: list[Any] = []
    rows: list[tuple[int, Any]] = []
    for joint, given in pairs:
        if not isinstance(given, Mapping | Drive):
            what = f"with_drives: {shown(str(joint))!r} has {type(given).__name__}, not its values"
            raise UsageError(what, hint=SHAPE)
        if isinstance(given, Mapping) and "joint" in given:
            what = f"with_drives: the values of {shown(str(joint))!r} name a joint of their own"
            raise UsageError(what, hint=SHAPE)
        if joint == "all" and "all" not in m.joint_names:
            everywhere.append(given)
        elif isinstance(given, Drive) and joint is None:
            rows.append((given.joint, given))
        else:
            rows.append((_body(m, joint), given))
    if len(everywhere) > 1:
        raise UsageError("with_drives: 'all' has two drives", hint="keep one")
    return everywhere, rows


def _body(m: Mechanism, joint: Any) -> int:
    """Return the body index of a joint, by name that of one that follows another too."""
    for name in (joint_name, lambda body: body.name):
        for j, b in enumerate(m.bodies):
            if own_joint(b.joint).nv and name(b) == joint:
                return j
    return m.joint_index(joint)


def _named(row: Any) -> tuple[Any, Any]:
    """Return (joint, its values) of a row of a list; a `Drive` holds its body index itself."""
    if isinstance(row, Drive):
        return None, row
    if not isinstance(row, Mapping) or "joint" not in row:
        raise UsageError("with_drives: a drive of a list names its joint", hint=SHAPE)
    return row["joint"], {k: x for k, x in row.items() if k != "joint"}


def _plain(value: Any) -> Any:
    """Return an array as lists of numbers, anything else as it is."""
    return value.tolist() if hasattr(value, "tolist") else value
