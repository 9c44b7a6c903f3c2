"""Rows that are there more than once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import ibis

from cleverdon.online.doctor.base import CLICK_METRICS, Check, check
from cleverdon.online.doctor.facts import Facts, asked
from cleverdon.online.doctor.findings import Finding
from cleverdon.online.log import actor_of, with_actors

if TYPE_CHECKING:
    from ibis import Table


class _Repeated(Check):
    """Rows that agree in all of some columns; all but one of each group are too many."""

    warning_from = 0.001
    error_from = 0.05

    @abstractmethod
    def groups(self, facts: Facts) -> Table:
        """A row for each group, with how often it is there as `times`."""

    @abstractmethod
    def total(self, facts: Facts) -> int:
        """How many rows there are of the kind."""

    def find(self, facts: Facts) -> Iterable[Finding]:
        groups = self.groups(facts)
        # Kept, since it takes long, and is asked for again where examples are shown.
        groups = groups.filter(groups.times > 1).cache()
        (row,) = asked(groups.agg(surplus=(groups.times - 1).sum()))
        if row["surplus"]:
            names = [name for name in groups.columns if name != "times"]
            shown = groups.order_by(groups.times.desc(), *names).limit(facts.limits.examples)
            yield self.finding(int(row["surplus"]), self.total(facts), examples=asked(shown))


@check
class RepeatedEvents(_Repeated):
    """Events that repeat another in search, action, document, position and time."""

    noun = "events"
    matters = "Clicks and impressions that happened once are counted twice."
    remedy = "keep one of each: SELECT DISTINCT, where the log is written or copied"
    spoils = ("ImpressionCTR", "ClickRank", "Dwell")
    needs = ("events.action",)

    def groups(self, facts: Facts) -> Table:
        events = facts.log.events
        of: dict[str, Any] = {
            **{name: events[name] for name in ("query_id", "action", "doc", "position", "time")},
            # Events without a search are told apart by whoever did it.
            "person": ibis.ifelse(events.query_id.isnull(), actor_of(events), ibis.null("string")),
        }
        return events.group_by(**of).agg(times=events.count())

    def total(self, facts: Facts) -> int:
        return facts.size.events


@check
class RepeatedEventIds(_Repeated):
    """Events with the id of another."""

    noun = "events"
    matters = "An id that is there twice means a row that is there twice, or ids that are none."
    remedy = "keep one of each id; where rows differ, see how ids are made"
    spoils = CLICK_METRICS
    needs = ("events.event_id",)

    def groups(self, facts: Facts) -> Table:
        events = facts.log.events.filter(facts.log.events.event_id.notnull())
        return events.group_by("event_id").agg(
            times=events.count(), first=events.time.min(), last=events.time.max()
        )

    def total(self, facts: Facts) -> int:
        return facts.size.events

    def find(self, facts: Facts) -> Iterable[Finding]:
        # Counting what differs takes far less than counting how often each is there.
        events = facts.log.events
        (row,) = asked(events.agg(ids=events.event_id.nunique(), rows=events.event_id.count()))
        return super().find(facts) if row["ids"] < row["rows"] else ()


@check
class RepeatedSearches(_Repeated):
    """Searches that repeat another in user, text, page and time, under another id."""

    noun = "searches"
    matters = "A search that was made once is counted twice, and one of the two looks abandoned."
    remedy = "see whether a search is logged in two places, or sent twice by the page"
    spoils = ("Pages", "PageCTR", "QueriesPerTime", "TopQueries")
    needs = ("queries.text",)
    needs_persons = True

    def groups(self, facts: Facts) -> Table:
        queries = with_actors(facts.log).rename(person="actor")
        queries = queries.filter(queries.person.notnull(), queries.text.notnull())
        return queries.group_by("person", "time", "text", "page").agg(times=queries.count())

    def total(self, facts: Facts) -> int:
        return facts.size.searches


@check
class RepeatedQueryIds(_Repeated):
    """Searches with the query id of another."""

    noun = "searches"
    matters = "Events belong to a search by its id, and count for each that has it."
    remedy = "give each result page an id of its own; a mapping can join several columns to one"
    spoils = CLICK_METRICS
    warning_from = 0.0
    error_from = 0.0

    def groups(self, facts: Facts) -> Table:
        queries = facts.log.queries.filter(facts.log.queries.query_id.notnull())
        return queries.group_by("query_id").agg(times=queries.count())

    def total(self, facts: Facts) -> int:
        return facts.size.searches

    def find(self, facts: Facts) -> Iterable[Finding]:
        return super().find(facts) if facts.repeated_ids else ()
