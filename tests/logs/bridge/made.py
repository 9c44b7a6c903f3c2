"""A small log of which everything can be counted by hand."""

from __future__ import annotations

from functools import cache

from cleverdon.logs.bridge.traffic import Traffic, count_traffic
from cleverdon.logs.log import Log, worked_log
from cleverdon.logs.settings import Settings

SMALL = """
    ann 0:00 shoes      results=5  click@1+60
    bob 0:00 Shoes      results=5  click@1+5
    bob 0:01 red_shoes  results=5  click@2+60
    eve 0:00 SHOES      results=5
    joe 0:00 hats       results=0
    joe 0:02 caps       results=3  copy
    ann 2:00 hats       results=0
    =
"""
"""Seven queries, four texts. Bob's first search was clicked, and went on for all that; Eve clicked
nothing; hats are not found, and Joe searched on; caps had their answer on the page."""

EVERYTHING = Settings(least_users=1)
QUERIES = {"1": "shoes", "2": "boots", "3": "hats"}
QRELS = {"1": {"d1": 2, "d2": 0}, "2": {"d3": 1}}


def small() -> Log:
    return worked_log(SMALL)[0]


@cache
def small_traffic() -> Traffic:
    return count_traffic(small(), EVERYTHING)
