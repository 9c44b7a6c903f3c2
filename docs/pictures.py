"""The pictures of the README and the guides: plots, and a screenshot of a report.

Each picture contains a digest of its numbers and titles, so a check need not draw it again: the
drawing depends on fonts and versions of libraries.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

from cleverdon import evaluate
from cleverdon.charts import export
from cleverdon.charts.base import Chart
from cleverdon.comparison.differences import compare
from cleverdon.formats.texts import Text
from cleverdon.plots import by_query, comparisons, curves, cutoff_curves, trade_offs
from cleverdon.reports.html_report import Report, report
from docs.made_up import QUERIES, made_up
from tools import chromium

FOLDER = Path(__file__).parent / "pictures"
REPORT = "report.png"
WIDTH, HEIGHT = 1280, 1600
"""The size of the browser window for the report, in pixels."""


def pictures() -> dict[str, Chart | Report]:
    """Create the charts and the report, by file name."""
    qrels, runs = made_up()
    scores = evaluate(qrels, runs, "nDCG@10 AP RR P@10 R@100", keep=20)
    against = compare(scores, baseline="bm25")
    measure = "nDCG@10"
    queries = {query: Text(text, "") for query, text in QUERIES.items()}
    return {
        "forest.svg": comparisons.forest(against, measure),
        "queries.svg": by_query.queries(scores, measure, "hybrid", baseline="bm25"),
        "eleven_points.svg": curves.eleven_points(scores),
        "by_cutoff.svg": cutoff_curves.by_cutoff(scores, "nDCG", cutoffs=range(1, 51)),
        "heat_map.svg": by_query.heat_map(scores, measure),
        "trade_off.svg": trade_offs.trade_off(scores, measure, "R@100", intervals=True),
        REPORT: report(against, title="Five systems, fifty queries", queries=queries),
    }


def out_of_date() -> list[str]:
    """Return the pictures that are missing, or that were made from other numbers or titles."""
    return [
        name
        for name, shown in pictures().items()
        if not (FOLDER / name).exists()
        or digest(shown).encode() not in (FOLDER / name).read_bytes()
    ]


def write() -> None:
    """Draw all pictures; the report only if there is a browser."""
    FOLDER.mkdir(exist_ok=True)
    for name, shown in pictures().items():
        path = FOLDER / name
        if not isinstance(shown, Report):
            export.save(shown, path)
            path.write_text(_noted_in_svg(path.read_text("utf-8"), digest(shown)), "utf-8")
        elif reason := chromium.missing():
            print(f"{name} is left as it is, since {reason}", file=sys.stderr)
        else:
            path.write_bytes(_noted_in_png(_photographed(shown), digest(shown)))


def digest(shown: Chart | Report) -> str:
    """Compute the digest of a picture's numbers and titles."""
    if isinstance(shown, Report):
        claims = [claim["text"] for claim in shown.content["comparisons"][0]["claims"]]
        return digest_of(shown.content | {"claims": claims}, ("title", "claims", "values", "means"))
    return digest_of(shown.to_dict(validate=False), ("title", "datasets"))


def digest_of(said: Mapping[str, Any], keys: Sequence[str]) -> str:
    """Compute the digest of some values; numbers are rounded, since last digits may differ."""
    made_from = json.dumps([_rounded(said[key]) for key in keys], sort_keys=True)
    return f"sha256:{sha256(made_from.encode()).hexdigest()}"


def _rounded(found: Any) -> Any:
    if isinstance(found, Mapping):
        return {key: _rounded(value) for key, value in found.items()}
    if isinstance(found, list | tuple):
        return [_rounded(value) for value in found]
    return round(found, 9) + 0.0 if isinstance(found, float) else found  # -0.0 is 0.0


def _noted_in_svg(svg: str, note: str) -> str:
    """Add a comment after the first tag; remove the descriptions of marks, which are half of the
    file and which browsers ignore in an image."""
    first, rest = re.sub(r' (aria-[a-z]+|role)="[^"]*"', "", svg).split(">", 1)
    return f"{first}><!-- Made by `make docs` from {note} -->{rest}\n"


def _noted_in_png(png: bytes, note: str) -> bytes:
    """Add a chunk of text before the last chunk, which always has twelve bytes."""
    text = b"tEXtComment\0Made by `make docs` from " + note.encode()
    chunk = (len(text) - 4).to_bytes(4, "big") + text + crc32(text).to_bytes(4, "big")
    return png[:-12] + chunk + png[-12:]


def _photographed(shown: Report) -> bytes:
    """Take a screenshot of the report down to the first row of plots, as a PNG."""
    with TemporaryDirectory() as folder, chromium.chromium() as browser:
        file = Path(folder) / "report.html"
        shown.save(file)
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light")
        page.goto(file.as_uri())
        plots = page.locator("#figure-list figure")
        for first in range(2):
            plots.nth(first).locator("svg").first.wait_for()
        below = plots.nth(2).evaluate("(plot) => plot.getBoundingClientRect().top")
        return page.screenshot(clip={"x": 0, "y": 0, "width": WIDTH, "height": below - 10})
