"""Sentences and tables about an A/B test."""

from __future__ import annotations

from dataclasses import replace
from math import floor, inf, isfinite, log10
from typing import TYPE_CHECKING, Any

from cleverdon._common.text import counted, printable
from cleverdon.comparison.claims import correction_text, doubt_line
from cleverdon.logs.calendar import as_time
from cleverdon.logs.metrics.base import Ratio
from cleverdon.logs.tables import about_bots, format_significant, format_value
from cleverdon.tables.numbers import format_p_value, round_up_to_two_digits
from cleverdon.tables.table import TextTable, render_table

if TYPE_CHECKING:
    from cleverdon.logs.abtest.results import ABTest, Claim, Effect, Guardrail

_LONGEST_DAYS = 365  # longer estimates are not reliable
VERBS = {
    "better": "beats",
    "worse": "is worse than",
    "higher": "is higher than",
    "lower": "is lower than",
    "not shown": "is not shown to differ from",
}
"""The verdicts of claims in words."""


def effects_table(test: ABTest, *, exact: bool = False) -> TextTable:
    """Return a row for each effect, then for each guardrail, which has p-values of its own."""
    p_value = _format_exact if exact else _format_p
    ends = ["low", "high"] if exact else [f"{1 - test.level:.0%} interval"]
    header = ["variant", "control", "metric", "control value", "variant value", "difference", *ends]
    header += ["relative", "p", "corrected"]
    own = ["margin", "p within", "p beyond"][: 3 if exact else 2 if test.guardrails else 0]
    rows = []
    for one in test.effects:
        ps = [p_value(one.p), p_value(one.corrected)]
        verdict = "not tested" if one.p is None else one.verdict(test.level)
        rows.append([*_value_cells(one, exact=exact), *ps, *[""] * len(own), verdict])
    for guard in test.guardrails:
        margin = repr(guard.margin) if exact else _percent(guard.margin)
        ps = [margin, p_value(guard.p), p_value(guard.p_beyond)][: len(own)]
        outcome = f"guardrail {'not tested' if guard.p is None else guard.verdict}"
        rows.append([*_value_cells(guard.effect, exact=exact), "", "", *ps, outcome])
    if not test.trusted:
        rows = [[*row[:-1], "not trusted"] for row in rows]
    header += [*own, "verdict"]
    if exact:
        notes = " ".join([*_left_out_sentence(test), *test.notes])
        header = [name.replace(" ", "_") for name in (*header, "notes")]
        return TextTable(header, [[*row, notes] for row in rows], 3, [])
    return TextTable(header, rows, 3, [], _footnotes(test))


def _left_out_sentence(test: ABTest) -> list[str]:
    """Return at most one sentence about users and pages that are left out."""
    who = test.participants
    found = []
    if who.contaminated:
        found.append(f"{who.counted(who.contaminated)} who saw more than one variant")
    if who.unassigned:
        found.append(f"{who.counted(who.unassigned)} without a known variant")
    if who.anonymous:
        found.append(f"{counted(who.anonymous, 'result page')} without a {who.unit}")
    return [f"Left out: {'; '.join(found)}."] if found else []


def _percent(share: float) -> str:
    return f"{100 * share:.3g}%"


def _footnotes(test: ABTest) -> list[str]:
    over = f"t test over {test.participants.unit}s"
    notes = ["differences of shares are in percentage points"]
    if test.family:
        name = "always valid" if test.sequential else f"two-sided {over}"
        notes[0] += f"; p: {name}, {correction_text(test.correction, test.family)}"
    if test.guardrails:
        name = "always valid" if test.sequential else f"one-sided {over}"
        notes.append(
            f"p within: of guardrails, small if the variant is shown to be within the margin; "
            f"{name}, not corrected"
        )
    notes += [*_left_out_sentence(test), *test.notes, *about_bots(test.tables.log)]
    return notes if test.ratio.verdict == "as expected" else [ratio_sentence(test), *notes]


def ratio_sentence(test: ABTest) -> str:
    ratio = test.ratio
    p = f"{ratio.test} {format_p_value(ratio.p)}"
    if ratio.verdict == "as expected":
        return f"They are split as expected ({p})."
    found = ", ".join(f"{printable(name)} {count:,}" for name, count in ratio.users.items())
    expected = ", ".join(
        f"{printable(name)} {format_significant(n)}" for name, n in ratio.expected.items()
    )
    if ratio.verdict == "doubtful":
        return (
            f"DOUBTFUL: their split is unusual. There are {found}; expected were {expected} "
            f"({p}): chance gives a split as uneven as this in one of "
            f"{round(1 / ratio.p):,} experiments. Check how {test.participants.unit}s are "
            "assigned and logged before you rely on the results."
        )
    return (
        f"NOT TO BE TRUSTED: they are not split as expected. There are {found}; expected were "
        f"{expected} ({p}). The reason why {test.participants.unit}s are missing may have changed "
        "the metrics as well, so nothing is claimed."
    )


