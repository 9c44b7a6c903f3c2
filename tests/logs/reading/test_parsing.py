"""Times of every spelling are whole milliseconds since 1970."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cleverdon.errors import OptionError
from cleverdon.logs.reading.parsing import EARLIEST, LATEST, guessed_unit, zoneless
from cleverdon.logs.reading.reader import read_log
from tests.logs.reading.rows import written

MAPPED = {"queries": {"query_id": "id", "time": "at"}}
AT = datetime(2026, 3, 2, 9, 15, 30, 250_900, tzinfo=UTC)
MS = 1772442930250


def times(log):
    found = log.queries.to_pyarrow().to_pylist()
    return [row["time"] for row in sorted(found, key=lambda row: int(row["query_id"]))]


def of_texts(folder, *texts, **how):
    file = written(folder / "log.csv", "id;at", *(f"{i};{text}" for i, text in enumerate(texts)))
    return read_log(file, mapping=MAPPED, **how)


SPELLINGS = {
    "2026-03-02T09:15:30.250Z": MS,
    "2026-03-02T09:15:30.250900Z": MS,
    "2026-03-02T09:15:30,250Z": MS,
    "2026-03-02T10:15:30.250+01:00": MS,
    "2026-03-02T10:15:30.250+0100": MS,
    "2026-03-02 10:15:30.25+01": MS,
    "2026-03-02T04:15:30.250-05:00": MS,
    "2026-03-02T09:15:30.250": MS,
    "2026-03-02 09:15:30": MS - 250,
    "2026-03-02 09:15:30 UTC": MS - 250,
    "2026-03-02": MS - 250 - (9 * 3600 + 15 * 60 + 30) * 1000,
    "1990-01-01T00:00:00.5Z": 631_152_000_500,
}


def test_every_spelling(tmp_path):
    log = of_texts(tmp_path, *SPELLINGS)
    assert times(log) == list(SPELLINGS.values())
    assert zoneless(log) == ("queries.time",)
    assert log.aside == ()


def test_with_a_zone_nothing_is_assumed(tmp_path):
    log = of_texts(tmp_path, "2026-03-02T09:15:30Z", "2026-03-02T09:15:30+02:00")
    assert log.notes == ()


def test_a_zone_that_is_told_is_only_for_times_that_have_none(tmp_path):
    log = of_texts(
        tmp_path,
        *("2026-03-02T09:15:30Z", "2026-03-02T09:15:30", "2026-07-02 09:15:30"),
        timezone="Europe/Berlin",
    )
    hour = 3_600_000
    summer = int(datetime(2026, 7, 2, 9, 15, 30, tzinfo=UTC).timestamp() * 1000)
    assert times(log) == [MS - 250, MS - 250 - hour, summer - 2 * hour]
    assert zoneless(log) == ()


def test_a_zone_that_does_not_exist(tmp_path):
    with pytest.raises(OptionError, match="did you mean 'Europe/Berlin'"):
        of_texts(tmp_path, "2026-03-02", timezone="Europe/Berln")


@pytest.mark.parametrize(
    ("number", "unit"),
    [("1772442930.25", "s"), (MS, "ms"), (MS * 1000 + 900, "us"), (MS * 10**6 + 1, "ns")],
)
def test_epochs_are_told_by_their_size(tmp_path, number, unit):
    log = of_texts(tmp_path, number)
    assert times(log) == [MS]
    assert log.notes == (f"queries.time: numbers in at are taken to be in {unit}",)
    assert guessed_unit([float(number)]) == unit


def test_a_unit_that_is_told_is_not_guessed(tmp_path):
    mapping = {"queries": {"query_id": "id", "time": {"column": "at", "unit": "s"}}}
    file = written(tmp_path / "log.csv", "id;at", "1;700000000", "2;1772442930250")
    log = read_log(file, mapping=mapping)
    assert times(log) == [700_000_000_000]
    assert log.notes == ()
    assert [(one.reason, one.count) for one in log.aside] == [("an impossible time", 1)]


@pytest.mark.parametrize("unit", ["us", "ns"])
def test_no_digit_of_an_epoch_is_lost(tmp_path, unit):
    per = {"us": 1000, "ns": 1_000_000}[unit]
    exact = [MS * per, MS * per - 1, (MS + 1) * per - 1, EARLIEST * per, LATEST * per - 1]
    mapping = {"queries": {"query_id": "id", "time": {"column": "at", "unit": unit}}}
    table = pa.table({"id": [str(i) for i in range(5)], "at": exact})
    pq.write_table(table, tmp_path / "log.parquet")
    log = read_log(tmp_path / "log.parquet", mapping=mapping)
    assert times(log) == [MS, MS - 1, MS, EARLIEST, LATEST - 1]


@pytest.mark.parametrize(
    ("column", "expected", "lacks"),
    [
        (pa.array([AT], pa.timestamp("us", "UTC")), MS, ()),
        (pa.array([AT.replace(tzinfo=None)], pa.timestamp("us")), MS, ("queries.time",)),
        (pa.array([AT.replace(microsecond=0)], pa.timestamp("s", "UTC")), MS - 250, ()),
        (pa.array([AT], pa.timestamp("ns", "UTC")), MS, ()),
        (pa.array([date(1990, 1, 2)]), EARLIEST + 86_400_000, ("queries.time",)),
        (pa.array([MS / 1000]), MS, ()),
        (pa.array([MS]), MS, ()),
        (pa.array(["2026-03-02T09:15:30.250Z"]), MS, ()),
    ],
)
def test_typed_times(tmp_path, column, expected, lacks):
    pq.write_table(pa.table({"id": ["1"], "at": column}), tmp_path / "log.parquet")
    log = read_log(tmp_path / "log.parquet", mapping=MAPPED)
    assert times(log) == [expected]
    assert zoneless(log) == lacks


def test_typed_times_in_a_zone(tmp_path):
    column = pa.array([(AT + timedelta(hours=1)).replace(tzinfo=None)], pa.timestamp("us"))
    pq.write_table(pa.table({"id": ["1"], "at": column}), tmp_path / "log.parquet")
    log = read_log(tmp_path / "log.parquet", mapping=MAPPED, timezone="Europe/Berlin")
    assert times(log) == [MS]


CANONICAL = {"s": MS // 1000, "ms": MS, "us": MS * 1000, "ns": MS * 1_000_000}


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
@pytest.mark.parametrize("unit", CANONICAL)
def test_units_of_a_column_called_time(tmp_path, unit, kind):
    file, number = tmp_path / f"log.{kind}", CANONICAL[unit]
    if kind == "parquet":
        pq.write_table(pa.table({"query_id": ["1"], "time": pa.array([number])}), file)
    elif kind == "csv":
        written(file, "query_id,time", f"1,{number}")
    else:
        written(file, f'{{"query_id": "1", "time": {number}}}')
    log = read_log(file)
    assert times(log) == [MS - 250 if unit == "s" else MS]
    told = f"queries.time: numbers in time are taken to be in {unit}"
    assert log.notes == (() if unit == "ms" else (told,))  # which is what `Log` has itself


def test_each_column_has_a_unit_of_its_own(tmp_path):
    written(tmp_path / "queries.jsonl", f'{{"query_id": "1", "time": {MS // 1000}}}')
    written(tmp_path / "events.jsonl", f'{{"action": "click", "time": {MS}}}')
    log = read_log(tmp_path)
    assert times(log) == [MS - 250]
    assert log.events.time.to_pyarrow().to_pylist() == [MS]


@pytest.mark.parametrize("odd", ["99999999999999999999", "1772442930250", "0", "17724429302500000"])
def test_one_number_does_not_decide_the_unit_of_all(tmp_path, odd):
    log = of_texts(tmp_path, odd, "1772442930", "1772442931")
    assert times(log) == [MS - 250, MS + 750]
    (aside,) = log.aside
    assert aside.reason in ("an impossible time", "a time that cannot be read")
    assert aside.examples == (f"{tmp_path / 'log.csv'}:2: 0;{odd}",)


FAR = 2**63 - 1


@pytest.mark.parametrize(
    "column",
    [
        pa.array([AT, datetime(9999, 12, 31, tzinfo=UTC)], pa.timestamp("us", "UTC")),
        pa.array([AT, datetime(1, 1, 1, tzinfo=UTC)], pa.timestamp("us", "UTC")),
        pa.array([MS * 1000, FAR]).cast(pa.timestamp("us")),
        pa.array([date(2026, 3, 2), date(9999, 12, 31)]),
        *(pa.array([MS * per, far]) for per in (1, 1000, 10**6) for far in (FAR, -FAR - 1)),
        pa.array([MS, 2**64 - 1], pa.uint64()),
        pa.array([MS / 1000, float("inf")]),
    ],
)
def test_times_that_cannot_be_are_set_aside_whatever_their_type(tmp_path, column):
    pq.write_table(pa.table({"id": ["0", "1"], "at": column}), tmp_path / "log.parquet")
    log = read_log(tmp_path / "log.parquet", mapping=MAPPED)
    assert len(times(log)) == 1
    (aside,) = log.aside
    assert aside.reason in ("an impossible time", "a time that cannot be read")
    assert (aside.count, log.rows["queries"]) == (1, 2)


def test_only_times_that_are_read_can_lack_a_zone(tmp_path):
    log = of_texts(tmp_path, "2026-03-02T09:15:30Z", "not a time", "9999-12-31 00:00:00")
    assert log.notes == ()
    assert log.set_aside == 2
