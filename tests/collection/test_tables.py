"""What a collection is like, as tables, in words and as JSON."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from cleverdon.collection.stats import collection_stats
from cleverdon.errors import OptionError

QRELS = {
    "q1": {f"d{at:04}": float(at % 3) for at in range(1200)},
    "q2": {"d0001": 0.0, "x": -1.0},
}
RUNS = {
    "a": {"q1": {"d0002": 2.0, "new": 1.0}, "q2": {"x": 1.0}},
    "b": {"q1": {"d0002": 2.0, "d0004": 1.0}, "q9": {"y": 1.0}},
}


@pytest.fixture(scope="module")
def found() -> Any:
    return collection_stats(QRELS, RUNS, texts={"q1": "what | is\nit"})


def row(found: Any, section: str, name: str) -> dict[str, str]:
    """One row of a section, as CSV has it, by its first cell."""
    rows = csv.DictReader(io.StringIO(found.to_csv(section)))
    return next(each for each in rows if next(iter(each.values())) == name)


def test_counts_have_separators_for_people_alone(found: Any) -> None:
    assert "judged                                 1,201" in str(found)
    assert row(found, "judgments", "judged")["count"] == "1201"
    assert "1,200" in str(found.by_query())
    assert next(csv.DictReader(io.StringIO(found.by_query().render("csv"))))["judged"] == "1200"


def test_programs_get_all_digits(found: Any) -> None:
    assert float(row(found, "grades", "0")["share"]) == 401 / 1202
    assert row(found, "systems", "a")["holes@5"] == repr(2 / 3)
    assert row(found, "systems", "b")["missing queries"] == "1"
    whole = json.loads(found.render("json"))
    assert [each["query"] for each in whole["queries"]] == ["q1", "q2"]
    assert whole["coverage"]["systems"][1]["queries_missing"] == ["q2"]
    assert whole["coverage"]["queries_not_judged"] == 1
    assert not [key for key in whole if "topic" in key]


def test_words_below_the_tables(found: Any) -> None:
    told = found.closing()
    assert told[0] == "pool depth: 1; down to that rank, all systems' results are pooled"
    assert told[1] == "798 relevant documents in no system's first 100 results"
    assert any(line.startswith("warning: 1 query of a run not judged (q9)") for line in told)


def test_texts_are_on_one_line_and_escaped(found: Any) -> None:
    assert "what | is\\nit" in str(found.by_query())
    assert "what \\| is" in found.by_query().render("markdown")


def test_holes(found: Any) -> None:
    assert found.holes(5).render("csv").splitlines() == [
        "query,text,a,b",
        "q1,what | is\\nit,1,0",
        "q2,,1,0",
    ]
    with pytest.raises(OptionError, match="format='xml' is not known"):
        found.holes(5).render("xml")
