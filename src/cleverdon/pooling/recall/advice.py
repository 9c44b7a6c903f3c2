"""Advice on recall, in sentences: what is known, what it rests on, whether to stop judging."""

from __future__ import annotations

from math import isinf, isnan

from cleverdon._common.text import counted, printable
from cleverdon.pooling.recall.capture import Dependence
from cleverdon.pooling.recall.estimates import CountEstimate
from cleverdon.pooling.recall.recall import SAMPLE, Recall
from cleverdon.pooling.recall.reuse import LeaveOneOut, Reuse
from cleverdon.tables.numbers import round_up_to_two_digits

_MOST_NAMED = 5
"""Queries and systems that a sentence names; of more, how many there are."""


def _odds_text(ratio: float) -> str:
    return f"{ratio:.2g}" if ratio < 10 else f"{ratio:,.0f}"


def _these_queries(found: Recall) -> str:
    return "this one" if len(found.told) == 1 else "these"


def _listed_names(names: tuple[str, ...], what: str) -> str:
    """Count the names, and list them where they are few."""
    if len(names) > _MOST_NAMED:
        return counted(len(names), what)
    return f"{counted(len(names), what)} ({', '.join(map(printable, names))})"


def _is_or_are(number: float) -> str:
    return "is" if not isinf(number) and round(number) == 1 else "are"


def _recall_text(value: float, target: float) -> str:
    """Write a recall with so many digits that its side of the target shows.

    >>> _recall_text(0.39, 0.9), _recall_text(0.8987, 0.9), _recall_text(0.9, 0.9)
    ('0.39', '0.899', '0.90')
    """
    digits = 2
    while digits < 12 and _side(round(value, digits), target) != _side(value, target):
        digits += 1
    return f"{value:.{digits}f}"


def _side(value: float, target: float) -> int:
    return (value > target) - (value < target)


def _count_text(value: float) -> str:
    return "any number of" if isinf(value) else f"{value:,.0f}"


def _amount_text(value: float, what: str) -> str:
    """Write a small mean number of things; whole ones without decimals."""
    text = f"{value:,.0f}" if value >= 100 or value == round(value) else f"{value:.2g}"
    return f"{text} {what if text == '1' else what + 's'}" if what else text


def _range_text(one: CountEstimate) -> str:
    return (
        f"between {_count_text(one.low)} and "
        f"{'any number' if isinf(one.high) else _count_text(one.high)}"
    )


_NOTHING = 0.0005
"""Shares below it are printed as 0.0%."""


def _reuse_sentence(reuse: Reuse | None) -> str:
    """Say how much a system that was not pooled would lose."""
    if reuse is None or not reuse.systems:
        return ""
    measure = reuse.systems[0].measure
    mean, others = reuse.mean_relative(measure), reuse.mean_others(measure)
    if isnan(mean):
        return ""
    worst = reuse.worst(measure)
    meanwhile = "" if isnan(others) else f", while the others change by {others:+.1%}"
    loses = "none would lose any"
    if _loss(worst, worst.relative) >= _NOTHING:
        loses = f"{printable(worst.system)} would lose most, {abs(worst.relative):.1%}"
    fallen = reuse.fallen(measure)
    falls = "No system would lose a rank."
    if fallen:
        each = [f"{printable(one.system)} ({one.rank} to {one.rank_unpooled})" for one in fallen]
        more = f" and {len(each) - _MOST_NAMED:,} more" if len(each) > _MOST_NAMED else ""
        falls = f"Ranks would be lost by {', '.join(each[:_MOST_NAMED])}{more}."
    return (
        f"A system that was not pooled would be {_rated(worst, mean)} on average ({measure})"
        f"{meanwhile}; {loses}. {falls}"
    )


def _loss(one: LeaveOneOut, relative: float) -> float:
    """Return how much worse a value is, in either direction of the measure."""
    return relative if one.measure.better == "lower" else -relative


def _rated(one: LeaveOneOut, mean: float) -> str:
    loss = _loss(one, mean)
    if abs(loss) < _NOTHING:
        return "rated the same"
    return f"{'underrated' if loss > 0 else 'overrated'} by {abs(loss):.1%}"


_LARGEST_SHARE = 0.5
"""A sample that is a larger share of the collection than that is no sample any more."""


