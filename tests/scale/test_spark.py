"""Evaluation on Spark gives the same bits as on one machine, whatever Spark does with the rows."""

from __future__ import annotations

import json
import os
import pickle
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from cleverdon import Scores, claim, compare, evaluate, repeats
from cleverdon.cli import cleverdon
from cleverdon.data import Judgments
from cleverdon.errors import InputError, OptionError, UndefinedError
from cleverdon.measures.registry import measures
from cleverdon.scale import worker
from tests.differential.collections import DOCUMENTS, MANY
from tests.differential.variants import variants_of
from tests.logs.engines import spark as spark_engine

# Spark and pandas warn of each other.
pytestmark = pytest.mark.filterwarnings("ignore")

Rows = list[tuple[Any, ...]]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """A session on two cores with little memory, whose Python is this one."""
    before = os.environ.get("PYSPARK_PYTHON")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    try:
        with spark_engine() as engine:
            yield engine._session
    finally:
        os.environ.pop("PYSPARK_PYTHON")
        if before is not None:
            os.environ["PYSPARK_PYTHON"] = before


def collection(seed: int, queries: int = 40) -> tuple[dict[str, Any], dict[str, Any]]:
    """Judgments and a run with ties, unjudged results, and queries that only one of them has."""
    chance = random.Random(seed)
    qrels: dict[str, Any] = {}
    run: dict[str, Any] = {}
    for query in MANY[:queries]:
        judged = chance.sample(DOCUMENTS, chance.randint(1, len(DOCUMENTS)))
        found = chance.sample(DOCUMENTS, chance.randint(1, len(DOCUMENTS)))
        if chance.random() < 0.85:
            qrels[query] = {doc: float(chance.choice((0, 0, 1, 2, 3, -1))) for doc in judged}
        if chance.random() < 0.85:
            run[query] = {doc: chance.choice((1.0, 0.5, 0.25, 0.0, -3.0)) for doc in found}
    return qrels, run


def rows_of(nested: dict[str, Any], chance: random.Random) -> Rows:
    """The rows in any order, each with the place that it had."""
    rows = [(query, doc, value) for query, docs in nested.items() for doc, value in docs.items()]
    placed = [(*row, place) for place, row in enumerate(rows)]
    chance.shuffle(placed)
    return placed


def frame(spark: Any, nested: dict[str, Any], *, number: str, seed: int, parts: int) -> Any:
    rows = rows_of(nested, random.Random(seed))
    return made(spark, rows, ["query_id", "doc_id", number, "line"]).repartition(parts)


def made(spark: Any, rows: Rows, names: list[str]) -> Any:
    """A frame that needs no Python on the executors to be made."""
    columns = zip(*rows, strict=True)
    return spark.createDataFrame(pa.table(dict(zip(names, map(pa.array, columns), strict=True))))


def same(left: Any, right: Any) -> bool:
    return np.array_equal(left, right, equal_nan=True)


def check_same(found: Scores, wanted: Scores) -> None:
    """All values, averages and facts agree to the last bit; only the names of extras may differ."""
    assert found.systems == wanted.systems
    assert found.measures == wanted.measures
    assert found.queries == wanted.queries
    assert np.array_equal(found.evaluated, wanted.evaluated)
    for m, measure in enumerate(wanted.measures):
        assert same(found.values[:, m], wanted.values[:, m]), (
            f"{measure}: {found.values[:, m]} is not {wanted.values[:, m]}"
        )
    assert same(found.means, wanted.means)
    assert found.texts == wanted.texts
    assert found.parts.keys() == wanted.parts.keys()
    for measure, parts in wanted.parts.items():
        assert same(found.parts[measure], parts), measure
    for scores in (found, wanted):
        for run in scores.about.runs.values():
            assert bool(run.extra_names) == bool(run.extra)
    assert plain(found) == plain(wanted)


