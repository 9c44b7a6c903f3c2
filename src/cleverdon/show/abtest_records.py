"""A/B tests as tables and as plain records."""

from __future__ import annotations

from dataclasses import asdict
from math import floor, isinf, log10
from typing import Any

from cleverdon.arrays import plain_record
from cleverdon.online.abtest import ABTest, Effect, Guardrail
from cleverdon.online.abtest.claims import verdict_of
from cleverdon.online.metrics.base import Ratio
from cleverdon.show.claims import corrected_for
from cleverdon.show.grid import Grid, counted, printable
from cleverdon.show.numbers import p_value, two_digits
from cleverdon.show.observed import about_bots, bots_record, significant, written

LONGEST = 365
"""Days beyond which nobody waits, and no estimate holds."""


def effects_grid(test: ABTest, *, exact: bool = False) -> Grid:
    """A row an effect, then a row a guardrail.

    The p-values of guardrails ask something else, and have columns of their own.
    """
    guarded = exact or bool(test.guardrails)
    own = (["margin", "p_within", "p_beyond"] if exact else ["margin", "p within"]) * guarded
    none = [""] * len(own)
    rows = [
        [*_begun(one, exact=exact), *_ps(one, exact=exact), *none, _verdict(one, test)]
        for one in test.effects
    ]
    for guard in test.guardrails:
        outcome = "not tested" if guard.p is None else guard.verdict
        verdict = f"guardrail {outcome}" if test.trusted else "not trusted"
        begun = _begun(guard.effect, exact=exact)
        rows.append([*begun, "", "", *_guarded(guard, exact=exact), verdict])
    ends = ["low", "high"] if exact else [f"{1 - test.level:.0%} interval"]
    values = ["control_value", "variant_value"] if exact else ["control value", "variant value"]
    header = ["variant", "control", "metric", *values, "difference", *ends]
    header += ["relative", "p", "corrected", *own, "verdict"]
    if exact:
        told = " ".join([*left_out(test), *test.notes])
        return Grid([*header, "notes"], [[*row, told] for row in rows], 3, [])
    return Grid(header, rows, 3, [], _footnotes(test))


def left_out(test: ABTest) -> list[str]:
    """Who is no part of the test, in at most one sentence."""
    who = test.participants
    found = []
    if who.contaminated:
        found.append(f"{who.counted(who.contaminated)} who saw more than one variant")
    if who.unassigned:
        found.append(f"{who.counted(who.unassigned)} of whom no variant is known")
    if who.anonymous:
        found.append(f"{counted(who.anonymous, 'result page')} without a {who.unit}")
    return [f"Left out: {'; '.join(found)}."] if found else []


def _guarded(guard: Guardrail, *, exact: bool) -> list[str]:
    """A guardrail's margin, and the p-values of staying within it and of going beyond."""
    if exact:
        return [repr(guard.margin), _p(guard.p, exact=True), _p(guard.p_beyond, exact=True)]
    return [f"{100 * guard.margin:.3g}%", _p(guard.p, exact=False)]


def _footnotes(test: ABTest) -> list[str]:
    over = f"t test over {test.participants.unit}s"
    notes = ["differences of shares are in percentage points"]
    if test.family:
        name = "always valid" if test.sequential else f"two-sided {over}"
        notes[0] += f"; p: {name}, {corrected_for(test.correction, test.family)}"
    if test.guardrails:
        name = "always valid" if test.sequential else f"one-sided {over}"
        notes.append(
            f"p within: of guardrails alone, small where it is shown that the variant is not worse "
            f"by the margin or more; {name}, not corrected"
        )
    notes += [*left_out(test), *test.notes, *about_bots(test.stages.log)]
    return notes if test.ratio.verdict == "as expected" else [ratio_sentence(test), *notes]


def ratio_sentence(test: ABTest) -> str:
    """Whether users were split as they should be."""
    ratio = test.ratio
    p = f"{ratio.test} {p_value(ratio.p)}"
    if ratio.verdict == "as expected":
        return f"They are split as expected ({p})."
    found = ", ".join(f"{printable(name)} {count:,}" for name, count in ratio.users.items())
    expected = ", ".join(
        f"{printable(name)} {significant(n)}" for name, n in ratio.expected.items()
    )
    if ratio.verdict == "doubtful":
        return (
            f"DOUBTFUL: their split is unusual. There are {found}; there should be {expected} "
            f"({p}): chance alone gives a split as uneven as this in one of "
            f"{round(1 / ratio.p):,} experiments. Check how {test.participants.unit}s are "
            "assigned and logged before you rely on the results."
        )
    return (
        f"NOT TO BE TRUSTED: they are not split as expected. There are {found}; there should be "
        f"{expected} ({p}). Whatever made {test.participants.unit}s go missing may have changed "
        "the metrics as well, so that nothing is claimed."
    )


