"""Two engines in pairs of blocks: what is said, and how often it is wrong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cleverdon.engines.adapters.python import as_engine
from cleverdon.engines.client import run_async
from cleverdon.engines.load import versus as interleaving
from cleverdon.engines.load.results import Load
from cleverdon.engines.load.versus import (
    COMPARED_PERCENTILES,
    Versus,
    _block_orders,
    _compare_blocks,
    run_versus,
)
from cleverdon.engines.load.workload import LoadOptions, Mix, VersusOptions
from cleverdon.errors import OptionError
from tests.engines.load.fake_loads import QUIET, made_load, waiting

Pair = tuple[Load, Load]


def made_pairs(count: int, *, seed: int, slower: float = 1.0, requests: int = 120) -> list[Pair]:
    """Pairs in which the machine drifts for both, and each block has noise of its own."""
    chance = np.random.default_rng(seed)

    def block(level: float) -> Load:
        own = level * chance.lognormal(0, 0.15)
        return made_load(own * chance.lognormal(0, 0.6, size=requests))

    pairs = []
    for _ in range(count):
        level = 0.01 * chance.lognormal(0, 0.4)
        pairs.append((block(slower * level), block(level)))
    return pairs


def test_engines_that_are_alike_are_seldom_told_apart() -> None:
    alarms = dict.fromkeys(COMPARED_PERCENTILES, 0)
    covered = dict.fromkeys(COMPARED_PERCENTILES, 0)
    any_claim = together = 0
    times = 40
    for seed in range(times):
        found = _compare_blocks(
            ("new", "old"), made_pairs(8, seed=seed, requests=40), resamples=200
        )
        for name in COMPARED_PERCENTILES:
            change = found.changes[name]
            alarms[name] += change.p <= 0.05
            covered[name] += change.unadjusted_low <= 0 <= change.unadjusted_high
            assert change.low <= change.unadjusted_low <= change.unadjusted_high <= change.high
        together += not any(found.changes[name].excludes_zero for name in COMPARED_PERCENTILES)
        any_claim += any(found.verdict(name) == "shown" for name in COMPARED_PERCENTILES)
    assert max(alarms.values()) / times <= 0.10
    assert min(covered.values()) / times >= 0.90
    assert any_claim / times <= 0.08
    assert together / times >= 0.90


def test_intervals_are_adjusted_for_all_percentiles_and_go_with_the_confidence() -> None:
    pairs = made_pairs(8, seed=1)
    found = _compare_blocks(("new", "old"), pairs, confidence=0.9, resamples=2000)
    third = _compare_blocks(("new", "old"), pairs, confidence=1 - 0.1 / 3, resamples=2000)
    for name in COMPARED_PERCENTILES:
        one, alone = found.changes[name], third.changes[name]
        assert (one.low, one.high) == (alone.unadjusted_low, alone.unadjusted_high)
    errors = found.changes["throughput"]  # which is not of the family
    assert (errors.low, errors.high) == (errors.unadjusted_low, errors.unadjusted_high)
    assert found.to_dict()["confidence"] == 0.9


def test_where_interval_and_verdict_disagree_it_is_said() -> None:
    found = _compare_blocks(("new", "old"), made_pairs(12, seed=1, slower=2.0), resamples=500)
    wide = replace(found.changes["p50"], low=-1.0)
    told = replace(found, changes={**found.changes, "p50": wide}).claim("p50")
    assert told.endswith(
        "shown. Interval and verdict disagree, since they are by different methods: the interval "
        "includes 0."
    )
    assert "disagree" not in found.claim("p50")
    assert "disagree" not in replace(found, confidence=0.99).claim("p50")
    of_another = replace(found, confidence=0.99, changes={**found.changes, "p50": wide})
    assert "since the confidence of 0.99 is not that of the level" in of_another.claim("p50")


def test_a_real_difference_is_shown_with_its_sign() -> None:
    found = _compare_blocks(("new", "old"), made_pairs(12, seed=1, slower=2.0), resamples=1000)
    change = found.changes["p50"]
    assert found.verdict("p50") == "shown"
    assert 0 < change.low <= change.difference <= change.high
    assert change.difference == pytest.approx(change.first - change.second)
    turned = _compare_blocks(("old", "new"), [(b, a) for a, b in found.pairs], resamples=1000)
    assert turned.changes["p50"].difference == pytest.approx(-change.difference)
    assert turned.changes["p50"].low == pytest.approx(-change.high)


def test_percentiles_are_those_of_all_requests() -> None:
    pairs = made_pairs(5, seed=3)
    found = _compare_blocks(("new", "old"), pairs, resamples=100)
    times = np.sort(np.concatenate([load.response for load, _ in pairs]))
    assert found.changes["p90"].first == times[int(np.ceil(0.9 * len(times))) - 1]
    assert found.changes["p99"].second <= max(load.response.max() for _, load in pairs)


def test_corrected_values_are_holms_and_of_percentiles_only() -> None:
    found = _compare_blocks(("new", "old"), made_pairs(8, seed=2, slower=1.3), resamples=1000)
    plain = [found.changes[name].p for name in COMPARED_PERCENTILES]
    corrected = [found.changes[name].corrected for name in COMPARED_PERCENTILES]
    assert min(p for p in corrected if p is not None) == pytest.approx(min(1, 3 * min(plain)))
    assert found.changes["throughput"].corrected is None
    assert found.changes["errors"].corrected is None


def test_more_errors_are_a_difference_too() -> None:
    slow = np.full(100, 0.01)
    pairs = [(made_load(slow, failed={"server": 5 + at % 3}), made_load(slow)) for at in range(8)]
    found = _compare_blocks(("new", "old"), pairs, resamples=2000)
    assert found.changes["errors"].difference == pytest.approx(0.059, abs=0.01)
    assert found.verdict("errors") == "shown"
    assert found.verdict("p99") == "not shown"


def test_of_few_pairs_nothing_is_claimed() -> None:
    found = _compare_blocks(("new", "old"), made_pairs(3, seed=1, slower=5.0), resamples=9)
    assert np.isnan(found.changes["p50"].p)
    assert found.verdict("p50") == "not shown"


def test_what_is_not_valid_is_no_claim() -> None:
    found = _compare_blocks(("new", "old"), made_pairs(8, seed=1, slower=5.0), resamples=9)
    found = replace(found, not_valid=("lag",))
    assert {found.verdict(name) for name in found.changes} == {"not valid"}


def test_the_same_seed_gives_the_same() -> None:
    pairs = made_pairs(6, seed=4)
    one, two = (_compare_blocks(("a", "b"), pairs, resamples=500, seed=5).changes for _ in "12")
    assert one == two


def test_blocks_without_answers() -> None:
    pairs = made_pairs(4, seed=1)
    dead = replace(pairs[2][1], failed=np.zeros(120, dtype=int))
    with pytest.raises(OptionError, match="old answered no request in block 3"):
        _compare_blocks(("new", "old"), [*pairs[:2], (pairs[2][0], dead)])
    with pytest.raises(OptionError, match="no pair"):
        _compare_blocks(("new", "old"), [])


def test_each_engine_is_first_in_half_of_the_pairs() -> None:
    assert sum(_block_orders(10, 3)) == 5
    assert _block_orders(10, 3) == _block_orders(10, 3)
    assert len({tuple(_block_orders(10, seed)) for seed in range(5)}) > 1


@pytest.mark.usefixtures("made_time")
def test_both_blocks_of_a_pair_ask_the_same_at_the_same_times() -> None:
    engines = (waiting(lambda query: 0.004, "slow"), waiting(lambda query: 0.0, "fast"))

    async def run() -> Versus:
        async with engines[0], engines[1]:
            return await run_versus(
                engines,
                Mix.of({"q1": "one", "q2": "two", "q3": "three"}),
                LoadOptions(rate=150, seed=2, warmup=0.05),
                VersusOptions(None, blocks=2, block=0.1),
            )

    found = run_async(run())
    assert found.names == ("slow", "fast")
    for one, two in found.pairs:
        assert one.query.tolist() == two.query.tolist()
        assert one.intended.tolist() == two.intended.tolist()
    assert found.pairs[0][0].intended.tolist() != found.pairs[1][0].intended.tolist()


@pytest.mark.parametrize(("bad", "valid"), [(2, True), (3, False)])
def test_a_few_pairs_that_are_not_valid_are_left_out(
    monkeypatch: pytest.MonkeyPatch, bad: int, valid: bool
) -> None:
    """Of ten; more than a fifth, and it is the whole that cannot be trusted."""
    blocks = iter([load for pair in made_pairs(10, seed=1) for load in pair])
    sent = 0

    async def run_load(*given: object, **how: object) -> Load:
        nonlocal sent
        sent += 1
        busy = replace(QUIET, cpu=0.99)
        return replace(next(blocks), generator=busy) if sent <= 2 * bad else next(blocks)

    monkeypatch.setattr(interleaving, "run_load", run_load)
    engines = (waiting(lambda query: 0.0, "new"), waiting(lambda query: 0.0, "old"))
    found = run_async(
        run_versus(engines, Mix.of(["a"]), LoadOptions(rate=10, warmup=0), VersusOptions(None))
    )
    assert len(found.pairs) == (8 if valid else 10)
    reasons = found.left_out if valid else found.not_valid
    assert f"{bad} of 10 blocks: the sender used 99% of a core" in reasons[0]
    assert not (found.not_valid if valid else found.left_out)


def test_engines_need_names_of_their_own() -> None:
    engine = as_engine(lambda query, k: [("d", 1.0)], name="same")
    with pytest.raises(OptionError, match="NAME=ENGINE"):
        run_async(
            run_versus((engine, engine), Mix.of(["a"]), LoadOptions(rate=10), VersusOptions(None))
        )
