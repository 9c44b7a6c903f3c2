"""A plot of a page: a specification, and its rows for all that a reader can pick."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cleverdon.show.plot.base import Chart, Datasets, Row, finished

WIDE = 940
"""Pixels of a plot that has a row of the page for itself."""


@dataclass(frozen=True)
class Figure:
    """A plot of a page."""

    id: str
    title: str
    caption: str
    varies: str
    """What it depends on, of that which a reader can pick; `never` where that is nothing."""
    spec: dict[str, Any]
    rows: dict[str, Any]
    """By what was picked, as the page's script has it."""
    wide: bool = False
    place: str = "figure-list"
    """The id of the element that it stands in."""
    fits: bool = True
    """Whether it may be drawn narrower on a narrow screen; if not, it is scrolled there."""

    @property
    def heading(self) -> dict[str, Any]:
        """What the page knows of it before it is drawn."""
        return {
            "id": self.id,
            "title": self.title,
            "caption": self.caption,
            "varies": self.varies,
            "wide": self.wide,
            "place": self.place,
            "fits": self.fits,
        }


def of_drawn(
    id: str,
    chart: Chart,
    others: Mapping[str, Datasets] | None = None,
    *,
    varies: str = "never",
    first: str = "",
    wide: bool = False,
    place: str = "figure-list",
) -> Figure:
    """A finished chart, with its own title and subtitle, and the rows of others like it.

    `first` is what must be picked for the chart's own rows; `others` are those of other picks.
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
    packs = {key: packed(one) for key, one in rows.items()}
    return Figure(id, title["text"], caption, varies, spec, packs, wide=wide, place=place)


def spec_of(chart: Any, *, width: int | None = None) -> dict[str, Any]:
    """The specification of a chart that is not finished."""
    spec = _without_style(finished(chart, {}, title="").to_dict(validate=False))
    return spec if width is None else {**spec, "width": width}


def _without_style(spec: dict[str, Any]) -> dict[str, Any]:
    """The specification alone: the page has rows, headings, and a style for light and for dark."""
    return {key: value for key, value in spec.items() if key not in ("config", "title", "datasets")}


def packed(datasets: Datasets) -> dict[str, Any]:
    """Rows without the names of their columns, and each text of a column once.

    Numbers have six digits: no pixel shows more, and a report is to be sent around.
    """
    return {name: _packed_rows(rows) for name, rows in datasets.items()}


def _packed_rows(rows: Sequence[Row]) -> dict[str, Any]:
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
