"""Motion in time, for every class of mechanism."""

from .result import Event, Simulation, SimulationStopped
from .simulate import simulate

__all__ = [
    "Event",
    "Simulation",
    "SimulationStopped",
    "simulate",
]
