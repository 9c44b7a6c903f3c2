"""How many relevant documents there are: tables of estimates, curves and losses, and advice."""

from __future__ import annotations

import json
from dataclasses import asdict
from math import isinf, isnan, nan
from typing import Any

from cleverdon.arrays import plain, plain_record
from cleverdon.errors import check_word
from cleverdon.pool.recall.estimates import INTERVALS, METHODS, Estimate, Estimates
from cleverdon.pool.recall.recalled import Recall
from cleverdon.pool.recall.reuse import Reuse
from cleverdon.pool.recall.saturation import Step
from cleverdon.show.grid import Grid, counted, printable
from cleverdon.show.numbers import decimal
from cleverdon.show.recall_words import advice
from cleverdon.show.sections import FORMATS, Section, sections

_EXACT = ("csv", "tsv")
_ESTIMATE = ("found", "R", "R low", "R high", "recall", "recall low", "recall high")
_MOST_STEPS = 12
"""Numbers of systems that a table for people shows."""


def render(found: Recall, format: str = "table", *, per_query: bool = False) -> str:
    """All of it, in one of `FORMATS`; csv, tsv and json have all digits."""
    check_word("format", format, FORMATS)
    if format == "json":
        return json.dumps(as_json(found), indent=1, ensure_ascii=False)
    exact = format in _EXACT
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
    return sections([part for part in parts if part.grid.rows], format, below=advice(found))


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
    grid = Grid(["method", *_ESTIMATE], rows, 1, [*_intervals(found), *notes, depth])
    return Section("relevant documents", grid)


def _intervals(found: Recall) -> list[str]:
    """Which intervals these are, of all queries together."""
    usable = [each for each in found.estimates if not each.all.refuted]
    kinds = dict.fromkeys(each.all.interval for each in usable)
    said = [f"low, high: {found.confidence:.0%} intervals"] if usable else []
    for kind in kinds:
        of = ", ".join(each.method for each in usable if each.all.interval == kind)
        said.append(f"interval of {of}: {kind}, {INTERVALS[kind]}")
    return said


def _cells(one: Estimate, *, exact: bool) -> list[str]:
    low, high = (nan, nan) if one.refuted else (one.low, one.high)
    ends = [_count(value, exact=exact) for value in (one.value, low, high)]
    return [str(one.found), *ends, *(decimal(value, exact=exact) for value in one.recall())]


def _count(value: float, *, exact: bool) -> str:
    if isinf(value):
        return "inf" if exact else "-"
    return decimal(value, digits=1, exact=exact)


def _per_query(each: Estimates, *, exact: bool) -> Section:
    rows = [[printable(topic), *_cells(one, exact=exact)] for topic, one in each.topics.items()]
    return Section(f"by {each.method}", Grid(["query", *_ESTIMATE], rows, 1, []))


def _runs(found: Recall, *, exact: bool) -> Section:
    rows = [
        [printable(run.system), str(run.found), *(decimal(end, exact=exact) for end in run.recall)]
        for run in found.runs
    ]
    notes = [
        "found: the pool's relevant documents at any rank; what nobody judged is not among them"
    ]
    if found.best is not None:
        part = f", of {counted(len(found.told), 'query')}" if found.partial else ""
        notes.append(f"recall: of the R by {found.best.method}{part}")
    header = ["run", "found", "recall", "recall low", "recall high"]
    return Section("recall of runs", Grid(header, rows, 1, notes))


def _curve(heading: str, size: str, steps: tuple[Step, ...], *, exact: bool) -> Section:
    rows = []
    before = Step(0, 0.0, 0.0)
    for step in steps:
        numbers = (step.judged, step.relevant, step.relevant - before.relevant)
        rows.append([str(step.size), *(decimal(value, digits=1, exact=exact) for value in numbers)])
        before = step
    grid = Grid([size, "judged", "relevant", "new relevant"], rows, 1, [])
    return Section(f"saturation {heading}", grid)


