"""Scores that were evaluated in parts, merged and written, have the bits of one evaluation."""

from __future__ import annotations

import json
import pickle
import random
import re
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from cleverdon import (
    Judgments,
    Measure,
    Run,
    Scores,
    claim,
    collection_facts,
    compare,
    evaluate,
    parse,
)
from cleverdon.errors import InputError, OptionError
from cleverdon.formats.inputs import repeats
from cleverdon.measures.registry import measures
from tests.differential.variants import variants_of
from tests.worked_examples import examples

Nested = dict[str, dict[str, float]]
Rows = list[tuple[Any, ...]]

COMPOSED = "IntentAware(ERR) IntentAware(RBP) IntentAware(Hole@2) CAM(ERR) CAM(RBP(rel=1)) CAM(P@2)"
EVERY = list(
    dict.fromkeys(
        [
            *(variant for cls in measures() for variant in variants_of(cls)),
            *(example.measure for cls in measures() for example in examples(cls)),
            *map(parse, COMPOSED.split()),
        ]
    )
)
NEEDS = (None, "second", "subtopics", "stratum", "probability", "positives")


@dataclass
class Collection:
    """Judgments of all kinds, as rows of queries, and runs."""

    grades: Nested
    second: Nested
    rows: dict[str, Rows] = field(default_factory=dict)
    runs: dict[str, Nested] = field(default_factory=dict)

    def part(self, queries: Iterable[str], systems: Iterable[str]) -> Collection:
        kept = set(queries)

        def of(nested: Nested) -> Nested:
            return {query: row for query, row in nested.items() if query in kept}

        rows = {kind: [row for row in of if row[0] in kept] for kind, of in self.rows.items()}
        runs = {system: of(self.runs[system]) for system in systems}
        return Collection(of(self.grades), of(self.second), rows, runs)

    def judgments(self, need: str | None) -> Any:
        formats = {"subtopics": "subtopics", "stratum": "strata", "probability": "sampled"}
        if need in formats:
            return Judgments.read(self.rows[need], format=formats[need])
        return self.grades


def made(seed: int) -> Collection:
    """Return a collection with ties, missing queries, unjudged results and one largest grade."""
    chance = random.Random(seed)
    queries = [f"q{number}" for number in range(chance.choice([7, 40]))]
    docs = [f"d{number}" for number in range(60)]
    grades: Nested = {}
    second: Nested = {}
    rows: dict[str, Rows] = {"subtopics": [], "stratum": [], "probability": []}
    for query in queries:
        judged = chance.sample(docs, chance.randint(1, 12))
        grades[query] = {doc: chance.choice([-1, 0, 0, 1, 1, 2]) for doc in judged}
        second[query] = {doc: chance.choice([0, 0.25, 0.5]) for doc in judged}
        for doc, grade in grades[query].items():
            for subtopic in chance.sample("abcd", chance.randint(1, 3)):
                rows["subtopics"].append((query, subtopic, doc, grade))
            rows["stratum"].append((query, 0, doc, chance.randint(1, 3), grade))
            rows["probability"].append((query, doc, grade, 1, chance.choice([0.25, 0.5, 1.0])))
    # The largest grades stand in one query: other parts do not see them.
    grades[queries[0]] |= {"d-top": 4}
    second[queries[0]] |= {"d-top": 1.0}
    rows["subtopics"].append((queries[0], "a", "d-top", 4))
    extra = ["extra 1", "extra 2"]
    runs = {
        system: {
            query: {
                doc: float(chance.randint(0, depth)) for doc in chance.sample([*docs, "d-top"], 20)
            }
            for query in [*queries, *extra]
            if chance.random() < 0.85
        }
        for system, depth in (("bm25", 5), ("dense", 50), ("hybrid", 50))
    }
    for run in runs.values():
        run[chance.choice(queries)] = {}
        run.setdefault(queries[0], {"d-top": 1.0})
    return Collection(grades, second, rows, runs)


