"""Who votes on what: systems can agree only where several of them returned something."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cleverdon.errors import InputError, OptionError
from cleverdon.pool.contributions import Contributions


@dataclass(frozen=True)
class Turnout:
    """For how many topics systems returned something."""

    systems: int
    topics: int  # of any system
    of_all: int  # of all systems
    of_one: int  # of one alone, whose results nobody votes on
    alone: tuple[str, ...] = ()  # systems that share no document with any other


def turnout(found: Contributions) -> Turnout:
    """Count the topics; an error where no two systems have one in common.

    >>> from cleverdon.pool.contributions import gather
    >>> runs = {"a": {"q1": {"x": 1}, "q2": {"y": 1}}, "b": {"q1": {"x": 1}, "q3": {"z": 1}}}
    >>> turnout(gather(runs))
    Turnout(systems=2, topics=3, of_all=1, of_one=2, alone=())
    """
    systems, topics = len(found.contributors), len(found.topics)
    if systems < 2:
        raise OptionError("systems vote on each other: give the runs of two at least")
    if not topics:
        raise InputError("the runs have no results, and so no votes")
    cells = np.unique(found.topic_of_row * systems + found.system)
    voters = np.bincount(cells // systems, minlength=topics)
    if voters.max() < 2:
        has = {found.systems[cell % systems]: found.topics[cell // systems] for cell in cells[::-1]}
        some = " and ".join(f"{topic!r} of {system}" for system, topic in sorted(has.items())[:2])
        raise InputError(
            f"no topic is of two runs, and so there are no votes: found {some}; systems vote on "
            "each other by their results for the same topics"
        )
    of_all, of_one = np.count_nonzero(voters == systems), np.count_nonzero(voters == 1)
    return Turnout(systems, topics, int(of_all), int(of_one), _alone(found))


def _alone(found: Contributions) -> tuple[str, ...]:
    """Systems that returned nothing that another one did."""
    shared = np.bincount(found.doc)[found.doc] > 1
    in_common = np.bincount(found.system[shared], minlength=len(found.systems))
    return tuple(found.systems[at] for at in np.flatnonzero(in_common == 0))
