"""Who searches, how often, and for what: users, their sessions, and the pages they ask for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cleverdon.arrays import Bools, Floats, Ints, ordinal_in
from cleverdon.online.generating.world import PAGE_SIZE, World

DEVICES = ("desktop", "mobile", "tablet")
COUNTRIES = ("de", "fr", "gb", "us")
_DEVICES = (0.45, 0.97, 1.0)
_COUNTRIES = (0.2, 0.35, 0.6, 1.0)
"""Up to which share of a draw each of them is meant."""

MOST_SESSIONS, MOST_PAGES = 60, 20
"""What a person has at most: sessions in the whole log, and pages in a session."""
_GO_ON = 0.45
_NEXT_PAGE, _REFINE = 0.25, 0.65
"""Who goes on asks for the next page, refines the query, or has another one."""


@dataclass(frozen=True, eq=False)
class Users:
    """One entry a user."""

    number: Ints
    bot: Bools
    anonymous: Bools
    in_b: Bools
    """Whether the user is to see variant B, once there is an experiment."""
    device: Ints
    country: Ints
    eagerness: Floats
    """By what the user's chance to click is multiplied; 1 on average."""
    sessions: Ints


@dataclass(frozen=True, eq=False)
class Pages:
    """One entry a page that was asked for, by user, session and time."""

    session: Ints
    """Which session of these users it is in, from 0."""
    user: Ints
    query: Ints
    page: Ints
    found: Ints

    @property
    def shown(self) -> Ints:
        """How many results the page has."""
        left: Ints = self.found - (self.page - 1) * PAGE_SIZE
        return np.minimum(np.maximum(left, 0), PAGE_SIZE)


def draw_users(world: World, random: np.random.Generator, number: Ints) -> Users:
    """Users as they are, most of whom come once or twice, and few often."""
    count = len(number)
    bot = world.bots(number)
    often = np.ceil(random.lognormal(0.7, 1.0, count)).astype(np.int64)
    return Users(
        number=number,
        bot=bot,
        anonymous=random.random(count) < world.recipe.anonymous,
        in_b=random.random(count) < world.share_of_b,
        device=np.searchsorted(_DEVICES, random.random(count), side="right"),
        country=np.searchsorted(_COUNTRIES, random.random(count), side="right"),
        eagerness=random.uniform(0.4, 1.6, count),
        sessions=np.where(bot, random.integers(1, 3, count), np.minimum(often, MOST_SESSIONS)),
    )


def draw_pages(world: World, random: np.random.Generator, users: Users) -> Pages:
    """The pages of all sessions: a query first, then its next page, a refined one or another."""
    user_of = np.repeat(np.arange(len(users.number)), users.sessions)
    by_bot = users.bot[user_of]
    long = np.minimum(random.geometric(1 - _GO_ON, len(user_of)), MOST_PAGES)
    pages = np.where(by_bot, random.integers(100, 600, len(user_of)), long)
    session = np.repeat(np.arange(len(user_of)), pages)
    query = world.drawn_queries(random, len(session))
    page = np.ones(len(session), dtype=np.int64)
    found = world.found(query)
    step = random.random(len(session))
    place = np.where(by_bot[session], 0, ordinal_in(session))  # programs never stay with a query
    for later in range(2, int(place.max(initial=1)) + 1):
        here = np.flatnonzero(place == later)
        before = here - 1
        turned = (step[here] < _NEXT_PAGE) & (found[before] > page[before] * PAGE_SIZE)
        refined = ~turned & (step[here] < _REFINE)
        query[here[turned]] = query[before[turned]]
        page[here[turned]] = page[before[turned]] + 1
        query[here[refined]] = world.refined(random, query[before[refined]])
        found[here] = world.found(query[here])
    return Pages(session=session, user=user_of[session], query=query, page=page, found=found)
