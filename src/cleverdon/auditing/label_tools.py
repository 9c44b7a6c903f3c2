"""Tools that take labels and scores: they never see what was not returned, nor any id."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

from cleverdon.auditing.formulas import (
    average_precision,
    dcg,
    gain_of,
    hit,
    ndcg,
    precision,
    r_precision,
    recall,
    reciprocal_rank,
)
from cleverdon.auditing.rankings import CUT, Order, QueryResults, Ranking
from cleverdon.auditing.tools import TOOLS, Promise, Refused, Tool, Undocumented, attempt, said

_NO_IDS: Mapping[str, str] = {
    "duplicates": "takes labels, without document ids",
    **dict.fromkeys(
        ("missing query", "empty list", "nothing at all"), "takes labels of what was returned"
    ),
}


def _labels(query: QueryResults) -> tuple[list[float], list[float]]:
    """Return grades and scores in the order of input."""
    grades = [query.judged.get(doc, 0.0) for doc, _ in query.results]
    return grades, [score for _, score in query.results]


def _returned(formula: Callable[[Order], float | None]) -> Callable[[Order], float]:
    """Compute a formula from what was returned alone, since the tool sees nothing else."""
    return lambda order: said(formula(_only_returned(order)))


def _only_returned(order: Order) -> Order:
    return Order(order.docs, order.scores, dict(zip(order.docs, order.grades, strict=True)))


def _mean(compute: Callable[[QueryResults], float], ranking: Ranking) -> float:
    values = [compute(query) for query in ranking.queries.values()]
    return sum(values) / len(values)


def _not_negative(formula: Callable[[Order], float | None]) -> Callable[[Order], float]:
    """Accept no grades below 0, which the documentation excludes without saying what happens."""

    def checked(order: Order) -> float:
        if min(order.grades, default=0) < 0:
            raise Undocumented
        return _returned(formula)(order)

    return checked


_SKLEARN = "https://scikit-learn.org/stable/modules/generated/sklearn.metrics."


def _sklearn_ndcg(order: Order) -> float:
    """Sum grades below 0 as well, as the documentation says: the value may leave 0 to 1."""
    best = dcg(sorted(order.grades, reverse=True), CUT)
    return said(dcg(order.grades, CUT) / best if best else None)


def _lrap(order: Order) -> float | None:
    """The mean over relevant labels of the share of relevant ones among those scored as high."""
    relevant = [score for score, grade in zip(order.scores, order.grades, strict=True) if grade > 0]
    if not relevant:
        return None
    shares = [
        sum(other >= score for other in relevant) / sum(other >= score for other in order.scores)
        for score in relevant
    ]
    return sum(shares) / len(shares)


@TOOLS.register
class ScikitLearn(Tool):
    """scikit-learn: ranking metrics."""

    name = "scikit-learn"
    package = "scikit-learn"
    module = "sklearn"
    about = "ndcg_score, dcg_score and label_ranking_average_precision_score"
    cannot = _NO_IDS
    tolerance = 1e-9
    promises = (
        Promise(
            f"ndcg_score(k={CUT})",
            "Sum the true scores ranked in the order induced by the predicted scores, after "
            "applying a logarithmic discount, divided by the best possible score; ties are "
            "averaged; negative values in y_true may result in an output that is not between 0 "
            "and 1.",
            f"{_SKLEARN}ndcg_score.html",
            _sklearn_ndcg,
            ties="mean",
        ),
        Promise(
            f"dcg_score(k={CUT})",
            "Sum the true scores ranked in the order induced by the predicted scores, after "
            "applying a logarithmic discount; ties are averaged.",
            f"{_SKLEARN}dcg_score.html",
            lambda order: dcg(order.grades, CUT),
            ties="mean",
        ),
        Promise(
            "label_ranking_average_precision_score",
            "The average over each ground truth label of the share of true labels among those with "
            "the same or a higher score.",
            f"{_SKLEARN}label_ranking_average_precision_score.html",
            _returned(_lrap),
            ties="input",
        ),
    )

    def compute(self, ranking: Ranking) -> Mapping[str, float | Exception]:
        # Only if this tool is audited.
        from sklearn import metrics

        def ndcg_score(query: QueryResults) -> float:
            grades, scores = _labels(query)
            return float(metrics.ndcg_score([grades], [scores], k=CUT))

        def dcg_score(query: QueryResults) -> float:
            grades, scores = _labels(query)
            return float(metrics.dcg_score([grades], [scores], k=CUT))

        def lrap(query: QueryResults) -> float:
            grades, scores = _labels(query)
            relevant = [[int(grade > 0) for grade in grades]]
            return float(metrics.label_ranking_average_precision_score(relevant, [scores]))

        return attempt(
            ranking,
            {
                f"ndcg_score(k={CUT})": partial(_mean, ndcg_score),
                f"dcg_score(k={CUT})": partial(_mean, dcg_score),
                "label_ranking_average_precision_score": partial(_mean, lrap),
            },
        )


_TORCHMETRICS = "https://lightning.ai/docs/torchmetrics/stable/retrieval/"


def _binary(formula: Callable[[Order], float | None], *, empty: float = 0.0) -> Any:
    """Refuse grades other than 0 and 1; a query without a relevant label counts as `empty`."""

    def checked(order: Order) -> float:
        if max(order.grades, default=0) > 1 or min(order.grades, default=0) < 0:
            raise Refused
        value = formula(_only_returned(order)) if any(order.grades) else empty
        return said(value)

    return checked


def _torch_ndcg(order: Order) -> float:
    if min(order.grades, default=0) < 0:
        raise Undocumented
    return ndcg(_only_returned(order), CUT) or 0.0


@TOOLS.register
class TorchMetrics(Tool):
    """torchmetrics: retrieval metrics, which need torch."""

    name = "torchmetrics"
    package = "torchmetrics"
    module = "torchmetrics"
    about = "the metrics of torchmetrics.retrieval"
    cannot: ClassVar[Mapping[str, str]] = {
        **_NO_IDS,
        "close scores": "compares in the precision of the tensor",
    }
    tolerance = 1e-5
    promises = (
        Promise(
            "RetrievalMAP()",
            "Average precision, as explained in IR Average precision; queries without a positive "
            "target count as 0.",
            f"{_TORCHMETRICS}map.html",
            _binary(average_precision),
        ),
        Promise(
            "RetrievalMRR()",
            "Reciprocal rank; queries without a positive target count as 0.",
            f"{_TORCHMETRICS}mrr.html",
            _binary(reciprocal_rank),
        ),
        Promise(
            f"RetrievalPrecision(top_k={CUT})",
            "The fraction of relevant documents among all the retrieved documents, at k.",
            f"{_TORCHMETRICS}precision.html",
            _binary(lambda order: precision(order, CUT)),
        ),
        Promise(
            f"RetrievalRecall(top_k={CUT})",
            "The fraction of relevant documents retrieved among all the relevant documents, at k.",
            f"{_TORCHMETRICS}recall.html",
            _binary(lambda order: recall(order, CUT)),
        ),
        Promise(
            f"RetrievalHitRate(top_k={CUT})",
            "1.0 if there is at least one relevant document among all the top k retrieved "
            "documents.",
            f"{_TORCHMETRICS}hit_rate.html",
            _binary(lambda order: hit(order, CUT)),
        ),
        Promise(
            "RetrievalRPrecision()",
            "The fraction of relevant documents among all the top k retrieved documents where k is "
            "equal to the total number of relevant documents.",
            f"{_TORCHMETRICS}r_precision.html",
            _binary(r_precision),
        ),
        Promise(
            f"RetrievalNormalizedDCG(top_k={CUT})",
            "Normalized discounted cumulative gain; queries without a positive target count as 0.",
            f"{_TORCHMETRICS}normalized_dcg.html",
            _torch_ndcg,
            ties="mean",
        ),
    )

    def compute(self, ranking: Ranking) -> Mapping[str, float | Exception]:
        # Only if this tool is audited.
        import torch
        from torchmetrics import retrieval

        labelled = [_labels(query) for query in ranking.queries.values()]
        number = [at for at, (grades, _) in enumerate(labelled) for _ in grades]
        indexes = torch.tensor(number, dtype=torch.long)
        target = torch.tensor([int(one) for grades, _ in labelled for one in grades])
        preds = torch.tensor([float(score) for _, scores in labelled for score in scores])

        def measured(name: str, _: Ranking) -> float:
            called, cut = name.rstrip(")").split("(")
            metric = getattr(retrieval, called)(**({"top_k": CUT} if cut else {}))
            return float(metric(preds, target, indexes=indexes))

        return attempt(
            ranking, {one.measure: partial(measured, one.measure) for one in self.promises}
        )


_LIGHTGBM = "https://lightgbm.readthedocs.io/en/stable/Parameters.html#metric"


@TOOLS.register
class LightGBM(Tool):
    """LightGBM: the ranking metrics with which it stops training."""

    name = "lightgbm"
    package = "lightgbm"
    module = "lightgbm"
    about = "the metrics ndcg and map of ranking models"
    cannot = _NO_IDS
    promises = (
        Promise(
            f"ndcg@{CUT}",
            "NDCG, as Wikipedia defines it; label_gain is by default 0,1,3,7,15,31,...",
            _LIGHTGBM,
            _not_negative(lambda order: ndcg(order, CUT, gain="exponential")),
        ),
        Promise(
            f"map@{CUT}",
            "MAP: average precision over the documents at the evaluation position.",
            _LIGHTGBM,
            lambda order: tuple(
                _not_negative(partial(average_precision, k=CUT, over=over))(order)
                for over in _lightgbm_divisors(order)
            ),
        ),
    )

    def compute(self, ranking: Ranking) -> Mapping[str, float | Exception]:
        # Only if this tool is audited.
        import lightgbm
        import numpy as np

        labelled = [_labels(query) for query in ranking.queries.values()]
        label = np.array([grade for grades, _ in labelled for grade in grades])
        score = np.array([score for _, scores in labelled for score in scores])

        def measured(name: str, _: Ranking) -> float:
            # No tree is grown: the scores that it starts from are those that are evaluated.
            data = lightgbm.Dataset(
                np.zeros((len(label), 1)),
                label=label,
                group=[len(grades) for grades, _ in labelled],
                init_score=score,
                params={"feature_pre_filter": False, "verbosity": -1},
            )
            options = {"objective": "none", "metric": name, "eval_at": [CUT], "verbosity": -1}
            (found,) = lightgbm.Booster({**options, "num_threads": 1}, data).eval_train()
            return float(found[2])

        class Quiet:
            """Ignore what it prints beside the exception that it raises."""

            def info(self, message: str) -> None:
                pass

            warning = info

        lightgbm.register_logger(Quiet())
        names = ("ndcg", "map")
        return attempt(ranking, {f"{name}@{CUT}": partial(measured, name) for name in names})


def _lightgbm_divisors(order: Order) -> tuple[int, int]:
    relevant = len(_only_returned(order).relevant)
    return relevant, min(relevant, CUT)


_POLARS_DS = "the docstring of polars_ds.query_ndcg_score"


@TOOLS.register
class PolarsDs(Tool):
    """polars-ds: nDCG and DCG as expressions."""

    name = "polars-ds"
    package = "polars-ds"
    module = "polars_ds"
    about = "query_ndcg_score and query_dcg_score"
    cannot = _NO_IDS
    tolerance = 1e-9
    promises = (
        Promise(
            f"query_ndcg_score(k={CUT})",
            "The DCG score normalized by the ideal DCG score; with ignore_ties=False, the default, "
            "items with the same score are ranked sequentially.",
            _POLARS_DS,
            _not_negative(lambda order: ndcg(order, CUT)),
        ),
        Promise(
            f"query_ndcg_score(k={CUT}, ignore_ties=True)",
            "If True, handles tied scores by averaging their contributions.",
            _POLARS_DS,
            _not_negative(lambda order: ndcg(order, CUT)),
            ties="mean",
        ),
        Promise(
            f"query_dcg_score(k={CUT})",
            "The discounted cumulative gain; with ignore_ties=False, the default, items with the "
            "same score are ranked sequentially.",
            "the docstring of polars_ds.query_dcg_score",
            _not_negative(
                lambda order: dcg([gain_of(grade, "linear") for grade in order.grades], CUT)
            ),
        ),
    )

    def compute(self, ranking: Ranking) -> Mapping[str, float | Exception]:
        # Only if this tool is audited.
        import polars
        import polars_ds

        def measured(name: str, options: Mapping[str, Any], query: QueryResults) -> float:
            grades, scores = _labels(query)
            frame = polars.DataFrame({"grade": grades, "score": scores})
            asked = getattr(polars_ds, name)("grade", "score", k=CUT, **options)
            return float(frame.select(value=asked)["value"][0])

        calls = {
            f"query_ndcg_score(k={CUT})": ("query_ndcg_score", {}),
            f"query_ndcg_score(k={CUT}, ignore_ties=True)": (
                "query_ndcg_score",
                {"ignore_ties": True},
            ),
            f"query_dcg_score(k={CUT})": ("query_dcg_score", {}),
        }
        return attempt(
            ranking,
            {
                shown: partial(_mean, partial(measured, name, options))
                for shown, (name, options) in calls.items()
            },
        )
