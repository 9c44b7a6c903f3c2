"""Estimates from samples, against plain loops and against what the authors' programs print.

infAP is compared with pytrec_eval in tests/differential/test_pytrec_eval.py.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from cleverdon import evaluate, parse
from cleverdon.errors import InputError
from cleverdon.measures.worked import ranking
from tests.measures.plain import same

SMALL = 1e-5

# What sample_eval.pl (NIST, version of October 2011) prints as infAP and infNDCG, and
# statAP_MQ_eval_v4.pl as AP, with more digits, for made-up queries: the ranking written as files.
STRATA = [
    ("0@2 1@1 3@2 1@1 1@2 - - 0@3 0@3 -1@1 | 0@2 0@1 1@2 1@2", 0.4699985000, 0.6171093468),
    ("- 0@2 -1@2 1@2 1@1 - -1@2 | 0@1 1@1", 0.2500021249, 0.4872746907),
    ("3@3 - 0@1 2@2 - -1@1 | 0@3 1@3 -1@1 -1@1", 0.4999991666, 0.8108918607),
    (
        "- -1@1 3@2 1@3 1@1 0@1 1@2 2@1 -1@2 1@3 | 1@3 1@1 3@1 2@2",
        0.3749744359,
        0.4472978450,
    ),
    ("0@3 2@1 2@2 - - - | 1@2 0@3 0@2", 0.3888894444, 0.6012610260),
]
PROBABILITIES = [
    ("0%.1 0%.5 2%.4 1%.25 1%.5 0%.5 | 0%1 2%1 0%.1 1%.4", 0.6111111111),
    (
        "0%1 0%.5 2%.4 0%.4 3%.4 1%1 2%.4 3%.5 2%.25 0%.5 | 1%.1 0%1 0%.1 2%.5",
        0.5120545073,
    ),
    ("0%.5 0%.1 - - 2%.1 - 0%1 2%1 | 0%.1 0%.5 0%.1 2%1", 0.2812500000),
    ("2%.4 0%.5 1%.4 0%.25 3%.5 0%.1 0%.4 0%.1 0%1 | 2%.25 0%.5 1%.1", 0.3722222222),
    ("0%1 0%1 - 0%1 - 0%1 1%.4 - 3%.1 - | 0%.25 0%.25 2%.1", 0.1887125220),
]


@pytest.mark.parametrize(("text", "ap", "ndcg"), STRATA)
def test_as_sample_eval(text: str, ap: float, ndcg: float) -> None:
    hits = ranking(text)
    for k in ("", "@1000"):
        assert parse(f"xinfAP{k}")(hits).tolist() == pytest.approx([ap], abs=1e-9)
        assert parse(f"infNDCG{k}")(hits).tolist() == pytest.approx([ndcg], abs=1e-9)


@pytest.mark.parametrize(("text", "ap"), PROBABILITIES)
def test_as_stat_ap(text: str, ap: float) -> None:
    assert parse("statAP")(ranking(text)).tolist() == pytest.approx([ap], abs=1e-9)


# Plain loops

Pool = dict[str, tuple[int, int, float]]
"""Document to grade, stratum and probability."""


def sampled_topics(seed: int) -> tuple[dict[str, Pool], dict[str, list[str]]]:
    """Pools, and rankings that hold parts of them and others beside."""
    generator = np.random.default_rng(seed)
    pools: dict[str, Pool] = {}
    rankings: dict[str, list[str]] = {}
    for number in range(100):
        docs = [f"d{doc}" for doc in generator.permutation(20)]
        size = int(generator.integers(1, 18))
        pools[f"q{number}"] = {
            doc: (
                int(generator.choice([-1, -1, 0, 0, 1, 2, 3])),
                int(generator.choice([1, 2, 7])),
                float(generator.choice([0.1, 0.25, 0.3, 0.77, 1])),
            )
            for doc in docs[:size]
        }
        returned = generator.permutation(docs)[: int(generator.integers(0, 20))]
        rankings[f"q{number}"] = [str(doc) for doc in returned]
    return pools, rankings


def counts(pool: Pool, docs: list[str], least: int) -> Counter[int]:
    """How many of these documents have at least this grade, by stratum."""
    return Counter(pool[doc][1] for doc in docs if doc in pool and pool[doc][0] >= least)


def x_inf_ap(pool: Pool, order: list[str]) -> float | None:
    everything, drawn, relevant = (counts(pool, list(pool), least) for least in (-1, 0, 1))
    wanted = sum(relevant[s] * everything[s] / drawn[s] for s in relevant)
    total = 0.0
    for i, doc in enumerate(order):
        grade, stratum, _ = pool.get(doc, (-1, 0, 0.0))
        if grade > 0:
            seen, sampled, found = (counts(pool, order[:i], least) for least in (-1, 0, 1))
            above = sum(seen[s] * (found[s] + SMALL) / (sampled[s] + 3 * SMALL) for s in everything)
            total += everything[stratum] / drawn[stratum] * (1 + above) / (i + 1)
    return total / wanted if wanted else None


def inf_ndcg(pool: Pool, order: list[str], k: int | None) -> float | None:
    everything, drawn = (counts(pool, list(pool), least) for least in (-1, 0))
    ideal: list[int] = []
    for grade in (3, 2, 1):
        strata = Counter(s for g, s, _ in pool.values() if g == grade)
        number = sum(Fraction(count * everything[s], drawn[s]) for s, count in strata.items())
        ideal += [grade] * math.floor(number + Fraction(1, 2))
    best = sum(gain / math.log2(rank + 1) for rank, gain in enumerate(ideal[:k], start=1))
    seen, sampled = (counts(pool, order[:k], least) for least in (-1, 0))
    total = 0.0
    for rank, doc in enumerate(order[:k], start=1):
        grade, stratum, _ = pool.get(doc, (-1, 0, 0.0))
        if grade > 0:
            total += seen[stratum] / sampled[stratum] * grade / math.log2(rank + 1)
    return total / best if best else None


def stat_ap(pool: Pool, order: list[str]) -> float | None:
    wanted = sum(1 / p for grade, _, p in pool.values() if grade > 0)
    total = found = 0.0
    for rank, doc in enumerate(order, start=1):
        grade, _, p = pool.get(doc, (-1, 0, 0.0))
        if grade > 0:
            total += (1 + found) / rank / p
            found += 1 / p
    return total / wanted if wanted else None


@pytest.mark.parametrize("seed", range(8))
def test_against_plain_loops(seed: int) -> None:
    pools, rankings = sampled_topics(seed)
    run = {
        query: {doc: -float(rank) for rank, doc in enumerate(order)}
        for query, order in rankings.items()
    }
    strata = [(q, "0", d, s, g) for q, pool in pools.items() for d, (g, s, _) in pool.items()]
    sampled = [(q, d, g, "1", p) for q, pool in pools.items() for d, (g, _, p) in pool.items()]
    by_stratum = evaluate(
        strata, {"run": run}, ["xinfAP", "xinfAP@5", "infNDCG", "infNDCG@5"], qrels_format="strata"
    )
    by_chance = evaluate(sampled, {"run": run}, "statAP", qrels_format="sampled")
    defined = 0
    for query, pool in pools.items():
        order = rankings[query]
        wanted = {
            "xinfAP": x_inf_ap(pool, order),
            "xinfAP@5": x_inf_ap(pool, order[:5]),
            "infNDCG": inf_ndcg(pool, order, None),
            "infNDCG@5": inf_ndcg(pool, order, 5),
        }
        for name, value in wanted.items():
            assert same(by_stratum.per_query("run", name)[query], value), (name, query)
        assert same(by_chance.per_query("run", "statAP")[query], stat_ap(pool, order)), query
        defined += wanted["xinfAP"] is not None
    assert 50 < defined < len(pools)  # both kinds of query were tried


def test_a_pool_judged_as_a_whole_gives_the_measure_itself() -> None:
    grades = [2, 0, None, 1, 0, 1]
    plain = " ".join("-" if g is None else str(g) for g in grades) + " | 1 0"
    for name, mark, measure in (
        ("xinfAP", "@1", "AP"),
        ("infNDCG", "@1", "nDCG"),
        ("statAP", "%1", "AP"),
    ):
        sampled = " ".join(t if t in "-|" else t + mark for t in plain.split())
        assert parse(name)(ranking(sampled)) == pytest.approx(
            parse(measure)(ranking(plain)), abs=1e-4
        )


@pytest.mark.parametrize(("name", "what"), [("xinfAP", "strata"), ("statAP", "probability")])
def test_judgments_without_a_sample(name: str, what: str) -> None:
    with pytest.raises(InputError, match=f"{name} needs the {what}"):
        evaluate({"q": {"d": 1}}, {"q": {"d": 1}}, name)


def test_documents_that_were_not_drawn_stand_for_none() -> None:
    assert parse("statAP")(ranking("1%0 1%.5")).tolist() == [0.5]
    # What is assumed of unjudged results joins a stratum of its own.
    hits = ranking("1@1 - 1@2").assume(1, join=True)
    assert parse("xinfAP")(hits).tolist() == pytest.approx([1], abs=1e-4)
