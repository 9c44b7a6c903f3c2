"""The state of a project: one record of everything on the dashboard, and its text form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from cleverdon._common.text import counted, printable
from cleverdon.agreement.tables import interval_note
from cleverdon.judging import clock
from cleverdon.judging.dashboard import Measurement
from cleverdon.judging.dashboard.agreement import (
    COEFFICIENTS,
    LiveAgreement,
    live_agreement,
    overall_agreement,
    pair_rows,
    query_rows,
)
from cleverdon.judging.dashboard.facts import Facts, distinct_grades, grouped, read_facts
from cleverdon.judging.dashboard.judge_checks import (
    ATTENTION_LIMIT,
    Attention,
    Drift,
    attention,
    drifts,
)
from cleverdon.judging.dashboard.models import ModelComparison, compare_models, model_agreement_rows
from cleverdon.judging.dashboard.progress import (
    GradeCounts,
    Pace,
    PersonProgress,
    Progress,
    QueryProgress,
    count_grades,
    pace_of,
    people_progress,
    progress_of,
)
from cleverdon.judging.dashboard.recall import (
    LiveRecall,
    PoolCoverage,
    PooledSystems,
    RecallEstimate,
    item_grades,
    live_recall,
)
from cleverdon.judging.project import Project
from cleverdon.judging.queue import Feeder
from cleverdon.judging.scale import Scale
from cleverdon.tables.numbers import format_decimal, format_significant
from cleverdon.tables.result import Result
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable


@dataclass(frozen=True, eq=False)
class ProjectState:
    """Everything on the dashboard, at one moment."""

    as_of: float
    scale: Scale
    progress: Progress
    queries: tuple[QueryProgress, ...]
    pace: Pace
    people: tuple[PersonProgress, ...]
    grades: GradeCounts
    agreement: LiveAgreement  # of people alone
    models: tuple[ModelComparison, ...]  # models and earlier judgments
    recall: LiveRecall
    coverage: PoolCoverage
    drifts: tuple[Drift, ...]
    attention: tuple[Attention, ...]  # of each person; empty without gold documents
    uncovered: tuple[str, ...]  # queries with something to judge, and nobody who would
    short: tuple[str, ...]  # queries with too few people for what several are to judge
    disputed: int  # documents that people gave different grades, and that nobody has settled


def _compute_state(facts: Facts, systems: PooledSystems, *, seed: int = 0) -> ProjectState:
    """Compute all of it; the same facts give the same numbers."""
    whole, queries = progress_of(facts)
    grades = item_grades(facts)
    return ProjectState(
        as_of=facts.as_of,
        scale=facts.scale,
        progress=whole,
        queries=queries,
        pace=pace_of(facts.grade_events),
        people=people_progress(facts),
        grades=count_grades(facts.human, facts.scale),
        agreement=live_agreement(facts.human, seed=seed),
        models=compare_models(facts, seed=seed),
        recall=live_recall(facts, grades),
        coverage=systems.coverage(facts, grades),
        drifts=drifts(facts),
        attention=attention(facts),
        uncovered=facts.uncovered,
        short=facts.short,
        disputed=sum(
            len(different) > 1 and item not in facts.rulings
            for item, different in distinct_grades(facts.human).items()
        ),
    )


class DashboardComputation:
    """Computes the state of a project again and again; what it has read of the pool is kept."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._systems = PooledSystems(project.folder)
        self._feeder = Feeder(project)

    def compute(self) -> ProjectState:
        """Return the state of the project as it is now."""
        with self._project.database.reading() as connection:
            endings = self._feeder.endings(connection)
            facts = read_facts(connection, self._project.scale, endings=endings)
        return _compute_state(facts, self._systems)


_VERDICTS = {
    "less": "agrees with people less than they agree with each other",
    "more": "agrees with people more than they agree with each other",
    "not told apart": "agrees with people about as far as they agree with each other, as far as "
    "can be told",
}
ENDINGS = {
    "all given": "everything was given out",
    "budget": "the budget of documents is used up",
    "target": "as many relevant documents as wanted were found",
    "patience": "too many documents in a row were not relevant",
}
"""The reasons why queries of an adaptive pool end."""
_NAMED = 10  # queries that a sentence names


