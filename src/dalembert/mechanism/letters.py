"""Parameters that were given values, and can be parameters again.

`with_values` puts numbers where names stood: closed forms print them, kernels fold them. The
mechanism remembers what it was before, so that a name may still be varied, swept or differentiated
by: `freed(m, ["L1"])` is the mechanism in which L1 is a parameter with the value it was given.
`dataclasses.replace` forgets it; the edits of a mechanism are done to both (`remembered`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import DalembertError
from ..expr import Expr

if TYPE_CHECKING:
    from .mechanism import Mechanism

Edit = TypeVar("Edit", bound=Callable[..., Any])
MEMORY = "_letters"  # (a function that makes the mechanism before, the values given)


def remember(made: Mechanism, m: Mechanism, given: Mapping[str, Any]) -> Mechanism:
    """Return the mechanism made of m by values, knowing what it was; expressions are not values."""
    if any(isinstance(x, Expr) for x in given.values()):
        return made
    before, values = m.__dict__.get(MEMORY, (lambda: m, {}))
    made.__dict__[MEMORY] = before, {**values, **given}
    return made


def remembered(edit: Edit) -> Edit:
    """Return a method of Mechanism that makes another; the one before is edited when asked for."""

    @wraps(edit)
    def edited(self: Mechanism, *args: Any, **options: Any) -> Mechanism:
        made: Mechanism = edit(self, *args, **options)
        if MEMORY in self.__dict__ and made is not self:
            before, values = self.__dict__[MEMORY]
            # as they are now: the caller may change its lists and arrays later
            args, options = _copied(args), _copied(options)
            made.__dict__[MEMORY] = (lambda: edit(before(), *args, **options)), values
        return made

    return edited  # type: ignore[return-value]


def _copied(x: Any) -> Any:
    """Return lists, mappings and arrays as copies, anything else as it is."""
    if isinstance(x, Mapping):
        return {k: _copied(y) for k, y in x.items()}
    if isinstance(x, (list, tuple)):
        return type(x)(map(_copied, x)) if type(x) in (list, tuple) else x
    return x.copy() if hasattr(x, "tolist") else x


def given_values(m: Mechanism) -> dict[str, Any]:
    """Return the parameters that `with_values` gave, by name."""
    known = {p.name for p in m.parameters}
    values = m.__dict__.get(MEMORY, (None, {}))[1]
    return {n: x for n, x in values.items() if n not in known}


def freed(m: Mechanism, names: Iterable[str]) -> Mechanism:
    """Return the mechanism in which names that were given values are parameters, with them."""
    given = given_values(m)
    asked = [n for n in names if n in given]
    if not asked:
        return m
    before, values = m.__dict__[MEMORY]
    try:
        made: Mechanism = before()
        rest = {n: x for n, x in values.items() if n not in asked}
        made = made.with_values(rest) if rest else made
    except DalembertError:  # an edit that asks for numbers: they stay what they are
        return m
    parameters = tuple(
        replace(p, value=values[p.name]) if p.name in asked else p for p in made.parameters
    )
    return replace(made, parameters=parameters, checked=True)
