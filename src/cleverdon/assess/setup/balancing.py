"""Dealing topics out, so that everybody has about as much to do."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Job:
    """A topic that needs one more person, for all of it or for the overlap."""

    topic: int
    size: float  # how many documents that is
    part: str = "all"


@dataclass(frozen=True)
class Dealt:
    """A job, and who has it."""

    job: Job
    person: int


def deal(
    jobs: Iterable[Job],
    loads: Mapping[int, float],
    *,
    holders: Mapping[int, Collection[int]] | None = None,
) -> list[Dealt]:
    """Give each job to whoever has least to do: the largest jobs first.

    `loads` say what each person has to do already, `holders` who has a topic already: nobody gets
    a second job of the same topic, since a second opinion is another person's. A job that is left
    over for that reason is not dealt. Where topics have one job each, nobody has more than another
    by more than the largest topic, unless the loads were so before.
    """
    now = dict(loads)
    has = {topic: set(people) for topic, people in (holders or {}).items()}
    dealt = []
    # All of a topic goes before its overlap; of equals, the first topic.
    for job in sorted(jobs, key=lambda job: (-job.size, job.part != "all", job.topic)):
        taken = has.setdefault(job.topic, set())
        free = [person for person in now if person not in taken]
        if not free:
            continue
        person = min(free, key=lambda person: (now[person], person))
        now[person] += job.size
        taken.add(person)
        dealt.append(Dealt(job, person))
    return dealt
