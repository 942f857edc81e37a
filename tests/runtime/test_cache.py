"""The object cache: a hit needs no program; whatever is wrong with it, kernels still come."""

import os
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path

import numpy as np
import pytest

from dalembert.runtime import cache, compile_program
from runtime.programs import pendulum_chain


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_warned", set())
    return tmp_path / "cache"


def never():
    raise AssertionError("the program was asked for")


def value(kernel):
    return kernel(np.arange(4.0), np.ones(4))


def entries(place):
    """Return the kernels that are kept, without drafts and what is known of our sources."""
    return sorted(p for p in place.iterdir() if not p.name.startswith((".", "sources-")))


def test_a_hit_asks_for_no_program(place, no_warnings):
    first = compile_program(lambda: pendulum_chain(4), key="k")
    second = compile_program(never, key="k")
    assert value(first).tobytes() == value(second).tobytes()
    assert first.card == second.card
    assert place.stat().st_mode & 0o777 == 0o700
    assert all(p.stat().st_mode & 0o777 == 0o600 for p in entries(place))


def test_another_key_is_another_kernel(place):
    compile_program(pendulum_chain(4), key="a")
    assert len(compile_program(pendulum_chain(3), key="b").inputs) == 2
    assert compile_program(never, key="a").inputs[0].size == 4


def test_off_keeps_nothing(place, monkeypatch, no_warnings):
    monkeypatch.setenv("DALEMBERT_CACHE", "off")
    compile_program(pendulum_chain(4), key="k")
    assert not place.exists() and cache.directory() is None


