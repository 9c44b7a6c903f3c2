"""Charts as files: HTML, SVG, PNG, PDF and JSON, with nothing fetched from the network."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from html import escape
from pathlib import PurePath
from typing import Any

from cleverdon._common.extras import require
from cleverdon._common.files import write_file
from cleverdon._common.text import printable
from cleverdon.charts import theme
from cleverdon.errors import OptionError, suggest

_SCALE = 2
"""Pixels of a PNG to one of the chart: enough for print, and for screens of double density."""


def vl_convert() -> Any:
    """Return the library that draws without a browser."""
    return require("vl_convert", "saving a plot", package="vl-convert-python", extra="plots")


def drawable(found: Any) -> Any:
    """Return a specification without control characters, which XML does not have."""
    if isinstance(found, dict):
        return {key: drawable(value) for key, value in found.items()}
    if isinstance(found, list):
        return [drawable(value) for value in found]
    return printable(found) if isinstance(found, str) else found


def _page(spec: dict[str, Any]) -> bytes:
    # A `<` in a text of the chart must not end the script that holds it. It is escaped in the
    # finished page; before that, it would be read and written as `<` again.
    text = json.dumps(drawable(spec), ensure_ascii=False).replace("<", _LESS)
    page: str = vl_convert().vegalite_to_html(text, bundle=True, renderer="svg")
    ground = spec.get("config", {}).get("background") or "white"
    head = (
        f'{_CHARSET}\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>body {{ background: {escape(ground)}; }} {_NARROW}</style>"
    )
    page = page.replace(_CHARSET, head, 1)
    title = spec.get("title") or {}
    name = title.get("text", "") if isinstance(title, dict) else title
    name = escape(printable(" ".join(name) if isinstance(name, list) else name)) or "Plot"
    page = page.replace("<title>Chart</title>", f"<title>{name}</title>", 1)
    return page.replace(_LESS, "\\u003c").encode()


_CHARSET = '<meta charset="UTF-8">'
_NARROW = ".vega-embed { box-sizing: border-box; } svg.marks { max-width: 100%; height: auto; }"
"""In a window that is narrower than the chart, as on a phone, the chart shrinks."""


_LESS = "\ue000\uf8ff\ue000"  # characters that no text contains, since they have no meaning

_WRITERS: dict[str, Callable[[dict[str, Any]], bytes]] = {
    ".html": _page,
    ".svg": lambda spec: vl_convert().vegalite_to_svg(drawable(spec)).encode(),
    ".png": lambda spec: bytes(vl_convert().vegalite_to_png(drawable(spec), scale=_SCALE)),
    ".pdf": lambda spec: bytes(vl_convert().vegalite_to_pdf(drawable(spec))),
    # Half a character, as in a file's name that is not UTF-8, is written as JSON has it.
    ".json": lambda spec: json.dumps(spec, ensure_ascii=False).encode(errors="backslashreplace"),
}

_ENDINGS = tuple(_WRITERS)  # the endings of files that a chart can be saved to


def save(chart: Any, path: str | os.PathLike[str], *, dark: bool = False) -> None:
    """Write a chart to a file, which appears once it is complete.

    Args:
        chart: The chart.
        path: The file. Its ending names the format: .svg, .png, .pdf, .html (a page with its own
            script, which needs no network) or .json (the Vega-Lite specification).
        dark: Draw light on a dark ground, as for slides.

    >>> import tempfile, pathlib
    >>> from cleverdon.plots import attention
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "attention.json"
    >>> save(attention("RBP"), path)
    >>> path.exists()
    True
    """
    check_savable(path)
    spec = chart.to_dict()
    if dark:
        spec["config"] = theme.config("dark")
    write_file(os.fspath(path), _WRITERS[_file_ending(path)](spec))


def check_savable(path: str | os.PathLike[str]) -> None:
    """Raise an error if no chart can be saved so; for callers that then read large files."""
    ending = _file_ending(path)
    if ending not in _WRITERS:
        name = os.fspath(path)
        raise OptionError(
            f"{name}: a plot cannot be saved as {ending!r}{suggest(ending, _ENDINGS)}"
        )
    if ending != ".json":
        vl_convert()


def _file_ending(path: str | os.PathLike[str]) -> str:
    return PurePath(path).suffix.lower()
