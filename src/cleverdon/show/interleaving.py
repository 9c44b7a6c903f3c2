"""What an interleaving experiment says, in words and numbers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from math import isfinite, isnan
from typing import Any

from cleverdon.arrays import plain, plain_record
from cleverdon.compare.intervals import Interval
from cleverdon.errors import check_word
from cleverdon.online.interleaving import Credits, Power, Preference, find
from cleverdon.online.interleaving.preference import Votes
from cleverdon.online.log import LeftOut
from cleverdon.show.grid import Grid, counted, laid_out, printable
from cleverdon.show.numbers import decimal, p_value, two_digits

FORMATS = ("text", "json")
DIGITS = 3

_OF = {"sign": "queries won", "t": "credit"}
"""What the size of a preference is measured by, where a test looks at it."""
_TESTS = {"sign": "sign test", "t": "t test"}
_PLURAL = {"user": "users", "query": "queries"}
_VERBS = {
    "better": "beats",
    "worse": "is worse than",
    "not shown": "is not shown to differ from",
}


def render(
    found: Preference,
    power: Power,
    credits: Credits,
    format: str = "text",
    *,
    without_bots: LeftOut | None = None,
) -> str:
    """The claim, the counts that it rests on, and what speaks against it."""
    check_word("format", format, FORMATS)
    if format == "json":
        record = _record(found, power, credits)
        record["without_bots"] = without_bots and asdict(without_bots)
        return json.dumps(record, indent=1, ensure_ascii=False)
    lines = [sentence(found, power), "", _table(found), "", power_sentence(power)]
    if without_bots is not None:
        lines += ["", str(without_bots)]
    raised = list(doubts(found, credits))
    if raised:
        lines += ["", "Before you believe it:", *(f"- {doubt}" for doubt in raised)]
    return "\n".join(lines)


def sentence(found: Preference, power: Power) -> str:
    """What may be said of A against B, with what it rests on, as a sentence."""
    names = f"{printable(found.a)} {_VERBS[found.verdict]} {printable(found.b)}"
    if isnan(found.delta):
        return f"{names}: no result page has a click that counts."
    value = found.delta if found.test == "sign" else found.credit
    shown = found.verdict != "not shown"
    size = f" by {abs(value):.{DIGITS}f}" if shown else f": {value:+.{DIGITS}f}"
    return f"{names} on {_OF[found.test]}{size} ({_basis(found)}).{_needed(found, power)}"


def _basis(found: Preference) -> str:
    interval = found.interval if found.test == "sign" else found.credit_interval
    parts = [] if isnan(interval.low) else [f"{interval.confidence:.0%} CI {_ends(interval)}"]
    units, unit = found.units, counted(found.units.all, found.unit)
    test = f"{_TESTS[found.test]} {p_value(found.p.p, level=found.level)}"
    votes = f"{unit} with clicks: {units.a:,} for, {units.even:,} even, {units.b:,} against"
    return "; ".join([*parts, test, votes])


def _ends(interval: Interval) -> str:
    return f"{interval.low:.{DIGITS}f} to {interval.high:.{DIGITS}f}"


def _needed(found: Preference, power: Power) -> str:
    """What it would take to show what was seen; nothing where another size was asked about."""
    seen = abs(found.units.delta if found.test == "sign" else found.credit)
    if found.verdict != "not shown" or power.size != seen or isnan(power.units_needed):
        return ""
    if seen == 0:
        return " There is no preference to show."
    # What was not shown takes more than there are, whatever the estimate says.
    needed = two_digits(max(power.units_needed, found.units.all + 1))
    return (
        f" If it is truly as large as this, some {needed:,} {_PLURAL[found.unit]} with clicks "
        f"would show it with a power of {power.target:.0%}."
    )


def power_sentence(power: Power) -> str:
    """What the experiment could have shown, and what the preference in question takes."""
    units = _PLURAL[power.unit]
    of = f"{units} won" if power.test == "sign" else _OF[power.test]
    if isnan(power.smallest):
        parts = [f"These are too few {units} to show any preference"]
    else:
        parts = [
            f"These {units} show a preference of {power.smallest:.{DIGITS}f} on {of} with a power "
            f"of {power.target:.0%}"
        ]
    if isfinite(power.units_needed):
        parts.append(
            f"one of {power.size:.{DIGITS}f} has a power of {power.power:.0%}, and takes "
            f"{int(power.units_needed):,} {units} with clicks for {power.target:.0%}, or some "
            f"{two_digits(power.impressions_needed):,} result pages"
        )
    elif isnan(power.units_needed) and not isnan(power.smallest):
        parts.append(f"with so many ties, there can be none of {power.size:.{DIGITS}f}")
    return "; ".join(parts) + "."


def doubts(found: Preference, credits: Credits) -> Iterator[str]:
    """What speaks against believing it, a sentence each."""
    for name in found.methods:
        if doubt := find(name).doubt:
            yield f"{doubt}."
    if len(found.methods) > 1:
        mixed = ", ".join(f"{name} {count:,}" for name, count in found.methods.items())
        yield f"records of several methods are taken together: {mixed}."
    if found.test == "sign" and not credits.fair_by_wins:
        yield (
            "by these methods users who click at random may let one ranking win more queries; what "
            "is fair is the mean credit, which the t test looks at."
        )
    if found.delta * found.credit < 0:
        yield (
            f"queries won ({found.delta:+.{DIGITS}f}) and credit ({found.credit:+.{DIGITS}f}) "
            "point different ways: whoever wins fewer queries wins them by more."
        )
    known = sum(query.user is not None for query in credits.queries if query.clicks)
    if found.unit == "user" and known < found.queries.all:
        unknown = found.queries.all - known
        one = unknown == 1
        yield (
            f"{counted(unknown, 'query')} with clicks {'has' if one else 'have'} no user, and "
            f"{'counts as a user of its own' if one else 'count as users of their own'}."
        )
    if found.unit == "query":
        are = "are" if credits.users > 1 else "is"
        reason = f"{counted(credits.users, 'user') if credits.users else 'no user'} {are} known"
        yield (
            f"queries count as independent ({reason}); those of one user are not, and p is too "
            "small where users ask many."
        )
    yield from _lost(credits)


def _lost(credits: Credits) -> Iterator[str]:
    """Clicks and records that did not find each other."""
    if credits.not_shown:
        yield (
            f"{counted(credits.not_shown, 'click')} on documents that the page's record does not "
            "have: is the record of what was shown?"
        )
    if credits.without_record:
        yield (
            f"left out: {counted(credits.without_record, 'click')} of "
            f"{counted(credits.queries_without_record, 'query')} without a record."
        )
    if credits.without_doc:
        yield f"left out: {counted(credits.without_doc, 'click')} with no document named."
    if credits.below:
        yield f"left out: {counted(credits.below, 'click')} below the places that are interleaved."
    if credits.not_logged:
        yield (
            f"{counted(credits.not_logged, 'record')} of queries that the log does not have: does "
            "it cover the whole experiment?"
        )


def _table(found: Preference) -> str:
    header = ["", f"for {printable(found.a)}", f"for {printable(found.b)}", "even", "no click"]
    rows = [["queries", *_cells(found.queries), f"{found.not_clicked:,}"]]
    if found.unit == "user":
        rows.append(["users", *_cells(found.units), ""])
    a, b = printable(found.a), printable(found.b)
    notes = [
        f"queries won, delta: {_value(found.delta, found.interval)}; (for {a} - for {b}) / (2 * "
        "queries with clicks)",
        f"credit: {_value(found.credit, found.credit_interval)}; the mean of {a}'s less {b}'s, by "
        f"{', '.join(found.methods) or 'no'} interleaving",
    ]
    return laid_out(Grid(header, rows, 1, [], notes), "table")


def _value(value: float, interval: Interval) -> str:
    shown = decimal(value, digits=DIGITS, signed=True)
    if isnan(interval.low):
        return shown
    return f"{shown} ({interval.confidence:.0%} CI {_ends(interval)})"


def _cells(votes: Votes) -> list[str]:
    return [f"{count:,}" for count in (votes.a, votes.b, votes.even)]


def _record(found: Preference, power: Power, credits: Credits) -> dict[str, Any]:
    """JSON knows neither NaN nor infinity."""
    clicks = asdict(credits)
    del clicks["queries"], clicks["methods"]
    return {
        "text": sentence(found, power),
        "verdict": found.verdict,
        "delta": plain(found.delta),
        **plain_record(asdict(found)),
        "clicks": clicks,
        "power": plain_record(asdict(power)),
        "doubts": list(doubts(found, credits)),
    }
