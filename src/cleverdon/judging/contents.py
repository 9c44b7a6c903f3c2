"""The queries, documents and items of a project, read from files and written to the database.

Only the documents that are pooled are kept. Everything is written in one transaction, or nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, insert

from cleverdon._common.progress import Progress
from cleverdon.errors import InputError
from cleverdon.formats.columns import DESCRIPTIONS, NARRATIVES, TEXTS, URLS, first_known
from cleverdon.formats.inputs import open_source
from cleverdon.formats.records import Record
from cleverdon.formats.streams import name_of_stream
from cleverdon.formats.texts import Text, files_of, records_of
from cleverdon.judging import clock
from cleverdon.judging.html_text import address_of_html, begins_as_html, decoded_html, text_of_html
from cleverdon.judging.scale import Scale
from cleverdon.judging.store import schema

LONGEST_ID = 1_000  # characters; databases and addresses have limits too
_AT_ONCE = 1_000  # rows of an insert
_LONGEST_INSERT = 1 << 22  # characters of an insert: documents may be long
_EXAMPLES = 3
_PAGES = (".html", ".htm", ".xhtml")
_SINGLE = (*_PAGES, ".txt", ".md", ".text")  # files of a folder that may be one document each
# Addresses that lead to no document: a link to one would run a program.
_PROGRAMS = re.compile(r"[\x00-\x20]*(?:javascript|vbscript|data):", re.IGNORECASE)
_LONGEST_TITLE = 500  # characters: lists are full of titles
_LONGEST_URL = 2_000  # characters: no browser follows a longer one


def _check_id(name: str, *, source: str = "", line: int | None = None) -> None:
    """Raise an InputError where an id is too long; line 0 is no line."""
    if len(name) > LONGEST_ID:
        raise InputError(
            f"the id {name[:40] + '...'!r} has {len(name):,} characters, and {LONGEST_ID:,} are "
            "allowed",
            source=source,
            line=line or None,
        )


@dataclass(frozen=True)
class Query:
    """A query with its description and narrative, which TREC calls a topic."""

    name: str
    title: str
    description: str = ""
    narrative: str = ""

    def __post_init__(self) -> None:
        _check_id(self.name)


@dataclass(frozen=True)
class Document:
    """A document as plain text."""

    name: str
    title: str = ""
    text: str = ""
    url: str = ""

    def __post_init__(self) -> None:
        _check_id(self.name)


@dataclass(frozen=True)
class Item:
    """A document to judge for a query."""

    query: str
    document: str
    position: int | None  # within the query; None until an adaptive method gives it out
    wanted: int = 1
    gold: int | None = None
    stratum: int | None = None
    probability: float | None = None


def fill_database(
    connection: Connection,
    *,
    title: str,
    scale: Scale,
    queries: Iterable[Query],
    documents: Iterable[Document],
    items: Iterable[Item],
    settings: Mapping[str, Any],
) -> None:
    """Write the contents of a new project; `settings` are further ones, such as the seed."""
    known = {"title": title, "scale": scale.to_json(), "created_at": clock.now(), **settings}
    rows = ({"name": name, "value": value} for name, value in known.items())
    _insert(connection, schema.settings, rows)
    # Numbered here, from 1, so that both databases have the same numbers.
    query_ids: dict[str, int] = {}
    document_ids: dict[str, int] = {}

    def numbered(record: Query | Document, ids: dict[str, int]) -> dict[str, Any]:
        ids[record.name] = len(ids) + 1
        return {**vars(record), "id": len(ids)}

    rows = ({**numbered(one, query_ids), "position": len(query_ids)} for one in queries)
    _insert(connection, schema.queries, rows)
    _insert(connection, schema.documents, (numbered(one, document_ids) for one in documents))
    rows = (
        {"query_id": query_ids[one.query], "document_id": document_ids[one.document]}
        | {name: value for name, value in vars(one).items() if name not in ("query", "document")}
        for one in items
    )
    _insert(connection, schema.items, rows)


def _insert(connection: Connection, table: Table, rows: Iterable[Mapping[str, Any]]) -> None:
    waiting: list[Mapping[str, Any]] = []
    length = 0
    for row in rows:
        waiting.append(row)
        length += len(row.get("text", ""))
        if len(waiting) == _AT_ONCE or length > _LONGEST_INSERT:
            connection.execute(insert(table), waiting)
            waiting, length = [], 0
    if waiting:
        connection.execute(insert(table), waiting)


class _WantedIds:
    """Tells which ids of a file are wanted, and remembers the first that is not."""

    def __init__(self, ids: Collection[str]) -> None:
        self._ids = frozenset(ids)
        self._other: str | None = None

    def __call__(self, id: str) -> bool:
        if id in self._ids:
            return True
        if self._other is None:
            self._other = id
        return False

    @property
    def instead(self) -> str:
        """A hint that shows another id of the file."""
        return "" if self._other is None else f"; it has {self._other!r} for example"


def read_queries(
    path: str | os.PathLike[str], wanted: Collection[str], *, progress: Progress | None = None
) -> list[Query]:
    """Read the wanted queries in the order of the file; refuse a file that lacks one."""
    keep = _WantedIds(wanted)
    found: dict[str, Query] = {}
    for file in files_of(os.fspath(path), "queries"):
        source = name_of_stream(file)
        try:
            for record in records_of(file, keep=keep, queries=True, progress=progress):
                query = _query(record, source)
                if found.setdefault(record.id, query) != query:
                    raise InputError(
                        f"query {record.id!r} is there twice, and not the same: keep one of them",
                        source=source,
                        line=record.line or None,
                    )
        except FileNotFoundError:
            raise InputError("there is no such file", source=source) from None
    missing = sorted(set(wanted) - found.keys())
    if missing:
        examples = ", ".join(map(repr, missing[:_EXAMPLES]))
        raise InputError(
            f"{len(missing):,} of the {len(wanted):,} queries to judge are not there, such as "
            f"{examples}{keep.instead}: assessors would not know what is asked for; add them, or "
            "take their documents out of what is to be judged",
            source=name_of_stream(os.fspath(path)),
        )
    return list(found.values())


def _query(record: Record, source: str) -> Query:
    _check_id(record.id, source=source, line=record.line)
    title = Text(record.title, record.text).line
    if not title:
        raise InputError(
            f"query {record.id!r} has no text", source=source, line=record.line or None
        )
    description = record.field(DESCRIPTIONS) or (record.text.strip() if record.title else "")
    narrative = record.field(NARRATIVES)
    # Without a title, the description or the only text takes its place.
    if " ".join(description.split()) == title:
        description = ""
    return Query(record.id, *map(storable, (title, description, narrative)))


def storable(text: str) -> str:
    """Return a text that both databases accept: no surrogate halves, no zero characters."""
    text = text.replace("\x00", "")
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


class Documents:
    """The wanted documents, read one by one, each of them once.

    Documents that are in no file come last, empty: an assessor may know them by their ids. After
    reading, `missing` names them, and those that have only an address. It is an error if no
    document is found.
    """

    def __init__(
        self,
        paths: Sequence[str | os.PathLike[str]],
        wanted: Collection[str],
        *,
        progress: Progress | None = None,
    ) -> None:
        self._paths = [os.fspath(path) for path in paths]
        self._wanted = dict.fromkeys(wanted)
        self._keep = _WantedIds(self._wanted)
        self._progress = progress
        self._found: dict[str, bytes] = {}  # digests: two of an id must be the same
        self._with_address_alone: list[str] = []
        self.missing: list[str] = []

    def __len__(self) -> int:
        return len(self._wanted)

    def __iter__(self) -> Iterator[Document]:
        for path in self._paths:
            for file in files_of(path, "documents"):
                if len(self._found) == len(self._wanted):
                    break
                if _is_part_of_page(Path(file), Path(path)):
                    continue
                yield from self._new(self._of_file(file, Path(path)), name_of_stream(file))
        absent = [name for name in self._wanted if name not in self._found]
        if not self._found:
            raise InputError(
                f"has none of the {len(self._wanted):,} documents to judge, such as "
                f"{absent[0]!r}{self._keep.instead}: are these the right documents?",
                source=", ".join(map(name_of_stream, self._paths)),
            )
        yield from map(Document, absent)
        self.missing = absent + self._with_address_alone

    def _new(self, documents: Iterator[tuple[Document, int]], source: str) -> Iterator[Document]:
        for document, line in documents:
            if not (document.title or document.text or document.url):
                continue
            content = "\0".join((document.title, document.text, document.url))
            digest = blake2b(content.encode(), digest_size=16).digest()
            before = self._found.get(document.name)
            if before is None:
                self._found[document.name] = digest
                if not (document.title or document.text):
                    self._with_address_alone.append(document.name)
                yield document
            elif before != digest:
                raise InputError(
                    f"document {document.name!r} is there twice, and not the same: keep one of "
                    "them",
                    source=source,
                    line=line or None,
                )
            if len(self._found) == len(self._wanted):
                break

    def _of_file(self, file: str, given: Path) -> Iterator[tuple[Document, int]]:
        path = Path(file)
        single = path.suffix.casefold() in _SINGLE and (given.is_dir() or _is_page(path))
        if single and (name := self._named(path, given)):
            content, is_page = path.read_bytes(), _is_page(path)
            text = decoded_html(content) if is_page else content.decode("utf-8-sig", "replace")
            url = address_of_html(text) if is_page else ""
            yield _document(name, "", text, url, is_html=is_page), 0
        elif not (single and given.is_dir()):
            try:
                records = records_of(file, keep=self._keep, progress=self._progress)
                with closing(records):
                    for record in records:
                        _check_id(record.id, source=name_of_stream(file), line=record.line)
                        yield _of_record(record), record.line
            except FileNotFoundError:
                raise InputError("there is no such file", source=name_of_stream(file)) from None

    def _named(self, path: Path, given: Path) -> str | None:
        """Return the document of a file, by its path or name, with or without ending."""
        relative = path.relative_to(given) if given.is_dir() else Path(path.name)
        names = (relative, relative.with_suffix(""), Path(path.name), Path(path.stem))
        return next((name.as_posix() for name in names if name.as_posix() in self._wanted), None)


def _is_page(path: Path) -> bool:
    return path.suffix.casefold() in _PAGES


def _is_part_of_page(file: Path, given: Path) -> bool:
    """Tell whether a browser saved a file with a page: parts of page.html lie in page_files."""
    return any(
        folder.name.endswith("_files")
        and any(folder.with_name(folder.name[: -len("_files")] + end).is_file() for end in _PAGES)
        for folder in file.parents
        if folder != given and given in folder.parents
    )


def _of_record(record: Record) -> Document:
    # If there is another text besides the HTML, the collection considers that one the text.
    text_field = first_known(list(record.fields), TEXTS)
    is_html = text_field is not None and text_field.strip().casefold() == "html"
    return _document(record.id, record.title, record.text, record.field(URLS), is_html=is_html)


def _document(name: str, title: str, text: str, url: str, *, is_html: bool) -> Document:
    if is_html or begins_as_html(text):
        heading, text = text_of_html(text)
        title = title or heading
    title, text, url = " ".join(title.split()), text.strip("\r\n"), storable(" ".join(url.split()))
    if len(title) > _LONGEST_TITLE:
        text = f"{title}\n\n{text}".rstrip("\n")  # so that nothing of it is lost
        title = title[: _LONGEST_TITLE - 1] + "…"
    if _PROGRAMS.match(url) or len(url) > _LONGEST_URL:
        url = ""
    return Document(name, storable(title), storable(text), url)


def line_of(query: str, document: str, source: str) -> int | None:
    """Return the first line that names both; None where lines do not show it."""
    wanted = query.encode(), document.encode()
    for number, line in enumerate(open_source(source).head(2**62).split(b"\n"), start=1):
        if all(text in line for text in wanted):
            fields = line.replace(b",", b" ").replace(b'"', b" ").split()
            if all(text in fields for text in wanted):
                return number
    return None
