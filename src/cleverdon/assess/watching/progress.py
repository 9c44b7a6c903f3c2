"""How far judging has come: judgments that are wanted and done, documents skipped and flagged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from cleverdon.assess.watching.facts import Facts, ItemFact


@dataclass(frozen=True)
class Progress:
    """Of a topic, or of all. What an adaptive method has not given out yet is only counted."""

    documents: int  # that are given out to be judged
    not_given_out: int  # and may still be
    never_given_out: int  # since their topics have ended
    wanted: int  # judgments: as many people as are to judge each document
    done: int  # of these, by people; a ruling does for all that are wanted of its document
    complete: int  # documents that as many people judged as are wanted, or that are settled
    judged: int  # documents that one person at least judged
    skipped: int  # documents that somebody skipped
    given_up: int  # of these, the ones that nobody judged or settled
    flagged: int
    settled: int  # documents with a ruling

    @property
    def left(self) -> int:
        """Judgments that are still wanted."""
        return self.wanted - self.done

    @property
    def share(self) -> float | None:
        """Of the wanted judgments, how many are done; None where none is wanted."""
        return self.done / self.wanted if self.wanted else None


@dataclass(frozen=True)
class TopicProgress:
    """How far one topic has come."""

    topic: str
    title: str
    progress: Progress
    ended: str = ""  # of an adaptive pool: why nothing more of it is given out


def progress_of(facts: Facts) -> tuple[Progress, tuple[TopicProgress, ...]]:
    """Over all topics, and topic by topic."""
    count = _Counting(facts)
    by_topic: dict[str, list[ItemFact]] = {topic.name: [] for topic in facts.topics}
    for item in facts.items:
        by_topic[item.topic].append(item)
    topics = tuple(
        TopicProgress(
            topic.name,
            topic.title,
            count.progress(by_topic[topic.name]),
            facts.endings.get(topic.name, ""),
        )
        for topic in facts.topics
    )
    return count.progress(facts.items), topics


class _Counting:
    """Looks up what was said of items."""

    def __init__(self, facts: Facts) -> None:
        self.times = Counter(row.item for row in facts.human)
        self.skipped = {one.item for one in facts.asides if one.skipped}
        self.flagged = {one.item for one in facts.asides if one.flagged}
        self.rulings = facts.rulings
        self.ended = facts.endings

    def progress(self, items: Iterable[ItemFact]) -> Progress:
        every = list(items)
        out = [item for item in every if item.given_out]
        never = sum(not item.given_out and item.topic in self.ended for item in every)
        skipped = [item for item in out if item.id in self.skipped]
        done = [self._done(item) for item in out]
        return Progress(
            documents=len(out),
            not_given_out=len(every) - len(out) - never,
            never_given_out=never,
            wanted=sum(item.wanted for item in out),
            done=sum(done),
            complete=sum(number >= item.wanted for number, item in zip(done, out, strict=True)),
            judged=sum(item.id in self.times for item in out),
            skipped=len(skipped),
            given_up=sum(
                item.id not in self.times and item.id not in self.rulings for item in skipped
            ),
            flagged=sum(item.id in self.flagged for item in out),
            settled=sum(item.id in self.rulings for item in out),
        )

    def _done(self, item: ItemFact) -> int:
        """Judgments of those that are wanted of a document."""
        if item.id in self.rulings:
            return item.wanted
        # A gold document is judged by everybody, and counts no more than was wanted.
        return min(self.times[item.id], item.wanted)
