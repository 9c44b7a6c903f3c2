"""Two engines under the same load, in pairs of blocks: how far their percentiles differ.

What disturbs a machine comes and goes over minutes, and hits all requests of that time. So blocks
of load are the sample, and not requests: pairs of blocks are drawn with replacement, percentiles
are those of all requests drawn. Of a handful of pairs, such intervals come out too narrow; they are
taken further out in the draws, as far as Student's t has it with so many pairs (Hesterberg 2015,
doi:10.1080/00031305.2015.1089789).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan, sqrt
from statistics import NormalDist

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.compare.multiplicity import holm
from cleverdon.compare.needs import scipy_stats
from cleverdon.engine.load.records import Load, Pattern
from cleverdon.errors import OptionError, check_count, check_seed, check_within

PERCENTILES = {"p50": 0.50, "p90": 0.90, "p99": 0.99}
"""What is claimed of: a block seldom has enough requests for more."""

FEWEST_PAIRS = 4
"""Of fewer pairs nothing is said of chance."""
RESAMPLES = 10_000
_SMALLEST = 1e-300
"""Of a share of draws: as small as floating-point numbers get, and no proof of 0."""


@dataclass(frozen=True)
class Change:
    """One quantity of both engines, and the first one's less the second one's."""

    first: float
    second: float
    difference: float
    low: float
    high: float
    p: float  # of there being none
    corrected: float | None = None  # over all percentiles; None where it is no percentile


@dataclass(frozen=True, eq=False)
class Versus:
    """What two engines did under the same load."""

    names: tuple[str, str]
    pattern: Pattern  # of the first pair; others have other seeds
    pairs: tuple[tuple[Load, Load], ...]  # of each pair the first engine's block, and the second's
    changes: Mapping[str, Change]  # of PERCENTILES, and of throughput and errors
    level: float
    not_valid: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()  # why some of the pairs were, where there were enough others
    interrupted: bool = False

    @property
    def confidence(self) -> float:
        """Of the intervals."""
        return 1 - self.level

    def verdict(self, name: str) -> str:
        """Whether a difference is shown, not shown, or nothing can be said."""
        if self.not_valid:
            return "not valid"
        change = self.changes[name]
        p = change.p if change.corrected is None else change.corrected
        return "shown" if p <= self.level else "not shown"


def versus(
    names: tuple[str, str],
    pairs: Sequence[tuple[Load, Load]],
    *,
    level: float = 0.05,
    resamples: int = RESAMPLES,
    seed: int = 0,
    not_valid: tuple[str, ...] = (),
    left_out: tuple[str, ...] = (),
    interrupted: bool = False,
) -> Versus:
    """Compare two engines by their blocks of load, a pair of which was sent one after the other."""
    check_within("level", level, 0, 1)
    check_seed(seed)
    check_count("resamples", resamples)
    if not pairs:
        raise OptionError("there is no pair of blocks to compare by")
    for at, pair in enumerate(pairs):
        for name, load in zip(names, pair, strict=True):
            if not len(load.response):
                first = next(iter(load.messages.items()), ("", "none was sent"))
                raise OptionError(
                    f"{name} answered no request in block {at + 1} of {len(pairs)}: "
                    f"{': '.join(filter(None, first))}"
                )
    times = _times(len(pairs), resamples, seed)
    sides = [[pair[side] for pair in pairs] for side in (0, 1)]
    whole = np.ones((1, len(pairs)))
    reach = _Reach(len(pairs), level)
    changes = {}
    found = [_percentiles([load.response for load in side], times) for side in sides]
    exact = [_percentiles([load.response for load in side], whole) for side in sides]
    for at, name in enumerate(PERCENTILES):
        estimates = [float(side[0, at]) for side in exact]
        changes[name] = reach.change(estimates, found[0][:, at] - found[1][:, at])
    for name, value in _MEANS.items():
        means = [np.array([value(load) for load in side]) for side in sides]
        draws = times @ (means[0] - means[1]) / len(pairs)
        changes[name] = reach.change([float(mean.mean()) for mean in means], draws)
    return Versus(
        names=names,
        pattern=pairs[0][0].pattern,
        pairs=tuple(pairs),
        changes=_corrected(changes),
        level=level,
        not_valid=not_valid,
        left_out=left_out,
        interrupted=interrupted,
    )


_MEANS: Mapping[str, Callable[[Load], float]] = {
    "throughput": lambda load: load.throughput,
    "errors": lambda load: load.share_failed,
}


def _corrected(changes: Mapping[str, Change]) -> dict[str, Change]:
    """The same with p-values of percentiles as Holm corrects them; NaN stays what it is."""
    p_values = [changes[name].p for name in PERCENTILES]
    corrected = p_values if np.isnan(p_values).any() else holm(p_values)
    by_name = dict(zip(PERCENTILES, corrected, strict=True))
    return {name: replace(one, corrected=by_name.get(name)) for name, one in changes.items()}


@dataclass(frozen=True)
class _Reach:
    """How far out in the draws the ends of an interval lie, by the number of pairs."""

    pairs: int
    level: float

    def change(self, estimates: Sequence[float], draws: Floats) -> Change:
        first, second = estimates
        difference = first - second
        if self.pairs < FEWEST_PAIRS:
            return Change(first, second, difference, nan, nan, nan)
        t = scipy_stats("comparing two engines").t(self.pairs - 1)
        widening = sqrt(self.pairs / (self.pairs - 1))
        tail = NormalDist().cdf(-widening * float(t.ppf(1 - self.level / 2)))
        low, high = np.quantile(draws, [tail, 1 - tail])
        beyond = min(float((draws <= 0).sum()), float((draws >= 0).sum()))
        share = min(0.5, (beyond + 1) / (len(draws) + 1))
        if not beyond:
            # All draws are on one side: how far that is, in their own spread, tells more.
            share = min(share, NormalDist().cdf(-abs(difference) / max(float(draws.std()), 1e-12)))
        share = max(share, _SMALLEST)
        p = 2 * float(t.cdf(NormalDist().inv_cdf(share) / widening))
        return Change(first, second, difference, float(low), float(high), min(1.0, p))


def _times(pairs: int, resamples: int, seed: int) -> Floats:
    """Resamples x pairs: how often each pair was drawn."""
    chance = np.random.default_rng(seed)
    return chance.multinomial(pairs, np.full(pairs, 1 / pairs), size=resamples).astype(float)


def _percentiles(blocks: Sequence[Floats], times: Floats) -> Floats:
    """Resamples x percentiles: each the smallest time that so many of those drawn stay within."""
    ordered = [np.sort(block) for block in blocks]
    values = np.unique(np.concatenate(ordered))
    sizes = times @ np.array([len(block) for block in ordered])
    found = np.empty((len(times), len(PERCENTILES)))
    for at, share in enumerate(PERCENTILES.values()):
        # Shares are not exact in binary, and counts are.
        needed = share * sizes - 1e-6
        low, high = np.zeros(len(times), dtype=int), np.full(len(times), len(values) - 1)
        while (low < high).any():
            middle = (low + high) // 2
            within = np.stack(
                [np.searchsorted(block, values[middle], side="right") for block in ordered], axis=1
            )
            enough = (times * within).sum(axis=1) >= needed
            low, high = np.where(enough, low, middle + 1), np.where(enough, middle, high)
        found[:, at] = values[low]
    return found
