"""A/B tests in words: who took part, what is claimed, guardrails, and what it would take."""

from __future__ import annotations

import json
from dataclasses import replace
from math import isfinite
from typing import Any

from cleverdon.errors import check_word
from cleverdon.online.abtest import ABTest, Claim, Effect, Guardrail, claims, doubts
from cleverdon.online.days import as_time
from cleverdon.online.metrics.base import Ratio
from cleverdon.show.abtest_records import (
    effects_grid,
    gap,
    left_out,
    planning_grid,
    ratio_sentence,
    record,
    record_of,
)
from cleverdon.show.claims import corrected_for, doubt_line
from cleverdon.show.grid import FORMATS as TABLES
from cleverdon.show.grid import laid_out, printable
from cleverdon.show.numbers import p_value, two_digits
from cleverdon.show.observed import about_bots, written

FORMATS = ("text", *TABLES)

_VERBS = {
    "better": "beats",
    "worse": "is worse than",
    "higher": "is higher than",
    "lower": "is lower than",
    "not shown": "is not shown to differ from",
}


def render(test: ABTest, format: str = "text", **terminal: Any) -> str:
    """All of a test, in words or in one of the formats of tables."""
    check_word("format", format, FORMATS)
    if format == "json":
        return json.dumps(_as_json(test), indent=1, ensure_ascii=False)
    if format != "text":
        return laid_out(effects_grid(test, exact=format in ("csv", "tsv")), format, **terminal)
    parts = ["\n".join([*heading(test), *about_bots(test.stages.log)])]
    if test.trusted:
        parts += ["\n\n".join(sentence(claim) for claim in claims(test))]
        parts += ["\n".join(guardrail_sentence(one, test) for one in test.guardrails)]
    else:
        # The heading has said already what the table's footnote would.
        grid = replace(effects_grid(test), footnotes=[])
        parts += [laid_out(grid, "table", **terminal)]
    parts += ["\n".join([*not_tested(test), *_not_compared(test)])]
    if test.trusted and any(one.planning is not None for one in test.effects):
        parts += [laid_out(planning_grid(test), "table", **terminal)]
    raised = doubts(test)
    if raised:
        parts += ["\n".join(["Before you believe it:", *map(doubt_line, raised)])]
    return "\n\n".join(part.rstrip() for part in parts if part)


def heading(test: ABTest) -> list[str]:
    """Who took part, and first of all whether they were split as they should be."""
    who = test.participants
    users = ", ".join(f"{printable(name)} {count:,}" for name, count in who.users.items())
    first, last = as_time(who.start), as_time(who.end - 1)
    lines = [
        f"{who.counted(who.total)} took part ({users}), from {first} to {last} UTC, "
        f"{who.days:.1f} days; {printable(test.control)} is the control."
    ]
    return [*lines, *left_out(test), ratio_sentence(test), *test.notes]


def sentence(claim: Claim) -> str:
    """One claim as a sentence, with what it rests on; a second says what would be needed."""
    effect, metric = claim.effect, claim.effect.metric
    names = f"{printable(effect.variant)} {_VERBS[claim.verdict]} {printable(effect.control)}"
    assert effect.difference is not None
    if claim.shown:
        how_much = f" by {size(metric, abs(effect.difference))}{_in_words(effect)}"
    else:
        how_much = f": {size(metric, effect.difference, signed=True)}"
    return f"{names} on {metric}{how_much} ({_basis(claim)}).{_needed(claim)}"


def _in_words(effect: Effect) -> str:
    """`: a smaller share of sessions without a click`; a mean needs no words."""
    if effect.metric.kind != "share" or not effect.difference:
        return ""
    larger = "larger" if effect.difference > 0 else "smaller"
    return f": a {larger} share of {effect.metric.counted}"


def size(metric: Ratio, difference: float, *, signed: bool = False) -> str:
    """A difference of two values: of shares in percentage points, of means in their unit.

    >>> from cleverdon.online.metrics import find
    >>> size(find("Abandonment"), -0.0417, signed=True), size(find("Latency"), 3.2)
    ('-4.17 points', '3.200 ms')
    """
    sign = "+" if signed and difference > 0 else ""
    unit = "points" if metric.kind == "share" else metric.measured_in
    return f"{sign}{gap(metric, difference)} {unit}".rstrip()


