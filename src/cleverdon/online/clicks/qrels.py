"""Graded documents as files: qrels, what the grades rest on, and the topics' texts.

A qrels file knows topics by their ids, and a log knows queries by their texts, which may have
blanks in them. So there is a table of topics: the one that was given, or one that is written
beside.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np

from cleverdon.data import Judgments
from cleverdon.errors import InputError, OptionError
from cleverdon.online.clicks.grades import Graded
from cleverdon.online.texts import folded

_TEXTS = ("text", "query", "title")
"""Columns of topics that hold what was searched for, where it is not said."""

_PACKED = (".gz", ".bz2", ".xz", ".zst")


@dataclass(frozen=True)
class TopicIds:
    """The ids of topics by their texts."""

    ids: Mapping[str, str]
    made_up: bool
    """Whether the ids are of this log, and not from a table of topics."""


def topic_ids(
    graded: Graded,
    topics: Any = None,
    *,
    column: str | None = None,
    normalise: Callable[[str], str] = folded,
    among: Container[str] | None = None,
) -> TopicIds:
    """Ids for the queries: from a table of topics, or q1, q2, ... by falling traffic.

    `topics` is all that `read_topics` reads; `column` is where it has the texts. These are
    normalised as those of the log were. Ids are made up only for queries `among` those named.
    """
    if topics is None:
        # In order, each once.
        texts = dict.fromkeys(text for text in graded.queries if among is None or text in among)
        if not texts:
            raise InputError("no query has enough users to be written: take fewer, --least-users")
        return TopicIds({text: f"q{at}" for at, text in enumerate(texts, start=1)}, True)
    from cleverdon.read.topics import read_topics

    table = read_topics(topics)
    if column is None:
        named = [name for name in table.names if name.casefold() in _TEXTS]
        column = named[0] if named else None
    _, texts_of = table.column(column)
    ids: dict[str, str] = {}
    for topic, text in texts_of.items():
        text = normalise(text)
        if text in ids:
            raise InputError(
                f"topics {ids[text]!r} and {topic!r} have the same text, {text!r}: which of them "
                "the log's queries are cannot be told",
                source=table.source,
            )
        ids[text] = topic
    if ids.keys().isdisjoint(graded.queries):
        raise InputError(
            f"no topic has the text of a query in the log: the log has {graded.queries[0]!r}, the "
            f"topics have {next(iter(ids))!r}",
            source=table.source,
        )
    return TopicIds(ids, False)


@dataclass(frozen=True)
class Written:
    """What was written, and where."""

    qrels: str
    evidence: str
    topics: str | None
    """Where the ids of topics were made up."""
    rows: int
    queries: int
    without_topic: int
    """So many graded documents were left out, since their query is not among the topics."""


def judgments(graded: Graded, ids: TopicIds) -> Judgments:
    """The grades alone, as `cleverdon.evaluate` takes them."""
    nested: dict[str, dict[str, int]] = {}
    for query, doc, grade in zip(graded.queries, graded.docs, graded.grade.tolist(), strict=True):
        if query in ids.ids:
            nested.setdefault(ids.ids[query], {})[doc] = grade
    found: Judgments = Judgments.read(nested, name="clicks")
    return found


def write(graded: Graded, ids: TopicIds, output: str | os.PathLike[str]) -> Written:
    """Write the qrels to `output`, and beside it the evidence, and topics where ids were made."""
    from cleverdon.read.write import write_file

    path = os.fspath(output)
    if path == "-":
        raise OptionError("qrels from clicks go to a file, since another is written beside it")
    known = graded.part(np.array([query in ids.ids for query in graded.queries], dtype=bool))
    judgments(known, ids).write(path)
    evidence, topics = beside(path, "evidence"), beside(path, "topics")
    write_file(evidence, _tsv(evidence_rows(known, ids)).encode())
    if ids.made_up:
        rows = [("id", "text"), *((topic, text) for text, topic in ids.ids.items())]
        write_file(topics, _tsv(rows).encode())
    return Written(
        path,
        evidence,
        topics if ids.made_up else None,
        len(known),
        len(set(known.queries)),
        len(graded) - len(known),
    )


def beside(path: str, what: str) -> str:
    """The name of a table that belongs to a file.

    >>> beside("out/clicks.qrels.gz", "topics")
    'out/clicks.topics.tsv'
    """
    name = PurePath(path)
    if name.suffix in _PACKED:
        name = name.with_suffix("")
    return str(name.with_suffix(f".{what}.tsv"))


EVIDENCE = (
    "topic",
    "query",
    "doc",
    "grade",
    "value",
    "low",
    "high",
    "confidence",
    "impressions",
    "examined",
    "clicks",
)
"""The columns of the table of evidence."""


def evidence_rows(graded: Graded, ids: TopicIds) -> list[tuple[Any, ...]]:
    """What every grade rests on, under a header; numbers with all their digits."""
    columns = [
        [ids.ids[query] for query in graded.queries],
        graded.queries,
        graded.docs,
        *(getattr(graded, name).tolist() for name in EVIDENCE[3:]),
    ]
    return [EVIDENCE, *zip(*columns, strict=True)]


def _tsv(rows: list[tuple[Any, ...]]) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter="\t", lineterminator="\n").writerows(rows)
    return text.getvalue()
