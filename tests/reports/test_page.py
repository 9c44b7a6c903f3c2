"""The page: whole, on its own, the same every time, and with everything that was given as text."""

from __future__ import annotations

import gzip
import json
import re
import sys
from base64 import b64decode
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from cleverdon import evaluate
from cleverdon.charts import theme, vega
from cleverdon.errors import InputError, MissingExtra
from cleverdon.formats.texts import Text
from cleverdon.pages import page as shared_page
from cleverdon.reports import html_report
from cleverdon.reports.content import Finding
from cleverdon.reports.html_report import Report, report
from tests.reports.examples import DOCUMENTS, QRELS, QUERIES, RUNS, Outline, scores

ASSETS = Path(html_report.__file__).parent / "assets"
SHARED = Path(shared_page.__file__).parent / "assets"
ODD = [
    "</script><script>alert(1)</script>",
    "<!-- <script>",
    "]]>",
    "a\u2028b\u2029c",
    "lone \udc80 surrogate",
    "control \x00\x01\x07\x1b\x7f\x85",
    "quotes \" ' ` & &amp; \\ \\u003c",
    "{braces} {title} TITLE %s",
    "⟦measure⟧",
    "$& $1 $$",
    "🦉 عربي",
]
IDS = [odd for odd in ODD if "surrogate" not in odd]
"""An id is Unicode; the name of a system may be that of a file, which need not be."""
NAMES = [ODD[0], ODD[4], ODD[5], ODD[8]]


@cache
def odd_report() -> Report:
    """Everything that can be named by whoever gives data is named oddly."""
    qrels = {odd: {odd: 2, "plain": 1} for odd in IDS}
    runs = {
        system: {odd: {odd: 2.0 - s, "plain": 1.0, f"x {odd}": 0.5} for odd in IDS}
        for s, system in enumerate(NAMES)
    }
    texts = dict(zip(IDS, reversed(ODD), strict=False))
    return report(
        evaluate(qrels, runs, ["AP", "RR"], keep=5),
        title=ODD[0],
        queries={name: Text(text, "") for name, text in texts.items()},
        documents={name: Text(text, text) for name, text in texts.items()},
        findings=[Finding(odd, "warning", odd, odd) for odd in ODD],
    )


@cache
def usual() -> Report:
    return report(scores(), baseline="poor", queries=QUERIES, documents=DOCUMENTS)


def data(outline: Outline, id: str) -> Any:
    return json.loads(outline.text[id])


