"""Claims and doubts in words."""

from __future__ import annotations

import json

import pytest

from cleverdon.compare import claims, compare, doubts
from cleverdon.errors import OptionError
from cleverdon.show.claims import FORMATS, render, sentence
from cleverdon.show.numbers import p_value
from tests.compare.made import made, pair

FOUND = compare(pair(12, 0.01, measure="RR"), baseline="base")


def test_doubts_stand_below_with_name_and_reference() -> None:
    lines = render(claims(FOUND), doubts(FOUND)).split("\n")
    assert lines[0].startswith("other is not shown to differ from base on RR: +0.010 (")
    assert lines[1:3] == ["", "Before you believe it:"]
    assert lines[3].startswith("- few-topics: 12 topics are few")
    assert lines[3].endswith(". Buckley & Voorhees 2000, doi:10.1145/345508.345543")
    assert lines[4].startswith("- mean-rr: ")
    assert len(lines) == 5


def test_without_doubts_there_is_no_heading() -> None:
    assert "\n" not in render(claims(FOUND))


def test_markdown_is_a_list() -> None:
    text = render(claims(FOUND), doubts(FOUND), "markdown")
    assert text.startswith("- other is not shown")
    assert "\n\nBefore you believe it:\n\n- `few-topics`: " in text


def test_names_are_text_in_markdown() -> None:
    named = compare(made({"<i>a": {"AP": [0.1, 0.2]}, "*b*": {"AP": [0.2, 0.4]}}))
    assert render(claims(named), (), "markdown").startswith(
        r"- \*b\* is not shown to differ from &lt;i>a on AP: "
    )
    assert render(claims(named)).startswith("*b* is not shown to differ from <i>a on AP: ")


def test_json_has_the_text_and_all_digits() -> None:
    found = json.loads(render(claims(FOUND), doubts(FOUND), "json"))
    (claim,) = found["claims"]
    assert claim["text"] == str(claims(FOUND)[0])
    assert (claim["verdict"], claim["significant"]) == ("not shown", False)
    assert claim["difference"] == FOUND.differences[0].difference
    assert "topics_needed" not in claim
    assert [doubt["name"] for doubt in found["doubts"]] == ["few-topics", "mean-rr"]
    assert found["doubts"][0]["number"] == 12


def test_json_knows_no_infinity() -> None:
    one_topic = compare(pair(1, -0.1), baseline="base")
    found = json.loads(render(claims(one_topic), format="json"), parse_constant=pytest.fail)
    assert found["claims"][0]["low"] is None


def test_an_unknown_format_is_refused() -> None:
    assert FORMATS == ("text", "markdown", "json")
    with pytest.raises(OptionError, match="did you mean 'markdown'"):
        render(claims(FOUND), format="markdwn")


@pytest.mark.parametrize(
    ("p", "shown"),
    [
        (1.0, "p = 1.000"),
        (0.0312, "p = 0.031"),
        (0.001, "p = 0.001"),
        (0.00049, "p = 0.0005"),
        (3e-12, "p = 3e-12"),
        (0.04999, "p = 0.04999"),
        (0.0503, "p = 0.0503"),
        (0.05, "p = 0.050"),
        (0.0, "p < 1e-300"),
    ],
)
def test_p_values_are_seen_to_be_on_their_side_of_the_level(p: float, shown: str) -> None:
    assert p_value(p, level=0.05) == shown


@pytest.mark.parametrize(
    ("p", "shown"),
    [
        (1 / 100_001, "p < 1e-05"),
        (6 / 100_001, "p < 6e-05"),
        (12 / 100_001, "p < 0.0002"),
        (120 / 100_001, "p < 0.002"),
        (1.0, "p < 1.000"),
    ],
)
def test_floors_are_rounded_up(p: float, shown: str) -> None:
    assert p_value(p, at_most=True) == shown


def test_names_may_have_braces() -> None:
    scores = made({"a{}": {"AP": [0.1, 0.2]}, "{b}": {"AP": [0.3, 0.2]}})
    (claim,) = claims(compare(scores, baseline="{b}"))
    assert sentence(claim).startswith("a{} is not shown to differ from {b} on AP: -0.100 (")
