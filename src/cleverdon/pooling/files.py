"""The pool file: one line per document, with all that the pool knows about it.

Its first line is a comment that says how the pool was made, as JSON; then come columns under a
header, separated by tabs:

    query_id  doc_id  drawn  stratum  probability  systems
    301       FT-12   yes    2        0.2          bm25:14 dense:9

`drawn` is no where a document is in the pool and is not to be judged; `stratum` and `probability`
are empty where the pool is no sample. The file is for those who run the experiment: judges get the
sheet.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from cleverdon._common.files import PACKED, write_file
from cleverdon.data import Judgments, Nested
from cleverdon.errors import InputError, OptionError
from cleverdon.formats.inputs import open_source
from cleverdon.formats.sheets import read_sheets, write_sheet
from cleverdon.formats.streams import decode_text
from cleverdon.formats.texts import Text
from cleverdon.formats.writers import refuse_ids
from cleverdon.pooling.contributions import Contributor
from cleverdon.pooling.pools import Pool

COLUMNS = ("query_id", "doc_id", "drawn", "stratum", "probability", "systems")
_MARK = "# cleverdon pool "
_UNFIT = r"[\x00-\x1f\x7f]|^#"
_ESCAPED = re.compile(r"[%\s]")


def write_pool(
    pool: Pool,
    path: str | os.PathLike[str],
    *,
    sheet: str | os.PathLike[str] | None = None,
    queries: Mapping[str, Text] | None = None,
    documents: Mapping[str, Text] | None = None,
) -> None:
    """Write a pool to a file, which appears when it is complete.

    Args:
        pool: The pool.
        path: The file, packed if its name says so; `-` is standard output.
        sheet: Write the sheet for judges to this file as well: queries and documents in a random
            order, and nothing that tells which system returned them.
        queries: The texts of queries, for the sheet.
        documents: The texts of documents, for the sheet.

    >>> from cleverdon.pooling import pool
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "pool.tsv"
    >>> write_pool(pool({"a": {"q1": {"d1": 1}}}), path)
    >>> path.read_text().splitlines()[2].split()
    ['q1', 'd1', 'yes', 'a:1']
    """
    path = os.fspath(path)
    check_replaceable(path)
    remedy = "rename it in the runs: columns are separated by tabs"
    refuse_ids(_UNFIT, list(pool.queries), path, remedy=remedy)
    refuse_ids(_UNFIT, pool.docs, path, remedy=remedy)
    if sheet is not None:  # first: where it cannot be written, the pool that it belongs to stays
        write_sheet(pool.sheet(), sheet, queries=queries, documents=documents)
    write_file(path, "".join(_lines(pool)).encode())


def sheet_beside(pool: str | os.PathLike[str]) -> Path:
    """Return the usual file of the sheet of a pool.

    >>> sheet_beside("made/pool.tsv.gz").as_posix()
    'made/pool.sheet.tsv'
    """
    path = Path(pool)
    plain = path.with_suffix("") if path.suffix in PACKED else path
    return plain.with_name(f"{plain.stem}.sheet.tsv")


def check_replaceable(path: str | os.PathLike[str]) -> None:
    """Refuse to overwrite a file that is not a pool: it may be somebody's work."""
    path = os.fspath(path)
    if path == "-" or not os.path.isfile(path) or not os.path.getsize(path):
        return
    head = open_source(path).head(1 << 12).decode("utf-8", "replace")
    if not head.startswith((_MARK, "\t".join(COLUMNS))):
        raise InputError("exists, and is not a pool; name another file", source=path)


def _lines(pool: Pool) -> Iterator[str]:
    about = {**pool.how, "systems": [asdict(each) for each in pool.contributors]}
    yield f"{_MARK}{json.dumps(about, ensure_ascii=False)}\n"
    yield "\t".join(COLUMNS) + "\n"
    count = len(pool)
    stratum = [""] * count if pool.stratum is None else list(map(str, pool.stratum.tolist()))
    probability = [""] * count
    if pool.probability is not None:
        probability = [_number(value) for value in pool.probability.tolist()]
    drawn = pool.drawn.tolist()
    rows = zip(pool.rows(), stratum, probability, _systems(pool), strict=True)
    for (query, at), layer, share, systems in rows:
        word = "yes" if drawn[at] else "no"
        yield f"{query}\t{pool.docs[at]}\t{word}\t{layer}\t{share}\t{systems}\n"


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() else repr(value)


def _systems(pool: Pool) -> Iterator[str]:
    names = [_ESCAPED.sub(_escape, each.name) for each in pool.contributors]
    pairs = zip(pool.system.tolist(), pool.rank.tolist(), strict=True)
    cells = [f"{names[system]}:{rank}" for system, rank in pairs]
    for start, stop in pairwise(pool.row_starts.tolist()):
        yield " ".join(cells[start:stop])


def _escape(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode())


def read_pool(path: str | os.PathLike[str]) -> Pool:
    """Read a pool that `write_pool` wrote.

    Args:
        path: The file, packed or not.

    Returns:
        The pool.

    >>> from cleverdon.pooling import pool
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> folder = Path(mkdtemp())
    >>> write_pool(pool({"a": {"q1": {"d1": 1}}}), folder / "pool.tsv")
    >>> read_pool(folder / "pool.tsv")
    <Pool: 1 documents to judge for 1 queries>
    """
    opened = open_source(os.fspath(path))
    text = decode_text(opened.head(2**62), source=opened.name, line=1, encoding="utf-8-sig")
    # Not `splitlines`, which also cuts at characters that may stand in an id.
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    about, skipped = _about(lines, opened.name)
    header = lines[skipped].split("\t") if len(lines) > skipped else []
    if tuple(header) != COLUMNS:
        raise InputError(
            f"is not a pool: expected the columns {', '.join(COLUMNS)}, found "
            f"{', '.join(header)[:80]!r}; pools are made by `cleverdon pool make`",
            source=opened.name,
            line=skipped + 1,
        )
    systems = about.pop("systems", [])
    reading = _Reading(opened.name, {each["name"]: at for at, each in enumerate(systems)})
    for number, line in enumerate(lines[skipped + 1 :], start=skipped + 2):
        if line:
            reading.take(line, number)
    return reading.pool(tuple(Contributor(**each) for each in systems), about)


