"""What all plots are made with.

A plot is a function that takes scores, or a comparison, and returns an altair chart. Its rows are
plain records in named datasets of the chart, so that a test, or a page that lets its reader pick
another measure, finds them by name. Numbers in them are exact; charts round what they print.
Channels are objects, `x=alt.X("value:Q")`: for a text, altair looks through all that it knows.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import AbstractContextManager
from itertools import zip_longest
from typing import Any, TypeAlias

from cleverdon.errors import MissingExtra, OptionError
from cleverdon.show.plot import theme
from cleverdon.show.text import text_width

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
    "name_labels",
    "short_names",
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
NAME_WIDTH = 30
"""The longest name that a plot writes, in columns of text; longer ones are shortened."""


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
            raise OptionError(
                f"the plot would have {len(rows):,} {name}, and can have {LIMIT:,}: choose fewer "
                "systems (--system, or systems= in Python) or fewer measures"
            )
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


def short_names(names: Sequence[str], width: int = NAME_WIDTH) -> dict[str, str]:
    """The name that a plot writes for each of these: long ones lose their middle.

    Different names stay different. Where only the middle tells some of them apart, their start and
    the part that differs are kept; where that does not fit either, they are numbered.

    >>> short_names(["bm25", "bm25-with-a-very-long-common-part-run-01"], width=20)
    {'bm25': 'bm25', 'bm25-with-a-very-long-common-part-run-01': 'bm25-with-…rt-run-01'}
    """
    short = {name: _cut(name, width) for name in names}
    alike: dict[str, list[str]] = {}
    for name, cut in short.items():
        alike.setdefault(cut, []).append(name)
    for group in alike.values():
        if len(group) > 1:
            start = next(
                n for n, letters in enumerate(zip_longest(*group)) if len(set(letters)) > 1
            )
            short |= {name: _cut(name, width, start) for name in group}
    taken = {name for name in short if short[name] == name}
    for name, cut in short.items():
        number = 2
        while cut != name and cut in taken:
            end = f" #{number}"
            cut, number = _cut(name, width - len(end)) + end, number + 1
        short[name] = cut
        taken.add(cut)
    return short


def _cut(name: str, width: int, start: int | None = None) -> str:
    """A name without its middle, or without all but its beginning and the part from `start` on."""
    if text_width(name) <= width:
        return name
    if start is None:
        head = _fitting(name, width // 2)
        return f"{head}…{_fitting(name[::-1], width - text_width(head) - 1)[::-1]}"
    head = _fitting(name[:start], width // 3)
    rest = _fitting(name[start:], width - text_width(head) - 2)
    return f"{head}…{rest}" if name.endswith(rest) else f"{head}…{rest}…"


def _fitting(text: str, width: int) -> str:
    """As much of the beginning of a text as has room."""
    end = min(len(text), max(width, 0))
    while text_width(text[:end]) > width:
        end -= 1
    return text[:end]


def name_labels(names: Sequence[str]) -> dict[str, Any]:
    """Options of an axis, a legend or a header, whose labels are then short names."""
    changed = {name: short for name, short in short_names(names).items() if name != short}
    if not changed:
        return {}
    # Arrays and not an object, in which "constructor" would be found though it is not there.
    places = f"indexof({json.dumps(list(changed))}, datum.value)"
    # Vega-Lite puts a longer expression in place of the last part: hence the brackets.
    return {"labelExpr": f"{json.dumps(list(changed.values()))}[{places}] || (datum.label)"}


def system_colour(systems: Sequence[str], **options: Any) -> alt.Color:
    """The colour of a row's `system`: the same in every plot of the same systems."""
    scale = alt.Scale(domain=list(systems), range=theme.colours(systems))
    return alt.Color("system:N", scale=scale, **({"title": "system"} | options))
