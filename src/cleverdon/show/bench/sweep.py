"""A sweep: a row for each rate, and the knee in words."""

from __future__ import annotations

from cleverdon.engine.load.knee import Goal, Step
from cleverdon.engine.load.sweep import Sweep
from cleverdon.show.bench.about import percentage
from cleverdon.show.bench.load import interval
from cleverdon.show.grid import Grid
from cleverdon.show.quantities import rate, seconds
from cleverdon.show.sections import Section

_WORDS = {"p99": "p99", "errors": "errors", "throughput": "does not keep up"}


def parts(found: Sweep) -> tuple[list[Section], list[str]]:
    """The table of a sweep, and what it says of the knee."""
    rows = [_row(step) for step in found.steps]
    sure = f"{percentage(found.goal.confidence)} interval"
    header = ["rate", "throughput", "p50", "p90", "p99", sure, "errors", "verdict"]
    return [Section("rates", Grid(header, rows, 1, []))], [knee_told(found), *_caveats(found)]


def _row(step: Step) -> list[str]:
    times = step.latencies
    if times is None:
        cells = ["-"] * 4
    else:
        cells = [seconds(times[name].value) for name in ("p50", "p90", "p99")]
        cells.append(interval(times["p99"]))
    return [
        rate(step.rate),
        rate(step.load.throughput),
        *cells,
        percentage(step.errors),
        verdict(step),
    ]


def verdict(step: Step) -> str:
    """Whether a rate kept the goal, or what it broke."""
    said = "keeps it" if step.keeps else "breaks: " + ", ".join(_WORDS[one] for one in step.broken)
    said += " (uncertain)" if step.uncertain else ""
    return f"{said}, not valid" if step.not_valid else said


def goal_told(goal: Goal) -> str:
    """What a rate has to keep."""
    return f"p99 up to {seconds(goal.p99)} and up to {percentage(goal.errors)} errors"


def knee_told(found: Sweep) -> str:
    """The knee, in a sentence."""
    at, goal = found.knee, goal_told(found.goal)
    if found.not_valid:
        return f"Not valid: nothing is said of the highest rate with {goal}."
    if at.rate is None:
        return f"Below {rate(at.broken)}: even the lowest rate that was tried does not keep {goal}."
    if at.broken is None:
        sent = "could be sent" if any(step.not_valid for step in found.steps) else "was tried"
        return f"At least {rate(at.rate)}: the highest rate that {sent} keeps {goal}."
    return f"The knee is at {rate(at.rate)}: it keeps {goal}, and {rate(at.broken)} does not."


def _caveats(found: Sweep) -> list[str]:
    at = found.knee
    told = []
    if at.uncertain:
        rates = ", ".join(map(rate, at.uncertain))
        sure = "no rate keeps it" if at.low is None else f"{rate(at.low)} keeps it"
        few = [step for step in found.steps if step.uncertain and step.p99 and not step.p99.known]
        why = "too few requests to know how high p99 may be" if few else "chance may have decided"
        told.append(
            f"Uncertain: at {rates} the limit lies within the interval of p99 ({why}). Beyond "
            f"doubt {sure}; longer loads (--seconds) would tell."
        )
    if at.above:
        rates = ", ".join(map(rate, at.above))
        told.append(
            f"{rates} kept it although {rate(at.broken)} did not: something else disturbed the "
            "sweep. Measure again, or longer."
        )
    for step in found.steps if not found.not_valid else ():
        told += [f"{rate(step.rate)} says nothing of the engine: {why}." for why in step.not_valid]
    if found.not_tried and not found.interrupted:
        rates = ", ".join(map(rate, found.not_tried))
        told.append(f"Not tried, since lower rates were too much already: {rates}.")
    return told
