"""Metrics of sessions: success, abandonment and effort."""

from __future__ import annotations

from typing import ClassVar

from ibis import _ as row

from cleverdon.logs.log import INTERACTIONS
from cleverdon.logs.metrics.base import Ratio, metric
from cleverdon.logs.sql import zero_or_one


class _OfSessions(Ratio):
    unit = "sessions"
    over = "sessions"
    undefined = "the log has no session"
    needs: ClassVar[tuple[str, ...]] = ("events.action",)

    denominator = zero_or_one(row.queries > 0)


@metric
class Abandonment(_OfSessions):
    """The share of sessions in which nothing was clicked.

    Some of them succeeded, because the answer was on the result page; see GoodAbandonment.
    """

    formula = r"\frac{|\{s : \text{no click in } s\}|}{|S|}"
    source = "Radlinski, Kurup & Joachims 2008, doi:10.1145/1458082.1458092"
    counted = "sessions without a click"
    better = "lower"
    worked = """
        ann 0:00 shoes  click@2
        ann 0:05 boots
        bob 0:00 hats
        = 1 / 2
    """
    numerator = zero_or_one(row.clicks == 0)


@metric
class GoodAbandonment(_OfSessions):
    """The share of sessions that succeeded without a click.

    Text of the result page was copied, or a conversion followed. These sessions count as abandoned,
    and not in Success.
    """

    formula = r"\frac{|\{s : \text{no click in } s, \text{a copy or a conversion}\}|}{|S|}"
    source = "Li, Huffman & Tokuda 2009, doi:10.1145/1571941.1571951"
    uses = INTERACTIONS
    counted = "sessions without a click, but with a sign of success"
    better = "neither"
    worked = """
        ann 0:00 shoes  copy
        bob 0:00 hats
        eve 0:00 hats   click@1+60 copy
        = 1 / 3
    """
    numerator = zero_or_one((row.clicks == 0) & (row.signals > 0))


@metric
class Success(_OfSessions):
    """The share of sessions with a click and a sign of success.

    A document was viewed for at least 30 seconds, a link or a snippet was copied, or a conversion
    followed: one of these signs is enough, and options choose which ones count. Good abandonment is
    a separate metric.
    """

    formula = r"\frac{|\{s : \text{a click and a sign of success in } s\}|}{|S|}"
    source = "Fox et al. 2005, doi:10.1145/1059981.1059982; 30 seconds: Kim et al. 2014, "
    source += "doi:10.1145/2556195.2556220"
    counted = "sessions with a click and a sign of success"
    uses = INTERACTIONS
    worked = """
        ann 0:00 shoes  click@2+45
        bob 0:00 hats   click@1+5
        eve 0:00 hats   click@1+5 conversion
        joe 0:00 hats   copy
        = 2 / 4
    """
    numerator = zero_or_one((row.clicks > 0) & (row.signals > 0))


@metric
class SessionCTR(_OfSessions):
    """Click-through rate per session: the share of sessions with at least one click."""

    formula = r"\frac{|\{s : \text{a click in } s\}|}{|S|}"
    source = "1 minus Abandonment"
    shared_names = ("CTR", "ClickThroughRate")
    counted = "sessions with a click"
    worked = """
        ann 0:00 shoes  click@2 click@3
        ann 0:05 boots
        bob 0:00 hats
        = 1 / 2
    """
    numerator = zero_or_one(row.clicks > 0)


@metric
class QueriesPerSession(_OfSessions):
    """The mean number of queries in a session."""

    formula = r"\frac{|Q|}{|S|}"
    source = "Radlinski, Kurup & Joachims 2008, doi:10.1145/1458082.1458092"
    counted = "queries"
    kind = "mean"
    better = "neither"
    needs = ()
    worked = """
        ann 0:00 shoes
        ann 0:01 shoes page=2
        ann 0:05 boots
        bob 0:00 hats
        = 3 / 2
    """
    numerator = row.queries


@metric
class Reformulation(_OfSessions):
    """The share of queries that were followed by another query in the same session."""

    formula = r"\frac{|\{q : \text{another query follows } q \text{ in its session}\}|}{|Q|}"
    source = "Radlinski, Kurup & Joachims 2008, doi:10.1145/1458082.1458092"
    counted = "queries that another query followed"
    over = "queries"
    better = "lower"
    needs = ("queries.text",)
    worked = """
        ann 0:00 shoes
        ann 0:01 shoes page=2
        ann 0:05 boots
        bob 0:00 hats
        bob 2:00 caps
        = 1 / 4
    """
    numerator = row.queries - 1
    denominator = row.queries
