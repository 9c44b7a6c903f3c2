"""What an estimate of recall says, in sentences: what is known, and what it rests on."""

from __future__ import annotations

from math import isnan

from cleverdon.pool.recall.dependence import Dependence
from cleverdon.pool.recall.estimates import Estimate
from cleverdon.pool.recall.recalled import SAMPLE, Recall
from cleverdon.show.grid import counted, printable
from cleverdon.show.recall_phrases import (
    NAMED,
    amount,
    are,
    between,
    count,
    listed,
    odds,
    these,
)
from cleverdon.show.recall_verdict import verdict
from cleverdon.show.reuse_words import reusable


def advice(found: Recall) -> list[str]:
    """All there is to say, a sentence or two each."""
    said = [
        known(found),
        unseen(found),
        *refuted(found),
        sheet(found),
        depends(found),
        next_step(found),
        reusable(found.reuse),
        verdict(found),
    ]
    return [sentence for sentence in said if sentence]


def known(found: Recall) -> str:
    """How many relevant documents there are, and what that rests on."""
    queries = counted(len(found.topics), "query")
    start = f"{pool(found, found.topics, f' for {queries}')}.{_no_grade(found)}"
    if found.complete:
        return f"{start} That is the whole collection: there are no others."
    best = found.best
    if best is None:
        if found.estimates:
            return f"{start} No estimate of what was missed is left."
        return (
            f"{start} With one system and no sample of the rest, nothing can be said of what was "
            "missed."
        )
    one = best.all
    if best.method == SAMPLE:
        part = ""
        if found.partial:
            part = (
                f" {listed(found.told, 'query')} of {len(found.topics):,} "
                f"{are(len(found.told))} sampled: of {these(found)}, {pool(found, found.told)}."
            )
        return (
            f"{start}{part} By the sample there {are(one.value)} about {count(one.value)} in all"
            f"{f' of {these(found)}' if found.partial else ''}, {between(one)} with "
            f"{one.confidence:.0%} confidence."
        )
    return f"{start} {bound(found, one)}"


def _no_grade(found: Recall) -> str:
    """Said where nothing can be relevant by the grade that was asked for."""
    if found.highest < 0 or found.highest >= found.rel:
        return ""
    return (
        f" No judgment has the grade {found.rel:g} or a higher one (--rel): the highest is "
        f"{found.highest:g}."
    )


def bound(found: Recall, one: Estimate) -> str:
    """What capture-recapture says, and on which side of the truth that is."""
    start = "By what systems found in common there"
    direction = found.dependence.direction if found.dependence else "unknown"
    if direction == "negative":
        return (
            f"{start} would be about {count(one.value)} in all, were systems independent; they "
            "are not, and it bounds nothing."
        )
    if direction == "unknown":
        return (
            f"{start} are about {count(one.value)} in all, if systems are independent. "
            "Where they tend to find the same there are more, and where they complement each other "
            "there are fewer."
        )
    return (
        f"{start} are at least about {count(one.value)} in all. That is a lower bound, whatever "
        "its interval: documents that are hard for all systems do not show in it."
    )


def pool(found: Recall, topics: tuple[str, ...], which: str = "") -> str:
    """What is judged of some queries."""
    judged = sum(found.pool[topic].judged for topic in topics)
    relevant = sum(found.pool[topic].relevant for topic in topics)
    return (
        f"{counted(judged, 'document')} {are(judged)} judged{which}, and {relevant:,} "
        f"{are(relevant)} relevant"
    )


def unseen(found: Recall) -> str:
    """Relevant documents that none of these systems has."""
    said = []
    if found.uncaught and found.depth_known:
        said.append(
            f"{counted(found.uncaught, 'relevant document')} {are(found.uncaught)} returned by "
            f"none of these systems down to rank {found.depth:,}"
        )
        if found.unreturned:
            said.append(f", and {found.unreturned:,} at no rank")
    elif found.unreturned:
        said.append(
            f"{counted(found.unreturned, 'relevant document')} {are(found.unreturned)} returned by "
            "none of these systems"
        )
    same = [f"{printable(one)} and {printable(two)}" for one, two in found.alike]
    more = "".join(said) + "." if said else ""
    if same:
        shown = "; ".join(same[:NAMED]) + ("; and others" if len(same) > NAMED else "")
        more += (
            f" {shown}: these have the same judged documents at the same ranks. They are one look "
            "at the collection and count as two: put them in a group (--groups)."
        )
    return more.strip()