def list_warnings(found: ProjectState) -> list[str]:
    """Return sentences on everything that an administrator should look into."""
    sentences = []
    if found.uncovered:
        sentences.append(f"Nobody has {_count_queries(found.uncovered)}; assign them to somebody.")
    if found.short:
        sentences.append(
            f"Too few people for what several are to judge: {_count_queries(found.short)}."
        )
    sentences += [describe_drift(one) for one in found.drifts if one.direction]
    for one in found.attention:
        if one.low:
            gold = counted(one.documents, "gold document")
            sentences.append(
                f"{printable(one.person)} gave {one.right.value or 0:.0%} of {gold} the known "
                f"grade, and would {one.right.high or 0:.0%} at most in the long run; "
                f"{ATTENTION_LIMIT:.0%} is the least to ask for."
            )
    if found.disputed:
        were, wait = ("was", "waits") if found.disputed == 1 else ("were", "wait")
        disputed = counted(found.disputed, "document")
        sentences.append(f"{disputed} {were} given different grades, and {wait} to be settled.")
    if found.progress.given_up:
        were = "was" if found.progress.given_up == 1 else "were"
        given_up = counted(found.progress.given_up, "document")
        sentences.append(f"{given_up} {were} skipped, and judged by nobody.")
    return sentences


def gold_left_out(documents: int) -> str:
    """Return a sentence on the gold documents that agreement leaves out."""
    if not documents:
        return ""
    are, them = ("is", "it") if documents == 1 else ("are", "them")
    gold = counted(documents, "gold document")
    return f"{gold} {are} left out of agreement, since somebody chose {them}."


def chosen_left_out(found: RecallEstimate) -> str:
    """Return a sentence on the chosen documents that an estimate leaves out."""
    if not found.left_out:
        return ""
    are = "is" if found.left_out == 1 else "are"
    return (
        f"{counted(found.left_out, 'document')} that somebody chose, as gold or by an import, "
        f"{are} left out of recall."
    )


def describe_ending(why: str) -> str:
    """Return why a query of an adaptive pool ended."""
    return f"Nothing more is given out: {ENDINGS[why]}."


def describe_endings(found: ProjectState) -> list[str]:
    """Return which queries of an adaptive pool have ended, by the reason."""
    ended = grouped((one for one in found.queries if one.ended), lambda one: one.ended)
    return [
        f"{counted(len(own), 'query')} ended, since {ENDINGS[why]}: "
        f"{_some([one.query for one in own])}."
        for why, own in ended.items()
    ]


def describe_drift(drift: Drift) -> str:
    """Return a sentence on a drift that is more than chance."""
    name = printable(drift.person)
    way = "below" if drift.direction == "stricter" else "above"
    reference = "the known grades" if drift.against == "gold" else "the others' grades"
    ends = sorted(abs(end) for end in (drift.change.low, drift.change.high) if end is not None)
    numbers = (abs(drift.change.value or 0), *ends)
    change, low, high = (format_decimal(number, digits=2) for number in numbers)
    sentence = (
        f"{name} has become {drift.direction}: against {reference} of the same documents, the "
        f"second half of {name}'s grades lies {change} [{low}, {high}] {way} the first."
    )
    if drift.alone and drift.against == "others":
        sentence += " With two judges, it may be the other one who changed; gold would tell."
    return sentence


def describe_model(comparison: ModelComparison, coefficient: str = "kappa") -> str:
    """Return a sentence that compares a model with people; empty where that is unknown."""
    for one in comparison.agreements:
        if one.coefficient == coefficient and one.verdict in _VERDICTS:
            return f"By {coefficient}, {printable(comparison.name)} {_VERDICTS[one.verdict]}."
    return ""


def _count_queries(names: Sequence[str]) -> str:
    return f"{counted(len(names), 'query')}, {_some(names)}"


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    shown = ", ".join(map(printable, names[:_NAMED]))
    return f"{shown} and {counted(more, 'other')}" if more > 0 else shown


_DECISIONS = {"stop": "stop", "go on": "go on", "open": "not decided"}


