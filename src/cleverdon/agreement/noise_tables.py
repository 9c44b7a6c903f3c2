"""Tables and notes of judging noise: both intervals of each difference, and what flips."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

from cleverdon._common.text import counted, printable
from cleverdon.comparison.difference_tables import basis_text, describe_test
from cleverdon.measures.base import Measure
from cleverdon.score_tables import format_score
from cleverdon.stats.intervals import Interval
from cleverdon.tables.numbers import format_decimal
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable

if TYPE_CHECKING:
    from cleverdon.agreement.noise import JudgedDifference, JudgingNoise

_FLIPS = {
    "reversed": "the opposite is shown in {reversed} of resampled judgments",
    "noise": "not shown with judging noise",
    "unstable": "not shown in {lost} of resampled judgments",
}
_FEW_JUDGES = 5
"""Fewer judges than this tell little of the variance between judges."""
_TWO_JUDGES = 2.5
"""With fewer, coverage falls short of what is promised: docs/agree.md has the numbers."""


def noise_sections(found: JudgingNoise, *, exact: bool) -> list[Section]:
    """Return the tables: differences, claims that flip, averages."""
    parts = [_differences_section(found, exact=exact)]
    if found.flipped() or exact:
        parts.append(_flips_section(found, exact=exact))
    return [*parts, _means_section(found, exact=exact)]


def noise_notes(found: JudgingNoise) -> list[str]:
    """Return the basis of the numbers, and reasons for care."""
    compared = found.comparison
    notes = [
        f"{describe_test(compared)}, p ≤ {compared.level:g}, {basis_text(compared)}",
        f"one grade of several by {found.method}; {counted(found.judges, 'judge')}, "
        f"{counted(found.documents - found.single, 'document')} of several judges, "
        f"{found.resamples} resampled judgments of each kind",
    ]
    if found.single:
        noise = "its noise is" if found.single == 1 else "their noise is"
        have = "has" if found.single == 1 else "have"
        notes.append(
            f"{found.single} of {counted(found.documents, 'document')} {have} one judge: "
            f"{noise} not included"
        )
    if found.effective_judges < _FEW_JUDGES:
        notes.append(
            "so few judges tell little of how judges vary: the variance between them has "
            f"{format_decimal(max(1.0, found.effective_judges - 1), digits=1)} degrees of "
            "freedom"
        )
    if found.effective_judges < _TWO_JUDGES:
        notes.append("with two judges, intervals with judging noise may cover too rarely")
    if found.left_out:
        notes.append(
            f"left out, since no query has a value: {counted(found.left_out, 'resampled judgment')}"
        )
    return notes


def _differences_section(found: JudgingNoise, *, exact: bool) -> Section:
    rows = []
    for one in found.differences:
        measure = one.measure
        rows.append(
            [
                *_names(one, exact=exact),
                format_score(measure, one.difference, signed=not exact, exact=exact),
                *_ends(measure, one.interval, exact=exact, signed=True),
                _verdict(one.shown),
                *_ends(measure, one.with_judges, exact=exact, signed=True),
                _verdict(one.shown_with_judges),
                *(_share(share, exact=exact) for share in (one.holds_by_query, one.holds_by_judge)),
                *([_share(one.reversed, exact=True)] if exact else []),
                _share(one.judges_share, exact=exact),
                format_score(measure, one.shift, signed=not exact, exact=exact),
                *([one.flips or ""] if exact else []),
            ]
        )
    header = ["system", "baseline", "measure", "difference"]
    if exact:
        header += ["low", "high", "shown", "low_with_judges", "high_with_judges"]
        header += ["shown_with_judges", "holds_by_query", "holds_by_judge", "reversed"]
        header += ["judges_share", "shift", "flips"]
        return Section("differences", TextTable(header, rows, 3, []))
    header += ["over queries", "verdict", "with judging noise", "verdict", "holds, by query"]
    header += ["holds, by judge", "due to judges", "shift"]
    share = f"{100 * found.comparison.confidence:.4g}%"
    notes = [
        f"{share} intervals, adjusted for their family; with judging noise: over other queries and "
        "other judges",
        "holds: share of resampled judgments of these queries with the same verdict; judges are "
        "drawn for each query anew, or for all queries at once",
        "due to judges: share of the variance; shift: mean of resampled judgments, minus the "
        "difference",
        *noise_notes(found),
    ]
    if not found.flipped():
        notes.append(f"no claim flips: {_counts(found)}")
    return Section("Differences, with judging noise", TextTable(header, rows, 3, [], notes))


def _flips_section(found: JudgingNoise, *, exact: bool) -> Section:
    rows = [
        [
            *_names(one, exact=exact),
            format_score(one.measure, one.difference, signed=not exact, exact=exact),
            _FLIPS[one.flips or ""].format(
                reversed=f"{one.reversed:.0%}", lost=f"{1 - one.holds:.0%}"
            ),
        ]
        for one in found.flipped()
    ]
    header = ["system", "baseline", "measure", "difference", "claim"]
    notes = [
        f"{_counts(found)}; {counted(len(rows), 'claim')} {'flips' if len(rows) == 1 else 'flip'}",
        f"a claim flips if it is not shown with judging noise, or in more than "
        f"{found.tolerance:.0%} of resampled judgments",
    ]
    name = "flips" if exact else "Claims that flip"
    return Section(name, TextTable(header, rows, 3, [], notes))


def _means_section(found: JudgingNoise, *, exact: bool) -> Section:
    rows = [
        [
            one.system if exact else printable(one.system),
            str(one.measure),
            format_score(one.measure, one.mean, exact=exact),
            *_ends(one.measure, one.interval, exact=exact),
            *_ends(one.measure, one.with_judges, exact=exact),
            _share(one.judges_share, exact=exact),
            format_score(one.measure, one.shift, signed=not exact, exact=exact),
        ]
        for one in found.means
    ]
    header = ["system", "measure", "mean"]
    if exact:
        header += ["low", "high", "low_with_judges", "high_with_judges", "judges_share", "shift"]
        return Section("means", TextTable(header, rows, 2, []))
    header += ["over queries", "with judging noise", "due to judges", "shift"]
    share = f"{100 * found.comparison.confidence:.4g}%"
    notes = [f"{share} intervals of each average by itself"]
    return Section("Averages, with judging noise", TextTable(header, rows, 2, [], notes))


def _names(one: JudgedDifference, *, exact: bool) -> list[str]:
    names = [one.system, one.baseline]
    return [*(names if exact else map(printable, names)), str(one.measure)]


def _verdict(shown: bool) -> str:
    return "shown" if shown else "not shown"


def _ends(measure: Measure, interval: Interval, *, exact: bool, signed: bool = False) -> list[str]:
    """Return both ends in a cell each, or in one cell; nothing where there is no interval."""
    ends = (interval.low, interval.high)
    if exact:
        return ["" if isnan(end) else format_score(measure, end, exact=True) for end in ends]
    if isnan(interval.low):
        return ["-"]
    low, high = (format_score(measure, round(end, 12) + 0.0, signed=signed) for end in ends)
    return [f"[{low}, {high}]"]


def _share(share: float, *, exact: bool) -> str:
    if isnan(share):
        return "" if exact else "-"
    return format_decimal(share, exact=True) if exact else f"{share:.1%}"


def _counts(found: JudgingNoise) -> str:
    shown = sum(one.shown for one in found.differences)
    kept = sum(one.shown_with_judges for one in found.differences)
    return (
        f"of {counted(len(found.differences), 'comparison')}, {shown} shown over queries, {kept} "
        "with judging noise as well"
    )
