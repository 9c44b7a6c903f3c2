"""What speaks against relying on a collection, in words, and what to do about it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from cleverdon.collection.coverage import Coverage, Covered
from cleverdon.collection.described import Described

FEW_TOPICS = 25
"""Buckley & Voorhees 2000, doi:10.1145/345508.345543: at least 25 topics, and better 50."""
FEW_RELEVANT = 5
"""With fewer relevant documents, one rank of one document decides on a topic's score."""
HOLES_AT = 10
"""The cut-off above which holes are looked at, or the nearest one that was counted."""
UNEVEN = 2.0
"""So many times the other systems' share of holes is much larger."""
NOTABLE = 0.1
"""A share of holes that is not passed over."""
ALIKE = 0.1
"""A share of relevant documents that are so to several topics, which is not passed over."""
_NAMED = 5


@dataclass(frozen=True)
class Concern:
    """Something to be wary of."""

    kind: str
    text: str
    remedy: str
    command: str = ""  # to be run next, if any


@dataclass(frozen=True)
class Files:
    """What judgments and runs are called in commands."""

    qrels: str = "QRELS"
    runs: tuple[tuple[str, str], ...] = ()  # name and file

    def all_runs(self) -> str:
        files = [file for _, file in self.runs]
        return shlex.join(files) if files and all(files) and len(files) <= 5 else "RUNS"

    def run(self, system: str) -> str:
        return shlex.quote(dict(self.runs).get(system) or system)


def concerns(
    described: Described, coverage: Coverage | None = None, *, files: Files | None = None
) -> tuple[Concern, ...]:
    """What to be wary of: first of the judgments, then of the runs."""
    called = files or Files()
    found = list(_of_judgments(described, called))
    if coverage is not None:
        found += _of_topics(coverage)
        found += _of_holes(coverage, called)
        found += _of_pool(coverage, described, called)
    return tuple(found)


def _of_judgments(described: Described, files: Files) -> Iterator[Concern]:
    count = len(described.topics)
    if count < FEW_TOPICS:
        yield Concern(
            "few topics",
            f"{count} topic{'s are' if count != 1 else ' is'} few: with fewer than {FEW_TOPICS}, "
            "which system is better depends on which topics were chosen",
            "add topics, and ask what those at hand can show",
            f"cleverdon power {shlex.quote(files.qrels)} {files.all_runs()}",
        )
    without = described.without_relevant
    if not described.relevant:
        highest = max(described.grades)
        yield Concern(
            "no relevant documents",
            f"no judgment has a grade of {described.rel:g} or more; the highest is {highest:g}: "
            "most measures are undefined, and count as 0",
            "take a lower grade for relevant (--rel), or judge more"
            if highest > 0
            else "judge more",
        )
    elif without:
        yield Concern(
            "no relevant documents",
            f"{_counted(len(without), 'topic')} of {count:,} without a relevant document "
            f"({_named(without)}): most measures are undefined there, and count as 0",
            "judge more for them, or leave them out",
            f"cleverdon collection filter {shlex.quote(files.qrels)} --min-relevant 1"
            f"{_rel(described)} -o FILE",
        )
    few = [topic.topic for topic in described.topics if 0 < topic.relevant < FEW_RELEVANT]
    if few:
        yield Concern(
            "few relevant documents",
            f"{_counted(len(few), 'topic')} of {count:,} with fewer than {FEW_RELEVANT} relevant "
            f"documents ({_named(few)}): the rank of one document decides there",
            "take measures that do not rest on all relevant documents being known (RR, nDCG@10), "
            "or judge more",
        )
    if all(topic.judged == topic.relevant for topic in described.topics):
        yield Concern(
            "only relevant documents",
            "every judged document is relevant: what is judged not relevant cannot be told from "
            "what nobody looked at",
            "do not use bpref, Judged or condensed lists; judge what systems return",
        )
    if described.relevant_to_several > ALIKE * described.relevant_documents:
        doc, times = described.most_shared[0]
        yield Concern(
            "documents of several topics",
            f"{described.relevant_to_several:,} of {described.relevant_documents:,} relevant "
            f"documents are so to several topics ({doc!r} is judged for {times:,}): topics that "
            "share documents are alike, and tell less than so many topics do",
            "look whether topics repeat each other",
        )


