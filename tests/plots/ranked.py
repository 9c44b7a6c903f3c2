"""Scores with rankings that are written as grades down the page, and made ones."""

from __future__ import annotations

import random
from typing import Any

from cleverdon import Scores, evaluate


def ranked(systems: dict[str, dict[str, str]], measures: Any = "AP", **options: Any) -> Scores:
    """Systems, each with its queries: `1 - 0 | 1` is a ranking, `-` a result that nobody judged.

    Every result is a document of its own; behind `|` are judged documents that were not returned,
    which must be the same for all systems of a query.
    """
    qrels: dict[str, dict[str, float]] = {}
    runs: dict[str, dict[str, dict[str, float]]] = {}
    for system, queries in systems.items():
        runs[system] = {}
        for query, text in queries.items():
            shown, _, unreturned = text.partition("|")
            results: dict[str, float] = {}
            taken: dict[str, int] = {}

            def name(grade: str, taken: dict[str, int] = taken) -> str:
                taken[grade] = taken.get(grade, 0) + 1
                return f"{'u' if grade == '-' else 'd' + grade}.{taken[grade]}"

            judged = qrels.setdefault(query, {})
            for place, grade in enumerate(shown.split()):
                document = name(grade)
                results[document] = 1 - place / 1000
                if grade != "-":
                    judged[document] = float(grade)
            for grade in unreturned.split():
                judged[name(grade)] = float(grade)
            if results:
                runs[system][query] = results
    return evaluate(qrels, runs, measures, keep=100, **options)


def made_rankings(
    systems: int = 3,
    queries: int = 20,
    *,
    documents: int = 30,
    coarse: bool = False,
    measures: Any = "AP",
    **options: Any,
) -> Scores:
    """Systems of different skill on judgments in grades -1 to 2; coarse scores have many ties."""
    draw = random.Random(systems * 1000 + queries)
    qrels = {
        f"t{query:04}": {
            f"d{doc:03}": draw.choice((-1, 0, 0, 0, 1, 1, 2)) for doc in range(documents)
        }
        for query in range(queries)
    }
    runs = {}
    for system in range(systems):
        skill = draw.uniform(0.2, 1.5)
        runs[f"system {system}"] = {
            query: {
                doc: round(skill * grade + draw.gauss(0, 1), 0 if coarse else 9)
                for doc, grade in [*judged.items(), *((f"u{n}", 0) for n in range(10))]
                if draw.random() < 0.8
            }
            for query, judged in qrels.items()
        }
    return evaluate(qrels, runs, measures, keep=5, **options)
