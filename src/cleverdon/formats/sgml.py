"""Texts between tags: TREC's topics and documents, and queries in XML.

TREC's files look like SGML but follow no grammar: tags are closed or not, ampersands stand
alone. So they are not parsed. A record begins where its tag begins, and ends where the next one
does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import unescape

from cleverdon.errors import InputError
from cleverdon.formats.records import Keep, Record, Records
from cleverdon.formats.streams import decode_text

_ENDLESS = re.compile("&#[0-9]{100,};?")
"""No character has such a number, and Python reads none of some thousand digits."""


def unescape_html(text: str) -> str:
    """Return a text with its references resolved; one that leads nowhere is the mark for that.

    >>> unescape_html("Fish &amp; chips, &#8364;5"), unescape_html(f"&#{'9' * 5_000};")
    ('Fish & chips, €5', '\ufffd')
    """
    try:
        return unescape(text)
    except ValueError:
        return unescape(_ENDLESS.sub("\ufffd", text))


_BEGIN = re.compile(rb"<(doc|top|topic|query)(?=[\s>])", re.IGNORECASE)
_ENCODING = re.compile(rb"<\?xml[^>]*\bencoding\s*=\s*[\"']([\w.-]+)")
_ATTRIBUTE = re.compile(rb"<\w+\s[^<>]*?\b(?:number|num|id|qid|docno)\s*=\s*[\"']([^\"'<>]+)[\"']")
# A document has a number beside that of the collection, and a query may name a document.
_IDS = ("docno", "num", "number", "qid", "query_id", "topic_id", "identifier", "id", "docid")
_ID = [re.compile(rb"<%s>([^<]*)" % name.encode(), re.IGNORECASE) for name in _IDS]
_TOPIC_TITLES = ("title", "query", "content")
_TOPIC_FIELDS = {
    "description": ("desc", "description", "question"),
    "narrative": ("narr", "narrative", "background", "summary"),
}
_TOPIC_TEXTS = tuple(name for names in _TOPIC_FIELDS.values() for name in names)
_DOCUMENT_TITLES = ("title", "headline", "head", "hl", "ttl", "h3")
_DOCUMENT_TEXTS = ("leadpara", "text", "body")

_LABEL = re.compile(
    r"\s*(?:number|topic|title|description|narrative|summary|question)[ \t]*(?::|\n(?=\s*\S))",
    re.IGNORECASE,
)
# Web collections have the address in a tag of its own, or as the first word of a header.
_ADDRESS = re.compile(r"<(?:url|dochdr)>\s*(\w+://[^\s<>]+)", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?-->|<(script|style)\b.*?</\1\s*>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<!\[CDATA\[|\]\]>|</?[a-zA-Z!?][^<>]*>")


def from_tags(lines: Iterable[bytes], *, source: str, keep: Keep) -> Records:
    """Read records of `<DOC>`, `<top>`, `<topic>` or `<query>`, whichever comes first."""
    encoding = "utf-8"
    begin: re.Pattern[bytes] | None = None
    mark = b"<"
    record: list[bytes] = []
    begun = 1
    for number, line in enumerate(lines, start=1):
        if mark in line:
            if begin is None:
                encoding = _declared(line) or encoding
                if (first := _BEGIN.search(line)) is None:
                    continue
                mark = b"<" + first[1]
                begin = re.compile(mark + rb"(?=[\s>])")
            rest = 0
            for match in begin.finditer(line):
                record.append(line[rest : match.start()])
                yield from _record(record, begun, source=source, keep=keep, encoding=encoding)
                record, begun, rest = [], number, match.start()
            line = line[rest:]
        if begin is not None:
            record.append(line)
    if begin is None:
        raise InputError(
            "has tags, but none of <DOC>, <top>, <topic> or <query>, which hold TREC's documents "
            "and queries",
            source=source,
        )
    yield from _record(record, begun, source=source, keep=keep, encoding=encoding)


def _declared(line: bytes) -> str | None:
    """Return the encoding that XML declares, where Python knows it."""
    if (found := _ENCODING.search(line)) is None:
        return None
    name = found[1].decode()
    try:
        # What does not leave letters as they are is no encoding in which tags could be found.
        return name if b"<a>".decode(name) == "<a>" else None
    except (LookupError, UnicodeError):
        return None


def _record(lines: list[bytes], line: int, *, source: str, keep: Keep, encoding: str) -> Records:
    markup = b"".join(lines)
    if _BEGIN.match(markup) is None:
        return  # what stands before the first record
    found = _id_in(markup)
    if not found:
        raise InputError(
            f"no id: expected an attribute number or id, or a tag of {', '.join(_IDS)}",
            source=source,
            line=line,
        )
    id = unescape_html(decode_text(found, source=source, line=line, encoding=encoding))
    if not keep(id):
        # Early queries are numbered 051 where their judgments say 51.
        id = id.lstrip("0")
        if not keep(id):
            return
    text = decode_text(markup, source=source, line=line, encoding=encoding)
    plain = _COMMENT.sub(" ", text)
    yield Record(id, *_title_and_text(plain), line, _fields(plain))


def _id_in(markup: bytes) -> bytes:
    if attribute := _ATTRIBUTE.match(markup):
        return attribute[1].strip()
    tagged = next(filter(None, (name.search(markup) for name in _ID)), None)
    return b"" if tagged is None else re.sub(rb"(?i)^\s*number\s*:", b"", tagged[1]).strip()


def _title_and_text(markup: str) -> tuple[str, str]:
    start, _, inner = markup.partition(">")
    if start.casefold().startswith("<doc"):
        title = next(filter(None, (_first(inner, name) for name in _DOCUMENT_TITLES)), "")
        texts = [part for name in _DOCUMENT_TEXTS for part in _within(inner, name)]
        return _plain(title), "\n".join(map(_plain, texts)) if texts else _rest(inner)
    title = next(filter(None, (_first(inner, name) for name in _TOPIC_TITLES)), "")
    texts = [part for name in _TOPIC_TEXTS for part in _within(inner, name)]
    title, text = _unlabelled(title), "\n\n".join(filter(None, map(_unlabelled, texts)))
    return title, text if title or text else _rest(inner)


def _fields(markup: str) -> dict[str, str]:
    """Return a query's fields other than its title; of a document, its address."""
    start, _, inner = markup.partition(">")
    if start.casefold().startswith("<doc"):
        found = _ADDRESS.search(inner)
        return {"url": unescape_html(found[1])} if found else {}
    parts = {
        field: [_unlabelled(part) for name in names for part in _within(inner, name)]
        for field, names in _TOPIC_FIELDS.items()
    }
    return {field: "\n\n".join(filter(None, texts)) for field, texts in parts.items() if any(texts)}


