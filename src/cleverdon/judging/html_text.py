"""The text of an HTML page as a reader sees it: one line per block, without scripts and styles.

No library does this well enough. Crawls are full of damaged pages, and each page must take time and
memory in proportion to its length. Python's own parser takes minutes over some pages of a hundred
kilobytes, because it searches for missing ends again and again. Parsers of HTML5 (selectolax 1.0
was tried) build the tree that the standard demands: if `<font>` is not closed, every later
paragraph repeats all open ones, so 60 kilobytes become 1.6 gigabytes. Here each page is read once,
from the beginning to the end.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import NamedTuple

from cleverdon.formats.sgml import unescape_html

_BEGINS = re.compile(
    r"\s*(?:<\?xml[^>]*>\s*)?(?><!--.*?-->\s*)*+<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
"""Atomic: two comments could be taken for one, and thirty in a billion ways."""
_HEAD = 4_096  # characters within which a page shows itself as HTML, and declares its encoding
_CHARSET = re.compile(rb"""<meta\s[^<>]*?charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_SAVED_FROM = re.compile(r"<!--\s*saved from url=\(\d+\)(\S+)")

_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9:-]*)")
_STOP = re.compile(r"""=\s*(["'])|>""")
_LONGEST_VALUE = 1 << 16  # characters of an attribute; a quote that is not closed by then is none
_ALT = re.compile(r"""\balt\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)

# The content of these elements is not markup.
_RAW = frozenset({"script", "style", "iframe", "noembed", "noframes", "xmp", "textarea"})
_UNSEEN = frozenset({"script", "style", "template", "noscript", "svg", "math", "iframe", "object"})
# An empty line comes before and after a paragraph; a block only begins and ends a line.
_is_paragraph = re.compile("p|h[1-6]|ul|ol|dl|table|blockquote|pre|section|article").fullmatch
_is_block = re.compile(
    "address|aside|body|br|caption|center|dd|details|dialog|div|dt|fieldset|figcaption|figure|"
    "footer|form|head|header|hr|html|legend|li|main|menu|nav|option|select|summary|tbody|tfoot|thead|"
    "title|tr"
).fullmatch
_CELLS = frozenset({"td", "th"})
_LONGEST_UNCLOSED = 1_000  # characters of a title; one that is not closed would hold the whole page


def begins_as_html(text: str) -> bool:
    """Tell whether a document begins as an HTML page does."""
    return _BEGINS.match(text[:_HEAD]) is not None


def decoded_html(content: bytes) -> str:
    """Decode an HTML file by its byte order mark or by the charset that it declares.

    >>> decoded_html(b'<meta charset="windows-1252">caf\\xe9')[-4:]
    'café'
    """
    mark = next(filter(content.startswith, _MARKS), None)
    declared = _CHARSET.search(content, 0, _HEAD)
    name = _MARKS[mark] if mark else declared[1].decode("ascii", "replace") if declared else "utf-8"
    if name.casefold() in ("iso-8859-1", "latin1", "us-ascii"):
        name = "windows-1252"  # which is what browsers take these for
    try:
        return content.decode(name, "replace")
    except (LookupError, UnicodeError):  # nothing that Python knows, or no encoding of texts
        return content.decode("utf-8", "replace")


def address_of_html(page: str) -> str:
    """Return the address from which a browser saved a page, if it is noted.

    >>> address_of_html("<!DOCTYPE html><!-- saved from url=(0020)https://example.org/ --><html>")
    'https://example.org/'
    """
    found = _SAVED_FROM.search(page, 0, _HEAD)
    return found[1] if found else ""


def text_of_html(page: str) -> tuple[str, str]:
    """Return the title and the text of a page: scripts and styles dropped, a block a line.

    >>> text_of_html("<title>Tea</title><p>Fish &amp; <b>chips</b><script>x()</script><li>one")
    ('Tea', 'Fish & chips\\none')
    """
    seen = _Seen()
    for token in _tokens(page):
        if not token.tag:
            seen.take(unescape_html(token.text))
        elif token.ends:
            seen.end(token.tag)
        else:
            seen.begin(token.tag, token.text)
    return seen.title, seen.text


class _Token(NamedTuple):
    """A piece of text, or a tag with its attributes."""

    text: str
    tag: str = ""
    ends: bool = False


def _tokens(page: str) -> Iterator[_Token]:
    at, last = 0, page.rfind(">")
    has_quotes = True  # until a tag has no end outside of quotes
    while (opened := page.find("<", at, last)) >= 0:
        if opened > at:
            yield _Token(page[at:opened])
        if page.startswith("<!--", opened):
            closed = page.find("-->", opened + 4)
            at = len(page) if closed < 0 else closed + 3
        elif tag := _TAG.match(page, opened):
            end, name = _end_of_tag(page, tag.end()) if has_quotes else -1, tag[2].casefold()
            if end < 0:
                has_quotes, end = False, page.find(">", tag.end())
            yield _Token(page[tag.end() : end], name, tag[1] == "/")
            at = end + 1
            if name in _RAW and not tag[1]:
                closing = re.compile(f"</{name}", re.IGNORECASE).search(page, at)
                raw_end = closing.start() if closing else len(page)
                yield _Token(page[at:raw_end])
                at = raw_end
        elif page.startswith(("<!", "<?", "</"), opened):
            at = page.find(">", opened) + 1
        else:
            yield _Token("<")
            at = opened + 1
    if at < len(page):
        yield _Token(page[at:])  # after the last tag, "<" is text


def _end_of_tag(page: str, at: int) -> int:
    """Return the end of a tag: the first ">" outside of quotes; -1 if there is none."""
    while found := _STOP.search(page, at):
        if not found[1]:
            return found.start()
        closed = page.find(found[1], found.end(), found.end() + _LONGEST_VALUE)
        at = found.end() if closed < 0 else closed + 1
    return -1


class _Seen:
    """The visible text of the page so far."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._line: list[str] = []
        self._title: list[str] = []
        self._unseen = self._kept = 0  # how many elements deep it is not shown, or kept as it is
        self._in_title = False
        self._title_room = _LONGEST_UNCLOSED

    @property
    def title(self) -> str:
        return " ".join("".join(self._title).split())

    @property
    def text(self) -> str:
        self._end_line()
        return re.sub(r"\n{3,}", "\n\n", "\n".join(self._lines)).strip("\n")

    def begin(self, tag: str, attributes: str) -> None:
        if tag in _UNSEEN and not attributes.endswith("/"):
            self._unseen += 1
        elif tag == "img" and (found := _ALT.search(attributes)):
            self.take(unescape_html(next(filter(None, found.groups()), "")))
        self._mark(tag)
        self._in_title |= tag == "title" and not self._unseen  # pictures have titles of their own
        self._kept += tag == "pre"

    def end(self, tag: str) -> None:
        if tag in _UNSEEN:
            self._unseen = max(self._unseen - 1, 0)
        self._mark(tag)
        if tag == "pre":
            self._kept = max(self._kept - 1, 0)

    def take(self, text: str) -> None:
        if self._unseen:
            return
        if self._in_title:
            cut = self._title_room
            if len(text) > cut:  # between words, if there are any
                cut = text.rfind(" ", 0, cut) + 1 or cut
            self._title.append(text[:cut])
            text = text[cut:]
            self._title_room -= len(self._title[-1])
            self._in_title = not text
        if self._kept:
            *whole, rest = text.split("\n")
            for line in whole:
                self._line.append(line)
                self._end_line()
            self._line.append(rest)
        else:
            self._line.append(text)

    def _mark(self, tag: str) -> None:
        """End a line where a block begins or ends; put a space between cells."""
        if _is_paragraph(tag):
            self._end_line()
            self._lines.append("")
        elif _is_block(tag):
            self._end_line()
        elif tag in _CELLS:
            self._line.append(" ")

    def _end_line(self) -> None:
        line = "".join(self._line)
        self._line = []
        self._in_title = False  # also where it was never closed
        if self._kept:
            self._lines.append(line.rstrip())
        elif shown := " ".join(line.split()):
            self._lines.append(shown)
