"""Tools that take document ids: results and judgments."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

from cleverdon.auditing.formulas import (
    average_precision,
    average_precision_of_labels,
    dcg,
    hit,
    ndcg,
    precision,
    recall,
    reciprocal_rank,
)
from cleverdon.auditing.rankings import CUT, Order, Ranking
from cleverdon.auditing.tools import TOOLS, Promise, Tool, Undocumented, attempt, said
from cleverdon.errors import CleverdonError


def _lists(ranking: Ranking) -> tuple[list[list[str]], list[list[str]]]:
    """Return results, best first, and relevant documents, query by query."""
    queries = ranking.queries.values()
    return [list(q.given().docs) for q in queries], [sorted(q.given().relevant) for q in queries]


_TREC_EVAL = "trec_eval -h -m all_trec"


@TOOLS.register
class PytrecEval(Tool):
    """pytrec_eval, which wraps trec_eval 9."""

    name = "pytrec_eval"
    package = "pytrec_eval-terrier"
    module = "pytrec_eval"
    about = "trec_eval's measures for dicts of judgments and scores"
    skips_missing = True
    cannot: ClassVar[Mapping[str, str]] = {"duplicates": "takes a dict of documents"}
    promises = (
        Promise(
            "map",
            "The precision after each relevant document that is retrieved, averaged for the topic.",
            _TREC_EVAL,
            lambda order: said(average_precision(order)),
        ),
        Promise(
            f"P_{CUT}",
            "Precision at cut-offs in the ranking; if fewer documents are retrieved than the "
            "cut-off, nonrelevant documents fill in the rest.",
            _TREC_EVAL,
            lambda order: precision(order, CUT),
        ),
        Promise(
            f"recall_{CUT}",
            "Relevant documents retrieved by all relevant ones, at cut-offs in the ranking; "
            "nonrelevant documents fill in the rest.",
            _TREC_EVAL,
            lambda order: said(recall(order, CUT)),
        ),
        Promise(
            "recip_rank",
            "The reciprocal rank of the first relevant document that is retrieved.",
            _TREC_EVAL,
            lambda order: said(reciprocal_rank(order) if order.relevant else None),
        ),
        Promise(
            f"ndcg_cut_{CUT}",
            "nDCG as Järvelin and Kekäläinen define it, at cut-offs; gains are the grades in the "
            "qrels file.",
            _TREC_EVAL,
            lambda order: said(ndcg(order, CUT)),
        ),
    )

    def compute(self, ranking: Ranking) -> Mapping[str, float | Exception]:
        # Only if this tool is audited.
        import pytrec_eval

        qrels = {
            name: {doc: int(grade) for doc, grade in query.judged.items()}
            for name, query in ranking.queries.items()
        }
        run = {name: dict(q.results) for name, q in ranking.queries.items() if not q.missing}
        wanted = {"map", f"P.{CUT}", f"recall.{CUT}", "recip_rank", f"ndcg_cut.{CUT}"}
        found = list(pytrec_eval.RelevanceEvaluator(qrels, wanted).evaluate(run).values())
        names = [promise.measure for promise in self.promises]
        return {name: sum(one[name] for one in found) / len(found) for name in names}


_IR_MEASURES = "https://ir-measur.es/en/latest/measures.html"


@TOOLS.register
class IrMeasures(Tool):
    """ir_measures, a common interface to several libraries."""

    name = "ir_measures"
    package = "ir_measures"
    module = "ir_measures"
    about = "one interface to trec_eval, gdeval, cwl_eval and others"
    silent = frozenset({"missing query", "duplicates"})
    promises = (
        Promise(
            "AP",
            "The mean of the precision scores at each relevant item returned in a search results "
            "list.",
            _IR_MEASURES,
            lambda order: said(average_precision(order)),
        ),
        Promise(
            f"P@{CUT}",
            "The percentage of documents in the top cutoff results that are labeled as relevant.",
            _IR_MEASURES,
            lambda order: precision(order, CUT),
        ),
        Promise(
            f"R@{CUT}",
            "The fraction of relevant documents for a query that have been retrieved by rank k.",
            _IR_MEASURES,
            lambda order: said(recall(order, CUT)),
        ),
        Promise(
            f"RR@{CUT}",
            "The reciprocal of the rank of the highest-scoring relevant document.",
            _IR_MEASURES,
            lambda order: reciprocal_rank(order, CUT),
        ),
        Promise(
            f"nDCG@{CUT}",
            "Uses graded labels; normalized by the ideal, documents ranked in descending order of "
            "graded label.",
            _IR_MEASURES,
            lambda order: said(ndcg(order, CUT)),
        ),
        Promise(
            f"Success@{CUT}",
            "1 if a document with at least rel relevance is found in the first cutoff documents, "
            "else 0.",
            _IR_MEASURES,
            lambda order: hit(order, CUT),
        ),
    )

    def compute(self, ranking: Ranking) -> Mapping[str, float | Exception]:
        # Only if this tool is audited.
        import ir_measures

        qrels = [
            ir_measures.Qrel(name, doc, int(grade))
            for name, query in ranking.queries.items()
            for doc, grade in query.judged.items()
        ]
        run = [
            ir_measures.ScoredDoc(name, doc, score)
            for name, query in ranking.queries.items()
            for doc, score in query.results
        ]

        def measured(name: str, _: Ranking) -> float:
            measure = ir_measures.parse_measure(name)
            return float(ir_measures.calc_aggregate([measure], qrels, run)[measure])

        return attempt(
            ranking, {one.measure: partial(measured, one.measure) for one in self.promises}
        )


_RAGAS = "https://docs.ragas.io/en/stable/concepts/metrics/available_metrics/"


def _context_precision(order: Order) -> float:
    return said(average_precision_of_labels([doc in order.relevant for doc in order.docs]))


def _id_precision(order: Order) -> tuple[float, ...]:
    """Read "number of retrieved context IDs" as distinct ones, or as all."""
    if not order.docs:
        raise Undocumented
    found = [doc for doc in order.docs if doc in order.relevant]
    distinct = len(set(found)) / len(set(order.docs))
    return (distinct, len(found) / len(order.docs))


@TOOLS.register
class Ragas(Tool):
    """Ragas: retrieval metrics for retrieval-augmented generation that need no language model."""

    name = "ragas"
    package = "ragas"
    module = "ragas"
    about = "context precision and recall of retrieved passages"
    cannot: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("ties", "tied grades", "low scores", "close scores"), "takes lists, without scores"
    )
    silent = frozenset({"missing query"})
    promises = (
        Promise(
            "NonLLMContextPrecisionWithReference",
            "The sum of Precision@k x v_k over the total number of relevant items in the top K "
            "results, K being all retrieved contexts.",
            f"{_RAGAS}context_precision/",
            _context_precision,
        ),
        Promise(
            "IDBasedContextPrecision",
            "Number of retrieved context IDs found in reference context IDs, over the total number "
            "of retrieved context IDs.",
            f"{_RAGAS}context_precision/",
            _id_precision,
        ),
        Promise(
            "IDBasedContextRecall",
            "Number of reference context IDs found in retrieved context IDs, over the total number "
            "of reference context IDs.",
            f"{_RAGAS}context_recall/",
            lambda order: said(recall(order)),
        ),
    )

    def compute(self, ranking: Ranking) -> Mapping[str, float | Exception]:
        # Only if this tool is audited.
        import asyncio

        import ragas
        from ragas import metrics

        def measured(name: str, ranking: Ranking) -> float:
            values: list[float] = []
            for found, wanted in zip(*_lists(ranking), strict=True):
                # Texts that have nothing in common, so that they are either equal or far apart.
                sample = ragas.SingleTurnSample(
                    retrieved_context_ids=found,
                    reference_context_ids=wanted,
                    retrieved_contexts=[doc * 9 for doc in found],
                    reference_contexts=[doc * 9 for doc in wanted],
                )
                metric = getattr(metrics, name)()
                values.append(asyncio.run(metric.single_turn_ascore(sample)))
            known = [value for value in values if value == value]  # it averages all but NaN
            return sum(known) / len(known)

        return attempt(
            ranking, {one.measure: partial(measured, one.measure) for one in self.promises}
        )


_SPARK = (
    "https://spark.apache.org/docs/latest/api/python/reference/api/"
    "pyspark.mllib.evaluation.RankingMetrics.html"
)


def _spark_precision(order: Order) -> tuple[float, ...]:
    return (precision(order, CUT, unique=True), precision(order, CUT))


@TOOLS.register
class PySpark(Tool):
    """PySpark: RankingMetrics of MLlib, which need Java."""

    name = "pyspark"
    package = "pyspark"
    module = "pyspark"
    about = "RankingMetrics of Spark's MLlib"
    cannot: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("ties", "tied grades", "low scores", "close scores"), "takes lists, without scores"
    )
    silent = frozenset({"missing query"})
    promises = (
        Promise(
            f"precisionAt({CUT})",
            "#(relevant items retrieved) / k, also where fewer than k results are returned; zero "
            "for a query with an empty ground truth set.",
            _SPARK,
            _spark_precision,
        ),
        Promise(
            f"recallAt({CUT})",
            "#(relevant items retrieved) / #(ground truth set); zero for a query with an empty "
            "ground truth set.",
            _SPARK,
            lambda order: recall(order, CUT) or 0.0,
        ),
        Promise(
            "meanAveragePrecision",
            "The mean average precision (MAP) of all the queries; zero for a query with an empty "
            "ground truth set.",
            _SPARK,
            lambda order: average_precision(order) or 0.0,
        ),
        Promise(
            f"meanAveragePrecisionAt({CUT})",
            "The mean average precision (MAP) at first k ranking of all the queries; zero for a "
            "query with an empty ground truth set.",
            _SPARK,
            lambda order: tuple(
                average_precision(order, CUT, over=over) or 0.0
                for over in (len(order.relevant), min(len(order.relevant), CUT))
            ),
        ),
        Promise(
            f"ndcgAt({CUT})",
            "Since 3.4.0, it supports ndcg evaluation with relevance value: the sum of "
            "(2^relevance - 1) / log(i + 1), divided by the DCG value on the ground truth set; "
            "zero for a query with an empty ground truth set.",
            _SPARK,
            lambda order: ndcg(order, CUT, gain="exponential") or 0.0,
        ),
    )
    _session: Any = None
    _started = False  # by the audit, and not by whoever called it

    @classmethod
    def need(cls) -> None:
        super().need()
        if "JAVA_HOME" not in os.environ and shutil.which("java") is None:
            raise CleverdonError("cleverdon audit pyspark needs Java 17, which is not installed")

    def compute(self, ranking: Ranking) -> Mapping[str, float | Exception]:
        # Only if this tool is audited.
        from pyspark.mllib.evaluation import RankingMetrics

        rows: list[tuple[Any, ...]] = list(zip(*_lists(ranking), strict=True))
        if ranking.graded:
            grades = [query.judged for query in ranking.queries.values()]
            rows = [
                (found, wanted, [float(judged[doc]) for doc in wanted])
                for (found, wanted), judged in zip(rows, grades, strict=True)
            ]
        metrics: Any = RankingMetrics(self._context().parallelize(rows, 1))
        return attempt(
            ranking,
            {
                f"precisionAt({CUT})": lambda _: metrics.precisionAt(CUT),
                f"recallAt({CUT})": lambda _: metrics.recallAt(CUT),
                "meanAveragePrecision": lambda _: metrics.meanAveragePrecision,
                f"meanAveragePrecisionAt({CUT})": lambda _: metrics.meanAveragePrecisionAt(CUT),
                f"ndcgAt({CUT})": lambda _: metrics.ndcgAt(CUT),
            },
        )

    def _context(self) -> Any:
        if self._session is None:
            # Only if this tool is audited.
            from pyspark.sql import SparkSession

            self._started = SparkSession.getActiveSession() is None
            builder: Any = SparkSession.builder
            settings = {
                "spark.ui.enabled": "false",
                "spark.ui.showConsoleProgress": "false",
                "spark.sql.shuffle.partitions": "1",
                # It lives for seconds: code that is compiled fast is better than fast code.
                "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            }
            builder = builder.master("local[1]").appName("cleverdon audit")
            for name, value in settings.items():
                builder = builder.config(name, value)
            self._session = builder.getOrCreate()
            self._session.sparkContext.setLogLevel("OFF")
        return self._session.sparkContext

    def close(self) -> None:
        if self._started:
            self._session.stop()
        self._session, self._started = None, False


_MLFLOW = "https://mlflow.org/docs/latest/api_reference/python_api/mlflow.metrics.html"


def _mlflow_precision(order: Order) -> tuple[float, ...]:
    returned = min(CUT, len(order.docs))
    if not returned:
        return (0.0,)
    found = [doc for doc in order.docs[:CUT] if doc in order.relevant]
    return tuple(count / returned for count in (len(set(found)), len(found)))


def _mlflow_recall(order: Order) -> float:
    if not order.relevant:
        return float(not order.docs)
    return recall(order, CUT) or 0.0


def _mlflow_ndcg(order: Order) -> float:
    """A document that is returned again is another document, as the documentation says."""
    if not order.relevant:
        return float(not order.docs)
    again = len([doc for doc in order.docs[:CUT] if doc in order.relevant])
    again -= len({doc for doc in order.docs[:CUT] if doc in order.relevant})
    best = dcg([1.0] * (len(order.relevant) + again), CUT)
    return dcg([float(doc in order.relevant) for doc in order.docs], CUT) / best


@TOOLS.register
class MLflow(Tool):
    """MLflow: metrics of retrievers."""

    name = "mlflow"
    package = "mlflow-skinny"
    module = "mlflow"
    about = "precision_at_k, recall_at_k and ndcg_at_k of retrievers"
    cannot: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("ties", "tied grades", "low scores", "close scores"), "takes lists, without scores"
    )
    silent = frozenset({"missing query"})
    promises = (
        Promise(
            f"precision_at_k({CUT})",
            "Relevant retrieved doc IDs in the top x ranked docs over x, where x = min(k, # of "
            "retrieved doc IDs).",
            _MLFLOW,
            _mlflow_precision,
        ),
        Promise(
            f"recall_at_k({CUT})",
            "Unique relevant retrieved doc IDs in the top k over ground truth doc IDs; with no "
            "ground truth 1 if nothing is retrieved, else 0.",
            _MLFLOW,
            _mlflow_recall,
        ),
        Promise(
            f"ndcg_at_k({CUT})",
            "NDCG@k with binary relevance by sklearn.metrics.ndcg_score; with no ground truth 1 if "
            "nothing is retrieved, else 0; duplicates are treated as different docs.",
            _MLFLOW,
            _mlflow_ndcg,
        ),
    )

    @classmethod
    def installed(cls) -> str:
        # Both packages have the metrics.
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version("mlflow")
        except PackageNotFoundError:
            return super().installed()

    def compute(self, ranking: Ranking) -> Mapping[str, float | Exception]:
        # Only if this tool is audited.
        import pandas
        from mlflow import metrics

        found, wanted = _lists(ranking)

        def measured(name: str, _: Ranking) -> float:
            function = getattr(metrics, name)(CUT).eval_fn
            value = function(pandas.Series(found), pandas.Series(wanted))
            return float(value.aggregate_results["mean"])

        names = ("precision_at_k", "recall_at_k", "ndcg_at_k")
        return attempt(ranking, {f"{name}({CUT})": partial(measured, name) for name in names})


_SBERT = "https://sbert.net/docs/package_reference/sentence_transformer/evaluation.html"


def _sbert(formula: Callable[[Order], float | None]) -> Callable[[Order], float]:
    return lambda order: said(formula(order) if order.relevant else None)


@TOOLS.register
class SentenceTransformers(Tool):
    """sentence-transformers: InformationRetrievalEvaluator, without a model."""

    name = "sentence-transformers"
    package = "sentence-transformers"
    module = "sentence_transformers"
    about = "InformationRetrievalEvaluator"
    cannot: ClassVar[Mapping[str, str]] = {
        "duplicates": "returns each document of the corpus once",
        **dict.fromkeys(
            ("missing query", "empty list", "nothing at all"), "searches the corpus for every query"
        ),
    }
    promises = (
        Promise(
            f"accuracy@{CUT}",
            "Accuracy at k: at least one relevant document is among the top k.",
            _SBERT,
            _sbert(lambda order: hit(order, CUT)),
        ),
        Promise(
            f"precision@{CUT}",
            "Precision at k, given a set of relevant document IDs.",
            _SBERT,
            _sbert(lambda order: precision(order, CUT)),
        ),
        Promise(
            f"recall@{CUT}",
            "Recall at k, given a set of relevant document IDs.",
            _SBERT,
            _sbert(lambda order: recall(order, CUT)),
        ),
        Promise(
            f"mrr@{CUT}",
            "Mean reciprocal rank at k.",
            _SBERT,
            _sbert(lambda order: reciprocal_rank(order, CUT)),
        ),
        Promise(
            f"ndcg@{CUT}",
            "Normalized discounted cumulative gain at k, given a set of relevant document IDs.",
            _SBERT,
            _sbert(lambda order: ndcg(order, CUT, gain="binary")),
        ),
        Promise(
            f"map@{CUT}",
            "Mean average precision at k, given a set of relevant document IDs.",
            _SBERT,
            lambda order: tuple(
                said(average_precision(order, CUT, over=over))
                for over in (len(order.relevant), min(len(order.relevant), CUT))
            ),
        ),
    )

    def compute(self, ranking: Ranking) -> Mapping[str, float | Exception]:
        # Only if this tool is audited.
        from sentence_transformers.evaluation import InformationRetrievalEvaluator

        queries = ranking.queries
        docs = {doc for query in queries.values() for doc in query.judged}
        evaluator = InformationRetrievalEvaluator(
            queries={name: name for name in queries},
            corpus={doc: doc for doc in sorted(docs)},
            relevant_docs={name: query.given().relevant for name, query in queries.items()},
            mrr_at_k=[CUT],
            ndcg_at_k=[CUT],
            accuracy_at_k=[CUT],
            precision_recall_at_k=[CUT],
            map_at_k=[CUT],
        )
        results = [
            [{"corpus_id": doc, "score": score} for doc, score in queries[name].results]
            for name in evaluator.queries_ids
        ]
        found = evaluator.compute_metrics(results)
        return {f"{name[:-2]}@{CUT}": float(values[CUT]) for name, values in found.items()}
