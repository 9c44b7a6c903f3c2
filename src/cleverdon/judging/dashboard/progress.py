"""Progress of judging: over all, by query and by person; pace and grades given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import quantiles

from cleverdon.judging.dashboard import Measurement, from_share, unknown
from cleverdon.judging.dashboard.facts import Facts, GradeEvent, ItemFact, StandingGrade, grouped
from cleverdon.judging.record_fields import Moment
from cleverdon.judging.scale import Scale


@dataclass(frozen=True)
class Progress:
    """The progress of a query or of all, in documents that are given out."""

    documents: int
    """Documents that were given out to be judged."""
    not_given_out: int
    """Documents that an adaptive method may still give out."""
    never_given_out: int
    """Documents that were not given out before their query ended."""
    wanted: int
    """Judgments that are wanted: as many people as are to judge each document."""
    done: int
    """Wanted judgments that are done; a ruling counts as all judgments of its document."""
    left: int
    """Wanted judgments that are missing."""
    share: float | None
    """The share of the wanted judgments that is done; null if none is wanted."""
    complete: int
    """Documents that as many people judged as are wanted, or that have a ruling."""
    judged: int
    """Documents that at least one person judged."""
    skipped: int
    """Documents that somebody skipped."""
    given_up: int
    """Skipped documents that nobody judged and that have no ruling."""
    flagged: int
    settled: int
    """Documents with a ruling."""


@dataclass(frozen=True)
class QueryProgress:
    """The progress of one query."""

    query: str
    title: str
    progress: Progress
    grades: GradeCounts
    ended: str = ""
    """Adaptive pools: why no more documents are given out; empty while some may be."""


def progress_of(facts: Facts) -> tuple[Progress, tuple[QueryProgress, ...]]:
    """Compute the progress over all queries, and query by query."""
    count = _Counting(facts)
    by_query = grouped(facts.items, lambda item: item.query)
    graded = grouped(facts.human, lambda row: row.query)
    queries = tuple(
        QueryProgress(
            query.name,
            query.title,
            count.progress(by_query.get(query.name, ())),
            count_grades(graded.get(query.name, ()), facts.scale),
            facts.endings.get(query.name, ""),
        )
        for query in facts.queries
    )
    return count.progress(facts.items), queries


class _Counting:
    def __init__(self, facts: Facts) -> None:
        self.times = Counter(row.item for row in facts.human)
        self.skipped = {one.item for one in facts.skips_and_flags if one.skipped}
        self.flagged = {one.item for one in facts.skips_and_flags if one.flagged}
        self.rulings = facts.rulings
        self.ended = facts.endings

    def progress(self, items: Iterable[ItemFact]) -> Progress:
        every = list(items)
        out = [item for item in every if item.given_out]
        never = sum(not item.given_out and item.query in self.ended for item in every)
        skipped = [item for item in out if item.id in self.skipped]
        done = [self._done(item) for item in out]
        wanted, total = sum(item.wanted for item in out), sum(done)
        return Progress(
            documents=len(out),
            not_given_out=len(every) - len(out) - never,
            never_given_out=never,
            wanted=wanted,
            done=total,
            left=wanted - total,
            share=total / wanted if wanted else None,
            complete=sum(number >= item.wanted for number, item in zip(done, out, strict=True)),
            judged=sum(item.id in self.times for item in out),
            skipped=len(skipped),
            given_up=sum(
                item.id not in self.times and item.id not in self.rulings for item in skipped
            ),
            flagged=sum(item.id in self.flagged for item in out),
            settled=sum(item.id in self.rulings for item in out),
        )

    def _done(self, item: ItemFact) -> int:
        if item.id in self.rulings:
            return item.wanted
        # A gold document is judged by everybody, and counts no more than was wanted.
        return min(self.times[item.id], item.wanted)


_PAUSE = 600.0  # seconds between two judgments, from which on the person was away
_FEWEST = 5  # judgments, below which no speed is computed
_MOST_BINS = 60
HOUR = 3_600.0
# Widths of bins; the first that gives at most `_MOST_BINS` is used.
_WIDTHS = (HOUR, 6 * HOUR, 24 * HOUR, 7 * 24 * HOUR, 30 * 24 * HOUR, 365 * 24 * HOUR)


@dataclass(frozen=True)
class Pace:
    """The number of judgments per hour, or per longer time where there are many hours."""

    start: Moment | None
    """The start of the first interval (UTC); null without judgments."""
    width: float
    """Seconds of an interval."""
    counts: tuple[int, ...]
    """Judgments in each interval, changed ones counted again."""

    @property
    def total(self) -> int:
        """The number of judgments, changed ones counted again."""
        return sum(self.counts)


@dataclass(frozen=True)
class Speed:
    judgments: int  # grades given, changed ones counted again
    per_hour: Measurement  # of work: pauses of ten minutes or more are left out
    seconds: Measurement  # a document: the median, and the middle half as its ends


def pace_of(events: Sequence[GradeEvent]) -> Pace:
    """Count judgments over time, from the first one on."""
    moments = [one.at for one in events]
    if not moments:
        return Pace(None, HOUR, ())
    first, last = min(moments), max(moments)
    width = next((one for one in _WIDTHS if last - first < one * (_MOST_BINS - 1)), _WIDTHS[-1])
    start = first // width * width
    counts = [0] * (int((last - start) // width) + 1)
    for moment in moments:
        counts[int((moment - start) // width)] += 1
    return Pace(start, width, tuple(counts))


def speed_of(events: Sequence[GradeEvent]) -> Speed:
    """Compute the speed of the person who gave these grades."""
    gaps = [later - earlier for earlier, later in pairwise(sorted(one.at for one in events))]
    worked = [gap for gap in gaps if gap < _PAUSE]
    per_hour = unknown(f"fewer than {_FEWEST + 1} judgments without a pause", of=len(worked))
    if len(worked) >= _FEWEST and sum(worked) > 0:
        per_hour = Measurement(len(worked) / sum(worked) * HOUR, of=len(worked))
    # The median: a document that stayed open over lunch does not move it.
    known = [one.seconds for one in events if one.seconds is not None]
    seconds = unknown(f"fewer than {_FEWEST} judgments with a time", of=len(known))
    if len(known) >= _FEWEST:
        low, middle, high = quantiles(known, n=4, method="inclusive")
        seconds = Measurement(middle, low, high, len(known))
    return Speed(len(events), per_hour, seconds)


@dataclass(frozen=True)
class GradeCounts:
    """The number of times that each grade of the scale was given."""

    counts: tuple[int, ...]
    """In the order of the scale."""
    total: int
    relevant: Measurement
    """The share of relevant grades, with Wilson's interval."""


