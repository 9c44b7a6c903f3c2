"""The report in a real browser: what can be picked, clicked, sorted and sent."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cleverdon import evaluate
from cleverdon.comparison.differences import compare
from cleverdon.reports.html_report import Report, report
from tests.browser.report_page import (
    DRAWN,
    MEASURES,
    SYSTEMS,
    collection,
    column,
    labels,
    opened,
    pick,
    picks,
    rows,
    scores,
    texts,
    usual,
)
from tests.comparison.made import made

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.conftest import Record


def test_it_opens_and_draws_everything(page: Page, record: Record, address: str) -> None:
    shown = opened(page, f"{address}#?query=t000")
    assert shown.title() == "Search evaluation"
    headings = texts(shown.locator("h2:visible"))
    assert headings[:4] == [
        "What may be said",
        "Averages",
        "Plots",
        "Queries to look at",
    ]
    shown.wait_for_function(DRAWN)
    for figure in shown.locator("#figure-list figure").all():
        assert figure.locator("svg.marks").count() == 1, figure.get_attribute("id")
        assert figure.locator("h3").inner_text()
        assert "⟦" not in figure.inner_text()
    assert texts(shown.locator("#claim-list li")) == [
        claim["text"]
        for claim in usual().content["comparisons"][0]["claims"]
        if claim["measure"] == "nDCG@5"
    ]
    first = shown.locator("#table-body tbody tr").first
    cells = [text.rstrip("†") for text in texts(first.locator("td"))]
    assert cells == ["base", *(f"{scores().mean('base', m):.4f}" for m in MEASURES)]
    assert shown.locator("#doubts li").count() == len(usual().content["doubts"])
    assert "nDCG@5, RR and FPR" in shown.locator("#paragraph").inner_text()
    assert shown.locator("#method math").count() == len(MEASURES)
    assert record.said == []  # not even a warning


def test_a_measure_is_picked(shown: Page) -> None:
    pick(shown, "measure", "FPR")
    first = usual().content["comparisons"][0]
    assert shown.locator("#headline").inner_text() == first["headlines"]["FPR"]
    assert texts(shown.locator("#claim-list li")) == [
        claim["text"] for claim in first["claims"] if claim["measure"] == "FPR"
    ]
    assert texts(shown.locator("#query-table caption")) == ["FPR, 25 of 30 queries"]
    assert column(shown, 3) == [f"{value:.4f}" for value in scores().values[0, 2, :25]]
    rows(shown, "spread")
    assert "FPR" in labels(shown, "spread")
    rows(shown, "queries")
    assert "FPR less that of base" in labels(shown, "queries")
    assert picks(shown)["measure"] == "FPR"


def test_a_baseline_is_picked(shown: Page) -> None:
    before = shown.locator("#table-body").inner_text()
    pick(shown, "baseline", "worse")
    against = compare(scores(), baseline="worse")
    claims = usual().content["comparisons"]
    (wanted,) = [one for one in claims if one["baseline"] == "worse"]
    assert wanted["claims"][0]["p"] == against.differences[0].p.p
    assert shown.locator("#headline").inner_text() == wanted["headlines"]["nDCG@5"]
    assert "† differs significantly from worse." in shown.locator("#table-body").inner_text()
    assert shown.locator("#table-body").inner_text() != before
    assert {row["baseline"] for row in rows(shown, "forest")["differences"]} == {"worse"}
    assert "difference to worse" in labels(shown, "forest")
    pick(shown, "baseline", "none: every pair")
    headline = shown.locator("#headline").inner_text()
    assert "pairs of systems are shown to differ on nDCG@5." in headline
    assert headline.endswith("verdicts are qualified by unjudged-differs.")
    assert shown.locator("#claim-list li").count() == 3
    assert "over 3 comparisons by nDCG@5" in shown.locator("#method-body").inner_text()
    shown.wait_for_selector("#figure-forest p:text('Pick a baseline')")
    rows(shown, "queries")
    assert "nDCG@5 less that of the median of all systems" in labels(shown, "queries")


def test_a_system_is_picked(shown: Page) -> None:
    # At first, the best of those that are not the baseline.
    assert shown.locator("#system").input_value() == "1"
    assert {row["system"] for row in rows(shown, "queries")["queries"]} == {"better"}
    pick(shown, "system", "worse")
    assert {row["system"] for row in rows(shown, "queries")["queries"]} == {"worse"}
    assert {row["system"] for row in rows(shown, "confusion")["cells"]} == {"worse"}
    heading = shown.locator("#figure-queries h3")
    assert heading.inner_text() == "Where worse gains and loses"
    pick(shown, "system", "base")
    shown.wait_for_selector("#figure-queries p:text('other than the baseline')")


def test_much_is_picked_at_once_and_each_plot_is_there_once(shown: Page) -> None:
    shown.wait_for_function(DRAWN)
    for measure in ("RR", "FPR", "nDCG@5", "RR"):
        pick(shown, "measure", measure)
    shown.wait_for_function(DRAWN)
    for figure in shown.locator("#figure-list figure").all():
        assert figure.locator("svg.marks").count() == 1
    assert "RR" in labels(shown, "spread")


def test_queries_are_found_by_words_and_by_outcome(shown: Page) -> None:
    shown.fill("#find", "HOW")
    assert column(shown, 1) == ["t001"]
    said = shown.locator("#picked").inner_text()
    assert said.startswith("1 of 30 queries; means: base ")
    assert f"better {scores().values[1, 0, 1]:.4f}" in said
    assert [row["query"] for row in rows(shown, "queries")["queries"]] == ["t001"]
    shown.fill("#find", "")
    assert shown.locator("#picked").inner_text() == ""
    shown.select_option("#outcome", label="better worse than base")
    difference = scores().values[1, 0] - scores().values[0, 0]
    lost = [query for query, d in zip(scores().queries, difference, strict=True) if d < 0]
    assert column(shown, 1) == lost
    outcomes = rows(shown, "heat_map")["cells"]
    assert {row["query"] for row in outcomes} == set(lost)
    shown.fill("#find", "no such words")
    assert column(shown, 1) == []
    assert shown.locator("#picked").inner_text() == "0 of 30 queries"


def test_queries_are_sorted(shown: Page) -> None:
    assert shown.locator("#query-table tbody tr").count() == 25
    shown.get_by_role("button", name="Show 5 more of 30 queries").click()
    assert shown.locator("#query-table tbody tr").count() == 30
    shown.get_by_role("columnheader", name="better").get_by_role("button").click()
    values = [value for value in column(shown, 4) if value != "-"]
    assert values == sorted(values, reverse=True)
    assert column(shown, 4)[-1] == "-"  # undefined, and last either way
    heading = shown.locator("th[aria-sort]")
    assert heading.get_attribute("aria-sort") == "descending"
    assert shown.evaluate("document.activeElement.textContent") == "better"
    shown.keyboard.press("Enter")
    values = [value for value in column(shown, 4) if value != "-"]
    assert values == sorted(values)
    assert column(shown, 4)[-1] == "-"
    shown.get_by_role("columnheader", name="query").get_by_role("button").click()
    assert column(shown, 1) == scores().queries


def test_a_query_is_opened_from_the_table(shown: Page) -> None:
    panel = shown.locator("#query")
    assert not panel.is_visible()
    button = shown.get_by_role("button", name="t000", exact=True)
    button.focus()
    shown.keyboard.press("Enter")
    assert panel.is_visible()
    assert shown.evaluate("document.activeElement.id") == "query"
    assert panel.locator("h3").first.inner_text().endswith("Query t000: what is it?")
    of = usual().content["rankings"]["queries"][0]
    assert f"{of['judged']} judged, {of['of']} of them relevant." in panel.inner_text()
    assert texts(panel.locator(".ranking h4")) == list(SYSTEMS)
    first = panel.locator(".ranking").first
    data = of["systems"][0]
    names = usual().content["rankings"]["documents"]
    results = first.locator("> ol > li:not(.gap)")
    assert results.count() == len(data["rows"])
    for item, (rank, doc, grade) in zip(results.all(), data["rows"], strict=True):
        assert item.locator(".rank").inner_text() == str(rank)
        badge = item.locator(".grade").inner_text()
        assert badge == ("–" if grade is None or grade < 0 else f"{grade:g}")
        assert names[doc] in item.locator(".doc").inner_text()
    gaps = [int(text.split()[1]) for text in texts(first.locator(".gap")) if "not judged" in text]
    assert sum(gaps) + len(data["rows"]) + data["more"] <= data["returned"]
    assert f"nDCG@5 {scores().values[0, 0, 0]:.4f}" in first.inner_text()
    titled = panel.locator("details.doc").first
    assert re.search(r"d0-\d+: Title \d+", titled.inner_text())
    assert not titled.locator("p").is_visible()
    titled.locator("summary").click()
    assert titled.locator("p").inner_text().startswith("Text of ")
    assert rows(shown, "precision_recall")["points"]
    assert picks(shown)["query"] == "t000"
    panel.get_by_role("button", name="Close").click()
    assert not panel.is_visible()
    assert "query" not in picks(shown)
    assert shown.evaluate("document.activeElement.textContent") == "t000"


def test_a_query_is_opened_from_a_plot(shown: Page) -> None:
    best = rows(shown, "queries")["queries"][0]
    shown.locator("#figure-queries svg.marks .mark-rect.role-mark path").first.click()
    heading = shown.locator("#query h3").first
    assert f"Query {best['query']}" in heading.inner_text()
    assert shown.locator("#query-table tr.open").count() <= 1
    hardest = rows(shown, "heat_map")["cells"][0]
    assert hardest["query"] == "t029"
    shown.locator(
        "#figure-heat_map svg.marks .mark-rect.role-mark path:not([opacity])"
    ).first.click()
    assert "Query t029" in heading.inner_text()
    assert "1 judged, 0 of them relevant" in shown.locator("#query").inner_text()
    shown.wait_for_selector("#figure-precision_recall p:text('no relevant document')")


def test_what_was_picked_can_be_sent(shown: Page, address: str) -> None:
    pick(shown, "measure", "RR")
    pick(shown, "baseline", "better")
    pick(shown, "system", "base")
    shown.get_by_role("button", name="t003", exact=True).click()
    wanted = {"measure": "RR", "baseline": "better", "system": "base", "query": "t003"}
    assert picks(shown) == wanted
    sent = shown.url
    headline = shown.locator("#headline").inner_text()
    shown.goto("about:blank")
    opened(shown, sent)
    assert shown.locator("#headline").inner_text() == headline
    assert shown.locator("#system").input_value() == "0"
    assert "Query t003" in shown.locator("#query").inner_text()
    # Where the report is open already, an address changes what is picked.
    shown.goto(f"{address}#?measure=FPR&baseline=&query=t004")
    shown.wait_for_function("document.getElementById('measure').value === '2'")
    assert shown.locator("#baseline option:checked").inner_text() == "none: every pair"
    assert "Query t004" in shown.locator("#query").inner_text()
    shown.goto("about:blank")
    opened(shown, f"{address}#?measure=nonsense&baseline=%3Cb%3E&query=none&system=-1")
    assert shown.locator("#measure").input_value() == "0"
    assert not shown.locator("#query").is_visible()


def test_one_system_alone(page: Page, tmp_path: Path) -> None:
    qrels, runs = collection(4)
    alone = report(evaluate(qrels, {"base": runs["base"]}, "AP P@5", keep=5))
    alone.save(tmp_path / "one.html")
    opened(page, (tmp_path / "one.html").as_uri())
    page.wait_for_function(DRAWN)
    assert not page.locator("#claims").is_visible()
    assert not page.locator("#baseline").is_visible()
    assert not page.locator("#system").is_visible()
    means = [f"{alone.scores.mean('base', measure):.4f}" for measure in ("AP", "P@5")]
    assert texts(page.locator("#table-body td")) == ["base", *means]
    pick(page, "measure", "P@5")
    page.locator("#query-table tbody button").first.click()
    assert "Query t000" in page.locator("#query").inner_text()


def test_packed_data_are_unpacked(
    page: Page, record: Record, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cleverdon.pages.page._LONG", 500)
    html = Report(usual().content, usual().scores, usual().comparisons).html
    for id in ("content", "ranking-data", "figure-data-forest", "vega"):
        assert f'<script type="application/gzip" id="{id}">' in html
    (tmp_path / "packed.html").write_text(html, "utf-8")
    opened(page, f"{(tmp_path / 'packed.html').as_uri()}#?query=t000")
    page.wait_for_function(DRAWN)
    assert page.locator("#claim-list li").count() > 0
    assert page.locator("#figure-forest svg.marks").count() == 1
    assert "Query t000" in page.locator("#query").inner_text()
    assert record.said == []


def test_the_claims_of_many_pairs_are_folded(page: Page, tmp_path: Path) -> None:
    values = {f"s{s}": {"AP": [s / 9 + t / 99 for t in range(9)]} for s in range(6)}
    several = report(made(values))
    several.save(tmp_path / "several.html")
    opened(page, (tmp_path / "several.html").as_uri())
    seen = page.locator("#claim-list > li")
    assert seen.count() == 13
    assert seen.last.inner_text().strip() == "3 more"
    seen.last.locator("summary").click()
    wanted = [claim["text"] for claim in several.content["comparisons"][0]["claims"]]
    assert texts(seen)[:12] + texts(seen.last.locator("li")) == wanted


def test_a_comparison_of_some(page: Page, tmp_path: Path) -> None:
    given = compare(
        scores(), systems=["base", "better"], measures="RR", baseline="base", alternative="greater"
    )
    report(given).save(tmp_path / "some.html")
    opened(page, (tmp_path / "some.html").as_uri())
    page.wait_for_function(DRAWN)
    assert page.locator("#headline").inner_text() == "nDCG@5 was not compared."
    assert "There is none of nDCG@5." in page.locator("#figure-forest").inner_text()
    pick(page, "measure", "RR")
    assert page.locator("#claim-list li").count() == 1
    assert rows(page, "forest")["differences"][0]["system"] == "better"
