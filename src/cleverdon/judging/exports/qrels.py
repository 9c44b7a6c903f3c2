"""The qrels of a project: one grade per document by votes or rulings, or those of each assessor.

All exports have one order: the project's queries, and documents by their ids. Models and earlier
judgments count only where they are named. A sampled pool adds strata or probabilities for the whole
pool, also for documents that were not drawn. `read_folder` reads a project's folder as qrels, for
every command that takes qrels (`cleverdon eval DIR`).
"""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy import Connection, select

from cleverdon import _core
from cleverdon.agreement.aggregation import (
    AGGREGATION_METHODS,
    TIE_RULES,
    Aggregation,
    aggregate_labels,
)
from cleverdon.agreement.labels import JudgmentRow
from cleverdon.data import Judgments
from cleverdon.errors import InputError, OptionError, check_word, suggest
from cleverdon.formats.detection import ANNOTATED
from cleverdon.formats.inputs import open_source
from cleverdon.judging.dashboard.facts import (
    HUMAN,
    JUDGE_KINDS,
    StandingGrade,
    distinct_grades,
    labels_of,
    standing_grades,
)
from cleverdon.judging.errors import NotFound
from cleverdon.judging.exports import ONE_GRADE_KINDS, PUBLISHED
from cleverdon.judging.project import POOL, Project, read_project
from cleverdon.judging.store.schema import (
    IS_STANDING,
    NAMED_ITEMS,
    documents,
    people,
    queries,
    rulings,
)
from cleverdon.pooling.files import read_pool
from cleverdon.pooling.pools import JudgedPool, judged_pool


def chosen_grades(connection: Connection, *, others: Collection[str] = ()) -> list[StandingGrade]:
    """Return the grades of people, and of the models and earlier judgments in `others`."""
    _check_names(connection, others, kinds=("model", "earlier"))
    rows = standing_grades(connection, JUDGE_KINDS if others else HUMAN)
    return [row for row in rows if row.kind == "person" or row.judge in others]


def _check_names(connection: Connection, names: Collection[str], *, kinds: Collection[str]) -> None:
    """Raise a NotFound for the first name that none of these judges has."""
    known = select(people.c.name).where(people.c.kind.in_(kinds)).order_by(people.c.id)
    listed = connection.execute(known).scalars().all() if names else []
    one, several = "model, nor earlier judgments,", "models or earlier judgments"
    if "person" in kinds:
        one, several = "person", "judges"
    for name in names:
        if name not in listed:
            hint = suggest(name, listed) if listed else f"; the project has no {several}"
            raise NotFound(f"there is no {one} called {name!r}{hint}")


def pseudonyms(connection: Connection) -> Mapping[str, str]:
    """Return A1, A2, ... for people, in the order of their accounts; models keep their names."""
    persons = connection.execute(
        select(people.c.name).where(people.c.kind == "person").order_by(people.c.id)
    )
    return {name: f"A{number}" for number, name in enumerate(persons.scalars(), start=1)}


_QueryAndDocument = tuple[str, str]  # their names


def _in_order(connection: Connection, keys: Iterable[_QueryAndDocument]) -> list[_QueryAndDocument]:
    """Return queries in the project's order, and documents in bytewise order."""
    named = connection.execute(select(queries.c.name).order_by(queries.c.position)).scalars()
    place = {name: at for at, name in enumerate(named)}
    return sorted(keys, key=lambda key: (place[key[0]], key[1].encode()))


def _ordered_judgments(
    connection: Connection, grades: Mapping[_QueryAndDocument, float], *, name: str
) -> Judgments:
    """Return judgments in the order of all exports."""
    nested: dict[str, dict[str, float]] = {}
    for query, doc in _in_order(connection, grades):
        nested.setdefault(query, {})[doc] = grades[query, doc]
    made: Judgments = Judgments.read(nested, name=name)
    return made


@dataclass(frozen=True)
class Qrels:
    """Judgments to be written, and facts about them."""

    judgments: Judgments
    way: str
    judges: int = 1
    tied: int = 0  # documents for which the rule for ties decided
    ties: str = "lower"
    ruled: int = 0  # documents with a ruling
    unused: int = 0  # standing rulings that this way does not use
    unsettled: tuple[_QueryAndDocument, ...] = ()  # left out: in dispute, without a ruling
    cautions: tuple[str, ...] = ()


