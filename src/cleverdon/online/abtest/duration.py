"""What the users at hand can show, how many it would take, and how long until they are there.

Powers are by the normal distribution, since an estimate from an estimate is no better by another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import inf, log

from cleverdon.compare.design import normal_difference, normal_topics
from cleverdon.online.abtest import sequential
from cleverdon.online.abtest.arms import Arms
from cleverdon.online.abtest.effects import How
from cleverdon.online.abtest.results import Participants, Planning

FEWEST_DAYS = 3
"""So many whole days there must be to see how fast new users become rare."""
LEAST_GROWTH = 0.05


@dataclass(frozen=True)
class Growth:
    """How users come in: after t days there are `users * (t / days) ** exponent` of them.

    With an exponent of 1 each day brings as many new users as the first. It is less where the same
    users come again.
    """

    users: int
    days: float
    exponent: float

    def days_until(self, users: float) -> float:
        """After how many days, from the start, there are so many users."""
        if not users < inf:
            return inf
        try:
            return float(self.days * (users / self.users) ** (1 / self.exponent))
        except OverflowError:
            return inf


def growth(arrivals: Sequence[int], days: float) -> Growth:
    """How users came in, day by day, and so will go on to.

    The exponent is the slope, by least squares, of the logarithm of all users so far on that of the
    days; through the last point, and over the second half of the days, since it is the future that
    is asked for.

    >>> round(growth([100, 100, 100, 100], 4).exponent, 3)
    1.0
    >>> growth([100, 41, 32, 27, 24, 21, 20, 18], 8).exponent < 0.52
    True
    """
    so_far = list(accumulate(arrivals))
    total = so_far[-1]
    points = [
        (log(day / days), log(users / total))
        for day, users in enumerate(so_far, 1)
        if days / 2 <= day < days and users
    ]
    below = sum(x * x for x, _ in points)
    if int(days) < FEWEST_DAYS or not below:
        return Growth(total, days, 1.0)
    slope = sum(x * y for x, y in points) / below
    return Growth(total, days, min(max(slope, LEAST_GROWTH), 1.0))


def planning(
    found: Arms, participants: Participants, how: How, *, level: float, power: float
) -> Planning:
    """What this comparison can show, and what it would take; `level` is that of each test."""
    value = abs(found.control.value)
    if not value:
        return Planning(None, None, None, None)
    users = found.control.users + found.variant.users
    # The others' variants need their users as well.
    share = users / participants.total
    if how.sequential:
        about = {"spread": how.spread(found), "level": level, "power": power}
        smallest = sequential.smallest_difference(found.squared_error, **about)
        wanted, seen = (
            sequential.users_needed(size, found.deviation, **about)
            for size in (how.wanted * value, abs(found.difference))
        )
    else:
        smallest = normal_difference(found.deviation, users, level=level, power=power)
        wanted, seen = (
            normal_topics(size, found.deviation, level=level, power=power)
            for size in (how.wanted * value, abs(found.difference))
        )
    needed = wanted / share
    pace = growth(participants.arrivals, participants.days)
    return Planning(
        smallest=smallest / value,
        users_needed=needed,
        days_needed=pace.days_until(needed),
        users_for_seen=seen / share,
    )
