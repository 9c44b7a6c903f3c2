"""The rules: the one list of names of findings, each with its severity and a remedy."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal

_Severity = Literal["error", "warning", "note"]
"""An error keeps a file from being read, a warning is likely a mistake, a note is good to know."""


@dataclass(frozen=True)
class Rule:
    """One thing that can be found."""

    severity: _Severity
    fix: str


_RULES: dict[str, Rule] = {
    # The file as a whole.
    "unreadable": Rule("error", "give a file in one of the formats that are read"),
    "no-rows": Rule("error", "is this the right file?"),
    "utf-16": Rule("warning", "convert it for other tools: iconv -f UTF-16 -t UTF-8 FILE > FIXED"),
    "byte-order-mark": Rule("note", "save the file as UTF-8 without a byte order mark"),
    "crlf": Rule("note", "convert the line ends: tr -d '\\r' < FILE > FIXED"),
    "no-final-newline": Rule("note", "make sure that the file was not cut short"),
    "mixed-separators": Rule("note", "separate by tabs or by blanks throughout"),
    # A line.
    "empty-line": Rule("note", "remove it; it is passed over"),
    "nul-byte": Rule("error", "remove it: tr -d '\\0' < FILE > FIXED, or write the file again"),
    "not-utf-8": Rule("error", "convert the file: iconv -f LATIN1 -t UTF-8 FILE > FIXED"),
    "carriage-return": Rule("error", "end lines by a newline: tr '\\r' '\\n' < FILE > FIXED"),
    "odd-space": Rule("warning", "put blanks or tabs between fields, and nothing like it into ids"),
    "too-few-fields": Rule("error", "add what is missing"),
    "too-many-fields": Rule("error", "remove what is too much"),
    "further-fields": Rule("note", "nothing: fields behind the tag are ignored; others may mind"),
    "empty-id": Rule("error", "fill in the id, or remove the line"),
    "quote-in-id": Rule("error", "write the id without quotes, or put them around all of it"),
    "open-quote": Rule("error", "close it, or double it and put quotes around the field"),
    "not-a-number": Rule("error", "write a number, such as 0.5 or -1e3"),
    "not-a-rank": Rule("error", "write ranks, or a header: query_id, doc_id and score"),
    "not-finite": Rule("error", "write the grade as a number"),
    "rank-not-a-number": Rule("note", "nothing: the rank is not used; others may mind"),
    "duplicate-document": Rule("error", "remove one, or evaluate with --duplicates first or best"),
    # A run.
    "grades-as-ranks": Rule(
        "error", "check judgments with --kind qrels; for ranks, evaluate with --run-format msmarco"
    ),
    "infinite-score": Rule("note", "nothing, if it is meant: infinite scores can be ordered"),
    "rank-contradicts-score": Rule(
        "warning", "the scores decide; rewrite the ranks by: cleverdon convert FILE FIXED"
    ),
    "scores-rise": Rule("warning", "negate the scores if they are distances: higher is better"),
    "repeated-rank": Rule("note", "nothing: the scores decide; others may mind"),
    "ties": Rule("note", "write scores with all their digits; equals are ordered by document id"),
    "single-precision-ties": Rule(
        "note", "trec_eval 9 takes them as equal; set scores further apart"
    ),
    "no-results": Rule("note", "nothing, if the search found nothing: it is an empty result"),
    "truncated-query": Rule("note", "see whether its results were cut short"),
    "scattered-query": Rule("note", "sort the file by query: it is then read faster"),
    "several-tags": Rule("note", "see whether several runs got into one file"),
    "no-common-query": Rule("error", "give the judgments that belong to this run"),
    "query-not-judged": Rule("note", "nothing: the query is left out of the evaluation"),
    "query-missing": Rule("warning", "add its results; until then it counts as an empty result"),
    "no-judged-document": Rule("warning", "see whether document ids are those of the judgments"),
    # Judgments.
    "fractional-grade": Rule("note", "nothing, if it is meant; other tools may want integers"),
    "negative-grade": Rule("note", "nothing, if it is meant: pooled, not judged, and not relevant"),
    "no-relevant-document": Rule(
        "warning", "leave the query out, or judge more: most measures are undefined for it"
    ),
    "ranks-as-grades": Rule(
        "error", "check a run with --kind run; for grades, evaluate with --qrels-format beir"
    ),
    "second-column": Rule(
        "note", "nothing: it is ignored, unless --qrels-format subtopics reads it"
    ),
}


def rules() -> dict[str, Rule]:
    """Return the rules by name, in the order of the checks."""
    return dict(_RULES)


@dataclass(frozen=True)
class Finding:
    """One thing that was found, and where; lines and columns count from 1."""

    line: int | None
    column: int | None
    name: str
    severity: _Severity
    message: str
    fix: str

    def __str__(self) -> str:
        place = "".join(f"{part}:" for part in (self.line, self.column) if part is not None)
        return f"{place}{' ' if place else ''}{self.severity}: {self.message} ({self.name})"


class Findings:
    """The findings so far: at most `limit` of each name are kept, the rest are counted."""

    def __init__(self, *, limit: int | None) -> None:
        self.limit = limit
        self.kept: list[Finding] = []
        self.counts: Counter[str] = Counter()
        self.severities: Counter[str] = Counter()

    def add(
        self,
        name: str,
        message: str,
        *,
        line: int | None = None,
        column: int | None = None,
        severity: _Severity | None = None,
        fix: str | None = None,
    ) -> None:
        rule = _RULES[name]
        severity = severity or rule.severity
        self.severities[severity] += 1
        if self.wants(name):
            fix = fix or rule.fix
            self.kept.append(Finding(line or None, column, name, severity, message, fix))
        self.counts[name] += 1

    def add_once(self, name: str, message: str, *, line: int, column: int | None = None) -> None:
        """Add what is worth saying of a file only once."""
        if not self.counts[name]:
            self.add(name, message, line=line, column=column)

    def wants(self, name: str) -> bool:
        """Tell whether another finding of this name would be kept."""
        return self.limit is None or self.counts[name] < self.limit

    def take(self, others: Findings) -> None:
        """Add what was found elsewhere in the same file."""
        for finding in others.kept:
            if self.wants(finding.name):
                self.kept.append(finding)
        self.counts += others.counts
        self.severities += others.severities

    def skip(self, name: str, count: int) -> None:
        """Count findings that nobody will see, without making them."""
        self.counts[name] += count
        self.severities[_RULES[name].severity] += count

    def sorted(self) -> tuple[Finding, ...]:
        """Return the findings in the order of the file; those without a line come last."""
        return tuple(
            sorted(self.kept, key=lambda found: (found.line or float("inf"), found.column or 0))
        )

    def hidden(self) -> dict[str, int]:
        """Count, by name, the findings that are not kept."""
        kept = Counter(found.name for found in self.kept)
        return dict(self.counts - kept)