def make_qrels(
    connection: Connection,
    way: str = PUBLISHED,
    *,
    ties: str = "lower",
    others: Collection[str] = (),
    seed: int = 0,
) -> Qrels:
    """Return one grade for each judged document; the same state gives the same file.

    `way` is one of `ONE_GRADE_KINDS`, `ties` a rule for documents on which no grade wins, and
    `others` are models and earlier judgments that count as people do. `adjudicated` leaves out and
    names documents that are in dispute without a ruling.
    """
    check_word("way", way, ONE_GRADE_KINDS)
    check_word("ties", ties, TIE_RULES)
    rows = chosen_grades(connection, others=others)
    ruled = _ruled(connection)
    if way in AGGREGATION_METHODS:
        _check_judged(rows)
        voted = aggregate_labels(labels_of(rows), way, vote_ties=ties, seed=seed, progress=False)
        return Qrels(
            _ordered_judgments(connection, _graded(voted), name=way),
            way,
            len(voted.labels.judges),
            int(voted.tied.sum()),
            ties,
            unused=len(ruled),
            cautions=tuple(voted.warnings()),
        )
    left = [row for row in rows if (row.query, row.document) not in ruled]
    judges = len({row.judge for row in rows})
    if way == PUBLISHED:
        votes = (
            aggregate_labels(labels_of(left), "majority", vote_ties=ties, seed=seed, progress=False)
            if left
            else None
        )
        grades = ruled | (_graded(votes) if votes else {})
        _check_judged(grades)
        tied = int(votes.tied.sum()) if votes else 0
        published = _ordered_judgments(connection, grades, name=way)
        return Qrels(published, way, judges, tied, ties, len(ruled))
    places = {row.item: (row.query, row.document) for row in left}
    given = {places[item]: grades for item, grades in distinct_grades(left).items()}
    agreed = {key: float(min(each)) for key, each in given.items() if len(each) == 1}
    unsettled = _in_order(connection, (key for key, each in given.items() if len(each) > 1))
    grades = ruled | agreed
    if unsettled and not grades:
        raise InputError(
            f"all {len(unsettled):,} judged documents are in dispute, and there is no ruling yet: "
            "settle them under Adjudicate, or take the majority where there is no ruling"
        )
    _check_judged(grades)
    settled = _ordered_judgments(connection, grades, name=way)
    return Qrels(settled, way, judges, 0, ties, len(ruled), unsettled=tuple(unsettled))


def _check_judged(judged: Collection[object], *, by: str = "") -> None:
    """Raise an InputError where nothing is judged."""
    if not judged:
        raise InputError(f"nothing is judged yet{by}: there is nothing to make qrels of")


def _graded(voted: Aggregation) -> dict[_QueryAndDocument, float]:
    return {(query, doc): grade for query, doc, grade, *_ in voted.rows()}


def _ruled(connection: Connection) -> dict[_QueryAndDocument, float]:
    grades = connection.execute(
        select(queries.c.name, documents.c.name, rulings.c.grade)
        .select_from(rulings.join(NAMED_ITEMS))
        .where(IS_STANDING)
    )
    return {(query, document): float(grade) for query, document, grade in grades}


def by_assessor(connection: Connection, names: Sequence[str] = ()) -> dict[str, Judgments]:
    """Return the grades of all people, or of the named judges, by name."""
    grades = _grades_by_judge(connection, names)
    return {name: _ordered_judgments(connection, each, name=name) for name, each in grades.items()}


def _grades_by_judge(
    connection: Connection, names: Sequence[str] = ()
) -> dict[str, dict[_QueryAndDocument, float]]:
    """Return the standing grades by the names of the judges."""
    _check_names(connection, names, kinds=JUDGE_KINDS)
    others = connection.execute(
        select(people.c.name).where(people.c.name.in_(names), people.c.kind != "person")
    )
    found: dict[str, dict[_QueryAndDocument, float]] = {name: {} for name in names}
    for row in chosen_grades(connection, others=list(others.scalars())):
        if not names or row.judge in found:
            found.setdefault(row.judge, {})[row.query, row.document] = float(row.grade)
    _check_judged(found)
    for name, grades in found.items():
        _check_judged(grades, by=f" by {name}")
    return dict(sorted(found.items()))


