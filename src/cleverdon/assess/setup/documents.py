"""Documents as assessors read them: a title, plain text, an address. Only those that are pooled."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from hashlib import blake2b
from pathlib import Path

from cleverdon.assess.setup.filling import Document, check_id
from cleverdon.assess.setup.html_text import (
    address_of_html,
    begins_as_html,
    decoded_html,
    text_of_html,
)
from cleverdon.assess.setup.topics import storable
from cleverdon.assess.setup.wanted import Wanted
from cleverdon.errors import InputError
from cleverdon.read.records import TEXTS, URLS, Record, known
from cleverdon.read.texts import files_of, records_of
from cleverdon.read.unpacked import Progress, name_of_stream

_PAGES = (".html", ".htm", ".xhtml")
_SINGLE = (*_PAGES, ".txt", ".md", ".text")
"""Files of a folder that may be a document each, called by their names."""

_PROGRAMS = re.compile(r"[\x00-\x20]*(?:javascript|vbscript|data):", re.IGNORECASE)
"""Addresses that lead to no document: whoever made a link of one would run it."""

_LONGEST_TITLE = 500
"""Characters: lists are full of titles."""
_LONGEST_URL = 2_000
"""Characters; no browser needs to follow a longer one, and a part of it leads elsewhere."""


class Documents:
    """The documents that are wanted, read as they are asked for, and each of them given once.

    Those that are in no file come last, empty: an assessor may know them by their ids. `missing`
    says which these are, and which have an address alone, once all was read; where none was found
    at all, that is an error.
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
        self._keep = Wanted(self._wanted)
        self._progress = progress
        self._found: dict[str, bytes] = {}  # digests: two of an id must be the same
        self._with_address_alone: list[str] = []
        self.missing: list[str] = []

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
                        check_id(record.id, source=name_of_stream(file), line=record.line)
                        yield _of_record(record), record.line
            except FileNotFoundError:
                raise InputError("there is no such file", source=name_of_stream(file)) from None

    def _named(self, path: Path, given: Path) -> str | None:
        """The document that a file is: called as its path or its name, with or without ending."""
        relative = path.relative_to(given) if given.is_dir() else Path(path.name)
        names = (relative, relative.with_suffix(""), Path(path.name), Path(path.stem))
        return next((name.as_posix() for name in names if name.as_posix() in self._wanted), None)


def _is_page(path: Path) -> bool:
    return path.suffix.casefold() in _PAGES


def _is_part_of_page(file: Path, given: Path) -> bool:
    """Whether a browser saved a file beside a page: pictures of page.html lie in page_files."""
    return any(
        folder.name.endswith("_files")
        and any(folder.with_name(folder.name[: -len("_files")] + end).is_file() for end in _PAGES)
        for folder in file.parents
        if folder != given and given in folder.parents
    )


def _of_record(record: Record) -> Document:
    # Where there is another text beside the HTML, that is what the collection holds to be the text.
    text_field = known(list(record.fields), TEXTS)
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
