"""What pytrec_eval finds, beside what Cleverdon does.

What pytrec_eval cannot do and is not asked to:

- grades that are not whole numbers are refused;
- a query whose grades are all below 0 makes trec_eval read memory that it never wrote, up to a
  crash, so that such queries get one more judgment, of grade 0, of a document never returned;
- `num_rel` counts with the relevance level, but only per query: trec_eval's summary does not;
- interpolated precision of an empty ranking is NaN there, a 0 divided by 0, and is taken as 0 here.
"""

from __future__ import annotations

import math

import numpy as np
import pytrec_eval

from cleverdon import Measure, evaluate, parse
from tests.differential.collections import (
    INTEGER_GRADES,
    MANY,
    SCORES,
    Collection,
    Nested,
    collections,
)

batches = collections(grades=INTEGER_GRADES, scores=SCORES, queries=MANY, fewest=50)


def with_a_grade_of_0(qrels: Nested) -> dict[str, dict[str, int]]:
    """The same judgments with one of grade 0 where a query has only grades below."""
    judged = {query: {doc: int(g) for doc, g in grades.items()} for query, grades in qrels.items()}
    for grades in judged.values():
        if max(grades.values()) < 0:
            grades["never returned"] = 0
    return judged


def _as_trec_eval_9(measure: Measure) -> dict[str, str]:
    """How trec_eval 9 rounds a share of R; version 10 does otherwise."""
    return {"rounding": "trec_eval-9"} if "rounding" in measure.defaults else {}


def disagreements(
    collection: Collection, names: tuple[str, ...], *, rel: int = 1, judged_only: bool = False
) -> list[str]:
    """Where Cleverdon and pytrec_eval differ, a sentence each."""
    qrels = with_a_grade_of_0(collection.qrels)
    oracle = pytrec_eval.RelevanceEvaluator(
        qrels, set(names), relevance_level=rel, judged_docs_only_flag=judged_only
    ).evaluate(collection.run)
    changes = {"judged_only": judged_only} | ({} if rel == 1 else {"rel": rel})
    plain = [parse(name) for name in names]
    measures = [
        type(measure)(**measure.parameters | changes | _as_trec_eval_9(measure))
        for measure in plain
    ]
    scores = evaluate(qrels, collection.run, measures, profile="trec_eval-9")
    evaluated = {query for q, query in enumerate(scores.queries) if scores.evaluated[0, q]}
    assert evaluated == oracle.keys()  # both leave out the queries that the run lacks
    found = []
    for name, measure, values in zip(names, measures, scores.values[0], strict=True):
        for query, ours in zip(scores.queries, np.nan_to_num(values).tolist(), strict=True):
            theirs = oracle[query][name] if query in oracle else ours
            if math.isnan(theirs) and "rounding" in measure.defaults:
                theirs = 0.0
            if not math.isclose(ours, theirs, abs_tol=1e-12):
                rows = (qrels[query], collection.run[query])
                found.append(f"{measure} is {ours}, pytrec_eval's {name} {theirs}: {rows}")
    return found
