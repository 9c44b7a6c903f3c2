"""How a project is coming along, as text: for the command line."""

from __future__ import annotations

from collections import Counter
from operator import itemgetter
from typing import Any

from cleverdon.assess import clock
from cleverdon.assess.watching import agreement_rows as rows
from cleverdon.assess.watching.agreement import COEFFICIENTS
from cleverdon.assess.watching.drawing import RESAMPLES
from cleverdon.assess.watching.measured import Measured
from cleverdon.assess.watching.sentences import (
    endings,
    gold_left_out,
    left_out,
    stands,
    warnings,
)
from cleverdon.assess.watching.watched import Watched
from cleverdon.show.grid import Grid, counted, printable
from cleverdon.show.numbers import decimal
from cleverdon.show.quantities import significant
from cleverdon.show.sections import Section, sections

_NONE = "-"
_DECISIONS = {"stop": "stop", "go on": "go on", "open": "not decided"}


def status(
    found: Watched, title: str, *, topics: bool = False, pairs: bool = False, **terminal: Any
) -> str:
    """The whole in tables, and what is to be said of it below; `terminal` is as for `sections`.

    `topics` and `pairs` list these one by one, of which there may be hundreds.
    """
    parts = [_topics(found)] if topics else []
    parts += [_people(found), _agreement(found)]
    parts += [_pairs(found)] if pairs else []
    parts += [_beside(found)]
    kept = [part for part in parts if part.grid.rows]
    below = _below(found)
    text = sections(kept, "table", below=below, **terminal) if kept else "\n".join(below)
    return f"{_head(found, title)}\n{_begun(found)}\n\n{text}"


def _head(found: Watched, title: str) -> str:
    whole = found.progress
    when = clock.iso(found.as_of)[:16].replace("T", " ")
    share = "" if whole.share is None else f" ({whole.share:.0%})"
    return (
        f"{printable(title)}: {whole.done:,} of {counted(whole.wanted, 'judgment')}{share}, "
        f"{whole.complete:,} of {counted(whole.documents, 'document')} complete, as of {when} UTC"
    )


def _begun(found: Watched) -> str:
    """How many topics are where, in a line."""
    every = [one.progress for one in found.topics]
    complete = sum(one.documents > 0 and not one.left for one in every)
    begun = sum(one.left > 0 and one.judged > 0 for one in every)
    decided = Counter(one.decision for one in found.recall.topics.values())
    return (
        f"{counted(len(every), 'topic')}: {complete:,} complete, {begun:,} begun; advice: "
        f"{decided['stop']:,} stop, {decided['go on']:,} go on, {decided['open']:,} not decided"
    )


def _topics(found: Watched) -> Section:
    agreed = {one.topic: one for one in rows.topic_rows(found.agreement)}
    table = []
    for one in found.topics:
        recall = found.recall.topics[one.topic]
        own = agreed.get(one.topic)
        progress = one.progress
        table.append(
            [
                printable(one.topic),
                f"{progress.done:,}/{progress.wanted:,}",
                f"{progress.skipped:,}",
                f"{progress.flagged:,}",
                _percent(found.topic_grades[one.topic].relevant),
                _NONE if own is None else _number(own.numbers["alpha-ordinal"]),
                _percent(recall.last if found.recall.way == "adaptive" else recall.recall),
                _DECISIONS[recall.decision] + (f", ended ({one.ended})" if one.ended else ""),
            ]
        )
    last = "last 20" if found.recall.way == "adaptive" else "recall"
    header = ["topic", "judgments", "skipped", "flagged", "relevant", "alpha-ordinal", last]
    return Section("Topics", Grid([*header, "advice"], table, 1, []))


def _people(found: Watched) -> Section:
    gold = {one.judge: one for one in found.attention}
    table = []
    for work in found.work:
        own = gold.get(work.judge)
        table.append(
            [
                printable(work.judge),
                f"{work.judged:,}",
                f"{work.open:,}",
                _amount(work.speed.per_hour),
                _amount(work.speed.seconds),
                _amount(work.hours_left),
                _percent(work.grades.relevant),
                *([_NONE if own is None else _percent(own.right)] if gold else []),
            ]
        )
    header = ["person", "judged", "open", "per hour", "seconds", "hours left", "relevant"]
    header += ["gold right"] if gold else []
    note = (
        "per hour: of work, pauses of ten minutes and more left out; seconds: the median of a "
        "judgment; hours left: for all that is open to the person"
    )
    return Section("People", Grid(header, table, 1, [note]))


