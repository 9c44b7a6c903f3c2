"""A model as a judge, as tables and as records."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

import numpy as np

from cleverdon.compare import Interval
from cleverdon.judge import Labels, agree
from cleverdon.judge.model import Effects, by_grade, effects, standings
from cleverdon.show.agree_model import model_sections
from cleverdon.show.agree_model_records import model_record
from cleverdon.show.sections import sections
from tests.judge.collection import collection

PEOPLE = ["ann", "bob", "eve"]


@cache
def made(runs: int = 5) -> tuple[Labels, Effects]:
    """A model that likes what the second system likes."""
    given = collection(topics=16, docs=14)
    labels = Labels.of({**given.people, "llm": given.unfair})
    some = dict(list(given.runs.items())[:runs])
    return labels, effects(labels, "llm", PEOPLE, some, "nDCG@10", resamples=20)


def told(found: Effects, labels: Labels) -> str:
    agreed = agree(labels, coefficients=["kappa"], resamples=20)
    grades = by_grade(labels, "llm", PEOPLE, agreed.units)
    parts = model_sections(labels, standings(agreed, "llm", PEOPLE), grades, found, agreed.units)
    return sections(parts, "table")


def test_a_favour_is_told_and_the_line_it_is_told_by() -> None:
    labels, found = made()
    text = told(found, labels)
    assert "llm favours s1 by nDCG@10" in text
    assert "is against" not in text
    assert "in brackets: 95% intervals of a bootstrap over 16 topics" in text
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
    loses, gains = found.favours
    clear = replace(found, favours=(loses, replace(gains, corrected=0.01)))
    text = told(clear, labels)
    assert "llm gives s1 more than people do by nDCG@10" in text
    assert "llm favours s1" not in text
    assert "With fewer than four systems, a favour cannot be told" in text
    assert "Holm, 1 comparison)" in text
    assert "-: it loses what the other gains" in text


def test_nothing_told() -> None:
    labels, found = made()
    innocent = [replace(one, corrected=1.0) for one in found.favours]
    assert "no favour can be told from chance" in told(
        replace(found, favours=tuple(innocent)), labels
    )


def test_claims_that_flip_have_both_sides() -> None:
    labels, found = made()
    text = told(found, labels)
    changed = found.claims.changed()
    assert ("Claims that flip" in text) == bool(changed)
    assert "people's judgments made one by majority" in text


def test_records() -> None:
    labels, found = made(2)
    agreed = agree(labels, coefficients=["kappa"], resamples=20)
    grades = by_grade(labels, "llm", PEOPLE, agreed.units)
    record = model_record(standings(agreed, "llm", PEOPLE), grades, found)
    text = json.dumps(record, allow_nan=False)
    assert json.loads(text)["effects"]["lines"][0]["fitted"] is False
    assert record["effects"]["systems"][0]["p"] is None  # the other one gains what it loses
    assert np.isnan(found.favours[0].corrected)
    assert record["standing"]["kappa"]["verdict"] == "less"
