"""Whether to stop judging, in sentences, and what to do next."""

from __future__ import annotations

from math import isnan

from cleverdon.pool.recall.recalled import SAMPLE, Recall
from cleverdon.show.grid import counted
from cleverdon.show.numbers import two_digits
from cleverdon.show.recall_phrases import are, share

MOST = 0.5
"""A sample that is a larger share of the collection than that is no sample any more."""


def verdict(found: Recall) -> str:
    """Whether to stop, and what would settle it."""
    enough = f"{found.target:g} is enough (--target)"
    if found.complete:
        return "Stop: everything is judged."
    best = found.best
    value, low, high = best.all.recall() if best else (float("nan"),) * 3
    if best is None or isnan(value):
        return f"Not decided: recall is not known. {settling(found)}"
    decision = found.decision_as_told
    if best.method != SAMPLE:
        return _by_systems(found, decision, value, high, enough)
    least, most = (share(end, found.target) for end in (low, high))
    where = f"recall is between {least} and {most}, and {enough}"
    if found.partial:
        others = len(found.topics) - len(found.told)
        word = {"stop": "stop", "go on": "go on", "open": "it is not decided"}[decision]
        more = "" if decision == "stop" else f" {onwards(found, decision)}"
        return (
            f"Not decided for all queries: {counted(others, 'query')} {are(others)} not sampled. "
            f"For the {len(found.told):,} that {are(len(found.told))}, {word}: {where}.{more}"
        )
    if decision == "stop":
        return f"Stop: recall is at least {least}, and {enough}."
    if decision == "go on":
        return f"Go on: recall is {most} at most, and {enough}. {onwards(found, decision)}"
    return f"Not decided: {where}. {onwards(found, decision)}"


def _by_systems(found: Recall, decision: str, value: float, high: float, enough: str) -> str:
    """By capture-recapture alone."""
    most = share(max(value, high), found.target)
    if decision == "go on":
        return (
            f"Go on: recall is about {most} at most, and {enough}. {onwards(found, decision)} "
            f"{settling(found)}"
        )
    tells = f"Only a sample of what is not in the pool can tell. {settling(found)}"
    if not found.bounded:
        return (
            "Not decided: by what systems found in common recall would be "
            f"{share(value, found.target)}, where {enough}; but that is no bound, neither from "
            f"above nor from below. {tells}"
        )
    return f"Not decided: recall may be as high as {most}, where {enough}, or much lower. {tells}"


def onwards(found: Recall, decision: str) -> str:
    """What to do next: judge more where more is known to be missing, else draw a larger sample."""
    if decision != "go on":
        return settling(found)
    deeper = "deeper"
    if found.depth_known:
        deeper = f"deeper: cleverdon pool make RUNS -k {2 * found.depth} --judged QRELS -o pool.tsv"
    return f"Judge {deeper}; or add systems of another kind to the pool."


def settling(found: Recall) -> str:
    """Which sample would tell recall precisely enough."""
    goal = f"recall to ±{found.precision:g}"
    if found.docs is None:
        return f"With --docs, the size of the collection, this says which sample would tell {goal}."
    if found.needed is None:
        return "Judge a sample of what is not in the pool: cleverdon pool sample."
    by_sample = found.best is not None and found.best.method == SAMPLE
    if by_sample and found.best is not None:
        _, low, high = found.best.all.recall()
        if (high - low) / 2 <= found.precision:
            return (
                f"The sample tells {goal} already; with a smaller --precision, this says which "
                "sample would decide."
            )
    topics = len(found.told)
    left = found.docs * topics - sum(found.pool[topic].judged for topic in found.told)
    each = two_digits(found.needed / topics)
    if found.needed > MOST * left:
        return (
            f"For {goal}, more than half of the collection would have to be drawn: relevant "
            "documents are too rare in it. Draw by strata, more where they are likely: cleverdon "
            "pool sample --runs."
        )
    anew = ""
    if by_sample:
        judged = counted(found.sample_judged, "document")
        verb = are(found.sample_judged)
        anew = f" It is drawn anew, without the {judged} of all queries that {verb} judged by now."
    return (
        f"A random sample of {each:,} documents for each query would tell {goal}, if about as much "
        f"is missing as is estimated: cleverdon pool sample.{anew}"
    )
