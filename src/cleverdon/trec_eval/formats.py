"""Files of judgments, read as leniently as trec_eval reads them, and no more leniently.

- qrels: topic, iteration, document, grade. A grade is the whole number that the field starts with.
- qrels_jg: the same, with the group of assessors in the second column.
- prefs: topic, group, subgroup, document, level; a level is a real number.
- qrels_prefs: qrels read as preferences, the second column being the group.

An ordinary file of qrels goes through the core. What that refuses or understands differently is
read again here, line by line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from cleverdon import _core
from cleverdon.annotations import Nested
from cleverdon.data import Judgments
from cleverdon.errors import CleverdonError, InputError
from cleverdon.read import open_source
from cleverdon.read.lines import TREC_QRELS
from cleverdon.trec_eval.exits import INPUT, NOTHING, Stop
from cleverdon.trec_eval.numbers import decimal, whole
from cleverdon.trec_eval.options import Options

BYTES = "latin-1"
"""How ids are decoded where a file may be in any encoding: a character for each byte, in order."""


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
    encoding: str
    """How its ids were decoded."""
    is_ascii: bool
    relevant: int = 0
    """How many lines have a grade above 0, those of documents that come twice among them."""
    opinions: tuple[Opinion, ...] = ()
    repeated: tuple[tuple[str, str], ...] = ()
    """Topics that have a document twice, with the document."""


def read_qrels(options: Options, *, lenient: bool = False) -> Qrels:
    """The judgments; Stop where there are none to be had."""
    try:
        source = open_source(options.qrels)
        text = source.head(2**62)
    except (CleverdonError, OSError) as error:
        raise Stop(INPUT, str(error)) from None
    if not text:
        raise Stop(INPUT, f"{options.qrels}: is empty")
    if options.qrels_format == "qrels":
        plain = None if lenient else _plain(source, text, version=options.version)
        return plain or _qrels(text, options)
    return _opinions(text, options)


def _plain(source: _core.Source, text: bytes, *, version: int) -> Qrels | None:
    """Qrels as they should be, read by the core; None where trec_eval would read them otherwise."""
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


def _qrels(text: bytes, options: Options) -> Qrels:
    nested: Nested = {}
    repeated: dict[str, str] = {}
    relevant = 0
    for topic, _, doc, grade in _rows(text, width=4, options=options):
        grades = nested.setdefault(topic, {})
        if doc in grades:
            repeated.setdefault(topic, doc)
        grades[doc] = float(whole(grade))
        relevant += grades[doc] > 0
    judgments = _judgments(nested, options)
    return Qrels(judgments, BYTES, text.isascii(), relevant, repeated=tuple(repeated.items()))


def _opinions(text: bytes, options: Options) -> Qrels:
    """The formats in which several people may judge a document."""
    width = 5 if options.qrels_format == "prefs" else 4
    opinions = []
    for row in _rows(text, width=width, options=options):
        topic, group, doc, level = row[0], row[1], row[-2], row[-1]
        subgroup = row[2] if width == 5 else "0"
        if options.qrels_format == "qrels_jg":
            number = float(whole(level))
        else:
            number = decimal(level)
            if options.version == 9:
                number = float(np.float32(number))
        opinions.append(Opinion(topic, group, subgroup, doc, number))
    if options.qrels_format == "qrels_jg":
        known = set()
        for opinion in opinions:
            key = (opinion.topic, opinion.group, opinion.doc)
            if key in known:
                raise Stop(
                    INPUT,
                    f"{options.qrels}: group {opinion.group!r} judges {opinion.doc!r} twice for "
                    f"topic {opinion.topic!r}",
                )
            known.add(key)
    nested: Nested = {}
    for opinion in opinions:
        nested.setdefault(opinion.topic, {})[opinion.doc] = 0.0
    judgments = _judgments(nested, options)
    return Qrels(judgments, BYTES, text.isascii(), opinions=tuple(opinions))


def _judgments(nested: Nested, options: Options) -> Judgments:
    if not nested:
        raise Stop(NOTHING, f"{options.qrels}: has no judgments")
    return Judgments(_core.Table.from_dict(nested, "grade", "unchecked"), name="qrels")


def _rows(text: bytes, *, width: int, options: Options) -> Iterator[list[str]]:
    lines = text.decode(BYTES).removesuffix("\n").split("\n")
    for number, line in enumerate(lines, start=1):
        if options.version >= 10 and line.startswith("#"):
            continue
        row = fields(line)
        if len(row) != width:
            found = f"{len(row)} field{'s'[: len(row) != 1]}"
            raise Stop(INPUT, f"{options.qrels}:{number}: expected {width} fields, found {found}")
        yield row


_SPACES = str.maketrans(dict.fromkeys("\t\r\v\f", " "))


def fields(line: str) -> list[str]:
    """What stands between the spaces that C knows of; Python's `split` knows of more.

    >>> fields(" 1  Q0\\td\\xa0 ")
    ['1', 'Q0', 'd\\xa0']
    """
    return [field for field in line.translate(_SPACES).split(" ") if field]
