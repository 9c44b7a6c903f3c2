"""Analysis of an A/B test: participants, sample ratio, effects and power."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import accumulate
from math import inf
from math import log as logarithm
from typing import TYPE_CHECKING, Any

from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon.errors import InputError, OptionError, check_within, check_word, suggest
from cleverdon.logs.abtest.effects import (
    Aggregates,
    Arms,
    EffectOptions,
    MetricColumns,
    aggregate_users,
    check_direction,
    check_guardrail,
    effect_limits,
    estimate_effect,
    guardrail_margins,
    load_tea_tasting,
)
from cleverdon.logs.abtest.results import (
    ABTest,
    Effect,
    Participants,
    Planning,
    check_shares,
    sample_ratio,
)
from cleverdon.logs.calendar import DAY, as_time, find_time_zone, floor_to
from cleverdon.logs.compute import cluster_rows
from cleverdon.logs.log import ACTORS, LogSource
from cleverdon.logs.metrics.base import Metric, Ratio, find_metric
from cleverdon.logs.reading.reader import as_log
from cleverdon.logs.session_tables import SessionTables, build_session_tables
from cleverdon.logs.settings import Settings
from cleverdon.logs.sql import zero_or_one
from cleverdon.stats.multiple_comparisons import (
    CORRECTIONS,
    correct_p_values,
    intervals_adjusted_for,
)
from cleverdon.stats.power import (
    normal_difference,
    normal_sample_size,
    sequential_smallest_difference,
    sequential_users_needed,
)

if TYPE_CHECKING:
    import ibis

_METRICS = ("Success", "Abandonment", "QueryCTR", "ReciprocalClickRank", "Reformulation")
"""The default metrics, as far as the log supports them."""
_GUARDRAILS = ("ZeroResults", "Latency")  # the default guardrails
_CONTROLS = ("control", "baseline", "a")
"""The names of the control if none is given, in any letter case."""


@shows_progress("measuring")
def abtest(
    log: LogSource | SessionTables,
    metrics: Iterable[str | Ratio] | None = None,
    *,
    control: str | None = None,
    guardrails: Mapping[str, float] | Iterable[str] | None = None,
    expected: Mapping[str, float] | None = None,
    start: str | int | None = None,
    end: str | int | None = None,
    cuped: bool | None = None,
    sequential: bool = False,
    correction: str = "holm",
    primary: str | Ratio | None = None,
    level: float = 0.05,
    confidence: float | None = None,
    wanted: float = 0.05,
    power: float = 0.8,
    settings: Settings | None = None,
    check: bool = False,
    progress: Progress | bool | None = None,
) -> ABTest:
    """Compare the variants of an experiment with its control; users are the sample.

    The primary metric decides: its comparisons, of all variants, are one family that p-values and
    intervals are corrected for. The comparisons of the other metrics are a second family.

    Args:
        log: The log, or its session tables.
        metrics: The rates and means to compare; by default Success, Abandonment, QueryCTR,
            ReciprocalClickRank and Reformulation, as far as the log supports them.
        control: The variant to compare all others with; by default the one called control,
            baseline or A.
        guardrails: Metrics that must not be worse by more than a margin, a share of the control's
            value, by name or as `Latency=0.02`; `()` for none.
        expected: The shares of users that the variants should have, which sum to 1; by default the
            same for all.
        start: The start of the experiment; by default the first search that has a variant.
        end: Its end; by default that of the log.
        cuped: Adjust differences by the same users' behaviour before the experiment; by default if
            the log goes back far enough.
        sequential: Use p-values and intervals that stay valid if you look at them repeatedly.
        correction: The correction of p-values and intervals over a family: "holm", "bonferroni",
            "benjamini-hochberg" or "none".
        primary: The metric that decides, by default the first; "all" makes one family of all.
        level: The largest corrected p-value that is significant.
        confidence: The confidence of intervals; by default 1 - level.
        wanted: The relative difference that the test should be able to detect.
        power: The probability of detecting it.
        settings: How to count; by default those of the session tables, or `Settings()`.
        check: Add notes on metrics that use rows with errors, as the log doctor finds them.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        The effects and guardrails; the test is not `trusted` if users are missing.

    Raises:
        InputError: The log has no experiment, or lacks the columns of all metrics.
        OptionError: An option has a value that is not allowed, the control is unknown, or the
            primary metric is not compared.

    >>> from cleverdon.logs.log import worked_log
    >>> log, _ = worked_log('''
    ...     ann 0:00 hats variant=A click@1
    ...     bob 0:00 hats variant=A
    ...     cid 0:00 hats variant=B click@1
    ...     dee 0:00 hats variant=B click@1
    ...     =
    ... ''')
    >>> abtest(log, ["QueryCTR"], guardrails=()).effect("QueryCTR").difference
    0.5
    """
    progress = as_callback(progress)
    check_word("correction", correction, CORRECTIONS)
    confidence = 1 - level if confidence is None else confidence
    shares = {"level": level, "confidence": confidence, "wanted": wanted, "power": power}
    for name, share in shares.items():
        check_within(name, share, 0, 1)
    load_tea_tasting()  # before anything takes long
    if expected is not None:
        check_shares(expected)
    goals = [_ratio(one) for one in _each(_METRICS if metrics is None else metrics)]
    decides = None if primary is None or primary == "all" else _primary_metric(primary, goals)
    margins = guardrail_margins(_GUARDRAILS if guardrails is None else guardrails)
    limits = {check_direction(_ratio(name)): margin for name, margin in margins.items()}
    tables = _session_tables(log, settings, progress)
    zone = tables.settings.timezone
    members, participants, who = _find_participants(
        tables, start=_parse_moment(start, zone), end=_parse_moment(end, zone)
    )
    control = _control(participants, control, tables)
    ratio = sample_ratio(participants.users, expected)
    missing = {
        **_missing(tables, goals, asked_for=metrics is not None),
        **_missing(tables, limits, asked_for=guardrails is not None),
    }
    if decides is not None:
        _missing(tables, [decides], asked_for=True)
    goals = [one for one in goals if str(one) not in missing]
    if primary is None and goals:
        decides = goals[0]
    ratios = [one for one in (*goals, *limits) if str(one) not in missing]
    if not ratios:
        raise InputError(
            "the log lacks the columns of all these metrics; cleverdon logs check shows what is "
            "missing",
            source=tables.log.source,
        )
    (progress or (lambda what: None))("adding up users")
    table = _user_sums(tables, members, ratios, start=participants.start, end=participants.end)
    sums = aggregate_users(table, len(ratios))
    how = EffectOptions(
        level=level,
        cuped=_with_past(sums, cuped),
        sequential=sequential,
        wanted=wanted,
        confidence=confidence,
    )
    tested = {
        (variant, metric): estimate_effect(
            metric, (control, variant), MetricColumns.of(place), sums[control], sums[variant], how
        )
        for variant in participants.users
        if variant != control
        for place, metric in enumerate(ratios)
    }
    of_goals = [found for (_, metric), found in tested.items() if metric in goals]
    effects = [
        effect
        for is_primary in (True, False)
        for effect in _corrected(
            [one for one in of_goals if (decides in (None, one[0].metric)) == is_primary],
            participants,
            how,
            primary=is_primary,
            correction=correction,
            power=power,
        )
    ]
    order = {(effect.variant, effect.metric): at for at, (effect, _) in enumerate(of_goals)}
    effects.sort(key=lambda one: order[one.variant, one.metric])
    return ABTest(
        tables=tables,
        control=control,
        participants=participants,
        ratio=ratio,
        effects=tuple(effects),
        guardrails=tuple(
            check_guardrail(*found, limits[metric], how)
            for (_, metric), found in tested.items()
            if metric in limits
        ),
        correction=correction,
        primary=decides,
        primary_named=primary is not None,
        level=level,
        confidence=confidence,
        sequential=sequential,
        wanted=wanted,
        power=power,
        cuped=any(found.adjustment is not None for found, _ in tested.values()),
        missing=missing,
        notes=(*tables.notes, *(_errors(tables, ratios, progress) if check else ())),
        asked={**tables.made_by, "who took part": who, "sums of each user": table},
    )


def _errors(
    tables: SessionTables, ratios: Sequence[Ratio], progress: Progress | None
) -> tuple[str, ...]:
    """Return the errors of the log, each with the metrics that it makes wrong."""
    from cleverdon.logs.doctor.checks import find_errors  # not always needed

    names = list(dict.fromkeys(map(str, ratios)))
    found = find_errors(tables.log, names, progress=progress)
    spoiled: dict[str, list[str]] = {}
    for name in names:
        for one in found.get(name, []):
            spoiled.setdefault(one.sentence, []).append(name)
    return tuple(f"{', '.join(names)}: {sentence}" for sentence, names in spoiled.items())


def _session_tables(
    log: LogSource | SessionTables, settings: Settings | None, progress: Progress | None
) -> SessionTables:
    if isinstance(log, SessionTables):
        if "variant" in log.split:
            return log
        settings, log = log.settings, log.log
    log = as_log(log)
    log.need("an A/B test", "queries.variant")
    return build_session_tables(log, settings, split=["variant"], progress=progress)


def _each(wanted: Iterable[str | Ratio]) -> list[str | Ratio]:
    if isinstance(wanted, str):
        wanted = wanted.replace(",", " ").split()
    return list({str(one).casefold(): one for one in wanted}.values())


def _ratio(named: str | Ratio) -> Ratio:
    """Return a metric; raise OptionError unless it is a ratio."""
    metric: Metric = find_metric(named) if isinstance(named, str) else named
    if not isinstance(metric, Ratio):
        raise OptionError(
            f"{metric} cannot be compared: it is a count or a list; Success and Latency can"
        )
    return metric


def _primary_metric(named: str | Ratio, goals: Sequence[Ratio]) -> Ratio:
    """Return the metric that decides; raise OptionError unless it is compared."""
    wanted = str(_ratio(named))
    for one in goals:
        if str(one) == wanted:
            return one
    raise OptionError(
        f"primary={wanted!r} is not among the metrics that are compared: "
        f"{', '.join(map(str, goals))}"
    )


def _control(participants: Participants, named: str | None, tables: SessionTables) -> str:
    """Return the control; raise an error if there is nothing to compare it with."""
    users, unit, source = participants.users, participants.unit, tables.log.source
    mixed = participants.contaminated
    left_out = f"{participants.counted(mixed)} saw several" if mixed else ""
    if not users:
        reason = f"no {unit} has a variant"
        if mixed:
            were = "was" if mixed == 1 else "were"
            reason = f"nobody saw one variant only: {left_out}, and {were} left out"
        span = f"from {as_time(participants.start)} to {as_time(participants.end)} (UTC)"
        raise InputError(f"{span} {reason}", source=source)
    if named is not None and named not in users:
        raise InputError(f"there is no variant {named!r}{suggest(named, users)}", source=source)
    if len(users) == 1:
        less = f" ({left_out}, left out)" if mixed else ""
        raise InputError(
            f"all {unit}s have the variant {next(iter(users))!r}{less}; a comparison needs two",
            source=source,
        )
    if named is not None:
        return named
    known = [name for name in users if name.casefold() in _CONTROLS]
    if len(known) != 1:
        listed = ", ".join(repr(name) for name in users)
        raise OptionError(f"which variant is the control? Name it (--control); there are {listed}")
    return known[0]


def _missing(
    tables: SessionTables, ratios: Iterable[Ratio], *, asked_for: bool
) -> dict[str, tuple[str, ...]]:
    """Return the metrics that the log does not support; raise an error if they were asked for."""
    found = {str(one): lacks for one in ratios if (lacks := tuple(one.missing(tables)))}
    for name, lacks in found.items() if asked_for else ():
        tables.log.need(name, *lacks)
    return found


def _with_past(sums: Mapping[str, Aggregates], cuped: bool | None) -> bool:
    has_past = any(
        side.mean(name) > 0 for side in sums.values() for name in side.mean_ if "before" in name
    )
    if cuped and not has_past:
        raise OptionError(
            "CUPED needs data on users from before the experiment, and the log has none: use a log "
            "that goes further back, a later start (--start), or --no-cuped"
        )
    return has_past if cuped is None else cuped


def _corrected(
    tested: list[tuple[Effect, Arms | None]],
    participants: Participants,
    how: EffectOptions,
    *,
    primary: bool,
    correction: str,
    power: float,
) -> list[Effect]:
    """Return the effects of a family with corrected p-values and intervals, and their planning."""
    p_values = [found.p for found, _ in tested if found.p is not None]
    corrected = correct_p_values(correction, p_values)
    left = iter(corrected)
    count = intervals_adjusted_for(correction, corrected, how.level)
    found = []
    for effect, arms in tested:
        one = replace(effect, primary=primary, family=len(p_values))
        if arms is not None:
            ends = effect_limits(one.metric, arms, how, (1 - how.confidence) / count)
            plan = _plan_test(arms, participants, how, level=how.level / count, power=power)
            one = replace(one, corrected=next(left), planning=plan, **ends._asdict())
        found.append(one)
    return found


_FEWEST_DAYS = 3  # whole days that are needed to estimate how fast new users become rare
_LEAST_GROWTH = 0.05


@dataclass(frozen=True)
class Growth:
    """Growth of the number of users: `users * (t / days) ** exponent` after t days."""

    users: int
    days: float
    exponent: float  # 1 if each day brings as many new users as the first

    def days_until(self, users: float) -> float:
        """Return the days from the start until there are this many users."""
        if not users < inf:
            return inf
        try:
            return float(self.days * (users / self.users) ** (1 / self.exponent))
        except OverflowError:
            return inf


def _fit_growth(arrivals: Sequence[int], days: float) -> Growth:
    # The exponent is the slope, by least squares, of the logarithm of all users so far on that of
    # the days: through the last point, and over the second half of the days, which predicts best.
    so_far = list(accumulate(arrivals))
    total = so_far[-1]
    points = [
        (logarithm(day / days), logarithm(users / total))
        for day, users in enumerate(so_far, 1)
        if days / 2 <= day < days and users
    ]
    below = sum(x * x for x, _ in points)
    if int(days) < _FEWEST_DAYS or not below:
        return Growth(total, days, 1.0)
    slope = sum(x * y for x, y in points) / below
    return Growth(total, days, min(max(slope, _LEAST_GROWTH), 1.0))


def _plan_test(
    found: Arms, participants: Participants, how: EffectOptions, *, level: float, power: float
) -> Planning:
    """Return the difference that can be detected, and the users needed; `level` is per test."""
    value = abs(found.control.value)
    if not value:
        return Planning(level, None, None, None)
    users = found.control.users + found.variant.users
    share = users / participants.total  # the other variants need users as well
    design: dict[str, Any] = {"level": level, "power": power}
    if how.sequential:
        design["spread"] = how.spread(found)
        smallest = sequential_smallest_difference(found.squared_error, **design)
    else:
        smallest = normal_difference(found.deviation, users, **design)
    users_for = sequential_users_needed if how.sequential else normal_sample_size
    needed = users_for(how.wanted * value, found.deviation, **design) / share
    pace = _fit_growth(participants.arrivals, participants.days)
    return Planning(
        level=level,
        smallest=smallest / value,
        users_needed=needed,
        days_needed=pace.days_until(needed),
    )


def _parse_moment(given: str | int | None, timezone: str) -> int | None:
    """Return a day or a time as milliseconds since 1970; without a zone it is in `timezone`."""
    if given is None or isinstance(given, int):
        return given
    try:
        when = datetime.fromisoformat(given)
    except ValueError:
        raise OptionError(
            f"{given!r} is not a time; write 2026-11-15 or 2026-11-15T13:00"
        ) from None
    if when.tzinfo is None:
        when = when.replace(tzinfo=find_time_zone(timezone))
    return round(when.timestamp() * 1000)


def _find_participants(
    tables: SessionTables, *, start: int | None = None, end: int | None = None
) -> tuple[ibis.Table, Participants, ibis.Table]:
    """Return the users with their variants, as a table; their counts; and the query for them."""
    if not tables.knows_persons:
        tables.log.need("an A/B test", "queries.user")
    # The best id that the log has. Searches without it are not part of the test, even if another id
    # stands for their user in other metrics: it is unknown which id they were assigned by.
    unit = tables.log.actors[0]
    pages = tables.pages
    if start is None:
        start = pages.time.min(where=pages.variant.notnull()).to_pyarrow().as_py()
    if start is None:
        raise InputError(
            "no search names a variant, so there is no experiment",
            source=tables.log.source,
        )
    # Days outside the log are not part of the experiment.
    if end is None or end > tables.last + 1 > start:
        end = tables.last + 1
    if start < tables.first < end:
        start = tables.first
    if end <= start:
        raise OptionError(
            f"the experiment ends ({as_time(end)}) before it starts ({as_time(start)})"
        )
    window = pages.filter((pages.time >= start) & (pages.time < end))
    known = window.actor.startswith(ACTORS[unit]).fill_null(False)
    named = window.filter(known)
    found = named.group_by("cluster").agg(
        variant=named.variant.min(),
        # With two different variants, the smallest and the largest differ.
        mixed=(named.variant.min() != named.variant.max()).fill_null(False),
        first=named.time.min(),
    )
    users = found.cache()
    day = floor_to(users.first - start, DAY).name("day")
    counts = users.group_by("variant", "mixed", day).agg(users=users.count()).to_pyarrow()
    anonymous = window.filter(~known).count().to_pyarrow().as_py()
    members = users.filter(users.variant.notnull() & ~users.mixed).select("cluster", "variant")
    return members, _count_participants(counts.to_pylist(), unit, start, end, anonymous), found


def _count_participants(
    rows: Sequence[dict[str, Any]], unit: str, start: int, end: int, anonymous: int
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


def _user_sums(
    tables: SessionTables, members: ibis.Table, ratios: Sequence[Ratio], *, start: int, end: int
) -> ibis.Table:
    """Return a row for each participant, with the columns of `MetricColumns`."""
    # Rows before the start count as the past only without a variant: a session that began before
    # and saw a variant later belongs to neither.
    table = members
    for unit in dict.fromkeys(ratio.unit for ratio in ratios):
        places = [place for place, ratio in enumerate(ratios) if ratio.unit == unit]
        rows = getattr(tables, unit)
        during = rows.filter((rows.time >= start) & (rows.time < end))
        before = rows.filter((rows.time < start) & rows.variant.isnull())
        for part, prefix in ((during, ""), (before, "before_")):
            sums = cluster_rows(part, [ratios[place] for place in places])
            columns = {
                f"{prefix}{kind}{place}": sums[f"{kind}{number}"].cast("float64").fill_null(0.0)
                for number, place in enumerate(places)
                for kind in "nd"
            }
            joined = table.left_join(sums, table.cluster == sums.cluster)
            table = joined.select(*[table[name] for name in table.columns], **columns)
    more = {}
    for named in map(MetricColumns.of, range(len(ratios))):
        known = table[named.denominator_before] > 0
        more[named.known_before] = zero_or_one(known).cast("float64")
        more[named.heaviest] = table[named.denominator].max().over(group_by="variant")
    return table.mutate(**more)