def _begun(effect: Effect, *, exact: bool) -> list[str]:
    """The first cells of a row: what is compared, its values, and by how much they differ."""
    names = [printable(effect.variant), printable(effect.control), str(effect.metric)]
    metric, sides = effect.metric, effect.sides
    values = [None, None] if sides is None else [side.value for side in sides]
    ends = (effect.low, effect.high)
    if exact:
        numbers = (*values, effect.difference, *ends, effect.relative)
        return [*names, *map(_exact, numbers)]
    between = "-" if None in ends else f"{gap(metric, ends[0])} to {gap(metric, ends[1])}"
    relative = "-" if effect.relative is None else f"{effect.relative:+.1%}"
    return [
        *names,
        *(written(metric, value) for value in values),
        gap(metric, effect.difference),
        between,
        relative,
    ]


def gap(metric: Ratio, difference: float | None) -> str:
    """A difference without its unit: of shares in percentage points, with two decimals or digits.

    >>> from cleverdon.online.metrics import find
    >>> abandonment, latency = find("Abandonment"), find("Latency")
    >>> gap(abandonment, -0.041731), gap(abandonment, 0.0000312), gap(latency, 3.2)
    ('-4.17', '0.0031', '3.200')
    """
    if difference is None:
        return "-"
    if metric.kind != "share":
        return significant(difference)
    points = 100 * difference
    few = 0 < abs(points) < 0.1
    return f"{points:.{min(1 - floor(log10(abs(points))), 9) if few else 2}f}"


def _ps(effect: Effect, *, exact: bool) -> list[str]:
    return [_p(effect.p, exact=exact), _p(effect.corrected, exact=exact)]


def _p(p: float | None, *, exact: bool) -> str:
    if p is None:
        return "" if exact else "-"
    return repr(p) if exact else f"{p:.3f}" if p >= 0.001 else f"{p:.1g}"


def _exact(value: float | None) -> str:
    return "" if value is None else repr(value)


def _verdict(effect: Effect, test: ABTest) -> str:
    if not test.trusted:
        return "not trusted"
    return "not tested" if effect.p is None else verdict_of(effect, level=test.level)


def planning_grid(test: ABTest) -> Grid:
    """What the users at hand can show, and what it would take."""
    unit, wanted = test.participants.unit, f"{100 * test.wanted:.3g}%"
    rows = []
    for one in test.effects:
        if one.planning is None:
            continue
        rows.append(
            [
                printable(one.variant),
                str(one.metric),
                "-" if one.planning.smallest is None else f"{one.planning.smallest:.1%}",
                _count(one.planning.users_needed),
                _days(one.planning.days_needed),
            ]
        )
    header = ["variant", "metric", "smallest", f"{unit}s for {wanted}", f"days for {wanted}"]
    notes = [
        f"smallest: the smallest relative difference that these {unit}s show with a power of "
        f"{test.power:.0%}, p <= {test.level_of_each:.2g}",
        f"{unit}s, days: what a relative difference of {wanted} takes, from the start and of all "
        f"variants; there are {test.participants.total:,} after {test.participants.days:.1f} days, "
        "and new ones become rare as they did",
    ]
    return Grid(header, rows, 2, [], notes)


def _count(needed: float | None) -> str:
    if needed is None:
        return "-"
    return "none suffice" if isinf(needed) else f"{two_digits(needed):,}"


def _days(needed: float | None) -> str:
    if needed is None:
        return "-"
    return "over a year" if needed > LONGEST else f"{two_digits(needed):,}"


def record(test: ABTest) -> dict[str, Any]:
    """What a test was, its effects aside."""
    return {
        "source": test.stages.log.source,
        "settings": asdict(test.stages.settings),
        "control": test.control,
        "trusted": test.trusted,
        "participants": asdict(test.participants),
        "sample_ratio": {
            **asdict(test.ratio),
            "mismatch": test.ratio.mismatch,
            "verdict": test.ratio.verdict,
        },
        "without_bots": bots_record(test.stages.log),
        "correction": test.correction,
        "comparisons": test.family,
        "level": test.level,
        "sequential": test.sequential,
        "cuped": test.cuped,
        "wanted": test.wanted,
        "power": test.power,
        "missing": {name: list(columns) for name, columns in test.missing.items()},
        "notes": list(test.notes),
    }


def record_of(effect: Effect) -> dict[str, Any]:
    """An effect; JSON knows neither NaN nor infinity."""
    metric = effect.metric
    found: dict[str, Any] = {"metric": str(metric), "better": metric.better, "over": metric.over}
    fields = asdict(effect)
    del fields["metric"]
    sides = fields.pop("sides")
    found["sides"] = sides and dict(zip((effect.control, effect.variant), sides, strict=True))
    return plain_record({**found, **fields})
