from __future__ import annotations

import dataclasses

from cleverdon.demo.documents import Document
from cleverdon.demo.topics import QUERIES, Topic, choose_topics, clean, is_sentence

_STORY = Document(
    id="tales.narrate",
    module="tales",
    owner="tales",
    name="narrate",
    summary="Tell a gripping story beside the evening fire.",
    body="Takes one listener or several, and stops when all of them are asleep.",
)


def _chosen(**changes: str) -> tuple[Topic, ...]:
    return choose_topics([dataclasses.replace(_STORY, **changes)])


def test_a_good_summary_becomes_a_query() -> None:
    assert [topic.text for topic in _chosen()] == [_STORY.summary]


def test_summaries_that_give_the_answer_away_are_passed_over() -> None:
    assert not _chosen(body=f"It says: {_STORY.summary.upper()} And that is all there is to it.")
    assert not _chosen(name="evening", id="tales.evening")
    assert not _chosen(name="tellGrippingEveningStory", id="tales.tellGrippingEveningStory")


def test_summaries_nobody_would_type_are_passed_over() -> None:
    assert not _chosen(summary="Like tell_story(), but by the evening fire.")
    assert not _chosen(summary="story = gripping evening fire.")
    assert not _chosen(summary="Tell a story.")
    assert not _chosen(summary="Return the given value of this class.")
    assert not _chosen(summary="Tell a gripping story beside the " + "very " * 20 + "warm fire.")


def test_an_everyday_word_may_also_be_the_name() -> None:
    others = [
        dataclasses.replace(
            _STORY, id=f"tales.t{n}", name=f"t{n}", summary=f"Spend evening {n} with tale {n + 50}."
        )
        for n in range(6)
    ]
    asked = dataclasses.replace(_STORY, id="tales.evening", name="evening")
    assert asked in [topic.document for topic in choose_topics([*others, asked], per_module=9)]


def test_a_module_does_not_crowd_out_the_others() -> None:
    many = [
        dataclasses.replace(
            _STORY, id=f"tales.t{n}", name=f"t{n}", summary=f"Tell gripping story number {n}."
        )
        for n in range(20)
    ]
    assert len(choose_topics(many, per_module=5)) == 5
    assert len(choose_topics(many, per_module=9, count=7)) == 7


def test_the_real_topics_are_many_and_from_many_modules(topics: tuple[Topic, ...]) -> None:
    assert len(topics) == QUERIES
    assert len({topic.document.module for topic in topics}) > 60
    assert [topic.id for topic in topics] == [f"q{n:03}" for n in range(1, QUERIES + 1)]
    assert len({topic.text for topic in topics}) == QUERIES


def test_markup_is_removed_and_arithmetic_is_not() -> None:
    assert (
        clean("Call ``f`` with *args* and  **kw of :class:`Mock`.")
        == "Call f with args and kw of Mock."
    )
    assert clean("Return e**x.") == "Return e**x."


def test_prose_is_told_from_code() -> None:
    assert is_sentence("Sort the list in place.")
    assert not is_sentence("-> (values, args).")
    assert not is_sentence("name = value.")
    assert not is_sentence("Without a full stop")
