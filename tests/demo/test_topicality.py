from __future__ import annotations

import pytest

from cleverdon.demo.topicality import stem, topic_stems, weigh_stems


@pytest.mark.parametrize(
    "family",
    [
        ("parse", "parses", "parsed", "parsing", "parser", "parsers"),
        ("entry", "entries"),
        ("stop", "stops", "stopped", "stopping"),
        ("byte", "bytes"),
    ],
)
def test_inflections_share_a_stem(family: tuple[str, ...]) -> None:
    assert len({stem(word) for word in family}) == 1


@pytest.mark.parametrize("word", ["class", "status", "is", "string", "need", "tree"])
def test_short_or_lookalike_words_keep_enough_of_themselves(word: str) -> None:
    assert len(stem(word)) >= min(len(word), 3)


def test_function_words_and_docstring_talk_have_no_topic() -> None:
    assert topic_stems("Return the value of this object.") == frozenset()


def test_rare_stems_count_for_more() -> None:
    common = [frozenset({"file", str(number)}) for number in range(10)]
    weights = weigh_stems([*common, frozenset({"file", "zip"}), frozenset({"zip", "x"})])
    asked = frozenset({"file", "zip"})
    assert weights.shared(asked, frozenset({"zip", "x"})) > weights.shared(asked, common[0]) > 0
    assert weights.shared(asked, asked) == pytest.approx(1.0)
    assert weights.shared(asked, frozenset({"x"})) == 0
    assert weights.shared(frozenset(), frozenset()) == 0
