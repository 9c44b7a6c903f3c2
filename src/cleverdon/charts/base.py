"""The building blocks of all charts.

A plot is a function that takes scores, or a comparison, and returns an altair chart. Its rows
are plain records in named datasets of the chart, so that a test, or a page that lets its reader
pick another measure, finds them by name. Numbers in them are exact; charts round what they
print. Channels are objects, `x=alt.X("value:Q")`: for a text, altair looks through all that it
knows.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from importlib.util import find_spec
from typing import Any, TypeAlias

from cleverdon._common.extras import importing
from cleverdon.charts import theme
from cleverdon.charts.notebooks import display_chart
from cleverdon.charts.theme import WIDTH, name_labels
from cleverdon.errors import OptionError

with importing("a plot", package="altair", extra="plots"):  # one place for all plots
    import altair as alt
    from altair.utils.schemapi import debug_mode

__all__ = ["alt"]  # which every plot takes from here

Row: TypeAlias = dict[str, Any]
Datasets: TypeAlias = dict[str, list[Row]]  # a chart's rows, by the names of its datasets
Chart: TypeAlias = alt.Chart | alt.LayerChart | alt.FacetChart | alt.HConcatChart | alt.VConcatChart


class _ShownOffline:
    """What altair's charts do in a notebook, without a script from the network."""

    def _repr_mimebundle_(self, *args: Any, **options: Any) -> Any:
        chart: Any = self
        # Whoever chose a renderer of altair's wants that one. In Colab, which is online, each
        # output is a page of its own, so that outputs cannot share a script.
        chosen = alt.renderers.active != "default"
        if chosen or "google.colab" in sys.modules or not find_spec("vl_convert"):
            super_bundle: Any = super()
            return super_bundle._repr_mimebundle_(*args, **options)
        return display_chart(chart.to_dict())


class _OfflineChart(_ShownOffline, alt.Chart):
    pass


class _OfflineLayerChart(_ShownOffline, alt.LayerChart):
    pass


class _OfflineFacetChart(_ShownOffline, alt.FacetChart):
    pass


class _OfflineHConcatChart(_ShownOffline, alt.HConcatChart):
    pass


class _OfflineVConcatChart(_ShownOffline, alt.VConcatChart):
    pass


_OFFLINE: dict[Any, Any] = {cls.__mro__[2]: cls for cls in _ShownOffline.__subclasses__()}

LIMIT = 5000  # rows that a chart may have, as altair has it; what has more is aggregated first


def named_data(name: str) -> alt.NamedData:
    """Return the dataset of this name, for a layer."""
    return alt.NamedData(name)


def finish_chart(
    chart: Any, datasets: Datasets, *, title: str, subtitle: str | list[str] = ""
) -> Chart:
    """Add rows, title and the style of all plots; a subtitle that is a list has several lines."""
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
    # Altair's charts take what is assigned to them as fields of the specification.
    object.__setattr__(chart, "__class__", _OFFLINE.get(type(chart), type(chart)))
    styled: Chart = chart
    return styled


def without_validation() -> AbstractContextManager[None]:
    """Skip the check of charts against the schema, which takes most of the time."""
    return debug_mode(False)


