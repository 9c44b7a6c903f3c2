"""What a datasheet says of a collection, as plain records: every number is computed here."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from sqlalchemy import Connection, func, select

from cleverdon import __version__
from cleverdon.assess import clock
from cleverdon.assess.exporting.folder import digest_of
from cleverdon.assess.exporting.judges import pseudonyms
from cleverdon.assess.exporting.qrels import PUBLISHED, Qrels, one_grade
from cleverdon.assess.project import POOL, Project
from cleverdon.assess.scale import Scale
from cleverdon.assess.store.schema import documents, events, people, rulings
from cleverdon.assess.store.schema import settings as stored_settings
from cleverdon.assess.watching.agreement import live_agreement
from cleverdon.assess.watching.facts import Facts, read_facts
from cleverdon.assess.watching.grading import grades_of
from cleverdon.assess.watching.measured import Measured, of_estimate, of_share
from cleverdon.assess.watching.pace import speed_of
from cleverdon.pool.file import read_pool
from cleverdon.read import open_source
from cleverdon.show.agree_words import sentences


@dataclass(frozen=True)
class Spread:
    """How a number of documents differs from topic to topic."""

    least: int
    middle: float
    most: int


@dataclass(frozen=True)
class PoolFacts:
    """Where the documents came from."""

    how: dict[str, Any]  # the method and its options, as the pool's file says
    systems: tuple[tuple[str, str], ...]  # names, and the digests of their runs
    documents: int  # pooled, also those that were not drawn
    drawn: int
    digest: str


@dataclass(frozen=True)
class AssessorFacts:
    """One assessor's share of the work."""

    name: str
    judged: int
    topics: int
    relevant: Measured  # the share of their grades that say relevant
    seconds: Measured  # a document


@dataclass(frozen=True)
class Datasheet:
    """All that is said of a collection."""

    title: str
    as_of: float  # the last word that was said
    created_at: float | None
    settings: dict[str, Any]  # how the project was set up
    pool: PoolFacts | None
    scale: Scale
    topics: int
    documents: int  # different ones
    items: int  # documents of topics
    given_out: int
    per_topic: Spread
    assessors: tuple[AssessorFacts, ...]
    others: tuple[tuple[str, str, int], ...]  # models and earlier judgments: name, kind, grades
    judgments: int  # grades of people that stand
    sayings: int  # of people, changed and undone ones included
    imported: int  # of these, those that were made elsewhere
    first: float | None  # where it is known when they were made
    last: float | None
    seconds: Measured
    skipped: int
    judged: int  # documents of topics with a grade of a person
    by_several: int  # that two people at least judged
    agreement: dict[str, Measured]
    agreement_said: tuple[str, ...]
    rulings: int
    disputes: int  # documents with different grades
    settled: int  # of these, those with a ruling
    gold: int
    gold_right: Measured
    published: dict[int, int]  # how many documents have each grade
    relevant_per_topic: Spread | None
    without_relevant: int  # topics
    tied: int
    qrels_digest: str
    version: str = __version__

    def to_json(self) -> dict[str, Any]:
        """For programs; moments as ISO 8601."""
        found = asdict(self)
        for name in ("as_of", "created_at", "first", "last"):
            found[name] = None if found[name] is None else clock.iso(found[name])
        return found


