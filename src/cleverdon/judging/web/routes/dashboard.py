"""Routes of the dashboard: the state of the project, of a query, of a person.

In the API, undefined numbers are null, with the reason. Most of the JSON are the records of
`judging.dashboard`; the models here join several of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any
from weakref import WeakKeyDictionary

from fastapi import APIRouter, Path, Request
from markupsafe import Markup
from starlette.responses import Response

from cleverdon.agreement.estimates import INTERVALS
from cleverdon.errors import suggest
from cleverdon.judging import clock
from cleverdon.judging.dashboard import CONFIDENCE, FORMATS, Measurement, judge_checks, models
from cleverdon.judging.dashboard import agreement as team_agreement
from cleverdon.judging.dashboard.progress import (
    HOUR,
    GradeCounts,
    Pace,
    PersonProgress,
    Progress,
    QueryProgress,
)
from cleverdon.judging.dashboard.recall import LiveRecall, PoolCoverage, RecallEstimate
from cleverdon.judging.dashboard.state import (
    ProjectState,
    chosen_left_out,
    describe_drift,
    describe_ending,
    describe_endings,
    describe_model,
    gold_left_out,
    list_warnings,
)
from cleverdon.judging.errors import NotFound
from cleverdon.judging.record_fields import Moment
from cleverdon.judging.scale import Scale
from cleverdon.judging.web.authorization import Visitor, Watcher
from cleverdon.judging.web.responses import query_of, query_path, render_page, render_template
from cleverdon.judging.web.routes import LONGEST_QUERY, ResponseModel, errors


class AgreementModel(ResponseModel):
    """Agreement between people; models are never part of it."""

    documents: int
    """Documents that at least two people judged."""
    gold: int
    """Gold documents that two people judged, which are left out."""
    interval: str
    """The method of intervals: "t" is Student's."""
    confidence: float
    overall: dict[str, Measurement]
    """By the names of the coefficients."""
    pairs: list[team_agreement.PairRow]
    """The most documents in common first."""
    more_pairs: int
    """Pairs that are left out."""
    queries: list[team_agreement.QueryRow]
    """The lowest agreement first."""


class ModelComparisonModel(ResponseModel):
    """A model, or earlier judgments, compared with people."""

    name: str
    kind: str
    """model or earlier."""
    judged: int
    documents: int
    """Documents that people judged, too."""
    people: tuple[str, ...]
    """The people with whom it is compared."""
    why: str
    """Why there is no comparison, if there is none."""
    grades: tuple[float, ...]
    """The grades that `given` is about."""
    agreement: list[models.ModelAgreementRow]
    given: list[models.ModelGradesRow]


@dataclass(frozen=True)
class DescribedDrift(judge_checks.Drift):
    """One person in the first half of their work, and in the second."""

    sentence: str = ""


@dataclass(frozen=True)
class RecallWithCoverage(LiveRecall):
    """The recall of judging, within the pool and beyond it."""

    coverage: PoolCoverage


class DashboardModel(ResponseModel):
    """Everything on the dashboard."""

    as_of: Moment
    """The time of this state (UTC); a busy project may be some seconds ahead."""
    warnings: list[str]
    """What an administrator should look into."""
    scale: tuple[int, ...]
    """The grades, rising."""
    relevant: int
    """The lowest relevant grade."""
    disputed: int
    """Documents in dispute without a ruling."""
    uncovered: tuple[str, ...]
    """Queries with something to judge, and nobody for it."""
    short: tuple[str, ...]
    """Queries with too few people for what several judge."""
    progress: Progress
    grades: GradeCounts
    pace: Pace
    agreement: AgreementModel
    recall: RecallWithCoverage
    queries: tuple[QueryProgress, ...]
    people: tuple[PersonProgress, ...]
    drift: list[DescribedDrift]
    attention: tuple[judge_checks.Attention, ...]
    models: list[ModelComparisonModel]
    """Models and earlier judgments, which are in none of the other numbers."""


class QueryDashboardModel(ResponseModel):
    """One query."""

    about: QueryProgress
    recall: RecallEstimate
    agreement: team_agreement.QueryRow | None
    """Null if no two people judged the same document."""


class PersonDashboardModel(ResponseModel):
    """One person."""

    work: PersonProgress
    pairs: list[team_agreement.PairRow]
    """Agreement with each of the others."""
    drift: list[DescribedDrift]
    attention: judge_checks.Attention | None
    """Null without gold documents."""


