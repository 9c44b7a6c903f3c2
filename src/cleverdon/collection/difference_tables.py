"""Differences between two sets of judgments as tables, sentences and JSON."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from cleverdon._common.text import counted, printable
from cleverdon.comparison.claim_flips import FLIP_KINDS, Flip
from cleverdon.score_tables import format_score
from cleverdon.stats.intervals import Estimate
from cleverdon.tables.numbers import format_decimal, format_p_value
from cleverdon.tables.result import as_json
from cleverdon.tables.sections import CountFormat, Section, count_format
from cleverdon.tables.table import TextTable

if TYPE_CHECKING:
    from cleverdon.collection.difference import Diff, Effect, Grade, QueryDiff, SharedQueries

_BESIDE = {"subtopics": "subtopics", "stratum": "strata", "probability": "probabilities"}
"""The annotations of judgments, and their names in sentences."""
_MOST = 10
"""The number of changed queries, and of pairs of systems, that are shown."""


def diff_sections(found: Diff, *, exact: bool = False) -> list[Section]:
    """Lay out counts, transitions between grades, changed queries, and effects on systems."""
    write = count_format(exact=exact)
    overview = _overview(found, write)
    parts = [Section(overview.header[0], overview)]
    if found.moved:
        parts.append(Section("from grade (rows) to grade (columns)", _transitions(found, write)))
        changed = sorted(filter(_moved, found.queries), key=lambda one: -_moved(one))
        heading = "queries that changed"
        if len(changed) > _MOST and not exact:
            heading = f"the {_MOST} queries that changed most, of {len(changed):,}"
            changed = changed[:_MOST]
        rows = [_query_row(one, write) for one in changed]
        parts.append(Section(heading, TextTable(_HEADER, rows, 1, [])))
    for effect in found.effects:
        parts.append(Section(f"systems by {effect.measure}", _moves(effect, exact=exact)))
        if exact and effect.agreement is not None:
            parts.append(Section(f"orders by {effect.measure}", _coefficients(effect)))
    return parts


def changed_query_table(found: Diff, *, exact: bool = False) -> TextTable:
    """Lay out a row for each query, unchanged ones included."""
    write = count_format(exact=exact)
    return TextTable(_HEADER, [_query_row(one, write) for one in found.queries], 1, [])


def change_table(found: Diff, *, exact: bool = False) -> TextTable:
    """Lay out a row for each judgment that changed."""
    header = ["query", "document", *(["subtopic"] if found.by_subtopic else []), "before", "after"]
    rows = []
    for change in found.changes:
        of = [change.query, change.doc, *([change.subtopic or ""] if found.by_subtopic else [])]
        rows.append([*map(printable, of), _cell(change.before), _cell(change.after)])
    return TextTable(header, rows, len(header) - 2, [])


def diff_notes(found: Diff) -> list[str]:
    """Write what changed for queries, for relevance, and for claims about systems."""
    told = []
    for queries, where in ((found.only_before, found.names[0]), (found.only_after, found.names[1])):
        if queries:
            told.append(f"{counted(len(queries), 'query')} only in {printable(where)}")
    became, ceased = found.crossed
    if became or ceased:
        what = "judgments of subtopics" if found.by_subtopic else "documents"
        told.append(f"{what} that became relevant: {became:,}; that no longer are: {ceased:,}")
    if found.beside:
        told.append(
            f"{counted(found.beside, 'judgment')} of the same grade with another stratum or "
            "probability"
        )
    told += [
        f"only one of the two has {_BESIDE[what]}: grades of documents were compared, and not these"
        for what in found.one_sided
    ]
    if found.effects:
        told.append(_shared_words(found.effects[0].shared, found.names))
    for effect in found.effects:
        told += _effect_words(effect)
    return told


def _shared_words(shared: SharedQueries, names: tuple[str, str]) -> str:
    """On which queries systems were compared, and which are left out."""
    left = [
        f"{count:,} {why}"
        for count, why in (
            (shared.only_before, f"only in {printable(names[0])}"),
            (shared.only_after, f"only in {printable(names[1])}"),
            (shared.not_evaluated, "on which not all systems were evaluated"),
        )
        if count
    ]
    of_both = f"scores, ranks and tests are on {counted(len(shared.queries), 'query')} of both"
    return of_both + (f"; left out: {', '.join(left)}" if left else "")


def _effect_words(effect: Effect) -> list[str]:
    if effect.agreement is None:
        return []
    one = effect.agreement
    tau, tau_ap = (_between(each) for each in (one.kendall, one.tau_ap))
    moved = sum(move.up != 0 for move in effect.moves)
    shown = effect.flips.shown
    told = [
        f"{effect.measure}: tau {tau}, tau-AP {tau_ap}; {moved:,} of "
        f"{counted(len(effect.moves), 'system')} with another rank",
        f"{effect.measure}: differences that are shown before: {shown[0]:,}, after: {shown[1]:,}",
    ]
    turned = effect.flips.changed(swapped=True)
    told += [_flip_words(flip) for flip in turned[:_MOST]]
    more = len(turned) - _MOST
    return [*told, f"and {more:,} more pairs (-f json has all)"] if more > 0 else told


def _flip_words(flip: Flip) -> str:
    old, new = flip.before, flip.after
    pair = f"{printable(new.system)} against {printable(new.baseline)}"
    told = " to ".join(
        f"{format_score(each.measure, each.difference, signed=True)} "
        f"({format_p_value(each.corrected)})"
        for each in (old, new)
    )
    return f"{flip.kind}: {pair} by {new.measure}, {told}: {FLIP_KINDS[flip.kind]}"


def _between(found: Estimate) -> str:
    ends = found.interval
    between = f" [{format_decimal(ends.low)}, {format_decimal(ends.high)}]"
    return format_decimal(found.value) + ("" if math.isnan(ends.low) else between)


def _overview(found: Diff, write: CountFormat) -> TextTable:
    rows = {
        "same": found.same,
        "added": found.added,
        "removed": found.removed,
        "changed": found.changed,
        "queries that changed": sum(_moved(one) > 0 for one in found.queries),
        "queries": len(found.queries),
        "queries only before": len(found.only_before),
        "queries only after": len(found.only_after),
    }
    heading = "judgments of subtopics" if found.by_subtopic else "judgments"
    return TextTable([heading, "count"], [[name, write(n)] for name, n in rows.items()], 1, [])


def _moved(one: QueryDiff) -> int:
    """Count the judgments of a query that changed."""
    return one.added + one.removed + one.changed


_HEADER = ["query", "same", "added", "removed", "changed", "relevant before", "relevant after"]


def _query_row(one: QueryDiff, write: CountFormat) -> list[str]:
    judgments = (one.same, one.added, one.removed, one.changed)
    relevant = (one.relevant_before, one.relevant_after)
    return [printable(one.query), *map(write, (*judgments, *relevant))]


def _transitions(found: Diff, write: CountFormat) -> TextTable:
    """From the grade of a row to the grade of a column; - is not mentioned."""
    sides = [sorted({pair[side] for pair in found.transitions}, key=_placed) for side in (0, 1)]
    rows = [
        [_cell(before), *(write(found.transitions.get((before, after), 0)) for after in sides[1])]
        for before in sides[0]
    ]
    return TextTable(["grade", *map(_cell, sides[1])], rows, 1, [])


def _placed(grade: Grade) -> float:
    return math.inf if grade is None else grade


def _cell(grade: Grade) -> str:
    return "-" if grade is None else f"{grade:g}"


def _moves(effect: Effect, *, exact: bool) -> TextTable:
    rows = []
    for move in effect.moves:
        change = move.after - move.before
        values = [
            format_score(effect.measure, value, exact=exact) for value in (move.before, move.after)
        ]
        values.append(format_score(effect.measure, change, signed=True, exact=exact))
        ranks = [str(move.rank_before), str(move.rank_after), f"{move.up:+d}" if move.up else "0"]
        rows.append([printable(move.system), *values, *ranks])
    header = ["system", "before", "after", "change", "rank before", "rank after", "up"]
    return TextTable(header, rows, 1, [])


def _coefficients(effect: Effect) -> TextTable:
    rows = [
        [name, *(format_decimal(value, exact=True) for value in _format_numbers(each))]
        for name, each in _orders(effect, "tau", "tau-AP").items()
    ]
    return TextTable(["coefficient", "value", "low", "high"], rows, 1, [])


def _orders(effect: Effect, *names: str) -> dict[str, Estimate]:
    """Return Kendall's tau and tau-AP of both orders, by these names; nothing of one system."""
    one = effect.agreement
    return {} if one is None else dict(zip(names, (one.kendall, one.tau_ap), strict=True))


