"""Tables of recall estimates."""

from __future__ import annotations

from math import isinf, isnan, nan

from cleverdon._common.text import counted, printable
from cleverdon.pooling.recall.estimates import INTERVALS, METHODS, CountEstimate, MethodEstimates
from cleverdon.pooling.recall.judged_results import SaturationStep
from cleverdon.pooling.recall.recall import Recall
from cleverdon.pooling.recall.reuse import Reuse
from cleverdon.tables.numbers import format_decimal
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable

_ESTIMATE = ("found", "R", "R low", "R high", "recall", "recall low", "recall high")
_MOST_STEPS = 12
"""Numbers of systems that a table for people shows."""


def recall_sections(found: Recall, *, exact: bool, per_query: bool) -> list[Section]:
    """Return all tables of a recall estimate."""
    parts = [_estimates(found, exact=exact), _runs(found, exact=exact)]
    if per_query:
        parts[1:1] = [_per_query(each, exact=exact) for each in found.estimates]
    parts.append(_curve("by depth", "depth", found.saturation.by_depth, exact=exact))
    systems = found.saturation.by_systems
    if len(systems) > 1:
        kept = systems if exact else _thinned(systems)
        parts.append(_curve("by number of systems", "systems", kept, exact=exact))
    if found.dependence is not None:
        parts.append(_pairs(found, exact=exact))
    if found.reuse is not None:
        parts.append(_reuse(found.reuse, exact=exact))
    return [part for part in parts if part.grid.rows]


def _estimates(found: Recall, *, exact: bool) -> Section:
    rows = [[each.method, *_cells(each.all, exact=exact)] for each in found.estimates]
    notes = [
        f"{each.method}: {METHODS[each.method]}"
        + (f"; without {counted(len(each.left_out), 'query')}" if each.left_out else "")
        for each in found.estimates
    ]
    depth = f"pool of depth {found.depth:,}"
    if not found.depth_known:
        depth = (
            f"the first results of {printable(found.least_judged)} are not all judged: the depth "
            "of the pool is not known, and all results count (--depth says it)"
        )
    grid = TextTable(["method", *_ESTIMATE], rows, 1, [*_intervals(found), *notes, depth])
    return Section("relevant documents", grid)


def _intervals(found: Recall) -> list[str]:
    usable = [each for each in found.estimates if not each.all.refuted]
    kinds = dict.fromkeys(each.all.interval for each in usable)
    said = []
    if any(not each.all.is_bound for each in usable):
        said.append(f"low, high: {found.confidence:.0%} intervals")
    for kind in kinds:
        of = ", ".join(each.method for each in usable if each.all.interval == kind)
        if kind == "lower bound":
            said.append(f"R by {of}: a lower bound; low, high: {INTERVALS[kind]}")
        else:
            said.append(f"interval of {of}: {kind}, {INTERVALS[kind]}")
    return said


def _cells(one: CountEstimate, *, exact: bool) -> list[str]:
    low, high = (nan, nan) if one.refuted else (one.low, one.high)
    ends = [_count(value, exact=exact) for value in (one.value, low, high)]
    return [str(one.found), *ends, *(format_decimal(value, exact=exact) for value in one.recall())]


def _count(value: float, *, exact: bool) -> str:
    if isinf(value):
        return "inf" if exact else "-"
    return format_decimal(value, digits=1, exact=exact)


def _per_query(each: MethodEstimates, *, exact: bool) -> Section:
    rows = [[printable(query), *_cells(one, exact=exact)] for query, one in each.queries.items()]
    return Section(f"by {each.method}", TextTable(["query", *_ESTIMATE], rows, 1, []))


def _runs(found: Recall, *, exact: bool) -> Section:
    rows = [
        [
            printable(run.system),
            str(run.found),
            *(format_decimal(end, exact=exact) for end in run.recall),
        ]
        for run in found.runs
    ]
    notes = [
        "found: the pool's relevant documents at any rank; what nobody judged is not among them"
    ]
    if found.best is not None:
        part = f", of {counted(len(found.told), 'query')}" if found.partial else ""
        notes.append(f"recall: of the R by {found.best.method}{part}")
    header = ["run", "found", "recall", "recall low", "recall high"]
    return Section("recall of runs", TextTable(header, rows, 1, notes))


def _curve(heading: str, size: str, steps: tuple[SaturationStep, ...], *, exact: bool) -> Section:
    rows = []
    before = SaturationStep(0, 0.0, 0.0)
    for step in steps:
        numbers = (step.judged, step.relevant, step.relevant - before.relevant)
        rows.append(
            [str(step.size), *(format_decimal(value, digits=1, exact=exact) for value in numbers)]
        )
        before = step
    grid = TextTable([size, "judged", "relevant", "new relevant"], rows, 1, [])
    return Section(f"saturation {heading}", grid)


def _thinned(steps: tuple[SaturationStep, ...]) -> tuple[SaturationStep, ...]:
    every = -(-len(steps) // _MOST_STEPS)
    return tuple(step for step in steps if (len(steps) - step.size) % every == 0)


def _pairs(found: Recall, *, exact: bool) -> Section:
    """Show the pairs that are furthest from independent; all of them to programs."""
    pairs = list(found.dependence.pairs) if found.dependence else []
    if not exact and len(pairs) > _MOST_STEPS:
        pairs = sorted(pairs, key=lambda pair: -abs(pair.excess if pair.expected else 0))
        pairs = pairs[:_MOST_STEPS]
    rows = [
        [
            f"{printable(pair.first)}, {printable(pair.second)}",
            str(pair.both),
            str(pair.base),
            str(pair.observed),
            format_decimal(pair.expected, digits=1, exact=exact),
            format_decimal(pair.odds_ratio, digits=2, exact=exact),
            format_decimal(pair.total, digits=1, exact=exact),
        ]
        for pair in pairs
    ]
    header = ["systems", "both", "others", "both of these", "expected", "odds ratio", "R by them"]
    notes = [
        "both: relevant documents of both; others: relevant documents that some other system found",
        "expected: how many of these both would have, were the two independent",
    ]
    return Section("overlap of systems", TextTable(header, rows, 1, notes))


def _reuse(reuse: Reuse, *, exact: bool) -> Section:
    rows = [
        [
            f"{printable(one.system)}, {one.measure}",
            *map(str, (one.judged, one.relevant)),
            *(format_decimal(value, exact=exact) for value in (one.pooled, one.unpooled)),
            *(_share(value, exact=exact) for value in (one.relative, one.others)),
            *map(str, (one.rank, one.rank_unpooled)),
        ]
        for one in reuse.systems
    ]
    header = ["system", "only its own", "relevant", "pooled", "not pooled", "change", "others"]
    header += ["rank", "then"]
    notes = [
        "not pooled: scored without the judgments that it, or its group, alone contributed",
        "others: how the other systems change without these judgments, on average",
    ]
    return Section("if it had not been pooled", TextTable(header, rows, 1, notes))


def _share(value: float, *, exact: bool) -> str:
    if exact or isnan(value):
        return format_decimal(value, exact=exact)
    return f"{round(value, 3) + 0.0:+.1%}"  # no minus before a 0
