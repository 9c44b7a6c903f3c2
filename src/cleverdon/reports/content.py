"""The content of a report as plain records: what its page shows, and what `--data` writes.

Rankings: the first results in full, and below them those that somebody judged. Ids stand in one
list, and rows point into it: each document is returned by many systems.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from cleverdon._common.arrays import json_number
from cleverdon._common.progress import Progress
from cleverdon._common.text import counted, printable
from cleverdon.checks.linter import check
from cleverdon.comparison.checklist import reporting_checklist
from cleverdon.comparison.claims import Claim, claim, not_shown_sentence
from cleverdon.comparison.difference_tables import describe_test, difference_record, reach_texts
from cleverdon.comparison.differences import Comparison
from cleverdon.comparison.doubts import Doubt
from cleverdon.comparison.samples import samples
from cleverdon.comparison.tradeoffs import Tradeoffs
from cleverdon.comparison.worst_queries import looking_depth, worst
from cleverdon.data import Judgments
from cleverdon.errors import InputError
from cleverdon.formats.texts import Text
from cleverdon.hits import Hits
from cleverdon.measures.base import Measure, worst_value
from cleverdon.measures.description import describe_direction
from cleverdon.measures.registry import as_text
from cleverdon.pages.page import definition, versions
from cleverdon.profiles import find_profile
from cleverdon.score_tables import score_notes
from cleverdon.scores import Scores
from cleverdon.settings import CHOICES
from cleverdon.stats.intervals import METHODS
from cleverdon.stats.multiple_comparisons import FAMILY_TESTS
from cleverdon.stats.resampling import RESAMPLES
from cleverdon.stats.tests import DRAWS
from cleverdon.tables.result import as_json

if TYPE_CHECKING:
    from cleverdon.comparison.splits import Splits

_FINDINGS = 3
"""The number of findings of a kind that are listed for a file."""
_BELOW = 20
"""The number of judged results that are shown below those that were kept."""
_WITH_TEXT = 10
"""The number of results of each ranking that are shown with their text, judged or not."""
_REL = 1
"""The lowest grade that counts as relevant where precision and recall are drawn."""
_NOT_RETURNED = 50
"""The number of relevant documents that are listed for a query."""
_TEXT_LENGTH = 400
"""The number of characters of a document's text."""
_WORST_PAIRS = 6
"""The pairs of systems whose worst queries are listed, besides those of the first baseline."""
_WORST_MOVED = 3
"""The number of documents that are listed for each of these queries."""
_FIRST_PAIRS = 20
"""The pairs of the first baseline whose worst queries are listed."""


def _ranking_data(scores: Scores) -> dict[str, Any]:
    """Return rows of rank, document and grade for each query and system; None is not judged.

    A query has its relevant documents as well, the best first, so that a page can say which of
    them a system did not return; and a system has the ranks of all that it found.
    """
    kept = scores.ranked()
    numbers: dict[str, int] = {}  # of documents, in the order in which they come up

    def number(doc: str) -> int:
        return numbers.setdefault(doc, len(numbers))

    queries = []
    for q, query in enumerate(scores.queries):
        grades = kept.judgments[query]
        relevant = _relevant(grades)
        queries.append(
            {
                "judged": sum(grade >= 0 for grade in grades.values()),
                "relevant": [[number(doc), grade] for doc, grade in relevant[:_NOT_RETURNED]],
                "of": sum(grade >= _REL for _, grade in relevant),
                "systems": [
                    _of_system(scores, system, q, grades, kept.judgments, kept.hits[system], number)
                    for system in scores.systems
                ],
            }
        )
    return {"documents": list(numbers), "queries": queries}


def _relevant(grades: Mapping[str, float]) -> list[tuple[str, float]]:
    """Return the relevant documents, the best first."""
    relevant = [(doc, grade) for doc, grade in grades.items() if grade > 0]
    return sorted(relevant, key=lambda pair: (-pair[1], pair[0]))


