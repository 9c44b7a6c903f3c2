"""What systems cost, as a report's page shows it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cleverdon.compare.standings import standings
from cleverdon.costs import Cost, Costs
from cleverdon.show.plot.engine.pareto import pareto_rows
from cleverdon.show.report import report
from tests.browser.report_page import ODD, labels, opened, pick, rows, texts
from tests.compare.made import made

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
        odd, good = (texts(page.locator(f"#cost-table tr:nth-child({at}) td")) for at in (1, 2))
        assert odd[0] == ODD
        assert odd[2:] == ["5 ms† (4 ms or more)", "1 MB†", "-"]
        assert good[2:] == ["50 ms (40 ms to 60 ms)", "5 MB", "yes"]
        assert f"{SCORES.mean('good', measure):.4f}" in good[1]
        assert f"† of {ODD}: not valid, it lagged" in page.locator("#cost-table").inner_text()
        wanted = pareto_rows(standings(SCORES, COSTS, measure))
        found = rows(page, "pareto")
        for name in ("points", "front"):
            for one, other in zip(found[name], wanted[name], strict=True):
                assert {key: one[key] for key in other} == {
                    key: pytest.approx(value, rel=1e-5) if isinstance(value, float) else value
                    for key, value in other.items()
                }
        assert "good" in labels(page, "pareto")


def test_without_costs_there_is_no_such_section(shown: Page) -> None:
    assert not shown.locator("#costs").is_visible()
    assert not shown.locator("#costs-link").is_visible()
