"""What the sender itself spoilt is said, and what the engine did is not laid at its door."""

import numpy as np
import pytest

from cleverdon.engines.load.results import (
    Load,
    connection_limit,
    sender_quality,
)
from cleverdon.engines.load.sender import load
from cleverdon.engines.load.workload import ClosedLoop, Mix, OpenLoop, Pattern
from cleverdon.engines.protocol import Engine, Results
from tests.engines.load.fake_clock import MadeTime
from tests.engines.load.fake_loads import made_load


class Blocking(Engine):
    """Keeps the whole loop, and so the sender, from working."""

    def __init__(self, *, in_process: bool) -> None:
        self.in_process = in_process
        self.asked = 0

    async def search(self, query: str, k: int) -> Results:
        self.asked += 1
        if self.asked in (20, 50):
            MadeTime.now += 0.2
        return []


@pytest.mark.usefixtures("made_time")
@pytest.mark.parametrize("in_process", [False, True])
def test_a_loop_that_is_blocked_is_noticed(in_process):
    engine = Blocking(in_process=in_process)
    found = load(engine, Mix.of(["a"]), OpenLoop(200, "constant"), requests=60)
    assert found.generator.lag["p99"] > 0.1
    assert found.generator.lag["p50"] <= found.generator.lag["p99"] <= found.generator.lag["max"]
    if in_process:
        assert found.not_valid == ()
        assert "share the processor" in found.notes()[0]
    else:
        assert any("the sender did not keep up" in problem for problem in found.not_valid)
        assert found.notes() == []


def _load(
    lag: float = 0.0,
    service: float = 0.05,
    *,
    cpu: float = 0.2,
    in_process: bool = False,
    pattern: Pattern | None = None,
    failed: int = -1,
) -> Load:
    """A second of requests at 1000/s, all alike; each tenth is late."""
    intended = np.arange(1000) / 1000
    late = np.where(np.arange(1000) % 10 == 5, lag, 0.0)
    sent = intended + late
    return Load(
        pattern=pattern or OpenLoop(1000, "constant"),
        queries=("q",),
        query=np.zeros(1000, dtype=np.int64),
        intended=intended,
        sent=sent,
        done=sent + service,
        failed=np.full(1000, failed),
        seconds=1.0,
        generator=sender_quality(late, cpu=cpu, in_process=in_process, cut_off=0, unsent=0),
    )


def test_what_is_well_sent_is_valid():
    assert _load(0.002).not_valid == ()
    assert _load(0.002, cpu=0.99, in_process=True).not_valid == ()


def test_lag_counts_beside_what_the_engine_takes():
    assert "sent 60 ms late or more, and 25 ms is allowed" in _load(0.06).not_valid[0]
    assert _load(0.06, service=2.0).not_valid == ()
    # A tenth of the requests took 11 ms, of which the engine has 1 ms.
    assert "are the sender's own lag" in _load(0.01, service=0.001).not_valid[0]
    assert _load(0.06, pattern=ClosedLoop(1)).not_valid == ()


def test_a_busy_processor_is_a_reason_where_it_is_the_senders():
    assert "used 95% of a core" in _load(cpu=0.95).not_valid[0]
    assert "used 95% of a core" in _load(cpu=0.95, pattern=ClosedLoop(1)).not_valid[0]


def test_a_rate_that_was_not_reached_is_a_reason():
    found = _load(service=0.1)
    slower = Load(**{**vars(found), "sent": found.intended * 1.1, "done": found.done + 0.2})
    assert any("% of the intended rate" in problem for problem in slower.not_valid)


def test_an_engine_that_does_not_keep_up_is_told_from_one_that_is_slow():
    overloaded = made_load(np.linspace(0.01, 3, 1000))
    assert "did not keep up: 375 requests" in overloaded.notes()[0]
    assert overloaded.not_valid == ()
    assert made_load(np.full(1000, 3.0)).notes() == []  # as slow all the time
    stalled = np.full(1000, 0.01)
    stalled[800:] = np.linspace(2, 1, 200)
    assert made_load(stalled).notes() == []


def test_without_an_answer_there_is_nothing_valid():
    assert _load(failed=0).not_valid == ("no request was answered: there are no times",)


def test_an_empty_load_has_no_lag():
    empty = sender_quality(np.zeros(0), cpu=0.0, in_process=False, cut_off=0, unsent=0)
    assert empty.lag == {"p50": 0.0, "p99": 0.0, "max": 0.0}


def test_no_more_requests_are_sent_than_there_can_be_connections():
    resource = pytest.importorskip(
        "resource", reason="Windows has no limit of open files to ask for"
    )
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    assert 1 <= connection_limit(Blocking(in_process=False)) <= max(1, files)
    assert connection_limit(Blocking(in_process=True)) == 20_000