@dataclass(frozen=True, eq=False)
class ProjectStatus(Result):
    """The state of a project as text: by person, overall, and optionally by query and pair.

    Attributes:
        title: The title of the project.
        state: Everything on the dashboard: progress, agreement, recall, drift, attention.
        per_query: Whether queries are listed one by one.
        pairs: Whether pairs of judges are listed.

    >>> from cleverdon.judging import example_project
    >>> with example_project() as project:
    ...     status = project_status(project)
    >>> status.title, status.state.progress.left
    ('Drinks', 6)
    """

    title: str
    state: ProjectState
    per_query: bool = False
    pairs: bool = False

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return the tables of queries, people, agreement, pairs and models."""
        found, write = self.state, _ExactCells() if exact else _Cells()
        parts = [_queries(found, write)] if self.per_query else []
        parts += [_people(found, write), _agreement(found, write)]
        parts += [_pairs(found, write)] if self.pairs else []
        return [*parts, _models(found, write)]

    def closing(self) -> list[str]:
        """Return what can be decided, and what should be looked into."""
        return _closing(self.state)

    def render(self, format: str = "table", **view: Any) -> str:
        """Write the status; text has the totals above the tables."""
        text = super().render(format, **view)
        if format != "table" or view.get("section"):
            return text
        return f"{_totals(self.state, self.title)}\n\n{text}"

    def to_dict(self) -> dict[str, Any]:
        """Return what the API call /api/watching answers."""
        from cleverdon.judging.web.routes.dashboard import dashboard_model  # it describes the JSON

        return dashboard_model(self.state).model_dump(mode="json", by_alias=True)


def project_status(
    project: Project, *, per_query: bool = False, pairs: bool = False
) -> ProjectStatus:
    """Compute how far judging has come, how far people agree, and whether to go on.

    Args:
        project: The project; it may be in use.
        per_query: Whether the printed status lists queries one by one.
        pairs: Whether it lists the agreement of each two judges.

    Returns:
        The state of the project, which prints as a table.

    >>> from cleverdon.judging import example_project
    >>> with example_project() as project:
    ...     found = project_status(project)
    >>> found.state.progress.wanted, found.state.progress.done
    (6, 0)
    """
    return ProjectStatus(project.title, DashboardComputation(project).compute(), per_query, pairs)


def _totals(found: ProjectState, title: str) -> str:
    whole = found.progress
    when = clock.iso(found.as_of)[:16].replace("T", " ")
    share = "" if whole.share is None else f" ({whole.share:.0%})"
    every = [one.progress for one in found.queries]
    complete = sum(one.documents > 0 and not one.left for one in every)
    begun = sum(one.left > 0 and one.judged > 0 for one in every)
    decided = Counter(one.decision for one in found.recall.queries.values())
    return (
        f"{printable(title)}: {whole.done:,} of {counted(whole.wanted, 'judgment')}{share}, "
        f"{whole.complete:,} of {counted(whole.documents, 'document')} complete, as of {when} UTC\n"
        f"{counted(len(every), 'query')}: {complete:,} complete, {begun:,} begun; advice: "
        f"{decided['stop']:,} stop, {decided['go on']:,} go on, {decided['open']:,} not decided"
    )


def _queries(found: ProjectState, write: _Cells) -> Section:
    agreed = {one.query: one for one in query_rows(found.agreement)}
    table = []
    for one in found.queries:
        recall = found.recall.queries[one.query]
        own = agreed.get(one.query)
        progress = one.progress
        table.append(
            [
                printable(one.query),
                f"{progress.done:,}/{progress.wanted:,}",
                write.count(progress.skipped),
                write.count(progress.flagged),
                write.percent(one.grades.relevant),
                write.none if own is None else write.number(own.numbers["alpha-ordinal"]),
                write.percent(recall.last if found.recall.way == "adaptive" else recall.recall),
                _DECISIONS[recall.decision] + (f", ended ({one.ended})" if one.ended else ""),
            ]
        )
    last = "last 20" if found.recall.way == "adaptive" else "recall"
    header = ["query", "judgments", "skipped", "flagged", "relevant", "alpha-ordinal", last]
    return Section("Queries", TextTable([*header, "advice"], table, 1, []))


def _people(found: ProjectState, write: _Cells) -> Section:
    gold = {one.person: one for one in found.attention}
    table = []
    for work in found.people:
        own = gold.get(work.person)
        table.append(
            [
                printable(work.person),
                write.count(work.judged),
                write.count(work.open),
                write.amount(work.per_hour),
                write.amount(work.seconds),
                write.amount(work.hours_left),
                write.percent(work.grades.relevant),
                *([write.none if own is None else write.percent(own.right)] if gold else []),
            ]
        )
    header = ["person", "judged", "open", "per hour", "seconds", "hours left", "relevant"]
    header += ["gold right"] if gold else []
    note = (
        "per hour: of work, pauses of ten minutes and more left out; seconds: the median of a "
        "judgment; hours left: for all that is open to the person"
    )
    return Section("People", TextTable(header, table, 1, [note]))


def _agreement(found: ProjectState, write: _Cells) -> Section:
    live = found.agreement
    known = overall_agreement(live) if live.agreed else {}
    table = [[name, write.number(number)] for name, number in known.items()]
    notes = [interval_note(live.agreed.units)] if live.agreed else []
    title = f"Agreement on {counted(live.shared, 'document')} that two people have judged"
    return Section(title, TextTable(["coefficient", "over all"], table, 1, notes))


def _pairs(found: ProjectState, write: _Cells) -> Section:
    names = [name for name in COEFFICIENTS if name != "fleiss"]
    table = [
        [printable(pair.first), printable(pair.second), write.count(pair.documents)]
        + [write.number(pair.numbers[name]) for name in names]
        for pair in pair_rows(found.agreement)
    ]
    header = ["judge", "with", "documents", *names]
    more = found.agreement.more_pairs
    notes = [f"{counted(more, 'pair')} with fewer documents in common not shown"] if more else []
    return Section("Pairs of judges", TextTable(header, table, 2, notes))


def _models(found: ProjectState, write: _Cells) -> Section:
    table = []
    for one in found.models:
        kappa = next((row for row in model_agreement_rows(one) if row.coefficient == "kappa"), None)
        numbers = (kappa.with_people, kappa.among_people, kappa.difference) if kappa else ()
        cells = [write.number(number) for number in numbers] or [write.none] * 3
        table.append([printable(one.name), one.kind, write.count(one.shared), *cells])
    header = ["judge", "kind", "documents", "kappa with people", "among people", "difference"]
    return Section("Models and earlier judgments", TextTable(header, table, 2, []))


def _closing(found: ProjectState) -> list[str]:
    sentences = [
        found.recall.all.advice,
        chosen_left_out(found.recall.all),
        *describe_endings(found),
    ]
    coverage = found.coverage
    if coverage.recall.value is None:
        sentences.append(f"What the pool has missed cannot be told: {coverage.recall.why}.")
    else:
        less = ", or less" if coverage.bounded else ""
        sentences.append(
            f"By what systems found in common, the pool holds {coverage.recall.value:.0%} of what "
            f"is relevant{less}."
        )
        sentences += coverage.sentences
    if found.agreement.agreed is None:
        sentences.append(f"No agreement yet: {found.agreement.why}.")
    sentences.append(gold_left_out(found.agreement.gold))
    sentences.append(_extremes(found))
    for one in found.models:
        sentences.append(f"{printable(one.name)}: {one.why}." if one.why else describe_model(one))
    return [*filter(None, sentences), *list_warnings(found)]


def _extremes(found: ProjectState) -> str:
    """Return a sentence on the pairs that agree least and most."""
    known = [
        (kappa.value, pair)
        for pair in pair_rows(found.agreement)
        if (kappa := pair.numbers["kappa"]).value is not None
    ]
    if len(known) < 2:
        return ""
    ends = (min(known, key=itemgetter(0)), max(known, key=itemgetter(0)))
    low, high = (
        f"{format_decimal(value, digits=2)} ({printable(pair.first)} and {printable(pair.second)}, "
        f"{counted(pair.documents, 'document')})"
        for value, pair in ends
    )
    return f"Pairs agree by a kappa from {low} to {high}."


class _Cells:
    """Writes cells for people."""

    none = "-"

    def count(self, number: int) -> str:
        return f"{number:,}"

    def number(self, found: Measurement) -> str:
        return self._with_interval(found, lambda value: format_decimal(value, digits=2))

    def percent(self, found: Measurement) -> str:
        return self._with_interval(found, lambda value: f"{value:.0%}")

    def amount(self, found: Measurement) -> str:
        return self.none if found.value is None else format_significant(found.value)

    def _with_interval(self, found: Measurement, text: Callable[[float], str]) -> str:
        if found.value is None:
            return self.none
        if found.low is None or found.high is None:
            return text(found.value)
        return f"{text(found.value)} [{text(found.low)}, {text(found.high)}]"


class _ExactCells(_Cells):
    """Writes cells for programs: all digits, no intervals."""

    none = ""

    def count(self, number: int) -> str:
        return str(number)

    def amount(self, found: Measurement) -> str:
        return self.none if found.value is None else repr(float(found.value))

    number = percent = amount
