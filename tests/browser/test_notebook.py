"""A notebook, executed and exported, in a browser without a network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from docs.notebooks import execute, page_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

CELLS = (
    "from IPython.display import display\n"
    "import cleverdon\n"
    "from cleverdon.reports import report\n"
    "from tests.plots.examples import EXAMPLES, comparison, scores",
    "EXAMPLES['spread']()",
    "for name in ('forest', 'trade_off', 'heat_map'): display(EXAMPLES[name]())",
    "display(comparison(), cleverdon.claim(comparison()))",
    "EXAMPLES['roc']()",
    "report(scores())",
)
TITLES = ("AP by query", "Differences to plain", "P@5 against AP", "Gains and losses", "ROC curves")


@pytest.fixture(scope="module")
def notebook() -> Any:
    """A notebook with several plots, a table and a report, after all cells were run."""
    made = new_notebook(cells=list(map(new_code_cell, CELLS)))
    return execute(made, folder=Path.cwd())


@pytest.fixture(scope="module")
def exported(notebook: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Its address as HTML, without the libraries that nbconvert itself takes from the network."""
    path = tmp_path_factory.mktemp("exported") / "notebook.html"
    path.write_text(page_of(notebook), encoding="utf-8")
    return path.as_uri()


def wait_for_plots(page: Page, count: int) -> None:
    page.wait_for_function(
        """(count) => document.querySelectorAll(".cleverdon-plot svg.marks").length === count""",
        arg=count,
    )


@pytest.mark.parametrize("width", [390, 1280])
def test_every_plot_is_drawn_without_a_network(page: Page, exported: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(exported)
    wait_for_plots(page, len(TITLES))
    plots = page.locator(".cleverdon-plot")
    assert plots.count() == len(TITLES)
    for at, title in enumerate(TITLES):
        plot = plots.nth(at)
        assert title in plot.locator("svg.marks").text_content()
        assert plot.locator("svg.marks .role-mark path, svg.marks .role-mark line").count() > 2
        assert plot.locator("svg.marks .role-axis-label text").count() > 2
        box = plot.locator("svg.marks").bounding_box()
        assert box
        assert box["height"] > 30
        assert box["x"] + box["width"] <= width
    assert page.locator(".cleverdon-plot img").count() == 0


def test_a_saved_notebook_is_drawn_again(page: Page, notebook: Any, tmp_path: Path) -> None:
    saved = nbformat.reads(nbformat.writes(notebook), as_version=4)
    html = page_of(saved)
    assert html.count("window.cleverdonDraw =") == 1
    path = tmp_path / "notebook.html"
    path.write_text(html, encoding="utf-8")
    page.goto(path.as_uri())
    wait_for_plots(page, len(TITLES))


# As the renderer of VS Code does it (its extension `notebook-renderers`): an output is set as the
# HTML of an element of the one page that all outputs share, then a copy of each script is run.
_INSERTED = """(outputs) => {
  for (const html of outputs) {
    const element = document.createElement("div");
    element.innerHTML = html;
    document.body.append(element);
    for (const script of element.querySelectorAll("script")) {
      const copy = document.createElement("script");
      copy.text = script.innerText;
      if (script.type) copy.type = script.type;
      element.append(copy);
      copy.remove();
    }
  }
}"""


@pytest.mark.parametrize("order", [1, -1])
def test_plots_are_drawn_where_scripts_run_later(page: Page, notebook: Any, order: int) -> None:
    outputs = [output.data["text/html"] for cell in notebook.cells for output in cell.outputs]
    plots = [html for html in outputs if "cleverdon-plot" in html]
    page.set_content("<!doctype html><title>Outputs</title>")
    page.evaluate(_INSERTED, plots[::order])
    wait_for_plots(page, len(TITLES))


_CONTRAST = """(cell) => {
  const light = (colour) => colour.match(/[\\d.]+/g).slice(0, 3)
    .map((part) => (part / 255 + 0.055) ** 2.4 / 1.055 ** 2.4)
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0.05);
  const paper = [cell, ...document.querySelectorAll("tr, body")]
    .filter((element) => element.contains(cell))
    .map((element) => getComputedStyle(element).backgroundColor)
    .find((colour) => !/, 0\\)/.test(colour));
  const pair = [light(getComputedStyle(cell).color), light(paper)];
  return Math.max(...pair) / Math.min(...pair);
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_tables_and_sentences_are_readable(
    page: Page, notebook: Any, tmp_path: Path, theme: str
) -> None:
    path = tmp_path / "notebook.html"
    path.write_text(page_of(notebook, theme=theme), encoding="utf-8")
    page.goto(path.as_uri())
    shown = page.locator("td, .jp-RenderedHTMLCommon li")
    assert shown.count() > 5
    for at in range(shown.count()):
        assert shown.nth(at).evaluate(_CONTRAST) > 4.5


def test_plots_answer_to_the_mouse(page: Page, exported: str) -> None:
    page.goto(exported)
    wait_for_plots(page, len(TITLES))
    page.locator(".cleverdon-plot").nth(3).locator("svg.marks .mark-rect path").nth(2).hover()
    page.wait_for_selector("#vg-tooltip-element.visible")
    assert "q01: a & b" in page.locator("#vg-tooltip-element").inner_text()


def test_the_report_is_drawn_within_its_frame(page: Page, exported: str) -> None:
    page.goto(exported)
    frame = page.frame_locator("iframe")
    frame.locator("html[data-ready]").wait_for()
    frame.locator("#figure-spread svg.marks").wait_for()


def test_one_output_has_the_script(notebook: Any) -> None:
    outputs = [output for cell in notebook.cells for output in cell.outputs]
    shown = [output["data"].get("text/html", "") for output in outputs if "data" in output]
    plots = [html for html in shown if "cleverdon-plot" in html]
    assert ["window.cleverdonDraw =" in html for html in plots] == [True] + [False] * 4
    assert all(len(html) < 100_000 for html in plots[1:])


def test_plots_are_pictures_without_the_script(page: Page, notebook: Any, tmp_path: Path) -> None:
    # As after the cell of the first plot was deleted.
    left = new_notebook(cells=[notebook.cells[2], notebook.cells[4]])
    path = tmp_path / "notebook.html"
    path.write_text(page_of(left), encoding="utf-8")
    page.goto(path.as_uri())
    pictures = page.locator(".cleverdon-plot img")
    assert pictures.count() == 4
    widths = pictures.evaluate_all("(all) => all.map((one) => one.naturalWidth)")
    assert min(widths) > 300
    assert pictures.first.get_attribute("alt").startswith("Differences to plain")


def test_cells_may_stand_in_any_order(page: Page, notebook: Any, tmp_path: Path) -> None:
    # The script comes last, and twice, as after the session was started again.
    first, more, last = (notebook.cells[at] for at in (1, 2, 4))
    again = type(first)(first | {"id": "again"})
    path = tmp_path / "notebook.html"
    path.write_text(page_of(new_notebook(cells=[more, last, first, again])), encoding="utf-8")
    page.goto(path.as_uri())
    wait_for_plots(page, 6)
    assert page.evaluate("typeof window.vegaEmbed") == "undefined"
