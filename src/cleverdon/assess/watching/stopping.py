"""Whether to go on judging, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from cleverdon.assess.watching.measured import Measured
from cleverdon.show.grid import counted

Decided = tuple[str, str]
"""stop, go on or open; and the sentence."""


def not_decided(why: str) -> Decided:
    """Where nothing can be told."""
    return "open", f"Not decided: {why}."


def by_estimate(
    recall: Measured, estimate: Measured, *, left: int, sampled: bool, target: float
) -> Decided:
    """By how much of a pool's relevant documents were found; `left` are still to be judged."""
    pool = "pool that the sample is of" if sampled else "pool"
    if not left and not sampled:
        return "stop", (
            "Stop looking: every document of the pool was judged by one person at least. What it "
            "does not hold, more systems or deeper results would bring."
        )
    if recall.value is None or recall.low is None or recall.high is None:
        most = "any number" if estimate.high is None else f"{estimate.high:,.0f} at most"
        return not_decided(f"{recall.why}, and the {pool} may have {most}")
    found = f"of the relevant documents of the {pool} are found"
    enough = f"{target:.0%} is enough"
    low, high = _percent(recall.low, target), _percent(recall.high, target)
    if recall.low >= target:
        return "stop", f"Stop, if you like: at least {low} {found}, and {enough}."
    more = "More judgments will tell." if left else "Only a larger sample would tell."
    if recall.high < target:
        way = "" if left else " The sample is judged: draw a larger one, or judge the rest."
        return "go on", f"Go on: at most {high} {found}, and {enough}.{way}"
    return "open", f"Not decided: between {low} and {high} {found}, and {enough}. {more}"


def for_some(recall: Measured, *, without: int) -> Decided:
    """Over all topics, where nothing can be told of some of them."""
    told = f"nothing can be told yet of {counted(without, 'topic')}"
    if recall.low is None or recall.high is None:
        return not_decided(told)
    low, high = (f"{end:.0%}" for end in (recall.low, recall.high))
    return not_decided(
        f"{told}; of the others, between {low} and {high} of the relevant documents of their pools "
        "are found"
    )


def for_all(decisions: Sequence[str]) -> Decided:
    """Over all topics of an adaptive pool: each ends by itself, whatever the others bring."""
    stopping, going = decisions.count("stop"), decisions.count("go on")
    if stopping == len(decisions):
        return "stop", (
            "Stop, if you like: every topic has ended, or its last documents were not relevant."
        )
    counts = (
        f"of {counted(len(decisions), 'topic')}, {stopping:,} may stop, {going:,} should go on, "
        f"and of {len(decisions) - stopping - going:,} it cannot be told yet"
    )
    return ("go on", f"Go on: {counts}.") if going else not_decided(counts)


def by_yield(last: Measured, *, size: int) -> Decided:
    """By what the last documents of an adaptive pool brought."""
    if last.value is None or last.high is None:
        return not_decided(last.why)
    relevant = round(last.value * size)
    if relevant:
        were = "was" if relevant == 1 else "were"
        return "go on", (
            f"Go on: {relevant} of the last {size} documents {were} relevant, and the next ones "
            "may be as well."
        )
    return "stop", (
        f"Stop, if you like: none of the last {size} documents was relevant. The next one is with "
        f"a chance of {last.high:.0%} at most, and those after it are less likely to be."
    )


def by_ending(last: Measured, *, left: int, size: int) -> Decided:
    """Of a topic of which an adaptive method gives out no more; `left` are still to be judged."""
    if left:
        are = "is" if left == 1 else "are"
        return "go on", (
            f"Go on until it is done: {counted(left, 'document')} {are} still to be judged, and no "
            "more will come."
        )
    relevant = round((last.value or 0) * size)
    told = "Stop: all that was given out is judged."
    if relevant:
        were = "was" if relevant == 1 else "were"
        told += (
            f" {relevant} of the last {size} documents {were} relevant, so the pool may well hold "
            "more."
        )
    return "stop", told


def _percent(share: float, target: float) -> str:
    """So many digits that one sees on which side of the target it is.

    >>> _percent(0.8996, 0.9), _percent(0.42, 0.9)
    ('89.96%', '42%')
    """
    digits = 0
    while digits < 6 and (round(share, digits + 2) < target) != (share < target):
        digits += 1
    return f"{share:.{digits}%}"