def plain(scores: Scores) -> dict[str, Any]:
    about = asdict(scores.about)
    for run in about["runs"].values():
        del run["extra_names"]
    return about


EVERY = [variant for cls in measures() for variant in variants_of(cls)]
GRADES_ONLY = [measure for measure in EVERY if measure.needs in (None, "positives")]


@pytest.mark.parametrize("parts", [1, 7])
def test_every_measure_has_the_same_bits(spark: Any, parts: int) -> None:
    """With grades, propensities, the size of the collection, and what other queries judged."""
    qrels, run = collection(parts)
    _, other = collection(parts + 10)
    spark.conf.set("spark.sql.shuffle.partitions", str(parts))
    frames = {
        name: frame(spark, rows, number="score", seed=parts, parts=8 - parts)
        for name, rows in (("one", run), ("two", other))
    }
    judged = frame(spark, qrels, number="relevance", seed=parts, parts=parts)
    found = evaluate(judged, frames, GRADES_ONLY, docs=500)
    check_same(found, evaluate(qrels, {"one": run, "two": other}, GRADES_ONLY, docs=500))
    assert found.to_record() == evaluate(judged, frames, GRADES_ONLY, docs=500).to_record()


SETTINGS: list[dict[str, str]] = [
    *({"ties": ties} for ties in ("ascending", "input", "best", "worst")),
    {"ties": "expected"},
    {"missing": "skip", "no_relevant": "skip", "precision": "single"},
    {"undefined": "always-worst", "own_document": "drop", "unreturned": "drop"},
    {"undefined": "skip", "ties": "input", "missing": "skip"},
]
FEW = ["nDCG@3", "AP", "ERR", "RR", "P@2", "Bpref"]


@pytest.mark.parametrize("choices", SETTINGS, ids=lambda choices: "-".join(choices.values()))
def test_settings(spark: Any, choices: dict[str, str]) -> None:
    qrels, run = collection(3)
    qrels["10"] = {"10": 1.0, "2": 2.0}
    run["10"] = {"10": 1.0, "2": 0.5}
    measures = ["nDCG@3", "DCG"] if choices.get("ties") == "expected" else FEW
    found = evaluate(
        frame(spark, qrels, number="relevance", seed=1, parts=3),
        {"run": frame(spark, run, number="score", seed=2, parts=2)},
        measures,
        **choices,
    )
    check_same(found, evaluate(qrels, {"run": run}, measures, **choices))


@pytest.mark.parametrize("profile", ["trec_eval-9", "beir", "lightgbm"])
def test_profiles(spark: Any, profile: str) -> None:
    qrels, run = collection(4)
    qrels = {q: {doc: max(grade, 0.0) for doc, grade in docs.items()} for q, docs in qrels.items()}
    found = evaluate(
        frame(spark, qrels, number="relevance", seed=1, parts=2),
        {"run": frame(spark, run, number="score", seed=2, parts=5)},
        profile=profile,
    )
    check_same(found, evaluate(qrels, {"run": run}, profile=profile))


@pytest.mark.parametrize("duplicates", ["first", "best", "keep", "once"])
def test_duplicates(spark: Any, duplicates: str) -> None:
    qrels, run = collection(5, queries=8)
    chance = random.Random(5)
    rows = [(q, doc, score) for q, docs in run.items() for doc, score in docs.items()]
    again = [
        (q, doc, chance.choice((1.0, 0.5, 2.0))) for q, doc, _ in rows if chance.random() < 0.5
    ]
    judged = [(q, doc, grade) for q, docs in qrels.items() for doc, grade in docs.items()]
    if duplicates in ("first", "best"):
        judged += [(q, doc, 3.0 - grade) for q, doc, grade in judged[::2]]
    found = evaluate(
        in_any_order(spark, judged, "relevance"),
        {"run": in_any_order(spark, rows + again, "score")},
        FEW,
        duplicates=duplicates,
    )
    check_same(found, evaluate(judged, {"run": rows + again}, FEW, duplicates=duplicates))


