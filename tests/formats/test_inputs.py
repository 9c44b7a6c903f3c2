"""The same data in every form gives the same rows, the same hits and the same scores."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from cleverdon import Judgments, Run, evaluate
from cleverdon.rank import rank
from tests.formats.ways import JUDGMENTS, QRELS, RUN, RUNS, Make, same_hits

MEASURES = ["nDCG@10", "AP", "RR", "P@2", "Judged@10"]


@pytest.mark.parametrize("make", RUNS.values(), ids=RUNS.keys())
def test_every_way_of_giving_a_run(make: Make, tmp_path: Path) -> None:
    judgments = Judgments.read(QRELS)
    expected = rank(judgments, RUN)

    held = Run.read(make(tmp_path))
    assert held.to_dict() == RUN
    assert held.queries == list(RUN)
    in_memory = rank(judgments, held)
    streamed = rank(judgments, make(tmp_path))
    for ranked in (in_memory, streamed):
        assert same_hits(ranked.hits, expected.hits)
        assert ranked.present.tolist() == expected.present.tolist()
        assert (ranked.results, ranked.tied) == (expected.results, expected.tied)
        assert (ranked.extra, ranked.extra_names) == (1, ("303",))

    scores = evaluate(QRELS, {"run": make(tmp_path)}, MEASURES)
    assert scores.to_dict() == evaluate(QRELS, {"run": RUN}, MEASURES).to_dict()


@pytest.mark.parametrize("make", JUDGMENTS.values(), ids=JUDGMENTS.keys())
def test_every_way_of_giving_judgments(make: Make, tmp_path: Path) -> None:
    judgments = Judgments.read(make(tmp_path))
    assert judgments.to_dict() == QRELS
    assert judgments.queries == list(QRELS)
    scores = evaluate(make(tmp_path), RUN, MEASURES)
    assert scores.to_dict() == evaluate(QRELS, RUN, MEASURES).to_dict()


def test_integers_are_their_digits(tmp_path: Path) -> None:
    import pandas
    import polars

    numbers = {301: {7: 2, 8: 1}, 302: {7: 0}}
    expected = {"301": {"7": 2.0, "8": 1.0}, "302": {"7": 0.0}}
    columns = {"qid": [301, 301, 302], "docno": [7, 8, 7], "label": [2, 1, 0]}
    rows = list(zip(*columns.values(), strict=True))
    for data in (numbers, rows, polars.DataFrame(columns), pandas.DataFrame(columns)):
        assert Judgments.read(data).to_dict() == expected
    array = np.array(rows)
    assert Judgments.read([tuple(row) for row in array]).to_dict() == expected


def test_ranks_are_turned_round(tmp_path: Path) -> None:
    """MS MARCO's runs, and tables without scores: the first rank is the best."""
    import polars

    expected = {"q": {"a": -1.0, "b": -2.0}, "r": {"a": -1.0}}
    path = tmp_path / "run.tsv"
    path.write_text("q\ta\t1\nq\tb\t2\nr\ta\t1\n")
    assert Run.read(path).to_dict() == expected
    path.write_text("qid,rank,pid\nq,1,a\nq,2,b\nr,1,a\n")
    assert Run.read(path).to_dict() == expected
    frame = polars.DataFrame({"qid": ["q", "q", "r"], "pid": ["a", "b", "a"], "rank": [1, 2, 1]})
    assert Run.read(frame).to_dict() == expected

    from typing import NamedTuple

    class Row(NamedTuple):
        query_id: str
        rank: int
        doc_id: str

    rows = [Row("q", 1, "a"), Row("q", 2, "b"), Row("r", 1, "a")]
    assert Run.read(rows).to_dict() == expected


def test_order_by_rank(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_text("q Q0 a 2 9.5 t\nq Q0 b 1 0.5 t\n")
    assert Run.read(path, order_by="rank").to_dict() == {"q": {"a": -2.0, "b": -1.0}}
    path.write_text("query_id,doc_id,score,rank\nq,a,9.5,2\nq,b,0.5,1\n")
    assert Run.read(path, order_by="rank").to_dict() == {"q": {"a": -2.0, "b": -1.0}}
    assert Run.read(path).to_dict() == {"q": {"a": 9.5, "b": 0.5}}
    # Bare tuples have no ranks: their numbers stay scores.
    assert Run.read([("q", "a", 9.5)], order_by="rank").to_dict() == {"q": {"a": 9.5}}


def test_what_becomes_of_duplicates(tmp_path: Path) -> None:
    import polars

    path = tmp_path / "run.txt"
    path.write_text("q Q0 a 1 2.5 t\nr Q0 a 1 1 t\nq Q0 a 2 3.5 t\nq Q0 b 2 1 t\nq Q0 a 3 3 t\n")
    rows = [("q", "a", 2.5), ("r", "a", 1), ("q", "a", 3.5), ("q", "b", 1), ("q", "a", 3)]
    frame = polars.DataFrame(rows, schema=["query", "doc", "score"], orient="row", strict=False)
    for data in (path, rows, frame):
        first = Run.read(data, duplicates="first").to_dict()
        assert first == {"q": {"a": 2.5, "b": 1.0}, "r": {"a": 1.0}}
        best = Run.read(data, duplicates="best").to_dict()
        assert best == {"q": {"a": 3.5, "b": 1.0}, "r": {"a": 1.0}}
        judgments = Judgments.read({"q": {"a": 1, "b": 0}})
        for policy, value in (("first", first), ("best", best)):
            scores = evaluate(judgments, data, "RR", duplicates=policy)
            assert scores.to_dict() == evaluate(judgments, value, "RR").to_dict()


def test_names_and_digests(tmp_path: Path) -> None:
    path = tmp_path / "bm25.tuned.run"
    path.write_text("q Q0 a 1 2.5 t\n")
    run = Run.read(path)
    assert (run.name, run.source) == ("bm25.tuned", str(path))
    # BLAKE3 of the bytes, as b3sum prints it.
    assert run.digest == Run.read(str(path)).digest
    assert len(run.digest) == 64
    path.write_text("q Q0 a 1 2.6 t\n")
    assert Run.read(path).digest != run.digest
    assert Run.read({"q": {"a": 1}}, name="mine").name == "mine"


def test_one_of_the_other_kind_is_refused() -> None:
    from cleverdon.errors import InputError

    with pytest.raises(InputError, match="expected judgments, found <Run 'run'"):
        Judgments.read(Run.read({"q": {"a": 1}}))
    run = Run.read({"q": {"a": 1}})
    assert Run.read(run) is run


def test_rows_come_out_again() -> None:
    run = Run.read(RUN)
    assert run.to_pandas().columns.tolist() == ["query_id", "doc_id", "score"]
    assert Run.read(run.to_pandas()).to_dict() == RUN
    assert Run.read(run.rows()).to_dict() == RUN
    assert (len(run), "301" in run, "304" in run) == (9, True, False)
    assert run.ranking("301")[:3] == [("x", 1e300), ("d/2", 2.5), ("FT-1", 2.5)]


def test_arrow_comes_out_again() -> None:
    run = Run.read(RUN)
    assert Run.read(run.to_arrow()).to_dict() == RUN
    assert Run.read(run.to_polars()).to_dict() == RUN
    judgments = Judgments.read(QRELS)
    assert judgments.to_polars().columns == ["query_id", "doc_id", "relevance"]
    assert Judgments.read(judgments.to_polars()).to_dict() == QRELS
