"""Expanded queries by hand and against a second implementation; search."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.errors import InputError, OptionError
from cleverdon.pooling.query_expansion import STOP_WORDS, BM25Index, expand_query, words


def test_rm3_by_hand() -> None:
    found = expand_query(
        "The bees of Kent",
        ["Bees, bees and honey.", "honey: a sweet food"],
        terms=2,
        original=0.6,
    )
    # P(w | d): bees 2/3, honey 1/3; honey 1/3, sweet 1/3, food 1/3. Over both: bees 1/3, honey 1/3,
    # sweet and food 1/6. The likeliest two are halves each; the query's own two words as well.
    assert found.weights == pytest.approx({"bees": 0.5, "kent": 0.3, "honey": 0.2})
    assert list(found.weights) == ["bees", "kent", "honey"]
    assert found.relevant == 2
    assert found.lucene == "bees^0.500000 kent^0.300000 honey^0.200000"


def test_what_is_no_word_of_an_expansion() -> None:
    found = expand_query("x", ["don't the s 42"], terms=10, original=0)
    assert found.weights == {"42": 1.0}
    assert expand_query("to be or not to be", []).weights == pytest.approx(
        {"be": 1 / 3, "to": 1 / 3, "not": 1 / 6, "or": 1 / 6}
    )
    without = expand_query("to bees", ["the and of"])
    assert (without.weights, without.relevant) == ({"bees": 1.0}, 0)
    assert expand_query("", ["honey"]).weights == {"honey": 1.0}
    with pytest.raises(InputError, match="no words"):
        expand_query("?!", [])


def test_wrong_options_are_refused() -> None:
    with pytest.raises(OptionError, match="original=2"):
        expand_query("q", [], original=2)
    with pytest.raises(OptionError, match="terms=0"):
        expand_query("q", [], terms=0)


def plain_rm3(query: str, texts: list[str], terms: int, original: float) -> dict[str, float]:
    """The same from vectors of words, cut and brought to a sum of 1 as toolkits do it."""
    vectors = [[w for w in t.split() if w not in STOP_WORDS and len(w) > 1] for t in texts]
    vocabulary = sorted({word for vector in vectors for word in vector})
    model = []
    for word in vocabulary:
        weight = sum(v.count(word) / len(v) for v in vectors if v) / max(len(texts), 1)
        model.append((weight, word))
    model.sort(key=lambda pair: (-round(pair[0], 9), pair[1]))
    model = model[:terms]
    norm = sum(weight for weight, _ in model)
    relevance = {word: weight / norm for weight, word in model}
    asked = [w for w in query.split() if w not in STOP_WORDS] or query.split()
    own = {word: asked.count(word) / len(asked) for word in asked}
    share = original if relevance else 1.0
    return {
        word: share * own.get(word, 0) + (1 - share) * relevance.get(word, 0)
        for word in {*own, *relevance}
    }


some_words = st.lists(
    st.sampled_from(["bee", "bees", "honey", "wax", "the", "of", "hive", "king", "a"]),
    min_size=1,
    max_size=8,
)


@given(some_words, st.lists(some_words, max_size=4), st.integers(1, 6), st.floats(0.05, 0.95))
def test_rm3_against_another(
    query: list[str], texts: list[list[str]], terms: int, original: float
) -> None:
    joined = [" ".join(text) for text in texts]
    found = expand_query(" ".join(query), joined, terms=terms, original=original).weights
    wanted = plain_rm3(" ".join(query), joined, terms, original)
    assert sum(found.values()) == pytest.approx(1)
    assert found == pytest.approx(wanted)


DOCS = {
    "d1": "honey bees make honey",
    "d2": "bees and wasps",
    "d3": "glaciers melt",
    "d4": "honey",
    "d5": "bees and wasps",
}


def plain_bm25(weights: dict[str, float], k1: float = 0.9, b: float = 0.4) -> dict[str, float]:
    counts = {doc: Counter(words(text)) for doc, text in DOCS.items()}
    mean = sum(sum(count.values()) for count in counts.values()) / len(DOCS)
    scores = dict.fromkeys(DOCS, 0.0)
    for word, weight in weights.items():
        df = sum(word in count for count in counts.values())
        idf = math.log(1 + (len(DOCS) - df + 0.5) / (df + 0.5))
        for doc, count in counts.items():
            norm = k1 * (1 - b + b * sum(count.values()) / mean)
            scores[doc] += weight * idf * count[word] * (k1 + 1) / (count[word] + norm)
    return {doc: score for doc, score in scores.items() if score > 0}


def test_search_against_the_formula() -> None:
    index = BM25Index.build(DOCS)
    for weights in ({"honey": 1.0}, {"honey": 0.3, "bees": 0.7, "unknown": 5.0}, {"nothing": 1.0}):
        assert dict(index.search(weights, 10)) == pytest.approx(plain_bm25(weights))
    # d2 and d5 are alike: the larger id comes first, as in any ranking here.
    assert [doc for doc, _ in index.search({"wasps": 1.0}, 10)] == ["d5", "d2"]
    assert [doc for doc, _ in index.search({"wasps": 1.0}, 1)] == ["d5"]
    assert index.common(0.4) == {"bees"}
    with pytest.raises(InputError, match="no documents"):
        BM25Index.build({})
