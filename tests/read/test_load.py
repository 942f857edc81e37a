"""A source is recognised by what it is; whatever it holds, only dalembert's own errors come out."""

import json
import subprocess
import sys
import traceback

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.read import write

PHRASE = "RZ(A1,B1),TXK(L1),RX(A2,B2),TZK(L2);"
NATIVE = {"bodies": [{"name": "a", "parent": -1, "joint": {"type": "revolute"}, "mass": 1}]}
TOML = '[[bodies]]\nname = "a"\nparent = -1\nmass = 1\njoint = { type = "revolute" }\n'
URDF = (
    '<robot name="r"><link name="a"/><link name="b"/>'
    '<joint name="j" type="revolute"><parent link="a"/><child link="b"/></joint></robot>'
)


@pytest.mark.parametrize(
    ("text", "ending", "names"),
    [
        (PHRASE, "phrase", 2),
        (PHRASE, "txt", 2),
        (TOML, "toml", 1),
        (TOML, "txt", 1),
        (json.dumps(NATIVE), "json", 1),
        ("\ufeff" + json.dumps(NATIVE), "txt", 1),
        (URDF, "urdf", 1),
        ("\n" + URDF, "xml", 1),
        (URDF, "txt", 1),
    ],
)
def test_a_file_is_known_by_its_ending_or_its_content(tmp_path, text, ending, names):
    file = tmp_path / f"arm.{ending}"
    file.write_text(text, encoding="utf-8")
    m = da.load(file)
    assert len(m.joint_names) == names
    assert m == da.load(str(file))
    if "robot" not in text:
        assert m.name == "arm"


def test_a_text_is_known_by_its_content():
    assert da.load(PHRASE).nv == 2
    assert da.load(TOML) == da.load(json.dumps(NATIVE)) == da.load(NATIVE)
    assert da.load(URDF).nv == 1
    assert da.load("[RZ(A,B)],RX(C,D);").nv == 2


def test_a_file_wins_over_a_phrase(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "RZ(A,B);").write_text(TOML)
    assert da.load("RZ(A,B);").bodies[0].m == 1


@pytest.mark.parametrize("source", ["nothing", "no/such.urdf", "", "a\nb", "x" * 10_000])
def test_no_such_file(source):
    with pytest.raises(da.DescriptionError, match="no such file"):
        da.load(source)


def test_what_is_not_a_file_is_refused(tmp_path):
    from pathlib import Path

    with pytest.raises(da.DescriptionError, match="no such file"):
        da.load(tmp_path / "missing.toml")
    with pytest.raises(da.DescriptionError, match="a directory"):
        da.load(tmp_path)
    with pytest.raises(da.DescriptionError, match="not a regular file"):
        da.load(Path("/dev/zero"))
    with pytest.raises(da.DescriptionError, match="not legal"):
        da.load(Path("a\0b"))
    with pytest.raises(da.UsageError, match="cannot load int"):
        da.load(3)


def test_a_pipe_is_not_waited_for(tmp_path):
    import os

    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes here")
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(da.DescriptionError, match="not a regular file"):
        da.load(tmp_path / "pipe.json")


def test_a_file_may_not_be_too_large(tmp_path):
    file = tmp_path / "big.json"
    with open(file, "wb") as stream:
        stream.truncate(64 * 2**20 + 1)
    with pytest.raises(da.DescriptionError, match="larger than 64 MiB"):
        da.load(file)


def test_text_that_is_not_utf8_has_its_place(tmp_path):
    file = tmp_path / "m.toml"
    file.write_bytes(b'name = "x"\nphrase = "\xff"\n')
    with pytest.raises(da.DescriptionError, match="not UTF-8") as caught:
        da.load(file)
    assert (caught.value.where.line, caught.value.where.column) == (2, 11)


@pytest.mark.parametrize(
    "options", [{"base": "x"}, {"mimic": 1}, {"snap": -1}, {"snap": "a"}, {"inertia": "half"}]
)
def test_options_are_checked(options):
    with pytest.raises(da.UsageError):
        da.load(PHRASE, **options)


