"""Which topics are which queries, and which are judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from cleverdon.errors import InputError
from cleverdon.online.bridge import known_topics
from cleverdon.online.settings import Settings
from tests.online.bridge.made import QRELS, TOPICS


def test_topics_are_known_by_the_texts_that_logs_have() -> None:
    found = known_topics({"1": " Red\tSHOES ", "2": "ﬁsh", "3": "hats"}, {"1": {"d": 1}})
    assert found.judged == ("1",)
    assert found.judged_forms == {"red shoes": ("1",)}
    assert found.unjudged == {"fish": "2", "hats": "3"}
    assert found.texts["1"] == "Red SHOES"


def test_texts_are_compared_as_the_settings_say() -> None:
    both = {"1": "Running", "2": "runs"}, {"1": {"d": 1}, "2": {"d": 1}}
    assert known_topics(*both).shared == ()
    assert known_topics(*both, settings=Settings(stem="english")).shared == (("1", "2"),)
    assert known_topics(*both, settings=Settings(fold=False)).judged_forms.keys() == {
        "Running",
        "runs",
    }


def test_topics_with_the_same_text_are_told() -> None:
    found = known_topics({"1": "a", "2": "A", "3": "b"}, {id: {"d": 1} for id in "123"})
    assert found.judged_forms == {"a": ("1", "2"), "b": ("3",)}
    assert found.shared == (("1", "2"),)


def test_pooled_and_not_judged_is_no_judgment() -> None:
    found = known_topics({"1": "a", "2": "b"}, {"1": {"d": -1}, "2": {"d": 0, "e": -1}})
    assert found.judged == ("2",)
    assert found.unjudged == {"a": "1"}


def test_judged_topics_without_a_text_are_told() -> None:
    found = known_topics({"1": "a", "2": "  "}, {id: {"d": 1} for id in "123"})
    assert found.without_text == ("2", "3")


def test_a_title_is_what_was_searched_for(tmp_path: Path) -> None:
    file = tmp_path / "topics.txt"
    file.write_text("<top>\n<num> Number: 1\n<title> red shoes\n<desc> Shoes, red.\n</top>\n")
    assert known_topics(str(file), {"1": {"d": 1}}).judged_forms == {"red shoes": ("1",)}


def test_ids_that_judgments_do_not_have() -> None:
    with pytest.raises(InputError, match=r"no id in common .* topic 'q1', and judgments of '1'"):
        known_topics({"q1": "shoes"}, QRELS)


def test_judgments_of_nothing() -> None:
    with pytest.raises(InputError, match="no document of any topic is judged"):
        known_topics(TOPICS, {"1": {"d1": -1}})


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"topics\.tsv: there is no such file"):
        known_topics(tmp_path / "topics.tsv", QRELS)
