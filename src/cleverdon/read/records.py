"""Records with an id, a title and a text: the names that people give to these, and JSON.

A format's reader yields records one after the other. It asks `keep` about each id as soon as it
has seen it, and does not look closer at a record that nobody wants. What a record says beside its
title and text, as of a document's address or a topic's narrative, is in its `fields`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple

from cleverdon.errors import InputError
from cleverdon.read.mapping import parse_json
from cleverdon.read.unpacked import decoded

IDS = (
    *("_id", "id", "docno", "pid", "passage_id", "docid", "doc_id", "doc-id", "did", "document_id"),
    *("query_id", "query-id", "queryid", "qid", "q_id", "question_id", "topic_id", "topic"),
    *("number", "num", "corpus-id", "corpus_id"),
)
"""What ids are called. A passage of MS MARCO has an id of its own beside its document's."""
TITLES = ("title", "headline")
TEXTS = (
    *("text", "contents", "content", "body", "passage", "segment", "abstract", "query", "question"),
    *("query_text", "query_txt", "description", "desc", "html"),
)
URLS = ("url", "uri", "link", "href")
"""What a document's address is called."""
DESCRIPTIONS = ("description", "desc", "question", "information_need")
NARRATIVES = ("narrative", "narr", "background", "summary")
"""What topics say beside their title: in a sentence, and what is relevant and what is not."""
FURTHER = (*URLS, "html", *DESCRIPTIONS, *NARRATIVES)
"""Fields of a table that are worth reading beside the title and the text."""

Keep = Callable[[str], bool]


_NOTHING: Mapping[str, Any] = MappingProxyType({})


class Record(NamedTuple):
    """A title and a text by their id, and the line they begin on (0 where there are no lines)."""

    id: str
    title: str
    text: str
    line: int
    fields: Mapping[str, Any] = _NOTHING  # all that it says, or what it says beside these

    def field(self, wanted: Sequence[str]) -> str:
        """What stands in the first field of these names; empty where there is none.

        Collections in the format of BEIR have further fields in one that is called metadata.
        """
        for fields in (self.fields, self.fields.get("metadata")):
            if isinstance(fields, Mapping) and (name := known(list(fields), wanted)):
                return plain(fields[name]).strip()
        return ""


Records = Generator[Record, None, None]


def known(names: Sequence[str], wanted: Sequence[str]) -> str | None:
    """Of a record's or a table's names, the one that stands first among the wanted ones."""
    folded = {str(name).strip().casefold(): name for name in reversed(names)}
    return next((folded[name] for name in wanted if name in folded), None)


def from_json(lines: Iterator[bytes], *, first: bytes, source: str, keep: Keep) -> Records:
    """Records of JSON: an object a line, or all in one object or list."""
    # An object that is closed on its line, with another one below it, is a line of JSONL.
    try:
        start = json.loads(first)
    except (ValueError, RecursionError):
        start = None
    if isinstance(start, dict):
        seen: list[bytes] = []
        for line in lines:
            seen.append(line)
            if sum(map(bool, map(bytes.strip, seen))) == 2:
                return _from_lines(chain(seen, lines), source=source, keep=keep)
        if known(list(start), IDS) and known(list(start), (*TEXTS, *TITLES)):
            return _from_lines(iter(seen), source=source, keep=keep)
        lines = iter(seen)
    whole = parse_json(b"".join(lines), source=source)
    if isinstance(whole, dict):
        return from_mapping(whole, source=source, keep=keep)
    return from_objects(((0, found) for found in whole), source=source, keep=keep)


def _from_lines(lines: Iterable[bytes], *, source: str, keep: Keep) -> Records:
    name = b""

    def objects() -> Iterator[tuple[int, Any]]:
        nonlocal name
        for number, line in enumerate(lines, start=1):
            if (name and not _may_be_kept(line, name, keep)) or not line.strip():
                continue
            try:
                found = json.loads(decoded(line, source=source, line=number))
            except json.JSONDecodeError as error:
                place = {"line": number, "column": error.colno}
                raise InputError(error.msg, source=source, **place) from None
            except (RecursionError, ValueError) as error:
                raise InputError(f"is no JSON: {error}", source=source, line=number) from None
            if not name and isinstance(found, dict):
                name = b'"%s"' % (known(list(found), IDS) or "").encode()
            yield number, found

    return from_objects(objects(), source=source, keep=keep)


