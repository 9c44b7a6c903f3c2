"""Orders of systems by votes as tables, beside the judged order where there is one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from cleverdon.arrays import plain
from cleverdon.errors import check_word
from cleverdon.pool.votes import WAYS, Beside, Place, Turnout, Votes
from cleverdon.pool.votes.beside import ranks
from cleverdon.show import agreements
from cleverdon.show.grid import EXACT, FORMATS, Grid, counted, laid_out, printable
from cleverdon.show.numbers import decimal, number

_SHOWN = 3
"""How many misplaced systems are named."""


def render(found: Sequence[Votes], format: str = "table", **terminal: Any) -> str:
    """Orders by votes alone, in one of `FORMATS`; `terminal` is as `laid_out` takes it."""
    check_word("format", format, FORMATS)
    if format == "json":
        return _json([record(votes) for votes in found])
    if format in EXACT:
        return laid_out(_exact(found), format)
    columns = _Columns(found)
    rows = [[printable(system), *columns.of(system)] for system in found[0].order]
    grid = Grid(["system", *columns.headings], rows, 1, [], notes(found))
    return laid_out(grid, format, **terminal)


def render_beside(found: Sequence[Beside], format: str = "table", **terminal: Any) -> str:
    """Orders by votes beside the judged one, how alike they are, and what is misplaced."""
    check_word("format", format, FORMATS)
    of_votes = [one.votes for one in found]
    if format == "json":
        return _json([record(one.votes) | _judged_record(one) for one in found])
    if format in EXACT:
        return laid_out(_exact(of_votes, found[0]), format)
    first = found[0]
    columns = _Columns(of_votes)
    rows = [
        [
            printable(place.system),
            number(first.measure, first.judged[place.system]),
            _rank(place.judged),
            *columns.of(place.system),
        ]
        for place in first.places
    ]
    header = ["system", str(first.measure), "rank", *columns.headings]
    parts = [
        laid_out(Grid(header, rows, 1, [], notes(of_votes)), format, **terminal),
        agreements.render([one.agreement for one in found], format),
        "\n".join(remarks(found)),
    ]
    return "\n\n".join(part.rstrip("\n") for part in parts if part)


class _Columns:
    """What stands beside a system's name: its value and rank, or, by several ways, its ranks."""

    def __init__(self, found: Sequence[Votes]) -> None:
        self._found = found
        self._scores = [votes.scores for votes in found]
        self._ranks = [ranks(scores) for scores in self._scores]
        alone = len(found) == 1
        self.headings = ["votes", "rank by votes"] if alone else [votes.way for votes in found]

    def of(self, system: str) -> list[str]:
        places = [_rank(places[system]) for places in self._ranks]
        return [decimal(self._scores[0][system]), *places] if len(places) == 1 else places


def told_of_turnout(found: Turnout) -> list[str]:
    """What is to be known before votes are read: a line each, of which most runs need none."""
    told = []
    if found.of_all < found.topics:
        told.append(
            f"warning: {found.of_all:,} of {counted(found.topics, 'topic')} with results of all "
            f"{found.systems:,} systems, {found.of_one:,} of one alone; where a system has none it "
            "is worth 0: systems are to be voted on by the same topics"
        )
    told += [
        f"warning: {printable(system)} returned no document that another run has; are its ids the "
        "same?"
        for system in found.alone
    ]
    if found.systems == 2:
        told.append(
            "note: two systems can hardly vote on each other: what they share counts for both "
            "alike, so that the plain count of references is always a tie; give more runs"
        )
    return told


def notes(found: Sequence[Votes]) -> list[str]:
    """What the orders rest on, and how each came about."""
    size = f"{counted(len(found[0].systems), 'system')}, {counted(len(found[0].topics), 'topic')}"
    told = [size if len(found) == 1 else f"{size}; below the name of each way: ranks by it"]
    for votes in found:
        trials = "" if votes.by_trial is None else f" ({counted(len(votes.by_trial), 'trial')})"
        told.append(f"{votes.way}: {WAYS[votes.way].summary}{trials}")
    return told


def remarks(found: Sequence[Beside]) -> list[str]:
    """Which systems votes misplace, and what is to be known of votes where it shows."""
    told = []
    for one in found:
        moved = "; ".join(map(_moved, one.misplaced[:_SHOWN]))
        if moved:
            told.append(f"{one.votes.way} misplaces most: {moved}")
    if found[0].left_out:
        told.append(f"{counted(found[0].left_out, 'topic')} without judgments (left out)")
    missed = [one.votes.way for one in found if one.best_missed]
    if missed:
        told.append(
            f"note: {printable(found[0].places[0].system)} is best by {found[0].measure}, and not "
            f"near the top by {', '.join(missed)}; votes reward what most systems return, and "
            "underrate a system that finds what others do not"
        )
    return told


def _moved(place: Place) -> str:
    places = f"judged {_rank(place.judged)}, voted {_rank(place.voted)}"
    return f"{printable(place.system)} ({places})"


def _rank(rank: float) -> str:
    """A rank, with a half where systems share one."""
    return f"{rank:g}"


def _exact(found: Sequence[Votes], judged: Beside | None = None) -> Grid:
    """A row for each system and way."""
    header = ["way", "system", "votes", "rank", "deviation", *(["judged"] if judged else [])]
    header += ["judged rank"] if judged else []
    by_judgments = {place.system: place.judged for place in judged.places} if judged else {}
    rows = []
    for votes in found:
        scores, deviations = votes.scores, votes.deviations
        places = ranks(scores)
        for system in votes.order:
            deviation = "" if deviations is None else decimal(deviations[system], exact=True)
            row = [votes.way, system, decimal(scores[system], exact=True), _rank(places[system])]
            row.append(deviation)
            if judged:
                value = decimal(judged.judged[system], exact=True)
                row += [value, _rank(by_judgments[system])]
            rows.append(row)
    return Grid(header, rows, 2, [])


def record(votes: Votes) -> dict[str, Any]:
    """One order, ready for `json.dumps`: means, ranks and the value on every topic."""
    scores, deviations = votes.scores, votes.deviations
    places = ranks(scores)
    return {
        "way": votes.way,
        "source": WAYS[votes.way].source,
        "trials": None if votes.by_trial is None else len(votes.by_trial),
        "systems": {
            system: {
                "votes": scores[system],
                "rank": places[system],
                "deviation": None if deviations is None else deviations[system],
                "queries": dict(zip(votes.topics, map(plain, votes.values[at]), strict=True)),
            }
            for at, system in enumerate(votes.systems)
        },
    }


def _judged_record(one: Beside) -> dict[str, Any]:
    return {
        "measure": str(one.measure),
        "judged": {
            place.system: {"value": plain(one.judged[place.system]), "rank": place.judged}
            for place in one.places
        },
        "agreement": agreements.record(one.agreement),
        "misplaced": [
            {"system": place.system, "judged": place.judged, "voted": place.voted}
            for place in one.misplaced
        ],
        "left_out": one.left_out,
    }


def _json(records: list[dict[str, Any]]) -> str:
    return json.dumps(records, indent=1, ensure_ascii=False)
