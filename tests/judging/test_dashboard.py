"""What watching tells, by hand on small data, and against the code that it is made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import isnan
from pathlib import Path

import pytest
from sqlalchemy import insert

from cleverdon.agreement.agreement import agree
from cleverdon.agreement.labels import Labels
from cleverdon.errors import InputError
from cleverdon.judging.assignment import assign_query, unassign_query
from cleverdon.judging.dashboard import agreement
from cleverdon.judging.dashboard.agreement import live_agreement
from cleverdon.judging.dashboard.facts import (
    Facts,
    GradeEvent,
    SkipOrFlag,
    labels_of,
    standing_grades,
)
from cleverdon.judging.dashboard.judge_checks import attention
from cleverdon.judging.dashboard.models import (
    compare_models,
    model_agreement_rows,
    model_grades_rows,
)
from cleverdon.judging.dashboard.progress import (
    HOUR,
    count_grades,
    pace_of,
    people_progress,
    progress_of,
    speed_of,
)
from cleverdon.judging.dashboard.recall import PooledSystems
from cleverdon.judging.dashboard.state import _compute_state, list_warnings
from cleverdon.judging.dashboard.worker import DashboardCache
from cleverdon.judging.exports.qrels import by_assessor
from cleverdon.judging.people.accounts import COMMAND_LINE, person_named
from cleverdon.judging.project import Project
from cleverdon.judging.store.schema import judgments, people
from tests.judging.facts import made_facts, simulated
from tests.judging.judged_projects import GRADES, give, judged_project


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
        labels = labels_of(standing_grades(connection))
        assert set(labels.judges) == {"ann", "bob", "Cyd X"}
        assert len(list(standing_grades(connection))) == sum(map(len, GRADES.values()))
        with_model = labels_of(standing_grades(connection, ("person", "model"), queries=["t1"]))
        assert "gpt" in with_model.judges
        assert with_model.queries == ("t1",)
        assert labels_of(standing_grades(connection, people=["bob"])).judges == ("bob",)
        with pytest.raises(InputError, match="no judgments"):
            labels_of(standing_grades(connection, people=[]))


def test_agreement_is_that_of_the_exported_qrels(judged: Project) -> None:
    with judged.database.reading() as connection:
        exported = by_assessor(connection)
        live = live_agreement(list(standing_grades(connection)))
    assert live.shared == 5
    expected = agree(
        Labels.of(exported),
        coefficients=("agreement", "kappa", "fleiss", "alpha-ordinal"),
    )
    for name, number in agreement.overall_agreement(live).items():
        assert number.value == pytest.approx(expected.overall[name].value)
    for pair in live.pairs:
        other = expected.pair(pair.first, pair.second)
        assert pair.documents == other.documents
        for name, estimate in pair.coefficients.items():
            value = other.coefficients[name].value
            assert estimate.value == pytest.approx(value, nan_ok=True)
    of_pairs = {frozenset((row.first, row.second)): row for row in agreement.pair_rows(live)}
    few = of_pairs[frozenset(("bob", "Cyd X"))].numbers["kappa"]
    assert few.value is None
    assert few.why == "agreement needs 5 documents that two have judged: 2 so far"


def test_a_large_team_agrees_as_a_small_one_would(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreement, "_MOST_PAIRS", 10)
    facts = simulated(judges=13, queries=6, documents=10, overlap=0.4)
    live = live_agreement(facts.human)
    whole = agree(
        Labels.of_rows((r.judge, r.query, r.document, float(r.grade)) for r in facts.human),
        coefficients=("agreement", "kappa", "fleiss", "alpha-ordinal"),
        per_query=True,
    )
    numbers = agreement.overall_agreement(live)
    for name in ("agreement", "fleiss", "alpha-ordinal"):
        estimate = whole.overall[name]
        assert numbers[name].value == pytest.approx(estimate.value)
        assert numbers[name].low == pytest.approx(estimate.interval.low)
    assert "pairs" in numbers["kappa"].why
    assert len(live.pairs) == 10
    for pair in live.pairs[::3]:
        expected = whole.pair(pair.first, pair.second)
        assert (pair.documents, pair.queries) == (expected.documents, expected.queries)
        wanted = expected.coefficients["kappa"].value
        assert pair.coefficients["kappa"].value == pytest.approx(wanted)
    assert len(live.pairs) + live.more_pairs == sum(pair.documents > 0 for pair in whole.pairs)
    assert {one.query: one.documents for one in whole.queries} == {
        one.query: one.documents for one in agreement.query_rows(live)
    }


def test_two_queries_do_not_make_an_interval() -> None:
    # On each query ten of twenty agree: drawn over queries, the interval would be a point.
    ann = dict.fromkeys(range(1, 41), 0)
    bob = {item: item % 2 for item in ann}
    live = live_agreement(made_facts({"ann": ann, "bob": bob}, queries=2, documents=20).human)
    (pair,) = agreement.pair_rows(live)
    for share in (agreement.overall_agreement(live)["agreement"], pair.numbers["agreement"]):
        assert share.value == 0.5
        # Of 40 documents: the normal interval is 0.345 to 0.655.
        assert share.low == pytest.approx(0.345, abs=0.03)
        assert share.high == pytest.approx(0.655, abs=0.03)
    assert (pair.documents, pair.queries) == (40, 2)
    assert [one.documents for one in agreement.query_rows(live)] == [20, 20]


def test_a_model_stands_beside_people_and_never_among_them() -> None:
    facts = simulated(judges=3, queries=4)
    given = {row.item: 3 for row in facts.human}
    extra = made_facts({"m": given}, queries=4, documents=12, models=["m"])
    with_model = replace(facts, grades=(*facts.grades, *extra.grades))
    before, after = (
        _compute_state(each, PooledSystems(Path("nowhere"))) for each in (facts, with_model)
    )
    assert agreement.overall_agreement(before.agreement) == agreement.overall_agreement(
        after.agreement
    )
    assert (before.grades, before.drifts, before.people) == (
        after.grades,
        after.drifts,
        after.people,
    )
    assert before.recall == after.recall
    (beside,) = compare_models(with_model)
    assert set(beside.people) == {"p0", "p1", "p2"}
    kappa = next(one for one in model_agreement_rows(beside) if one.coefficient == "kappa")
    assert kappa.verdict == "less"
    assert kappa.with_people.value == pytest.approx(0)
    assert [one.difference.value for one in model_grades_rows(beside)] == [3, 2, 1, 0]
    few = replace(facts, grades=(*facts.grades, *extra.grades[:2]))
    assert "2 so far" in compare_models(few)[0].why


def test_progress_counts_what_is_wanted_and_done() -> None:
    facts = made_facts({"ann": {1: 0, 2: 1}, "bob": {1: 1}, "cat": {1: 0}}, rulings={1: 0})
    facts = replace(
        facts,
        skips_and_flags=(
            SkipOrFlag("bob", 2, graded=False, skipped=True, flagged=False),
            SkipOrFlag("bob", 3, graded=False, skipped=True, flagged=True),
        ),
    )
    whole, (query,) = progress_of(facts)
    assert (whole.documents, whole.wanted, whole.done, whole.left) == (10, 20, 3, 17)
    assert (whole.complete, whole.judged, whole.settled) == (1, 2, 1)
    assert (whole.skipped, whole.given_up, whole.flagged) == (2, 1, 1)
    assert query.progress == whole
    work = {one.person: one for one in people_progress(facts)}
    # Nine are open to ann but for the one she judged; bob also skipped two.
    assert (work["ann"].open, work["bob"].open, work["cat"].open) == (8, 7, 9)
    assert work["bob"].skipped == 2


def test_a_ruling_settles_what_everybody_skipped() -> None:
    facts = made_facts({"ann": dict.fromkeys(range(1, 10), 1)})
    skipped = SkipOrFlag("ann", 10, graded=False, skipped=True, flagged=False)
    facts = replace(
        facts,
        items=tuple(item._replace(wanted=1) for item in facts.items),
        skips_and_flags=(skipped,),
    )
    whole, _ = progress_of(facts)
    assert (whole.done, whole.complete, whole.given_up) == (9, 9, 1)
    facts = replace(facts, rulings={10: 3})
    whole, _ = progress_of(facts)
    assert (whole.done, whole.left, whole.complete, whole.given_up) == (10, 0, 10, 0)
    assert not any(
        "skipped" in told
        for told in list_warnings(_compute_state(facts, PooledSystems(Path("no"))))
    )


def test_gold_is_for_attention_and_not_for_agreement() -> None:
    # They differ on every other document, and never on gold, which somebody chose.
    ann = dict.fromkeys(range(1, 31), 1)
    bob = {item: 1 if item > 20 else item % 2 for item in ann}
    given = {"ann": ann, "bob": bob, "m": dict.fromkeys(ann, 1)}
    gold = dict.fromkeys(range(21, 31), 1)
    facts = made_facts(given, documents=30, models=["m"], gold=gold)
    live = live_agreement(facts.human)
    assert (live.shared, live.gold) == (20, 10)
    assert agreement.overall_agreement(live)["agreement"].value == 0.5
    (beside,) = compare_models(facts)
    share = next(one for one in model_agreement_rows(beside) if one.coefficient == "agreement")
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
        GradeEvent("ann", place, second, moment)
        for place, (moment, second) in enumerate(zip(moments, seconds, strict=True))
    ]
    speed = speed_of(gradings)
    assert speed.per_hour.value == pytest.approx(120)
    assert speed.seconds.value == 8
    assert speed_of(gradings[:3]).per_hour.why
    pace = pace_of(gradings)
    assert (pace.width, pace.counts) == (HOUR, (6, 2))
    late = [*gradings, GradeEvent("ann", 9, None, 100 * HOUR)]
    assert pace_of(late).width == 6 * HOUR
    assert pace_of([]).counts == ()


def test_grades_are_counted_on_the_scale() -> None:
    facts = made_facts({"ann": {1: 0, 2: 1, 3: 3, 4: 3}})
    found = count_grades(facts.human, facts.scale)
    assert found.counts == (1, 1, 0, 2)
    assert found.relevant.value == 0.75
    assert count_grades([], facts.scale).relevant.why == "no grade was given yet"


def test_gold_documents_check_attention() -> None:
    gold = dict.fromkeys(range(1, 21), 2)
    careless = {item: 2 if item <= 6 else 0 for item in gold}
    facts = made_facts({"ann": gold, "bob": careless}, documents=20, gold=gold)
    ann, bob = attention(facts)
    assert (ann.right.value, ann.low) == (1.0, False)
    assert (bob.right.value, bob.low) == (0.3, True)
    assert bob.right.high == pytest.approx(0.519, abs=1e-3), "Wilson's"
    told = list_warnings(_compute_state(facts, PooledSystems(Path("nowhere"))))
    assert any(sentence.startswith("bob gave 30% of 20 gold documents") for sentence in told)
    assert attention(made_facts({"ann": {1: 0}})) == ()


def test_nothing_is_computed_again_until_something_changes(judged: Project) -> None:
    watch = DashboardCache(judged, share=1, quick=60)
    first = watch.now()
    assert watch.now() is first
    give(judged, {"ann": {("t2", "d1"): 1}})
    second = watch.now()
    assert second.progress.done == first.progress.done + 1
    slow = DashboardCache(judged, share=1e-9)
    known = slow.now()
    give(judged, {"ann": {("t2", "d2"): 1}})
    assert slow.now() is known, "what took long is shown for a while"


def test_what_takes_long_is_computed_by_another_process(judged: Project) -> None:
    watch = DashboardCache(judged, share=1, quick=0)
    here = watch.now()
    give(judged, {"ann": {("t2", "d3"): 1}})
    apart = watch.now()
    assert apart.progress.done == here.progress.done + 1
    process = watch._worker._process
    assert process is not None
    process.kill()
    give(judged, {"ann": {("t2", "d4"): 1}})
    assert watch.now().progress.done == apart.progress.done + 1, "computed here instead"


def test_a_large_project_is_computed_by_another_process_from_the_first(judged: Project) -> None:
    watch = DashboardCache(judged, small=1)
    assert watch.now().progress.done
    assert watch._worker._process is not None


def test_nobody_waits_while_somebody_computes(judged: Project) -> None:
    watch = DashboardCache(judged)
    known = watch.now()
    with watch._lock:
        assert watch.now() is known


def test_a_query_that_changes_hands_is_seen(judged: Project) -> None:
    watch = DashboardCache(judged, share=1, quick=60)
    opened = {one.person: one.open for one in watch.now().people}
    with judged.database.writing() as connection:
        for change, name in ((unassign_query, "ann"), (assign_query, "eve")):
            change(connection, COMMAND_LINE, "t2", person_named(connection, name))
    found = {one.person: one.open for one in watch.now().people}
    assert found["ann"] < opened["ann"]
    assert found["eve"] > 0


def test_an_empty_project_says_why_there_is_nothing() -> None:
    found = _compute_state(made_facts({}), PooledSystems(Path("nowhere")))
    assert agreement.overall_agreement(found.agreement)["kappa"].why.endswith("0 so far")
    assert found.recall.all.advice == "Not decided: nothing is judged yet."
    assert (found.people, found.drifts, found.models) == ((), (), ())
    assert list_warnings(found) == []


def test_numbers_are_finite_or_none() -> None:
    facts: Facts = made_facts({"ann": {1: 1}, "bob": {1: 1}})
    found = _compute_state(facts, PooledSystems(Path("nowhere")))
    numbers = [found.recall.all.recall, found.recall.all.estimate, found.grades.relevant]
    assert not any(isnan(one.value) for one in numbers if one.value is not None)
