"""The example notebooks as pages of the site: executed, text as Markdown, outputs as they are."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

from docs import notebooks
from docs.website.navigation import toctree
from docs.website.sources import title_and_summary


def pages() -> dict[str, str]:
    """Execute all notebooks, and write a page for each and the list of them."""
    found = {}
    rows = []
    for path in notebooks.notebooks():
        text = page(notebooks.execute(notebooks.read_notebook(path)), path)
        found[f"notebooks/{path.stem}"] = text
        title, about = title_and_summary(text)
        rows.append(f"- [{title}](notebooks/{path.stem}.md): {about}")
    found["notebooks"] = "\n\n".join(
        [
            "# Notebooks",
            "Whole tasks from the data to the conclusion. Their outputs on these pages were made "
            "when the site was built. The notebooks are in `examples/notebooks` of the repository; "
            "plots in them need no network.",
            "\n".join(rows),
            toctree(list(found)),
        ]
    )
    return found


def page(notebook: Any, path: Path) -> str:
    """Write an executed notebook as Markdown with blocks of HTML."""
    parts: list[str] = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
        elif cell.cell_type == "code":
            parts.append(f"`````python\n{cell.source}\n`````")
            parts += map(_output, cell.outputs)
    parts.insert(1, f"*Notebook: `examples/notebooks/{path.name}`.*")
    return "\n\n".join(filter(None, parts)) + "\n"


def _output(output: Any) -> str:
    if output.output_type == "stream":
        # Progress and warnings are for a person who waits.
        return _raw(f"<pre>{escape(output.text)}</pre>") if output.name == "stdout" else ""
    data = output.get("data", {})
    if "text/html" in data:
        return _raw(data["text/html"])
    if "image/svg+xml" in data:
        return _raw(data["image/svg+xml"])
    if "image/png" in data:
        return _raw(f'<img alt="" src="data:image/png;base64,{data["image/png"].strip()}">')
    return _raw(f"<pre>{escape(data['text/plain'])}</pre>") if "text/plain" in data else ""


def _raw(html: str) -> str:
    """Return a block of HTML that Markdown does not read."""
    return f'``````{{raw}} html\n<div class="notebook-output" tabindex="0">{html}</div>\n``````'