def test_it_is_a_whole_document() -> None:
    outline = Outline(usual().html)
    assert outline.declarations == ["doctype html"]
    assert outline.open == []
    assert outline.comments == []
    assert outline.named("html") == [{"lang": "en"}]
    assert {"charset": "utf-8"} in outline.named("meta")
    assert outline.text["title"] == "Search evaluation"
    ids = [attributes["id"] for _, attributes in outline.elements if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_the_data_are_those_of_the_content() -> None:
    outline = Outline(usual().html)
    shown = data(outline, "content")
    for key, value in usual().content.items():
        if key != "rankings":
            assert shown[key] == json.loads(json.dumps(value))
    assert data(outline, "ranking-data") == usual().content["rankings"]
    for heading in shown["figures"]:
        held = data(outline, f"figure-data-{heading['id']}")
        assert set(held) == {"spec", "rows"}
    for mode in ("light", "dark"):
        assert shown["themes"][mode]["axis"] == theme.config(mode)["axis"]


def test_it_asks_for_nothing_from_elsewhere() -> None:
    outline = Outline(usual().html)
    (policy,) = [
        attributes["content"]
        for attributes in outline.named("meta")
        if attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert "http" not in policy
    assert "*" not in policy
    assert "connect-src" not in rules
    for tag, attributes in outline.elements:
        assert "src" not in attributes, tag
        assert "srcset" not in attributes
        assert "action" not in attributes
        assert (attributes.get("href") or "#").startswith("#")
        assert tag not in ("link", "iframe", "object", "embed", "base", "form")
    style = outline.text["style"]
    assert "@import" not in style
    assert "url(" not in style
    for asset in (*ASSETS.iterdir(), *SHARED.iterdir()):
        assert "http" not in asset.read_text("utf-8")


def test_every_part_of_the_script_is_in_it() -> None:
    script = shared_page._page_script(html_report.__package__, html_report.Report.scripts)
    for part in (*ASSETS.glob("*.js"), *SHARED.glob("*.js")):
        assert part.read_text("utf-8") in script


def test_the_policy_comes_before_anything_that_it_is_to_hold() -> None:
    html = usual().html
    assert html.index("Content-Security-Policy") < html.index("<style>") < html.index("<script")


def test_whatever_was_given_is_text() -> None:
    made = odd_report()
    outline = Outline(made.html)
    assert outline.open == []
    assert all(set(one) <= {"type", "id"} for one in outline.named("script"))
    assert outline.text["title"] == ODD[0]
    shown, rankings = data(outline, "content"), data(outline, "ranking-data")
    assert {query["id"] for query in shown["queries"]} == set(IDS)
    assert shown["systems"] == NAMES
    assert set(IDS) <= set(rankings["documents"])
    assert {finding["message"] for finding in shown["findings"]} == set(ODD)
    runnable = [one for one in outline.named("script") if "type" not in one]
    assert len(runnable) == 1


def test_data_cannot_end_their_element() -> None:
    for match in re.finditer(
        r'<script type="application/json" id="[\w-]+">(.*?)</script>', odd_report().html, re.DOTALL
    ):
        assert "<" not in match[1]
        json.loads(match[1])


@pytest.mark.parametrize("odd", ODD)
def test_what_goes_into_data_comes_out_of_them(odd: str) -> None:
    text = shared_page._data_element("it", {odd: [odd]})
    assert text.encode("utf-8")  # a lone surrogate is written as an escape
    inside = text.removeprefix('<script type="application/json" id="it">').removesuffix("</script>")
    assert json.loads(inside) == {odd: [odd]}


def test_long_data_are_packed() -> None:
    long = "<odd> " * 30_000
    element = shared_page._data_element("it", [long])
    head, _, rest = element.partition(">")
    assert head == '<script type="application/gzip" id="it"'
    assert len(element) < 5_000
    packed = b64decode(rest.removesuffix("</script>"))
    assert json.loads(gzip.decompress(packed)) == [long]
    assert shared_page._data_element("it", [long]) == element  # no time of writing is in it


def test_what_is_said_without_a_script() -> None:
    within = re.search("<noscript>(.*?)</noscript>", odd_report().html, re.DOTALL)
    assert within
    parts = Outline(within[1])
    assert parts.open == []
    assert {tag for tag, _ in parts.elements} <= {
        *("p", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "b", "u", "sup", "br")
    }
    first = odd_report().content["comparisons"][0]["claims"][0]["text"]
    assert first in unescape(within[1])
    alone = report(evaluate(QRELS, {"good": RUNS["good"]}, "AP"))
    assert "<noscript><p>This report needs JavaScript.</p></noscript>" in alone.html


def test_scripts_cannot_end_themselves() -> None:
    assert vega.script_text("a = '</script>'; b = '<!--';") == "a = '<\\/script>'; b = '<\\!--';"


def test_the_same_data_give_the_same_bytes(tmp_path: Path) -> None:
    names = ("one.html", "two.html")
    for name in names:
        again = evaluate(QRELS, RUNS, ["AP", "RR"], keep=3)
        made = report(again, baseline="poor", queries=QUERIES)
        made.save(tmp_path / name)
        made.save_json(tmp_path / f"{name}.json")
    first, second = ((tmp_path / name).read_bytes() for name in names)
    assert first == second
    first, second = ((tmp_path / f"{name}.json").read_bytes() for name in names)
    assert first == second


def test_files(tmp_path: Path) -> None:
    made = odd_report()
    path = tmp_path / "it.html"
    path.write_text("something else")
    made.save(path)
    written = path.read_text("utf-8")
    assert written.startswith("<!doctype html>\n")
    assert written.endswith("</html>\n")
    assert data(Outline(written), "content")["systems"] == NAMES
    made.save_json(str(tmp_path / "it.json"))
    assert json.loads((tmp_path / "it.json").read_text("utf-8")) == made.content
    assert sorted(file.name for file in tmp_path.iterdir()) == ["it.html", "it.json"]
    with pytest.raises(InputError, match="cannot be written"):
        made.save(tmp_path / "nowhere" / "it.html")


def test_a_notebook_shows_it_in_a_frame() -> None:
    shown = usual()._repr_html_()
    outline = Outline(shown)
    ((tag, attributes),) = outline.elements
    assert tag == "iframe"
    assert attributes["srcdoc"] == usual().html
    assert "allow-same-origin" not in (attributes["sandbox"] or "")
    assert "allow-scripts" in (attributes["sandbox"] or "")


def test_paper_has_the_light_colours_of_what_was_drawn_for_the_dark() -> None:
    style = (SHARED / "style.css").read_text("utf-8")
    printed = style[style.index("@media print") :]
    light, dark = theme._INK["light"], theme._INK["dark"]
    found = dict(re.findall(r'\[(?:fill|stroke)="(#\w+)"\] \{ \w+: ([#\w]+); \}', printed))
    assert found == dict(zip(dark, light, strict=True))
    # And none of them is the colour of a system, which must stay.
    assert not {colour.lower() for colour in theme.PALETTE} & set(dark)


class TestThePlottingLibrary:
    """Which is put into the page, and which not everyone has."""

    @pytest.fixture(autouse=True)
    def plain_pages(self) -> None:
        """As it is, and not as other tests have it."""

    def test_it_is_missing(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setitem(sys.modules, "vl_convert", None)
        vega.vega_bundle.cache_clear()
        made = report(scores())
        with pytest.raises(MissingExtra, match=r"cleverdon\[plots\]"):
            made.save(tmp_path / "it.html")
        assert list(tmp_path.iterdir()) == []

    def test_it_is_whole(self) -> None:
        text = vega.script_text(vega.vega_bundle())
        assert "vegaEmbed" in text
        assert "</script" not in text
        assert "<!--" not in text
