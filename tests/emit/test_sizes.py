"""Large models are written in functions of a size compilers like, and never nest deeply."""

import re
import shutil

import pytest

from dalembert import bench
from dalembert.export import LANGUAGES, writer
from dalembert.export.check import run
from dalembert.export.unit import unit_of
from emitted import unit, write

BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
C = r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/|^#[^\n]*'
# what is no code, by the ending of a file
OTHER = {"c": C, "hpp": C, "rs": r'"[^"\n]*"|//[^\n]*', "m": r"'[^'\n]*'|%[^\n]*",
         "f90": r"'[^'\n]*'|![^\n]*", "py": r'"""[^"]*"""|"[^"\n]*"|#[^\n]*'}  # fmt: skip


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


def test_a_function_has_at_most_four_thousand_statements(large):
    assert len(large.entries[0].step.lines) > 4000
    text = writer("c")(large)[f"{large.id}.c"]
    bodies = re.split(r"^}\n", text, flags=re.M)
    assert max(body.count(";\n") for body in bodies) <= 4000
    assert "_inverse_dynamics_derivatives_2(" in text


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
