"""Small logs of an experiment, and simulated users for whom no log is needed."""

from __future__ import annotations

from typing import Any

import numpy as np
import tea_tasting.aggr

from cleverdon._common.arrays import Floats
from cleverdon.logs.abtest.effects import Aggregates, MetricColumns
from cleverdon.logs.log import Log, log_of

START = 1_772_409_600_000
"""When the experiments of these logs begin: the second of March 2026, a Monday, in UTC."""
HOUR = 3_600_000

COLUMNS = MetricColumns.of(0)


def search(user: str | None, variant: str | None, hour: float, **more: Any) -> dict[str, Any]:
    """A search so many hours after the start; one before it has no variant."""
    return {"user": user, "variant": variant, "time": START + round(hour * HOUR), **more}


def log_with(searches: list[dict[str, Any]]) -> Log:
    """A log of these searches; `clicks` are so many clicks on a page."""
    queries, events = [], []
    for number, given in enumerate(searches):
        page = {"query_id": f"q{number}", "text": f"t{number}", **given}
        clicks = page.pop("clicks", 0)
        queries.append(page)
        events += [
            {
                "query_id": page["query_id"],
                "time": page["time"] + 1000,
                "action": "click",
                "position": place + 1,
                "dwell_ms": 60_000,
            }
            for place in range(clicks)
        ]
    return log_of(queries, events)


def aggregates(n: Floats, d: Floats, before_n: Floats, before_d: Floats) -> Aggregates:
    """As the engine would give them, of one number a user each."""
    values = dict(zip((*COLUMNS.during, *COLUMNS.before), (n, d, before_n, before_d), strict=True))
    covariances = np.cov(np.array(list(values.values())))
    names = list(values)
    return tea_tasting.aggr.Aggregates(
        count_=len(n),
        mean_={
            **{name: float(column.mean()) for name, column in values.items()},
            COLUMNS.known_before: float((before_d > 0).mean()),
            COLUMNS.heaviest: float(d.max()),
        },
        var_={name: float(covariances[at, at]) for at, name in enumerate(names)},
        cov_={
            (names[i], names[j]): float(covariances[i, j])
            for i in range(4)
            for j in range(i + 1, 4)
        },
    )


def simulated(
    random: np.random.Generator, users: int, *, effect: float = 0.0, past: bool = True
) -> tuple[Floats, Floats, Floats, Floats]:
    """What users add: the sessions of each are alike, and those who come often succeed more often.

    `effect` is added to everybody's chance. Three of ten have no past.
    """
    often = random.gamma(2.0, 1.5, users)
    chance = np.clip(0.2 + 0.05 * often + random.uniform(-0.2, 0.2, users), 0.02, 0.9)
    sessions = 1 + random.poisson(often)
    good = random.binomial(sessions, np.clip(chance + effect, 0, 1))
    known = (random.random(users) < 0.7) & past
    before = np.where(known, random.poisson(2 * often), 0)
    good_before = random.binomial(before, chance)
    return tuple(
        np.asarray(part, dtype=np.float64) for part in (good, sessions, good_before, before)
    )  # type: ignore[return-value]


def true_effect(effect: float) -> float:
    """By how much the metric itself differs: weighted by sessions, and cut off at 1."""
    random = np.random.default_rng(12345)
    often = random.gamma(2.0, 1.5, 400_000)
    chance = np.clip(0.2 + 0.05 * often + random.uniform(-0.2, 0.2, len(often)), 0.02, 0.9)
    weights = 1 + often
    changed = np.clip(chance + effect, 0, 1) - chance
    return float((weights * changed).sum() / weights.sum())
