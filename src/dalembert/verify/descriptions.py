"""The other descriptions that a reference file holds of its mechanism, each read into a Mechanism.

A phrase or a table gives the geometry once more; masses are those of `model`, or of `parameters`
by the report's names where those cover the phrase.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..errors import DalembertError, DescriptionError
from ..mechanism import Mechanism
from ..mechanism.edit import used

Data = Mapping[str, Any]


def descriptions(data: Data, m: Mechanism) -> Iterator[tuple[str, Mechanism | str]]:
    """Yield (key, mechanism, or why there is none) for each further description in a file."""
    for key, build in DESCRIPTIONS.items():
        if key not in data or ("model" not in data and key == "phrase"):
            continue
        if build is None:
            yield key, "no reader"
            continue
        try:
            made = build(data, m)
        except (DalembertError, LookupError, TypeError, ValueError) as error:
            yield key, str(error).splitlines()[0]
            continue
        if (made.nq, made.nv) != (m.nq, m.nv):
            yield key, f"{made.nv} degrees of freedom, the model has {m.nv}"
            continue
        yield key, _with_rest(made, m)


def _with_rest(made: Mechanism, m: Mechanism) -> Mechanism:
    """Return a description with the gravity, drives and springs that stand beside it."""
    made = replace(made, gravity=m.gravity, drives=m.drives, elastic=m.elastic, checked=True)
    kept = tuple(p for p in made.parameters if used(made, p.name))
    return replace(made, parameters=kept, checked=True)


def _with_masses(made: Mechanism, m: Mechanism) -> Mechanism:
    """Return a geometry carrying the masses of the model, body by body."""
    if len(made.bodies) != len(m.bodies):
        raise DescriptionError(f"{len(made.bodies)} bodies, the model has {len(m.bodies)}")
    pairs = zip(made.bodies, m.bodies, strict=True)
    bodies = tuple(replace(b, inertia=own.inertia) for b, own in pairs)
    return replace(made, bodies=bodies, checked=True)


def _phrase(data: Data, m: Mechanism) -> Mechanism:
    from ..read.context import Context
    from ..read.phrase import read_phrase

    if not isinstance(data["phrase"], str):
        raise DescriptionError("a phrase is a text")
    made = read_phrase(data["phrase"], Context(name=m.name))
    values = data.get("parameters", {})
    known = {p.name: values[p.name] for p in made.parameters if p.name in values}
    covered = set(made.open_parameters) <= set(known)
    return made.with_values(**known) if covered else _with_masses(made.with_values(**known), m)


def _mdh(data: Data, m: Mechanism) -> Mechanism:
    from ..read.mdh import read_dh

    rows = [dict(row) for row in data["mdh_table"]]
    inertial = data.get("standard_inertial_parameters")
    if inertial is None:
        return _with_masses(read_dh(rows, name=m.name), m)
    for row, given in zip(rows, inertial, strict=True):
        row |= {"m": given["M"], "first_moment": given["MS"], "I_origin": given["J_origin"]}
    return read_dh(rows, name=m.name)


def _standard_dh(data: Data, m: Mechanism) -> Mechanism:
    from ..read.mdh import read_dh

    rows = []
    for given in data["standard_dh"]:
        row = dict(given)
        # the toolbox calls the mass centre r
        row["com"] = row.pop("r", (0, 0, 0))
        rows.append(row)
    return read_dh(rows, "standard", name=m.name)


def _active_chain(data: Data, m: Mechanism) -> Mechanism:
    from ..read.active_chain import read_active_chain

    return read_active_chain(data["seed001_data"], name=m.name)


def _geometry(data: Data, m: Mechanism) -> Mechanism:
    """Return the Gough-Stewart platform of its points, legs and platform."""
    from ..robots.parallel import stewart

    made = stewart(data["geometry"], platform="joints")
    return replace(made, name=m.name, checked=True)


DESCRIPTIONS: dict[str, Callable[[Data, Mechanism], Mechanism] | None] = {
    "phrase": _phrase,
    "mdh_table": _mdh,
    "standard_dh": _standard_dh,
    "seed001_data": _active_chain,
    "geometry": _geometry,
}
