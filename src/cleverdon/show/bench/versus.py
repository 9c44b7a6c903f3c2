"""Two engines: a table of differences, and what they show in words."""

from __future__ import annotations

from math import isnan

from cleverdon.engine.load.versus import FEWEST_PAIRS, PERCENTILES, Change, Versus
from cleverdon.show.bench.about import WRITTEN, described, p_cell, percentage, signed
from cleverdon.show.grid import Grid, printable
from cleverdon.show.quantities import seconds
from cleverdon.show.sections import Section


def parts(found: Versus) -> tuple[list[Section], list[str]]:
    """The table of a comparison, and its claims."""
    one, two = map(printable, found.names)
    header = [
        "",
        one,
        two,
        "difference",
        f"{percentage(found.confidence)} interval",
        "p",
        "verdict",
    ]
    rows = [_row(name, change, found) for name, change in found.changes.items()]
    notes = [
        f"difference: {one} less {two}; the interval is of a bootstrap over pairs of blocks",
        "p of percentiles is corrected for there being three of them (Holm); intervals are not",
    ]
    below = [claim(name, found) for name in PERCENTILES]
    if len(found.pairs) < FEWEST_PAIRS:
        below.append(
            f"{len(found.pairs)} pairs of blocks are too few to tell a difference from chance: "
            f"{FEWEST_PAIRS} is the least, and 10 are usual."
        )
    below += [f"Left out, with the other block of each pair: {why}." for why in found.left_out]
    return [Section("differences", Grid(header, rows, 1, [], notes))], [*below, *_failing(found)]


def claim(name: str, found: Versus) -> str:
    """What was shown of a percentile, in a sentence.

    `At 200/s, new's p99 is 3.1 ms lower than old's (95% interval 2.2 to 4 ms lower): shown.`
    """
    change = found.changes[name]
    one, two = map(printable, found.names)
    at = f"At {described(found.pattern).partition(' (')[0]}"
    if found.not_valid:
        return f"{at}, {one}'s {name} against {two}'s: not valid."
    word = "lower" if change.difference < 0 else "higher"
    far = f"{seconds(abs(change.difference))} {word} than"
    if change.difference == 0:
        far = "the same as"
    return f"{at}, {one}'s {name} is {far} {two}'s{_sure(change, found)}: {found.verdict(name)}."


def _sure(change: Change, found: Versus) -> str:
    if isnan(change.low):
        return ""
    ends = f"{_signed_words(change.low)} to {_signed_words(change.high)}"
    if change.low <= change.high < 0:  # said as the sentence does: how much lower
        ends = f"{seconds(-change.high)} to {seconds(-change.low)} lower"
    elif change.low > 0:
        ends = f"{seconds(change.low)} to {seconds(change.high)} higher"
    return f" ({percentage(found.confidence)} interval {ends})"


def _signed_words(value: float) -> str:
    return f"{seconds(abs(value))} {'lower' if value < 0 else 'higher'}"


def _row(name: str, change: Change, found: Versus) -> list[str]:
    write = WRITTEN[name]
    p = change.p if change.corrected is None else change.corrected
    ends = "-"
    if not isnan(change.low):
        ends = f"{signed(name, change.low)} to {signed(name, change.high)}"
    return [
        name,
        write(change.first),
        write(change.second),
        signed(name, change.difference),
        ends,
        p_cell(p, found.level),
        found.verdict(name),
    ]


def _failing(found: Versus) -> list[str]:
    """Percentiles of an engine that fails are those of the other requests."""
    change = found.changes["errors"]
    told = []
    for name, share in zip(found.names, (change.first, change.second), strict=True):
        if share > 0.001:
            told.append(
                f"{printable(name)} failed on {percentage(share)} of the requests; its percentiles "
                "are of the others, and of time-outs."
            )
    return told
