"""Rows that the page makes by itself are those that Python would have made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cleverdon.comparison.samples import samples
from cleverdon.plots.by_query import _heat_map_rows, _queries_rows
from cleverdon.plots.curves import _precision_recall_rows
from cleverdon.plots.inputs import differences_to
from cleverdon.reports.html_report import report
from tests.browser.report_page import opened, pick, rows, same, scores, usual
from tests.comparison.made import made

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_rows_that_the_page_makes_are_those_of_python(shown: Page) -> None:
    lines = {query["id"]: query.get("text", "") for query in usual().content["queries"]}
    for sample in samples(scores()):
        pick(shown, "measure", str(sample.measure))
        same(rows(shown, "heat_map")["cells"], _heat_map_rows(sample, texts=lines)["cells"])
        for baseline, system in (("base", "better"), ("worse", "base"), (None, "better")):
            pick(shown, "baseline", baseline or "none: every pair")
            pick(shown, "system", system)
            found = differences_to(sample, baseline, systems=[system])
            wanted = _queries_rows(sample, system, differences=found, texts=lines)
            same(rows(shown, "queries")["queries"], wanted["queries"])


def test_curves_that_the_page_makes_are_those_of_python(page: Page, address: str) -> None:
    opened(page, address)
    for query, system in (("t000", "base"), ("t007", "worse"), ("t011", "better")):
        page.evaluate(f"location.hash = '?query={query}&system={system}'")
        page.wait_for_selector(f"#query h3:has-text('{query}')")
        wanted = _precision_recall_rows(scores(), query, systems=[system])
        found = rows(page, "precision_recall")
        same(found["lines"], wanted["lines"])
        known = [{k: v for k, v in row.items() if k != "document"} for row in wanted["points"]]
        same(found["points"], known)
        for one, other in zip(found["points"], wanted["points"], strict=True):
            # The page knows of judged results below those that were kept as well.
            assert other.get("document") in (None, one.get("document"))


def test_more_queries_than_bars(page: Page, tmp_path: Path) -> None:
    random = np.random.default_rng(8)
    count = 401
    many = made(
        {
            name: {
                measure: np.round(random.uniform(0, 1, count), 2).tolist()
                for measure in ("AP", "FPR")
            }
            for name in ("one", "two", "three")
        }
    )
    report(many, baseline="two").save(tmp_path / "many.html")
    opened(page, (tmp_path / "many.html").as_uri())
    for measure in ("AP", "FPR"):
        (sample,) = samples(many, measures=measure)
        pick(page, "measure", measure)
        for name, wanted in _heat_map_rows(sample).items():
            same(rows(page, "heat_map")[name], wanted)
        for against in ("two", None):
            pick(page, "baseline", against or "none: every pair")
            found = differences_to(sample, against, systems=["three"])
            wanted = _queries_rows(sample, "three", differences=found)["queries"]
            assert len(wanted) == 300
            same(rows(page, "queries")["queries"], wanted)
    page.locator("#figure-queries svg.marks .mark-rect.role-mark path").first.click()
    assert f"Query {wanted[0]['query'].split()[0]}" in page.locator("#query").inner_text()
    assert "The rankings were not kept." in page.locator("#query").inner_text()
