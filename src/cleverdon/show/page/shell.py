"""The shell of a page: one HTML file that asks the network for nothing.

Whatever comes from the input is data: it stands in JSON that the page's script reads, and gets into
the document as text. The content security policy holds the browser to both promises.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import Any

from cleverdon.show.page.figure import Figure
from cleverdon.show.page.vega import bundle
from cleverdon.show.plot import theme

_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data: blob:"
)
"""Vega compiles its expressions, hence 'unsafe-eval'; nothing but the page itself is a source."""

_SHARED = ("elements", "figures", "looks")
"""The scripts of all pages."""


def shell(
    package: str,
    content: Mapping[str, Any],
    figures: Sequence[Figure],
    *,
    without: str,
    parts: Sequence[str],
    more: Mapping[str, Any] | None = None,
) -> str:
    """The whole page, made of the assets of a package and of what it is to say.

    `without` is HTML for those who run no script; `parts` are the package's own scripts, in an
    order in which each finds what it needs when it is run; `more` are data by the id of the
    element that is to hold them.
    """
    shown = {
        **content,
        "themes": {
            mode: theme.config(mode) | {"background": "transparent"} for mode in ("light", "dark")
        },
        "figures": [figure.heading for figure in figures],
    }
    title = escape(content["title"])
    drawn = {f"figure-data-{one.id}": {"spec": one.spec, "rows": one.rows} for one in figures}
    held = {"content": shown, **drawn, **(more or {})}
    return _SHELL.format(
        policy=escape(_POLICY),
        title=title,
        style=_asset(__package__, "style.css") + _asset(package, "style.css"),
        body=_asset(package, "body.html").replace("TITLE", title),
        without=without,
        data="\n".join(data_element(id, data) for id, data in held.items()),
        vega=script_text(bundle()),
        script=script_text(script(package, parts)),
    )


def script(package: str, parts: Sequence[str]) -> str:
    """The page's own script: all parts within one function, so that no name of theirs is global."""
    texts = [_asset(__package__, f"{name}.js") for name in _SHARED]
    texts += [_asset(package, f"{name}.js") for name in parts]
    joined = "\n".join(texts)
    return f'"use strict";\n(() => {{\n{joined}}})();'


def _asset(package: str, name: str) -> str:
    return (files(package) / "assets" / name).read_text("utf-8")


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
{data}
<script type="text/plain" id="vega">{vega}</script>
<script>{script}</script>
</body>
</html>
"""


def data_element(id: str, data: Any) -> str:
    """Data for the script, which no text in it can end: tags and comments begin with `<`."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text = text.replace("<", "\\u003c").encode("utf-8", errors="backslashreplace").decode()
    return f'<script type="application/json" id="{id}">{text}</script>'


def script_text(text: str) -> str:
    """A script that none of its own strings can end."""
    return text.replace("</script", "<\\/script").replace("<!--", "<\\!--")
