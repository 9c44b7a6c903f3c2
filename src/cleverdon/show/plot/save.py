"""Charts as files, with nothing fetched from anywhere: HTML, SVG, PNG, PDF, JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import PurePath
from typing import Any

from cleverdon.errors import MissingExtra, OptionError, suggest
from cleverdon.read.write import write_file
from cleverdon.show.grid import printable
from cleverdon.show.plot import theme

_SCALE = 2
"""Pixels of a PNG to one of the chart: enough for print, and for screens of double density."""


def _convert() -> Any:
    try:
        import vl_convert
    except ImportError:
        raise MissingExtra("saving a plot", package="vl-convert-python", extra="plots") from None
    return vl_convert


def _specification(spec: dict[str, Any]) -> bytes:
    # Half a character, as in a file's name that is not UTF-8, is written as JSON has it.
    return json.dumps(spec, ensure_ascii=False).encode(errors="backslashreplace")


def _drawable(found: Any) -> Any:
    """The specification with names that can be drawn: XML has no control characters."""
    if isinstance(found, dict):
        return {key: _drawable(value) for key, value in found.items()}
    if isinstance(found, list):
        return [_drawable(value) for value in found]
    return printable(found) if isinstance(found, str) else found


def _page(spec: dict[str, Any]) -> bytes:
    """A page of its own; what stands in the chart cannot end the script that holds it.

    A `<` is a part of some text of the specification, and may be written otherwise there; but only
    in the finished page, or it would be read and written as `<` again.
    """
    text = json.dumps(_drawable(spec), ensure_ascii=False).replace("<", _LESS)
    page: str = _convert().vegalite_to_html(text, bundle=True)
    return page.replace(_LESS, "\\u003c").encode()


_LESS = "\ue000\uf8ff\ue000"
"""What no text has in it: characters that stand for nothing."""

_WRITERS: dict[str, Callable[[dict[str, Any]], bytes]] = {
    ".html": _page,
    ".svg": lambda spec: _convert().vegalite_to_svg(_drawable(spec)).encode(),
    ".png": lambda spec: bytes(_convert().vegalite_to_png(_drawable(spec), scale=_SCALE)),
    ".pdf": lambda spec: bytes(_convert().vegalite_to_pdf(_drawable(spec))),
    ".json": _specification,
}

ENDINGS = tuple(_WRITERS)
"""What a chart can be saved as."""


def save(chart: Any, path: str | os.PathLike[str], *, dark: bool = False) -> None:
    """Write a chart to a file that appears when it is complete; its ending says as what.

    `.html` is a page of its own, script and all; `.json` is the Vega-Lite specification. With
    `dark` it is light on a dark ground, as for slides.
    """
    check_savable(path)
    spec = chart.to_dict()
    if dark:
        spec["config"] = theme.config("dark")
    write_file(os.fspath(path), _WRITERS[_ending(path)](spec))


def check_savable(path: str | os.PathLike[str]) -> None:
    """Raise an error where no chart can be saved as this, or only with a library that is missing.

    For those who would rather know before they read large files.
    """
    ending = _ending(path)
    if ending not in _WRITERS:
        name = os.fspath(path)
        raise OptionError(f"{name}: a plot cannot be saved as {ending!r}{suggest(ending, ENDINGS)}")
    if ending != ".json":
        _convert()


def _ending(path: str | os.PathLike[str]) -> str:
    return PurePath(path).suffix.lower()
