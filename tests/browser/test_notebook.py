"""A notebook, executed and exported, in a browser without a network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_notebook

if TYPE_CHECKING:
    from playwright.sync_api import Page

CELLS = (
    "from IPython.display import display\n"
    "from cleverdon.reports import report\n"
    "from tests.plots.examples import EXAMPLES, comparison, scores",
    "EXAMPLES['spread']()",
    "for name in ('forest', 'trade_off', 'heat_map'): display(EXAMPLES[name]())",
    "comparison()",
    "EXAMPLES['roc']()",
    "report(scores())",
)
TITLES = ("AP by query", "Differences to plain", "P@5 against AP", "Gains and losses", "ROC curves")


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A notebook with several plots, a table and a report, after all cells were run."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR"):
            patch.setenv(name, str(tmp_path_factory.mktemp(name.lower())))
        made = new_notebook(cells=list(map(new_code_cell, CELLS)))
        NotebookClient(made, timeout=60, kernel_name="python3").execute()
        yield made


@pytest.fixture(scope="module")
def exported(notebook: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Its address as HTML, without the libraries that nbconvert itself takes from the network."""
    path = tmp_path_factory.mktemp("exported") / "notebook.html"
    path.write_text(exported_html(notebook), encoding="utf-8")
    return path.as_uri()


def exported_html(notebook: Any) -> str:
    html, _ = HTMLExporter(require_js_url="", mathjax_url="").from_notebook_node(notebook)
    return str(html)


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
    path.write_text(exported_html(left), encoding="utf-8")
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
    path.write_text(exported_html(new_notebook(cells=[more, last, first, again])), encoding="utf-8")
    page.goto(path.as_uri())
    wait_for_plots(page, 6)
    assert page.evaluate("typeof window.vegaEmbed") == "undefined"