def count_grades(rows: Iterable[StandingGrade], scale: Scale) -> GradeCounts:
    times = Counter(row.grade for row in rows)
    counts = tuple(times[value] for value in scale.values)
    relevant = sum(count for value, count in times.items() if value >= scale.relevant)
    share = from_share(relevant, times.total(), why="no grade was given yet")
    return GradeCounts(counts, sum(counts), share)


@dataclass(frozen=True)
class PersonProgress:
    """The progress of one person."""

    person: str
    active: bool
    """Whether the account is active."""
    queries: int
    """Queries that are assigned to the person."""
    judged: int
    skipped: int
    flagged: int
    open: int
    """Documents that the person could still judge."""
    judgments: int
    """Grades given, changed ones counted again."""
    per_hour: Measurement
    """Judgments per hour of work, without pauses."""
    seconds: Measurement
    """Seconds of a judgment: the median and the middle half."""
    hours_left: Measurement
    """Hours for all open documents, if nobody else judges them."""
    last: Moment | None
    """When the person last gave a grade (UTC)."""
    grades: GradeCounts
    pace: Pace


def people_progress(facts: Facts) -> tuple[PersonProgress, ...]:
    """Compute the progress of everybody who judges, or has."""
    events, grades = facts.events_by_judge, facts.grades_by_judge
    skipped = Counter(one.judge for one in facts.skips_and_flags if one.skipped)
    flagged = Counter(one.judge for one in facts.skips_and_flags if one.flagged)
    queries = Counter(one.judge for one in facts.assigned)
    open_to = _open_documents(facts)
    active = {one.name for one in facts.judges if one.active}
    found = []
    for judge in facts.people:
        own = events.get(judge, [])
        speed, left = speed_of(own), open_to[judge]
        hours_left = unknown(speed.per_hour.why)
        if not left:
            hours_left = Measurement(0.0)
        elif speed.per_hour.value is not None:
            hours_left = Measurement(left / speed.per_hour.value, of=left)
        found.append(
            PersonProgress(
                judge,
                judge in active,
                queries[judge],
                len(grades.get(judge, ())),
                skipped[judge],
                flagged[judge],
                left,
                speed.judgments,
                speed.per_hour,
                speed.seconds,
                hours_left,
                max((one.at for one in own), default=None),
                count_grades(grades.get(judge, ()), facts.scale),
                pace_of(own),
            )
        )
    return tuple(found)


def _open_documents(facts: Facts) -> Counter[str]:
    """Count the documents that each person could still judge, leased to others or not."""
    times = Counter(row.item for row in facts.human)
    done: dict[str, set[int]] = {}
    for row in facts.human:
        done.setdefault(row.judge, set()).add(row.item)
    for one in facts.skips_and_flags:
        if one.skipped:
            done.setdefault(one.judge, set()).add(one.item)
    every: dict[str, set[int]] = {}
    several: dict[str, set[int]] = {}
    for item in facts.items:
        gold = item.gold is not None
        if item.given_out and (gold or times[item.id] < item.wanted):
            every.setdefault(item.query, set()).add(item.id)
            if gold or item.wanted > 1:
                several.setdefault(item.query, set()).add(item.id)
    found: Counter[str] = Counter()
    for judge, query, part in facts.assigned:
        left = (every if part == "all" else several).get(query, set())
        found[judge] += len(left - done.get(judge, set()))
    return found
