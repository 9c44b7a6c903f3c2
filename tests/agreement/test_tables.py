"""Agreement as tables, sentences and records."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from cleverdon.agreement.agreement import agree
from cleverdon.agreement.coefficients import known_coefficients
from cleverdon.agreement.labels import Labels
from cleverdon.agreement.model import ModelAgreement, ModelEffects, compare_model, model_effects
from cleverdon.agreement.tables import (
    agreement_sentences,
    coefficient_text,
    coefficients_text,
    interval_note,
)
from cleverdon.errors import OptionError
from cleverdon.stats.intervals import Interval
from cleverdon.tables.table import FORMATS
from tests.agreement.collection import collection
from tests.agreement.made import labels_of, simulated

PEOPLE = {
    "ann": {"q1": {"a": 0, "b": 1, "c": 2}, "q2": {"a": 1, "b": 0}},
    "bob": {"q1": {"a": 0, "b": 0, "c": 2}, "q2": {"a": 1, "b": 1}},
}
MODEL = {"q1": {"a": 2, "b": 1}, "q2": {"a": 1}}
WHOLE = Labels.of({**PEOPLE, "llm": MODEL})
AGREED = agree(WHOLE, models=["llm"], per_query=True, disputed=1, resamples=50)


@pytest.mark.parametrize("format", FORMATS)
def test_every_format(format: str) -> None:
    text = AGREED.render(format)
    assert "kappa" in text
    assert "llm" in text
    assert ("llm (model)" in text) == (format not in ("csv", "tsv", "json"))


def test_a_format_that_does_not_exist() -> None:
    with pytest.raises(OptionError, match="format='word'"):
        AGREED.render("word")


def test_rows_for_programs_have_all_digits() -> None:
    rows = list(csv.DictReader(io.StringIO(AGREED.to_csv())))
    assert {row["part"] for row in rows} == {"overall", "pair", "query"}
    of_query = [row for row in rows if row["query"] == "q2" and row["coefficient"] == "agreement"]
    (wanted,) = [one for one in AGREED.queries if one.query == "q2"]
    assert [float(row["value"]) for row in of_query] == [wanted.coefficients["agreement"].value]


def test_models_have_no_part_in_the_agreement_of_people() -> None:
    alone = agree(WHOLE.only(["ann", "bob"]), resamples=50)
    assert AGREED.overall == alone.overall
    assert AGREED.judges == ("ann", "bob")
    assert len(AGREED.pairs) == 3


def test_disputes_have_a_column_for_every_judge() -> None:
    text = str(AGREED)
    part = text[text.index("Documents in dispute") :].splitlines()
    assert part[2].split() == ["query", "document", "ann", "bob", "llm", "(model)", "apart"]
    assert part[4].split() == ["q1", "a", "0", "0", "2", "1.33"]


def test_confusion_is_shown_on_demand() -> None:
    assert "Grades of ann (rows) by those of llm (model)" in AGREED.render(confusion=True)
    assert "(rows)" not in AGREED.render()


def test_what_coefficients_are() -> None:
    for name, cls in known_coefficients().items():
        assert name in coefficients_text()
        assert cls.source in coefficient_text(name)
    assert "the mean over all pairs of them" in coefficient_text("kappa")


def test_records() -> None:
    labels, _ = simulated(accuracies=[0.9, 0.6, 0.6], items=60, topics=3)
    found = agree(labels, per_query=True, disputed=2, resamples=20, seed=4)
    record = found.to_dict()
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert record["intervals"] == {
        "over": "queries",
        "of": 3,
        "resamples": 20,
        "confidence": 0.95,
        "seed": 4,
        "method": "t",
    }
    assert [one["query"] for one in record["queries"]] == [one.query for one in found.queries]
    assert record["pairs"][0]["queries"] == 3
    assert record["overall"]["kappa"]["value"] == found.overall["kappa"].value
    assert len(record["disputed"]) == 2


def test_what_is_undefined_is_null() -> None:
    found = agree(labels_of([[1, None, 0], [0, 1, None], [None, 1, 1]]), resamples=5)
    record = found.to_dict()
    json.dumps(record, allow_nan=False)
    assert record["overall"]["agreement"]["interval"] is not None


def said(labels: Labels, **options: float) -> str:
    return "\n".join(agreement_sentences(agree(labels, resamples=20, **options)))  # type: ignore[arg-type]


def test_agreement_is_a_mean_over_documents_where_there_are_several_judges() -> None:
    three, _ = simulated(accuracies=[0.8, 0.8, 0.8])
    assert "of cases (the mean over documents); they avoid" in said(three)
    two = said(three.only(["judge 0", "judge 1"]))
    assert "of cases; they avoid" in two
    assert "the mean over pairs" not in two


def test_less_agreement_than_by_chance() -> None:
    assert "would agree more often by chance" in said(labels_of([[0, 1, 0, 1], [1, 0, 1, 0]]))


def test_one_grade() -> None:
    assert "all judges gave grade 2 throughout" in said(labels_of([[2, 2], [2, 2]]))


def test_skewed_grades() -> None:
    text = said(labels_of([[0] * 18 + [1, 1], [0] * 19 + [1]]))
    assert "92% of the judgments are grade 0" in text


def test_what_the_brackets_hold() -> None:
    labels, _ = simulated(accuracies=[0.8, 0.8], topics=5)
    assert "in brackets: 90% intervals by Student's t over 5 queries" in said(
        labels, confidence=0.9
    )
    assert "so few queries" in said(labels)
    assert "97.5%" in interval_note(agree(labels, confidence=0.975, resamples=5).units)
    alone = labels_of([[1, 0, 1], [1, 1, 1]])
    assert "over 3 documents, since there are too few queries" in said(alone)
    assert "in brackets" not in said(labels_of([[1], [0]]))


def test_documents_of_one_judge_are_left_out() -> None:
    assert "left out" in said(labels_of([[1, 0, 1], [1, 1, None]]))


def test_a_model_among_the_judges_is_named() -> None:
    agreed = agree(labels_of([[1, 0], [1, 1]]), models=["judge 1"], resamples=5)
    assert "all this is of them and judge 1" in "\n".join(agreement_sentences(agreed))


NAMES = ["ann", "bob", "eve"]


@cache
def made(runs: int = 5) -> tuple[Labels, ModelEffects]:
    """A model that likes what the second system likes."""
    given = collection(topics=16, docs=14)
    labels = Labels.of({**given.people, "llm": given.unfair})
    some = dict(list(given.runs.items())[:runs])
    return labels, model_effects(labels, "llm", NAMES, some, "nDCG@10", resamples=20)


def compared(found: ModelEffects, labels: Labels) -> ModelAgreement:
    agreed = agree(labels, coefficients=["kappa"], resamples=20)
    return replace(compare_model(agreed, "llm", NAMES), effects=found)


def told(found: ModelEffects, labels: Labels) -> str:
    return str(compared(found, labels))


def test_a_favour_is_told_and_the_line_it_is_told_by() -> None:
    labels, found = made()
    text = told(found, labels)
    assert "llm favours s1 by nDCG@10" in text
    assert "intervals by Student's t over queries, not adjusted for several comparisons" in text
    assert "is against" not in text
    assert "in brackets: 95% intervals by Student's t over 16 queries" in text
    assert "llm (model)" in text
    assert "the mean over people without each of them" in text


def test_a_slope_is_told_with_its_interval_or_not_at_all() -> None:
    labels, found = made()
    line = replace(found.lines[0], slope=0.5)
    sure = replace(line, interval=Interval(0.3, 0.7))
    text = told(replace(found, lines=(sure,)), labels)
    assert "by nDCG@10, differences between systems are 0.50 [0.30, 0.70] times those by a" in text
    for ends in ((0.3, 1.1), (np.nan, np.nan)):
        text = told(replace(found, lines=(replace(line, interval=Interval(*ends)),)), labels)
        assert "differences between systems are" not in text


def test_of_two_systems_nothing_is_called_a_favour() -> None:
    labels, found = made(2)
    loses, gains = found.systems
    clear = replace(found, systems=(loses, replace(gains, corrected=0.01)))
    text = told(clear, labels)
    assert "llm gives s1 more than people do by nDCG@10" in text
    assert "llm favours s1" not in text
    assert "With fewer than four systems, a favour cannot be told" in text
    assert "Holm, 1 comparison)" in text
    assert "-: it loses what the other gains" in text


def test_nothing_told() -> None:
    labels, found = made()
    innocent = [replace(one, corrected=1.0) for one in found.systems]
    assert "no favour can be told from chance" in told(
        replace(found, systems=tuple(innocent)), labels
    )


def test_claims_that_flip_have_both_sides() -> None:
    labels, found = made()
    text = told(found, labels)
    changed = found.claims.changed()
    assert ("Claims that flip" in text) == bool(changed)
    assert "people's judgments made one by majority" in text


def test_records_of_a_model() -> None:
    labels, found = made(2)
    record = compared(found, labels).to_dict()
    text = json.dumps(record, allow_nan=False)
    assert json.loads(text)["effects"]["lines"][0]["fitted"] is False
    assert record["effects"]["systems"][0]["p"] is None  # the other one gains what it loses
    assert np.isnan(found.systems[0].corrected)
    assert record["standing"]["kappa"]["verdict"] == "less"
