"""Rules that raise doubts about a comparison: what a rule sees and returns, and their registry."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from cleverdon._common.registry import Registry
from cleverdon._common.text import counted
from cleverdon.comparison.differences import Comparison
from cleverdon.scores import RunProvenance, Scores

if TYPE_CHECKING:
    from cleverdon.comparison.splits import Splits


@dataclass(frozen=True, eq=False)
class Evidence:
    """The comparison, and what else is known of it."""

    comparison: Comparison
    pooled: frozenset[str] | None
    tuned_on: frozenset[str]
    tied: tuple[Scores, Scores] | None
    folds: Splits | None = None
    margin: float | None = None

    @property
    def systems(self) -> tuple[str, ...]:
        return self.comparison.samples[0].systems

    @property
    def queries(self) -> tuple[str, ...]:
        return self.comparison.samples[0].queries

    @cached_property
    def runs(self) -> dict[str, RunProvenance]:
        """The provenance of the compared runs."""
        return {name: self.comparison.scores.about.runs[name] for name in self.systems}

    def judged(self, system: str, k: int) -> float:
        """Return the share of a system's first k results that are judged; NaN if unknown."""
        run = self.runs[system]
        shares = {10: run.judged_in_top_10, **run.judged_at}
        return shares.get(k, np.nan) if run.results else np.nan


class Reason(NamedTuple):
    """The sentence of a rule, and its number."""

    sentence: str
    number: float
    about: Collection[tuple[str, ...]] | None = None
    """The pairs that it concerns, with the measure where it is one only; None for all."""


class DoubtRule(ABC):
    """One reason to doubt, and how to find it; the docstring says when it is raised."""

    name: ClassVar[str]
    reference: ClassVar[str]
    serious: ClassVar[bool] = False
    """Whether a verdict that it concerns is not to be read without it."""

    @abstractmethod
    def find(self, evidence: Evidence) -> Reason | None:
        """Return the reason, or None where there is none."""


DOUBT_RULES: Registry[DoubtRule] = Registry("doubt", key=lambda rule: rule.name)
doubt_rule = DOUBT_RULES.register


def more_cases(count: int, what: str, does: str, do: str) -> str:
    """Return a clause that counts further cases; empty for none."""
    return f"; {counted(count, what)} {does if count == 1 else do}" if count > 0 else ""


def pairs_with(evidence: Evidence, systems: Iterable[str]) -> set[tuple[str, str]]:
    """Return the compared pairs that one of these systems is in."""
    named = set(systems)
    return {
        (found.system, found.baseline)
        for found in evidence.comparison.differences
        if named & {found.system, found.baseline}
    }