def dashboard_model(state: ProjectState) -> DashboardModel:
    """Return the JSON of the whole dashboard."""
    agreement = state.agreement
    joined = {
        "warnings": list_warnings(state),
        "scale": state.scale.values,
        "relevant": state.scale.relevant,
        "agreement": AgreementModel(
            documents=agreement.shared,
            gold=agreement.gold,
            interval=next(iter(INTERVALS)),
            confidence=CONFIDENCE,
            overall=team_agreement.overall_agreement(agreement),
            pairs=team_agreement.pair_rows(agreement),
            more_pairs=agreement.more_pairs,
            queries=team_agreement.query_rows(agreement),
        ),
        "recall": RecallWithCoverage(**vars(state.recall), coverage=state.coverage),
        "drift": [_described(one) for one in state.drifts],
        "models": [_model_comparison(one) for one in state.models],
    }
    return DashboardModel(**{**vars(state), **joined})


def _described(drift: judge_checks.Drift) -> DescribedDrift:
    return DescribedDrift(**vars(drift), sentence=describe_drift(drift) if drift.direction else "")


def _model_comparison(found: models.ModelComparison) -> ModelComparisonModel:
    joined = {
        "documents": found.shared,
        "grades": found.scale,
        "agreement": models.model_agreement_rows(found),
        "given": models.model_grades_rows(found),
    }
    return ModelComparisonModel(**{**vars(found), **joined})


api = APIRouter(tags=["watching"])

_Name = Annotated[
    str,
    Path(
        min_length=1,
        max_length=3 * LONGEST_QUERY,
        description="The name, or its form in the paths of pages: ~s for a slash, ~p for a per "
        "cent sign, ~d for a dot, ~~ for a tilde.",
    ),
]


@api.get("/watching", summary="All of the dashboard")
def dashboard(request: Request, visitor: Watcher) -> DashboardModel:
    """Return progress, pace, grades, agreement, recall, drift and attention at one moment."""
    return dashboard_model(_state(request))


@api.get("/watching/queries/{name:path}", summary="One query", responses=errors(404))
def query(request: Request, visitor: Watcher, name: _Name) -> QueryDashboardModel:
    """Return the progress of one query."""
    state = _state(request)
    is_escaped = all(one.query != name for one in state.queries)
    return _query(state, query_of(name) if is_escaped else name)


@api.get("/watching/people/{name:path}", summary="One person", responses=errors(404))
def person(request: Request, visitor: Watcher, name: _Name) -> PersonDashboardModel:
    """Return one person's judging statistics."""
    state = _state(request)
    is_escaped = all(one.person != name for one in state.people)
    return _person(state, query_of(name) if is_escaped else name)


def _state(request: Request) -> ProjectState:
    """Return the state of the project now, or of a moment ago."""
    state: ProjectState = request.app.state.dashboard.now()
    return state


def _query(state: ProjectState, name: str) -> QueryDashboardModel:
    queries = {one.query: one for one in state.queries}
    if name not in queries:
        raise NotFound(f"there is no query {name!r}{suggest(name, queries)}")
    agreement = {one.query: one for one in team_agreement.query_rows(state.agreement)}
    recall = state.recall.queries[name]
    return QueryDashboardModel(about=queries[name], recall=recall, agreement=agreement.get(name))


def _person(state: ProjectState, name: str) -> PersonDashboardModel:
    people = {one.person: one for one in state.people}
    if name not in people:
        raise NotFound(f"there is nobody called {name!r} who judges{suggest(name, people)}")
    attention = {one.person: one for one in state.attention}
    return PersonDashboardModel(
        work=people[name],
        pairs=team_agreement.pair_rows(state.agreement, judge=name),
        drift=[_described(one) for one in state.drifts if one.person == name],
        attention=attention.get(name),
    )


WIDTH, HEIGHT = 600.0, 100.0
"""The size of the bar chart, which is scaled to the page."""

_UNITS = {HOUR: "hour", 6 * HOUR: "six hours", 24 * HOUR: "day", 7 * 24 * HOUR: "week"}
_LOWEST = -0.2
"""Start of the agreement axis: lower values are rare."""

_FEWEST_BARS = 12
"""Bars at least, so that the first hour is a narrow bar."""


@dataclass(frozen=True)
class Bar:
    x: float
    y: float
    width: float
    height: float
    label: str


@dataclass(frozen=True)
class Bars:
    """Judgments over time."""

    bars: tuple[Bar, ...]
    unit: str  # of time of each bar
    most: int
    start: str
    end: str
    label: str  # for screen readers


@dataclass(frozen=True)
class Share:
    """A part of a stacked bar, in per cent of its length."""

    grade: int
    name: str
    start: float
    length: float
    count: int


@dataclass(frozen=True)
class Whisker:
    """A number and its interval on an axis, in per cent of its length."""

    low: float
    high: float
    at: float
    zero: float