def _of_topics(coverage: Coverage) -> Iterator[Concern]:
    if coverage.in_no_run:
        yield Concern(
            "judged, in no run",
            f"{_counted(len(coverage.in_no_run), 'judged topic')} in no run "
            f"({_named(coverage.in_no_run)}): every system has 0 there",
            "run the systems on them, or look whether ids differ in how they are written",
        )
    if coverage.not_judged:
        yield Concern(
            "in runs, not judged",
            f"{_counted(coverage.not_judged, 'topic')} of a run not judged "
            f"({_named(coverage.not_judged_names, coverage.not_judged)}): they are passed over",
            "judge them, or leave them out of the runs",
        )
    lacking = [each for each in coverage.systems if len(each.missing) > len(coverage.in_no_run)]
    if lacking:
        each = lacking[0]
        yield Concern(
            "topics missing from runs",
            f"{_counted(len(lacking), 'system')} without results for judged topics that others "
            f"have, such as {each.system} ({_named(each.missing)}): they count as empty",
            "run the systems on all topics",
        )


def _of_holes(coverage: Coverage, files: Files) -> Iterator[Concern]:
    at = min(range(len(coverage.ks)), key=lambda row: abs(coverage.ks[row] - HOLES_AT))
    k = coverage.ks[at]
    shares = {each.system: each.share(at) for each in coverage.systems}
    for each in coverage.systems:
        others = [share for system, share in shares.items() if system != each.system]
        usual = median(others) if others else 0.0
        share = shares[each.system]
        if share >= NOTABLE and others and share > UNEVEN * usual:
            qrels, run = shlex.quote(files.qrels), files.run(each.system)
            yield Concern(
                "uneven holes",
                f"{share:.0%} of the first {k} results of {each.system} are not judged, and "
                f"{usual:.0%} of the other systems' (median): it is underrated, as what nobody "
                "judged counts as not relevant",
                f"judge its first {k} results, or look at measures that pass over what is not "
                "judged (bpref, judged_only=true for condensed lists, infAP where a pool was "
                "sampled)",
                f"cleverdon eval {qrels} {files.all_runs()} -m bpref -m "
                f"'nDCG(judged_only=true)@{k}' -m Judged@{k}; cleverdon pool make {run} -k {k} "
                f"--judged {qrels} -o pool.tsv",
            )
    usual = median(shares.values()) if shares else 0.0
    if usual >= NOTABLE:
        yield Concern(
            "holes",
            f"{usual:.0%} of systems' first {k} results are not judged (median)",
            f"judge the first {k} of all, and look how far scores could move till then",
            f"cleverdon pool make {files.all_runs()} -k {k} --judged {shlex.quote(files.qrels)} -o "
            f"pool.tsv; cleverdon eval {shlex.quote(files.qrels)} {files.all_runs()} --bounds",
        )


def _of_pool(coverage: Coverage, described: Described, files: Files) -> Iterator[Concern]:
    most = max(coverage.systems, key=lambda each: each.unique, default=None)
    found = sum(each.unique for each in coverage.systems)
    if most is not None and len(coverage.systems) > 1 and _stands_out(most, described):
        yield Concern(
            "one system's relevant documents",
            f"{most.unique:,} of {described.relevant:,} relevant documents were returned by "
            f"{most.system} alone (by one system alone: {found:,}): a system like it that was not "
            "pooled would be underrated",
            "see how many relevant documents were likely missed",
            f"cleverdon recall {shlex.quote(files.qrels)} {files.all_runs()}{_rel(described)}",
        )


def _stands_out(system: Covered, described: Described) -> bool:
    return bool(described.relevant) and system.unique / described.relevant >= NOTABLE


def _rel(described: Described) -> str:
    """The option that says from which grade on documents are relevant, where that is not 1."""
    return "" if described.rel == 1 else f" --rel {described.rel:.15g}"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _named(ids: Sequence[str], count: int | None = None) -> str:
    """The first few of so many."""
    more = (len(ids) if count is None else count) - len(ids[:_NAMED])
    return ", ".join(ids[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")
