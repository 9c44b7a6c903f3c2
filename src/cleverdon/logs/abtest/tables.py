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
from cleverdon.stats.intervals import why_disagree
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
    if exact:
        return _exact_effects(test)
    header = ["variant", "control", "metric", "control value", "variant value", "difference"]
    both = _has_two_intervals(test)
    header += ["interval", *(["not adjusted"] if both else []), "relative", "p", "corrected"]
    own = ["margin", "p within"] if test.guardrails else []
    rows = []
    for one in test.effects:
        ps = [_format_p(one.p), _format_p(one.corrected)]
        verdict = "not tested" if one.p is None else one.verdict(test.level)
        rows.append([*_value_cells(one, both=both), *ps, *[""] * len(own), verdict])
    for guard in test.guardrails:
        ps = [_percent(guard.margin), _format_p(guard.p)]
        outcome = f"guardrail {'not tested' if guard.p is None else guard.verdict}"
        rows.append([*_value_cells(guard.effect, both=both, guard=True), "", "", *ps, outcome])
    if not test.trusted:
        rows = [[*row[:-1], "not trusted"] for row in rows]
    return TextTable([*header, *own, "verdict"], rows, 3, [], _footnotes(test))


_ENDS = (
    *("difference", "low", "high", "unadjusted_low", "unadjusted_high"),
    *("relative", "relative_low", "relative_high"),
    *("unadjusted_relative_low", "unadjusted_relative_high", "confidence"),
)
"""The numbers of an effect for programs."""


def _exact_effects(test: ABTest) -> TextTable:
    """Return the same with all digits."""
    names = ["variant", "control", "metric", "control_value", "variant_value", *_ENDS]
    names += ["p", "corrected", "family", "primary", "margin", "p_within", "p_beyond"]
    notes = " ".join([*_left_out_sentence(test), *test.notes])
    rows = []
    tested: list[tuple[Effect, Guardrail | None]] = [(one, None) for one in test.effects]
    tested += [(guard.effect, guard) for guard in test.guardrails]
    for one, guard in tested:
        values = [None, None] if one.sides is None else [side.value for side in one.sides]
        numbers = [*values, *(getattr(one, name) for name in _ENDS)]
        if guard is None:
            verdict = "not tested" if one.p is None else str(one.verdict(test.level))
            numbers += [one.p, one.corrected, one.family, one.primary, None, None, None]
        else:
            verdict = f"guardrail {'not tested' if guard.p is None else guard.verdict}"
            numbers += [None, None, None, None, guard.margin, guard.p, guard.p_beyond]
        told = verdict if test.trusted else "not trusted"
        labels = [printable(one.variant), printable(one.control), str(one.metric)]
        qualified = " ".join(test.qualified(one) if test.trusted else ())
        rows.append([*labels, *map(_format_exact, numbers), told, qualified, notes])
    return TextTable([*names, "verdict", "qualified", "notes"], rows, 3, [])


def _has_two_intervals(test: ABTest) -> bool:
    return any(one.low != one.unadjusted_low for one in test.effects)


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
    notes = [*effects_notes(test), *_left_out_sentence(test)]
    notes += [*test.notes, *about_bots(test.tables.log)]
    return notes if test.ratio.verdict == "as expected" else [ratio_sentence(test), *notes]


def effects_notes(test: ABTest) -> list[str]:
    """Return what the columns of the table of effects mean."""
    over = f"t test over {test.participants.unit}s"
    notes = ["differences of shares are in percentage points"]
    if test.families:
        name = "always valid" if test.sequential else f"two-sided {over}"
        notes[0] += f"; p: {name}, {_families_text(test)}"
        kind = "confidence sequences" if test.sequential else "intervals"
        adjusted = "adjusted as the p-values are" if is_adjusted(test) else "not adjusted"
        notes.append(f"interval: {test.confidence:.0%} {kind}, {adjusted}")
    if test.guardrails:
        name = "always valid" if test.sequential else f"one-sided {over}"
        known = {one.effect.confidence for one in test.guardrails} - {None}
        interval = f"; their intervals are of {known.pop():.0%}, not adjusted" if known else ""
        notes.append(
            f"p within: of guardrails, small if the variant is shown to be within the margin; "
            f"{name}, not corrected{interval}"
        )
    return notes


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


def is_adjusted(test: ABTest) -> bool:
    """Return whether intervals are adjusted for others."""
    return test.correction != "none" and any(one.family > 1 for one in test.effects)


