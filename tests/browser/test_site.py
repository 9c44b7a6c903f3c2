"""The built site in a browser, opened from its folder and without a network.

`make test-site` builds it and runs these; they take about two minutes, so `make test` does not.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cleverdon.plots.kinds import PLOT_KINDS
from docs.website.gallery import CALLS
from docs.website.links import broken_links

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.skipif(
    "CLEVERDON_SITE" not in os.environ, reason="the site is not built: run `make test-site`"
)
SITE = Path(os.environ.get("CLEVERDON_SITE", ".")).resolve()
PHONE = 390

TOO_WIDE = """() => {
  const most = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= most) return [];
  return [...document.querySelectorAll("body *")]
    .filter((one) => one.getBoundingClientRect().right > most + 1)
    .slice(-3).map((one) => one.outerHTML.slice(0, 120));
}"""


def address(page: str) -> str:
    return (SITE / page).as_uri()


def pages() -> list[str]:
    """All pages but the files that the gallery shows, which have tests of their own."""
    found = [path.relative_to(SITE).as_posix() for path in sorted(SITE.rglob("*.html"))]
    return [name for name in found if not name.startswith(("_static/", "gallery/live/"))]


def test_links_and_anchors_lead_somewhere_and_nothing_is_loaded_from_elsewhere() -> None:
    assert len(pages()) > 150
    assert broken_links(SITE) == []


def test_no_page_complains_or_scrolls_sideways_on_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": PHONE, "height": 780})
    for name in pages():
        page.goto(address(name))
        assert page.evaluate(TOO_WIDE) == [], name


@pytest.mark.parametrize(
    ("words", "title", "target"),
    [
        ("RBPResidual", "RBPResidual", "measures/graded.html#rbpresidual"),
        ("cleverdon correlate", "cleverdon correlate", "commands/cleverdon-correlate.html"),
        ("evaluate_engines", "cleverdon.evaluate_engines", "api/evaluate_engines.html"),
        ("interleaving", "Interleaving", "interleaving.html"),
    ],
)
def test_the_search_finds(page: Page, words: str, title: str, target: str) -> None:
    page.goto(address("index.html"))
    page.keyboard.press("Control+K")
    page.locator("dialog input[type=search]").fill(words)
    page.keyboard.press("Enter")
    found = page.locator(f'#search-results a[href*="{target}"]').first
    found.wait_for()
    assert title in found.inner_text()
    found.click()
    assert target.partition("#")[0] in page.url


def test_dark_mode_is_switched_and_kept(page: Page) -> None:
    page.emulate_media(color_scheme="light")
    page.goto(address("gallery/forest.html"))
    ground = "() => getComputedStyle(document.body).backgroundColor"
    label = "() => getComputedStyle(document.querySelector('.live-plot svg text')).fill"
    page.locator(".live-plot svg.marks").wait_for()
    light, ink = page.evaluate(ground), page.evaluate(label)
    page.get_by_role("button", name="Color mode").click()
    page.get_by_role("button", name="Dark", exact=True).click()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.evaluate(ground) != light
    page.wait_for_function(f"(light) => ({label})() !== light", arg=ink)
    page.goto(address("compare.html"))
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.evaluate("localStorage.clear()")


def rows(page: Page) -> list[str]:
    shown = page.locator("table.catalogue tbody tr:not([hidden]) td:first-child")
    return shown.all_inner_texts()


def test_the_catalogue_is_filtered(page: Page) -> None:
    page.goto(address("measures.html"))
    everything = rows(page)
    assert {"nDCG", "P", "SetP", "RBP"} <= set(everything)
    page.locator("select[name=grades]").select_option("graded")
    graded = rows(page)
    assert "nDCG" in graded
    assert "P" not in graded
    page.locator("select[name=trec]").select_option("yes")
    assert {"nDCG", "RBP"} <= set(rows(page)) < set(graded)
    page.locator("select[name=user]").select_option("reads to a fixed depth")
    assert "RBP" not in rows(page)
    page.get_by_label("Name or text").fill("ndcg")
    assert rows(page) == ["nDCG"]
    said = page.locator(".catalogue-filters output").inner_text()
    assert said == f"1 of {len(everything)} measures"
    page.locator("select[name=order]").select_option("set")
    assert rows(page) == []
    page.locator("select[name=order]").select_option("")
    page.get_by_role("link", name="nDCG", exact=True).first.click()
    assert page.url.endswith("measures/graded.html#ndcg")


def test_the_catalogue_and_long_lines_fit_a_wide_page(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 900})
    hidden = "(one) => one.scrollWidth - one.clientWidth"
    page.goto(address("measures.html"))
    assert page.locator(".pst-scrollable-table-container").first.evaluate(hidden) <= 0
    page.goto(address("guide_researcher.html"))
    claim = page.locator("pre", has_text="cleverdon claim").first
    assert "adjusted for 2 comparisons" in claim.inner_text()
    assert claim.evaluate(hidden) <= 0


def test_without_scripts_the_catalogue_is_a_whole_table(browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address("measures.html"))
    assert len(rows(page)) > 100
    assert not page.locator(".catalogue-filters").is_visible()
    context.close()


def test_formulas_are_drawn_by_the_browser(page: Page) -> None:
    page.goto(address("measures/graded.html"))
    formulas = page.locator(".formula math mfrac")
    assert formulas.count() > 3
    box = formulas.first.bounding_box()
    assert box is not None
    assert box["height"] > 20
    assert "$$" not in page.locator("article").inner_text()


def test_the_diagram_of_the_architecture_is_drawn(page: Page) -> None:
    page.goto(address("architecture.html"))
    assert page.locator(".diagram .diagram-group").count() == 3
    assert "flowchart TB" not in page.locator("article").inner_text()


@pytest.mark.parametrize("name", [*PLOT_KINDS, *CALLS])
def test_plots_of_the_gallery_are_live(page: Page, name: str) -> None:
    page.goto(address(f"gallery/{name}.html"))
    page.locator(".live-plot svg.marks").first.wait_for()
    assert page.locator(".live-plot svg.marks path, .live-plot svg.marks text").count() > 10


def test_reports_of_the_gallery_are_live(page: Page) -> None:
    for name in ("report", "logs-report"):
        page.goto(address(f"gallery/{name}.html"))
        page.locator(".live-report").scroll_into_view_if_needed()
        page.frame_locator(".live-report").locator("figure svg").first.wait_for()


def test_notebooks_show_their_outputs(page: Page) -> None:
    for path in sorted((SITE / "notebooks").glob("*.html")):
        page.goto(path.as_uri())
        assert page.locator(".notebook-output").count() > 2, path.name
        page.locator(".notebook-output svg.marks, .notebook-output img").first.wait_for()