def test_the_default_place_is_the_users_own(monkeypatch, tmp_path):
    monkeypatch.delenv("DALEMBERT_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.directory() == tmp_path / "dalembert"


def test_any_wrong_byte_is_a_miss(place):
    cache.write("k", {"a": 1}, b"\x7fELF" * 20)
    path = place / cache.name("k")
    good = path.read_bytes()
    assert cache.read("k") == ({"a": 1}, b"\x7fELF" * 20)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k in range(len(good)):
            path.write_bytes(good[:k] + bytes([good[k] ^ 0x10]) + good[k + 1 :])
            assert cache.read("k") is None
            path.write_bytes(good[:k])
            assert cache.read("k") is None
    path.write_bytes(good)
    assert cache.read("k") is not None


def test_a_damaged_entry_is_made_again_with_one_warning(place):
    made = compile_program(pendulum_chain(4), key="k")
    path = place / cache.name("k")
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.warns(RuntimeWarning, match="damaged") as seen:
        again = compile_program(pendulum_chain(4), key="k")
        path.write_bytes(b"")
        compile_program(pendulum_chain(4), key="k")
    assert len(seen) == 1
    assert value(again).tobytes() == value(made).tobytes()
    compile_program(never, key="k")


@pytest.mark.parametrize("facts", [{}, {"inputs": 3}, {"name": "k", "inputs": [{}]}])
def test_an_entry_whose_facts_are_no_kernels_is_made_again_with_a_warning(place, facts):
    """Its digest is right: it was written by hand, or by other sources under the same key."""
    made = compile_program(pendulum_chain(4), key="k")
    cache.write("k", facts, cache.read("k")[1])
    with pytest.warns(RuntimeWarning, match="damaged"):
        again = compile_program(pendulum_chain(4), key="k")
    assert value(again).tobytes() == value(made).tobytes()
    compile_program(never, key="k")


def test_code_of_another_processor_is_a_miss(place, monkeypatch):
    compile_program(pendulum_chain(4), key="k")
    monkeypatch.setattr(cache, "surroundings", lambda: "another machine")
    with pytest.raises(AssertionError, match="asked for"):
        compile_program(never, key="k")
    # nor is an entry believed that was moved to the name it would have here
    (place / cache.name("k")).write_bytes(entries(place)[0].read_bytes())
    with pytest.warns(RuntimeWarning, match="damaged"):
        assert cache.read("k") is None


def test_a_directory_open_to_others_is_not_trusted(place):
    place.mkdir()
    place.chmod(0o777)
    with pytest.warns(RuntimeWarning, match="others could write") as seen:
        value(compile_program(pendulum_chain(4), key="k"))
        compile_program(pendulum_chain(4), key="k")
    assert len(seen) == 1 and not entries(place)


def test_a_link_is_not_followed(place, tmp_path):
    cache.write("k", {}, b"\x7fELF")
    path = place / cache.name("k")
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.warns(RuntimeWarning, match="cannot be read"):
        assert cache.read("k") is None


def test_where_nothing_can_be_written_kernels_still_come(place, monkeypatch):
    place.parent.joinpath("file").write_text("")
    monkeypatch.setenv("DALEMBERT_CACHE", str(place.parent / "file" / "below"))
    with pytest.warns(RuntimeWarning, match="not kept") as seen:
        value(compile_program(pendulum_chain(4), key="k"))
        compile_program(pendulum_chain(4), key="k")
    assert len(seen) == 1


def test_a_full_disk_leaves_old_entries_alone(place, monkeypatch):
    cache.write("k", {}, b"\x7fELF old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.warns(RuntimeWarning, match="No space left"):
        cache.write("k", {}, b"\x7fELF new")
    assert cache.read("k") == ({}, b"\x7fELF old")
    assert [p.name for p in entries(place)] == [cache.name("k")]
    assert not [p for p in place.iterdir() if p.name.startswith(".")]


def test_the_digest_of_our_sources_is_kept_until_one_changes(place, tmp_path, no_warnings):
    files = [str(tmp_path / name) for name in ("a.py", "b.py")]
    for file in files:
        Path(file).write_text("one")
    first = cache._digest(files)
    (memo,) = [p for p in place.iterdir() if p.name.startswith("sources-")]
    assert memo.read_text() == first == cache._digest(files)
    memo.write_text("f" * 64)
    assert cache._digest(files) == "f" * 64  # it was read
    memo.write_text("damaged")
    assert cache._digest(files) == first
    Path(files[1]).write_text("two")  # as long as before
    assert cache._digest(files) not in (first, "f" * 64)


def test_code_that_is_made_quickly_is_kept_apart(place, monkeypatch, no_warnings):
    well = compile_program(lambda: pendulum_chain(4), key="k")
    monkeypatch.setenv("DALEMBERT_JIT", "quick")
    assert cache.read("k") is None
    quick = compile_program(lambda: pendulum_chain(4), key="k")
    assert value(quick).tobytes() == value(well).tobytes()
    made = cache.read("k")
    monkeypatch.delenv("DALEMBERT_JIT")
    assert cache.read("k") != made
    assert value(compile_program(never, key="k")).tobytes() == value(well).tobytes()


def test_too_many_entries_lose_their_older_half(place, monkeypatch, no_warnings):
    monkeypatch.setattr(cache, "_MOST", 8)
    cache.surroundings()
    for memo in place.glob("sources-*"):
        memo.unlink()  # it counts too
    for k in range(9):
        cache.write(f"k{k}", {}, b"\x7fELF")
        os.utime(place / cache.name(f"k{k}"), ns=(k, k)) if k < 8 else None
    kept = [k for k in range(9) if cache.read(f"k{k}") is not None]
    assert kept == [4, 5, 6, 7, 8]


RACER = textwrap.dedent(
    """
    import sys
    sys.path.insert(0, {tests!r})
    import numpy as np
    from runtime.programs import pendulum_chain
    from dalembert.runtime import compile_program
    for k in range(5):
        kernel = compile_program(lambda: pendulum_chain(3 + k), key=f"race {{k}}")
        print(kernel(np.arange(3.0 + k), np.ones(3 + k)).tobytes().hex())
    """
)


def test_racing_processes_do_no_harm(place):
    code = RACER.format(tests=os.path.dirname(os.path.dirname(__file__)))
    runs = [
        subprocess.Popen([sys.executable, "-W", "error", "-c", code], stdout=subprocess.PIPE)
        for _ in range(4)
    ]
    answers = {run.communicate()[0] for run in runs}
    assert len(answers) == 1 and all(run.returncode == 0 for run in runs)
    assert not [p for p in place.iterdir() if p.name.startswith(".")]
