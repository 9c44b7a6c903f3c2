"""Making a project: all of it in one transaction, and nothing stays where that fails."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cleverdon.assess.judging.feeding import Feeder
from cleverdon.assess.people.accounts import add_person
from cleverdon.assess.people.auditing import COMMAND_LINE
from cleverdon.assess.project import POOL, Project
from cleverdon.assess.scale import Scale
from cleverdon.assess.setup.assigning import By, deal_out
from cleverdon.assess.setup.beginning import make_private, new_project
from cleverdon.assess.setup.documents import Documents
from cleverdon.assess.setup.filling import Topic, fill
from cleverdon.assess.setup.items import Gold, Overlap, made_items
from cleverdon.assess.setup.to_judge import ToJudge
from cleverdon.assess.setup.workload import work_of
from cleverdon.pool.file import write_pool


@dataclass(frozen=True)
class Plan:
    """What a project is to be."""

    to_judge: ToJudge
    topics: list[Topic]
    documents: Documents
    scale: Scale
    title: str
    guidelines: str = ""
    seed: int = 0
    gold: Gold = field(default_factory=dict)
    judges: int = 1
    overlap: Overlap | None = None
    assessors: tuple[str, ...] = ()
    by: By = "topic"
    made_of: Mapping[str, Any] = field(default_factory=dict)  # files and their digests


@dataclass(frozen=True)
class Made:
    """What a project is."""

    topics: int
    items: int
    twice: int  # of the items, those that several people judge
    gold: int
    missing: tuple[str, ...]  # documents without a text
    short: int  # topics with too few people for what several are to judge


def make_project(
    folder: str | os.PathLike[str], plan: Plan, *, database: str | None = None
) -> Made:
    """Make a project; the documents are read while it is written."""
    items = made_items(
        plan.to_judge.candidates,
        seed=plan.seed,
        gold=plan.gold,
        judges=plan.judges,
        overlap=plan.overlap,
        adaptive=plan.to_judge.adaptive is not None,
    )
    with new_project(folder, database=database) as (project, connection):
        fill(
            connection,
            title=plan.title,
            scale=plan.scale,
            topics=plan.topics,
            documents=plan.documents,
            items=items,
            settings=_settings(plan),
        )
        people = [add_person(connection, name, "assessor") for name in plan.assessors]
        short = 0
        if people:
            deal_out(connection, COMMAND_LINE, people, by=plan.by)
            short = len(work_of(connection).short)
        COMMAND_LINE.note(connection, "made the project", f"{len(items)} documents to judge")
        if plan.to_judge.pool is not None:
            write_pool(plan.to_judge.pool, make_private(project.folder / POOL))
    with project:
        _begin_feeding(project, len(plan.topics))
    return Made(
        topics=len(plan.topics),
        items=len(items),
        twice=sum(item.wanted > 1 for item in items),
        gold=sum(item.gold is not None for item in items),
        missing=tuple(plan.documents.missing),
        short=short,
    )


def _settings(plan: Plan) -> dict[str, Any]:
    adaptive = plan.to_judge.adaptive
    return {
        "seed": plan.seed,
        "guidelines": plan.guidelines,
        "pool": dict(plan.to_judge.how),
        "made_of": dict(plan.made_of),
        "judges": plan.judges,
        "overlap": str(plan.overlap) if plan.overlap else "",
        **({"adaptive": adaptive.to_json(plan.seed)} if adaptive else {}),
    }


def _begin_feeding(project: Project, topics: int) -> None:
    """Give out the first documents, so that every topic has something in its queue."""
    feeder = Feeder(project)
    if feeder.is_adaptive:
        with project.database.writing() as connection:
            for topic in range(1, topics + 1):  # as they are numbered
                feeder.feed(connection, topic)
