"""Made-up result lists, and clicks on them as a click model would have them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cleverdon.errors import OptionError
from cleverdon.online.clicks.lists import Pairs, Shown
from cleverdon.online.clicks.model import ClickModel, Parameters


def result_lists(
    lists: int, *, queries: int = 10, docs: int = 10, depth: int = 10, seed: int = 0
) -> Shown:
    """Lists of random queries, each with `depth` of the query's documents in random order."""
    if min(lists, queries, docs, depth) < 1 or depth > docs:
        raise OptionError(
            f"lists={lists}, queries={queries}, docs={docs}, depth={depth}: each is at least 1, "
            "and a list cannot be deeper than there are documents"
        )
    random = np.random.default_rng(seed)
    query = random.integers(queries, size=lists)
    # The first so many of as many random numbers, in order, are a draw without repetition.
    order = np.argsort(random.random((lists, docs)), axis=1)[:, :depth]
    pairs = Pairs(
        tuple(f"query {number}" for number in range(queries)),
        tuple(f"d{number}" for number in range(docs)),
        np.repeat(np.arange(queries), docs),
        np.tile(np.arange(docs), queries),
    )
    return Shown.from_rows(
        pairs,
        list=np.repeat(np.arange(lists), depth),
        rank=np.tile(np.arange(1, depth + 1), lists),
        pair=(query[:, None] * docs + order).ravel(),
        clicked=np.zeros(lists * depth, dtype=bool),
    )


def simulated(model: ClickModel, parameters: Parameters, shown: Shown, *, seed: int = 0) -> Shown:
    """The same lists with other clicks: drawn from the model, the same with the same seed."""
    random = np.random.default_rng(seed)
    clicked = np.zeros(len(shown.pair), dtype=bool)
    state = model.begin(parameters, shown.lists)
    for place in shown.places:
        here = place.lists
        chance = model.chance(parameters, place, state[here])
        drawn = random.random(len(chance)) < chance
        clicked[place.rows] = drawn
        state[here] = model.after(parameters, replace(place, clicked=drawn), state[here], chance)
    return Shown(shown.pairs, shown.pair, shown.rank, clicked, shown.list, shown.user)