def split(whole: Collection, chance: random.Random) -> list[Collection]:
    """Return parts of the queries, and of the systems."""
    queries = list({*whole.grades, *(query for run in whole.runs.values() for query in run)})
    names = list(whole.runs)
    cut = chance.randint(0, len(names) - 1)
    parts = []
    for systems in filter(None, (names[:cut], names[cut:])):
        chance.shuffle(queries)
        judged = [query for query in queries if query in whole.grades]
        count = chance.randint(1, 6)
        for at in range(count):
            own = judged[at::count] + [q for q in queries if q not in whole.grades][at::count]
            if set(own) & whole.grades.keys():
                parts.append(whole.part(own, systems))
    return parts


def bits(array: Any) -> Any:
    """Return the bits of numbers; all NaN are one."""
    array = np.asarray(array, dtype=np.float64)
    return np.where(np.isnan(array), np.nan, array).view(np.uint64)


def assert_same(merged: Scores, whole: Scores) -> None:
    assert (merged.systems, merged.measures, merged.queries) == (
        whole.systems,
        whole.measures,
        whole.queries,
    )
    for m, measure in enumerate(whole.measures):
        assert np.array_equal(bits(merged.values[:, m]), bits(whole.values[:, m])), measure
    assert np.array_equal(merged.evaluated, whole.evaluated)
    assert merged.parts.keys() == whole.parts.keys()
    for measure in whole.parts:
        assert np.array_equal(bits(merged.parts[measure]), bits(whole.parts[measure])), measure
    assert merged.texts == whole.texts
    assert merged.top == whole.top
    assert merged.warnings == whole.warnings
    assert as_plain(merged) == as_plain(whole)
    for run in whole.about.runs:
        assert merged.about.runs[run].returned_at == whole.about.runs[run].returned_at
    assert merged.about.top_grade == whole.about.top_grade
    assert np.array_equal(bits(merged.means), bits(whole.means))
    for measure in whole.parts:  # other averages are made of the same values
        for system in whole.systems:
            found, expected = (scores.micro(system, measure) for scores in (merged, whole))
            assert np.array_equal(bits(found), bits(expected)), measure


def as_plain(scores: Scores) -> dict[str, Any]:
    """Return the record; queries that only the runs have are in no order."""
    record = json.loads(json.dumps(scores.to_record()))
    for run in record["about"]["runs"].values():
        run["extra_names"] = sorted(run["extra_names"])
    return record


def of_need(need: str | None) -> list[Measure]:
    return [measure for measure in EVERY if needs(measure) == need]


def needs(measure: Measure) -> str | None:
    inner = getattr(measure, "measure", None)
    return measure.needs or (None if inner is None else needs(inner))


