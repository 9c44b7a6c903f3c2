"""Users who are too busy to be one person: programs, shared ids, sessions without end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from cleverdon.online.doctor.base import CLICK_METRICS, SESSION_METRICS, Check, RowCheck, check
from cleverdon.online.doctor.facts import Facts, asked
from cleverdon.online.doctor.findings import Finding
from cleverdon.online.doctor.limits import Limits

if TYPE_CHECKING:
    from ibis import Table


@check
class Bots(Check):
    """Users who search as programs do, too fast or too evenly, and without a click.

    Shares for warnings and errors are of all searches.
    """

    noun = "users"
    matters = "They search and never click: rates fall, counts and peaks rise, through no user."
    remedy = "leave them out by --without-bots, or tell programs apart where the log is written"
    spoils = (*CLICK_METRICS, "QueriesPerTime", "TopQueries", "ZeroResults")
    warning_from = 0.001
    error_from = 0.25
    needs_persons = True

    def find(self, facts: Facts) -> Iterable[Finding]:
        people = facts.table("persons")
        bot = people.bot == 1
        counts = people.agg(
            bots=people.count(where=bot),
            users=people.count(),
            searches=people.searches.sum(where=bot),
            empty=people.empty.sum(where=bot),
            all_empty=people.empty.sum(),
        )
        (row,) = asked(counts)
        if not row["bots"]:
            return
        found = people.filter(bot).order_by(people.searches.desc(), "person")
        shown = found.select("person", "searches", "first", "last", "gap_ms")
        share = row["searches"] / facts.size.searches
        yield self.finding(
            row["bots"],
            row["users"],
            details=self._told(facts, row, share),
            examples=asked(shown.limit(facts.limits.examples)),
            severity=self.severity(share),
        )

    def _told(self, facts: Facts, row: dict[str, Any], share: float) -> list[str]:
        every, theirs = facts.size.searches, int(row["searches"])
        told = [
            f"They made {theirs:,} of {every:,} searches, {share:.1%}.",
            f"Taken for programs: {facts.limits.bots}.",
        ]
        shares = {}
        if every > theirs and facts.done("click"):
            acts = facts.table("acts")
            click = (acts.action == "click") & acts.page_id.notnull()
            clicked = asked(acts.agg(pages=acts.query_id.nunique(where=click)))[0]["pages"]
            shares["PageCTR"] = clicked / (every - theirs), clicked / every
        if every > theirs and facts.log.has("queries.results"):
            empty, rest = int(row["all_empty"]), int(row["all_empty"]) - int(row["empty"])
            shares["searches without a result"] = rest / (every - theirs), empty / every
        told += [
            f"Without them, {name} would be {without:.1%} rather than {with_them:.1%}."
            for name, (without, with_them) in shares.items()
            if f"{without:.1%}" != f"{with_them:.1%}"
        ]
        return told


@check
class HeavyUsers(Check):
    """Users with a large share of all searches."""

    noun = "users"
    matters = "What one of them does decides every average, and intervals are far too wide."
    remedy = "see whether it is a program, an id that many share, or a default such as 'anonymous'"
    spoils = SESSION_METRICS
    needs_persons = True

    def find(self, facts: Facts) -> Iterable[Finding]:
        people = facts.table("persons")
        share, searches = facts.limits.user_share, facts.size.searches
        wrong = people.searches > share * searches
        (row,) = asked(people.agg(count=people.count(where=wrong), users=people.count()))
        # Of a handful of users, each has a large share.
        if row["count"] and row["users"] >= 2 / share:
            found = people.filter(wrong).order_by(people.searches.desc(), "person")
            shown = asked(found.select("person", "searches").limit(facts.limits.examples))
            yield self.finding(
                row["count"],
                row["users"],
                details=[f"More than {share:.0%} of {searches:,} searches each."],
                examples=[{**one, "share": f"{one['searches'] / searches:.1%}"} for one in shown],
            )


class _ManySearches(RowCheck):
    noun = "sessions"
    spoils = SESSION_METRICS
    most = "searches"

    def wrong(self, rows: Table, limits: Limits) -> Any:
        return rows.searches > limits.session_searches

    def details(self, more: dict[str, Any], facts: Facts, count: int, total: int) -> list[str]:
        return [f"More than {facts.limits.session_searches:,} searches each."]


@check
class LongSittings(_ManySearches):
    """Users who searched very often without a pause that ends a session."""

    table = "sittings"
    alone = True  # only sessions of users who searched that often are in the table
    matters = "It counts as one session, and is hardly the doing of one person."
    remedy = "leave programs out by --without-bots; see whether many users share the id"
    needs_persons = True
    shows = ("person", "searches", "first", "last")


@check
class LongSessions(_ManySearches):
    """Sessions of the log's own with very many searches."""

    table = "sessions"
    matters = "An id that never ends makes one session of many."
    remedy = "let sessions end by idleness, --sessions idle; leave programs out by --without-bots"
    needs = ("queries.session",)
    shows = ("session", "searches", "first", "last")


@check
class SharedSessions(RowCheck):
    """Sessions of the log's own in which several users searched."""

    table = "sessions"
    noun = "sessions"
    matters = "The part of each user counts as a session of its own."
    remedy = "let sessions end by idleness, --sessions idle; or see how session ids are made"
    spoils = SESSION_METRICS
    warning_from = 0.001
    error_from = 0.5
    needs = ("queries.session", "queries.user")
    shows = ("session", "user", "another", "searches")

    def wrong(self, rows: Table, limits: Limits) -> Any:
        return rows.user != rows.another
