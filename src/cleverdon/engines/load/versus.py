"""Two engines under the same load, in pairs of blocks: how far their percentiles differ.

Engines take turns block by block, so that a disturbance of the machine hits both. It hits all
requests of some minutes, so blocks of load are the sample, and not requests: pairs of blocks are
drawn with replacement, and percentiles are those of all requests drawn (stats/blocks.py).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import Any

import numpy as np

from cleverdon._common.arrays import Floats
from cleverdon._common.progress import Progress, ignore_progress
from cleverdon._common.text import counted, printable
from cleverdon.engines.load import cells
from cleverdon.engines.load.results import Load, LoadTest
from cleverdon.engines.load.sender import run_load
from cleverdon.engines.load.workload import LoadOptions, Mix, Pattern, VersusOptions
from cleverdon.engines.protocol import Engine
from cleverdon.errors import OptionError, check_count, check_seed, check_within
from cleverdon.stats.blocks import block_difference, block_quantiles
from cleverdon.stats.intervals import why_disagree
from cleverdon.stats.multiple_comparisons import holm
from cleverdon.stats.resampling import RESAMPLES, draw_multinomial
from cleverdon.tables.numbers import format_seconds
from cleverdon.tables.result import as_json
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable

COMPARED_PERCENTILES = {"p50": 0.50, "p90": 0.90, "p99": 0.99}
"""The percentiles of claims: a block seldom has enough requests for more."""

_FEWEST_PAIRS = 4  # the number of pairs from which on differences are tested


@dataclass(frozen=True)
class Change:
    """One quantity of both engines, and the first one's less the second one's."""

    first: float
    second: float
    difference: float
    low: float  # the interval, of a percentile adjusted for all of them
    high: float
    p: float  # of there being none
    corrected: float | None = None  # over all percentiles; None where it is no percentile
    unadjusted_low: float = nan
    unadjusted_high: float = nan

    @property
    def final_p(self) -> float:
        return self.p if self.corrected is None else self.corrected

    @property
    def excludes_zero(self) -> bool:
        return self.low > 0 or self.high < 0


def _describe_interval(low: float, high: float) -> str:
    """Return the interval in words: `2.2 ms to 4 ms lower`; empty where it has no width."""
    if isnan(low) or cells.signed_quantity("p50", low) == cells.signed_quantity("p50", high):
        return ""
    if low <= high < 0:
        return f"{format_seconds(-high)} to {format_seconds(-low)} lower"
    if low > 0:
        return f"{format_seconds(low)} to {format_seconds(high)} higher"
    return f"{_lower_or_higher(low)} to {_lower_or_higher(high)}"


def _lower_or_higher(seconds: float) -> str:
    return f"{format_seconds(abs(seconds))} {'lower' if seconds < 0 else 'higher'}"


@dataclass(frozen=True, eq=False)
class Versus(LoadTest):
    """Two engines under the same load, and how far their percentiles differ."""

    names: tuple[str, str]
    pattern: Pattern  # of the first pair; others have other seeds
    pairs: tuple[tuple[Load, Load], ...]  # of each pair the first engine's block, and the second's
    changes: Mapping[str, Change]  # of PERCENTILES, and of throughput and errors
    level: float
    confidence: float
    not_valid: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()  # why some of the pairs were, where there were enough others
    interrupted: bool = False

    mode = "versus"

    @property
    def loads(self) -> Sequence[Load]:
        return [pair[0] for pair in self.pairs]

    @property
    def tagged_loads(self) -> Sequence[tuple[str, Load]]:
        # A comma or a space in a tag would end it.
        tags = ["".join(c if c.isalnum() or c in "-_." else "_" for c in n) for n in self.names]
        return [(tags[side], pair[side]) for pair in self.pairs for side in (0, 1)]

    def disagrees(self, name: str) -> bool:
        """Return whether the interval says otherwise than the test."""
        change = self.changes[name]
        if self.not_valid or isnan(change.low):
            return False
        return change.excludes_zero != (self.verdict(name) == "shown")

    def verdict(self, name: str) -> str:
        if self.not_valid:
            return "not valid"
        change = self.changes[name]
        return "shown" if change.final_p <= self.level else "not shown"

    def describe(self, system: str) -> str:
        first, second = map(printable, self.names)
        return (
            f"{first} against {second}: {self.pattern.describe()}, "
            f"{counted(len(self.pairs), 'pair')} of blocks of "
            f"{format_seconds(self.pairs[0][0].seconds)} in turn"
        )

    def sections(self, *, exact: bool = False) -> Sequence[Section]:
        first, second = map(printable, self.names)
        header = [
            *("quantity" if exact else "", first, second, "difference"),
            *cells.interval_header(self.confidence, exact=exact),
            *(["unadjusted low", "unadjusted high"] if exact else ["not adjusted"]),
            *("p", "verdict"),
        ]
        rows = [self._row(name, change, exact=exact) for name, change in self.changes.items()]
        notes = [
            f"difference: {first} less {second}; the interval is of a bootstrap over pairs of "
            "blocks",
            "p of percentiles is corrected for there being three of them (Holm), and their "
            "intervals are adjusted (Bonferroni); those of throughput and errors are not",
        ]
        return [Section("differences", TextTable(header, rows, 1, [], notes))]

    def _row(self, name: str, change: Change, *, exact: bool) -> list[str]:
        def signed(value: float) -> str:
            return cells.signed_quantity(name, value, exact=exact)

        return [
            name,
            cells.quantity(name, change.first, exact=exact),
            cells.quantity(name, change.second, exact=exact),
            signed(change.difference),
            *cells.interval(change.low, change.high, signed, exact=exact),
            *cells.interval(change.unadjusted_low, change.unadjusted_high, signed, exact=exact),
            cells.p_value(change.final_p, self.level, exact=exact),
            self.verdict(name),
        ]

    def closing(self) -> Sequence[str]:
        lines = [self.claim(name) for name in COMPARED_PERCENTILES]
        if len(self.pairs) < _FEWEST_PAIRS:
            lines.append(
                f"{len(self.pairs)} pairs of blocks are too few to tell a difference from chance: "
                f"{_FEWEST_PAIRS} is the least, and 10 are usual."
            )
        lines += [f"Left out, with the other block of each pair: {why}." for why in self.left_out]
        errors = self.changes["errors"]
        lines += [
            f"{printable(name)} failed on {cells.share(share)} of the requests; its percentiles "
            "are of the others, and of time-outs."
            for name, share in zip(self.names, (errors.first, errors.second), strict=True)
            if share > 0.001
        ]
        return lines

    def claim(self, name: str) -> str:
        """Return a sentence: `At 200/s, new's p99 is 3.1 ms lower than old's (...): shown.`"""
        change = self.changes[name]
        first, second = map(printable, self.names)
        at = f"At {self.pattern.describe().partition(' (')[0]}"
        if self.not_valid:
            return f"{at}, {first}'s {name} against {second}'s: not valid."
        difference = f"{_lower_or_higher(change.difference)} than"
        if change.difference == 0:
            difference = "the same as"
        interval = ""
        if adjusted := _describe_interval(change.low, change.high):
            family = counted(len(COMPARED_PERCENTILES), "comparison")
            interval = f"{cells.share(self.confidence)} interval {adjusted}, adjusted for {family}"
            if alone := _describe_interval(change.unadjusted_low, change.unadjusted_high):
                interval += f"; {alone} not adjusted"
            interval = f" ({interval})"
        said = f"{first}'s {name} is {difference} {second}'s{interval}: {self.verdict(name)}."
        if self.disagrees(name):
            other = "includes" if self.verdict(name) == "shown" else "excludes"
            why = why_disagree(self.confidence, self.level)
            said += f" Interval and verdict disagree, since {why}: the interval {other} 0."
        return f"{at}, {said}"

    def to_dict(self) -> dict[str, Any]:
        return {
            "systems": list(self.names),
            "pairs": len(self.pairs),
            "level": self.level,
            "confidence": self.confidence,
            "left_out": list(self.left_out),
            "differences": {
                name: as_json(change) | {"verdict": self.verdict(name)}
                for name, change in self.changes.items()
            },
            "blocks": [
                {name: load.to_dict() for name, load in zip(self.names, pair, strict=True)}
                for pair in self.pairs
            ],
        }


def _compare_blocks(
    names: tuple[str, str],
    pairs: Sequence[tuple[Load, Load]],
    *,
    level: float = 0.05,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Versus:
    check_within("level", level, 0, 1)
    check_within("confidence", confidence, 0, 1)
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
    times = draw_multinomial(len(pairs))(np.random.default_rng(seed), resamples)
    whole = np.ones((1, len(pairs)))
    sides = [[pair[side] for pair in pairs] for side in (0, 1)]
    shares = list(COMPARED_PERCENTILES.values())

    def percentiles(times: Floats) -> list[Floats]:
        return [block_quantiles([load.response for load in side], times, shares) for side in sides]

    def change(first: float, second: float, draws: Floats, family: int = 1) -> Change:
        """Compare one quantity, which is one of so many that are corrected for together."""
        values = (float(first), float(second), float(first - second))
        if len(pairs) < _FEWEST_PAIRS:
            return Change(*values, nan, nan, nan)
        outside = 1 - confidence
        found, alone = (
            block_difference(values[2], draws, blocks=len(pairs), level=level)
            for level in (outside / family, outside)
        )
        ends = {"unadjusted_low": alone.low, "unadjusted_high": alone.high}
        return Change(*values, found.low, found.high, found.p, **ends)

    exact, drawn = percentiles(whole), percentiles(times)
    changes = {
        name: change(
            exact[0][0, at], exact[1][0, at], drawn[0][:, at] - drawn[1][:, at], len(shares)
        )
        for at, name in enumerate(COMPARED_PERCENTILES)
    }
    for name, value in _BLOCK_MEANS.items():
        ours, theirs = (np.array([value(load) for load in side]) for side in sides)
        draws = times @ (ours - theirs) / len(pairs)
        changes[name] = change(ours.mean(), theirs.mean(), draws)
    return Versus(
        names=names,
        pattern=pairs[0][0].pattern,
        pairs=tuple(pairs),
        changes=_corrected(changes),
        level=level,
        confidence=confidence,
    )


_BLOCK_MEANS: Mapping[str, Callable[[Load], float]] = {
    "throughput": lambda load: load.throughput,
    "errors": lambda load: load.share_failed,
}


def _corrected(changes: Mapping[str, Change]) -> dict[str, Change]:
    p_values = [changes[name].p for name in COMPARED_PERCENTILES]
    corrected = p_values if np.isnan(p_values).any() else holm(p_values)
    by_name = dict(zip(COMPARED_PERCENTILES, corrected, strict=True))
    return {name: replace(one, corrected=by_name.get(name)) for name, one in changes.items()}


_VALID_SHARE = 0.8  # the share of pairs that have to be valid, so that the others can be left out
_SETTLE_SECONDS = 0.5
"""Seconds of load before each block that do not count: the other engine had the caches before."""


async def run_versus(
    engines: tuple[Engine, Engine],
    mix: Mix,
    load: LoadOptions,
    mode: VersusOptions,
    progress: Progress = ignore_progress,
) -> Versus:
    """Send pairs of blocks to two open engines; both of a pair have the same queries and times."""
    check_count("blocks", mode.blocks)
    pattern, block, blocks = load.pattern, mode.block, 2 * mode.blocks
    names = (engines[0].name, engines[1].name)
    if names[0] == names[1]:
        raise OptionError(f"both engines are called {names[0]!r}; give them names: NAME=ENGINE")

    async def send(side: int, pattern: Pattern, seconds: float, before: float, at: int) -> Load:
        def report(step: str, done: float = 0, total: float = 1) -> None:
            progress(names[side], min(blocks, at + done / total), blocks)

        length = load.length | {"seconds": seconds, "warmup": before}
        return await run_load(engines[side], mix, pattern, **length, progress=report)

    found: list[tuple[Load, Load]] = []
    interrupted = False
    try:
        if load.warmup:
            for side in (0, 1):
                await send(side, pattern, load.warmup, 0.0, 0)
        for number, first in enumerate(_block_orders(mode.blocks, pattern.seed)):
            # Each pair has other times and queries than the one before, or they would say the same.
            drawn = replace(pattern, seed=pattern.seed + number)
            sent: dict[int, Load] = {}
            for at, side in enumerate((first, 1 - first)):
                sent[side] = await send(
                    side, drawn, block, min(_SETTLE_SECONDS, block), 2 * number + at
                )
            found.append((sent[0], sent[1]))
    except asyncio.CancelledError:
        # By Ctrl-C: the pairs that are complete are as good as they would be.
        if len(found) < _FEWEST_PAIRS:
            raise
        interrupted = True
    reasons = _block_problems(names, found)
    sound = [pair for pair in found if not any(load.not_valid for load in pair)]
    enough = len(sound) >= max(_FEWEST_PAIRS, _VALID_SHARE * len(found))
    compared = sound if enough else found
    return replace(
        _compare_blocks(
            names, compared, level=load.level, confidence=load.confidence, seed=pattern.seed
        ),
        not_valid=() if enough else reasons,
        left_out=reasons if enough else (),
        interrupted=interrupted,
    )


def _block_orders(pairs: int, seed: int) -> list[int]:
    """Draw the engine that comes first in each pair: each in half of them."""
    firsts = np.arange(pairs) % 2
    return [int(side) for side in np.random.default_rng([seed, pairs]).permutation(firsts)]


def _block_problems(names: tuple[str, str], pairs: list[tuple[Load, Load]]) -> tuple[str, ...]:
    problems = []
    for side, name in enumerate(names):
        found = [reasons for pair in pairs if (reasons := pair[side].not_valid)]
        if found:
            first = "; ".join(found[0])
            problems.append(f"{name}, {len(found)} of {len(pairs)} blocks: {first}")
    return tuple(problems)
