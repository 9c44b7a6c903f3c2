"""Forest plot of an A/B test: the effect of each variant on each metric, with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cleverdon._common.text import counted
from cleverdon.charts.base import Chart, Datasets, Row, alt, finish_chart, intervals_chart
from cleverdon.charts.theme import PALETTE, short_names
from cleverdon.logs.abtest.tables import is_adjusted
from cleverdon.logs.tables import format_value
from cleverdon.tables.numbers import format_p_value

if TYPE_CHECKING:
    from cleverdon.logs.abtest.results import ABTest, Effect


_KIND_COLOURS = {"goal": PALETTE[0], "guardrail": PALETTE[3]}


def effects(test: ABTest) -> Chart:
    """Draw relative differences to the control with intervals, a panel for each variant."""
    return finish_chart(
        _effects_chart(test.control, inner=is_adjusted(test)),
        _effects_rows(test),
        title=f"Relative differences to {test.control}",
        subtitle=_about_effects(test),
    )


def _about_effects(test: ABTest) -> list[str]:
    who = counted(test.participants.total, test.participants.unit)
    lines = f"{test.confidence:.0%} {'confidence sequences' if test.sequential else 'intervals'}"
    if is_adjusted(test):
        lines = f"thin, {lines} adjusted as the p-values are; thick, not adjusted"
    elif test.comparisons > 1:
        lines += ", not adjusted"
    told = [f"{who}. Lines: {lines}."]
    known = {one.effect.confidence for one in test.guardrails} - {None}
    if known:
        told.append(f"Guardrails: {known.pop():.0%}, not adjusted.")
    if not test.trusted:
        return [*told, "Do not trust them: users are not split as expected."]
    if test.ratio.verdict == "doubtful":
        told.append("Doubtful: the split of users is unusual.")
    if len(test.families) > 1:
        told.append(f"{test.primary} decides.")
    told.append(f"Filled: corrected p ≤ {test.level:g}.")
    apart = dict.fromkeys(str(one.metric) for one in test.effects if test.disagrees(one))
    if apart:
        told.append(f"Interval and verdict disagree: {', '.join(apart)}.")
    return [told[0], " ".join(told[1:])]


def _effects_rows(test: ABTest) -> Datasets:
    rows = []
    for one in test.effects:
        p = one.corrected
        own = {
            "significant": p is not None and test.trusted and p <= test.level,
            "p": p,
            "chance": "" if p is None else format_p_value(p, level=test.level),
        }
        rows.append(_effect_row(one, test, "goal") | own)
    for guard in test.guardrails:  # whose p-value tests whether the guardrail is kept
        chance = guard.verdict if test.trusted else ""
        own = {"significant": False, "p": guard.p, "chance": chance}
        rows.append(_effect_row(guard.effect, test, "guardrail") | own)
    return {"differences": [row for row in rows if row["difference"] is not None]}


def _effect_row(one: Effect, test: ABTest, kind: str) -> Row:
    if one.relative is None:
        return {"difference": None}
    assert one.sides is not None
    two = kind == "goal" and one.family > 1
    old, new = one.sides
    short = short_names([test.control, *test.variants])
    label = f"{one.metric} (lower is better)" if one.metric.better == "lower" else str(one.metric)
    return {
        "metric": str(one.metric),
        "variant": one.variant,
        "panel": f"{short[one.variant]} against {short[one.control]}",
        "place": test.variants.index(one.variant),
        "difference": one.relative,
        "low": one.relative_low,
        "high": one.relative_high,
        # Guardrails, and a comparison that is a family by itself, have one interval.
        "inner_low": one.unadjusted_relative_low if two else None,
        "inner_high": one.unadjusted_relative_high if two else None,
        "control_value": format_value(one.metric, old.value),
        "variant_value": format_value(one.metric, new.value),
        "estimate": f"{one.relative:+.1%}".replace("-", "−"),
        "kind": kind,
        "label": f"Guardrail {label}" if kind == "guardrail" else label,
    }


def _effects_chart(control: str, *, inner: bool) -> Any:
    scale = alt.Scale(domain=list(_KIND_COLOURS), range=list(_KIND_COLOURS.values()))
    colour = alt.Color("kind:N", scale=scale, legend=None)
    names = {"difference": "difference", "low": "low", "high": "high"}
    if inner:
        names |= {"inner_low": "low, not adjusted", "inner_high": "high, not adjusted"}
    ends = [alt.Tooltip(f"{name}:Q", format="+.2%", title=said) for name, said in names.items()]
    tooltip = [
        alt.Tooltip("metric:N"),
        alt.Tooltip("variant:N"),
        alt.Tooltip("control_value:N", title=control),
        alt.Tooltip("variant_value:N", title="variant's"),
        *ends,
        alt.Tooltip("p:Q", format=".4f"),
    ]
    return intervals_chart(
        f"relative difference to {control}", colour, tooltip, inner=inner, format="+~%", tickCount=8
    )
