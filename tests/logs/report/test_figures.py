"""The plots of a report of a log."""

from __future__ import annotations

from functools import cache

from cleverdon.charts import theme
from cleverdon.logs.plots import by_day_rows
from cleverdon.logs.report.page import _report_figures
from cleverdon.pages.page import Figure
from tests.logs.report.examples import bare, usual
from tests.reports.examples import check_schema
from tests.reports.test_figures import same, unpacked


@cache
def drawn() -> dict[str, Figure]:
    return {figure.id: figure for figure in _report_figures(usual().data)}


def test_every_plot_is_there_in_its_section() -> None:
    assert {figure.id: figure.place for figure in drawn().values()} == {
        "by_day": "daily-figures",
        "by_day_and_variant": "daily-figures",
        "searches": "time-figures",
        "busy_hours": "time-figures",
        "funnel": "funnel-figures",
        "bands": "list-HeadTorsoTail",
        "queries_per_session": "spread-figures",
        "click_rank": "spread-figures",
        "time_to_click": "spread-figures",
        "dwell": "spread-figures",
        "latency": "latency-figures",
        "latency_by_load": "latency-figures",
        "latency_over_time": "latency-figures",
        "effects": "abtest-figures",
    }


def test_a_log_with_little_in_it_has_few() -> None:
    assert [figure.id for figure in _report_figures(bare().data)] == [
        "by_day",
        "searches",
        "busy_hours",
        "bands",
    ]


def test_metrics_that_can_be_picked_have_their_rows() -> None:
    picks = usual().content["daily"]
    for figure, results in (
        (drawn()["by_day"], usual().data.daily),
        (drawn()["by_day_and_variant"], usual().data.daily_by_variant),
    ):
        assert results is not None
        assert list(figure.rows) == [str(at) for at in range(len(picks))]
        for at, pick in enumerate(picks):
            rows = by_day_rows(results, pick["metric"], percentile=pick["percentile"])
            same(figure.rows[str(at)], rows)


def test_the_funnel_is_of_all_and_of_each_variant() -> None:
    rows = unpacked(drawn()["funnel"].rows[""])["steps"]
    # Six sessions had a click on what is said not to have been found.
    assert [row["sessions"] for row in rows[:4]] == [72, 60, 24, 16]
    assert sum(row["sessions"] for row in rows[4:] if row["step"] == "sessions") == 72


def test_specifications_keep_to_the_schema() -> None:
    for figure in drawn().values():
        packed = next(iter(figure.rows.values()))
        spec = {**figure.spec, "datasets": unpacked(packed), "config": theme.config("dark")}
        check_schema(spec)
