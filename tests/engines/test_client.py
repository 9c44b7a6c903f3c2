from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from cleverdon.engines.client import Answer, Patience, ask
from cleverdon.engines.protocol import _RETRYABLE, FAILURE_KINDS, Engine, Results, SearchFailure
from cleverdon.errors import OptionError


class Scripted(Engine):
    """Fails as it is told, and answers after that."""

    def __init__(self, *failures: SearchFailure | float) -> None:
        self.failures = list(failures)
        self.asked = 0

    async def search(self, query: str, k: int) -> Results:
        self.asked += 1
        if self.failures:
            failure = self.failures.pop(0)
            if isinstance(failure, SearchFailure):
                raise failure
            await asyncio.sleep(failure)
        return [(query, float(k))]


def asked(engine: Engine, **options: Any) -> Answer:
    patience = Patience(**{"pause": 0.001, **options})
    return asyncio.run(ask(engine, "q", 3, patience=patience, chance=random.Random(0)))


@pytest.mark.parametrize("kind", FAILURE_KINDS)
def test_only_what_may_pass_is_asked_again(kind: str) -> None:
    engine = Scripted(SearchFailure(kind, "once"), SearchFailure(kind, "twice"))
    answer = asked(engine)
    if kind in _RETRYABLE:
        assert answer.results == [("q", 3.0)]
        assert answer.failure is None
        assert [failure.message for failure in answer.failures] == ["once", "twice"]
    else:
        assert answer.results is None
        assert str(answer.failure) == f"{kind}: once"
    assert answer.tries == engine.asked == (3 if kind in _RETRYABLE else 1)


def test_it_is_given_up_in_the_end() -> None:
    engine = Scripted(*(SearchFailure("server", str(number)) for number in range(9)))
    answer = asked(engine, tries=4)
    assert answer.results is None
    assert str(answer.failure) == "server: 3"
    assert len(answer.failures) == answer.tries == engine.asked == 4


def test_answers_that_do_not_come_are_time_outs() -> None:
    answer = asked(Scripted(60.0, 60.0), timeout=0.02, tries=2)
    assert [str(failure) for failure in answer.failures] == ["timeout: no answer within 0.02 s"] * 2
    assert 0.02 <= answer.seconds < 30
    assert asked(Scripted(60.0), timeout=0.02).results == [("q", 3.0)]


def test_pauses_grow_and_end() -> None:
    patience, chance = Patience(pause=1, longest=6), random.Random(0)
    failure = SearchFailure("server", "again")
    for tries, whole in ((1, 1.0), (2, 2.0), (3, 4.0), (4, 6.0), (2000, 6.0)):
        pauses = [patience.next_pause(tries, failure, chance) for _ in range(50)]
        assert whole / 2 <= min(pauses) < max(pauses) <= whole


def test_engines_say_how_long_to_wait_within_reason() -> None:
    patience, chance = Patience(longest=6), random.Random(0)
    for wanted, expected in ((0.0, 0.0), (2.5, 2.5), (3600.0, 6.0)):
        failure = SearchFailure("overloaded", "later", retry_after=wanted)
        assert patience.next_pause(1, failure, chance) == expected


@pytest.mark.parametrize(
    "options", [{"tries": 0}, {"timeout": -1}, {"pause": float("nan")}, {"longest": "long"}]
)
def test_patience_has_its_bounds(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=next(iter(options))):
        Patience(**options)


def test_failures_have_kinds() -> None:
    with pytest.raises(OptionError, match="kind='lost' is not known"):
        SearchFailure("lost", "what?")
