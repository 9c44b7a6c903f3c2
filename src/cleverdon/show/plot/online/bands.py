"""Head, torso and tail: how much of the traffic is of frequent queries."""

from __future__ import annotations

from typing import Any

from cleverdon.errors import OptionError
from cleverdon.online.observing import Listed
from cleverdon.show.plot.base import Chart, Datasets, alt, finished, table
from cleverdon.show.plot.theme import PALETTE

BANDS = ("head", "torso", "tail")
_OF = {"texts": "different queries", "count": "all queries asked"}


def bands(listed: Listed) -> Chart:
    """The list HeadTorsoTail as two bars, one of different queries and one of all of them."""
    if str(listed.metric) != "HeadTorsoTail":
        raise OptionError(f"it takes the list HeadTorsoTail, not {listed.metric}")
    return finished(
        bands_chart(),
        bands_rows(listed),
        title="Head, torso and tail",
        subtitle="How much of the traffic the most frequent queries have, and how much rare ones.",
    )


def bands_rows(listed: Listed) -> Datasets:
    """A row for each band, of different queries and of all that were asked."""
    rows = []
    for field, of in _OF.items():
        total = sum(row[field] for row in listed.rows)
        start = 0.0
        for row in listed.rows:
            share = row[field] / total if total else 0.0
            rows.append(
                {
                    "of": of,
                    "band": row["band"],
                    "count": row[field],
                    "from": start,
                    "to": start + share,
                    "middle": start + share / 2,
                    "share": share,
                    # A narrow bar has no room for words.
                    "told": f"{row['band']} {share:.0%}" if share >= 0.1 else "",
                }
            )
            start += share
    return {"bands": rows}


def bands_chart() -> Any:
    """Two bars of three parts each, whose names stand in them."""
    colours = [PALETTE[0], PALETTE[4], PALETTE[6]]
    scale = alt.Scale(domain=list(BANDS), range=colours)
    rows = alt.Chart(table("bands")).encode(y=alt.Y("of:N", sort=None, title=None))
    across = alt.X("from:Q", title="share", axis=alt.Axis(format="%"), scale=alt.Scale(nice=False))
    tooltip = [
        alt.Tooltip("of:N"),
        alt.Tooltip("band:N"),
        alt.Tooltip("count:Q", format=","),
        alt.Tooltip("share:Q", format=".1%"),
    ]
    bars = rows.mark_bar().encode(
        x=across,
        x2=alt.X2("to:Q"),
        color=alt.Color("band:N", scale=scale, legend=alt.Legend(title=None, orient="bottom")),
        tooltip=tooltip,
    )
    # On bars, whose colours are the same on paper and in the dark.
    ink = alt.condition("datum.band === 'head'", alt.value("#ffffff"), alt.value("#1a1a1a"))
    room = alt.expr("(datum.to - datum.from) * width > 56 ? 1 : 0")  # pages may draw it narrower
    words = rows.mark_text(opacity=room).encode(
        x=alt.X("middle:Q"), text=alt.Text("told:N"), color=ink
    )
    return alt.layer(bars, words).properties(height=alt.Step(44))
