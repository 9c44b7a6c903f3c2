"""The page of a report of a log: whole, on its own, and with everything that was given as text."""

from __future__ import annotations

import json
from html import unescape
from pathlib import Path

from cleverdon.logs.report import page
from cleverdon.pages import page as shared_page
from tests.logs.report.examples import ODD, bare, made_anew, usual
from tests.reports.examples import Outline

ASSETS = Path(page.__file__).parent / "assets"


def test_it_is_a_whole_document() -> None:
    outline = Outline(usual().html)
    assert outline.declarations == ["doctype html"]
    assert outline.open == []
    assert outline.text["title"] == ODD
    ids = [attributes["id"] for _, attributes in outline.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    held = json.loads(outline.text["content"])
    for key, value in usual().content.items():
        assert held[key] == value


def test_it_asks_for_nothing_from_elsewhere() -> None:
    outline = Outline(usual().html)
    (policy,) = [
        one["content"]
        for one in outline.named("meta")
        if one.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy.startswith("default-src 'none'")
    for tag, attributes in outline.elements:
        assert "src" not in attributes, tag
        assert (attributes.get("href") or "#").startswith("#")
        assert tag not in ("link", "iframe", "object", "embed", "base", "form", "img")
    for asset in ASSETS.iterdir():
        text = asset.read_text("utf-8")
        assert "http" not in text
        assert "url(" not in text


def test_links_lead_to_sections_and_figures_have_a_place() -> None:
    outline = Outline(usual().html)
    ids = {attributes.get("id") for _, attributes in outline.elements}
    for link in outline.named("a"):
        assert link["href"].removeprefix("#") in ids
    lists = {f"list-{one['name']}" for one in usual().content["lists"]}
    for figure in json.loads(outline.text["content"])["figures"]:
        assert figure["place"] in ids | lists


def test_every_part_of_the_script_is_in_it() -> None:
    script = shared_page._page_script(page.__package__, page.LogsReport.scripts)
    for part in ASSETS.glob("*.js"):
        assert part.read_text("utf-8") in script


def test_whatever_was_given_is_text() -> None:
    outline = Outline(usual().html)
    assert len([one for one in outline.named("script") if "type" not in one]) == 1
    assert "<img" not in usual().html


def test_what_is_said_without_a_script() -> None:
    within = usual().html.partition("<noscript>")[2].partition("</noscript>")[0]
    assert usual().content["headline"] in unescape(within)
    assert "16 sessions with a click and a sign of success / 72 sessions" in unescape(within)
    assert "There are 3 result pages." in bare().html


def test_the_same_log_gives_the_same_bytes() -> None:
    assert made_anew().html == usual().html


def test_files(tmp_path: Path) -> None:
    usual().save(tmp_path / "it.html")
    usual().save_json(tmp_path / "it.json")
    assert (tmp_path / "it.html").read_text("utf-8") == usual().html
    assert json.loads((tmp_path / "it.json").read_text("utf-8")) == usual().content
    assert "72 result pages, from 2026-01-01 to 2026-01-03" in repr(usual())
    assert usual()._repr_html_().startswith("<iframe")
