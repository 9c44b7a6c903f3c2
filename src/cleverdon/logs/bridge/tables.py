"""Tables and sentences about judgments and traffic."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import isnan
from typing import TYPE_CHECKING

from cleverdon._common.text import counted, printable
from cleverdon.logs.tables import format_significant
from cleverdon.score_tables import format_score
from cleverdon.stats.intervals import Estimate, Interval
from cleverdon.tables.numbers import format_decimal
from cleverdon.tables.sections import Section, count_format
from cleverdon.tables.table import TextTable

if TYPE_CHECKING:
    from cleverdon.logs.bridge.analysis import Correlation, Weighting
    from cleverdon.logs.bridge.traffic import Coverage, JudgingCandidates

FEW_QUERIES = 10
"""With fewer queries than this, a correlation says nothing."""


def _correlation_sentences(correlations: Sequence[Correlation]) -> list[str]:
    told: list[str] = []
    for one in correlations:
        told += [*_correlation_basis(one), *_agreement(one)]
    if any(not one.few for one in correlations):
        told.append("Correlation is not causation.")
    return list(dict.fromkeys(told))


def _correlation_basis(one: Correlation) -> list[str]:
    metric = one.metric
    as_sessions = metric.unit == "sessions"
    over = "searches" if as_sessions else metric.over
    told = [
        f"Over {counted(len(one.points), 'judged query')} with at least {one.least} {over} for "
        f"{metric}, as ranked by {printable(one.system)}."
    ]
    if one.seldom:
        told.append(f"Left out because they have fewer: {counted(one.seldom, 'judged query')}.")
    if one.undefined:
        told.append(
            f"Left out because {one.measure} is undefined: "
            f"{counted(one.undefined, 'judged query')}."
        )
    if as_sessions:
        told.append(f"{metric} is computed over searches here, not over sessions.")
    return told


def _agreement(one: Correlation) -> list[str]:
    both = f"{one.measure} and {one.metric}"
    if one.few:
        return [f"Fewer than {FEW_QUERIES} queries: the coefficients of {both} say nothing."]
    if isnan(one.kendall.value):
        return [f"{both}: one of them has the same value for all queries, so nothing can be said."]
    if one.expected == 0:
        return []
    sign = "positive" if one.expected > 0 else "negative"
    agree = f"{both} agree if the correlation is {sign}"
    ends = [end * one.expected for end in (one.kendall.interval.low, one.kendall.interval.high)]
    outcome = "; this remains open, because the interval of Kendall's tau contains 0."
    if isnan(ends[0]):
        outcome = "; it has no interval."
    elif min(ends) > 0:
        outcome = "; the interval of Kendall's tau shows that it is."
    elif max(ends) < 0:
        outcome = "; the interval of Kendall's tau shows that it is not."
    return [agree + outcome]


_SHOWN = 12  # the largest number of queries named in a sentence


def coverage_table(covered: Coverage, *, exact: bool = False, top: int | None = None) -> TextTable:
    """Return the judged queries with most traffic; the footnote summarises all of them."""
    number = str if exact else format_significant
    share = partial(_share, exact=exact)
    rows = [
        [
            printable(one.query),
            printable(one.text),
            number(one.asked),
            share(one.asked, covered.totals.asked),
            count_format(exact=exact)(one.users),
            "-" if one.failing is None else share(one.failing, one.asked),
        ]
        for one in covered.asked[:top]
    ]
    header = ["judged query", "text", "asked", "of all", "users", "failing"]
    return TextTable(header, rows, 2, [], _paragraph(_on_coverage(covered, shown=len(rows))))


def _on_coverage(covered: Coverage, *, shown: int) -> list[str]:
    totals = covered.totals
    lines = [
        f"{len(covered.asked):,} of {counted(len(covered.queries), 'judged query')} were asked: "
        f"{_share(covered.covered, totals.asked)} of all searches ({covered.covered:,} of "
        f"{totals.asked:,}, with {totals.texts:,} different texts)."
    ]
    if len(covered.asked) > shown:
        lines.append(f"The {shown} most frequent are listed.")
    if covered.never_asked:
        lines.append(f"Never asked: {_named([one.query for one in covered.never_asked])}.")
    if covered.without_text:
        lines.append(f"Judged, but without a text: {_named(covered.without_text)}.")
    for group in covered.shared[:3]:
        lines.append(
            f"{' and '.join(map(printable, group))} have the same text and share its traffic "
            "equally."
        )
    if len(covered.shared) > 3:
        lines.append(f"So do {len(covered.shared) - 3} further groups of queries.")
    if totals.without_text:
        lines.append(f"Searches without a text, not counted: {totals.without_text:,}.")
    return lines


def candidates_table(found: JudgingCandidates, *, exact: bool = False) -> TextTable:
    kinds, count = found.kinds, count_format(exact=exact)
    number = str if exact else format_significant
    rows = [
        [
            printable(one.text),
            printable(one.query),
            ", ".join(map(_word, one.reasons)) or "traffic",
            number(one.priority),
            count(one.asked),
            count(one.users),
            *([count(one.failing)] if one.failing is not None else []),
            *(count(one.failures[kind]) for kind in kinds),
        ]
        for one in found.candidates
    ]
    counts = ["failing", *map(_word, kinds)] if kinds else []
    header = ["to judge next", "id", "why", "priority", "asked", "users", *counts]
    return TextTable(header, rows, 3, [], _paragraph(_on_judging(found)))


def _on_judging(found: JudgingCandidates) -> list[str]:
    listed = len(found.candidates)
    lines = [
        f"{counted(found.unjudged_texts, 'query')} without judgments were asked "
        f"{found.unjudged_asked:,} times; {listed:,} "
        f"{'is' if listed == 1 else 'are'} listed."
    ]
    if found.rare_texts:
        lines.append(
            f"{found.rare_texts:,} of them, asked {found.rare_asked:,} times, have fewer than "
            f"{found.least_users} users and are never listed, because a rare query may identify "
            "its user."
        )
    if found.kinds:
        lines.append(
            f"Priority: searches that failed, plus {found.well:g} times those that went well."
        )
        told = "; ".join(f"{_word(kind)}: {meaning}" for kind, meaning in found.kinds.items())
        lines.append(
            f"A search fails in one of these ways ({told}); as a reason for judging, the "
            "query fails in this way more often than average."
        )
    else:
        lines.append("Priority: how often it was asked.")
    for kind, lacks in found.unknown.items():
        lines.append(f"Not known: {_word(kind)}; the log lacks {', '.join(lacks)}.")
    if found.stemmed:
        lines.append("Texts are compared and shown by their stems.")
    return lines


def means_table(weighting: Weighting, *, exact: bool = False) -> TextTable:
    """Return the means of every run, unweighted and weighted by traffic."""
    confidence = weighting.means[0].interval.confidence
    header = ["run", "measure", "mean over queries", "by traffic"]
    header += [*_ends_header(confidence, exact=exact), "difference"]
    header += [f"difference {name}" if exact else name for name in _ends_header(confidence, exact)]
    rows = [
        [
            printable(one.system),
            str(one.measure),
            format_score(one.measure, one.mean, exact=exact),
            format_score(one.measure, one.weighted, exact=exact),
            *_ends(one.interval, exact=exact),
            format_score(one.measure, one.difference, signed=not exact, exact=exact),
            *_ends(one.difference_interval, signed=True, exact=exact),
        ]
        for one in weighting.means
    ]
    notes = [
        f"Weighted by traffic, the {weighting.queries:,} queries count as "
        f"{weighting.effective:.1f} queries of equal weight; {weighting.with_traffic:,} have "
        f"traffic, and query {printable(weighting.largest)} alone has "
        f"{weighting.largest_share:.1%} of it."
    ]
    if weighting.few:
        notes.append(
            "Warning: a few queries have most of the weight, so means by traffic describe only "
            "those few."
        )
    how = {
        "t": "Student's, from leaving out one query at a time, with as many degrees of freedom as "
        "there are queries of equal weight less one",
        "percentile": "percentiles of a bootstrap that draws queries with their traffic",
    }
    several = ", not adjusted for their number" if len(weighting.means) > 1 else ""
    notes.append(f"Intervals are {how[weighting.method]}{several}.")
    return TextTable(header, rows, 2, [], _paragraph(notes))


def differences_table(weighting: Weighting, *, exact: bool = False) -> TextTable:
    """Return the difference of each run from the first, unweighted and weighted by traffic."""
    confidence = weighting.means[0].interval.confidence
    header = ["run", "against", "measure", "by queries", "by traffic"]
    rows = [
        [
            printable(one.system),
            printable(one.against),
            str(one.measure),
            format_score(one.measure, one.difference, signed=not exact, exact=exact),
            format_score(one.measure, one.weighted, signed=not exact, exact=exact),
            *_ends(one.interval, signed=True, exact=exact),
        ]
        for one in weighting.differences
    ]
    header += _ends_header(confidence, exact)
    notes = [
        f"Weighting by traffic reverses the order of {printable(one.system)} and "
        f"{printable(one.against)} by {one.measure}."
        for one in weighting.differences
        if one.turned
    ]
    return TextTable(header, rows, 3, [], _paragraph(notes))


def correlations_section(correlations: Sequence[Correlation], *, exact: bool = False) -> Section:
    """Return the coefficients of correlation over queries, and how to read them."""
    confidence = correlations[0].kendall.interval.confidence
    header = ["measure", "metric", "coefficient", "value", *_ends_header(confidence, exact)]
    rows = []
    for one in correlations:
        for name, heading in _HEADINGS.items():
            of: Estimate = getattr(one, name)
            value = format_decimal(of.value, signed=not exact, exact=exact)
            ends = _ends(of.interval, signed=True, exact=exact)
            rows.append([str(one.measure), str(one.metric), heading, value, *ends])
    several = ["Intervals are not adjusted for their number."] if len(correlations) > 1 else []
    notes = _paragraph([*_correlation_sentences(correlations), *several])
    return Section("correlation", TextTable(header, rows, 3, [], notes), titled=False)


_HEADINGS = {"kendall": "Kendall's tau", "spearman": "Spearman's rho", "pearson": "Pearson's r"}


def interval_ends(interval: Interval) -> tuple[float, float]:
    return interval.low, interval.high


def _ends_header(confidence: float, exact: bool) -> list[str]:
    return ["low", "high"] if exact else [f"{confidence:.0%} interval"]


def _ends(interval: Interval, *, signed: bool = False, exact: bool = False) -> list[str]:
    ends = (interval.low, interval.high)
    if exact:
        return [format_decimal(end, exact=True) for end in ends]
    low, high = (format_decimal(end, signed=signed) for end in ends)
    return [f"{low} to {high}" if low != "-" else "-"]


def _share(part: float, whole: float, *, exact: bool = False) -> str:
    if not whole:
        return "" if exact else "-"
    return str(part / whole) if exact else f"{part / whole:.1%}"


def _named(queries: Sequence[str]) -> str:
    named = ", ".join(map(printable, queries[:_SHOWN]))
    return named + (f" and {len(queries) - _SHOWN:,} more" if len(queries) > _SHOWN else "")


def _word(kind: str) -> str:
    return kind.replace("_", " ")


def _paragraph(sentences: Sequence[str]) -> list[str]:
    return [" ".join(sentences)] if sentences else []