def _verdict_sentence(found: Recall) -> str:
    """Say whether to stop judging, and what would settle it."""
    enough = f"{found.target:g} is enough (--target-recall)"
    if found.complete:
        return "Stop: everything is judged."
    best = found.best
    value, low, high = best.all.recall() if best else (float("nan"),) * 3
    if best is None or isnan(value):
        return f"Not decided: recall is not known. {_sample_advice(found)}"
    decision = found.decision_as_told
    if best.method != SAMPLE:
        return _capture_verdict(found, decision, value, high, enough)
    least, most = (_recall_text(end, found.target) for end in (low, high))
    where = f"recall is between {least} and {most}, and {enough}"
    if found.partial:
        others = len(found.queries) - len(found.told)
        word = {"stop": "stop", "go on": "go on", "open": "it is not decided"}[decision]
        more = "" if decision == "stop" else f" {_next_action(found, decision)}"
        return (
            f"Not decided for all queries: {counted(others, 'query')} {_is_or_are(others)} not "
            f"sampled. For the {len(found.told):,} that {_is_or_are(len(found.told))}, {word}: "
            f"{where}.{more}"
        )
    if decision == "stop":
        return f"Stop: recall is at least {least}, and {enough}."
    if decision == "go on":
        return f"Go on: recall is {most} at most, and {enough}. {_next_action(found, decision)}"
    return f"Not decided: {where}. {_next_action(found, decision)}"


def _capture_verdict(found: Recall, decision: str, value: float, high: float, enough: str) -> str:
    most = _recall_text(max(value, high), found.target)
    if decision == "go on":
        return (
            f"Go on: recall is about {most} at most, and {enough}. {_next_action(found, decision)} "
            f"{_sample_advice(found)}"
        )
    tells = f"Only a sample of what is not in the pool can tell. {_sample_advice(found)}"
    if not found.bounded:
        return (
            "Not decided: by what systems found in common recall would be "
            f"{_recall_text(value, found.target)}, where {enough}; but that is no bound, neither "
            f"from above nor from below. {tells}"
        )
    return f"Not decided: recall may be as high as {most}, where {enough}, or much lower. {tells}"


def _next_action(found: Recall, decision: str) -> str:
    """Say what to do next: judge more where more is missing, else draw a larger sample."""
    if decision != "go on":
        return _sample_advice(found)
    deeper = "deeper"
    if found.depth_known:
        deeper = f"deeper: cleverdon pool make RUNS -k {2 * found.depth} --judged QRELS -o pool.tsv"
    return f"Judge {deeper}; or add systems of another kind to the pool."


def _sample_advice(found: Recall) -> str:
    """Say which sample would tell recall precisely enough."""
    goal = f"recall to ±{found.precision:g}"
    if found.docs is None:
        return f"With --docs, the size of the collection, this says which sample would tell {goal}."
    if found.needed is None:
        return "Judge a sample of what is not in the pool: cleverdon pool sample."
    by_sample = found.best is not None and found.best.method == SAMPLE
    if by_sample and found.best is not None:
        _, low, high = found.best.all.recall()
        if (high - low) / 2 <= found.precision:
            return (
                f"The sample tells {goal} already; with a smaller --half-width, this says which "
                "sample would decide."
            )
    queries = len(found.told)
    left = found.docs * queries - sum(found.pool[query].judged for query in found.told)
    each = round_up_to_two_digits(found.needed / queries)
    if found.needed > _LARGEST_SHARE * left:
        return (
            f"For {goal}, more than half of the collection would have to be drawn: relevant "
            "documents are too rare in it. Draw by strata, more where they are likely: cleverdon "
            "pool sample --runs."
        )
    anew = ""
    if by_sample:
        judged = counted(found.sample_judged, "document")
        verb = _is_or_are(found.sample_judged)
        anew = f" It is drawn anew, without the {judged} of all queries that {verb} judged by now."
    return (
        f"A random sample of {each:,} documents for each query would tell {goal}, if about as much "
        f"is missing as is estimated: cleverdon pool sample.{anew}"
    )


def recall_advice(found: Recall) -> list[str]:
    """Return all advice, a sentence or two each."""
    said = [
        _known_sentence(found),
        _unseen_sentence(found),
        *_refuted_sentences(found),
        _sheet_sentence(found),
        dependence_sentence(found),
        next_step_sentence(found),
        _reuse_sentence(found.reuse),
        _verdict_sentence(found),
    ]
    return [sentence for sentence in said if sentence]


def _known_sentence(found: Recall) -> str:
    """Say how many relevant documents there are, and on what evidence."""
    queries = counted(len(found.queries), "query")
    start = f"{_pool_sentence(found, found.queries, f' for {queries}')}.{_no_grade(found)}"
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
                f" {_listed_names(found.told, 'query')} of {len(found.queries):,} "
                f"{_is_or_are(len(found.told))} sampled: of {_these_queries(found)}, "
                f"{_pool_sentence(found, found.told)}."
            )
        return (
            f"{start}{part} By the sample there {_is_or_are(one.value)} about "
            f"{_count_text(one.value)} in all"
            f"{f' of {_these_queries(found)}' if found.partial else ''}, {_range_text(one)} with "
            f"{one.confidence:.0%} confidence."
        )
    return f"{start} {bound_sentence(found, one)}"


def _no_grade(found: Recall) -> str:
    """Warn that no judgment has a relevant grade."""
    if found.highest < 0 or found.highest >= found.rel:
        return ""
    return (
        f" No judgment has the grade {found.rel:g} or a higher one (--rel): the highest is "
        f"{found.highest:g}."
    )