def refuted(found: Recall) -> list[str]:
    """Estimates that what is known speaks against."""
    said = []
    for each in found.estimates:
        if each.all.refuted:
            missed = max(each.all.missing + found.uncaught, 0.0)
            said.append(
                f"The estimate by {each.method} is refuted: by it {count(each.all.value)} "
                f"documents are relevant, of which these systems missed {count(missed)}; but "
                f"{each.all.found:,} are known, of which they missed {found.uncaught:,}. It gives "
                "no recall and no interval."
            )
    return said


def sheet(found: Recall) -> str:
    """How the sample's sheet fits what was drawn."""
    filled = found.filled
    if filled is None:
        return ""
    said = []
    if filled.judged < filled.drawn:
        said.append(
            f"{filled.judged:,} of {filled.drawn:,} drawn documents {are(filled.judged)} judged; "
            "the rest is taken to be missing at random."
        )
    if filled.strange:
        said.append(
            f"{filled.strange:,} of {filled.graded:,} judged documents were not drawn, and do not "
            "count: is it the right sheet?"
        )
    return " ".join(said)


def depends(found: Recall) -> str:
    """How far systems are from independent, and what that does to capture-recapture."""
    seen = found.dependence
    if seen is None:
        return ""
    ratio = f"odds ratio {odds(seen.odds_ratio)}"
    if not isnan(seen.low) and odds(seen.low) != odds(seen.high):
        ratio += f", {odds(seen.low)} to {odds(seen.high)}"
    if seen.direction == "unknown":
        return (
            "Capture-recapture takes systems for independent. Whether they are cannot be seen here"
            f": {_not_seen(seen)}."
        )
    if seen.direction == "positive":
        return (
            f"Systems are not independent ({ratio}): what one finds, others tend to find as well. "
            "So capture-recapture is too low, and more is missing than it says."
        )
    if seen.direction == "negative":
        return (
            f"Systems are not independent ({ratio}): what one finds, others tend to miss. So "
            "capture-recapture is too high, among the documents that systems can find at all; of "
            "those that none can find it knows nothing."
        )
    return (
        f"Among the documents that were found, systems cannot be told from independent ({ratio}). "
        "Of those that none found this says nothing."
    )


def _not_seen(seen: Dependence) -> str:
    """Why no table of two systems tells whether they are independent."""
    if seen.finding < 3:
        return "it takes a third system that found relevant documents"
    # That is what it takes for the products of both diagonals to be 0 in every table.
    why = (
        "of the relevant documents of a query that others found, one of any two systems has all or "
        "none"
    )
    base, both = (sum(getattr(pair, name) for pair in seen.pairs) for name in ("base", "observed"))
    if 2 * both > base:
        return f"systems found nearly the same, and {why}"
    return f"systems found too little in common, and {why}"


def next_step(found: Recall) -> str:
    """What one more system would bring, and more ranks."""
    if found.complete:
        return ""
    curves = found.saturation
    one = curves.next_system
    share = f" ({curves.rising:.1%} more)" if found.relevant else ""
    said = []
    if len(curves.by_systems) > 1:
        said.append(
            f"One more system of the same kind would bring about "
            f"{amount(one.relevant, 'relevant document')} or fewer{share}, for "
            f"{amount(one.judged, 'judgment')}."
        )
    last = curves.next_ranks
    if last.size:
        ranks = "rank" if last.size == 1 else f"{last.size} ranks"
        said.append(
            f"The last {ranks} of the pool brought {amount(last.relevant, '')}, for "
            f"{amount(last.judged, 'judgment')}: as many more are likely to bring less."
        )
    return " ".join(said)
