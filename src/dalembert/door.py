"""Public calls: what is wrong with the things a user gave ends in a typed error.

Checks inside say what is wrong in words of their own. Behind them stands this: any other error of
Python's that a public call meets becomes a UsageError that shows the call and what it was given,
the first error kept as its cause. An error raised by a user's own function passes unchanged.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache, wraps
from pathlib import Path
from types import FunctionType, TracebackType
from typing import Any, TypeVar

from .errors import DalembertError, SingularPose, UsageError, closest, shown

RAW = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, OSError)
Call = TypeVar("Call", bound=Callable[..., Any])
Class = TypeVar("Class", bound=type)


def door(function: Call, name: str = "", own: int = 0) -> Call:
    """Return the function with typed errors alone; its first `own` arguments are not shown."""

    @wraps(function)
    def entered(*args: Any, **options: Any) -> Any:
        try:
            return function(*args, **options)
        except RAW as error:
            if _of_user(error.__traceback__):
                raise
            title = name or function.__name__
            raise _refused(function, title, args[own:], options, error) from error

    return entered  # type: ignore[return-value]


def doors(*names: str) -> Callable[[Class], Class]:
    """Return a decorator of classes: these methods are public calls."""

    def apply(cls: Class) -> Class:
        for name in names:
            title = cls.__name__ if name in ("__init__", "__call__") else f"{cls.__name__}.{name}"
            setattr(cls, name, door(getattr(cls, name), title, own=1))
        return cls

    return apply


def public(names: Sequence[str], held: dict[str, Any]) -> None:
    """Make doors of the functions among the names that a package gives away."""
    for name in names:
        if isinstance(held[name], FunctionType):
            held[name] = door(held[name])


def _refused(
    function: Callable[..., Any], name: str, args: Sequence[Any], options: Mapping[str, Any],
    error: Exception,
) -> DalembertError:  # fmt: skip
    call = f"{name}{_signature(function)}"
    own = error.__traceback__.tb_next if error.__traceback__ else None
    if isinstance(error, OSError) and error.strerror:
        path = shown(str(error.filename or ""))
        return UsageError(f"{name}: {error.strerror}: {path!r}", hint=f"call: {call}")
    if own is None:  # the call itself: an argument is missing, or there is none of that name
        said = str(error).replace(f"{function.__qualname__}()", f"{name}()")
        return UsageError(shown(said), hint=_meant(function, options) + f"call: {call}")
    if isinstance(error, ZeroDivisionError) and _is_of_the_model(own):
        return SingularPose(
            f"{name}: a division by zero at this pose",
            hint="move away from it: a disc lies flat, points of a distance meet, or a length is 0",
        )
    told = [type(x).__name__ for x in args]
    told += [f"{shown(k, 40)}={type(x).__name__}" for k, x in options.items()]
    given = ", ".join(told[:12])
    return UsageError(
        f"{name}({given}): something of another kind or shape is needed: "
        f"{shown(str(error).splitlines()[0] if str(error) else type(error).__name__)}",
        hint=f"call: {call}",
    )


# what other programs call an argument, where the spelling does not lead to ours
ALIKE = {"tau": "torque", "torques": "torque", "dt": "step", "time": "t", "duration": "t"}


def _meant(function: Callable[..., Any], options: Mapping[str, Any]) -> str:
    """Return a hint at the argument that an unknown name may mean, empty where none is near."""
    known = list(inspect.signature(function).parameters)
    for name in options:
        if name not in known:
            own = ALIKE.get(name)
            near = f"did you mean {own}?" if own in known else closest(name, known)
            return f"{near} " if near.startswith("did") else ""
    return ""


# rooms whose divisors are pivots, lengths and sines of a pose
FORMULAS = ("algorithms", "linalg", "expr", "algebra.py", "spatial.py", "joint.py")


def _is_of_the_model(trace: TracebackType) -> bool:
    """Return whether an error arose in a formula of the model, and not in a use of it."""
    while trace.tb_next:
        trace = trace.tb_next
    here, file = Path(__file__).parent, Path(trace.tb_frame.f_code.co_filename)
    return file.is_relative_to(here) and file.relative_to(here).parts[0] in FORMULAS


def _signature(function: Callable[..., Any]) -> str:
    try:
        names = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return "(...)"
    plain = [str(p.replace(annotation=inspect.Parameter.empty)) for p in names if p.name != "self"]
    return shown(f"({', '.join(plain)})", 400)


def _of_user(trace: TracebackType | None) -> bool:
    """Return whether an error came out of a function that a user gave."""
    trace = trace.tb_next if trace else None  # the first entry is the door's own
    while trace:
        file = trace.tb_frame.f_code.co_filename
        internal = file.startswith(("<frozen", "<string>", "<__array")) or file.endswith(".pyx")
        if not internal and not file.startswith(_installed()):
            return True
        trace = trace.tb_next
    return False


@cache
def _installed() -> tuple[str, ...]:
    """Return the folders of dalembert, of packages and of Python itself."""
    import sysconfig

    kinds = ("stdlib", "platstdlib", "purelib", "platlib")
    found = {sysconfig.get_paths()[kind] for kind in kinds}
    import numpy

    return (str(Path(__file__).parent), str(Path(numpy.__file__).parent.parent), *sorted(found))
