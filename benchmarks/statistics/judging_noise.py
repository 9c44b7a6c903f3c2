"""Simulations of judging noise: do intervals cover the difference over topics and judges?

Topics, documents, two systems and judges are made up. A judge sees how relevant a document is, with
an error; some judges are lenient, and some like what the second system returns. The truth is the
mean difference over many topics, each with judges of its own. The same seed gives the same tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import nan

import numpy as np

from benchmarks.progress import say
from benchmarks.statistics.tables import Row, Share, Table
from cleverdon import aggregate_labels
from cleverdon._common.arrays import Floats, Ints
from cleverdon.agreement.labels import Labels
from cleverdon.agreement.noise import judging_noise
from cleverdon.agreement.resampled_judgments import LabelledDocuments, Rescorer
from cleverdon.evaluation import evaluate
from cleverdon.measures.notation import parse_all
from cleverdon.rank import rank
from cleverdon.settings import Settings
from cleverdon.stats.intervals import t_quantile

MEASURES = ("AP", "nDCG@10", "P@10")
SIZES = (10, 25, 50)
CONFIDENCE = 0.95
RESAMPLES = 100  # fewer than by default: more would change widths by some per cent
REJECTED_SIZE = 25  # topics on which the methods that were not chosen are tried
_JACKKNIFED = 10  # at most so many judges are left out one at a time
_DOCS = 20
_ERROR = 0.8  # of a judge, where topics differ by 0.7 and documents of a topic by 1


@dataclass(frozen=True)
class World:
    """How judges judge.

    Attributes:
        title: What it is called.
        judges: The number of judges of each document.
        error: The deviation of a judge's errors, which are independent of each other.
        leniency: The deviation between judges of how relevant all documents seem to them.
        taste: The deviation between judges of how much they like what the second system likes.
        panel: The number of judges from whom those of a topic are drawn; 0 for new ones for each.
    """

    title: str
    judges: int
    error: float = _ERROR
    leniency: float = 0.0
    taste: float = 0.0
    panel: int = -1

    @property
    def people(self) -> int:
        """The number of judges who judged all topics, or of the panel."""
        return self.judges if self.panel < 0 else self.panel


INDEPENDENT = tuple(World("independent errors", judges) for judges in (2, 3, 5))
LENIENT = tuple(World("lenient judges", judges, leniency=0.7) for judges in (2, 3, 5))
TASTE = tuple(World("judges with tastes", judges, leniency=0.4, taste=0.5) for judges in (2, 3, 5))
CLEAN = World("no noise", 3, error=0.0)
OTHERS = (
    World("a panel of 6, of whom 3 judge a topic", 3, leniency=0.4, taste=0.5, panel=6),
    World("own judges for each topic", 3, leniency=0.4, taste=0.5, panel=0),
)
WORLDS = (*INDEPENDENT, *LENIENT, *TASTE, CLEAN, *OTHERS)


@dataclass(frozen=True, eq=False)
class Made:
    """A collection: labels by topics x documents x judges, who they are, and two runs' scores."""

    labels: Ints
    judge: Ints  # topics x judges
    runs: Floats  # 2 x topics x documents


def make(world: World, topics: int, random: np.random.Generator, *, fresh: bool = False) -> Made:
    """Make a collection; with `fresh`, each topic has new judges, whatever the world says."""
    return make_twice(world, topics, random, times=1, fresh=fresh)[0]


def make_twice(
    world: World,
    topics: int,
    random: np.random.Generator,
    *,
    times: int = 2,
    fresh: bool = False,
    apart: float = 0.0,
) -> list[Made]:
    """Make a collection whose topics are judged twice, by other judges of the same kind.

    The systems are `apart` by as much: the error of the first is larger, that of the second lower.
    """
    shape = (topics, _DOCS)
    worth = random.normal(-0.9, 0.7, (topics, 1)) + random.normal(0, 1, shape)
    feature = random.normal(0, 1, shape)
    first = worth + random.normal(0, 1.6 + apart, shape)
    second = worth + 0.5 * feature + random.normal(0, 1.4 - apart / 5, shape)
    return [
        _judged(world, worth, feature, np.stack([first, second]), random, fresh)
        for _ in range(times)
    ]


