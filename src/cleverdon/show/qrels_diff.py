"""What changed from some judgments to others, and what that does to the order of systems."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from cleverdon.arrays import plain, plain_record
from cleverdon.collection.difference import Diff, Grade, TopicDiff
from cleverdon.collection.effects import Effect, Shared
from cleverdon.compare.flips import KINDS, Flip
from cleverdon.compare.orderings import Coefficient
from cleverdon.errors import check_word
from cleverdon.show.grid import EXACT, Grid, counted, laid_out, printable
from cleverdon.show.numbers import decimal, number, p_value
from cleverdon.show.sections import FORMATS, Section, Write, counts, sections

_BESIDE = {"subtopics": "subtopics", "stratum": "strata", "probability": "probabilities"}
"""What judgments may have beside grades, and how people call it."""
_MOST = 10
"""So many queries are shown, those that changed most; and so many pairs of systems."""


def render(found: Diff, effects: Sequence[Effect] = (), format: str = "table") -> str:
    """What changed, in one of `FORMATS`."""
    check_word("format", format, FORMATS)
    if format == "json":
        return json.dumps(as_json(found, effects), indent=1, ensure_ascii=False)
    exact = format in EXACT
    write = counts(exact=exact)
    overview = _overview(found, write)
    parts = [Section(overview.header[0], overview)]
    if found.moved:
        parts.append(Section("from grade (rows) to grade (columns)", _transitions(found, write)))
        changed = sorted(filter(_moved, found.topics), key=lambda topic: -_moved(topic))
        heading = "queries that changed"
        if len(changed) > _MOST and not exact:
            heading = f"the {_MOST} queries that changed most, of {len(changed):,}"
            changed = changed[:_MOST]
        rows = [_row(topic, write) for topic in changed]
        parts.append(Section(heading, Grid(_HEADER, rows, 1, [])))
    for effect in effects:
        parts.append(Section(f"systems by {effect.measure}", _moves(effect, exact=exact)))
        if exact and effect.agreement is not None:
            parts.append(Section(f"orders by {effect.measure}", _coefficients(effect)))
    return sections(parts, format, below=[] if exact else words(found, effects))


def render_topics(found: Diff, format: str = "table") -> str:
    """A row for each query, those that did not change among them."""
    check_word("format", format, FORMATS)
    if format == "json":
        return json.dumps([asdict(topic) for topic in found.topics], indent=1, ensure_ascii=False)
    write = counts(exact=format in EXACT)
    return laid_out(Grid(_HEADER, [_row(topic, write) for topic in found.topics], 1, []), format)


def render_changes(found: Diff, format: str = "table") -> str:
    """A row for each judgment that changed."""
    check_word("format", format, FORMATS)
    if format == "json":
        changes = [asdict(change) for change in found.changes]
        return json.dumps(changes, indent=1, ensure_ascii=False)
    header = ["query", "document", *(["subtopic"] if found.by_subtopic else []), "before", "after"]
    rows = []
    for change in found.changes:
        of = [change.query, change.doc, *([change.subtopic or ""] if found.by_subtopic else [])]
        rows.append([*map(printable, of), _cell(change.before), _cell(change.after)])
    return laid_out(Grid(header, rows, len(header) - 2, []), format)


def words(found: Diff, effects: Sequence[Effect]) -> list[str]:
    """What became of topics, of relevance, and of claims about systems."""
    told = []
    for topics, where in ((found.only_before, found.names[0]), (found.only_after, found.names[1])):
        if topics:
            told.append(f"{counted(len(topics), 'topic')} only in {printable(where)}")
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
    if effects:
        told.append(_shared_words(effects[0].shared, found.names))
    for effect in effects:
        told += _effect_words(effect)
    return told


def _shared_words(shared: Shared, names: tuple[str, str]) -> str:
    """On which topics systems were compared, and which are left out."""
    left = [
        f"{count:,} {why}"
        for count, why in (
            (shared.only_before, f"only in {printable(names[0])}"),
            (shared.only_after, f"only in {printable(names[1])}"),
            (shared.not_evaluated, "on which not all systems were evaluated"),
        )
        if count
    ]
    of_both = f"scores, ranks and tests are on {counted(len(shared.topics), 'topic')} of both"
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
        f"{number(each.measure, each.difference, signed=True)} ({p_value(each.corrected)})"
        for each in (old, new)
    )
    return f"{flip.kind}: {pair} by {new.measure}, {told}: {KINDS[flip.kind]}"


def _between(found: Coefficient) -> str:
    ends = found.interval
    between = f" [{decimal(ends.low)}, {decimal(ends.high)}]"
    return decimal(found.value) + ("" if math.isnan(ends.low) else between)


def _overview(found: Diff, write: Write) -> Grid:
    rows = {
        "same": found.same,
        "added": found.added,
        "removed": found.removed,
        "changed": found.changed,
        "queries that changed": sum(_moved(topic) > 0 for topic in found.topics),
        "queries": len(found.topics),
        "queries only before": len(found.only_before),
        "queries only after": len(found.only_after),
    }
    heading = "judgments of subtopics" if found.by_subtopic else "judgments"
    return Grid([heading, "count"], [[name, write(n)] for name, n in rows.items()], 1, [])


def _moved(topic: TopicDiff) -> int:
    """How many of a query's judgments are not as they were."""
    return topic.added + topic.removed + topic.changed


