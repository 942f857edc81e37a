"""Motion in time, for every class of mechanism."""

from .motion import simulate
from .result import Event, Simulation, SimulationStopped

__all__ = [
    "Event",
    "Simulation",
    "SimulationStopped",
    "simulate",
]
