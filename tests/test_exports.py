"""The public names of the package, and how they are found."""

import subprocess
import sys

import pytest

import dalembert
import dalembert as da

ERRORS = [
    "DalembertError",
    "DescriptionError",
    "ModelError",
    "ParameterError",
    "UsageError",
    "NotPolynomialError",
    "TooLargeError",
    "ComputationError",
    "SingularModel",
    "SingularPose",
]
LOOPS = ["assemble", "mobility", "plan", "singularity", "planar_branches", "assembly_along"]
LOOPS += ["regular_pose", "assembly_modes", "task_model", "leg_branches"]
COMPUTE = [
    "catalog",
    "base_parameters",
    "parameter_names",
    "parameter_vector",
    "compile",
    "integrate",
    "neutral",
    *LOOPS,
]
USES = ["simulate", "trajectory", "control", "inverse_kinematics", "torques_along"]
USES += ["linearize", "equilibrium", "equations", "kane_form", "export", "studio"]
USES += ["kane_speeds", "cartesian_singularity", "read_motion", "compare_slip"]
USES += ["identify", "excite", "active_regressor"]
USES += ["sweep", "optimise", "size"]
PUBLIC = [*USES, "load", "Mechanism", "robots", *COMPUTE, *dalembert.QUANTITIES, *ERRORS]


def test_the_public_names_are_these():
    assert sorted(dalembert.EXPORTS) == sorted(PUBLIC)
    assert sorted(dalembert.__all__) == sorted([*PUBLIC, "__version__"])
    assert set(PUBLIC) <= set(dir(dalembert))


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_resolves(name):
    assert getattr(dalembert, name) is not None


def test_every_quantity_of_the_catalog_is_a_function():
    assert list(dalembert.QUANTITIES) == [row.name for row in dalembert.catalog()]
    for row in dalembert.catalog():
        function = getattr(dalembert, row.name)
        assert function.__name__ == row.name and row.summary in function.__doc__


def test_every_error_is_public():
    from dalembert import errors

    tree = [errors.DalembertError]
    for error in tree:
        tree += error.__subclasses__()
    in_errors = {error.__name__ for error in tree if error.__module__ == errors.__name__}
    assert in_errors == set(ERRORS)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = dalembert.nonsense
    for name, meant in (("rnea", "inverse_dynamics"), ("crba", "mass_matrix"), ("fkine", "pose")):
        with pytest.raises(AttributeError, match=f"did you mean {meant}"):
            getattr(dalembert, name)


def test_a_function_keeps_its_name_when_a_submodule_has_the_same_one():
    code = (
        "import sys, types, dalembert as da\n"
        "m = types.ModuleType('dalembert.thing'); m.thing = lambda: 7\n"
        "sys.modules['dalembert.thing'] = m; da.EXPORTS['thing'] = 'dalembert.thing'\n"
        "da.thing = m\n"
        "assert da.thing() == 7\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_package_lists_its_public_names_alone():
    assert set(dir(da)) == set(da.__all__)
    assert not {"Any", "sys", "EXPORTS", "ModuleType"} & set(dir(da))


def test_the_catalog_is_a_table_that_is_indexed_by_name():
    rows = da.catalog()
    assert rows["inverse_dynamics"] is rows[[r.name for r in rows].index("inverse_dynamics")]
    for text in (repr(rows), str(rows), rows._repr_html_(), repr(rows["pose"])):
        assert " at 0x" not in text and "<function" not in text
    assert len(repr(rows).splitlines()) == len(rows) + 1
    with pytest.raises(da.UsageError, match="unknown quantity 'invers_dynamics'"):
        rows["invers_dynamics"]


@pytest.mark.parametrize("module", [da, da.robots])
def test_an_unknown_name_brings_the_nearest_one(module):
    word = "gravty" if module is da else "ur"
    with pytest.raises(AttributeError, match=r"did you mean (gravity|ur5)"):
        getattr(module, word)


def test_robots_lists_robots_alone():
    assert {n for n in dir(da.robots) if not n.startswith("__")} == set(da.robots.__all__)


def test_what_is_counted_is_told_where_a_kernel_of_it_is_asked():
    m = da.robots.fourbar()
    with pytest.raises(da.UsageError, match="unknown quantity 'mobility'") as error:
        da.compile(m, "mobility")
    assert "da.mobility(m)" in error.value.hint and da.mobility(m) == 1
