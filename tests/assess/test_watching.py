"""What watching tells, by hand on small data, and against the code that it is made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import isnan
from pathlib import Path

import pytest
from sqlalchemy import insert

from cleverdon.assess.exporting.assessors import by_assessor
from cleverdon.assess.people.accounts import person_named
from cleverdon.assess.people.auditing import COMMAND_LINE
from cleverdon.assess.project import Project
from cleverdon.assess.setup.assigning import assign, remove
from cleverdon.assess.store.schema import judgments, people
from cleverdon.assess.watching import agreement
from cleverdon.assess.watching import agreement_rows as rows
from cleverdon.assess.watching.agreement import beside_people, live_agreement
from cleverdon.assess.watching.attention import attention
from cleverdon.assess.watching.beyond import Systems
from cleverdon.assess.watching.drawing import RESAMPLES
from cleverdon.assess.watching.facts import Aside, Facts, Grading
from cleverdon.assess.watching.grading import grades_of
from cleverdon.assess.watching.labels import label_rows, labels_of
from cleverdon.assess.watching.pace import HOUR, pace_of, speed_of
from cleverdon.assess.watching.progress import progress_of
from cleverdon.assess.watching.sentences import warnings
from cleverdon.assess.watching.watch import Watch
from cleverdon.assess.watching.watched import watched
from cleverdon.assess.watching.work import workers
from cleverdon.errors import InputError
from cleverdon.judge import Labels, agree
from tests.assess.facts import made_facts, simulated
from tests.assess.judged import GRADES, give, judged_project


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
