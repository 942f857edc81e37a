"""FMU: the description of a model (FMI 2.0 and 3.0) and its C, without a date.

States are positions and speeds, inputs forces and steering, outputs positions, speeds and energies;
parameters are tunable; derivatives along any direction are exact.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import quoteattr

from ..algorithms.augmented_closure import FADED
from ..plan.assembly import CLOSED
from .c import MODEL
from .language import write
from .names import plain
from .text import each, part
from .unit import Slot, Unit

STEP = 1e-3  # of co-simulation, at most


@dataclass(frozen=True, slots=True)
class Plant:
    """A state model: its functions, where it starts, and what is given from outside.

    The functions of `unit` are rates, energies, their derivatives `_along`, `project` where states
    must be settled, `assemble` where loops are closed at the start.
    """

    unit: Unit  # positions and speeds are the states
    start: tuple[float, ...]
    inputs: tuple[Slot, ...]  # forces, then signals; the identifier is the whole name
    forces: int
    found: tuple[int, ...] = ()  # states that the closure determines from the others
    settled: bool = False
    closed: bool = False
    reduced: bool = False  # speeds are not the rates of positions
    timed: bool = False  # the last two signals are the time and its rate
    notes: tuple[str, ...] = ()  # what was counted
    step: float = STEP

    @property
    def signals(self) -> int:
        """How many inputs are not forces."""
        return len(self.inputs) - self.forces + 2 * self.timed


def sources(plant: Plant, version: int = 2) -> dict[str, str]:
    """Return the files of an FMU of FMI 2.0 or 3.0 by name; its GUID is that of their text."""
    unit, described_by = plant.unit, description if version == 2 else description3
    model = {f"sources/{name}": text for name, text in write(MODEL, unit).items()}

    def with_guid(guid: str) -> dict[str, str]:
        told, code = described_by(plant, guid), _code(plant, guid, version)
        return {"modelDescription.xml": told, **model, f"sources/{unit.id}_fmu.c": code}

    made = with_guid(_guid(with_guid("")))
    return made if version == 2 else {**made, "sources/buildDescription.xml": build(unit.id)}


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


def _guid(files: Mapping[str, str]) -> str:
    """Return the GUID of files by name: the same for the same text."""
    text = "".join(f"{name} {len(text)}\n{text}" for name, text in files.items())
    digest = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    parts = (digest[:8], digest[8:12], digest[12:16], digest[16:20], digest[20:])
    return "{" + "-".join(parts) + "}"


def _code(plant: Plant, guid: str, version: int) -> str:
    """Return the C around the functions of the model: what is its own, then the fixed part."""
    unit = plant.unit
    own = {
        "NQ": len(unit.positions),
        "NV": len(unit.speeds),
        "NF": plant.forces,
        "NU": len(plant.inputs),
        "NS": plant.signals,
        "NP": len(unit.parameters),
        "NR": unit.prepared,
        "GUID": f'"{guid}"',
        "STEP": repr(plant.step),
        "TIMED": int(plant.timed),
        "SETTLED": int(plant.settled),
        "LOOPS": int(plant.closed),
        "CLOSED": repr(CLOSED),
        "FADED": repr(FADED),
        "START_X": ", ".join(repr(float(x)) for x in plant.start),
        "START_P": ", ".join([*(repr(p.value) for p in unit.parameters), "0.0"]),
        "PARAMETERS(p, x)": each(unit.parameters, "((p).{0.id} = (x)[{k}])", ", ") or "(void)0",
    }
    lines = "".join(f"#define {name} {value}\n" for name, value in own.items())
    names = ("plant.c", f"fmi{version}.h", "fmi.c", f"fmi{version}.c")
    fixed = "\n".join(part(name, unit) for name in names)
    return f"/* {plain(unit.name)}. */\n\n{lines}\n{fixed}"


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


def variables(plant: Plant) -> list[tuple[str, str, str, str]]:
    """Return (name, description, unit, role) of every variable, in the order of their references.

    Roles: state, found, rate, velocity, input, energy, parameter.
    """
    unit, found = plant.unit, set(plant.found)
    made = [(f"position.{s.id}", s.name, s.unit) for s in unit.positions]
    made += [(f"speed.{s.id}", s.name, s.unit) for s in unit.speeds]
    listed = [(*x, "found" if k in found else "state") for k, x in enumerate(made)]
    rate, role = {"rad": "rad/s", "m": "m/s", "1": "1/s"}, "velocity" if plant.reduced else "rate"
    listed += [(f"der(position.{s.id})", s.name, rate[s.unit], role) for s in unit.positions]
    listed += [(f"der(speed.{s.id})", s.name, s.unit + "2", "rate") for s in unit.speeds]
    listed += [(s.id, s.name, s.unit, "input") for s in plant.inputs]
    listed += [("energy.kinetic", "kinetic energy", "J", "energy")]
    listed += [("energy.potential", "potential energy", "J", "energy")]
    listed += [(f"parameter.{p.id}", p.name, "", "parameter") for p in unit.parameters]
    return listed


_MADE = 'causality="output" variability="continuous" initial="calculated"'
ROLES = {
    "state": 'causality="output" variability="continuous" initial="exact"',
    "found": 'causality="output" variability="continuous" initial="approx"',
    "rate": 'causality="local" variability="continuous" initial="calculated"',
    "velocity": _MADE,
    "input": 'causality="input" variability="continuous"',
    "energy": _MADE,
    "parameter": 'causality="parameter" variability="tunable" initial="exact"',
}


def described(
    plant: Plant,
    version: str,
    token: str,
    modes: str,
    variable: str,
    more: str = "",
) -> str:
    """Return modelDescription.xml around what the versions of FMI say differently.

    `variable` is how one is written, of what it is and of its value; `more` are others.
    """
    unit, listed = plant.unit, variables(plant)
    n = len(unit.positions) + len(unit.speeds)
    values = [*plant.start, *([None] * n), *([0.0] * len(plant.inputs)), None, None]
    values += [p.value for p in unit.parameters]
    said = f"    description={quoteattr('; '.join(plant.notes))}\n" if plant.notes else ""
    used = dict.fromkeys(u for _, _, u, _ in listed if u in UNITS)
    rows = []
    for k, ((name, text, measure, role), value) in enumerate(zip(listed, values, strict=True)):
        own = f'name="{name}" valueReference="{k}" description={quoteattr(plain(text))}\n        '
        real = f' start="{value!r}"' if value is not None else ""
        real += f' unit="{measure}"' if measure in UNITS else ""
        if role in ("rate", "velocity"):
            real += f' derivative="{k - n + (version == "2.0")}"'
        rows.append(variable.format(own + ROLES[role], real))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<fmiModelDescription fmiVersion="{version}" modelName="{plain(unit.name) or unit.id}"\n'
        f'    {token} generationTool="dalembert {unit.version}"\n{said}'
        f'    variableNamingConvention="structured"{modes}  <UnitDefinitions>\n'
        + each(used, lambda u: f'    <Unit name="{u}"><BaseUnit {UNITS[u]}/></Unit>\n')
        + "  </UnitDefinitions>\n"
        '  <DefaultExperiment startTime="0" stopTime="1" stepSize="0.001"/>\n'
        f"  <ModelVariables>\n{''.join(rows)}{more}"
        f"{_structure([role for *_, role in listed], version)}"
        "</fmiModelDescription>\n"
    )


def description(plant: Plant, guid: str) -> str:
    """Return modelDescription.xml of FMI 2.0."""
    id = plant.unit.id
    common = f'modelIdentifier="{id}" canGetAndSetFMUstate="true"'
    common += ' canSerializeFMUstate="true" providesDirectionalDerivative="true"'
    names = each((f"{id}.c", f"{id}_fmu.c"), '      <File name="{}"/>\n')
    files = f"    <SourceFiles>\n{names}    </SourceFiles>\n"
    alone = "" if plant.settled else ' completedIntegratorStepNotNeeded="true"'
    modes = (
        ' numberOfEventIndicators="0">\n'
        f"  <ModelExchange {common}{alone}>\n{files}  </ModelExchange>\n"
        f'  <CoSimulation {common} canHandleVariableCommunicationStepSize="true">\n'
        f"{files}  </CoSimulation>\n"
    )
    variable = "    <ScalarVariable {}><Real{}/></ScalarVariable>\n"
    return described(plant, "2.0", f'guid="{guid}"', modes, variable)


# the unknowns of a model: their tag in FMI 3.0, their group in FMI 2.0, roles of variables
UNKNOWNS = (
    ("Output", "Outputs", ("state", "found", "velocity", "energy")),
    ("ContinuousStateDerivative", "Derivatives", ("rate", "velocity")),
    ("InitialUnknown", "InitialUnknowns", ("found", "rate", "velocity", "energy")),
)


def _structure(roles: Sequence[str], version: str) -> str:
    """Return the end of a description: which variables are outputs, derivatives, and computed."""
    made = ""
    for tag, group, kinds in UNKNOWNS:
        places = [k for k, role in enumerate(roles) if role in kinds]
        if version == "2.0":  # where references count from 1
            lines = each(places, lambda k: f'      <Unknown index="{k + 1}"/>\n')
            made += f"    <{group}>\n{lines}    </{group}>\n"
        else:
            made += each(places, f'    <{tag} valueReference="{{}}"/>\n')
    return f"  </ModelVariables>\n  <ModelStructure>\n{made}  </ModelStructure>\n"


# -- FMI 3.0 --------------------------------------------------------------------------------------


def description3(plant: Plant, token: str) -> str:
    """Return modelDescription.xml of FMI 3.0."""
    common = f'modelIdentifier="{plant.unit.id}" canGetAndSetFMUState="true"'
    common += ' canSerializeFMUState="true" providesDirectionalDerivatives="true"'
    steps = str(plant.settled).lower()
    modes = (
        f'>\n  <ModelExchange {common} needsCompletedIntegratorStep="{steps}"/>\n'
        f'  <CoSimulation {common} canHandleVariableCommunicationStepSize="true"/>\n'
    )
    time = (
        f'    <Float64 name="time" valueReference="{len(variables(plant))}" '
        'causality="independent" variability="continuous"/>\n'
    )
    token = f'instantiationToken="{token}"'
    return described(plant, "3.0", token, modes, "    <Float64 {}{}/>\n", time)


def build(id: str) -> str:
    """Return buildDescription.xml, the sources for those who compile them."""
    files = each((f"{id}.c", f"{id}_fmu.c"), '      <SourceFile name="{}"/>\n')
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<fmiBuildDescription fmiVersion="3.0">\n'
        f'  <BuildConfiguration modelIdentifier="{id}">\n'
        f'    <SourceFileSet language="C99">\n{files}    </SourceFileSet>\n'
        "  </BuildConfiguration>\n</fmiBuildDescription>\n"
    )
