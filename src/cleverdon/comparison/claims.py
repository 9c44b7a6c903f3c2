"""Claims: the sentences that the differences of a comparison support.

A difference is shown where it is significant, and the test points where the means do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import floor, isfinite, isnan, log10
from typing import Any, Literal

from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon._common.text import counted, printable
from cleverdon.comparison.difference_tables import difference_record
from cleverdon.comparison.differences import TARGET_POWER, Comparison
from cleverdon.comparison.doubts import Doubt, find_doubts
from cleverdon.comparison.doubts_of_tests import near_zero
from cleverdon.comparison.margins import (
    MarginClaim,
    check_margin,
    claim_margin,
    margin_record,
)
from cleverdon.comparison.procedures import Difference
from cleverdon.score_tables import format_score
from cleverdon.stats.intervals import Interval
from cleverdon.stats.multiple_comparisons import FAMILY_TESTS
from cleverdon.stats.repeated_runs import RepeatsTest
from cleverdon.tables.markup import escape_html, escape_markdown
from cleverdon.tables.numbers import format_p_value
from cleverdon.tables.result import Result, as_json
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable

ClaimVerdict = Literal["better", "worse", "higher", "lower", "not shown", "out of reach"]
"""A system compared with its baseline; higher and lower, where neither is better. Out of reach is
what no result on so few differing queries, or by so few draws, could show."""

_CLAIM_DIGITS = 3

_TESTS = {
    "t": "t test",
    "wilcoxon": "Wilcoxon test",
    "sign": "sign test",
    "bootstrap": "bootstrap shift",
    "tukey": "Tukey's HSD",
    "randomised-tukey": "randomised Tukey HSD",
    "dunnett": "Dunnett's test",
}
_CORRECTIONS = {
    "max-t": "max-T",
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "benjamini-hochberg": "Benjamini-Hochberg",
    "none": "uncorrected",
}
_VERBS = {
    "better": "beats",
    "worse": "is worse than",
    "higher": "is higher than",
    "lower": "is lower than",
}


def _margin_sentence(claim: Claim) -> str:
    """Say what is shown of the margin, if there is one."""
    found, one = claim.difference, claim.within
    if one is None:
        return ""
    if isnan(one.interval.low):
        return f" Differences have no spread to test the margin of {one.margin:g} by."
    digits = claim_digits(found)
    low, high = (
        format_score(found.measure, end, digits=digits)
        for end in (one.interval.low, one.interval.high)
    )
    alone = not claim.comparison.is_corrected or found.family == 1
    family = "" if alone else f", adjusted for {counted(found.family, 'comparison')}"
    basis = f"{one.interval.confidence:.0%} CI {low} to {high}{family}; one-sided t tests "
    level = claim.comparison.level
    equal = f"({basis}{format_p_value(one.equivalence_p, level=level)})"
    if one.equivalent:
        return f" They are equivalent within {one.margin:g} {equal}."
    if one.not_worse and one.not_worse_p is not None:
        shown = f"({basis}{format_p_value(one.not_worse_p, level=level)})"
        return f" It is not worse by more than {one.margin:g} {shown}."
    if one.interval.low > one.margin or one.interval.high < -one.margin:
        return f" They differ by more than {one.margin:g} ({basis.rpartition(';')[0]})."
    return f" They are not shown to be equivalent within {one.margin:g} {equal}."


@dataclass(frozen=True, eq=False)
class Claim:
    """A claim about one difference; as text, a sentence with its numbers.

    Attributes:
        difference: The difference.
        verdict: "better", "worse", "higher", "lower", "not shown" or "out of reach".
        comparison: The comparison that it is from.
        qualified: The names of serious doubts about it.
        within: What is shown of a margin; None where there is none.

    >>> from cleverdon import evaluate
    >>> from cleverdon.comparison.differences import compare
    >>> runs = {"old": {"q1": {"b": 1.0}}, "new": {"q1": {"a": 1.0}}}
    >>> found = claim(compare(evaluate({"q1": {"a": 1}}, runs, "RR")))[0]
    >>> found.verdict, found.shown
    ('out of reach', False)
    """

    difference: Difference
    verdict: ClaimVerdict
    comparison: Comparison = field(repr=False)
    qualified: tuple[str, ...] = ()
    within: MarginClaim | None = None

    @property
    def shown(self) -> bool:
        """True if the difference is significant in the direction of the means."""
        return self.verdict not in ("not shown", "out of reach")

    def __str__(self) -> str:
        found = self.difference
        digits = claim_digits(found)
        if self.shown:
            verb = _VERBS[self.verdict]
            size = f" by {format_score(found.measure, abs(found.difference), digits=digits)}"
        else:
            verb = not_shown_sentence(self)
            size = f": {format_score(found.measure, found.difference, digits=digits, signed=True)}"
        names = f"{printable(found.system)} {verb} {printable(found.baseline)}"
        basis = _basis(self, digits)
        doubted = f" Qualified by {' and '.join(self.qualified)}." if self.qualified else ""
        more = f"{_afterthoughts(self)}{_margin_sentence(self)}{doubted}"
        return f"{names} on {found.measure}{size} ({basis}).{more}"


@dataclass(frozen=True, eq=False)
class Claims(Result):
    """A claim for each difference of a comparison, and doubts about the comparison.

    Attributes:
        claims: The claims.
        doubts: The doubts, printed below them.

    >>> from cleverdon import evaluate
    >>> from cleverdon.comparison.differences import compare
    >>> runs = {"old": {"q1": {"b": 1.0}}, "new": {"q1": {"a": 1.0}}}
    >>> len(claim(compare(evaluate({"q1": {"a": 1}}, runs, "RR"))))
    1
    """

    _drawn = ("difference", "measure", "system", "baseline")

    claims: tuple[Claim, ...]
    doubts: tuple[Doubt, ...] = ()

    def __len__(self) -> int:
        return len(self.claims)

    def __iter__(self) -> Iterator[Claim]:
        return iter(self.claims)

    def __getitem__(self, at: int) -> Claim:
        return self.claims[at]

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return a row for each claim: its sentence, its verdict, and for programs its numbers."""
        records = self.to_dict()["claims"]
        shown = records[0] if exact else ("text", "verdict")
        rows = [["" if row[name] is None else str(row[name]) for name in shown] for row in records]
        return [Section("claims", TextTable(list(shown), rows, 2, []))]

    def closing(self) -> list[str]:
        """Return the doubts."""
        lines = [doubt_line(doubt).removeprefix("- ") for doubt in self.doubts]
        return ["Before you believe it:", *(f" {line}" for line in lines)] if lines else []

    def to_dict(self) -> dict[str, Any]:
        """Return claims and doubts as plain values."""
        return {
            "claims": [
                {
                    "text": str(claim),
                    "verdict": claim.verdict,
                    "qualified": list(claim.qualified),
                    **difference_record(claim.difference, claim.comparison),
                    **margin_record(claim.within),
                }
                for claim in self.claims
            ],
            "doubts": [as_json(doubt) for doubt in self.doubts],
        }

    def render(self, format: str = "text", **view: Any) -> str:
        """Write a sentence for each claim, and the doubts below; or one of the other formats."""
        if format not in ("text", "table", "markdown"):
            return super().render(format, **view)
        escaped, bullet = (escape_markdown, "- ") if format == "markdown" else (str, "")
        lines: list[str] = []
        for heading, claims in _families(self.claims):
            if heading:
                lines += [
                    *([""] if lines else []),
                    heading,
                    *([""] if format == "markdown" else []),
                ]
            lines += [bullet + escaped(str(claim)) for claim in claims]
        if self.doubts:
            lines += ["", "Before you believe it:", *([""] if format == "markdown" else [])]
            lines += [doubt_line(doubt, format) for doubt in self.doubts]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        parts = []
        for heading, claims in _families(self.claims):
            parts += [f"<p>{escape_html(heading)}</p>"] if heading else []
            parts.append(_html_list([str(claim) for claim in claims]))
        if self.doubts:
            doubts = [doubt_line(doubt).removeprefix("- ") for doubt in self.doubts]
            parts.append(f"<p>Before you believe it:</p>{_html_list(doubts)}")
        return "\n".join(parts)


