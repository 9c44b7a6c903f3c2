"""When two texts are the same query."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.errors import OptionError
from cleverdon.logs.settings import Settings, fold_text, normalised_forms, text_normaliser

TEXTS = st.lists(st.text() | st.text(st.characters(max_codepoint=127)))


@given(TEXTS)
def test_many_at_once_are_folded_as_one_by_one(texts: list[str]) -> None:
    wanted = {text: fold_text(text) for text in texts if fold_text(text) != text}
    assert normalised_forms(pa.array(texts, pa.string()), fold_text) == wanted
    chunked = pa.chunked_array([texts[:2], texts[2:]], pa.string())
    assert normalised_forms(chunked, fold_text) == wanted


@given(st.text())
def test_what_is_folded_stays_as_it_is(text: str) -> None:
    assert fold_text(fold_text(text)) == fold_text(text)


def test_texts_can_be_compared_as_they_are_or_by_their_stems() -> None:
    assert text_normaliser(Settings(fold=False)) is None
    stemmed = text_normaliser(Settings(stem="english"))
    assert stemmed is not None
    assert stemmed("Running  SHOES") == "run shoe"
    assert normalised_forms(pa.array(["shoes", "shoe"]), stemmed) == {"shoes": "shoe"}


def test_a_language_without_stemmer() -> None:
    with pytest.raises(OptionError, match="did you mean 'english'"):
        text_normaliser(Settings(stem="englisch"))


def test_case_white_space_and_forms_of_letters_are_folded() -> None:
    assert fold_text("  Straße\t NORD") == "strasse nord"
    assert fold_text("ﬁsh") == "fish"
