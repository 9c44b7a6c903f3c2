"""All that a report of a log needs to know, asked for where the log lies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cleverdon.errors import CleverdonError
from cleverdon.online.abtest import ABTest, abtest
from cleverdon.online.distributions import Distribution, distributions
from cleverdon.online.doctor import Diagnosis, examine
from cleverdon.online.funnel import Funnel, funnel, funnel_query
from cleverdon.online.log import Log
from cleverdon.online.metrics.base import Count, Ratio
from cleverdon.online.metrics.registry import metrics
from cleverdon.online.observing import Observed, observe
from cleverdon.online.scripts import script
from cleverdon.online.series import Series, latencies, searches
from cleverdon.online.settings import Settings
from cleverdon.online.stages import Progress, Stages, staged

if TYPE_CHECKING:
    from ibis import Table


@dataclass(frozen=True, eq=False)
class Gathered:
    """What a log says, as records; none of them names a user."""

    stages: Stages
    observed: Observed
    """Every metric that the log supports, of the whole log."""
    daily: Observed
    """Those that are numbers, by day."""
    daily_by_variant: Observed | None
    searches: Series
    hours: Series
    latency: Series | None
    distributions: tuple[Distribution, ...]
    funnels: tuple[Funnel, ...]
    """Of all sessions, then of each variant; none where the log knows no sessions."""
    diagnosis: Diagnosis | None
    test: ABTest | None
    no_test: str
    """Why there is no A/B test, where the log has variants."""

    @property
    def sql(self) -> dict[str, str]:
        """Every query that ran, by what it was for."""
        return script(self.stages, self._asked())

    def _asked(self) -> dict[str, Table]:
        made = self.stages.made_by
        found = dict(self.observed.asked)
        for observed in (self.daily, self.daily_by_variant):
            if observed is not None:
                by = " and ".join(observed.by)
                asked = {name: one for name, one in observed.asked.items() if name not in made}
                found |= {f"{name}, by {by}": one for name, one in asked.items()}
        for series in (self.searches, self.hours, self.latency):
            found |= {} if series is None else series.asked
        found |= {f"distribution {one.kind.name}": one.asked for one in self.distributions}
        if self.funnels:
            found["funnel"] = funnel_query(self.stages)
        return found if self.test is None else {**self.test.asked, **found}


def gathered(
    log: Log,
    *,
    settings: Settings | None = None,
    control: str | None = None,
    level: float = 0.95,
    check: bool = True,
    progress: Progress | None = None,
) -> Gathered:
    """Ask the log for all of it; pages, queries and sessions are made once for all questions."""
    tell = progress or (lambda what: None)
    variants = log.has("queries.variant")
    if control is not None:
        log.need("an A/B test", "queries.variant")
    stages = staged(log, settings, split=("variant",) if variants else (), progress=progress)
    numbers = [cls() for cls in metrics() if issubclass(cls, Ratio | Count)]
    observed = observe(stages, level=level, check=check, progress=progress)
    daily = observe(stages, numbers, by="day", level=level, progress=progress)
    split = None
    if variants:
        split = observe(stages, numbers, by=("day", "variant"), level=level, progress=progress)
    tell("counting searches over time")
    over_time = searches(stages)
    tell("counting distributions")
    spread = distributions(stages)
    tell("counting the funnel")
    funnels = _funnels(stages, variants=variants)
    test, no_test = _tested(stages, control, level, tell) if variants else (None, "")
    return Gathered(
        stages=stages,
        observed=observed,
        daily=daily,
        daily_by_variant=split,
        searches=over_time,
        hours=over_time if over_time.span == "hour" else searches(stages, "hour"),
        latency=latencies(stages) if log.has("queries.latency_ms") else None,
        distributions=tuple(spread),
        funnels=funnels,
        diagnosis=examine(log, progress=progress) if check else None,
        test=test,
        no_test=no_test,
    )


def _funnels(stages: Stages, *, variants: bool) -> tuple[Funnel, ...]:
    if not stages.knows_persons:
        return ()
    split = funnel(stages, by="variant") if variants else ()
    return (*funnel(stages), *(one for one in split if one.group is not None))


def _tested(
    stages: Stages, control: str | None, level: float, tell: Progress
) -> tuple[ABTest | None, str]:
    """The A/B test; or why there is none, unless somebody asked for it by naming the control."""
    tell("comparing variants")
    try:
        return abtest(stages, control=control, level=round(1 - level, 12), progress=tell), ""
    except CleverdonError as error:
        if control is not None:
            raise
        return None, str(error)
