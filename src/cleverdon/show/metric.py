"""What an online metric is, in words: all that its class says of itself."""

from __future__ import annotations

from inspect import cleandoc
from textwrap import dedent, indent

from cleverdon.online.log import MEANINGS
from cleverdon.online.metrics.base import Count, Listing, Metric, Ratio


def described_metric(metric: Metric) -> str:
    """A metric described."""
    cls = type(metric)
    title = str(metric)
    parts = [f"{title}\n{'=' * len(title)}", cleandoc(cls.__doc__ or "")]
    facts = {name: text for name, text in facts_of(metric).items() if text}
    width = max(map(len, facts))
    parts.append("\n".join(f"{fact:<{width}}  {text}" for fact, text in facts.items()))
    if cls.worked:
        example = indent(dedent(cls.worked).strip(), "  ")
        parts.append(f"Worked example (user, time, query, and what was done)\n{example}")
    return "\n\n".join(part for part in parts if part)


def facts_of(metric: Metric) -> dict[str, str]:
    """What its class says, fact by fact."""
    facts = {"Formula": type(metric).formula}
    if isinstance(metric, Ratio):
        facts |= {
            "Numerator": metric.counted,
            "Denominator": metric.over,
            "Unit": "a share" if metric.kind == "share" else metric.measured_in or "a number",
            "Better": metric.better,
        }
    if isinstance(metric, Count):
        facts["Counts"] = metric.counted
    if isinstance(metric, Listing):
        facts["Columns"] = "; ".join(f"{name}: {what}" for name, what in metric.columns.items())
    needs = [f"{column} ({MEANINGS[column.split('.')[1]]})" for column in metric.needs]
    if metric.needs_persons:
        needs.append("queries.user or queries.session")
    return {
        **facts,
        "Undefined": metric.undefined,
        "Needs": ", ".join(needs),
        "Source": metric.source,
    }
