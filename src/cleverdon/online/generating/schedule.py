"""When sessions begin and pages come, so that the sessions of a user are apart."""

from __future__ import annotations

import numpy as np

from cleverdon.arrays import Bools, Ints
from cleverdon.online.generating.keystrokes import BEFORE
from cleverdon.online.generating.people import Pages
from cleverdon.online.generating.world import MINUTE, SECOND, World

APART = 32 * MINUTE
"""How long a user does nothing between two sessions, at least. Within one, less than 30 minutes
pass from one thing to the next, so that idleness tells sessions apart just as the log's own ids."""

_EVER = 2**44
"""More milliseconds than any log has: it keeps users apart."""


def planned_starts(world: World, random: np.random.Generator, user: Ints) -> Ints:
    """When sessions are to begin, in order of time for each user; `user` is sorted."""
    moments = world.moments(random, len(user))
    # The user is the higher part of a key, since one sort is faster than one by two keys.
    return np.sort(user * _EVER + moments) - user * _EVER


def page_times(
    world: World, random: np.random.Generator, pages: Pages, by_bot: Bools, busy: Ints
) -> tuple[Ints, Ints]:
    """How long after its session's start each page came, and how long each session lasted."""
    count = len(busy)
    typing = BEFORE if world.recipe.keystrokes else 0
    thought = np.minimum(SECOND + random.exponential(10 * SECOND, count), 3 * MINUTE)
    pause = np.where(by_bot, random.integers(SECOND, 3 * SECOND, count), thought + typing)
    spent = np.where(by_bot, 0, busy) + pause.astype(np.int64)
    ended = np.cumsum(spent)
    first = np.concatenate(([True], pages.session[1:] != pages.session[:-1]))
    begun = (ended - spent)[first]
    long = np.diff(np.append(begun, ended[-1]))
    # A session begins with what is typed for its first page.
    return ended - spent - begun[pages.session] + typing, long + typing


def actual_starts(user: Ints, planned: Ints, long: Ints, *, wall: int | None) -> Ints:
    """When sessions that last `long` begin: as planned, or put off until the one before is over.

    What was to begin before `wall` does: there, sessions are brought forward rather than put off.
    """
    starts = planned.copy()
    if wall is not None:
        early = np.flatnonzero(planned < wall)[::-1]
        # Backwards in time, bringing forward is putting off.
        ends = _put_off(user.max(initial=0) - user[early], -(planned + long)[early], long[early])
        starts[early] = -ends - long[early]
    return _put_off(user, starts, long)


def _put_off(user: Ints, planned: Ints, long: Ints) -> Ints:
    needed = np.cumsum(long + APART) - (long + APART)
    # Whatever a user's earlier sessions need is taken off, so that the latest plan so far decides.
    # Users are kept apart by more than all sessions together need.
    step = _EVER + int(needed[-1] if len(needed) else 0)
    slack = planned - needed + user * step
    latest: Ints = np.maximum.accumulate(slack) - user * step + needed
    return latest
