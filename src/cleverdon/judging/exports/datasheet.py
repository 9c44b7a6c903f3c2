"""The datasheet of a collection as plain records: every number is computed here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from sqlalchemy import Connection, func, select

from cleverdon import __version__
from cleverdon.agreement.tables import agreement_sentences
from cleverdon.formats.inputs import open_source
from cleverdon.judging import clock
from cleverdon.judging.dashboard import Measurement, from_estimate, from_share
from cleverdon.judging.dashboard.agreement import live_agreement
from cleverdon.judging.dashboard.facts import Facts, ItemFact, distinct_grades, read_facts
from cleverdon.judging.dashboard.progress import count_grades, speed_of
from cleverdon.judging.exports.qrels import digest_of_qrels, make_qrels, pseudonyms
from cleverdon.judging.project import POOL, Project
from cleverdon.judging.queue import Feeder
from cleverdon.judging.scale import Scale
from cleverdon.judging.store.schema import documents, events, people, rulings
from cleverdon.judging.store.schema import settings as stored_settings
from cleverdon.pooling.files import read_pool


@dataclass(frozen=True)
class PoolFacts:
    """The origin of the documents."""

    how: dict[str, Any]  # the method and its options, from the pool's file
    systems: tuple[tuple[str, str], ...]  # names, and the digests of their runs
    documents: int  # pooled, also those that were not drawn
    drawn: int
    outside: int  # documents of queries that no system returned: gold, or added by an import
    digest: str

    @property
    def is_sample(self) -> bool:
        """True if only a part was drawn to be judged."""
        return self.drawn < self.documents


def _pool_facts(project: Project, items: Iterable[ItemFact]) -> PoolFacts | None:
    """Return the pool of a project; None where it was made from a list."""
    path = project.folder / POOL
    if not path.is_file():
        return None
    pool = read_pool(path)
    returned = {(query, pool.docs[at]) for query, at in pool.rows()}
    return PoolFacts(
        _without_folders(dict(pool.how)),
        tuple((each.name, each.digest) for each in pool.contributors),
        len(pool),
        int(pool.drawn.sum()),
        sum((item.query, item.document) not in returned for item in items),
        str(open_source(str(path)).digest()),
    )


def _without_folders(found: Any) -> Any:
    """Return paths without their folders, which are private."""
    if isinstance(found, dict):
        return {name: _without_folders(each) for name, each in found.items()}
    if isinstance(found, list):
        return [_without_folders(each) for each in found]
    return re.split(r"[/\\]", found.rstrip("/\\"))[-1] if isinstance(found, str) else found


@dataclass(frozen=True)
class Spread:
    """The spread of a number of documents over queries."""

    least: int
    middle: float
    most: int


@dataclass(frozen=True)
class AssessorFacts:
    name: str
    judged: int
    queries: int
    relevant: Measurement  # the share of their grades that say relevant
    seconds: Measurement  # a document


@dataclass(frozen=True)
class Datasheet:
    """All facts about a collection."""

    title: str
    as_of: float  # when people last judged, or settled something
    created_at: float | None
    settings: dict[str, Any]  # how the project was set up
    pool: PoolFacts | None
    scale: Scale
    queries: int
    documents: int  # different ones
    items: int  # documents of queries
    due: int  # of these, those that were to be judged: all, or what an adaptive method gave out
    given_out: int
    added: int  # by imports: not of the pool
    endings: dict[str, int]  # of an adaptive method: how many queries ended for which reason
    per_query: Spread  # of what was to be judged
    assessors: tuple[AssessorFacts, ...]
    others: tuple[tuple[str, str, int], ...]  # models and earlier judgments: name, kind, grades
    judgments: int  # standing grades of people
    grades_given: int  # grade events of people, changed and undone ones included
    imported: int  # of these, those that were made elsewhere
    first: float | None  # where it is known when they were made
    last: float | None
    seconds: Measurement
    skipped: int
    judged: int  # documents of queries with a grade of a person
    by_several: int  # that two people at least judged
    agreement: dict[str, Measurement]
    agreement_gold: int  # gold documents that two have judged, which agreement leaves out
    agreement_summary: tuple[str, ...]
    rulings: int
    disputes: int  # documents with different grades
    settled: int  # of these, those with a ruling
    gold: int
    gold_right: Measurement
    published: dict[int, int]  # how many documents have each grade
    relevant_per_query: Spread | None
    without_relevant: int  # queries
    tied: int
    qrels_digest: str
    version: str = __version__

    @property
    def is_adaptive(self) -> bool:
        """True if a method chose what was judged."""
        return bool(self.settings.get("adaptive"))

    @property
    def graded(self) -> int:
        """Documents with a grade of people or a ruling."""
        return sum(self.published.values())

    def to_json(self) -> dict[str, Any]:
        """Return the record for programs, times in ISO 8601."""
        found = asdict(self)
        for name in ("as_of", "created_at", "first", "last"):
            found[name] = None if found[name] is None else clock.iso(found[name])
        return found


def make_datasheet(project: Project, connection: Connection, *, names: bool = False) -> Datasheet:
    """Compute the datasheet of a project; people get pseudonyms unless `names`."""
    endings = Feeder(project).endings(connection)
    facts = read_facts(connection, project.scale, endings=endings)
    settings = {row.name: row.value for row in connection.execute(select(stored_settings))}
    qrels = make_qrels(connection)
    grades = Counter(int(grade) for *_, grade in qrels.judgments.rows())
    human = facts.human
    on_gold = [row.grade == facts.gold[row.item] for row in human if row.item in facts.gold]
    live = live_agreement(human)
    overall = live.agreed.overall if live.agreed else {}
    times = Counter(row.item for row in human)
    disputed = {item for item, given in distinct_grades(human).items() if len(given) > 1}
    # What was imported or settled without being given out has a grade all the same.
    graded = times.keys() | facts.rulings.keys()
    due = [item for item in facts.items if item.given_out or item.id in graded]
    relevant = {
        query: sum(grade >= facts.scale.relevant for grade in qrels.judgments[query].values())
        for query in qrels.judgments.queries
    }
    others = Counter((row.judge, row.kind) for row in facts.grades if row.kind != "person")
    imported_at = (
        select(events.c.said_at)
        .join_from(events, people)
        .where(events.c.kind == "import", people.c.kind == "person")
    )
    imported = connection.execute(imported_at).scalars().all()
    moments = [*(one.at for one in facts.grade_events), *(at for at in imported if at is not None)]
    created_at = settings.pop("created_at", None)
    return Datasheet(
        title=project.title,
        as_of=_last_change(connection) or created_at or 0.0,
        created_at=created_at,
        settings=_settings(settings),
        pool=_pool_facts(project, facts.items),
        scale=facts.scale,
        queries=len(facts.queries),
        documents=int(connection.execute(select(func.count(documents.c.id))).scalar_one()),
        items=len(facts.items),
        due=len(due),
        given_out=sum(item.given_out for item in facts.items),
        added=sum(item.added for item in facts.items),
        endings=dict(Counter(endings.values())),
        per_query=_spread(Counter(item.query for item in due), len(facts.queries)),
        assessors=_assessors(facts, {} if names else dict(pseudonyms(connection))),
        others=tuple((*judge, number) for judge, number in sorted(others.items())),
        judgments=len(human),
        grades_given=len(facts.grade_events) + len(imported),
        imported=len(imported),
        first=min(moments, default=None),
        last=max(moments, default=None),
        seconds=speed_of(facts.grade_events).seconds,
        skipped=len({one.item for one in facts.skips_and_flags if one.skipped}),
        judged=len(times),
        by_several=sum(number > 1 for number in times.values()),
        agreement={name: from_estimate(one, live.shared) for name, one in overall.items()},
        agreement_gold=live.gold,
        agreement_summary=tuple(agreement_sentences(live.agreed)) if live.agreed else (live.why,),
        rulings=len(facts.rulings),
        disputes=len(disputed),
        settled=len(disputed & facts.rulings.keys()),
        gold=len(facts.gold),
        gold_right=from_share(sum(on_gold), len(on_gold), why="no gold document was judged"),
        published={value: grades[value] for value in facts.scale.values},
        relevant_per_query=_spread(relevant, len(relevant)) if relevant else None,
        without_relevant=sum(not number for number in relevant.values()),
        tied=qrels.tied,
        qrels_digest=digest_of_qrels(qrels.judgments),
    )


def _settings(found: dict[str, Any]) -> dict[str, Any]:
    """Return the settings that are shown, and the names of files."""
    shown = {name: found[name] for name in sorted(found.keys() - {"scale", "title"})}
    return shown | {"made_of": _without_folders(shown["made_of"])} if "made_of" in shown else shown


def _assessors(facts: Facts, called: dict[str, str]) -> tuple[AssessorFacts, ...]:
    grades = facts.grades_by_judge
    return tuple(
        AssessorFacts(
            called.get(name, name),
            len(grades[name]),
            len({row.query for row in grades[name]}),
            count_grades(grades[name], facts.scale).relevant,
            speed_of(facts.events_by_judge.get(name, ())).seconds,
        )
        for name in facts.people
        if name in grades
    )


def _spread(counts: dict[str, int] | Counter[str], queries: int) -> Spread:
    numbers = [*counts.values(), *([0] * (queries - len(counts)))] or [0]
    return Spread(min(numbers), median(numbers), max(numbers))


def _last_change(connection: Connection) -> float | None:
    """Return the time of the last change of a grade or a ruling."""
    by_people = (
        select(func.max(events.c.made_at))
        .join_from(events, people)
        .where(people.c.kind == "person", events.c.kind.not_in(("note", "flag")))
    )
    wanted = (by_people, select(func.max(rulings.c.made_at)))
    moments = (connection.execute(each).scalar() for each in wanted)
    return max((moment for moment in moments if moment is not None), default=None)
