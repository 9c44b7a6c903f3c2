"""The entry points of the project that the replay uses."""

from __future__ import annotations

from collections.abc import Callable
from pkgutil import resolve_name
from typing import Any

PROGRAMS = {
    "cleverdon": "cleverdon.cli:main",
    "cleverdon-trec_eval": "cleverdon.trec_eval.cli:trec_eval_main",
}
"""The same as in pyproject.toml, where the first ends its process (`run_process`)."""
OPEN_PROJECT = "cleverdon.judging.project:open_project"
MAKE_APP = "cleverdon.judging.web.app:make_app"
ROUTES = "cleverdon.judging.web.app:_declared_routes"
"""Returns the path and the route of every request that the app answers."""
USE_MADE_TIME = "tests.engines.load.fake_clock:use_made_time"
"""Gives loads a simulated clock; takes a MonkeyPatch."""


def entry(name: str) -> Callable[..., Any]:
    """Import the function of this name, when it is first needed."""
    found: Callable[..., Any] = resolve_name(name)
    return found
