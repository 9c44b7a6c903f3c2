"""One grade for each document: by votes, by rulings, or by how far judges can be relied on."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import Connection, select

from cleverdon.assess.adjudicating.rulings import standing_rulings
from cleverdon.assess.exporting.judges import chosen_rows
from cleverdon.assess.exporting.kinds import ONE_GRADE, PUBLISHED
from cleverdon.assess.exporting.ordering import Key, in_order, made_judgments
from cleverdon.assess.store.schema import documents, items, topics
from cleverdon.assess.watching.labels import grades_given, labels_of
from cleverdon.data import Judgments
from cleverdon.errors import InputError, check_word
from cleverdon.judge.aggregation import TIES, WAYS, Aggregated, aggregate
from cleverdon.show.aggregated import cautions


@dataclass(frozen=True)
class Qrels:
    """Judgments as they are written, and what is to be known of them."""

    judgments: Judgments
    way: str
    judges: int = 1
    tied: int = 0  # documents for which the rule for ties decided
    ties: str = "lower"
    ruled: int = 0  # documents with a ruling
    unused: int = 0  # rulings that hold, and that this way does not take
    unsettled: tuple[Key, ...] = ()  # in dispute and without a ruling, and so left out
    cautions: tuple[str, ...] = ()


def one_grade(
    connection: Connection,
    way: str = PUBLISHED,
    *,
    ties: str = "lower",
    others: Collection[str] = (),
    seed: int = 0,
) -> Qrels:
    """One grade for each document that somebody judged; the same state gives the same file.

    `way` is one of `ONE_GRADE`, `ties` says what becomes of a document on which no grade wins, and
    `others` are models and earlier judgments that are to count as people do. Where a document is
    in dispute and no ruling settles it, `adjudicated` leaves it out and names it.
    """
    check_word("way", way, ONE_GRADE)
    check_word("ties", ties, TIES)
    rows = chosen_rows(connection, others=others)
    ruled = _ruled(connection)
    if way in WAYS:
        check_any(rows)
        voted = aggregate(labels_of(rows), way, ties=ties, seed=seed)
        return Qrels(
            made_judgments(connection, _graded(voted), name=way),
            way,
            len(voted.labels.judges),
            int(voted.tied.sum()),
            ties,
            unused=len(ruled),
            cautions=tuple(cautions(voted)),
        )
    left = [row for row in rows if (row.topic, row.document) not in ruled]
    judges = len({row.judge for row in rows})
    if way == PUBLISHED:
        votes = aggregate(labels_of(left), "majority", ties=ties, seed=seed) if left else None
        grades = ruled | (_graded(votes) if votes else {})
        check_any(grades)
        tied = int(votes.tied.sum()) if votes else 0
        published = made_judgments(connection, grades, name=way)
        return Qrels(published, way, judges, tied, ties, len(ruled))
    places = {row.item: (row.topic, row.document) for row in left}
    given = {places[item]: grades for item, grades in grades_given(left).items()}
    agreed = {key: float(min(each)) for key, each in given.items() if len(each) == 1}
    unsettled = in_order(connection, (key for key, each in given.items() if len(each) > 1))
    grades = ruled | agreed
    if unsettled and not grades:
        raise InputError(
            f"all {len(unsettled):,} judged documents are in dispute, and there is no ruling yet: "
            "settle them under Adjudicate, or take the majority where there is no ruling"
        )
    check_any(grades)
    settled = made_judgments(connection, grades, name=way)
    return Qrels(settled, way, judges, 0, ties, len(ruled), unsettled=tuple(unsettled))


def check_any(judged: Collection[object], *, by: str = "") -> None:
    """Raise an InputError where nothing is judged."""
    if not judged:
        raise InputError(f"nothing is judged yet{by}: there is nothing to make qrels of")


def _graded(voted: Aggregated) -> dict[Key, float]:
    return {(topic, doc): grade for topic, doc, grade, *_ in voted.rows()}


def _ruled(connection: Connection) -> dict[Key, float]:
    """The grades of the rulings that hold."""
    ruled = standing_rulings(connection)
    if not ruled:
        return {}
    named = connection.execute(
        select(items.c.id, topics.c.name, documents.c.name)
        .join(topics, topics.c.id == items.c.topic_id)
        .join(documents, documents.c.id == items.c.document_id)
    )
    grades = ((topic, doc, ruled[item].grade) for item, topic, doc in named if item in ruled)
    return {(topic, doc): float(grade) for topic, doc, grade in grades if grade is not None}
