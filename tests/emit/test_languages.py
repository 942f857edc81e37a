"""Every language: written, compiled, run, and compared with the algorithms in floats."""

import pytest

import dalembert as da
from dalembert.emit.dialect import LISTING
from dalembert.export import LANGUAGES, files, language_of
from dalembert.export.check import kernels, run, tool
from dalembert.export.jobs import jobs_of
from dalembert.export.unit import unit_of
from dalembert.expr.ops import OPS
from emitted import MACHINES, run_together, unit, write

QUICK = ("cpp", "python", "numpy")
SLOW = ("c", "jax", "octave", "fortran", "rust", "julia", "casadi", "opencl", "cuda")
CASES = [(language, name) for language in QUICK for name in MACHINES]


@pytest.mark.parametrize(("language", "name"), CASES)
def test_a_language_equals_the_algorithms(language, name, tmp_path):
    all_hold(language, [name], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("language", SLOW)
def test_a_language_equals_the_algorithms_on_all_machines(language, tmp_path):
    all_hold(language, MACHINES, tmp_path)


def all_hold(language, names, folder):
    """The golden vectors of some machines hold in a language; its interpreter is started once."""
    if tool(language):
        pytest.skip(f"{tool(language)} is not here")
    units = [unit(name)[1] for name in names]
    places = [(folder / str(k), made.id) for k, made in enumerate(units)]
    for made, (place, _) in zip(units, places, strict=True):
        write(made, language, place)
    for made, rows in zip(units, run_together(language, places), strict=True):
        holds(made, rows)


def holds(made, rows):
    """Every output has a row, and none is off."""
    assert {row.quantity for row in rows} == {
        f"{e.name}.{word}" for e in made.entries for word in e.made
    }
    growth = {
        f"{e.name}.{w}": g for e in made.entries for w, g in zip(e.made, e.growth, strict=False)
    }
    for row in rows:
        assert row.ok, row
        # in parts of the largest value; results that lose digits by themselves may lose them here
        assert row.worst <= 1e-13 * max(1.0, growth[row.quantity] / 100), row


def applicable(m, parameters):
    """Return the quantities that a machine has; the others are refused by an error that says why.

    An error that is not ours fails the test.
    """
    names = []
    for row in da.catalog():
        try:
            unit_of(m, [row.name], parameters=parameters)
        except da.DalembertError as error:
            assert len(str(error)) > 20
        else:
            names.append(row.name)
    return names


@pytest.mark.parametrize(
    ("name", "languages"),
    [
        ("parametric", ["python", "numpy"]),
        *(
            pytest.param(name, [*QUICK, "c", "octave", "rust"], marks=pytest.mark.slow)
            for name in ("truck", "elastic", "fourbar")
        ),
    ],
)
def test_all_quantities_of_a_machine_in_one_call(name, languages, tmp_path):
    make, _, parameters = MACHINES[name]
    m = make()
    names = applicable(m, parameters)
    assert len(names) > 30
    made = unit_of(m, names, parameters=parameters)
    alone = sum(len(e.step.lines) for e in made.entries[:-1])
    assert len(made.entries[-1].step.lines) < 0.7 * alone  # what they share is computed once
    for language in languages:
        if tool(language):
            continue
        place = tmp_path / language
        place.mkdir()
        write(made, language, place)
        rows = run(language, place, made.id)
        assert len(rows) > 2 * len(names) and all(row.ok for row in rows), rows


def test_a_quantity_without_entries_is_refused():
    with pytest.raises(da.UsageError, match="closure of this mechanism has no entries"):
        unit_of(da.robots.ur5(), ["closure"])


@pytest.mark.parametrize("name", ["serial", "parametric", "fivebar", "truck"])
def test_kernels_hold_the_golden_vectors(name):
    m, made = unit(name)
    rows = kernels(m, made, jobs_of(m, MACHINES[name][1], None, {}))
    assert rows and all(row.ok for row in rows)


@pytest.mark.parametrize("name", [*LANGUAGES, "listing"])
def test_a_dialect_has_a_form_for_every_primitive(name):
    _, made = unit("parametric")
    dialect = LISTING if name == "listing" else language_of(name).dialect(made)
    assert set(OPS) <= set(dialect.table())


def test_every_language_can_be_checked():
    assert all(language_of(name).run for name in LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_same_model_gives_the_same_bytes(language):
    make, quantities, parameters = MACHINES["parametric"]
    assert files(make(), quantities, language, parameters=parameters) == files(
        make(), quantities, language, parameters=parameters
    )
