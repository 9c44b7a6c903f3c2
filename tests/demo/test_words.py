from __future__ import annotations

import doctest
import importlib

import pytest

from cleverdon.demo.words import name_words, split_camel, words


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
    assert split_camel("a LogRecord, e.g. x_y") == "a Log Record, e.g. x_y"


@pytest.mark.parametrize("name", ["docstrings", "topicality", "topics", "words"])
def test_the_examples_in_the_docstrings_hold(name: str) -> None:
    failed, attempted = doctest.testmod(importlib.import_module(f"cleverdon.demo.{name}"))
    assert (failed, attempted > 0) == (0, True)
