"""What a mechanism names: frames, joints, followers and parameters, found by their names."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from ..algebra import Transform
from ..errors import ModelError, closest, shown
from ..expr import Expr, Graph
from ..expr.exact import to_float
from .bodies import Bodies
from .follower import Follower
from .parts import Frame, Parameter, joint_name


class Named(Bodies):
    """Bodies with named frames and parameters."""

    named: tuple[Frame, ...]
    parameters: tuple[Parameter, ...]

    @cached_property
    def frames(self) -> tuple[str, ...]:
        """The name of every frame: bodies (fixed links too), then named frames."""
        return (*(b.name for b in self.bodies), *(f.name for f in self.named))

    @cached_property
    def end_frame(self) -> str:
        """The last frame that moves: what kinematics means where no frame is named.

        >>> import dalembert as da
        >>> da.robots.panda().end_frame
        'flange'
        """
        moving: list[bool] = []
        for b in self.bodies:
            moving.append(b.joint.nv > 0 or (b.parent >= 0 and moving[b.parent]))
        names = [b.name for b, moves in zip(self.bodies, moving, strict=True) if moves]
        names += [f.name for f in self.named if f.body >= 0 and moving[f.body]]
        return names[-1] if names else self.frames[-1]

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Body index by body name or joint name (body names win)."""
        found = {joint_name(b): j for j, b in enumerate(self.bodies)}
        return found | {b.name: j for j, b in enumerate(self.bodies)}

    def joint_index(self, joint: str | int) -> int:
        """Return the body index of a moving joint, by its name, its body's or its number from 1.

        >>> import dalembert as da
        >>> m = da.robots.puma560()
        >>> m.joint_index("j3"), m.joint_index(3)
        (2, 2)
        """
        moving = [j for j, b in enumerate(self.bodies) if b.joint.nv]
        what = str(joint)
        if isinstance(joint, str):
            what = repr(shown(joint))
            for name in (joint_name, lambda body: body.name):  # a joint's own name goes first
                for j in moving:
                    if name(self.bodies[j]) == joint:
                        return j
        elif isinstance(joint, int) and not isinstance(joint, bool) and 1 <= joint <= len(moving):
            return moving[joint - 1]
        raise ModelError(
            f"there is no joint {what}",
            hint=closest(str(joint), self.joint_names, f"joints 1 to {len(moving)}"),
        )

    @property
    def total_mass(self) -> float | Expr:
        """Sum of the masses: a number, or an expression of parameters."""
        total: Any = 0
        graph = Graph()
        for b in self.bodies:
            m = graph.adopt(b.m) if isinstance(b.m, Expr) else b.m
            total = total + m
        return total if isinstance(total, Expr) else float(total)

    def frame(self, name: str) -> tuple[int, Transform]:
        """Return (body index, placement in that body) of a frame by name.

        >>> import dalembert as da
        >>> da.robots.planar2r().frame("tip")[0]
        1
        """
        if not isinstance(name, str):
            raise ModelError(
                f"no frame {shown(str(name))!r}",
                hint="one name of: " + ", ".join(map(shown, self.frames[:12])),
            )
        for f in self.named:
            if f.name == name:
                return f.body, f.placement
        if name in self.index:
            return self.index[name], Transform()
        if name in ("base", "world"):
            return -1, Transform()
        hint = closest(name, self.frames, "frames")
        raise ModelError(f"no frame {shown(str(name))!r}", hint=hint)

    @cached_property
    def followers(self) -> tuple[str, ...]:
        """The joints without a coordinate of their own, which follow others by a fixed ratio."""
        return tuple(joint_name(b) for b in self.bodies if isinstance(b.joint, Follower))

    @cached_property
    def values(self) -> dict[str, Any]:
        """The parameters that have a value."""
        return {p.name: p.value for p in self.parameters if p.value is not None}

    @cached_property
    def floats(self) -> dict[str, float]:
        """The same values as floats."""
        return {name: to_float(x) for name, x in self.values.items()}