def _judged(
    world: World,
    worth: Floats,
    feature: Floats,
    runs: Floats,
    random: np.random.Generator,
    fresh: bool,
) -> Made:
    topics = len(worth)
    if fresh or world.panel == 0:
        judge = np.arange(topics * world.judges).reshape(topics, world.judges)
    elif world.panel < 0:
        judge = np.tile(np.arange(world.judges), (topics, 1))
    else:
        everyone = np.tile(np.arange(world.panel), (topics, 1))
        judge = random.permuted(everyone, axis=1)[:, : world.judges]
    people = int(judge.max()) + 1
    leniency = random.normal(0, 1, people) * world.leniency
    taste = random.normal(0, 1, people) * world.taste
    seen = worth[..., None] + leniency[judge][:, None] + taste[judge][:, None] * feature[..., None]
    seen = seen + random.normal(0, 1, seen.shape) * world.error
    return Made((seen > 0).astype(int) + (seen > 1.2), judge, runs)


def labels_of(made: Made) -> Labels:
    """Return the labels as judgments by name."""
    return Labels.of_rows(
        (f"judge {made.judge[t, j]}", f"q{t:05}", f"d{d:02}", float(grade))
        for t, of_topic in enumerate(made.labels.tolist())
        for d, of_document in enumerate(of_topic)
        for j, grade in enumerate(of_document)
    )


def runs_of(made: Made) -> dict[str, dict[str, dict[str, float]]]:
    """Return the two runs as dicts."""
    return {
        name: {
            f"q{t:05}": {f"d{d:02}": score for d, score in enumerate(of_topic)}
            for t, of_topic in enumerate(run.tolist())
        }
        for name, run in zip(("first", "second"), made.runs, strict=True)
    }


