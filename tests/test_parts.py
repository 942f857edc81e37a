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


def test_a_part_that_is_run_leaves_a_row(tmp_path, monkeypatch, capsys):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_x.py").write_text(
        "import pytest\npytestmark = pytest.mark.slow\n"
        "def test_a(): pass\ndef test_b(): assert False\ndef test_c(): pytest.skip()\n"
    )
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    monkeypatch.setattr(tool, "TESTS", tmp_path / "tests")
    monkeypatch.setattr(tool, "BUILD", tmp_path / "build")
    monkeypatch.setattr(tool, "PARTS", {"x": ("test_x.py",)})
    assert tool.run_all(["x"]) == 1
    assert "| x | 1 | 1 | 1 | 0 |" in capsys.readouterr().out
    assert tool.counted("3 passed, 2 skipped, 1 error in 4.0s") == {
        "passed": 3, "failed": 0, "skipped": 2, "error": 1
    }  # fmt: skip
