from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.engines.adapters.http_request import (
    guess_content_type,
    json_template,
    text_template,
    url_template,
)
from cleverdon.errors import OptionError

QUERIES = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(QUERIES, st.integers(1, 1000))
def test_urls_carry_any_query(query: str, k: int) -> None:
    url = url_template("http://h/{query}/find?size={k}", {"q": "{query}", "n": [1, "{k}"]})
    parts = urlsplit(url.fill(query, k))
    asked = parse_qs(parts.query, keep_blank_values=True)
    assert unquote(parts.path) == f"/{query}/find"
    assert asked == {"size": [str(k)], "q": [query], "n": ["1", str(k)]}


@given(QUERIES, st.integers(1, 1000))
def test_bodies_carry_any_query(query: str, k: int) -> None:
    body = {"q": "{query}", "size": "{k}", "how": ["about {query}?", True, None, 1.5, {"{k}!": ""}]}
    assert json.loads(json_template(body).fill(query, k)) == {
        "q": query,
        "size": k,
        "how": [f"about {query}?", True, None, 1.5, {"{k}!": ""}],
    }
    text = text_template('{"a": {"q": "{query}", "size": {k}}}', "application/json")
    assert json.loads(text.fill(query, k)) == {"a": {"q": query, "size": k}}
    form = text_template("q={query}&n={k}", "application/x-www-form-urlencoded")
    assert parse_qs(form.fill(query, k), keep_blank_values=True) == {"q": [query], "n": [str(k)]}


def test_half_a_character_breaks_no_request() -> None:
    assert json.loads(json_template({"q": "{query}"}).fill("a\udc80", 1)) == {"q": "a\udc80"}
    assert url_template("http://h/?q={query}", {}).fill("a\udc80", 1) == "http://h/?q=a%3F"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{query}}", "{query}"),
        ("{{name}} {query}", "{name} what"),
        ("{ query } {}", "{ query } {}"),
        ("{{{k}}}", "{{k}}"),
        ("a{k}{k}b", "a77b"),
    ],
)
def test_braces_can_be_written(text: str, expected: str) -> None:
    assert text_template(text, "text/plain").fill("what", 7) == expected
    assert json.loads(json_template([text]).fill("what", 7)) == [expected]


@pytest.mark.parametrize("make", [lambda t: url_template(f"http://h/{t}", {}), json_template])
def test_unknown_places_are_refused(make: Any) -> None:
    with pytest.raises(OptionError, match=r"\{q\} is not known.*\{query\} and \{k\}.*\{\{q\}\}"):
        make("{q}")


def test_bodies_that_are_not_json_are_refused() -> None:
    with pytest.raises(OptionError, match=r"body: filled in, this is not JSON.*within quotes"):
        text_template('{"q": {query}}', "application/json")
    with pytest.raises(OptionError, match=r"body\.since: .* cannot be written as JSON"):
        json_template({"since": float("nan")})
    with pytest.raises(OptionError, match=r"params\.q: expected a text or a number"):
        url_template("http://h/", {"q": {"a": 1}})


def test_lines_of_json_are_json() -> None:
    lines = text_template('{}\n{"q": "{query}", "size": {k}}\n', "application/x-ndjson")
    assert lines.fill('"', 3) == '{}\n{"q": "\\"", "size": 3}\n'


def test_what_was_written_by_hand_is_encoded_once() -> None:
    url = url_template("http://h/a b/ü?x=%20&q={query}", {"y y": "ü&"})
    assert url.fill("é", 1) == "http://h/a%20b/%C3%BC?x=%20&q=%C3%A9&y%20y=%C3%BC%26"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (' {"q": 1}', "application/json"),
        ("q={query}", "application/x-www-form-urlencoded"),
        ("{query}", "application/json"),
        ("search {query}", "text/plain"),
    ],
)
def test_types_of_texts_are_guessed(body: str, expected: str) -> None:
    assert guess_content_type(body) == expected
