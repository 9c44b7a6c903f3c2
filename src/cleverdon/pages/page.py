"""The self-contained HTML page: figures, shell, content security policy, scripts, saving.

Everything that comes from the input is JSON that the page's script reads, and gets into the
document as text. The content security policy makes the browser enforce both.
"""

from __future__ import annotations

import gzip
import json
import platform
from abc import ABC, abstractmethod
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from cleverdon._common.files import write_file
from cleverdon.charts import theme
from cleverdon.charts.base import Chart, Datasets, Row, finish_chart
from cleverdon.charts.vega import script_text, vega_bundle

if TYPE_CHECKING:
    from os import PathLike


WIDE = 940
"""Pixels of a plot that has a row of the page for itself."""


@dataclass(frozen=True)
class Figure:
    """A plot of a page."""

    id: str
    title: str
    caption: str
    varies: str  # the choice of the reader that it depends on; `never` if there is none
    spec: dict[str, Any]
    rows: dict[str, Any]  # by the reader's choice, as the page's script writes it
    wide: bool = False
    place: str = "figure-list"  # the id of the element that holds it
    fits: bool = True  # may be drawn narrower on a narrow screen; if not, it is scrolled there

    @property
    def heading(self) -> dict[str, Any]:
        """Return the figure's title and description, known before it is drawn."""
        names = ("id", "title", "caption", "varies", "wide", "place", "fits")
        return {name: getattr(self, name) for name in names}


def figure_of_chart(
    id: str,
    chart: Chart,
    others: Mapping[str, Datasets] | None = None,
    *,
    varies: str = "never",
    first: str = "",
    wide: bool = False,
    place: str = "figure-list",
) -> Figure:
    """Make a figure of a finished chart, with its own title and subtitle.

    `first` is the choice that shows the chart's own rows; `others` are the rows of other choices.
    """
    datasets = chart.datasets
    chart.datasets = {}  # which would be copied row by row
    drawn = chart.to_dict(validate=False)
    rows = {first: datasets | drawn["datasets"], **(others or {})}
    title = drawn["title"]
    lines = title.get("subtitle", "")
    caption = lines if isinstance(lines, str) else " ".join(lines)
    spec = _without_style(drawn)
    if wide and "facet" not in spec:  # panels have widths of their own
        spec["width"] = WIDE
    packs = {key: _pack_datasets(one) for key, one in rows.items()}
    return Figure(id, title["text"], caption, varies, spec, packs, wide=wide, place=place)


def varying_figure(
    id: str,
    title: str,
    caption: str,
    chart: Any,
    rows: Mapping[str, Datasets],
    *,
    varies: str,
    width: int | None = None,
    **layout: Any,
) -> Figure:
    """Make a figure of a chart that is not finished, with rows for each choice of the reader.

    `layout` are other fields of `Figure`: `wide`, `place`, `fits`.
    """
    packs = {key: _pack_datasets(one) for key, one in rows.items()}
    return Figure(id, title, caption, varies, _chart_spec(chart, width=width), packs, **layout)


def _chart_spec(chart: Any, *, width: int | None = None) -> dict[str, Any]:
    """Return the specification of a chart that is not finished."""
    spec = _without_style(finish_chart(chart, {}, title="").to_dict(validate=False))
    return spec if width is None else {**spec, "width": width}


def _without_style(spec: dict[str, Any]) -> dict[str, Any]:
    """Remove what the page has elsewhere: rows, headings, and a style for light and for dark."""
    return {key: value for key, value in spec.items() if key not in ("config", "title", "datasets")}


def _pack_datasets(datasets: Datasets) -> dict[str, Any]:
    """Write rows without the names of their columns, and each text of a column once.

    Numbers have six digits: no pixel shows more, and files stay small.
    """
    return {name: _pack_rows(rows) for name, rows in datasets.items()}


def _pack_rows(rows: Sequence[Row]) -> dict[str, Any]:
    names = list(dict.fromkeys(name for row in rows for name in row))
    texts, columns = {}, []
    for name in names:
        column = [row.get(name) for row in rows]
        different = dict.fromkeys(column)  # most columns repeat a few values
        known = [value for value in different if isinstance(value, str)]
        short = {value: _rounded(value) for value in different}
        short |= {text: at for at, text in enumerate(known)}
        columns.append([short[value] for value in column])
        if known:
            texts[name] = known
    return {"columns": names, "texts": texts, "rows": list(zip(*columns, strict=True))}


def _rounded(value: Any) -> Any:
    return float(f"{value:.6g}") if isinstance(value, float) else value


_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data: blob:"
)
"""Vega compiles its expressions, hence 'unsafe-eval'; nothing but the page itself is a source."""

_SHARED = ("packed", "elements", "figures", "looks")
"""The scripts of all pages."""


def _page_body(package: str) -> str:
    """Return the frame of all pages, with the navigation and the sections of the package."""
    navigation, sections = _read_asset(package, "body.html").split("<!-- sections -->\n")
    frame = _read_asset(__package__, "body.html")
    return frame.replace("NAVIGATION\n", navigation).replace("SECTIONS\n", sections)


