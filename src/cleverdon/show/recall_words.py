"""What an estimate of recall says, in sentences: what is known, what comes next, when to stop."""

from __future__ import annotations

from math import isinf, isnan

from cleverdon.pool.recall.estimates import Estimate
from cleverdon.pool.recall.whole import Recall
from cleverdon.show.grid import counted, printable
from cleverdon.show.numbers import two_digits

MOST = 0.5
"""A sample that is a larger share of the collection than that is no sample any more."""


def advice(found: Recall) -> list[str]:
    """All there is to say, a sentence or two each."""
    said = [known(found), depends(found), next_step(found), reusable(found), verdict(found)]
    return [sentence for sentence in said if sentence]


def known(found: Recall) -> str:
    """How many relevant documents there are, and what that rests on."""
    start = (
        f"{counted(found.judged, 'document')} are judged for {counted(len(found.topics), 'query')}"
        f", and {found.relevant:,} are relevant."
    )
    if found.complete:
        return f"{start} That is the whole collection: there are no others."
    best = found.best
    if best is None:
        return (
            f"{start} With one system and no sample of the rest, nothing can be said of what was "
            "missed."
        )
    one = best.all
    if best.method == "sample":
        return (
            f"{start} By the sample there are about {count(one.value)} in all, {between(one)} with "
            f"{one.confidence:.0%} confidence."
        )
    return (
        f"{start} By what systems found in common there are at least about {count(one.value)} in "
        "all. That is a lower bound, whatever its interval: documents that are hard for all "
        "systems do not show in it."
    )


def depends(found: Recall) -> str:
    """How far systems are from independent, and what that does to capture-recapture."""
    seen = found.dependence
    if seen is None:
        return ""
    ratio = f"odds ratio {seen.odds_ratio:.2f}"
    if not isnan(seen.low):
        ratio += f", {seen.low:.2f} to {seen.high:.2f}"
    if seen.direction == "unknown":
        return (
            "Capture-recapture takes systems for independent. Whether they are cannot be seen here"
            ": it takes a third system that found relevant documents."
        )
    if seen.direction == "positive":
        return (
            f"Systems are not independent ({ratio}): what one finds, others tend to find as well. "
            "So capture-recapture is too low, and more is missing than it says."
        )
    if seen.direction == "negative":
        return (
            f"Systems are not independent ({ratio}): what one finds, others tend to miss. So "
            "capture-recapture is too high, among the documents that systems can find at all."
        )
    return (
        f"Among the documents that were found, systems cannot be told from independent ({ratio}). "
        "Of those that none found this says nothing."
    )


def next_step(found: Recall) -> str:
    """What one more system would bring, and more ranks."""
    curves = found.saturation
    one = curves.next_system
    share = f" ({curves.rising:.1%} more)" if found.relevant else ""
    said = []
    if len(curves.by_systems) > 1:
        said.append(
            f"One more system of the same kind would bring about {amount(one.relevant)} relevant "
            f"documents at most{share}, for {amount(one.judged)} judgments."
        )
    last = curves.next_ranks
    if last.size:
        ranks = "rank" if last.size == 1 else f"{last.size} ranks"
        said.append(
            f"The last {ranks} of the pool brought {amount(last.relevant)}, for "
            f"{amount(last.judged)} judgments: as many more are likely to bring less."
        )
    return " ".join(said)


def reusable(found: Recall) -> str:
    """How much a system that was not pooled would lose."""
    if found.reuse is None or not found.reuse.systems:
        return ""
    measure = found.reuse.systems[0].measure
    worst = found.reuse.worst(measure)
    mean = found.reuse.mean_relative(measure)
    if isnan(mean):
        return ""
    ranks = worst.ranks_lost
    falls = f" and fall {counted(ranks, 'rank')}" if ranks > 0 else ""
    loses = (
        "none would be underrated"
        if worst.difference == 0
        else f"{printable(worst.system)} would lose most, {-worst.relative:.1%}{falls}"
    )
    return (
        f"A system that was not pooled would be underrated by {max(-mean, 0):.1%} of {measure} on "
        f"average; {loses}."
    )


def verdict(found: Recall) -> str:
    """Whether to stop, and what would settle it."""
    enough = f"{found.target:g} is enough (--target)"
    if found.complete:
        return "Stop: everything is judged."
    best = found.best
    value, low, high = best.all.recall() if best else (float("nan"),) * 3
    if found.decision == "stop":
        return f"Stop: recall is at least {low:.2f}, and {enough}."
    if found.decision == "go on" and best is not None:
        at_most = high if best.method == "sample" else value
        about = "" if best.method == "sample" else "about "
        return f"Go on: recall is {about}{at_most:.2f} at most, and {enough}. {settling(found)}"
    if best is None or isnan(value):
        return f"Not decided: recall is not known. {settling(found)}"
    if best.method == "sample":
        return (
            f"Not decided: recall is between {low:.2f} and {high:.2f}, and {enough}. "
            f"{settling(found)}"
        )
    return (
        f"Not decided: recall may be as high as {value:.2f}, where {enough}, or much lower. Only a "
        f"sample of what is not in the pool can tell. {settling(found)}"
    )


def settling(found: Recall) -> str:
    """Which sample would tell recall precisely enough."""
    goal = f"recall to ±{found.precision:g}"
    if found.docs is None:
        return f"With --docs, the size of the collection, this says which sample would tell {goal}."
    if found.needed is None:
        return "Judge a sample of what is not in the pool: cleverdon pool sample."
    topics = len(found.topics)
    left = found.docs * topics - found.judged
    each = two_digits(found.needed / topics)
    if found.needed > MOST * left:
        return (
            f"For {goal}, more than half of the collection would have to be drawn: relevant "
            "documents are too rare in it. Draw by strata, more where they are likely: cleverdon "
            "pool sample --runs."
        )
    return (
        f"A random sample of {each:,} documents for each query would tell {goal}, if about as much "
        "is missing as is estimated: cleverdon pool sample."
    )


def count(value: float) -> str:
    """A number of documents that was estimated."""
    return "any number of" if isinf(value) else f"{value:,.0f}"


def amount(value: float) -> str:
    """A small number of documents on average; whole ones without decimals."""
    return f"{value:,.0f}" if value >= 100 or value == round(value) else f"{value:.2g}"


def between(one: Estimate) -> str:
    """From where to where."""
    return f"between {count(one.low)} and {'any number' if isinf(one.high) else count(one.high)}"
