"""How traces are shown: folded, in words, in every format."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from io import StringIO

import pytest

from cleverdon import explain
from cleverdon.explanation.difference import (
    _difference_sentences,
    trace_difference,
)
from cleverdon.explanation.traces import Explanation, Trace, Tracer
from cleverdon.tables.result_lists import Results
from cleverdon.tables.table import FORMATS

QRELS = {"q": {"a": 2.0, "b": 0.0, "c": 1.0, "d": 1.0}}
RUN = {"q": {"a": 5.0, "x": 4.0, "c": 4.0, "b": 2.0}}
TRACER = Tracer(QRELS)


def named(run: dict[str, dict[str, float]], measure: str, name: str) -> Trace:
    return TRACER.trace(run, measure, name=name)


def deep(measure: str) -> Trace:
    """A thousand results, of which each hundredth is relevant; so are three that are missing."""
    ranking = [f"d{place:04}" for place in range(1, 1001)]
    qrels = {"q": dict.fromkeys([*ranking[99::100], "m1", "m2", "m3"], 1.0)}
    return explain(qrels, {"q": {doc: -float(at) for at, doc in enumerate(ranking)}}, measure)


def table(text: str) -> list[str]:
    return text.split("\n\n")[1].splitlines()


def plain(line: str) -> str:
    """Without the spaces that align it."""
    return " ".join(line.split())


def test_ndcg_with_its_ideal() -> None:
    text = str(named(RUN, "nDCG@3", "mine"))
    assert text.startswith("nDCG@3 of mine on query q is 0.7985")
    header, _, *rows = table(text)
    assert header.split() == [
        *("rank", "document", "grade", "gain", "discount", "product", "sum"),
        *("ideal", "ideal", "sum", "adds"),
    ]
    assert plain(rows[0]) == "1 a 2 2 1.0000 2.0000 2.0000 2 2.0000 0.6388"
    assert plain(rows[1]) == "2= x - 0 0.6309 0.0000 2.0000 1 2.6309"
    assert plain(rows[2]) == "3= c 1 1 0.5000 0.5000 2.5000 1 3.1309 0.1597"
    assert len(rows) == 3
    assert "2.5000 / 3.1309 = 0.7985: the sum over that of the ideal" in text


def test_results_without_effect_are_folded_and_nothing_is_lost() -> None:
    header, _, *rows = table(str(deep("AP")))
    assert header.split() == ["rank", "document", "grade", "precision", "1/R", "adds", "so", "far"]
    assert len(rows) == 20 + 2 * 10
    assert plain(rows[20]) == "21-99 ... 79 results without effect 0.0000"
    assert plain(rows[21]) == "100 d0100 1 0.0100 0.0769 0.0008 0.0008"
    assert rows[-1].split()[0] == "1000"
    *_, last = table(deep("AP").render(depth=2))
    assert plain(last) == "3-1000 ... 998 results 0.0077 0.0077"
    assert len(table(deep("AP").render(depth=50))) == 2 + 51
    assert len(table(str(deep("P@5")))) == 2 + 5
    many = deep("P(rel=1)@1000")
    assert len(table(str(many))) == 2 + 20 + 2 * 10


def test_so_many_that_add_something_are_shown() -> None:
    ranking = [f"d{place:03}" for place in range(200)]
    run = {"q": {doc: -float(at) for at, doc in enumerate(ranking)}}
    rows = table(str(explain({"q": dict.fromkeys(ranking, 1.0)}, run, "AP")))[2:]
    assert len(rows) == 31
    assert plain(rows[-1]) == "31-200 ... 170 results 0.8500 1.0000"


def test_what_would_gain_in_words() -> None:
    text = str(deep("AP"))
    lines = text.partition("What would raise it most:\n")[2].splitlines()
    assert lines[0].startswith("  +0.0")
    assert "m1 or one of 2 others (grade 1, not returned) were inserted at rank 1" in text
    assert "Relevant and not returned: m1, m2, m3 (grade 1, +0.0" in lines[-1]
    assert lines[-1].endswith(" each at rank 1)")
    perfect = named({"q": {"a": 3.0, "c": 2.0, "d": 1.0}}, "nDCG", "run")
    assert "Nothing would raise it" in str(perfect)
    assert "What would lower it most:" in str(named(RUN, "SetE", "run"))
    assert "before any hit the value is 1.0000" in str(named(RUN, "SetE", "run"))
    assert "No value of Unjudged@3 is better" in str(named(RUN, "Unjudged@3", "run"))


def test_undefined_values_say_why() -> None:
    text = str(explain({"q": {"a": 0}}, {"q": {"a": 1.0}}, "nDCG@10"))
    assert text.startswith("nDCG@10 of run on query q is undefined: no judged document has")
    assert "raise" not in text
    nothing = str(explain({"q": {"a": 1}, "p": {"b": 1}}, {"p": {"b": 1.0}}, query="q"))
    assert nothing.splitlines()[0] == "nDCG@10 of run on query q is 0.0000"
    assert "Nothing was returned." in nothing


def test_titles_and_the_query() -> None:
    text = str(replace(named(RUN, "P@2", "run"), titles={"x": "About\nx"}, text="what is x?"))
    assert text.startswith("P@2 of run on query q (what is x?) is 0.5000")
    header, _, *rows = table(text)
    assert header.split()[:4] == ["rank", "document", "title", "grade"]
    assert rows[1].split()[:4] == ["2=", "x", "About\\nx", "-"]


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_escapes_what_was_given(format: str) -> None:
    qrels, run = {"q": {"<b>|&": 1, "n": 1}}, {"q": {"<b>|&": 2.0, "n": 1.0, "z": 0.5}}
    found, other = (explain(qrels, one, "AP") for one in (run, {"q": {"n": 1.0}}))
    gap = trace_difference(found, other)
    for text in (Explanation([found, found]).render(format), Results([gap, gap]).render(format)):
        assert "AP" in text
        if format == "html":
            assert "<b>|" not in text
            assert "&lt;b&gt;|&amp;" in text


def test_csv_and_json_have_all_digits() -> None:
    found = [named(RUN, measure, "run") for measure in ("nDCG@3", "AP")]
    rows = list(csv.DictReader(StringIO(Explanation(found).to_csv())))
    assert len(rows) == 2 * 4
    for one in found:
        own = [row for row in rows if row["measure"] == str(one.measure)]
        assert [float(row["adds"]) for row in own] == [step.added for step in one.steps]
        assert [row["document"] for row in own] == [step.doc for step in one.steps]
    assert [row["grade"] for row in rows[:4]] == ["2", "", "1", "0"]
    assert [row["tied"] for row in rows[:4]] == ["0", "1", "1", "0"]
    assert rows[4]["gain"] == rows[0]["precision"] == ""
    first, second = json.loads(Explanation(found).to_json())
    assert first["value"] == found[0].value
    assert first["ideal"][0] == {"rank": 1, "doc": "a", "grade": 2, "gain": 2, "so_far": 2}
    assert second["steps"][1]["working"]["precision"] is None
    assert first["moves"][0]["change"] == found[0].moves[0].change
    undefined = json.loads(explain({"q": {"a": 0}}, RUN, "AP").to_json())
    assert undefined["value"] is None


def test_differences_in_words() -> None:
    better = {"q": {"c": 3.0, "a": 2.0, "d": 1.0}}
    one_way = trace_difference(named(better, "P@4", "new"), named({"q": {"c": 1.0}}, "P@4", "old"))
    assert _difference_sentences(one_way) == [
        "new scores 0.7500 and old 0.2500 on query q by P@4, a difference of +0.5000; 2 documents "
        "make 100% of it: a (rank 2 in new, not in old), d (rank 3 in new, not in old)."
    ]
    text = str(one_way)
    assert "share so far" in text
    assert text.splitlines()[-1].split()[-1] == "100%"
    both_ways = trace_difference(named(RUN, "DCG", "new"), named(better, "DCG", "old"))
    first, second, third = _difference_sentences(both_ways)
    assert first.endswith("by DCG, a difference of -0.2619.")
    assert second.startswith("1 document adds 0.7381 more to new: a (rank 1 in new, rank 2 in old)")
    assert third.startswith("2 documents add 1.0000 more to old: ")
    same = trace_difference(named(RUN, "AP", "new"), named(RUN, "AP", "old"))
    assert _difference_sentences(same)[0].endswith("; each document adds the same to both.")
    none = [explain({"q": {"a": 0}}, RUN, "AP") for _ in range(2)]
    assert "AP is undefined for run and run" in _difference_sentences(trace_difference(*none))[0]


def test_small_parts_of_differences_are_folded() -> None:
    found = trace_difference(deep("AP"), explain({"q": {"zz": 1}}, {"q": {"y": 1.0}}, "AP"))
    shown = table(found.render(depth=3))[2:]
    assert len(shown) == 4
    assert shown[-1].split()[:3] == ["...", "7", "documents"]
    rows = list(csv.DictReader(StringIO(found.to_csv())))
    assert sum(float(row["difference"]) for row in rows) == pytest.approx(found.value)
    record = json.loads(found.to_json())
    assert record["difference"] == found.value
    assert len(record["parts"]) == len(rows) == 10
