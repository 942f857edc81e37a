"""How a mechanism shows itself: text, tables, pages; and a word where a name is not its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import closest
from .named import Named

if TYPE_CHECKING:
    from .mechanism import Mechanism, Numbers

# what other programs call it, and what it is here
ELSEWHERE = {
    "joints": "joint_names", "links": "bodies", "dof": "nv", "ndof": "nv", "n": "nv",
    "njoints": "nv",
    "mass": "total_mass", "damping": "drives", "friction": "drives", "motors": "drives or active",
    "actuators": "active", "limits": "bodies, each with its limits", "params": "parameters",
    "with_motors": "with_drives", "with_friction": "with_drives", "add_drive": "with_drives",
    "with_damping": "with_drives", "set_gravity": "with_gravity", "plot": "show", "view": "show",
    "write": "save", "to_urdf": "save, or `dalembert convert`", "equations": "da.equations(m)",
    "simulate": "da.simulate(m, ...)", "compile": "da.compile(m, ...)",
    "forward_kinematics": "da.pose(m, q)", "fk": "da.pose(m, q)",
}  # fmt: skip


class Shown(Named):
    """A mechanism that can be looked at."""

    if not TYPE_CHECKING:  # checkers know which names there are

        def __getattr__(self, name):
            """Raise AttributeError with the name that is meant."""
            if hasattr(type(self), name):  # a property whose own error must not be hidden
                return object.__getattribute__(self, name)
            told = f"'Mechanism' object has no attribute {name!r}"
            if not name.startswith("_"):
                own = [x for x in dir(type(self)) if not x.startswith("_")]
                meant, near = ELSEWHERE.get(name.lower()), closest(name, own)
                near = f"did you mean {meant}?" if meant else near
                told += f"; {near}" if near.startswith("did") else ""
            raise AttributeError(told, name=name, obj=self)

    def show(
        self: Any,
        q: Numbers | None = None,
        ghost: Mechanism | None = None,
        meshes: str | Path | None = None,
    ) -> object:
        """Return a view that moves: in a notebook, else in a browser, else the path of its page.

        `ghost` is a second machine, drawn pale in the same place; `meshes` is the URDF or SDF file
        whose meshes are drawn.
        """
        from ..view import show

        return show(self, q, ghost=ghost, shapes=meshes)

    def save_html(
        self: Any, path: str | Path, q: Numbers | None = None, ghost: Mechanism | None = None,
        meshes: str | Path | None = None,
    ) -> Path:  # fmt: skip
        """Write the view as one page that needs no network: `m.save_html("m.html")`.

        >>> import dalembert as da
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as d:
        ...     da.robots.puma560().save_html(f"{d}/puma.html").name
        'puma.html'
        """
        from ..view import save_html

        return save_html(self, path, q, ghost=ghost, shapes=meshes)

    def save_svg(self: Any, path: str | Path, q: Numbers | None = None) -> Path:
        """Write the kinematic scheme with the signs of its joints, for a paper."""
        from ..view import save_svg

        return save_svg(self, path, q)

    def report(self: Any) -> list[str]:
        """Return what is physically odd about the numbers; nothing is altered.

        >>> import dalembert as da
        >>> da.load("RZ(), TXK(1); body 1: M = 1, I = (0, 0, 1);").report()
        ["body 'j1': the principal inertias violate the triangle inequality"]
        """
        from .odd import report

        return report(self)

    def __repr__(self: Any) -> str:
        from .view import headline

        return f"<Mechanism {headline(self)}>"

    def __str__(self: Any) -> str:
        from .view import table

        return table(self)

    def _repr_html_(self: Any) -> str:
        from .view import html

        return html(self)
