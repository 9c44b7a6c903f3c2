"""What a datasheet says of a collection, as plain records: every number is computed here."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from sqlalchemy import Connection, func, select

from cleverdon import __version__
from cleverdon.assess import clock
from cleverdon.assess.exporting.datasheet_pool import PoolFacts, pool_facts, unplaced
from cleverdon.assess.exporting.folder import digest_of
from cleverdon.assess.exporting.judges import pseudonyms
from cleverdon.assess.exporting.qrels import Qrels, one_grade
from cleverdon.assess.judging.feeding import Feeder
from cleverdon.assess.project import Project
from cleverdon.assess.scale import Scale
from cleverdon.assess.store.schema import documents, events, people, rulings
from cleverdon.assess.store.schema import settings as stored_settings
from cleverdon.assess.watching.agreement import live_agreement
from cleverdon.assess.watching.facts import Facts, Grading, read_facts
from cleverdon.assess.watching.grading import grades_of
from cleverdon.assess.watching.labels import LabelRow, grades_given
from cleverdon.assess.watching.measured import Measured, of_estimate, of_share
from cleverdon.assess.watching.pace import speed_of
from cleverdon.show.agree_words import sentences


@dataclass(frozen=True)
class Spread:
    """How a number of documents differs from topic to topic."""

    least: int
    middle: float
    most: int


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
    as_of: float  # when people last judged, or settled something
    created_at: float | None
    settings: dict[str, Any]  # how the project was set up
    pool: PoolFacts | None
    scale: Scale
    topics: int
    documents: int  # different ones
    items: int  # documents of topics
    due: int  # of these, those that were to be judged: all, or what an adaptive method gave out
    given_out: int
    added: int  # by imports: not of the pool
    endings: dict[str, int]  # of an adaptive method: how many topics ended for which reason
    per_topic: Spread  # of what was to be judged
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
    agreement_gold: int  # gold documents that two have judged, which agreement leaves out
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

    @property
    def is_adaptive(self) -> bool:
        """Whether a method chose what was judged."""
        return bool(self.settings.get("adaptive"))

    @property
    def graded(self) -> int:
        """Documents of topics that have a grade, of people or by a ruling alone."""
        return sum(self.published.values())

    def to_json(self) -> dict[str, Any]:
        """For programs; moments as ISO 8601."""
        found = asdict(self)
        for name in ("as_of", "created_at", "first", "last"):
            found[name] = None if found[name] is None else clock.iso(found[name])
        return found


def datasheet(project: Project, connection: Connection, *, names: bool = False) -> Datasheet:
    """The datasheet of a project as it stands; people go by pseudonyms unless `names`."""
    endings = Feeder(project).endings(connection)
    facts = read_facts(connection, project.scale, endings=endings)
    settings = {row.name: row.value for row in connection.execute(select(stored_settings))}
    qrels = one_grade(connection)
    grades = Counter(int(grade) for *_, grade in qrels.judgments.rows())
    human = facts.human
    gold = {item.id: item.gold for item in facts.items if item.gold is not None}
    on_gold = [row.grade == gold[row.item] for row in human if row.item in gold]
    agreed = live_agreement(human)
    times = Counter(row.item for row in human)
    disputed = {item for item, given in grades_given(human).items() if len(given) > 1}
    # What was imported or settled without being given out has a grade all the same.
    graded = times.keys() | facts.rulings.keys()
    due = [item for item in facts.items if item.given_out or item.id in graded]
    relevant = _relevant(facts, qrels)
    imported = _imported(connection)
    moments = [*(one.at for one in facts.gradings), *(at for at in imported if at is not None)]
    created_at = settings.pop("created_at", None)
    return Datasheet(
        title=project.title,
        as_of=_last_word(connection) or created_at or 0.0,
        created_at=created_at,
        settings=_settings(settings),
        pool=pool_facts(project, facts.items),
        scale=facts.scale,
        topics=len(facts.topics),
        documents=int(connection.execute(select(func.count(documents.c.id))).scalar_one()),
        items=len(facts.items),
        due=len(due),
        given_out=sum(item.given_out for item in facts.items),
        added=sum(item.added for item in facts.items),
        endings=dict(Counter(endings.values())),
        per_topic=_spread(Counter(item.topic for item in due), len(facts.topics)),
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
        agreement_gold=agreed.gold,
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
    return {name: unplaced(shown[name]) if name == "made_of" else shown[name] for name in shown}


def _imported(connection: Connection) -> list[float | None]:
    """When people's grades were given that were made elsewhere, as far as their files said it."""
    wanted = (
        select(events.c.said_at)
        .join(people, people.c.id == events.c.person_id)
        .where(events.c.kind == "import", people.c.kind == "person")
    )
    return list(connection.execute(wanted).scalars())


def _assessors(facts: Facts, called: dict[str, str]) -> tuple[AssessorFacts, ...]:
    rows: dict[str, list[LabelRow]] = {}
    for row in facts.human:
        rows.setdefault(row.judge, []).append(row)
    gradings: dict[str, list[Grading]] = {}
    for one in facts.gradings:
        gradings.setdefault(one.judge, []).append(one)
    return tuple(
        AssessorFacts(
            called.get(name, name),
            len(rows[name]),
            len({row.topic for row in rows[name]}),
            grades_of(rows[name], facts.scale).relevant,
            speed_of(gradings.get(name, ())).seconds,
        )
        for name in facts.people
        if name in rows
    )


def _others(facts: Facts) -> tuple[tuple[str, str, int], ...]:
    counted = Counter((row.judge, row.kind) for row in facts.labels if row.kind != "person")
    return tuple((name, kind, number) for (name, kind), number in sorted(counted.items()))


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
    """When a grade of people's or a ruling last came, or went: of that state the qrels are."""
    by_people = (
        select(func.max(events.c.made_at))
        .join(people, people.c.id == events.c.person_id)
        .where(people.c.kind == "person", events.c.kind.not_in(("note", "flag")))
    )
    wanted = (by_people, select(func.max(rulings.c.made_at)))
    moments = (connection.execute(each).scalar() for each in wanted)
    return max((moment for moment in moments if moment is not None), default=None)