def _thinned(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Some numbers of systems, the last included."""
    every = -(-len(steps) // _MOST_STEPS)
    return tuple(step for step in steps if (len(steps) - step.size) % every == 0)


def _pairs(found: Recall, *, exact: bool) -> Section:
    """The pairs that are furthest from independent, or all of them for programs."""
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
            *(decimal(value, digits=1, exact=exact) for value in (pair.expected,)),
            *(decimal(value, digits=2, exact=exact) for value in (pair.odds_ratio,)),
            decimal(pair.total, digits=1, exact=exact),
        ]
        for pair in pairs
    ]
    header = ["systems", "both", "others", "both of these", "expected", "odds ratio", "R by them"]
    notes = [
        "both: relevant documents of both; others: relevant documents that some other system found",
        "expected: how many of these both would have, were the two independent",
    ]
    return Section("overlap of systems", Grid(header, rows, 1, notes))


def _reuse(reuse: Reuse, *, exact: bool) -> Section:
    rows = []
    for one in reuse.systems:
        name = f"{printable(one.system)}, {one.measure}"
        rows.append(
            [
                name,
                str(one.judged),
                str(one.relevant),
                decimal(one.pooled, exact=exact),
                decimal(one.unpooled, exact=exact),
                _share(one.relative, exact=exact),
                _share(one.others, exact=exact),
                str(one.rank),
                str(one.rank_unpooled),
            ]
        )
    header = [
        "system",
        "only its own",
        "relevant",
        "pooled",
        "not pooled",
        "change",
        "others",
        "rank",
        "then",
    ]
    notes = [
        "not pooled: scored without the judgments that it, or its group, alone contributed",
        "others: how the other systems change without these judgments, on average",
    ]
    return Section("if it had not been pooled", Grid(header, rows, 1, notes))


def _share(value: float, *, exact: bool) -> str:
    if exact or isnan(value):
        return decimal(value, exact=exact)
    return f"{round(value, 3) + 0.0:+.1%}"  # no minus before a 0


def as_json(found: Recall) -> dict[str, Any]:
    """Everything, ready for `json.dumps`."""
    seen = found.dependence
    return {
        "queries": len(found.topics),
        "judged": found.judged,
        "relevant": found.relevant,
        "docs": found.docs,
        "depth": found.depth if found.depth_known else None,
        "not_returned": {"down_to_depth": found.uncaught, "at_any_rank": found.unreturned},
        "alike": [list(pair) for pair in found.alike],
        "sheet": None if found.filled is None else asdict(found.filled),
        "confidence": found.confidence,
        "estimates": {
            each.method: {
                "all": _estimate(each.all),
                "queries": {topic: _estimate(one) for topic, one in each.topics.items()},
                "left_out": list(each.left_out),
            }
            for each in found.estimates
        },
        "runs": {
            run.system: {"found": run.found, "recall": [plain(end) for end in run.recall]}
            for run in found.runs
        },
        "saturation": plain_record(
            {
                "by_depth": [asdict(step) for step in found.saturation.by_depth],
                "by_systems": [asdict(step) for step in found.saturation.by_systems],
                "next_system": asdict(found.saturation.next_system),
                "next_ranks": asdict(found.saturation.next_ranks),
            }
        ),
        "dependence": None
        if seen is None
        else {
            "odds_ratio": plain(seen.odds_ratio),
            "interval": [plain(seen.low), plain(seen.high)],
            "direction": seen.direction,
            "pairs": [plain_record({**asdict(pair), "excess": pair.excess}) for pair in seen.pairs],
        },
        "reuse": None
        if found.reuse is None
        else [
            plain_record({**asdict(one), "measure": str(one.measure), "relative": one.relative})
            for one in found.reuse.systems
        ],
        "precision": found.precision,
        "target": found.target,
        "decision": found.decision,
        "decided_for": len(found.told),
        "decision_for_these": found.decision_as_told if not found.complete else "stop",
        "sample_needed": found.needed,
        "sample_judged": found.sample_judged,
        "advice": advice(found),
    }


def _estimate(one: Estimate) -> dict[str, Any]:
    value, low, high = one.recall()
    return plain_record(
        {
            "found": one.found,
            "R": one.value,
            "low": nan if one.refuted else one.low,
            "high": nan if one.refuted else one.high,
            "interval": one.interval,
            "refuted": one.refuted,
            "recall": value,
            "recall_low": low,
            "recall_high": high,
        }
    )
