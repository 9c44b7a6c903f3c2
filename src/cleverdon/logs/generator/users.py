"""Simulated users: their sessions, searches, keystrokes and events, with true counts."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cleverdon._common.arrays import Bools, Floats, Ints, ordinal_in
from cleverdon.logs.calendar import MINUTE, SECOND
from cleverdon.logs.generator.world import EXAMINATION, PAGE_SIZE, World

SUCCESS_DWELL = 30_000


@dataclass(frozen=True)
class _Added:
    """Counts of parts of a log, which can be added."""

    def __add__(self, other: Self) -> Self:
        return replace(self, **{x: value + getattr(other, x) for x, value in vars(self).items()})


@dataclass(frozen=True, kw_only=True)
class Counts(_Added):
    """Counts of a log or a part of it, before faults, which metrics must reproduce."""

    users: int = 0  # with an id or without
    sessions: int = 0
    pages: int = 0  # rows of queries, without keystrokes
    keystrokes: int = 0  # rows of queries that are unfinished
    zero_result_pages: int = 0  # without keystrokes, as all that follow
    later_pages: int = 0  # pages from the second on
    latencies: int = 0  # pages whose latency is known, keystrokes included
    impressions: int = 0
    clicks: int = 0
    expected_clicks: float = 0.0  # the sum of the chances of all impressions to be clicked
    click_positions: int = 0  # the sum of the positions of clicks
    dwells: int = 0  # clicks whose dwell time is known
    dwell_ms: int = 0
    copies: int = 0
    conversions: int = 0
    pages_with_click: int = 0
    sessions_with_click: int = 0
    successful_sessions: int = 0  # with a dwell time of at least 30 seconds, a copy or a conversion


@dataclass(frozen=True, kw_only=True)
class Faults(_Added):
    """The number of faults in a log."""

    duplicates: int = 0  # rows of events that repeat another, its id included
    skewed: int = 0  # events whose time is before that of their page
    lost_impressions: int = 0
    clicks_without_impression: int = 0


DEVICES = ("desktop", "mobile", "tablet")
COUNTRIES = ("de", "fr", "gb", "us")
_DEVICES = (0.45, 0.97, 1.0)
_COUNTRIES = (0.2, 0.35, 0.6, 1.0)
"""Cumulative shares."""

MOST_SESSIONS, MOST_PAGES = 60, 20
"""A person's most sessions in the log, and pages in a session."""
_GO_ON = 0.45
_NEXT_PAGE, _REFINE = 0.25, 0.65
"""Cumulative shares of the next page and a refined query; else another query."""


@dataclass(frozen=True, eq=False)
class Users:
    """One entry for each user."""

    number: Ints
    bot: Bools
    anonymous: Bools
    in_b: Bools  # whether the user sees variant B in the experiment
    device: Ints
    country: Ints
    eagerness: Floats  # a factor on the user's chance to click; 1 on average
    sessions: Ints


@dataclass(frozen=True, eq=False)
class Pages:
    """One entry for each result page, in the order of user, session and time."""

    session: Ints  # the number of the session among those of these users
    user: Ints
    query: Ints
    page: Ints
    found: Ints

    @property
    def shown(self) -> Ints:
        """The number of results on the page."""
        left: Ints = self.found - (self.page - 1) * PAGE_SIZE
        return np.minimum(np.maximum(left, 0), PAGE_SIZE)


def draw_users(world: World, random: np.random.Generator, number: Ints) -> Users:
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
    """Draw the pages of all sessions: a query, its next page, a refined query, another one."""
    user_of = np.repeat(np.arange(len(users.number)), users.sessions)
    by_bot = users.bot[user_of]
    long = np.minimum(random.geometric(1 - _GO_ON, len(user_of)), MOST_PAGES)
    pages = np.where(by_bot, random.integers(100, 600, len(user_of)), long)
    session = np.repeat(np.arange(len(user_of)), pages)
    query = world.drawn_queries(random, len(session))
    page = np.ones(len(session), dtype=np.int64)
    found = world.found(query)
    step = random.random(len(session))
    place = np.where(by_bot[session], 0, ordinal_in(session))  # bots never refine a query
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


_TYPICAL_LATENCY = 60.0  # the median without load, in milliseconds; twice that at the busiest
_INCIDENT_FACTOR = 12.0


def draw_latencies(world: World, random: np.random.Generator, times: Ints) -> Floats:
    """Draw latencies in milliseconds with a decimal; NaN where it is unknown."""
    begin, end = world.incident
    slow = np.where((times >= begin) & (times < end), _INCIDENT_FACTOR, 1.0)
    typical = _TYPICAL_LATENCY * (1 + world.load(times)) * slow
    took = np.minimum(typical * random.lognormal(0, 0.6, len(times)), MINUTE)
    return np.where(random.random(len(times)) < world.recipe.missing, np.nan, np.round(took, 1))


_LETTERS = (3, 6, 9, 12)  # the numbers of typed letters that cause a search
_BETWEEN = 400  # milliseconds between two such searches
_TYPING_TIME = 2 * SECOND  # the longest time from the first letter to the page


