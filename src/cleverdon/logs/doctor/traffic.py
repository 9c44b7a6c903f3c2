"""Checks for traffic that does not come from people: repeated rows, bots, shared ids."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

import ibis
from ibis import Table
from ibis import _ as row

from cleverdon.logs.doctor.checks import (
    CLICK_METRICS,
    SESSION_METRICS,
    Check,
    RowCheck,
    check,
    limits,
)
from cleverdon.logs.doctor.diagnosis import Finding
from cleverdon.logs.doctor.facts import LogFacts, fetch_rows
from cleverdon.logs.log import actor_of, with_actors


class _Repeated(Check):
    """Rows that are equal in some columns; all but one of each group are surplus."""

    warning_from = 0.001
    error_from = 0.05

    @abstractmethod
    def groups(self, facts: LogFacts) -> Table:
        """Return a row for each group, with its number of rows as `times`."""

    def find(self, facts: LogFacts) -> Iterable[Finding]:
        groups = self.groups(facts)
        # Cached, because it is slow and the examples need it again.
        groups = groups.filter(groups.times > 1).cache()
        (counts,) = fetch_rows(groups.agg(surplus=(groups.times - 1).sum()))
        if counts["surplus"]:
            names = [name for name in groups.columns if name != "times"]
            shown = groups.order_by(groups.times.desc(), *names).limit(facts.limits.examples)
            total = facts.size.events if self.noun == "events" else facts.size.searches
            yield self.finding(int(counts["surplus"]), total, examples=fetch_rows(shown))


@check
class RepeatedEvents(_Repeated):
    """Events that repeat another in search, action, document, position and time."""

    noun = "events"
    matters = "Clicks and impressions that happened once are counted twice."
    remedy = "keep one of each: SELECT DISTINCT when the log is written or copied"
    spoils = ("ImpressionCTR", "ClickRank", "Dwell")
    needs = ("events.action",)

    def groups(self, facts: LogFacts) -> Table:
        events = facts.log.events
        of: dict[str, Any] = {
            **{name: events[name] for name in ("query_id", "action", "doc", "position", "time")},
            # Events without a search are distinguished by their user.
            "person": ibis.ifelse(events.query_id.isnull(), actor_of(events), ibis.null("string")),
        }
        return events.group_by(**of).agg(times=events.count())


@check
class RepeatedEventIds(_Repeated):
    """Events with the id of another."""

    noun = "events"
    matters = "Either a row is repeated, or ids are not unique."
    remedy = "keep one of each id; if rows differ, check how ids are made"
    spoils = CLICK_METRICS
    needs = ("events.event_id",)

    def groups(self, facts: LogFacts) -> Table:
        events = facts.log.events.filter(facts.log.events.event_id.notnull())
        return events.group_by("event_id").agg(
            times=events.count(), first=events.time.min(), last=events.time.max()
        )

    def find(self, facts: LogFacts) -> Iterable[Finding]:
        # Counting distinct ids is much faster than grouping by id.
        events = facts.log.events
        ids = events.event_id
        (counts,) = fetch_rows(events.agg(ids=ids.nunique(), rows=ids.count()))
        return super().find(facts) if counts["ids"] < counts["rows"] else ()


@check
class RepeatedSearches(_Repeated):
    """Searches that repeat another in user, text, page and time, under another id."""

    noun = "searches"
    matters = "One search is counted twice, and one of the two looks abandoned."
    remedy = "check whether a search is logged in two places, or sent twice by the page"
    spoils = ("Pages", "PageCTR", "QueriesPerTime", "TopQueries")
    needs = ("queries.text",)
    needs_persons = True

    def groups(self, facts: LogFacts) -> Table:
        queries = with_actors(facts.log).rename(person="actor")
        queries = queries.filter(queries.person.notnull(), queries.text.notnull())
        return queries.group_by("person", "time", "text", "page").agg(times=queries.count())


@check
class RepeatedQueryIds(_Repeated):
    """Searches with the query id of another."""

    noun = "searches"
    matters = "Events are matched by the id of their search, and count for each that has it."
    remedy = "give each result page its own id; a mapping can join several columns into one"
    spoils = CLICK_METRICS
    warning_from = 0.0
    error_from = 0.0

    def groups(self, facts: LogFacts) -> Table:
        queries = facts.log.queries.filter(facts.log.queries.query_id.notnull())
        return queries.group_by("query_id").agg(times=queries.count())

    def find(self, facts: LogFacts) -> Iterable[Finding]:
        return super().find(facts) if facts.repeated_ids else ()


@check
class Bots(Check):
    """Users who search like bots, too fast or too evenly, and without a click.

    Shares for warnings and errors are of all searches.
    """

    noun = "users"
    matters = "They search and never click: rates fall, and counts and peaks rise."
    remedy = "exclude them with --without-bots, or mark bots in the log"
    spoils = (*CLICK_METRICS, "QueriesPerTime", "TopQueries", "ZeroResults")
    warning_from = 0.001
    error_from = 0.25
    needs_persons = True

    def find(self, facts: LogFacts) -> Iterable[Finding]:
        people = facts.table("persons")
        bot = people.bot == 1
        wanted = people.agg(
            bots=people.count(where=bot),
            users=people.count(),
            searches=people.searches.sum(where=bot),
            empty=people.empty.sum(where=bot),
            all_empty=people.empty.sum(),
        )
        (counts,) = fetch_rows(wanted)
        if not counts["bots"]:
            return
        found = people.filter(bot).order_by(people.searches.desc(), "person")
        shown = found.select("person", "searches", "first", "last", "gap_ms")
        share = counts["searches"] / facts.size.searches
        yield self.finding(
            counts["bots"],
            counts["users"],
            details=self._details(facts, counts, share),
            examples=fetch_rows(shown.limit(facts.limits.examples)),
            severity=self.severity(share),
        )

    def _details(self, facts: LogFacts, counts: dict[str, Any], share: float) -> list[str]:
        every, theirs = facts.size.searches, int(counts["searches"])
        details = [
            f"They made {theirs:,} of {every:,} searches, {share:.1%}.",
            f"Rules for bots: {facts.limits.bots}.",
        ]
        shares = {}
        if every > theirs and facts.done("click"):
            acts = facts.table("acts")
            click = (acts.action == "click") & acts.page_id.notnull()
            clicked = fetch_rows(acts.agg(pages=acts.query_id.nunique(where=click)))[0]["pages"]
            shares["PageCTR"] = clicked / (every - theirs), clicked / every
        if every > theirs and facts.log.has("queries.results"):
            empty = int(counts["all_empty"])
            without = (empty - int(counts["empty"])) / (every - theirs)
            shares["searches without a result"] = without, empty / every
        details += [
            f"Without them, {name} would be {without:.1%} rather than {with_them:.1%}."
            for name, (without, with_them) in shares.items()
            if f"{without:.1%}" != f"{with_them:.1%}"
        ]
        return details


@check
class HeavyUsers(Check):
    """Users with a large share of all searches."""

    noun = "users"
    matters = "A single user dominates the averages, and intervals are far too wide."
    remedy = "check whether it is a bot, a shared id, or a default such as 'anonymous'"
    spoils = SESSION_METRICS
    needs_persons = True

    def find(self, facts: LogFacts) -> Iterable[Finding]:
        people = facts.table("persons")
        share, searches = facts.limits.user_share, facts.size.searches
        wrong = people.searches > share * searches
        wanted = people.agg(heavy=people.count(where=wrong), users=people.count())
        (counts,) = fetch_rows(wanted)
        # Among a handful of users, each has a large share.
        if counts["heavy"] and counts["users"] >= 2 / share:
            found = people.filter(wrong).order_by(people.searches.desc(), "person")
            shown = fetch_rows(found.select("person", "searches").limit(facts.limits.examples))
            yield self.finding(
                counts["heavy"],
                counts["users"],
                details=[f"More than {share:.0%} of {searches:,} searches each."],
                examples=[{**one, "share": f"{one['searches'] / searches:.1%}"} for one in shown],
            )


class _ManySearches(RowCheck):
    noun = "sessions"
    spoils = SESSION_METRICS
    most = "searches"
    wrong = row.searches > limits.session_searches

    def details(self, more: dict[str, Any], facts: LogFacts, count: int, total: int) -> list[str]:
        return [f"More than {facts.limits.session_searches:,} searches each."]


@check
class LongSittings(_ManySearches):
    """Users who searched very often without a pause that ends a session."""

    table = "sittings"
    alone = True  # only sessions of users who searched that often are in the table
    matters = "It counts as one session, but is hardly the work of one person."
    remedy = "exclude bots with --without-bots; check whether many users share the id"
    needs_persons = True
    shows = ("person", "searches", "first", "last")


@check
class LongSessions(_ManySearches):
    """Session ids with very many searches."""

    table = "sessions"
    matters = "An id that never changes joins many sessions into one."
    remedy = "end sessions by idle time, --sessions idle; exclude bots with --without-bots"
    needs = ("queries.session",)
    shows = ("session", "searches", "first", "last")


@check
class SharedSessions(RowCheck):
    """Session ids that several users share."""

    table = "sessions"
    noun = "sessions"
    matters = "The searches of each user count as a separate session."
    remedy = "end sessions by idle time, --sessions idle; or check how session ids are made"
    spoils = SESSION_METRICS
    warning_from = 0.001
    error_from = 0.5
    needs = ("queries.session", "queries.user")
    shows = ("session", "user", "another", "searches")
    wrong = row.user != row.another
