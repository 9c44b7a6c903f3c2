"""The relevance judgments, derived from structure and from text that no system sees.

No system's results are looked at; the price is that most of what a system returns is not judged, as
in real collections, and `Judged@10` shows how far that goes. Still the judgments are not neutral:
grade 1 means shared stems, which suits a system that stems. With grade 2 alone, where no words are
compared, `bm25-porter` keeps little of its lead over `bm25` and falls behind `name-weighted`. So
the demo shows how systems are compared, not which of these is best.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cleverdon.demo.documents import Document
from cleverdon.demo.topicality import StemWeights, topic_stems, weigh_stems
from cleverdon.demo.topics import Topic, is_sentence
from cleverdon.demo.words import name_words, words

DESCRIBED, RELATED, UNRELATED = 2, 1, 0

# Shares of the topic (idf-weighted cosine of two summaries), set by reading: from 0.35 up, pairs
# speak of one subject (`Counter.update` and `Counter.subtract`, 0.79; `readlink` and `lstat`,
# 0.49); below 0.1 they share a word such as "file" and no subject. Between the two one can argue,
# and what can be argued about is left unjudged.
_SAME_TOPIC = 0.35
_OTHER_TOPIC = 0.1
_MOST_UNRELATED = 6  # a topic


@dataclass(frozen=True)
class Judgment:
    """One line of the qrels."""

    topic: str
    document: str
    grade: int


def judge(topics: Sequence[Topic], documents: Sequence[Document]) -> tuple[Judgment, ...]:
    """Grade documents for every topic, ordered by topic and document.

    - 2: the item that the query describes, and any other whose summary is the same sentence.
    - 1: in the same module, and its own summary shares the topic.
    - 0: in the same module, and neither its own summary nor its name shares the topic. Of these
      the few that come nearest to sharing it, or stand nearest in the listing: a judged document
      that no system would return tells nothing. A class and its methods are never judged unrelated
      to each other.
    """
    stems = {document.id: topic_stems(document.summary) for document in documents}
    weights = weigh_stems(stems.values())
    in_module: dict[str, list[Document]] = defaultdict(list)
    saying: dict[tuple[str, ...], list[Document]] = defaultdict(list)
    for document in documents:
        in_module[document.module].append(document)
        saying[words(document.summary)].append(document)
    judged: list[Judgment] = []
    for topic in topics:
        described = {document.id for document in saying[words(topic.document.summary)]}
        neighbours = _neighbours(topic.document, in_module[topic.document.module], stems, weights)
        grades = dict(neighbours) | dict.fromkeys(described, DESCRIBED)
        judged += (Judgment(topic.id, key, grades[key]) for key in sorted(grades))
    return tuple(judged)


def _neighbours(
    asked: Document,
    module: Sequence[Document],
    stems: dict[str, frozenset[str]],
    weights: StemWeights,
) -> Iterator[tuple[str, int]]:
    """The rest of the module, as far as it can be graded."""
    home = module.index(asked)
    unrelated: list[tuple[float, int, str]] = []
    for place, document in enumerate(module):
        share = weights.shared(stems[asked.id], stems[document.id])
        if share >= _SAME_TOPIC:
            yield document.id, RELATED
        elif share < _OTHER_TOPIC and is_sentence(document.summary) and not _akin(asked, document):
            unrelated.append((-share, abs(place - home), document.id))
    for _, _, document_id in sorted(unrelated)[:_MOST_UNRELATED]:
        yield document_id, UNRELATED


def _akin(one: Document, other: Document) -> bool:
    """Whether names alone relate the two: one contains the other, or a word of theirs recurs."""
    if one.id == other.owner or other.id == one.owner:
        return True
    asked = topic_stems(f"{one.summary} {name_words(one.name)}")
    return not asked.isdisjoint(topic_stems(name_words(other.name)))
