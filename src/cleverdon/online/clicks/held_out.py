"""How well click models predict clicks on lists that they were not fitted on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from cleverdon.arrays import Bools, Floats
from cleverdon.errors import OptionError, check_word
from cleverdon.online.clicks.fitting import Limits
from cleverdon.online.clicks.lists import Shown
from cleverdon.online.clicks.model import ClickModel, Fitted

FLOOR = 1e-6
"""No click and no missing one is taken for less likely than this, whatever the model says.

The cascade model gives a second click no chance at all: a single one would make its likelihood 0,
and tell nothing of how it does elsewhere.
"""


@dataclass(frozen=True)
class Prediction:
    """How well a fitted model predicted the clicks of some lists."""

    model: str
    lists: int
    results: int
    unseen: int
    """So many results are of a query and document that the model was not fitted on."""
    impossible: int
    """So many results that the model gave no chance, as they were: they count as `FLOOR`."""
    log_likelihood: float
    """The log of the probability of all clicks, each given the clicks above it."""
    perplexity: float
    """The mean of those at each rank, weighed by how many results there are."""
    perplexity_at: dict[int, float]
    """Of the rank's clicks alone: 1 is sure and right every time, 2 is no better than a coin."""

    @property
    def per_list(self) -> float:
        """The log-likelihood of a list, on average."""
        return self.log_likelihood / self.lists


def predicted(fitted: Fitted, shown: Shown) -> Prediction:
    """How well a fitted model predicts the clicks of these lists.

    >>> from cleverdon.online.clicks import PBM, Prior
    >>> shown = Shown.from_lists([("q", ["d1"], ["d1"]), ("q", ["d1"], [])])
    >>> predicted(PBM().fit(shown, prior=Prior(0, 0)), shown).perplexity
    2.0
    """
    conditional = fitted.conditional(shown)
    right = _right(conditional, shown.clicked)
    logs = _logs(fitted.click_probabilities(shown), shown.clicked)
    ranks, at = np.unique(shown.rank, return_inverse=True)
    means = np.bincount(at, weights=logs) / np.bincount(at)
    perplexities = np.exp(-means)
    weighed = np.average(perplexities, weights=np.bincount(at))
    return Prediction(
        fitted.model.name,
        shown.lists,
        len(shown.pair),
        unseen=int(np.sum(~fitted.knows(shown))),
        impossible=int(np.sum(right <= 0)),
        log_likelihood=float(_logs(conditional, shown.clicked).sum()),
        perplexity=float(weighed),
        perplexity_at=dict(zip(ranks.tolist(), perplexities.tolist(), strict=True)),
    )


def split(
    shown: Shown,
    *,
    share: float = 0.2,
    seed: int = 0,
    by: Literal["user", "list"] | None = None,
) -> tuple[Shown, Shown]:
    """Lists to fit on, and a share of them to test on, drawn at random.

    By whole users where the lists say whose they are, unless `by="list"`: what one user clicked
    today says much of what the same user clicks tomorrow. A list of an unknown user stands alone.
    """
    if not 0 < share < 1:
        raise OptionError(f"share={share} (--held-out): the share to hold out lies between 0 and 1")
    if by is not None:
        check_word("by", by, ("user", "list"))
    if by == "user" and shown.user is None:
        raise OptionError("by='user': the lists do not say whose they are; split by='list'")
    unit = np.arange(shown.lists)
    if shown.user is not None and by != "list":
        known = shown.user >= 0
        unit = np.where(known, shown.user, shown.user.max() + 1 + unit)
    units, unit = np.unique(unit, return_inverse=True)
    held = round(share * len(units))
    if not 0 < held < len(units):
        unit_name = "list" if by == "list" or shown.user is None else "user"
        raise OptionError(_too_few(unit_name, len(units), share, held))
    order = np.random.default_rng(seed).permutation(len(units))
    tested = np.zeros(len(units), dtype=bool)
    tested[order[:held]] = True
    return shown.part(~tested[unit]), shown.part(tested[unit])


def _too_few(unit: str, number: int, share: float, held: int) -> str:
    """Why there is nothing to fit on, or nothing to test on, and what to do about it."""
    left = f"the only {unit}" if number == 1 else f"{number:,} {unit}s"
    lacks = "none to test on" if held == 0 else "none to fit on"
    return (
        f"a share of {share:g} held out of {left} leaves {lacks}: take more of the log, or another "
        "share (share=, --held-out; --held-out 0 tests nothing)"
    )


def held_out(
    models: Iterable[ClickModel],
    shown: Shown,
    *,
    share: float = 0.2,
    seed: int = 0,
    by: Literal["user", "list"] | None = None,
    limits: Limits = Limits(),  # noqa: B008 (frozen)
    told: Callable[[ClickModel, int, int], None] | None = None,
) -> tuple[Prediction, ...]:
    """Every model fitted on some lists and tested on the others; the likeliest is first."""
    train, test = split(shown, share=share, seed=seed, by=by)
    found = []
    for model in models:

        def of_model(done: int, total: int, model: ClickModel = model) -> None:
            if told is not None:
                told(model, done, total)

        found.append(predicted(model.fit(train, limits=limits, told=of_model), test))
    return tuple(sorted(found, key=lambda one: -one.log_likelihood))


def _right(chance: Floats, clicked: Bools) -> Floats:
    return np.where(clicked, chance, 1 - chance)


def _logs(chance: Floats, clicked: Bools) -> Floats:
    """The log of the probability of what was seen of each row."""
    logs: Floats = np.log(np.clip(_right(chance, clicked), FLOOR, 1 - FLOOR))
    return logs