@pytest.mark.parametrize("need", NEEDS)
@pytest.mark.parametrize("seed", range(4))
def test_parts_have_the_bits_of_the_whole(need: str | None, seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    whole, wanted = made(seed), of_need(need)
    changes: dict[str, Any] = [
        {},
        {"missing": "skip", "undefined": "skip"},
        {"ties": "worst", "no_relevant": "skip", "keep": 3},
        {"ties": "input", "unreturned": "drop", "keep": 2, "precision": "single"},
    ][seed]
    second = {"second": whole.second} if need == "second" else {}
    judgments = whole.judgments(need)
    options = {"docs": 500, **changes}
    expected = evaluate(judgments, whole.runs, wanted, **options, **second)
    facts = collection_facts(judgments, wanted, docs=500, **second)
    facts = pickle.loads(pickle.dumps(facts))
    scored: list[Any] = []
    for number, part in enumerate(split(whole, chance)):
        second = {"second": part.second} if need == "second" else {}
        found = evaluate(
            part.judgments(need), part.runs, wanted, collection=facts, **options, **second
        )
        if number % 2:
            found.write(tmp_path / f"{number}.parquet")
            scored.append(tmp_path / f"{number}.parquet")
        else:
            scored.append(pickle.loads(pickle.dumps(found)))
    merged = Scores.merge(scored)
    assert_same(merged, expected)
    merged.write(tmp_path / "merged.parquet")
    assert_same(Scores.read(tmp_path / "merged.parquet"), expected)
    if "keep" in changes:
        assert_same_rankings(Scores.read(tmp_path / "merged.parquet"), expected)


def assert_same_rankings(merged: Scores, whole: Scores) -> None:
    here, there = merged.ranked(), whole.ranked()
    assert here.judgments.to_dict() == there.judgments.to_dict()
    for system in whole.systems:
        for name, column in vars(there.hits[system]).items():
            if isinstance(column, np.ndarray):
                assert np.array_equal(getattr(here.hits[system], name), column), name
        for measure in whole.measures:
            if not (measure.text or measure.uses_other_queries):
                values = (measure(of.hits[system]) for of in (here, there))
                assert np.array_equal(*map(bits, values)), measure


def test_every_measure_is_in_the_test() -> None:
    own = {cls for cls in measures() if cls.__module__.startswith("cleverdon.")}
    assert {type(measure) for measure in EVERY} == own
    assert {needs(measure) for measure in EVERY} == set(NEEDS)


@pytest.mark.parametrize(
    ("text", "declared"),
    [
        ("ERR", {"top_grade"}),
        ("ERR(max=4)", set()),
        ("RBP", {"top_grade"}),
        ("RBP(gain=query)", set()),
        ("NERR9", {"top_grade"}),
        ("Hole@10", {"judged_docs"}),
        ("PSP@5", {"positives", "queries"}),
        ("PSP(C=2)@5", {"positives"}),
        ("Fallout", {"docs"}),
        ("WSS@0.95", {"docs"}),
        ("CAM(ERR)", {"top_grade", "top_second"}),
        ("IntentAware(ERR)", {"top_grade"}),
        ("nDCG@10", set()),
    ],
)
def test_measures_declare_what_they_need(text: str, declared: set[str]) -> None:
    assert parse(text).needs_of_collection == declared


def test_only_measures_that_declare_a_need_change_without_it() -> None:
    whole = made(1)
    wanted = of_need(None) + of_need("positives")
    expected = evaluate(whole.grades, whole.runs, wanted, docs=500)
    changed = set()
    for query in whole.grades:
        part = whole.part([query], whole.runs)
        if any(part.runs.values()):
            runs = {name: run for name, run in part.runs.items() if run}
            alone = evaluate(part.grades, runs, wanted, docs=500)
            q = expected.queries.index(query)
            for name in runs:
                s, own = expected.systems.index(name), alone.systems.index(name)
                for m, measure in enumerate(wanted):
                    if not np.array_equal(
                        bits(alone.values[own, m]), bits(expected.values[s, m, q : q + 1])
                    ):
                        changed.add(measure)
    needed = {measure for measure in wanted if measure.needs_of_collection - {"docs"}}
    assert changed <= needed
    assert len(needed - changed) < len(needed) / 4  # the data show what most of them need


def test_bounds_and_repeats(tmp_path: Path) -> None:
    whole = made(2)
    queries = list(dict.fromkeys([*whole.grades, "extra 1", "extra 2"]))
    halves = [whole.part(queries[at::2], whole.runs) for at in range(2)]
    options: dict[str, Any] = {"bounds": True}
    expected = evaluate(whole.grades, whole.runs, "P@5 nDCG@10", **options)
    parts = [
        evaluate(h.grades, h.runs, "P@5 nDCG@10", collection=whole.grades, **options)
        for h in halves
    ]
    for at, part in enumerate(parts):
        part.write(tmp_path / f"{at}.parquet")
    merged = Scores.merge([tmp_path / "1.parquet", tmp_path / "0.parquet"])
    for system in expected.systems:
        for name, bounds in expected.bounds[system].items():
            found = merged.bounds[system][name]
            assert (found.queries, found.over) == (bounds.queries, bounds.over)
            assert found.lowest == pytest.approx(bounds.lowest, abs=1e-12, nan_ok=True)
            assert found.highest == pytest.approx(bounds.highest, abs=1e-12, nan_ok=True)
            assert np.array_equal(found.undefined, bounds.undefined)

    def several(of: Collection) -> dict[str, Any]:
        return {
            "neural": repeats(of.runs["bm25"], of.runs["dense"]),
            "hybrid": of.runs["hybrid"],
        }

    expected = evaluate(whole.grades, several(whole), "P@5 nDCG@10")
    parts = [evaluate(h.grades, several(h), "P@5 nDCG@10", collection=whole.grades) for h in halves]
    for at, part in enumerate(parts):
        part.write(tmp_path / f"{at}.parquet")
    merged = Scores.merge([tmp_path / "1.parquet", tmp_path / "0.parquet"])
    assert np.array_equal(bits(merged.values), bits(expected.values))
    assert np.array_equal(bits(merged.repeats["neural"]), bits(expected.repeats["neural"]))
    plain = [as_plain(scores)["about"]["runs"] for scores in (merged, expected)]
    for run in (run for runs in plain for run in runs.values()):
        run["extra"], run["extra_names"] = 0, []
    assert plain[0] == plain[1]
    assert str(compare(merged)) == str(compare(expected))


def test_what_reads_scores_reads_merged_ones(tmp_path: Path) -> None:
    root = Path(__file__).parents[1] / "examples" / "trec"
    runs = {name: str(root / f"{name}.run") for name in ("bm25", "dense")}
    whole = evaluate(str(root / "qrels.txt"), runs, "nDCG@10 AP ERR", keep=5)
    nested = Judgments.read(str(root / "qrels.txt")).to_dict()
    held = {name: Run.read(path).to_dict() for name, path in runs.items()}
    files = []
    for at in range(3):
        queries = list(nested)[at::3]
        part = evaluate(
            {query: nested[query] for query in queries},
            {name: {q: run[q] for q in queries if q in run} for name, run in held.items()},
            "nDCG@10 AP ERR",
            collection=str(root / "qrels.txt"),
            keep=5,
        )
        files.append(tmp_path / f"{at}.parquet")
        part.write(files[-1])
    merged = Scores.merge(files)
    assert str(merged) == str(whole)
    assert merged.render("csv", per_query=True) == whole.render("csv", per_query=True)
    found, expected = compare(merged), compare(whole)
    assert str(found) == str(expected)
    assert str(claim(found)) == str(claim(expected))
    pages = []
    for comparison in (found, expected):
        comparison.report(tmp_path / "report.html")
        pages.append((tmp_path / "report.html").read_text())
    assert abs(len(pages[0]) - len(pages[1])) < 2000  # only names and hashes of files differ


def merged_by(pool: Callable[..., Iterable[Scores]]) -> Scores:
    qrels = {f"q{n}": {"a": float(n), "b": 1} for n in range(4)}
    facts = collection_facts(qrels, "ERR Hole@2")
    run = {query: {"a": 1.0, "c": 2.0} for query in qrels}
    parts = [({q: qrels[q]}, {q: run[q]}, facts) for q in qrels]
    return Scores.merge(pool(_one_part, *zip(*parts, strict=True)))


def _one_part(qrels: Nested, run: Nested, facts: Any) -> Scores:
    return evaluate(qrels, {"bm25": run}, "ERR Hole@2", collection=facts)


def test_a_pool_of_processes() -> None:
    here = merged_by(map)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        there = merged_by(pool.map)
    assert np.array_equal(bits(here.values), bits(there.values))


class FakeRay(ModuleType):
    """What the guide uses of Ray, by a pool of processes."""

    def __init__(self) -> None:
        super().__init__("ray")
        self.pool = ProcessPoolExecutor(2, mp_context=get_context("spawn"))

    def init(self, num_cpus: int) -> None:
        assert num_cpus == 2

    def put(self, value: Any) -> Any:
        return value

    def remote(self, function: Callable[..., Any]) -> Any:
        def submit(*given: Any, **options: Any) -> Any:
            return self.pool.submit(function, *given, **options)

        return SimpleNamespace(remote=submit)

    def get(self, tasks: list[Any]) -> list[Any]:
        return [task.result() for task in tasks]

    def shutdown(self) -> None:
        self.pool.shutdown()


def test_the_example_with_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    root = Path(__file__).parents[1]
    (block,) = re.findall(
        r"```python\n(import ray\n.*?)```", (root / "docs" / "merging.md").read_text(), re.DOTALL
    )
    monkeypatch.chdir(root)
    if find_spec("ray") is None:
        monkeypatch.setitem(sys.modules, "ray", FakeRay())
    names: dict[str, Any] = {}
    exec(block, names)
    runs = {name: f"examples/trec/{name}.run" for name in ("bm25", "dense")}
    whole = evaluate("examples/trec/qrels.txt", runs, names["measures"])
    assert np.array_equal(bits(names["scores"].values), bits(whole.values))
    assert np.array_equal(bits(names["scores"].means), bits(whole.means))


# Refusals

QRELS: Nested = {"q1": {"a": 1, "b": 3}, "q2": {"a": 2}}
RUN: Nested = {"q1": {"a": 1.0}, "q2": {"a": 1.0, "b": 0.5}}


def one(query: str, measures: str = "AP", name: str = "bm25", **options: Any) -> Scores:
    return evaluate({query: QRELS[query]}, {name: {query: RUN[query]}}, measures, **options)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (list, "there are no scores to merge"),
        (
            lambda: [one("q1"), one("q2", ties="worst")],
            "part 2 has another setting: ties=worst, not ties=descending",
        ),
        (
            lambda: [one("q1"), one("q2", "AP P@1")],
            "part 2 has other measures than part 1: P@1",
        ),
        (
            lambda: [one("q1", "AP P@1"), one("q2", "P@1 AP")],
            "part 2 has other measures than part 1: the same in another order",
        ),
        (
            lambda: [one("q1", profile="ragas"), one("q2", profile="ragas", ties="descending")],
            "part 2 has another setting: ties=descending, not ties=input",
        ),
        (
            lambda: [one("q1"), one("q2", profile="msmarco", order_by="score")],
            "part 2 has another profile than part 1: msmarco, not cleverdon",
        ),
        (
            lambda: [one("q1", docs=10), one("q2", docs=11)],
            "part 2 has another number of documents, docs= than part 1: 11, not 10",
        ),
        (
            lambda: [one("q1"), one("q2"), one("q1")],
            "query 'q1' of 'bm25' is in part 1 and in part 3; parts of one system have different "
            "queries, and two systems have two names",
        ),
        (
            lambda: [one("q1"), one("q2"), one("q1", name="dense")],
            "'dense' lacks query 'q2', which another system has, 1 in all; merge its other parts "
            "as well",
        ),
        (
            lambda: [one("q1"), evaluate({"q1": {"a": 1}}, {"dense": {"q1": {"a": 1}}}, "AP")],
            "parts 1 and 2 have the same queries with other judgments: 2, and 1",
        ),
        (
            lambda: [one("q1", "ERR"), one("q2", "ERR")],
            "ERR depends on the largest grade of the collection, which is 3 in part 1 and 2 in "
            "part 2; evaluate each part with collection=QRELS, all judgments of the collection, or "
            "with their collection_facts",
        ),
        (
            lambda: [one("q1", "Hole@1"), one("q2", "Hole@1")],
            "Hole@1 depends on the documents that are judged for any query of the collection, of "
            "which each part knows only its own; evaluate each part with collection=QRELS, all "
            "judgments of the collection, or with their collection_facts",
        ),
        (
            lambda: [one("q1", keep=1), one("q2")],
            "a part has kept its rankings, and another has not: evaluate all parts with the same "
            "keep=",
        ),
        (
            lambda: [one("q1", collection=QRELS, bounds=True), one("q2", collection=QRELS)],
            "a part of 'bm25' has bounds, and another has not: evaluate all parts in the same way",
        ),
    ],
)
def test_refused(parts: Callable[[], list[Scores]], message: str) -> None:
    with pytest.raises(OptionError) as raised:
        Scores.merge(parts())
    assert str(raised.value) == message


