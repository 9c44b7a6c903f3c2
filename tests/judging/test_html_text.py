"""HTML becomes what a reader would see of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.judging.html_text import begins_as_html, text_of_html

PAGE = """<!DOCTYPE html>
<html><head><title>Tea &amp;
 cake</title><style>p { color: red }</style></head>
<body><h1>Tea</h1><p>One   line<br>and <b>an</b>other.<script>if (a < b) { alert("</p>") }</script>
<ul><li>first<li>second</ul>
<table><tr><td>1</td><td>2</td></tr><tr><td>3</td></tr></table>
<pre>  kept
    as it is</pre><img alt="a cup" src="x">&#8364;5 <!-- unseen --></body></html>"""


def test_blocks_are_lines_and_nothing_unseen_is_shown() -> None:
    title, text = text_of_html(PAGE)
    assert title == "Tea & cake"
    assert text == (
        "Tea\n\nOne line\nand another.\n\nfirst\nsecond\n\n1 2\n3\n\n  kept\n    as it is\n\n"
        "a cup€5"
    )


@pytest.mark.parametrize(
    ("text", "is_page"),
    [
        (PAGE, True),
        ("  <?xml version='1.0'?><!-- made --><HTML lang=en>", True),
        ("<body onload=x>", True),
        (f"{'<!---->' * 100} <html>", True),
        ("<!-- a -->\n" * 100, False),
        ("<b>bold</b> is how it is written", False),
        ("<htmlx>", False),
        ("a page begins with <html>", False),
        ("", False),
    ],
)
def test_a_page_is_known_by_its_beginning(text: str, is_page: bool) -> None:
    assert begins_as_html(text) is is_page


@given(
    st.lists(st.sampled_from(["<p>", "</p>", "<script>", "</pre>", "<pre>", "&amp", "<", "x\n"]))
)
def test_whatever_it_is_it_ends(parts: list[str]) -> None:
    title, text = text_of_html("".join(parts))
    assert title == ""
    assert "\n\n\n" not in text


@pytest.mark.parametrize(
    "damage", ["<!--", "<a x='", '<a =">" ', "<![CDATA[", "<?x", "</", "<pre>", "<img alt="]
)
def test_what_never_ends_is_gone_through_once(damage: str) -> None:
    assert not begins_as_html(damage * 1_000)
    # Python's own parser would take hours over most of these.
    for page in (damage * 20_000, f"{damage * 20_000}>"):
        title, _ = text_of_html(f"<title>All</title>{page}")
        assert title == "All"


@pytest.mark.parametrize(
    ("page", "title", "text"),
    [
        ("<html><head><title>Tea<body><p>hello", "Tea", "hello"),
        ("<title>Tea <b>time</b> & cake</title>hello", "Tea time & cake", "hello"),
        ("<head><title>Tea<meta charset=utf-8></head>hello", "Tea", "hello"),
        ("<title>Tea</title><svg><title>icon</title></svg>hello", "Tea", "hello"),
        (f"<title>{'x' * 1_500}</title>hello", "x" * 1_000, f"{'x' * 500}\nhello"),
        (f"<title>{'tea' * 1_000}", "tea" * 333 + "t", "ea" + "tea" * 666),
    ],
)
def test_a_title_ends_where_a_block_begins_or_it_is_long(page: str, title: str, text: str) -> None:
    assert text_of_html(page) == (title, text)


def test_signs_in_quotes_and_behind_the_last_tag() -> None:
    _, text = text_of_html("""<a title="a > b" x='>'>link</a> 1 < 2 <br/> 3 <4 and 5 <x""")
    assert text == "link 1 < 2\n3 <4 and 5 <x"


def test_tags_that_are_never_closed_take_no_memory() -> None:
    page = "".join(f"<p><font size={number}>x" for number in range(20_000))
    assert text_of_html(page)[1].count("x") == 20_000  # as a tree: 200 million elements