def _bars(pace: Pace) -> Bars | None:
    """Return a bar chart of judgments over time, or None without judgments."""
    if pace.start is None:
        return None
    unit = _UNITS.get(pace.width, "month" if pace.width < 365 * 24 * HOUR else "year")
    empty = max(_FEWEST_BARS - len(pace.counts), 0)
    most, step = max(pace.counts), WIDTH / (empty + len(pace.counts))
    start = pace.start - empty * pace.width
    found = []
    for place, count in enumerate(pace.counts, start=empty):
        height = HEIGHT * count / most
        label = f"{count:,} from {_short(start + place * pace.width)} on"
        x = place * step + 0.1 * step
        found.append(
            Bar(
                round(x, 2),
                round(HEIGHT - height, 2),
                round(0.8 * step, 2),
                round(height, 2),
                label,
            )
        )
    end = pace.start + len(pace.counts) * pace.width
    label = (
        f"Judgments in each {unit}, from {_short(pace.start)} to {_short(end)} UTC: "
        f"{pace.total:,} in all, {most:,} at most in one"
    )
    return Bars(tuple(found), unit, most, _short(start), _short(end), label)


def _shares(grades: GradeCounts, scale: Scale) -> Sequence[Share]:
    """Return the grades as parts of one stacked bar."""
    if not grades.total:
        return ()
    found, start = [], 0.0
    for grade, count in zip(scale.grades, grades.counts, strict=True):
        length = 100 * count / grades.total
        found.append(Share(grade.value, grade.name, round(start, 3), round(length, 3), count))
        start += length
    return found


def _whisker(number: Measurement) -> Whisker | None:
    """Return a coefficient of agreement on an axis to 1, or None without an interval."""
    if number.value is None or number.low is None or number.high is None:
        return None
    ends = (number.low, number.high, number.value, 0.0)
    return Whisker(
        *(round(100 * (max(value, _LOWEST) - _LOWEST) / (1 - _LOWEST), 2) for value in ends)
    )


def _short(moment: float) -> str:
    """Format a time to the minute.

    >>> _short(0)
    '1970-01-01 00:00'
    """
    return clock.iso(moment)[:16].replace("T", " ")


pages = APIRouter()


def _dashboard_query_path(name: str) -> str:
    """Return the path of a query's dashboard page."""
    return "/dashboard" + query_path(name)


def _dashboard_person_path(name: str) -> str:
    """Return the path of a person's dashboard page."""
    return "/dashboard/people" + query_path(name).removeprefix("/queries")


@pages.get("/dashboard")
def dashboard_page(request: Request, visitor: Watcher) -> Response:
    return _page(request, visitor, "dashboard.html", "Dashboard", _overview)


@pages.get("/dashboard/queries/{name:path}")
def query_page(request: Request, visitor: Watcher, name: str) -> Response:
    name = query_of(name)
    return _page(
        request, visitor, "dashboard_query.html", name, lambda state: vars(_query(state, name))
    )


@pages.get("/dashboard/people/{name:path}")
def person_page(request: Request, visitor: Watcher, name: str) -> Response:
    name = query_of(name)
    return _page(
        request, visitor, "dashboard_person.html", name, lambda state: vars(_person(state, name))
    )


def _overview(state: ProjectState) -> dict[str, Any]:
    return {
        "warnings": list_warnings(state),
        "endings": describe_endings(state),
        "overall": team_agreement.overall_agreement(state.agreement),
        "pairs": team_agreement.pair_rows(state.agreement),
        "of_queries": {one.query: one for one in team_agreement.query_rows(state.agreement)},
        "attention": {one.person: one for one in state.attention},
        "drifts": {(one.person, one.against): one for one in state.drifts},
        "comparisons": [(_model_comparison(one), describe_model(one)) for one in state.models],
    }


_SHARED_VALUES = {
    "charts": {"bars": _bars, "shares": _shares, "whisker": _whisker},
    "coefficients": team_agreement.COEFFICIENTS,
    "meanings": team_agreement.MEANINGS,
    "limit": judge_checks.ATTENTION_LIMIT,
    "ended": describe_ending,
    "gold_left_out": gold_left_out,
    "left_out": chosen_left_out,
    "dashboard_query_path": _dashboard_query_path,
    "dashboard_person_path": _dashboard_person_path,
    **FORMATS,
}
"""Values that all dashboard templates need."""

_RENDERED: WeakKeyDictionary[ProjectState, dict[tuple[str, str, str], Markup]] = WeakKeyDictionary()
"""Rendered parts of pages by state: many people look at the same state."""


def _page(
    request: Request,
    visitor: Visitor,
    template: str,
    title: str,
    values: Callable[[ProjectState], dict[str, Any]],
) -> Response:
    state = _state(request)
    rendered = _RENDERED.setdefault(state, {})
    key = (template, title, visitor.role)
    if key not in rendered:
        context = {**_SHARED_VALUES, "found": state, **values(state)}
        rendered[key] = Markup(render_template(request, template, context, visitor=visitor))
    shown = {"title": title, "live": rendered[key]}
    return render_page(request, "dashboard_base.html", shown, visitor=visitor)
