"""Pages: how a project is coming along, over all, by topic, and by person."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any
from weakref import WeakKeyDictionary

from fastapi import APIRouter, Path, Request
from markupsafe import Markup
from starlette.responses import Response

from cleverdon.assess.people.rights import Right
from cleverdon.assess.watching import agreement_rows as rows
from cleverdon.assess.watching.agreement import COEFFICIENTS, MEANINGS
from cleverdon.assess.watching.attention import LIMIT
from cleverdon.assess.watching.drawing import RESAMPLES
from cleverdon.assess.watching.sentences import (
    drifted,
    ended,
    endings,
    gold_left_out,
    left_out,
    stands,
    warnings,
)
from cleverdon.assess.watching.watched import Watched
from cleverdon.assess.web import charts
from cleverdon.assess.web.api.watching import check_person, check_topic, watched_of
from cleverdon.assess.web.figures import FIGURES
from cleverdon.assess.web.paths import topic_of, topic_path
from cleverdon.assess.web.rendering import page, rendered
from cleverdon.assess.web.visitor import Needs, Visitor

router = APIRouter()

Watcher = Annotated[Visitor, Needs(Right.WATCH)]


def topic_page(name: str) -> str:
    """The address of a topic's part of the dashboard."""
    return "/dashboard" + topic_path(name)


def person_page(name: str) -> str:
    """The address of a person's part."""
    return "/dashboard/people" + topic_path(name).removeprefix("/topics")


@router.get("/dashboard")
def overall(request: Request, visitor: Watcher) -> Response:
    """All topics, all people."""
    found = watched_of(request)

    def values() -> dict[str, Any]:
        return {
            "warnings": warnings(found),
            "endings": endings(found),
            "overall": rows.overall(found.agreement),
            "pairs": rows.pair_rows(found.agreement),
            "of_topics": {one.topic: one for one in rows.topic_rows(found.agreement)},
            "attention": {one.judge: one for one in found.attention},
            "drifts": {(one.judge, one.against): one for one in found.drifts},
            "beside": [
                (one, stands(one), rows.beside_rows(one), rows.given_rows(one))
                for one in found.beside
            ],
        }

    return _page(request, visitor, found, "dashboard.html", "Dashboard", values)


@router.get("/dashboard/topics/{name:path}")
def topic(request: Request, visitor: Watcher, name: Annotated[str, Path()]) -> Response:
    """One topic."""
    found, name = watched_of(request), topic_of(name)
    check_topic(found, name)

    def values() -> dict[str, Any]:
        return {
            "topic": next(one for one in found.topics if one.topic == name),
            "grades": found.topic_grades[name],
            "recall": found.recall.topics[name],
            "agreed": next((o for o in rows.topic_rows(found.agreement) if o.topic == name), None),
        }

    return _page(request, visitor, found, "dashboard_topic.html", name, values)


@router.get("/dashboard/people/{name:path}")
def person(request: Request, visitor: Watcher, name: Annotated[str, Path()]) -> Response:
    """One person."""
    found, name = watched_of(request), topic_of(name)
    check_person(found, name)

    def values() -> dict[str, Any]:
        return {
            "work": next(one for one in found.work if one.judge == name),
            "pairs": rows.pair_rows(found.agreement, judge=name),
            "drifts": [one for one in found.drifts if one.judge == name],
            "attention": next((one for one in found.attention if one.judge == name), None),
        }

    return _page(request, visitor, found, "dashboard_person.html", name, values)


_KNOWN = {
    "charts": charts,
    "coefficients": COEFFICIENTS,
    "meanings": MEANINGS,
    "resamples": RESAMPLES,
    "limit": LIMIT,
    "drifted": drifted,
    "ended": ended,
    "gold_left_out": gold_left_out,
    "left_out": left_out,
    "topic_page": topic_page,
    "person_page": person_page,
    **FIGURES,
}
"""What all of its templates call."""

_RENDERED: WeakKeyDictionary[Watched, dict[tuple[str, str, str], Markup]] = WeakKeyDictionary()
"""Parts of pages by the state that they show, as long as that is the last one: many who keep the
dashboard open look at the same."""


def _page(
    request: Request,
    visitor: Visitor,
    found: Watched,
    template: str,
    title: str,
    values: Callable[[], dict[str, Any]],
) -> Response:
    known = _RENDERED.setdefault(found, {})
    key = (template, title, visitor.role)
    if key not in known:
        given = {**_KNOWN, "found": found, **values()}
        known[key] = Markup(rendered(request, template, given, visitor=visitor))
    return page(
        request, "dashboard_base.html", {"title": title, "live": known[key]}, visitor=visitor
    )
