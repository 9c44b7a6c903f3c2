"""Names in plots: every system can be told from every other, however long and alike names are."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from html import unescape
from typing import Any

import pytest
import vl_convert
from hypothesis import given
from hypothesis import strategies as st

from cleverdon import Scores, evaluate
from cleverdon._common.text import text_width
from cleverdon.charts import theme
from cleverdon.charts.export import drawable
from cleverdon.charts.theme import _NAME_WIDTH, MOST_SYSTEMS, short_names
from cleverdon.comparison.differences import compare
from cleverdon.costs import Cost, Costs
from cleverdon.errors import OptionError
from cleverdon.plots import (
    by_query,
    comparisons,
    curves,
    cutoff_curves,
    distributions,
    matrices,
    trade_offs,
    user_models,
)
from cleverdon.plots.inputs import distinguishable_systems
from cleverdon.plots.kinds import PLOT_KINDS
from tests.plots.made import subtitle

FORMS = {
    "end": "bm25-baseline-with-a-very-long-common-prefix-run-{:02}",
    "middle": "an-experiment-of-this-year-with-k1={:02}-and-b=0.4-and-all-the-other-settings",
    "beginning": "{:02}-of-the-runs-that-were-made-for-the-experiment-of-this-year",
    "short": "run-{:02}",
}
"""Names that differ in one place."""


@cache
def scores_of(form: str, systems: int = 4, queries: int = 6) -> Scores:
    names = [FORMS[form].format(n) for n in range(systems)]
    qrels = {f"q{t}": {f"d{d}": (t + d) % 3 for d in range(9)} for t in range(queries)}
    runs = {
        name: {
            query: {f"d{d}": float((d * (s + 2) + t * (s + 1)) % 11) for d in range(s % 4, 11)}
            for t, query in enumerate(qrels)
        }
        for s, name in enumerate(names)
    }
    return evaluate(qrels, runs, "AP nDCG@10 P@5", keep=10, bounds=True)


def costs_of(scores: Scores) -> dict[str, Costs]:
    return {
        name: Costs(name, {"p99": Cost(0.01 * 2**s), "index_size": Cost(1e7)})
        for s, name in enumerate(scores.systems)
    }


DRAWN: dict[str, Callable[[Scores], Any]] = {
    "bounds": comparisons.bounds,
    "by-cutoff": lambda scores: cutoff_curves.by_cutoff(scores, "nDCG", cutoffs=[1, 2, 5]),
    "confusion": lambda scores: matrices.confusion(scores, k=5),
    "differences": lambda scores: distributions.differences(scores, "AP", baseline="median"),
    "eleven-points": curves.eleven_points,
    "f-lines": lambda scores: trade_offs.f_lines(scores, k=5),
    "forest": lambda scores: comparisons.forest(compare(scores, measures="AP")),
    "grades-by-rank": matrices.grades_by_rank,
    "heat-map": lambda scores: by_query.heat_map(scores, "AP"),
    "histogram": lambda scores: distributions.histogram(scores, "AP"),
    "pairs": lambda scores: comparisons.pairs(compare(scores, measures="AP")),
    "pareto": lambda scores: trade_offs.pareto(scores, costs_of(scores), "AP"),
    "precision-recall": lambda scores: curves.precision_recall(scores, "q1"),
    "roc": curves.roc,
    "spread": lambda scores: distributions.spread(scores, "AP"),
    "trade-off": lambda scores: trade_offs.trade_off(scores, "AP", "P@5"),
}
"""Every kind that draws all systems."""
OTHERS = {"queries", "attention", "gains", "correlation"}
"""One system with its name in the title, and measures."""


def texts(chart: Any) -> list[str]:
    """What is written in the picture, the title and the lines below it aside."""
    spec = {key: value for key, value in chart.to_dict().items() if key != "title"}
    svg = vl_convert.vegalite_to_svg(drawable(spec))
    return [unescape(text) for text in re.findall(r"<text[^>]*>([^<]*)</text>", svg)]


def test_every_kind_is_among_them() -> None:
    assert set(DRAWN) | OTHERS == set(PLOT_KINDS)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", DRAWN)
def test_every_name_is_written_and_differs_from_all_others(kind: str, form: str) -> None:
    scores = scores_of(form)
    found = texts(DRAWN[kind](scores))
    short = short_names(scores.systems)
    assert len(set(short.values())) == len(scores.systems)
    for name in short.values():
        assert any(name in text for text in found), (name, found)
    cut = [text for text in found if text.endswith("…")]
    assert all(text.endswith(tuple(short.values())) for text in cut), cut


def test_axes_have_short_names_and_titles_whole_ones() -> None:
    scores = scores_of("end")
    first, second, *_ = scores.systems
    chart = by_query.queries(scores, "AP", second, baseline=first)
    assert f"AP less that of {short_names(scores.systems)[first]}" in texts(chart)
    assert first in chart.to_dict()["title"]["text"]
    assert second in chart.to_dict()["title"]["text"]


def test_ids_of_queries_keep_their_ends() -> None:
    qrels = {f"a-long-common-part-of-ids-{t:02}": {"d1": 1, "d2": 0} for t in range(4)}
    runs = {"a": {query: {"d1": 1.0 + t, "d2": 2.0} for t, query in enumerate(qrels)}}
    found = texts(by_query.queries(evaluate(qrels, runs, "AP"), "AP", "a"))
    assert {f"a-long…of-ids-{t:02}" for t in range(4)} <= set(found)


@given(st.lists(st.text(alphabet="ab日…-", max_size=60), unique=True, max_size=20))
def test_short_names_are_short_and_different(names: Sequence[str]) -> None:
    short = short_names(names)
    assert list(short) == list(names)
    assert len(set(short.values())) == len(names)
    for name, made in short.items():
        assert text_width(made) <= _NAME_WIDTH
        assert (made == name) == (text_width(name) <= _NAME_WIDTH)


def test_what_tells_names_apart_is_kept() -> None:
    parts = ["x" * 40, "y" * 40]
    assert short_names([f"{parts[0]}{n}{parts[1]}" for n in range(2)]) == {
        f"{parts[0]}0{parts[1]}": f"xxxxxxxxxx…0{'y' * 17}…",
        f"{parts[0]}1{parts[1]}": f"xxxxxxxxxx…1{'y' * 17}…",
    }
    # Four that no thirty letters could tell apart.
    many = [f"{'x' * 40}{n}{'y' * 40}{m}{'z' * 40}" for n in range(2) for m in range(2)]
    assert [made[-2:] for made in short_names(many).values()].count("#2") == 1


COLOURED = ("eleven-points", "roc", "f-lines", "by-cutoff", "precision-recall")
"""Kinds that tell systems apart by colour."""


@pytest.mark.parametrize("kind", COLOURED)
def test_of_many_systems_the_best_are_drawn_and_it_is_said_how_to_choose(kind: str) -> None:
    scores = scores_of("end", 20)
    chart = DRAWN[kind](scores)
    best = set(sorted(scores.systems, key=lambda name: -scores.mean(name, "AP"))[:MOST_SYSTEMS])
    drawn = {
        row["system"]
        for rows in chart.to_dict()["datasets"].values()
        for row in rows
        if "system" in row
    }
    assert drawn == best
    assert "15 of 20 systems: the best by AP." in subtitle(chart)
    assert "cleverdon plot --system" in subtitle(chart)
    found = texts(chart)
    short = short_names(scores.systems)
    for name in scores.systems:
        assert any(short[name] in text for text in found) == (name in best)
    looks = list(zip(theme.colours(list(best)), map(str, theme.dashes(list(best))), strict=True))
    assert len(set(looks)) == MOST_SYSTEMS


def test_the_baseline_is_drawn_in_any_case() -> None:
    scores = scores_of("short", 20)
    worst = min(scores.systems, key=lambda name: scores.mean(name, "AP"))
    named, note = distinguishable_systems(scores, baseline=worst)
    assert worst in named
    assert len(named) == MOST_SYSTEMS
    assert "the best by AP and the baseline" in note
    assert distinguishable_systems(scores, scores.systems[:3]) == (scores.systems[:3], "")
    assert distinguishable_systems(scores_of("short"), None) == (scores_of("short").systems, "")
    with pytest.raises(OptionError, match=r"15 at most.*--system.*the best and the baseline"):
        distinguishable_systems(scores, scores.systems[:16])
    with pytest.raises(OptionError, match="no system 'none'"):
        distinguishable_systems(scores, baseline="none")


def test_a_legend_has_what_is_drawn() -> None:
    scores = scores_of("short", 20)
    named = scores.systems[3:6]
    found = texts(trade_offs.f_lines(scores, k=5, systems=named))
    assert [text for text in found if text.startswith("run-")] == list(named)
    assert set(texts(distributions.spread(scores, "AP", systems=named))) & set(
        scores.systems
    ) == set(named)
    assert set(texts(comparisons.bounds(scores, "AP", systems=named))) & set(scores.systems) == set(
        named
    )
    cells = texts(by_query.heat_map(scores, "AP", systems=named, baseline="median"))
    assert set(cells) & set(scores.systems) == set(named)


@pytest.mark.parametrize("kind", ["differences", "grades-by-rank", "histogram"])
def test_too_many_panels_are_refused_with_a_remedy(kind: str) -> None:
    with pytest.raises(OptionError, match=r"can have 5,000: choose fewer systems \(--system"):
        DRAWN[kind](scores_of("short", 300, queries=2))


def test_no_entry_of_a_legend_is_left_out() -> None:
    measures = [f"RBP(p=0.{p})" for p in range(51, 91) if p % 10]
    assert set(measures) <= set(texts(user_models.attention(measures)))
