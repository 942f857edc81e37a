"""The frozen description of a mechanism: bodies, joints and everything that acts on them.

Numbers are exact (`int`, `Fraction`, rational multiples of pi) or expressions of named parameters;
`bound` turns them into floats or into the scalars of a trace, once, before an algorithm runs.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import InitVar, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from ..algebra import Map, Transform, Vec3
from ..display import exactly
from ..door import doors
from ..errors import UsageError
from ..expr import Expr, Graph
from ..expr.exact import Given, exact
from ..frozen import dataclass
from .letters import remembered
from .parts import (
    UNHELD,
    Body,
    Coupling,
    Drive,
    Frame,
    FrameChange,
    JointSpring,
    Loop,
    Parameter,
    PointSpring,
    RollingContact,
    VelocityConstraint,
    Wheel,
    mapped,
)
from .shown import Shown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    Held: TypeAlias = Mapping[Any, Given]
    Numbers: TypeAlias = ArrayLike | Given | Sequence[Given] | Sequence[Sequence[Given]]

RECORDS = ("named", "drives", "elastic", "springs", "loops", "couplings", "wheels", "rolling")
T = TypeVar("T")


@doors(
    "__init__", "save", "save_html", "save_svg", "with_values", "with_gravity", "with_payload",
    "with_drives", "with_flexible_joints", "attach", "rooted", "lock", "bound", "frame",
    "joint_index",
)  # fmt: skip
@dataclass(frozen=True)
class Mechanism(Shown):
    """A frozen, validated mechanism; bodies stand in parent-before-child order."""

    bodies: tuple[Body, ...]
    name: str = "mechanism"
    gravity: Vec3 = Vec3(0, 0, exact(-9.81))
    parameters: tuple[Parameter, ...] = ()
    named: tuple[Frame, ...] = ()
    drives: tuple[Drive, ...] = ()
    elastic: tuple[JointSpring, ...] = ()
    springs: tuple[PointSpring, ...] = ()
    loops: tuple[Loop, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    wheels: tuple[Wheel, ...] = ()
    rolling: tuple[RollingContact, ...] = ()
    velocity_constraints: tuple[VelocityConstraint, ...] = ()
    active: tuple[str, ...] = ()
    prescribed: tuple[str, ...] = ()
    speeds: tuple[str, ...] = ()
    # speeds of neither a joint nor a wheel: their expressions, by name
    speed_equations: tuple[VelocityConstraint, ...] = ()
    # rows of velocity constraints that follow from the others, where that has been found (`plan`)
    idle: tuple[str, ...] = ()
    # what is left out on purpose (`simplified` of a native file): `equations(m)` leaves it out
    simplified: Any = field(default=None, repr=False)
    # closed forms that stand for the mechanism (`equations(m).model`), whole or simplified
    form: Any = field(default=None, repr=False)
    notes: tuple[str, ...] = field(default=(), compare=False)
    # the phrase it came from, one step per element; empty if bodies have changed since
    changes: tuple[FrameChange, ...] = field(default=(), compare=False, repr=False)
    # (name, value, rate) of what is prescribed, for the trace of one model
    told: tuple[tuple[str, Any, Any], ...] = field(default=(), compare=False, repr=False)
    # of a whole tree: how its coordinates come from those that are left (`followers.py`)
    fold: Any = field(default=None, compare=False, repr=False)
    # not kept: `dataclasses.replace` validates again, unless what is put in is known to be good
    checked: InitVar[bool] = False

    __repr__ = Shown.__repr__

    def __post_init__(self, checked: bool) -> None:
        if not checked:
            from .validate import validate

            validate(self)

    @property
    def weightless(self) -> Mechanism:
        """The mechanism without gravity."""
        return replace(self, gravity=Vec3.zero(), checked=True)

    @cached_property
    def _derived(self) -> dict[Any, Any]:
        return {}

    def derived(self, make: Callable[[Mechanism], T]) -> T:
        """Return what `make` derives from this mechanism, made once."""
        if make not in self._derived:
            self._derived[make] = make(self)
        found: T = self._derived[make]
        return found

    # -- joints that follow others -------------------------------------------------------------

    @cached_property
    def unfolded(self) -> Mechanism:
        """The whole tree, in which joints that follow have coordinates too; itself if none do.

        Equations that stand for a mechanism know its followers themselves.
        """
        from .followers import unfolded

        return unfolded(self) if self.followers and self.form is None else self

    @cached_property
    def coupled(self) -> Mechanism:
        """The mechanism with a coordinate and a coupling for each joint that follows another."""
        from .followers import coupled

        return coupled(self) if self.followers else self

    # -- numbers -------------------------------------------------------------------------------

    @cached_property
    def open_parameters(self) -> tuple[str, ...]:
        """The parameters without a value that a result may depend on; limits decide none."""
        without = [p.name for p in self.parameters if p.value is None]
        if not without:
            return ()
        from .binding import unlimited
        from .validate import numbers

        needed = {n for x in numbers(unlimited(self)) if isinstance(x, Expr) for n in x.names()}
        for constraint in (*self.velocity_constraints, *self.speed_equations):
            needed.update(re.findall(r"\w+", constraint.equation))
        return tuple(n for n in without if n in needed)

    def map(self, f: Map) -> Mechanism:
        """Return the mechanism with every physical number mapped, not validated again."""
        changes: dict[str, Any] = {
            name: tuple(mapped(x, f) for x in getattr(self, name)) for name in RECORDS
        }
        changes["changes"] = tuple(c.map(f) for c in self.changes)
        if self.form is not None:
            changes["form"] = self.form.map(f)
        bodies = tuple(b.map(f) for b in self.bodies)
        return replace(self, bodies=bodies, gravity=self.gravity.map(f), checked=True, **changes)

    def bound(
        self, values: Mapping[str, Any] | None = None, graph: Graph | None = None
    ) -> Mechanism:
        """Return the mechanism over working scalars: exact numbers become floats, once.

        Without a graph every parameter needs a value (its own, or one of `values`). With a graph,
        parameters become nodes of it, except those given in `values`. Joint limits are left behind.
        """
        from .binding import bound

        return bound(self, values or {}, graph)

    @cached_property
    def digest(self) -> str:
        """A hexadecimal digest of everything that decides a result."""
        data = exactly(tuple(getattr(self, f.name) for f in fields(self) if f.compare))
        return hashlib.blake2b(data.encode(), digest_size=20).hexdigest()

    # -- doors: each opens a module to the right of this one -----------------------------------

    def with_values(self, given: Mapping[str, Any] | None = None, /, **values: Given) -> Mechanism:
        """Return the mechanism with parameters given: `m.with_values(L1=0.4)`.

        Names that are no Python names stand in a mapping: `m.with_values({"link 1": 0.4})`.
        A parameter that has a value may be given another, kept by `compile(parameters=["L1"])`,
        differentiated by (`wrt`) and swept.

        >>> import dalembert as da
        >>> m = da.load("RZ(), TXK(L1); body 1: M = 2, D = (L1, 0, 0);")
        >>> m.open_parameters, m.with_values(L1=0.4).open_parameters
        (('L1',), ())
        """
        from .edit import with_values

        if given is not None and not isinstance(given, Mapping):
            raise UsageError(
                f"with_values: names and values are needed, not {type(given).__name__}",
                hint='m.with_values(L1=0.4), m.with_values({"L1": 0.4})',
            )
        return with_values(self, {**(given or {}), **values})

    @remembered
    def with_gravity(self, gravity: Numbers) -> Mechanism:
        """Return the mechanism in another gravity: `m.with_gravity((0, "G", 0))`.

        >>> import dalembert as da
        >>> m = da.robots.puma560().with_gravity((0, 0, -1.62))
        >>> round(float(da.gravity(m, [0.0] * 6)[1]), 3)
        6.19
        """
        from .edit import with_gravity

        return with_gravity(self, gravity)

    @remembered
    def with_payload(
        self, frame: str, mass: Given, com: Numbers = (0, 0, 0), inertia: Numbers | None = None
    ) -> Mechanism:
        """Return the mechanism carrying a body: `m.with_payload("tip", 2.5, (0, 0, 0.1))`.

        >>> import dalembert as da
        >>> m = da.robots.planar2r().with_values(l1=1, l2=1, m1=2, j1=0, m2=1, j2=0)
        >>> m.total_mass, m.with_payload("tip", 2.5, (0, 0, 0.1)).total_mass
        (3.0, 5.5)
        """
        from .edit import with_payload

        return with_payload(self, frame, mass, com, inertia)

    @remembered
    def attach(self, other: Mechanism, frame: str) -> Mechanism:
        """Return this mechanism with another one standing on one of its frames.

        >>> import dalembert as da
        >>> arm, wrist = da.load("RZ(), TXK(0.5);"), da.load("RX(), RY();")
        >>> arm.attach(wrist, "tip").nv
        3
        """
        from .assemble import attach

        return attach(self, other, frame)

    @remembered
    def rooted(self, pose: Transform | Sequence[Sequence[Any]]) -> Mechanism:
        """Return the mechanism with its base placed at a pose (4 x 4 rows) in the world.

        >>> import dalembert as da
        >>> hung = [[1, 0, 0, 0], [0, -1, 0, 0], [0, 0, -1, 2], [0, 0, 0, 1]]
        >>> m = da.robots.puma560().rooted(hung)
        >>> da.pose(m, [0.0] * 6, frame="j1")[:3, 3].tolist()
        [0.0, 0.0, 2.0]
        """
        from .assemble import rooted

        return rooted(self, pose)

    @remembered
    def lock(
        self, joints: Held | Sequence[str | int] | str | int, at: Numbers | Held = 0
    ) -> Mechanism:
        """Return the mechanism with joints held still, their bodies merged into their parents.

        >>> import dalembert as da
        >>> m = da.robots.puma560()
        >>> m.lock({"j5": 0.2, "j6": 0}).nv, m.lock([4], at=0.3).joint_names
        (4, ('j1', 'j2', 'j3', 'j5', 'j6'))
        """
        from .held import lock

        return lock(self, joints, at)

    @remembered
    def with_drives(
        self, drives: Mapping[str | int, Mapping[str, Any]] | Sequence[Mapping[str, Any] | Drive]
    ) -> Mechanism:
        """Return the mechanism with motors and friction, by joint; "all" means every other joint.

        The keys are those of `drives` in a native file: Ia, or Jm and gear; coulomb, viscous,
        static, stribeck. Joints that are not named keep what they have.

        >>> import dalembert as da
        >>> m = da.robots.puma560().with_drives({"all": {"viscous": 0.1}, "j2": {"coulomb": 5}})
        >>> da.inverse_dynamics(m, [0] * 6, [0, 1, 0, 0, 0, 1], [0] * 6, drives="all")[5].round(3)
        np.float64(0.1)
        """
        from ..read.driven import with_drives

        return with_drives(self, drives)

    def with_flexible_joints(
        self,
        stiffness: Numbers | Mapping[str, Given],
        motor_inertia: Numbers | Mapping[str, Given],
        joints: Sequence[str | int] | None = None,
        damping: Numbers | Mapping[str, Given] = 0,
    ) -> Mechanism:
        """Return the mechanism with springs behind its motors: `m.with_flexible_joints(1e4, 1)`.

        >>> import dalembert as da
        >>> da.load("RZ(), TXK(1);").with_flexible_joints(1e4, 1).joint_names
        ('j1', 'j1.flex')
        """
        from .held import with_flexible_joints

        return with_flexible_joints(self, stiffness, motor_inertia, joints, damping)

    @cached_property
    def tree(self) -> Mechanism:
        """The same mechanism without loops, couplings, wheels and velocity constraints.

        >>> import dalembert as da
        >>> m = da.robots.fivebar()
        >>> da.mass_matrix(m.tree, da.assemble(m)).shape
        (4, 4)
        """
        steered = tuple(n for n in self.prescribed if n in self.joint_names)
        return replace(
            self, loops=(), couplings=(), **UNHELD, speeds=(),
            prescribed=steered, checked=True,
        )  # fmt: skip

    @property
    def bare_tree(self) -> Mechanism:
        """The tree of rigid bodies alone: point springs, named frames and signals left out too."""
        return replace(self.tree, springs=(), named=(), told=(), checked=True)

    @cached_property
    def full(self) -> Mechanism:
        """The same mechanism with nothing left out of its equations.

        >>> import dalembert as da
        >>> m = da.load({"phrase": "RZ(), TXK(1);", "simplified": {"neglect": ["gravity"]}})
        >>> m.simplified, m.full.simplified
        ({'neglect': ['gravity']}, None)
        """
        return replace(self, simplified=None, checked=True) if self.simplified else self

    def save(self, path: str | Path) -> None:
        """Write the mechanism to a native file, TOML or JSON by its ending.

        >>> import dalembert as da
        >>> import tempfile
        >>> m = da.robots.fivebar()
        >>> with tempfile.TemporaryDirectory() as d:
        ...     m.save(f"{d}/fivebar.toml")
        ...     da.load(f"{d}/fivebar.toml") == m
        True
        """
        from ..read.native_writer import save

        save(self, path)
