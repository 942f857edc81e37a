"""Hostile input: bombs, escapes, endless numbers. A typed error within a second and 500 MB."""

import os
import resource
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import dalembert as da
from dalembert.cli import main
from dalembert.errors import DalembertError

ROBOT = '<robot name="a"><link name="b"/>{}</robot>'
LINK = '<link name="l"><visual><geometry><mesh filename="{}"/></geometry></visual></link>'
JOINT = '<joint name="j" type="revolute"><parent link="b"/><child link="l"/>{}</joint>'
LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'


def bomb(levels=12, wide=12):
    lines = ['<!ENTITY a0 "boom">']
    lines += [f'<!ENTITY a{k} "{f"&a{k - 1};" * wide}">' for k in range(1, levels)]
    return f"<!DOCTYPE r [{''.join(lines)}]><robot name='&a{levels - 1};'/>"


BOMBS = {
    "entities": bomb(),
    "quadratic": f'<!DOCTYPE r [<!ENTITY a "{"x" * 50_000}">]><robot name="{"&a;" * 5000}"/>',
    "external": '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]><robot name="&a;"/>',
    "parameter entity": '<!DOCTYPE r [<!ENTITY % p SYSTEM "http://127.0.0.1:9/x"> %p;]><robot/>',
    "doctype": '<!DOCTYPE robot SYSTEM "http://127.0.0.1:9/x.dtd"><robot name="a"/>',
    "instruction": '<?xml-stylesheet href="http://127.0.0.1:9/x"?><robot name="a"/>',
    "deep": "<robot name='a'>" + "<a>" * 200_000,
    "wide": "<robot name='a'>" + "<link name='x'/>" * 300_000 + "</robot>",
    "long attribute": f"<robot name='{'x' * (8 << 20)}'/>",
    "many attributes": "<robot " + " ".join(f"a{k}='1'" for k in range(200_000)) + "/>",
    "long token": "<" + "a" * (16 << 20),
}
PHRASES = {
    "tower of powers": "RZ(),TXK(9**9**9);",
    "tower of hats": "RZ(),TXK(9^9^9^9);",
    "power": "RZ(),TXK(2**1000000);",
    "deep brackets": "RZ(),TXK(" + "(" * 20_000 + "1" + ")" * 20_000 + ");",
    "deep branches": "RZ()" + "[RZ()" * 2_000 + "]" * 2_000 + ";",
    "long sum": "RZ(),TXK(" + "+".join(["1"] * 200_000) + ");",
    "long number": "RZ(),TXK(" + "1" * 1_000_000 + ");",
    "digits": "RZ(),TXK(0." + "1" * 1_000_000 + ");",
    "infinite": "RZ(),TXK(1e999);",
    "tiny": "RZ(),TXK(1e-999999);",
    "signs": "RZ(),TXK(" + "-" * 200_000 + "1);",
    "name": "RZ(),TXK(" + "L" * 5_000_000 + ");",
    "bidi": "RZ(),TXK(a\u202eb);",
    "nul": "RZ(),TXK(a\0b);",
    "surrogate": "RZ(),TXK(\udc80);",
    "other digits": "RZ(),TXK(\u0663);",
    "comment without end": "RZ() # " + "x" * 1_000_000,
}
NATIVE = {
    "keys": "format = 'dalembert/1'\n" + "".join(f"k{i} = 1\n" for i in range(300_000)),
    "deep list": "format = 'dalembert/1'\na = " + "[" * 100_000,
    "deep table": "[" + ".".join(["a"] * 100_000) + "]\n",
    "power": "format = 'dalembert/1'\nphrase = 'RZ();'\nparameters = { a = '9**9**9' }",
    "integer": f"format = 'dalembert/1'\nphrase = 'RZ();'\nparameters = {{ a = {'9' * 100_000} }}",
    "long line": "format = 'dalembert/1'\nname = '" + "x" * (64 << 20) + "'",
    "cycle": "format = 'dalembert/1'\nphrase = 'RZ();'\nparameters = { a = 'b', b = 'a' }",
    "doubling": "format = 'dalembert/1'\nphrase = 'RZ(),TXK(x60);'\nparameters = { x0 = 'a+1', "
    + ", ".join(f"x{k} = 'x{k - 1}*x{k - 1}'" for k in range(1, 61)) + " }\nsymbols = ['a']",
}  # fmt: skip
JSONS = {
    "deep": "[" * 500_000,
    "deep object": '{"a":' * 200_000,
    "keys": '{"format": "dalembert/1", ' + ", ".join(f'"k{i}": 1' for i in range(300_000)) + "}",
    "integer": '{"format": "dalembert/1", "parameters": {"a": ' + "9" * 100_000 + "}}",
    "nan": '{"format": "dalembert/1", "gravity": [NaN, Infinity, 0], "phrase": "RZ();"}',
    "duplicate": '{"format": "dalembert/1", "format": "x", "phrase": "RZ();"}',
}
CASES = {
    **{f"urdf {k}": (".urdf", v) for k, v in BOMBS.items()},
    **{f"mjcf {k}": (".xml", v.replace("robot", "mujoco")) for k, v in BOMBS.items()},
    **{f"phrase {k}": (".txt", v) for k, v in PHRASES.items()},
    **{f"toml {k}": (".toml", v) for k, v in NATIVE.items()},
    **{f"json {k}": (".json", v) for k, v in JSONS.items()},
    **{f"dh {k}": (".csv", "sigma,d,alpha,r,theta\n0,0,0,0," + v[9:-2]) for k, v in PHRASES.items()
       if v.startswith("RZ(),TXK(") and v.endswith(");")},
    **{f"par {k}": (".par", "NL = 1\nNJ = 1\nNF = 1\nd = {" + v[9:-2] + "}")
       for k, v in PHRASES.items() if v.startswith("RZ(),TXK(") and v.endswith(");")},
}  # fmt: skip

