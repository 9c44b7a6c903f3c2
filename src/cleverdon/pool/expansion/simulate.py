"""A probe played against judgments that are known: what would it have found, round by round?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from cleverdon.annotations import Grades
from cleverdon.errors import InputError, check_count
from cleverdon.pool.expansion.probe import Probe
from cleverdon.pool.expansion.rounds import Round, rounds
from cleverdon.pool.expansion.search import Index
from cleverdon.read.sheet import merged_sheets

Progress = Callable[[int, int], object]


@dataclass(frozen=True)
class Simulated:
    """The rounds of a probe, and how many relevant documents there were to find."""

    rounds: list[Round]
    known: int  # relevant documents of these queries in the judgments
    unjudged: int  # documents found that the judgments lack, and that count as not relevant
    without_text: tuple[str, ...]  # queries with judgments that could not be probed


def simulate(
    probe: Probe,
    index: Index,
    judgments: Grades,
    *,
    depth: int,
    most: int = 10,
    start: Grades | None = None,
    progress: Progress | None = None,
) -> Simulated:
    """Search, judge the first results by what is known, expand, and again.

    It ends after `most` rounds of probes, or once one finds nothing relevant: as relevant documents
    are all that expands queries, the next would ask the same again. Round 0 is what was judged
    at the `start`; without it, the first results of the queries as they stand. A document that the
    known judgments lack is taken for not relevant, and counted.
    """
    check_count("most", most)
    asked = [query for query in judgments if query in probe.queries]
    if not asked:
        raise InputError(
            f"no query of the judgments, such as {next(iter(judgments), '')!r}, has a text"
        )
    of_asked = replace(probe, queries={query: probe.queries[query] for query in asked})
    if start is None:
        plain = replace(of_asked, rephrasings={})
        judged = [_judged(plain.search(index, {}, depth=depth), judgments)]
    else:
        judged = [{query: dict(start[query]) for query in asked if query in start}]
    for number in range(most):
        new = of_asked.search(index, _merged(judged), depth=depth)
        judged.append(_judged(new, judgments))
        if progress is not None:
            progress(number + 1, most)
        if not any(grade >= probe.rel for docs in judged[-1].values() for grade in docs.values()):
            break
    known = sum(grade >= probe.rel for query in asked for grade in judgments[query].values())
    unjudged = sum(
        judgments[query].get(doc, -1) < 0 for query, docs in _merged(judged).items() for doc in docs
    )
    without = tuple(query for query in judgments if query not in probe.queries)
    return Simulated(rounds(judged, rel=probe.rel), known, unjudged, without)


def _merged(judged: list[dict[str, dict[str, float]]]) -> dict[str, dict[str, float]]:
    return merged_sheets({f"round {number}": grades for number, grades in enumerate(judged)})


def _judged(new: dict[str, list[str]], judgments: Grades) -> dict[str, dict[str, float]]:
    return {
        query: {doc: max(judgments[query].get(doc, 0.0), 0.0) for doc in docs}
        for query, docs in new.items()
    }
