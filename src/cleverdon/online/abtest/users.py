"""Who took part in an experiment, and what each user adds to every metric.

Users are randomised, so that users are the sample. Whoever saw one variant takes part, with all
that they did from the experiment's start on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from cleverdon.errors import InputError, OptionError
from cleverdon.online.abtest.results import Participants
from cleverdon.online.days import DAY, as_time, floor_to, zone
from cleverdon.online.log import ACTORS
from cleverdon.online.metrics.base import Ratio
from cleverdon.online.observing import by_cluster
from cleverdon.online.portable import whole
from cleverdon.online.stages import Stages

if TYPE_CHECKING:
    import ibis


@dataclass(frozen=True)
class Columns:
    """Where a metric stands in the table of users: its parts, and those before the experiment."""

    numerator: str
    denominator: str
    numerator_before: str
    denominator_before: str
    known_before: str
    """1 for a user with something before, and 0 for others."""
    heaviest: str
    """The largest denominator of any user in the variant."""

    @classmethod
    def of(cls, place: int) -> Columns:
        before = (f"before_n{place}", f"before_d{place}", f"before{place}")
        return cls(f"n{place}", f"d{place}", *before, f"heaviest{place}")

    @property
    def parts(self) -> tuple[str, str, str, str]:
        return (
            self.numerator,
            self.denominator,
            self.numerator_before,
            self.denominator_before,
        )


def moment(given: str | int | None, timezone: str) -> int | None:
    """Milliseconds since 1970 of a day or a time, by the clocks of the zone where it names none.

    >>> moment("2026-11-15", "UTC"), moment("2026-11-15T01:00+01:00", "UTC")
    (1794700800000, 1794700800000)
    """
    if given is None or isinstance(given, int):
        return given
    try:
        when = datetime.fromisoformat(given)
    except ValueError:
        raise OptionError(
            f"{given!r} is no time; times are as in 2026-11-15 or 2026-11-15T13:00"
        ) from None
    if when.tzinfo is None:
        when = when.replace(tzinfo=zone(timezone))
    return round(when.timestamp() * 1000)


def taking_part(
    stages: Stages, *, start: int | None = None, end: int | None = None
) -> tuple[ibis.Table, Participants, ibis.Table]:
    """The users with their variants, as a table; how many there are; and what found them."""
    if not stages.knows_persons:
        stages.log.need("an A/B test", "queries.user")
    # The best id that the log has: searches that lack it are no part of the test, even if something
    # else stands for their user in other metrics, since nobody knows what they were assigned by.
    unit = stages.log.actors[0]
    pages = stages.pages
    if start is None:
        start = _first_of_experiment(stages)
    # Days without a log are no days of the experiment.
    if end is None or end > stages.last + 1 > start:
        end = stages.last + 1
    if start < stages.first < end:
        start = stages.first
    if end <= start:
        raise OptionError(
            f"the experiment ends ({as_time(end)}) before it starts ({as_time(start)})"
        )
    window = pages.filter((pages.time >= start) & (pages.time < end))
    known = window.actor.startswith(ACTORS[unit]).fill_null(False)
    named = window.filter(known)
    found = named.group_by("cluster").agg(
        variant=named.variant.min(),
        # Two different variants: then the smallest and the largest differ.
        mixed=(named.variant.min() != named.variant.max()).fill_null(False),
        first=named.time.min(),
    )
    users = found.cache()
    day = floor_to(users.first - start, DAY).name("day")
    counts = users.group_by("variant", "mixed", day).agg(users=users.count()).to_pyarrow()
    anonymous = window.filter(~known).count().to_pyarrow().as_py()
    members = users.filter(users.variant.notnull() & ~users.mixed).select("cluster", "variant")
    return members, _counted(counts.to_pylist(), unit, start, end, anonymous), found


def _first_of_experiment(stages: Stages) -> int:
    pages = stages.pages
    first: int | None = pages.time.min(where=pages.variant.notnull()).to_pyarrow().as_py()
    if first is None:
        raise InputError(
            "no search says which variant its user saw, so that there is no experiment",
            source=stages.log.source,
        )
    return first


def _counted(
    rows: Sequence[dict[str, Any]],
    unit: str,
    start: int,
    end: int,
    anonymous: int,
) -> Participants:
    users: Counter[str] = Counter()
    arrivals: Counter[int] = Counter()
    contaminated = unassigned = 0
    for row in rows:
        if row["mixed"]:
            contaminated += row["users"]
        elif row["variant"] is None:
            unassigned += row["users"]
        else:
            users[row["variant"]] += row["users"]
            arrivals[row["day"]] += row["users"]
    return Participants(
        unit=unit,
        start=start,
        end=end,
        users={name: users[name] for name in sorted(users)},
        contaminated=contaminated,
        unassigned=unassigned,
        anonymous=anonymous,
        arrivals=tuple(arrivals[day] for day in range(max(arrivals, default=-1) + 1)),
    )


def per_user(
    stages: Stages, members: ibis.Table, ratios: Sequence[Ratio], *, start: int, end: int
) -> ibis.Table:
    """A row for each user who takes part, with the columns that `Columns` names; 0 for nothing.

    What was before the experiment are the rows before its start of which no variant is known: a
    session that began before and saw a variant later is neither.
    """
    table = members
    for unit in dict.fromkeys(ratio.unit for ratio in ratios):
        places = [place for place, ratio in enumerate(ratios) if ratio.unit == unit]
        rows = getattr(stages, unit)
        during = rows.filter((rows.time >= start) & (rows.time < end))
        before = rows.filter((rows.time < start) & rows.variant.isnull())
        for part, prefix in ((during, ""), (before, "before_")):
            sums = by_cluster(part, [ratios[place] for place in places])
            names = {
                f"{kind}{number}": f"{prefix}{kind}{place}"
                for number, place in enumerate(places)
                for kind in "nd"
            }
            joined = table.left_join(sums, table.cluster == sums.cluster)
            table = joined.select(
                *[table[name] for name in table.columns],
                **{
                    name: sums[given].cast("float64").fill_null(0.0)
                    for given, name in names.items()
                },
            )
    more = {}
    for columns in map(Columns.of, range(len(ratios))):
        known = table[columns.denominator_before] > 0
        more[columns.known_before] = whole(known).cast("float64")
        more[columns.heaviest] = table[columns.denominator].max().over(group_by="variant")
    return table.mutate(**more)