def bound_sentence(found: Recall, one: CountEstimate) -> str:
    """Say what capture-recapture estimates, and in which direction it errs."""
    start = "By what systems found in common there"
    direction = found.dependence.direction if found.dependence else "unknown"
    if direction == "negative":
        return (
            f"{start} would be about {_count_text(one.value)} in all, were systems independent; "
            "they are not, and it bounds nothing."
        )
    if direction == "unknown":
        return (
            f"{start} are about {_count_text(one.value)} in all, if systems are independent. "
            "Where they tend to find the same there are more, and where they complement each other "
            "there are fewer."
        )
    return (
        f"{start} are at least about {_count_text(one.value)} in all. That is a lower bound, "
        "whatever its interval: documents that are hard for all systems do not show in it."
    )


def _pool_sentence(found: Recall, queries: tuple[str, ...], which: str = "") -> str:
    judged = sum(found.pool[query].judged for query in queries)
    relevant = sum(found.pool[query].relevant for query in queries)
    return (
        f"{counted(judged, 'document')} {_is_or_are(judged)} judged{which}, and {relevant:,} "
        f"{_is_or_are(relevant)} relevant"
    )


def _unseen_sentence(found: Recall) -> str:
    """Name relevant documents that no system returned, and systems that are the same."""
    said = []
    if found.uncaught and found.depth_known:
        said.append(
            f"{counted(found.uncaught, 'relevant document')} {_is_or_are(found.uncaught)} returned "
            f"by none of these systems down to rank {found.depth:,}"
        )
        if found.unreturned:
            said.append(f", and {found.unreturned:,} at no rank")
    elif found.unreturned:
        said.append(
            f"{counted(found.unreturned, 'relevant document')} {_is_or_are(found.unreturned)} "
            "returned by none of these systems"
        )
    same = [f"{printable(one)} and {printable(two)}" for one, two in found.alike]
    more = "".join(said) + "." if said else ""
    if same:
        shown = "; ".join(same[:_MOST_NAMED]) + ("; and others" if len(same) > _MOST_NAMED else "")
        more += (
            f" {shown}: these have the same judged documents at the same ranks. They are one look "
            "at the collection and count as two: put them in a group (--groups)."
        )
    return more.strip()


def _refuted_sentences(found: Recall) -> list[str]:
    """Name estimates that contradict what is known."""
    said = []
    for each in found.estimates:
        if each.all.refuted:
            missed = max(each.all.missing + found.uncaught, 0.0)
            said.append(
                f"The estimate by {each.method} is refuted: by it {_count_text(each.all.value)} "
                f"documents are relevant, of which these systems missed {_count_text(missed)}; but "
                f"{each.all.found:,} are known, of which they missed {found.uncaught:,}. It gives "
                "no recall and no interval."
            )
    return said


def _sheet_sentence(found: Recall) -> str:
    """Say how the sample's sheet fits what was drawn."""
    filled = found.filled
    if filled is None:
        return ""
    said = []
    if filled.judged < filled.drawn:
        said.append(
            f"{filled.judged:,} of {filled.drawn:,} drawn documents {_is_or_are(filled.judged)} "
            "judged; the rest is taken to be missing at random."
        )
    if filled.strange:
        said.append(
            f"{filled.strange:,} of {filled.graded:,} judged documents were not drawn, and do not "
            "count: is it the right sheet?"
        )
    return " ".join(said)


def dependence_sentence(found: Recall) -> str:
    """Say how dependent systems are, and what that does to capture-recapture."""
    seen = found.dependence
    if seen is None:
        return ""
    ratio = f"odds ratio {_odds_text(seen.odds_ratio)}"
    if not isnan(seen.low) and _odds_text(seen.low) != _odds_text(seen.high):
        ratio += f", {_odds_text(seen.low)} to {_odds_text(seen.high)}"
    if seen.direction == "unknown":
        return (
            "Capture-recapture takes systems for independent. Whether they are cannot be seen here"
            f": {_why_unknown(seen)}."
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


def _why_unknown(seen: Dependence) -> str:
    """Say why no table of two systems tells whether they are independent."""
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


def next_step_sentence(found: Recall) -> str:
    """Say what one more system would bring, and more ranks."""
    if found.complete:
        return ""
    curves = found.saturation
    one = curves.next_system
    share = f" ({curves.rising:.1%} more)" if found.relevant else ""
    said = []
    if len(curves.by_systems) > 1:
        said.append(
            f"One more system of the same kind would bring about "
            f"{_amount_text(one.relevant, 'relevant document')} or fewer{share}, for "
            f"{_amount_text(one.judged, 'judgment')}."
        )
    last = curves.next_ranks
    if last.size:
        ranks = "rank" if last.size == 1 else f"{last.size} ranks"
        said.append(
            f"The last {ranks} of the pool brought {_amount_text(last.relevant, '')}, for "
            f"{_amount_text(last.judged, 'judgment')}: as many more are likely to bring less."
        )
    return " ".join(said)
