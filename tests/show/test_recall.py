"""What is printed of recall: numbers in every format, and sentences that say what is known."""

from __future__ import annotations

import csv
import io
import json

import pytest

from cleverdon.pool.recall import Part, recall
from cleverdon.pool.recall.whole import Recall
from cleverdon.show.recall import render
from cleverdon.show.recall_words import advice, verdict
from tests.pool.recall.made import grades_of, runs_of

GRADES = grades_of({"q1": "abcd", "q2": "ef"}, {"q1": "xy", "q2": "z"})
LISTS = {
    "one": {"q1": "abxc", "q2": "ez"},
    "two": {"q1": "bcdy", "q2": "fe"},
    "three": {"q1": "cbad", "q2": "zf"},
}


def found(**options: object) -> Recall:
    return recall(GRADES, runs_of(LISTS), **options)  # type: ignore[arg-type]


def sampled(drawn: int, relevant: int, **options: object) -> Recall:
    parts = [Part(topic, "all", drawn, relevant, drawn / 1000, 1000) for topic in GRADES]
    return found(sample=parts, reusing=False, **options)


def test_the_table_has_every_section() -> None:
    text = render(found(), per_query=True)
    for heading in (
        *("relevant documents", "by chao", "recall of runs", "saturation by depth"),
        *("saturation by number of systems", "overlap of systems", "if it had not been pooled"),
    ):
        assert f"\n{heading}\n" in f"\n{text}"
    assert "by chao" not in render(found())


def test_csv_has_all_digits() -> None:
    one = found()
    rows = list(csv.DictReader(io.StringIO(render(one, "csv", per_query=True))))
    cells = {(row["section"], row["row"], row["column"]): row["value"] for row in rows}
    assert float(cells["relevant documents", "chao", "R"]) == one.estimates[0].all.value
    assert float(cells["by chao", "q1", "R"]) == one.estimates[0].topics["q1"].value
    assert float(cells["saturation by number of systems", "2", "relevant"]) == pytest.approx(
        one.saturation.by_systems[1].relevant, abs=0
    )
    assert len({(row["section"], row["row"], row["column"]) for row in rows}) == len(rows)


def test_json_is_whole_and_valid() -> None:
    apart = recall(GRADES, runs_of({"one": {"q1": "ab"}, "two": {"q1": "cd"}}))
    record = json.loads(render(apart, "json"), parse_constant=pytest.fail)
    assert record["estimates"]["lincoln-petersen"]["queries"]["q1"]["high"] is None
    record = json.loads(render(found(), "json"))
    assert record["relevant"] == 6
    assert record["decision"] == found().decision
    assert record["advice"] == advice(found())
    assert {each["system"] for each in record["reuse"]} == set(LISTS)
    assert record["dependence"]["direction"] in ("positive", "negative", "none", "unknown")


def test_markdown() -> None:
    assert "## recall of runs" in render(found(), "markdown")


def test_capture_recapture_is_called_a_lower_bound() -> None:
    text = " ".join(advice(found()))
    assert "at least about" in text
    assert "lower bound" in text
    assert "Stop" not in text


def test_a_sample_decides() -> None:
    assert verdict(sampled(1000, 0)).startswith("Stop: recall is at least 1.00, and 0.9 is enough")
    assert verdict(sampled(500, 100)).startswith("Go on: recall is 0.")
    undecided = verdict(sampled(100, 0, docs=1006))
    assert undecided.startswith("Not decided: recall is between")
    assert "for each query would tell recall to ±0.1" in undecided or "more than half" in undecided


def test_rare_documents_make_a_random_sample_useless_and_that_is_said() -> None:
    assert "more than half of the collection" in verdict(found(docs=1_000_000))


def test_without_the_size_of_the_collection_it_is_asked_for() -> None:
    assert "--docs" in verdict(found())


def test_one_system() -> None:
    one = recall(GRADES, runs_of({"one": LISTS["one"]}))
    text = " ".join(advice(one))
    assert "nothing can be said of what was missed" in text
    assert "Not decided: recall is not known" in text
    assert "overlap of systems" not in render(one)


def test_two_systems_cannot_show_whether_they_are_independent() -> None:
    two = recall(GRADES, runs_of({name: LISTS[name] for name in ("one", "two")}))
    assert "it takes a third system" in " ".join(advice(two))


def test_everything_judged() -> None:
    whole = recall({"q": {"a": 1, "b": 0}}, {"x": {"q": {"a": 2.0, "b": 1.0}}}, docs=2)
    text = " ".join(advice(whole))
    assert "That is the whole collection" in text
    assert text.endswith("Stop: everything is judged.")


def test_many_systems_are_thinned_for_people_and_not_for_programs() -> None:
    docs = "abcdefghijklmnopqrstuvwxyz"
    grades = grades_of({"q": docs})
    runs = runs_of({f"s{n:02}": {"q": docs[n : n + 6]} for n in range(20)})
    many = recall(grades, runs, reusing=False)
    curve = render(many).partition("saturation by number of systems")[2].partition("overlap")[0]
    assert "\n20 " in curve
    assert len(curve.strip().splitlines()) <= 2 + 12
    assert render(many, "csv").count("overlap of systems") == 190 * 6


def test_names_with_odd_characters_stay_on_a_line() -> None:
    runs = runs_of({"a\nb": LISTS["one"], "c\td": LISTS["two"]})
    assert "a\\nb" in render(recall(GRADES, runs))
