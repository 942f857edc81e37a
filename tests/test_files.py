"""Files are written whole or not at all."""

import os
import stat
import sys

import pytest

import dalembert as da
from dalembert.errors import UsageError
from dalembert.files import write_file, writing
from peers import SOURCE


def test_a_file_that_cannot_be_finished_stays_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    write_file(path, "old")

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", stop)
    with pytest.raises(KeyboardInterrupt):
        write_file(path, "new")
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_modes_and_links_are_kept(tmp_path):
    path, link = tmp_path / "a.txt", tmp_path / "link"
    write_file(path, b"1")
    path.chmod(0o640)
    link.symlink_to(path)
    write_file(link, "2")
    assert link.is_symlink() and path.read_text() == "2"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.skipif(sys.platform == "win32", reason="no such device")
def test_a_device_is_written_directly():
    write_file("/dev/null", "gone")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@pytest.mark.parametrize("path", ["/nowhere/at/all.txt", "a\0b.txt", "."])
def test_what_cannot_be_written_is_a_typed_error(path):
    with pytest.raises(UsageError, match="cannot write"):
        write_file(path, "x")


def test_tables_and_arrays_read_back(tmp_path):
    r = da.simulate(da.robots.ur5(), [0.1] * 6, t=0.01)
    r.to_npz(tmp_path / "run")  # the ending is added, as NumPy does
    r.to_csv(tmp_path / "run.csv")
    assert {p.name for p in tmp_path.iterdir()} == {"run.npz", "run.csv"}
    assert (da.read_motion(tmp_path / "run.csv", r.m).t == r.t).all()


# what keeps drafts and renames by itself, or writes where only we read
OWN = {"files.py", "runtime/cache.py", "sweep/run.py", "export/fmu.py",
       "bench/casadi.py"}  # fmt: skip


def test_nothing_else_writes_files():
    for file in SOURCE.rglob("*.py"):
        if file.relative_to(SOURCE).as_posix() in OWN or "parts" in file.parts:
            continue
        text = file.read_text(encoding="utf-8")
        assert ".write_text(" not in text and ".write_bytes(" not in text, file


def test_a_file_written_in_parts_takes_its_place_at_the_end_or_not_at_all(tmp_path):
    path = tmp_path / "a.txt"
    with writing(path) as stream:
        stream.write("one\n")
        assert not path.exists()
        stream.write("two\n")
    assert path.read_text() == "one\ntwo\n" and list(tmp_path.iterdir()) == [path]
    with pytest.raises(KeyboardInterrupt), writing(path) as stream:
        stream.write("three")
        raise KeyboardInterrupt
    assert path.read_text() == "one\ntwo\n" and list(tmp_path.iterdir()) == [path]