def thin_rows(rows: list[Row], limit: int = LIMIT) -> list[Row]:
    """Return every n-th row, if there are more than can be drawn."""
    return rows[:: -(-len(rows) // limit)] if rows else rows


def system_colour(systems: Sequence[str], **options: Any) -> alt.Color:
    """Return the colour of a row's `system`: the same in all plots of the same systems."""
    scale = alt.Scale(domain=list(systems), range=theme.colours(systems))
    return alt.Color("system:N", scale=scale, **({"title": "system"} | options))


def tooltips(*lines: str) -> list[alt.Tooltip]:
    """Return the lines of a tooltip, each written as `label=field:type format`.

    >>> [line.to_dict() for line in tooltips("system:N", "share of the row=share:Q .4f")][1]
    {'field': 'share', 'format': '.4f', 'title': 'share of the row', 'type': 'quantitative'}
    """
    found = []
    for line in lines:
        label, _, rest = line.rpartition("=")
        field, _, format = rest.partition(" ")
        pairs = (("title", label), ("format", format))
        more: dict[str, Any] = {name: text for name, text in pairs if text}
        found.append(alt.Tooltip(field, **more))
    return found


def number_tooltips(*fields: str) -> list[alt.Tooltip]:
    """Return lines of numbers, labelled as their fields."""
    return tooltips(*(f"{name.replace('_', ' ')}={name}:Q .4f" for name in fields))


def facet_panels(chart: Any, dataset: Any, **options: Any) -> Any:
    """Draw the chart for each `panel` of the rows, one below the other, by their `place`."""
    header = alt.Header(labelAnchor="start", labelFontWeight="bold", labelPadding=3, title=None)
    place = alt.EncodingSortField(field="place", op="min")
    facet = alt.Facet("panel:N", sort=place, header=header)
    return chart.properties(**options).facet(facet, data=dataset, columns=1, spacing=14)


def column_chart(column: str, rows: list[Row], of: int) -> Chart:
    """Draw a column of a table: bars, or points with intervals, in panels by measure.

    Args:
        column: What is drawn.
        rows: A label, a panel, a value and the ends of an interval, each None where it is missing.
        of: How many rows there are; the first of them are drawn.
    """
    places = {panel: at for at, panel in enumerate(dict.fromkeys(row["panel"] for row in rows))}
    rows = [row | {"place": places[row["panel"]]} for row in rows]
    with_intervals = any(row["low"] is not None for row in rows)
    shown = ["value", *(("low", "high") if with_intervals else ())]
    tooltip = [*tooltips("label:N"), *number_tooltips(*shown)]
    names = name_labels([row["label"] for row in rows])
    axis: dict[str, Any] = {"axis": alt.Axis(**names)} if names else {}
    across: dict[str, Any] = {"title": column, "scale": alt.Scale(zero=not with_intervals)}
    y = alt.Y("label:N", sort=None, title=None, **axis)
    drawn = alt.Chart().encode(y=y, tooltip=tooltip)
    value = alt.X("value:Q", **across)
    if with_intervals:
        line: dict[str, Any] = {"x": alt.X("low:Q", **across), "x2": alt.X2("high:Q")}
        end = drawn.mark_tick(thickness=2, size=9, color=theme.PALETTE[0])
        point = drawn.mark_point(size=60, filled=True, opacity=1, color=theme.PALETTE[0])
        layers = [
            drawn.mark_rule(size=2, color=theme.PALETTE[0]).encode(**line),
            *(end.encode(x=alt.X(f"{side}:Q", **across)) for side in ("low", "high")),
            point.encode(x=value),
        ]
        if column == "difference":
            layers.insert(0, alt.Chart().mark_rule(strokeDash=[3, 3]).encode(x=alt.datum(0)))
    else:
        layers = [drawn.mark_bar(color=theme.PALETTE[0]).encode(x=value)]
    chart: Any = alt.layer(*layers)
    data, height = named_data("rows"), alt.Step(20)
    if len(places) > 1:
        chart = facet_panels(chart, data, width=WIDTH, height=height)
    else:
        chart = chart.properties(data=data, width=WIDTH, height=height)
    cut = f"The first {len(rows)} of {of:,} rows." if of > len(rows) else ""
    (panel, *more) = places
    title = f"{panel}: {column}" if panel and not more else column
    return finish_chart(chart, {"rows": rows}, title=title, subtitle=cut)


def intervals_chart(
    title: str, colour: Any, tooltip: list[alt.Tooltip], *, inner: bool = False, **axis: Any
) -> Any:
    """Draw the dataset `differences` in panels: intervals, labels, estimates and p-values.

    With `inner`, a thicker line shows a second interval, from `inner_low` to `inner_high`.
    """
    row = alt.Y("label:N", sort=None, title=None)
    across: dict[str, Any] = {"title": title, **({"axis": alt.Axis(**axis)} if axis else {})}
    rows = alt.Chart().encode(y=row)
    end = alt.value("width")  # pages draw plots narrower where there is less room
    points = rows.encode(x=alt.X("difference:Q", **across), color=colour, tooltip=tooltip)
    layers = [
        alt.Chart().mark_rule(strokeDash=[3, 3]).encode(x=alt.datum(0)),
        rows.mark_rule(size=2).encode(
            x=alt.X("low:Q", **across), x2=alt.X2("high:Q"), color=colour, tooltip=tooltip
        ),
        *(
            [
                rows.mark_rule(size=5).encode(
                    x=alt.X("inner_low:Q", **across), x2=alt.X2("inner_high:Q"), color=colour
                )
            ]
            if inner
            else []
        ),
        points.mark_point(size=70, filled=True, opacity=1),
        # What is not significant is hollow: filled with the colour of the paper.
        rows.transform_filter("!datum.significant")
        .mark_point(size=22, filled=True, style="paper", opacity=1)
        .encode(x=alt.X("difference:Q"), tooltip=tooltip),
        rows.mark_text(align="right", dx=62).encode(text=alt.Text("estimate:N"), x=end),
        rows.mark_text(align="left", dx=76).encode(text=alt.Text("chance:N"), x=end),
    ]
    return facet_panels(
        alt.layer(*layers), named_data("differences"), width=WIDTH, height=alt.Step(22)
    )
