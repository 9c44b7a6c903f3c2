"""Statistics of a collection as tables, sentences and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

from cleverdon._common.text import counted, printable
from cleverdon.collection.description import Coverage, Difficulty, QueryScore, grades_json
from cleverdon.errors import OptionError
from cleverdon.pooling.recall.reuse import Reuse
from cleverdon.score_tables import format_score
from cleverdon.tables.numbers import format_decimal
from cleverdon.tables.result import as_json
from cleverdon.tables.sections import CountFormat, Section, count_format
from cleverdon.tables.table import TextTable

if TYPE_CHECKING:
    from cleverdon.collection.stats import CollectionStats


def stats_json(found: CollectionStats) -> dict[str, Any]:
    """Return everything as JSON has it: the keys are older than the fields."""
    of, hard = found.described, found.difficulty
    counts = ("rel", "judged", "relevant", "unjudged", "documents", "shared")
    record = {name: getattr(of, name) for name in counts}
    record |= {name: getattr(of, name) for name in ("relevant_documents", "relevant_to_several")}
    record |= {"most_shared": dict(of.most_shared), "grades": grades_json(of.grades)}
    scores = {} if hard is None else {one.query: one for one in hard.queries}
    record |= {
        "queries_without_relevant": of.without_relevant,
        "queries_not_judged": found.not_judged,
        "queries_not_described": found.not_described,
        "attribute": found.attribute,
        "kinds": found.kinds,
        "measure": None if hard is None else hard.measure,
        "queries": [
            as_json(one) | {"text": found.texts.get(one.query), "scores": scores.get(one.query)}
            for one in of.queries
        ],
        "coverage": found.coverage,
        "reuse": None if found.reuse is None else _reuse_json(found.reuse),
        "concerns": found.concerns,
    }
    return {"name": found.name} | {key: as_json(value) for key, value in record.items()}


def _reuse_json(found: Reuse) -> dict[str, Any]:
    systems = [one.to_dict() | {"ranks_lost": one.ranks_lost} for one in found.systems]
    return {"depth": found.depth, "known": found.known, "systems": systems}


_ENDS = 5
"""The number of hardest and of easiest queries that are shown."""


def stats_sections(found: CollectionStats, *, exact: bool = False) -> list[Section]:
    """Lay out judgments, grades, kinds of queries, systems, and hard and easy queries."""
    write = count_format(exact=exact)
    parts = [
        Section("judgments", _overview(found, exact=exact)),
        Section("grades", _grade_table(found, exact=exact)),
    ]
    if found.kinds:
        parts.append(Section(f"queries by {found.attribute}", _group_table(found, write)))
    if found.coverage is not None:
        parts.append(Section("systems", _systems(found, found.coverage, exact=exact)))
    if found.difficulty is not None:
        parts += _hard_and_easy(found, found.difficulty, exact=exact)
    return parts


def query_table(found: CollectionStats, *, exact: bool = False) -> TextTable:
    """Lay out a row for each query."""
    grades = list(found.described.grades)
    write = count_format(exact=exact)
    header = ["query", "judged", "relevant", "not judged", *(f"grade {g:g}" for g in grades)]
    scored: dict[str, QueryScore] = {}
    if found.difficulty is not None:
        scored = {one.query: one for one in found.difficulty.queries}
        header += [str(found.difficulty.measure), "spread", "lowest", "highest", "best"]
    rows = []
    for one in found.described.queries:
        numbers = (one.judged, one.relevant, one.unjudged)
        cells = [printable(one.query), *map(write, numbers)]
        cells += [write(one.grades.get(grade, 0)) for grade in grades]
        if scored:
            cells += _scored_cells(scored.get(one.query), exact=exact)
        rows.append(_with_text(found, cells, one.query))
    return TextTable(_with_heading(found, header), rows, 1 + bool(found.texts), [])


def hole_counts(found: CollectionStats, k: int) -> dict[str, dict[str, int]]:
    """Count, by system and query, the first k results that nobody judged."""
    cover = found.coverage
    if cover is None or k not in cover.ks:
        raise OptionError(f"holes of the first {k} results were not counted")
    holes = cover.holes[cover.ks.index(k)]
    return {
        each.system: dict(zip(cover.queries, holes[s].tolist(), strict=True))
        for s, each in enumerate(cover.systems)
    }


def hole_table(found: CollectionStats, k: int) -> TextTable:
    """Lay out those counts, a row for each query."""
    holes = hole_counts(found, k)
    queries = next(iter(holes.values()), {})
    rows = [
        _with_text(found, [printable(query), *(str(of[query]) for of in holes.values())], query)
        for query in queries
    ]
    note = f"results among the first {k:,} that nobody judged"
    header = _with_heading(found, ["query", *map(printable, holes)])
    return TextTable(header, rows, 1 + bool(found.texts), [], [note])


def stats_notes(found: CollectionStats) -> list[str]:
    """Write what the tables do not show: the depth of the pool, unmatched queries, warnings."""
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
                queries = counted(len(each.empty), "judged query")
                named = ", ".join(map(printable, each.empty[:3]))
                more = ", ..." if len(each.empty) > 3 else ""
                told.append(f"{printable(each.system)}: {queries} without results ({named}{more})")
    if found.not_judged:
        told.append(f"{counted(len(found.not_judged), 'query')} described and not judged")
    if found.not_described:
        told.append(f"{counted(len(found.not_described), 'judged query')} not described")
    return [*told, *stats_warnings(found)]


def stats_warnings(found: CollectionStats) -> list[str]:
    """Write each concern, and in the line below it what to do."""
    told = []
    for concern in found.concerns:
        command = f": {concern.command}" if concern.command else ""
        told += [f"warning: {printable(concern.text)}", f"    {concern.remedy}{command}"]
    return told


def _pool_depth(cover: Coverage) -> str:
    if cover.depth is None:
        return f"pool depth: all of the first {cover.looked:,} results of all systems are pooled"
    if cover.depth == 0:
        return "pool depth: none; on some query, the first result of a system is not pooled"
    return f"pool depth: {cover.depth:,}; down to that rank, all systems' results are pooled"


def _overview(found: CollectionStats, *, exact: bool) -> TextTable:
    of = found.described
    counts: dict[str, float] = {
        "queries": len(of.queries),
        "judged": of.judged,
        "relevant": of.relevant,
        "pooled, not judged": of.unjudged,
    }
    for name in ("judged", "relevant"):
        numbers = [getattr(one, name) for one in of.queries]
        for end, function in (("lowest", min), ("median", median), ("highest", max)):
            counts[f"{name} per query, {end}"] = function(numbers)
    counts |= {
        "queries without relevant documents": len(of.without_relevant),
        "documents": of.documents,
        "documents judged for several queries": of.shared,
        "documents relevant to several queries": of.relevant_to_several,
    }
    write = count_format(exact=exact)
    rows = [
        [name, write(int(count)) if count == int(count) else f"{count:g}"]
        for name, count in counts.items()
    ]
    return TextTable(["judgments", "count"], rows, 1, [])


def _grade_table(found: CollectionStats, *, exact: bool) -> TextTable:
    write = count_format(exact=exact)
    of = found.described
    total = sum(of.grades.values())
    rows = [
        [
            f"{grade:g}",
            write(count),
            format_decimal(count / total, exact=exact),
            write(sum(grade in one.grades for one in of.queries)),
            "yes" if grade >= of.rel else "no" if grade >= 0 else "not judged",
        ]
        for grade, count in of.grades.items()
    ]
    return TextTable(["grade", "judgments", "share", "queries", "relevant"], rows, 1, [])


def _group_table(found: CollectionStats, write: CountFormat) -> TextTable:
    rows = [
        [printable(kind.value), write(kind.queries), write(kind.judged), write(kind.relevant)]
        for kind in found.kinds
    ]
    return TextTable(
        [printable(str(found.attribute)), "queries", "judged", "relevant"], rows, 1, []
    )


def _systems(found: CollectionStats, cover: Coverage, *, exact: bool) -> TextTable:
    header = ["system", "missing queries", *(f"holes@{k}" for k in cover.ks)]
    header += ["pool depth", "median depth", "relevant", "unique"]
    lost = {one.system: one for one in found.reuse.systems} if found.reuse else {}
    if lost:
        measure = str(next(iter(lost.values())).measure)
        header += [measure, "if not pooled", "ranks lost"]
    write = count_format(exact=exact)
    rows = []
    for each in cover.systems:
        cells = [printable(each.system), write(len(each.missing))]
        cells += [
            format_decimal(share, exact=True) if exact else f"{share:.1%}" for share in each.shares
        ]
        depths = (each.depth, each.median_depth)
        cells += ["all" if depth is None else f"{depth:g}" for depth in depths]
        cells += [write(each.relevant), write(each.unique)]
        if lost:
            one = lost[each.system]
            scores = (one.pooled, one.unpooled)
            cells += [format_score(one.measure, score, exact=exact) for score in scores]
            cells.append(write(one.ranks_lost))
        rows.append(cells)
    return TextTable(header, rows, 1, [])


def _hard_and_easy(found: CollectionStats, difficulty: Difficulty, *, exact: bool) -> list[Section]:
    queries, measure = difficulty.queries, str(difficulty.measure)
    parts = {"queries, the hardest first": queries}
    if len(queries) > 2 * _ENDS:
        parts = {"hardest queries": queries[:_ENDS], "easiest queries": queries[: -_ENDS - 1 : -1]}
    return [
        Section(heading, _query_table(found, some, measure, exact=exact))
        for heading, some in parts.items()
    ]


def _query_table(
    found: CollectionStats, queries: Sequence[QueryScore], measure: str, *, exact: bool
) -> TextTable:
    write = count_format(exact=exact)
    relevant = {one.query: one.relevant for one in found.described.queries}
    header = ["query", "relevant", measure, "spread", "lowest", "highest", "best"]
    rows = []
    for each in queries:
        cells = [printable(each.query), write(relevant[each.query])]
        rows.append(_with_text(found, cells + _scored_cells(each, exact=exact), each.query))
    return TextTable(_with_heading(found, header), rows, 1 + bool(found.texts), [])


def _scored_cells(one: QueryScore | None, *, exact: bool) -> list[str]:
    if one is None:  # not every system was evaluated on it
        return [""] * 5
    values: tuple[float, ...] = (one.mean, one.spread, one.low, one.high)
    best = "" if exact else "-"  # where several do
    if one.best is not None:
        best = printable(one.best)
    return [*(format_decimal(value, exact=exact) for value in values), best]


def _with_heading(found: CollectionStats, header: list[str]) -> list[str]:
    return [header[0], "text", *header[1:]] if found.texts else header


def _with_text(found: CollectionStats, cells: list[str], query: str) -> list[str]:
    """Add the text of the query, where it is known."""
    if not found.texts:
        return cells
    return [cells[0], printable(found.texts.get(query, "")), *cells[1:]]
