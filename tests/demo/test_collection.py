"""The demo collection: documents, queries and judgments."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from collections import Counter
from operator import attrgetter
from pydoc import locate
from types import ModuleType

import pytest

from cleverdon.demo.collection import (
    _MODULES,
    _QUERIES,
    DemoDocument,
    DemoQuery,
    _clean_summary,
    _is_sentence,
    _split_camel,
    _split_docstring,
    _stem,
    _subject_stems,
    _weigh_stems,
    choose_queries,
    collect_documents,
    import_modules,
    judge,
    name_words,
    words,
)


def _module(name: str, **members: object) -> tuple[str, ModuleType]:
    module = ModuleType(name)
    vars(module).update(members)
    return name, module


def _told() -> None:
    """Tell a story.

    It has a beginning, a middle, an end, and eight words or more.
    """


def _curt() -> None:
    """Tell a story.

    A short one.
    """


def test_there_are_enough_documents_in_order(documents: tuple[DemoDocument, ...]) -> None:
    ids = [document.id for document in documents]
    assert len(ids) > 1500
    assert ids == sorted(set(ids))
    assert not any(character.isspace() for key in ids for character in key)


def test_functions_classes_and_methods_are_all_there(documents: tuple[DemoDocument, ...]) -> None:
    ids = {document.id for document in documents}
    assert {
        "functools.lru_cache",
        "collections.Counter",
        "collections.OrderedDict.move_to_end",
    } <= ids


def test_ids_lead_to_the_things_they_name(documents: tuple[DemoDocument, ...]) -> None:
    for document in documents[::25]:
        assert locate(document.id) is not None, document.id


def test_one_thing_under_several_names_is_one_document(documents: tuple[DemoDocument, ...]) -> None:
    things = Counter(
        id(getattr(thing, "__func__", thing))
        for thing in (locate(document.id) for document in documents)
        if isinstance(thing, type) or hasattr(thing, "__code__")
    )
    assert len(things) > 1000
    assert set(things.values()) == {1}


def test_no_two_documents_have_the_same_text_throughout(
    documents: tuple[DemoDocument, ...],
) -> None:
    texts = Counter(map(attrgetter("summary", "body"), documents))
    # Docstrings that differ only in the signature thrown away may remain, and are few.
    assert sum(count - 1 for count in texts.values()) < len(documents) / 50


def test_the_name_a_thing_calls_itself_wins_over_an_alias() -> None:
    found = collect_documents(
        [_module("tales", __all__=["alias", "_told"], alias=_told, _told=_told)]
    )
    assert [document.id for document in found] == ["tales._told"]


def test_what_says_nothing_beyond_its_summary_is_left_out() -> None:
    assert collect_documents([_module("tales", __all__=["_curt"], _curt=_curt)]) == ()


def test_without_all_only_what_a_module_defines_itself_is_taken() -> None:
    assert collect_documents([_module("tales", told=_told)]) == ()
    assert len(collect_documents([_module(_told.__module__, told=_told)])) == 1


def test_a_name_that_is_listed_and_missing_is_passed_over() -> None:
    found = collect_documents([_module("tales", __all__=["gone", "told"], told=_told)])
    assert [document.name for document in found] == ["told"]


@pytest.mark.parametrize(
    ("docstring", "summary", "body"),
    [
        ("Sort it.", "Sort it.", ""),
        ("Sort it. Stable.", "Sort it.", "Stable."),
        ("Sort the\n    list in place.\n\n    Stable.", "Sort the list in place.", "Stable."),
        ("Take a name, e.g. Bob. Then stop.", "Take a name, e.g. Bob.", "Then stop."),
        ("Use os.path and 3.11 here. More.", "Use os.path and 3.11 here.", "More."),
    ],
)
def test_the_summary_is_the_first_sentence(docstring: str, summary: str, body: str) -> None:
    parts = _split_docstring(docstring)
    assert (parts.summary, parts.body) == (summary, body)


@pytest.mark.parametrize(
    "signature",
    [
        "pop(i)\n\n",
        "pop(i, j=(1, 2)) -> item\n\n",
        "pop([i[, j]]) --> item\npop() --> item\n\n",
        "pop(i,\n    j) => item\n",
        "async pop(i)\n\n",
        "L.pop(i) -> item.  ",
        "L.pop(i) -> (k, v), ",
        "pop(i) -- ",
        "",
    ],
)
def test_signatures_are_thrown_away(signature: str) -> None:
    parts = _split_docstring(f"{signature}Remove an item again. It is lost.")
    assert (parts.summary, parts.body) == ("Remove an item again.", "It is lost.")


@pytest.mark.parametrize("text", ["Timer(delay) runs a function.", "pop(i is not closed."])
def test_a_sentence_that_begins_with_a_call_is_a_sentence(text: str) -> None:
    assert _split_docstring(text).summary == text


@pytest.mark.parametrize("text", ["", "  \n ", "pop(i)", "getopt(args) -> opts, args"])
def test_nothing_is_left_of_a_signature_alone(text: str) -> None:
    parts = _split_docstring(text)
    assert (parts.summary, parts.body) == ("", "")


def test_no_module_is_listed_twice() -> None:
    assert len(set(_MODULES)) == len(_MODULES)


def test_every_module_belongs_to_the_standard_library() -> None:
    assert {name.partition(".")[0] for name in _MODULES} <= sys.stdlib_module_names


def test_the_modules_import_silently() -> None:
    script = f"import importlib\nfor name in {_MODULES!r}: importlib.import_module(name)"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], capture_output=True, check=True, text=True
    )
    assert (done.stdout, done.stderr) == ("", "")


def test_a_module_that_cannot_be_imported_is_passed_over_and_named() -> None:
    imported = import_modules(("math", "no_such_module_at_all", "json"))
    assert [name for name, _ in imported.modules] == ["math", "json"]
    assert imported.skipped == ("no_such_module_at_all",)


_STORY = DemoDocument(
    id="tales.narrate",
    module="tales",
    owner="tales",
    name="narrate",
    summary="Tell a gripping story beside the evening fire.",
    body="Takes one listener or several, and stops when all of them are asleep.",
)


def _chosen(**changes: str) -> tuple[DemoQuery, ...]:
    return choose_queries([dataclasses.replace(_STORY, **changes)])


def test_a_good_summary_becomes_a_query() -> None:
    assert [query.text for query in _chosen()] == [_STORY.summary]


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
    assert asked in [query.document for query in choose_queries([*others, asked], per_module=9)]


def test_a_module_does_not_crowd_out_the_others() -> None:
    many = [
        dataclasses.replace(
            _STORY, id=f"tales.t{n}", name=f"t{n}", summary=f"Tell gripping story number {n}."
        )
        for n in range(20)
    ]
    assert len(choose_queries(many, per_module=5)) == 5
    assert len(choose_queries(many, per_module=9, count=7)) == 7


def test_the_real_queries_are_many_and_from_many_modules(queries: tuple[DemoQuery, ...]) -> None:
    assert len(queries) == _QUERIES
    assert len({query.document.module for query in queries}) > 60
    assert [query.id for query in queries] == [f"q{n:03}" for n in range(1, _QUERIES + 1)]
    assert len({query.text for query in queries}) == _QUERIES


def test_markup_is_removed_and_arithmetic_is_not() -> None:
    assert (
        _clean_summary("Call ``f`` with *args* and  **kw of :class:`Mock`.")
        == "Call f with args and kw of Mock."
    )
    assert _clean_summary("Return e**x.") == "Return e**x."


def test_prose_is_told_from_code() -> None:
    assert _is_sentence("Sort the list in place.")
    assert not _is_sentence("-> (values, args).")
    assert not _is_sentence("name = value.")
    assert not _is_sentence("Without a full stop")


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
    assert len({_stem(word) for word in family}) == 1


@pytest.mark.parametrize("word", ["class", "status", "is", "string", "need", "tree"])
def test_short_or_lookalike_words_keep_enough_of_themselves(word: str) -> None:
    assert len(_stem(word)) >= min(len(word), 3)


def test_function_words_and_docstring_talk_have_no_subject() -> None:
    assert _subject_stems("Return the value of this object.") == frozenset()


def test_rare_stems_count_for_more() -> None:
    common = [frozenset({"file", str(number)}) for number in range(10)]
    weights = _weigh_stems([*common, frozenset({"file", "zip"}), frozenset({"zip", "x"})])
    asked = frozenset({"file", "zip"})
    assert weights.shared(asked, frozenset({"zip", "x"})) > weights.shared(asked, common[0]) > 0
    assert weights.shared(asked, asked) == pytest.approx(1.0)
    assert weights.shared(asked, frozenset({"x"})) == 0
    assert weights.shared(frozenset(), frozenset()) == 0


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("move_to_end", "move to end"),
        ("HTTPServer", "HTTP Server"),
        ("IPv4Address", "IPv4 Address"),
        ("os.path", "os path"),
        ("__init__", "init"),
        ("sort", "sort"),
    ],
)
def test_identifiers_fall_apart_into_words(name: str, said: str) -> None:
    assert name_words(name) == said


def test_words_are_lower_case_and_bare() -> None:
    assert words("It's `HTTP/2` (really)!") == ("it", "s", "http", "2", "really")


def test_splitting_camel_case_leaves_the_rest_alone() -> None:
    assert _split_camel("a LogRecord, e.g. x_y") == "a Log Record, e.g. x_y"


def _document(dotted: str, summary: str) -> DemoDocument:
    owner, _, name = dotted.rpartition(".")
    return DemoDocument(
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
    judged = judge([DemoQuery(id="q1", text=asked.summary, document=asked)], _DOCUMENTS)
    assert {one.query for one in judged} == {"q1"}
    return {one.document: one.grade for one in judged}


def test_what_the_query_describes_is_graded_highest(grades: dict[str, int]) -> None:
    assert grades["jars.Jar.open"] == 2


def test_the_same_sentence_elsewhere_is_as_good(grades: dict[str, int]) -> None:
    assert grades["tins.Tin.open"] == 2


def test_a_neighbour_with_the_same_subject_is_related(grades: dict[str, int]) -> None:
    assert grades["jars.Jar.shut"] == 1


def test_a_neighbour_with_another_subject_is_judged_not_relevant(grades: dict[str, int]) -> None:
    assert grades["jars.Jar.weigh"] == 0


def test_other_modules_are_not_judged(grades: dict[str, int]) -> None:
    assert not {"tins.Tin.shut", "tins.Tin.stack"} & grades.keys()


def test_what_cannot_be_told_is_not_judged_unrelated(grades: dict[str, int]) -> None:
    # The class that contains the method, a summary that is none, a name that shares the query.
    assert all(grades.get(key) != 0 for key in ("jars.Jar", "jars.Lid", "jars.lid_colour"))


def test_the_real_judgments_have_all_grades_in_number(
    queries: tuple[DemoQuery, ...], documents: tuple[DemoDocument, ...]
) -> None:
    judged = judge(queries, documents)
    counts = Counter(one.grade for one in judged)
    assert set(counts) == {0, 1, 2}
    assert min(counts.values()) > 150
    described = {(one.query, one.document) for one in judged if one.grade == 2}
    assert {(query.id, query.document.id) for query in queries} <= described
