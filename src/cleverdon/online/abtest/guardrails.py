"""Guardrails: a variant must not be worse by more than a margin.

Not to be significantly worse is no proof: with few users nothing is. So it is to be shown that a
variant is not worse by the margin, which is a share of the control's value: a test of
non-inferiority, one-sided, in the direction in which the metric gets worse.

Whoever ships only if every guardrail is kept needs no correction for there being several, since
all of them would have to err at once. Schultzberg, Ankargren & Franberg 2024, arXiv:2402.11609.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite, sqrt

from cleverdon.compare.needs import scipy_stats
from cleverdon.errors import OptionError
from cleverdon.online.abtest.arms import Arms
from cleverdon.online.abtest.effects import How
from cleverdon.online.abtest.results import Effect, Guardrail, GuardrailVerdict
from cleverdon.online.abtest.sequential import always_valid_p
from cleverdon.online.metrics.base import Ratio

MARGIN = 0.02
"""How much worse a variant may be, as a share of the control's value, unless it is said."""


def margins(given: Mapping[str, float] | Iterable[str]) -> dict[str, float]:
    """The margin of each guardrail: as given, or written behind its name, or the usual one.

    >>> margins(["Latency", "ZeroResults=0.05"])
    {'Latency': 0.02, 'ZeroResults': 0.05}
    """
    if isinstance(given, Mapping):
        found = dict(given)
    else:
        found = {}
        for one in [given] if isinstance(given, str) else given:
            name, equals, margin = one.partition("=")
            try:
                found[name.strip()] = float(margin) if equals else MARGIN
            except ValueError:
                raise OptionError(
                    f"guardrail {one!r}: a margin is a share, as in Latency=0.02"
                ) from None
    for name, share in found.items():
        if not (isfinite(share) and 0 < share < 1):
            raise OptionError(
                f"guardrail {name}={share}: a margin is a share of the control's value, above 0 "
                "and below 1"
            )
    return found


def check_direction(metric: Ratio) -> Ratio:
    """The metric, once it is known which way it gets worse."""
    if metric.better == "neither":
        raise OptionError(
            f"{metric} is no guardrail: neither more nor less of it is worse; take another metric"
        )
    return metric


def guardrail(effect: Effect, found: Arms | None, margin: float, how: How) -> Guardrail:
    """Whether the guardrail is kept, broken, or neither can be shown."""
    if found is None or found.control.value == 0:
        return Guardrail(effect, margin, None, None, "open")
    worse = 1 if effect.metric.better == "lower" else -1
    factor = 1 + worse * margin
    # Below 0 is within the margin. The margin is a share of the control's value, whose own
    # chance is a part of it.
    beyond = worse * (found.variant.value - factor * found.control.value)
    parts = (found.variant.squared_error, factor * factor * found.control.squared_error)
    if how.sequential:
        # The two-sided p-value for one side: it errs, if at all, towards showing less.
        p = always_valid_p(beyond, variance=sum(parts), spread=how.spread(found))
        kept, broken = (p, 1.0) if beyond < 0 else (1.0, p)
    else:
        users = (found.variant.users, found.control.users)
        freedom = sum(parts) ** 2 / sum(
            part**2 / (count - 1) for part, count in zip(parts, users, strict=True)
        )
        t = scipy_stats("a guardrail").t(freedom)
        statistic = beyond / sqrt(sum(parts))
        kept, broken = float(t.cdf(statistic)), float(t.sf(statistic))
    verdict: GuardrailVerdict = (
        "kept" if kept <= how.level else "broken" if broken <= how.level else "open"
    )
    return Guardrail(effect, margin, kept, broken, verdict)