@pytest.mark.parametrize("base", ["free", "planar"])
@pytest.mark.parametrize("source", [PHRASE, TOML, URDF, NATIVE], ids=range(4))
def test_a_moving_base_comes_first_and_is_called_base(source, base):
    m, fixed = da.load(source, base=base), da.load(source)
    assert m.joint_names == ("base", *fixed.joint_names)
    assert m.bodies[0].joint.kind == base


@pytest.mark.parametrize("language", ["toml", "json", "phrase", "urdf"])
def test_a_mechanism_is_written_in_every_language(language):
    m = da.load("RZ(A1,B1),TXK(0.5),RX(A2,B2),TZK(0.25);").with_values(M1=1, D1=1, IY1=1, IZ1=1)
    m = m.with_values(M2=1, D2=1, IX2=1, IY2=1)
    text, notes = write(m, language)
    assert isinstance(text, str) and all(isinstance(n, str) for n in notes)
    assert da.load(text).nv == 2


def test_unknown_languages_are_refused():
    for language in ("sdf", "xyz", 3):
        with pytest.raises(da.UsageError):
            write(da.load(NATIVE), language)


def test_the_readers_are_imported_late():
    code = (
        "import sys, dalembert.read; "
        "print(*(m for m in ('numpy', 'tomllib', 'json', 'xml.parsers.expat', "
        "'dalembert.read.phrase', 'dalembert.read.urdf') if m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


# -- hostile input ---------------------------------------------------------------------------


def refused_or_read(source):
    try:
        da.load(source)
    except da.DalembertError as error:
        assert str(error)


WORDS = """RZ RX TXK ( ) , ; [ ] { } = : " ' < > / robot link joint <robot <link name= bodies phrase
[[bodies]] parent mass -1 1e999 nan inf 0x10 9**9 pi sin( null true gravity body M D I format # \\
\u202e é"""
words = st.sampled_from([*WORDS.split(), "\n", "\0"])


@settings(max_examples=200)
@given(st.one_of(st.text(), st.lists(words).map("".join), st.lists(words).map(" ".join)))
def test_any_text_is_read_or_refused(text):
    refused_or_read(text)


@settings(max_examples=100)
@given(st.binary(), st.sampled_from(["toml", "json", "urdf", "txt"]))
def test_any_bytes_are_read_or_refused(tmp_path_factory, data, ending):
    file = tmp_path_factory.getbasetemp() / f"any.{ending}"
    file.write_bytes(data)
    refused_or_read(file)


LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["x", "pi/2", "a", "revolute", -1, 0, 1]),
)
KEYS = """format name gravity symbols parameters phrase bodies active loops couplings drives elastic
springs wheels velocity_constraints prescribed speeds frames parent joint type axis placement mass
com inertia first_moment inertia_origin limits pitch body_i point_i body_j point_j stiffness nodes
translation rotation model n_trailers l b c m J Ia Fs Fv"""
keys = st.sampled_from(KEYS.split())
TREES = st.recursive(
    LEAVES,
    lambda t: st.one_of(st.lists(t, max_size=4), st.dictionaries(keys, t, max_size=4)),
    max_leaves=20,
)


@settings(max_examples=300)
@given(st.dictionaries(keys, TREES, max_size=5))
def test_any_dict_is_read_or_refused(data):
    refused_or_read(data)
    refused_or_read({"bodies": [data]})
    refused_or_read({"bodies": [{"parent": -1, "joint": data}]})
    refused_or_read({"format": "robot-dynamics-oracle/1", "model": NATIVE, **data})


@settings(max_examples=300)
@given(keys, TREES, keys)
def test_any_fault_in_a_good_file_is_refused_or_read(key, tree, inner):
    refused_or_read({**NATIVE, key: tree})
    refused_or_read({**NATIVE, key: [{"body_i": 0, "joint": 0, "body": 0, inner: tree}]})
    refused_or_read({"bodies": [{**NATIVE["bodies"][0], key: tree}]})
    refused_or_read({"format": "robot-dynamics-oracle/1", "model": NATIVE, key: tree})


