"""Bodies, joints and speeds as a native file calls them: by name, or by number in its own order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import closest, shown, some
from ..mechanism import Body, joint_name
from .document import At
from .fields import Reading, kind


class Index:
    """Bodies and joints of a file by name, or by number in the file's own order.

    `parts` says how many joints, one after the other, carry each body of the file; one if not told.
    """

    def __init__(
        self, bodies: Sequence[Body] = (), order: Sequence[int] = (), parts: Sequence[int] = ()
    ):
        self.order = order
        own = dict(zip(order, parts or [1] * len(order), strict=True))
        self.bodies = {b.name: j for j, b in enumerate(bodies)}
        self.joints = {joint_name(b): j for j, b in enumerate(bodies) if b.joint.nv}
        every = [j for last, n in own.items() for j in range(last - n + 1, last + 1)]
        self.moving = [j for j in every if bodies[j].joint.nv]  # in the file's order
        self.names = [joint_name(b) for b in bodies]
        self.kinds = [b.joint.kind for b in bodies]
        # a joint may also be called by the body it moves, where it is the only one
        self.by_body = {
            b.name: j for j, b in enumerate(bodies) if b.joint.nv and own.get(j, 1) == 1
        }


def body(reading: Reading, value: Any, at: At, index: Index) -> int:
    """Return a body from its name or its number from 0; -1 is the base."""
    if isinstance(value, str):
        if value in index.bodies:
            return index.bodies[value]
        if value in ("base", "world"):
            return -1
        hint = closest(value, list(index.bodies))
        reading.fail(at, f"there is no body {shown(value)!r}", hint)
    if isinstance(value, bool) or not isinstance(value, int):
        reading.fail(at, f"a body is a name or a number from 0, not {kind(value)}")
    if not -1 <= value < len(index.order):
        hint = f"bodies are 0 to {len(index.order) - 1}; -1 is the base"
        reading.fail(at, f"there is no body {value}", hint)
    return index.order[value] if value >= 0 else -1


def joint(reading: Reading, value: Any, at: At, index: Index) -> int:
    """Return a moving joint from its name or its body's name.

    An oracle file may give its number from 0. A native file may not: `freeze` and the command line
    count joints from 1, bodies count from 0, so a bare number would not say which joint is meant.
    """
    if isinstance(value, str):
        found = index.joints.get(value, index.by_body.get(value))
        if found is None:
            what = "does not move" if value in index.names else "does not exist"
            hint = closest(value, list(index.joints))
            reading.fail(at, f"joint {shown(value)!r} {what}", hint)
        return found
    if isinstance(value, bool) or not isinstance(value, int):
        reading.fail(at, f"a joint is a name, not {kind(value)}")
    if not reading.document.numbered:
        names = some([index.names[j] for j in index.moving], 6)
        hint = f"write the name of the joint, one of: {names}"
        reading.fail(at, f"joint {value}: does it count from 0 or from 1?", hint)
    if not 0 <= value < len(index.moving):
        hint = f"joints are 0 to {len(index.moving) - 1}"
        reading.fail(at, f"there is no joint {value}", hint)
    return index.moving[value]


def names_of(
    reading: Reading, value: Any, at: At, index: Index, numbers: bool = False
) -> tuple[str, ...]:
    """Return a list of names; with `numbers` a joint of an oracle file may be a number from 0."""
    found = []
    for k, x in enumerate(reading.listed(value, at)):
        if numbers and not isinstance(x, str):
            found.append(index.names[joint(reading, x, (*at, k), index)])
        elif numbers and x not in index.joints and x in index.by_body:
            found.append(index.names[index.by_body[x]])
        else:
            found.append(reading.name(x, (*at, k)))
    return tuple(found)
