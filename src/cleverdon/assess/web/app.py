"""The app of a project: all routes, what becomes of errors, and what every answer carries."""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI
from starlette.staticfiles import StaticFiles

from cleverdon import __version__
from cleverdon.assess.project import Project
from cleverdon.assess.web import failures, guarding
from cleverdon.assess.web.api import account as account_calls
from cleverdon.assess.web.api import adjudication as adjudication_calls
from cleverdon.assess.web.api import assignments, imports, project, watching
from cleverdon.assess.web.api import exports as export_calls
from cleverdon.assess.web.api import judging as judging_calls
from cleverdon.assess.web.api import people as people_calls
from cleverdon.assess.web.pages import (
    account,
    adjudication,
    dashboard,
    exports,
    judging,
    people,
    signing_in,
)

STATIC = Path(__file__).with_name("static")

_PAGES = (signing_in, judging, account, dashboard, adjudication, people, exports)
_CALLS = (
    judging_calls,
    account_calls,
    project,
    people_calls,
    assignments,
    watching,
    adjudication_calls,
    export_calls,
    imports,
)


def make_app(opened: Project, *, behind_tls: bool = False) -> FastAPI:
    """The app that serves a project; `behind_tls` keeps cookies off plain HTTP."""
    app = FastAPI(
        title="Cleverdon judge",
        version=__version__,
        docs_url=None,  # its page would load scripts from elsewhere
        redoc_url=None,
        openapi_url=None,  # served by api/project.py, to those who are signed in
    )
    app.state.project = opened
    app.state.behind_tls = behind_tls
    for pages in _PAGES:
        app.include_router(pages.router, include_in_schema=False)
    for calls in _CALLS:
        app.include_router(calls.router, prefix="/api")
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    failures.handle(app)
    guarding.guard(app)
    return app
