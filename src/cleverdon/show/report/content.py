"""All that a report says, as plain records: what its page shows, and what `--json` writes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from cleverdon.aggregate import worst_value
from cleverdon.arrays import plain
from cleverdon.compare.claims import Claim, claims
from cleverdon.compare.doubts import Doubt
from cleverdon.compare.paired import Comparison
from cleverdon.compare.samples import samples
from cleverdon.compare.standings import Standings
from cleverdon.measures.base import Measure
from cleverdon.profiles import profile
from cleverdon.read.texts import Text
from cleverdon.scores import Scores
from cleverdon.show.claims import not_shown, sentence
from cleverdon.show.comparison import record, render
from cleverdon.show.costs import records as cost_records
from cleverdon.show.costs import render as render_costs
from cleverdon.show.grid import printable
from cleverdon.show.report.method import facts, method, paragraph, rests_on
from cleverdon.show.report.rankings import document_texts, ranking_data

_LIMIT = 400
"""Characters of a document's text."""


@dataclass(frozen=True)
class Finding:
    """Something that a linter says of a file."""

    file: str
    severity: str
    message: str
    fix: str = ""


def content(
    scores: Scores,
    comparisons: Sequence[Comparison],
    *,
    title: str,
    doubts: Iterable[Doubt],
    findings: Iterable[Finding],
    queries: Mapping[str, Text],
    documents: Mapping[str, Text],
    standings: Sequence[Standings] = (),
) -> dict[str, Any]:
    """What the report says; the first of the comparisons is the one that it opens with."""
    first = comparisons[0] if comparisons else None
    numeric = [m for m, measure in enumerate(scores.measures) if not measure.text]
    rankings = None if scores.rankings is None else ranking_data(scores)
    if rankings is not None and documents:
        rankings["texts"] = document_texts(rankings, documents, limit=_LIMIT)
    return {
        "title": title,
        "systems": list(scores.systems),
        "measures": [_measure(scores.measures[m], scores) for m in numeric],
        "topics": [
            {"id": query} | ({"text": queries[query].line} if query in queries else {})
            for query in scores.queries
        ],
        "values": [
            [[plain(value) for value in scores.values[s, m]] for s in range(len(scores.systems))]
            for m in numeric
        ],
        "means": [[plain(scores.means[s, m]) for s in range(len(scores.systems))] for m in numeric],
        "compared": _compared(scores),
        "comparisons": [_comparison(comparison, scores) for comparison in comparisons],
        "costs": [
            {"table": render_costs(one, "html"), "systems": cost_records(one)} for one in standings
        ],
        "doubts": [asdict(doubt) for doubt in doubts],
        "warnings": list(scores.warnings),
        "findings": [asdict(finding) for finding in findings],
        "notes": rests_on(scores),
        "method": asdict(method(scores, first)),
        "rankings": rankings,
    }


def _measure(measure: Measure, scores: Scores) -> dict[str, Any]:
    counts = measure.average == "sum"
    return {
        "name": str(measure),
        "better": measure.better,
        "digits": 0 if counts else profile(scores.about.profile).decimals,
        "worst": plain(worst_value(measure)),
        "range": [plain(end) for end in measure.range],
    }


def _compared(scores: Scores) -> list[int]:
    """Which topics every system was evaluated on: those that comparisons and plots rest on."""
    sample = samples(scores, measures=[m for m in scores.measures if not m.text])[0]
    place = {query: q for q, query in enumerate(scores.queries)}
    return [place[topic] for topic in sample.topics]


def _comparison(comparison: Comparison, scores: Scores) -> dict[str, Any]:
    said = claims(comparison)
    measures = [sample.measure for sample in comparison.samples]
    return {
        "baseline": comparison.baseline,
        "headlines": {
            str(measure): _headline([c for c in said if c.difference.measure == measure])
            for measure in measures
        },
        "claims": [
            {
                "text": sentence(claim),
                "verdict": claim.verdict,
                **record(claim.difference, comparison),
            }
            for claim in said
        ],
        "table": render(comparison, "html"),
        "method": {
            "paragraph": paragraph(scores, comparison),
            "facts": facts(scores, comparison),
        },
    }


_WORDS = {
    "better": ("beats", "beat"),
    "worse": ("is worse than", "are worse than"),
    "higher": ("is higher than", "are higher than"),
    "lower": ("is lower than", "are lower than"),
}


def _headline(said: Sequence[Claim]) -> str:
    """What was shown by one measure, in numbers."""
    first = said[0].difference
    baseline = said[0].comparison.baseline
    if baseline is None and len(said) > 1:
        shown = sum(claim.shown for claim in said)
        verb = "is" if shown == 1 else "are"
        pairs = f"{shown} of {len(said)} pairs of systems"
        return f"{pairs} {verb} shown to differ on {first.measure}."
    one = not_shown(said[0])  # what was asked for, and not found
    words = _WORDS | {"not shown": (one, one.replace("is ", "are ", 1))}
    if len(said) == 1:
        verb, _ = words[said[0].verdict]
        names = printable(first.system), printable(first.baseline)
        return f"{names[0]} {verb} {names[1]} on {first.measure}."
    counts = {verdict: sum(claim.verdict == verdict for claim in said) for verdict in words}
    parts = [f"{n} {words[verdict][n > 1]}" for verdict, n in counts.items() if n]
    parts = [f"{parts[0]} {printable(str(baseline))}", *(f"{part} it" for part in parts[1:])]
    return f"Of {len(said)} systems compared on {first.measure}, {', '.join(parts)}."
