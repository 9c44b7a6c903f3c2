"""A report for tests to look at, and how they ask what its page shows."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import numpy as np
import pytest

from cleverdon import Scores, evaluate
from cleverdon.formats.texts import Text
from cleverdon.reports.html_report import Report, report

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

SYSTEMS = ("base", "better", "worse")
MEASURES = ("nDCG@5", "RR", "FPR")
QUERIES = 30
ODD = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
FOLDED = "main details:not([open], .doc, .vega-embed > details)"
DRAWN = """() => [...document.querySelectorAll('figure')].every(
  (figure) => figure.rows() || figure.querySelector('.chart > p'))"""

WIDTHS = (390, 768, 1440)
"""Pixels of a phone, of a tablet and of a desktop."""

CUT = """() => {
  const found = [];
  const say = (what, one) => found.push(`${what}: ${one.outerHTML.slice(0, 120)}`);
  for (const one of document.querySelectorAll("body *")) {
    let { left, right, top, bottom, width, height } = one.getBoundingClientRect();
    const drawn = one.ownerSVGElement ? ["text", "path", "line"].includes(one.tagName) : true;
    if (!width || !height || !drawn || one.closest("#vg-tooltip-element, .vega-actions")) continue;
    for (let up = one.parentElement; up; up = up.parentElement) {
      const { overflowX, textOverflow } = getComputedStyle(up);
      const edge = up.getBoundingClientRect();
      if (overflowX === "auto" || overflowX === "scroll") {
        const from = edge.left + up.clientLeft - up.scrollLeft;
        if (left < from - 1 || right > from + up.scrollWidth + 1) say("cannot be scrolled to", one);
        ({ left, right } = edge); // from here on it is the box that must be seen
      } else if (overflowX !== "visible" && textOverflow !== "ellipsis") {
        const above = up.tagName === "svg" && (top < edge.top - 2 || bottom > edge.bottom + 2);
        if (left < edge.left - 2 || right > edge.right + 2 || above) say("is cut", one);
      }
    }
    if (left < -1 || right > innerWidth + 1) say("is outside the page", one);
  }
  for (const one of document.querySelectorAll("body *")) {
    const { overflowX } = getComputedStyle(one);
    const scrolled = overflowX === "auto" || overflowX === "scroll";
    if (scrolled && one.scrollWidth > one.clientWidth + 1 && !one.dataset.more) {
      say("goes on without a sign", one);
    }
  }
  return found;
}"""
"""What is drawn where nobody can see it or scroll to it, and what is scrolled without a sign."""

BROKEN = """() => {
  const found = [];
  for (const cell of document.querySelectorAll("th, td")) {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      for (const word of texts.currentNode.data.matchAll(/\\S+/g)) {
        const range = document.createRange();
        range.setStart(texts.currentNode, word.index);
        range.setEnd(texts.currentNode, word.index + word[0].length);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        if (lines.size > 1) found.push(word[0]);
      }
    }
  }
  return found;
}"""
"""Words and numbers in tables that are broken inside."""


def collection(queries: int = QUERIES) -> tuple[Any, Any]:
    """Judgments in grades -1 to 2, and three systems; nothing is relevant to the last query."""
    random = np.random.default_rng(3)
    qrels = {
        f"t{t:03}": {
            f"d{t}-{d}": int(grade) for d, grade in enumerate(random.choice([-1, 0, 0, 1, 2], 30))
        }
        for t in range(queries)
    }
    qrels[f"t{queries - 1:03}"] = {"d-none": 0}
    runs: dict[str, dict[str, dict[str, float]]] = {}
    for system, skill in zip(SYSTEMS, (1.0, 2.0, 0.2), strict=True):
        runs[system] = {
            query: {
                **{doc: skill * max(grade, 0) + random.normal() for doc, grade in judged.items()},
                **{f"u{n}": float(random.normal()) for n in range(10)},
            }
            for query, judged in qrels.items()
        }
    return qrels, runs


@cache
def scores() -> Scores:
    return evaluate(*collection(), MEASURES, keep=8, docs=1000)


@cache
def usual() -> Report:
    queries = {"t000": Text("what is it?", ""), "t001": Text("how long?", "")}
    documents = {f"d0-{d}": Text(f"Title {d}", f"Text of {d}.") for d in range(30)}
    return report(scores(), baseline="base", queries=queries, documents=documents)


def opened(page: Page, address: str) -> Page:
    page.goto(address)
    page.wait_for_selector("html[data-ready]")
    page.wait_for_selector("#figure-list figure")
    return page


def check_whole(page: Page, width: int, address: str) -> None:
    """All that a page shows at this width can be seen or scrolled to, and no word is broken."""
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(address)
    page.wait_for_selector("figure")
    page.evaluate(
        """() => document.querySelectorAll("main details:not(.vega-embed > details)")
        .forEach((one) => { one.open = true; })"""
    )
    page.wait_for_function(DRAWN)
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(CUT) == []
    assert page.evaluate(BROKEN) == []


def pick(page: Page, what: str, label: str) -> None:
    page.select_option(f"#{what}", label=label)


def rows(page: Page, figure: str) -> dict[str, list[dict[str, Any]]]:
    """What a plot shows, once it shows what was picked."""
    element = f"document.getElementById('figure-{figure}')"
    page.wait_for_function(f"{element}.rows()")
    found: dict[str, list[dict[str, Any]]] = page.evaluate(f"{element}.rows()")
    return found


def labels(page: Page, figure: str) -> list[str]:
    """What is written in a plot."""
    return page.locator(f"#figure-{figure} svg.marks text").all_text_contents()


def texts(found: Locator) -> list[str]:
    return [text.strip() for text in found.all_inner_texts()]


def column(page: Page, at: int) -> list[str]:
    return texts(page.locator(f"#query-table tbody td:nth-child({at})"))


def picks(page: Page) -> dict[str, str]:
    """What stands in the address."""
    _, _, after = page.url.partition("#?")
    return {name: value[0] for name, value in parse_qs(after, keep_blank_values=True).items()}


def same(found: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> None:
    """Rows of the page and those of Python: numbers but for the last digits."""
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        for name, value in other.items():
            if isinstance(value, float):
                assert one[name] == pytest.approx(value, abs=1e-9), (name, one, other)
            else:
                assert one[name] == value, (name, one, other)
