"""Reports of agreement and datasheets: Markdown, or one HTML file that loads nothing.

The report of agreement has the numbers of the dashboard and of the datasheet: gold is left out, and
intervals are drawn by the same rule.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from html import escape
from typing import Any

from sqlalchemy import Connection

from cleverdon._common.text import counted, printable
from cleverdon.agreement.agreement import Agreement, disputed_documents
from cleverdon.errors import InputError
from cleverdon.judging import clock
from cleverdon.judging.candidates import parse_overlap
from cleverdon.judging.dashboard import Measurement
from cleverdon.judging.dashboard.agreement import MEANINGS, measure_report, shared_documents
from cleverdon.judging.dashboard.facts import labels_of, without_gold
from cleverdon.judging.dashboard.state import ENDINGS, gold_left_out
from cleverdon.judging.exports import REPORTS
from cleverdon.judging.exports.datasheet import Datasheet, Spread
from cleverdon.judging.exports.qrels import chosen_grades
from cleverdon.tables.markup import escape_markdown, render_html, render_markdown
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable


@dataclass(frozen=True)
class ReportPart:
    """A heading, and the paragraphs, lists and tables below it."""

    heading: str
    paragraphs: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()  # what, and which
    tables: tuple[TextTable, ...] = ()
    points: tuple[str, ...] = ()  # a list
    code: tuple[str, ...] = ()  # lines for a shell


def as_markdown(title: str, parts: Sequence[ReportPart]) -> str:
    """Write a report as GitHub's Markdown."""
    blocks = [f"# {_markdown_line(title)}"]
    for part in parts:
        blocks.append(f"## {_markdown_line(part.heading)}")
        blocks += map(_markdown_line, part.paragraphs)
        if part.facts:
            rows = [list(fact) for fact in part.facts]
            blocks.append(render_markdown(TextTable(["", ""], rows, 2, [])))
        blocks += map(render_markdown, part.tables)
        if part.points:
            blocks.append("\n".join(f"- {_markdown_line(point)}" for point in part.points))
        if part.code:
            blocks.append("\n".join(f"    {line}" for line in part.code))
    return "\n\n".join(blocks) + "\n"


def as_html(title: str, parts: Sequence[ReportPart]) -> str:
    """Write a report as one HTML page, for screens, paper and phones."""
    blocks = []
    for part in parts:
        inside = [f"<h2>{escape(part.heading)}</h2>"]
        inside += [f"<p>{escape(text)}</p>" for text in part.paragraphs]
        if part.facts:
            pairs = "".join(
                f"<dt>{escape(what)}</dt><dd>{escape(which)}</dd>" for what, which in part.facts
            )
            inside.append(f"<dl>{pairs}</dl>")
        inside += [
            f'<div class="table" tabindex="0">{render_html(table)}</div>' for table in part.tables
        ]
        if part.points:
            points = "".join(f"<li>{escape(point)}</li>" for point in part.points)
            inside.append(f"<ul>{points}</ul>")
        if part.code:
            inside.append(f"<pre>{escape(chr(10).join(part.code))}</pre>")
        blocks.append(f"<section>\n{chr(10).join(inside)}\n</section>")
    return _PAGE.format(title=escape(title), style=_STYLE, body="\n".join(blocks))


def _markdown_line(text: str) -> str:
    """Write a text on one line that starts neither a heading nor a list."""
    flat = escape_markdown(" ".join(text.split()))
    return f"\\{flat}" if flat[:1] in ("#", "-", "+", ">") else flat


