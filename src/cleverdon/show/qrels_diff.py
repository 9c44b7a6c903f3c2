"""What changed from some judgments to others, and what that does to the order of systems."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from cleverdon.arrays import plain, plain_record
from cleverdon.collection.difference import Diff, Grade
from cleverdon.collection.effects import KINDS, Effect, Turn
from cleverdon.compare.orderings import Coefficient
from cleverdon.errors import check_word
from cleverdon.show.grid import EXACT, Grid, counted, laid_out, printable
from cleverdon.show.numbers import decimal, number, p_value
from cleverdon.show.sections import FORMATS, Section, sections

_MOST = 10
"""So many topics are shown, those that changed most; and so many pairs of systems."""


def render(found: Diff, effects: Sequence[Effect] = (), format: str = "table") -> str:
    """What changed, in one of `FORMATS`."""
    check_word("format", format, FORMATS)
    if format == "json":
        return json.dumps(as_json(found, effects), indent=1, ensure_ascii=False)
    exact = format in EXACT
    parts = [Section("judgments", _overview(found))]
    if found.changes:
        parts.append(Section("from grade (rows) to grade (columns)", _transitions(found)))
        changed = sorted(_changed(found), key=lambda row: -sum(map(int, row[2:5])))
        heading = "topics that changed"
        if len(changed) > _MOST and not exact:
            heading = f"the {_MOST} topics that changed most, of {len(changed)}"
            changed = changed[:_MOST]
        parts.append(Section(heading, Grid(_HEADER, changed, 1, [])))
    for effect in effects:
        parts.append(Section(f"systems by {effect.measure}", _moves(effect, exact=exact)))
        if exact and effect.agreement is not None:
            parts.append(Section(f"orders by {effect.measure}", _coefficients(effect)))
    return sections(parts, format, below=[] if exact else words(found, effects))


def render_topics(found: Diff, format: str = "table") -> str:
    """A row for each topic, those that did not change among them."""
    check_word("format", format, FORMATS)
    if format == "json":
        return json.dumps([asdict(topic) for topic in found.topics], indent=1, ensure_ascii=False)
    return laid_out(Grid(_HEADER, _rows(found), 1, []), format)


def render_changes(found: Diff, format: str = "table") -> str:
    """A row for each judgment that changed."""
    check_word("format", format, FORMATS)
    if format == "json":
        return json.dumps([asdict(change) for change in found.changes], indent=1)
    rows = [
        [printable(change.query), printable(change.doc), _cell(change.before), _cell(change.after)]
        for change in found.changes
    ]
    return laid_out(Grid(["topic", "document", "before", "after"], rows, 2, []), format)


def words(found: Diff, effects: Sequence[Effect]) -> list[str]:
    """What became of topics, of relevance, and of claims about systems."""
    told = []
    for topics, where in ((found.only_before, found.names[0]), (found.only_after, found.names[1])):
        if topics:
            told.append(f"{counted(len(topics), 'topic')} only in {printable(where)}")
    became, ceased = found.crossed
    if became or ceased:
        told.append(f"documents that became relevant: {became:,}; that no longer are: {ceased:,}")
    if found.beside:
        told.append(
            f"{counted(found.beside, 'judgment')} of the same grade with another subtopic, stratum "
            "or probability"
        )
    for effect in effects:
        told += _effect_words(effect)
    return told


def _effect_words(effect: Effect) -> list[str]:
    if effect.agreement is None:
        return []
    one = effect.agreement
    tau, tau_ap = (_between(each) for each in (one.kendall, one.tau_ap))
    moved = sum(move.up != 0 for move in effect.moves)
    told = [
        f"{effect.measure}: tau {tau}, tau-AP {tau_ap} on {counted(one.topics[0], 'topic')} of "
        f"both; {moved} of {counted(len(effect.moves), 'system')} with another rank",
        f"{effect.measure}: significant differences before: {effect.claims[0]}, after: "
        f"{effect.claims[1]}",
    ]
    told += [_turn_words(turn) for turn in effect.turns[:_MOST]]
    more = len(effect.turns) - _MOST
    return [*told, f"and {more:,} more pairs (-f json has all)"] if more > 0 else told


def _turn_words(turn: Turn) -> str:
    old, new = turn.before, turn.after
    pair = f"{printable(new.system)} against {printable(new.baseline)}"
    told = " to ".join(
        f"{number(each.measure, each.difference, signed=True)} ({p_value(each.corrected)})"
        for each in (old, new)
    )
    return f"{turn.kind}: {pair} by {new.measure}, {told}: {KINDS[turn.kind]}"


def _between(found: Coefficient) -> str:
    ends = found.interval
    between = f" [{decimal(ends.low)}, {decimal(ends.high)}]"
    return decimal(found.value) + ("" if math.isnan(ends.low) else between)


def _overview(found: Diff) -> Grid:
    counts = {
        "same": found.same,
        "added": found.added,
        "removed": found.removed,
        "changed": found.changed,
        "topics that changed": sum(topic.same < _size(topic) for topic in found.topics),
        "topics": len(found.topics),
    }
    return Grid(["judgments", "count"], [[name, str(n)] for name, n in counts.items()], 1, [])


def _size(topic: Any) -> int:
    return int(topic.same + topic.added + topic.removed + topic.changed)


_HEADER = ["topic", "same", "added", "removed", "changed", "relevant before", "relevant after"]


def _rows(found: Diff) -> list[list[str]]:
    return [
        [
            printable(topic.topic),
            *map(str, (topic.same, topic.added, topic.removed, topic.changed)),
            *map(str, (topic.relevant_before, topic.relevant_after)),
        ]
        for topic in found.topics
    ]


def _changed(found: Diff) -> list[list[str]]:
    pairs = zip(found.topics, _rows(found), strict=True)
    return [row for topic, row in pairs if topic.same < _size(topic)]


def _transitions(found: Diff) -> Grid:
    """From the grade of a row to the grade of a column; - is not mentioned."""
    sides = [sorted({pair[side] for pair in found.transitions}, key=_placed) for side in (0, 1)]
    rows = [
        [_cell(before), *(str(found.transitions.get((before, after), 0)) for after in sides[1])]
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
        "only_before": list(found.only_before),
        "only_after": list(found.only_after),
        "transitions": [
            {"before": before, "after": after, "judgments": count}
            for (before, after), count in found.transitions.items()
        ],
        "topics": [asdict(topic) for topic in found.topics],
        "changes": [asdict(change) for change in found.changes],
        "effects": [_effect(effect) for effect in effects],
    }


def _effect(effect: Effect) -> dict[str, Any]:
    one = effect.agreement
    alike = {} if one is None else {"kendall": one.kendall, "tau_ap": one.tau_ap}
    return {
        "measure": str(effect.measure),
        "systems": [{**plain_record(asdict(move)), "up": move.up} for move in effect.moves],
        "agreement": {
            name: dict(zip(("value", "low", "high"), map(plain, _numbers(each)), strict=True))
            for name, each in alike.items()
        },
        "significant": list(effect.claims),
        "turns": [
            {
                "kind": turn.kind,
                "system": turn.after.system,
                "baseline": turn.after.baseline,
                "before": {"difference": turn.before.difference, "p": turn.before.corrected},
                "after": {"difference": turn.after.difference, "p": turn.after.corrected},
            }
            for turn in effect.turns
        ],
    }
