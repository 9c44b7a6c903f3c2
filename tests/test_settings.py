"""Settings on which tools disagree: the effect of each on a small run; profiles."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleverdon import Run, evaluate
from cleverdon.errors import InputError, OptionError, UndefinedError
from cleverdon.profiles import PROFILES, find_profile
from cleverdon.settings import CHOICES, Settings

# Two documents are tied at rank 1; the one with the larger id is not relevant.
QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"a": 1}, "q3": {"a": 0}}
RUN = {"q1": {"a": 0.5, "b": 0.5}, "q3": {"a": 0.5}}


def reciprocal_rank(**options: str) -> float:
    return evaluate(QRELS, RUN, "RR", **options).per_query("run", "RR")["q1"]


@pytest.mark.parametrize(
    ("ties", "wanted"),
    [("descending", 0.5), ("ascending", 1.0), ("input", 1.0), ("best", 1.0), ("worst", 0.5)],
)
def test_ties(ties: str, wanted: float) -> None:
    assert reciprocal_rank(ties=ties) == wanted


def test_ties_in_the_order_of_input_follow_the_input() -> None:
    turned = {"q1": {"b": 0.5, "a": 0.5}}
    assert evaluate(QRELS, turned, "RR", ties="input").per_query("run", "RR")["q1"] == 0.5


def test_precision() -> None:
    run = {"q1": {"a": 1 + 2.0**-30, "b": 1.0}}  # equal as float32: then b is first
    assert evaluate(QRELS, run, "RR").per_query("run", "RR")["q1"] == 1.0
    assert evaluate(QRELS, run, "RR", precision="single").per_query("run", "RR")["q1"] == 0.5


def test_order_by(tmp_path: Path) -> None:
    path = tmp_path / "contradictory.run"
    path.write_text("q1 Q0 a 2 0.9 tag\nq1 Q0 b 1 0.1 tag\n")
    assert evaluate(QRELS, path, "RR").per_query("contradictory", "RR")["q1"] == 1.0
    by_rank = evaluate(QRELS, path, "RR", order_by="rank")
    assert by_rank.per_query("contradictory", "RR")["q1"] == 0.5


def test_missing() -> None:
    empty = evaluate(QRELS, RUN, "P@1 NumRel")
    assert empty.evaluated.tolist() == [[True, True, True]]
    assert empty.mean("run", "P@1") == 0
    assert empty.mean("run", "NumRel") == 2
    skip = evaluate(QRELS, RUN, "P@1 NumRel", missing="skip", ties="best")
    assert skip.evaluated.tolist() == [[True, False, True]]
    assert skip.mean("run", "P@1") == 0.5
    assert skip.mean("run", "NumRel") == 1
    with pytest.raises(InputError, match="run lacks the judged query 'q2'"):
        evaluate(QRELS, RUN, "P@1", missing="error")


def test_a_query_for_which_nothing_was_returned_is_not_missing() -> None:
    run = {**RUN, "q2": {}}
    for given in (run, Run.read(run)):
        found = evaluate(QRELS, given, "P@1", missing="skip")
        assert found.evaluated.tolist() == [[True, True, True]]
        assert found.about.runs["run"].missing == ()


def test_undefined() -> None:
    assert evaluate(QRELS, RUN, "AP").mean("run", "AP") == pytest.approx(0.5 / 3)
    assert evaluate(QRELS, RUN, "AP", undefined="skip").mean("run", "AP") == pytest.approx(0.5 / 2)
    with pytest.raises(UndefinedError, match="AP is undefined for query 'q3'"):
        evaluate(QRELS, RUN, "AP", undefined="error").mean("run", "AP")


def test_duplicates() -> None:
    rows = [("q1", "b", 0.5), ("q1", "a", 0.4), ("q1", "a", 0.6)]
    with pytest.raises(InputError, match="document 'a' occurs twice for query 'q1'"):
        evaluate(QRELS, rows, "RR")
    for kept, wanted in (("first", 0.5), ("best", 1.0)):
        assert evaluate(QRELS, rows, "RR", duplicates=kept).per_query("run", "RR")["q1"] == wanted


@pytest.mark.parametrize("setting", CHOICES)
def test_the_first_choice_is_the_default(setting: str) -> None:
    assert getattr(Settings(), setting) == next(iter(CHOICES[setting]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ties": "decending"}, "ties='decending' is not known; did you mean 'descending'?"),
        (
            {"missing": "zero-fill"},
            "missing='zero-fill' is not known; it can be 'empty', 'skip', 'error'",
        ),
        ({"profile": "trec_eval-11"}, "there is no profile 'trec_eval-11'; did you mean"),
        ({"keep": -1}, "keep=-1: expected a whole number from 0 on"),
    ],
)
def test_mistakes(options: dict, message: str) -> None:
    with pytest.raises(OptionError) as raised:
        evaluate(QRELS, RUN, **options)
    assert str(raised.value).startswith(message)


def test_an_unknown_setting() -> None:
    with pytest.raises(OptionError, match="there is no setting 'tie'; did you mean 'ties'"):
        Settings().changed(tie="best")


def test_profiles() -> None:
    assert find_profile("cleverdon").settings == Settings()
    counted = Settings(undefined="always-worst")
    assert find_profile("trec_eval-10").settings == counted
    assert find_profile("trec_eval-9").settings == counted.changed(
        precision="single", missing="skip"
    )
    assert find_profile("msmarco").settings == counted.changed(order_by="rank")
    for name, known in PROFILES.items():
        assert known.name == name
        assert known.about


def test_a_setting_given_by_name_goes_before_the_profile() -> None:
    scores = evaluate(QRELS, RUN, "P@1", profile="trec_eval-9", missing="empty")
    settings = Settings(precision="single", missing="empty", undefined="always-worst")
    assert scores.about.settings == settings
    assert scores.about.profile == "trec_eval-9"
