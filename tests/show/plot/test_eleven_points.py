"""Averaged precision at eleven levels of recall."""

from __future__ import annotations

import pytest

from cleverdon.errors import OptionError
from cleverdon.show.plot import eleven_points
from cleverdon.show.plot.eleven_points import eleven_points_rows
from tests.show.plot.ranked import made, ranked


def curve(rows, system):
    return [row["precision"] for row in rows["levels"] if row["system"] == system]


def test_the_mean_of_two_topics() -> None:
    rows = eleven_points_rows(ranked({"a": {"q1": "1 0 1", "q2": "0 1"}}))
    # Precision 1 up to recall 0.5 and 2/3 above it; and 1/2 at every level.
    expected = [(1 + 1 / 2) / 2] * 6 + [(2 / 3 + 1 / 2) / 2] * 5
    assert curve(rows, "a") == pytest.approx(expected)
    assert [row["recall"] for row in rows["levels"]] == [level / 10 for level in range(11)]


@pytest.mark.parametrize("undefined", ["worst", "skip"])
@pytest.mark.parametrize("profile", ["cleverdon", "trec_eval-9", "trec_eval-10"])
def test_their_mean_is_what_the_measure_has(undefined: str, profile: str) -> None:
    scores = made(4, 12, documents=4, measures="IAP", undefined=undefined, profile=profile)
    rows = eleven_points_rows(scores)
    for system in scores.systems:
        mean = sum(curve(rows, system)) / 11
        assert mean == pytest.approx(scores.mean(system, scores.measures[0]))


def test_undefined_topics_are_said() -> None:
    topics = {"q1": "1 0", "q2": "0 0"}
    worst = ranked({"a": topics})
    assert curve(eleven_points_rows(worst), "a") == [0.5] * 11
    said = eleven_points(worst).to_dict()["title"]["subtitle"]
    assert said == "Interpolated, mean over 2 topics, 1 of which counts as 0."
    skipped = ranked({"a": topics}, undefined="skip")
    assert curve(eleven_points_rows(skipped), "a") == [1] * 11
    assert "1 left out" in eleven_points(skipped).to_dict()["title"]["subtitle"]


def test_another_grade_counts() -> None:
    scores = ranked({"a": {"q": "1 2"}})
    assert curve(eleven_points_rows(scores, rel=2), "a") == [0.5] * 11


def test_nothing_defined_is_refused() -> None:
    scores = ranked({"a": {"q": "0 0"}}, undefined="skip")
    with pytest.raises(OptionError, match="cannot be drawn: it is undefined for every query"):
        eleven_points_rows(scores)