def _value_cells(effect: Effect, *, exact: bool) -> list[str]:
    """Return the cells with names, values, the difference and its interval."""
    names = [printable(effect.variant), printable(effect.control), str(effect.metric)]
    metric, sides = effect.metric, effect.sides
    values = [None, None] if sides is None else [side.value for side in sides]
    ends = (effect.low, effect.high)
    if exact:
        numbers = (*values, effect.difference, *ends, effect.relative)
        return [*names, *map(_format_exact, numbers)]
    differences = [_format_difference(metric, one) for one in (effect.difference, *ends)]
    return [
        *names,
        *(format_value(metric, value) for value in values),
        differences[0],
        "-" if None in ends else f"{differences[1]} to {differences[2]}",
        "-" if effect.relative is None else f"{effect.relative:+.1%}",
    ]


def _format_difference(metric: Ratio, difference: float | None) -> str:
    """Write a difference without its unit; for shares, in percentage points."""
    if difference is None:
        return "-"
    if metric.kind != "share":
        return format_significant(difference)
    points = 100 * difference
    few = 0 < abs(points) < 0.1
    return f"{points:.{min(1 - floor(log10(abs(points))), 9) if few else 2}f}"


def _format_exact(number: float | None) -> str:
    return "" if number is None else repr(number)


def _format_p(p: float | None) -> str:
    return "-" if p is None else f"{p:.3f}" if p >= 0.001 else f"{p:.1g}"


def planning_table(test: ABTest) -> TextTable:
    """Return the differences that the test can detect, and the users and days needed."""
    unit, wanted = test.participants.unit, _percent(test.wanted)
    rows = [
        [
            printable(one.variant),
            str(one.metric),
            "-" if plan.smallest is None else f"{plan.smallest:.1%}",
            _needed_cell(plan.users_needed, most=inf, beyond="none suffice"),
            _needed_cell(plan.days_needed, most=_LONGEST_DAYS, beyond="over a year"),
        ]
        for one in test.effects
        if (plan := one.planning) is not None
    ]
    header = ["variant", "metric", "smallest", f"{unit}s for {wanted}", f"days for {wanted}"]
    notes = [
        f"smallest: the smallest relative difference that these {unit}s show with a power of "
        f"{test.power:.0%}, p <= {test.level_of_each:.2g}",
        f"{unit}s, days: needed to detect a relative difference of {wanted}, over all variants and "
        f"from the start; there are {test.participants.total:,} after "
        f"{test.participants.days:.1f} days, and new ones become rarer at the same rate",
    ]
    return TextTable(header, rows, 2, [], notes)


def _needed_cell(needed: float | None, *, most: float, beyond: str) -> str:
    if needed is None:
        return "-"
    possible = needed <= most and isfinite(needed)
    return f"{round_up_to_two_digits(needed):,}" if possible else beyond


def abtest_text(test: ABTest, **terminal: Any) -> str:
    parts = ["\n".join([*participants_text(test), *about_bots(test.tables.log)])]
    if test.trusted:
        parts += ["\n\n".join(_claim_sentence(claim) for claim in test.claims())]
        parts += ["\n".join(_guardrail_sentence(one, test) for one in test.guardrails)]
    else:
        # The heading says the same as the table's footnote.
        grid = replace(effects_table(test), footnotes=[])
        parts += [render_table(grid, "table", **terminal)]
    parts += ["\n".join([*untested_sentences(test), *_not_compared(test)])]
    if test.trusted and any(one.planning is not None for one in test.effects):
        parts += [render_table(planning_table(test), "table", **terminal)]
    raised = test.doubts()
    if raised:
        parts += ["\n".join(["Before you believe it:", *map(doubt_line, raised)])]
    return "\n\n".join(part.rstrip() for part in parts if part)


def participants_text(test: ABTest) -> list[str]:
    who = test.participants
    users = ", ".join(f"{printable(name)} {count:,}" for name, count in who.users.items())
    first, last = as_time(who.start), as_time(who.end - 1)
    lines = [
        f"{who.counted(who.total)} took part ({users}), from {first} to {last} UTC, "
        f"{who.days:.1f} days; {printable(test.control)} is the control."
    ]
    return [*lines, *_left_out_sentence(test), ratio_sentence(test), *test.notes]


def claim_record(claim: Claim) -> dict[str, Any]:
    return {"text": _claim_sentence(claim), "verdict": claim.verdict}


def _claim_sentence(claim: Claim) -> str:
    """Write a claim with its evidence, and the users needed if nothing is shown."""
    effect, metric = claim.effect, claim.effect.metric
    names = f"{printable(effect.variant)} {VERBS[claim.verdict]} {printable(effect.control)}"
    assert effect.difference is not None
    if claim.shown:
        how_much = f" by {_difference_text(metric, abs(effect.difference))}"
        if metric.kind == "share":
            larger = "larger" if effect.difference > 0 else "smaller"
            how_much += f": a {larger} share of {metric.counted}"
    else:
        how_much = f": {_difference_text(metric, effect.difference, signed=True)}"
    return f"{names} on {metric}{how_much} ({_basis(claim)}).{_needed(claim)}"


