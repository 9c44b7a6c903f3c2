"""How well was an experiment done again? From the order of documents to the size of the effect.

Levels from strict to lenient, after Breuer et al. 2020, doi:10.1145/3397271.3401036, whose tool is
repro_eval: the same documents in the same order (`ranking_agreement`); the same score on each
topic (`rmse`); the same gain over a baseline (`effect_ratio`, `delta_relative`). The last two can
also be had on other topics, or in another collection.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import nan
from typing import Any, Literal

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.compare.needs import check_topics, scipy_stats
from cleverdon.compare.samples import Sample, samples
from cleverdon.compare.student import student
from cleverdon.correlate import correlate_runs, kendall
from cleverdon.data import Run
from cleverdon.errors import OptionError, check_word, suggest
from cleverdon.measures.base import Measure
from cleverdon.scores import Scores


@dataclass(frozen=True)
class RankingAgreement:
    """How alike two runs rank the documents of each topic that both have."""

    tau_union: Mapping[str, float]  # what a run lacks stands below what it has; `kendall_union`
    ktu: Mapping[str, float]  # Kendall's tau union as published; see `published_tau_union`
    rbo: Mapping[str, float]  # extrapolated

    @property
    def means(self) -> dict[str, float]:
        """The mean of each over the topics where it is defined; NaN where it is nowhere."""
        return {
            name: _mean_of_defined(values)
            for name, values in (
                ("tau_union", self.tau_union),
                ("ktu", self.ktu),
                ("rbo", self.rbo),
            )
        }


@dataclass(frozen=True)
class Replication:
    """One system done again, by one measure."""

    system: str
    measure: Measure
    topics: tuple[int, int]  # of the original, and of the replication
    original: float  # the average
    replicated: float
    rmse: float
    """The root mean square of the differences, topic by topic; NaN on other topics."""
    p: float | None
    """Of a t test that the averages are the same, where one was asked for.

    Paired on the same topics, Welch's on others. That it is large does not show that they are.
    """
    baseline: str | None
    effect_ratio: float
    """The replicated gain over the baseline, as a share of the original one.

    1 is the same gain, below 0 it is the other way round. NaN where there was none to replicate.
    """
    delta_relative: float
    """The original relative gain less the replicated one: 0 is the same, above 0 it is less."""


def ranking_agreement(
    original: Any, replicated: Any, *, k: int | None = None, p: float = 0.9
) -> RankingAgreement:
    """How alike a run and its replication rank documents, with k of only the first k results.

    >>> first, again = {"q": {"a": 3, "b": 2, "c": 1}}, {"q": {"a": 3, "c": 2, "d": 1}}
    >>> found = ranking_agreement(first, again)
    >>> round(found.tau_union["q"], 4), round(found.rbo["q"], 4)
    (0.3333, 0.685)
    """
    runs = [run if isinstance(run, Run) else Run.read(run) for run in (original, replicated)]
    tau_union = correlate_runs(*runs, how="kendall_union", k=k)
    return RankingAgreement(
        tau_union=tau_union,
        ktu={query: published_tau_union(*_documents(runs, query, k)) for query in tau_union},
        rbo=correlate_runs(*runs, how="rbo", k=k, p=p),
    )


def published_tau_union(original: list[str], replicated: list[str]) -> float:
    """Kendall's tau union as Breuer et al. define it and repro_eval computes it.

    Each document is replaced by its place among all documents of both rankings, sorted by id; tau
    is that of the two lists of numbers, rank by rank. So it depends on how documents are called,
    and rankings with nothing in common may have 1: compare it with published numbers, and rest
    claims on `cleverdon.correlate.kendall_union`. NaN where the rankings are not of one length.

    >>> published_tau_union(["a", "b", "c"], ["x", "y", "z"])
    1.0
    """
    if len(original) != len(replicated):
        return nan
    place = {doc: at for at, doc in enumerate(sorted({*original, *replicated}))}
    by_rank = [{at: -place[doc] for at, doc in enumerate(docs)} for docs in (original, replicated)]
    return kendall(*by_rank)


def replicate(
    original: Scores,
    replicated: Scores,
    *,
    baseline: str | None = None,
    names: Mapping[str, str] | None = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    topics: Literal["same", "other"] = "same",
    t_test: bool = False,
) -> list[Replication]:
    """How close replicated systems come to the original ones, by each measure that was evaluated.

    `names` says what the original systems are called in the replication, where that differs; those
    of one name in both are found without. With a `baseline`, which is replicated too, the gains
    over it are compared. topics="other" is for a replication on other topics: then there is no
    difference topic by topic.

    >>> from cleverdon import evaluate
    >>> qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    >>> runs = {"old": {"q1": {"c": 2, "a": 1}, "q2": {"c": 2, "b": 1}}, "new": {"q1": {"a": 1}}}
    >>> again = runs | {"new": {"q1": {"a": 1}, "q2": {"c": 2, "b": 1}}}
    >>> found = replicate(evaluate(qrels, runs, "RR"), evaluate(qrels, again, "RR"))
    >>> [(each.system, round(each.rmse, 4)) for each in found]
    [('old', 0.0), ('new', 0.3536)]
    """
    check_word("topics", topics, ("same", "other"))
    called = _called(original, replicated, names or {})
    if baseline is not None and baseline not in called:
        raise OptionError(f"there is no baseline {baseline!r} in both{suggest(baseline, called)}")
    first = samples(original, measures=measures, systems=called)
    wanted = [sample.measure for sample in first]
    again = samples(replicated, measures=wanted, systems=called.values())
    return [
        _replication(system, called, pair, baseline, paired=topics == "same", t_test=t_test)
        for pair in zip(first, again, strict=True)
        for system in called
        if system != baseline
    ]


def _called(original: Scores, replicated: Scores, names: Mapping[str, str]) -> dict[str, str]:
    """What each original system is called in the replication."""
    for ours, theirs in names.items():
        for name, scores in ((ours, original), (theirs, replicated)):
            if name not in scores.systems:
                raise OptionError(f"there is no system {name!r}{suggest(name, scores.systems)}")
    found = {name: names.get(name, name) for name in original.systems}
    found = {ours: theirs for ours, theirs in found.items() if theirs in replicated.systems}
    if not found:
        raise OptionError("no system has the same name in both; names={...} says which is which")
    if len(set(found.values())) < len(found):
        raise OptionError("two original systems are to be the same system of the replication")
    return found


def _replication(
    system: str,
    called: Mapping[str, str],
    pair: tuple[Sample, Sample],
    baseline: str | None,
    *,
    paired: bool,
    t_test: bool,
) -> Replication:
    first, again = pair
    ours, theirs = first.of(system), again.of(called[system])
    if paired:
        theirs = _in_order(theirs, again, first)
    effect_ratio = delta_relative = nan
    if baseline is not None:
        old = _average(first, system), _average(first, baseline)
        new = _average(again, called[system]), _average(again, called[baseline])
        effect_ratio = _ratio(new[0] - new[1], old[0] - old[1])
        delta_relative = _ratio(old[0] - old[1], old[1]) - _ratio(new[0] - new[1], new[1])
    return Replication(
        system=system,
        measure=first.measure,
        topics=(len(ours), len(theirs)),
        original=first.mean(system),
        replicated=again.mean(called[system]),
        rmse=float(np.sqrt(np.mean((ours - theirs) ** 2))) if paired else nan,
        p=_p_value(ours, theirs, paired=paired) if t_test else None,
        baseline=baseline,
        effect_ratio=effect_ratio,
        delta_relative=delta_relative,
    )


def _in_order(values: Floats, again: Sample, first: Sample) -> Floats:
    """The replicated values in the original's order of topics, which must be the same ones."""
    row = {topic: at for at, topic in enumerate(again.topics)}
    for topic in row.keys() ^ set(first.topics):
        where = "replication" if topic in row else "original"
        raise OptionError(
            f"topic {topic!r} is in the {where} only; topics='other' compares averages over others"
        )
    ordered: Floats = values[[row[topic] for topic in first.topics]]
    return ordered


def _average(sample: Sample, system: str) -> float:
    """The measure's average; of counts the mean, since the topics may not be as many."""
    divisor = len(sample.topics) if sample.measure.average == "sum" else 1
    return sample.mean(system) / divisor


def _ratio(part: float, whole: float) -> float:
    # Averages that were added up in another order differ in the last digit, which is no gain.
    return part / whole if abs(whole) > 1e-12 else nan


def _p_value(ours: Floats, theirs: Floats, *, paired: bool) -> float:
    if paired:
        return student((theirs - ours)[None])[0].p
    for values in (ours, theirs):
        check_topics("the t test", values)
    if np.ptp(ours) == np.ptp(theirs) == 0:  # where there is no spread, any difference is beyond it
        return float(ours[0] == theirs[0])
    return float(scipy_stats("the t test").ttest_ind(ours, theirs, equal_var=False).pvalue)


def _documents(runs: list[Run], query: str, k: int | None) -> tuple[list[str], list[str]]:
    first, second = ([doc for doc, _ in run.ranking(query)[:k]] for run in runs)
    return first, second


def _mean_of_defined(values: Mapping[str, float]) -> float:
    defined = [value for value in values.values() if not np.isnan(value)]
    return float(np.mean(defined)) if defined else nan
