"""The notebooks in examples/notebooks: executed, exported, and opened without a network."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from nbformat.v4 import new_code_cell

from docs.notebooks import execute, notebooks, page_of, read_notebook

if TYPE_CHECKING:
    from playwright.sync_api import Page

# How many plots and reports each one shows.
SHOWN = {
    "homework": (1, 0),
    "trec_comparison": (5, 1),
    "rag_retrievers": (3, 0),
    "click_logs_ab": (2, 0),
    "pooling_to_qrels": (2, 0),
    "judging_agreement": (1, 0),
}
OFFLINE = """
import socket

def refuse(*_, **__):
    raise OSError("a notebook asks for the network")

socket.getaddrinfo = socket.create_connection = refuse
"""
WIDTH_OF_A_PHONE = 390


def executed(path: Path) -> Any:
    """Execute a notebook in a kernel that refuses to look up addresses."""
    notebook = read_notebook(path)
    notebook.cells.insert(0, new_code_cell(OFFLINE))
    execute(notebook)
    del notebook.cells[0]
    return notebook


def check_outputs(notebook: Any) -> None:
    """Fail for warnings, for control characters, and for plots that each bring the script."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert not [output for output in outputs if output.get("name") == "stderr"]
    texts = [output.get("text") or output["data"].get("text/plain", "") for output in outputs]
    shown = [output.get("data", {}) for output in outputs]
    texts += [data["text/html"] for data in shown if "text/html" in data]
    assert not [text for text in texts if re.search(r"[\r\x08\x1b]", text)]
    assert sum("window.cleverdonDraw =" in text for text in texts) == 1


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.stem)
def test_it_runs_and_is_shown_without_a_network(
    path: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    notebook = executed(path)
    check_outputs(notebook)
    html = tmp_path / "notebook.html"
    html.write_text(page_of(notebook), encoding="utf-8")
    plots, reports = SHOWN[path.stem]
    assert html.stat().st_size < 1_600_000 + 150_000 * plots + 1_700_000 * reports
    # Where there is no browser, the test is skipped here, after the notebook was executed.
    page: Page = request.getfixturevalue("page")
    page.set_viewport_size({"width": WIDTH_OF_A_PHONE, "height": 900})
    page.goto(html.as_uri())
    page.wait_for_function(
        "(count) => document.querySelectorAll('.cleverdon-plot svg.marks').length === count",
        arg=plots,
    )
    for plot in page.locator(".cleverdon-plot").all():
        assert plot.locator("svg.marks .role-mark path, svg.marks .role-mark line").count() > 2
    assert page.locator(".cleverdon-plot img").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDTH_OF_A_PHONE
    assert page.locator("iframe").count() == reports
    if reports:
        page.frame_locator("iframe").locator("html[data-ready]").wait_for()
