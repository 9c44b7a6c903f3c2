from __future__ import annotations

from collections import Counter
from operator import attrgetter
from pydoc import locate
from types import ModuleType

from cleverdon.demo.documents import Document, collect_documents


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


def test_there_are_enough_documents_in_order(documents: tuple[Document, ...]) -> None:
    ids = [document.id for document in documents]
    assert len(ids) > 1500
    assert ids == sorted(set(ids))
    assert not any(character.isspace() for key in ids for character in key)


def test_functions_classes_and_methods_are_all_there(documents: tuple[Document, ...]) -> None:
    ids = {document.id for document in documents}
    assert {
        "functools.lru_cache",
        "collections.Counter",
        "collections.OrderedDict.move_to_end",
    } <= ids


def test_ids_lead_to_the_things_they_name(documents: tuple[Document, ...]) -> None:
    for document in documents[::25]:
        assert locate(document.id) is not None, document.id


def test_one_thing_under_several_names_is_one_document(documents: tuple[Document, ...]) -> None:
    things = Counter(
        id(getattr(thing, "__func__", thing))
        for thing in (locate(document.id) for document in documents)
        if isinstance(thing, type) or hasattr(thing, "__code__")
    )
    assert len(things) > 1000
    assert set(things.values()) == {1}


def test_no_two_documents_have_the_same_text_throughout(documents: tuple[Document, ...]) -> None:
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
