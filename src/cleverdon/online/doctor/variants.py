"""Whether an experiment's variants were kept apart, all the time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from cleverdon.errors import MissingExtra
from cleverdon.online import days
from cleverdon.online.doctor.base import Check, RowCheck, check
from cleverdon.online.doctor.facts import Facts, asked
from cleverdon.online.doctor.findings import Finding
from cleverdon.online.doctor.limits import Limits

if TYPE_CHECKING:
    from ibis import Table

_USERS_A_VARIANT = 10
"""Days on which fewer users come in say nothing of their shares."""


@check
class UsersInSeveralVariants(RowCheck):
    """Users who saw more than one variant."""

    table = "assigned"
    noun = "users who saw a variant"
    matters = "What they do is no effect of one variant; tests take each user as of one."
    remedy = "assign variants by user, once and for all; leave these users out of the test"
    error_from = 0.01
    needs = ("queries.variant",)
    needs_persons = True
    shows = ("person", "variant", "another", "searches", "since")

    def wrong(self, rows: Table, limits: Limits) -> Any:
        return rows.variant != rows.another


@check
class ChangingSplit(Check):
    """Variants whose shares of new users change from day to day.

    By a chi-squared test over the days on which users saw their first variant.
    """

    noun = "days"
    matters = "Variants then differ in when they ran, and not only in what they are."
    remedy = "compare only days of the same split, or weigh days alike in both variants"
    needs = ("queries.variant",)
    needs_persons = True

    def find(self, facts: Facts) -> Iterable[Finding]:
        users = facts.table("assigned")
        users = users.filter(users.variant == users.another)
        users = users.mutate(day=days.floor_to(users.since, days.DAY))
        rows = asked(users.group_by("day", "variant").agg(users=users.count()))
        names = sorted({row["variant"] for row in rows})
        dates = sorted({row["day"] for row in rows})
        counts = np.zeros((len(dates), len(names)))
        for row in rows:
            counts[dates.index(row["day"]), names.index(row["variant"])] = row["users"]
        kept = counts.sum(axis=1) >= _USERS_A_VARIANT * len(names)
        counts, dates = counts[kept], [date for date, keep in zip(dates, kept, strict=True) if keep]
        if len(names) < 2 or len(dates) < 2:
            return
        p, odd = _changes(counts)
        if p < facts.limits.least_p:
            worst = sorted(range(len(dates)), key=lambda day: (-odd[day], dates[day]))
            yield self.finding(
                int((odd > 0.2 * odd.max()).sum()),
                len(dates),
                details=[f"That this is chance has a probability of {max(p, 1e-300):.0e}."],
                examples=[
                    {"day": days.as_date(dates[day])}
                    | {f"users in {name}": int(counts[day, at]) for at, name in enumerate(names)}
                    for day in worst[: facts.limits.examples]
                ],
            )


def _changes(counts: Any) -> tuple[float, Any]:
    """The p-value of all days having the same shares, and what each day adds to the statistic."""
    try:
        # scipy.stats would take longer to load than the log to look through.
        from scipy.special import chdtrc  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        raise MissingExtra("seeing whether shares change", package="scipy", extra="logs") from None
    counts = counts[:, counts.sum(axis=0) > 0]
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    odd = ((counts - expected) ** 2 / expected).sum(axis=1)
    degrees = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    return (float(chdtrc(degrees, odd.sum())) if degrees else 1.0), odd