def assessor_rows(
    connection: Connection, names: Sequence[str] = (), *, called: Mapping[str, str]
) -> list[JudgmentRow]:
    """Return judge, query, document and grade in one order; `called` maps the names."""
    found = _grades_by_judge(connection, names)
    shown = {name: called.get(name, name) for name in found}
    if len(set(shown.values())) < len(shown):
        raise InputError(
            "a model has the name of a pseudonym: write names, or a file for each assessor"
        )
    given: dict[_QueryAndDocument, list[tuple[str, float]]] = {}
    for name, grades in found.items():
        for key, grade in grades.items():
            given.setdefault(key, []).append((shown[name], grade))
    return [
        (judge, query, doc, grade)
        for query, doc in _in_order(connection, given)
        for judge, grade in given[query, doc]
    ]


def sampled_judgments(folder: Path, judgments: Judgments, kind: str) -> JudgedPool:
    """Return judgments of the whole pool; `kind` is one of `QRELS_KINDS`."""
    path = folder / POOL
    if not path.is_file():
        raise InputError(
            f"there is no {POOL} in the project: it was not made from a pool, so there are "
            "no strata and no probabilities",
            source=str(folder),
        )
    found = judged_pool(read_pool(path), judgments.to_dict(), kind=kind)
    # Not in the pool's order, which is that of one seed.
    ordered = {
        query: dict(sorted(grades.items(), key=lambda each: each[0].encode()))
        for query, grades in found.judgments.to_dict().items()
    }
    table = _core.Table.from_dict(ordered, "grade", "unchecked")
    named = Judgments(table, name=judgments.name, notes=found.judgments.notes)
    return replace(found, judgments=named)


def read_folder(path: str, *, format: str | None = None, name: str | None = None) -> Judgments:
    """Read the judgments that a project publishes: rulings, else the majority of people.

    `format` may ask for the strata or the probabilities of a sampled pool. The digest is that of
    the file that `cleverdon judge export --combine published` writes. The project may be in use.
    """
    if format not in (None, "strata", "sampled"):
        raise OptionError(
            f"format={format!r} is for files, and {path} is a judging project: leave it out, or "
            "give strata or sampled where its pool is a sample"
        )

    def published(project: Project) -> Judgments:
        with project.database.reading() as connection:
            try:
                found = make_qrels(connection).judgments
            except InputError as error:
                raise InputError(error.message, source=path) from None
        return sampled_judgments(project.folder, found, format).judgments if format else found

    made = read_project(path, published)
    return Judgments(
        _core.Table.from_dict(made.to_dict(), "grade", "unchecked"),
        name=name or Path(path).resolve().name,
        source=path,
        digest=digest_of_qrels(made, format),
        notes=made.notes,
    )


def read_judge_rows(path: str, kind: str) -> tuple[list[JudgmentRow], set[_QueryAndDocument]]:
    """Read the standing grades of one kind of judge, and which documents are gold.

    Gold documents do not count in agreement. The project may be in use.
    """

    def read(project: Project) -> list[StandingGrade]:
        with project.database.reading() as connection:
            return list(standing_grades(connection, (kind,)))

    rows = read_project(path, read)
    if not rows:
        raise InputError(f"no {kind} has judged anything in this project yet", source=path)
    gold = {(row.query, row.document) for row in rows if row.gold}
    return [(row.judge, row.query, row.document, float(row.grade)) for row in rows], gold


def digest_of_qrels(judgments: Judgments, format: str | None = None) -> str:
    """Return the digest of these judgments, in TREC's format where their ids allow."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/qrels"
        try:
            judgments.write(path, format=format if format in ANNOTATED else None)
        except InputError:
            path += ".json"
            judgments.write(path)
        return str(open_source(path).digest())
