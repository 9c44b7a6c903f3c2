"""Forest plot of an A/B test: the effect of each variant on each metric, with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cleverdon._common.text import counted
from cleverdon.charts.base import Chart, Datasets, Row, alt, finish_chart, intervals_chart
from cleverdon.charts.theme import PALETTE, short_names
from cleverdon.logs.tables import format_value
from cleverdon.tables.numbers import format_p_value

if TYPE_CHECKING:
    from cleverdon.logs.abtest.results import ABTest, Effect


_KIND_COLOURS = {"goal": PALETTE[0], "guardrail": PALETTE[3]}


def effects(test: ABTest) -> Chart:
    """Draw relative differences to the control with intervals, a panel for each variant."""
    return finish_chart(
        _effects_chart(test.control),
        _effects_rows(test),
        title=f"Relative differences to {test.control}",
        subtitle=_about_effects(test),
    )


def _about_effects(test: ABTest) -> str:
    who = counted(test.participants.total, test.participants.unit)
    lines = "confidence sequences" if test.sequential else "intervals"
    told = f"{who}. Lines: {1 - test.level:.0%} {lines}, not corrected for their number."
    if not test.trusted:
        return f"{told} Do not trust them: users are not split as expected."
    if test.ratio.verdict == "doubtful":
        told += " Doubtful: the split of users is unusual."
    return f"{told} Filled: corrected p ≤ {test.level:g}."


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
        "control_value": format_value(one.metric, old.value),
        "variant_value": format_value(one.metric, new.value),
        "estimate": f"{one.relative:+.1%}".replace("-", "−"),
        "kind": kind,
        "label": f"Guardrail {label}" if kind == "guardrail" else label,
    }


def _effects_chart(control: str) -> Any:
    scale = alt.Scale(domain=list(_KIND_COLOURS), range=list(_KIND_COLOURS.values()))
    colour = alt.Color("kind:N", scale=scale, legend=None)
    ends = [alt.Tooltip(f"{name}:Q", format="+.2%") for name in ("difference", "low", "high")]
    tooltip = [
        alt.Tooltip("metric:N"),
        alt.Tooltip("variant:N"),
        alt.Tooltip("control_value:N", title=control),
        alt.Tooltip("variant_value:N", title="variant's"),
        *ends,
        alt.Tooltip("p:Q", format=".4f"),
    ]
    return intervals_chart(
        f"relative difference to {control}", colour, tooltip, format="+~%", tickCount=8
    )
