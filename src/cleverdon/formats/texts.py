"""The texts, or just the ids, of queries and documents.

A collection may have millions of documents of which a few are shown. So files are streamed,
only what is wanted is kept, and reading ends once all of it is found.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sized
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import Any

from cleverdon._common.progress import Progress
from cleverdon.errors import InputError, OptionError, check_word
from cleverdon.formats import ARROW, ARROW_STREAM, PARQUET
from cleverdon.formats.columns import (
    HEAD,
    IDS,
    ending_of,
    fold,
    naming_columns,
    without_separator_line,
)
from cleverdon.formats.detection import is_workbook
from cleverdon.formats.records import (
    Keep,
    Records,
    from_columns,
    from_json,
    from_mapping,
    from_objects,
    from_query_list,
    from_sheet,
    from_table,
    from_table_file,
)
from cleverdon.formats.sgml import from_tags
from cleverdon.formats.streams import name_of_stream, open_unpacked, stripped_lines

_TEXT_FORMATS = {
    "JSONL": "an object a line, with an id (_id, id, docid, qid), a title, a text (text, contents)",
    "JSON": '{"id": "text"}, {"id": {"title": "...", "text": "..."}}, or a list of objects',
    "columns": "id and text by tabs; id, title, text; id, url, title, text; or CSV under a header",
    "TREC": "<top> with <num> and <title>, <topic number=...>, <DOC> with <DOCNO> and <TEXT>",
    "Parquet, Arrow": "by the names of the columns",
    "a list": "in a .txt file one query a line, which is its own id",
}
"""The formats that are recognised, each with what it looks like."""

_FILES = {"queries": "queries.jsonl", "documents": "corpus.jsonl"}
_NO_DATA = (".", "_", "readme", "readchg")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")


@dataclass(frozen=True)
class Text:
    """The title and the text of a query or a document; either may be empty."""

    title: str
    text: str

    @cached_property
    def line(self) -> str:
        """The title, or where there is none the text, on one line.

        >>> Text("", "Who wrote\\n  it?").line
        'Who wrote it?'
        """
        return " ".join(_CONTROL.sub(" ", self.title).split()) or " ".join(
            _CONTROL.sub(" ", self.text).split()
        )


def read_texts(
    data: Any,
    *,
    wanted: Container[str] | None = None,
    limit: int | None = None,
    kind: str | None = None,
    columns: Mapping[str, Any] | str | None = None,
    fields: dict[str, Mapping[str, Any]] | None = None,
    progress: Progress | None = None,
) -> dict[str, Text]:
    """Read the texts of queries or documents by their ids, of a file, a folder, a dict, or a table.

    `wanted` says which ids are kept; ids without a text are not in the result. Longer texts are
    cut to `limit` characters, the last of which is then an ellipsis. `kind` (queries, documents)
    tells which file of a BEIR folder is meant. `columns` names columns of a table by what they are:
    `{"query": "ID", "text": "Query Text"}`. `fields` is filled with all fields of each record.

    >>> read_texts({"q1": "first", "q2": {"title": "second", "text": "more"}}, wanted={"q2"})
    {'q2': Text(title='second', text='more')}
    """
    if kind is not None:
        check_word("kind", kind, _FILES)
    if limit is not None and limit < 1:
        raise OptionError(f"limit={limit} leaves no text; give 1 or more, or None")
    found = _Found(wanted, limit, fields)
    with naming_columns(columns, strict=True):
        _add_texts(found, data, kind=kind, progress=progress)
    return found.texts


def texts_of(given: Any, wanted: Callable[[], Collection[str]], *, kind: str) -> Mapping[str, Text]:
    """Return the texts that were given, or read those that are wanted; none where none are given.

    >>> texts_of({"q1": "first", "q2": "second"}, lambda: ["q1"], kind="queries")
    {'q1': Text(title='', text='first')}
    """
    if given is None:
        return {}
    if isinstance(given, Mapping) and all(isinstance(text, Text) for text in given.values()):
        return given
    return read_texts(given, wanted=frozenset(wanted()), kind=kind)


def _add_texts(
    found: _Found, data: Any, *, kind: str | None, progress: Progress | None = None
) -> None:
    if type(data).__module__.partition(".")[0] == "datasets":
        from cleverdon.formats.arrow import as_arrow  # only for such objects

        data = as_arrow(data, "")
    if isinstance(data, (str, os.PathLike)):
        for path in files_of(os.fspath(data), kind):
            if found.complete:
                break
            how: dict[str, Any] = {"progress": progress, "queries": kind == "queries"}
            found.add(records_of(path, keep=found.keep, **how), name_of_stream(path))
    elif isinstance(data, Mapping):
        # Texts that were read before, such as Topics, are read as the dicts that they stand for.
        data = {
            id: {"title": text.title, "text": text.text} if isinstance(text, Text) else text
            for id, text in data.items()
        }
        found.add(from_mapping(data, source="", keep=found.keep), "")
    elif hasattr(data, "__arrow_c_stream__"):
        found.add(from_table(data, source=type(data).__name__, keep=found.keep), "")
    elif isinstance(data, Iterable):
        objects = ((0, fields) for fields in data)
        found.add(from_objects(objects, source="", keep=found.keep), "")
    else:
        raise InputError(
            f"{type(data).__name__!r} cannot be read as texts: give a file, a folder, "
            'a dict {"id": "text"}, or a table'
        )


class _Found:
    def __init__(
        self,
        wanted: Container[str] | None,
        limit: int | None,
        fields: dict[str, Mapping[str, Any]] | None,
    ) -> None:
        if isinstance(wanted, (list, tuple)):
            wanted = frozenset(wanted)
        self.texts: dict[str, Text] = {}
        self._places: dict[str, str] = {}
        self._limit = limit
        self._fields = fields
        self._enough = len(wanted) if isinstance(wanted, Sized) else None
        self.keep: Keep = (lambda _: True) if wanted is None else wanted.__contains__

    @property
    def complete(self) -> bool:
        """Tell whether all wanted texts are found."""
        return len(self.texts) == self._enough

    def add(self, records: Records, source: str) -> None:
        """Keep these, until all that is wanted is there."""
        with closing(records):
            for id, title, text, line, fields in records:
                made = Text(self._cut(title), self._cut(text))
                if id not in self.texts:
                    self.texts[id] = made
                    self._places[id] = f"{source}:{line}" if line else source
                    if self._fields is not None:
                        self._fields[id] = fields
                elif self.texts[id] != made:
                    before = self._places[id].removeprefix(f"{source}:")
                    where = f"first {'on line' if before.isdigit() else 'in'} {before}"
                    message = f"{id!r} has two different texts{', ' + where if before else ''}"
                    raise InputError(message, source=source, line=line or None)
                if self.complete:
                    break

    def _cut(self, text: str) -> str:
        text = text.strip()
        if self._limit is not None and len(text) > self._limit:
            text = text[: self._limit - 1] + "…"
        # JSON may hold one half of a surrogate pair, which no file can be written with.
        return text if text.isascii() else text.encode("utf-8", "replace").decode()


def files_of(path: str, kind: str | None) -> list[str]:
    """Return the files that hold the texts: the one that is named, or those of a folder."""
    folder = Path(path)
    if path == "-" or not folder.is_dir():
        return [path]
    if any((folder / name).is_file() for name in ("state.json", "dataset_dict.json")):
        from cleverdon.formats.inputs import open_source  # which opens such folders

        first = Path(open_source(path).path)
        return [str(file) for file in sorted(first.parent.glob("*.arrow"))]
    files = sorted(
        file
        for file in folder.rglob("*")
        if file.is_file() and not file.name.casefold().startswith(_NO_DATA)
    )
    for name, file in _FILES.items():
        of_kind = [found for found in files if found.name.startswith(file)]
        if of_kind and kind == name:
            return [str(of_kind[0])]
    if kind is None and {file.name for file in files} >= set(_FILES.values()):
        raise InputError(f"holds {' and '.join(_FILES.values())}; name the one", source=path)
    if not files:
        raise InputError("is a folder without files", source=path)
    return [str(file) for file in files]


def records_of(
    path: str, *, keep: Keep, queries: bool = False, progress: Progress | None = None
) -> Records:
    """Return the records of one file, read as they are asked for.

    `queries` says that they are queries: a .txt file may then have one a line, without ids.
    """
    source = name_of_stream(path)
    file = path if os.path.exists(path) else path.rpartition("#")[0] or path
    with open_unpacked(file, progress=progress) as stream:
        head = stream.peek(HEAD)
        if is_workbook(head, file):
            yield from from_sheet(stream.read(), path=path, keep=keep)
            return
        if head.startswith((PARQUET, ARROW, ARROW_STREAM)):
            from cleverdon.formats.arrow import is_uncompressed  # only for such files

            format = "parquet" if head.startswith(PARQUET) else "arrow"
            table = path if is_uncompressed(path) else stream.read()
            yield from from_table_file(table, format=format, source=source, keep=keep)
        else:
            yield from _from_text(stream, source=source, keep=keep, queries=queries)


def _from_text(stream: BufferedReader, *, source: str, keep: Keep, queries: bool) -> Records:
    begun: list[bytes] = []
    separator = None
    for line in stream:
        begun.append(line if begun else line.removeprefix(b"\xef\xbb\xbf"))
        if begun[-1].strip():
            separator, below = without_separator_line(begun[-1].decode("utf-8", "replace"))
            if separator is None:
                break
            begun[-1] = below.encode()
            begun.append(next(stream, b""))
            break
    else:
        raise InputError("is empty", source=source)
    lines, first = chain(begun, stream), begun[-1]
    start = first.lstrip()[:1]
    if first.startswith(b"PK\x03\x04"):
        raise InputError("is a zip archive; unpack it first", source=source)
    if start in (b"{", b"["):
        return from_json(lines, first=first, source=source, keep=keep)
    if start == b"<":
        return from_tags(lines, source=source, keep=keep)
    records = from_columns(lines, first=first, separator=separator, source=source, keep=keep)
    if records is None and queries and ending_of(source) == ".txt":
        return from_query_list(lines, first=first, source=source, keep=keep)
    if records is None:
        known = "; ".join(f"{name}: {look}" for name, look in _TEXT_FORMATS.items())
        raise InputError(f"is in no known format of texts. Known are {known}", source=source)
    return records


def read_ids(
    path: str | os.PathLike[str], *, kind: str = "documents", progress: Progress | None = None
) -> Iterator[str]:
    """Read every id, in the order of the file: one a line, or of any file that `read_texts` reads.

    A first line that is a name of ids, such as doc_id, is taken for a header. In a list of queries
    (`kind`), an id may hold blanks, as in `read_texts`.
    """
    path = os.fspath(path)
    file = path if os.path.exists(path) else path.rpartition("#")[0] or path
    check_file_exists(file)
    queries = kind == "queries"
    if os.path.isdir(file) or not _is_list(file) or (queries and ending_of(path) == ".txt"):
        for part in files_of(path, kind):
            for record in records_of(part, keep=lambda _: True, queries=queries, progress=progress):
                yield record.id
        return
    for number, id in stripped_lines(path, progress=progress):
        if number == 1 and fold(id) in map(fold, IDS):
            continue
        if len(id.split()) > 1:
            message = f"expected one id a line, found {id[:40]!r}"
            raise InputError(message, source=name_of_stream(path), line=number)
        yield id


def list_ids(ids: Collection[str], file: str | None, *, kind: str) -> list[str] | None:
    """Return ids and those of a file, each once; None where neither is given."""
    if not ids and file is None:
        return None
    return list(dict.fromkeys([*ids, *(read_ids(file, kind=kind) if file else ())]))


def check_file_exists(path: str) -> None:
    """Raise the InputError of judgments and runs where a file does not exist."""
    if path != "-" and not os.path.exists(path):
        raise InputError("there is no such file", source=path)


def _is_list(path: str) -> bool:
    """Tell whether a file has one word a line, by its first line."""
    with open_unpacked(path) as stream:
        for line in stream:
            start = line.removeprefix(b"\xef\xbb\xbf").strip()
            if start:
                return (
                    len(start.split()) == 1
                    and not start.startswith((b"{", b"[", b"<", b"PAR1", b"ARROW1", b"PK\x03\x04"))
                    and b"\0" not in start
                    and b"," not in start
                    and without_separator_line(start.decode("utf-8", "replace"))[0] is None
                )
    raise InputError("is empty", source=name_of_stream(path))
