"""Searching while typing: what is in the box so far is searched for, again and again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cleverdon.arrays import Bools, Floats, Ints
from cleverdon.online.generating.people import Pages
from cleverdon.online.generating.timing import latencies
from cleverdon.online.generating.world import SECOND, World

_LETTERS = (3, 6, 9, 12)
"""After how many letters of a query it is searched for before it is complete."""
_BETWEEN = 400
"""Milliseconds from one keystroke that searches to the next."""
BEFORE = 2 * SECOND
"""How long before its page a query begins to be typed, at most."""


@dataclass(frozen=True, eq=False)
class Keystrokes:
    """One entry a search for an unfinished query."""

    page: Ints
    """Which page it was typed for."""
    time: Ints
    text: Any
    found: Ints
    latency: Floats


def no_keystrokes(*_ignored: Any) -> Keystrokes:
    """Nothing: users press a button."""
    none = np.zeros(0, dtype=np.int64)
    return Keystrokes(none, none, pa.array([], pa.string()), none, np.zeros(0))


def draw_keystrokes(
    world: World, random: np.random.Generator, pages: Pages, by_bot: Bools, time: Ints, typed: Any
) -> Keystrokes:
    """What people type until their query is complete; whoever turns a page types nothing."""
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
    return Keystrokes(page, when, text, found, latencies(world, random, when))
