"""What became of judgments that were merged, filtered, cut or split, in sentences."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from cleverdon.collection.filtering import Filtered
from cleverdon.collection.merging import Contradiction, Merged
from cleverdon.collection.splitting import Split
from cleverdon.collection.subsetting import Subset
from cleverdon.data import Judgments
from cleverdon.show.grid import counted, printable

_NAMED = 5


def size(judgments: Judgments) -> str:
    """`12 judgments of 3 topics`, and how many documents are there that are not judged."""
    topics = counted(len(judgments.queries), "topic")
    open_ = int((judgments.core.grades < 0).sum())
    beside = f" and {counted(open_, 'document')} not judged," if open_ else ""
    return f"{counted(len(judgments) - open_, 'judgment')}{beside} of {topics}"


def told_of_merge(found: Merged) -> Iterator[str]:
    """What each file brought, and where they contradict each other."""
    for each in found.inputs:
        yield (
            f"{printable(each.name)}: {counted(each.judgments, 'judgment')} of "
            f"{counted(each.topics, 'topic')}, {each.new:,} new"
        )
    if found.repeated:
        yield f"{counted(found.repeated, 'document')} judged in several files"
    if found.contradictions:
        yield f"{counted(len(found.contradictions), 'contradiction')}, settled by {found.policy}:"
        for one in found.contradictions[:_NAMED]:
            grades = ", ".join(f"{grade:g} in {printable(name)}" for name, grade in one.grades)
            of = f" (subtopic {printable(one.subtopic)})" if one.subtopic is not None else ""
            yield (
                f"    {printable(one.query)} {printable(one.doc)}{of}: {grades}; "
                f"taken: {_taken(one)}"
            )
        more = len(found.contradictions) - _NAMED
        if more > 0:
            yield f"    and {more:,} more (--contradictions FILE lists all)"


def contradictions_csv(contradictions: Sequence[Contradiction], names: Sequence[str]) -> str:
    """All contradictions as CSV, with a column for each file."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["query_id", "doc_id", "subtopic", *names, "taken"])
    for one in contradictions:
        grades = dict(one.grades)
        cells = [f"{grades[name]:g}" if name in grades else "" for name in names]
        writer.writerow([one.query, one.doc, one.subtopic or "", *cells, _taken(one)])
    return text.getvalue()


def _taken(one: Contradiction) -> str:
    """The grade that was taken, if any was."""
    return "" if one.taken is None else f"{one.taken:g}"


def told_of_filter(found: Filtered) -> Iterator[str]:
    """What was dropped, by reason."""
    left = found.before - len(found.judgments)
    if not left:
        yield "no judgment was dropped"
    else:
        reasons = ", ".join(f"{reason}: {count:,}" for reason, count in found.dropped.items())
        yield f"{counted(left, 'judgment')} of {found.before:,} dropped ({reasons})"
    if found.dropped_topics:
        what = counted(len(found.dropped_topics), "topic")
        yield f"{what} dropped: {_some(found.dropped_topics)}"
    if found.regraded is not None:
        yield f"{counted(found.regraded, 'grade')} became another"
    for grade in found.unmet:
        yield f"warning: no judgment that is kept has grade {grade:g}: nothing was made of it"
    if found.missing:
        what = counted(len(found.missing), "topic")
        yield f"warning: {what} named without judgments: {_some(found.missing)}"
    if found.missing_docs:
        what = counted(len(found.missing_docs), "document")
        yield f"warning: {what} named that no judgment mentions: {_some(found.missing_docs)}"
    yield from (f"warning: {warning}" for warning in found.warnings)


def told_of_subset(found: Subset) -> Iterator[str]:
    """How much of the judgments it is."""
    topics = len(found.judgments.queries)
    kept = f"{found.judged:,} of {counted(found.before, 'judgment')} kept"
    if found.marked:
        kept = (
            f"{found.judged:,} of {counted(found.before, 'judgment')} drawn, the other "
            f"{found.marked:,} kept as not judged"
        )
    yield f"{kept}; {topics:,} of {counted(found.topics_before, 'topic')}"
    if found.lost:
        yield f"{counted(len(found.lost), 'topic')} lost: {_some(found.lost)}"
    if found.asked:
        yield f"all topics are kept: {found.asked:,} were asked for, of {found.topics_before:,}"
    if found.raised:
        yield (
            f"{counted(found.raised, 'topic')} with so few judgments that the share of them is "
            "none: one of each was taken"
        )
    if found.not_judged:
        yield f"{counted(found.not_judged, 'document')} of the pool in no judgment"
    yield from (f"warning: {warning}" for warning in found.warnings)


def told_of_hold_out(share: float, train: int, test: int) -> Iterator[str]:
    """Whether another share is held out than was asked for, since no part may be empty."""
    topics = train + test
    if round(share * topics) != test and min(train, test) == 1:
        part = "test" if test == 1 else "train"
        yield (
            f"{test:,} of {counted(topics, 'topic')} held out, which is {test / topics:.1%} and "
            f"not {100 * share:.4g}%: {part} has one topic at least"
        )


def told_of_split(found: Split) -> Iterator[str]:
    """Topics that do not fit."""
    if found.left_out:
        what = counted(len(found.left_out), "judged topic")
        yield f"warning: {what} in no part: {_some(found.left_out)}"
    if found.missing:
        what = counted(len(found.missing), "topic")
        yield f"warning: {what} of parts without judgments: {_some(found.missing)}"


def _some(ids: Sequence[str]) -> str:
    more = len(ids) - _NAMED
    listed = ", ".join(map(printable, ids[:_NAMED]))
    return listed + (f" and {more:,} more" if more > 0 else "")
