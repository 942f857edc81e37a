"""XML to elements with line numbers: no document type, no entities, no instructions, bounded."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import NoReturn
from xml.parsers import expat

from ..errors import DescriptionError, Place, shown

DEEPEST, MOST, LONGEST_VALUE, ATTRIBUTES = 1000, 2_000_000, 2**20, 1000


@dataclass(slots=True)
class Element:
    """A tag with its attributes, its children and its own text, without blanks around it."""

    tag: str
    attributes: dict[str, str]
    line: int
    column: int
    children: list[Element] = field(default_factory=list)
    text: str = ""

    def all(self, tag: str) -> list[Element]:
        """Return the children with a tag."""
        return [c for c in self.children if c.tag == tag]

    def first(self, tag: str) -> Element | None:
        """Return the first child with a tag, or None."""
        return next((c for c in self.children if c.tag == tag), None)


class _Builder:
    """What expat calls while it reads."""

    def __init__(self, source: str, parser: expat.XMLParserType):
        self.source, self.parser = source, parser
        self.root: Element | None = None
        self.stack: list[Element] = []
        self.count = 0

    def fail(self, message: str, hint: str | None = None) -> NoReturn:
        raise DescriptionError(f"XML: {message}", self.here(), hint)

    def here(self) -> Place:
        parser = self.parser
        return Place(self.source, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if len(self.stack) >= DEEPEST or self.count > MOST:
            self.fail("nested too deeply" if len(self.stack) >= DEEPEST else "too many elements")
        if len(attributes) > ATTRIBUTES:
            self.fail(f"an element has more than {ATTRIBUTES} attributes")
        if any(len(v) > LONGEST_VALUE for v in attributes.values()):
            self.fail("an attribute is longer than 1 MiB")
        place = self.here()
        element = Element(tag, attributes, place.line, place.column)
        if self.stack:
            self.stack[-1].children.append(element)
        else:
            self.root = element
        self.stack.append(element)

    def end(self, tag: str) -> None:
        element = self.stack.pop()
        element.text = element.text.strip()

    def characters(self, text: str) -> None:
        if self.stack and not text.isspace():
            held = self.stack[-1]
            held.text += text
            if len(held.text) > LONGEST_VALUE:
                self.fail("a text is longer than 1 MiB")

    def doctype(self, *_: object) -> None:
        self.fail("a document type is not read", "remove <!DOCTYPE ...>")

    def entity(self, *_: object) -> NoReturn:
        self.fail("an entity is not read", "write the text itself")

    def instruction(self, target: str, data: str) -> None:
        self.fail(f"the instruction <?{shown(target, 40)} is not read", "remove it")


def with_line(place: Place | None, text: str | bytes) -> Place | None:
    """Return a place in an XML text with the line it points to, tabs and all."""
    if place is None or place.text:
        return place
    lines = (text if isinstance(text, bytes) else text.encode("utf-8", "replace")).splitlines()
    if not 0 < place.line <= len(lines):
        return place
    line = lines[place.line - 1].decode("utf-8", "replace").replace("\t", " ")
    return replace(place, text=line)


def first_tag(text: str | bytes) -> str:
    """Return the tag of the first element of an XML text, empty if there is none."""
    start = text[:20000] if isinstance(text, str) else text[:20000].decode("utf-8", "replace")
    first = re.search(r"<([A-Za-z_][\w.:-]*)", re.sub(r"<!--.*?-->", "", start, flags=re.DOTALL))
    return first[1] if first else ""


def _started(data: bytes) -> bytes:
    """Return an XML text whose declaration, if blank lines precede it, is blank too.

    Such files are common, and other readers take them; places in the text stay.
    """
    found = re.match(rb"(\s+)(<\?xml[^>]*\?>)", data[:2000])
    if found is None or b"utf-16" in found[2].lower():
        return data
    return re.sub(rb"[^\r\n]", b" ", data[: found.end()]) + data[found.end() :]


# what a message of the XML parser usually means
_MEANT = {
    "unclosed token": "the file ends inside a tag: is it cut off?",
    "no element found": "the file ends before its last tag is closed: is it cut off or empty?",
    "mismatched tag": "each <tag> needs its own </tag>, the inner one first",
    "not well-formed (invalid token)": "look for a stray <, & or a missing quote: write &lt; &amp;",
    "unclosed CDATA section": "the file ends inside <![CDATA[: is it cut off?",
    "duplicate attribute": "a tag names each attribute once",
    "junk after document element": "one element holds the whole file: <robot> ... </robot>",
}


def parse_xml(text: str | bytes, source: str) -> Element:
    """Return the root element of an XML text."""
    # a text is Unicode already, whatever its declaration says
    parser = expat.ParserCreate("utf-8") if isinstance(text, str) else expat.ParserCreate()
    builder = _Builder(source, parser)
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.characters
    parser.StartDoctypeDeclHandler = builder.doctype
    parser.EntityDeclHandler = builder.entity
    parser.UnparsedEntityDeclHandler = builder.entity
    parser.ExternalEntityRefHandler = builder.entity
    parser.ProcessingInstructionHandler = builder.instruction
    parser.buffer_text = True
    try:
        data = text.encode("utf-8") if isinstance(text, str) else text
        parser.Parse(_started(data), True)
    except expat.ExpatError as error:
        where = Place(source, error.lineno, error.offset + 1)
        message = expat.errors.messages.get(error.code, "not well formed")
        raise DescriptionError(f"XML: {message}", where, _MEANT.get(message)) from None
    except (LookupError, ValueError):
        raise DescriptionError("XML: the encoding is not read", builder.here()) from None
    if builder.root is None:
        raise DescriptionError("XML: there is no element", Place(source))
    return builder.root
