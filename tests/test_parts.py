"""`make test-all PART=name`: the parts together are all tests, each once."""

import importlib.util
import subprocess
import sys

import pytest

from peers import ROOT

TOOL = ROOT / "tools" / "parts.py"
found = importlib.util.spec_from_file_location("parts_tool", TOOL)
tool = importlib.util.module_from_spec(found)
found.loader.exec_module(tool)


def test_every_test_file_is_in_one_part():
    files = [x for part in tool.parts().values() for x in part]
    assert len(files) == len(set(files))
    assert set(files) == {
        p.relative_to(ROOT / "tests").as_posix() for p in (ROOT / "tests").rglob("test_*.py")
    }


@pytest.mark.parametrize("name", tool.PARTS)
def test_no_pattern_names_nothing(name):
    assert tool.parts()[name]
    assert all([*tool.TESTS.glob(x)] for x in tool.PARTS[name])


@pytest.mark.parametrize(("name", "code"), [("corpus", 0), ("cli", 0), ("nothing", 2), ("..", 2)])
def test_a_part_is_printed_or_refused(name, code):
    ran = subprocess.run([sys.executable, str(TOOL), name], capture_output=True, text=True)
    assert ran.returncode == code
    assert bool(ran.stdout.strip()) == (code == 0)
