"""How many there are: users, sessions, queries, result pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cleverdon.online.metrics.base import Count, LeftOut, without
from cleverdon.online.metrics.registry import metric

if TYPE_CHECKING:
    import ibis

    from cleverdon.online.stages import Stages


@metric
class Users(Count):
    """How many users searched."""

    formula = r"|U|"
    undefined = "the log does not name users"
    needs = ("queries.user",)
    counted = "users"
    worked = """
        ann 0:00 shoes
        ann 0:05 boots
        bob 0:00 hats
        = 2
    """

    def count(self, table: ibis.Table) -> Any:
        return table.user.nunique()

    def left_out(self, stages: Stages) -> list[LeftOut]:
        return [without(stages.pages, "searches", "user", "without a user")]


@metric
class Sessions(Count):
    """How many sessions there were.

    Sessions are those that the log's own ids tell apart. In a log without such ids, a session ends
    where its user does nothing for 30 minutes: asks for no result page, and does nothing with one
    that is in use. A page is in use while its events follow its search and each other within that
    time; later events count for their search, and do not make the session longer.
    """

    formula = r"|S|"
    undefined = "the log names neither users nor sessions"
    source = "30 minutes: Jansen et al. 2007, doi:10.1002/asi.20564"
    unit = "sessions"
    counted = "sessions"
    worked = """
        ann 0:00 shoes
        ann 0:29 boots  click@1~1200
        ann 1:10 socks
        bob 0:00 hats
        bob 0:31 caps
        = 3
    """

    def count(self, table: ibis.Table) -> Any:
        return table.count()


@metric
class Queries(Count):
    """How many queries were asked; further pages of one are not queries of their own."""

    formula = r"|Q|"
    undefined = "the log names neither users nor sessions"
    unit = "queries"
    counted = "queries"
    worked = """
        ann 0:00 shoes
        ann 0:01 Shoes  page=2
        ann 0:05 boots
        = 2
    """

    def count(self, table: ibis.Table) -> Any:
        return table.count()


@metric
class Pages(Count):
    """How many result pages were asked for."""

    formula = r"|P|"
    counted = "result pages"
    worked = """
        ann 0:00 shoes
        ann 0:01 shoes  page=2
        ann 0:05 boots
        = 3
    """

    def count(self, table: ibis.Table) -> Any:
        return table.count()


@metric
class DistinctQueries(Count):
    """How many different texts were searched for."""

    formula = r"|\{\operatorname{text}(p)\}|"
    undefined = "the log has no texts"
    needs = ("queries.text",)
    counted = "different queries"
    worked = """
        ann 0:00 shoes
        bob 0:00 Shoes
        bob 0:05 boots
        = 2
    """

    def count(self, table: ibis.Table) -> Any:
        return table.text.nunique()

    def left_out(self, stages: Stages) -> list[LeftOut]:
        return [without(stages.pages, "searches", "text", "without a text")]
