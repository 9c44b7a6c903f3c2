"""How the report looks and behaves: in the dark, in print, in a frame, on a narrow screen."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from cleverdon import evaluate
from cleverdon.costs import Cost, Costs
from cleverdon.formats.texts import Text
from cleverdon.reports.html_report import Report, report
from tests.browser.report_page import (
    DRAWN,
    FOLDED,
    ODD,
    SYSTEMS,
    WIDTHS,
    check_whole,
    opened,
    pick,
    picks,
    rows,
    usual,
)

if TYPE_CHECKING:
    from playwright.sync_api import Page


def ink(page: Page) -> tuple[str, str, str]:
    """The colours of paper, of text, and of the text of a plot."""
    rows(page, "spread")
    found: list[str] = page.evaluate(
        """() => [getComputedStyle(document.body).backgroundColor,
        getComputedStyle(document.body).color,
        getComputedStyle(document.querySelector('#figure-spread .role-axis-label text')).fill]"""
    )
    return found[0], found[1], found[2]


LIGHT = ("rgb(255, 255, 255)", "rgb(26, 26, 26)", "rgb(26, 26, 26)")
NIGHT = ("rgb(22, 25, 29)", "rgb(232, 232, 232)", "rgb(232, 232, 232)")


def test_light_and_dark(page: Page, address: str) -> None:
    page.emulate_media(color_scheme="dark")
    opened(page, address)
    assert ink(page) == NIGHT
    page.get_by_role("button", name="Light").click()
    assert ink(page) == LIGHT
    page.get_by_role("button", name="Dark").click()
    assert ink(page) == NIGHT
    page.emulate_media(color_scheme="light")  # as when the day begins
    page.wait_for_function("document.documentElement.dataset.theme === 'light'")
    assert ink(page) == LIGHT


def test_it_is_printed_in_ink_on_paper(page: Page, address: str) -> None:
    page.emulate_media(color_scheme="dark")
    opened(page, address)
    page.get_by_role("button", name="t000", exact=True).click()
    page.wait_for_function(DRAWN)
    page.evaluate(
        """(folded) => addEventListener('beforeprint', () => {
          window.folded = document.querySelectorAll(folded).length; })""",
        FOLDED,
    )
    closed = page.locator(FOLDED).count()
    pdf = page.pdf(format="A4", print_background=True)
    assert pdf.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) > 3
    assert page.evaluate("window.folded") == 0
    assert page.locator(FOLDED).count() == closed > 0
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 700, "height": 1000})  # about as wide as paper
    assert page.evaluate("document.documentElement.scrollWidth") == 700
    paper, text, of_plot = ink(page)
    assert (paper, of_plot) == (LIGHT[0], LIGHT[2])
    assert text == "rgb(0, 0, 0)"
    for hidden in ("nav", ".filters", "#query .close", ".vega-embed summary"):
        assert not page.locator(hidden).first.is_visible()


def test_whatever_was_given_stays_text(page: Page, tmp_path: Path) -> None:
    qrels = {f"{t}{ODD}": {f"{d}{ODD}": d % 2 for d in range(6)} for t in range(6)}
    runs = {
        f"{name}{ODD}": {
            query: {doc: float((3 * d + s) % 7) for d, doc in enumerate(judged)}
            for query, judged in qrels.items()
        }
        for s, name in enumerate("ab")
    }
    made = report(
        evaluate(qrels, runs, ["AP", "RR"], keep=4),
        title=ODD,
        queries={name: Text(ODD, "") for name in qrels},
        documents={d: Text(ODD, ODD) for of in qrels.values() for d in of},
    )
    made.save(tmp_path / "odd.html")
    opened(page, (tmp_path / "odd.html").as_uri())
    page.wait_for_function(DRAWN)
    assert page.locator("h1").inner_text() == ODD
    assert page.locator("#query-table tbody button").first.inner_text() == f"0{ODD}"
    page.locator("#query-table tbody button").first.click()
    assert ODD in page.locator("#query h3").first.inner_text()
    assert ODD in page.locator(".ranking h4").first.inner_text()
    page.locator(".ranking details.doc summary").first.click()
    assert ODD in page.locator(".ranking details.doc p").first.inner_text()
    bar = page.locator("#figure-queries svg.marks .mark-rect.role-mark path").first
    bar.hover()
    page.wait_for_selector("#vg-tooltip-element.visible")
    assert ODD in page.locator("#vg-tooltip-element").inner_text()
    pick(page, "measure", "RR")
    page.wait_for_function(DRAWN)
    assert page.locator("img").count() == 0
    # The page's own, the plotting library, and data: none has come in.
    assert page.locator("script:not([type])").count() == 2
    assert page.locator("script[type]").count() == 3 + page.locator("figure").count()


def test_a_notebook_shows_it_in_a_frame(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><title>n</title>{usual()._repr_html_()}", encoding="utf-8")
    page.goto(path.as_uri())
    frame = page.frame_locator("iframe")
    frame.locator("html[data-ready]").wait_for()
    frame.locator("#measure").select_option(label="RR")
    headline = usual().content["comparisons"][0]["headlines"]["RR"]
    assert frame.locator("#headline").inner_text() == headline
    frame.get_by_role("button", name="t002", exact=True).click()
    assert "Query t002" in frame.locator("#query").inner_text()
    frame.locator("#figure-spread svg.marks").wait_for()
    frame.get_by_role("link", name="Method").click()
    assert frame.locator("#method:focus").count() == 1
    assert page.url == path.as_uri()


def wide() -> Report:
    """Fifteen systems with long names, many queries with long ids, and long words everywhere."""
    qrels = {
        f"a-long-common-part-of-query-ids-{t:03}": {f"d{d}": (t + d) % 3 for d in range(9)}
        for t in range(40)
    }
    runs = {
        f"bm25-baseline-with-a-very-long-common-prefix-run-{s:02}": {
            query: {f"d{d}": float((d * (s + 2) + t * (s + 1)) % 11) for d in range(s % 4, 11)}
            for t, query in enumerate(qrels)
        }
        for s in range(15)
    }
    scores = evaluate(qrels, runs, ["nDCG@5", "AP"], keep=5, bounds=True)
    long = "well-known-but-very-long-words/and-paths " * 3
    queries = {query: Text(long, "") for query in qrels}
    costs = {
        name: Costs(name, {"p99": Cost(0.01 * (s + 1)), "index_size": Cost(1e6 * (s + 1))})
        for s, name in enumerate(runs)
    }
    return report(scores, baseline=scores.systems[0], queries=queries, costs=costs)


@pytest.fixture(scope="module")
def wide_address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("wide") / "wide.html"
    wide().save(path)
    return path.as_uri()


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_cut_on_any_screen(page: Page, address: str, width: int) -> None:
    check_whole(page, width, f"{address}#?query=t000")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_long_names_are_not_cut_on_any_screen(
    page: Page, wide_address: str, width: int, scheme: Literal["light", "dark"]
) -> None:
    page.emulate_media(color_scheme=scheme)
    check_whole(page, width, f"{wide_address}#?query=a-long-common-part-of-query-ids-000")


FITS = """(id) => {
  const chart = document.querySelector(`#figure-${id} .chart`);
  const svg = chart.querySelector('svg.marks');
  return svg && svg.getAttribute('width') <= chart.clientWidth && !chart.dataset.more;
}"""


def test_plots_are_drawn_to_the_width_of_the_screen(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    opened(page, address)
    page.wait_for_function(DRAWN)
    for figure in ("forest", "queries", "heat_map", "spread", "histogram", "differences"):
        assert page.evaluate(FITS, figure), figure
    # Letters are as large as on any other screen.
    label = page.locator("#figure-forest svg.marks text").first
    assert label.evaluate("(one) => one.getBoundingClientRect().height") >= 11
    narrow = page.evaluate("document.querySelector('#figure-queries svg.marks').clientWidth")
    page.set_viewport_size({"width": 1440, "height": 800})  # as when a phone is turned
    page.wait_for_function(
        "(narrow) => document.querySelector('#figure-queries svg.marks').clientWidth > 2 * narrow",
        arg=narrow,
    )
    page.set_viewport_size({"width": 390, "height": 800})
    page.wait_for_function(FITS, arg="queries")


def test_an_edge_shows_where_a_table_goes_on(page: Page, wide_address: str) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    opened(page, wide_address)
    table = page.locator("#table-body")
    page.wait_for_function("document.querySelector('#table-body').dataset.more === 'right'")
    border = "(one) => getComputedStyle(one).borderRightColor"
    assert table.evaluate(border) != "rgba(0, 0, 0, 0)"
    hint = "(one) => getComputedStyle(one, '::before').content"
    assert "Scroll sideways" in table.evaluate(hint)
    table.evaluate("(one) => { one.scrollLeft = 20; }")
    page.wait_for_function("document.querySelector('#table-body').dataset.more === 'left right'")
    table.evaluate("(one) => { one.scrollLeft = one.scrollWidth; }")
    page.wait_for_function("document.querySelector('#table-body').dataset.more === 'left'")
    assert table.evaluate(border) == "rgba(0, 0, 0, 0)"


def test_it_can_be_used_without_a_mouse(shown: Page) -> None:
    for control in ("measure", "baseline", "system", "find", "outcome"):
        assert shown.locator(f"label:has(#{control})").inner_text().strip()
    reached = []
    shown.locator("#find").focus()
    for _ in range(6):
        shown.keyboard.press("Tab")
        reached.append(shown.evaluate("document.activeElement.textContent"))
    assert reached[1:5] == ["query", *SYSTEMS]
    assert reached[5] == "t000"
    shown.keyboard.press("Enter")
    assert shown.evaluate("document.activeElement.id") == "query"
    assert shown.locator("#headline").get_attribute("aria-live") == "polite"
    pick(shown, "measure", "RR")
    for link in shown.locator("nav a:visible").all():
        link.click()
        section = (link.get_attribute("href") or "").removeprefix("#")
        assert shown.evaluate("document.activeElement.id") == section
    top = shown.evaluate("document.getElementById('method').getBoundingClientRect().top")
    assert 0 <= top < shown.viewport_size["height"]  # type: ignore[index]
    assert picks(shown)["measure"] == "RR"
