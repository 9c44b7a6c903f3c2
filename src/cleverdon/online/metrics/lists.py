"""Lists of queries: the most frequent, those that find nothing, those that nobody clicks on.

A rare query may give away who asked it, so that only queries of several users are listed. Queries
of equal counts stand in the order of their texts.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import ibis

from cleverdon.online.metrics.base import LeftOut, Listing, Split, unnamed_searches, without
from cleverdon.online.metrics.registry import metric
from cleverdon.online.portable import quotient, row_number, whole

if TYPE_CHECKING:
    from ibis import Table

    from cleverdon.online.stages import Stages


class _OfQueries(Listing):
    """A list of the texts of `Stages.asked`."""

    needs: ClassVar[tuple[str, ...]] = ("queries.text",)
    of_sessions = True

    def left_out(self, stages: Stages) -> list[LeftOut]:
        unnamed = [unnamed_searches(stages)] if stages.knows_persons else []
        silent = without(stages.asked, "queries", "text", "without a text")
        return [*unnamed, silent, *super().left_out(stages)]


class _TopList(_OfQueries):
    """The texts of which most rows of `asked` count."""

    columns = {
        "text": "query",
        "count": "how often",
        "users": "users",
        "share": "share of all that there are",
    }
    splits = True

    @abstractmethod
    def counts(self, asked: Table) -> Any:
        """Whether a query counts."""

    def query(self, stages: Stages, split: Split) -> Table:
        asked = stages.asked
        asked = asked.filter(asked.text.notnull())
        keys = split(asked)
        groups = [key.get_name() for key in keys]
        asked = asked.mutate(*keys, counts=whole(self.counts(asked)))
        users = asked.cluster.nunique(where=asked.counts == 1)
        lines = asked.group_by(*groups, "text").agg(
            count=asked.counts.sum(), users=users, asked=asked.count()
        )
        total = lines["count"].sum().over(ibis.window(group_by=groups))
        lines = lines.mutate(share=quotient(lines["count"], total))
        enough = (lines.users >= stages.settings.least_users) & (lines["count"] > 0)
        lines = lines.filter(enough)
        order = [ibis.desc("count"), ibis.asc("text")]
        lines = lines.mutate(place=row_number(group_by=groups, order_by=order))
        lines = lines.filter(lines.place < stages.settings.top)
        return lines.order_by(*groups, "place").select(*groups, *self.columns)

    def notes(self, stages: Stages, rows: list[dict[str, Any]]) -> list[str]:
        least = stages.settings.least_users
        told = [f"Only queries of at least {least} users are listed."] if least > 1 else []
        others = [name for name in ("session", "client") if stages.named_by[name]]
        others = others if stages.knows_persons else ["search"]
        if least > 1 and others:
            told.append(
                f"Where no user is named, each {' or '.join(others)} counts as a user: one person "
                "may count several times."
            )
        return told


@metric
class TopQueries(_TopList):
    """The queries that were asked most often."""

    formula = r"|\{q : \operatorname{text}(q) = t\}|"
    undefined = "the log has no texts"
    worked = """
        ann 0:00 shoes
        bob 0:00 Shoes
        bob 0:05 boots
        = shoes 2, boots 1
    """

    def counts(self, asked: Table) -> Any:
        return asked.text.notnull()


@metric
class TopZeroResults(_TopList):
    """The queries that found nothing most often."""

    columns = {**_TopList.columns, "share": "share of all queries that found nothing"}
    columns["asked"] = "how often it was asked"
    formula = r"|\{q : \operatorname{text}(q) = t, \operatorname{results}(q) = 0\}|"
    undefined = "the log has no texts, or does not say how many results searches had"
    needs = ("queries.text", "queries.results")
    worked = """
        ann 0:00 shos   results=0
        bob 0:00 shos   results=0
        bob 0:05 boots  results=4
        = shos 2
    """

    def counts(self, asked: Table) -> Any:
        return asked.found == 0

    def left_out(self, stages: Stages) -> list[LeftOut]:
        why = "whose number of results is not known"
        own = without(stages.asked, "queries", "found", why)
        return [*super().left_out(stages), own]


@metric
class TopAbandoned(_TopList):
    """The queries on whose results nobody clicked most often.

    Those that found nothing are left out: there was nothing to click on.
    """

    columns = {**_TopList.columns, "share": "share of all abandoned queries"}
    columns["asked"] = "how often it was asked"
    formula = r"|\{q : \operatorname{text}(q) = t, \text{no click on } q\}|"
    undefined = "the log has no texts, or no events"
    needs = ("queries.text", "events.action")
    worked = """
        ann 0:00 shoes  results=9
        bob 0:00 shoes  results=9  click@1
        bob 0:05 boots  results=0
        = shoes 1
    """

    def counts(self, asked: Table) -> Any:
        return (asked.clicks == 0) & ((asked.found > 0) | asked.found.isnull())


@metric
class HeadTorsoTail(_OfQueries):
    """How much of the traffic is of frequent queries, and how much of rare ones.

    Different queries in the order of how often they were asked: the first 1% are the head, the next
    19% the torso, the others the tail.
    """

    formula = r"\frac{|\{q : \operatorname{text}(q) \in \text{band}\}|}{|Q|}"
    undefined = "the log has no texts"
    source = "the long tail of queries: Baeza-Yates et al. 2007, doi:10.1145/1277741.1277775"
    columns = {
        "band": "band",
        "texts": "different queries",
        "count": "how often they were asked",
        "share": "share of all queries asked",
    }
    worked = """
        ann 0:00 shoes
        bob 0:00 shoes
        eve 0:00 shoes
        bob 0:05 boots
        = head 3, tail 1
    """

    def query(self, stages: Stages, split: Split) -> Table:
        asked = stages.asked
        asked = asked.filter(asked.text.notnull())
        lines = asked.group_by("text").agg(count=asked.count())
        everywhere = ibis.window()
        lines = lines.mutate(
            place=row_number(order_by=[ibis.desc("count"), "text"]),
            texts=lines.count().over(everywhere),
            total=lines["count"].sum().over(everywhere),
        )
        settings = stages.settings
        # A text is in the band that its place, as a share of all places, begins in.
        before = lines.place * _MILLION
        head = before < lines.texts * round(settings.head * _MILLION)
        torso = before < lines.texts * round((settings.head + settings.torso) * _MILLION)
        lines = lines.mutate(
            band=ibis.cases((head, "head"), (torso, "torso"), else_="tail"),
        )
        bands = lines.group_by("band").agg(
            texts=lines.count(),
            count=lines["count"].sum(),
            share=quotient(lines["count"].sum(), lines.total.max()),
        )
        return bands.order_by("band").select(*self.columns)

    def finished(self, stages: Stages, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        order = ["head", "torso", "tail"]
        return sorted(rows, key=lambda row: order.index(row["band"]))


_MILLION = 1_000_000