def _difference_text(metric: Ratio, difference: float, *, signed: bool = False) -> str:
    """Write a difference with its unit; for shares, percentage points."""
    sign = "+" if signed and difference > 0 else ""
    unit = "points" if metric.kind == "share" else metric.measured_in
    return f"{sign}{_format_difference(metric, difference)} {unit}".rstrip()


def _basis(claim: Claim) -> str:
    effect, test = claim.effect, claim.test
    assert effect.low is not None
    assert effect.high is not None
    assert effect.corrected is not None
    ends = (
        f"{_format_difference(effect.metric, effect.low)} to "
        f"{_difference_text(effect.metric, effect.high)}"
    )
    inside = effect.low <= 0 <= effect.high
    # This explains an interval without 0 next to a large p-value.
    alone = ", not corrected" if not claim.shown and not inside else ""
    parts = [_values(effect), f"{_interval_name(test)} {ends}{alone}"]
    name = "always-valid" if test.sequential else f"t test over {test.participants.unit}s"
    p = format_p_value(effect.corrected, level=test.level)
    parts.append(f"{name} {p}, {correction_text(test.correction, test.family)}")
    if effect.adjustment is not None and effect.adjustment.removed >= 0.005:
        parts.append(f"{effect.adjustment.removed:.0%} of the variance removed by CUPED")
    return "; ".join(parts)


def _interval_name(test: ABTest) -> str:
    return f"{1 - test.level:.0%} {'confidence sequence' if test.sequential else 'CI'}"


def _values(effect: Effect) -> str:
    """Write `42.65% to 38.48% of 2,567 and 2,722 sessions, -9.8%, lower is better`."""
    assert effect.sides is not None
    old, new = effect.sides
    metric = effect.metric
    of = "of" if metric.kind == "share" else "over"
    text = f"{format_value(metric, old.value)} to {format_value(metric, new.value)} {of} "
    text += f"{old.denominator:,.0f} and {new.denominator:,.0f} {metric.over}"
    if effect.relative is not None:
        text += f", {effect.relative:+.1%}"
    return text + (", lower is better" if metric.better == "lower" else "")


def _needed(claim: Claim) -> str:
    needed = claim.users_needed
    if claim.shown:
        return ""
    if not claim.effect.difference:
        return " There is no difference to show."
    if needed is None or not isfinite(needed):
        return ""
    return (
        f" If it is really this large, about {round_up_to_two_digits(needed):,} "
        f"{claim.test.participants.unit}s would show it with a power of {claim.test.power:.0%}."
    )


def guardrail_record(guard: Guardrail, test: ABTest) -> dict[str, Any]:
    """Return a guardrail for JSON and the report; without a verdict if users are missing."""
    if not test.trusted:
        return {"text": None, "verdict": None, "change": None}
    text = _guardrail_sentence(guard, test)
    return {"text": text, "verdict": guard.verdict, "change": guard.change}


def _guardrail_sentence(guard: Guardrail, test: ABTest) -> str:
    effect, margin = guard.effect, _percent(guard.margin)
    variant, control = printable(effect.variant), printable(effect.control)
    if guard.p is None or guard.p_beyond is None:
        reason = effect.untested or f"{control} has a value of 0"
        return f"Guardrail {effect.metric}: not tested for {variant}, because {reason}."
    said = {
        ("kept", "better"): f"kept, {variant} is better than {control}",
        ("kept", "not shown"): f"kept, {variant} is less than {margin} worse than {control}, "
        "or not worse",
        ("kept", "worse"): f"kept, {variant} is worse than {control}, but by less than {margin}",
        ("open", "worse"): f"open, {variant} is worse than {control}, and it is not shown that it "
        f"is less than {margin} worse",
        ("open", "not shown"): f"open, {variant} is not shown to be less than {margin} worse than "
        f"{control}",
        ("open", "better"): f"open, {variant} seems better than {control}, but is not shown to be "
        f"less than {margin} worse",
    }.get(
        (guard.verdict, guard.change),
        f"BROKEN, {variant} is more than {margin} worse than {control}",
    )
    p = format_p_value(guard.p_beyond if guard.verdict == "broken" else guard.p)
    sided = "always-valid" if test.sequential else "one-sided"
    parts = [_values(effect)]
    if effect.relative_low is not None and effect.relative_high is not None:
        ends = f"{effect.relative_low:+.1%} to {effect.relative_high:+.1%}"
        parts.append(f"{_interval_name(test)} {ends}")
    return f"Guardrail {effect.metric}: {said} ({'; '.join([*parts, f'{sided} {p}'])})."


def untested_sentences(test: ABTest) -> list[str]:
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
