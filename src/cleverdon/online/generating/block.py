"""The log of a block of users, as two tables and what is known of them.

Every block has a seed of its own and does not know of the others. So a log of any size is made
block by block, in any order and by any number of threads, and is always the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from cleverdon.arrays import Floats, Ints
from cleverdon.online.generating import columns
from cleverdon.online.generating.counting import Drawn
from cleverdon.online.generating.doings import draw_doings
from cleverdon.online.generating.happenings import ACTIONS, Happenings, happenings, with_faults
from cleverdon.online.generating.keystrokes import Keystrokes, draw_keystrokes, no_keystrokes
from cleverdon.online.generating.people import (
    COUNTRIES,
    DEVICES,
    Pages,
    Users,
    draw_pages,
    draw_users,
)
from cleverdon.online.generating.schedule import actual_starts, page_times, planned_starts
from cleverdon.online.generating.timing import latencies
from cleverdon.online.generating.truth import Counts, Faults
from cleverdon.online.generating.words import as_typed, texts
from cleverdon.online.generating.world import World

USERS = 2048
"""How many users a block has: some 140,000 events, which are a good size for a group of rows of a
Parquet file. Another number would give another log."""

_IDS = 10**7
"""More than a block has rows: it keeps the ids of blocks apart."""

NO_VARIANT, A, B = range(3)


@dataclass(frozen=True, eq=False)
class Block:
    """A part of a log; columns of few values are Arrow dictionaries."""

    queries: Any
    events: Any
    total: Counts
    bots: Counts
    variants: dict[str, Counts]
    faults: Faults
    asked: tuple[Ints, Ints]
    """The queries of the block, each once, and how many pages were asked for with it."""


def make_block(world: World, number: int) -> Block:
    """The block of this number, from 0; the last of a log has fewer users."""
    random = np.random.default_rng([world.recipe.seed, number])
    first = number * USERS
    users = draw_users(world, random, np.arange(first, min(first + USERS, world.users)))
    pages = draw_pages(world, random, users)
    user = np.repeat(np.arange(len(users.number)), users.sessions)
    planned = planned_starts(world, random, user)
    begin = world.experiment_start
    late = planned >= begin if begin is not None else np.zeros(len(user), dtype=bool)
    variant = np.where(late, np.where(users.in_b[user], B, A), NO_VARIANT)
    boost = np.where(variant == B, 1 + world.recipe.effect, 1.0)
    doings = draw_doings(world, random, users, pages, boost[pages.session])
    since, long = page_times(world, random, pages, users.bot[pages.user], doings.busy)
    starts = actual_starts(user, planned, long, wall=begin)
    time = starts[pages.session] + since
    latency = latencies(world, random, time)
    typed = as_typed(texts(pages.query), random.random(len(pages.query)))
    draw = draw_keystrokes if world.recipe.keystrokes else no_keystrokes
    typing = draw(world, random, pages, users.bot[pages.user], time, typed)
    seen = happenings(world, pages, time, doings)
    seen, faults = with_faults(random, seen, world.recipe.faults, time)

    drawn = Drawn(
        user=user,
        pages=pages,
        doings=doings,
        latency_known=~np.isnan(latency),
        keystroke_session=pages.session[typing.page],
        keystroke_latency_known=~np.isnan(typing.latency),
    )
    tables = _Tables(number=number, users=users, pages=pages, user=user, variant=variant)
    everything = np.ones(len(user), dtype=bool)
    return Block(
        queries=tables.queries(time, latency, typed, typing),
        events=tables.events(seen),
        total=drawn.counts(everything),
        bots=drawn.counts(users.bot[user]),
        variants={"A": drawn.counts(variant == A), "B": drawn.counts(variant == B)},
        faults=faults,
        asked=np.unique(pages.query, return_counts=True),
    )


@dataclass(frozen=True, eq=False)
class _Tables:
    """What both tables are made of."""

    number: int
    users: Users
    pages: Pages
    user: Ints
    variant: Ints
    """Of each session, like `user`."""

    def queries(self, time: Ints, latency: Floats, typed: Any, typing: Keystrokes) -> Any:
        """Each page after its keystrokes, which come before it."""
        pages = self.pages
        page = np.concatenate((np.arange(len(time)), typing.page))
        order = np.argsort(page * 2 + (np.arange(len(page)) < len(time)), kind="stable")
        page = page[order]
        user = pages.user[page]
        variant = self.variant[pages.session[page]]
        took = np.concatenate((latency, typing.latency))[order]
        # A keystroke has a page of its own: its id is one that no page of the block has.
        number = self.number * _IDS + order
        cells = {
            "query_id": columns.ids("q", number),
            **self._who(page),
            "time": columns.times(np.concatenate((time, typing.time))[order]),
            "text": pa.concat_arrays([typed, typing.text]).take(pa.array(order)),
            "page": pa.array(np.where(order < len(time), pages.page[page], 1)),
            "results": pa.array(np.concatenate((pages.found, typing.found))[order]),
            "latency_ms": pa.array(took, mask=np.isnan(took)),
            "variant": columns.chosen(variant - 1, ("A", "B"), null=variant == NO_VARIANT),
            "device": columns.chosen(self.users.device[user], DEVICES),
            "country": columns.chosen(self.users.country[user], COUNTRIES),
        }
        return pa.table(cells)

    def events(self, seen: Happenings) -> Any:
        pages = np.arange(len(self.pages.page)) + self.number * _IDS
        return pa.table(
            {
                "event_id": columns.ids("e", seen.number + self.number * _IDS),
                "query_id": columns.chosen(seen.page, columns.ids("q", pages)),
                **self._who(seen.page),
                "time": columns.times(seen.time),
                "action": columns.chosen(seen.action, ACTIONS),
                "doc": columns.ids("d", seen.doc),
                "position": pa.array(seen.position),
                "dwell_ms": pa.array(seen.dwell, mask=seen.dwell < 0),
            }
        )

    def _who(self, page: Ints) -> dict[str, Any]:
        user, session = self.pages.user[page], self.pages.session[page]
        sessions = columns.ids("s", np.arange(len(self.user)) + self.number * _IDS)
        anonymous = self.users.anonymous[user] if self.users.anonymous.any() else None
        return {
            "user": columns.chosen(user, columns.ids("u", self.users.number), null=anonymous),
            "session": columns.chosen(session, sessions),
        }
