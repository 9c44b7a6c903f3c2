"""What judgments are like by themselves: topics, grades, documents that several topics share."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from cleverdon.data import Judgments

_MOST_SHARED = 5


@dataclass(frozen=True)
class TopicJudged:
    """One topic's judgments, counted."""

    topic: str
    judged: int  # documents with a grade from 0 on
    relevant: int
    unjudged: int  # pooled, not judged: a grade below 0
    grades: dict[float, int]  # of all of them, the lowest grade first


@dataclass(frozen=True)
class Described:
    """What judgments are like."""

    topics: tuple[TopicJudged, ...]
    grades: dict[float, int]  # how many judgments have it, the lowest first
    rel: float  # from which grade on a document is relevant
    documents: int  # different ones, over all topics
    shared: int  # documents that are judged for several topics
    relevant_documents: int  # different ones, over all topics
    relevant_to_several: int  # of these, the ones that are relevant to several topics
    most_shared: tuple[tuple[str, int], ...]  # documents with most topics, and how many

    @property
    def judged(self) -> int:
        return sum(topic.judged for topic in self.topics)

    @property
    def relevant(self) -> int:
        return sum(topic.relevant for topic in self.topics)

    @property
    def unjudged(self) -> int:
        return sum(topic.unjudged for topic in self.topics)

    @property
    def without_relevant(self) -> tuple[str, ...]:
        """Topics of which no judged document is relevant."""
        return tuple(topic.topic for topic in self.topics if not topic.relevant)

    @property
    def graded(self) -> bool:
        """Whether relevant documents have more than one grade."""
        return sum(grade >= self.rel for grade in self.grades) > 1


def describe(judgments: Any, *, rel: float = 1) -> Described:
    """Count judgments by topic, by grade and by document.

    >>> found = describe({"q1": {"a": 2, "b": 0, "c": -1}, "q2": {"a": 1}})
    >>> found.judged, found.relevant, found.grades, found.shared
    (3, 2, {-1.0: 1, 0.0: 1, 1.0: 1, 2.0: 1}, 1)
    """
    given = Judgments.read(judgments)
    topics = []
    in_all: Counter[float] = Counter()
    times: Counter[str] = Counter()
    relevant_times: Counter[str] = Counter()
    for query in given.queries:
        grades = given[query]
        counts = Counter(grades.values())
        in_all.update(counts)
        times.update(grades.keys())  # a dict would add its values up
        relevant = [doc for doc, grade in grades.items() if grade >= rel]
        relevant_times.update(relevant)
        unjudged = sum(count for grade, count in counts.items() if grade < 0)
        topics.append(
            TopicJudged(
                topic=query,
                judged=len(grades) - unjudged,
                relevant=len(relevant),
                unjudged=unjudged,
                grades=dict(sorted(counts.items())),
            )
        )
    shared = {doc: count for doc, count in times.items() if count > 1}
    most = sorted(shared.items(), key=lambda pair: (-pair[1], pair[0].encode()))
    return Described(
        topics=tuple(topics),
        grades=dict(sorted(in_all.items())),
        rel=rel,
        documents=len(times),
        shared=len(shared),
        relevant_documents=len(relevant_times),
        relevant_to_several=sum(count > 1 for count in relevant_times.values()),
        most_shared=tuple(most[:_MOST_SHARED]),
    )