def _html_list(texts: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape_html(text)}</li>" for text in texts) + "</ul>"


def _families(claims: Sequence[Claim]) -> Iterator[tuple[str, list[Claim]]]:
    """Yield the claims of each family with its heading; one family has none."""
    if not claims:
        return
    comparison = claims[0].comparison
    primary = [claim for claim in claims if comparison.is_primary(claim.difference)]
    others = [claim for claim in claims if not comparison.is_primary(claim.difference)]
    if not others:
        yield "", primary
        return
    yield f"{_primary_text(comparison)}:", primary
    yield "Other measures, corrected as a family of their own:", others


def _primary_text(comparison: Comparison) -> str:
    """Say which measure decides, and how it was chosen."""
    if comparison.primary is None:
        return "All measures are one family"
    how = "as asked" if comparison.primary_named else "the first; --primary names another"
    return f"Primary measure, which decides: {comparison.primary} ({how})"


@shows_progress("looking for doubts")
def claim(
    comparison: Comparison,
    *,
    doubts: Sequence[Doubt] | None = None,
    margin: float | None = None,
    progress: Progress | bool | None = None,
) -> Claims:
    """State which differences of a comparison are shown.

    Args:
        comparison: What `compare` returned.
        doubts: Reasons to doubt it, printed below the claims; by default what `find_doubts` finds.
            Serious ones qualify the verdicts that they concern.
        margin: A difference that would matter, in the units of the measures: claims also say
            whether systems are equivalent within it, or not worse by more.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        A claim for each difference; as text, a sentence with its numbers.

    Raises:
        OptionError: The margin is not above 0, or a measure is no mean.

    >>> from cleverdon import evaluate
    >>> from cleverdon.comparison.differences import compare
    >>> qrels = {f"q{i}": {"a": 1} for i in range(6)}
    >>> good = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    >>> poor = {query: {"a": 1.0, "b": 2.0} for query in qrels}
    >>> scores = evaluate(qrels, {"poor": poor, "good": good}, "RR")
    >>> print(claim(compare(scores, baseline="poor"))[0])
    good beats poor on RR by 0.500 (0.500 to 1.000, +100.0%; randomisation p = 0.031, 1 comparison;
    6 queries: 6 up, 0 even, 0 down).
    """
    progress = as_callback(progress)
    progress("looking for doubts")
    if margin is not None:
        check_margin(comparison, margin)
    if doubts is None:
        doubts = find_doubts(comparison, margin=margin)
    found = [
        Claim(
            one,
            _verdict(one, comparison),
            comparison,
            tuple(doubt.name for doubt in doubts if doubt.qualifies(one)),
            None if margin is None else claim_margin(one, comparison, margin),
        )
        for one in comparison.differences
    ]
    return Claims(tuple(found), tuple(doubts))


