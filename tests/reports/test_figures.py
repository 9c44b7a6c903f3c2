"""The plots of a report: the rows that plots have elsewhere, for all that a reader can pick."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from cleverdon import Scores, evaluate
from cleverdon.by_rank import cut_measures
from cleverdon.charts import theme
from cleverdon.charts.base import Datasets
from cleverdon.comparison.differences import compare
from cleverdon.comparison.samples import samples
from cleverdon.pages.page import Figure
from cleverdon.plots import by_query, comparisons, curves, matrices, trade_offs
from cleverdon.plots.comparisons import forest_rows, pairs_rows
from cleverdon.plots.cutoff_curves import by_cutoff_rows
from cleverdon.plots.distributions import differences_rows, histogram_rows, spread_rows
from cleverdon.plots.inputs import differences_to
from cleverdon.plots.matrices import confusion_rows, grades_by_rank_rows
from cleverdon.plots.trade_offs import trade_off_rows
from cleverdon.reports.figures import _CUTOFFS, report_figures
from cleverdon.reports.html_report import report
from tests.reports.examples import MEASURES, QRELS, RUNS, check_schema, scores

SYSTEMS = list(RUNS)


def drawn(of: Scores, baseline: str | None = None) -> dict[str, Figure]:
    made = report(of, baseline=baseline)
    return {figure.id: figure for figure in report_figures(made.scores, made.comparisons)}


@cache
def bounded_scores() -> Scores:
    return evaluate(QRELS, RUNS, MEASURES, keep=3, docs=20, bounds=True)


@cache
def all_figures() -> dict[str, Figure]:
    return drawn(bounded_scores(), "poor")


def unpacked(packed: dict[str, Any]) -> Datasets:
    """What the page makes of rows, as `expanded` in assets/plots.js does."""

    def cell(name: str, value: Any, texts: dict[str, list[str]]) -> Any:
        return texts[name][value] if name in texts and value is not None else value

    return {
        name: [
            {
                column: cell(column, value, of["texts"])
                for column, value in zip(of["columns"], row, strict=True)
            }
            for row in of["rows"]
        ]
        for name, of in packed.items()
    }


def same(packed: dict[str, Any], rows: Datasets) -> None:
    """The same rows, but for digits that nobody sees; what a row lacks is null."""
    found = unpacked(json.loads(json.dumps(packed, allow_nan=False)))
    assert list(found) == list(rows)
    for name, wanted in rows.items():
        assert len(found[name]) == len(wanted)
        for one, other in zip(found[name], wanted, strict=True):
            assert set(other) <= set(one)
            for column, value in one.items():
                expected = other.get(column)
                if isinstance(expected, float):
                    assert value == pytest.approx(expected, rel=1e-5)
                else:
                    assert value == expected


def placeholders(spec: Any) -> set[str]:
    text = json.dumps(spec, ensure_ascii=False)
    return {"⟦" + part.split("⟧")[0] + "⟧" for part in text.split("⟦")[1:]}


def test_which_plots_there_are() -> None:
    assert list(all_figures()) == [
        "forest",
        "pairs",
        "spread",
        "queries",
        "heat_map",
        "histogram",
        "differences",
        "trade_off",
        "correlation",
        "attention",
        "gains",
        "bounds",
        "by_cutoff",
        "eleven_points",
        "roc",
        "f_lines",
        "confusion",
        "grades_by_rank",
        "precision_recall",
    ]


def specs() -> Iterator[tuple[Figure, dict[str, Any]]]:
    """Each plot as the page draws it: with names in place of marks, and with rows."""
    names = {"measure": "AP", "other": "RR", "baseline": "poor", "system": "good"}
    derived = {
        "queries": by_query.queries(scores(), "AP", "good", baseline="poor"),
        "heat_map": by_query.heat_map(scores(), "AP"),
        "precision_recall": curves.precision_recall(scores(), "1", systems="good"),
    }
    for figure in all_figures().values():
        text = json.dumps(figure.spec, ensure_ascii=False)
        for name, value in names.items():
            text = text.replace(f"⟦{name}⟧", value)
        if figure.id in derived:
            assert figure.rows == {}
            datasets = derived[figure.id].to_dict()["datasets"]
        else:
            datasets = unpacked(next(iter(figure.rows.values())))
        yield figure, json.loads(text) | {"datasets": datasets}


def test_every_specification_is_valid_and_has_the_rows_that_it_names() -> None:
    for figure, spec in specs():
        check_schema(spec | {"config": theme.config("dark")})
        assert "⟦" not in json.dumps(spec, ensure_ascii=False), figure.id
        named = {part.split('"')[0] for part in json.dumps(spec).split('"data": {"name": "')[1:]}
        assert named <= set(spec["datasets"]), figure.id
        assert {"title", "config", "usermeta"}.isdisjoint(figure.spec)
        assert figure.title
        assert figure.caption


def test_marks_stand_only_where_the_page_replaces_them() -> None:
    known = {"⟦measure⟧", "⟦baseline⟧", "⟦other⟧", "⟦system⟧"}
    of = all_figures()
    for figure in of.values():
        assert placeholders([figure.spec, figure.title, figure.caption]) <= known
        assert not placeholders(figure.rows)
    assert placeholders(of["queries"].spec) == {"⟦measure⟧", "⟦baseline⟧"}
    assert placeholders(of["queries"].title) == {"⟦system⟧"}
    assert placeholders(of["trade_off"].spec) == {"⟦measure⟧", "⟦other⟧"}
    assert placeholders(of["forest"].spec) == {"⟦baseline⟧"}
    assert placeholders(of["spread"].spec) == {"⟦measure⟧"}


def test_rows_of_every_measure() -> None:
    of = all_figures()
    all_samples = samples(scores())
    for m, sample in enumerate(all_samples):
        same(of["spread"].rows[f"{m}"], spread_rows(sample))
        same(of["histogram"].rows[f"{m}"], histogram_rows(sample))
        other = all_samples[0 if m else 1]
        same(of["trade_off"].rows[f"{m}"], trade_off_rows(sample, other, scores()))
        same(of["pairs"].rows[f"{m}"], pairs_rows(compare(scores()), sample.measure))


def test_rows_of_every_measure_and_baseline() -> None:
    of = all_figures()
    for m, sample in enumerate(samples(scores())):
        for b, system in enumerate(SYSTEMS):
            against = compare(scores(), baseline=system)
            same(of["forest"].rows[f"{m} {b}"], forest_rows(against, sample.measure))
            wanted = differences_rows(differences_to(sample, system))
            same(of["differences"].rows[f"{m} {b}"], wanted)
        wanted = differences_rows(differences_to(sample, None))
        same(of["differences"].rows[f"{m} -1"], wanted)
    assert len(of["forest"].rows) == 4 * 3
    assert len(of["differences"].rows) == 4 * 4


def test_rows_of_every_system() -> None:
    of = all_figures()
    for s, system in enumerate(SYSTEMS):
        same(of["confusion"].rows[f"{s}"], confusion_rows(scores(), k=10, systems=[system]))
        same(of["grades_by_rank"].rows[f"{s}"], grades_by_rank_rows(scores(), systems=[system]))


def test_cutoffs_end_where_rankings_do() -> None:
    rows = all_figures()["by_cutoff"].rows
    assert "1" in rows  # RR has a cut-off
    assert "3" in rows  # and so has FPR
    cutoffs = [k for k in _CUTOFFS if k <= 4]  # the deepest ranking has four results
    assert cutoffs == [1, 2, 3, 4]
    family = cut_measures(scores(), samples(scores())[2].measure, cutoffs)
    same(rows["2"], by_cutoff_rows(scores(), family, cutoffs))


def test_plots_that_nothing_can_be_picked_for() -> None:
    of = all_figures()
    bounded = bounded_scores()
    charts = {
        "correlation": matrices.correlation(bounded),
        "eleven_points": curves.eleven_points(bounded),
        "roc": curves.roc(bounded),
        "f_lines": trade_offs.f_lines(bounded, k=10),
        "bounds": comparisons.bounds(bounded, MEASURES),
    }
    for name, chart in charts.items():
        same(of[name].rows[""], chart.to_dict()["datasets"])
        assert of[name].title == chart.to_dict()["title"]["text"]
        assert of[name].varies == "never"


def test_one_system_alone_has_no_differences() -> None:
    alone = drawn(evaluate(QRELS, {"good": RUNS["good"]}, "AP RR", keep=3))
    assert {"forest", "pairs", "queries", "differences", "trade_off"}.isdisjoint(alone)
    assert {"spread", "heat_map", "histogram", "confusion", "precision_recall"} <= set(alone)


def test_two_systems_need_no_matrix_of_pairs() -> None:
    two = drawn(evaluate(QRELS, {name: RUNS[name] for name in ("good", "poor")}, "AP"))
    assert "pairs" not in two
    assert "trade_off" not in two  # of one measure
    assert "forest" in two


def test_without_rankings_nothing_is_drawn_of_them() -> None:
    found = drawn(evaluate(QRELS, RUNS, "AP RR"))
    assert {"roc", "confusion", "by_cutoff", "precision_recall"}.isdisjoint(found)
    assert {"queries", "heat_map"} <= set(found)


def test_a_comparison_of_some_systems_and_measures() -> None:
    made = report(compare(scores(), systems=["poor", "middling"], measures="RR", baseline="poor"))
    found = {figure.id: figure for figure in report_figures(made.scores, made.comparisons)}
    assert set(found["forest"].rows) == {"1 1", "1 2"}
    assert set(found["spread"].rows) == {"0", "1", "2", "3"}


def test_a_one_sided_comparison_has_its_forest() -> None:
    given = compare(scores(), baseline="good", alternative="less")
    made = report(given)
    found = {figure.id: figure for figure in report_figures(made.scores, made.comparisons)}
    same(found["forest"].rows["0 0"], forest_rows(given, samples(scores())[0].measure))
    assert "pairs" not in found


def test_texts_of_a_column_stand_once() -> None:
    (packed,) = (all_figures()["spread"].rows["0"]["boxes"],)
    assert sorted(packed["texts"]["system"]) == sorted(SYSTEMS)
    assert len(packed["columns"]) == len(packed["rows"][0])


def test_no_column_mixes_texts_and_numbers() -> None:
    # The page looks up numbers of a column that has texts: they are the places of texts.
    for figure in all_figures().values():
        for packed in figure.rows.values():
            for of in packed.values():
                for at, column in enumerate(of["columns"]):
                    if column in of["texts"]:
                        count = len(of["texts"][column])
                        cells = [row[at] for row in of["rows"] if row[at] is not None]
                        assert all(type(cell) is int and cell < count for cell in cells)
