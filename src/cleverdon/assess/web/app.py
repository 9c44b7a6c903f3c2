"""The app of a project: all routes, what becomes of errors, and what every answer carries."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path

from anyio import CapacityLimiter
from fastapi import Depends, FastAPI
from fastapi.routing import APIRoute
from starlette.routing import compile_path
from starlette.staticfiles import StaticFiles

from cleverdon import __version__
from cleverdon.assess.judging.feeding import Feeder
from cleverdon.assess.people import entering, passwords
from cleverdon.assess.people.rights import Right
from cleverdon.assess.project import Project
from cleverdon.assess.watching.watch import Watch
from cleverdon.assess.web import failures, guarding
from cleverdon.assess.web.api import account as account_calls
from cleverdon.assess.web.api import adjudication as adjudication_calls
from cleverdon.assess.web.api import assignments, imports, project, watching
from cleverdon.assess.web.api import exports as export_calls
from cleverdon.assess.web.api import judging as judging_calls
from cleverdon.assess.web.api import people as people_calls
from cleverdon.assess.web.limiting import Attempts
from cleverdon.assess.web.pages import (
    account,
    adjudication,
    assigning,
    dashboard,
    exports,
    judging,
    people,
    scale_style,
    signing_in,
)
from cleverdon.assess.web.pages import imports as import_pages
from cleverdon.assess.web.uploads import Uploads
from cleverdon.assess.web.visitor import RightOf, refuse_programs

STATIC = Path(__file__).with_name("static")

_PAGES = (
    signing_in,
    judging,
    scale_style,
    account,
    dashboard,
    adjudication,
    people,
    assigning,
    exports,
    import_pages,
)
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


_FAILING = (
    'Whatever is refused is answered by `{"error": "..."}`: also a path that is not there, by 404, '
    "and a method that a path has not, by 405, with those that it has in Allow."
)


def make_app(
    opened: Project,
    *,
    behind_tls: bool = False,
    behind_proxy: bool = False,
    hosts: Collection[str] | None = None,
    url: str = "http://127.0.0.1:8000",
) -> FastAPI:
    """The app that serves a project.

    `behind_tls` keeps cookies off plain HTTP; `behind_proxy` believes what a proxy says of the
    client's address; `hosts` are the names that the app answers to, where it knows them; `url` is
    what sign-in links start with: the address that people use.
    """
    app = FastAPI(
        title="Cleverdon judge",
        # Read now: a page that says that the database is gone has the project's name in its head.
        description=f"Relevance judgments of the project {opened.title}. {_FAILING}",
        version=__version__,
        docs_url=None,  # its page would load scripts from elsewhere
        redoc_url=None,
        openapi_url=None,  # served by api/project.py, to those who are signed in
        redirect_slashes=False,  # behind a proxy with TLS it would lead to plain HTTP
    )
    app.state.project = opened
    app.state.feeder = Feeder(opened)
    app.state.watch = Watch(opened)
    app.state.attempts = Attempts(partial(entering.note_held_off, opened.database))
    app.state.uploads = Uploads()
    app.state.comparing = CapacityLimiter(passwords.AT_ONCE)
    app.state.behind_tls = behind_tls
    app.state.behind_proxy = behind_proxy
    app.state.hosts = hosts
    app.state.url = url
    app.state.methods_at = _methods_at
    # Calls before pages: routes are tried in turn, and judgments come most often.
    for calls in _CALLS:
        app.include_router(calls.router, prefix="/api")
    for pages in _PAGES:
        app.include_router(
            pages.router, include_in_schema=False, dependencies=[Depends(refuse_programs)]
        )
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    failures.handle(app)
    guarding.guard(app, open_paths=_open_paths())
    return app


def declared() -> Iterator[tuple[str, APIRoute]]:
    """Every route, with its whole path; tests go through them."""
    for prefix, modules in (("", _PAGES), ("/api", _CALLS)):
        for module in modules:
            for route in module.router.routes:
                assert isinstance(route, APIRoute), "pages and calls are functions"
                yield prefix + route.path, route


def rights_of(route: APIRoute) -> list[Right]:
    """The rights that a route asks for; it is to be one."""
    asked = (each.call for each in route.dependant.dependencies)
    return [each.right for each in asked if isinstance(each, RightOf)]


def _methods_at(path: str) -> str:
    """What may be asked of a path, as the header Allow has it: routes have one method each."""
    there = (route for at, route in declared() if compile_path(at)[0].match(path))
    found = {method for route in there for method in route.methods or ()} or {"GET"}  # static files
    return ", ".join(sorted(found | ({"HEAD"} if "GET" in found else set())))


def _open_paths() -> list[re.Pattern[str]]:
    """What needs nobody to be signed in: routes that say so, and what their pages are made of."""
    routes = (path for path, route in declared() if Right.ANYONE in rights_of(route))
    return [re.compile("/static/"), *(compile_path(path)[0] for path in routes)]
