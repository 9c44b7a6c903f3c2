"""A datasheet in words and tables; the numbers are those of `datasheet.py`."""

from __future__ import annotations

from cleverdon.assess import clock
from cleverdon.assess.exporting.caveats import caveats
from cleverdon.assess.exporting.datasheet import Datasheet, Spread
from cleverdon.assess.exporting.datasheet_options import judges_wanted, options, pool_options
from cleverdon.assess.exporting.sheet import Part
from cleverdon.assess.watching.agreement import MEANINGS
from cleverdon.assess.watching.measured import Measured
from cleverdon.assess.watching.sentences import ENDED, gold_left_out
from cleverdon.show.grid import Grid, counted, printable

_SAID_ELSEWHERE = {"adaptive", "guidelines", "judges", "made_of", "overlap", "pool"}
"""Settings that stand where they are of use."""


def datasheet_parts(sheet: Datasheet) -> list[Part]:
    """All parts, in the order in which one asks."""
    return [
        _summary(sheet),
        _pool(sheet),
        _scale(sheet),
        _assessors(sheet),
        _judging(sheet),
        _agreement(sheet),
        _settling(sheet),
        _grades(sheet),
        Part("Caveats", points=caveats(sheet)),
        _use(sheet),
        _origin(sheet),
    ]


def _summary(sheet: Datasheet) -> Part:
    said = (
        f"{counted(sheet.judgments, 'relevance judgment')} of "
        f"{counted(sheet.judged, 'document')} for {counted(sheet.topics, 'topic')}, made by "
        f"{counted(len(sheet.assessors), 'assessor')}"
    )
    if sheet.first is not None and sheet.last is not None:
        days = sorted({_day(sheet.first), _day(sheet.last)})
        said += f" on {days[0]}" if len(days) == 1 else f" between {days[0]} and {days[1]}"
    share = sheet.graded / sheet.due if sheet.due else 0.0
    by_ruling = sheet.graded - sheet.judged
    facts = (
        ("Topics", f"{sheet.topics:,}"),
        ("Documents", f"{sheet.documents:,} different ones"),
        ("To be judged", f"{sheet.due:,} pairs of a topic and a document"),
        ("Documents for a topic", _spread(sheet.per_topic)),
        ("Judged", f"{sheet.graded:,} of {sheet.due:,} ({share:.1%})"),
        *([("Judged by a ruling alone", f"{by_ruling:,}")] if by_ruling else []),
        ("Judged by two or more", f"{sheet.by_several:,}"),
        ("State of", clock.iso(sheet.as_of)),
    )
    return Part("In short", (f"{said}.",), facts)


def _pool(sheet: Datasheet) -> Part:
    heading = "Which documents were judged"
    added = [("Added by imports", f"{sheet.added:,}")] if sheet.added else []
    if sheet.pool is None:
        said = "The documents to judge were given to the project; it keeps no pool of systems."
        return Part(heading, (said,), (*pool_options(sheet.settings.get("pool") or {}), *added))
    facts = [
        *pool_options(sheet.pool.how),
        ("Pooled documents", f"{sheet.pool.documents:,}"),
    ]
    if sheet.pool.is_sample:
        facts.append(("Drawn to be judged", f"{sheet.pool.drawn:,}"))
    if sheet.is_adaptive:
        facts.append(("Given out by the method", f"{sheet.given_out - sheet.added:,}"))
        ended = sheet.endings.items()
        facts += [(f"Ended, since {ENDED[why]}", counted(count, "topic")) for why, count in ended]
        going = sheet.topics - sum(sheet.endings.values())
        facts += [("Not ended yet", counted(going, "topic"))] if going else []
    said = f"Documents were pooled from {counted(len(sheet.pool.systems), 'system')}."
    rows = [[printable(name), digest or "-"] for name, digest in sheet.pool.systems]
    tables = (Grid(["system", "BLAKE3 of its run"], rows, 2, []),) if rows else ()
    return Part(heading, (said,), (*facts, *added), tables)


def _scale(sheet: Datasheet) -> Part:
    rows = [
        [
            str(grade.value),
            grade.name,
            "yes" if grade.value >= sheet.scale.relevant else "no",
            " ".join(grade.guideline.split()) or "-",
        ]
        for grade in sheet.scale.grades
    ]
    said = "Assessors saw these grades and guidelines, and neither system, nor rank, nor score."
    grid = Grid(["grade", "name", "counts as relevant", "guideline"], rows, 4, [])
    guidelines = str(sheet.settings.get("guidelines") or "").split("\n\n")
    return Part("The scale", (said, *filter(None, map(str.strip, guidelines))), tables=(grid,))


def _assessors(sheet: Datasheet) -> Part:
    rows = [
        [
            one.name,
            f"{one.judged:,}",
            f"{one.topics:,}",
            _share(one.relevant),
            _seconds(one.seconds),
        ]
        for one in sheet.assessors
    ]
    header = ["assessor", "documents", "topics", "relevant", "seconds a document"]
    said = []
    if sheet.others:
        listed = ", ".join(
            f"{name} ({'a model' if kind == 'model' else 'earlier judgments'}, "
            f"{counted(number, 'grade')})"
            for name, kind, number in sheet.others
        )
        said.append(f"Kept beside these, and not part of the judgments: {listed}.")
    notes = ["relevant: with a 95% interval; seconds: the median, and the middle half"]
    return Part("Who judged", tuple(said), tables=(Grid(header, rows, 1, [], notes),))


