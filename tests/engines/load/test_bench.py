"""What a bench says: tables, sentences, JSON, histograms."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cleverdon.costs import read_costs
from cleverdon.engines.load.bench import Bench
from cleverdon.engines.load.cold_cache import _compare_cold_warm
from cleverdon.engines.load.results import _HDR_DIGITS, _HDR_LONGEST, LoadTest
from cleverdon.engines.load.soak import _analyse_soak
from cleverdon.engines.load.sweep import Sweep, SweepGoal, SweepStep
from cleverdon.engines.load.versus import _compare_blocks
from cleverdon.engines.load.workload import ClosedLoop, OpenLoop
from cleverdon.errors import OptionError
from tests.engines.load.fake_loads import QUIET, made_load
from tests.engines.load.test_versus import made_pairs

TIMES = np.random.default_rng(4).permutation(np.linspace(0.001, 0.1, 5000))
GOAL = SweepGoal(p99=0.05)


def swept(*p99: float, **more: object) -> Sweep:
    """Rates of 100, 200, ... with these percentiles."""
    steps = tuple(
        SweepStep(100.0 * at, made_load(np.full(2000, time)), GOAL)
        for at, time in enumerate(p99, 1)
    )
    return Sweep(steps, GOAL, **more)  # type: ignore[arg-type]


def test_a_load_is_told_with_its_percentiles_and_errors() -> None:
    load = made_load(TIMES, failed={"timeout": 3, "refused": 50}, messages={"refused": "no field"})
    text = str(Bench("mine", load))
    assert text.startswith("mine: 1,000/s (open loop, constant arrivals), for 5 s: 5,000 requests")
    for part in ("p99.99", "99.1 ms", "failed: refused", "refused: ", "the first: no field"):
        assert part in text
    assert "NOT VALID" not in text
    assert "Too few independent requests for p99.9" in text


def test_what_is_not_valid_is_said_first() -> None:
    late = replace(QUIET, lag={"p50": 0.1, "p99": 0.5, "max": 0.6}, cpu=0.99)
    bench = Bench("mine", made_load(TIMES, generator=late))
    lines = str(bench).splitlines()
    assert lines[2].startswith("NOT VALID: ")
    assert bench.render("markdown").splitlines()[2].startswith("**NOT VALID: ")
    assert bench.to_dict()["not_valid"] == list(bench.not_valid)


def test_intervals_are_of_the_confidence_that_was_asked_for() -> None:
    widths = []
    for confidence, said in ((0.5, "50% interval"), (0.95, "95% interval"), (0.999, "99.9% inter")):
        bench = Bench("mine", replace(made_load(TIMES), confidence=confidence))
        assert said in str(bench)
        record = bench.to_dict()
        p50 = record["load"]["response"]["percentiles"]["p50"]
        assert {**record["costs"]["p50"]} == {name: p50[name] for name in ("value", "low", "high")}
        widths.append(p50["high"] - p50["low"])
    assert widths == sorted(set(widths))


def test_a_closed_loop_says_that_it_hides_stalls() -> None:
    assert "hides stalls" in str(Bench("mine", made_load(TIMES, pattern=ClosedLoop(4))))
    assert "hides stalls" not in str(Bench("mine", made_load(TIMES)))


def test_nothing_was_answered() -> None:
    bench = Bench("mine", made_load(TIMES, failed={"connection": 5000}))
    assert "NOT VALID: no request was answered" in str(bench)
    assert "p99" not in bench.to_dict()["costs"]
    assert bench.to_dict()["costs"]["errors"]["value"] == 1


@pytest.mark.parametrize(
    ("times", "told"),
    [
        ((0.01, 0.02, 0.3), "The knee is at 200/s: it keeps p99 up to 50 ms and up to 1% errors"),
        ((0.01, 0.02), "At least 200/s: the highest rate that was tried keeps"),
        ((0.2, 0.3), "Below 100/s: even the lowest rate that was tried does not keep"),
    ],
)
def test_the_knee_in_words(times: tuple[float, ...], told: str) -> None:
    assert swept(*times).describe_knee().startswith(told)


def test_a_sweep_with_its_doubts() -> None:
    few = SweepStep(50.0, made_load(np.full(20, 0.01)), GOAL)
    found = swept(0.01, 0.3, 0.02, not_tried=(800.0,))
    text = str(Bench("mine", replace(found, steps=(few, *found.steps))))
    assert "Uncertain: at 50/s" in text
    assert "too few requests" in text
    assert "300/s kept it although 200/s did not" in text
    assert "Not tried, since lower rates were too much already: 800/s" in text
    lost = replace(found, steps=tuple(replace(step, not_valid=("late",)) for step in found.steps))
    assert "NOT VALID: at 100/s: late" in str(Bench("mine", lost))
    assert "Not valid" in lost.describe_knee()
    partly = replace(found, steps=(found.steps[0], *lost.steps[1:]))
    assert partly.describe_knee().startswith("At least 100/s")
    assert "200/s says nothing of the engine: late." in str(Bench("mine", partly))
    assert not partly.not_valid


def test_a_claim_in_words() -> None:
    slower = _compare_blocks(("new", "old"), made_pairs(12, seed=1, slower=2.0), resamples=500)
    told = slower.claim("p50")
    assert told.startswith("At 24/s, new's p50 is ")
    assert " higher than old's (95% interval " in told
    assert " higher, adjusted for 3 comparisons; " in told
    assert told.endswith(" higher not adjusted): shown.")
    same = _compare_blocks(("new", "old"), made_pairs(8, seed=3), resamples=500)
    assert same.claim("p99").endswith(": not shown.")
    broken = replace(same, not_valid=("late",))
    assert broken.claim("p99") == "At 24/s, new's p99 against old's: not valid."
    few = _compare_blocks(("new", "old"), made_pairs(3, seed=3), resamples=9)
    assert "too few" in str(Bench("new", few))
    assert "interval" not in few.claim("p50")
    faster = _compare_blocks(("a", "b"), [(b, a) for a, b in slower.pairs], resamples=500)
    assert "lower" in faster.claim("p50")


def test_pairs_that_were_left_out_are_told() -> None:
    late = replace(
        _compare_blocks(("new", "old"), made_pairs(4, seed=3), resamples=9),
        left_out=("new, 1 of 5 blocks: late",),
    )
    text = str(Bench("new", late))
    assert "Left out, with the other block of each pair: new, 1 of 5 blocks: late." in text
    assert "NOT VALID" not in text


def test_engines_that_fail_are_said_to() -> None:
    pairs = [(made_load(TIMES, failed={"server": 500}), made_load(TIMES))] * 5
    text = str(Bench("new", _compare_blocks(("new", "old"), pairs, resamples=100)))
    assert "new failed on 10% of the requests; its percentiles are of the others" in text


def test_cold_and_warm_in_words() -> None:
    warm = np.linspace(0.001, 0.01, 20)[None]
    bench = Bench(
        "mine", _compare_cold_warm([f"q{n}" for n in range(20)], 3 * warm, warm, emptied=False)
    )
    text = str(bench)
    assert "A query takes 3 times as long when it is cold" in text
    assert "caches were not emptied" in text
    assert bench.to_dict()["costs"] == {}
    missing = np.full((1, 2), np.nan)
    nothing = Bench("mine", _compare_cold_warm(["a", "b"], missing, missing, emptied=True))
    assert "nothing can be said of the cache" in str(nothing)
    assert json.dumps(nothing.to_dict(), allow_nan=False)


def test_drift_in_words() -> None:
    growing = made_load(np.linspace(0.01, 0.06, 6000), seconds=3600.0)
    text = str(Bench("mine", _analyse_soak(growing, window=120.0)))
    assert "p99 grows by 50 ms an hour (" in text
    assert "): drift." in text
    assert "throughput: no drift is shown" in text
    assert "12 of 30 windows; --json has all of them" in text
    assert "too few to tell drift" in str(Bench("mine", _analyse_soak(growing, window=1200.0)))


def test_costs_can_be_read_back(tmp_path: Path) -> None:
    for found in (
        made_load(TIMES),
        swept(0.01, 0.02, 0.3),
        _compare_blocks(("mine", "old"), made_pairs(4, seed=1), resamples=9),
        _analyse_soak(made_load(TIMES), window=0.5),
    ):
        file = tmp_path / "bench.json"
        bench = Bench("mine", found, index_size=1234, settings={"load": {"rate": 10}})
        file.write_text(json.dumps(bench.to_dict(), allow_nan=False))
        costs = read_costs(file)
        assert costs.system == "mine"
        assert costs.by_name["index_size"].value == 1234
        assert costs.by_name["p50"].value > 0
        assert ("knee" in costs.by_name) == isinstance(found, Sweep)
    assert json.loads(bench.render("json")) == json.loads(file.read_text())


def test_quality_and_size_stand_below() -> None:
    bench = Bench(
        "mine",
        made_load(TIMES),
        index_size=5_000_000,
        quality={"nDCG@10": 0.51234},
        quality_notes=("scores are of ...",),
        answers={"q1": [("d1", 2.0)]},
    )
    text = str(bench)
    assert "nDCG@10" in text
    assert "0.5123" in text
    assert "5 MB" in text
    assert bench.to_dict()["run"] == {"q1": {"d1": 2.0}}


def test_histograms_are_a_log_that_hdrhistogram_reads(tmp_path: Path) -> None:
    from hdrh.histogram import HdrHistogram
    from hdrh.log import HistogramLogReader

    log = Bench("mine", made_load(TIMES, pattern=OpenLoop(1000))).histogram_log()
    file = tmp_path / "times.hdr"
    file.write_text(log)
    reader = HistogramLogReader(str(file), HdrHistogram(1, _HDR_LONGEST, _HDR_DIGITS))
    first = reader.get_next_interval_histogram()
    reader.close()
    assert first.get_total_count() == len(TIMES)
    assert first.get_max_value() == pytest.approx(1e6 * TIMES.max(), rel=0.001)
    lines = log.splitlines()
    assert lines[0].startswith("#[Histogram log")
    assert [line.split(",")[0] for line in lines[2:]] == ["Tag=response", "Tag=service"]
    swept_log = Bench("mine", swept(0.01, 0.02)).histogram_log()
    assert "Tag=100-response,0.000" in swept_log
    assert "Tag=200-response,5.000" in swept_log
    assert (
        "Tag=a_b-response"
        in Bench(
            "mine", _compare_blocks(("a b", "c"), made_pairs(1, seed=1), resamples=9)
        ).histogram_log()
    )
    warm = np.ones((1, 2))
    with pytest.raises(OptionError, match="one query at a time"):
        Bench("mine", _compare_cold_warm(["a", "b"], warm, warm, emptied=False)).histogram_log()


@pytest.mark.parametrize(
    ("found", "header", "row"),
    [
        (made_load(TIMES), "percentile,response time,low,high,service time", "p50,0.05"),
        (
            swept(0.01, 0.3),
            "rate,throughput,p50,p90,p99,low,high,errors,verdict",
            "100.0,399.4,0.01",
        ),
        (
            _compare_blocks(("new", "old"), made_pairs(3, seed=3), resamples=9),
            "quantity,new,old,difference,low,high,unadjusted low,unadjusted high,p,verdict",
            "p50,0.0",
        ),
        (
            _compare_cold_warm(["a"], np.full((1, 1), 0.5), np.full((1, 1), 0.25), emptied=True),
            "cache,p50,p90,p99",
            "cold,0.5,0.5,0.5",
        ),
        (
            _analyse_soak(made_load(TIMES), window=0.5),
            "drift,median,an hour,low,high,unadjusted low,unadjusted high,p,verdict",
            "p50,0.05",
        ),
    ],
    ids=["load", "sweep", "versus", "cold", "soak"],
)
def test_csv_is_the_main_table_with_all_digits(found: LoadTest, header: str, row: str) -> None:
    lines = Bench("mine", found).to_csv().splitlines()
    assert lines[0] == header
    assert lines[1].startswith(row)


def test_other_tables_are_sections() -> None:
    bench = Bench("mine", made_load(TIMES), index_size=1234)
    assert bench.to_csv("requests").splitlines()[1] == "sent,5000,"
    assert bench.to_csv("size").splitlines() == ["size,value", "index size,1234"]
