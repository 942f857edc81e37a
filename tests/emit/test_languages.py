"""Every language: written, compiled, run, and compared with the algorithms in floats."""

import pytest

from dalembert.emit import c, cpp, fortran, octave, python, rust
from dalembert.emit.dialect import LISTING
from dalembert.export import LANGUAGES, files
from dalembert.export.check import COMMANDS, kernels, run, tool
from dalembert.expr.ops import OPS
from emitted import MACHINES, unit, write

QUICK = ("cpp", "python", "numpy")
SLOW = ("c", "octave", "fortran", "rust", "casadi")
CASES = [(language, name) for language in QUICK for name in MACHINES] + [
    pytest.param(language, name, marks=pytest.mark.slow) for language in SLOW for name in MACHINES
]
DIALECTS = [LISTING, c.dialect("x"), cpp.CPP, python.MATH, python.NUMPY, python.CASADI,
            octave.OCTAVE, fortran.FORTRAN, rust.RUST]  # fmt: skip


@pytest.mark.parametrize(("language", "name"), CASES)
def test_a_language_equals_the_algorithms(language, name, tmp_path):
    if tool(language):
        pytest.skip(f"{tool(language)} is not here")
    _, made = unit(name)
    write(made, language, tmp_path)
    rows = run(language, tmp_path, made.id)
    assert {row.quantity for row in rows} == {
        f"{e.name}.{word}" for e in made.entries for word in e.made[: e.own]
    }
    growth = {
        f"{e.name}.{w}": g for e in made.entries for w, g in zip(e.made, e.growth, strict=False)
    }
    for row in rows:
        assert row.ok, row
        # in parts of the largest value; results that lose digits by themselves may lose them here
        assert row.worst <= 1e-13 * max(1.0, growth[row.quantity] / 100), row


@pytest.mark.parametrize("name", ["serial", "parametric", "fivebar", "truck"])
def test_kernels_hold_the_golden_vectors(name):
    m, made = unit(name)
    rows = kernels(m, made, parameters=MACHINES[name][2])
    assert rows and all(row.ok for row in rows)


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda d: d.name)
def test_a_dialect_has_a_form_for_every_primitive(dialect):
    assert set(OPS) <= set(dialect.forms)


def test_every_language_can_be_checked():
    assert set(COMMANDS) <= set(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_same_model_gives_the_same_bytes(language):
    make, quantities, parameters = MACHINES["parametric"]
    assert files(make(), quantities, language, parameters=parameters) == files(
        make(), quantities, language, parameters=parameters
    )
