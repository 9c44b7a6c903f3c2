"""Judgments beside traffic, as text: what is covered, what to judge next, means by traffic."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from textwrap import wrap
from typing import Any

from cleverdon.arrays import plain
from cleverdon.compare.intervals import Interval
from cleverdon.errors import check_word
from cleverdon.online.bridge import FAILURES, Coverage, ToJudge, Traffic, Weighting
from cleverdon.online.bridge.correlation import COEFFICIENTS, Coefficient, Correlation
from cleverdon.online.bridge.weighting import WeightedDifference, WeightedMean
from cleverdon.show.correlation_words import sentences
from cleverdon.show.grid import Grid, counted, laid_out, printable
from cleverdon.show.numbers import decimal, number
from cleverdon.show.observed import about_bots, bots_record, significant

FORMATS = ("table", "markdown", "html", "json")
_SHOWN = 12
"""How many topics are named in a sentence."""


def render(
    found: Traffic,
    covered: Coverage,
    next_ones: ToJudge,
    weighting: Weighting | None = None,
    correlations: Sequence[Correlation] = (),
    *,
    format: str = "table",
    **terminal: Any,
) -> str:
    """All parts, one below the other, in one of `FORMATS`."""
    check_word("format", format, FORMATS)
    if format == "json":
        record = as_json(found, covered, next_ones, weighting, correlations)
        return json.dumps(record, indent=1, ensure_ascii=False)
    settings, log = found.stages.settings, found.stages.log
    grids = [coverage_grid(covered, top=settings.top), to_judge_grid(found, next_ones)]
    grids[0] = replace(grids[0], footnotes=[*grids[0].footnotes, *about_bots(log)])
    if weighting is not None:
        grids.append(means_grid(weighting))
        if weighting.differences:
            grids.append(differences_grid(weighting))
    if correlations:
        grids.append(correlations_grid(correlations))
    if format == "table":
        grids = [replace(grid, footnotes=_wrapped(grid.footnotes)) for grid in grids]
    return "\n\n".join(laid_out(grid, format, **terminal).rstrip() for grid in grids)


def coverage_grid(covered: Coverage, *, top: int) -> Grid:
    """The judged topics with most traffic; what all of them come to stands below."""
    asked = covered.asked
    rows = [
        [
            printable(one.topic),
            printable(one.text),
            significant(one.asked),
            _share(one.asked, covered.totals.asked),
            f"{one.users:,}",
            "-" if one.failing is None else _share(one.failing, one.asked),
        ]
        for one in asked[:top]
    ]
    header = ["judged topic", "query", "asked", "of all", "users", "failing"]
    return Grid(header, rows, 2, [], _paragraph(_on_coverage(covered, shown=len(rows))))


def _on_coverage(covered: Coverage, *, shown: int) -> list[str]:
    totals = covered.totals
    lines = [
        f"{len(covered.asked):,} of {counted(len(covered.topics), 'judged topic')} were asked: "
        f"{_share(covered.covered, totals.asked)} of all queries ({covered.covered:,} of "
        f"{totals.asked:,}, of {totals.texts:,} different texts)."
    ]
    if len(covered.asked) > shown:
        lines.append(f"The {shown} most frequent are listed.")
    if covered.never_asked:
        lines.append(f"Never asked: {_named([one.topic for one in covered.never_asked])}.")
    if covered.without_text:
        lines.append(f"Judged, and without a text: {_named(covered.without_text)}.")
    for group in covered.shared[:3]:
        lines.append(
            f"{' and '.join(map(printable, group))} have the same text, and share its "
            "traffic equally."
        )
    if len(covered.shared) > 3:
        lines.append(f"So do {len(covered.shared) - 3} further groups of topics.")
    if totals.without_text:
        lines.append(f"{counted(totals.without_text, 'query')} without a text are not counted.")
    return lines


def to_judge_grid(found: Traffic, next_ones: ToJudge) -> Grid:
    """The queries to judge next, with what speaks for them."""
    kinds = found.kinds
    rows = [
        [
            printable(one.text),
            printable(one.topic),
            ", ".join(map(_word, one.reasons)) or "traffic",
            significant(one.priority),
            f"{one.asked:,}",
            f"{one.users:,}",
            *([f"{one.failing:,}"] if one.failing is not None else []),
            *(f"{one.failures[kind]:,}" for kind in kinds),
        ]
        for one in next_ones.candidates
    ]
    counts = ["failing", *map(_word, kinds)] if kinds else []
    header = ["to judge next", "id", "why", "priority", "asked", "users", *counts]
    return Grid(header, rows, 3, [], _paragraph(_on_judging(found, next_ones)))


def _on_judging(found: Traffic, next_ones: ToJudge) -> list[str]:
    listed = len(next_ones.candidates)
    lines = [
        f"{counted(next_ones.unjudged_texts, 'query')} without judgments were asked "
        f"{next_ones.unjudged_asked:,} times; {listed:,} "
        f"{'is' if listed == 1 else 'are'} listed."
    ]
    if next_ones.rare_texts:
        lines.append(
            f"{next_ones.rare_texts:,} of them, asked {next_ones.rare_asked:,} times, are of fewer "
            f"than {next_ones.least_users} users and never listed, since a rare query may give "
            "away who asked it."
        )
    if found.kinds:
        lines.append(
            f"Priority: queries that failed, plus {next_ones.well:g} times those that went well."
        )
        told = "; ".join(f"{_word(kind)}: {FAILURES[kind]}" for kind in found.kinds)
        lines.append(f"Failing is any of these ({told}); as a reason it means more than is usual.")
    else:
        lines.append("Priority: how often it was asked.")
    for kind, lacks in found.unknown.items():
        lines.append(f"The log cannot tell {_word(kind)}: it lacks {', '.join(lacks)}.")
    if found.stages.settings.stem:
        lines.append("Texts are shown as they are compared, by their stems.")
    return lines


def means_grid(weighting: Weighting) -> Grid:
    """Every run's means, by topics and by traffic."""
    confidence = weighting.means[0].interval.confidence
    header = ["run", "measure", "mean of topics", "by traffic", f"{confidence:.0%} interval"]
    rows = [
        [
            printable(one.system),
            str(one.measure),
            number(one.measure, one.mean),
            number(one.measure, one.weighted),
            _ends(one.interval),
            number(one.measure, one.difference, signed=True),
            _ends(one.difference_interval, signed=True),
        ]
        for one in weighting.means
    ]
    notes = [
        f"By traffic, the {weighting.topics:,} topics count as {weighting.effective:.1f} of equal "
        f"weight would; {weighting.with_traffic:,} have any, and topic "
        f"{printable(weighting.largest)} alone has {weighting.largest_share:.1%} of it."
    ]
    if weighting.few:
        notes.append(
            "Warning: a few topics have most of the weight, and means by traffic are about those "
            "few queries."
        )
    notes.append("Intervals are of a bootstrap that draws topics with their traffic.")
    return Grid(
        [*header, "difference", f"{confidence:.0%} interval"], rows, 2, [], _paragraph(notes)
    )


