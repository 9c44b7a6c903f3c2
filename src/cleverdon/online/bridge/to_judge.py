"""What to judge next: queries without judgments that are asked often, or fail often."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Container, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from cleverdon.errors import InputError, OptionError
from cleverdon.online.bridge.coverage import of_other_texts
from cleverdon.online.bridge.topics import Topics
from cleverdon.online.bridge.traffic import Traffic

WELL = 0.1
"""What a query that went well counts, where one that failed counts 1."""


@dataclass(frozen=True)
class Candidate:
    """A query without judgments, and why it should have some."""

    topic: str
    """The id of the topic that has this text and no judgments; else one made from the text."""
    text: str
    asked: int
    users: int
    failing: int | None
    """None where the log cannot tell."""
    failures: Mapping[str, int]
    """By the kinds of `FAILURES`."""
    priority: float
    reasons: tuple[str, ...]
    """`frequent`, where it is of the head; kinds of failure that it has more than is usual."""


@dataclass(frozen=True)
class ToJudge:
    """The queries to judge next, the most important first."""

    candidates: tuple[Candidate, ...]
    well: float
    least_users: int
    unjudged_texts: int
    """Different queries without judgments, and how often they were asked."""
    unjudged_asked: int
    rare_texts: int
    """Those of them that are of too few users to be listed, and how often they were asked."""
    rare_asked: int


def to_judge(
    found: Traffic, topics: Topics, *, well: float = WELL, top: int | None = None
) -> ToJudge:
    """The queries without judgments in the order of their priority.

    A query's priority is how often it failed, and a tenth (`well`) of how often it went well: so
    the failing ones come first, and heavy ones are not forgotten. Where the log cannot tell
    failures, it is how often it was asked. Equals stand in the order of their texts. Only queries
    of enough users are listed (`Settings.least_users`), and not more than `Settings.top` or `top`.
    """
    if not 0 <= well <= 1:
        raise OptionError(f"well={well}: a query that went well counts from 0 to 1")
    if top is not None and top < 1:
        raise OptionError(f"top={top}: a list has at least one query")
    import ibis

    settings = found.stages.settings
    lines = of_other_texts(found.lines, topics.judged_forms) if topics.judged_forms else found.lines
    listed = lines.filter(lines.users >= settings.least_users)
    asked = listed.asked.cast("float64")
    priority = listed.failing + (asked - listed.failing) * well if found.kinds else asked
    rows = (
        listed.mutate(priority=priority)
        .order_by(ibis.desc("priority"), "text")
        .limit(top or settings.top)
    )
    rare = lines.users < settings.least_users
    sums = lines.agg(
        unjudged_texts=lines.count(),
        unjudged_asked=lines.asked.sum().fill_null(0),
        rare_texts=lines.count(where=rare),
        rare_asked=lines.asked.sum(where=rare).fill_null(0),
    )
    (counts,) = sums.to_pyarrow().to_pylist()
    taken = {*topics.texts, *topics.judged}
    candidates = []
    for row in rows.to_pyarrow().to_pylist():
        topic = topics.unjudged.get(row["text"]) or made_up_id(row["text"], taken)
        taken.add(topic)
        candidates.append(_candidate(topic, row, found))
    return ToJudge(tuple(candidates), well, settings.least_users, **counts)


def _candidate(topic: str, row: dict[str, Any], found: Traffic) -> Candidate:
    usual = found.totals.failures
    # Compared as whole numbers: more of the query's than of all queries'.
    worse = [
        kind for kind in found.kinds if row[kind] * found.totals.asked > usual[kind] * row["asked"]
    ]
    return Candidate(
        topic=topic,
        text=row["text"],
        asked=row["asked"],
        users=row["users"],
        failing=row.get("failing"),
        failures={kind: row[kind] for kind in found.kinds},
        priority=row["priority"],
        reasons=tuple((["frequent"] if row["frequent"] else []) + worse),
    )


def made_up_id(text: str, taken: Container[str] = ()) -> str:
    """An id for a query: the same one whenever the text is the same, and none that is taken.

    >>> made_up_id("red shoes")
    'log-c1dd76c7'
    """
    for size in range(4, 33):
        made = f"log-{blake2b(text.encode(), digest_size=size).hexdigest()}"
        if made not in taken:
            return made
    raise InputError(f"every id that could be made for {text!r} is taken by a topic")


def write_topics(found: ToJudge, path: str | os.PathLike[str]) -> int:
    """Write the queries as topics: ids and texts by tabs, under a header. Gives how many."""
    from cleverdon.read.write import write_file

    text = io.StringIO()
    rows = [("id", "text"), *((one.topic, one.text) for one in found.candidates)]
    csv.writer(text, delimiter="\t", lineterminator="\n").writerows(rows)
    write_file(os.fspath(path), text.getvalue().encode())
    return len(found.candidates)
