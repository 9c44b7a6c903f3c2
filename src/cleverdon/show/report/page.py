"""The page: what a report says, put into one HTML file that asks the network for nothing.

Whatever comes from the input is data: it stands in JSON that the page's script reads, and gets into
the document as text. The content security policy holds the browser to both promises.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from cleverdon.show.plot import theme
from cleverdon.show.report.figures import Figure
from cleverdon.show.report.vega import bundle

_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data: blob:"
)
"""Vega compiles its expressions, hence 'unsafe-eval'; nothing but the page itself is a source."""


_PARTS = ("elements", "claims", "plots", "rows", "topics", "rankings", "method", "picks")
"""The scripts, in an order in which each finds what it needs when it is run."""


def page(content: Mapping[str, Any], figures: Sequence[Figure]) -> str:
    """The whole page."""
    shown = {key: value for key, value in content.items() if key != "rankings"}
    shown["themes"] = {
        mode: theme.config(mode) | {"background": "transparent"} for mode in ("light", "dark")
    }
    shown["figures"] = [figure.heading for figure in figures]
    title = escape(content["title"])
    return _SHELL.format(
        policy=escape(_POLICY),
        title=title,
        style=_asset("style.css"),
        body=_asset("body.html").replace("TITLE", title),
        without=_without_script(content),
        content=_data("content", shown),
        figures="\n".join(
            _data(f"figure-data-{figure.id}", {"spec": figure.spec, "rows": figure.rows})
            for figure in figures
        ),
        rankings=_data("ranking-data", content["rankings"]),
        vega=_script(bundle()),
        script=_script(script()),
    )


def script() -> str:
    """The page's own script: all parts within one function, so that no name of theirs is global."""
    parts = "\n".join(_asset(f"{name}.js") for name in _PARTS)
    return f'"use strict";\n(() => {{\n{parts}}})();'


def _asset(name: str) -> str:
    return (files(__package__) / "assets" / name).read_text("utf-8")


_SHELL = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
{body}
<noscript>{without}</noscript>
{content}
{figures}
{rankings}
<script type="text/plain" id="vega">{vega}</script>
<script>{script}</script>
</body>
</html>
"""


def _without_script(content: Mapping[str, Any]) -> str:
    """What can be said without a script: the claims and the table that the page opens with."""
    if not content["comparisons"]:
        return "<p>This report needs JavaScript.</p>"
    first = content["comparisons"][0]
    claims = "".join(f"<li>{escape(claim['text'])}</li>" for claim in first["claims"])
    return f"<p>The plots of this report need JavaScript.</p><ul>{claims}</ul>{first['table']}"


def _data(id: str, data: Any) -> str:
    """Data for the script, which no text in it can end: tags and comments begin with `<`."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text = text.replace("<", "\\u003c").encode("utf-8", errors="backslashreplace").decode()
    return f'<script type="application/json" id="{id}">{text}</script>'


def _script(text: str) -> str:
    """A script that none of its own strings can end."""
    return text.replace("</script", "<\\/script").replace("<!--", "<\\!--")
