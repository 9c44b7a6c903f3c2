"""What doubts about a comparison are drawn from, and the one list of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from inspect import getdoc
from typing import NamedTuple

import numpy as np

from cleverdon.about import AboutRun
from cleverdon.compare.paired import Comparison
from cleverdon.scores import Scores


@dataclass(frozen=True, eq=False)
class Evidence:
    """What doubts are drawn from: the comparison, and what else is known."""

    comparison: Comparison
    pooled: frozenset[str] | None
    tuned_on: frozenset[str]
    tied: tuple[Scores, Scores] | None

    @property
    def systems(self) -> tuple[str, ...]:
        return self.comparison.samples[0].systems

    @property
    def topics(self) -> tuple[str, ...]:
        return self.comparison.samples[0].topics

    @cached_property
    def runs(self) -> dict[str, AboutRun]:
        """What is known of the systems that were compared."""
        return {name: self.comparison.scores.about.runs[name] for name in self.systems}

    def judged(self, system: str, k: int) -> float:
        """The share of a system's first k results that are judged; NaN where it is not known."""
        run = self.runs[system]
        shares = {10: run.judged_in_top_10, **run.judged_at}
        return shares.get(k, np.nan) if run.results else np.nan


class Found(NamedTuple):
    """What a rule has to say."""

    sentence: str
    number: float


@dataclass(frozen=True)
class Rule:
    """One reason to doubt, and where it is to be found."""

    name: str
    reference: str
    find: Callable[[Evidence], Found | None]

    @property
    def about(self) -> str:
        """When it is raised, in a sentence."""
        return (getdoc(self.find) or "").replace("\n", " ")


RULES: dict[str, Rule] = {}
"""Every doubt there is, by name."""


def doubt(
    name: str, reference: str
) -> Callable[[Callable[[Evidence], Found | None]], Callable[[Evidence], Found | None]]:
    """Make a function that looks at evidence known as a doubt."""

    def register(find: Callable[[Evidence], Found | None]) -> Callable[[Evidence], Found | None]:
        if name in RULES:
            raise ValueError(f"there are two doubts called {name!r}")
        RULES[name] = Rule(name, reference, find)
        return find

    return register


def counted(number: int, what: str) -> str:
    """`1 topic`, `2 topics`."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def others(count: int, what: str, does: str, do: str) -> str:
    """That there are more cases than the one that is told."""
    return f"; {counted(count, what)} {does if count == 1 else do}" if count > 0 else ""
