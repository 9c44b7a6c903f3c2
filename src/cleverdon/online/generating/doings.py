"""What users do with the pages they are shown, and how long it takes them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cleverdon.arrays import Bools, Floats, Ints
from cleverdon.online.generating.people import Pages, Users
from cleverdon.online.generating.world import EXAMINATION, MINUTE, PAGE_SIZE, SECOND, World

_SWAPPED = 0.5
"""On what share of pages two neighbouring results have changed places since the last crawl."""
_COPIED = 0.03
_CONVERTED = 0.05
_LONGEST_DWELL = 20 * MINUTE
_LONGEST_READING = 4 * MINUTE
"""Together below the 30 minutes after which a session counts as over."""


@dataclass(frozen=True, eq=False)
class Doings:
    """What was done, each with its page and its rank on it from 0; `after` is since the page."""

    item: Ints
    """Pages x ranks: which of the query's results stands shown, from 0."""
    shown: Bools
    """Pages x ranks: whether somebody was shown a result shown."""
    chance: Floats
    """Pages x ranks: how likely it was that the result is clicked."""
    click: tuple[Ints, Ints]
    click_after: Ints
    dwell: Ints
    dwell_known: Bools
    copy: tuple[Ints, Ints]
    copy_after: Ints
    converted: Ints
    """Which clicks led to a conversion."""
    shown_after: Ints
    """When each page's results were seen to be shown."""
    busy: Ints
    """How long each page held its user."""


def draw_doings(
    world: World, random: np.random.Generator, users: Users, pages: Pages, boost: Floats
) -> Doings:
    """Clicks by rank, attractiveness and user; `boost` is by what a page's variant raises them."""
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
    return Doings(
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
    """The results of each page, some of them with a neighbour's place, as an index changes."""
    item = (pages.page[:, None] - 1) * PAGE_SIZE + np.arange(PAGE_SIZE)
    swapped = np.flatnonzero((random.random(len(item)) < _SWAPPED) & (pages.shown > 1))
    upper = random.integers(0, pages.shown[swapped] - 1)
    item[swapped, upper] += 1
    item[swapped, upper + 1] -= 1
    return item


def _one_after_the_other(page: Ints, dwell: Ints, looking: Ints, first: Ints) -> tuple[Ints, Ints]:
    """When each click came, and when each page was done with.

    A click comes once the document before it on the page has been read.
    """
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
