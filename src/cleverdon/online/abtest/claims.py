"""Claims: what an A/B test allows one to say, and what it does not."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

from cleverdon.compare.claims import Verdict
from cleverdon.online.abtest.results import ABTest, Effect


@dataclass(frozen=True, eq=False)
class Claim:
    """What may be said about one effect."""

    effect: Effect
    verdict: Verdict
    users_needed: float | None
    """Where nothing was shown: how many users would show it, with the test's power, if the
    variants differed as much as they seem to. None where the difference was shown."""
    test: ABTest = field(repr=False)

    @property
    def shown(self) -> bool:
        """Whether the difference can be told from chance."""
        return self.verdict != "not shown"


def claims(test: ABTest) -> list[Claim]:
    """What may be said, effect by effect; nothing of a test that is not to be trusted.

    Effects that cannot be tested are passed over.
    """
    if not test.trusted:
        return []
    return [_claim(effect, test) for effect in test.effects if effect.p is not None]


def _claim(effect: Effect, test: ABTest) -> Claim:
    verdict = verdict_of(effect, level=test.level)
    needed = None
    if verdict == "not shown" and effect.planning is not None:
        seen = effect.planning.users_for_seen
        # What was not shown takes more than there are, whatever the estimate says.
        needed = None if seen is None else max(seen, test.participants.total + 1)
    elif verdict == "not shown":
        needed = inf
    return Claim(effect, verdict, needed, test)


def verdict_of(effect: Effect, *, level: float) -> Verdict:
    """Whether a variant is better or worse, as the metric says which is which."""
    if effect.corrected is None or effect.corrected > level or not effect.difference:
        return "not shown"
    higher = effect.difference > 0
    if effect.metric.better == "neither":
        return "higher" if higher else "lower"
    return "better" if higher == (effect.metric.better == "higher") else "worse"