def _families_text(test: ABTest) -> str:
    """Return the correction and the families that it is over."""
    first, *others = test.families
    text = correction_text(test.correction, len(first))
    if test.correction == "none" or test.primary is None:
        return correction_text(test.correction, test.comparisons)
    if first[0].primary and others:
        text += f" by {test.primary}, which decides"
        text += f", and {correction_text(test.correction, len(others[0]))} by the other metrics"
    return text


def _value_cells(effect: Effect, *, both: bool, guard: bool = False) -> list[str]:
    """Return the cells with names, values, the difference and its intervals."""
    metric, sides = effect.metric, effect.sides
    values = [None, None] if sides is None else [side.value for side in sides]
    alone = _ends_cell(metric, effect.unadjusted_low, effect.unadjusted_high)
    return [
        *(printable(effect.variant), printable(effect.control), str(metric)),
        *(format_value(metric, value) for value in values),
        _format_difference(metric, effect.difference),
        _ends_cell(metric, effect.low, effect.high),
        *(["" if guard else alone] if both else []),
        "-" if (relative := effect.told_relative) is None else f"{relative:+.1%}",
    ]


def _ends_cell(metric: Ratio, low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return "-"
    return f"{_format_difference(metric, low)} to {_format_difference(metric, high)}"


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
        f"{test.power:.0%}, {_levels_text(test)}",
        f"{unit}s, days: needed to detect a relative difference of {wanted}, over all variants and "
        f"from the start; there are {test.participants.total:,} after "
        f"{test.participants.days:.1f} days, and new ones become rarer at the same rate",
    ]
    return TextTable(header, rows, 2, [], notes)


def _levels_text(test: ABTest) -> str:
    """Return the p-value that a comparison needs; of two families, that of each."""
    levels = {one.primary: one.planning.level for one in test.effects if one.planning is not None}
    told = [f"p <= {level:.2g}" for level in levels.values()]
    if len(set(told)) == 1:
        return told[0]
    return f"p <= {levels[True]:.2g} by {test.primary} and p <= {levels[False]:.2g} by the others"


def _needed_cell(needed: float | None, *, most: float, beyond: str) -> str:
    if needed is None:
        return "-"
    possible = needed <= most and isfinite(needed)
    return f"{round_up_to_two_digits(needed):,}" if possible else beyond


def abtest_text(test: ABTest, **terminal: Any) -> str:
    parts = ["\n".join([*participants_text(test), *about_bots(test.tables.log)])]
    if test.trusted:
        claims = test.claims()
        for heading, family in claim_families(test, claims):
            said = "\n\n".join(map(_claim_sentence, family))
            parts += [f"{heading}:\n{said}" if heading else said]
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


def claim_families(test: ABTest, claims: list[Claim]) -> list[tuple[str, list[Claim]]]:
    """Return the claims of each family with its heading; one family has none."""
    primary = [claim for claim in claims if claim.effect.primary]
    others = [claim for claim in claims if not claim.effect.primary]
    if not others:
        return [("", primary)] if primary else []
    how = "as asked" if test.primary_named else "the first; --primary names another"
    untested = "" if primary else ", but could not be tested"
    found = [(f"Primary metric, which decides: {test.primary} ({how}){untested}", primary)]
    return [*found, ("Other metrics, corrected as a family of their own", others)]


def claim_record(claim: Claim) -> dict[str, Any]:
    return {
        "text": _claim_sentence(claim),
        "verdict": claim.verdict,
        "qualified": list(claim.qualified),
    }


def _claim_sentence(claim: Claim) -> str:
    """Write a claim with its evidence, and what these users could have shown if nothing is."""
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
    return f"{names} on {metric}{how_much} ({_basis(claim)}).{_afterthoughts(claim)}"


def _difference_text(metric: Ratio, difference: float, *, signed: bool = False) -> str:
    """Write a difference with its unit; for shares, percentage points."""
    sign = "+" if signed and difference > 0 else ""
    unit = "points" if metric.kind == "share" else metric.measured_in
    return f"{sign}{_format_difference(metric, difference)} {unit}".rstrip()


def _basis(claim: Claim) -> str:
    effect, test = claim.effect, claim.test
    assert effect.p is not None
    assert effect.corrected is not None
    name = "always-valid" if test.sequential else f"t test over {test.participants.unit}s"
    p = format_p_value(effect.corrected, level=test.level)
    alone = ""
    if effect.corrected != effect.p:
        alone = f", {format_p_value(effect.p, level=test.level)} uncorrected"
    over = correction_text(test.correction, effect.family)
    parts = [_values(effect), *_interval_texts(effect, test), f"{name} {p}, {over}{alone}"]
    if effect.adjustment is not None and effect.adjustment.removed >= 0.005:
        parts.append(f"{effect.adjustment.removed:.0%} of the variance removed by CUPED")
    return "; ".join(parts)


