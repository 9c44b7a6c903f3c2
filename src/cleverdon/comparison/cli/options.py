"""Options for significance tests, of commands that compare systems."""

from __future__ import annotations

from typing import Any

import click

from cleverdon.cli import options
from cleverdon.cli.declarations import Options, option
from cleverdon.stats.intervals import METHODS
from cleverdon.stats.multiple_comparisons import COMPARISON_CORRECTIONS, FAMILY_TESTS
from cleverdon.stats.tests import ALTERNATIVES, TESTS

_MEANINGS = "; ".join(f"{word}: {meaning}" for word, meaning in ALTERNATIVES.items())


class TestingOptions(Options, heading="Tests and intervals"):
    """The significance test, and how its p-values are read."""

    test: str = option(
        click.Choice([*TESTS, *FAMILY_TESTS]),
        "The significance test, paired by query.",
        default="randomisation",
    )
    alternative: str = option(
        click.Choice(list(ALTERNATIVES)),
        f"The alternative hypothesis. {_MEANINGS}.",
        default="two-sided",
    )
    correction: str | None = option(
        click.Choice(list(COMPARISON_CORRECTIONS)),
        "How to correct for many comparisons. Of p-values and intervals, over all comparisons of "
        "a family.  [default: max-t for the randomisation test, else holm; Tukey's and Dunnett's "
        "tests correct by themselves]",
    )
    level: float = options.level(
        "A corrected p-value up to this is significant; intervals have the confidence that goes "
        "with it."
    )
    seed: int = options.seed("p-values")

    @property
    def testing(self) -> dict[str, Any]:
        """Return the keywords of `compare`, without the baseline."""
        return {name: getattr(self, name) for name in TestingOptions.fields}


class ComparisonOptions(TestingOptions):
    """The baseline and the test of a comparison."""

    runs: tuple[str, ...]
    baseline: str | None = options.baseline

    @property
    def baseline_name(self) -> str | None:
        return options.resolve_baseline(self.baseline, self.runs)

    @property
    def comparing(self) -> dict[str, Any]:
        """Return the keywords of `compare`."""
        return {"baseline": self.baseline_name, **self.testing}


class FamilyOptions(ComparisonOptions, heading="Tests and intervals"):
    """The same, and the measure that decides."""

    primary: str | None = option(
        "MEASURE",
        "The measure that decides. Its comparisons are one family, those by other measures a "
        "second. `all` makes one family of all.  [default: the first measure]",
    )

    @property
    def comparing(self) -> dict[str, Any]:
        """Return the keywords of `compare`."""
        return {**super().comparing, "primary": self.primary}


class ProcedureOptions(FamilyOptions, heading="Tests and intervals"):
    """The whole procedure of a comparison: also its intervals."""

    interval: str | None = option(
        click.Choice(list(METHODS)),
        "The method of intervals.  [default: that of the test and its correction]",
    )
    confidence: float | None = options.confidence_of_level

    @property
    def comparing(self) -> dict[str, Any]:
        """Return the keywords of `compare`."""
        how = {"interval": self.interval, "confidence": self.confidence}
        return {**super().comparing, **how}
