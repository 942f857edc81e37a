"""Names from files never change the meaning of generated code: an independent lexer sees the same.

A name is put in one place of a model at a time; the tokens must be those of a benign name.
"""

import json
import keyword
import random
import re

import pytest
from pygments.lexers import get_lexer_by_name
from pygments.token import Token

import dalembert as da
from dalembert.emit.fmu import sources
from dalembert.emit.names import identifier, plain
from dalembert.emit.reserved import RESERVED
from dalembert.export import LANGUAGES, files
from dalembert.export.fmu import fmu_plant

LEXER = {"c": "c", "cpp": "cpp", "python": "python", "numpy": "python", "octave": "matlab",
         "matlab": "matlab", "fortran": "fortran", "rust": "rust", "casadi": "python"}  # fmt: skip
BY_ENDING = {"toml": "toml", "txt": "cmake", "h": "c", "c": "c", "xml": "xml"}
SLOTS = ("model", "body", "joint", "parameter")
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
    named = dict.fromkeys(SLOTS, "benign") | {slot: name}
    text = json.dumps({
        "name": named["model"],
        "parameters": {named["parameter"]: 0.5},
        "bodies": [{
            "name": named["body"], "parent": -1, "mass": 1, "com": [0.5, 0, 0],
            "joint": {"type": "revolute", "name": named["joint"], "axis": [0, 0, 1]},
            "inertia": [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]],
        }],
    })  # fmt: skip
    return da.load(json.loads(text)), named["parameter"]


def tokens(language, slot, name):
    """Return the kinds of tokens of each file, and the texts that no name is part of."""
    m, parameter = model(slot, name)
    made = files(m, ["inverse_dynamics", "gravity"], language, parameters=[parameter])
    found = []
    for path, text in made.items():
        assert text.isascii(), path
        assert all(part.isprintable() for part in text.split("\n"))
        lexer = get_lexer_by_name(BY_ENDING.get(path.rpartition(".")[2], LEXER[language]))
        listed = [(kind, word) for kind, word in lexer.get_tokens(text) if word.strip()]
        assert not any(kind in Token.Error for kind, _ in listed) or language == "matlab"
        found.append(listed)
    return found


FREE = (Token.Name, Token.Comment, Token.Literal.String, Token.Text, Token.Keyword.Namespace)


def same(benign, hostile):
    assert len(benign) == len(hostile)
    for a, b in zip(benign, hostile, strict=True):
        assert [kind for kind, _ in a] == [kind for kind, _ in b]
        for (kind, x), (_, y) in zip(a, b, strict=True):
            assert x == y or any(kind in free for free in FREE), (kind, x, y)


@pytest.fixture(scope="module")
def benign():
    return {language: tokens(language, "model", "benign") for language in LANGUAGES}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("slot", SLOTS)
def test_a_hostile_name_gives_the_tokens_of_a_benign_one(language, slot, benign):
    for name in WRITTEN[:14]:
        same(benign[language], tokens(language, slot, name))


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("slot", SLOTS)
def test_a_hundred_hostile_names(language, slot, benign):
    names = hostile_names(150)
    assert len(names) >= 100
    for name in names:
        same(benign[language], tokens(language, slot, name))


@pytest.mark.slow
@pytest.mark.parametrize("slot", SLOTS)
def test_the_description_of_an_fmu_keeps_its_tokens(slot):
    def listed(slot, name):
        m, parameter = model(slot, name)
        made = sources(fmu_plant(m, [parameter], "inertia"))
        found = []
        for path, text in made.items():
            lexer = get_lexer_by_name(BY_ENDING[path.rpartition(".")[2]])
            found.append([(kind, word) for kind, word in lexer.get_tokens(text) if word.strip()])
        return found

    expected = listed("model", "benign")
    for name in WRITTEN:
        same(expected, listed(slot, name))


PRINTED = re.compile(
    r"\\text(backslash|asciitilde|asciicircum)\{\}|\\[{}_%$#&]|\\ensuremath\{\\[A-Za-z]+\}"
)


@pytest.mark.parametrize("slot", SLOTS)
def test_equations_in_latex_keep_their_tokens_but_for_commands_that_print_a_sign(slot):
    lexer = get_lexer_by_name("latex")

    def listed(slot, name):
        ((_, text),) = files(model(slot, name)[0], [], "latex").items()
        text = PRINTED.sub("x", text)
        return [[(kind, word) for kind, word in lexer.get_tokens(text) if word.strip()]]

    expected = listed("model", "benign")
    for name in WRITTEN:
        same(expected, listed(slot, name))


@pytest.mark.parametrize("name", WRITTEN)
def test_encoders_leave_nothing_that_means_something(name):
    word = identifier(name)
    assert word.isascii() and word.isidentifier()
    text = plain(name)
    assert len(text) <= 80 and not set(text) & set("\\\"'`%{}*/#$&^~!?<>@;|[]\n\r\t\0")