def _agreement(found: Watched) -> Section:
    live = found.agreement
    known = rows.overall(live) if live.agreed else {}
    table = [[name, _number(number)] for name, number in known.items()]
    note = f"in brackets: 95% intervals of a bootstrap with {RESAMPLES} resamples"
    title = f"Agreement on {counted(live.shared, 'document')} that two people have judged"
    return Section(title, Grid(["coefficient", "over all"], table, 1, [note]))


def _pairs(found: Watched) -> Section:
    table = [
        [printable(pair.first), printable(pair.second), f"{pair.documents:,}"]
        + [_number(pair.numbers[name]) for name in COEFFICIENTS if name != "fleiss"]
        for pair in rows.pair_rows(found.agreement)
    ]
    header = ["judge", "with", "documents", *(name for name in COEFFICIENTS if name != "fleiss")]
    more = found.agreement.more_pairs
    notes = [f"{counted(more, 'pair')} with fewer documents in common not shown"] if more else []
    return Section("Pairs of judges", Grid(header, table, 2, notes))


def _beside(found: Watched) -> Section:
    table = []
    for one in found.beside:
        kappa = next((row for row in rows.beside_rows(one) if row.coefficient == "kappa"), None)
        numbers = (kappa.with_people, kappa.among_people, kappa.difference) if kappa else ()
        cells = [_number(number) for number in numbers] or [_NONE] * 3
        table.append([printable(one.name), one.kind, f"{one.shared:,}", *cells])
    header = ["judge", "kind", "documents", "kappa with people", "among people", "difference"]
    return Section("Models and earlier judgments", Grid(header, table, 2, []))


def _below(found: Watched) -> list[str]:
    """Sentences: what can be decided, and what should be looked into."""
    said = [found.recall.all.advice, left_out(found.recall.all), *endings(found)]
    beyond = found.beyond
    if beyond.recall.value is None:
        said.append(f"What the pool has missed cannot be told: {beyond.recall.why}.")
    else:
        less = ", or less" if beyond.bounded else ""
        said.append(
            f"By what systems found in common, the pool holds {beyond.recall.value:.0%} of what is "
            f"relevant{less}."
        )
        said += beyond.sentences
    if found.agreement.agreed is None:
        said.append(f"No agreement yet: {found.agreement.why}.")
    said.append(gold_left_out(found.agreement.gold))
    said.append(_extremes(found))
    for one in found.beside:
        said.append(f"{printable(one.name)}: {one.why}." if one.why else stands(one))
    return [*filter(None, said), *warnings(found)]


def _extremes(found: Watched) -> str:
    """The pairs that agree least and most, of several."""
    known = [
        (kappa.value, pair)
        for pair in rows.pair_rows(found.agreement)
        if (kappa := pair.numbers["kappa"]).value is not None
    ]
    if len(known) < 2:
        return ""
    ends = (min(known, key=itemgetter(0)), max(known, key=itemgetter(0)))
    low, high = (
        f"{decimal(value, digits=2)} ({printable(pair.first)} and {printable(pair.second)}, "
        f"{counted(pair.documents, 'document')})"
        for value, pair in ends
    )
    return f"Pairs agree by a kappa from {low} to {high}."


def _number(found: Measured) -> str:
    if found.value is None:
        return _NONE
    text = decimal(found.value, digits=2)
    if found.low is None or found.high is None:
        return text
    return f"{text} [{decimal(found.low, digits=2)}, {decimal(found.high, digits=2)}]"


def _percent(found: Measured) -> str:
    if found.value is None:
        return _NONE
    text = f"{found.value:.0%}"
    if found.low is None or found.high is None:
        return text
    return f"{text} [{found.low:.0%}, {found.high:.0%}]"


def _amount(found: Measured) -> str:
    return _NONE if found.value is None else significant(found.value)
