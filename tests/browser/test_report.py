"""The report in a real browser: what can be picked, clicked, sorted, sent and printed."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import numpy as np
import pytest

from cleverdon import Scores, evaluate
from cleverdon.compare import compare
from cleverdon.compare.samples import samples
from cleverdon.read.texts import Text
from cleverdon.show.plot.by_topic import heat_map_rows, topics_rows
from cleverdon.show.plot.precision_recall import precision_recall_rows
from cleverdon.show.plot.topicwise import differences_to
from cleverdon.show.report import Report, report
from tests.compare.made import made

if TYPE_CHECKING:
    from playwright.sync_api import Dialog, Locator, Page

SYSTEMS = ("base", "better", "worse")
MEASURES = ("nDCG@5", "RR", "FPR")
TOPICS = 30
ODD = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
FOLDED = "main details:not([open], .doc, .vega-embed > details)"
DRAWN = """() => [...document.querySelectorAll('figure')].every(
  (figure) => figure.rows() || figure.querySelector('.chart > p'))"""


def collection(topics: int = TOPICS) -> tuple[Any, Any]:
    """Judgments in grades -1 to 2, and three systems; nothing is relevant to the last topic."""
    random = np.random.default_rng(3)
    qrels = {
        f"t{t:03}": {
            f"d{t}-{d}": int(grade) for d, grade in enumerate(random.choice([-1, 0, 0, 1, 2], 30))
        }
        for t in range(topics)
    }
    qrels[f"t{topics - 1:03}"] = {"d-none": 0}
    runs: dict[str, dict[str, dict[str, float]]] = {}
    for system, skill in zip(SYSTEMS, (1.0, 2.0, 0.2), strict=True):
        runs[system] = {
            topic: {
                **{doc: skill * max(grade, 0) + random.normal() for doc, grade in judged.items()},
                **{f"u{n}": float(random.normal()) for n in range(10)},
            }
            for topic, judged in qrels.items()
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


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Of the report that most tests look at."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    usual().save(path)
    return path.as_uri()


def opened(page: Page, address: str) -> Page:
    page.goto(address)
    page.wait_for_selector("html[data-ready]")
    page.wait_for_selector("#figure-list figure")
    return page


@pytest.fixture
def shown(page: Page, address: str) -> Page:
    return opened(page, address)


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
    return texts(page.locator(f"#topic-table tbody td:nth-child({at})"))


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


def test_it_opens_and_draws_everything(page: Page, address: str) -> None:
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    shown = opened(page, f"{address}#?topic=t000")
    assert shown.title() == "Search evaluation"
    headings = texts(shown.locator("h2"))
    assert headings[:4] == ["What may be said", "Averages", "Plots", "Topics"]
    shown.wait_for_function(DRAWN)
    for figure in shown.locator("#figure-list figure").all():
        assert figure.locator("svg.marks").count() == 1, figure.get_attribute("id")
        assert figure.locator("h3").inner_text()
        assert "⟦" not in figure.inner_text()
    assert texts(shown.locator("#claim-list li")) == [
        claim["text"]
        for claim in usual().content["comparisons"][0]["claims"]
        if claim["measure"] == "nDCG@5"
    ]
    first = shown.locator("#table-body tbody tr").first
    cells = [text.rstrip("†") for text in texts(first.locator("td"))]
    assert cells == ["base", *(f"{scores().mean('base', m):.4f}" for m in MEASURES)]
    assert shown.locator("#doubts li").count() == len(usual().content["doubts"])
    assert "nDCG@5, RR and FPR" in shown.locator("#paragraph").inner_text()
    assert shown.locator("#method math").count() == len(MEASURES)
    assert said == []  # not even a warning


def test_a_measure_is_picked(shown: Page) -> None:
    pick(shown, "measure", "FPR")
    first = usual().content["comparisons"][0]
    assert shown.locator("#headline").inner_text() == first["headlines"]["FPR"]
    assert texts(shown.locator("#claim-list li")) == [
        claim["text"] for claim in first["claims"] if claim["measure"] == "FPR"
    ]
    assert texts(shown.locator("#topic-table caption")) == ["FPR, 25 of 30 topics"]
    assert column(shown, 3) == [f"{value:.4f}" for value in scores().values[0, 2, :25]]
    rows(shown, "spread")
    assert "FPR" in labels(shown, "spread")
    rows(shown, "topics")
    assert "FPR less that of base" in labels(shown, "topics")
    assert picks(shown)["measure"] == "FPR"


def test_a_baseline_is_picked(shown: Page) -> None:
    before = shown.locator("#table-body").inner_text()
    pick(shown, "baseline", "worse")
    against = compare(scores(), baseline="worse")
    claims = usual().content["comparisons"]
    (wanted,) = [one for one in claims if one["baseline"] == "worse"]
    assert wanted["claims"][0]["p"] == against.differences[0].p.p
    assert shown.locator("#headline").inner_text() == wanted["headlines"]["nDCG@5"]
    assert "† differs significantly from worse." in shown.locator("#table-body").inner_text()
    assert shown.locator("#table-body").inner_text() != before
    assert {row["baseline"] for row in rows(shown, "forest")["differences"]} == {"worse"}
    assert "difference to worse" in labels(shown, "forest")
    pick(shown, "baseline", "none: every pair")
    assert shown.locator("#headline").inner_text().endswith("shown to differ on nDCG@5.")
    assert shown.locator("#claim-list li").count() == 3
    assert "over 9 comparisons" in shown.locator("#method-body").inner_text()
    shown.wait_for_selector("#figure-forest p:text('Pick a baseline')")
    rows(shown, "topics")
    assert "nDCG@5 less that of the median of all systems" in labels(shown, "topics")


def test_a_system_is_picked(shown: Page) -> None:
    # At first, the best of those that are not the baseline.
    assert shown.locator("#system").input_value() == "1"
    assert {row["system"] for row in rows(shown, "topics")["topics"]} == {"better"}
    pick(shown, "system", "worse")
    assert {row["system"] for row in rows(shown, "topics")["topics"]} == {"worse"}
    assert {row["system"] for row in rows(shown, "confusion")["cells"]} == {"worse"}
    heading = shown.locator("#figure-topics h3")
    assert heading.inner_text() == "Where worse gains and loses"
    pick(shown, "system", "base")
    shown.wait_for_selector("#figure-topics p:text('other than the baseline')")


def test_much_is_picked_at_once_and_each_plot_is_there_once(shown: Page) -> None:
    shown.wait_for_function(DRAWN)
    for measure in ("RR", "FPR", "nDCG@5", "RR"):
        pick(shown, "measure", measure)
    shown.wait_for_function(DRAWN)
    for figure in shown.locator("#figure-list figure").all():
        assert figure.locator("svg.marks").count() == 1
    assert "RR" in labels(shown, "spread")


def test_topics_are_found_by_words_and_by_outcome(shown: Page) -> None:
    shown.fill("#find", "HOW")
    assert column(shown, 1) == ["t001"]
    said = shown.locator("#picked").inner_text()
    assert said.startswith("1 of 30 topics; means: base ")
    assert f"better {scores().values[1, 0, 1]:.4f}" in said
    assert [row["topic"] for row in rows(shown, "topics")["topics"]] == ["t001"]
    shown.fill("#find", "")
    assert shown.locator("#picked").inner_text() == ""
    shown.select_option("#outcome", label="better worse than base")
    difference = scores().values[1, 0] - scores().values[0, 0]
    lost = [topic for topic, d in zip(scores().queries, difference, strict=True) if d < 0]
    assert column(shown, 1) == lost
    outcomes = rows(shown, "heat_map")["cells"]
    assert {row["topic"] for row in outcomes} == set(lost)
    shown.fill("#find", "no such words")
    assert column(shown, 1) == []
    assert shown.locator("#picked").inner_text() == "0 of 30 topics"


def test_topics_are_sorted(shown: Page) -> None:
    assert shown.locator("#topic-table tbody tr").count() == 25
    shown.get_by_role("button", name="Show 5 more of 30 topics").click()
    assert shown.locator("#topic-table tbody tr").count() == 30
    shown.get_by_role("columnheader", name="better").get_by_role("button").click()
    values = [value for value in column(shown, 4) if value != "-"]
    assert values == sorted(values, reverse=True)
    assert column(shown, 4)[-1] == "-"  # undefined, and last either way
    heading = shown.locator("th[aria-sort]")
    assert heading.get_attribute("aria-sort") == "descending"
    assert shown.evaluate("document.activeElement.textContent") == "better"
    shown.keyboard.press("Enter")
    values = [value for value in column(shown, 4) if value != "-"]
    assert values == sorted(values)
    assert column(shown, 4)[-1] == "-"
    shown.get_by_role("columnheader", name="topic").get_by_role("button").click()
    assert column(shown, 1) == scores().queries


def test_a_topic_is_opened_from_the_table(shown: Page) -> None:
    panel = shown.locator("#topic")
    assert not panel.is_visible()
    button = shown.get_by_role("button", name="t000", exact=True)
    button.focus()
    shown.keyboard.press("Enter")
    assert panel.is_visible()
    assert shown.evaluate("document.activeElement.id") == "topic"
    assert panel.locator("h3").first.inner_text().endswith("Topic t000: what is it?")
    of = usual().content["rankings"]["topics"][0]
    assert f"{of['judged']} judged, {of['of']} of them relevant." in panel.inner_text()
    assert texts(panel.locator(".ranking h4")) == list(SYSTEMS)
    first = panel.locator(".ranking").first
    data = of["systems"][0]
    names = usual().content["rankings"]["documents"]
    results = first.locator("> ol > li:not(.gap)")
    assert results.count() == len(data["rows"])
    for item, (rank, doc, grade) in zip(results.all(), data["rows"], strict=True):
        assert item.locator(".rank").inner_text() == str(rank)
        badge = item.locator(".grade").inner_text()
        assert badge == ("–" if grade is None or grade < 0 else f"{grade:g}")
        assert names[doc] in item.locator(".doc").inner_text()
    gaps = [int(text.split()[1]) for text in texts(first.locator(".gap")) if "not judged" in text]
    assert sum(gaps) + len(data["rows"]) + data["more"] <= data["returned"]
    assert f"nDCG@5 {scores().values[0, 0, 0]:.4f}" in first.inner_text()
    titled = panel.locator("details.doc").first
    assert re.search(r"d0-\d+: Title \d+", titled.inner_text())
    assert not titled.locator("p").is_visible()
    titled.locator("summary").click()
    assert titled.locator("p").inner_text().startswith("Text of ")
    assert rows(shown, "precision_recall")["points"]
    assert picks(shown)["topic"] == "t000"
    panel.get_by_role("button", name="Close").click()
    assert not panel.is_visible()
    assert "topic" not in picks(shown)
    assert shown.evaluate("document.activeElement.textContent") == "t000"


def test_a_topic_is_opened_from_a_plot(shown: Page) -> None:
    best = rows(shown, "topics")["topics"][0]
    shown.locator("#figure-topics svg.marks .mark-rect.role-mark path").first.click()
    heading = shown.locator("#topic h3").first
    assert f"Topic {best['topic']}" in heading.inner_text()
    assert shown.locator("#topic-table tr.open").count() <= 1
    hardest = rows(shown, "heat_map")["cells"][0]
    assert hardest["topic"] == "t029"
    shown.locator(
        "#figure-heat_map svg.marks .mark-rect.role-mark path:not([opacity])"
    ).first.click()
    assert "Topic t029" in heading.inner_text()
    assert "1 judged, 0 of them relevant" in shown.locator("#topic").inner_text()
    shown.wait_for_selector("#figure-precision_recall p:text('no relevant document')")


def test_what_was_picked_can_be_sent(shown: Page, address: str) -> None:
    pick(shown, "measure", "RR")
    pick(shown, "baseline", "better")
    pick(shown, "system", "base")
    shown.get_by_role("button", name="t003", exact=True).click()
    wanted = {"measure": "RR", "baseline": "better", "system": "base", "topic": "t003"}
    assert picks(shown) == wanted
    sent = shown.url
    headline = shown.locator("#headline").inner_text()
    shown.goto("about:blank")
    opened(shown, sent)
    assert shown.locator("#headline").inner_text() == headline
    assert shown.locator("#system").input_value() == "0"
    assert "Topic t003" in shown.locator("#topic").inner_text()
    # Where the report is open already, an address changes what is picked.
    shown.goto(f"{address}#?measure=FPR&baseline=&topic=t004")
    shown.wait_for_function("document.getElementById('measure').value === '2'")
    assert shown.locator("#baseline option:checked").inner_text() == "none: every pair"
    assert "Topic t004" in shown.locator("#topic").inner_text()
    shown.goto("about:blank")
    opened(shown, f"{address}#?measure=nonsense&baseline=%3Cb%3E&topic=none&system=-1")
    assert shown.locator("#measure").input_value() == "0"
    assert not shown.locator("#topic").is_visible()


def ink(page: Page) -> tuple[str, str, str]:
    """The colours of paper, of text, and of the text of a plot."""
    rows(page, "spread")
    found: list[str] = page.evaluate(
        """() => [getComputedStyle(document.body).backgroundColor,
        getComputedStyle(document.body).color,
        getComputedStyle(document.querySelector('#figure-spread .role-axis-label text')).fill]"""
    )
    return found[0], found[1], found[2]


LIGHT = ("rgb(255, 255, 255)", "rgb(26, 26, 26)", "rgb(26, 26, 26)")
NIGHT = ("rgb(22, 25, 29)", "rgb(232, 232, 232)", "rgb(232, 232, 232)")


def test_light_and_dark(page: Page, address: str) -> None:
    page.emulate_media(color_scheme="dark")
    opened(page, address)
    assert ink(page) == NIGHT
    page.get_by_role("button", name="Light").click()
    assert ink(page) == LIGHT
    page.get_by_role("button", name="Dark").click()
    assert ink(page) == NIGHT
    page.emulate_media(color_scheme="light")  # as when the day begins
    page.wait_for_function("document.documentElement.dataset.theme === 'light'")
    assert ink(page) == LIGHT


def test_it_is_printed_in_ink_on_paper(page: Page, address: str) -> None:
    page.emulate_media(color_scheme="dark")
    opened(page, address)
    page.get_by_role("button", name="t000", exact=True).click()
    page.wait_for_function(DRAWN)
    page.evaluate(
        """(folded) => addEventListener('beforeprint', () => {
          window.folded = document.querySelectorAll(folded).length; })""",
        FOLDED,
    )
    closed = page.locator(FOLDED).count()
    pdf = page.pdf(format="A4", print_background=True)
    assert pdf.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) > 3
    assert page.evaluate("window.folded") == 0
    assert page.locator(FOLDED).count() == closed > 0
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 700, "height": 1000})  # about as wide as paper
    assert page.evaluate("document.documentElement.scrollWidth") == 700
    paper, text, of_plot = ink(page)
    assert (paper, of_plot) == (LIGHT[0], LIGHT[2])
    assert text == "rgb(0, 0, 0)"
    for hidden in ("nav", ".filters", "#topic .close", ".vega-embed summary"):
        assert not page.locator(hidden).first.is_visible()


def test_whatever_was_given_stays_text(page: Page, tmp_path: Path) -> None:
    qrels = {f"{t}{ODD}": {f"{d}{ODD}": d % 2 for d in range(6)} for t in range(6)}
    runs = {
        f"{name}{ODD}": {
            topic: {doc: float((3 * d + s) % 7) for d, doc in enumerate(judged)}
            for topic, judged in qrels.items()
        }
        for s, name in enumerate("ab")
    }
    made = report(
        evaluate(qrels, runs, ["AP", "RR"], keep=4),
        title=ODD,
        queries={name: Text(ODD, "") for name in qrels},
        documents={d: Text(ODD, ODD) for of in qrels.values() for d in of},
    )
    made.save(tmp_path / "odd.html")
    dialogs: list[str] = []

    def dismissed(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismissed)
    opened(page, (tmp_path / "odd.html").as_uri())
    page.wait_for_function(DRAWN)
    assert page.locator("h1").inner_text() == ODD
    assert page.locator("#topic-table tbody button").first.inner_text() == f"0{ODD}"
    page.locator("#topic-table tbody button").first.click()
    assert ODD in page.locator("#topic h3").first.inner_text()
    assert ODD in page.locator(".ranking h4").first.inner_text()
    page.locator(".ranking details.doc summary").first.click()
    assert ODD in page.locator(".ranking details.doc p").first.inner_text()
    bar = page.locator("#figure-topics svg.marks .mark-rect.role-mark path").first
    bar.hover()
    page.wait_for_selector("#vg-tooltip-element.visible")
    assert ODD in page.locator("#vg-tooltip-element").inner_text()
    pick(page, "measure", "RR")
    page.wait_for_function(DRAWN)
    assert page.locator("img").count() == 0
    # The page's own, the plotting library, and data: none has come in.
    assert page.locator("script:not([type])").count() == 2
    assert page.locator("script[type]").count() == 3 + page.locator("figure").count()
    assert dialogs == []


def test_rows_that_the_page_makes_are_those_of_python(shown: Page) -> None:
    lines = {topic["id"]: topic.get("text", "") for topic in usual().content["topics"]}
    for sample in samples(scores()):
        pick(shown, "measure", str(sample.measure))
        same(rows(shown, "heat_map")["cells"], heat_map_rows(sample, texts=lines)["cells"])
        for baseline, system in (("base", "better"), ("worse", "base"), (None, "better")):
            pick(shown, "baseline", baseline or "none: every pair")
            pick(shown, "system", system)
            found = differences_to(sample, baseline, systems=[system])
            wanted = topics_rows(sample, system, differences=found, texts=lines)
            same(rows(shown, "topics")["topics"], wanted["topics"])


def test_curves_that_the_page_makes_are_those_of_python(page: Page, address: str) -> None:
    opened(page, address)
    for topic, system in (("t000", "base"), ("t007", "worse"), ("t011", "better")):
        page.evaluate(f"location.hash = '?topic={topic}&system={system}'")
        page.wait_for_selector(f"#topic h3:has-text('{topic}')")
        wanted = precision_recall_rows(scores(), topic, systems=[system])
        found = rows(page, "precision_recall")
        same(found["lines"], wanted["lines"])
        known = [{k: v for k, v in row.items() if k != "document"} for row in wanted["points"]]
        same(found["points"], known)
        for one, other in zip(found["points"], wanted["points"], strict=True):
            # The page knows of judged results below those that were kept as well.
            assert other.get("document") in (None, one.get("document"))


def test_more_topics_than_bars(page: Page, tmp_path: Path) -> None:
    random = np.random.default_rng(8)
    count = 401
    many = made(
        {
            name: {
                measure: np.round(random.uniform(0, 1, count), 2).tolist()
                for measure in ("AP", "FPR")
            }
            for name in ("one", "two", "three")
        }
    )
    report(many, baseline="two").save(tmp_path / "many.html")
    opened(page, (tmp_path / "many.html").as_uri())
    for measure in ("AP", "FPR"):
        (sample,) = samples(many, measures=measure)
        pick(page, "measure", measure)
        for name, wanted in heat_map_rows(sample).items():
            same(rows(page, "heat_map")[name], wanted)
        for against in ("two", None):
            pick(page, "baseline", against or "none: every pair")
            found = differences_to(sample, against, systems=["three"])
            wanted = topics_rows(sample, "three", differences=found)["topics"]
            assert len(wanted) == 300
            same(rows(page, "topics")["topics"], wanted)
    page.locator("#figure-topics svg.marks .mark-rect.role-mark path").first.click()
    assert f"Topic {wanted[0]['topic'].split()[0]}" in page.locator("#topic").inner_text()
    assert "The rankings were not kept." in page.locator("#topic").inner_text()


def test_a_notebook_shows_it_in_a_frame(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "notebook.html"
    path.write_text(f"<!doctype html><title>n</title>{usual()._repr_html_()}", encoding="utf-8")
    page.goto(path.as_uri())
    frame = page.frame_locator("iframe")
    frame.locator("html[data-ready]").wait_for()
    frame.locator("#measure").select_option(label="RR")
    headline = usual().content["comparisons"][0]["headlines"]["RR"]
    assert frame.locator("#headline").inner_text() == headline
    frame.get_by_role("button", name="t002", exact=True).click()
    assert "Topic t002" in frame.locator("#topic").inner_text()
    frame.locator("#figure-spread svg.marks").wait_for()
    frame.get_by_role("link", name="Method").click()
    assert frame.locator("#method:focus").count() == 1
    assert page.url == path.as_uri()


def test_a_narrow_screen(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 400, "height": 800})
    opened(page, f"{address}#?topic=t000")
    page.wait_for_function(DRAWN)
    assert page.evaluate("document.documentElement.scrollWidth") == 400
    wide = page.evaluate(
        """() => [...document.querySelectorAll('body *')].filter((one) =>
          one.getBoundingClientRect().right > innerWidth + 1
          && !one.closest('.scroll, .chart, .rankings, .formula, #vg-tooltip-element'))
          .map((one) => one.outerHTML.slice(0, 80))"""
    )
    assert wide == []


def test_it_can_be_used_without_a_mouse(shown: Page) -> None:
    for control in ("measure", "baseline", "system", "find", "outcome"):
        assert shown.locator(f"label:has(#{control})").inner_text().strip()
    reached = []
    shown.locator("#find").focus()
    for _ in range(6):
        shown.keyboard.press("Tab")
        reached.append(shown.evaluate("document.activeElement.textContent"))
    assert reached[1:5] == ["topic", *SYSTEMS]
    assert reached[5] == "t000"
    shown.keyboard.press("Enter")
    assert shown.evaluate("document.activeElement.id") == "topic"
    assert shown.locator("#headline").get_attribute("aria-live") == "polite"
    pick(shown, "measure", "RR")
    for link in shown.locator("nav a").all():
        link.click()
        section = (link.get_attribute("href") or "").removeprefix("#")
        assert shown.evaluate("document.activeElement.id") == section
    top = shown.evaluate("document.getElementById('method').getBoundingClientRect().top")
    assert 0 <= top < shown.viewport_size["height"]  # type: ignore[index]
    assert picks(shown)["measure"] == "RR"


def test_one_system_alone(page: Page, tmp_path: Path) -> None:
    qrels, runs = collection(4)
    alone = report(evaluate(qrels, {"base": runs["base"]}, "AP P@5", keep=5))
    alone.save(tmp_path / "one.html")
    opened(page, (tmp_path / "one.html").as_uri())
    page.wait_for_function(DRAWN)
    assert not page.locator("#claims").is_visible()
    assert not page.locator("#baseline").is_visible()
    assert not page.locator("#system").is_visible()
    means = [f"{alone.scores.mean('base', measure):.4f}" for measure in ("AP", "P@5")]
    assert texts(page.locator("#table-body td")) == ["base", *means]
    pick(page, "measure", "P@5")
    page.locator("#topic-table tbody button").first.click()
    assert "Topic t000" in page.locator("#topic").inner_text()


def test_the_claims_of_many_pairs_are_folded(page: Page, tmp_path: Path) -> None:
    values = {f"s{s}": {"AP": [s / 9 + t / 99 for t in range(9)]} for s in range(6)}
    several = report(made(values))
    several.save(tmp_path / "several.html")
    opened(page, (tmp_path / "several.html").as_uri())
    seen = page.locator("#claim-list > li")
    assert seen.count() == 13
    assert seen.last.inner_text().strip() == "3 more"
    seen.last.locator("summary").click()
    wanted = [claim["text"] for claim in several.content["comparisons"][0]["claims"]]
    assert texts(seen)[:12] + texts(seen.last.locator("li")) == wanted


def test_a_comparison_of_some(page: Page, tmp_path: Path) -> None:
    given = compare(
        scores(), systems=["base", "better"], measures="RR", baseline="base", alternative="greater"
    )
    report(given).save(tmp_path / "some.html")
    opened(page, (tmp_path / "some.html").as_uri())
    page.wait_for_function(DRAWN)
    assert page.locator("#headline").inner_text() == "nDCG@5 was not compared."
    assert "There is none of nDCG@5." in page.locator("#figure-forest").inner_text()
    pick(page, "measure", "RR")
    assert page.locator("#claim-list li").count() == 1
    assert rows(page, "forest")["differences"][0]["system"] == "better"
