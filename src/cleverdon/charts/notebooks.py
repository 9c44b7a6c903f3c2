"""Charts in notebooks, with nothing fetched from the network.

An output is a picture, which is seen wherever HTML is, and the specification of the chart. The
first chart of a session brings the script that draws, about a megabyte. It replaces the pictures of
all charts of the notebook by charts that answer to the mouse, whatever the order in which their
cells were run. Without it, as after its cell was deleted, and in front ends that run no scripts,
the pictures stay.
"""

from __future__ import annotations

import json
import sys
from base64 import b64encode
from html import escape
from typing import Any

from cleverdon.charts.export import drawable, vl_convert
from cleverdon.charts.vega import script_text, vega_bundle

_OUTPUT = """<div class="cleverdon-plot">
<img src="data:image/svg+xml;base64,{picture}" alt="{alt}" style="max-width: 100%; height: auto">
<script type="application/json">{spec}</script>
<script>{bundle}window.cleverdonDraw?.();</script>
</div>"""

# Cells may come and go, and a copy of an output is one more output: hence no ids, and whatever is
# not drawn yet is drawn. `vegaEmbed` may be that of altair's own charts, and stays what it was.
_DRAWING = """(() => {
const theirs = window.vegaEmbed;
BUNDLE;
const embed = window.vegaEmbed;
window.vegaEmbed = theirs;
const options = {
  mode: "vega-lite",
  renderer: "svg",
  logLevel: 1, // errors
  actions: { export: true, source: false, compiled: false, editor: false },
};
async function draw(plot) {
  const chart = document.createElement("div");
  chart.style.maxWidth = "100%";
  const spec = JSON.parse(plot.querySelector("script[type='application/json']").textContent);
  await embed(chart, spec, options);
  Object.assign(chart.querySelector("svg").style, { maxWidth: "100%", height: "auto" });
  plot.querySelector("img").replaceWith(chart);
}
window.cleverdonDraw = () => {
  for (const plot of document.querySelectorAll(".cleverdon-plot:not([data-drawn])")) {
    plot.dataset.drawn = "";
    draw(plot).catch((error) => console.warn("A plot stays a picture:", error));
  }
};
})();
"""


def display_chart(spec: dict[str, Any]) -> dict[str, str]:
    """Return what a notebook shows of a chart, by MIME type.

    Args:
        spec: The Vega-Lite specification, with its rows.
    """
    spec = drawable(spec)
    title = _title_lines(spec.get("title"))
    # Labels for screen readers on every mark are most of a picture; its own text is `alt`.
    plain = spec | {"config": spec.get("config", {}) | {"aria": False}}
    picture: str = vl_convert().vegalite_to_svg({"padding": _room(title)} | plain)
    html = _OUTPUT.format(
        picture=b64encode(picture.encode()).decode(),
        alt=escape("; ".join(title) or "Plot"),
        spec=json.dumps(spec, separators=(",", ":")).replace("<", "\\u003c"),
        bundle=_drawing_script() if _session.brings_script() else "",
    )
    return {"text/html": html, "image/svg+xml": picture}


def _drawing_script() -> str:
    return script_text(_DRAWING.replace("BUNDLE", vega_bundle()))


def _title_lines(title: Any) -> list[str]:
    parts = (title.get("text"), title.get("subtitle")) if isinstance(title, dict) else (title,)
    lines: list[str] = []
    for part in parts:
        lines += part if isinstance(part, list) else [part] if part else []
    return lines


def _room(title: list[str]) -> dict[str, float]:
    """Return space for texts that are wider in the reader's fonts than in those here.

    DejaVu Sans is wider than Arial by 1.2 pixels a letter, and a picture ends at its edge.
    """
    longest = max(map(len, title), default=0)
    return {"left": 30, "right": max(60, 1.2 * longest), "top": 5, "bottom": 5}


class _Session:
    """Which output of the kernel's session brings the script."""

    def __init__(self) -> None:
        self._cell = self._request = ""

    def brings_script(self) -> bool:
        """Say whether the output that is being made needs the script.

        It is the first one, and again the first of the same cell when that is run again, which
        replaces its output. What is no notebook has the script in every output.
        """
        request = _current_request()
        if request is None:
            return True
        cell = request["metadata"].get("cellId") or request["content"].get("code", "")
        number = request["header"]["msg_id"]
        if self._request and (cell != self._cell or number == self._request):
            return False
        self._cell, self._request = cell, number
        return True


_session = _Session()


def _current_request() -> Any:
    """Return Jupyter's message that asked to run the current cell; None outside of Jupyter."""
    if "IPython" not in sys.modules:
        return None
    shell = sys.modules["IPython"].get_ipython()
    kernel = getattr(shell, "kernel", None)
    return kernel.get_parent() if kernel else None