@dataclass(frozen=True, eq=False)
class Keystrokes:
    """One entry for each search for an unfinished query."""

    page: Ints  # the page of the finished query
    time: Ints
    text: Any
    found: Ints
    latency: Floats


def draw_keystrokes(
    world: World, random: np.random.Generator, pages: Pages, by_bot: Bools, time: Ints, typed: Any
) -> Keystrokes:
    """Draw the unfinished queries that users type; a further page has none."""
    if not world.recipe.keystrokes:
        none = np.zeros(0, dtype=np.int64)
        return Keystrokes(none, none, pa.array([], pa.string()), none, np.zeros(0))
    length = pc.utf8_length(typed).to_numpy()
    parts = []
    for place, letters in enumerate(_LETTERS):
        page = np.flatnonzero(~by_bot & (pages.page == 1) & (length > letters))
        text = pc.utf8_slice_codeunits(typed.take(pa.array(page)), 0, letters)
        # Counted from the end: the last comes just before the page.
        left = np.minimum((length[page] - 1) // 3, len(_LETTERS)) - place
        parts.append((page, time[page] - left * _BETWEEN, text))
    page, when = (np.concatenate([part[which] for part in parts]) for which in (0, 1))
    order = np.argsort(page, kind="stable")
    text = pa.concat_arrays([part[2] for part in parts]).take(pa.array(order))
    page, when = page[order], when[order]
    found = random.integers(1, 5000, len(page))
    return Keystrokes(page, when, text, found, draw_latencies(world, random, when))


_SESSION_GAP = 32 * MINUTE
"""The shortest pause between sessions; within one, pauses are below 30 minutes."""

_EVER = 2**44  # more milliseconds than any log has: it separates users


def planned_starts(world: World, random: np.random.Generator, user: Ints) -> Ints:
    """Draw the planned starts of sessions, sorted for each user."""
    moments = world.moments(random, len(user))
    # The user is the higher part of a key, since one sort is faster than one by two keys.
    return np.sort(user * _EVER + moments) - user * _EVER


def page_times(
    world: World, random: np.random.Generator, pages: Pages, by_bot: Bools, busy: Ints
) -> tuple[Ints, Ints]:
    """Draw the time of each page since its session's start, and the length of each session."""
    count = len(busy)
    typing = _TYPING_TIME if world.recipe.keystrokes else 0
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
    """Delay sessions until the previous one is over; before `wall`, start them earlier."""
    starts = planned.copy()
    if wall is not None:
        early = np.flatnonzero(planned < wall)[::-1]
        # Backwards in time, an earlier start is a delay.
        ends = _put_off(user.max(initial=0) - user[early], -(planned + long)[early], long[early])
        starts[early] = -ends - long[early]
    return _put_off(user, starts, long)


def _put_off(user: Ints, planned: Ints, long: Ints) -> Ints:
    needed = np.cumsum(long + _SESSION_GAP) - (long + _SESSION_GAP)
    # Subtract the time that a user's earlier sessions need, so the latest plan so far decides.
    # Users are separated by more than the time of all sessions.
    step = _EVER + int(needed[-1] if len(needed) else 0)
    slack = planned - needed + user * step
    latest: Ints = np.maximum.accumulate(slack) - user * step + needed
    return latest


_SWAPPED = 0.5  # the share of pages on which two neighbouring results changed places
_COPIED = 0.03
_CONVERTED = 0.05
_LONGEST_DWELL = 20 * MINUTE
_LONGEST_READING = 4 * MINUTE  # with the dwell, below the 30 minutes that end a session


@dataclass(frozen=True, eq=False)
class Interactions:
    """Interactions with pages, by page and rank from 0; `after` is the time since the page."""

    item: Ints  # pages x ranks: the number of the query's result, from 0
    shown: Bools  # pages x ranks: whether a person saw a result
    chance: Floats  # pages x ranks: the chance of a click
    click: tuple[Ints, Ints]
    click_after: Ints
    dwell: Ints
    dwell_known: Bools
    copy: tuple[Ints, Ints]
    copy_after: Ints
    converted: Ints  # the clicks that led to a conversion
    shown_after: Ints
    busy: Ints  # the time that each page took


def draw_interactions(
    world: World, random: np.random.Generator, users: Users, pages: Pages, boost: Floats
) -> Interactions:
    """Draw clicks by rank, attractiveness and user; `boost` is the variant's effect."""
    count = len(pages.query)
    item = _arranged(random, pages)
    eager = users.eagerness[pages.user] * boost
    shown = np.arange(PAGE_SIZE) < np.where(users.bot[pages.user], 0, pages.shown)[:, None]
    attractive = world.attractiveness(pages.query[:, None], item)
    chance = np.where(shown, EXAMINATION * attractive * eager[:, None], 0.0)
    page, rank = np.nonzero(random.random(chance.shape) < chance)

    shown_after = random.integers(50, 400, count)
    reading = _at_most(_LONGEST_READING, 2 * SECOND + random.exponential(8 * SECOND, count))
    dwell = _at_most(_LONGEST_DWELL, random.lognormal(np.log(35 * SECOND), 1.1, len(page)))
    looking = _at_most(MINUTE, SECOND + random.exponential(4 * SECOND, len(page)))
    click_after, busy = _one_after_the_other(page, dwell, looking, shown_after + reading)

    copied = np.flatnonzero((random.random(count) < _COPIED) & shown[:, 0])
    copied_rank = np.minimum(random.geometric(0.5, len(copied)) - 1, shown[copied].sum(axis=1) - 1)
    return Interactions(
        item=item,
        shown=shown,
        chance=chance,
        click=(page, rank),
        click_after=click_after,
        dwell=dwell,
        dwell_known=random.random(len(page)) >= world.recipe.missing,
        copy=(copied, copied_rank),
        copy_after=(shown_after + reading)[copied] - SECOND,
        converted=np.flatnonzero(random.random(len(page)) < _CONVERTED),
        shown_after=shown_after,
        busy=busy,
    )


def _arranged(random: np.random.Generator, pages: Pages) -> Ints:
    """Swap some results of each page with a neighbour, as if the index had changed."""
    item = (pages.page[:, None] - 1) * PAGE_SIZE + np.arange(PAGE_SIZE)
    swapped = np.flatnonzero((random.random(len(item)) < _SWAPPED) & (pages.shown > 1))
    upper = random.integers(0, pages.shown[swapped] - 1)
    item[swapped, upper] += 1
    item[swapped, upper + 1] -= 1
    return item


def _one_after_the_other(page: Ints, dwell: Ints, looking: Ints, first: Ints) -> tuple[Ints, Ints]:
    """Return the time of each click, after the previous document, and the end of each page."""
    spent = looking + dwell
    ended = np.cumsum(spent)
    starts: Bools = np.concatenate(([True], page[1:] != page[:-1]))[: len(page)]
    before = np.repeat((ended - spent)[starts], np.diff([*np.flatnonzero(starts), len(page)]))
    click_after = first[page] + ended - before - dwell
    busy = first.copy()
    busy[page] = click_after + dwell  # of several clicks on a page the last is written last
    return click_after, busy


def _at_most(highest: int, drawn: Floats) -> Ints:
    return np.minimum(drawn, highest).astype(np.int64)


IMPRESSION, CLICK = 0, 1
"""Places in `log.ACTIONS`."""


@dataclass(frozen=True, eq=False)
class EventRows:
    """One entry for each event."""

    page: Ints
    action: Ints
    position: Ints
    doc: Ints
    time: Ints
    dwell: Ints  # -1 if there is none, or it is unknown
    number: Ints  # the id; the same for a repeated row

    def at(self, rows: Any) -> EventRows:
        return EventRows(**{one.name: getattr(self, one.name)[rows] for one in fields(self)})


def event_rows(world: World, pages: Pages, time: Ints, doings: Interactions) -> EventRows:
    """Return all events by page, impressions before clicks."""
    shown = np.nonzero(doings.shown)
    clicked, converted = doings.click, doings.converted
    conversion = (clicked[0][converted], clicked[1][converted])
    after = (
        doings.shown_after[shown[0]],
        doings.click_after,
        doings.copy_after,
        (doings.click_after + doings.dwell)[converted],
    )
    kinds = (shown, clicked, doings.copy, conversion)
    page = np.concatenate([kind[0] for kind in kinds])
    rank = np.concatenate([kind[1] for kind in kinds])
    action = np.repeat(np.arange(len(kinds)), [len(kind[0]) for kind in kinds])
    dwell = np.full(len(page), -1)
    dwell[action == CLICK] = np.where(doings.dwell_known, doings.dwell, -1)
    order = np.argsort(page, kind="stable")
    page, rank = page[order], rank[order]
    return EventRows(
        page=page,
        action=action[order],
        position=(pages.page[page] - 1) * PAGE_SIZE + rank + 1,
        doc=world.documents(pages.query[page], doings.item[page, rank]),
        time=time[page] + np.concatenate(after)[order],
        dwell=dwell[order],
        number=np.arange(len(page)),
    )


def with_faults(
    random: np.random.Generator, seen: EventRows, share: float, asked: Ints
) -> tuple[EventRows, Faults]:
    """Put faults into events: lost impressions, times before the page, repeated rows."""
    if not share:
        return seen, Faults()
    lossy: Bools = random.random(len(asked)) < share
    lost = lossy[seen.page] & (seen.action == IMPRESSION)
    unseen = lossy[seen.page] & (seen.action == CLICK)
    kept = seen.at(~lost)
    wrong = random.random(len(kept.page)) < share
    early = asked[kept.page] - random.integers(10 * MINUTE, 180 * MINUTE, len(kept.page))
    kept = replace(kept, time=np.where(wrong, early, kept.time))
    twice = random.random(len(kept.page)) < share
    rows = np.repeat(np.arange(len(twice)), 1 + twice)
    faults = Faults(
        duplicates=int(twice.sum()),
        skewed=int(wrong[rows].sum()),
        lost_impressions=int(lost.sum()),
        clicks_without_impression=int(unseen.sum()),
    )
    return kept.at(rows), faults