TAGS = st.sampled_from(["link", "joint", "inertial", "origin", "mass", "axis", "mimic", "limit"])
VALUES = st.one_of(st.sampled_from(["a", "b", "0 0 1", "revolute", "1", "-1"]), st.text(max_size=5))
ATTRIBUTES = st.dictionaries(
    st.sampled_from(["name", "type", "link", "xyz", "rpy", "value", "joint", "lower"]), VALUES
)


@st.composite
def elements(draw, depth=3):
    from xml.sax.saxutils import quoteattr

    tag = draw(TAGS)
    parts = " ".join(f"{k}={quoteattr(v)}" for k, v in draw(ATTRIBUTES).items())
    inside = draw(st.lists(elements(depth=depth - 1), max_size=2)) if depth else []
    return f"<{tag} {parts}>{''.join(inside)}</{tag}>"


@settings(max_examples=100)
@given(st.lists(elements(), max_size=4))
def test_any_xml_is_read_or_refused(parts):
    refused_or_read(f"<robot name='r'>{''.join(parts)}</robot>")


AUDIT = """
import sys
import dalembert as da
import dalembert.read.native_writer, dalembert.read.oracle
texts = [{phrase!r}, {toml!r}, {urdf!r}, '{{"bodies": []}}',
         '<!DOCTYPE r SYSTEM "file:///etc/passwd"><robot/>',
         '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="&x;"/>',
         '<robot name="r"><link name="a"><visual><geometry><mesh filename="file:///etc/passwd"/>'
         '</geometry></visual></link></robot>',
         '{{"bodies": [{{"parent": -1, "mass": "__import__(1)"}}]}}', "RZ(open(1),2);"]
def run():
    for text in texts:
        try:
            da.load(text)
        except da.DalembertError:
            pass
run()  # whatever is imported late is imported now
seen = []
sys.addaudithook(lambda event, args: seen.append((event, args)))
run()
bad = ("open", "exec", "os.system", "socket.connect", "subprocess.Popen", "pickle.find_class")
print([e for e in seen if e[0] in bad])
"""


def test_reading_a_text_opens_no_file_and_runs_no_code():
    code = AUDIT.format(phrase=PHRASE, toml=TOML, urdf=URDF)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
def test_ten_thousand_links_in_a_chain():
    links = "".join(f'<link name="l{k}"/>' for k in range(10_001))
    joints = "".join(
        f'<joint name="j{k}" type="revolute"><parent link="l{k}"/><child link="l{k + 1}"/></joint>'
        for k in reversed(range(10_000))
    )
    m = da.load(f'<robot name="r">{links}{joints}</robot>')
    assert m.nv == 10_000 and m.joint_names[0] == "j0"
    assert da.load(write(m, "urdf")[0]).joint_names == m.joint_names


def test_ready_made_robots_have_names():
    assert da.load("robot:ur5") == da.robots.ur5()
    assert da.load("robot:eel(4)").nv == da.robots.eel(4).nv
    assert da.load("robot:puma560", base="free").joint_names[0] == "base"
    with pytest.raises(da.UsageError, match="no ready-made robot is called 'ur55'"):
        da.load("robot:ur55")


@pytest.mark.parametrize("text", ["RZ(),TXK(1", "RQ();", "<robot", "{", "RZ(),TXK(1+);"])
def test_errors_of_load_show_one_traceback(text):
    with pytest.raises(da.DalembertError) as raised:
        da.load(text)
    lines = traceback.format_exception(raised.value)
    assert not any("During handling" in line or "direct cause" in line for line in lines)
    assert len(raised.traceback) <= 3


def test_bytes_that_are_no_text_are_refused(tmp_path):
    for text in ("<robot name='\udce9'>", "<a>\ud800</a>", "<mujoco>\udcff"):
        with pytest.raises(da.DalembertError):
            da.load(text)
    file = tmp_path / "r.urdf"
    file.write_bytes(b"<robot name='\xe9\xff'/>")
    with pytest.raises(da.DalembertError):
        da.load(file)
