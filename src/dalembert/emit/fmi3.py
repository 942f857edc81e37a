"""FMI 3.0: the description of a model, beside that of FMI 2.0 in `fmu.py`."""

from __future__ import annotations

from collections.abc import Sequence

from .fmu import Plant, described
from .text import each


def description(plant: Plant, token: str) -> str:
    """Return modelDescription.xml."""
    common = f'modelIdentifier="{plant.unit.id}" canGetAndSetFMUState="true"'
    common += ' canSerializeFMUState="true" providesDirectionalDerivatives="true"'
    steps = str(plant.settled).lower()
    modes = (
        f'>\n  <ModelExchange {common} needsCompletedIntegratorStep="{steps}"/>\n'
        f'  <CoSimulation {common} canHandleVariableCommunicationStepSize="true"/>\n'
    )
    token, variable = f'instantiationToken="{token}"', "    <Float64 {}{}/>\n"
    return described(plant, "3.0", token, modes, variable, _structure)


def _structure(roles: Sequence[str]) -> str:
    def unknowns(tag: str, *kinds: str) -> str:
        places = [k for k, role in enumerate(roles) if role in kinds]
        return each(places, f'    <{tag} valueReference="{{}}"/>\n')

    return (
        f'    <Float64 name="time" valueReference="{len(roles)}" causality="independent" '
        'variability="continuous"/>\n  </ModelVariables>\n  <ModelStructure>\n'
        + unknowns("Output", "state", "found", "velocity", "energy")
        + unknowns("ContinuousStateDerivative", "rate", "velocity")
        + unknowns("InitialUnknown", "found", "rate", "velocity", "energy")
        + "  </ModelStructure>\n"
    )


def build(id: str) -> str:
    """Return buildDescription.xml, the sources for those who compile them."""
    files = each((f"{id}.c", f"{id}_fmu.c"), '      <SourceFile name="{}"/>\n')
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<fmiBuildDescription fmiVersion="3.0">\n'
        f'  <BuildConfiguration modelIdentifier="{id}">\n'
        f'    <SourceFileSet language="C99">\n{files}    </SourceFileSet>\n'
        "  </BuildConfiguration>\n</fmiBuildDescription>\n"
    )
