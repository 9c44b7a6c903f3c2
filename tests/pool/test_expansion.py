"""Expanded queries by hand and against a second implementation; search; probes; rounds."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.errors import InputError, OptionError
from cleverdon.pool.contributions import gather
from cleverdon.pool.expansion import Index, Probe, expanded, new_documents, rounds, simulate
from cleverdon.pool.expansion.probe import blind
from cleverdon.pool.expansion.rephrasings import read_rephrasings
from cleverdon.pool.expansion.words import STOP_WORDS, words
from cleverdon.read.sheet import merged_sheets


def test_rm3_by_hand() -> None:
    found = expanded(
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
    found = expanded("x", ["don't the s 42"], terms=10, original=0)
    assert found.weights == {"42": 1.0}
    assert expanded("to be or not to be", []).weights == pytest.approx(
        {"be": 1 / 3, "to": 1 / 3, "not": 1 / 6, "or": 1 / 6}
    )
    without = expanded("to bees", ["the and of"])
    assert (without.weights, without.relevant) == ({"bees": 1.0}, 0)
    assert expanded("", ["honey"]).weights == {"honey": 1.0}
    with pytest.raises(InputError, match="no words"):
        expanded("?!", [])


def test_texts_may_weigh_differently() -> None:
    found = expanded("q", ["honey", "wax"], original=0, weights=[3, 1])
    assert found.weights == pytest.approx({"honey": 0.75, "wax": 0.25})
    for bad in ([1], [1, 0]):
        with pytest.raises(OptionError, match="each text has one, above 0"):
            expanded("q", ["honey", "wax"], weights=bad)
    with pytest.raises(OptionError, match="original=2"):
        expanded("q", [], original=2)
    with pytest.raises(OptionError, match="terms=0"):
        expanded("q", [], terms=0)


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
    found = expanded(" ".join(query), joined, terms=terms, original=original).weights
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
    index = Index.build(DOCS)
    for weights in ({"honey": 1.0}, {"honey": 0.3, "bees": 0.7, "unknown": 5.0}, {"nothing": 1.0}):
        assert dict(index.search(weights, 10)) == pytest.approx(plain_bm25(weights))
    # d2 and d5 are alike: the larger id comes first, as in any ranking here.
    assert [doc for doc, _ in index.search({"wasps": 1.0}, 10)] == ["d5", "d2"]
    assert [doc for doc, _ in index.search({"wasps": 1.0}, 1)] == ["d5"]
    assert index.common(0.4) == {"bees"}
    with pytest.raises(InputError, match="no documents"):
        Index.build({})


def test_rounds_count_each_document_once() -> None:
    judged = [
        {"q1": {"a": 1.0, "b": 0.0, "p": -1.0}, "q2": {"x": 2.0}},
        {"q1": {"a": 0.0, "c": 3.0, "p": 1.0}},
        {},
    ]
    found = rounds(judged, rel=2)
    assert [(one.number, one.judged, one.found) for one in found] == [
        (0, 3, 1), (1, 2, 1), (2, 0, 0)
    ]  # fmt: skip
    assert found[0].relevant == {"q1": 0, "q2": 1}
    assert math.isnan(found[2].share)


def test_new_documents_of_runs() -> None:
    runs = {
        "rm3": {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"x": 1.0}},
        "other": {"q1": {"d": 2.0, "b": 1.0}},
    }
    new = new_documents(gather(runs), {"q1": {"a": 1, "b": -1}, "q2": {"x": 0}}, depth=2)
    assert new == {"q1": ["d"]}


def test_sheets_are_blind() -> None:
    new = {"q2": ["z"], "q1": [f"d{n}" for n in range(20)]}
    rows = list(blind(new, seed=1))
    assert sorted(rows[:20]) == sorted(("q1", doc) for doc in new["q1"])
    assert rows[20] == ("q2", "z")
    assert [doc for _, doc in rows[:20]] != new["q1"]
    assert rows == list(blind({"q1": new["q1"][::-1], "q2": ["z"]}, seed=1))
    assert rows != list(blind(new, seed=2))


# A collection in which some relevant documents share no word with the query, but with others that
# do; and one that shares words with the second kind only.
CHAIN = {
    "r1": "bees pollinate orchards",
    "r2": "pollinate orchards insects",
    "r3": "insects nectar gathering",
    "r4": "apiary hive keeper",
    **{f"n{n}": f"glaciers melting ice number{n}" for n in range(20)},
    "n20": "orchards sold",
}
KNOWN = {"q": {"r1": 1.0, "r2": 1.0, "r3": 2.0, "r4": 1.0, "n1": 0.0}}


def test_expansion_finds_what_the_query_missed() -> None:
    index = Index.build(CHAIN)
    probe = Probe({"q": "bees"}, CHAIN)
    found = simulate(probe, index, KNOWN, depth=5)
    # The query itself finds r1 only; r1's words find r2 and n20, whose words find r3.
    assert [(one.judged, one.found) for one in found.rounds] == [(1, 1), (2, 1), (1, 1), (0, 0)]
    assert (found.known, found.unjudged, found.without_text) == (4, 1, ())
    assert found.rounds[1].relevant == {"q": 1}


def test_a_round_without_anything_relevant_is_the_last() -> None:
    # n20 shares a word with r1; nothing that is relevant does. Junk expands no query, so that
    # another round would ask the same again.
    known = {"q": {"r1": 1.0, "r4": 1.0}}
    found = simulate(Probe({"q": "bees"}, CHAIN), Index.build(CHAIN), known, depth=5)
    assert [(one.judged, one.found) for one in found.rounds] == [(1, 1), (2, 0)]


def test_rephrasings_are_probed_as_well() -> None:
    index = Index.build(CHAIN)
    probe = Probe({"q": "bees"}, CHAIN, {"q": ["keeper of a hive", "unheard of"]})
    found = simulate(probe, index, KNOWN, depth=5)
    assert sum(one.found for one in found.rounds) == 4
    assert found.rounds[0].found == 1  # the first round is the query as it stands
    assert found.rounds[1].judged == 3


def test_simulation_can_start_from_judgments_and_stop() -> None:
    index = Index.build(CHAIN)
    probe = Probe({"q": "bees"}, CHAIN)
    start = {"q": {"r2": 1.0}, "other": {"x": 1.0}}
    found = simulate(probe, index, KNOWN | {"r": {"r1": 1.0}}, depth=5, most=1, start=start)
    assert len(found.rounds) == 2
    assert found.rounds[0].documents == {"q": 1}
    assert found.rounds[1].relevant == {"q": 2}
    assert found.without_text == ("r",)
    with pytest.raises(InputError, match="such as 'z', has a text"):
        simulate(probe, index, {"z": {"r1": 1.0}}, depth=5)


def test_a_probe_goes_on_from_the_judgments_alone() -> None:
    """Judging by sheets, a process each, finds what the simulation finds."""
    index = Index.build(CHAIN)
    judged = [{"q": {"r1": 1.0}}]

    def known(judged: list[Any]) -> Any:
        return merged_sheets({str(number): grades for number, grades in enumerate(judged)})

    while new := Probe({"q": "bees"}, CHAIN).search(index, known(judged), depth=5):
        judged.append({q: {d: KNOWN[q].get(d, 0.0) for d in docs} for q, docs in new.items()})
    wanted = simulate(Probe({"q": "bees"}, CHAIN), index, KNOWN, depth=5).rounds
    assert rounds(judged) == wanted[:-1]


def test_rephrasings_file(tmp_path: Path) -> None:
    file = tmp_path / "phrases.tsv"
    file.write_text('query_id\ttext\nq1\tbee "keeping"\nq1\tapiculture\n\nq1\tapiculture\nq2\tx\n')
    assert read_rephrasings(file) == {"q1": ['bee "keeping"', "apiculture"], "q2": ["x"]}
    commas = tmp_path / "phrases.csv"
    commas.write_text('query_id,text\nq1,"bees, wasps"\n')
    assert read_rephrasings(commas) == {"q1": ["bees, wasps"]}
    # What other programs take for the end of a line is a space within a text.
    file.write_text("q1\tbees\u2028wasps\x0bhives\nq1\thoney\n", newline="")
    assert read_rephrasings(file) == {"q1": ["bees wasps hives", "honey"]}
    file.write_text("q1\tone\nq1 no tab\n")
    with pytest.raises(InputError, match=r"phrases.tsv:2: expected 2 columns by tabs, found 1"):
        read_rephrasings(file)
    file.write_text("q1\tone\nq1\t \n")
    with pytest.raises(InputError, match=r"phrases.tsv:2: query 'q1' has no text"):
        read_rephrasings(file)
    file.write_text("query_id\ttext\n")
    with pytest.raises(InputError, match="no rephrasings"):
        read_rephrasings(file)
    with pytest.raises(InputError, match="no such file"):
        read_rephrasings(tmp_path / "none.tsv")
