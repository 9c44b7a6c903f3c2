"""The page of a report: what it says and its plots, put into the shell that all pages have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from cleverdon.show.page.figure import Figure
from cleverdon.show.page.shell import shell
from cleverdon.show.plot.base import short_names

PARTS = ("state", "claims", "plots", "rows", "topics", "rankings", "method", "picks")
"""The scripts, in an order in which each finds what it needs when it is run."""


def page(content: Mapping[str, Any], figures: Sequence[Figure]) -> str:
    """The whole page."""
    return shell(
        __package__,
        {
            **{key: value for key, value in content.items() if key != "rankings"},
            "short_names": list(short_names(content["systems"]).values()),
        },
        figures,
        without=_without_script(content),
        parts=PARTS,
        more={"ranking-data": content["rankings"]},
    )


def _without_script(content: Mapping[str, Any]) -> str:
    """What can be said without a script: the claims and the table that the page opens with."""
    if not content["comparisons"]:
        return "<p>This report needs JavaScript.</p>"
    first = content["comparisons"][0]
    claims = "".join(f"<li>{escape(claim['text'])}</li>" for claim in first["claims"])
    return f"<p>The plots of this report need JavaScript.</p><ul>{claims}</ul>{first['table']}"
