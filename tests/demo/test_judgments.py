from __future__ import annotations

from collections import Counter

import pytest

from cleverdon.demo.documents import Document
from cleverdon.demo.judgments import judge
from cleverdon.demo.topics import Topic


def _document(dotted: str, summary: str) -> Document:
    owner, _, name = dotted.rpartition(".")
    return Document(
        id=dotted, module=dotted.partition(".")[0], owner=owner, name=name, summary=summary, body=""
    )


_DOCUMENTS = tuple(
    _document(dotted, summary)
    for dotted, summary in [
        ("jars.Jar", "A vessel with a lid."),
        ("jars.Jar.open", "Unscrew the rusty lid carefully."),
        ("jars.Jar.shut", "Fasten the rusty lid carefully."),
        ("jars.Jar.weigh", "Report how heavy everything is."),
        ("jars.Lid", "-> (diameter, thread)"),
        ("jars.lid_colour", "Paint it green."),
        ("tins.Tin.open", "Unscrew the rusty lid carefully."),
        ("tins.Tin.shut", "Fasten the rusty lid carefully."),
        ("tins.Tin.stack", "Pile them up in neat rows."),
    ]
)


@pytest.fixture(scope="module")
def grades() -> dict[str, int]:
    asked = _DOCUMENTS[1]
    judged = judge([Topic(id="q1", text=asked.summary, document=asked)], _DOCUMENTS)
    assert {one.topic for one in judged} == {"q1"}
    return {one.document: one.grade for one in judged}


def test_what_the_query_describes_is_graded_highest(grades: dict[str, int]) -> None:
    assert grades["jars.Jar.open"] == 2


def test_the_same_sentence_elsewhere_is_as_good(grades: dict[str, int]) -> None:
    assert grades["tins.Tin.open"] == 2


def test_a_neighbour_with_the_same_topic_is_related(grades: dict[str, int]) -> None:
    assert grades["jars.Jar.shut"] == 1


def test_a_neighbour_with_another_topic_is_judged_not_relevant(grades: dict[str, int]) -> None:
    assert grades["jars.Jar.weigh"] == 0


def test_other_modules_are_not_judged(grades: dict[str, int]) -> None:
    assert not {"tins.Tin.shut", "tins.Tin.stack"} & grades.keys()


def test_what_cannot_be_told_is_not_judged_unrelated(grades: dict[str, int]) -> None:
    # The class that contains the method, a summary that is none, a name that shares the topic.
    assert all(grades.get(key) != 0 for key in ("jars.Jar", "jars.Lid", "jars.lid_colour"))


def test_the_real_judgments_have_all_grades_in_number(
    topics: tuple[Topic, ...], documents: tuple[Document, ...]
) -> None:
    judged = judge(topics, documents)
    counts = Counter(one.grade for one in judged)
    assert set(counts) == {0, 1, 2}
    assert min(counts.values()) > 150
    described = {(one.topic, one.document) for one in judged if one.grade == 2}
    assert {(topic.id, topic.document.id) for topic in topics} <= described
