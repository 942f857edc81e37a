"""Names from files never change the meaning of generated code: an independent lexer sees the same.

A name is put in one place of a model at a time; the tokens must be those of a benign name.
"""

import json
import keyword
import random
import re
from functools import lru_cache

import pytest
from pygments.lexers import get_lexer_by_name
from pygments.token import Token

import dalembert as da
from dalembert.emit.fmu import sources
from dalembert.emit.names import identifier, plain
from dalembert.emit.reserved import RESERVED
from dalembert.export import LANGUAGES, files, writer
from dalembert.export.fmu import fmu_plant
from dalembert.export.unit import unit_of

LEXER = {"c": "c", "cpp": "cpp", "python": "python", "numpy": "python", "octave": "matlab",
         "matlab": "matlab", "fortran": "fortran", "rust": "rust", "casadi": "python",
         "jax": "python", "julia": "julia", "opencl": "c", "cuda": "cuda",
         "listing": "python"}  # fmt: skip
WRITERS = (*LANGUAGES, "listing")
BY_ENDING = {"toml": "toml", "txt": "cmake", "h": "c", "c": "c", "xml": "xml"}
SLOTS = ("model", "body", "joint", "parameter", "frame")
WHEELED = ("model", "body", "joint", "wheel", "constraint", "steer")  # of a machine on wheels
WRITTEN = [
    '*/ system("id"); /*', "a\nb", "a\r\n#define x", '"""', "'''", "\\input{/etc/passwd}", "%{",
    "%}", "\u202eevil\u202c", "\u2066x\u2069", "x" * 10_000, "??/", "\\", "a\\\n", "//", "/*", "#",
    "!", "&", "^^5c", "`id`", "$(id)", "${id}", "%s%n", "{0}", "{{x}}", "@id@", "@ID@", "]]>",
    "<!--", "-->", "&amp;", "<x>", "\x00", "\x1b[31m", "\ufeff", "\u2028", "\u2029", "\u0085",
    "θ", "é", "İ", "ﬁ", "ａ", "𝐱", "名前", " ", "_", "__", "1", "1e5", "0x10", "-1", "a b",
    "a.b", "a-b", "a;b", "a,b", "a=b", "(", ")", "[", "]", "...", "'", '"', "r", "p", "q", "tau",
    "t1", "wk", "sn", "cs", "an", "dp", "np", "ca", "math", "model", "nan", "inf", "pi", "i",
    "x_t", "size_t", "int", "lambda", "fn", "function", "end", "module", "template", "None",
]  # fmt: skip


def hostile_names(count):
    words = sorted({*RESERVED, *keyword.kwlist})
    return (WRITTEN + random.Random(5).sample(words, 60))[:count]


def model(slot, name):
    named = dict.fromkeys(SLOTS, "benign") | {"frame": "place"} | {slot: name}
    text = json.dumps({
        "name": named["model"],
        "parameters": {named["parameter"]: 0.5},
        "bodies": [{
            "name": named["body"], "parent": -1, "mass": 1, "com": [0.5, 0, 0],
            "joint": {"type": "revolute", "name": named["joint"], "axis": [0, 0, 1]},
            "inertia": [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]],
        }],
        "frames": [{"name": named["frame"], "body": named["body"],
                    "placement": {"translation": [0.2, 0, 0]}}],
    })  # fmt: skip
    return da.load(json.loads(text)), named


def machine(slot, name):
    """Return a machine on wheels with a name in one of its slots; names are unlike each other."""
    named = {key: key for key in WHEELED} | {slot: name}
    tensor = [[0, 0, 0], [0, 0, 0], [0, 0, 0.4]]
    kinds = (("prismatic", "x", [1, 0, 0]), ("prismatic", "y", [0, 1, 0]))
    kinds += (("revolute", "th", [0, 0, 1]), ("revolute", named["joint"], [0, 0, 1]))
    kinds += (("revolute", "s", [0, 0, 1]),)
    bodies = [
        {"name": named["body"] if k == 3 else f"b{k}", "parent": k - 1, "mass": int(k > 1),
         "com": [0.1, 0, 0], "inertia": tensor if k > 1 else [[0] * 3] * 3,
         "joint": {"type": kind, "name": joint, "axis": axis}}
        for k, (kind, joint, axis) in enumerate(kinds)
    ]  # fmt: skip
    at = {"body": "b2", "normal": [0, 1, 0]}
    wheels = [{"name": named["wheel"], "point": [0, 0, 0], **at},
              {"name": "front", "point": [1, 0, 0], "steer": named["steer"], **at}]  # fmt: skip
    held = [{"name": named["constraint"], "equation": "sd - 2*xd = 0"}]
    document = {"format": "dalembert/1", "name": named["model"], "bodies": bodies}
    document |= {"wheels": wheels, "prescribed": [named["steer"]], "speeds": ["v", named["joint"]]}
    return da.load(document | {"velocity_constraints": held})


@lru_cache(maxsize=64)
def lexed(lexer, text):
    """Return the tokens of a text; one that was seen before is not read again."""
    words = get_lexer_by_name(lexer).get_tokens(text)
    return [(kind, word) for kind, word in words if word.strip()]


def listed(made, language):
    """Return the tokens of each file."""
    found = []
    for path, text in made.items():
        assert text.isascii() or language == "listing", path  # letters may stand in its remarks
        assert all(part.isprintable() for part in text.split("\n"))
        ending = path.rpartition(".")[2]
        if ending == "txt" and language == "listing":
            ending = "listing"
        words = lexed(BY_ENDING.get(ending) or LEXER[language], text)
        assert not any(kind in Token.Error for kind, _ in words) or language == "matlab"
        found.append(words)
    return found