def _of_system(
    scores: Scores,
    system: str,
    q: int,
    grades: Mapping[str, float],
    judgments: Judgments,
    hits: Hits,
    number: Callable[[str], int],
) -> dict[str, Any]:
    first, last = hits.starts[q : q + 2]
    start, stop = (int(at) for at in judgments.core.starts[q : q + 2])
    names = judgments.core.docs(start, stop)
    judged = {
        int(rank): names[int(doc) - start]
        for rank, doc in zip(hits.rank[first:last], hits.doc[first:last], strict=True)
        if doc >= 0
    }
    # Ties may have another order than the results that were kept: judged documents are at the ranks
    # where they counted, and the others fill the ranks between.
    top = [doc for doc, _ in scores.top[system][q]] if system in scores.top else []
    others = iter([doc for doc in top if doc not in grades])
    rows = []
    for rank in range(1, len(top) + 1):
        doc = judged[rank] if rank in judged else next(others, None)
        if doc is not None:
            rows.append([rank, number(doc), grades.get(doc)])
    below = [rank for rank in judged if rank > len(top)]
    rows += [[rank, number(judged[rank]), grades[judged[rank]]] for rank in below[:_BELOW]]
    return {
        "rows": rows,
        "returned": int(hits.returned[q]),
        "more": max(0, len(below) - _BELOW),
        "found": [int(rank) for rank in hits.rank[first:last][hits.grade[first:last] >= _REL]],
        "missing": sum(grade > 0 for grade in grades.values())
        - int((hits.grade[first:last] > 0).sum()),
    }


def shown_documents(scores: Scores) -> set[str]:
    """Return the documents whose text a reader may want: relevant ones, and those at the top."""
    judgments = scores.ranked().judgments
    wanted = {
        doc
        for query in scores.queries
        for doc, grade in _relevant(judgments[query])[:_NOT_RETURNED]
    }
    for of_system in scores.top.values():
        wanted |= {doc for results in of_system for doc, _ in results[:_WITH_TEXT]}
    return wanted


def _document_texts(
    data: Mapping[str, Any], texts: Mapping[str, Text], *, limit: int
) -> dict[str, list[str]]:
    """Return titles and the beginnings of texts, by a document's place in the list of ids."""

    def begin(text: str) -> str:
        return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"

    return {
        str(at): [begin(texts[name].title), begin(texts[name].text)]
        for at, name in enumerate(data["documents"])
        if name in texts
    }


@dataclass(frozen=True)
class Finding:
    """A finding of the linter about a file."""

    file: str
    severity: str
    message: str
    fix: str = ""


def check_files(
    qrels: str,
    runs: Iterable[str],
    *,
    qrels_format: str | None = None,
    progress: Progress | None = None,
) -> list[Finding]:
    """Check the files of a report, except standard input, which has been read already."""
    found = []
    judgments = None
    files: dict[str, Literal["run", "qrels"]] = {qrels: "qrels", **dict.fromkeys(runs, "run")}
    for file, kind in files.items():
        if file == "-":
            continue
        try:
            checked = check(file, kind=kind, qrels=judgments, limit=_FINDINGS, progress=progress)
        except InputError:
            continue  # formats that are read but not checked
        for one in checked.findings:
            where = ":".join(str(part) for part in (file, one.line, one.column) if part)
            found.append(Finding(where, one.severity, one.message, one.fix))
        for name, count in checked.hidden.items():
            found.append(Finding(file, "note", f"{count:,} more: {name}"))
        if file == qrels:
            judgments = Judgments.read(qrels, format=qrels_format)
    return found