def test_another_version_is_refused() -> None:
    first, second = one("q1"), one("q2")
    second = replace(second, about=replace(second.about, version="0.1"))
    with pytest.raises(OptionError, match=r"another version of Cleverdon than part 1: 0\.1, not"):
        Scores.merge([first, second])


def test_facts_of_another_collection_are_refused() -> None:
    facts = collection_facts({"q2": {"a": 2}}, "ERR PSP@1")
    with pytest.raises(InputError) as raised:
        one("q1", "ERR", collection=facts)
    assert str(raised.value) == (
        "there is a grade of 3, and the largest of the collection is 2: are these facts of "
        "another one?"
    )
    with pytest.raises(InputError, match="document 'b' is relevant for 1 of these queries, and"):
        one("q1", "PSP@1", collection=replace(facts, top_grade=None))
    with pytest.raises(OptionError, match="docs=9, and the collection has 10 documents"):
        one("q1", docs=9, collection=replace(facts, docs=10, top_grade=None))


def test_parts_without_results(tmp_path: Path) -> None:
    empty, blank = tmp_path / "bm25.run", tmp_path / "no_rows.csv"
    empty.touch()
    blank.write_text("query_id,doc_id,score\n")
    for run in ({}, [], str(empty), str(blank)):
        part = evaluate({"q2": QRELS["q2"]}, {"bm25": run}, "ERR", collection=QRELS)
        assert part.about.runs["bm25"].missing == ("q2",)
        merged = Scores.merge([part, one("q1", "ERR", collection=QRELS)])
        assert merged.per_query("bm25", "ERR") == {"q1": 0.125, "q2": 0.0}
    with pytest.raises(InputError, match="is empty"):
        evaluate({"q2": QRELS["q2"]}, {"bm25": str(empty)}, "ERR")


