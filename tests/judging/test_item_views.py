"""What is shown of a document's text: all of it, or an honest number of what is missing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cleverdon.judging import item_views
from cleverdon.judging.item_views import Excerpt, _mark_terms, _QueryTerms, excerpt

MOST = 100_000
"""Characters of any excerpt."""

REPEATED = st.tuples(
    st.sampled_from(["water ", "x", "\n\n", "mud. ", "é\n"]), st.integers(0, 9_000)
).map(lambda drawn: drawn[0] * drawn[1])
TEXTS = st.lists(st.one_of(st.text(max_size=30), REPEATED), max_size=8).map("".join)


def words(query: str, text: str) -> list[str]:
    return [text[start:end] for start, end in _QueryTerms(query).spans(text)]


def kinds(found: Excerpt) -> list[str]:
    return [part.kind for part in found.parts]


@given(TEXTS, st.sampled_from(["water", "the mud", "", "é"]))
def test_parts_are_the_text_but_for_what_is_said_to_be_left_out(text: str, query: str) -> None:
    found = excerpt(text, query)
    at = 0
    for part in found.parts:
        end = at + part.characters
        assert part.text == ("" if part.kind == "gap" else text[at:end])
        at = end
    assert at == found.length == len(text)
    assert sum(len(part.text) for part in found.parts) + found.left_out == len(text)
    assert sum(len(part.text) for part in found.parts) < MOST


@given(TEXTS)
def test_paragraphs_lose_nothing_but_space(text: str) -> None:
    part = _mark_terms(text, "water")
    pieces = [piece for paragraph in part.paragraphs for piece in paragraph]
    assert "".join("".join(piece.text for piece in pieces).split()) == "".join(text.split())
    assert {piece.text for piece in pieces if piece.marked} <= {"water", *part.text.split()}


def test_terms_are_found_by_their_stems_whatever_their_case_and_accents() -> None:
    assert words("flowing rivers", "A River flows; the flow of rivers, flower power") == [
        "River", "flows", "flow", "rivers", "flower",
    ]  # fmt: skip
    assert words("café", "CAFE, cafés, cafe\u0301, cafeteria") == ["CAFE", "cafés", "cafe\u0301"]
    assert words("the cat", "the cat of category") == ["cat"]
    assert words("to be", "to be or not") == ["to", "be"], (
        "all words say nothing: all are looked for"
    )
    assert words("水の流れ", "川では水が流れる") == ["水", "流"]
    assert words("вода", "Вода и воды") == ["Вода"]
    assert words("", "nothing") == []


def test_of_a_query_as_long_as_a_document_the_beginning_is_looked_for() -> None:
    many = [f"wörd{number}x" for number in range(2_000)]
    assert words(" ".join(many), " ".join(many)) == many[:100]
    assert words("x" * 20_000 + " water", "still water, é") == []


def test_a_word_may_be_a_little_longer_than_a_stem() -> None:
    text = "été: wate water waterbed waterfalls waterfall dry drying dryness"
    assert words("waters dry", text) == ["water", "waterbed", "waterfall", "dry", "drying"]


WORDS = st.sampled_from(["water", "Waters", "waterproofing", "MOVED", "the", "cities", "x1", "_"])


@given(
    query=st.lists(WORDS, max_size=4),
    text=st.lists(WORDS | st.sampled_from([" ", "-", "\n", "\x00", "\x7f"]), max_size=20),
)
def test_plain_text_takes_a_shorter_way_to_the_same_terms(
    query: list[str], text: list[str]
) -> None:
    terms = _QueryTerms(" ".join(query))
    # A letter beyond ASCII sends the same text the long way.
    long_way = list(terms.spans("".join(text) + " é"))
    assert list(terms.spans("".join(text))) == long_way


def test_terms_far_down_are_in_view_and_the_rest_is_folded() -> None:
    mud = "Nothing but mud here. " * 300
    found = excerpt(f"{mud}Then water came.{mud}", "water")
    assert kinds(found) == ["text", "fold", "text", "fold"]
    assert "Then water came." in found.parts[2].text
    assert found.parts[2].paragraphs[0][1] == item_views.Piece("water", marked=True)
    assert found.left_out == 0
    assert not any(part.marks for part in found.parts if part.kind == "fold")


def test_cuts_fall_between_words() -> None:
    for part in excerpt("wonderful " * 2_000, "water").parts:
        assert part.text.startswith("wonderful")


def test_a_line_of_ten_megabytes_is_bounded() -> None:
    for text in ("x" * 10_000_000, "water " * 1_700_000):
        found = excerpt(text, "water")
        assert kinds(found)[-1] == "gap"
        assert sum(len(part.text) for part in found.parts) < MOST
        assert found.left_out > 9_000_000


def test_it_is_known_how_far_terms_were_looked_for() -> None:
    for text, query in (("mud " * 1_000, "water"), ("water", "water"), ("", "water")):
        assert excerpt(text, query).searched == len(text)
    long = "mud " * 60_000 + "water"
    assert excerpt(long, "water").searched == item_views.SEARCHED < len(long)
    crowded = excerpt("water " * 6_000, "water")
    assert crowded.searched == sum(len(part.marks) for part in crowded.parts) * 6 - 1


def test_only_the_beginning_need_be_given() -> None:
    found = excerpt("mud " * 1_000, "water", length=1_000_000)
    assert found.length == sum(part.characters for part in found.parts) == 1_000_000


def test_a_short_text_is_whole_and_an_empty_one_has_no_parts() -> None:
    assert kinds(excerpt("mud " * 700, "water")) == ["text"]
    assert excerpt("", "water").parts == ()
    assert excerpt("", "water").opening.text == ""
