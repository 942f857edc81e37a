"""Large models are written in functions of a size compilers like, and never nest deeply."""

import re
import shutil

import pytest

from dalembert import bench, robots
from dalembert.emit.fmu import sources
from dalembert.export import LANGUAGES, writer
from dalembert.export.check import run
from dalembert.export.fmu import fmu_plant
from dalembert.export.unit import unit_of
from emitted import unit, write

BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
C = r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/|^#[^\n]*'
# what is no code, by the ending of a file
OTHER = {"c": C, "hpp": C, "rs": r'"[^"\n]*"|//[^\n]*', "m": r"'[^'\n]*'|%[^\n]*",
         "f90": r"'[^'\n]*'|![^\n]*", "py": r'"""[^"]*"""|"[^"\n]*"|#[^\n]*'}  # fmt: skip
OTHER["jl"] = OTHER["py"]
OTHER["cl"] = OTHER["cu"] = OTHER["h"] = OTHER["c"]


def deepest(text, ending):
    depth = most = 0
    for character in re.sub(OTHER[ending], "", text, flags=re.S | re.M):
        depth += BRACKETS.get(character, 0)
        most = max(most, depth)
    assert depth == 0
    return most


@pytest.mark.parametrize("name", ["serial", "fivebar", "truck", "stewart"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_nests_deeper_than_eight(language, name):
    _, made = unit(name)
    for path, text in writer(language)(made).items():
        ending = path.rpartition(".")[2]
        if ending in OTHER:
            assert deepest(text, ending) <= 8, path


@pytest.fixture(scope="module")
def large():
    """The derivatives of a chain of twenty joints: more lines than a function may have."""
    m = bench.chain(14)
    return unit_of(m, ["inverse_dynamics_derivatives", "forward_dynamics"], together=False)


# where a function begins or ends, and what ends a statement
FUNCTION = {"c": (r"^}\n", r";\n"), "hpp": (r"^}\n", r";\n"), "rs": (r"^}\n", r";\n"),
            "py": (r"^def ", r"\n"), "jl": (r"^end\n", r"\n"), "m": (r"^function ", r";\n"),
            "f90": (r"^ *(?:pure )?subroutine ", r"[^&]\n")}  # fmt: skip
FUNCTION["cl"] = FUNCTION["cu"] = FUNCTION["c"]


@pytest.mark.parametrize("language", [x for x in LANGUAGES if x != "matlab"])
def test_a_function_has_at_most_four_thousand_statements(language, large):
    assert len(large.entries[0].step.lines) > 4000
    most = 0
    for path, text in writer(language)(large).items():
        ending = path.rpartition(".")[2]
        if ending in FUNCTION and "_test" not in path and "golden" not in path:
            split, end = FUNCTION[ending]
            parts = re.split(split, text, flags=re.M)
            most = max([most, *(len(re.findall(end, part)) for part in parts)])
    assert 300 < most <= 4000


def test_only_a_large_function_has_pieces(large):
    assert "_inverse_dynamics_derivatives_2(" in writer("c")(large)[f"{large.id}.c"]
    _, made = unit("serial")
    assert "_inverse_dynamics_2(" not in writer("c")(made)[f"{made.id}.c"]


@pytest.mark.parametrize("make", [robots.fourbar, robots.truck])
def test_the_sources_of_an_fmu_do_not_nest(make):
    for path, text in sources(fmu_plant(make(), None, "inertia")).items():
        if path.endswith(".c"):
            assert deepest(text, "c") <= 8, path


@pytest.mark.slow
@pytest.mark.parametrize("language", ["c", "cpp", "python", "octave", "fortran", "rust", "casadi"])
def test_pieces_give_the_same_results(language, large, tmp_path):
    tools = {"c": "gcc", "cpp": "g++", "octave": "octave-cli", "fortran": "gfortran"}
    tools |= {"rust": "rustc", "casadi": "gcc"}
    if language in tools and shutil.which(tools[language]) is None:
        pytest.skip(f"{tools[language]} is not here")
    write(large, language, tmp_path)
    rows = run(language, tmp_path, large.id)
    assert len(rows) == 4 and all(row.ok for row in rows), rows