_STYLE = """
:root { color-scheme: light dark; --line: #d4d4d8; --soft: #52525b; --back: #f4f4f5; }
@media (prefers-color-scheme: dark) {
  :root { --line: #3f3f46; --soft: #a1a1aa; --back: #27272a; }
}
body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem;
  overflow-wrap: anywhere; }
h1 { line-height: 1.2; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; border-bottom: 1px solid var(--line); }
dl { display: grid; grid-template-columns: minmax(9rem, 14rem) 1fr; gap: .25rem 1rem; margin: 0; }
dt { color: var(--soft); }
dd { margin: 0; }
.table { overflow-x: auto; margin: .75rem 0; overflow-wrap: normal; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; }
[style] { white-space: nowrap; }
.table p { color: var(--soft); font-size: .9rem; }
pre { background: var(--back); padding: .75rem; overflow-x: auto; }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .5rem; } }
@media print { body { margin: 0; max-width: none; } section { break-inside: avoid; } }
"""

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
<h1>{title}</h1>
{body}
</main>
</body>
</html>
"""


_DISPUTED = 50  # documents in dispute that are shown, the worst first


def agreement_report(
    connection: Connection,
    format: str,
    *,
    title: str,
    others: Collection[str] = (),
    called: Mapping[str, str] | None = None,
    seed: int = 0,
) -> str:
    """Write the agreement overall, by pair and by query, with confusion and disputes.

    `others` are models and earlier judgments that are shown next to people; they never count in
    the agreement of people. `called` are other names for people.
    """
    every = chosen_grades(connection, others=others)
    rows = without_gold(every)
    human = [row for row in rows if row.kind == "person"]
    both = shared_documents([row for row in every if row.kind == "person"])
    gold = both - shared_documents(human)
    named = {row.judge: (called or {}).get(row.judge, row.judge) for row in human}
    if len(named) < 2:
        without = ", gold documents left out" if gold else ""
        raise InputError(
            f"agreement needs two people who judged the same documents, and {len(named)} "
            f"did{without}: assign documents to several (cleverdon judge assign --overlap)"
        )
    own, labels = (
        labels_of(replace(row, judge=named.get(row.judge, row.judge)) for row in each)
        for each in (human, rows)
    )
    models = [judge for judge in labels.judges if judge not in own.judges]
    agreed = measure_report(own, seed=seed)
    found = _AgreementReport(
        **{
            **{one.name: getattr(agreed, one.name) for one in fields(agreed)},
            "pairs": measure_report(labels, seed=seed).pairs if models else agreed.pairs,
            "models": tuple(models),
            "labels_with_models": labels,
            "disputed": tuple(disputed_documents(labels, _DISPUTED)),
            "gold_left_out": gold,
        }
    )
    if format != "html":
        return found.render(REPORTS[format], confusion=True) + "\n"
    sections = found.sections(confusion=True)
    parts = [ReportPart(each.heading, tables=(each.grid,)) for each in sections]
    return as_html(f"Agreement: {title}", parts)


@dataclass(frozen=True, eq=False)
class _AgreementReport(Agreement):
    """Agreement, and how many gold documents it leaves out."""

    gold_left_out: int = 0

    def sections(self, *, exact: bool = False, confusion: bool = False) -> list[Section]:
        parts = super().sections(exact=exact, confusion=confusion)
        if not self.gold_left_out:
            return parts
        cells = ["gold", f"{self.gold_left_out:,}", "somebody chose them, to check attention"]
        grid = TextTable(["which", "documents", "why"], [cells], 1, [])
        return [*parts, Section("Left out of agreement", grid)]

    def to_dict(self) -> dict[str, Any]:
        record = super().to_dict()
        return record | {"gold_left_out": record.pop("gold_left_out")}


_Fact = tuple[str, str]  # a label and its value

_METHODS = {
    "depth": "depth: whatever some system had in its first results",
    "rrf": "the best by reciprocal rank fusion",
    "rbp": "the best by what rank-biased precision gives to their ranks",
    "combmnz": "the best by their scores, times the number of systems",
    "stratified": "stratified: a random share of each of several depths",
    "probability": "at random, in proportion to a weight",
    "adaptive": "adaptive: one document after the other, by what was judged before",
    "unpooled": "at random, of what no system had in the pool",
    "list": "a list of queries and documents, as it was given",
}
_NAMES = {
    "k": "First results of each system that were pooled",
    "depth": "First results of each system that were looked at",
    "budget": "Documents for a query, at most",
    "p": "Persistence of rank-biased precision",
    "by": "Weight",
    "strata": "Shares that were drawn",
    "adaptive": "Adaptive method",
    "target": "A query ends once so many are relevant",
    "patience": "A query ends after so many in a row that are not",
    "docs": "Documents of the collection",
    "stratum_names": "Strata",
    "sizes": "Documents of a stratum",
    "seed": "Seed of what chance decided",
}


def _describe_pool(how: Mapping[str, Any]) -> list[_Fact]:
    """Return the method of a pool and its options."""
    left = dict(how)
    method = str(left.pop("method", "not said"))
    if left.get("depth") == left.get("k"):  # no deeper than what was pooled: it says nothing
        left.pop("depth", None)
    with suppress(TypeError, ValueError, KeyError):  # a file may hold anything
        shares = (f"{100 * share:g}% down to rank {depth:,}" for depth, share in left["strata"])
        left["strata"] = ", ".join(shares)
    return [("Method", _METHODS.get(method, method)), *_describe_options(left)]


def _describe_options(found: Mapping[str, Any]) -> list[_Fact]:
    """Return options in words, nested ones one by one."""
    facts: list[_Fact] = []
    for name, value in found.items():
        called = _NAMES.get(name, str(name).replace("_", " "))
        if isinstance(value, dict):
            facts += [(f"{called}: {what}", text) for what, text in _describe_options(value)]
        elif value not in (None, "", []):
            facts.append((called, _value_text(value)))
    return facts


def _describe_judges(settings: Mapping[str, Any]) -> list[_Fact]:
    """Return how many people were to judge each document."""
    judges, given = settings.get("judges"), settings.get("overlap")
    if not judges:
        return []
    text = f"{judges:,}"
    if given:
        overlap = parse_overlap(given)
        share = f"{100 * (overlap.share or 0):g}% of the documents"
        count = counted(overlap.count or 0, "document")
        text += f", and 2 for {share if overlap.count is None else f'{count} of each query'}"
    return [("People to judge a document", text)]


def _value_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return ", ".join(value)
    return json.dumps(value, ensure_ascii=False)


_FEW_QUERIES = 25  # below it, chance explains most differences between systems
_MOSTLY = 0.5


def _caveats(sheet: Datasheet) -> tuple[str, ...]:
    """Return a sentence for each caveat that applies."""
    return (*_of_pool(sheet), *_of_judges(sheet), *_of_collection(sheet))


def _of_pool(sheet: Datasheet) -> Iterator[str]:
    if left := sheet.due - sheet.graded:
        yield (
            f"{left:,} of {sheet.due:,} documents that were to be judged have no judgment: to most "
            "measures they count as not relevant."
        )
    if sheet.is_adaptive and sheet.due < sheet.items:
        yield (
            "A method chose what was judged, by what had been judged before: "
            f"{sheet.items - sheet.due:,} of {sheet.items:,} documents were not given out, and to "
            "most measures count as not relevant. The judged ones are not a sample of them."
        )
    if sheet.pool is None:
        yield (
            "No pool is kept: whether systems were treated alike when the documents were chosen "
            "cannot be told."
        )
        return
    if sheet.pool.is_sample:
        yield (
            f"The pool is a sample, {sheet.pool.drawn:,} of {sheet.pool.documents:,}: use measures "
            "that are made for one (infAP, xinfAP, statAP); others are biased."
        )
    outside = sheet.pool.outside
    but = f"But for {counted(outside, 'document')} from elsewhere, only" if outside else "Only"
    yield (
        f"{but} what {counted(len(sheet.pool.systems), 'system')} returned could be judged: a new "
        "system may return relevant documents that nobody has seen. Look at its share of judged "
        "results, and at bounds (cleverdon eval --bounds)."
    )


def _of_judges(sheet: Datasheet) -> Iterator[str]:
    alone = sheet.judged - sheet.by_several
    if sheet.judged and alone / sheet.judged > _MOSTLY:
        yield (
            f"{alone / sheet.judged:.0%} of the judged documents were judged by one person alone: "
            "their grades are that person's view."
        )
    if not sheet.agreement:
        yield "How far assessors agree is not known."
    if unsettled := sheet.disputes - sheet.settled:
        has = "has" if unsettled == 1 else "have"
        decided = "the majority stands"
        if sheet.tied:  # a tie is always in dispute
            decided = "no grade had most votes, and the lowest of the tied grades was taken"
            if by_majority := unsettled - sheet.tied:
                decided = f"the majority stands for {by_majority:,}; for {sheet.tied:,} {decided}"
        yield (
            f"{unsettled:,} of {counted(sheet.disputes, 'document')} in dispute {has} no ruling: "
            f"{decided}."
        )


def _of_collection(sheet: Datasheet) -> Iterator[str]:
    if sheet.imported:
        yield (
            f"{counted(sheet.imported, 'grade')} of {sheet.grades_given:,} that people gave were "
            "made elsewhere and imported: what the assessors saw there is not known."
        )
    if sheet.queries < _FEW_QUERIES:
        yield (
            f"Few queries ({sheet.queries:,}): only large differences between systems can be told "
            "from chance."
        )
    if sheet.without_relevant:
        yield (
            f"{counted(sheet.without_relevant, 'query')} without a relevant document: most "
            "measures are undefined there, and say nothing of a system."
        )
    if not sheet.gold:
        yield "No gold documents checked the assessors' attention."


# Settings that other parts show.
_SHOWN_ELSEWHERE = {"adaptive", "guidelines", "judges", "made_of", "overlap", "pool"}


def datasheet_parts(sheet: Datasheet) -> list[ReportPart]:
    """Return all parts, in the order of the usual questions."""
    return [
        _summary(sheet),
        _pool(sheet),
        _scale(sheet),
        _assessors(sheet),
        _judging(sheet),
        _agreement(sheet),
        _settling(sheet),
        _grades(sheet),
        ReportPart("Caveats", points=_caveats(sheet)),
        _use(sheet),
        _origin(sheet),
    ]


def _summary(sheet: Datasheet) -> ReportPart:
    text = (
        f"{counted(sheet.judgments, 'relevance judgment')} of "
        f"{counted(sheet.judged, 'document')} for {counted(sheet.queries, 'query')}, made by "
        f"{counted(len(sheet.assessors), 'assessor')}"
    )
    if sheet.first is not None and sheet.last is not None:
        days = sorted({_day(sheet.first), _day(sheet.last)})
        text += f" on {days[0]}" if len(days) == 1 else f" between {days[0]} and {days[1]}"
    share = sheet.graded / sheet.due if sheet.due else 0.0
    by_ruling = sheet.graded - sheet.judged
    facts = (
        ("Queries", f"{sheet.queries:,}"),
        ("Documents", f"{sheet.documents:,} different ones"),
        ("To be judged", f"{sheet.due:,} pairs of a query and a document"),
        ("Documents for a query", _spread(sheet.per_query)),
        ("Judged", f"{sheet.graded:,} of {sheet.due:,} ({share:.1%})"),
        *([("Judged by a ruling alone", f"{by_ruling:,}")] if by_ruling else []),
        ("Judged by two or more", f"{sheet.by_several:,}"),
        ("State of", clock.iso(sheet.as_of)),
    )
    return ReportPart("In short", (f"{text}.",), facts)


def _pool(sheet: Datasheet) -> ReportPart:
    heading = "Which documents were judged"
    added = [("Added by imports", f"{sheet.added:,}")] if sheet.added else []
    if sheet.pool is None:
        text = "The documents to judge were given to the project; it keeps no pool of systems."
        return ReportPart(
            heading, (text,), (*_describe_pool(sheet.settings.get("pool") or {}), *added)
        )
    facts = [*_describe_pool(sheet.pool.how), ("Pooled documents", f"{sheet.pool.documents:,}")]
    if sheet.pool.is_sample:
        facts.append(("Drawn to be judged", f"{sheet.pool.drawn:,}"))
    if sheet.is_adaptive:
        facts.append(("Given out by the method", f"{sheet.given_out - sheet.added:,}"))
        ended = sheet.endings.items()
        facts += [(f"Ended, since {ENDINGS[why]}", counted(count, "query")) for why, count in ended]
        going = sheet.queries - sum(sheet.endings.values())
        facts += [("Not ended yet", counted(going, "query"))] if going else []
    text = f"Documents were pooled from {counted(len(sheet.pool.systems), 'system')}."
    rows = [[printable(name), digest or "-"] for name, digest in sheet.pool.systems]
    tables = (TextTable(["system", "BLAKE3 of its run"], rows, 2, []),) if rows else ()
    return ReportPart(heading, (text,), (*facts, *added), tables)


def _scale(sheet: Datasheet) -> ReportPart:
    rows = [
        [
            str(grade.value),
            grade.name,
            "yes" if grade.value >= sheet.scale.relevant else "no",
            " ".join(grade.guideline.split()) or "-",
        ]
        for grade in sheet.scale.grades
    ]
    text = "Assessors saw these grades and guidelines, and neither system, nor rank, nor score."
    grid = TextTable(["grade", "name", "counts as relevant", "guideline"], rows, 4, [])
    guidelines = str(sheet.settings.get("guidelines") or "").split("\n\n")
    return ReportPart(
        "The scale", (text, *filter(None, map(str.strip, guidelines))), tables=(grid,)
    )


def _assessors(sheet: Datasheet) -> ReportPart:
    rows = [
        [
            one.name,
            f"{one.judged:,}",
            f"{one.queries:,}",
            _with_ends(_SHARE, one.relevant),
            _with_ends(_SECONDS, one.seconds),
        ]
        for one in sheet.assessors
    ]
    header = ["assessor", "documents", "queries", "relevant", "seconds a document"]
    text = []
    if sheet.others:
        listed = ", ".join(
            f"{name} ({'a model' if kind == 'model' else 'earlier judgments'}, "
            f"{counted(number, 'grade')})"
            for name, kind, number in sheet.others
        )
        text.append(f"Stored separately, and not part of the judgments: {listed}.")
    notes = ["relevant: with a 95% interval; seconds: the median, and the middle half"]
    return ReportPart("Who judged", tuple(text), tables=(TextTable(header, rows, 1, [], notes),))


def _judging(sheet: Datasheet) -> ReportPart:
    facts = [
        *_describe_judges(sheet.settings),
        ("First judgment", "not known" if sheet.first is None else clock.iso(sheet.first)),
        ("Last judgment", "not known" if sheet.last is None else clock.iso(sheet.last)),
        ("Grades given", f"{sheet.grades_given:,}, changed ones counted again"),
        *([("Made elsewhere", f"{sheet.imported:,} of these")] if sheet.imported else []),
        ("Grades that stand", f"{sheet.judgments:,}"),
        ("Seconds a document", _with_ends(_SECONDS, sheet.seconds)),
        ("Skipped by somebody", counted(sheet.skipped, "document")),
    ]
    if sheet.gold:
        facts += [
            ("Gold documents", f"{sheet.gold:,}, which check attention"),
            ("Gold graded as known", _with_ends(_SHARE, sheet.gold_right)),
        ]
    return ReportPart("How it was judged", facts=tuple(facts))


def _agreement(sheet: Datasheet) -> ReportPart:
    rows = [
        [name, MEANINGS.get(name, ""), _with_ends(_NUMBER, one)]
        for name, one in sheet.agreement.items()
    ]
    tables = (TextTable(["coefficient", "what it says", "value"], rows, 2, []),) if rows else ()
    points = [f"{text[:1].upper()}{text[1:]}." for text in sheet.agreement_summary]
    points += [gold_left_out(sheet.agreement_gold)] if sheet.agreement_gold else []
    return ReportPart("How far assessors agree", tables=tables, points=tuple(points))


def _settling(sheet: Datasheet) -> ReportPart:
    tied = counted(sheet.tied, "document")
    facts = (
        ("Documents in dispute", f"{sheet.disputes:,} of {sheet.by_several:,} that several judged"),
        ("Settled by a ruling", f"{sheet.settled:,}"),
        ("Rulings in all", f"{sheet.rulings:,}"),
        ("Without a ruling", "the grade that most assessors gave"),
        ("Where no grade has most votes", f"the lowest of these: {tied}"),
    )
    return ReportPart("How one grade was made of several", facts=facts)


def _grades(sheet: Datasheet) -> ReportPart:
    total = sum(sheet.published.values())
    rows = [
        [
            str(grade.value),
            grade.name,
            f"{sheet.published[grade.value]:,}",
            f"{sheet.published[grade.value] / total:.1%}" if total else "-",
        ]
        for grade in sheet.scale.grades
    ]
    facts = []
    if sheet.relevant_per_query is not None:
        facts.append(("Relevant documents for a query", _spread(sheet.relevant_per_query)))
    facts.append(("Queries without a relevant one", f"{sheet.without_relevant:,}"))
    grid = TextTable(["grade", "name", "documents", "share"], rows, 2, [])
    return ReportPart("The judgments", facts=tuple(facts), tables=(grid,))


def _use(sheet: Datasheet) -> ReportPart:
    name, options, measure = "qrels.txt", "", "nDCG@10 --bounds"
    if sheet.pool is not None and sheet.pool.is_sample:
        is_stratified = sheet.pool.how.get("method") == "stratified"
        kind, measure = ("strata", "xinfAP") if is_stratified else ("sampled", "statAP")
        name, options = f"qrels.{kind}", f" --qrels-format {kind}"
    text = f"{name} is the file of judgments that comes with this sheet, my.run a system's results."
    code = (f"cleverdon eval {name}{options} my.run -m {measure}",)
    cite = (
        f"{sheet.title}. Relevance judgments, state of {_day(sheet.as_of)}. Made with Cleverdon "
        f"{sheet.version}. BLAKE3 of the qrels: {sheet.qrels_digest}."
    )
    return ReportPart(
        "How to evaluate with it, and to cite it", (f"To cite: {cite}", text), code=code
    )


def _origin(sheet: Datasheet) -> ReportPart:
    facts = [("Cleverdon", sheet.version), ("BLAKE3 of the qrels", sheet.qrels_digest)]
    if sheet.created_at is not None:
        facts.append(("Project made", clock.iso(sheet.created_at)))
    if sheet.pool is not None:
        facts.append(("BLAKE3 of the pool", sheet.pool.digest))
    made_of = dict(sheet.settings.get("made_of") or {})
    digests = made_of.pop("BLAKE3", {})
    for what, given in made_of.items():
        facts += _describe_options(
            {f"Made of: {what}": given, f"BLAKE3 of {what}": digests.get(what)}
        )
    others = sheet.settings.keys() - _SHOWN_ELSEWHERE
    facts += _describe_options({name: sheet.settings[name] for name in sorted(others)})
    return ReportPart("Versions and inputs", facts=tuple(facts))


def _day(moment: float) -> str:
    return clock.iso(moment)[:10]


def _spread(spread: Spread) -> str:
    if spread.least == spread.most:
        return f"{spread.least:,} each"
    return f"{spread.least:,} to {spread.most:,}, median {spread.middle:g}"


_SHARE, _NUMBER = ("{:z.1%}", " [{}, {}]"), ("{:z.3f}", " [{}, {}]")
_SECONDS = ("{:.1f}", " ({} to {})")


def _with_ends(form: tuple[str, str], found: Measurement) -> str:
    """Write a number and its interval, as far as they are known."""
    number, ends = form
    if found.value is None:
        return found.why or "-"
    text = number.format(found.value)
    if found.low is not None and found.high is not None:
        text += ends.format(number.format(found.low), number.format(found.high))
    return text