def in_any_order(spark: Any, rows: Rows, number: str) -> Any:
    placed = [(*row, place) for place, row in enumerate(rows)]
    random.Random(len(rows)).shuffle(placed)
    return made(spark, placed, ["query_id", "doc_id", number, "line"])


def test_order_by_rank(spark: Any) -> None:
    qrels, run = collection(6, queries=8)
    ranked = [
        (query, doc, rank)
        for query, docs in run.items()
        for rank, doc in enumerate(sorted(docs), start=1)
    ]
    found = evaluate(
        frame(spark, qrels, number="relevance", seed=1, parts=2),
        {"run": spark.createDataFrame(ranked, "qid string, docno string, rank int")},
        FEW,
        order_by="rank",
    )
    as_scores: dict[str, Any] = {}
    for query, doc, rank in ranked:
        as_scores.setdefault(query, {})[doc] = -rank
    assert same(found.values, evaluate(qrels, {"run": as_scores}, FEW).values)


# What judgments may have in addition to grades


def test_subtopics_with_weights(spark: Any) -> None:
    chance = random.Random(7)
    rows = [
        (query, subtopic, doc, chance.choice((0, 1, 2)))
        for query in MANY[:12]
        for subtopic in "abc"
        for doc in chance.sample(DOCUMENTS, 5)
    ]
    weights = {query: {"a": 0.5, "b": 0.3, "c": 0.2} for query in MANY[:6]}
    _, run = collection(7, queries=12)
    wanted = [measure for measure in EVERY if measure.needs == "subtopics"]
    judgments = Judgments.read(rows, format="subtopics")
    expected = evaluate(judgments, {"run": run}, wanted, weights=weights)
    chance.shuffle(rows)
    columns = "query_id string, subtopic string, doc_id string, relevance int"
    on_spark = spark.createDataFrame(rows, columns)
    ranked = frame(spark, run, number="score", seed=1, parts=3)
    how: dict[str, Any] = {"weights": weights, "qrels_format": "subtopics"}
    check_same(evaluate(on_spark, {"run": ranked}, wanted, **how), expected)
    check_same(evaluate(judgments, {"run": ranked}, wanted, weights=weights), expected)


@pytest.mark.parametrize("format", ["strata", "sampled"])
def test_samples(spark: Any, format: str) -> None:
    chance = random.Random(8)
    pairs = [(query, doc) for query in MANY[:12] for doc in chance.sample(DOCUMENTS, 6)]
    grades = [chance.choice((0, 1, 2, -1)) for _ in pairs]
    if format == "strata":
        strata = [chance.randint(0, 2) for _ in pairs]
        rows: Rows = [(q, 0, d, s, g) for (q, d), s, g in zip(pairs, strata, grades, strict=True)]
        columns = "query_id string, iteration int, doc_id string, stratum int, relevance int"
    else:
        drawn = [chance.choice((0.1, 0.25, 1 / 3, 1.0, None)) for _ in pairs]
        rows = [(q, d, g, 1, p) for (q, d), g, p in zip(pairs, grades, drawn, strict=True)]
        columns = "query_id string, doc_id string, relevance int, method int, probability double"
    as_text = [tuple("NA" if field is None else field for field in row) for row in rows]
    judgments = Judgments.read(as_text, format=format)
    needed = "stratum" if format == "strata" else "probability"
    wanted = [measure for measure in EVERY if measure.needs == needed]
    _, run = collection(8, queries=12)
    chance.shuffle(rows)
    found = evaluate(
        spark.createDataFrame(rows, columns),
        {"run": frame(spark, run, number="score", seed=1, parts=3)},
        wanted,
        qrels_format=format,
    )
    check_same(found, evaluate(judgments, {"run": run}, wanted))


