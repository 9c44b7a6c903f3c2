from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon import Run
from cleverdon.errors import InputError, OptionError
from cleverdon.pooling.contributions import gather
from cleverdon.pooling.pool_methods import _weigh

ids = st.text("abcäß%: 0123", min_size=1, max_size=3).filter(str.strip).map(str.strip)
results = st.dictionaries(ids, st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=1, max_size=5)
one_run = st.dictionaries(ids, results, min_size=1, max_size=3)
many_runs = st.dictionaries(ids, one_run, min_size=1, max_size=4)


@given(runs=many_runs, depth=st.none() | st.integers(1, 4))
def test_every_result_is_there_with_its_rank(runs: Any, depth: int | None) -> None:
    found = gather({name: Run.read(run) for name, run in runs.items()}, depth=depth)
    rows = [
        (found.queries[query], found.systems[system], found.names(np.array([doc]))[0], rank, score)
        for query, system, doc, rank, score in zip(
            found.query_of_row, found.system, found.doc, found.rank, found.score, strict=True
        )
    ]
    expected = [
        (query, name, doc, rank, score)
        for query in sorted({query for run in runs.values() for query in run}, key=str.encode)
        for name, run in runs.items()
        if query in run
        for rank, (doc, score) in enumerate(Run.read(run).ranking(query)[:depth], start=1)
    ]
    assert rows == expected


@given(runs=many_runs)
def test_documents_stand_in_bytewise_order_and_know_their_best_rank(runs: Any) -> None:
    found = gather({name: Run.read(run) for name, run in runs.items()})
    for each in found.each():
        assert each.docs == sorted(set(each.docs), key=str.encode)
        ranks: dict[str, list[int]] = {}
        for run in runs.values():
            ranking = Run.read(run).ranking(each.query) if each.query in run else []
            for rank, (doc, _) in enumerate(ranking, start=1):
                ranks.setdefault(doc, []).append(rank)
        best = dict(zip(each.docs, each.best_rank.tolist(), strict=True))
        assert best == {doc: min(of) for doc, of in ranks.items()}


def test_one_topic_alone() -> None:
    found = gather({"a": {"q1": {"x": 1}, "q2": {"y": 2, "z": 1}}, "b": {"q2": {"z": 5}}})
    of = found.of("q2")
    assert (of.docs, [ranking.tolist() for ranking in of.rankings]) == (["y", "z"], [[0, 1], [1]])
    assert of.best_rank.tolist() == [1, 1]
    with pytest.raises(InputError, match="no system returned anything for query 'q3'"):
        found.of("q3")


def test_runs_know_their_files(tmp_path: Any) -> None:
    file = tmp_path / "mine.run"
    file.write_text("q1 Q0 d1 1 2.5 tag\n")
    (contributor,) = gather([str(file)]).contributors
    assert (contributor.name, contributor.source) == ("mine", str(file))
    assert len(contributor.digest) == 64


def test_what_cannot_be() -> None:
    with pytest.raises(OptionError, match="depth=0"):
        gather({"a": {"q": {"d": 1}}}, depth=0)
    run = Run.read({"q": {"d": 1}}, name="same")
    with pytest.raises(InputError, match="two runs are called 'same'"):
        gather([run, run])


RUNS = {
    "a": {"q1": {"d1": 9, "d2": 5, "d3": 1}, "q2": {"d1": 1}},
    "b": {"q1": {"d2": 0.8, "d4": 0.2}},
}
"""In q1, d1 stands 1st of 3; d2 2nd of 3 and 1st of 2; d3 3rd; d4 2nd of 2. In q2, d1 is alone."""


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("depth", [-1, -1, -3, -2, -1]),
        ("rrf", [1 / 61, 1 / 62 + 1 / 61, 1 / 63, 1 / 62, 1 / 61]),
        ("rbp", [0.2, 0.2 * 0.8 + 0.2, 0.2 * 0.64, 0.2 * 0.8, 0.2]),
        # Scaled: d1 1, d2 (5-1)/8 and 1, d3 0, d4 0; a ranking of one score is 1.
        ("combmnz", [1, 2 * 1.5, 0, 0, 1]),
        # (1 + 1/r + ... + 1/n) / 2n.
        (
            "ap",
            [
                (1 + 1 + 1 / 2 + 1 / 3) / 6,
                (1 + 1 / 2 + 1 / 3) / 6 + (1 + 1 + 1 / 2) / 4,
                (1 + 1 / 3) / 6,
                (1 + 1 / 2) / 4,
                (1 + 1) / 2,
            ],
        ),
    ],
)
def test_by_hand(by: str, expected: list[float]) -> None:
    assert _weigh(gather(RUNS), by) == pytest.approx(np.array(expected), abs=1e-12)


def test_ranks_of_a_ranking_weigh_1_in_all_by_the_prior_of_ap() -> None:
    run = {"q": {f"d{rank}": -rank for rank in range(1, 51)}}
    assert _weigh(gather({"a": run}), "ap").sum() == pytest.approx(1)


def test_rbp_with_another_persistence() -> None:
    weights = _weigh(gather(RUNS), "rbp", p=0.5)
    assert weights == pytest.approx(np.array([0.5, 0.75, 0.125, 0.25, 0.5]))


def test_what_cannot_be_of_weights() -> None:
    with pytest.raises(OptionError, match="did you mean 'rrf'"):
        _weigh(gather(RUNS), "rff")
    with pytest.raises(OptionError, match=r"p=1\.5"):
        _weigh(gather(RUNS), "rbp", p=1.5)
    infinite = {"a": {"q": {"d1": float("inf"), "d2": 1}}}
    with pytest.raises(OptionError, match="some are infinite"):
        _weigh(gather(infinite), "combmnz")
