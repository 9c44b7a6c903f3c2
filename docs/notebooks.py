"""The example notebooks, executed and converted for the site.

They are stored without outputs; whoever shows them executes them first.

python -m docs.notebooks FOLDER          writes each as an HTML page that needs no network
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from os import environ
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbconvert import HTMLExporter

FOLDER = Path(__file__).parents[1] / "examples" / "notebooks"
_SECONDS = 120
"""The time that a cell may take; a few seconds are normal."""


def notebooks() -> list[Path]:
    """Return the example notebooks, in the order in which to read them."""
    names = (
        "homework",
        "trec_comparison",
        "rag_retrievers",
        "click_logs_ab",
        "pooling_to_qrels",
        "judging_agreement",
    )
    return [FOLDER / f"{name}.ipynb" for name in names]


def read_notebook(path: Path) -> Any:
    """Read a notebook as it is stored."""
    return nbformat.read(path, as_version=4)


def title(notebook: Any) -> str:
    """Return the heading of the first cell."""
    return str(notebook.cells[0].source.splitlines()[0].removeprefix("# "))


def execute(notebook: Any, *, folder: Path = FOLDER) -> Any:
    """Run all cells in their order, and keep the outputs in the notebook.

    Args:
        notebook: The notebook, which is changed.
        folder: Where its relative paths start.

    Returns:
        The notebook.

    Raises:
        CellExecutionError: A cell failed.
    """
    with _own_jupyter():
        resources = {"metadata": {"path": str(folder)}}
        client = NotebookClient(
            notebook,
            timeout=_SECONDS,
            kernel_name="python3",
            resources=resources,
            # The kernel warns that other users of the machine could read its traffic.
            extra_arguments=["--log-level=ERROR"],
        )
        client.execute()
    for cell in notebook.cells:
        if cell.cell_type == "code":  # a progress bar leaves an empty output
            cell.outputs = [one for one in cell.outputs if one.get("data") != {"text/plain": ""}]
    return notebook


@contextmanager
def _own_jupyter() -> Iterator[None]:
    """Keep the reader's configuration of Jupyter and IPython away from the outputs."""
    names = ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
    before = {name: environ.get(name) for name in names}
    with TemporaryDirectory() as folder:
        try:
            environ.update({name: f"{folder}/{name}" for name in names})
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    del environ[name]
                else:
                    environ[name] = value


def page_of(notebook: Any, *, theme: str = "light") -> str:
    """Write an executed notebook as an HTML page that asks the network for nothing.

    Args:
        notebook: The notebook, with its outputs.
        theme: `light` or `dark`.
    """
    # nbconvert's own libraries are on the network: for formulas, and for old widgets.
    exporter = HTMLExporter(require_js_url="", mathjax_url="", theme=theme)
    html, _ = exporter.from_notebook_node(notebook, {"metadata": {"name": title(notebook)}})
    return str(html)


def main(folder: Path) -> None:
    """Write all pages into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in notebooks():
        html = page_of(execute(read_notebook(path)))
        (folder / f"{path.stem}.html").write_text(html, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]))
