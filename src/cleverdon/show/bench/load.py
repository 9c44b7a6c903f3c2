"""One load: percentiles, what became of requests, and how well they were sent."""

from __future__ import annotations

from cleverdon.engine.failures import KINDS
from cleverdon.engine.load.latencies import CONFIDENCE, Latencies, Percentile, latencies
from cleverdon.engine.load.records import Load
from cleverdon.show.bench.about import between, percentage
from cleverdon.show.grid import Grid, printable
from cleverdon.show.quantities import rate, seconds
from cleverdon.show.sections import Section


def parts(load: Load, *, confidence: float = CONFIDENCE) -> tuple[list[Section], list[str]]:
    """The tables of a load, and what is to be said below them."""
    tables = [Section("requests", requests_grid(load)), Section("generator", generator_grid(load))]
    if not len(load.response):
        return tables, _failures(load)
    response, service = (
        latencies(times, confidence=confidence) for times in (load.response, load.service)
    )
    times = Section("percentiles", times_grid(response, service))
    return [times, *tables], [*_unknown(response), *_failures(load)]


def times_grid(response: Latencies, service: Latencies) -> Grid:
    """A row for each percentile, of what users wait and of what the engine takes."""
    rows = [
        [
            one.name,
            seconds(one.value),
            interval(one),
            seconds(service[one.name].value),
        ]
        for one in response.percentiles
    ]
    rows.append(["longest", seconds(response.max), "", seconds(service.max)])
    rows.append(["mean", seconds(response.mean), "", seconds(service.mean)])
    header = [
        "percentile",
        "response time",
        f"{percentage(response.confidence)} interval",
        "service time",
    ]
    notes = [
        "response time: from when a request was to be sent, as users wait",
        "service time: from when it was really sent, without the sender's own lag",
    ]
    return Grid(header, rows, 1, [], notes)


def interval(one: Percentile) -> str:
    """Its ends, of which either may be unknown."""
    low = None if one.low is None else seconds(one.low)
    high = None if one.high is None else seconds(one.high)
    return between(low, high)


def requests_grid(load: Load) -> Grid:
    """What became of the requests."""
    sent = len(load.intended)
    answered = int(load.answered.sum())
    rows = [
        ["sent", f"{sent:,}", ""],
        ["answered", f"{answered:,}", percentage(answered / sent) if sent else ""],
        ["throughput", rate(load.throughput), ""],
    ]
    for kind, count in load.errors().items():
        rows.append([f"failed: {kind}", f"{count:,}", percentage(count / sent)])
    return Grid(["requests", "value", "share"], rows, 1, [])


def generator_grid(load: Load) -> Grid:
    """How well requests were sent."""
    generator = load.generator
    rows = [
        ["lag p50", seconds(generator.lag["p50"])],
        ["lag p99", seconds(generator.lag["p99"])],
        ["longest lag", seconds(generator.lag["max"])],
        ["CPU", f"{generator.cpu:.0%} of a core"],
    ]
    if generator.cut_off:
        rows.append(["never ended", f"{generator.cut_off:,}"])
    if generator.unsent:
        rows.append(["never sent", f"{generator.unsent:,}"])
    return Grid(["generator", "value"], rows, 1, [])


def _unknown(found: Latencies) -> list[str]:
    """That percentiles without an upper end rest on too few requests."""
    names = [one.name for one in found.percentiles if not one.known]
    if not names:
        return []
    what = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return [
        f"Too few independent requests for {what}: what is true may be far higher. A longer load "
        "would tell."
    ]


def _failures(load: Load) -> list[str]:
    """What each kind of failure means, and what the first one said."""
    return [
        f"{kind}: {KINDS[kind]}"
        + (f"; the first: {printable(load.messages[kind])}" if kind in load.messages else "")
        for kind in load.errors()
    ]
