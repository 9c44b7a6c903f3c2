"""What is printed of recall: numbers in every format, and sentences that say what is known."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest

from cleverdon.measures.notation import parse_all
from cleverdon.pooling.recall.advice import (
    _amount_text,
    _recall_text,
    _reuse_sentence,
    _sheet_sentence,
    _verdict_sentence,
    recall_advice,
)
from cleverdon.pooling.recall.recall import Recall, estimate_recall
from cleverdon.pooling.recall.reuse import LeaveOneOut, Reuse
from cleverdon.pooling.recall.samples import SampledStratum, SheetFit
from tests.pooling.recall.made import grades_of, runs_of

GRADES = grades_of({"q1": "abcd", "q2": "ef"}, {"q1": "xy", "q2": "z"})
LISTS = {
    "one": {"q1": "abxc", "q2": "ez"},
    "two": {"q1": "bcdy", "q2": "fe"},
    "three": {"q1": "cbad", "q2": "zf"},
}


def found(**options: object) -> Recall:
    return estimate_recall(GRADES, runs_of(LISTS), **options)  # type: ignore[arg-type]


def sampled(drawn: int, relevant: int, **options: object) -> Recall:
    parts = [SampledStratum(query, "all", drawn, relevant, drawn / 1000, 1000) for query in GRADES]
    return found(sample=parts, reusing=False, **options)


def test_the_table_has_every_section() -> None:
    text = found().render(per_query=True)
    for heading in (
        *("relevant documents", "by chao", "recall of runs", "saturation by depth"),
        *("saturation by number of systems", "overlap of systems", "if it had not been pooled"),
    ):
        assert f"\n{heading}\n" in f"\n{text}"
    assert "\nby chao\n" not in found().render()


def test_csv_has_all_digits() -> None:
    one = found()

    def rows(section: str | None = None) -> dict[str, dict[str, str]]:
        text = one.to_csv(section, per_query=True)
        return {next(iter(row.values())): row for row in csv.DictReader(io.StringIO(text))}

    assert float(rows()["chao"]["R"]) == one.estimates[0].all.value
    assert float(rows("by chao")["q1"]["R"]) == one.estimates[0].queries["q1"].value
    curve = rows("saturation by number of systems")
    assert float(curve["2"]["relevant"]) == one.saturation.by_systems[1].relevant


def test_json_is_whole_and_valid() -> None:
    apart = estimate_recall(GRADES, runs_of({"one": {"q1": "ab"}, "two": {"q1": "cd"}}))
    record = json.loads(apart.render("json"), parse_constant=pytest.fail)
    assert record["estimates"]["lincoln-petersen"]["queries"]["q1"]["high"] is None
    record = json.loads(found().render("json"))
    assert record["relevant"] == 6
    assert record["decision"] == found().decision
    assert record["advice"] == recall_advice(found())
    assert {each["system"] for each in record["reuse"]} == set(LISTS)
    assert record["dependence"]["direction"] in ("positive", "negative", "none", "unknown")


def test_markdown() -> None:
    assert "## recall of runs" in found().render("markdown")


def several(lists: dict[str, str], relevant: str, **options: object) -> Recall:
    """The same of eight queries."""
    queries = [f"q{n}" for n in range(8)]
    runs = runs_of({name: dict.fromkeys(queries, docs) for name, docs in lists.items()})
    return estimate_recall(
        grades_of(dict.fromkeys(queries, relevant)), runs, reusing=False, **options
    )  # type: ignore[arg-type]


EASY = {"x": "abcdefg", "y": "abcdefh", "z": "abcdeij", "v": "abklm"}
"""Systems that find the same, and something of their own."""
APART = {"x": "abcdefgh", "y": "ghij", "z": "ijklmnop"}
"""Systems that complement each other."""


def test_capture_recapture_is_called_a_lower_bound() -> None:
    easy = several(EASY, "abcdefghijklm")
    assert easy.dependence is not None
    assert easy.dependence.direction == "positive"
    text = " ".join(recall_advice(easy))
    assert "at least about" in text
    assert "lower bound" in text
    assert "Stop" not in text


def test_systems_that_complement_each_other_are_told_of_without_bounds() -> None:
    apart = several(APART, "abcdefghijklmnop")
    text = " ".join(recall_advice(apart))
    for word in ("at least", "at most", "lower bound", "Go on", "Stop"):
        assert word not in text
    assert "it bounds nothing" in text
    assert "too high" in text
    assert _verdict_sentence(apart).startswith(
        "Not decided: by what systems found in common recall would be"
    )
    # All queries are alike, so the interval has no width, and is not printed as one.
    assert "odds ratio 0.059)" in text


def test_two_systems_are_told_of_with_an_if() -> None:
    two = several({"x": APART["x"], "z": APART["z"]}, "abcdefghijklmnop")
    text = " ".join(recall_advice(two))
    assert "if systems are independent" in text
    assert "lower bound" not in text
    assert _verdict_sentence(two).startswith("Not decided")


def test_an_estimate_below_what_is_known_is_called_refuted() -> None:
    text = several(EASY, "abcdefghijklm" + "nopqrstuvw", docs=500).render()
    row = next(line.split() for line in text.splitlines() if line.startswith("chao "))
    assert row[1:2] + row[3:] == ["184", "-", "-", "-", "-", "-"]
    assert "The estimate by chao is refuted: by it 1" in text
    assert "but 184 are known, of which they missed 80" in text
    assert (
        "80 relevant documents are returned by none of these systems down to rank 7, and 80 at "
        in text
    )
    assert "Not decided: recall is not known" in text
    assert "No estimate of what was missed is left" in text
    record = json.loads(several(EASY, "abcdefghijklm" + "nopqrstuvw").render("json"))
    one = record["estimates"]["chao"]["all"]
    assert one["refuted"] is True
    assert one["low"] is one["high"] is one["recall"] is None
    assert record["runs"]["x"]["recall"] == [None, None, None]


def test_a_sample_of_some_queries_is_told_of_as_such() -> None:
    parts = [SampledStratum("q2", "all", 97, 0, 1.0, 97)]
    one = found(sample=parts, docs=100, reusing=False)
    text = " ".join(recall_advice(one))
    assert "1 query (q2) of 2 is sampled: of this one, 3 documents are judged, and 2 are" in text
    assert "By the sample there are about 2 in all of this one, between 2 and 2" in text
    assert _verdict_sentence(one) == (
        "Not decided for all queries: 1 query is not sampled. For the 1 that is, stop: recall is "
        "between 1.00 and 1.00, and 0.9 is enough (--target-recall)."
    )
    assert "recall: of the R by sample, of 1 query" in one.render()
    record = json.loads(one.render("json"))
    assert (record["decision"], record["decided_for"]) == ("open", 1)
    assert record["decision_for_these"] == "stop"


def test_a_sample_that_says_go_on_asks_for_no_other() -> None:
    text = _verdict_sentence(sampled(500, 100, docs=1006))
    assert "cleverdon pool sample" not in text
    assert "Judge deeper: cleverdon pool make RUNS -k 8 --judged QRELS" in text
    assert "add systems" in text


def test_whether_a_larger_sample_holds_the_one_that_there_is() -> None:
    text = _verdict_sentence(sampled(60, 1, docs=1006, target_recall=0.3))
    assert "A random sample of 210 documents for each query would tell recall to ±0.1" in text
    assert "It is drawn anew, without the 120 documents of all queries that are judged" in text
    wide = _verdict_sentence(sampled(60, 1, docs=1006, target_recall=0.3, half_width=0.3))
    assert "The sample tells recall to ±0.3 already; with a smaller --half-width" in wide


def test_how_the_sheet_fits_the_sample() -> None:
    assert _sheet_sentence(replace(found(), filled=SheetFit(drawn=20, judged=20, strange=0))) == ""
    text = _sheet_sentence(replace(found(), filled=SheetFit(drawn=20, judged=1, strange=1)))
    assert "1 of 20 drawn documents is judged; the rest is taken to be missing at random." in text
    assert "1 of 2 judged documents were not drawn, and do not count: is it the right" in text


def test_the_intervals_are_named() -> None:
    text = sampled(100, 1).render()
    assert "interval of sample: gamma" in text
    assert "R by chao: a lower bound; low, high: how far chance moves the bound" in text
    assert "95% interval" not in found(reusing=False).render()  # which has Chao's bound alone
    record = json.loads(found(reusing=False).render("json"))["estimates"]["chao"]["all"]
    assert (record["interval"], record["lower_bound"]) == ("lower bound", True)
    one = several({"x": "abc"}, "abc", sample=[SampledStratum("q0", "all", 20, 1, 0.2, 100)])
    assert "interval of sample: exact, by inversion of the hypergeometric" in one.render()


def test_systems_that_are_the_same_are_named() -> None:
    twice = {**LISTS, "again": LISTS["one"]}
    text = " ".join(recall_advice(estimate_recall(GRADES, runs_of(twice))))
    assert "one and again: these have the same judged documents at the same ranks" in text


def test_one_document_is_and_two_are() -> None:
    one = estimate_recall({"q": {"a": 1, "b": 0}}, {"x": {"q": {"a": 2.0}}, "y": {"q": {"b": 1.0}}})
    text = " ".join(recall_advice(one))
    assert "2 documents are judged for 1 query, and 1 is relevant" in text
    assert _amount_text(1, "judgment") == "1 judgment"
    assert _amount_text(1.5, "judgment") == "1.5 judgments"
    assert _amount_text(0.0, "judgment") == "0 judgments"


def left_out(system: str, pooled: float, unpooled: float, rank: int, then: int) -> LeaveOneOut:
    (measure,) = parse_all("AP")
    return LeaveOneOut(system, system, measure, 1, 1, pooled, unpooled, rank, then, others=0.02)


def test_what_systems_lose_that_were_not_pooled() -> None:
    lost = Reuse((left_out("a", 0.5, 0.4, 1, 3), left_out("b", 0.4, 0.4, 2, 3)), 10, True)
    assert _reuse_sentence(lost) == (
        "A system that was not pooled would be underrated by 10.0% on average (AP), while the "
        "others change by +2.0%; a would lose most, 20.0%. Ranks would be lost by a (1 to 3), "
        "b (2 to 3)."
    )
    # Its own score stays, and yet others pass it.
    kept = _reuse_sentence(Reuse((left_out("a", 0.5, 0.5, 1, 2),), 10, True))
    assert "would be rated the same on average (AP)" in kept
    assert "none would lose any" in kept
    assert "Ranks would be lost by a (1 to 2)." in kept
    gained = _reuse_sentence(Reuse((left_out("a", 0.5, 0.55, 1, 1),), 10, True))
    assert "overrated by 10.0%" in gained
    assert "No system would lose a rank" in gained
    slight = _reuse_sentence(Reuse((left_out("a", 0.5, 0.50001, 1, 1),), 10, True))
    assert "-0.0%" not in slight


def test_a_sample_decides() -> None:
    assert _verdict_sentence(sampled(1000, 0)).startswith(
        "Stop: recall is at least 1.00, and 0.9 is enough"
    )
    assert _verdict_sentence(sampled(500, 100)).startswith("Go on: recall is 0.")
    undecided = _verdict_sentence(sampled(100, 0, docs=1006))
    assert undecided.startswith("Not decided: recall is between")
    assert "for each query would tell recall to ±0.1" in undecided or "more than half" in undecided


def test_rare_documents_make_a_random_sample_useless_and_that_is_said() -> None:
    assert "more than half of the collection" in _verdict_sentence(found(docs=1_000_000))


def test_without_the_size_of_the_collection_it_is_asked_for() -> None:
    assert "--docs" in _verdict_sentence(found())


def test_one_system() -> None:
    one = estimate_recall(GRADES, runs_of({"one": LISTS["one"]}))
    text = " ".join(recall_advice(one))
    assert "nothing can be said of what was missed" in text
    assert "Not decided: recall is not known" in text
    assert "overlap of systems" not in one.render()


def test_two_systems_cannot_show_whether_they_are_independent() -> None:
    two = estimate_recall(GRADES, runs_of({name: LISTS[name] for name in ("one", "two")}))
    assert "it takes a third system" in " ".join(recall_advice(two))


def test_why_systems_cannot_be_told_from_independent() -> None:
    """It is no third system that is lacking where there are four."""
    same = several({"x": "abcd", "y": "abcd", "z": "abcd", "v": "abc"}, "abcd")
    text = " ".join(recall_advice(same))
    assert "cannot be seen here: systems found nearly the same, and of the relevant" in text
    assert "third system" not in text
    apart = several({"x": "ab", "y": "cd", "z": "ef"}, "abcdef")
    assert "cannot be seen here: systems found too little in common" in " ".join(
        recall_advice(apart)
    )
    empty = several({"x": "ab", "y": "bc", "z": "yz"}, "abc")
    assert "it takes a third system that found relevant" in " ".join(recall_advice(empty))


def test_ends_are_told_from_the_target() -> None:
    assert _recall_text(0.8987, 0.9) == "0.899"
    assert _recall_text(0.89996, 0.9) == "0.89996"
    assert _recall_text(0.896, 0.897) == "0.896"
    assert _recall_text(0.9, 0.9) == "0.90"
    assert _recall_text(0.39, 0.9) == "0.39"
    one = sampled(100, 1, docs=1006)
    assert one.best is not None
    high = one.best.all.recall()[2]
    target = round(high, 2)
    assert _recall_text(high, target) != f"{high:.2f}"
    assert f" {_recall_text(high, target)}" in _verdict_sentence(
        sampled(100, 1, docs=1006, target_recall=target)
    )


def test_a_grade_that_no_judgment_has() -> None:
    none = " ".join(recall_advice(found(rel=3, reusing=False)))
    assert "0 are relevant. No judgment has the grade 3 or a higher one (--rel): the hig" in none
    assert "No judgment" not in " ".join(recall_advice(found()))


def test_everything_judged() -> None:
    both = {name: {"q": {"a": 2.0, "b": 1.0}} for name in "xy"}
    text = " ".join(recall_advice(estimate_recall({"q": {"a": 1, "b": 0}}, both, docs=2)))
    assert "That is the whole collection" in text
    assert text.endswith("Stop: everything is judged.")
    assert "would bring" not in text


def test_many_systems_are_thinned_for_people_and_not_for_programs() -> None:
    docs = "abcdefghijklmnopqrstuvwxyz"
    grades = grades_of({"q": docs})
    runs = runs_of({f"s{n:02}": {"q": docs[n : n + 6]} for n in range(20)})
    many = estimate_recall(grades, runs, reusing=False)
    curve = many.render().partition("saturation by number of systems")[2].partition("overlap")[0]
    assert "\n20 " in curve
    assert len(curve.strip().splitlines()) <= 2 + 12
    assert len(many.to_csv("overlap of systems").splitlines()) == 1 + 190


def test_names_with_odd_characters_stay_on_a_line() -> None:
    runs = runs_of({"a\nb": LISTS["one"], "c\td": LISTS["two"]})
    assert "a\\nb" in estimate_recall(GRADES, runs).render()
