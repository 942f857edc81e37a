"""The kernel cache under faults: killed writers, racers, full disks, forged entries.

Never a wrong number, never fatal, always a note.
"""

import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import textwrap
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.runtime import cache, compile_program
from runtime.programs import pendulum_chain

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="signals and limits")
TESTS = str(Path(__file__).resolve().parent.parent)

# compiles kernels under keys that others compile too, and prints what they compute
WORKER = textwrap.dedent(
    """
    import sys
    sys.path.insert(0, {tests!r})
    import numpy as np
    from runtime.programs import pendulum_chain
    from dalembert.runtime import compile_program
    print("ready", flush=True)
    for turn in range({turns}):
        for k in range(3):
            kernel = compile_program(lambda: pendulum_chain(2 + k), key=f"{{turn % 4}} {{k}}")
            print(k, kernel(np.arange(2.0 + k), np.ones(2 + k)).tobytes().hex(), flush=True)
    """
)


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_warned", set())
    return tmp_path / "cache"


def worker(turns, *flags, **options):
    code = WORKER.format(tests=TESTS, turns=turns)
    return subprocess.Popen(
        [sys.executable, *flags, "-c", code],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options,
    )  # fmt: skip


def expected():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DALEMBERT_CACHE", "off")
        kernels = [compile_program(pendulum_chain(2 + k)) for k in range(3)]
    pairs = enumerate(kernels)
    return {f"{k} {f(np.arange(2.0 + k), np.ones(2 + k)).tobytes().hex()}" for k, f in pairs}


def answers(text):
    return set(text.splitlines()) - {"ready"}


def value(kernel):
    return kernel(np.arange(4.0), np.ones(4)).tobytes()


# -- damage ----------------------------------------------------------------------------------------


