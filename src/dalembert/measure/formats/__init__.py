"""Other people's motion tables: OpenSim, marker files, C3D, ROS 2 bags. One file per format."""

from collections.abc import Callable
from pathlib import Path

from ..table import Table
from .c3d import read_c3d
from .mcap import read_mcap
from .opensim import read_storage
from .trc import read_trc

FORMATS: dict[str, Callable[[Path], Table]] = {
    ".mot": read_storage,
    ".sto": read_storage,
    ".trc": read_trc,
    ".c3d": read_c3d,
    ".mcap": read_mcap,
}
