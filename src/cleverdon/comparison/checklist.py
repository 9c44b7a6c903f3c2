"""The checklist of reporting: what a paper should say of a comparison, filled in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

from cleverdon._common.text import counted, printable
from cleverdon.comparison.claims import claim_digits, interval_texts, is_lowest, p_value_text
from cleverdon.comparison.difference_tables import describe_test
from cleverdon.comparison.differences import Comparison
from cleverdon.errors import OptionError
from cleverdon.score_tables import format_score
from cleverdon.settings import CHOICES
from cleverdon.tables.markup import escape_latex, escape_markdown
from cleverdon.tables.numbers import format_p_value
from cleverdon.tables.result import Result
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable

if TYPE_CHECKING:
    from cleverdon.comparison.splits import Splits


@dataclass(frozen=True)
class ChecklistItem:
    """One item of the checklist: what a paper should report, and what is to be said of it."""

    name: str
    text: str
    known: bool = True  # False where the program cannot know it, and the author has to say it


@dataclass(frozen=True, eq=False)
class Checklist(Result):
    """What a paper should report of a comparison, filled in.

    Attributes:
        items: The items, in the order of a paper.

    >>> from cleverdon import evaluate
    >>> from cleverdon.comparison.differences import compare
    >>> runs = {"old": {"q1": {"b": 1.0}}, "new": {"q1": {"a": 1.0}}}
    >>> reporting_checklist(compare(evaluate({"q1": {"a": 1}}, runs, "RR"))).items[0].text
    '2 systems were compared on 1 query with 1 judgment.'
    """

    items: tuple[ChecklistItem, ...]

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return a row for each item."""
        rows = [[one.name, one.text, "yes" if one.known else "no"] for one in self.items]
        return [Section("checklist", TextTable(["item", "text", "known"], rows, 3, []))]

    @property
    def paragraph(self) -> str:
        """All that is known, as a paragraph for a paper."""
        return " ".join(one.text for one in self.items if one.known)

    @property
    def latex(self) -> str:
        """The paragraph for LaTeX; comments above it name what the author has to add."""
        unknown = [f"% {one.name}: {printable(one.text)}" for one in self.items if not one.known]
        text = escape_latex(self.paragraph).replace(r"d\_z", "$d_z$")
        return "\n".join([*unknown, re.sub(r"(?<![\w.])-(?=\d)", "$-$", text)])

    def render(self, format: str = "text", **view: Any) -> str:
        """Write a line for each item; for LaTeX, a paragraph; or one of the other formats."""
        if format == "latex":
            return self.latex
        if format not in ("text", "table", "markdown"):
            return super().render(format, **view)
        boxes = {True: "[x]", False: "[ ]"}
        escaped, bullet = (escape_markdown, "- ") if format == "markdown" else (str, "")
        return "\n".join(
            f"{bullet}{boxes[one.known]} {one.name}: {escaped(one.text)}" for one in self.items
        )


_LISTED_DIFFERENCES = 12
"""The number of differences that the checklist lists; of more, it gives the range."""


def reporting_checklist(
    comparison: Comparison, *, tuned_on: Iterable[str] | Splits | None = None
) -> Checklist:
    """Fill in what a paper should report of a comparison.

    The items are those of Sakai 2014, doi:10.1145/2641383.2641385, and of later lists: queries,
    measures, test and family, effect sizes with intervals and p-values, repeated runs, tuning,
    judged shares, ties, versions.

    Args:
        comparison: What `compare` returned.
        tuned_on: Queries that parameters were chosen on, or the splits, as `find_doubts` takes
            them; empty where nothing was tuned, and None where it is not known, which is left to
            the author.

    Returns:
        The items; as LaTeX, a paragraph to paste.

    Raises:
        OptionError: It is not given what `compare` returned.

    >>> from cleverdon import evaluate
    >>> from cleverdon.comparison.differences import compare
    >>> qrels = {f"q{i}": {"a": 1} for i in range(6)}
    >>> good = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    >>> poor = {query: {"a": 1.0, "b": 2.0} for query in qrels}
    >>> found = compare(evaluate(qrels, {"poor": poor, "good": good}, "RR"), baseline="poor")
    >>> [one.name for one in reporting_checklist(found).items if not one.known]
    ['Repeated runs', 'Tuning']
    """
    if not isinstance(comparison, Comparison):
        raise OptionError(
            f"{type(comparison).__name__!r} is not a Comparison: compare(scores) returns one"
        )
    about = comparison.scores.about
    systems, compared = comparison.samples[0].systems, len(comparison.samples[0].queries)
    runs = {name: about.runs[name] for name in systems}
    left = about.queries - compared
    queries = (
        f"{counted(len(systems), 'system')} were compared on {counted(compared, 'query')} with "
        f"{counted(about.judgments, 'judgment')}"
    )
    if left:
        queries += f"; {counted(left, 'judged query')} without a value of every system left out"
    items = {
        "Queries": queries,
        "Measures": _measures_text(comparison),
        "Test and family": _test_text(comparison),
        "Effect sizes, intervals, p-values": _differences_text(comparison),
        "Repeated runs": _repeats_text(comparison),
        "Judged share": "Judged of the first 10 results of each query: "
        + _shares({name: run.judged_in_top_10 for name, run in runs.items()}),
        "Ties": "Tied with another result: "
        + _shares({name: run.tie_rate for name, run in runs.items()})
        + f"; {CHOICES['ties'][about.settings.ties]}",
        "Undefined values": "; ".join(
            CHOICES[name][getattr(about.settings, name)] for name in ("undefined", "missing")
        ),
        "Tuning": _tuning_text(comparison, tuned_on),
        "Versions": _versions_text(comparison),
    }
    unknown = {"Tuning"} if tuned_on is None else set()
    unknown |= set() if any(sample.repeats for sample in comparison.samples) else {"Repeated runs"}
    return Checklist(
        tuple(
            ChecklistItem(name, f"{text[:1].upper()}{text[1:]}.", name not in unknown)
            for name, text in items.items()
        )
    )


