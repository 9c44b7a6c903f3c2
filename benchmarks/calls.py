"""Tools that are called as functions, with objects in memory.

`call` is timed, `tidy` is not. Imports are inside the functions, because a process that measures
one tool must not load the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.inputs import TEST_MEASURES
from benchmarks.peers import (
    DRAWN,
    MEASURES,
    RANX,
    RANX_TIES,
    TREC_EVAL,
    TREC_EVAL_PRINTED,
    Peer,
    Values,
    by_measure,
)

TEST_SYSTEMS = 20
ALL_TESTS = TEST_SYSTEMS * (TEST_SYSTEMS - 1) // 2 * TEST_MEASURES
FEW_TESTS = 4
"""ranx would need most of an hour for all tests; every test takes the same time."""


@dataclass(frozen=True, kw_only=True)
class Call(Peer):
    """A tool that is called with judgments and a run, or with relevance and scores."""

    call: Callable[[Any, Any], Any]
    tidy: Callable[[Any], Values]


def _cleverdon(qrels: Any, run: Any) -> Any:
    import cleverdon

    return cleverdon.evaluate(qrels, run, list(MEASURES))


def _cleverdon_each(scores: Any) -> Values:
    # pytrec_eval gives 0 where a measure is undefined; Cleverdon counts 0 in its means.
    rows = np.nan_to_num(scores.values[0].T, nan=0.0).tolist()
    return {
        query: dict(zip(MEASURES, row, strict=True))
        for query, row in zip(scores.queries, rows, strict=True)
    }


def _cleverdon_means(scores: Any) -> Values:
    return {"mean": dict(zip(MEASURES, scores.means[0].tolist(), strict=True))}


def _pytrec_eval(qrels: Any, run: Any) -> Any:
    import pytrec_eval

    return pytrec_eval.RelevanceEvaluator(qrels, set(TREC_EVAL)).evaluate(run)


def _pytrec_eval_each(results: Any) -> Values:
    return {query: by_measure(values, TREC_EVAL_PRINTED) for query, values in results.items()}


def _ranx(qrels: Any, run: Any) -> Any:
    from ranx import Qrels, Run, evaluate

    return evaluate(
        Qrels.from_df(_for_ranx(qrels), "query_id", "doc_id", "relevance"),
        Run.from_df(_for_ranx(run), "query_id", "doc_id", "score"),
        list(RANX),
    )


def _for_ranx(frame: Any) -> Any:
    """Convert a frame to the only kind that ranx takes: pandas with ids as Python objects."""
    table = frame.to_pandas() if hasattr(frame, "to_pandas") else frame
    ids = [name for name in ("query_id", "doc_id") if table[name].dtype != object]
    return table.astype(dict.fromkeys(ids, object)) if ids else table


def _ranx_means(means: Any) -> Values:
    return {"mean": by_measure(means, RANX)}


def _cleverdon_matrix(relevance: Any, scores: Any) -> Any:
    from cleverdon import Hits
    from cleverdon.measures.graded import nDCG

    return nDCG()(Hits.from_matrix(relevance, scores))


def _sklearn(relevance: Any, scores: Any) -> Any:
    from sklearn.metrics import ndcg_score

    return ndcg_score(relevance, scores)


def _sklearn_no_ties(relevance: Any, scores: Any) -> Any:
    from sklearn.metrics import ndcg_score

    return ndcg_score(relevance, scores, ignore_ties=True)


def _mean(values: Any) -> Values:
    return {"mean": {"nDCG": float(np.mean(values))}}


def _cleverdon_randomisation(values: Any, draws: Any) -> Any:
    from cleverdon.stats.tests import p_values

    first, second = np.triu_indices(len(values), 1)
    differences = (values[first] - values[second]).reshape(-1, values.shape[2])
    return [p.p for p in p_values("randomisation", differences, draws=draws)]


def _ranx_randomisation(values: Any, draws: Any) -> Any:
    from ranx.statistical_tests import fisher_randomization_test

    return [
        fisher_randomization_test(values[0, measure], values[1, measure], draws)[0]
        for measure in range(FEW_TESTS)
    ]


def _first_p_values(found: Any) -> Values:
    return {f"comparison {i}": {"p": float(p)} for i, p in enumerate(found[:FEW_TESTS])}


DICTS = (
    Call(name="cleverdon", module="cleverdon", call=_cleverdon, tidy=_cleverdon_each),
    Call(
        name="pytrec_eval",
        module="pytrec_eval",
        call=_pytrec_eval,
        tidy=_pytrec_eval_each,
        slower=4,
    ),
)
FRAMES = (
    Call(name="cleverdon", module="cleverdon", call=_cleverdon, tidy=_cleverdon_means),
    Call(
        name="ranx",
        module="ranx",
        call=_ranx,
        tidy=_ranx_means,
        tolerance=RANX_TIES,
        slower=10,
    ),
)
MATRIX = (
    Call(name="cleverdon", module="cleverdon", call=_cleverdon_matrix, tidy=_mean),
    Call(name="scikit-learn", module="sklearn", call=_sklearn, tidy=_mean, slower=20),
    # No target: the same function without its treatment of ties, shown for fairness.
    Call(name="scikit-learn ignore_ties", module="sklearn", call=_sklearn_no_ties, tidy=_mean),
)
RANDOMISATION = (
    Call(
        name="cleverdon",
        module="cleverdon",
        call=_cleverdon_randomisation,
        tidy=_first_p_values,
        anonymous=150_000_000,
    ),
    Call(
        name=f"ranx, {FEW_TESTS} of the tests, scaled up",
        module="ranx",
        call=_ranx_randomisation,
        tidy=_first_p_values,
        tolerance=DRAWN,
        slower=20,
        share=FEW_TESTS / ALL_TESTS,
    ),
)
CALLS = {
    "dicts": DICTS,
    "polars": FRAMES,
    "pandas": FRAMES,
    "pandas-object": FRAMES,
    "matrix": MATRIX,
    "randomisation": RANDOMISATION,
}
