from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon import Run
from cleverdon.errors import InputError, OptionError
from cleverdon.pool import gather

ids = st.text("abcäß%: 0123", min_size=1, max_size=3).filter(str.strip).map(str.strip)
results = st.dictionaries(ids, st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=1, max_size=5)
one_run = st.dictionaries(ids, results, min_size=1, max_size=3)
many_runs = st.dictionaries(ids, one_run, min_size=1, max_size=4)


@given(runs=many_runs, depth=st.none() | st.integers(1, 4))
def test_every_result_is_there_with_its_rank(runs: Any, depth: int | None) -> None:
    found = gather({name: Run.read(run) for name, run in runs.items()}, depth=depth)
    rows = [
        (found.topics[topic], found.systems[system], found.names(np.array([doc]))[0], rank, score)
        for topic, system, doc, rank, score in zip(
            found.topic_of_row, found.system, found.doc, found.rank, found.score, strict=True
        )
    ]
    expected = [
        (topic, name, doc, rank, score)
        for topic in sorted({topic for run in runs.values() for topic in run}, key=str.encode)
        for name, run in runs.items()
        if topic in run
        for rank, (doc, score) in enumerate(Run.read(run).ranking(topic)[:depth], start=1)
    ]
    assert rows == expected


@given(runs=many_runs)
def test_documents_stand_in_bytewise_order_and_know_their_best_rank(runs: Any) -> None:
    found = gather({name: Run.read(run) for name, run in runs.items()})
    for each in found.each():
        assert each.docs == sorted(set(each.docs), key=str.encode)
        ranks: dict[str, list[int]] = {}
        for run in runs.values():
            ranking = Run.read(run).ranking(each.topic) if each.topic in run else []
            for rank, (doc, _) in enumerate(ranking, start=1):
                ranks.setdefault(doc, []).append(rank)
        best = dict(zip(each.docs, each.best_rank.tolist(), strict=True))
        assert best == {doc: min(of) for doc, of in ranks.items()}


def test_one_topic_alone() -> None:
    found = gather({"a": {"q1": {"x": 1}, "q2": {"y": 2, "z": 1}}, "b": {"q2": {"z": 5}}})
    of = found.of("q2")
    assert (of.docs, [ranking.tolist() for ranking in of.rankings]) == (["y", "z"], [[0, 1], [1]])
    assert of.best_rank.tolist() == [1, 1]
    with pytest.raises(InputError, match="no system returned anything for topic 'q3'"):
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
