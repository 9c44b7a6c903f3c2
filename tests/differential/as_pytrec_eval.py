"""Compare Cleverdon with pytrec_eval.

Limits of pytrec_eval:

- it rejects grades that are not whole numbers;
- for a query whose grades are all below 0, trec_eval reads uninitialised memory and may crash, so
  such queries get one more judgment of grade 0, of a document that is never returned;
- `num_rel` respects the relevance level per query, but not in trec_eval's summary;
- interpolated precision of an empty ranking is 0 / 0 = NaN, and counts as 0 here.
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
    """Add a judgment of grade 0 to queries that have only grades below 0."""
    judged = {query: {doc: int(g) for doc, g in grades.items()} for query, grades in qrels.items()}
    for grades in judged.values():
        if max(grades.values()) < 0:
            grades["never returned"] = 0
    return judged


def _as_trec_eval_9(measure: Measure) -> dict[str, str]:
    """Return the parameter that rounds a share of R as trec_eval 9 does; version 10 differs."""
    return {"rounding": "trec_eval-9"} if "rounding" in measure.defaults else {}


def disagreements(
    collection: Collection, names: tuple[str, ...], *, rel: int = 1, judged_only: bool = False
) -> list[str]:
    """Describe each difference between Cleverdon and pytrec_eval in a sentence."""
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
    assert evaluated == oracle.keys()  # both leave out queries that are not in the run
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
