"""The input files, read as leniently as trec_eval reads them, and joined by topic.

- qrels: topic, iteration, document, grade. A grade is the whole number that the field starts
  with.
- qrels_jg: the same, with the group of assessors in the second column.
- prefs: topic, group, subgroup, document, level; a level is a real number.
- qrels_prefs: qrels read as preferences, the second column being the group.

An ordinary file goes through the core. What that refuses or understands differently (a score
that only starts with a number, a document twice) is read again here, line by line.

Version 10 goes through the topics of the judgments, and ends at one that the run lacks unless
-c makes it count as a single result that nobody judged. Version 9 passes over it; -c then only
changes what sums are divided by.
"""

from __future__ import annotations

import math
import os
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from cleverdon import _core
from cleverdon._common.arrays import Bools, Ints
from cleverdon._common.text import counted
from cleverdon.data import Judgments, Nested
from cleverdon.errors import CleverdonError, InputError
from cleverdon.formats.inputs import open_source
from cleverdon.formats.lines import TREC_QRELS, TREC_RUN
from cleverdon.hits import Hits
from cleverdon.rank import as_hits
from cleverdon.trec_eval.arguments import (
    CALCULATION,
    INPUT,
    NOTHING,
    Options,
    Stop,
    parse_decimal,
    parse_whole,
)

_BYTES = "latin-1"
"""The encoding of ids where a file may be in any: a character for each byte, in order."""


@dataclass(frozen=True)
class Opinion:
    """One line of judgments that are not plain qrels."""

    topic: str
    group: str
    subgroup: str
    doc: str
    level: float


@dataclass(frozen=True, eq=False)
class Qrels:
    """A file of judgments."""

    judgments: Judgments
    """Every document that is judged for a topic; with its grade, where the format is qrels."""
    encoding: str  # the encoding with which its ids were decoded
    is_ascii: bool
    relevant: int = 0
    """The number of lines with a grade above 0, including those of repeated documents."""
    opinions: tuple[Opinion, ...] = ()
    repeated: tuple[tuple[str, str], ...] = ()
    """Topics that have a document twice, with the document."""


def read_qrels(options: Options, *, lenient: bool = False) -> Qrels:
    """Read the judgments; Stop where there are none to be had."""
    try:
        source = open_source(options.qrels)
        text = source.head(2**62)
    except (CleverdonError, OSError) as error:
        raise Stop(INPUT, str(error)) from None
    if not text:
        raise Stop(INPUT, f"{options.qrels}: is empty")
    if options.qrels_format == "qrels":
        plain = None if lenient else _plain(source, text, version=options.version)
        return plain or _read_lenient_qrels(text, options)
    return _opinions(text, options)


def _plain(source: _core.Source, text: bytes, *, version: int) -> Qrels | None:
    """Let the core read well-formed qrels; return None where trec_eval reads them otherwise."""
    comments = version >= 10
    if any(mark in text for mark in (b"\v", b"\f")) or _EXPONENT.search(text):
        return None
    try:
        shape = replace(TREC_QRELS, comments=comments)
        table = _core.Table.read(source, shape.layout(), "error")
    except InputError:
        return None
    grades = table.values
    # Blank lines are refused by trec_eval; 0.5 and 1e1 are 0 and 1 to it.
    commented = text.count(b"\n#") + text.startswith(b"#") if comments else 0
    lines = text.count(b"\n") + (not text.endswith(b"\n"))
    if lines != len(grades) + commented or len(grades) == 0:
        return None
    if np.any(grades != np.trunc(grades)) or np.max(np.abs(grades)) >= 10:
        return None
    relevant = int((grades > 0).sum())
    return Qrels(Judgments(table, name="qrels"), "utf-8", text.isascii(), relevant)


_EXPONENT = re.compile(rb"[eE][-+]?[0-9]+[ \t\r]*$", re.MULTILINE)
"""A grade such as 100e-2, which the core takes for 1, and trec_eval for 100."""


def _read_lenient_qrels(text: bytes, options: Options) -> Qrels:
    nested: Nested = {}
    repeated: dict[str, str] = {}
    relevant = 0
    for topic, _, doc, grade in _rows(text, width=4, options=options):
        grades = nested.setdefault(topic, {})
        if doc in grades:
            repeated.setdefault(topic, doc)
        grades[doc] = float(parse_whole(grade))
        relevant += grades[doc] > 0
    judgments = _judgments(nested, options)
    return Qrels(judgments, _BYTES, text.isascii(), relevant, repeated=tuple(repeated.items()))


