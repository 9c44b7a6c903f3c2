"""How the numbers of a log came about."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import cleandoc

from cleverdon import __version__
from cleverdon.online.metrics.base import Metric
from cleverdon.online.metrics.registry import find
from cleverdon.online.settings import Settings
from cleverdon.show.grid import counted
from cleverdon.show.logs_report.gathering import Gathered
from cleverdon.show.metric import facts_of
from cleverdon.show.page.formula import mathml
from cleverdon.show.page.versions import versions

_LIBRARIES = ("ibis-framework", "duckdb", "tea-tasting", "scipy", "altair", "vl-convert-python")

_SIGNALS = {
    "dwell": "a clicked document is looked at for at least {:g} seconds",
    "copy": "a link or a snippet is copied",
    "conversion": "a conversion follows",
}


@dataclass(frozen=True)
class Method:
    """What one must know to get the same numbers again."""

    paragraph: str
    """For a paper, to be changed at will."""
    facts: dict[str, str]
    metrics: list[dict[str, str]]
    sql: dict[str, str]
    versions: dict[str, str]


def method(gathered: Gathered) -> Method:
    """How these numbers were counted."""
    observed = gathered.observed
    names = [str(value.metric) for value in observed.values]
    names += [str(listed.metric) for listed in observed.lists]
    return Method(
        paragraph=_paragraph(gathered),
        facts=facts(gathered.stages.settings)
        | {"Format of the log": gathered.stages.log.format, "Engine": _engine(gathered)},
        metrics=[_metric(find(name)) for name in dict.fromkeys(names)],
        sql=gathered.sql,
        versions=versions(__version__, _LIBRARIES),
    )


def _engine(gathered: Gathered) -> str:
    return str(gathered.stages.log.backend.name)


def _paragraph(gathered: Gathered) -> str:
    """What a paper says of it."""
    observed = gathered.observed
    settings = gathered.stages.settings
    told = [
        f"Metrics were computed from the log with Cleverdon {__version__}.",
        f"A session {_session(settings)}.",
        f"A session with a click is a success where {_success(settings)}.",
    ]
    if any(value.low is not None for value in observed.values):
        whom = f"{gathered.stages.log.actors[0]}s" if gathered.stages.log.actors else "searches"
        told.append(
            f"Intervals have {observed.level:.0%} confidence, by the delta method over {whom}, who "
            "are the sample: what one of them does is not independent (Deng, Knoblich & Lu 2018)."
        )
    if gathered.test is not None:
        unit = gathered.test.participants.unit
        told.append(
            f"Variants were compared {unit} by {unit}"
            + (", adjusted by what users did before (CUPED)." if gathered.test.cuped else ".")
        )
    return " ".join(told)


def _session(settings: Settings) -> str:
    if settings.sessions == "log":
        return "is what the log calls one"
    return f"ends where its user does nothing for {settings.idle_ms / 60_000:g} minutes"


def _success(settings: Settings) -> str:
    signs = [_SIGNALS[signal].format(settings.dwell_seconds) for signal in settings.success]
    return signs[0] if len(signs) == 1 else f"{', '.join(signs[:-1])} or {signs[-1]}"


def facts(settings: Settings) -> dict[str, str]:
    """Every choice that the numbers depend on."""
    typed = settings.keystroke_seconds
    found = {
        "Session": _session(settings),
        "Success": _success(settings),
        "Searches while typing": "count as any other"
        if typed is None
        else f"within {typed:g} seconds of the next, count as the last of them",
        "The same query": "texts that differ in case, white space or Unicode forms only"
        if settings.fold
        else "texts that are the same in every character",
        "Days in": settings.timezone,
        "Listed": f"at most {counted(settings.top, 'query')} a list, of at least "
        f"{counted(settings.least_users, 'user')} each",
        "Head and torso": f"the most frequent {settings.head:.2%} of different queries, and the "
        f"next {settings.torso:.2%}",
        "Percentiles": ", ".join(f"{one:g}" for one in settings.percentiles)
        + ": the smallest value that at least so many per cent do not exceed",
    }
    if settings.stem:
        found["The same query"] += f", words without their endings ({settings.stem})"
    return found


def _metric(metric: Metric) -> dict[str, str]:
    cls = type(metric)
    told = {
        "name": str(metric),
        "about": cleandoc(cls.__doc__ or ""),
        "formula": cls.formula,
        "mathml": mathml(cls.formula),
        **{name.lower(): text for name, text in facts_of(metric).items() if name != "Formula"},
    }
    return {name: text for name, text in told.items() if text}
