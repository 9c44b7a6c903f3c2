"""The whole of an A/B test: who took part, whether they were split fairly, and what differed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from cleverdon.compare.multiplicity import CORRECTIONS, corrected
from cleverdon.errors import InputError, OptionError, check_word, suggest
from cleverdon.online.abtest.arms import Aggregates, Arms, aggregated, tea
from cleverdon.online.abtest.duration import planning
from cleverdon.online.abtest.effects import How, effect
from cleverdon.online.abtest.guardrails import check_direction, guardrail, margins
from cleverdon.online.abtest.ratio_mismatch import check_shares, sample_ratio
from cleverdon.online.abtest.results import ABTest, Effect, Participants, each_level
from cleverdon.online.abtest.users import Columns, moment, per_user, taking_part
from cleverdon.online.days import as_time
from cleverdon.online.log import Log
from cleverdon.online.metrics.base import Metric, Ratio
from cleverdon.online.metrics.registry import find
from cleverdon.online.settings import Settings
from cleverdon.online.stages import Progress, Stages, staged

METRICS = ("Success", "Abandonment", "QueryCTR", "ReciprocalClickRank", "Reformulation")
"""What is compared unless something else is asked for, where the log has what it needs."""
GUARDRAILS = ("ZeroResults", "Latency")
"""What must not get worse, unless something else is asked for."""
CONTROLS = ("control", "baseline", "a")
"""Names by which the control is known without being told, letter case aside."""


def abtest(
    log: Log | Stages,
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
    level: float = 0.05,
    wanted: float = 0.05,
    power: float = 0.8,
    settings: Settings | None = None,
    check: bool = False,
    progress: Progress | None = None,
) -> ABTest:
    """Compare the variants of an experiment in a log with its control, user by user.

    `guardrails` are metrics that must not be worse by more than a margin, a share of the control's
    value; none at all are `()`. `expected` are the shares of users that the variants should have,
    which sum to 1.
    With `cuped`, differences are adjusted by what the same users did before the start; by default
    where the log goes back so far. With `sequential`, p-values and intervals are valid however
    often one looks. `wanted` is the difference, relative to the control, that must not be missed.
    With `check`, notes say which metrics rest on rows that the log doctor calls an error.
    """
    check_word("correction", correction, CORRECTIONS)
    for name, share in (("level", level), ("wanted", wanted), ("power", power)):
        if not 0 < share < 1:
            raise OptionError(f"{name}={share}: it lies between 0 and 1")
    tea()  # before anything takes long
    if expected is not None:
        check_shares(expected)
    goals = [_ratio(one) for one in _each(METRICS if metrics is None else metrics)]
    limits = {
        check_direction(_ratio(name)): margin
        for name, margin in margins(GUARDRAILS if guardrails is None else guardrails).items()
    }
    stages = _staged(log, settings, progress)
    zone = stages.settings.timezone
    members, participants, who = taking_part(
        stages, start=moment(start, zone), end=moment(end, zone)
    )
    control = _control(participants, control, stages)
    ratio = sample_ratio(participants.users, expected)
    missing = {
        **_missing(stages, goals, asked_for=metrics is not None),
        **_missing(stages, limits, asked_for=guardrails is not None),
    }
    ratios = [one for one in (*goals, *limits) if str(one) not in missing]
    if not ratios:
        raise InputError(
            "the log has nothing that any of the metrics needs; cleverdon logs check says what is "
            "missing",
            source=stages.log.source,
        )
    (progress or (lambda what: None))("adding up users")
    table = per_user(stages, members, ratios, start=participants.start, end=participants.end)
    sums = aggregated(table, len(ratios))
    how = How(level=level, cuped=_with_past(sums, cuped), sequential=sequential, wanted=wanted)
    tested = {
        (variant, metric): effect(
            metric, (control, variant), Columns.of(place), sums[control], sums[variant], how
        )
        for variant in participants.users
        if variant != control
        for place, metric in enumerate(ratios)
    }
    effects = _corrected(
        [found for (_, metric), found in tested.items() if metric in goals],
        participants,
        how,
        correction=correction,
        power=power,
    )
    return ABTest(
        stages=stages,
        control=control,
        participants=participants,
        ratio=ratio,
        effects=tuple(effects),
        guardrails=tuple(
            guardrail(*found, limits[metric], how)
            for (_, metric), found in tested.items()
            if metric in limits
        ),
        correction=correction,
        level=level,
        sequential=sequential,
        wanted=wanted,
        power=power,
        cuped=any(found.adjustment is not None for found, _ in tested.values()),
        missing=missing,
        notes=(*stages.notes, *(_errors(stages, ratios, progress) if check else ())),
        asked={**stages.made_by, "who took part": who, "sums of each user": table},
    )


def _errors(stages: Stages, ratios: Sequence[Ratio], progress: Progress | None) -> tuple[str, ...]:
    """The errors of the log, each with the metrics that it makes wrong."""
    from cleverdon.online.doctor import errors

    names = list(dict.fromkeys(map(str, ratios)))
    found = errors(stages.log, names, progress=progress)
    spoiled: dict[str, list[str]] = {}
    for name in names:
        for one in found.get(name, []):
            spoiled.setdefault(one.sentence, []).append(name)
    return tuple(f"{', '.join(whose)}: {told}" for told, whose in spoiled.items())


def _staged(log: Log | Stages, settings: Settings | None, progress: Progress | None) -> Stages:
    """The log's tables, with the variants in them."""
    if isinstance(log, Stages):
        if "variant" in log.split:
            return log
        settings, log = log.settings, log.log
    log.need("an A/B test", "queries.variant")
    return staged(log, settings, split=["variant"], progress=progress)


