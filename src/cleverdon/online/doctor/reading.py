"""What was not read, or not understood: rows set aside, times without a zone, unknown actions."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from cleverdon.online.doctor.base import ALWAYS, CLICK_METRICS, Check, check
from cleverdon.online.doctor.facts import Facts
from cleverdon.online.doctor.findings import Finding
from cleverdon.online.log import ACTIONS, Aside
from cleverdon.online.metrics.registry import metrics
from cleverdon.online.reading.merging import REUSED
from cleverdon.online.reading.times import zoneless


@check
class NoSearches(Check):
    """Not one search in the log."""

    noun = "searches"
    matters = "Without searches there is nothing to count."
    remedy = "see whether this is the right file, and whether --mapping or --log-format fits it"
    error_from = ALWAYS

    def find(self, facts: Facts) -> Iterable[Finding]:
        if not facts.size.searches:
            yield self.finding(0, None)


@check
class RowsSetAside(Check):
    """Rows set aside because they cannot be used."""

    noun = "rows"
    matters = "They count in no metric, so that everything they belong to is counted too low."
    remedy = "mend what writes them, or say by --mapping what their columns are"
    error_from = 0.05
    spoils_all = True

    def find(self, facts: Facts) -> Iterable[Finding]:
        log = facts.log
        good = {"queries": facts.size.searches, "events": facts.size.events}
        spoils = {
            "queries": tuple(cls.__name__ for cls in metrics()),
            "events": tuple(cls.__name__ for cls in metrics() if "events.action" in cls.needs),
        }
        for table, read in good.items():
            gone = [aside for aside in log.aside if aside.table == table and not aside.kept]
            total = log.rows.get(table, read + sum(aside.count for aside in gone))
            for aside in gone:
                if aside.reason in REUSED:
                    continue
                what = f"{table} set aside: {aside.reason}"
                yield self.finding(
                    aside.count,
                    total,
                    what=what,
                    examples=_shown(aside, facts),
                    spoils=spoils[table],
                )


@check
class MergedRequests(Check):
    """Requests that share the query id of a search, and belong to it.

    The request that asked for results and got them is the search. Further pages are rows of their
    own; all others are no searches.
    """

    noun = "requests"
    matters = "Each search counts once, whatever its page asks for beside the results."
    remedy = "nothing, if that is right; or else give each search an id of its own"
    warning_from = None

    def find(self, facts: Facts) -> Iterable[Finding]:
        total = facts.log.rows.get("queries", facts.size.searches)
        for one in facts.log.merged:
            what = f"{one.reason}: {'kept as rows' if one.kept else 'merged into the search'}"
            yield self.finding(one.count, total, what=what, examples=_shown(one, facts))


@check
class ReusedQueryIds(Check):
    """Requests for another text, or by another user, under the query id of an earlier search.

    They are set aside, since nobody knows which events belong to which search.
    """

    noun = "requests"
    matters = "Searches are lost, and their clicks count for the first search that had the id."
    remedy = (
        "make a new id for each search; until then, a mapping can join the id with the text, in "
        "queries and in events"
    )
    spoils = (*CLICK_METRICS, "ZeroResults", "Queries", "Pages", "TopQueries")
    error_from = 0.05

    def find(self, facts: Facts) -> Iterable[Finding]:
        total = facts.log.rows.get("queries", facts.size.searches)
        for aside in facts.log.aside:
            if aside.reason in REUSED:
                examples = _shown(aside, facts)
                yield self.finding(aside.count, total, what=aside.reason, examples=examples)


@check
class UnknownValues(Check):
    """Values that cannot be right, read as unknown.

    Their rows stay in the log: a click is a click, wherever it is said to have been.
    """

    noun = "rows"
    matters = "Metrics that need the value leave these rows out; all others count them."
    remedy = "mend what writes them, or say by --mapping which column or unit is meant"

    def find(self, facts: Facts) -> Iterable[Finding]:
        read = {"queries": facts.size.searches, "events": facts.size.events}
        for aside in facts.log.aside:
            if aside.kept:
                what = f"{aside.table}.{aside.reason}"
                examples = _shown(aside, facts)
                yield self.finding(aside.count, read[aside.table], what=what, examples=examples)


def _shown(aside: Aside, facts: Facts) -> list[dict[str, str]]:
    return [{"row": row} for row in aside.examples[: facts.limits.examples]]


@check
class ZonelessTimes(Check):
    """Times without a time zone."""

    noun = "columns"
    matters = "Days, peaks and sessions are off by hours if the zone was another than assumed."
    remedy = "say in which zone they are: --timezone Europe/Berlin"
    spoils = ("QueriesPerTime", "LatencyByLoad", "LatencySpikes")

    def find(self, facts: Facts) -> Iterable[Finding]:
        columns = zoneless(facts.log)
        if columns:
            told = [note for note in facts.log.notes if note.split(" ", 1)[0] in columns]
            yield self.finding(len(columns), None, details=told)


@check
class NoClicks(Check):
    """Events, but not one click among them."""

    noun = "events"
    matters = "Every search then looks abandoned, and nothing is known of what users chose."
    remedy = "see whether clicks have another name in this log, and name it in a mapping: actions"
    spoils = CLICK_METRICS
    error_from = ALWAYS
    needs = ("events.action",)

    def find(self, facts: Facts) -> Iterable[Finding]:
        if facts.size.events and not facts.done("click"):
            yield self.finding(facts.size.events, facts.size.events)


@check
class NoImpressions(Check):
    """Events, but not one impression among them."""

    noun = "events"
    matters = "Nobody knows what was shown and not clicked; click models need it as well."
    remedy = "log what is shown, or name the action that means it in a mapping: actions"
    spoils = ("ImpressionCTR",)
    warning_from = None
    needs = ("events.action",)

    def find(self, facts: Facts) -> Iterable[Finding]:
        if facts.size.events and not facts.done("impression"):
            yield self.finding(facts.size.events, facts.size.events)


@check
class UnknownActions(Check):
    """Actions that no metric looks for.

    A warning where one of them is nearly spelt as one that is looked for.
    """

    noun = "events"
    matters = "They are kept, and count in no metric."
    remedy = "nothing, if that is right; or else say in a mapping what they are: actions"
    warning_from = None
    needs = ("events.action",)

    def find(self, facts: Facts) -> Iterable[Finding]:
        unknown = facts.unknown_actions()
        if not unknown:
            return
        meant = {
            name: near[0]
            for name in unknown
            if (near := get_close_matches((name or "").casefold(), ACTIONS, n=1, cutoff=0.75))
        }
        most = list(unknown.items())[: facts.limits.examples]
        yield self.finding(
            sum(unknown.values()),
            facts.size.events,
            details=[f"{name!r} may well be {near!r}." for name, near in meant.items()],
            examples=[{"action": name, "events": count} for name, count in most],
            severity="warning" if meant else None,
        )
