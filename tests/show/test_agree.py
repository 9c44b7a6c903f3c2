"""How far judges agree, as tables."""

from __future__ import annotations

import csv
import io
import json

import pytest

from cleverdon.errors import OptionError
from cleverdon.judge import Labels, agree
from cleverdon.judge.agreement import disputed_documents, known_coefficients
from cleverdon.show.agree import described, listed, render
from cleverdon.show.grid import Grid
from cleverdon.show.sections import FORMATS, Section

PEOPLE = {
    "ann": {"q1": {"a": 0, "b": 1, "c": 2}, "q2": {"a": 1, "b": 0}},
    "bob": {"q1": {"a": 0, "b": 0, "c": 2}, "q2": {"a": 1, "b": 1}},
}
MODEL = {"q1": {"a": 2, "b": 1}, "q2": {"a": 1}}
WHOLE = Labels.of({**PEOPLE, "llm": MODEL})
AGREED = agree(WHOLE.only(["ann", "bob"]), per_query=True, resamples=50)
PAIRS = agree(WHOLE, resamples=50)


@pytest.mark.parametrize("format", FORMATS)
def test_every_format(format: str) -> None:
    text = render(AGREED, format, pairs=PAIRS, models=["llm"])
    assert "kappa" in text
    assert "llm" in text
    assert ("llm (model)" in text) == (format in ("table", "markdown"))


def test_a_format_that_does_not_exist() -> None:
    with pytest.raises(OptionError, match="format='latex'"):
        render(AGREED, "latex")


def test_rows_for_programs_have_all_digits() -> None:
    rows = list(csv.DictReader(io.StringIO(render(AGREED, "csv", pairs=PAIRS))))
    assert {row["part"] for row in rows} == {"overall", "pair", "query"}
    of_query = [row for row in rows if row["query"] == "q2" and row["coefficient"] == "agreement"]
    (wanted,) = [one for one in AGREED.topics if one.topic == "q2"]
    assert [float(row["value"]) for row in of_query] == [wanted.estimates["agreement"].value]


def test_disputes_have_a_column_for_every_judge() -> None:
    disputed = disputed_documents(WHOLE, 1)
    text = render(AGREED, pairs=PAIRS, models=["llm"], disputed=disputed)
    part = text[text.index("Documents in dispute") :].splitlines()
    assert part[2].split() == ["query", "document", "ann", "bob", "llm", "(model)", "apart"]
    assert part[4].split() == ["q1", "a", "0", "0", "2", "1.33"]


def test_sections_behind_and_their_records() -> None:
    more = [Section("Behind", Grid(["x"], [["1"]], 1, []))]
    assert render(AGREED, more=more).endswith("Behind\n\nx\n─\n1")
    assert json.loads(render(AGREED, "json", records={"behind": 1}))["behind"] == 1


def test_what_coefficients_are() -> None:
    for name, cls in known_coefficients().items():
        assert name in listed()
        assert cls.source in described(name)
    assert "the mean over all pairs of them" in described("kappa")
