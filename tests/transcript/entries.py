"""All that the replay takes from the project: where the program is entered."""

from __future__ import annotations

from collections.abc import Callable
from pkgutil import resolve_name
from typing import Any

PROGRAMS = {
    "cleverdon": "cleverdon.cli:main",
    "cleverdon-trec_eval": "cleverdon.trec_eval.cli:trec_eval_main",
}
"""As in pyproject.toml."""
OPEN_PROJECT = "cleverdon.judging.project:open_project"
MAKE_APP = "cleverdon.judging.web.app:make_app"
ROUTES = "cleverdon.judging.web.app:_declared_routes"
"""Gives the path and the route of everything that can be asked for."""
USE_MADE_TIME = "tests.engines.load.fake_clock:use_made_time"
"""Lets loads go by a clock of their own, given a MonkeyPatch."""


def entry(name: str) -> Callable[..., Any]:
    """What is called so; nothing is loaded before it is needed."""
    found: Callable[..., Any] = resolve_name(name)
    return found