_VALUE = re.compile(rb'\s*:\s*(?:"([^"\\]*)"|(-?\d+)(?=[\s,}]))')


def _may_be_kept(line: bytes, name: bytes, keep: Keep) -> bool:
    """Whether a line of JSON has a wanted id, as far as can be seen without parsing it.

    Where the id is not the first field, all places where its name stands are looked at: the same
    name may occur within a nested object. Where a value is not as plain as ids are, parsing has to
    decide.
    """
    at = line.find(name)
    if at < 0:
        return True
    comes_first = line[:at].strip() == b"{"
    while at >= 0:
        value = _VALUE.match(line, at + len(name))
        if value is None or keep(str(value[value.lastindex or 0], "utf-8", "replace").strip()):
            return True
        at = -1 if comes_first else line.find(name, value.end())
    return False


def from_objects(objects: Iterable[tuple[int, Any]], *, source: str, keep: Keep) -> Records:
    """Records of objects (line, fields). The first one shows which field is the id."""
    name: str | None = None
    for place, (line, found) in enumerate(objects, start=1):
        where: dict[str, Any] = {"source": source, "line": line or None}
        what = "the object" if line else f"record {place}"
        if not isinstance(found, Mapping):
            raise InputError(f"expected an object with id and text, found {found!r:.40}", **where)
        if name is None:
            name = known(list(found), IDS)
            if name is None:
                raise InputError(_no_field(what, "an id", IDS, found), **where)
        if name not in found:
            raise InputError(f"{what} has no {name!r}, which is the id of those before", **where)
        id = id_of(found[name], **where)
        if keep(id):
            yield Record(id, *_title_and_text(found, what=what, where=where), line, found)


def from_mapping(texts: Mapping[Any, Any], *, source: str, keep: Keep) -> Records:
    """Records of a dict: an id to its text, or to a dict with title and text."""
    for key, value in texts.items():
        id = id_of(key, source=source)
        if not keep(id):
            continue
        if isinstance(value, Mapping):
            where = {"source": source}
            yield Record(id, *_title_and_text(value, what=repr(id), where=where), 0, value)
        elif isinstance(value, str) or value is None:
            yield Record(id, "", value or "", 0)
        else:
            kind = type(value).__name__
            raise InputError(
                f"{id!r}: expected a text, or a dict with title and text, found {kind}",
                source=source,
            )


def id_of(value: Any, *, source: str, line: int | None = None) -> str:
    """An id as text; numbers are ids as well."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and value.strip():
        return value.strip()
    raise InputError(f"expected an id, found {value!r:.40}", source=source, line=line)


def _title_and_text(
    fields: Mapping[str, Any], *, what: str, where: dict[str, Any]
) -> tuple[str, str]:
    names = list(fields)
    title, text = known(names, TITLES), known(names, TEXTS)
    if title is None and text is None and known(names, URLS) is None:
        raise InputError(_no_field(what, "a text", (*TEXTS, *TITLES), names), **where)
    return (plain(fields[title]) if title else ""), (plain(fields[text]) if text else "")


def plain(value: Any) -> str:
    """The text in a JSON value: some collections keep theirs as a list of paragraphs.

    >>> plain(["One.", None, {"type": "caption", "content": "Two."}])
    'One.\\nTwo.'
    """
    found, waiting = [], [value]
    while waiting:  # not by recursion: JSON may be nested almost as deeply as Python goes
        part = waiting.pop()
        if isinstance(part, Mapping):
            name = known(list(part), TEXTS)
            waiting += [part[name]] if name else []
        elif isinstance(part, (list, tuple)):
            waiting += reversed(part)
        elif part is not None:
            found.append(str(part))
    return "\n".join(filter(None, found))


def _no_field(what: str, lacking: str, expected: Iterable[str], found: Iterable[str]) -> str:
    allowed = ", ".join(expected)
    there = ", ".join(" ".join(str(name).split()) for name in found) or "none"
    return f"{what} has no field for {lacking}: expected one of {allowed}; found {there}"