def differences_grid(weighting: Weighting) -> Grid:
    """How far each run is from the first, by topics and by traffic."""
    confidence = weighting.means[0].interval.confidence
    header = ["run", "against", "measure", "by topics", "by traffic", f"{confidence:.0%} interval"]
    rows = [
        [
            printable(one.system),
            printable(one.against),
            str(one.measure),
            number(one.measure, one.difference, signed=True),
            number(one.measure, one.weighted, signed=True),
            _ends(one.interval, signed=True),
        ]
        for one in weighting.differences
    ]
    notes = [
        f"{printable(one.system)} and {printable(one.against)} change places by {one.measure}: "
        "who is better by topics is not who is better by traffic."
        for one in weighting.differences
        if one.turned
    ]
    return Grid(header, rows, 3, [], _paragraph(notes))


def correlations_grid(correlations: Sequence[Correlation]) -> Grid:
    """Coefficients of correlation over queries, and what they can tell."""
    confidence = correlations[0].kendall.interval.confidence
    header = ["measure", "metric", "coefficient", "value", f"{confidence:.0%} interval"]
    rows = []
    for one in correlations:
        for name in COEFFICIENTS:
            of: Coefficient = getattr(one, name)
            cells = [decimal(of.value, signed=True), _ends(of.interval, signed=True)]
            rows.append([str(one.measure), str(one.metric), _HEADINGS[name], *cells])
    return Grid(header, rows, 3, [], _paragraph(sentences(correlations)))


_HEADINGS = {"kendall": "Kendall's tau", "spearman": "Spearman's rho", "pearson": "Pearson's r"}


def as_json(
    found: Traffic,
    covered: Coverage,
    next_ones: ToJudge,
    weighting: Weighting | None = None,
    correlations: Sequence[Correlation] = (),
) -> dict[str, Any]:
    """All of it as plain records."""
    stages = found.stages
    record: dict[str, Any] = {
        "source": stages.log.source,
        "settings": asdict(stages.settings),
        "coverage": asdict(covered) | {"share": covered.share},
        "to_judge": asdict(next_ones),
        "unknown": {kind: list(lacks) for kind, lacks in found.unknown.items()},
        "without_bots": bots_record(stages.log),
    }
    if weighting is not None:
        record["weighted"] = {
            "topics": weighting.topics,
            "with_traffic": weighting.with_traffic,
            "effective": weighting.effective,
            "few": weighting.few,
            "largest": weighting.largest,
            "largest_share": weighting.largest_share,
            "means": [_record(one) for one in weighting.means],
            "differences": [_record(one) for one in weighting.differences],
        }
    if correlations:
        record["correlations"] = [_correlation_record(one) for one in correlations]
    return record


def _record(one: WeightedMean | WeightedDifference) -> dict[str, Any]:
    fields = dict(vars(one)) | {"measure": str(one.measure)}
    return {name: _interval_record(value) for name, value in fields.items()}


def _interval_record(value: Any) -> Any:
    return [plain(value.low), plain(value.high)] if isinstance(value, Interval) else value


def _correlation_record(one: Correlation) -> dict[str, Any]:
    record = dict(vars(one)) | {"measure": str(one.measure), "metric": str(one.metric)}
    record["points"] = [asdict(point) for point in one.points]
    for name in COEFFICIENTS:
        of: Coefficient = getattr(one, name)
        record[name] = {"value": plain(of.value), "interval": _interval_record(of.interval)}
    return record | {"few": one.few}


def _ends(interval: Interval, *, signed: bool = False) -> str:
    low, high = (decimal(end, signed=signed) for end in (interval.low, interval.high))
    return f"{low} to {high}" if low != "-" else "-"


def _share(part: float, whole: float) -> str:
    return f"{part / whole:.1%}" if whole else "-"


def _named(topics: Sequence[str]) -> str:
    named = ", ".join(map(printable, topics[:_SHOWN]))
    return named + (f" and {len(topics) - _SHOWN:,} more" if len(topics) > _SHOWN else "")


def _word(kind: str) -> str:
    return kind.replace("_", " ")


def _paragraph(sentences: Sequence[str]) -> list[str]:
    return [" ".join(sentences)] if sentences else []


def _wrapped(paragraphs: Sequence[str]) -> list[str]:
    """Paragraphs as lines that a terminal has room for."""
    return [line for paragraph in paragraphs for line in wrap(paragraph, 96)]