def _verdict(found: Difference, comparison: Comparison) -> ClaimVerdict:
    if not comparison.shows(found):
        return "out of reach" if comparison.out_of_reach(found) else "not shown"
    higher = found.difference > 0
    if found.measure.better == "neither":
        return "higher" if higher else "lower"
    return "better" if higher == (found.measure.better == "higher") else "worse"


def doubt_line(doubt: Doubt, format: str = "text") -> str:
    """Write a doubt as an item of a list."""
    name, sentence = doubt.name, printable(doubt.sentence)
    if format == "markdown":
        name, sentence = f"`{name}`", escape_markdown(sentence)
    return f"- {name}: {sentence}. {doubt.reference}"


def not_shown_sentence(claim: Claim) -> str:
    """Return the verb for a difference that was tested and not shown."""
    alternative, better = claim.comparison.alternative, claim.difference.measure.better
    if claim.verdict == "out of reach":
        return "cannot be told from"
    if alternative == "two-sided":
        return "is not shown to differ from"
    if better == "neither":
        return f"is not shown to be {'higher' if alternative == 'greater' else 'lower'} than"
    good = (alternative == "greater") == (better == "higher")
    return f"is not shown to be {'better' if good else 'worse'} than"


def _basis(claim: Claim, digits: int) -> str:
    found, comparison = claim.difference, claim.comparison

    def shown(value: float) -> str:
        return format_score(found.measure, value, digits=digits)

    ends = [shown(mean) for mean in (found.baseline_mean, found.mean)]
    # "0.500 to 0.500" could be taken for an interval.
    means = f"both {ends[0]}" if ends[0] == ends[1] else " to ".join(ends)
    relative = isfinite(found.relative) and found.difference != 0
    relative = relative and found.measure.average in ("mean", "sum")
    # A ratio is told with its interval, or where not even the difference has one.
    has_interval = not isnan(comparison.relative_interval(found).low)
    has_interval = has_interval or isnan(found.interval.low)
    percent = relative and has_interval and not near_zero(found, comparison)
    if percent:
        means += f", {found.relative:+.1%}"
    if found.measure.better == "lower":
        means += ", lower is better"
    sizes = found.sizes
    parts = [means, *interval_texts(found, comparison, digits=digits, percent=percent)]
    if isfinite(sizes.cohens_dz):
        parts.append(f"d_z = {sizes.cohens_dz:.2f}")
    test = _TESTS.get(comparison.test, comparison.test)
    sided = "" if comparison.alternative == "two-sided" else "one-sided "
    if comparison.test in FAMILY_TESTS:
        family = f"over {counted(found.family, 'comparison')}"
    else:
        family = correction_text(comparison.correction, found.family)
    alone = ""
    if found.corrected != found.p.p:
        lowest = is_lowest(found)
        # Tukey's and Dunnett's p-values are corrected for all pairs of systems by themselves.
        by_one = "by this measure alone" if comparison.test in FAMILY_TESTS else "uncorrected"
        alone = f", {format_p_value(found.p.p, at_most=lowest, level=comparison.level)} {by_one}"
    if found.repeated is not None:
        ours, theirs = found.repeated.repeats
        test += f" over queries and {ours} against {counted(theirs, 'run')}"
    parts += [
        f"{sided}{test} {p_value_text(found, comparison)}, {family}{alone}",
        f"{counted(sizes.pairs, 'query')}: {sizes.up} up, {sizes.even} even, {sizes.down} down",
    ]
    return "; ".join(parts)


