"""The doctor on generated logs: nothing wrong with good ones, and faults to the row in others."""

from __future__ import annotations

from pathlib import Path

from cleverdon.logs.bots import without_bots
from cleverdon.logs.doctor.checks import examine
from cleverdon.logs.generator.writer import generate_log
from cleverdon.logs.reading.reader import read_log


def test_nothing_is_wrong_with_a_good_log(tmp_path: Path) -> None:
    truth = generate_log(tmp_path, events=20_000, seed=11, bots=0)
    diagnosis = examine(read_log(tmp_path))
    assert diagnosis.passes(strict=True), diagnosis.findings
    assert {finding.name for finding in diagnosis.findings} == {"missing-values"}
    assert diagnosis.skipped == {}
    assert {one.verdict for one in diagnosis.supports} == {"yes", "partly"}
    assert diagnosis.size.searches == truth.query_rows
    assert diagnosis.size.actions["click"] == truth.total.clicks
    assert diagnosis.size.users == truth.total.users


def test_faults_are_found_to_the_row(tmp_path: Path) -> None:
    truth = generate_log(tmp_path, events=20_000, seed=12, faults=0.02, bots=0.01)
    log = read_log(tmp_path)
    diagnosis = examine(log)
    found = {finding.name: finding for finding in diagnosis.findings}
    assert found["repeated-events"].count == truth.faults.duplicates
    assert found["repeated-event-ids"].count == truth.faults.duplicates
    early = found["events-before-page"].count
    # A click of some minutes after its page may still be after it.
    assert 0.9 * truth.faults.skewed <= early <= truth.faults.skewed
    unseen = found["clicks-without-impressions"].count
    assert unseen >= truth.faults.clicks_without_impression > 0
    assert found["bots"].count == truth.bots.users > 0
    left = without_bots(log)
    assert (left.users, left.rows) == (truth.bots.users, truth.bots.pages)
