"""How far judges agree: over all, by pairs and queries, with intervals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from cleverdon.agreement.agreement import Agreement, agree, disputed_documents
from cleverdon.agreement.estimates import _BATCHES, ResamplingUnits
from cleverdon.agreement.labels import Labels
from cleverdon.errors import InputError, OptionError
from tests.agreement.made import labels_of, labels_of_table, simulated


def ends(found: Agreement, name: str) -> tuple[float, float]:
    interval = found.overall[name].interval
    return interval.low, interval.high


def test_pairs_and_their_mean() -> None:
    labels, _ = simulated(accuracies=[0.9, 0.7, 0.5], missing=0.2)
    found = agree(labels)
    assert [(pair.first[-1], pair.second[-1]) for pair in found.pairs] == [
        ("0", "1"),
        ("0", "2"),
        ("1", "2"),
    ]
    for name in ("kappa", "pi", "overlap"):
        of_pairs = [pair.coefficients[name].value for pair in found.pairs]
        assert found.overall[name].value == pytest.approx(np.mean(of_pairs))
    for pair in found.pairs:
        alone = agree(labels.only([pair.first, pair.second]))
        assert alone.overall["kappa"].value == pytest.approx(pair.coefficients["kappa"].value)
        assert pair.confusion.sum() == pair.documents == alone.documents
        assert np.trace(pair.confusion) / pair.documents == pair.coefficients["agreement"].value
    assert found.pair("judge 2", "judge 1") is found.pairs[2]
    with pytest.raises(OptionError, match="one judge"):
        found.pair("judge 1", "judge 1")


def test_which_coefficients_suit_the_scale() -> None:
    graded, _ = simulated(accuracies=[0.9, 0.9, 0.9])
    assert {"fleiss", "kappa-quadratic", "alpha-ordinal"} <= agree(graded).overall.keys()
    binary = agree(graded.binary(1).only(["judge 0", "judge 1"])).overall.keys()
    assert not {"fleiss", "kappa-quadratic", "alpha-ordinal"} & binary


def test_topics_the_worst_first() -> None:
    labels = Labels.of(
        {
            "ann": {"easy": {"a": 1, "b": 0, "c": 0}, "hard": {"a": 1, "b": 1, "c": 0}},
            "bob": {"easy": {"a": 1, "b": 0, "c": 0}, "hard": {"a": 0, "b": 0, "c": 0}},
            "eve": {"alone": {"a": 1}},
        }
    )
    found = agree(labels, per_query=True)
    assert [one.query for one in found.queries] == ["hard", "easy"]
    assert [one.documents for one in found.queries] == [3, 3]
    assert [one.judges for one in found.queries] == [2, 2]
    assert found.queries[0].coefficients["agreement"].value == pytest.approx(1 / 3)
    assert found.queries[1].coefficients["kappa"].value == 1
    assert found.queries[0].coefficients["overlap"].value == 0


def test_a_topic_is_what_its_documents_alone_would_give() -> None:
    """All pairs are resampled at once there; each on its own gives the same."""
    labels, _ = simulated(accuracies=[0.9, 0.7, 0.5], items=90, topics=3, missing=0.3)
    by_topic = agree(labels, coefficients=["all"], resamples=150, per_query=True)
    for one in by_topic.queries:
        own = labels.among(labels.query == labels.queries.index(one.query))
        alone = agree(own, coefficients=["all"], resamples=150)
        assert one.documents == alone.documents
        for name, estimate in alone.overall.items():
            assert one.coefficients[name].value == pytest.approx(estimate.value)
            ends_of = one.coefficients[name].interval
            assert (ends_of.low, ends_of.high) == pytest.approx(ends(alone, name))


def test_intervals_are_over_topics_where_there_are_several() -> None:
    labels, _ = simulated(accuracies=[0.8, 0.8])
    assert agree(labels).units.over == "queries"
    assert agree(labels).units.drawn_from == 20
    alone = labels.among(labels.query == 3)
    assert agree(alone).units.over == "documents"
    assert agree(alone).units.drawn_from == 30


def test_intervals_are_those_of_a_plain_bootstrap() -> None:
    """Against one that draws queries, or documents, and computes everything again."""
    labels, _ = simulated(accuracies=[0.8, 0.6], items=120, topics=12)
    for one in (labels, labels.among(np.isin(labels.query, [5]))):
        named = ["kappa", "alpha-ordinal", "overlap"]
        found = agree(one, coefficients=named, resamples=1000, interval="percentile")
        random = np.random.default_rng(9)
        drawn: dict[str, list[float]] = {name: [] for name in found.overall}
        by_topic = found.units.over == "queries"
        parts = (
            [np.flatnonzero(one.query == topic) for topic in range(12)]
            if by_topic
            else [np.array([item]) for item in range(len(one))]
        )
        for _ in range(120):
            chosen = [parts[at] for at in random.integers(0, len(parts), len(parts))]
            topic = np.repeat(np.arange(len(chosen)), [len(part) for part in chosen])
            rows = np.concatenate(chosen)
            again = Labels(
                one.judges,
                tuple(map(str, range(len(chosen)))),
                topic if by_topic else topic * 0,
                one.docs[rows],
                one.grades,
                one.level[rows],
            )
            for name, value in agree(again, coefficients=list(drawn), resamples=1).overall.items():
                drawn[name].append(value.value)
        for name, values in drawn.items():
            low, high = np.nanquantile(values, [0.025, 0.975])
            spread = high - low
            assert ends(found, name) == pytest.approx((low, high), abs=0.3 * spread)


def test_batches_say_as_much_as_documents() -> None:
    """Of many documents that differ, a thousand batches are drawn: the normal interval holds."""
    labels, _ = simulated(accuracies=[0.7] * 8, items=6000, topics=1, grades=4)
    units = ResamplingUnits.of(labels)
    assert (units.count, units.drawn_from) == (_BATCHES, 6000)
    found = agree(labels, coefficients=["agreement"])
    times = np.stack([(labels.level == k).sum(axis=1) for k in range(4)])
    each = (times * (times - 1)).sum(axis=0) / (8 * 7)
    half = 1.96 * each.std() / np.sqrt(6000)
    low, high = ends(found, "agreement")
    assert (high - low) / 2 == pytest.approx(half, rel=0.1)
    assert low < each.mean() < high


def test_intervals_cover_the_truth() -> None:
    """Over many samples of one population, about 95% of the intervals hold its kappa."""
    whole, _ = simulated(accuracies=[0.8, 0.7], items=40_000, topics=4000, seed=3)
    truth = agree(whole, coefficients=["kappa"], resamples=1).overall["kappa"].value
    held = 0
    for start in range(0, 4000, 40):
        part = whole.among((whole.query >= start) & (whole.query < start + 40))
        low, high = ends(agree(part, coefficients=["kappa"], resamples=500), "kappa")
        held += low <= truth <= high
    assert 88 <= held <= 100  # of 100; fewer than 88 would come once in 500 times


def test_the_same_seed_gives_the_same_intervals() -> None:
    labels, _ = simulated(accuracies=[0.8, 0.6])
    drawn = [ends(agree(labels, interval="percentile", seed=seed), "kappa") for seed in (0, 0, 1)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert ends(agree(labels), "kappa") == ends(agree(labels, seed=1), "kappa")  # nothing is drawn


@pytest.mark.parametrize("topics", [8, 1])
def test_the_default_leaves_out_a_query_or_a_document_at_a_time(topics: int) -> None:
    """Against a jackknife that measures agreement anew without each unit."""
    labels, _ = simulated(accuracies=[0.8, 0.6, 0.7], items=40, topics=topics, missing=0.1)
    names = ["agreement", "kappa", "alpha-nominal", "AC1", "overlap"]
    found = agree(labels, coefficients=names)
    of = labels.query if topics > 1 else np.arange(len(labels))
    units = np.unique(of[labels.shared])
    for name in names:
        without = [
            agree(labels.among(of != unit), coefficients=[name]).overall[name].value
            for unit in units
        ]
        n = len(units)
        error = np.sqrt((n - 1) / n * np.sum((without - np.mean(without)) ** 2))
        reach = stats.t.ppf(0.975, n - 1) * error
        value = found.overall[name].value
        lowest = 0.0 if name in ("agreement", "overlap") else -1.0
        wanted = max(value - reach, lowest), min(value + reach, 1.0)
        assert ends(found, name) == pytest.approx(wanted), name


def test_without_disagreement_there_is_no_spread() -> None:
    found = agree(labels_of([[1, 0, 1, 0], [1, 0, 1, 0]]), coefficients=["kappa"])
    assert found.overall["kappa"].value == 1
    assert np.isnan(ends(found, "kappa")).all()


def test_an_interval_that_there_is_none_of_is_refused() -> None:
    labels, _ = simulated(accuracies=[0.8, 0.6])
    with pytest.raises(OptionError, match="interval='bca'"):
        agree(labels, interval="bca")


def test_one_grade_throughout() -> None:
    found = agree(labels_of([[0, 0, 0], [0, 0, 0]]), coefficients=["all"])
    assert found.one_grade == 0
    for name, one in found.overall.items():
        assert np.isnan(one.value) if name == "overlap" else one.value == 1
    mixed = agree(labels_of([[0, 0, 1], [0, 0, 0]]))
    assert mixed.one_grade is None


def test_one_document_tells_nothing_of_spread() -> None:
    found = agree(labels_of([[1], [0]]), coefficients=["all"])
    assert found.overall["agreement"].value == 0
    assert np.isnan(found.overall["agreement"].interval.low)


def test_a_pair_that_shares_one_topic_has_no_interval_over_topics() -> None:
    labels = Labels.of(
        {
            "ann": {"q1": {"a": 1, "b": 0}, "q2": {"a": 1, "b": 0}},
            "bob": {"q1": {"a": 1, "b": 1}, "q2": {"a": 1, "b": 0}},
            "eve": {"q1": {"a": 1, "b": 1}},
        }
    )
    found = agree(labels)
    assert not np.isnan(found.pair("ann", "bob").coefficients["agreement"].interval.low)
    assert np.isnan(found.pair("ann", "eve").coefficients["agreement"].interval.low)


def test_a_pair_that_shares_nothing_has_no_value() -> None:
    labels = Labels.of(
        {
            "ann": {"q1": {"a": 1}},
            "bob": {"q1": {"a": 1}, "q2": {"b": 0}},
            "eve": {"q2": {"b": 1}},
        }
    )
    found = agree(labels, coefficients=["all"])
    pair = found.pair("ann", "eve")
    assert pair.documents == 0
    assert all(np.isnan(one.value) for one in pair.coefficients.values())
    assert found.overall["agreement"].value == 0.5


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (labels_of([[1, 0]]), "there is one judge only, 'judge 0'"),
        (
            labels_of([[1, None], [None, 1]]),
            "judge 0 judged 'd0000' for 'q0', judge 1 judged 'd0001' for 'q0'",
        ),
    ],
)
def test_nothing_to_compare(labels: Labels, message: str) -> None:
    with pytest.raises(InputError, match=message):
        agree(labels)


def test_settings_that_do_not_exist() -> None:
    labels = labels_of_table([[5, 1], [1, 5]])
    with pytest.raises(OptionError, match="confidence=1"):
        agree(labels, confidence=1)
    with pytest.raises(OptionError, match="resamples=0"):
        agree(labels, resamples=0)
    with pytest.raises(OptionError, match=r"resamples=1\.5"):
        agree(labels, resamples=1.5)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="seed=-1"):
        agree(labels, seed=-1)


def test_how_judges_lean() -> None:
    found = agree(labels_of([[2, 2, 1, 3], [1, 2, 0, None], [0, 2, 1, None]]))
    kind, middle, strict = found.leanings
    assert (kind.documents, middle.documents) == (3, 3)  # the fourth document has one judge
    assert kind.mean == pytest.approx(5 / 3)
    assert kind.difference.value == pytest.approx(np.mean([2 - 0.5, 0, 1 - 0.5]))
    assert kind.above == pytest.approx(2 / 3)
    assert middle.below == pytest.approx(1 / 3)
    assert strict.difference.value == pytest.approx(np.mean([0 - 1.5, 0, 1 - 0.5]))
    assert sum(one.difference.value for one in found.leanings) == pytest.approx(0)


def test_a_judge_who_shares_nothing_does_not_lean() -> None:
    labels = Labels.of({"ann": {"q": {"a": 1}}, "bob": {"q": {"a": 1}}, "eve": {"q": {"b": 1}}})
    leaning = agree(labels).leanings[2]
    assert leaning.documents == 0
    assert np.isnan(leaning.difference.value)


def test_documents_in_dispute() -> None:
    labels = labels_of([[0, 0, 1, 2], [3, 0, 2, 2], [0, 0, None, 2]])
    found = disputed_documents(labels, 10)
    assert [one.document for one in found] == ["d0000", "d0002"]
    assert found[0].distance == pytest.approx(2)
    assert found[0].agreement == pytest.approx(1 / 3)
    assert found[1].grades == {"judge 0": 1.0, "judge 1": 2.0}
    assert len(disputed_documents(labels, 1)) == 1
