"""The file of results, joined with the judgments.

An ordinary file is streamed through the core. What that refuses (a score that only starts with a
number, a document twice) is read again line by line, as leniently as trec_eval reads it.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from cleverdon import _core
from cleverdon.annotations import Nested
from cleverdon.arrays import Bools
from cleverdon.errors import CleverdonError, InputError
from cleverdon.hits import Hits
from cleverdon.rank import as_hits
from cleverdon.read import open_source
from cleverdon.read.lines import TREC_RUN
from cleverdon.trec_eval.exits import INPUT, Stop
from cleverdon.trec_eval.formats import BYTES, Qrels, fields, read_qrels
from cleverdon.trec_eval.numbers import decimal
from cleverdon.trec_eval.options import Options


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
        """The sixth field of the last line."""
        for line in reversed(self._end().decode(encoding).split("\n")):
            row = fields(line)
            if len(row) >= 6 and not (self.comments and row[0].startswith("#")):
                return row[5]
        return ""

    def _end(self) -> bytes:
        """Enough of the text to see its last line."""
        length = 1 << 16
        plain = self._tail(length)
        while plain is not None:
            whole_lines = plain.partition(b"\n")[2]
            if any(
                line.strip() and not line.lstrip().startswith(b"#")
                for line in whole_lines.split(b"\n")
            ):
                return whole_lines
            if len(plain) < length:
                return plain
            length *= 16
            plain = self._tail(length)
        return self.source.head(2**62)

    def _tail(self, length: int) -> bytes | None:
        """The last bytes of the file itself; None where it is packed, or no file."""
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
    """The file of results; Stop where there is none."""
    try:
        path = "-" if options.results.startswith("-") else options.results
        source = open_source(path)
        if not source.head(1):
            raise Stop(INPUT, f"{source.name}: is empty")
    except Stop:
        raise
    except (CleverdonError, OSError) as error:
        raise Stop(INPUT, str(error)) from None
    return RunFile(source, options)


def join(qrels: Qrels, run: RunFile) -> Results:
    """The results ranked, and joined with the judgments."""
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
        encoding = BYTES
        if not qrels.is_ascii and qrels.encoding != BYTES:
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
    """The results of judged topics, and the topics that have a document twice where it counts."""
    single, name = run.options.version == 9, run.source.name
    topics: dict[str, list[tuple[float, str]]] = {topic: [] for topic in qrels.judgments.queries}
    lines = run.source.head(2**62).decode(BYTES).split("\n")
    for number, line in enumerate(lines, start=1):
        row = fields(line)
        if not row or (run.comments and row[0].startswith("#")):
            continue
        if len(row) < 6:
            raise Stop(INPUT, f"{name}:{number}: expected 6 fields or more, found {len(row)}")
        score = decimal(row[4])
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