def _each(wanted: Iterable[str | Ratio]) -> list[str | Ratio]:
    """Each metric once, by name or itself."""
    if isinstance(wanted, str):
        wanted = wanted.replace(",", " ").split()
    return list({str(one).casefold(): one for one in wanted}.values())


def _ratio(named: str | Ratio) -> Ratio:
    """The metric of that name, once it is known that each user adds to it."""
    metric: Metric = find(named) if isinstance(named, str) else named
    if not isinstance(metric, Ratio):
        raise OptionError(
            f"{metric} cannot be compared: it is no ratio to which each user adds; rates and means "
            "can be, such as Success or Latency"
        )
    return metric


def _control(participants: Participants, named: str | None, stages: Stages) -> str:
    """The name of the control, once it is known that there is something to compare it with."""
    users = participants.users
    source = stages.log.source
    if not users:
        raise InputError(_nobody(participants), source=source)
    if named is not None and named not in users:
        raise InputError(f"there is no variant {named!r}{suggest(named, users)}", source=source)
    if len(users) == 1:
        left_out = ""
        if participants.contaminated:
            left_out = f" ({participants.counted(participants.contaminated)} saw several, left out)"
        raise InputError(
            f"all {participants.unit}s have the variant {next(iter(users))!r}{left_out}; it takes "
            "two to compare",
            source=source,
        )
    if named is not None:
        return named
    known = [name for name in users if name.casefold() in CONTROLS]
    if len(known) != 1:
        listed = ", ".join(repr(name) for name in users)
        raise OptionError(f"which variant is the control? Name it (--control); there are {listed}")
    return known[0]


def _nobody(participants: Participants) -> str:
    """Why nobody takes part."""
    span = f"from {as_time(participants.start)} to {as_time(participants.end)} (UTC)"
    mixed = participants.contaminated
    if not mixed:
        return f"{span} no {participants.unit} has a variant"
    return (
        f"{span} nobody saw one variant only: {participants.counted(mixed)} saw several, and "
        f"{'was' if mixed == 1 else 'were'} left out"
    )


def _missing(
    stages: Stages, ratios: Iterable[Ratio], *, asked_for: bool
) -> dict[str, tuple[str, ...]]:
    """Metrics that the log does not support; an error where somebody asked for one."""
    found = {str(one): tuple(one.missing(stages)) for one in ratios}
    found = {name: lacks for name, lacks in found.items() if lacks}
    for name, lacks in found.items() if asked_for else ():
        stages.log.need(name, *lacks)
    return found


def _with_past(sums: Mapping[str, Aggregates], cuped: bool | None) -> bool:
    """Whether to adjust by the past: as asked for, or where there is any."""
    has_past = any(
        side.mean(name) > 0 for side in sums.values() for name in side.mean_ if "before" in name
    )
    if cuped and not has_past:
        raise OptionError(
            "CUPED needs what users did before the experiment, and the log has nothing of it: it "
            "would have to go further back, or the experiment to start later (--start); --no-cuped "
            "does without"
        )
    return has_past if cuped is None else cuped


def _corrected(
    tested: list[tuple[Effect, Arms | None]],
    participants: Participants,
    how: How,
    *,
    correction: str,
    power: float,
) -> list[Effect]:
    """The effects with p-values corrected for there being several, and what it would take."""
    p_values = [found.p for found, _ in tested if found.p is not None]
    left = iter(corrected(correction, p_values))
    level = each_level(how.level, correction, len(p_values))
    return [
        replace(
            found,
            corrected=None if found.p is None else next(left),
            planning=None
            if arms is None
            else planning(arms, participants, how, level=level, power=power),
        )
        for found, arms in tested
    ]