def _page_script(package: str, parts: Sequence[str]) -> str:
    """Return the page's own script: all parts within one function, so that no name is global.

    The function is asynchronous: it waits for packed data, if there are any.
    """
    texts = [_read_asset(__package__, f"{name}.js") for name in _SHARED]
    texts += [_read_asset(package, f"{name}.js") for name in parts]
    joined = "\n".join(texts)
    return f'"use strict";\n(async () => {{\n{joined}}})();'


def _read_asset(package: str, name: str) -> str:
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
{vega}
<script>{script}</script>
</body>
</html>
"""


def _data_element(id: str, data: Any) -> str:
    """Write data for the script so that no text in it can end it: tags begin with `<`."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text = text.replace("<", "\\u003c").encode("utf-8", errors="backslashreplace").decode()
    return _text_element(id, text, "application/json")


_LONG = 100_000
"""Texts with more characters are packed."""


def _text_element(id: str, text: str, kind: str) -> str:
    """Write a text for the script; a long one packed, to a third of its size."""
    if len(text) > _LONG:
        kind = "application/gzip"
        text = b64encode(gzip.compress(text.encode(), mtime=0)).decode("ascii")
    return f'<script type="{kind}" id="{id}">{text}</script>'


class Page(ABC):
    """The base of reports: their content, and the page that shows it.

    The assets are in the package of the subclass: `body.html`, `style.css` and scripts.
    """

    content: dict[str, Any]  # everything that the page shows, ready for `json.dumps`
    scripts: ClassVar[tuple[str, ...]]
    """The scripts, in an order in which each finds what it needs when it is run."""

    @abstractmethod
    def figures(self) -> Sequence[Figure]:
        """Draw the plots of the page."""

    @abstractmethod
    def without_script(self) -> str:
        """Return HTML for readers without JavaScript."""

    def script_data(self) -> dict[str, Any]:
        """Return the data that scripts read, by the ids of their elements."""
        return {"content": self.content}

    @cached_property
    def html(self) -> str:
        """The page."""
        package = type(self).__module__.rpartition(".")[0]
        figures, title = self.figures(), escape(self.content["title"])
        data = self.script_data()
        themes = {mode: theme.config(mode) for mode in ("light", "dark")}
        shown = {
            **data.pop("content"),
            "themes": {mode: one | {"background": "transparent"} for mode, one in themes.items()},
            "figures": [figure.heading for figure in figures],
        }
        drawn = {f"figure-data-{one.id}": {"spec": one.spec, "rows": one.rows} for one in figures}
        elements = {"content": shown, **drawn, **data}
        return _SHELL.format(
            policy=escape(_POLICY),
            title=title,
            style=_read_asset(__package__, "style.css") + _read_asset(package, "style.css"),
            body=_page_body(package).replace("TITLE", title),
            without=self.without_script(),
            data="\n".join(_data_element(id, one) for id, one in elements.items()),
            vega=_text_element("vega", script_text(vega_bundle()), "text/plain"),
            script=script_text(_page_script(package, self.scripts)),
        )

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page to a file that appears when it is complete."""
        write_file(str(path), self.html.encode("utf-8", errors="backslashreplace"))

    def save_json(self, path: str | PathLike[str]) -> None:
        """Write the content to a file, for programs."""
        text = json.dumps(self.content, indent=1, ensure_ascii=False, allow_nan=False)
        write_file(str(path), f"{text}\n".encode("utf-8", errors="backslashreplace"))

    def write(self, path: Path, *, data: Path | None = None) -> str:
        """Write the page, and its content to `data`; return a text that says so."""
        self.save(path)
        lines = [f"{path} is written: {path.stat().st_size / 1e6:.1f} MB; open it in a browser"]
        if data is not None:
            self.save_json(data)
            lines.append(f"{data} has the data")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        # Within a frame, so that its styles and scripts do not touch the notebook.
        return (
            f'<iframe srcdoc="{escape(self.html)}" style="box-sizing:border-box;width:100%;'
            'height:80vh;border:1px solid #ccc" '
            'sandbox="allow-scripts allow-downloads allow-modals"></iframe>'
        )


def definition(name: str, cls: Any, facts: Mapping[str, str]) -> dict[str, str]:
    """Describe a measure or metric by its class: docstring, formula, and those facts it has."""
    about = {"about": cleandoc(cls.__doc__ or ""), "formula": cls.formula}
    described = {"name": name, **about, "mathml": _mathml(cls.formula), **facts}
    return {name: text for name, text in described.items() if text}


def _mathml(formula: str) -> str:
    """Return a formula as browsers draw it; nothing where the library for that is missing."""
    try:
        from latex2mathml.converter import convert  # optional
    except ImportError:
        return ""
    found: str = convert(formula, display="block") if formula else ""
    return found


def versions(cleverdon: str, libraries: Iterable[str]) -> dict[str, str]:
    """Return the versions of Cleverdon, Python, and those libraries that are installed."""
    found = {"Cleverdon": cleverdon, "Python": platform.python_version()}
    for library in libraries:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
    return found
