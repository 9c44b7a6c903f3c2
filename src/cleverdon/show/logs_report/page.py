"""The page of a report of a log: what it says and its plots, put into the shell of all pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from cleverdon.show.grid import Grid
from cleverdon.show.markup import html
from cleverdon.show.page.figure import Figure
from cleverdon.show.page.shell import shell

PARTS = ("state", "tables", "sections", "start")
"""The scripts, in an order in which each finds what it needs when it is run."""


def page(content: Mapping[str, Any], figures: Sequence[Figure]) -> str:
    """The whole page."""
    return shell(__package__, content, figures, without=_without_script(content), parts=PARTS)


def _without_script(content: Mapping[str, Any]) -> str:
    """What can be said without a script: the metrics."""
    table = html(Grid(**content["values"], notes=content["values_notes"]))
    said = escape(content["headline"])
    return f"<p>The plots and lists of this report need JavaScript.</p><p>{said}</p>{table}"
