"""FMU, FMI 2.0: the description of a model and its C sources, packed without a date.

States are q and v, inputs the joint forces, outputs positions, speeds and energies; parameters are
tunable; derivatives along any direction are exact.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import quoteattr

from .c import header, source
from .fmu_text import BODY
from .fmu_types import TYPES, rest
from .names import plain
from .unit import Unit

STEP = 1e-3  # of co-simulation, at most


def sources(unit: Unit, start: Sequence[float], quaternions: Sequence[int]) -> dict[str, str]:
    """Return the files of an FMU by name; `quaternions` are where those of the state begin."""
    guid = _guid(unit, start)
    return {
        "modelDescription.xml": description(unit, start, guid),
        f"sources/{unit.id}.h": header(unit),
        f"sources/{unit.id}.c": source(unit),
        f"sources/{unit.id}_fmu.c": _code(unit, start, quaternions, guid),
    }


def packed(files: Mapping[str, str | bytes]) -> bytes:
    """Return a zip archive, the same bytes for the same files."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, data)
    return out.getvalue()


def _guid(unit: Unit, start: Sequence[float]) -> str:
    digest = hashlib.blake2b(repr((unit, tuple(start))).encode(), digest_size=16).hexdigest()
    parts = (digest[:8], digest[8:12], digest[12:16], digest[16:20], digest[20:])
    return "{" + "-".join(parts) + "}"


def _code(unit: Unit, start: Sequence[float], quaternions: Sequence[int], guid: str) -> str:
    prepare = "    (void)s;\n"
    if unit.parameters:
        lines = [f"    p.{p.id} = s->p[{k}];\n" for k, p in enumerate(unit.parameters)]
        prepare = f"    {unit.id}_parameters p;\n{''.join(lines)}    {unit.id}_prepare(&p, s->r);\n"
    normalise = "".join(
        f"    {{\n        const double n = 1.0/sqrt({sum_})\n;".replace("\n;", ";\n")
        + "".join(f"        x[{k + i}] *= n;\n" for i in range(4))
        + "    }\n"
        for k in quaternions
        for sum_ in [" + ".join(f"x[{k + i}]*x[{k + i}]" for i in range(4))]
    )
    words = {
        "@prepare@": prepare,
        "@normalise@": normalise,
        "@title@": plain(unit.name),
        "@guid@": guid,
        "@nq@": str(len(unit.positions)),
        "@nv@": str(len(unit.speeds)),
        "@np@": str(len(unit.parameters)),
        "@nr@": str(unit.prepared),
        "@step@": repr(STEP),
        "@start_x@": ", ".join(repr(float(x)) for x in start),
        "@start_p@": ", ".join([*(repr(p.value) for p in unit.parameters), "0.0"]),
        "@id@": unit.id,
        "@ID@": unit.id.upper(),
    }
    text = TYPES + "\n" + BODY + rest()
    for word, value in words.items():
        text = text.replace(word, value)
    return text


# -- description -------------------------------------------------------------------------------

UNITS = {
    "rad": 'rad="1"',
    "m": 'm="1"',
    "rad/s": 'rad="1" s="-1"',
    "m/s": 'm="1" s="-1"',
    "rad/s2": 'rad="1" s="-2"',
    "m/s2": 'm="1" s="-2"',
    "1/s": 's="-1"',
    "N": 'kg="1" m="1" s="-2"',
    "N.m": 'kg="1" m="2" s="-2"',
    "J": 'kg="1" m="2" s="-2"',
}


