"""How far judging has come, and what methods would have found: as sentences and tables."""

from __future__ import annotations

import json
from typing import Any

from cleverdon.arrays import plain
from cleverdon.errors import check_word
from cleverdon.pool.adaptive.base import methods
from cleverdon.pool.adaptive.judging import Tally
from cleverdon.pool.adaptive.simulate import Simulation, Stop
from cleverdon.show.grid import EXACT, FORMATS, Grid, counted, laid_out
from cleverdon.show.numbers import decimal

_ENDED = {
    "all given": "all documents given",
    "budget": "the budget spent",
    "target": "as many relevant as wanted",
    "patience": "nothing relevant for too long",
}


def tally_text(tally: Tally) -> str:
    """One line: judged, relevant, given and not judged yet, and what is over."""
    share = f" ({tally.relevant / tally.judged:.0%})" if tally.judged else ""
    parts = [
        f"{tally.judged:,} of {counted(tally.pooled, 'document')} judged",
        f"{tally.relevant:,} relevant{share}",
        f"{tally.waiting:,} given and not judged yet",
    ]
    if tally.elsewhere:
        parts.append(f"{tally.elsewhere:,} judged that no run returned")
    if tally.total is not None:
        parts.append(f"{tally.total:,} given in all, the limit")
    over = sum(tally.ended.values())
    if over:
        why = ", ".join(f"{_ENDED[reason]}: {count:,}" for reason, count in tally.ended.items())
        parts.append(f"{over:,} of {counted(tally.topics, 'topic')} over ({why})")
    return "; ".join(parts)


def over_text(tally: Tally) -> str:
    """Why no document is given, and what can be done about it."""
    limits = [f"--{reason}" for reason in tally.ended if reason != "all given"]
    if tally.total is not None:
        limits = [f"--total {tally.total:,}"]
    if not limits or tally.ended.get("all given") == tally.topics:
        return "there is nothing more to judge: all documents have been given or judged"
    return f"nothing more is given, by {' and '.join(limits)}: to go on, give a larger number"


def changed_text(count: int) -> str:
    """That grades are not what they were."""
    before = "it was" if count == 1 else "they were"
    return f"{counted(count, 'grade')} changed since {before} judged before"


def methods_text() -> str:
    """The methods, a line each."""
    known = methods()
    width = max(map(len, known))
    return "\n".join(f"{name:{width}}  {found.summary}" for name, found in known.items())


def render(found: Simulation, format: str = "table") -> str:
    """A row for each method and budget, in one of `FORMATS`."""
    check_word("format", format, FORMATS)
    if format == "json":
        return json.dumps(as_json(found), indent=1, ensure_ascii=False)
    exact = format in EXACT
    header = ["method", "budget", "judged", "relevant", "recall", "precision", "unknown"]
    header += ["tau", "tau-AP"]
    rows = [
        [played.method, *_cells(found, stop, format)]
        for budget in found.budgets
        for played in found.played
        for stop in played.stops
        if stop.budget == budget
    ]
    return laid_out(Grid(header, rows, 1, [], [] if exact else _notes(found)), format)


def _cells(found: Simulation, stop: Stop, format: str) -> list[str]:
    exact = format in EXACT
    recall = stop.relevant / found.relevant if found.relevant else float("nan")
    shares = (recall, stop.relevant / stop.judged)
    budget, judged, relevant, holes = (
        f"{number:,}" if format == "table" else str(number)
        for number in (stop.budget, stop.judged, stop.relevant, stop.holes)
    )
    return [
        budget,
        judged,
        relevant,
        *(decimal(share, exact=exact) for share in shares),
        holes,
        *(decimal(tau, exact=exact) for tau in (stop.kendall, stop.tau_ap)),
    ]


def _notes(found: Simulation) -> list[str]:
    return [
        f"budget: documents judged of each of {counted(found.topics, 'topic')}; recall: of the "
        f"{found.relevant:,} relevant among {counted(found.pooled, 'document')} that "
        f"{counted(len(found.systems), 'run')} returned ({found.relevant_in_all:,} known in all)",
        "unknown: judged documents without a judgment in QRELS, taken as not relevant",
        f"tau, tau-AP: of the order of runs by {found.measure} and these judgments, with that by "
        "all",
    ]


def as_json(found: Simulation) -> dict[str, Any]:
    """Everything, curves as well, ready for `json.dumps`."""
    return {
        "measure": found.measure,
        "systems": list(found.systems),
        "topics": found.topics,
        "pooled": found.pooled,
        "relevant": found.relevant,
        "relevant_in_all": found.relevant_in_all,
        "rel": found.rel,
        "seed": found.seed,
        "methods": [
            {
                "method": played.method,
                "stops": [
                    vars(stop) | {"kendall": plain(stop.kendall), "tau_ap": plain(stop.tau_ap)}
                    for stop in played.stops
                ],
                "found": played.found.tolist(),
            }
            for played in found.played
        ],
    }
