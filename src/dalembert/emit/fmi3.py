"""FMI 3.0: the description of a model, beside that of FMI 2.0 in `fmu.py`."""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

from .fmu import ROLES, UNITS, Plant, variables
from .names import plain


def description(plant: Plant, token: str) -> str:
    """Return modelDescription.xml."""
    unit, listed = plant.unit, variables(plant)
    n = len(unit.positions) + len(unit.speeds)
    values = [*plant.start, *([None] * n), *([0.0] * len(plant.inputs)), None, None]
    values += [p.value for p in unit.parameters]
    said = f"    description={quoteattr('; '.join(plant.notes))}\n" if plant.notes else ""
    common = f'modelIdentifier="{unit.id}" canGetAndSetFMUState="true"'
    common += ' canSerializeFMUState="true" providesDirectionalDerivatives="true"'
    steps = str(plant.settled).lower()
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<fmiModelDescription fmiVersion="3.0" modelName="{plain(unit.name) or unit.id}"\n'
        f'    instantiationToken="{token}" generationTool="dalembert {unit.version}"\n{said}'
        '    variableNamingConvention="structured">\n',
        f'  <ModelExchange {common} needsCompletedIntegratorStep="{steps}"/>\n',
        f'  <CoSimulation {common} canHandleVariableCommunicationStepSize="true"/>\n',
        "  <UnitDefinitions>\n",
        *(
            f'    <Unit name="{u}"><BaseUnit {UNITS[u]}/></Unit>\n'
            for u in dict.fromkeys(u for _, _, u, _ in listed if u in UNITS)
        ),
        "  </UnitDefinitions>\n",
        '  <DefaultExperiment startTime="0" stopTime="1" stepSize="0.001"/>\n',
        "  <ModelVariables>\n",
    ]
    for k, ((name, text, measure, role), value) in enumerate(zip(listed, values, strict=True)):
        more = f' start="{value!r}"' if value is not None else ""
        more += f' unit="{measure}"' if measure in UNITS else ""
        more += f' derivative="{k - n}"' if role in ("rate", "velocity") else ""
        lines.append(
            f'    <Float64 name="{name}" valueReference="{k}" '
            f"description={quoteattr(plain(text))}\n        {ROLES[role]}{more}/>\n"
        )
    lines.append(
        f'    <Float64 name="time" valueReference="{len(listed)}" causality="independent" '
        'variability="continuous"/>\n  </ModelVariables>\n  <ModelStructure>\n'
    )
    roles = [role for *_, role in listed]
    for tag, kinds in (
        ("Output", ("state", "found", "velocity", "energy")),
        ("ContinuousStateDerivative", ("rate", "velocity")),
        ("InitialUnknown", ("found", "rate", "velocity", "energy")),
    ):
        places = [k for k, role in enumerate(roles) if role in kinds]
        lines += [f'    <{tag} valueReference="{k}"/>\n' for k in places]
    return "".join(lines) + "  </ModelStructure>\n</fmiModelDescription>\n"


def build(id: str) -> str:
    """Return buildDescription.xml, the sources for those who compile them."""
    files = "".join(f'      <SourceFile name="{n}"/>\n' for n in (f"{id}.c", f"{id}_fmu.c"))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<fmiBuildDescription fmiVersion="3.0">\n'
        f'  <BuildConfiguration modelIdentifier="{id}">\n'
        f'    <SourceFileSet language="C99">\n{files}    </SourceFileSet>\n'
        "  </BuildConfiguration>\n</fmiBuildDescription>\n"
    )