def written(m, quantities, languages, **options):
    """Yield languages and the tokens of their files: what they write is made once for all."""
    unit = unit_of(m, quantities, **options) if {*languages} != {"listing"} else None
    for language in languages:
        if language == "listing":
            made = files(m, quantities, language, **options)
        else:
            made = writer(language)(unit)
        yield language, listed(made, language)


def tokens(slot, name, languages=WRITERS):
    """Return the tokens by language of a model with a name in one slot."""
    m, named = model(slot, name)
    options = {"parameters": [named["parameter"]], "frame": named["frame"]}
    return dict(written(m, ["inverse_dynamics", "pose"], languages, **options))


def machine_tokens(slot, name, languages=WRITERS):
    """The same of a machine on wheels."""
    return dict(written(machine(slot, name), ["kane_J_nh"], languages))


FREE = (Token.Name, Token.Comment, Token.Literal.String, Token.Text, Token.Keyword.Namespace)


def same(benign, hostile):
    assert len(benign) == len(hostile)
    for a, b in zip(benign, hostile, strict=True):
        assert [kind for kind, _ in a] == [kind for kind, _ in b]
        for (kind, x), (_, y) in zip(a, b, strict=True):
            assert x == y or any(kind in free for free in FREE), (kind, x, y)


def same_in_all(benign, hostile):
    for language, found in hostile.items():
        same(benign[language], found)


@pytest.fixture(scope="module")
def benign():
    return tokens("model", "benign")


@pytest.fixture(scope="module")
def benign_machine():
    return machine_tokens("model", "model")


def test_files_are_what_a_writer_makes_of_one_unit():
    m, named = model("joint", WRITTEN[0])
    options = {"parameters": [named["parameter"]], "frame": named["frame"]}
    unit = unit_of(m, ["inverse_dynamics", "pose"], **options)
    for language in LANGUAGES:
        made = files(m, ["inverse_dynamics", "pose"], language, **options)
        assert made == dict(writer(language)(unit))


@pytest.mark.parametrize("slot", SLOTS)
def test_a_hostile_name_gives_the_tokens_of_a_benign_one(slot, benign):
    for name in WRITTEN[:6]:
        same_in_all(benign, tokens(slot, name))


@pytest.mark.slow
@pytest.mark.parametrize("slot", SLOTS)
def test_a_hundred_hostile_names(slot, benign):
    names = hostile_names(150)
    assert len(names) >= 100
    for name in names:
        same_in_all(benign, tokens(slot, name))


@pytest.mark.parametrize("slot", WHEELED)
def test_a_hostile_name_of_a_machine_on_wheels(slot, benign_machine):
    for name in WRITTEN[:2]:
        same_in_all(benign_machine, machine_tokens(slot, name, ["c", "python"]))


@pytest.mark.slow
@pytest.mark.parametrize("slot", WHEELED)
def test_a_hundred_hostile_names_of_a_machine_on_wheels(slot, benign_machine):
    for name in hostile_names(100):
        same_in_all(benign_machine, machine_tokens(slot, name))


def fmu_tokens(m, parameters=()):
    made = sources(fmu_plant(m, parameters, "inertia"))
    return listed(made, "c")


@pytest.mark.slow
@pytest.mark.parametrize("slot", SLOTS)
def test_the_description_of_an_fmu_keeps_its_tokens(slot):
    def found(slot, name):
        m, named = model(slot, name)
        return fmu_tokens(m, [named["parameter"]])

    expected = found("model", "benign")
    for name in hostile_names(100):
        same(expected, found(slot, name))


@pytest.mark.slow
@pytest.mark.parametrize("slot", WHEELED)
def test_the_fmu_of_a_machine_on_wheels_keeps_its_tokens(slot):
    expected = fmu_tokens(machine("model", "model"))
    # names of bodies and constraints are not in it
    for name in hostile_names(100) if slot in ("joint", "wheel", "steer") else WRITTEN[:20]:
        same(expected, fmu_tokens(machine(slot, name)))


PRINTED = re.compile(
    r"\\text(backslash|asciitilde|asciicircum)\{\}|\\[{}_%$#&]|\\ensuremath\{\\[A-Za-z]+\}"
)


def latex_tokens(slot, name):
    """Return the tokens of the equations, commands that print a sign counted as a letter."""
    ((_, text),) = files(model(slot, name)[0], [], "latex").items()
    words = get_lexer_by_name("latex").get_tokens(PRINTED.sub("x", text))
    return [[(kind, word) for kind, word in words if word.strip()]]


@pytest.mark.parametrize("slot", SLOTS)
def test_equations_in_latex_keep_their_tokens(slot):
    for name in WRITTEN[:10]:
        same(latex_tokens("model", "benign"), latex_tokens(slot, name))


@pytest.mark.slow
@pytest.mark.parametrize("slot", SLOTS)
def test_equations_in_latex_of_a_hundred_names(slot):
    expected = latex_tokens("model", "benign")
    for name in hostile_names(100):
        same(expected, latex_tokens(slot, name))


@pytest.mark.parametrize("name", WRITTEN)
def test_encoders_leave_nothing_that_means_something(name):
    word = identifier(name)
    assert word.isascii() and word.isidentifier()
    text = plain(name)
    assert len(text) <= 80 and not set(text) & set("\\\"'`%{}*/#$&^~!?<>@;|[]\n\r\t\0")