def _interval_texts(effect: Effect, test: ABTest) -> list[str]:
    """Return the interval of the procedure, and where it is adjusted also the one that is not."""
    name = _interval_name(effect, test)
    first = f"{name} {_ends_text(effect.metric, effect.low, effect.high)}"
    if effect.relative_low is not None and effect.relative_high is not None:
        first += f" or {effect.relative_low:+.1%} to {effect.relative_high:+.1%}"
    if effect.family == 1:
        return [first]
    if test.correction == "none":
        return [f"{first}, not adjusted"]
    adjusted = f"{first}, adjusted for {counted(effect.family, 'comparison')}"
    if effect.low == effect.unadjusted_low and effect.high == effect.unadjusted_high:
        return [adjusted]
    alone = _ends_text(effect.metric, effect.unadjusted_low, effect.unadjusted_high)
    return [adjusted, f"{name} {alone} not adjusted"]


def _ends_text(metric: Ratio, low: float | None, high: float | None) -> str:
    assert low is not None
    assert high is not None
    return f"{_format_difference(metric, low)} to {_difference_text(metric, high)}"


def _interval_name(effect: Effect, test: ABTest) -> str:
    return f"{effect.confidence:.0%} {'confidence sequence' if test.sequential else 'CI'}"


def _values(effect: Effect) -> str:
    """Write `42.65% to 38.48% of 2,567 and 2,722 sessions, -9.8%, lower is better`."""
    assert effect.sides is not None
    old, new = effect.sides
    metric = effect.metric
    of = "of" if metric.kind == "share" else "over"
    text = f"{format_value(metric, old.value)} to {format_value(metric, new.value)} {of} "
    text += f"{old.denominator:,.0f} and {new.denominator:,.0f} {metric.over}"
    if (relative := effect.told_relative) is not None:
        text += f", {relative:+.1%}"
    return text + (", lower is better" if metric.better == "lower" else "")


def _afterthoughts(claim: Claim) -> str:
    """Say what these users could have shown, where interval and verdict disagree, and doubts."""
    effect, test = claim.effect, claim.test
    if not effect.difference:
        texts = ["There is no difference to show."]
    else:
        texts = [] if claim.shown else _detectable(effect, test)
        if test.disagrees(effect):
            why = why_disagree(test.confidence, test.level)
            other = "includes" if claim.shown else "excludes"
            texts.append(f"Interval and verdict disagree, since {why}: the interval {other} 0.")
    return "".join(f" {text}" for text in [*texts, *_qualified_text(claim.qualified)])


def _detectable(effect: Effect, test: ABTest) -> list[str]:
    """Say which true difference these users would show; the one that was seen takes no part."""
    if effect.planning is None or effect.planning.smallest is None or effect.sides is None:
        return []
    share = effect.planning.smallest
    difference = share * abs(effect.sides[0].value)
    if effect.metric.kind == "share" and difference > 1:  # than which no two shares differ by more
        return [f"These {test.participants.unit}s are too few to show any difference."]
    size = _difference_text(effect.metric, difference)
    return [
        f"These {test.participants.unit}s would show a true difference of {size} ({share:.1%}) in "
        f"{test.power:.0%} of cases."
    ]


def _qualified_text(names: tuple[str, ...]) -> list[str]:
    return [f"Qualified by {' and '.join(names)}."] if names else []


def guardrail_record(guard: Guardrail, test: ABTest) -> dict[str, Any]:
    """Return a guardrail for JSON and the report; without a verdict if users are missing."""
    if not test.trusted:
        return {"text": None, "verdict": None, "change": None, "qualified": []}
    return {
        "text": _guardrail_sentence(guard, test),
        "verdict": guard.verdict,
        "change": guard.change,
        "qualified": list(test.qualified(guard.effect)),
    }


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
    several = sum(one.p is not None for one in test.guardrails) > 1
    if effect.low is not None:
        ends = _ends_text(effect.metric, effect.low, effect.high)
        if effect.relative_low is not None and effect.relative_high is not None:
            ends = f"{effect.relative_low:+.1%} to {effect.relative_high:+.1%}"
        parts.append(f"{_interval_name(effect, test)} {ends}{' not adjusted' if several else ''}")
    parts.append(f"{sided} {p}{', not corrected' if several else ''}")
    sentence = f"Guardrail {effect.metric}: {said} ({'; '.join(parts)})."
    return " ".join([sentence, *_qualified_text(test.qualified(effect))])


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