def report_content(
    scores: Scores,
    comparisons: Sequence[Comparison],
    *,
    title: str,
    doubts: Sequence[Sequence[Doubt]],
    findings: Iterable[Finding],
    queries: Mapping[str, Text],
    documents: Mapping[str, Text],
    tradeoffs: Sequence[Tradeoffs] = (),
    tuned_on: Iterable[str] | Splits | None = None,
) -> dict[str, Any]:
    """Return the data of the report; it opens with the first of the comparisons.

    `doubts` has those about each comparison; those about the first are listed. `tuned_on` is what
    the checklist says of tuning.
    """
    first = comparisons[0] if comparisons else None
    numeric = [m for m, measure in enumerate(scores.measures) if not measure.text]
    rankings = None if scores.rankings is None else _ranking_data(scores)
    if rankings is not None and documents:
        rankings["texts"] = _document_texts(rankings, documents, limit=_TEXT_LENGTH)
    return {
        "title": title,
        "systems": list(scores.systems),
        "measures": [_measure_record(scores.measures[m], scores) for m in numeric],
        "queries": [
            {"id": query} | ({"text": queries[query].line} if query in queries else {})
            for query in scores.queries
        ],
        "values": [as_json(scores.values[:, m]) for m in numeric],
        "means": [as_json(scores.means[:, m]) for m in numeric],
        "compared": _compared_queries(scores),
        "comparisons": [
            _comparison_record(comparison, scores, raised, tuned_on)
            for comparison, raised in zip(comparisons, doubts, strict=True)
        ],
        "costs": [{"table": one.to_html(), "systems": one.to_records()} for one in tradeoffs],
        "worst": _worst_records(scores, comparisons, queries, documents),
        "doubts": [asdict(doubt) for doubt in (doubts[0] if doubts else ())],
        "warnings": list(scores.warnings),
        "findings": [asdict(finding) for finding in findings],
        "notes": _notes(scores),
        "method": method(scores, first, tuned_on),
        "rankings": rankings,
    }


def _measure_record(measure: Measure, scores: Scores) -> dict[str, Any]:
    counts = measure.average == "sum"
    return {
        "name": str(measure),
        "better": measure.better,
        "digits": 0 if counts else find_profile(scores.about.profile).decimals,
        "worst": json_number(worst_value(measure)),
        "range": [json_number(end) for end in measure.range],
    }


def _compared_queries(scores: Scores) -> list[int]:
    """Mark the queries on which every system was evaluated."""
    sample = samples(scores, measures=[m for m in scores.measures if not m.text])[0]
    place = {query: q for q, query in enumerate(scores.queries)}
    return [place[query] for query in sample.queries]


def _comparison_record(
    comparison: Comparison,
    scores: Scores,
    doubts: Sequence[Doubt],
    tuned_on: Iterable[str] | Splits | None,
) -> dict[str, Any]:
    said = claim(comparison, doubts=doubts)
    measures = [sample.measure for sample in comparison.samples]
    return {
        "baseline": comparison.baseline,
        "headlines": {
            str(measure): _headline([c for c in said if c.difference.measure == measure])
            for measure in measures
        },
        "claims": [
            {
                "text": str(claim),
                "verdict": claim.verdict,
                "qualified": list(claim.qualified),
                **difference_record(claim.difference, comparison),
            }
            for claim in said
        ],
        "table": comparison.to_html(),
        "method": _description(scores, comparison, tuned_on),
    }


def _worst_records(
    scores: Scores,
    comparisons: Sequence[Comparison],
    queries: Mapping[str, Text],
    documents: Mapping[str, Text],
) -> list[dict[str, Any]]:
    """Return the queries on which a system loses most, by baseline, system and measure."""
    kept = max((len(top) for of_system in scores.top.values() for top in of_system), default=0)
    if scores.rankings is None or not kept:
        return []
    found = []
    for old, new in _listed_pairs(comparisons):
        for measure in (sample.measure for sample in comparisons[0].samples):
            depth = min(looking_depth([measure]), kept)
            lost = worst(
                scores, old, new, measure, depth=depth, queries=queries, documents=documents
            )
            record = lost.to_dict()
            del record["unjudged"], record["improved"]  # the page has the rankings
            for one in record["queries"]:
                del one["moved"][_WORST_MOVED:]
            found.append(record)
    return found


