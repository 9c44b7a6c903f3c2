"""Which metrics a log supports, and what is missing for the others."""

from __future__ import annotations

from cleverdon.online.doctor.facts import Facts
from cleverdon.online.doctor.findings import Support, Verdict
from cleverdon.online.log import MEANINGS
from cleverdon.online.metrics.base import Metric, Ratio
from cleverdon.online.metrics.registry import metrics


def supported(facts: Facts) -> tuple[Support, ...]:
    """Every metric, in the order of the registry."""
    return tuple(_support(cls(), facts) for cls in metrics())


def _support(metric: Metric, facts: Facts) -> Support:
    needs = list(metric.needs)
    if metric.needs_persons and not facts.knows_persons:
        needs.append("queries.user")
    columns = [name for name in (*needs, *metric.wants) if name in facts.columns]
    shares = {name: facts.columns[name].share for name in columns}
    missing = [name for name in needs if not facts.log.has(name) or shares.get(name) == 1]
    actions = () if missing else _lacking_actions(metric, facts)
    nulls = {name: share for name, share in shares.items() if 0 < share < 1}
    stand_ins = {}
    if metric.of_sessions and facts.knows_persons and facts.size.searches:
        named = {name: n / facts.size.searches for name, n in facts.named_by.items()}
        if named["nothing"]:
            nulls[f"queries.{'/'.join(facts.log.actors)}"] = named["nothing"]
        stand_ins = {name: named[name] for name in ("session", "client") if named[name]}
    verdict: Verdict = "no" if missing or actions else "partly" if nulls else "yes"
    return Support(
        metric=str(metric),
        verdict=verdict,
        missing=tuple(missing),
        nulls=nulls,
        stand_ins=stand_ins,
        lacks_actions=actions,
    )


def _lacking_actions(metric: Metric, facts: Facts) -> tuple[str, ...]:
    """What users must have done for the metric to mean anything: a click, or an impression."""
    if "events.action" not in metric.needs:
        return ()
    wanted = ["click"]
    if isinstance(metric, Ratio) and metric.over == "impressions":
        wanted.append("impression")
    return tuple(action for action in wanted if not facts.done(action))


def meaning(column: str) -> str:
    """What a column means, in words."""
    return MEANINGS.get(column.partition(".")[2], "a segment of the log's own")


def how_to_map(column: str) -> str:
    """What to write into a mapping file, so that the log has the column."""
    table, _, name = column.partition(".")
    return f"in a mapping file, below {table}: `{name}: COLUMN`"
