"""Ready-made mechanisms, each with the source of its numbers."""

import sys
from types import ModuleType
from typing import Any

from ..display import table_html
from ..door import public
from ..errors import missing_name
from .arms import REPORT, panda, planar2r, puma560, report6r, rx90, scara, stanford, tx40, ur5
from .moving import eel, flexible2r, flying_arm, snake, spacecraft, walker
from .parallel import delta, fivebar, fourbar, parallelogram_arm, stewart, three_rrr
from .wheeled import (
    crane,
    differential_drive,
    double_steering_car,
    mobile_manipulator,
    rolling_disc,
    truck,
    unicycle,
)

__all__ = [
    "REPORT",
    "crane",
    "delta",
    "differential_drive",
    "double_steering_car",
    "eel",
    "fivebar",
    "flexible2r",
    "flying_arm",
    "fourbar",
    "mobile_manipulator",
    "panda",
    "parallelogram_arm",
    "planar2r",
    "puma560",
    "report6r",
    "rolling_disc",
    "rx90",
    "scara",
    "snake",
    "spacecraft",
    "stanford",
    "stewart",
    "three_rrr",
    "truck",
    "tx40",
    "unicycle",
    "ur5",
    "walker",
]
public(__all__, globals())


class _Robots(ModuleType):
    """The module itself: at a prompt it lists what there is to take."""

    def _rows(self) -> list[tuple[str, str]]:
        makers = {n: getattr(self, n) for n in __all__ if callable(getattr(self, n))}
        words = {n: (maker.__doc__ or "").partition("\n")[0] for n, maker in makers.items()}
        return [(f"{n}()", text.removeprefix("Return ").rstrip(".")) for n, text in words.items()]

    def __dir__(self) -> list[str]:
        return [*__all__, "__doc__", "__name__"]

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(missing_name(self.__name__, name, __all__), name=name)

    def __repr__(self) -> str:
        width = max(len(n) for n, _ in self._rows())
        return "\n".join(f"{n:<{width}}  {text}" for n, text in self._rows())

    def _repr_html_(self) -> str:
        return table_html(("da.robots.", "machine"), self._rows())


sys.modules[__name__].__class__ = _Robots
