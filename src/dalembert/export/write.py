"""Models as code in other languages: `export` writes files that need nothing of dalembert."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from ..compute.model import model_of
from ..emit.language import Language, write
from ..emit.unit import Unit
from ..errors import UsageError, closest, shown
from ..files import write_file
from ..mechanism import Mechanism

# language -> the module of emit, and the name in it, that holds the Language
LANGUAGES: Mapping[str, tuple[str, str]] = {
    "c": ("c", "LANGUAGE"),
    "cpp": ("cpp", "LANGUAGE"),
    "python": ("python", "LANGUAGE"),
    "numpy": ("python", "ARRAYS"),
    "jax": ("jax", "LANGUAGE"),
    "octave": ("octave", "LANGUAGE"),
    "matlab": ("octave", "LANGUAGE"),
    "fortran": ("fortran", "LANGUAGE"),
    "rust": ("rust", "LANGUAGE"),
    "julia": ("julia", "LANGUAGE"),
    "casadi": ("casadi", "LANGUAGE"),
    "opencl": ("accelerator", "OPENCL"),
    "cuda": ("accelerator", "CUDA"),
}

# what others call these languages
MEANT = {
    "c++": "cpp", "cxx": "cpp", "cc": "cpp", "eigen": "cpp", "py": "python", "rs": "rust",
    "f90": "fortran", "jl": "julia", "m": "matlab", "simulink": "fmu", "ros": "ros2",
    "fmi": "fmu", "fmi2": "fmu", "fmi3": "fmu3", "tex": "latex",
}  # fmt: skip


def export(
    m: Mechanism,
    quantities: Sequence[str] | str,
    language: str = "c",
    path: str | Path = ".",
    *,
    method: str | None = None,
    parameters: Sequence[str] | str | None = None,
    wrt: Sequence[str] | str | None = None,
    **options: Any,
) -> list[Path]:
    """Write quantities of a mechanism as code; return the files that were written.

    Parameters without a value, and those named in `parameters` ("all" names every one), stay inputs
    of the code; the others are numbers in it. `wrt` names inputs and parameters: exact derivatives
    by them, `dtau_dq`, `dtau_dL1`, are further results. `options` are those of the catalog rows;
    `frame` may name several frames, each with functions of its own, and `wrenches` names frames on
    which external wrenches act, inputs of the quantities that take them.

    >>> import dalembert as da, tempfile
    >>> m = da.load("RZ(), TXK(0.5); body 1: M = 2, D = (0.5, 0, 0);")
    >>> with tempfile.TemporaryDirectory() as d:
    ...     [f.name for f in export(m, ["inverse_dynamics"], "c", d)]
    ['mechanism.h', 'mechanism.c', 'mechanism_test.c', 'CMakeLists.txt']
    """
    m = model_of(m, "export")
    more = {} if wrt is None else {"wrt": wrt}
    made = files(m, quantities, language, method=method, parameters=parameters, **more, **options)
    directory = Path(path)
    for part in (directory, *directory.parents):
        if part.exists() and not part.is_dir():
            raise UsageError(f"{shown(str(part))} is a file", hint="path= names a directory")
    directory.mkdir(parents=True, exist_ok=True)
    written = []
    for name, data in made.items():
        target = directory / name
        target.parent.mkdir(parents=True, exist_ok=True)
        write_file(target, data)
        written.append(target)
    return written


def files(
    m: Mechanism, quantities: Sequence[str] | str, language: str = "c", **options: Any
) -> dict[str, str | bytes]:
    """Return the files that `export` would write, by name; always the same for the same model."""
    names = [quantities] if isinstance(quantities, str) else list(quantities)
    if language in WHOLE:
        return _whole(m, names, language, {k: v for k, v in options.items() if v is not None})
    found = language_of(language)
    from .unit import unit_of

    return dict(write(found, unit_of(m, names, **options)))


def latex_files(m: Mechanism, names: Sequence[str], **_: Any) -> dict[str, str | bytes]:
    """Return the equations of a mechanism as a document."""
    from ..emit.names import CodeNames
    from ..equations import equations

    return {f"{CodeNames().new(m.name)}.tex": equations(m).latex()}


def listing_files(
    m: Mechanism, names: Sequence[str], method: str | None = None,
    parameters: Sequence[str] | str = (), **options: Any,
) -> dict[str, str | bytes]:  # fmt: skip
    """Return quantities as named assignments to read, one file each."""
    from ..emit.names import CodeNames
    from ..listing import listing_text
    from .jobs import jobs_of

    kind, id = "standard" if parameters else "given", CodeNames().new(m.name)
    return {
        f"{id}_{job.name}.txt": listing_text(
            m, job.row.name, kind, method=job.method, **job.options
        )
        for job in jobs_of(m, names, method, options)
    }


# languages of the whole mechanism: where their files are made, and their options where they choose
# themselves what they hold
FMU = ("parameters", "drives", "binary")
WHOLE: Mapping[str, tuple[str, str, Sequence[str]]] = {
    "fmu": ("fmu", "fmu_files", FMU),
    "fmu3": ("fmu", "fmu3_files", FMU),
    "ros2": ("packages", "ros2_files", ()),
    "arduino": ("packages", "arduino_files", ()),
    "latex": ("write", "latex_files", ("parameters",)),
    "listing": ("write", "listing_files", ()),
}


def _whole(
    m: Mechanism, names: Sequence[str], language: str, options: Mapping[str, Any]
) -> dict[str, str | bytes]:
    """Return the files of a language of the whole mechanism."""
    if m.form is not None and not language.startswith("fmu"):
        raise UsageError(
            f"equations are not written as {language}",
            hint="eq.latex() and eq.text() print them; c, cpp, python, ... are programs of them",
            command="dalembert derive prints them; c, cpp, python, ... are programs of them",
        )
    module, function, known = WHOLE[language]
    if known:
        from ..catalog import quantity

        for name in names:
            quantity(name, m)
        for option in options:
            if option not in known:
                raise UsageError(
                    f"{language} has no option {shown(option)!r}: it holds the whole mechanism",
                    hint="its options: " + ", ".join(known),
                )
    made = getattr(import_module(f"{__package__}.{module}"), function)
    found: dict[str, str | bytes] = made(m, names, **options)
    return found


def language_of(name: str) -> Language:
    """Return a language by its name."""
    if name not in LANGUAGES:
        called = str(name).lower()
        known = [*LANGUAGES, *WHOLE]
        near = called if called in known else MEANT.get(called)
        hint = f"did you mean {near}?" if near else closest(called, known, "languages")
        raise UsageError(f"there is no language {shown(str(name))!r}", hint=hint)
    module, word = LANGUAGES[name]
    return getattr(import_module(f"dalembert.emit.{module}"), word)


def writer(language: str) -> Callable[[Unit], dict[str, str]]:
    """Return what writes a Unit in a language: its files by name."""
    found = language_of(language)
    return lambda unit: write(found, unit)