def _within(markup: str, name: str) -> list[str]:
    """Return the content of each element: up to its closing tag, or else to the next tag."""
    parts = []
    begin, end = (re.compile(rf"<{mark}{name}(?:\s[^<>]*)?>", re.IGNORECASE) for mark in ("", "/"))
    at = 0
    while opened := begin.search(markup, at):
        closed = end.search(markup, opened.end()) or _TAG.search(markup, opened.end())
        at = closed.start() if closed else len(markup)
        parts.append(markup[opened.end() : at])
    return parts


def _first(markup: str, name: str) -> str:
    return next(filter(str.strip, _within(markup, name)), "")


def _unlabelled(markup: str) -> str:
    """Remove the label that TREC's topics repeat in words: `<desc> Description:`."""
    return _plain(_LABEL.sub("", markup, count=1) if _LABEL.match(markup) else markup)


def _rest(markup: str) -> str:
    """Return all but ids and headers, where no tag marks the text."""
    names = "|".join((*_IDS, *_DOCUMENT_TITLES, "dochdr"))
    markup = re.sub(rf"<({names})>.*?</\1\s*>", " ", markup, flags=re.IGNORECASE | re.DOTALL)
    return _plain(markup)


def _plain(markup: str) -> str:
    return unescape_html(_TAG.sub(" ", markup)).strip()
