"""The ids of a collection's documents, streamed: of a list of them, or of the documents."""

from __future__ import annotations

import os
from collections.abc import Iterator

from cleverdon.errors import InputError
from cleverdon.read.records import IDS
from cleverdon.read.texts import records_of
from cleverdon.read.unpacked import Progress, decoded, name_of_stream, unpacked


def read_ids(path: str | os.PathLike[str], *, progress: Progress | None = None) -> Iterator[str]:
    """Every id, in the order of the file: one a line, or of any file that `read_texts` reads.

    A first line that is a name of ids, such as doc_id, is taken for a header.
    """
    path = os.fspath(path)
    check_there(path)
    if not _is_list(path):
        for record in records_of(path, keep=_all, progress=progress):
            yield record.id
        return
    source = name_of_stream(path)
    with unpacked(path, progress=progress) as stream:
        for number, line in enumerate(stream, start=1):
            id = decoded(
                line, source=source, line=number, encoding="utf-8-sig" if number == 1 else "utf-8"
            ).strip()
            if not id or (number == 1 and id.casefold() in IDS):
                continue
            if len(id.split()) > 1:
                raise InputError(
                    f"expected one id a line, found {id[:40]!r}", source=source, line=number
                )
            yield id


def check_there(path: str) -> None:
    """A file that is not there is said as of judgments and runs."""
    if path != "-" and not os.path.exists(path):
        raise InputError("there is no such file", source=path)


def _all(id: str) -> bool:
    return True


def _is_list(path: str) -> bool:
    """Whether a file has one word a line, as its first line shows."""
    with unpacked(path) as stream:
        for line in stream:
            start = line.removeprefix(b"\xef\xbb\xbf").strip()
            if start:
                return (
                    len(start.split()) == 1
                    and not start.startswith((b"{", b"[", b"<", b"PAR1", b"ARROW1", b"PK\x03\x04"))
                    and b"\0" not in start
                    and b"," not in start
                )
    raise InputError("is empty", source=name_of_stream(path))
