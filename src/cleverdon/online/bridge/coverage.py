"""Which judged topics have traffic, and how much of all traffic they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cleverdon.errors import InputError
from cleverdon.online.bridge.topics import Topics
from cleverdon.online.bridge.traffic import Totals, Traffic
from cleverdon.online.uploading import uploaded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ibis import Table


@dataclass(frozen=True)
class TopicTraffic:
    """How often one judged topic was asked."""

    topic: str
    text: str
    """Empty where it is not known."""
    asked: float
    """Where topics have the same text, each is given an equal part of its traffic."""
    users: int
    failing: float | None
    """How many of the queries failed, see `FAILURES`; None where the log cannot tell."""


@dataclass(frozen=True)
class Coverage:
    """The judged topics with their traffic, the most frequent first."""

    topics: tuple[TopicTraffic, ...]
    covered: int
    """So many queries were of judged topics."""
    totals: Totals
    shared: tuple[tuple[str, ...], ...]
    """Topics with the same text, between which traffic is split."""
    without_text: tuple[str, ...]
    """Judged topics without a text, whose traffic is not known."""

    @property
    def asked(self) -> tuple[TopicTraffic, ...]:
        """The topics that anybody asked."""
        return tuple(topic for topic in self.topics if topic.asked)

    @property
    def never_asked(self) -> tuple[TopicTraffic, ...]:
        """The topics with a text that nobody asked."""
        return tuple(topic for topic in self.topics if not topic.asked and topic.text)

    @property
    def share(self) -> float | None:
        """The share of all queries that judged topics are; None where no query has a text."""
        return self.covered / self.totals.asked if self.totals.asked else None

    @property
    def weights(self) -> dict[str, float]:
        """How often each judged topic was asked."""
        return {topic.topic: topic.asked for topic in self.topics}


def coverage(found: Traffic, topics: Topics) -> Coverage:
    """How often each judged topic was asked; equals stand in the order of the judgments.

    Where several judged topics have the same text, its queries are divided equally between them,
    so that every query counts once.
    """
    if not topics.judged_forms:
        raise InputError(
            f"none of the judged topics, such as {topics.judged[0]!r}, has a text",
            source=topics.source,
        )
    lines = of_texts(found.lines, topics.judged_forms)
    rows = {row["text"]: row for row in lines.to_pyarrow().to_pylist()}
    listed = []
    for topic in topics.judged:
        form = topics.forms.get(topic)
        text = "" if form is None else topics.texts[topic]
        row = rows.get(form)
        if form is None or row is None:
            listed.append(TopicTraffic(topic, text, 0, 0, 0 if found.kinds else None))
            continue
        among = len(topics.judged_forms[form])
        failing = row["failing"] / among if found.kinds else None
        listed.append(TopicTraffic(topic, text, row["asked"] / among, row["users"], failing))
    return Coverage(
        topics=tuple(sorted(listed, key=lambda topic: -topic.asked)),
        covered=sum(row["asked"] for row in rows.values()),
        totals=found.totals,
        shared=topics.shared,
        without_text=topics.without_text,
    )


def of_texts(table: Table, forms: Iterable[str]) -> Table:
    """The rows whose text is one of these, which are brought to where the log lies."""
    return table.semi_join(uploaded(table.get_backend(), {"text": list(forms)}), "text")


def of_other_texts(table: Table, forms: Iterable[str]) -> Table:
    """The rows whose text is none of these."""
    return table.anti_join(uploaded(table.get_backend(), {"text": list(forms)}), "text")