def _format_numbers(found: Estimate) -> tuple[float, float, float]:
    return found.value, found.interval.low, found.interval.high


def diff_json(found: Diff) -> dict[str, Any]:
    """Return everything as JSON has it: the keys are older than the fields."""
    became, ceased = found.crossed
    record: dict[str, Any] = {"before": found.names[0], "after": found.names[1]}
    counts = ("rel", "same", "added", "removed", "changed")
    record |= {name: getattr(found, name) for name in counts}
    record |= {"became_relevant": became, "ceased_to_be_relevant": ceased}
    record |= {"beside": found.beside, "by_subtopic": found.by_subtopic}
    record |= {
        "only_one_has": found.one_sided,
        "queries_only_before": found.only_before,
        "queries_only_after": found.only_after,
        "transitions": [
            {"before": before, "after": after, "judgments": count}
            for (before, after), count in found.transitions.items()
        ],
        "queries": found.queries,
        "changes": found.changes,
        "effects": [_effect(effect) for effect in found.effects],
    }
    return {key: as_json(value) for key, value in record.items()}


def _effect(effect: Effect) -> dict[str, Any]:
    return {
        "measure": effect.measure,
        "queries": effect.shared.queries,
        "left_out": effect.shared,
        "systems": [as_json(move) | {"up": move.up} for move in effect.moves],
        "agreement": {
            name: dict(zip(("value", "low", "high"), _format_numbers(each), strict=True))
            for name, each in _orders(effect, "kendall", "tau_ap").items()
        },
        "shown": effect.flips.shown,
        "flips": [
            {
                "kind": flip.kind,
                "system": flip.after.system,
                "baseline": flip.after.baseline,
                "before": {"difference": flip.before.difference, "p": flip.before.corrected},
                "after": {"difference": flip.after.difference, "p": flip.after.corrected},
            }
            for flip in effect.flips.changed(swapped=True)
        ],
    }