# Files


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"q1 0 d1 1\n", "is no file of scores, which Scores.write writes"),
        (b"PAR1 and no more", "is a damaged file: "),
    ],
)
def test_other_files(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "scores.parquet"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        Scores.read(path)


def test_tables_of_others(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "scores.parquet"
    pq.write_table(pa.table({"query": ["q1"]}), path)
    with pytest.raises(InputError, match="is a Parquet file, and not one of scores"):
        Scores.read(path)
    one("q1").write(path)
    table = pq.read_table(path)
    newer = {
        b"cleverdon": table.schema.metadata[b"cleverdon"].replace(b'"format": 1', b'"format": 9')
    }
    pq.write_table(table.replace_schema_metadata(newer), path)
    with pytest.raises(InputError, match="is of kind cleverdon scores 9, and this Cleverdon reads"):
        Scores.read(path)
    pq.write_table(table.slice(0, 0), path)
    with pytest.raises(InputError, match="is a damaged file of scores: it has 0 rows, and 1 were"):
        Scores.read(path)
    with pytest.raises(InputError, match="there is no such file"):
        Scores.read(tmp_path / "none.parquet")


def test_other_tools_read_the_columns(tmp_path: Path) -> None:
    import polars

    whole = evaluate(QRELS, {"bm25": RUN}, "AP RelString@2")
    whole.write(tmp_path / "scores.parquet")
    frame = polars.read_parquet(tmp_path / "scores.parquet")
    assert frame["query"].to_list() == ["q1", "q2"]
    assert frame["AP"].to_list() == list(whole.per_query("bm25", "AP").values())
    assert frame["RelString@2"].to_list() == whole.texts["bm25"]["RelString@2"]