# answers to each name: the seconds of processor time, the megabytes gained, the error
RUN = textwrap.dedent(
    """
    import resource, sys, time, warnings
    sys.path.insert(0, sys.argv[1])
    warnings.simplefilter("ignore")
    import dalembert as da
    import test_hostile
    reached = []
    def hook(event, args):
        if event in ("socket.connect", "os.system", "subprocess.Popen", "os.exec"):
            reached.append(event)
        if event == "open" and isinstance(args[0], str) and args[0].startswith("/etc/pass"):
            reached.append(args[0])
    for warm in ("RZ();", "<robot name='a'><link name='b'/></robot>", "format = 'dalembert/1'",
                 "<mujoco/>", "sigma,d,alpha,r,theta"):
        try:
            da.load(warm)
        except da.DalembertError:
            pass
    sys.addaudithook(hook)
    def most():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    for name in sys.stdin.read().splitlines():
        ending, text = test_hostile.CASES[name]
        path = f"{sys.argv[2]}/case{ending}"
        with open(path, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
            file.write(text)
        base, start = most(), time.process_time()
        try:
            m = da.load(path)
            told = f"loaded {len(m.bodies)}"
        except da.DalembertError as error:
            told = f"refused {str(error)[:60]!r}"
            assert len(str(error)) < 5000, len(str(error))
        except BaseException as error:
            told = f"RAW {type(error).__name__}"
        used = time.process_time() - start
        print(f"{name}|{used:.3f}|{most() - base:.0f}|{told}|{reached}", flush=True)
    """
)


def outcomes(place):
    """Return what became of all cases, one after another in a process of their own."""
    here = str(Path(__file__).parent)
    found = {}
    left = list(CASES)
    while left:  # a case that ends the process is found, and the others go on
        run = subprocess.run(
            [sys.executable, "-c", RUN, here, str(place)],
            input="\n".join(left), capture_output=True, text=True, timeout=600,
        )  # fmt: skip
        for line in run.stdout.splitlines():
            name, *rest = line.split("|")
            found[name] = rest
        missing = [name for name in left if name not in found]
        if missing:
            found[missing[0]] = ["0", "0", f"RAW exit {run.returncode} {run.stderr[-300:]}", "[]"]
        left = missing[1:]
    return found


def test_hostile_files_are_refused_quickly_or_harmless(tmp_path):
    found = outcomes(tmp_path)
    assert found.keys() == CASES.keys()
    wrong = {}
    for name, (seconds, megabytes, told, reached) in found.items():
        most = 1.0 if len(CASES[name][1]) < 1 << 20 else 4.0  # seconds of the processor
        good = not told.startswith("RAW") and reached == "[]"
        if not good or float(seconds) > most or float(megabytes) > 500:
            wrong[name] = (seconds, megabytes, told, reached)
    assert not wrong


