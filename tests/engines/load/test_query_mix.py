"""Which queries are asked: by their shares, and the same every time."""

import gzip
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from cleverdon.engines.load.workload import Mix
from cleverdon.errors import InputError

COUNTS = st.dictionaries(
    st.text("abc", min_size=1, max_size=4), st.integers(1, 50), min_size=1, max_size=8
)


def test_queries_are_drawn_as_often_as_the_traffic_has_them():
    mix = Mix.of_traffic({"a": 70, "b": 25, "c": 5})
    drawn = np.bincount(mix.drawn(20_000, seed=3), minlength=3)
    assert stats.chisquare(drawn, mix.shares * 20_000).pvalue > 0.01


@given(COUNTS, st.integers(0, 1000))
def test_a_seed_gives_the_same_queries_however_many_are_drawn(counts, seed):
    mix = Mix.of_traffic(counts)
    many = mix.drawn(5000, seed=seed)
    assert (mix.drawn(17, seed=seed) == many[:17]).all()
    assert list(islice(mix.endless(seed=seed), 5000)) == many.tolist()
    assert set(many) <= set(range(len(counts)))
    assert mix.shares.sum() == pytest.approx(1)
    assert len(mix.drawn(0, seed=seed)) == 0


def test_streams_of_one_seed_differ():
    mix = Mix.of(["a", "b", "c", "d"])
    assert (mix.drawn(100, seed=1) != mix.drawn(100, seed=1, stream=9)).any()
    assert (mix.drawn(100, seed=1) != mix.drawn(100, seed=2)).any()


def test_topics_keep_their_ids_and_take_their_weights_from_the_traffic():
    mix = Mix.of(
        {"1": "Solar  Power", "2": "never asked", "3": "wind"},
        traffic={"solar power": 6, "SOLAR POWER": 3, "wind": 1, "other": 100},
    )
    assert (mix.texts, mix.ids, mix.left_out) == (("Solar  Power", "wind"), ("1", "3"), 1)
    assert mix.shares == pytest.approx([0.9, 0.1])


def test_without_traffic_all_are_alike():
    mix = Mix.of({"1": "a", "2": "b"})
    assert (mix.ids, mix.left_out) == (("1", "2"), 0)
    assert mix.shares.tolist() == [0.5, 0.5]


def test_each_once_has_every_query_once():
    mix = Mix.of(f"q{number}" for number in range(50))
    assert mix.each_once().tolist() == list(range(50))
    shuffled = mix.each_once(seed=4)
    assert sorted(shuffled) == list(range(50)) != shuffled.tolist()
    assert (shuffled == mix.each_once(seed=4)).all()


@pytest.mark.parametrize(
    "text",
    [
        'say "hi\t3\nnews\t1\n',
        'query\tcount\nsay "hi\t2\nnews\t1\nsay "hi\t1\n',
        '\ufeff"say ""hi",3\nnews,1\n',
        'query,count\n\n"say ""hi",3.0\r\nnews,1\nnever,0\n',
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_files_of_traffic(tmp_path, text, packed):
    file = tmp_path / "traffic"
    file.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    mix = Mix.of_traffic(file)
    assert dict(zip(mix.texts, mix.shares, strict=True)) == {'say "hi': 0.75, "news": 0.25}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\t1\nb\tmany\n", "traffic:2: the count of 'b' is 'many'"),
        ("a\t1\nb\t-1\n", "traffic:2: the count of 'b' is '-1'"),
        ("a\t1\nb\n", "traffic:2: expected a query and its count.*found 'b'"),
        ("a,b,1\n", "traffic:1: expected a query and its count"),
        ("a\t0\n", "no query with a count above 0"),
        ("a\t1e999\n", "traffic:1: the count of 'a' is '1e999'"),
        ("", "no query with a count above 0"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_line(tmp_path, text, said):
    file = tmp_path / "traffic"
    file.write_text(text)
    with pytest.raises(InputError, match=said):
        Mix.of_traffic(file)


def test_what_cannot_be_asked():
    with pytest.raises(InputError, match="no queries to ask"):
        Mix.of([])
    with pytest.raises(InputError, match=r"has none of the 1 queries; it has 'b'.*query is 'a'"):
        Mix.of(["a"], traffic={"b": 1})
    with pytest.raises(InputError, match="cannot be read as traffic"):
        Mix.of_traffic(7)
    with pytest.raises(InputError, match="no such file"):
        Mix.of_traffic("nowhere.tsv")
