"""What all plots are made with.

A plot is a function that takes scores, or a comparison, and returns an altair chart. Its rows are
plain records in named datasets of the chart, so that a test, or a page that lets its reader pick
another measure, finds them by name. Numbers in them are exact; charts round what they print.
Channels are objects, `x=alt.X("value:Q")`: for a text, altair looks through all that it knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeAlias

from cleverdon.errors import InternalError, MissingExtra
from cleverdon.show.plot import theme

try:  # for all plots, so that one place says how to install it
    import altair as alt
    from altair.utils.schemapi import debug_mode
except ImportError:
    raise MissingExtra("a plot", package="altair", extra="plots") from None

__all__ = [
    "LIMIT",
    "Chart",
    "Datasets",
    "Row",
    "alt",
    "finished",
    "system_colour",
    "table",
    "thinned",
    "unchecked",
]

Row: TypeAlias = dict[str, Any]
Datasets: TypeAlias = dict[str, list[Row]]
"""A chart's rows, by the names of its datasets."""
Chart: TypeAlias = alt.Chart | alt.LayerChart | alt.FacetChart | alt.HConcatChart | alt.VConcatChart

LIMIT = 5000
"""Rows that a chart may have, as altair has it; what has more is aggregated first."""


def table(name: str) -> alt.NamedData:
    """The chart's dataset of this name, as what a layer is drawn from."""
    return alt.NamedData(name)


def finished(
    chart: Any, datasets: Datasets, *, title: str, subtitle: str | list[str] = ""
) -> Chart:
    """The chart with its rows, its title and the style that all plots have.

    A subtitle that is a list has several lines.
    """
    for name, rows in datasets.items():
        if len(rows) > LIMIT:
            raise InternalError(f"the plot's {name} are {len(rows)} rows: aggregate them first")
    # Set one by one and not by the chart's own methods, each of which copies all that it holds.
    chart.title = alt.TitleParams(title, subtitle=subtitle) if subtitle else alt.TitleParams(title)
    chart.config = alt.Config(**theme.config())
    chart.datasets = datasets
    styled: Chart = chart
    return styled


def unchecked() -> AbstractContextManager[None]:
    """Charts made within it are not held against the schema, which takes most of the time."""
    return debug_mode(False)


def thinned(rows: list[Row], limit: int = LIMIT) -> list[Row]:
    """Every n-th row, where there are more than can be drawn: their shape stays what it is."""
    return rows[:: -(-len(rows) // limit)] if rows else rows


def system_colour(systems: Sequence[str], **options: Any) -> alt.Color:
    """The colour of a row's `system`: the same in every plot of the same systems."""
    scale = alt.Scale(domain=list(systems), range=theme.colours(systems))
    return alt.Color("system:N", scale=scale, **({"title": "system"} | options))