ESCAPES = [
    "package://../../../etc/passwd", "file:///etc/passwd", "/etc/passwd", "../../etc/passwd",
    "package://a/../../../etc/passwd", "model://../../etc/passwd", "http://127.0.0.1:9/m.stl",
    "package://a/%2e%2e/%2e%2e/etc/passwd", "\\\\host\\share\\m.stl", "m\0.stl", "~/secret.stl",
]  # fmt: skip


@pytest.fixture(scope="module")
def opened():
    """The files that were opened, while a list is in place."""
    lists = []

    def hook(event, args):
        if event == "open" and lists and isinstance(args[0], (str, bytes)):
            lists[-1].append(os.fsdecode(args[0]))

    sys.addaudithook(hook)
    return lists


@pytest.mark.parametrize("uri", ESCAPES)
def test_reading_a_model_opens_no_mesh(tmp_path, opened, uri):
    shape = LINK.format(uri.replace("\0", "&#0;").replace("&#0;", "_"))
    text = ROBOT.format(shape + JOINT.format(LIMIT))
    path = tmp_path / "a.urdf"
    path.write_text(text)
    da.load(text)
    opened.append([])
    try:
        assert da.load(path).nv == 1
    finally:
        seen = opened.pop()
    others = [p for p in seen if p != str(path) and not p.endswith((".py", ".pyc", ".so"))]
    assert not others


def test_a_link_to_a_file_is_read_as_that_file_and_a_fifo_is_refused(tmp_path):
    (tmp_path / "a.txt").write_text("RZ(),TXK(1);")
    (tmp_path / "link.txt").symlink_to(tmp_path / "a.txt")
    assert da.load(tmp_path / "link.txt").nv == 1
    (tmp_path / "round.txt").symlink_to(tmp_path / "round.txt")
    for name in ("round.txt", "gone.txt"):
        with pytest.raises(DalembertError):
            da.load(tmp_path / name)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.txt")
        with pytest.raises(DalembertError):
            da.load(tmp_path / "pipe.txt")
    with pytest.raises(DalembertError):
        da.load(tmp_path)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such device")
def test_a_device_without_end_is_refused():
    code = "import dalembert as da\n"
    code += "try:\n da.load('/dev/zero')\nexcept da.DalembertError: print('ok')"

    def bounded():
        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))

    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, preexec_fn=bounded,
        timeout=60,
    )  # fmt: skip
    assert run.stdout.strip() == "ok", run.stderr[-300:]


TABLES = {
    "bytes that are not UTF-8": (b"L1 = \xff", "not UTF-8 text"),
    "a whole number of TOML": (b"L1 = 1" + b"0" * 5000, "TOML: a whole number is too long"),
    "a whole number of JSON": (b'{"L1": 1' + b"0" * 5000 + b"}", "is too long or out of range"),
    "brackets of TOML": (b"L1 = " + b"[" * 100_000, "TOML: nested too deeply"),
    "brackets of JSON": (b'{"L1": ' + b"[" * 100_000, "JSON: nested too deeply"),
    "a key of many parts": (b".".join([b"a"] * 3000) + b" = 1", "a key of more than 200 parts"),
    "a key twice": (b'{"L1": 1, "L1": 2}', "duplicate key 'L1'"),
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_of_options_studies_and_sizings_are_refused_alike(tmp_path, capsys, name):
    data, message = TABLES[name]
    file = tmp_path / "hostile.toml"
    file.write_bytes(data)
    arm = "RZ(),TXK(L1);"
    for asked in (
        ["derive", arm, "--values", str(file)],
        ["derive", arm, "--limits", str(file)],
        ["sweep", str(file)],
        ["size", arm, str(file), "--motors", str(file)],
    ):
        assert main(asked) == 2
        err = capsys.readouterr().err
        assert message in err and "hostile.toml:1:" in err, asked
    assert main(["eval", arm, "gravity", "--q", f"@{file}"]) == 2
    assert "unexpected" not in capsys.readouterr().err