def _judging(sheet: Datasheet) -> Part:
    facts = [
        *judges_wanted(sheet.settings),
        ("First judgment", "not known" if sheet.first is None else clock.iso(sheet.first)),
        ("Last judgment", "not known" if sheet.last is None else clock.iso(sheet.last)),
        ("Grades given", f"{sheet.sayings:,}, changed ones counted again"),
        *([("Made elsewhere", f"{sheet.imported:,} of these")] if sheet.imported else []),
        ("Grades that stand", f"{sheet.judgments:,}"),
        ("Seconds a document", _seconds(sheet.seconds)),
        ("Skipped by somebody", counted(sheet.skipped, "document")),
    ]
    if sheet.gold:
        facts += [
            ("Gold documents", f"{sheet.gold:,}, which check attention"),
            ("Gold graded as known", _share(sheet.gold_right)),
        ]
    return Part("How it was judged", facts=tuple(facts))


def _agreement(sheet: Datasheet) -> Part:
    rows = [[name, MEANINGS.get(name, ""), _number(one)] for name, one in sheet.agreement.items()]
    tables = (Grid(["coefficient", "what it says", "value"], rows, 2, []),) if rows else ()
    points = [_sentence(text) for text in sheet.agreement_said]
    points += [gold_left_out(sheet.agreement_gold)] if sheet.agreement_gold else []
    return Part("How far assessors agree", tables=tables, points=tuple(points))


def _settling(sheet: Datasheet) -> Part:
    tied = counted(sheet.tied, "document")
    facts = (
        ("Documents in dispute", f"{sheet.disputes:,} of {sheet.by_several:,} that several judged"),
        ("Settled by a ruling", f"{sheet.settled:,}"),
        ("Rulings in all", f"{sheet.rulings:,}"),
        ("Without a ruling", "the grade that most assessors gave"),
        ("Where no grade has most votes", f"the lowest of these: {tied}"),
    )
    return Part("How one grade was made of several", facts=facts)


def _grades(sheet: Datasheet) -> Part:
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
    if sheet.relevant_per_topic is not None:
        facts.append(("Relevant documents for a topic", _spread(sheet.relevant_per_topic)))
    facts.append(("Topics without a relevant one", f"{sheet.without_relevant:,}"))
    grid = Grid(["grade", "name", "documents", "share"], rows, 2, [])
    return Part("The judgments", facts=tuple(facts), tables=(grid,))


def _use(sheet: Datasheet) -> Part:
    name, options, measure = "qrels.txt", "", "nDCG@10 --bounds"
    if sheet.pool is not None and sheet.pool.is_sample:
        is_stratified = sheet.pool.how.get("method") == "stratified"
        kind, measure = ("strata", "xinfAP") if is_stratified else ("sampled", "statAP")
        name, options = f"qrels.{kind}", f" --qrels-format {kind}"
    said = f"{name} is the file of judgments that comes with this sheet, my.run a system's results."
    code = (f"cleverdon eval {name}{options} my.run -m {measure}",)
    cite = (
        f"{sheet.title}. Relevance judgments, state of {_day(sheet.as_of)}. Made with Cleverdon "
        f"{sheet.version}. BLAKE3 of the qrels: {sheet.qrels_digest}."
    )
    return Part("How to evaluate with it, and to cite it", (f"To cite: {cite}", said), code=code)


def _origin(sheet: Datasheet) -> Part:
    facts = [("Cleverdon", sheet.version), ("BLAKE3 of the qrels", sheet.qrels_digest)]
    if sheet.created_at is not None:
        facts.append(("Project made", clock.iso(sheet.created_at)))
    if sheet.pool is not None:
        facts.append(("BLAKE3 of the pool", sheet.pool.digest))
    made_of = dict(sheet.settings.get("made_of") or {})
    digests = made_of.pop("BLAKE3", {})
    for what, given in made_of.items():
        facts += options({f"Made of: {what}": given, f"BLAKE3 of {what}": digests.get(what)})
    others = sheet.settings.keys() - _SAID_ELSEWHERE
    facts += options({name: sheet.settings[name] for name in sorted(others)})
    return Part("Versions and inputs", facts=tuple(facts))


def _day(moment: float) -> str:
    return clock.iso(moment)[:10]


def _spread(spread: Spread) -> str:
    if spread.least == spread.most:
        return f"{spread.least:,} each"
    return f"{spread.least:,} to {spread.most:,}, median {spread.middle:g}"


def _share(found: Measured) -> str:
    return _with_ends(found, "{:z.1%}", " [{}, {}]")


def _number(found: Measured) -> str:
    return _with_ends(found, "{:z.3f}", " [{}, {}]")


def _seconds(found: Measured) -> str:
    return _with_ends(found, "{:.1f}", " ({} to {})")


def _with_ends(found: Measured, number: str, ends: str) -> str:
    """A number and its interval, as far as they are known."""
    if found.value is None:
        return found.why or "-"
    told = number.format(found.value)
    if found.low is not None and found.high is not None:
        told += ends.format(number.format(found.low), number.format(found.high))
    return told


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
