"""What a collection is like: by hand, and against counting in plain Python."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import pytest
from hypothesis import given

from cleverdon import Run, evaluate
from cleverdon.collection.description import coverage, describe
from cleverdon.collection.stats import collection_stats
from cleverdon.errors import InputError, OptionError
from cleverdon.rank import rank
from tests.collection.examples import qrels, runs, write_collection


@given(qrels)
def test_judgments_against_plain_python(given: dict[str, dict[str, float]]) -> None:
    found = describe(given, rel=2)
    rows = [(query, doc, grade) for query, docs in given.items() for doc, grade in docs.items()]
    assert found.judged == len([row for row in rows if row[2] >= 0])
    assert found.relevant == len([row for row in rows if row[2] >= 2])
    assert found.unjudged == len([row for row in rows if row[2] < 0])
    assert found.grades == Counter(grade for _, _, grade in rows)
    assert list(found.grades) == sorted(found.grades)
    by_doc = Counter(doc for _, doc, _ in rows)
    assert found.documents == len(by_doc)
    assert found.shared == len([doc for doc, count in by_doc.items() if count > 1])
    assert all(by_doc[doc] == count for doc, count in found.most_shared)
    relevant = Counter(doc for _, doc, grade in rows if grade >= 2)
    assert found.relevant_documents == len(relevant)
    assert found.relevant_to_several == len([n for n in relevant.values() if n > 1])
    for one in found.queries:
        grades = given[one.query].values()
        assert one.relevant == sum(grade >= 2 for grade in grades)
        assert one.judged + one.unjudged == len(grades)


def _rankings(systems: dict[str, Any]) -> dict[str, dict[str, list[str]]]:
    read = {name: Run.read(nested) for name, nested in systems.items()}
    return {
        name: {query: [doc for doc, _ in run.ranking(query)] for query in run.queries}
        for name, run in read.items()
    }


@given(qrels, runs)
def test_runs_against_plain_python(
    given: dict[str, dict[str, float]], systems: dict[str, Any]
) -> None:
    ranked = _rankings(systems)
    if any(given.keys().isdisjoint(of_run) for of_run in ranked.values()):
        with pytest.raises(InputError, match="no query of it has judgments"):
            coverage(given, systems)
        return
    found = coverage(given, systems, ks=[1, 3], depth=4)
    depth: float = float("inf")
    finders: dict[tuple[str, str], set[str]] = {}
    for s, each in enumerate(found.systems):
        of_run = ranked[each.system]
        assert set(each.missing) == {query for query in given if query not in of_run}
        for t, query in enumerate(found.queries):
            docs = of_run.get(query, [])
            for at, k in enumerate((1, 3)):
                open_ = [doc for doc in docs[:k] if given[query].get(doc, -1) < 0]
                assert found.holes[at, s, t] == len(open_)
                assert found.returned[at, s, t] == len(docs[:k])
            outside = [rank for rank, doc in enumerate(docs[:4]) if doc not in given[query]]
            depth = min([depth, *outside])
            for doc in docs[:4]:
                if given[query].get(doc, -1) >= 1:
                    finders.setdefault((query, doc), set()).add(each.system)
        assert each.holes[1] == found.holes[1, s].sum()
    assert found.depth == (None if depth == float("inf") else depth)
    for each in found.systems:
        assert each.relevant == sum(each.system in names for names in finders.values())
        assert each.unique == sum(names == {each.system} for names in finders.values())
    total = sum(grade >= 1 for docs in given.values() for grade in docs.values())
    assert found.unfound == total - len(finders)
    seen = {query for of_run in ranked.values() for query in of_run}
    assert set(found.in_no_run) == given.keys() - seen
    strangers = [of_run.keys() - given.keys() for of_run in ranked.values()]
    assert found.not_judged == max(map(len, strangers))
    assert set(found.not_judged_names) <= seen - given.keys()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("collection")
    write_collection(made)
    return made


@pytest.fixture(scope="module")
def found(folder: Path) -> Any:
    files = [str(folder / f"{name}.run") for name in ("one", "two", "odd")]
    table = str(folder / "topics.csv")
    texts = {"t00": "what is it", "t99": "never judged"}
    return collection_stats(str(folder / "qrels.txt"), files, attributes=table, texts=texts)


def test_hard_queries(found: Any, folder: Path) -> None:
    files = {name: str(folder / f"{name}.run") for name in ("one", "two", "odd")}
    scores = evaluate(str(folder / "qrels.txt"), files, "nDCG@10")
    assert str(found.difficulty.measure) == "nDCG@10"
    means = [one.mean for one in found.difficulty.queries]
    assert means == sorted(means)
    for one in found.difficulty.queries:
        values = {name: scores.per_query(name, "nDCG@10")[one.query] for name in files}
        assert one.mean == pytest.approx(mean(values.values()))
        assert one.spread == pytest.approx(stdev(values.values()))
        assert one.high == max(values.values())
        best = [name for name, value in values.items() if value == one.high]
        assert best == [one.best] if one.best else len(best) > 1


def test_holes_are_what_the_measure_counts(found: Any, folder: Path) -> None:
    files = {name: str(folder / f"{name}.run") for name in ("one", "two", "odd")}
    for k in (5, 20):
        scores = evaluate(str(folder / "qrels.txt"), files, f"Unjudged@{k}")
        holes = found.coverage.holes[found.coverage.ks.index(k)]
        for s, name in enumerate(files):
            by_query = scores.per_query(name, f"Unjudged@{k}")
            expected = [by_query[query] * k for query in found.coverage.queries]
            assert holes[s].tolist() == pytest.approx(expected)


def test_the_system_that_was_not_pooled_is_told_of(found: Any, folder: Path) -> None:
    kinds = {concern.kind: concern for concern in found.concerns}
    uneven = kinds["uneven holes"]
    assert uneven.text.startswith("100% of the first 10 results of odd are not judged, and 0% of")
    qrels = folder / "qrels.txt"
    assert f"pool make {folder / 'odd.run'} -k 10 --judged {qrels}" in uneven.command
    assert "bpref" in uneven.command
    assert "few queries" not in kinds
    assert found.coverage.depth == 0
    assert {each.system: each.depth for each in found.coverage.systems} == {
        "one": None,
        "two": None,
        "odd": 0,
    }


def test_kinds_and_texts_of_queries(found: Any) -> None:
    assert [(kind.value, kind.queries) for kind in found.kinds] == [("de", 10), ("en", 20)]
    assert sum(kind.relevant for kind in found.kinds) == found.described.relevant
    assert found.not_judged == ("t99",)
    assert found.not_described == ()


def test_reusability_is_in_the_table(found: Any) -> None:
    assert found.reuse is not None
    assert {one.system for one in found.reuse.systems} == {"one", "two", "odd"}
    assert "if not pooled" in str(found)


def test_measure_follows_from_grades() -> None:
    run = {"q1": {"a": 1.0}}
    for grade, asked, measure in ((0, None, "AP"), (2, None, "nDCG@10"), (2, "RR", "RR")):
        hard = collection_stats({"q1": {"a": 1, "b": grade}}, run, measure=asked).difficulty
        assert hard is not None
        assert str(hard.measure) == measure


def test_the_measure_counts_from_the_lowest_relevant_grade() -> None:
    qrels = {"q1": {"a": 1, "b": 2, "c": 3}, "q2": {"b": 2}}
    run = {"q1": {"a": 3.0, "b": 2.0}, "q2": {"b": 1.0}}
    hard = collection_stats(qrels, run, rel=2).difficulty
    assert hard is not None
    assert str(hard.measure) == "AP(rel=2)"
    assert {one.query: one.mean for one in hard.queries} == {"q1": 0.25, "q2": 1.0}


def test_no_system_is_best_where_all_tie() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    x, y = ({"q1": {"a": 1.0}, "q2": {doc: 1.0}} for doc in "ab")
    tied = collection_stats(qrels, {"x": x, "y": y}, measure="RR")
    assert tied.difficulty is not None
    assert [(each.query, each.best) for each in tied.difficulty.queries] == [
        ("q2", "x"),
        ("q1", None),
    ]
    rows = str(tied.by_query()).splitlines()
    assert [row.split()[-1] for row in rows[2:4]] == ["-", "x"]
    assert [row["best"] for row in csv.DictReader(io.StringIO(tied.by_query().render("csv")))] == [
        "",
        "x",
    ]


def test_no_system_is_best_where_several_are() -> None:
    x, y = ({"q1": {doc: 1.0}} for doc in "ab")
    tied = collection_stats({"q1": {"a": 1}}, {"x": x, "y": y, "z": x}, measure="RR")
    assert tied.difficulty is not None
    assert tied.difficulty.queries[0].best is None


def test_runs_are_called_as_where_they_are_evaluated() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    run = {"q1": {"a": 1.0}}
    for systems in (run, [run, run], Run.read(run, name="mine"), {"x": run}):
        alone = collection_stats(qrels, systems)
        assert alone.coverage is not None
        names = tuple(each.system for each in alone.coverage.systems)
        assert names == evaluate(qrels, systems, "AP").systems
    with pytest.raises(InputError, match="two runs are called 'mine'"):
        collection_stats(qrels, [Run.read(run, name="mine"), Run.read(run, name="mine")])


def test_a_run_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def counting(*arguments: Any, **options: Any) -> Any:
        found = rank(*arguments, **options)
        read.append(found.name)
        return found

    monkeypatch.setattr("cleverdon.pooling.recall.judged_results.rank", counting)
    x, y = ({"q1": {doc: 1.0}} for doc in "ab")
    collection_stats({"q1": {"a": 1}}, iter([x, y]))
    assert read == ["run 1", "run 2"]


def test_runs_by_their_ranks(tmp_path: Path) -> None:
    file = tmp_path / "x.run"
    file.write_text("q1 Q0 a 1 1.0 x\nq1 Q0 b 2 9.0 x\n")
    found = {
        order: collection_stats({"q1": {"a": 1, "b": 0}}, file, order_by=order).difficulty
        for order in ("score", "rank")
    }
    assert {order: each and each.queries[0].mean for order, each in found.items()} == {
        "score": 0.5,
        "rank": 1.0,
    }


def test_concerns_of_judgments_alone() -> None:
    only = collection_stats({"q1": {"a": 1}, "q2": {"b": 1}})
    assert [concern.kind for concern in only.concerns] == [
        "few queries",
        "few relevant documents",
        "only relevant documents",
    ]
    assert (only.coverage, only.difficulty, only.reuse) == (None, None, None)
    none = collection_stats({"q1": {"a": 0}})
    assert "no judgment has a grade of 1 or more; the highest is 0" in none.concerns[1].text
    some = collection_stats({"q1": {"a": 2}, "q2": {"a": 3}}, rel=3).concerns[1]
    assert "1 query of 2 without a relevant document (q1)" in some.text
    assert "--min-relevant 1 --rel 3 -o FILE" in some.command
    shared = collection_stats({f"q{i}": {"a": 1, f"b{i}": 0} for i in range(30)})
    assert [concern.kind for concern in shared.concerns] == [
        "few relevant documents",
        "documents of several queries",
    ]


def test_concerns_of_queries_and_of_one_finder() -> None:
    given = {f"q{i}": {f"{i}{doc}": 1.0 for doc in "abcdefgh"} | {"n": 0.0} for i in range(30)}
    good = {q: dict.fromkeys(docs, 1.0) for q, docs in given.items() if q != "q0"}
    poor = {q: {"n": 1.0} for q in good} | {"new": {"x": 1.0}}
    del poor["q1"]
    kinds = {
        concern.kind: concern.text
        for concern in collection_stats(given, {"g": good, "p": poor}).concerns
    }
    assert "1 judged query in no run (q0)" in kinds["judged, in no run"]
    assert "1 query of a run not judged (new)" in kinds["in runs, not judged"]
    assert "such as p (q0, q1)" in kinds["queries missing from runs"]
    told = kinds["one system's relevant documents"]
    assert told.startswith("232 of 240 relevant documents were returned by g alone")


def test_all_formats(found: Any) -> None:
    text = str(found)
    assert "warning: 100% of the first 10 results of odd" in text
    assert "queries by language" in text
    assert "hardest queries" in text
    assert "what is it" in str(found.by_query())
    whole = json.loads(found.render("json"))
    assert whole["coverage"]["systems"][2]["shares"][1] == 1.0
    assert whole["queries"][0]["scores"]["best"] in ("one", "two", "odd")
    assert found.to_csv().splitlines()[:2] == ["judgments,count", "queries,30"]
    systems = {row["system"]: row for row in csv.DictReader(io.StringIO(found.to_csv("systems")))}
    assert systems["odd"]["holes@10"] == "1.0"
    table = list(csv.DictReader(io.StringIO(found.by_query().render("csv"))))
    assert sum(int(row["relevant"]) for row in table) == found.described.relevant
    assert float(table[0]["nDCG@10"]) == whole["queries"][0]["scores"]["mean"]
    assert json.loads(found.by_query().to_json()) == {"queries": whole["queries"]}
    assert "## systems" in found.render("markdown")


def test_the_table_of_holes(found: Any) -> None:
    rows = list(csv.DictReader(io.StringIO(found.holes(10).render("csv"))))
    assert len(rows) == 30
    assert {(row["odd"], row["one"]) for row in rows} == {("10", "0")}
    assert json.loads(found.holes(5).render("json"))["holes"]["odd"]["t00"] == 5
    with pytest.raises(OptionError, match="were not counted"):
        str(found.holes(7))


def test_pooled_and_not_judged_is_in_the_pool() -> None:
    found = coverage({"q1": {"a": -1, "b": 1}}, {"q1": {"a": 3, "b": 2, "c": 1}}, ks=[2])
    assert found.depth == 2
    assert found.systems[0].holes == (1,)


def test_mistakes() -> None:
    with pytest.raises(OptionError, match="names an attribute of queries"):
        collection_stats({"q1": {"a": 1}}, by="language")
    with pytest.raises(OptionError, match="ks=0: expected a whole number from 1 on"):
        coverage({"q1": {"a": 1}}, {"q1": {"a": 1.0}}, ks=[0])
    with pytest.raises(OptionError, match="does not say which queries are hard"):
        collection_stats({"q1": {"a": 1}}, {"q1": {"a": 1.0}}, measure="Judged@1")


def test_no_query_is_hard_where_nothing_is_relevant() -> None:
    runs = {"x": {"q1": {"a": 1.0}}, "y": {"q1": {"b": 1.0}}}
    found = collection_stats({"q1": {"a": 0, "b": 0}}, runs)
    assert found.difficulty is None
    assert "no relevant documents" in [concern.kind for concern in found.concerns]
    assert "nan" not in str(found)
    with pytest.raises(OptionError, match=r"Fallout has no value: .* --docs N"):
        collection_stats({"q1": {"a": 1, "b": 0}}, runs, measure="Fallout")
