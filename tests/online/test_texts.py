"""When two texts are the same query."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.errors import OptionError
from cleverdon.online.settings import Settings
from cleverdon.online.texts import changed, folded, normaliser

TEXTS = st.lists(st.text() | st.text(st.characters(max_codepoint=127)))


@given(TEXTS)
def test_many_at_once_are_folded_as_one_by_one(texts: list[str]) -> None:
    wanted = {text: folded(text) for text in texts if folded(text) != text}
    assert changed(pa.array(texts, pa.string()), folded) == wanted
    chunked = pa.chunked_array([texts[:2], texts[2:]], pa.string())
    assert changed(chunked, folded) == wanted


@given(st.text())
def test_what_is_folded_stays_as_it_is(text: str) -> None:
    assert folded(folded(text)) == folded(text)


def test_texts_can_be_compared_as_they_are_or_by_their_stems() -> None:
    assert normaliser(Settings(fold=False)) is None
    stemmed = normaliser(Settings(stem="english"))
    assert stemmed is not None
    assert stemmed("Running  SHOES") == "run shoe"
    assert changed(pa.array(["shoes", "shoe"]), stemmed) == {"shoes": "shoe"}


def test_a_language_without_stemmer() -> None:
    with pytest.raises(OptionError, match="did you mean 'english'"):
        normaliser(Settings(stem="englisch"))