def interval_texts(
    found: Difference, comparison: Comparison, *, digits: int, percent: bool = False
) -> list[str]:
    """Return the interval of the procedure, and where it is adjusted also the one that is not."""

    def ends(one: Interval) -> str:
        low, high = (format_score(found.measure, end, digits=digits) for end in (one.low, one.high))
        return f"{one.confidence:.0%} CI {low} to {high}"

    if isnan(found.interval.low):
        return []
    first = ends(found.interval)
    if percent and not isnan((relative := comparison.relative_interval(found)).low):
        first += f" or {relative.low:+.1%} to {relative.high:+.1%}"
    if found.family == 1:
        return [first]
    if not comparison.is_corrected:
        return [f"{first}, not adjusted"]
    adjusted = f"{first}, adjusted for {counted(found.family, 'comparison')}"
    if comparison.test in FAMILY_TESTS and comparison.method in (None, "t"):
        adjusted += " by the spread of all systems"
    if found.stepped:
        adjusted += " and ending at 0, since a later step of the test decided"
    return [adjusted, f"{ends(found.unadjusted)} not adjusted"]


def claim_digits(found: Difference) -> int:
    """Return three decimals, or as many as it takes to show two digits of the difference."""
    size = abs(found.difference)
    return _CLAIM_DIGITS if size == 0 else min(max(_CLAIM_DIGITS, 1 - floor(log10(size))), 9)


def p_value_text(found: Difference, comparison: Comparison) -> str:
    """Return the corrected p-value; with `<` where no draw was as extreme as what was seen."""
    return format_p_value(found.corrected, at_most=is_lowest(found), level=comparison.level)


def is_lowest(found: Difference) -> bool:
    """Return whether no draw was as extreme as what was seen."""
    return bool(found.p.draws and not found.p.exact and found.p.p <= 1 / (1 + found.p.draws))


def correction_text(correction: str, count: int) -> str:
    """Write a correction and its family: `Holm over 6 comparisons`."""
    comparisons = counted(count, "comparison")
    if count == 1:
        return comparisons
    how = _CORRECTIONS.get(correction, correction)
    return f"{how} over {comparisons}" if correction != "none" else f"{how}, {comparisons}"


def _afterthoughts(claim: Claim) -> str:
    """Say what these queries could have shown, and where interval and verdict disagree."""
    found, comparison = claim.difference, claim.comparison
    texts = []
    if found.difference == 0 and not claim.shown:
        return " There is no difference to show."
    if claim.verdict == "out of reach":
        texts.append(_reach_text(found, comparison))
    elif not claim.shown:
        alternative = comparison.alternative
        if alternative != "two-sided" and (found.difference > 0) != (alternative == "greater"):
            return " More queries alone would not show it."
        size = comparison.detectable(found)
        if size > comparison.widest(found):
            texts.append(
                f" These queries would not show even the largest possible difference in "
                f"{TARGET_POWER:.0%} of cases."
            )
        elif isfinite(size):
            shown = format_score(found.measure, size, digits=claim_digits(found))
            texts.append(
                f" These queries would show a true difference of {shown} in "
                f"{TARGET_POWER:.0%} of cases."
            )
    if found.repeated is not None:
        texts.append(_advice_on_runs(found.repeated))
    if comparison.disagrees(found):
        texts.append(
            f" Interval and verdict disagree, since {comparison.why_disagree()}: "
            + ("the interval includes 0." if claim.shown else "the interval excludes 0.")
        )
    return "".join(texts)


def _reach_text(found: Difference, comparison: Comparison) -> str:
    """Say why no result could have been significant, and what it takes."""
    lowest, needed = comparison.lowest_p(found), comparison.queries_needed(found)
    over = ""
    if lowest > comparison.lowest_alone(found, found.differing):
        over = f" corrected for {counted(found.family, 'comparison')}"
    none = f"no p-value{over} can be below {lowest:.2g}"
    if needed is None:
        return f" With {counted(found.p.draws, 'random draw')}, {none}: take more draws."
    return (
        f" With {counted(found.differing, 'differing query')}, {none}: it takes {needed} at least."
    )


def _advice_on_runs(tested: RepeatsTest) -> str:
    """Say whether more queries or more runs would tell more of a difference."""
    error = tested.error_with()
    if error == 0:
        return ""
    queries = 1 - tested.error_with(queries=2) / error
    runs = 1 - tested.error_with(runs=2) / error
    better = "more runs" if runs > queries else "more queries"
    return (
        f" Chance between runs is {tested.share:.0%} of the squared standard error; twice the "
        f"queries would lower the standard error by {queries:.0%}, twice the runs by {runs:.0%}: "
        f"{better} help more."
    )
