"""Rows of the table of events, still as numbers, and the faults that can be put into them."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from cleverdon.arrays import Bools, Ints
from cleverdon.online.generating.doings import Doings
from cleverdon.online.generating.people import Pages
from cleverdon.online.generating.truth import Faults
from cleverdon.online.generating.world import MINUTE, PAGE_SIZE, World

ACTIONS = ("impression", "click", "copy", "conversion")
IMPRESSION, CLICK, COPY, CONVERSION = range(4)


@dataclass(frozen=True, eq=False)
class Happenings:
    """One entry an event."""

    page: Ints
    """Which of the pages it belongs to."""
    action: Ints
    position: Ints
    doc: Ints
    time: Ints
    dwell: Ints
    """-1 where there is none, or nobody measured it."""
    number: Ints
    """What tells events apart; the same twice where a row was written twice."""

    def at(self, rows: Any) -> Happenings:
        """These rows alone, in this order."""
        return Happenings(**{one.name: getattr(self, one.name)[rows] for one in fields(self)})


def happenings(world: World, pages: Pages, time: Ints, doings: Doings) -> Happenings:
    """All that was seen of the pages, by page; what was shown stands before what was clicked."""
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
    return Happenings(
        page=page,
        action=action[order],
        position=(pages.page[page] - 1) * PAGE_SIZE + rank + 1,
        doc=world.documents(pages.query[page], doings.item[page, rank]),
        time=time[page] + np.concatenate(after)[order],
        dwell=dwell[order],
        number=np.arange(len(page)),
    )


def with_faults(
    random: np.random.Generator, seen: Happenings, share: float, asked: Ints
) -> tuple[Happenings, Faults]:
    """The events with faults in them: impressions lost, wrong times, rows that are there twice.

    `asked` are the times of the pages: a wrong time is one before its page was asked for.
    """
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