def datasheet(project: Project, connection: Connection, *, names: bool = False) -> Datasheet:
    """The datasheet of a project as it stands; people go by pseudonyms unless `names`."""
    facts = read_facts(connection, project.scale)
    settings = {row.name: row.value for row in connection.execute(select(stored_settings))}
    qrels = one_grade(connection, PUBLISHED)
    grades = Counter(int(grade) for *_, grade in qrels.judgments.rows())
    human = facts.human
    gold = {item.id: item.gold for item in facts.items if item.gold is not None}
    on_gold = [row.grade == gold[row.item] for row in human if row.item in gold]
    agreed = live_agreement(human)
    times = Counter(row.item for row in human)
    disputed = _disputed(facts)
    relevant = _relevant(facts, qrels)
    imported = _imported(connection)
    moments = [*(one.at for one in facts.gradings), *(at for at in imported if at is not None)]
    created_at = settings.pop("created_at", None)
    return Datasheet(
        title=project.title,
        as_of=_last_word(connection) or created_at or 0.0,
        created_at=created_at,
        settings=_settings(settings),
        pool=_pool(project),
        scale=facts.scale,
        topics=len(facts.topics),
        documents=int(connection.execute(select(func.count(documents.c.id))).scalar_one()),
        items=len(facts.items),
        given_out=sum(item.given_out for item in facts.items),
        per_topic=_spread(Counter(item.topic for item in facts.items), len(facts.topics)),
        assessors=_assessors(facts, {} if names else dict(pseudonyms(connection))),
        others=_others(facts),
        judgments=len(human),
        sayings=len(facts.gradings) + len(imported),
        imported=len(imported),
        first=min(moments, default=None),
        last=max(moments, default=None),
        seconds=speed_of(facts.gradings).seconds,
        skipped=len({one.item for one in facts.asides if one.skipped}),
        judged=len(times),
        by_several=sum(number > 1 for number in times.values()),
        agreement={
            name: of_estimate(one, agreed.shared) for name, one in agreed.agreed.overall.items()
        }
        if agreed.agreed
        else {},
        agreement_said=tuple(sentences(agreed.agreed)) if agreed.agreed else (agreed.why,),
        rulings=len(facts.rulings),
        disputes=len(disputed),
        settled=len(disputed & facts.rulings.keys()),
        gold=len(gold),
        gold_right=of_share(sum(on_gold), len(on_gold), why="no gold document was judged"),
        published={value: grades[value] for value in facts.scale.values},
        relevant_per_topic=_spread(relevant, len(relevant)) if relevant else None,
        without_relevant=sum(not number for number in relevant.values()),
        tied=qrels.tied,
        qrels_digest=digest_of(qrels.judgments),
    )


def _settings(found: dict[str, Any]) -> dict[str, Any]:
    """What is shown of how a project was set up; of files the names alone."""
    shown = {name: found[name] for name in sorted(found.keys() - {"scale", "title"})}
    return {name: _unplaced(shown[name]) if name == "made_of" else shown[name] for name in shown}


def _unplaced(found: Any) -> Any:
    """Paths without their folders, which are nobody's business."""
    if isinstance(found, dict):
        return {name: _unplaced(each) for name, each in found.items()}
    if isinstance(found, list):
        return [_unplaced(each) for each in found]
    return re.split(r"[/\\]", found.rstrip("/\\"))[-1] if isinstance(found, str) else found


def _imported(connection: Connection) -> list[float | None]:
    """When people's grades were given that were made elsewhere, as far as their files said it."""
    wanted = (
        select(events.c.said_at)
        .join(people, people.c.id == events.c.person_id)
        .where(events.c.kind == "import", people.c.kind == "person")
    )
    return list(connection.execute(wanted).scalars())


def _assessors(facts: Facts, called: dict[str, str]) -> tuple[AssessorFacts, ...]:
    found = []
    for name in facts.people:
        rows = [row for row in facts.human if row.judge == name]
        if rows:
            found.append(
                AssessorFacts(
                    called.get(name, name),
                    len(rows),
                    len({row.topic for row in rows}),
                    grades_of(rows, facts.scale).relevant,
                    speed_of(one for one in facts.gradings if one.judge == name).seconds,
                )
            )
    return tuple(found)


def _others(facts: Facts) -> tuple[tuple[str, str, int], ...]:
    counted = Counter((row.judge, row.kind) for row in facts.labels if row.kind != "person")
    return tuple((name, kind, number) for (name, kind), number in sorted(counted.items()))


def _disputed(facts: Facts) -> set[int]:
    given: dict[int, set[int]] = {}
    for row in facts.human:
        given.setdefault(row.item, set()).add(row.grade)
    return {item for item, grades in given.items() if len(grades) > 1}


def _relevant(facts: Facts, qrels: Qrels) -> dict[str, int]:
    """How many relevant documents each judged topic has."""
    return {
        topic: sum(grade >= facts.scale.relevant for grade in qrels.judgments[topic].values())
        for topic in qrels.judgments.queries
    }


def _spread(counts: dict[str, int] | Counter[str], topics: int) -> Spread:
    numbers = [*counts.values(), *([0] * (topics - len(counts)))] or [0]
    return Spread(min(numbers), median(numbers), max(numbers))


def _last_word(connection: Connection) -> float | None:
    moments = (
        connection.execute(select(func.max(table.c.made_at))).scalar()
        for table in (events, rulings)
    )
    return max((moment for moment in moments if moment is not None), default=None)


def _pool(project: Project) -> PoolFacts | None:
    path = project.folder / POOL
    if not path.is_file():
        return None
    pool = read_pool(path)
    systems = tuple((each.name, each.digest) for each in pool.contributors)
    digest = str(open_source(str(path)).digest())
    return PoolFacts(_unplaced(dict(pool.how)), systems, len(pool), int(pool.drawn.sum()), digest)