def variables(unit: Unit) -> list[tuple[str, str, str, str]]:
    """Return (name, description, unit, role) of every variable, in the order of their references.

    Roles: state, rate, force, energy, parameter.
    """
    made = [(f"position.{s.id}", s.name, s.unit, "state") for s in unit.positions]
    made += [(f"speed.{s.id}", s.name, s.unit, "state") for s in unit.speeds]
    rate = {"rad": "rad/s", "m": "m/s", "1": "1/s"}
    made += [(f"der(position.{s.id})", s.name, rate[s.unit], "rate") for s in unit.positions]
    made += [(f"der(speed.{s.id})", s.name, s.unit + "2", "rate") for s in unit.speeds]
    force = {"rad/s": "N.m", "m/s": "N"}
    made += [(f"force.{s.id}", s.name, force[s.unit], "force") for s in unit.speeds]
    made += [("energy.kinetic", "kinetic energy", "J", "energy")]
    made += [("energy.potential", "potential energy", "J", "energy")]
    made += [(f"parameter.{p.id}", p.name, "", "parameter") for p in unit.parameters]
    return made


ROLES = {
    "state": 'causality="output" variability="continuous" initial="exact"',
    "rate": 'causality="local" variability="continuous" initial="calculated"',
    "force": 'causality="input" variability="continuous"',
    "energy": 'causality="output" variability="continuous" initial="calculated"',
    "parameter": 'causality="parameter" variability="tunable" initial="exact"',
}


def description(unit: Unit, start: Sequence[float], guid: str) -> str:
    """Return modelDescription.xml."""
    listed = variables(unit)
    n = len(unit.positions) + len(unit.speeds)
    values = [*start, *([None] * n), *([0.0] * len(unit.speeds)), None, None]
    values += [p.value for p in unit.parameters]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<fmiModelDescription fmiVersion="2.0" modelName="{plain(unit.name) or unit.id}"\n'
        f'    guid="{guid}" generationTool="dalembert {unit.version}"\n'
        '    variableNamingConvention="structured" numberOfEventIndicators="0">\n'
    ]
    common = f'modelIdentifier="{unit.id}" canGetAndSetFMUstate="true"'
    common += ' canSerializeFMUstate="true" providesDirectionalDerivative="true"'
    files = "".join(
        f'      <File name="{name}"/>\n' for name in (f"{unit.id}.c", f"{unit.id}_fmu.c")
    )
    listed_files = f"    <SourceFiles>\n{files}    </SourceFiles>\n"
    lines.append(f"  <ModelExchange {common}>\n{listed_files}  </ModelExchange>\n")
    lines.append(
        f'  <CoSimulation {common} canHandleVariableCommunicationStepSize="true">\n'
        f"{listed_files}  </CoSimulation>\n"
    )
    used = dict.fromkeys(u for _, _, u, _ in listed if u in UNITS)
    lines.append("  <UnitDefinitions>\n")
    lines += [f'    <Unit name="{u}"><BaseUnit {UNITS[u]}/></Unit>\n' for u in used]
    lines.append("  </UnitDefinitions>\n")
    lines.append('  <DefaultExperiment startTime="0" stopTime="1" stepSize="0.001"/>\n')
    lines.append("  <ModelVariables>\n")
    for k, ((name, text, measure, role), value) in enumerate(zip(listed, values, strict=True)):
        real = f' start="{value!r}"' if value is not None else ""
        real += f' unit="{measure}"' if measure in UNITS else ""
        real += f' derivative="{k - n + 1}"' if role == "rate" else ""
        lines.append(
            f'    <ScalarVariable name="{name}" valueReference="{k}" '
            f"description={quoteattr(plain(text))}\n        {ROLES[role]}>"
            f"<Real{real}/></ScalarVariable>\n"
        )
    lines.append("  </ModelVariables>\n")
    lines.append(_structure([role for *_, role in listed]))
    return "".join(lines) + "</fmiModelDescription>\n"


def _structure(roles: Sequence[str]) -> str:
    def unknowns(name: str, *kinds: str) -> str:
        places = [k for k, role in enumerate(roles, 1) if role in kinds]
        lines = "".join(f'      <Unknown index="{k}"/>\n' for k in places)
        return f"    <{name}>\n{lines}    </{name}>\n"

    return (
        "  <ModelStructure>\n"
        + unknowns("Outputs", "state", "energy")
        + unknowns("Derivatives", "rate")
        + unknowns("InitialUnknowns", "rate", "energy")
        + "  </ModelStructure>\n"
    )
