"""What watching tells, by hand on small data, and against the code that it is made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from math import isnan
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import insert

from cleverdon.arrays import Floats
from cleverdon.assess.exporting.assessors import by_assessor
from cleverdon.assess.importing.importing import Importing, import_file
from cleverdon.assess.people.accounts import person_named
from cleverdon.assess.people.auditing import COMMAND_LINE
from cleverdon.assess.project import POOL, Project
from cleverdon.assess.setup.assigning import assign, remove
from cleverdon.assess.store.schema import judgments, people
from cleverdon.assess.watching import agreement
from cleverdon.assess.watching import agreement_rows as rows
from cleverdon.assess.watching.agreement import beside_people, live_agreement
from cleverdon.assess.watching.attention import attention
from cleverdon.assess.watching.beyond import Systems
from cleverdon.assess.watching.drawing import RESAMPLES
from cleverdon.assess.watching.drift import Distance, drift_of, drifts
from cleverdon.assess.watching.facts import Aside, Facts, Grading, read_facts
from cleverdon.assess.watching.grading import grades_of
from cleverdon.assess.watching.labels import label_rows, labels_of
from cleverdon.assess.watching.pace import HOUR, pace_of, speed_of
from cleverdon.assess.watching.progress import progress_of
from cleverdon.assess.watching.recall import LiveRecall, item_grades, live_recall
from cleverdon.assess.watching.sentences import drifted, left_out, warnings
from cleverdon.assess.watching.watch import Watch
from cleverdon.assess.watching.watched import watched
from cleverdon.assess.watching.work import workers
from cleverdon.assess.web.app import make_app
from cleverdon.errors import InputError
from cleverdon.judge import Labels, agree
from cleverdon.pool import depth_pool, gather
from cleverdon.pool.file import write_pool
from cleverdon.pool.recall import recall
from cleverdon.pool.recall.hypergeometric import relevant_interval
from tests.assess.facts import made_facts, simulated
from tests.assess.judged import GRADES, give, judged_project
from tests.assess.making import browser, made_project


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    with judged_project(tmp_path_factory.mktemp("watching") / "project") as made:
        with made.database.writing() as connection:
            gpt = connection.execute(people.select().where(people.c.name == "gpt")).one().id
            row = {"person_id": gpt, "event_id": 1, "grade": 3, "flagged": False, "made_at": 0.0}
            connection.execute(insert(judgments), [{**row, "item_id": item} for item in (1, 2, 3)])
        yield made


def test_labels_are_of_people_unless_others_are_asked_for(judged: Project) -> None:
    with judged.database.reading() as connection:
        labels = labels_of(label_rows(connection))
        assert set(labels.judges) == {"ann", "bob", "Cyd X"}
        assert len(list(label_rows(connection))) == sum(map(len, GRADES.values()))
        with_model = labels_of(label_rows(connection, ("person", "model"), topics=["t1"]))
        assert "gpt" in with_model.judges
        assert with_model.topics == ("t1",)
        assert labels_of(label_rows(connection, people=["bob"])).judges == ("bob",)
        with pytest.raises(InputError, match="no judgments"):
            labels_of(label_rows(connection, people=[]))


def test_agreement_is_that_of_the_exported_qrels(judged: Project) -> None:
    with judged.database.reading() as connection:
        exported = by_assessor(connection)
        live = live_agreement(list(label_rows(connection)))
    assert live.shared == 5
    expected = agree(
        Labels.of(exported),
        coefficients=("agreement", "kappa", "fleiss", "alpha-ordinal"),
        resamples=RESAMPLES,
    )
    for name, number in rows.overall(live).items():
        assert number.value == pytest.approx(expected.overall[name].value)
    for pair in live.pairs:
        other = expected.pair(pair.first, pair.second)
        assert pair.items == other.items
        for name, estimate in pair.estimates.items():
            value = other.estimates[name].value
            assert estimate.value == pytest.approx(value, nan_ok=True)
    of_pairs = {frozenset((row.first, row.second)): row for row in rows.pair_rows(live)}
    few = of_pairs[frozenset(("bob", "Cyd X"))].numbers["kappa"]
    assert few.value is None
    assert few.why == "agreement needs 5 documents that two have judged: 2 so far"


def test_a_large_team_agrees_as_a_small_one_would(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreement, "MOST_PAIRS", 10)
    facts = simulated(judges=13, topics=6, documents=10, overlap=0.4)
    live = live_agreement(facts.human)
    whole = agree(
        Labels.of_rows((r.judge, r.topic, r.document, float(r.grade)) for r in facts.human),
        coefficients=("agreement", "kappa", "fleiss", "alpha-ordinal"),
        per_query=True,
        resamples=RESAMPLES,
    )
    numbers = rows.overall(live)
    for name in ("agreement", "fleiss", "alpha-ordinal"):
        estimate = whole.overall[name]
        assert numbers[name].value == pytest.approx(estimate.value)
        assert numbers[name].low == pytest.approx(estimate.interval.low)
    assert "pairs" in numbers["kappa"].why
    assert len(live.pairs) == 10
    for pair in live.pairs[::3]:
        expected = whole.pair(pair.first, pair.second)
        assert (pair.items, pair.topics) == (expected.items, expected.topics)
        assert pair.estimates["kappa"].value == pytest.approx(expected.estimates["kappa"].value)
    assert len(live.pairs) + live.more_pairs == sum(pair.items > 0 for pair in whole.pairs)
    assert {one.topic: one.items for one in whole.topics} == {
        one.topic: one.documents for one in rows.topic_rows(live)
    }


def test_two_topics_do_not_make_an_interval() -> None:
    # On each topic ten of twenty agree: drawn over topics, the interval would be a point.
    ann = dict.fromkeys(range(1, 41), 0)
    bob = {item: item % 2 for item in ann}
    live = live_agreement(made_facts({"ann": ann, "bob": bob}, topics=2, documents=20).human)
    (pair,) = rows.pair_rows(live)
    for share in (rows.overall(live)["agreement"], pair.numbers["agreement"]):
        assert share.value == 0.5
        # Of 40 documents: the normal interval is 0.345 to 0.655.
        assert share.low == pytest.approx(0.345, abs=0.03)
        assert share.high == pytest.approx(0.655, abs=0.03)
    assert (pair.documents, pair.topics) == (40, 2)
    assert [one.documents for one in rows.topic_rows(live)] == [20, 20]


def test_a_model_stands_beside_people_and_never_among_them() -> None:
    facts = simulated(judges=3, topics=4)
    given = {row.item: 3 for row in facts.human}
    extra = made_facts({"m": given}, topics=4, documents=12, models=["m"])
    with_model = replace(facts, labels=(*facts.labels, *extra.labels))
    before, after = (watched(each, Systems(Path("nowhere"))) for each in (facts, with_model))
    assert rows.overall(before.agreement) == rows.overall(after.agreement)
    assert (before.grades, before.drifts, before.work) == (after.grades, after.drifts, after.work)
    assert before.recall == after.recall
    (beside,) = beside_people(with_model)
    assert set(beside.people) == {"p0", "p1", "p2"}
    kappa = next(one for one in rows.beside_rows(beside) if one.coefficient == "kappa")
    assert kappa.verdict == "less"
    assert kappa.with_people.value == pytest.approx(0)
    assert [one.difference.value for one in rows.given_rows(beside)] == [3, 2, 1, 0]
    few = replace(facts, labels=(*facts.labels, *extra.labels[:2]))
    assert "2 so far" in beside_people(few)[0].why


def test_progress_counts_what_is_wanted_and_done() -> None:
    facts = made_facts({"ann": {1: 0, 2: 1}, "bob": {1: 1}, "cat": {1: 0}}, rulings={1: 0})
    facts = replace(
        facts,
        asides=(
            Aside("bob", 2, graded=False, skipped=True, flagged=False),
            Aside("bob", 3, graded=False, skipped=True, flagged=True),
        ),
    )
    whole, (topic,) = progress_of(facts)
    assert (whole.documents, whole.wanted, whole.done, whole.left) == (10, 20, 3, 17)
    assert (whole.complete, whole.judged, whole.settled) == (1, 2, 1)
    assert (whole.skipped, whole.given_up, whole.flagged) == (2, 1, 1)
    assert topic.progress == whole
    work = {one.judge: one for one in workers(facts)}
    # Nine are open to ann but for the one she judged; bob also skipped two.
    assert (work["ann"].open, work["bob"].open, work["cat"].open) == (8, 7, 9)
    assert work["bob"].skipped == 2


def test_a_ruling_settles_what_everybody_skipped() -> None:
    facts = made_facts({"ann": dict.fromkeys(range(1, 10), 1)})
    skipped = Aside("ann", 10, graded=False, skipped=True, flagged=False)
    facts = replace(
        facts, items=tuple(item._replace(wanted=1) for item in facts.items), asides=(skipped,)
    )
    whole, _ = progress_of(facts)
    assert (whole.done, whole.complete, whole.given_up) == (9, 9, 1)
    facts = replace(facts, rulings={10: 3})
    whole, _ = progress_of(facts)
    assert (whole.done, whole.left, whole.complete, whole.given_up) == (10, 0, 10, 0)
    assert not any("skipped" in told for told in warnings(watched(facts, Systems(Path("no")))))


def test_gold_is_for_attention_and_not_for_agreement() -> None:
    # They differ on every other document, and never on gold, which somebody chose.
    ann = dict.fromkeys(range(1, 31), 1)
    bob = {item: 1 if item > 20 else item % 2 for item in ann}
    given = {"ann": ann, "bob": bob, "m": dict.fromkeys(ann, 1)}
    gold = dict.fromkeys(range(21, 31), 1)
    facts = made_facts(given, documents=30, models=["m"], gold=gold)
    live = live_agreement(facts.human)
    assert (live.shared, live.gold) == (20, 10)
    assert rows.overall(live)["agreement"].value == 0.5
    (beside,) = beside_people(facts)
    share = next(one for one in rows.beside_rows(beside) if one.coefficient == "agreement")
    assert (share.among_people.value, share.among_people.of) == (0.5, 20)
    assert (share.with_people.value, share.with_people.of) == (0.75, 20)
    assert share.difference.of == 20
    only_gold = made_facts(given, documents=30, gold=dict.fromkeys(range(1, 28), 1))
    assert live_agreement(only_gold.human).why == (
        "agreement needs 5 documents that two have judged, gold left out: 3 so far"
    )


def test_pace_leaves_pauses_out_and_takes_the_median() -> None:
    moments = [0, 30, 60, 90, 120, 150, 5_000, 5_030]
    seconds = [5, 6, 7, 8, 9, 10, 4_000, None]
    gradings = [
        Grading("ann", place, second, moment)
        for place, (moment, second) in enumerate(zip(moments, seconds, strict=True))
    ]
    speed = speed_of(gradings)
    assert speed.per_hour.value == pytest.approx(120)
    assert speed.seconds.value == 8
    assert speed_of(gradings[:3]).per_hour.why
    pace = pace_of(gradings)
    assert (pace.width, pace.counts) == (HOUR, (6, 2))
    late = [*gradings, Grading("ann", 9, None, 100 * HOUR)]
    assert pace_of(late).width == 6 * HOUR
    assert pace_of([]).counts == ()


def test_grades_are_counted_on_the_scale() -> None:
    facts = made_facts({"ann": {1: 0, 2: 1, 3: 3, 4: 3}})
    found = grades_of(facts.human, facts.scale)
    assert found.counts == (1, 1, 0, 2)
    assert found.relevant.value == 0.75
    assert grades_of([], facts.scale).relevant.why == "no grade was given yet"


def test_gold_documents_check_attention() -> None:
    gold = dict.fromkeys(range(1, 21), 2)
    careless = {item: 2 if item <= 6 else 0 for item in gold}
    facts = made_facts({"ann": gold, "bob": careless}, documents=20, gold=gold)
    ann, bob = attention(facts)
    assert (ann.right.value, ann.low) == (1.0, False)
    assert (bob.right.value, bob.low) == (0.3, True)
    assert bob.right.high == pytest.approx(0.519, abs=1e-3), "Wilson's"
    told = warnings(watched(facts, Systems(Path("nowhere"))))
    assert any(sentence.startswith("bob gave 30% of 20 gold documents") for sentence in told)
    assert attention(made_facts({"ann": {1: 0}})) == ()


def test_drift_is_found_and_said() -> None:
    facts = simulated(stricter=0.8, topics=24, documents=10)
    first, *others = [one for one in drifts(facts) if one.against == "others"]
    assert first.told == "stricter"
    assert drifted(first).startswith("p0 has become stricter: against the others' grades")
    assert first.change.value is not None
    assert first.change.value < -0.3
    assert all(one.change.value is not None for one in others)


def test_drift_is_rarely_told_where_there_is_none() -> None:
    teams = [simulated(topics=8, documents=10, seed=seed) for seed in range(60)]
    told = sum(any(one.told for one in drifts(team)) for team in teams)
    assert told <= 8, "5% of teams: more than 8 of 60 would be told in 1 of 100 tries"


def distances(values: Floats, *, interleaved: bool = True) -> list[Distance]:
    """Of documents x topics, judged topic by topic or one of each topic at a time."""
    documents, topics = values.shape
    return [
        Distance(f"t{topic}", at * topics + topic if interleaved else topic * documents + at, value)
        for (at, topic), value in np.ndenumerate(values)
    ]


@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize("shape", [(2, 25), (2, 10), (3, 10), (4, 10), (40, 1)])
def test_few_documents_of_a_topic_are_not_taken_for_drift(
    shape: tuple[int, int], *, interleaved: bool
) -> None:
    random = np.random.default_rng(0)

    def told(change: float) -> int:
        """Of 400 people, whose grades change by so much in the second half of each topic."""
        found = 0
        for _ in range(400):
            errors = random.choice([-1, 0, 1], p=[0.15, 0.7, 0.15], size=(4, *shape))
            above = errors[0] - errors[1:].mean(axis=0) + random.normal(0, 0.5, shape[1])
            above[shape[0] // 2 :] += change
            rows = distances(above, interleaved=interleaved)
            found += drift_of("ann", "others", rows).told != ""
        return found

    assert told(0) <= 32, "5% of 400: more than 32 would be told in 1 of 200 tries"
    if interleaved:
        assert told(1) >= 300


def test_drift_is_measured_by_least_squares() -> None:
    values = np.random.default_rng(0).normal(size=(3, 10))
    # A level for each topic, and the change, by the normal equations.
    design = np.hstack([np.tile(np.eye(10), (3, 1)), np.repeat([[0], [1], [1]], 10, axis=0)])
    fitted, (squares,), _, _ = np.linalg.lstsq(design, values.ravel(), rcond=None)
    error = np.sqrt(squares / (30 - 11) * np.linalg.inv(design.T @ design)[10, 10])
    found = drift_of("ann", "gold", distances(values))
    assert found.change.value == pytest.approx(fitted[10])
    assert found.change.low == pytest.approx(fitted[10] - 2.0930 * error, rel=1e-4)
    assert found.early == pytest.approx(fitted[:10].mean())


def test_drift_needs_topics_with_several_documents() -> None:
    alone = [Distance(f"t{at}", float(at), at % 3) for at in range(30)]
    found = drift_of("ann", "others", alone)
    assert (found.early, found.told) == (None, "")
    assert found.change.why == "drift needs 20 documents of topics with two or more: 0 so far"
    # A third lower in every second half: there is no spread to judge it by.
    steady = np.arange(10) - np.array([[0], [1 / 3]])
    found = drift_of("ann", "others", distances(steady))
    assert found.change.value == pytest.approx(-1 / 3)
    assert (found.told, found.change.low) == ("", None)


def test_topics_are_not_taken_for_drift() -> None:
    # On the first topic somebody is above the others throughout, on the second below.
    rows = [
        Distance(f"t{at // 40}", float(at), (-1) ** (at // 40) + at % 3 / 3) for at in range(80)
    ]
    found = drift_of("ann", "others", rows)
    assert found.told == ""
    assert found.change.value == pytest.approx(0, abs=0.1)
    assert drift_of("ann", "others", rows[:9]).change.why.endswith("9 so far")


def test_recall_within_a_shuffled_pool_is_hypergeometric() -> None:
    graded = {item: int(item <= 6) for item in range(1, 21)}
    facts = made_facts({"ann": graded}, documents=50)
    found = live_recall(facts, item_grades(facts))
    low, high = relevant_interval(50, 20, 6)
    assert found.way == "order"
    assert (found.all.judged, found.all.relevant) == (20, 6)
    assert found.all.estimate.value == pytest.approx(15)
    assert (found.all.estimate.low, found.all.estimate.high) == (low, high)
    assert found.all.recall.value == pytest.approx(0.4)
    assert found.all.decision == "go on"
    whole = made_facts({"ann": dict.fromkeys(range(1, 51), 1)}, documents=50)
    assert live_recall(whole, item_grades(whole)).all.decision == "stop"


def test_topics_that_nobody_began_are_not_passed_over() -> None:
    facts = made_facts({"ann": {item: item % 2 for item in range(1, 11)}}, topics=3)
    found = live_recall(facts, item_grades(facts))
    assert found.topics["t1"].decision == "stop"
    assert found.without == ("t2", "t3")
    assert found.all.decision == "open"
    assert found.all.advice.startswith("Not decided: nothing can be told yet of 2 topics; of the")
    gold = replace(facts, items=tuple(item._replace(gold=0) for item in facts.items))
    assert live_recall(gold, item_grades(gold)).all.documents == 0, "gold is no part of the pool"


def test_what_was_imported_is_no_sample_of_the_pool(tmp_path: Path) -> None:
    with made_project(tmp_path / "project", topics=1, documents=100, wanted=2) as project:
        own, others = tmp_path / "own.qrels", tmp_path / "others.qrels"
        own.write_text("".join(f"t1 0 d{n} 1\n" for n in range(1, 11)) + "t1 0 new 1\n")
        import_as = partial(import_file, project, actor=COMMAND_LINE)
        import_as(str(own), Importing(kind="person", name="ann", add=True))

        def told() -> LiveRecall:
            with project.database.reading() as connection:
                facts = read_facts(connection, project.scale)
            return live_recall(facts, item_grades(facts))

        advice = "Not decided: nothing is judged yet, but what was imported."
        assert told().all.advice == advice
        # Bob comes upon two of them, and finds two more in the 18 others.
        give(project, {"bob": {("t1", f"d{n}"): int(n <= 12) for n in range(9, 29)}})
        found = told().all
        assert (found.documents, found.judged, found.relevant) == (90, 18, 2)
        assert found.estimate.value == pytest.approx(90 / 9)
        # What came up by itself stays in the sample, if somebody's grade of it is imported later.
        others.write_text("t1 0 d11 2\n")
        import_as(str(others), Importing(kind="person", name="ann"))
        assert told().all == found
        give(project, {"bob": {("t1", f"d{n}"): 0 for n in range(29, 101)}})
        whole = told().all
        assert (whole.documents, whole.relevant, whole.decision) == (100, 12, "stop")
        assert whole.left_out == 1, "the one that is not from the pool"


@pytest.mark.parametrize("kind", ["earlier", "model", "person"])
def test_what_an_import_adds_is_no_part_of_the_pool(tmp_path: Path, kind: str) -> None:
    with made_project(tmp_path / "project", topics=1, documents=100) as project:
        give(project, {"bob": {("t1", f"d{n}"): int(n <= 3) for n in range(1, 19)}})

        def told() -> LiveRecall:
            with project.database.reading() as connection:
                facts = read_facts(connection, project.scale)
            return live_recall(facts, item_grades(facts))

        before = told().all
        assert before.recall.value == pytest.approx(0.18)
        file = tmp_path / "more.qrels"
        file.write_text("".join(f"t1 0 new{n} 2\n" for n in range(20)))
        how = Importing(kind=kind, name="ann" if kind == "person" else "x", add=True)
        import_file(project, str(file), how, actor=COMMAND_LINE)
        assert told().all == replace(before, left_out=20)
        give(project, {"bob": {("t1", f"new{n}"): 2 for n in range(20)}})
        assert told().all == replace(before, left_out=20), "whoever judges it"
        page = browser(make_app(project), "vic").get("/dashboard").text
        assert "Of 18 that are judged, out of 100 of the pool. 20 documents that somebody" in page
        found = Watch(project).now()
        assert left_out(found.recall.all) == (
            "20 documents that somebody chose, as gold or by an import, are left out of recall."
        )
        assert (found.progress.done, found.progress.wanted) == (38, 120)


def test_recall_of_a_sampled_pool_weighs_by_probability() -> None:
    drawn = {item: 1.0 if item <= 4 else 0.25 for item in range(1, 13)}
    graded = {item: int(item in (1, 2, 5)) for item in range(1, 13)}
    facts = made_facts({"ann": graded}, documents=12, drawn=drawn)
    found = live_recall(facts, item_grades(facts))
    assert found.way == "sample"
    assert found.all.estimate.value == pytest.approx(2 + 1 / 0.25)
    assert found.all.recall.value == pytest.approx(3 / 6)
    assert found.all.recall.low is not None
    assert found.all.recall.low < 0.5


def test_an_adaptive_pool_is_told_by_its_yield() -> None:
    graded = {item: int(item <= 10) for item in range(1, 31)}
    facts = made_facts({"ann": graded}, documents=60, adaptive=True)
    found = live_recall(facts, item_grades(facts))
    assert found.topics["t1"].last.value == 0
    assert "none of the last 20" in found.topics["t1"].advice
    assert found.all.decision == "stop"
    assert found.all.recall.value is None
    two = made_facts({"ann": graded}, topics=2, documents=60, adaptive=True)
    assert live_recall(two, item_grades(two)).all.advice == (
        "Not decided: of 2 topics, 1 may stop, 0 should go on, and of 1 it cannot be told yet."
    )
    assert "adaptive" in found.all.recall.why
    few = made_facts({"ann": {1: 1}}, documents=60, adaptive=True)
    assert live_recall(few, item_grades(few)).topics["t1"].advice == (
        "Not decided: the yield is that of 20 judged documents, and there are 1."
    )
    early = made_facts({"ann": dict.fromkeys(range(1, 26), 1)}, documents=60, adaptive=True)
    assert live_recall(early, item_grades(early)).topics["t1"].decision == "go on"


@pytest.mark.parametrize(
    ("judged", "advice"),
    [
        (10, "Stop: all that was given out is judged."),
        (9, "Go on until it is done: 1 document is still to be judged, and no more will come."),
        (
            30,
            "Stop: all that was given out is judged. 20 of the last 20 documents were relevant, so "
            "the pool may well hold more.",
        ),
    ],
)
def test_a_topic_that_ended_is_not_waited_for(judged: int, advice: str) -> None:
    given = dict.fromkeys(range(1, judged + 1), 1)
    facts = made_facts({"ann": given}, documents=60, adaptive=True, endings={"t1": "budget"})
    out = max(judged, 10)
    facts = replace(
        facts, items=tuple(item._replace(given_out=item.id <= out) for item in facts.items)
    )
    found = live_recall(facts, item_grades(facts))
    assert found.topics["t1"].advice == advice
    assert found.topics["t1"].decision == advice.partition(":")[0].partition(" until")[0].lower()
    assert found.all.decision == found.topics["t1"].decision
    progress, _ = progress_of(facts)
    assert (progress.not_given_out, progress.never_given_out) == (0, 60 - out)
    going, _ = progress_of(replace(facts, endings={}))
    assert (going.not_given_out, going.never_given_out) == (60 - out, 0)


def test_rulings_come_before_votes() -> None:
    facts = made_facts({"a": {1: 3, 2: 1}, "b": {1: 3, 2: 0}}, rulings={1: 0})
    assert item_grades(facts) == {1: 0, 2: 0}


def test_what_the_pool_missed_is_told_as_by_the_command(tmp_path: Path) -> None:
    runs = {
        name: {"t1": {f"d{doc}": 1 / (place + 1) for place, doc in enumerate(docs)}}
        for name, docs in {"x": [1, 2, 3, 4], "y": [2, 1, 5, 6], "z": [1, 3, 7, 8]}.items()
    }
    write_pool(depth_pool(gather(runs), k=4), tmp_path / POOL)
    graded = {doc: int(doc != 8) for doc in range(1, 9)}
    facts = made_facts({"ann": graded}, documents=8)
    found = Systems(tmp_path).beyond(facts, item_grades(facts))
    judged = {"t1": {f"d{doc}": grade for doc, grade in graded.items()}}
    best = recall(judged, runs, depth=4, reusing=False).best
    assert best is not None
    value, low, high = best.all.recall()
    assert (found.recall.value, found.recall.low, found.recall.high) == (value, low, high)
    assert found.sentences[0].startswith("By what systems found in common")
    part = made_facts({"ann": graded}, documents=80)
    said = Systems(tmp_path).beyond(part, item_grades(part)).sentences[0]
    assert "8 of the pool's 80 documents are judged" in said
    few = Systems(tmp_path).beyond(facts, {1: 1})
    assert few.recall.why == "it needs 5 relevant documents: 1 so far"
    assert "which systems" in Systems(tmp_path / "no").beyond(facts, {}).recall.why


def test_nothing_is_computed_again_until_something_changes(judged: Project) -> None:
    watch = Watch(judged, share=1, quick=60)
    first = watch.now()
    assert watch.now() is first
    give(judged, {"ann": {("t2", "d1"): 1}})
    second = watch.now()
    assert second.progress.done == first.progress.done + 1
    slow = Watch(judged, share=1e-9)
    known = slow.now()
    give(judged, {"ann": {("t2", "d2"): 1}})
    assert slow.now() is known, "what took long is shown for a while"


def test_what_takes_long_is_computed_by_another_process(judged: Project) -> None:
    watch = Watch(judged, share=1, quick=0)
    here = watch.now()
    give(judged, {"ann": {("t2", "d3"): 1}})
    apart = watch.now()
    assert apart.progress.done == here.progress.done + 1
    process = watch._apart._process
    assert process is not None
    process.kill()
    give(judged, {"ann": {("t2", "d4"): 1}})
    assert watch.now().progress.done == apart.progress.done + 1, "computed here instead"


def test_a_large_project_is_computed_by_another_process_from_the_first(judged: Project) -> None:
    watch = Watch(judged, small=1)
    assert watch.now().progress.done
    assert watch._apart._process is not None


def test_nobody_waits_while_somebody_computes(judged: Project) -> None:
    watch = Watch(judged)
    known = watch.now()
    with watch._lock:
        assert watch.now() is known


def test_a_topic_that_changes_hands_is_seen(judged: Project) -> None:
    watch = Watch(judged, share=1, quick=60)
    opened = {one.judge: one.open for one in watch.now().work}
    with judged.database.writing() as connection:
        for change, name in ((remove, "ann"), (assign, "eve")):
            change(connection, COMMAND_LINE, "t2", person_named(connection, name))
    found = {one.judge: one.open for one in watch.now().work}
    assert found["ann"] < opened["ann"]
    assert found["eve"] > 0


def test_an_empty_project_says_why_there_is_nothing() -> None:
    found = watched(made_facts({}), Systems(Path("nowhere")))
    assert rows.overall(found.agreement)["kappa"].why.endswith("0 so far")
    assert found.recall.all.advice == "Not decided: nothing is judged yet."
    assert (found.work, found.drifts, found.beside) == ((), (), ())
    assert warnings(found) == []


def test_numbers_are_finite_or_none() -> None:
    facts: Facts = made_facts({"ann": {1: 1}, "bob": {1: 1}})
    found = watched(facts, Systems(Path("nowhere")))
    numbers = [found.recall.all.recall, found.recall.all.estimate, found.grades.relevant]
    assert not any(isnan(one.value) for one in numbers if one.value is not None)
