"""The confusion matrix: relevant or not, returned or not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cleverdon.errors import check_word
from cleverdon.hits import Hits, cut_off
from cleverdon.measures.confusion import TNR
from cleverdon.scores import Scores
from cleverdon.show.plot import theme
from cleverdon.show.plot.base import Chart, Datasets, Row, alt, finished, name_labels, table
from cleverdon.show.plot.kept import chosen, hits_of, resting_on

UNJUDGED = ("not relevant", "apart")
"""Where a confusion matrix can have what nobody judged."""

_COLUMNS = 3
"""How many matrices stand beside each other."""


def confusion(
    scores: Scores,
    *,
    k: int | None = None,
    rel: float = 1,
    systems: str | Sequence[str] | None = None,
    unjudged: str = "not relevant",
) -> Chart:
    """A matrix for each system, of its first k results or of all, summed over topics.

    What nobody judged counts as not relevant, as it does in all measures of such matrices, or is a
    row of its own: unjudged="apart". How many documents were rightly not returned is known only
    where evaluate(..., docs=N) was told how many there are.
    """
    named = chosen(scores, systems)
    depth = "all results" if k is None else f"the first {k:,} results"
    return finished(
        confusion_chart(named, scores.systems),
        confusion_rows(scores, k=k, rel=rel, systems=named, unjudged=unjudged),
        title="Confusion matrix",
        subtitle=f"Summed over {resting_on(scores)}; returned: among {depth}. "
        f"Relevant: grade {rel:g} or above.",
    )


def confusion_rows(
    scores: Scores,
    *,
    k: int | None = None,
    rel: float = 1,
    systems: Sequence[str] | None = None,
    unjudged: str = "not relevant",
) -> Datasets:
    """The cells of each system's matrix: how many, what share of the row, and what is printed."""
    check_word("unjudged", unjudged, UNJUDGED)
    cells: list[Row] = []
    for system in scores.systems if systems is None else systems:
        evaluated = scores.evaluated[scores.systems.index(system)]
        for truth, pair in _counts(hits_of(scores, system), evaluated, k, rel, unjudged).items():
            whole = sum(pair)  # NaN where one of them is not known
            for outcome, count in zip(("returned", "not returned"), pair, strict=True):
                known = not np.isnan(count)
                share = float(count / whole) if whole > 0 else None
                cells.append(
                    {
                        "system": system,
                        "truth": truth,
                        "outcome": outcome,
                        "count": int(count) if known else None,
                        "share": share,
                        "text": f"{int(count):,}" if known else "unknown",
                    }
                )
    return {"cells": cells}


def _counts(
    hits: Hits, evaluated: Any, k: int | None, rel: float, unjudged: str
) -> dict[str, tuple[float, float]]:
    """Returned and not returned, of the relevant and of others; NaN where that is not known."""
    top = hits.top(None if k is None else cut_off(k))
    a, b, c, d = (float(part[evaluated].sum()) for part in TNR(rel=rel).parts(top))
    if unjudged == "not relevant":
        return {"relevant": (a, c), "not relevant": (b, d)}
    judged = hits.judgments
    poor = (top.grade >= 0) & (top.grade < rel)
    seen = float(top.count(poor)[evaluated].sum())
    all_poor = judged.count((judged.grade >= 0) & (judged.grade < rel))
    left = float(all_poor[evaluated].sum()) - seen
    return {
        "relevant": (a, c),
        "not relevant": (seen, left),
        "not judged": (b - seen, d - left),
    }


def confusion_chart(systems: Sequence[str], every: Sequence[str] | None = None) -> Any:
    """Matrices beside each other; a cell is the darker, the more of its row is in it.

    `every` are the systems whose matrices may be drawn in place of these.
    """
    base = alt.Chart(table("cells")).encode(
        x=alt.X(
            "outcome:N",
            sort=["returned", "not returned"],
            title=None,
            axis=alt.Axis(labelAngle=0, domain=False, ticks=False),
        ),
        y=alt.Y(
            "truth:N",
            sort=["relevant", "not relevant", "not judged"],
            title=None,
            axis=alt.Axis(domain=False, ticks=False),
        ),
        tooltip=[
            alt.Tooltip("system:N"),
            alt.Tooltip("truth:N", title="documents"),
            alt.Tooltip("outcome:N", title="are"),
            alt.Tooltip("text:N", title="how many"),
            alt.Tooltip("share:Q", title="share of the row", format=".4f"),
        ],
    )
    header = alt.Header(**name_labels(every or systems))
    facet = alt.Facet("system:N", title=None, sort=list(systems), header=header)
    matrices = heat(base, "share:Q", "share of the row", cell=(90, 46)).facet(
        facet=facet, columns=2 if len(systems) == 4 else _COLUMNS
    )
    return matrices.resolve_axis(x="independent")  # else it stands below the last row only


def heat(base: Any, share: str, title: str, *, cell: tuple[int, int]) -> Any:
    """Cells that are the darker, the larger their share, with their `text` printed in them.

    The text is dark on pale cells and pale on dark ones, whatever paper the chart is on; a cell
    without a share has no colour, and its text that of all others.
    """
    field = share.partition(":")[0]
    value = alt.datum[field]
    colour = alt.Color(
        share,
        title=title,
        scale=alt.Scale(domain=[0, 1], scheme=theme.RISING),
        legend=alt.Legend(format=".0%", gradientLength=110),
    )
    known = alt.expr.isValid(value)
    ink = {"dark": "#10202e", "pale": "#ffffff"}
    cells = base.transform_filter(known).mark_rect().encode(color=colour)
    words = base.mark_text(fontSize=12).encode(text=alt.Text("text:N"))
    dark = words.transform_filter(known & (value < 0.6)).encode(color=alt.ColorValue(ink["dark"]))
    pale = words.transform_filter(known & (value >= 0.6)).encode(color=alt.ColorValue(ink["pale"]))
    plain = words.transform_filter(~known)
    return alt.layer(cells, dark, pale, plain).properties(
        width=alt.Step(cell[0]), height=alt.Step(cell[1])
    )
