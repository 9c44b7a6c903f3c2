"""How many searches there were, over time."""

from __future__ import annotations

from typing import Any

from cleverdon.online.series import Series
from cleverdon.show.plot.base import Chart, Datasets, alt, finished, table
from cleverdon.show.plot.online.times import drawable, places, time_axis, when
from cleverdon.show.plot.theme import PALETTE


def searches_over_time(series: Series) -> Chart:
    """A bar for each minute, hour or day."""
    most = max(series.points, key=lambda point: point.searches)
    return finished(
        searches_over_time_chart(series.span),
        searches_over_time_rows(series),
        title=f"Searches a{'n' if series.span == 'hour' else ''} {series.span}",
        subtitle=f"Most: {most.searches:,}, {when(most, series.span)}.",
    )


def searches_over_time_rows(series: Series) -> Datasets:
    """A row for each span of time, also for those without a search."""
    drawn = places(series)
    rows = []
    for point in drawable(series.points):
        start, end = drawn[point.at, point.ahead]
        told = {"when": when(point, series.span), "searches": point.searches}
        rows.append({"at": start, "end": end, **told})
    return {"spans": rows}


def searches_over_time_chart(span: str) -> Any:
    """Bars, each as wide as its span."""
    title = f"searches a{'n' if span == 'hour' else ''} {span}"
    return (
        alt.Chart(table("spans"))
        .mark_rect(color=PALETTE[0], x2Offset=-1 if span == "day" else 0)
        .encode(
            x=time_axis(),
            x2=alt.X2("end:T"),
            y=alt.Y("searches:Q", title=title, scale=alt.Scale(zero=True)),
            y2=alt.datum(0),
            tooltip=[alt.Tooltip("when:N", title="from"), alt.Tooltip("searches:Q", format=",")],
        )
    )
