"""In which form a kernel takes its states and gives its results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import UsageError
from ..frozen import dataclass
from .lanes import Single

DTYPES = ("float64", "float32")
LAYOUTS = ("rows", "tiles")
REDUCTIONS = (None, "max", "sum", "norm")


@dataclass(frozen=True, slots=True)
class Form:
    """The options of `compile` that change arrays, not the quantity."""

    packed: bool = False
    dtype: str = "float64"
    layout: str = "rows"
    reduce: str | None = None

    def __post_init__(self) -> None:
        known = {
            "packed": (True, False),
            "dtype": DTYPES,
            "layout": LAYOUTS,
            "reduce": REDUCTIONS,
        }
        for name, choices in known.items():
            given = getattr(self, name)
            if not any(given is c or (isinstance(c, str) and given == c) for c in choices):
                raise UsageError(
                    f"{name}={given!r} is not a form of kernels",
                    hint=f"write {name}=" + " or ".join(map(repr, choices)),
                )
        if self.reduce and self.layout == "tiles":
            raise UsageError(
                f"reduce={self.reduce!r} with layout='tiles'",
                hint="states of a reduction lie in rows: leave layout out",
            )

    @property
    def scalar(self) -> bool:
        """Whether one state alone has code of its own."""
        return self.dtype == "float64" and self.layout == "rows" and self.reduce is None

    @property
    def differentiable(self) -> bool:
        """Whether results are whole arrays of single states, which may have derivatives."""
        return not self.packed and self.layout == "rows" and self.reduce is None

    def lanes(self, doubles: int) -> int:
        """Return the lanes of a processor that has so many of double precision."""
        return Single(2 * doubles) if self.dtype == "float32" else doubles


PLAIN = Form()
NAMES = tuple(Form.__dataclass_fields__)


def check_call(name: str, options: Mapping[str, Any]) -> None:
    """Raise UsageError where a plain call is given an option of kernels."""
    for option in NAMES:
        if option in options:
            raise UsageError(
                f"{name} takes no {option}: it is an option of kernels",
                hint=f"k = da.compile(m, {name!r}, {option}={options[option]!r})",
            )


def check_single(form: Form) -> None:
    """Raise UsageError where a kernel of single states is asked for another form."""
    if form != PLAIN:
        raise UsageError(
            "single=True goes with plain arrays of doubles only",
            hint="leave out single, or packed, dtype, layout and reduce",
        )


def check_loops(name: str, form: Form) -> None:
    """Raise UsageError where the checks of single states would be lost in a reduction."""
    if form.reduce is not None:
        raise UsageError(
            f"{name}: reduce={form.reduce!r} would hide at which states a loop does not close",
            hint="compile it without reduce: residuals and pivots are outputs of each state",
        )
