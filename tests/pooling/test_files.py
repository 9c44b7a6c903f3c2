from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon import Run
from cleverdon.errors import InputError
from cleverdon.pooling.contributions import gather
from cleverdon.pooling.files import read_pool, write_pool
from cleverdon.pooling.pool_methods import _probability_pool, _stratified_pool, depth_pool
from cleverdon.pooling.pools import Pool
from tests.pooling.test_contributions import many_runs

RUNS = {"a b": {"q1": {"d1": 3, "d2": 2}, "q2": {"d3": 1}}, "50%:x": {"q1": {"d2": 2, "d4": 1}}}


def same(one: Pool, other: Pool) -> bool:
    columns = ("starts", "drawn", "row_starts", "system", "rank", "stratum", "probability")
    plain = ("queries", "docs", "contributors", "how")
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in columns
        if getattr(one, name) is not None or getattr(other, name) is not None
    ) and all(getattr(one, name) == getattr(other, name) for name in plain)


@given(
    runs=many_runs,
    method=st.sampled_from(["depth", "stratified", "probability"]),
    seed=st.integers(0, 9),
)
def test_what_was_written_reads_back(
    tmp_path_factory: Any, runs: Any, method: str, seed: int
) -> None:
    found = gather({name: Run.read(run) for name, run in runs.items()})
    pool = {
        "depth": lambda: depth_pool(found, k=2, seed=seed),
        "stratified": lambda: _stratified_pool(found, strata=[(1, 1.0), (3, 0.3)], seed=seed),
        "probability": lambda: _probability_pool(found, budget=2, seed=seed),
    }[method]()
    path = tmp_path_factory.mktemp("pool") / "pool.tsv"
    write_pool(pool, path)
    assert same(read_pool(path), pool)


def test_lines_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "pool.tsv"
    write_pool(depth_pool(gather(RUNS), k=2), path)
    about, header, *lines = path.read_text("utf-8").splitlines()
    assert about.startswith('# cleverdon pool {"method": "depth", "k": 2, "seed": 0, "systems": [')
    assert header == "query_id\tdoc_id\tdrawn\tstratum\tprobability\tsystems"
    assert sorted(lines) == [
        "q1\td1\tyes\t\t\ta%20b:1",
        "q1\td2\tyes\t\t\ta%20b:2 50%25:x:1",
        "q1\td4\tyes\t\t\t50%25:x:2",
        "q2\td3\tyes\t\t\ta%20b:1",
    ]


def test_a_file_that_was_sorted_by_hand_is_read(tmp_path: Path) -> None:
    path = tmp_path / "pool.tsv"
    head = "query_id\tdoc_id\tdrawn\tstratum\tprobability\tsystems\r\n"
    path.write_text(
        head + "q1\td1\tyes\t\t\tx:1\r\nq2\td1\tno\t\t\t\r\nq1\td2\tyes\t\t\tx:2 y:1\r\n"
    )
    pool = read_pool(path)
    assert list(pool.sheet()) == [("q1", "d1"), ("q1", "d2")]
    assert [pool.contributions(at) for at in range(3)] == [{"x": 1}, {"x": 2, "y": 1}, {}]


HEAD = "query_id\tdoc_id\tdrawn\tstratum\tprobability\tsystems\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q1 0 d1 1\n", r"pool.tsv:1: is not a pool: expected the columns query_id, doc_id"),
        ("# cleverdon pool {\n" + HEAD, "pool.tsv:1: the first line does not say how"),
        (HEAD, "has no documents"),
        (HEAD + "q1\td1\tyes\n", "pool.tsv:2: expected 6 columns, found 3"),
        (HEAD + "q1\td1\tmaybe\t\t\t\n", "pool.tsv:2: expected yes or no .* found 'maybe'"),
        (HEAD + "q1\td1\tyes\tone\t\t\n", "pool.tsv:2: expected the number of a stratum"),
        (HEAD + "q1\td1\tyes\t\t1.5\t\n", "pool.tsv:2: expected a probability, found '1.5'"),
        (HEAD + "q1\td1\tyes\t\t\tbm25\n", "pool.tsv:2: expected a system and its rank"),
        (HEAD + "q1\td1\tyes\t\t\t\n" * 2, "pool.tsv:3: document 'd1' occurs twice .* line 2"),
        (HEAD + "q1\td1\tyes\t1\t\t\nq1\td2\tyes\t\t\t\n", "stratum is missing on some lines"),
    ],
)
def test_what_cannot_be_read(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "pool.tsv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_pool(path)


def test_ids_that_no_line_can_hold_are_refused(tmp_path: Path) -> None:
    pool = depth_pool(gather({"a": {"q\t1": {"d1": 1}}}), k=1)
    with pytest.raises(InputError, match=r"the id 'q\\t1' holds .*rename it in the runs"):
        write_pool(pool, tmp_path / "pool.tsv")
    assert not (tmp_path / "pool.tsv").exists()