def _measures_text(comparison: Comparison) -> str:
    names = [str(sample.measure) for sample in comparison.samples]
    if len(names) == 1:
        return f"the measure is {names[0]}"
    if comparison.primary is None:
        return f"the measures are {_listed(names)}, all of one family"
    how = "named as such" if comparison.primary_named else "the first of those measured"
    others = [name for name in names if name != str(comparison.primary)]
    return f"the primary measure is {comparison.primary} ({how}), beside {_listed(others)}"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _test_text(comparison: Comparison) -> str:
    sides = {"two-sided": "two-sided, ", "greater": "for higher, ", "less": "for lower, "}
    drawn = [one.p.draws for one in comparison.differences if one.p.draws and not one.p.exact]
    draws = f"; {max(drawn):,} random draws, seed {comparison.seed}" if drawn else ""
    return (
        f"differences were tested by query, {sides[comparison.alternative]}at the level "
        f"{comparison.level:g}: {describe_test(comparison)}{draws}"
    )


def _differences_text(comparison: Comparison) -> str:
    """Write the differences that decide with all that a paper should say of each."""
    decide = [one for one in comparison.differences if comparison.is_primary(one)]
    if len(decide) > _LISTED_DIFFERENCES:
        sizes = [one.sizes.cohens_dz for one in decide if isfinite(one.sizes.cohens_dz)]
        shown = sum(comparison.shows(one) for one in decide)
        between = f", d_z from {min(sizes):.2f} to {max(sizes):.2f}" if sizes else ""
        return f"{shown} of {counted(len(decide), 'difference')} were shown{between}"
    texts = []
    for one in decide:
        digits = claim_digits(one)
        size = format_score(one.measure, one.difference, digits=digits, signed=True)
        parts = [
            f"{printable(one.system)} against {printable(one.baseline)} on {one.measure} {size}"
        ]
        if isfinite(one.sizes.cohens_dz):
            parts.append(f"d_z = {one.sizes.cohens_dz:.2f}")
        parts += interval_texts(one, comparison, digits=digits) or ["no interval"]
        raw = format_p_value(one.p.p, at_most=is_lowest(one), level=comparison.level)
        corrected = p_value_text(one, comparison)
        parts.append(raw if one.corrected == one.p.p else f"{raw} ({corrected} corrected)")
        texts.append(", ".join(parts))
    return f"differences: {'; '.join(texts)}"


def _repeats_text(comparison: Comparison) -> str:
    counts = {
        name: len(comparison.scores.repeats.get(name, "1"))
        for name in comparison.samples[0].systems
    }
    if max(counts.values()) == 1:
        return (
            "say whether runs depend on chance (seeds, calls of a model), and give several of each "
            "(--repeats NAME=FILES, repeats()) or how the one was chosen"
        )
    listed = ", ".join(f"{printable(name)} {count}" for name, count in counts.items())
    return f"runs of each system, whose means were compared: {listed}"


def _shares(of: Mapping[str, float]) -> str:
    return ", ".join(f"{printable(name)} {share:.1%}" for name, share in of.items())


def _tuning_text(comparison: Comparison, tuned_on: Iterable[str] | Splits | None) -> str:
    if tuned_on is None:
        return (
            "say which queries parameters were chosen on, and how many settings were tried "
            "(--tuned-on FILE, tuned_on=)"
        )
    # Loads what reads attributes of queries, which few comparisons need.
    from cleverdon.comparison.splits import Splits

    if isinstance(tuned_on, Splits):
        if len(tuned_on.folds) > 1:
            return (
                f"parameters were chosen by cross-validation ({tuned_on}), and each query's value "
                "is of a choice made without it; such values depend on each other"
            )
        tuned_on = tuned_on.folds[0].train
    chosen = set(tuned_on)
    if not chosen:
        return "no parameters were chosen on any queries"
    compared = set(comparison.samples[0].queries)
    both = len(chosen & compared)
    among = f"{both} of which {'is' if both == 1 else 'are'}" if both else "none of which is"
    return (
        f"parameters were chosen on {counted(len(chosen), 'query')}, {among} among the "
        f"{len(compared):,} compared"
    )


def _versions_text(comparison: Comparison) -> str:
    about = comparison.scores.about
    profile = "" if about.profile == "cleverdon" else f" with the choices of {about.profile}"
    digests = {"judgments": about.qrels_digest}
    digests |= {name: about.runs[name].digest for name in comparison.samples[0].systems}
    known = [
        " ".join([printable(name), *(digest[:12] for digest in of.split(", "))])
        for name, of in digests.items()
        if of
    ]
    files = f"; BLAKE3 of {', '.join(known)}" if known else ""
    return f"computed with Cleverdon {about.version}{profile}{files}"
