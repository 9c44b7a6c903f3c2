"""A forest plot of an A/B test: what the variants did to each metric, with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cleverdon.show.grid import counted
from cleverdon.show.numbers import p_value
from cleverdon.show.observed import written
from cleverdon.show.plot.base import Chart, Datasets, Row, alt, finished, short_names
from cleverdon.show.plot.forest import intervals_chart
from cleverdon.show.plot.theme import PALETTE

if TYPE_CHECKING:
    from cleverdon.online.abtest import ABTest, Effect

_KINDS = {"goal": PALETTE[0], "guardrail": PALETTE[3]}


def effects(test: ABTest) -> Chart:
    """Every relative difference to the control with its interval: a panel for each variant."""
    return finished(
        effects_chart(test.control),
        effects_rows(test),
        title=f"Relative differences to {test.control}",
        subtitle=about_effects(test),
    )


def about_effects(test: ABTest) -> str:
    """What lines and fillings mean, and whom they rest on."""
    who = counted(test.participants.total, test.participants.unit)
    lines = "confidence sequences" if test.sequential else "intervals"
    told = f"{who}. Lines: {1 - test.level:.0%} {lines}, not corrected for how many there are."
    if not test.trusted:
        return f"{told} Not to be trusted: users are not split as expected."
    if test.ratio.verdict == "doubtful":
        told += " Doubtful: users are split in an unusual way."
    return f"{told} Filled: corrected p ≤ {test.level:g}."


def effects_rows(test: ABTest) -> Datasets:
    """A row for each metric and variant, then for each guardrail; undefined ones are left out.

    The p of a guardrail is of another question: whether it is kept.
    """
    goals = [
        _row(one, test)
        | {
            "kind": "goal",
            "label": _label(one),
            "significant": _told_apart(one, test),
            "p": one.corrected,
            "chance": "" if one.corrected is None else p_value(one.corrected, level=test.level),
        }
        for one in test.effects
        if one.relative is not None
    ]
    guards = [
        _row(guard.effect, test)
        | {
            "kind": "guardrail",
            "label": f"Guardrail {_label(guard.effect)}",
            "significant": False,  # it is not asked whether there is a difference
            "p": guard.p,
            "chance": guard.verdict if test.trusted else "",
        }
        for guard in test.guardrails
        if guard.effect.relative is not None
    ]
    return {"differences": [*goals, *guards]}


def _label(one: Effect) -> str:
    return f"{one.metric} (lower is better)" if one.metric.better == "lower" else str(one.metric)


def _told_apart(one: Effect, test: ABTest) -> bool:
    return test.trusted and one.corrected is not None and one.corrected <= test.level


def _row(one: Effect, test: ABTest) -> Row:
    assert one.sides is not None
    assert one.relative is not None
    old, new = one.sides
    short = short_names([test.control, *test.variants])
    return {
        "metric": str(one.metric),
        "variant": one.variant,
        "panel": f"{short[one.variant]} against {short[one.control]}",
        "place": test.variants.index(one.variant),
        "difference": one.relative,
        "low": one.relative_low,
        "high": one.relative_high,
        "control_value": written(one.metric, old.value),
        "variant_value": written(one.metric, new.value),
        "estimate": f"{one.relative:+.1%}".replace("-", "−"),
    }


def effects_chart(control: str) -> Any:
    """As in the forest plot of systems, on a scale of per cent."""
    scale = alt.Scale(domain=list(_KINDS), range=list(_KINDS.values()))
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