def _basis(claim: Claim) -> str:
    effect, test = claim.effect, claim.test
    assert effect.low is not None
    assert effect.high is not None
    assert effect.corrected is not None
    ends = f"{gap(effect.metric, effect.low)} to {size(effect.metric, effect.high)}"
    inside = effect.low <= 0 <= effect.high
    # Else one would wonder how an interval without 0 goes with a large p-value.
    alone = ", not corrected" if not claim.shown and not inside else ""
    parts = [_values(effect), f"{_interval_name(test)} {ends}{alone}"]
    name = "always-valid" if test.sequential else f"t test over {test.participants.unit}s"
    p = p_value(effect.corrected, level=test.level)
    parts.append(f"{name} {p}, {corrected_for(test.correction, test.family)}")
    if effect.adjustment is not None and effect.adjustment.removed >= 0.005:
        parts.append(f"{effect.adjustment.removed:.0%} of the variance taken out by CUPED")
    return "; ".join(parts)


def _interval_name(test: ABTest) -> str:
    return f"{1 - test.level:.0%} {'confidence sequence' if test.sequential else 'CI'}"


def _values(effect: Effect) -> str:
    """`42.65% to 38.48% of 2,567 and 2,722 sessions, -9.8%, lower is better`."""
    assert effect.sides is not None
    old, new = effect.sides
    metric = effect.metric
    of = "of" if metric.kind == "share" else "over"
    text = f"{written(metric, old.value)} to {written(metric, new.value)} {of} "
    text += f"{old.denominator:,.0f} and {new.denominator:,.0f} {metric.over}"
    if effect.relative is not None:
        text += f", {effect.relative:+.1%}"
    return text + (", lower is better" if metric.better == "lower" else "")


def _needed(claim: Claim) -> str:
    """What it would take to show the difference."""
    needed = claim.users_needed
    if claim.shown:
        return ""
    if not claim.effect.difference:
        return " There is no difference to show."
    if needed is None or not isfinite(needed):
        return ""
    return (
        f" If it is truly as large as this, some {two_digits(needed):,} "
        f"{claim.test.participants.unit}s would show it with a power of {claim.test.power:.0%}."
    )


def guardrail_sentence(guard: Guardrail, test: ABTest) -> str:
    """Whether a guardrail is kept, as a sentence."""
    effect, margin = guard.effect, f"{100 * guard.margin:.3g}%"
    variant, control = printable(effect.variant), printable(effect.control)
    if guard.p is None or guard.p_beyond is None:
        return f"Guardrail {effect.metric}: not tested for {variant}, since {_why(effect)}."
    said = {
        ("kept", "better"): f"kept, {variant} is better than {control}",
        ("kept", "not shown"): f"kept, {variant} is less than {margin} worse than {control}, "
        "if it is worse at all",
        ("kept", "worse"): f"kept, {variant} is worse than {control}, by less than {margin}",
        ("open", "worse"): f"{variant} is worse than {control}, and not shown to be so by less "
        f"than {margin}",
        ("open", "not shown"): f"{variant} is not shown to be less than {margin} worse than "
        f"{control}",
        ("open", "better"): f"{variant} seems better than {control}, yet is not shown to be less "
        f"than {margin} worse",
    }.get(
        (guard.verdict, guard.change),
        f"BROKEN, {variant} is more than {margin} worse than {control}",
    )
    p = p_value(guard.p_beyond if guard.verdict == "broken" else guard.p)
    sided = "always-valid" if test.sequential else "one-sided"
    parts = [_values(effect)]
    if effect.relative_low is not None and effect.relative_high is not None:
        ends = f"{effect.relative_low:+.1%} to {effect.relative_high:+.1%}"
        parts.append(f"{_interval_name(test)} {ends}")
    return f"Guardrail {effect.metric}: {said} ({'; '.join([*parts, f'{sided} {p}'])})."


def _why(effect: Effect) -> str:
    return effect.untested or f"{printable(effect.control)} has a value of 0"


def not_tested(test: ABTest) -> list[str]:
    """The effects of which nothing can be said, and why, a sentence each."""
    return [
        f"{one.metric} is not tested for {printable(one.variant)}: {one.untested}."
        for one in test.effects
        if one.p is None
    ]


def _not_compared(test: ABTest) -> list[str]:
    return [
        f"{name} is not compared: the log does not have {', '.join(columns)}."
        for name, columns in test.missing.items()
    ]


def _as_json(test: ABTest) -> dict[str, Any]:
    from dataclasses import asdict

    said = {id(claim.effect): claim for claim in claims(test)}
    return {
        **record(test),
        "effects": [
            {
                "text": sentence(said[id(one)]) if id(one) in said else None,
                "verdict": said[id(one)].verdict if id(one) in said else None,
                **record_of(one),
            }
            for one in test.effects
        ],
        "guardrails": [
            {
                "text": guardrail_sentence(one, test) if test.trusted else None,
                "verdict": one.verdict if test.trusted else None,
                "change": one.change if test.trusted else None,
                "margin": one.margin,
                "p_kept": one.p,
                "p_broken": one.p_beyond,
                **record_of(one.effect),
            }
            for one in test.guardrails
        ],
        "doubts": [asdict(doubt) for doubt in doubts(test)],
    }
