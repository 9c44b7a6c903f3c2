"""What the numbers of a table rest on, in words: it stands below, wherever the table goes."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import fields

from cleverdon.about import About
from cleverdon.aggregate import worst_value
from cleverdon.measures.base import Measure
from cleverdon.profiles import profile
from cleverdon.scores import Scores
from cleverdon.settings import Settings
from cleverdon.show.grid import counted, printable


def notes(scores: Scores, average: str = "mean") -> list[str]:
    """What averages rest on: queries, and those that are missing, extra or undefined."""
    about = scores.about
    size = f"{counted(about.queries, 'query')}, {counted(about.judgments, 'judgment')}"
    if about.pooled:
        size += f", {about.pooled:,} of them below 0: pooled, not judged"
    choices = chosen(about) + ([] if average == "mean" else [f"average={average}"])
    found = ["; ".join([size, *choices]), *missing(about, about.runs)]
    if scores.bounds:
        over = next(iter(next(iter(scores.bounds.values())).values())).over
        found.append(f"in brackets: the lowest and highest over {', '.join(over)}")
    # What is undefined for a query is in the sums of a micro-average like anything else.
    found += [] if average == "micro" else _undefined(scores)
    return found + [printable(sentence) for sentence in scores.unknowns()]


def chosen(about: About) -> list[str]:
    """The profile, and the settings that are not its own."""
    own = profile(about.profile).settings
    changed = [
        f"{setting.name}={getattr(about.settings, setting.name)}"
        for setting in fields(own)
        if getattr(about.settings, setting.name) != getattr(own, setting.name)
    ]
    return ([] if about.profile == "cleverdon" else [f"profile {about.profile}"]) + changed


def missing(about: About, systems: Iterable[str]) -> list[str]:
    """For each system, how many queries it lacks, found nothing for, or has without judgments."""
    found = []
    for name in systems:
        run = about.runs[name]
        parts = []
        if run.missing:
            fate = "evaluated as empty results" if about.settings.missing == "empty" else "left out"
            parts.append(f"{counted(len(run.missing), 'judged query')} missing ({fate})")
        if run.empty:
            parts.append(f"{counted(len(run.empty), 'judged query')} without results")
        if run.extra:
            parts.append(f"{counted(run.extra, 'extra query')} without judgments (ignored)")
        if parts:
            found.append(f"{printable(name)}: {', '.join(parts)}")
    return found


def _undefined(scores: Scores) -> list[str]:
    """For how many queries measures are undefined, those of which the same is true on one line.

    Those that are undefined for every query are left out: `Scores.unknowns` has them.
    """
    found: dict[tuple[Measure, int], list[str]] = {}
    for name, run in scores.about.runs.items():
        for measure in scores.measures:
            count = run.undefined.get(str(measure), 0)
            if count and not scores.is_unknown(name, measure):
                found.setdefault((measure, count), []).append(printable(name))
    alike: dict[str, list[str]] = {}
    for (measure, count), names in found.items():
        where = "" if len(names) == len(scores.systems) else f" in {', '.join(names)}"
        fate = _fate(measure, scores.about.settings)
        told = f"undefined for {counted(count, 'query')}{where} ({fate})"
        alike.setdefault(told, []).append(str(measure))
    return [
        f"{', '.join(of)} {'is' if len(of) == 1 else 'are'} {told}" for told, of in alike.items()
    ]


def _fate(measure: Measure, settings: Settings) -> str:
    """What becomes of an undefined value."""
    if settings.undefined == "skip":
        return "left out"
    worst = worst_value(measure)
    return f"counted as {worst:g}" + ("; undefined=skip leaves it out" if math.isinf(worst) else "")