def _listed_pairs(comparisons: Sequence[Comparison]) -> list[tuple[str, str]]:
    """Return pairs of a baseline and a system: those of the first baseline, then some others."""
    pairs = [
        [(base, system) for system in one.samples[0].systems if system != base]
        for one in comparisons
        if (base := one.baseline) is not None
    ]
    opens = pairs.pop(0)[:_FIRST_PAIRS] if pairs and comparisons[0].baseline is not None else []
    others = [pair for of_one in pairs for pair in of_one if pair not in opens]
    return opens + others[: max(0, _WORST_PAIRS - len(opens))]


_WORDS = {
    "better": ("beats", "beat"),
    "worse": ("is worse than", "are worse than"),
    "higher": ("is higher than", "are higher than"),
    "lower": ("is lower than", "are lower than"),
    "out of reach": ("cannot be told from", "cannot be told from"),
}


def _headline(said: Sequence[Claim]) -> str:
    """Summarise the claims by one measure: how many are shown, and how many of them are doubted."""
    text = _counts_text(said)
    comparison, measure = said[0].comparison, said[0].difference.measure
    if not comparison.is_primary(said[0].difference):
        text += f" {comparison.primary} decides, not {measure}."
    shown = [claim for claim in said if claim.shown]
    doubted = [claim for claim in shown if claim.qualified]
    if doubted:
        names = dict.fromkeys(name for claim in doubted for name in claim.qualified)
        some = f"{len(doubted)} of {len(shown)} verdicts are qualified"
        which = some if len(shown) > 1 else "The verdict is qualified"
        text += f" {which} by {' and '.join(names)}."
    return text


def _counts_text(said: Sequence[Claim]) -> str:
    first = said[0].difference
    baseline = said[0].comparison.baseline
    if baseline is None and len(said) > 1:
        shown = sum(claim.shown for claim in said)
        verb = "is" if shown == 1 else "are"
        pairs = f"{shown} of {len(said)} pairs of systems"
        reach = reach_texts(said[0].comparison, [claim.difference for claim in said])
        return " ".join(
            [f"{pairs} {verb} shown to differ on {first.measure}.", *(f"{t}." for t in reach)]
        )
    asked = next((claim for claim in said if claim.verdict == "not shown"), said[0])
    one = not_shown_sentence(asked)  # what was asked for, and not found
    words = _WORDS | {"not shown": (one, one.replace("is ", "are ", 1))}
    if len(said) == 1:
        verb, _ = words[said[0].verdict]
        names = printable(first.system), printable(first.baseline)
        return f"{names[0]} {verb} {names[1]} on {first.measure}."
    counts = {verdict: sum(claim.verdict == verdict for claim in said) for verdict in words}
    parts = [f"{n} {words[verdict][n > 1]}" for verdict, n in counts.items() if n]
    parts = [f"{parts[0]} {printable(str(baseline))}", *(f"{part} it" for part in parts[1:])]
    return f"Of {len(said)} systems compared on {first.measure}, {', '.join(parts)}."


_LIBRARIES = ("numpy", "scipy", "altair", "vl-convert-python")


def method(
    scores: Scores,
    comparison: Comparison | None,
    tuned_on: Iterable[str] | Splits | None = None,
) -> dict[str, Any]:
    """Describe the method: everything that is needed to reproduce the numbers."""
    return {
        **_description(scores, comparison, tuned_on),
        "measures": [_measure(measure) for measure in scores.measures if not measure.text],
        "files": _files(scores),
        "versions": versions(scores.about.version, _LIBRARIES),
    }


def _description(
    scores: Scores, comparison: Comparison | None, tuned_on: Iterable[str] | Splits | None
) -> dict[str, Any]:
    said = {"paragraph": paragraph(scores, comparison), "facts": facts(scores, comparison)}
    if comparison is None:
        return said
    checklist = reporting_checklist(comparison, tuned_on=tuned_on)
    items = {one.name: one.text for one in checklist.items}
    return {**said, "checklist": items, "latex": checklist.latex}