def test_second_grades(spark: Any) -> None:
    qrels, run = collection(9)
    drawn, _ = collection(10)
    second = {  # probabilities, which some of the measures want
        query: {doc: max(grade, 0.0) / 4 for doc, grade in docs.items()}
        for query, docs in drawn.items()
    }
    wanted = [measure for measure in EVERY if measure.needs == "second"]
    found = evaluate(
        frame(spark, qrels, number="relevance", seed=1, parts=3),
        {"run": frame(spark, run, number="score", seed=2, parts=3)},
        wanted,
        second=frame(spark, second, number="relevance", seed=3, parts=3),
    )
    check_same(found, evaluate(qrels, {"run": run}, wanted, second=second))


# Inputs


def test_tables_paths_and_runs_of_this_machine(spark: Any, tmp_path: Any) -> None:
    qrels, run = ({f"q{n}": docs for n, docs in enumerate(x.values())} for x in collection(11))
    path = tmp_path / "first.parquet"
    frame(spark, run, number="score", seed=1, parts=3).write.parquet(str(path))
    frame(spark, qrels, number="relevance", seed=1, parts=3).createOrReplaceTempView("judged")
    file = tmp_path / "local.run"
    rows = [(query, doc, score) for query, docs in run.items() for doc, score in docs.items()]
    file.write_text("".join(f"{query} Q0 {doc} 0 {score} x\n" for query, doc, score in rows))
    nothing = {**run, next(iter(qrels)): {}}
    runs = {"file": str(file), "dict": nothing}
    wanted = evaluate(qrels, {"first": run, **runs}, FEW)
    found = evaluate("spark:judged", {"first": f"spark:{path}", **runs}, FEW)
    assert same(found.values, wanted.values)
    assert (found.about.qrels, found.about.runs["first"].source) == ("judged", str(path))
    assert found.about.runs["file"].digest == wanted.about.runs["file"].digest != ""
    assert found.about.runs["dict"].empty == wanted.about.runs["dict"].empty != ()
    listed = evaluate(qrels, [f"spark:{path}", str(file)], FEW)
    assert listed.systems == ("first", "local")


def test_integers_floats_and_decimals(spark: Any) -> None:
    columns = "qid int, docno long, score decimal(20, 18)"
    rows = [(1, 10, "0.1"), (1, 2, "0.300000000000000004"), (2, 3, "1")]
    texts = spark.createDataFrame(rows, "qid int, docno int, score string")
    run = texts.selectExpr("qid", "docno", "cast(score as decimal(20, 18)) as score")
    qrels = spark.createDataFrame(
        [(1, 10, True), (2, 4, False)], "qid int, docno int, relevant boolean"
    )
    found = evaluate(qrels, run, "RR nDCG(judged_only=true)")
    assert found.systems == ("run",)
    assert found.per_query("run", "RR") == {"1": 0.5, "2": 0.0}, columns
    single = texts.selectExpr("qid", "docno", "cast(score as float) as score")
    assert evaluate(qrels, {"a": single}, "RR").per_query("a", "RR") == {"1": 0.5, "2": 0.0}


def test_repeats_are_averaged(spark: Any) -> None:
    qrels, run = collection(12, queries=6)
    _, other = collection(13, queries=6)
    frames = [frame(spark, rows, number="score", seed=1, parts=2) for rows in (run, other)]
    judged = frame(spark, qrels, number="relevance", seed=1, parts=2)
    found = evaluate(judged, {"dense": repeats(*frames)}, FEW)
    wanted = evaluate(qrels, {"dense": repeats(run, other)}, FEW)
    assert same(found.values, wanted.values)
    assert same(found.repeats["dense"], wanted.repeats["dense"])


# Scores