def _opinions(text: bytes, options: Options) -> Qrels:
    """Read the formats in which several people may judge a document."""
    width = 5 if options.qrels_format == "prefs" else 4
    opinions = []
    for row in _rows(text, width=width, options=options):
        topic, group, doc, level = row[0], row[1], row[-2], row[-1]
        subgroup = row[2] if width == 5 else "0"
        if options.qrels_format == "qrels_jg":
            number = float(parse_whole(level))
        else:
            number = parse_decimal(level)
            if options.version == 9:
                number = float(np.float32(number))
        opinions.append(Opinion(topic, group, subgroup, doc, number))
    if options.qrels_format == "qrels_jg":
        known = set()
        for opinion in opinions:
            key = (opinion.topic, opinion.group, opinion.doc)
            if key in known:
                twice = f"group {opinion.group!r} judges {opinion.doc!r} twice"
                raise Stop(INPUT, f"{options.qrels}: {twice} for topic {opinion.topic!r}")
            known.add(key)
    nested: Nested = {}
    for opinion in opinions:
        nested.setdefault(opinion.topic, {})[opinion.doc] = 0.0
    judgments = _judgments(nested, options)
    return Qrels(judgments, _BYTES, text.isascii(), opinions=tuple(opinions))


def _judgments(nested: Nested, options: Options) -> Judgments:
    if not nested:
        raise Stop(NOTHING, f"{options.qrels}: has no judgments")
    return Judgments(_core.Table.from_dict(nested, "grade", "unchecked"), name="qrels")


def _rows(text: bytes, *, width: int, options: Options) -> Iterator[list[str]]:
    lines = text.decode(_BYTES).removesuffix("\n").split("\n")
    for number, line in enumerate(lines, start=1):
        if options.version >= 10 and line.startswith("#"):
            continue
        row = split_fields(line)
        if len(row) != width:
            found = counted(len(row), "field")
            raise Stop(INPUT, f"{options.qrels}:{number}: expected {width} fields, found {found}")
        yield row


_SPACES = str.maketrans(dict.fromkeys("\t\r\v\f", " "))


def split_fields(line: str) -> list[str]:
    """Split at the characters that C takes for white space; Python's `split` knows more.

    >>> split_fields(" 1  Q0\\td\\xa0 ")
    ['1', 'Q0', 'd\\xa0']
    """
    return [field for field in line.translate(_SPACES).split(" ") if field]


@dataclass(frozen=True, eq=False)
class Results:
    """The run, as far as the judgments know its documents."""

    qrels: Qrels
    hits: Hits
    present: Bools  # which of the judged topics the run has
    encoding: str  # how ids were decoded
    repeated: tuple[tuple[str, str], ...] = ()
    """Topics with a document twice among the results that count, with the document."""


@dataclass(frozen=True, eq=False)
class RunFile:
    """The file of results, opened."""

    source: _core.Source
    options: Options

    @property
    def comments(self) -> bool:
        return self.options.version >= 10

    def run_id(self, encoding: str) -> str:
        """Return the sixth field of the last line."""
        for line in reversed(self._end().decode(encoding).split("\n")):
            row = split_fields(line)
            if len(row) >= 6 and not (self.comments and row[0].startswith("#")):
                return row[5]
        return ""

    def _end(self) -> bytes:
        """Read enough of the text to see its last line."""
        length = 1 << 16
        plain = self._tail(length)
        while plain is not None:
            whole_lines = plain.partition(b"\n")[2]
            starts = map(bytes.lstrip, whole_lines.split(b"\n"))
            if any(start and not start.startswith(b"#") for start in starts):
                return whole_lines
            if len(plain) < length:
                return plain
            length *= 16
            plain = self._tail(length)
        return self.source.head(2**62)

    def _tail(self, length: int) -> bytes | None:
        """Read the last bytes of the file; None where it is packed, or no file."""
        path = self.source.path
        if not os.path.isfile(path):
            return None
        try:
            with open(path, "rb") as file:
                if file.read(16) != self.source.head(16):
                    return None
                file.seek(-min(length, self.source.size), 2)
                return file.read()
        except OSError:
            return None


def open_results(options: Options) -> RunFile:
    """Open the file of results; Stop where there is none."""
    path = "-" if options.results.startswith("-") else options.results
    try:
        source = open_source(path)
        head = source.head(1)
    except (CleverdonError, OSError) as error:
        raise Stop(INPUT, str(error)) from None
    if not head:
        raise Stop(INPUT, f"{source.name}: is empty")
    return RunFile(source, options)


def join(qrels: Qrels, run: RunFile) -> Results:
    """Return the results ranked, and joined with the judgments."""
    options = run.options
    prefs = options.qrels_format.endswith("prefs")
    order = _core.Order(ties="ascending" if prefs else "descending", single=options.version == 9)
    joined, encoding = None, "utf-8"
    repeated: tuple[tuple[str, str], ...] = ()
    if qrels.encoding == "utf-8" or qrels.is_ascii:
        layout = replace(TREC_RUN, comments=run.comments).layout()
        with suppress(InputError):  # and read it leniently
            joined = qrels.judgments.core.join_text(run.source, layout, order, None)
    if joined is None:
        encoding = _BYTES
        if not qrels.is_ascii and qrels.encoding != _BYTES:
            qrels = read_qrels(options, lenient=True)
        nested, repeated = _nested(qrels, run, ascending=prefs)
        joined = qrels.judgments.core.join_dict(nested, order)
        if joined is None:  # never: these are dicts of texts and numbers
            raise Stop(INPUT, f"{run.source.name}: cannot be read")
    hits = as_hits(qrels.judgments.judged, joined)
    return Results(qrels, hits, joined.present, encoding, repeated)


