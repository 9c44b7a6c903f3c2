from __future__ import annotations

import pytest

from cleverdon.demo.docstrings import split_docstring


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
    parts = split_docstring(docstring)
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
    parts = split_docstring(f"{signature}Remove an item again. It is lost.")
    assert (parts.summary, parts.body) == ("Remove an item again.", "It is lost.")


@pytest.mark.parametrize("text", ["Timer(delay) runs a function.", "pop(i is not closed."])
def test_a_sentence_that_begins_with_a_call_is_a_sentence(text: str) -> None:
    assert split_docstring(text).summary == text


@pytest.mark.parametrize("text", ["", "  \n ", "pop(i)", "getopt(args) -> opts, args"])
def test_nothing_is_left_of_a_signature_alone(text: str) -> None:
    parts = split_docstring(text)
    assert (parts.summary, parts.body) == ("", "")