def test_values_stay_on_the_cluster_until_asked_for(spark: Any) -> None:
    qrels, run = collection(14)
    _, other = collection(15)
    frames = {
        name: frame(spark, rows, number="score", seed=1, parts=2)
        for name, rows in (("one", run), ("two", other))
    }
    found = evaluate(frame(spark, qrels, number="relevance", seed=1, parts=2), frames, FEW)
    wanted = evaluate(qrels, {"one": run, "two": other}, FEW)
    assert "values" not in vars(found)
    rows = {(row["query_id"], row["system"]): row for row in found.frame.collect()}
    assert "values" not in vars(found)
    for s, system in enumerate(wanted.systems):
        for q, query in enumerate(wanted.queries):
            for m, measure in enumerate(wanted.measures):
                assert same(rows[query, system][str(measure)], wanted.values[s, m, q])
    found.release()
    first, second = (compare(scores, measures="AP") for scores in (found, wanted))
    assert str(first) == str(second)
    assert str(claim(first)) == str(claim(second))
    assert str(found) == str(wanted)
    assert pickle.loads(pickle.dumps(found)).to_record() == found.to_record()


def test_a_query_longer_than_a_block(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most rows are of one query: its rows stay together, and others come in blocks."""
    qrels = {f"q{n}": {"d1": 1.0, "d70": 2.0} for n in range(30)}
    run = {
        f"q{n}": {f"d{rank}": float(-rank % 7) for rank in range(5000 if n == 11 else 3)}
        for n in range(30)
    }
    monkeypatch.setattr(worker.Plan, "rows", 64)
    found = evaluate(
        frame(spark, qrels, number="relevance", seed=1, parts=1),
        {"run": frame(spark, run, number="score", seed=2, parts=3)},
        FEW,
    )
    check_same(found, evaluate(qrels, {"run": run}, FEW))


@given(st.lists(st.integers(0, 5), min_size=1, max_size=60), st.integers(1, 9), st.integers(1, 9))
def test_blocks_are_of_whole_queries(sizes: list[int], rows: int, batch: int) -> None:
    keys = np.repeat(np.arange(len(sizes)), sizes)
    table = pa.table({"key": keys, "row": np.arange(len(keys))})
    blocks = list(worker._blocks_of_queries(iter(table.to_batches(max_chunksize=batch)), rows))
    found = [block.column("row").to_pylist() for block in blocks]
    assert [row for rows in found for row in rows] == list(range(len(keys)))
    kept = [set(block.column("key").to_pylist()) for block in blocks]
    assert sum(map(len, kept)) == len(set(keys.tolist()))
    assert all(len(block) < rows + max(2 * max(sizes), rows) + batch for block in blocks)


# Errors


def small(spark: Any, rows: Rows, number: str = "score double") -> Any:
    return spark.createDataFrame(rows, f"query_id string, doc_id string, {number}")


BAD_RUNS: list[tuple[Rows, str]] = [
    ([("q1", "d1", 1.0), ("q1", "d1", 2.0)], "run: document 'd1' occurs twice for query 'q1'"),
    (
        [("q1", "d1", float("nan"))],
        "run: the score of document 'd1' of query 'q1' is not a number that can be ordered",
    ),
    ([("q1", "d1", None)], "run: the number is empty (null) of document 'd1' of query 'q1'"),
    ([("q1", "", 1.0)], "run: the document is empty of query 'q1'"),
    ([("q1", "d1", 1.0), (None, "d1", 1.0)], "a row without query"),
    ([("q1", "d1", 1.0), ("", "d1", 1.0)], "a row without query"),
    (
        [("q7", "d1", 1.0)],
        "run: no query of it has judgments: it has 'q7', the judgments have 'q1'",
    ),
    ([], "run: has no rows"),
]


@pytest.mark.parametrize("parts", ["1", "5"])
@pytest.mark.parametrize(("rows", "message"), BAD_RUNS, ids=range(len(BAD_RUNS)))
def test_errors_of_runs_name_the_query(spark: Any, rows: Rows, message: str, parts: str) -> None:
    spark.conf.set("spark.sql.shuffle.partitions", parts)
    qrels = small(spark, [("q1", "d1", 1)], "relevance int")
    with pytest.raises(InputError) as error:
        evaluate(qrels, {"run": small(spark, rows)}, "AP")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


BAD_QRELS: list[tuple[Rows, str]] = [
    (
        [("q1", "d1", 1.0), ("q1", "d1", 2.0)],
        "judgments: document 'd1' occurs twice for query 'q1'",
    ),
    ([("q1", "d1", float("inf"))], "the grade of document 'd1' of query 'q1' is not finite"),
    ([], "judgments: has no rows"),
]


@pytest.mark.parametrize(("rows", "message"), BAD_QRELS, ids=[text for _, text in BAD_QRELS])
def test_errors_of_judgments_name_the_query(spark: Any, rows: Rows, message: str) -> None:
    qrels = small(spark, rows, "relevance double")
    with pytest.raises(InputError) as error:
        evaluate(qrels, {"run": small(spark, [("q1", "d1", 1.0)])}, "AP")
    assert message in str(error.value)


def test_errors_of_columns_and_settings(spark: Any) -> None:
    qrels = small(spark, [("q1", "d1", 1), ("q2", "d1", 0)], "relevance int")
    run = small(spark, [("q1", "d1", 1.0)])

    def fails(kind: type[Exception], text: str, **how: Any) -> None:
        given = {"qrels": qrels, "runs": {"run": run}, "measures": "AP", **how}
        with pytest.raises(kind, match=text):
            evaluate(**given)

    fails(OptionError, "add a column 'line' that counts them", ties="input")
    fails(OptionError, "keep= needs the rankings", keep=3)
    fails(OptionError, "bounds=True needs the rankings", bounds=True)
    fails(InputError, "run lacks the judged query 'q2'", missing="error")
    fails(UndefinedError, "AP is undefined for query 'q2'", undefined="error")
    fails(InputError, "holds string, which is not a number", runs=small(spark, [], "score string"))
    fails(InputError, "no column|which column|columns", runs=run.drop("doc_id"))
    fails(InputError, "Spark: .*nowhere", runs="spark:nowhere")
    fails(InputError, "Spark: .*nowhere.parquet", runs="spark:/nowhere.parquet")
    fails(
        InputError,
        "a grade of 5",
        qrels=small(spark, [("q1", "d1", 5)], "relevance int"),
        profile="gdeval",
    )


def test_the_page(spark: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """docs/spark.md shows what comes out."""
    page = (Path(__file__).parents[2] / "docs" / "spark.md").read_text()
    shown = re.findall(r"```python\n(.*?)```\n+```text\n(.*?)```", page, re.DOTALL)
    assert len(shown) == 2
    names = {"spark": spark}
    for code, output in shown:
        exec(code, names)
        assert capsys.readouterr().out.strip() == output.strip()


def test_the_command(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It joins the session that is there, which the test keeps from being stopped."""
    qrels, run = collection(16, queries=6)
    frame(spark, run, number="score", seed=1, parts=2).write.parquet(str(tmp_path / "bm25.parquet"))
    judged = tmp_path / "qrels.json"
    judged.write_text(json.dumps(qrels))
    monkeypatch.setattr(type(spark), "stop", lambda session: None)
    words = ["spark", "eval", str(judged), str(tmp_path / "bm25.parquet"), "-m", "AP", "-f", "json"]
    done = CliRunner().invoke(cleverdon, [*words, "--values", str(tmp_path / "values")])
    assert done.exit_code == 0, done.output
    wanted = evaluate(qrels, {"bm25": run}, "AP")
    assert json.loads(done.stdout)["means"] == wanted.to_dict()
    assert spark.read.parquet(str(tmp_path / "values")).count() == len(wanted.queries)
    wrong = CliRunner().invoke(cleverdon, [*words, "--conf", "x"])
    assert "expected NAME=VALUE, found 'x'" in wrong.output


def test_without_a_session() -> None:
    """In another process: this one has a session."""
    code = "import cleverdon; cleverdon.evaluate('spark:a', 'spark:b')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "spark: needs a session" in done.stderr.splitlines()[-1]
