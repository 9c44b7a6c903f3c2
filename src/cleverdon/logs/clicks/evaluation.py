"""Evaluation of click models on held-out and on simulated lists."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from cleverdon._common.arrays import Bools, Floats
from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon.errors import OptionError, check_word
from cleverdon.logs.clicks.base import ClickModel, FitLimits, FittedModel, Parameters
from cleverdon.logs.clicks.result_lists import Pairs, ResultLists

_FLOOR = 1e-6
"""The lowest probability of a click, or of no click, in a likelihood.

In the cascade model a second click has probability 0: a single one would make the likelihood 0, and
hide how well the model predicts the others.
"""


@dataclass(frozen=True)
class Prediction:
    """The quality of a fitted model's predictions for some lists."""

    model: str
    lists: int
    results: int
    unseen: int  # results with a query and document that the model was not fitted on
    impossible: int  # results whose clicks have probability 0 in the model
    log_likelihood: float  # of all clicks, each given the clicks above it
    perplexity: float  # the mean over ranks, weighted by their results
    perplexity_at: dict[int, float]  # by rank: 1 is always right, 2 is as good as tossing a coin
    per_list: float  # the mean log-likelihood of a list


def _evaluate_prediction(fitted: FittedModel, shown: ResultLists) -> Prediction:
    right = _right(fitted.conditional(shown), shown.clicked)
    logs = _logs(_right(fitted.click_probabilities(shown), shown.clicked))
    ranks, at = np.unique(shown.rank, return_inverse=True)
    results = np.bincount(at)
    perplexities = np.exp(-np.bincount(at, weights=logs) / results)
    likelihood = float(_logs(right).sum())
    return Prediction(
        fitted.model.name,
        shown.lists,
        len(shown.pair),
        unseen=int(np.sum(~fitted.knows(shown))),
        impossible=int(np.sum(right <= 0)),
        log_likelihood=likelihood,
        perplexity=float(np.average(perplexities, weights=results)),
        perplexity_at=dict(zip(ranks.tolist(), perplexities.tolist(), strict=True)),
        per_list=likelihood / shown.lists,
    )


def _split_lists(
    shown: ResultLists,
    *,
    share: float = 0.2,
    seed: int = 0,
    by: Literal["user", "list"] | None = None,
) -> tuple[ResultLists, ResultLists]:
    """Return lists to fit on, and a random share of them to test on."""
    # Split by users if they are known, unless by="list": clicks of one user are alike.
    if not 0 < share < 1:
        raise OptionError(f"share={share} (--held-out): the share to hold out is between 0 and 1")
    if by is not None:
        check_word("by", by, ("user", "list"))
    if by == "user" and shown.user is None:
        raise OptionError("by='user': the users of the lists are unknown; split by='list'")
    by_list = shown.user is None or by == "list"
    units, unit = np.unique(
        np.arange(shown.lists) if by_list else shown.user_of_lists, return_inverse=True
    )
    count = len(units)
    held = round(share * count)
    if not 0 < held < count:
        name = "list" if by_list else "user"
        left = f"the only {name}" if count == 1 else f"{count:,} {name}s"
        lacks = "none to test on" if held == 0 else "none to fit on"
        raise OptionError(
            f"holding out a share of {share:g} of {left} leaves {lacks}: use more of the log, or "
            "another share (share=, --held-out; --held-out 0 for no test)"
        )
    tested = np.zeros(count, dtype=bool)
    tested[np.random.default_rng(seed).permutation(count)[:held]] = True
    return shown.part(~tested[unit]), shown.part(tested[unit])


@shows_progress("fitting")
def compare_held_out(
    models: Iterable[ClickModel],
    shown: ResultLists,
    *,
    share: float = 0.2,
    seed: int = 0,
    by: Literal["user", "list"] | None = None,
    limits: FitLimits = FitLimits(),  # noqa: B008 (frozen)
    progress: Progress | bool | None = None,
) -> tuple[Prediction, ...]:
    """Fit click models on some lists, and compare their predictions for the others.

    Args:
        models: The models.
        shown: The result lists.
        share: The share of users, or lists, to test on.
        seed: The seed of the split.
        by: Split by "user" or by "list"; by default by user where users are known.
        limits: The limits at which EM stops.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        The quality of each model's predictions, the best first.

    Raises:
        OptionError: The share leaves nothing to fit or to test on.

    >>> from cleverdon.logs.clicks import CM, PBM
    >>> shown = ResultLists.from_lists([("hats", ["d1", "d2"], ["d1"])] * 10)
    >>> [found.lists for found in compare_held_out([CM(), PBM()], shown)]
    [2, 2]
    """
    progress = as_callback(progress)
    train, test = _split_lists(shown, share=share, seed=seed, by=by)
    found = [
        _evaluate_prediction(model.fit(train, limits=limits, progress=progress), test)
        for model in models
    ]
    return tuple(sorted(found, key=lambda one: -one.log_likelihood))


def _right(chance: Floats, clicked: Bools) -> Floats:
    """Return the probability of the outcome of each row, a click or no click."""
    return np.where(clicked, chance, 1 - chance)


def _logs(right: Floats) -> Floats:
    logs: Floats = np.log(np.clip(right, _FLOOR, 1 - _FLOOR))
    return logs


def random_result_lists(
    lists: int, *, queries: int = 10, docs: int = 10, depth: int = 10, seed: int = 0
) -> ResultLists:
    """Return lists of random queries, with `depth` of the query's documents in random order."""
    if min(lists, queries, docs, depth) < 1 or depth > docs:
        raise OptionError(
            f"lists={lists}, queries={queries}, docs={docs}, depth={depth}: each is at least 1, "
            "and depth is at most the number of documents"
        )
    random = np.random.default_rng(seed)
    query = random.integers(queries, size=lists)
    # The first `depth` places of a random order are a draw without replacement.
    order = np.argsort(random.random((lists, docs)), axis=1)[:, :depth]
    pairs = Pairs(
        tuple(f"query {number}" for number in range(queries)),
        tuple(f"d{number}" for number in range(docs)),
        np.repeat(np.arange(queries), docs),
        np.tile(np.arange(docs), queries),
    )
    return ResultLists.from_rows(
        pairs,
        list=np.repeat(np.arange(lists), depth),
        rank=np.tile(np.arange(1, depth + 1), lists),
        pair=(query[:, None] * docs + order).ravel(),
        clicked=np.zeros(lists * depth, dtype=bool),
    )


def simulate_clicks(
    model: ClickModel, parameters: Parameters, shown: ResultLists, *, seed: int = 0
) -> ResultLists:
    """Return the same lists with clicks drawn from the model."""
    random = np.random.default_rng(seed)
    clicked = np.zeros(len(shown.pair), dtype=bool)
    state = model.begin(parameters, shown.lists)
    for place in shown.places:
        here = place.lists
        chance = model.chance(parameters, place, state[here])
        drawn = random.random(len(chance)) < chance
        clicked[place.rows] = drawn
        state[here] = model.after(parameters, replace(place, clicked=drawn), state[here], chance)
    return replace(shown, clicked=clicked)