@cache
def truth(world: World, topics: int, seed: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the true difference by each measure, and the true mean of the second system."""
    made = make(world, topics, np.random.default_rng([seed, 0]), fresh=True)
    votes = np.stack([(made.labels == grade).sum(axis=2) for grade in range(3)], axis=2)
    grades = votes.argmax(axis=2)  # of several grades with most votes, the lowest
    qrels = {
        f"q{t:05}": {f"d{d:02}": grade for d, grade in enumerate(of_topic)}
        for t, of_topic in enumerate(grades.tolist())
    }
    scores = evaluate(qrels, runs_of(made), MEASURES)
    first, second = scores.means
    return tuple((second - first).tolist()), tuple(second.tolist())


METHODS = {
    "nested bootstrap": "topics are drawn, and labels within their documents",
    "topics + labels": "variance over topics, plus that of labels drawn within documents",
    "topics + judges": "variance over topics, plus that of judges drawn for all topics",
    "topics + jackknife": "variance over topics, plus the jackknife's without each judge",
}
"""Methods that were not chosen."""


def rejected_intervals(made: Made, seed: int, resamples: int) -> dict[str, tuple[Floats, Floats]]:
    """Return lower and upper ends of the difference by each measure, of methods not chosen."""
    labels, runs, measures = labels_of(made), runs_of(made), tuple(parse_all(list(MEASURES)))
    documents = LabelledDocuments.of(labels, method="majority", ties="lower", seed=0)
    judged = documents.judgments.judged
    ranked = [rank(documents.judgments, run, name=name) for name, run in runs.items()]
    rescorer = Rescorer(judged, ranked, measures, Settings(), [(1, 0)])

    def differences(grades: Floats) -> Floats:
        values = np.nan_to_num(rescorer.values(grades))
        return np.asarray(values[:, 1] - values[:, 0])  # resamples x measures x topics

    seen = differences(judged.grade[None])[0]
    topics = seen.shape[1]
    mean, variance = seen.mean(axis=1), seen.var(axis=1, ddof=1) / topics
    by_label, by_judge = (
        differences(np.concatenate(list(documents.resampled(resamples, whole=whole, seed=seed))))
        for whole in (False, True)
    )
    random = np.random.default_rng([seed, 7])
    drawn = random.integers(0, topics, (resamples, 1, topics))
    nested = np.take_along_axis(by_label, np.broadcast_to(drawn, by_label.shape), axis=2)
    ends = np.quantile(nested.mean(axis=2), [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=0)
    reach = t_quantile(CONFIDENCE, topics - 1)
    jackknife = None
    if len(labels.judges) <= _JACKKNIFED:
        without = [
            differences(_without(labels, judge, documents)[None])[0].mean(axis=1)
            for judge in labels.judges
        ]
        jackknife = np.var(without, axis=0) * (len(without) - 1)
    found = {"nested bootstrap": (ends[0], ends[1])}
    for name, more in (
        ("topics + labels", by_label.mean(axis=2).var(axis=0, ddof=1) * documents.correction),
        ("topics + judges", by_judge.mean(axis=2).var(axis=0, ddof=1) * documents.correction),
        ("topics + jackknife", jackknife),
    ):
        if more is None:
            continue
        half = reach * np.sqrt(variance + more)
        found[name] = (mean - half, mean + half)
    return found


def _without(labels: Labels, judge: str, documents: LabelledDocuments) -> Floats:
    """Return the grades of all documents without one judge."""
    rest = labels.only([one for one in labels.judges if one != judge])
    found = aggregate_labels(rest, "majority")
    grades = np.zeros(len(labels))
    grades[found.items] = found.grades
    return np.asarray(grades[documents.items])


@dataclass
class Tally:
    """What was counted in the repetitions of one world and number of topics."""

    repetitions: int
    covered: Counter[tuple[str, str, str]]  # of what, method, measure
    widths: dict[tuple[str, str, str], float]
    narrower: int  # intervals with judging noise that were narrower

    def share(self, of: str, method: str, measure: str) -> Share:
        """Return how often the truth was covered."""
        known = (of, method, measure) in self.widths
        count = self.covered[of, method, measure]
        return Share(count, self.repetitions * known, CONFIDENCE, low_is_bad=True)

    def width(self, method: str, measure: str) -> float:
        """Return the mean width, as a multiple of that over topics; NaN where there is none."""
        over_topics = self.widths["difference", "topics only", measure]
        return self.widths.get(("difference", method, measure), nan) / over_topics


def run(
    world: World,
    topics: int,
    *,
    repetitions: int,
    seed: int,
    resamples: int = RESAMPLES,
    true_topics: int = 20_000,
    rejected: bool = True,
) -> Tally:
    """Repeat a comparison, and count how often each interval covers the truth."""
    true, true_means = truth(world, true_topics, seed)
    tally = Tally(repetitions, Counter(), {}, 0)

    def count(of: str, method: str, measure: str, low: float, high: float, value: float) -> None:
        # Without spread there is no interval: the mean is then said to be all that is known.
        tally.covered[of, method, measure] += not (value < low or value > high)
        width = tally.widths.get((of, method, measure), 0.0)
        tally.widths[of, method, measure] = width + (high - low) / repetitions

    for repetition in range(repetitions):
        random = np.random.default_rng([seed, 1, topics, world.judges, repetition])
        made = make(world, topics, random)
        found = judging_noise(
            labels_of(made),
            runs_of(made),
            MEASURES,
            test="t",
            correction="none",
            resamples=resamples,
            seed=repetition,
        )
        for one, value in zip(found.differences, true, strict=True):
            ends = {"topics only": one.interval, "with judging noise": one.with_judges}
            for method, each in ends.items():
                count("difference", method, str(one.measure), each.low, each.high, value)
            sizes = [each.high - each.low for each in ends.values()]
            tally.narrower += sizes[1] < sizes[0]
        means = [one for one in found.means if one.system == "second"]
        for mean, value in zip(means, true_means, strict=True):
            ends = {"topics only": mean.interval, "with judging noise": mean.with_judges}
            for method, each in ends.items():
                count("mean", method, str(mean.measure), each.low, each.high, value)
        if rejected:
            for method, (low, high) in rejected_intervals(made, repetition, resamples).items():
                for m, measure in enumerate(MEASURES):
                    count("difference", method, measure, low[m], high[m], true[m])
    return tally


@dataclass(frozen=True)
class Stability:
    """How often claims were said to hold, and held, where other judges judged the same topics.

    Attributes:
        claims: The number of claims that were shown.
        holds: The mean share of resampled judgments in which they were said to hold.
        held: The share that other judges showed as well.
        kept: The share that was shown with judging noise.
    """

    claims: int
    holds: float
    held: float
    kept: float


def stability(world: World, topics: int, *, repetitions: int, seed: int) -> Stability:
    """Judge the same topics twice: does a claim hold as often as resamples say?"""
    rows = []
    for repetition in range(repetitions):
        random = np.random.default_rng([seed, 2, topics, world.judges, repetition])
        first, second = (
            judging_noise(
                labels_of(made),
                runs_of(made),
                MEASURES,
                test="t",
                correction="none",
                resamples=RESAMPLES,
                seed=repetition,
            )
            for made in make_twice(world, topics, random, apart=1.0)
        )
        for one, other in zip(first.differences, second.differences, strict=True):
            if one.shown:
                same = other.shown and one.difference * other.difference > 0
                rows.append((one.holds, same, one.shown_with_judges))
    holds, held, kept = np.mean(rows, axis=0).tolist() if rows else (nan, nan, nan)
    return Stability(len(rows), holds, held, kept)


def stability_table(repetitions: int, seed: int) -> str:
    """Return the table of claims that hold, of systems that differ."""
    lines = [
        f"**Claims that other judges of the same {REJECTED_SIZE} topics show as well**",
        "",
        "| judges | each | claims | said to hold | held | shown with judging noise |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for world in (*INDEPENDENT, *TASTE, CLEAN):
        say(f"stability: {world.title}, {world.judges} judges")
        found = stability(world, REJECTED_SIZE, repetitions=repetitions, seed=seed)
        shares = " | ".join(f"{share:.3f}" for share in (found.holds, found.held, found.kept))
        lines.append(f"| {world.title} | {world.judges} | {found.claims} | {shares} |")
    return "\n".join(lines)


def noise_tables(
    *, repetitions: int, seed: int, sizes: Sequence[int] = SIZES
) -> Iterator[Table | str]:
    """Yield the tables: the chosen method, others, means, widths, and claims that hold."""
    tallies = {}
    tried = REJECTED_SIZE if REJECTED_SIZE in sizes else sizes[0]
    for world in WORLDS:
        for topics in sizes:
            how = {"repetitions": repetitions, "seed": seed}
            found = run(world, topics, **how, rejected=topics == tried)
            tallies[world, topics] = found
            shares = [found.share("difference", "with judging noise", m).value for m in MEASURES]
            say(f"{world.title}, {world.judges} judges, {topics} topics: {shares}")

    def row(names: tuple[str, ...], world: World, of: str, method: str, measure: str) -> Row:
        shares = {n: tallies[world, n].share(of, method, measure) for n in sizes}
        shares = {n: share for n, share in shares.items() if share.of}
        return Row(names, shares, default=method == "with judging noise")

    chosen = ("topics only", "with judging noise")
    yield Table(
        "Coverage of a difference over topics and judges, nDCG@10",
        ("interval", "judges", "each"),
        tuple(
            row((method, world.title, str(world.judges)), world, "difference", method, "nDCG@10")
            for world in WORLDS
            for method in chosen
        ),
        summary="interval of a difference with judging noise",
    )
    yield Table(
        "Coverage by methods that were not chosen, nDCG@10",
        ("interval", "judges", "each"),
        tuple(
            row((method, world.title, str(world.judges)), world, "difference", method, "nDCG@10")
            for world in WORLDS
            for method in METHODS
        ),
    )
    yield Table(
        "Coverage of a system's mean over topics and judges, nDCG@10",
        ("interval", "judges", "each"),
        tuple(
            row((method, world.title, str(world.judges)), world, "mean", method, "nDCG@10")
            for world in WORLDS
            for method in chosen
        ),
    )
    lines = [
        "**Width of the interval of a difference, as a multiple of that over topics, "
        f"nDCG@10, {tried} topics**",
    ]
    methods = ("with judging noise", *METHODS)
    lines += [
        "",
        f"| judges | each | {' | '.join(methods)} |",
        "|---|---|" + "---:|" * len(methods),
    ]
    for world in WORLDS:
        ratios = [tallies[world, tried].width(method, "nDCG@10") for method in methods]
        cells = ["-" if np.isnan(ratio) else f"{ratio:.2f}" for ratio in ratios]
        lines.append(f"| {world.title} | {world.judges} | {' | '.join(cells)} |")
    yield "\n".join(lines)
    yield stability_table(max(1, repetitions // 3), seed)