def _about(lines: list[str], source: str) -> tuple[dict[str, Any], int]:
    """Return the method of the pool, and the number of lines that it takes."""
    if not lines[0].startswith(_MARK):
        return {}, 0
    try:
        about: dict[str, Any] = json.loads(lines[0].removeprefix(_MARK))
        _ = [Contributor(**each) for each in about.get("systems", [])]
    except (ValueError, TypeError, AttributeError):
        raise InputError(
            "the first line does not say how the pool was made; leave it as it was written, or "
            "take it out",
            source=source,
            line=1,
        ) from None
    return about, 1


@dataclass
class _Reading:
    """The lines read so far."""

    source: str
    systems: dict[str, int]  # to their numbers
    escaped: dict[str, int] = field(default_factory=dict)  # the same by the names as they stand
    queries: dict[str, int] = field(default_factory=dict)  # to how many documents they have
    seen: dict[tuple[str, str], int] = field(default_factory=dict)  # to the line
    rows: list[tuple[str, str, bool, str, str]] = field(default_factory=list)
    contributions: list[list[tuple[int, int]]] = field(default_factory=list)

    def take(self, line: str, number: int) -> None:
        cells = line.split("\t")
        if len(cells) != len(COLUMNS):
            raise self._error(f"expected {len(COLUMNS)} columns, found {len(cells)}", number)
        query, doc, drawn, stratum, probability, systems = cells
        earlier = self.seen.setdefault((query, doc), number)
        if earlier != number:
            message = f"document {doc!r} occurs twice for query {query!r}, first on line {earlier}"
            raise self._error(message, number)
        if drawn not in ("yes", "no"):
            raise self._error(f"expected yes or no in the column drawn, found {drawn!r}", number)
        if stratum and not stratum.isdecimal():
            raise self._error(f"expected the number of a stratum, found {stratum!r}", number)
        if probability and not _is_probability(probability):
            raise self._error(f"expected a probability, found {probability!r}", number)
        self.queries[query] = self.queries.get(query, 0) + 1
        self.rows.append((query, doc, drawn == "yes", stratum, probability))
        self.contributions.append([self._contribution(cell, number) for cell in systems.split()])

    def _contribution(self, cell: str, number: int) -> tuple[int, int]:
        name, colon, rank = cell.rpartition(":")
        if not colon or not rank.isdecimal():
            raise self._error(f"expected a system and its rank, as bm25:3, found {cell!r}", number)
        if name not in self.escaped:
            known = self.systems.setdefault(unquote(name), len(self.systems))
            self.escaped[name] = known
        return self.escaped[name], int(rank)

    def _error(self, message: str, number: int) -> InputError:
        return InputError(message, source=self.source, line=number)

    def pool(self, contributors: tuple[Contributor, ...], how: dict[str, Any]) -> Pool:
        if not self.rows:
            raise InputError("has no documents", source=self.source)
        place = {query: at for at, query in enumerate(self.queries)}
        # A file that was sorted by hand may have a query's lines in several places.
        order = sorted(range(len(self.rows)), key=lambda row: place[self.rows[row][0]])
        rows = [self.rows[row] for row in order]
        pairs = [self.contributions[row] for row in order]
        flat = np.array([pair for each in pairs for pair in each], dtype=np.int64).reshape(-1, 2)
        unnamed = list(self.systems)[len(contributors) :]
        return Pool(
            queries=tuple(self.queries),
            starts=_starts(self.queries.values()),
            docs=[row[1] for row in rows],
            drawn=np.array([row[2] for row in rows]),
            contributors=(*contributors, *map(Contributor, unnamed)),
            row_starts=_starts(map(len, pairs)),
            system=flat[:, 0],
            rank=flat[:, 1],
            stratum=self._column([row[3] for row in rows], np.int64, "stratum"),
            probability=self._column([row[4] for row in rows], np.float64, "probability"),
            how=how,
        )

    def _column(self, cells: list[str], dtype: type, name: str) -> Any:
        """Return numbers, or None where no document has one."""
        if not any(cells):
            return None
        if not all(cells):
            raise InputError(f"the {name} is missing on some lines only", source=self.source)
        return np.array(cells).astype(dtype)


def _starts(sizes: Iterable[int]) -> Any:
    return np.concatenate(([0], np.cumsum(list(sizes), dtype=np.int64)))


def _is_probability(text: str) -> bool:
    try:
        return 0 <= float(text) <= 1
    except ValueError:
        return False


def read_grades(judged: Any, *, format: str | None = None) -> Nested:
    """Read grades from sheets that were filled in, from qrels, or from judgments in memory.

    Args:
        judged: A file, several, or judgments as `evaluate` takes them. An error is raised where two
            files contradict each other.
        format: The format of the file, if not to be guessed.

    Returns:
        The grade by query and document.

    >>> read_grades({"q1": {"d1": 2}})
    {'q1': {'d1': 2.0}}
    """
    files = [judged] if isinstance(judged, (str, os.PathLike)) else judged
    if not isinstance(files, (list, tuple)):
        return Judgments.read(files, format=format).to_dict()
    if format is None:
        return read_sheets(files)
    if len(files) > 1:
        raise OptionError("qrels_format is of one file; merge several first")
    return Judgments.read(files[0], format=format).to_dict()