def _nested(
    qrels: Qrels, run: RunFile, *, ascending: bool
) -> tuple[Nested, tuple[tuple[str, str], ...]]:
    """Return the results of judged topics, and the topics with a document twice among them."""
    single, name = run.options.version == 9, run.source.name
    topics: dict[str, list[tuple[float, str]]] = {topic: [] for topic in qrels.judgments.queries}
    lines = run.source.head(2**62).decode(_BYTES).split("\n")
    for number, line in enumerate(lines, start=1):
        row = split_fields(line)
        if not row or (run.comments and row[0].startswith("#")):
            continue
        if len(row) < 6:
            raise Stop(INPUT, f"{name}:{number}: expected 6 fields or more, found {len(row)}")
        score = parse_decimal(row[4])
        if math.isnan(score):
            raise Stop(INPUT, f"{name}:{number}: the score {row[4]!r} has no place in an order")
        if single:
            with np.errstate(over="ignore"):
                score = float(np.float32(score))
        if row[0] in topics:
            topics[row[0]].append((score, row[2]))
    nested: Nested = {}
    repeated: list[tuple[str, str]] = []
    for topic, results in topics.items():
        if not results:
            continue
        # From the lowest up: of a document that comes twice, the higher score is left.
        results.sort(key=lambda result: result[1], reverse=ascending)
        results.sort(key=lambda result: result[0])
        nested[topic] = {doc: score for score, doc in results}
        if len(nested[topic]) < len(results):
            depth = len(results) if run.options.depth is None else max(run.options.depth, 0)
            often = Counter(doc for _, doc in results[max(len(results) - depth, 0) :])
            repeated += [(topic, doc) for doc, times in often.items() if times > 1][:1]
    return nested, tuple(repeated)


@dataclass(frozen=True, eq=False)
class Topics:
    """The topics to evaluate, in bytewise order."""

    qrels: Qrels
    hits: Hits  # of all judged topics
    rows: Ints  # which of these are evaluated
    missing: Bools  # per evaluated topic: whether the run lacks it
    stop: Stop | None = None  # the reason to end after these topics

    @property
    def names(self) -> list[str]:
        """Return the ids of the evaluated topics."""
        queries = self.hits.judgments.queries
        return [queries[row] for row in self.rows.tolist()]

    @property
    def doc_ids(self) -> list[str]:
        """The ids of all judged documents."""
        return self.qrels.judgments.core.docs(0, len(self.hits.judgments.grade))

    def until(self, place: int, stop: Stop) -> Topics:
        """Keep only the topics before this place, and the reason to end there."""
        return replace(self, rows=self.rows[:place], missing=self.missing[:place], stop=stop)


def evaluated_topics(results: Results, options: Options, *, reads_results: bool) -> Topics:
    """Return the topics that can be evaluated, and the reason to end behind them.

    `reads_results` is False where nothing was asked for that looks at a topic's results.
    """
    names = results.hits.judgments.queries
    rows = np.arange(len(names)) if options.version >= 10 else np.flatnonzero(results.present)
    if options.topic is not None:
        only = os.fsencode(options.topic).decode(results.encoding, errors="replace")
        rows = rows[[names[row] == only for row in rows.tolist()]]
    reasons = _obstacles(results, options, reads_results=reads_results)
    every = Topics(results.qrels, _counted_results(results, options), rows, ~results.present[rows])
    for place, row in enumerate(rows.tolist() if reasons else ()):
        if row in reasons:
            return every.until(place, Stop(CALCULATION, reasons[row]))
    return every


def _obstacles(results: Results, options: Options, *, reads_results: bool) -> dict[int, str]:
    """Return the topics that cannot be evaluated, and why."""
    names = results.hits.judgments.queries
    reasons: dict[int, str] = {}
    if reads_results:
        place = {name: row for row, name in enumerate(names)}
        for what, repeated in (
            (options.qrels, results.qrels.repeated),
            (options.results, results.repeated),
        ):
            for topic, doc in repeated:
                reasons[place[topic]] = f"{what}: topic {topic!r} has {doc!r} twice"
    if options.version >= 10 and not options.complete:
        for row in np.flatnonzero(~results.present).tolist():
            lacks = f"lacks the judged topic {names[row]!r}"
            reasons[row] = f"{options.results}: {lacks}; with -c, such topics count as failures"
    return reasons


def _counted_results(results: Results, options: Options) -> Hits:
    """Keep as many results as -M says; with -c, a missing topic has one."""
    hits = results.hits
    if options.complete and options.version >= 10:
        hits = replace(hits, returned=np.where(results.present, hits.returned, 1))
    if options.depth is None:
        return hits
    if options.depth < 1:
        none = hits.where(np.zeros(len(hits.query), dtype=bool))
        return replace(none, returned=np.zeros_like(hits.returned))
    return hits.top(min(options.depth, 2**31))
