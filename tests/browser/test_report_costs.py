"""What systems cost, as a report's page shows it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cleverdon.comparison.tradeoffs import _NO_BREAK, find_tradeoffs
from cleverdon.costs import Cost, Costs
from cleverdon.plots.trade_offs import pareto_rows
from cleverdon.reports.html_report import report
from tests.browser.report_page import ODD, labels, opened, pick, rows, texts
from tests.comparison.made import made

if TYPE_CHECKING:
    from playwright.sync_api import Page

SCORES = made(
    {
        ODD: {"AP": [0.2, 0.4, 0.4], "RR": [1, 1, 1]},
        "good": {"AP": [0.7, 0.8, 0.9], "RR": [0.5, 0.5, 0.2]},
    }
)
COSTS = {
    ODD: Costs(ODD, {"p99": Cost(0.005, 0.004), "index_size": Cost(1e6)}, ("it lagged",)),
    "good": Costs("good", {"p99": Cost(0.05, 0.04, 0.06), "index_size": Cost(5e6)}),
}


def test_costs_stand_beside_quality(page: Page, tmp_path: Path) -> None:
    report(SCORES, costs=COSTS).save(tmp_path / "report.html")
    opened(page, (tmp_path / "report.html").as_uri())
    assert page.locator("#costs-link").is_visible()
    for measure in ("AP", "RR"):
        pick(page, "measure", measure)
        odd, good = (
            [text.replace(_NO_BREAK, " ") for text in texts(page.locator(f"#cost-table {row} td"))]
            for row in ("tr:nth-child(1)", "tr:nth-child(2)")
        )
        assert odd[0] == ODD
        assert odd[2:] == ["5 ms† (4 ms or more)", "1 MB†", "-"]
        assert good[2:] == ["50 ms (40 ms to 60 ms)", "5 MB", "none"]
        assert f"{SCORES.mean('good', measure):.4f}" in good[1]
        assert f"† of {ODD}: not valid, it lagged" in page.locator("#cost-table").inner_text()
        wanted = pareto_rows(find_tradeoffs(SCORES, COSTS, measure))
        found = rows(page, "pareto")
        for name in ("points", "front"):
            for one, other in zip(found[name], wanted[name], strict=True):
                assert {key: one[key] for key in other} == {
                    key: pytest.approx(value, rel=1e-5) if isinstance(value, float) else value
                    for key, value in other.items()
                }
        assert "good" in labels(page, "pareto")


def test_the_table_fits_on_paper(page: Page, tmp_path: Path) -> None:
    names = ("p50", "p99", "throughput", "index_time", "index_size")
    both = {name: {"AP": [0.7, 0.8, 0.9]} for name in ("stemmed", "name-weighted")}
    costs = {name: Costs(name, {cost: Cost(0.1234, 0.0456) for cost in names}) for name in both}
    report(made(both), costs=costs).save(tmp_path / "report.html")
    page.set_viewport_size({"width": 794, "height": 1100})  # A4 at 96 dots an inch
    opened(page, (tmp_path / "report.html").as_uri())
    page.emulate_media(media="print")
    table = page.locator("#cost-table table").bounding_box()
    assert table is not None
    assert table["x"] + table["width"] <= 794


def test_without_costs_there_is_no_such_section(shown: Page) -> None:
    assert not shown.locator("#costs").is_visible()
    assert not shown.locator("#costs-link").is_visible()