def test_every_byte_of_a_kernel_flipped_or_cut_is_a_miss(place):
    compile_program(pendulum_chain(2), key="k")
    path = place / cache.name("k")
    good = path.read_bytes()
    head = good.index(b"\n", good.index(b"\n") + 1)
    # all of the header, and of the code every byte by its digest: one bit in every 31st
    spots = [*range(head + 2), *range(head + 2, len(good), 31)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k in spots:
            bad = bytearray(good)
            bad[k] ^= 1 << k % 8
            path.write_bytes(bad)
            assert cache.read("k") is None, k
        for k in spots[:: max(1, len(spots) // 200)]:
            path.write_bytes(good[:k])
            assert cache.read("k") is None, k
        path.write_bytes(good + b"\0")
        assert cache.read("k") is None


def forged(place, key, change):
    """Write an entry again with other facts and a digest that fits them."""
    path = place / cache.name(key)
    rest = path.read_bytes().split(b"\n", 1)[1]
    head, code = rest.split(b"\n", 1)
    facts = json.loads(head)
    other = change(facts, code)
    code = other if isinstance(other, bytes) else code
    rest = json.dumps(facts, sort_keys=True).encode() + b"\n" + code
    path.write_bytes(
        b"dalembert kernel 1 " + hashlib.sha256(rest).hexdigest().encode() + b"\n" + rest
    )


def processor(facts, code):
    facts["surroundings"] = facts["surroundings"].replace("+avx", "+amx").replace("sse", "xyz")
    facts["surroundings"] += "+avx512f"


FORGED = {
    "processor": processor,
    "key": lambda f, c: f.update(key="another"),
    "length": lambda f, c: f.update(length=1),
    "no facts": lambda f, c: f.update(facts=None),
    "facts of another kind": lambda f, c: f.update(facts=[1, 2]),
    "no inputs": lambda f, c: f["facts"].pop("inputs"),
    "ports of text": lambda f, c: f["facts"].update(inputs="q"),
    "shape of text": lambda f, c: f["facts"]["inputs"][0].update(shape=["x"]),
    "negative scratch": lambda f, c: f["facts"].update(scratch_one=-(2**40)),
    "huge scratch": lambda f, c: f["facts"].update(scratch_one=2**62),
    "code cut short": lambda f, c: f["facts"].update(code=100),
    "code too long": lambda f, c: f["facts"].update(code=len(c) + 1),
    "code before its beginning": lambda f, c: f["facts"].update(code=-1),
    "tile of zero": lambda f, c: f["facts"].update(tile=0),
    "form unknown": lambda f, c: f["facts"].update(form={"layout": "spirals"}),
}


@pytest.mark.parametrize("kind", FORGED)
def test_a_forged_header_is_a_miss_with_a_note(place, kind):
    want = value(compile_program(pendulum_chain(4), key="k"))
    forged(place, "k", FORGED[kind])
    with pytest.warns(RuntimeWarning, match="damaged and will be made again"):
        again = compile_program(pendulum_chain(4), key="k")
    assert value(again) == want
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it was made again
        assert value(compile_program(lambda: 1 / 0, key="k")) == want


def test_code_that_is_not_code_is_a_miss_with_a_note(place):
    want = value(compile_program(pendulum_chain(4), key="k"))

    def garbage(facts, code):
        facts["length"] = 4096
        return b"\x90" * 4096

    forged(place, "k", garbage)
    with pytest.warns(RuntimeWarning, match="damaged and will be made again"):
        assert value(compile_program(pendulum_chain(4), key="k")) == want


def test_what_is_not_json_of_a_record_is_a_miss(place):
    compile_program(pendulum_chain(2), key="k")
    path = place / cache.name("k")
    for head in (b"[]", b"1", b"null", b'"text"', b"[" * 100_000, b"{}", b"\xff\xfe"):
        rest = head + b"\ncode"
        path.write_bytes(
            b"dalembert kernel 1 " + hashlib.sha256(rest).hexdigest().encode() + b"\n" + rest
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert cache.read("k") is None


# -- disks and folders -----------------------------------------------------------------------------


def limited():
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def test_a_disk_that_takes_no_more_still_gives_kernels(place):
    run = worker(1, preexec_fn=limited)
    out, err = run.communicate(timeout=120)
    assert run.returncode == 0 and answers(out) == expected()
    assert err.count("kernels are not kept") == 1 and "Traceback" not in err
    assert all(p.name.startswith("sources-") for p in place.iterdir())  # no draft is left


def test_a_real_full_disk(tmp_path, monkeypatch):
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16k,mode=0700", "none", disk], capture_output=True
    )
    if mounted.returncode:
        pytest.skip("no file system may be mounted here")
    try:
        monkeypatch.setenv("DALEMBERT_CACHE", str(disk / "cache"))
        run = worker(1)
        out, err = run.communicate(timeout=120)
        assert run.returncode == 0 and answers(out) == expected()
        assert err.count("kernels are not kept") == 1 and "No space left" in err
    finally:
        subprocess.run(["umount", disk], check=True)


@pytest.mark.skipif(os.getuid() != 0, reason="only root may give files away")
def test_a_folder_of_somebody_else_is_not_used(place):
    place.mkdir(mode=0o700)
    os.chown(place, 12345, 12345)
    with pytest.warns(RuntimeWarning, match="others could write") as seen:
        kernel = compile_program(pendulum_chain(4), key="k")
    assert value(kernel) and len(seen) == 1 and not list(place.iterdir())


@pytest.mark.skipif(os.getuid() != 0, reason="only root may give files away")
def test_an_entry_of_somebody_else_is_not_read(place):
    want = value(compile_program(pendulum_chain(4), key="k"))
    os.chown(place / cache.name("k"), 12345, 12345)
    with pytest.warns(RuntimeWarning, match="not a file of this user"):
        assert value(compile_program(pendulum_chain(4), key="k")) == want


def test_a_folder_that_cannot_be_written_is_noted(tmp_path, monkeypatch):
    place = tmp_path / "cache"
    place.mkdir(mode=0o500)
    if os.getuid() == 0:  # root writes where the mode forbids it, but not to such a disk
        only = ["mount", "-t", "tmpfs", "-o", "ro,mode=0700", "none", place]
        if subprocess.run(only, capture_output=True).returncode:
            pytest.skip("no file system may be mounted here")
    try:
        monkeypatch.setenv("DALEMBERT_CACHE", str(place))
        run = worker(1)
        out, err = run.communicate(timeout=120)
        assert run.returncode == 0 and answers(out) == expected()
        assert err.count("kernels are not kept") == 1 and "Traceback" not in err
        assert not list(place.iterdir())
    finally:
        if os.getuid() == 0:
            subprocess.run(["umount", place], check=True)


# -- killed and racing processes -------------------------------------------------------------------


# forks writers, kills each at a random moment, and prints the number of answers they gave
NURSERY = textwrap.dedent(
    """
    import os, random, signal, sys, time, warnings
    sys.path.insert(0, {tests!r})
    import numpy as np
    from pathlib import Path
    from runtime.programs import pendulum_chain
    from dalembert.runtime import cache, compile_program
    warnings.simplefilter("error", RuntimeWarning)

    def work(out):
        for turn in range(1000):
            for k in range(3):
                f = compile_program(lambda: pendulum_chain(2 + k), key=f"{{turn % 4}} {{k}}")
                line = f"{{k}} {{f(np.arange(2.0 + k), np.ones(2 + k)).tobytes().hex()}}"
                os.write(out, (line + chr(10)).encode())

    compile_program(pendulum_chain(2))  # what all need is loaded before
    began = time.monotonic()
    compile_program(pendulum_chain(5))
    life = max(0.2, 3 * (time.monotonic() - began))  # on a loaded machine they live longer
    rng, place, want, given = random.Random({seed}), cache.directory(), set(sys.argv[1:]), 0
    for _ in range({kills}):
        back, out = os.pipe()
        child = os.fork()
        if not child:
            try:
                os.close(back)
                work(out)
            finally:
                os._exit(3)
        os.close(out)
        time.sleep(rng.uniform(0, life))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        assert os.WTERMSIG(status) == signal.SIGKILL, status  # it did not fail before
        with os.fdopen(back) as file:
            text = file.read()
        lines = text[: text.rfind(chr(10)) + 1].splitlines()  # the last may be cut
        assert set(lines) <= want, lines
        given += len(lines)
        for path in place.iterdir() if place.exists() else ():
            if rng.random() < 0.5:
                path.unlink()  # so that writing goes on
    print(given)
    """
)


def killed(place, kills, seed):
    """Kill writers at random moments; return how many answers they gave before."""
    want = expected()
    code = NURSERY.format(tests=TESTS, seed=seed, kills=kills)
    run = subprocess.run([sys.executable, "-c", code, *want], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    last = worker(4, "-W", "error::RuntimeWarning")
    out, err = last.communicate(timeout=120)
    assert last.returncode == 0 and answers(out) == want and not err
    return int(run.stdout)


def test_killed_writers_leave_no_bad_entry(place):
    assert killed(place, 12, seed=1) > 0


@pytest.mark.slow
def test_a_thousand_killed_writers_leave_no_bad_entry(place):
    assert killed(place, 1000, seed=2) > 100


def test_drafts_of_killed_writers_do_not_pile_up(place):
    compile_program(pendulum_chain(2), key="a")
    old = place / ".0123456789abcdef0123456789abcdef"
    new = place / ".fedcba9876543210fedcba9876543210"
    old.write_bytes(b"half")
    new.write_bytes(b"half")
    os.utime(old, (time.time() - 7200,) * 2)
    compile_program(pendulum_chain(2), key="b")
    assert not old.exists() and new.exists()


def racing(place, count, turns):
    runs = [worker(turns, "-W", "error::RuntimeWarning") for _ in range(count)]
    found = [run.communicate(timeout=600) for run in runs]
    assert all(run.returncode == 0 for run in runs), [err for _, err in found if err][:1]
    want = expected()
    assert all(answers(out) == want for out, _ in found)
    assert not [p for p in place.iterdir() if p.name.startswith(".")]


@pytest.mark.slow
def test_sixty_four_racers_agree(place):
    racing(place, 64, 100)


INTERRUPTED = textwrap.dedent(
    """
    import signal
    import sys
    import numpy  # an interrupt in its own start is an ImportError
    import dalembert as da
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
    print("ready", flush=True)
    out = sys.argv[1]
    m = da.robots.planar2r().with_values(l1=0.5, l2=0.4, m1=2, j1=0.1, m2=1, j2=0.2)
    for turn in range(10000):
        r = da.simulate(m, [0.3, turn], t=0.2)
        r.to_csv(f"{out}/run{turn % 3}.csv")
        r.to_npz(f"{out}/run{turn % 3}.npz")
        m.save(f"{out}/model{turn % 3}.toml")
        da.export(m, ["gravity"], language="python", path=f"{out}/code")
        da.equations(da.robots.planar2r())
    """
)


def interrupted(tmp_path, times, seed):
    """Interrupt a process that writes files; what it leaves must be whole."""
    rng = np.random.default_rng(seed)
    for turn in range(times):
        out = tmp_path / str(turn)
        out.mkdir()
        run = subprocess.Popen(
            [sys.executable, "-c", INTERRUPTED, str(out)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert run.stdout.readline() == "ready\n"
        time.sleep(float(rng.uniform(0.3, 1.5)))
        began = time.monotonic()
        run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=30)
        assert "KeyboardInterrupt" in err, err
        assert time.monotonic() - began < 20  # a second where the cores are free
        whole(out)


def whole(out):
    lengths = set()
    for path in out.rglob("*"):
        if path.suffix == ".csv":
            lines = path.read_text().splitlines()
            assert len({len(line.split(",")) for line in lines}) == 1
            lengths.add(len(lines))
        elif path.suffix == ".npz":
            assert {"t"} <= set(np.load(path, allow_pickle=False))
        elif path.suffix == ".toml":
            assert da.load(path).nv == 2
        elif path.suffix == ".py":
            compile(path.read_text(), str(path), "exec")
        else:
            assert path.is_dir(), path  # no draft is left
    assert len(lengths) <= 1


def test_ctrl_c_leaves_no_torn_file(tmp_path):
    interrupted(tmp_path, 4, seed=3)


@pytest.mark.slow
def test_ctrl_c_at_many_moments_leaves_no_torn_file(tmp_path):
    interrupted(tmp_path, 100, seed=4)


# -- memory ----------------------------------------------------------------------------------------


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


@pytest.mark.slow
def test_ten_million_calls_keep_nothing():
    k = da.compile(da.robots.ur5(), "gravity")
    q, out = np.linspace(-1, 1, 6), np.zeros(6)
    for _ in range(100_000):
        k(q), k(q, out=out)
    before = resident()
    for _ in range(5_000_000):
        k(q)
        k(q, out=out)
    assert resident() - before < 1 << 20


@pytest.mark.slow
def test_ten_thousand_compilations_keep_little():
    made = pendulum_chain(2)
    for _ in range(500):
        compile_program(made)
    before = resident()
    for _ in range(10_000):
        compile_program(made)
    assert (resident() - before) / 10_000 < 1024
