"""Aggregated judgments as files: qrels, and beside them how sure each grade is."""

from __future__ import annotations

import os
from pathlib import Path

from cleverdon.judge.aggregation.aggregating import Aggregated
from cleverdon.read import name_of
from cleverdon.read.write import write_file


def beside(path: str | os.PathLike[str]) -> Path:
    """The file of confidences that belongs to a file of judgments.

    >>> beside("out/qrels.2026.txt.gz").as_posix()
    'out/qrels.2026.confidence.tsv'
    """
    given = Path(path)
    return given.with_name(f"{name_of(given.name)}.confidence.tsv")


def write_aggregated(found: Aggregated, path: str | os.PathLike[str]) -> Path:
    """Write the grades as judgments, in the format of the name's ending, and confidences beside.

    What is returned is the second file's name. It is a table: query, document, grade, confidence,
    how many judges, and, where Dawid and Skene's estimate was made, how likely each grade is.
    """
    found.judgments.write(path)
    estimate, scale = found.estimate, [f"{grade:g}" for grade in found.labels.grades]
    header = ["query_id", "doc_id", "grade", "confidence", "judges"]
    header += [f"p({grade})" for grade in scale] if estimate else []
    lines = ["\t".join(header)]
    for at, (query, doc, grade, confidence, judges) in enumerate(found.rows()):
        cells = [query, doc, f"{grade:.10g}", f"{confidence:.6f}", str(judges)]
        if estimate:
            cells += [f"{share:.6f}" for share in estimate.probability[at].tolist()]
        lines.append("\t".join(cells))
    other = beside(path)
    write_file(os.fspath(other), ("\n".join(lines) + "\n").encode())
    return other
