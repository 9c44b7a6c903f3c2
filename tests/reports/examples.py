"""Small collections whose reports can be worked out by hand."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from html.parser import HTMLParser
from typing import Any
from unittest import mock

from altair.vegalite.v6.schema import core

from cleverdon import Scores, evaluate
from cleverdon.charts import vega
from cleverdon.formats.texts import Text
from cleverdon.pages import page

QRELS = {
    "1": {"a": 2, "b": 1, "c": 0, "p": -1},
    "2": {"a": 1},
    "3": {"d": 0},  # nothing is relevant, and AP is undefined
    **{str(query): {"a": 1, "b": 1} for query in range(4, 9)},
}
RUNS = {
    "good": {
        "1": {"a": 5.0, "x": 4.0, "p": 3.0, "b": 2.0},
        "2": {"a": 2.0},
        "3": {"d": 1.0},
        **{str(query): {"a": 2.0, "b": 1.0} for query in range(4, 9)},
    },
    "poor": {
        "1": {"x": 5.0, "c": 4.0, "y": 3.0, "b": 2.0},
        "2": {"x": 2.0, "a": 1.0},
        **{str(query): {"x": 2.0, "y": 1.0, "b": 0.5} for query in range(4, 9)},
    },
    "middling": {
        "1": {"b": 5.0, "a": 4.0},
        "2": {"a": 2.0},
        "3": {"d": 1.0},
        **{str(query): {"a": 2.0, "x": 1.0, "b": 0.5} for query in range(4, 9)},
    },
}
MEASURES = ["AP", "RR", "P@2", "FPR"]
QUERIES = {"1": Text("what is  it?", ""), "2": Text("", "how\nlong?")}
DOCUMENTS = {"a": Text("A title", "Its text. " * 80), "x": Text("", "Words.")}


@cache
def scores(*, keep: int = 3) -> Scores:
    """Three systems on eight queries."""
    return evaluate(QRELS, RUNS, MEASURES, keep=keep, docs=20)


@contextmanager
def without_vega() -> Iterator[None]:
    """The page without its megabyte of plotting library, which takes seconds to be put together.

    No other process begins to do so either.
    """
    with (
        mock.patch.object(page, "vega_bundle", return_value="window.vegaEmbed = null;"),
        mock.patch.object(vega, "bundling_in_background", nullcontext),
    ):
        yield


def check_schema(spec: dict[str, Any]) -> None:
    """Fail where a specification is not one of Vega-Lite; `from_dict` takes eight times as long."""
    core.TopLevelSpec.validate(spec)


class Outline(HTMLParser):
    """A page's elements, each with its attributes, and whether all of them are closed."""

    EMPTY = frozenset({"meta", "input", "br", "hr", "img", "link"})

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text: dict[str, str] = {}  # of elements with an id
        self._ids: list[str | None] = []
        self.declarations: list[str] = []
        self.comments: list[str] = []
        self.feed(html)
        self.close()
        for tag, named in self.elements:
            if tag == "script" and named.get("type") == "application/gzip" and named.get("id"):
                id = str(named["id"])
                self.text[id] = gzip.decompress(base64.b64decode(self.text[id])).decode()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.elements.append((tag, named))
        if tag not in self.EMPTY:
            self.open.append(tag)
            self._ids.append(named.get("id") or (tag if tag in ("title", "style") else None))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> ends nothing"
        assert self.open[-1] == tag, f"</{tag}> within <{self.open[-1]}>"
        self.open.pop()
        self._ids.pop()

    def handle_data(self, data: str) -> None:
        if self._ids and self._ids[-1] is not None:
            self.text[self._ids[-1]] = self.text.get(self._ids[-1], "") + data

    def handle_decl(self, decl: str) -> None:
        self.declarations.append(decl)

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def named(self, tag: str) -> list[dict[str, Any]]:
        return [attributes for name, attributes in self.elements if name == tag]
