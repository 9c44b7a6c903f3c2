"""What a collection is like, as tables and in words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from statistics import median

from cleverdon.collection.coverage import Coverage, Covered
from cleverdon.collection.difficulty import Difficulty, TopicScore
from cleverdon.collection.stats import Stats
from cleverdon.errors import OptionError, check_word
from cleverdon.show.collection_json import as_json
from cleverdon.show.grid import EXACT, Grid, counted, laid_out, printable
from cleverdon.show.numbers import decimal, number
from cleverdon.show.sections import FORMATS, Section, Write, counts, sections

_ENDS = 5
"""So many of the hardest and of the easiest topics are shown."""


def render(found: Stats, format: str = "table") -> str:
    """A collection in one of `FORMATS`: tables one below the other, and what to be wary of."""
    check_word("format", format, FORMATS)
    if format == "json":
        return json.dumps(as_json(found), indent=1, ensure_ascii=False)
    exact = format in EXACT
    write = counts(exact=exact)
    parts = [
        Section("judgments", _overview(found, exact=exact)),
        Section("grades", _grades(found, exact=exact)),
    ]
    if found.kinds:
        parts.append(Section(f"queries by {found.attribute}", _kinds(found, write)))
    if found.coverage is not None:
        parts.append(Section("systems", _systems(found, found.coverage, exact=exact)))
    if found.difficulty is not None:
        parts += _hard_and_easy(found, found.difficulty, exact=exact)
    return sections(parts, format, below=[] if exact else words(found))


def render_topics(found: Stats, format: str = "table") -> str:
    """A row for each query."""
    check_word("format", format, FORMATS)
    if format == "json":
        return json.dumps(as_json(found)["queries"], indent=1, ensure_ascii=False)
    exact = format in EXACT
    grades = list(found.described.grades)
    write = counts(exact=exact)
    header = ["query", "judged", "relevant", "not judged", *(f"grade {g:g}" for g in grades)]
    scored: dict[str, TopicScore] = {}
    if found.difficulty is not None:
        scored = {topic.topic: topic for topic in found.difficulty.topics}
        header += [str(found.difficulty.measure), "spread", "lowest", "highest", "best"]
    rows = []
    for topic in found.described.topics:
        numbers = (topic.judged, topic.relevant, topic.unjudged)
        cells = [printable(topic.topic), *map(write, numbers)]
        cells += [write(topic.grades.get(grade, 0)) for grade in grades]
        if scored:
            cells += _scored(scored.get(topic.topic), exact=exact)
        rows.append(_with_text(found, cells, topic.topic))
    return laid_out(Grid(_with_heading(found, header), rows, 1 + bool(found.texts), []), format)


def render_holes(found: Stats, k: int, format: str = "table") -> str:
    """For each query and system, how many of its first k results nobody judged."""
    check_word("format", format, FORMATS)
    cover = found.coverage
    if cover is None or k not in cover.ks:
        raise OptionError(f"holes of the first {k} results were not counted")
    holes = cover.holes[cover.ks.index(k)]
    names = [each.system for each in cover.systems]
    if format == "json":
        by_system = {
            name: dict(zip(cover.topics, holes[s].tolist(), strict=True))
            for s, name in enumerate(names)
        }
        return json.dumps({"k": k, "holes": by_system}, indent=1, ensure_ascii=False)
    rows = [
        _with_text(found, [printable(topic), *map(str, holes[:, t].tolist())], topic)
        for t, topic in enumerate(cover.topics)
    ]
    note = f"results among the first {k:,} that nobody judged"
    header = _with_heading(found, ["query", *map(printable, names)])
    return laid_out(Grid(header, rows, 1 + bool(found.texts), [], [note]), format)


def words(found: Stats) -> list[str]:
    """What the tables do not say: the depth of the pool, topics that do not fit, warnings."""
    told = []
    cover = found.coverage
    if cover is not None:
        told.append(_pool_depth(cover))
        if cover.unfound:
            told.append(
                f"{counted(cover.unfound, 'relevant document')} in no system's first "
                f"{cover.looked:,} results"
            )
        for each in cover.systems:
            if each.empty:
                told.append(f"{printable(each.system)}: {_without_results(each.empty)}")
    if found.not_judged:
        told.append(f"{counted(len(found.not_judged), 'topic')} described and not judged")
    if found.not_described:
        told.append(f"{counted(len(found.not_described), 'judged topic')} not described")
    return [*told, *warnings(found)]


def _without_results(topics: Sequence[str]) -> str:
    named = ", ".join(map(printable, topics[:3])) + (", ..." if len(topics) > 3 else "")
    return f"{counted(len(topics), 'judged topic')} without results ({named})"


def warnings(found: Stats) -> list[str]:
    """What to be wary of, each with what to do about it in the line below."""
    told = []
    for concern in found.concerns:
        told.append(f"warning: {printable(concern.text)}")
        told.append(f"    {concern.remedy}" + (f": {concern.command}" if concern.command else ""))
    return told


def _pool_depth(cover: Coverage) -> str:
    if cover.depth is None:
        return f"pool depth: all of the first {cover.looked:,} results of all systems are pooled"
    if cover.depth == 0:
        return "pool depth: none; on some topic, the first result of a system is not pooled"
    return f"pool depth: {cover.depth:,}; down to that rank, all systems' results are pooled"


def _overview(found: Stats, *, exact: bool) -> Grid:
    of = found.described
    judged = [topic.judged for topic in of.topics]
    relevant = [topic.relevant for topic in of.topics]
    rows = [
        ["queries", str(len(of.topics))],
        ["judged", str(of.judged)],
        ["relevant", str(of.relevant)],
        ["pooled, not judged", str(of.unjudged)],
        ["judged per query, lowest", str(min(judged))],
        ["judged per query, median", f"{median(judged):g}"],
        ["judged per query, highest", str(max(judged))],
        ["relevant per query, lowest", str(min(relevant))],
        ["relevant per query, median", f"{median(relevant):g}"],
        ["relevant per query, highest", str(max(relevant))],
        ["queries without relevant documents", str(len(of.without_relevant))],
        ["documents", str(of.documents)],
        ["documents judged for several queries", str(of.shared)],
        ["documents relevant to several queries", str(of.relevant_to_several)],
    ]
    write = counts(exact=exact)
    rows = [[name, write(int(value)) if value.isdigit() else value] for name, value in rows]
    return Grid(["judgments", "count"], rows, 1, [])


def _grades(found: Stats, *, exact: bool) -> Grid:
    write = counts(exact=exact)
    of = found.described
    total = sum(of.grades.values())
    rows = [
        [
            f"{grade:g}",
            write(count),
            decimal(count / total, exact=exact),
            write(sum(grade in topic.grades for topic in of.topics)),
            "yes" if grade >= of.rel else "no" if grade >= 0 else "not judged",
        ]
        for grade, count in of.grades.items()
    ]
    return Grid(["grade", "judgments", "share", "queries", "relevant"], rows, 1, [])


def _kinds(found: Stats, write: Write) -> Grid:
    rows = [
        [printable(kind.value), write(kind.topics), write(kind.judged), write(kind.relevant)]
        for kind in found.kinds
    ]
    return Grid([printable(str(found.attribute)), "queries", "judged", "relevant"], rows, 1, [])


def _systems(found: Stats, cover: Coverage, *, exact: bool) -> Grid:
    header = ["system", "missing queries", *(f"holes@{k}" for k in cover.ks)]
    header += ["pool depth", "median depth", "relevant", "unique"]
    lost = {one.system: one for one in found.reuse.systems} if found.reuse else {}
    if lost:
        measure = str(next(iter(lost.values())).measure)
        header += [measure, "if not pooled", "ranks lost"]
    write = counts(exact=exact)
    rows = []
    for each in cover.systems:
        cells = [printable(each.system), write(len(each.missing)), *_shares(each, exact=exact)]
        depths = (each.depth, each.median_depth)
        cells += ["all" if depth is None else f"{depth:g}" for depth in depths]
        cells += [write(each.relevant), write(each.unique)]
        if lost:
            one = lost[each.system]
            scores = (one.pooled, one.unpooled)
            cells += [number(one.measure, score, exact=exact) for score in scores]
            cells.append(write(one.ranks_lost))
        rows.append(cells)
    return Grid(header, rows, 1, [])


def _shares(each: Covered, *, exact: bool) -> list[str]:
    shares = [each.share(at) for at in range(len(each.holes))]
    return [decimal(share, exact=True) if exact else f"{share:.1%}" for share in shares]


def _hard_and_easy(found: Stats, difficulty: Difficulty, *, exact: bool) -> list[Section]:
    topics, measure = difficulty.topics, str(difficulty.measure)
    hard, easy = topics[:_ENDS], topics[len(topics) - _ENDS :][::-1]
    if len(topics) <= 2 * _ENDS:
        return [Section("queries, the hardest first", _topics(found, topics, measure, exact=exact))]
    return [
        Section("hardest queries", _topics(found, hard, measure, exact=exact)),
        Section("easiest queries", _topics(found, easy, measure, exact=exact)),
    ]


def _topics(found: Stats, topics: Sequence[TopicScore], measure: str, *, exact: bool) -> Grid:
    write = counts(exact=exact)
    relevant = {topic.topic: topic.relevant for topic in found.described.topics}
    header = ["query", "relevant", measure, "spread", "lowest", "highest", "best"]
    rows = [
        _with_text(
            found,
            [
                printable(each.topic),
                write(relevant[each.topic]),
                *_scored(each, exact=exact),
            ],
            each.topic,
        )
        for each in topics
    ]
    return Grid(_with_heading(found, header), rows, 1 + bool(found.texts), [])


def _scored(topic: TopicScore | None, *, exact: bool) -> list[str]:
    if topic is None:  # not every system was evaluated on it
        return [""] * 5
    values: tuple[float, ...] = (topic.mean, topic.spread, topic.low, topic.high)
    best = "" if exact else "-"  # where several do
    if topic.best is not None:
        best = printable(topic.best)
    return [*(decimal(value, exact=exact) for value in values), best]


def _with_heading(found: Stats, header: list[str]) -> list[str]:
    return [header[0], "text", *header[1:]] if found.texts else header


def _with_text(found: Stats, cells: list[str], topic: str) -> list[str]:
    """The row with what its topic asks, where that is known."""
    if not found.texts:
        return cells
    return [cells[0], printable(found.texts.get(topic, "")), *cells[1:]]