_HEADER = ["query", "same", "added", "removed", "changed", "relevant before", "relevant after"]


def _row(topic: TopicDiff, write: Write) -> list[str]:
    judgments = (topic.same, topic.added, topic.removed, topic.changed)
    relevant = (topic.relevant_before, topic.relevant_after)
    return [printable(topic.query), *map(write, (*judgments, *relevant))]


def _transitions(found: Diff, write: Write) -> Grid:
    """From the grade of a row to the grade of a column; - is not mentioned."""
    sides = [sorted({pair[side] for pair in found.transitions}, key=_placed) for side in (0, 1)]
    rows = [
        [_cell(before), *(write(found.transitions.get((before, after), 0)) for after in sides[1])]
        for before in sides[0]
    ]
    return Grid(["grade", *map(_cell, sides[1])], rows, 1, [])


def _placed(grade: Grade) -> float:
    return math.inf if grade is None else grade


def _cell(grade: Grade) -> str:
    return "-" if grade is None else f"{grade:g}"


def _moves(effect: Effect, *, exact: bool) -> Grid:
    rows = []
    for move in effect.moves:
        change = move.after - move.before
        values = [number(effect.measure, value, exact=exact) for value in (move.before, move.after)]
        values.append(number(effect.measure, change, signed=True, exact=exact))
        ranks = [str(move.rank_before), str(move.rank_after), f"{move.up:+d}" if move.up else "0"]
        rows.append([printable(move.system), *values, *ranks])
    header = ["system", "before", "after", "change", "rank before", "rank after", "up"]
    return Grid(header, rows, 1, [])


def _coefficients(effect: Effect) -> Grid:
    one = effect.agreement
    found = {} if one is None else {"tau": one.kendall, "tau-AP": one.tau_ap}
    rows = [
        [name, *(decimal(value, exact=True) for value in _numbers(each))]
        for name, each in found.items()
    ]
    return Grid(["coefficient", "value", "low", "high"], rows, 1, [])


def _numbers(found: Coefficient) -> tuple[float, float, float]:
    return found.value, found.interval.low, found.interval.high


def as_json(found: Diff, effects: Sequence[Effect]) -> dict[str, Any]:
    """Everything, ready for `json.dumps`."""
    became, ceased = found.crossed
    return {
        "before": found.names[0],
        "after": found.names[1],
        "rel": found.rel,
        "same": found.same,
        "added": found.added,
        "removed": found.removed,
        "changed": found.changed,
        "became_relevant": became,
        "ceased_to_be_relevant": ceased,
        "beside": found.beside,
        "by_subtopic": found.by_subtopic,
        "only_one_has": list(found.one_sided),
        "queries_only_before": list(found.only_before),
        "queries_only_after": list(found.only_after),
        "transitions": [
            {"before": before, "after": after, "judgments": count}
            for (before, after), count in found.transitions.items()
        ],
        "queries": [asdict(topic) for topic in found.topics],
        "changes": [asdict(change) for change in found.changes],
        "effects": [_effect(effect) for effect in effects],
    }


def _effect(effect: Effect) -> dict[str, Any]:
    one = effect.agreement
    alike = {} if one is None else {"kendall": one.kendall, "tau_ap": one.tau_ap}
    return {
        "measure": str(effect.measure),
        "queries": list(effect.shared.topics),
        "left_out": {
            "only_before": effect.shared.only_before,
            "only_after": effect.shared.only_after,
            "not_evaluated": effect.shared.not_evaluated,
        },
        "systems": [{**plain_record(asdict(move)), "up": move.up} for move in effect.moves],
        "agreement": {
            name: dict(zip(("value", "low", "high"), map(plain, _numbers(each)), strict=True))
            for name, each in alike.items()
        },
        "shown": list(effect.flips.shown),
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