def paragraph(scores: Scores, comparison: Comparison | None) -> str:
    """Write the method as a paragraph for a paper."""
    about = scores.about
    names = [str(measure) for measure in scores.measures if not measure.text]
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    sentences = [
        f"We report {listed} over {counted(about.queries, 'query')} with "
        f"{counted(about.judgments, 'judgment')}, computed with Cleverdon {about.version}"
        + (f" as {about.profile} does." if about.profile != "cleverdon" else ".")
    ]
    if comparison is not None:
        test = describe_test(comparison)
        if not test.startswith(("Student", "Wilcoxon", "Tukey")):  # names keep their capital
            test = test[:1].lower() + test[1:]
        sentences.append(
            f"Systems were compared query by query: {test}, "
            f"significance level {comparison.level:g}. Intervals of differences have "
            f"{comparison.confidence:.0%} confidence ({_interval_method(comparison)})."
        )
    sentences += [f"{note}." for note in _notes(scores)[1:]]
    return " ".join(sentences)


def _notes(scores: Scores) -> list[str]:
    """Return the notes below a table of the scores, except for bounds, which reports draw."""
    return score_notes(replace(scores, bounds={}))


def facts(scores: Scores, comparison: Comparison | None) -> dict[str, str]:
    """Return every choice that the numbers depend on."""
    about = scores.about
    found = {
        "Queries": f"{about.queries:,}",
        "Judgments": f"{about.judgments:,}",
        "Profile": about.profile,
    }
    if about.docs is not None:
        found["Documents"] = f"{about.docs:,}"
    for name, word in asdict(about.settings).items():
        found[name.replace("_", " ").capitalize()] = f"{word}: {CHOICES[name][word]}"
    if comparison is not None:
        resampled = "" if comparison.method in (None, "t") else f", {RESAMPLES:,} resamples"
        found |= {
            "Test": describe_test(comparison),
            "Draws": _draws(comparison),
            "Level": f"{comparison.level:g}",
            "Intervals": f"{comparison.confidence:.0%}, {_interval_method(comparison)}{resampled}",
            "Seed": str(comparison.seed),
        }
    return {name: text for name, text in found.items() if text}


def _interval_method(comparison: Comparison) -> str:
    """Return how intervals were made, and whether they are adjusted for a family."""
    how = METHODS[comparison.method or "t"]
    adjusted = comparison.correction != "none" or comparison.test in FAMILY_TESTS
    if comparison.method in (None, "t"):
        if comparison.correction == "max-t":
            how = "standard errors times the quantile of the largest t over random signs"
        elif comparison.test in FAMILY_TESTS:
            how = "the quantile of the test, with the error of all systems together"
    family = any(found.family > 1 for found in comparison.differences)
    return f"{how}, adjusted for each family as its p-values are" if adjusted and family else how


def _draws(comparison: Comparison) -> str:
    """Return the number of draws behind the p-values, if they were drawn."""
    drawn = [found.p for found in comparison.differences if not found.p.exact and found.p.draws]
    if not drawn:
        return ""
    exact = len(comparison.differences) - len(drawn)
    some = f"; {counted(exact, 'p-value')} exact" if exact else ""
    return f"{comparison.options.get('draws', DRAWS):,}{some}"


def _measure(measure: Measure) -> dict[str, str]:
    cls = type(measure)
    given = {name: value for name, value in vars(measure).items() if name in cls.defaults}
    parameters = [f"{name}={as_text(value)}" for name, value in given.items() if value is not None]
    facts = {
        "parameters": ", ".join(parameters),
        "user": cls.user,
        "undefined": cls.undefined,
        "better": describe_direction(measure),
        "source": cls.source,
    }
    return definition(str(measure), cls, facts)


def _files(scores: Scores) -> list[dict[str, Any]]:
    """Return the judgments and the runs, each with its digest and size."""
    about = scores.about
    columns = ("name", "file", "digest", "rows", "queries", "tied", "judged")
    sizes = (about.judgments, about.queries)
    files: list[tuple[Any, ...]] = [("judgments", about.qrels, about.qrels_digest, *sizes)]
    for name, run in about.runs.items():
        sizes = (run.results, run.queries)
        shares = (run.tie_rate, run.judged_in_top_10)
        files.append((name, run.source, run.digest, *sizes, *shares))
    return [dict(zip(columns, file, strict=False)) for file in files]
