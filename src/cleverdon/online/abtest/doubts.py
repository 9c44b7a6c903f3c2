"""What speaks against believing an A/B test."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from cleverdon.compare.doubts import Doubt
from cleverdon.compare.multiplicity import holm
from cleverdon.errors import OptionError, suggest
from cleverdon.online.abtest.results import ABTest

MOST_CONTAMINATED = 0.01
FEWEST_USERS = 200
FEWEST_FOR_SHARES = 100
"""Of fewer users one always has a large share, which tells nothing of that user."""
BEFORE_LEVEL = 0.01
MOST_OF_ONE = 0.05
WEEK = 7

Found = tuple[str, float] | None
"""A sentence and the number that it is about; None where there is nothing to say."""


def _doubtful_ratio(test: ABTest) -> Found:
    if test.ratio.verdict != "doubtful":
        return None
    unit = test.participants.unit
    return (
        f"the split of {unit}s over variants is unusual (p = {test.ratio.p:.2g}): check how they "
        "are assigned, and whether any are missing from the log",
        test.ratio.p,
    )


def _contaminated(test: ABTest) -> Found:
    count = test.participants.contaminated
    share = count / (count + test.participants.total)
    if share <= MOST_CONTAMINATED:
        return None
    unit = test.participants.unit
    return f"{share:.1%} of the {unit}s saw more than one variant and were left out", share


def _differed_before(test: ABTest) -> Found:
    before = [
        (one.adjustment.p_before, one)
        for one in test.effects
        if one.adjustment is not None and one.adjustment.p_before is not None
    ]
    if not before:
        return None
    corrected = holm([p for p, _ in before])
    lowest, (_, one) = min(zip(corrected, before, strict=True), key=lambda pair: pair[0])
    if lowest > BEFORE_LEVEL:
        return None
    return (
        f"the users of {one.variant} differed from those of {one.control} on {one.metric} before "
        f"the experiment began (p = {lowest:.1g}), which a fair split seldom gives",
        lowest,
    )


def _part_of_a_week(test: ABTest) -> Found:
    days = test.participants.days
    if days >= WEEK - 0.5:  # a log seldom begins and ends at midnight
        return None
    return (
        f"the experiment ran for {days:.1f} days, and users of other days of the week may differ",
        days,
    )


def _few_users(test: ABTest) -> Found:
    name, fewest = min(test.participants.users.items(), key=lambda item: item[1])
    if fewest >= FEWEST_USERS:
        return None
    unit = test.participants.unit
    cut = ""
    if any(one.metric.kind == "share" and (one.low == -1 or one.high == 1) for one in test.effects):
        cut = "; intervals of shares are cut off at 100 points, beyond which nothing is possible"
    return (
        f"{name} has {test.participants.counted(fewest)}, so few that intervals and p-values are "
        f"rough where {unit}s differ a lot{cut}",
        float(fewest),
    )


def _heavy_user(test: ABTest) -> Found:
    sides = [
        (side.heaviest, name, one.metric)
        for one in test.effects
        if one.sides is not None
        for side, name in zip(one.sides, (one.control, one.variant), strict=True)
        if side.users >= FEWEST_FOR_SHARES
    ]
    if not sides:
        return None
    share, name, metric = max(sides, key=lambda side: side[0])
    if share <= MOST_OF_ONE:
        return None
    unit = test.participants.unit
    return (
        f"one {unit} of {name} has {share:.0%} of the {metric.over} behind {metric}: if that is a "
        "program, take it out of the log",
        share,
    )


def _sessions_randomised(test: ABTest) -> Found:
    if test.participants.unit == "user":
        return None
    return (
        f"the log does not name users, so that {test.participants.unit}s stand for them; p-values "
        "are too small where users come again",
        float(test.participants.total),
    )


_KOHAVI = "Kohavi, Tang & Xu 2020, doi:10.1017/9781108653985"

RULES: dict[str, tuple[Callable[[ABTest], Found], str]] = {
    "sample-ratio": (_doubtful_ratio, "Fabijan et al. 2019, doi:10.1145/3292500.3330722"),
    "contaminated": (_contaminated, "Crook et al. 2009, doi:10.1145/1557019.1557139"),
    "differed-before": (_differed_before, _KOHAVI),
    "part-of-a-week": (_part_of_a_week, _KOHAVI),
    "few-users": (_few_users, "Kohavi et al. 2014, doi:10.1145/2623330.2623341"),
    "heavy-user": (_heavy_user, _KOHAVI),
    "sessions-randomised": (
        _sessions_randomised,
        "Deng, Knoblich & Lu 2018, doi:10.1145/3219819.3219919",
    ),
}
"""Each doubt by its name, with what finds it and a reference."""


def doubts(test: ABTest, *, silence: Iterable[str] = ()) -> list[Doubt]:
    """What speaks against believing a test, a record for each reason; `silence` names others."""
    silent = set(silence)
    for name in silent:
        if name not in RULES:
            raise OptionError(f"there is no doubt {name!r} to silence{suggest(name, RULES)}")
    found = []
    for name, (find, reference) in RULES.items():
        raised = None if name in silent else find(test)
        if raised is not None:
            found.append(Doubt(name, *raised, reference))
    return found
