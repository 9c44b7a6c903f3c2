"""A collection as a file of JSON lines, whatever it came as: what every engine is given to index.

Collections come as JSONL, TSV, TREC or Parquet, some of which have to be held in memory to be read.
Read once and written down plainly, they cost the same to read for every engine and every size, and
next to no memory.
"""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from cleverdon.arrays import Ints
from cleverdon.engine.indexing.child import read_lines
from cleverdon.engine.protocol import Document
from cleverdon.errors import InputError, OptionError, check_count
from cleverdon.read.texts import files_of, records_of
from cleverdon.read.unpacked import name_of_stream

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Prepared:
    """Documents as a file: an object with id, title and text on each line."""

    path: str
    sizes: Ints  # bytes of each document's title and text, in UTF-8

    @property
    def documents(self) -> int:
        """How many there are."""
        return len(self.sizes)

    @property
    def bytes(self) -> int:
        """How much text it is, without ids and what JSON adds."""
        return int(self.sizes.sum())


def _documents_of(path: str, progress: Progress | None) -> Iterator[Document]:
    """The documents of a file, read as they are asked for."""
    try:
        with closing(records_of(path, keep=lambda _: True, progress=progress)) as records:
            for record in records:
                yield Document(record.id, _whole(record.title), _whole(record.text))
    except FileNotFoundError:
        raise InputError("there is no such collection", source=path) from None


def prepare(collection: Sequence[str], path: str, *, progress: Progress | None = None) -> Prepared:
    """Write a collection to a file; each document's id must be its own."""
    sizes, ids = array("q"), array("q")
    files = [source for given in collection for source in files_of(given, "documents")]
    ends = []  # how many documents there are up to the end of each file
    try:
        with open(path, "w", encoding="utf-8") as file:
            for source in files:
                for document in _documents_of(source, progress):
                    fields = {"id": document.id, "title": document.title, "text": document.text}
                    file.write(json.dumps(fields, ensure_ascii=False) + "\n")
                    sizes.append(document.bytes)
                    ids.append(hash(document.id))
                ends.append(len(sizes))
    except OSError as error:
        if error.filename not in (None, path):
            raise
        raise InputError(f"cannot be written: {error.strerror}", source=path) from None
    if not sizes:
        raise InputError("there are no documents", source=", ".join(collection))
    prepared = Prepared(path, np.array(sizes, dtype=np.int64))
    _check_ids(prepared, np.array(ids, dtype=np.int64), files, ends)
    return prepared


def sampled(whole: Prepared, documents: int, path: str, *, seed: int | None) -> Prepared:
    """So many of them in a file of their own, in the same order: drawn at random, or the first.

    Collections are often sorted by date, source or length, and the first documents are then like
    no others. With the same seed, a smaller sample is a part of every larger one.
    """
    check_count("documents", documents)
    if documents > whole.documents:
        raise OptionError(
            f"{documents:,} documents were asked for, and the collection has {whole.documents:,}"
        )
    taken = np.zeros(whole.documents, dtype=bool)
    if seed is None:
        taken[:documents] = True
    else:
        taken[np.random.default_rng(seed).permutation(whole.documents)[:documents]] = True
    with open(whole.path, "rb") as lines, open(path, "wb") as file:
        file.writelines(line for line, wanted in zip(lines, taken, strict=True) if wanted)
    return Prepared(path, np.asarray(whole.sizes[taken]))


def _whole(text: str) -> str:
    # JSON may hold one half of a surrogate pair, which no file can be written with.
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _check_ids(prepared: Prepared, hashes: Ints, files: Sequence[str], ends: Sequence[int]) -> None:
    """Engines differ in what they make of an id that is there twice; so no id may be."""
    if len(np.unique(hashes)) == len(hashes):
        return
    seen: dict[str, int] = {}
    for place, document in enumerate(read_lines(prepared.path), start=1):
        if document.id in seen:
            first, second = (_where(at, files, ends) for at in (seen[document.id], place))
            raise InputError(
                f"the id {document.id!r} is there twice, as {first} and as {second}; engines "
                "differ in which of them they keep: take one away, or give it another id"
            )
        seen[document.id] = place


def _where(place: int, files: Sequence[str], ends: Sequence[int]) -> str:
    """Which document of which file it is."""
    file = bisect_left(ends, place)
    before = ends[file - 1] if file else 0
    return f"document {place - before:,} of {name_of_stream(files[file])}"
