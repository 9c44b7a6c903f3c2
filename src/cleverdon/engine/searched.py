"""What came of putting topics to an engine: a run, and all that one should know of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from math import nan
from textwrap import shorten
from typing import Any

import numpy as np

from cleverdon.data import Run
from cleverdon.engine.asking import Answer
from cleverdon.engine.ordering import Order
from cleverdon.engine.search_options import SearchOptions
from cleverdon.errors import CleverdonError

NOT_ASKED = "not asked, since the engine did not answer"
_NAMED = 5
"""How many queries a message names."""
_LONGEST = 300
"""How many characters of a reason it has: errors of Python may have pages."""


@dataclass(frozen=True)
class Searched:
    """The run, and how each query fared."""

    run: Run  # of the queries that were answered
    answers: Mapping[str, Answer]  # by query, of all that were asked, in the order of the topics
    not_asked: tuple[str, ...]  # since the engine no longer answered
    order: Order  # what was found in the engine's rankings
    engine: Mapping[str, Any]  # its name and settings, without secrets
    options: SearchOptions
    at_once: int  # how many queries were asked at a time; 0 where none was left to ask
    in_one: bool  # whether they all went in one call, so that none has a time of its own
    topics: str  # the digest of the queries
    seconds: float  # from the first question of this process to the last answer
    kept: int  # how many answers were there already, in the journal
    notes: tuple[str, ...] = ()  # what is worth knowing of the journal

    @cached_property
    def failed(self) -> dict[str, str]:
        """The queries without an answer, and why."""
        failed = {
            query: str(answer.failure)
            for query, answer in self.answers.items()
            if answer.failure is not None
        }
        return failed | dict.fromkeys(self.not_asked, NOT_ASKED)

    @cached_property
    def answered(self) -> dict[str, Answer]:
        """The answers that came."""
        return {query: found for query, found in self.answers.items() if found.failure is None}

    @property
    def empty(self) -> tuple[str, ...]:
        """The queries for which the engine found nothing."""
        return tuple(query for query, found in self.answered.items() if not found.results)

    @property
    def retries(self) -> dict[str, int]:
        """How often a query was asked again, by the kind of failure before."""
        kinds = (
            failure.kind
            for found in self.answers.values()
            for failure in found.failures[: found.tries - 1]
        )
        return dict(Counter(kinds).most_common())

    def percentile(self, share: float) -> float:
        """So many seconds, at most, took this share of the answers; their last try only."""
        times = [found.seconds for found in self.answered.values()]
        return float(np.quantile(times, share, method="inverted_cdf")) if times else nan

    @property
    def warnings(self) -> list[str]:
        """What one should know before believing the run, a sentence each."""
        found = [
            self.order.repeated_text,
            self.order.rising_text if self.options.scores == "engine" else "",
        ]
        if self.failed:
            found.insert(0, failed_text(self.failed, len(self.failed) + len(self.answered)))
        if self.answered and len(self.empty) == len(self.answered):
            found.append("the engine found nothing for any query; is it the right index?")
        return [warning for warning in found if warning]


class SearchesFailed(CleverdonError):
    """Queries that had no answer after all tries; `searched` has what the others gave."""

    def __init__(self, searched: Searched, *, remedy: str) -> None:
        total = len(searched.failed) + len(searched.answered)
        super().__init__(f"{failed_text(searched.failed, total)}; {remedy}")
        self.searched = searched


def failed_text(failed: Mapping[str, str], total: int) -> str:
    """How many failed, the first of them with reasons, and how many were not asked at all."""
    asked = {query: reason for query, reason in failed.items() if reason != NOT_ASKED}
    alike: dict[str, list[str]] = {}
    for query, reason in islice(asked.items(), _NAMED):
        on_one_line = shorten(reason, _LONGEST, placeholder=" ...")
        alike.setdefault(on_one_line, []).append(query)
    told = [f"{', '.join(queries)} ({reason})" for reason, queries in alike.items()]
    more = len(asked) - _NAMED
    told += [f"and {more:,} more"] if more > 0 else []
    if left := len(failed) - len(asked):
        told.append(f"and {left:,} {NOT_ASKED}")
    of = "1 query" if total == 1 else f"{total:,} queries"
    return f"{len(failed):,} of {of} failed: {', '.join(told)}"
