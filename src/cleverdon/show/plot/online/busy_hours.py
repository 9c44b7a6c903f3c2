"""When in the week users search: hours beside days."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cleverdon.online.series import BusyHour
from cleverdon.show.plot import theme
from cleverdon.show.plot.base import Chart, Datasets, alt, finished, table

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def busy_hours(hours: Sequence[BusyHour], *, zone: str = "UTC") -> Chart:
    """A heat map of the searches in each hour of the week, of `online.series.busy_hours`."""
    return finished(
        busy_hours_chart(),
        busy_hours_rows(hours),
        title="When users search",
        subtitle=f"Searches an hour, on average over all such hours; the clock is that of {zone}.",
    )


def busy_hours_rows(hours: Sequence[BusyHour]) -> Datasets:
    """A row for each hour of the week that the log has."""
    return {
        "hours": [
            {
                "weekday": DAYS[one.weekday],
                "hour": one.hour,
                "searches": one.searches,
                "hours": one.hours,
                "mean": one.mean,
            }
            for one in hours
        ]
    }


def busy_hours_chart() -> Any:
    """Cells that are darker where there is more; the same colours on paper and in the dark."""
    legend = alt.Legend(title="searches an hour", gradientLength=150)
    return (
        alt.Chart(table("hours"))
        .mark_rect()
        .encode(
            x=alt.X("hour:O", title="hour", axis=alt.Axis(labelAngle=0, labelOverlap=True)),
            y=alt.Y("weekday:N", sort=list(DAYS), title=None),
            color=alt.Color("mean:Q", scale=alt.Scale(scheme=theme.RISING), legend=legend),
            tooltip=[
                alt.Tooltip("weekday:N"),
                alt.Tooltip("hour:O"),
                alt.Tooltip("mean:Q", format=",.1f", title="searches an hour"),
                alt.Tooltip("searches:Q", format=",", title="searches in all"),
                alt.Tooltip("hours:Q", title="such hours"),
            ],
        )
        .properties(height=alt.Step(26))
    )
