"""Pages out of templates. Everything is escaped; templates hold no script and no style."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from cleverdon.assess import clock
from cleverdon.assess.judging.forms import new_request
from cleverdon.assess.web.paths import topic_path
from cleverdon.assess.web.visitor import Visitor

TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).with_name("templates")),
    autoescape=True,
    undefined=StrictUndefined,
    auto_reload=False,  # a server looks at its templates once
    trim_blocks=True,
    lstrip_blocks=True,
)
TEMPLATES.filters["topic_path"] = topic_path
TEMPLATES.filters["iso"] = clock.iso
TEMPLATES.globals["new_request"] = new_request
TEMPLATES.globals["now"] = clock.now


def page(
    request: Request,
    template: str,
    values: Mapping[str, Any],
    *,
    visitor: Visitor | None = None,
    status: int = 200,
) -> HTMLResponse:
    """A page; `visitor` is who sees it, where somebody is signed in."""
    return HTMLResponse(rendered(request, template, values, visitor=visitor), status_code=status)


def rendered(
    request: Request, template: str, values: Mapping[str, Any], *, visitor: Visitor | None = None
) -> str:
    """The text of a page, or of a part of one."""
    path = request.scope["path"]
    known = {"project": request.app.state.project, "visitor": visitor, "path": path}
    return TEMPLATES.get_template(template).render({**known, **values})
