"""One small run and its judgments, in every form in which they can be handed over."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from collections import namedtuple
from collections.abc import Callable
from dataclasses import make_dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import duckdb
import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.ipc
import pyarrow.parquet

from cleverdon import Hits

RUN = {
    "301": {"FT-1": 2.5, "d/2": 2.5, "Ω3": -0.125, "a#b": 1e-300, "x": 1e300},
    "q-2": {"FT-1": 0.1, "only": float("inf"), "y": float("-inf")},
    "303": {"z": 7.0},
}
QRELS = {
    "q-2": {"FT-1": 1.0, "absent": 2.0, "y": 0.0},
    "301": {"d/2": 3.0, "Ω3": -1.0, "none": 0.5},
    "304": {"FT-1": 1.0},
}

Make = Callable[[Path], Any]


def rows(nested: dict[str, dict[str, float]]) -> list[tuple[str, str, float]]:
    return [(query, doc, value) for query, docs in nested.items() for doc, value in docs.items()]


def run_lines(separator: str = " ", end: str = "\n") -> list[str]:
    return [
        separator.join((query, "Q0", doc, "0", repr(score), "tag")) + end
        for query, doc, score in rows(RUN)
    ]


def qrels_lines(separator: str = " ", end: str = "\n") -> list[str]:
    return [
        separator.join((query, "0", doc, repr(grade))) + end for query, doc, grade in rows(QRELS)
    ]


def file(name: str, content: str | bytes) -> Make:
    def make(folder: Path) -> Path:
        path = folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return make


def zstd(text: bytes) -> bytes:
    sink = pyarrow.BufferOutputStream()
    with pyarrow.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(text)
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


def columns(nested: dict[str, dict[str, float]], number: str) -> dict[str, list[Any]]:
    query, doc, value = zip(*rows(nested), strict=True)
    return {"query_id": list(query), "doc_id": list(doc), number: list(value)}


def texts(lines: Callable[..., list[str]], nested: dict[str, dict[str, float]]) -> dict[str, Make]:
    """TREC's text in all its varieties."""
    plain = "".join(lines())
    packed = plain.encode()
    two = "".join(lines()[:3]).encode(), "".join(lines()[3:]).encode()
    every = lines()
    # The queries first appear in the same order, and then again in another.
    heads = [next(line for line in every if line.split()[0] == query) for query in nested]
    scattered = heads + [line for line in reversed(every) if line not in heads]
    return {
        "trec": file("a.txt", plain),
        "tabs": file("a.txt", "".join(lines("\t"))),
        "blanks and tabs": file("a.txt", "".join("  " + line for line in lines(" \t  "))),
        "crlf": file("a.txt", "".join(lines(end="\r\n"))),
        "no final newline": file("a.txt", plain.rstrip("\n")),
        "no final newline, crlf": file("a.txt", "".join(lines(end="\r\n")).rstrip("\n")),
        "blank lines": file("a.txt", "\n \n" + plain.replace("\n", "\n\n\t\n") + "\r\n\n"),
        "comments": file("a.txt", "# a comment\n#\n" + plain.replace("\n", "\n# one two three\n")),
        "byte order mark": file("a.txt", b"\xef\xbb\xbf" + packed),
        "mark and comment": file("a.txt", b"\xef\xbb\xbf# comment\n" + packed),
        "trailing blanks": file("a.txt", plain.replace("\n", " \t\n")),
        "scattered": file("a.txt", "".join(scattered)),
        "gzip": file("a.txt.gz", gzip.compress(packed)),
        "bzip2": file("a.txt.bz2", bz2.compress(packed)),
        "xz": file("a.txt.xz", lzma.compress(packed)),
        "zstd": file("a.txt.zst", zstd(packed)),
        "two gzips": file("a.gz", gzip.compress(two[0]) + gzip.compress(two[1])),
        "two bzip2s": file("a.bz2", bz2.compress(two[0]) + bz2.compress(two[1])),
        "two xzs": file("a.xz", lzma.compress(two[0]) + lzma.compress(two[1])),
        "two zstds": file("a.zst", zstd(two[0]) + zstd(two[1])),
        "gzip by another name": file("a.txt", gzip.compress(packed)),
    }


def tables(nested: dict[str, dict[str, float]], number: str) -> dict[str, Make]:
    """Columns, on disk and in memory."""
    data = columns(nested, number)
    arrow = pyarrow.table(data)
    frame = pandas.DataFrame(data)
    lines = list(zip(*data.values(), strict=True))
    header = list(data)
    other_order = [2, 0, 1]

    def delimited(separator: str, order: list[int], *, quote: str = "", end: str = "\n") -> str:
        cells = [header, *([q, d, repr(v)] for q, d, v in lines)]
        quoted = [[f"{quote}{cell}{quote}" for cell in line] for line in cells]
        return "".join(separator.join(line[i] for i in order) + end for line in quoted)

    def duck(folder: Path) -> Any:
        return duckdb.connect().from_arrow(arrow)

    def parquet(folder: Path) -> Path:
        pyarrow.parquet.write_table(arrow, folder / "a.parquet")
        return folder / "a.parquet"

    def ipc(name: str, new: Any) -> Make:
        def make(folder: Path) -> Path:
            with new(str(folder / name), arrow.schema) as writer:
                writer.write_table(arrow, max_chunksize=2)
            return folder / name

        return make

    with_extra = frame.assign(extra=1.5, rank_of=[f"{i}" for i in range(len(frame))])
    return {
        "csv": file("a.csv", delimited(",", [0, 1, 2])),
        "csv, other order, crlf": file("a.csv", delimited(",", other_order, end="\r\n")),
        "csv, quoted": file("a.csv", delimited(",", [0, 1, 2], quote='"')),
        "csv, blanks": file("a.csv", delimited(" , ", [0, 1, 2])),
        "csv, mark": file("a.csv", "\ufeff" + delimited(",", [0, 1, 2])),
        "csv, no final newline": file("a.csv", delimited(",", [0, 1, 2]).rstrip("\n")),
        "csv, blank lines": file("a.csv", "\n\n" + delimited(",", [0, 1, 2]).replace("\n", "\n\n")),
        "csv, gzip": file("a.csv.gz", gzip.compress(delimited(",", [0, 1, 2]).encode())),
        "csv by pandas": file("a.csv", with_extra.to_csv(index=False)),
        "csv by polars": file("a.csv", polars.DataFrame(data).write_csv()),
        "tsv": file("a.tsv", delimited("\t", [0, 1, 2])),
        "tsv, other order": file("a.tsv", delimited("\t", other_order)),
        "json": file("a.json", json.dumps(nested)),
        "json, indented": file("a.json", "\n  " + json.dumps(nested, indent=2, ensure_ascii=False)),
        "json, gzip": file("a.json.gz", gzip.compress(json.dumps(nested).encode())),
        "json, mark": file("a.json", "\ufeff" + json.dumps(nested)),
        "parquet": parquet,
        "parquet, gzip": lambda folder: file("b.gz", gzip.compress(parquet(folder).read_bytes()))(
            folder
        ),
        "arrow": ipc("a.arrow", pyarrow.ipc.new_file),
        "arrow stream": ipc("a.arrows", pyarrow.ipc.new_stream),
        "polars": lambda folder: polars.DataFrame(data),
        "polars, categorical": lambda folder: polars.DataFrame(data).with_columns(
            polars.col("query_id", "doc_id").cast(polars.Categorical)
        ),
        "pandas": lambda folder: frame,
        "pandas, objects": lambda folder: frame.astype({"query_id": object, "doc_id": object}),
        "pandas, strings": lambda folder: frame.astype({"query_id": "string", "doc_id": "string"}),
        "pandas, categories": lambda folder: frame.astype(
            {"query_id": "category", "doc_id": "category"}
        ),
        "pandas, arrow": lambda folder: frame.convert_dtypes(dtype_backend="pyarrow"),
        "pandas, other index": lambda folder: with_extra.set_index("extra"),
        "pyarrow": lambda folder: arrow,
        "pyarrow batch": lambda folder: arrow.combine_chunks().to_batches()[0],
        "pyarrow reader": lambda folder: arrow.to_reader(max_chunksize=2),
        "pyarrow, large strings": lambda folder: pyarrow.table(
            [*(column.cast(pyarrow.large_string()) for column in arrow.columns[:2]), data[number]],
            names=header,
        ),
        "duckdb": duck,
    }


def objects(nested: dict[str, dict[str, float]], number: str) -> dict[str, Make]:
    """Plain Python."""
    listed = rows(nested)
    make: Any = namedtuple  # mypy wants to see the names
    tuple_ = make("tuple_", ["extra", number, "doc_id", "query_id"])
    record = make_dataclass("record", ["query_id", "title", "doc_id", number])

    class Loose:
        """As ir_datasets' records: a named tuple's fields, whatever the class is called."""

        _fields = ("query_id", "doc_id", number, "iteration")

        def __init__(self, query: str, doc: str, value: float) -> None:
            self.query_id, self.doc_id, self.iteration = query, doc, "0"
            setattr(self, number, value)

    return {
        "dict": lambda folder: nested,
        "read-only dict": lambda folder: MappingProxyType(
            {query: MappingProxyType(docs) for query, docs in nested.items()}
        ),
        "bytes": lambda folder: {
            q.encode(): {d.encode(): v for d, v in docs.items()} for q, docs in nested.items()
        },
        "tuples": lambda folder: listed,
        "lists": lambda folder: [list(row) for row in listed],
        "generator": lambda folder: iter(listed),
        "named tuples": lambda folder: [tuple_(None, v, d, q) for q, d, v in listed],
        "data classes": lambda folder: [record(q, "", d, v) for q, d, v in listed],
        "records": lambda folder: [Loose(*row) for row in listed],
    }


RUNS: dict[str, Make] = {
    **texts(run_lines, RUN),
    "tag of several words": file("a.run", "".join(run_lines()).replace("tag", "my own tag")),
    **tables(RUN, "score"),
    **objects(RUN, "score"),
}
JUDGMENTS: dict[str, Make] = {
    **texts(qrels_lines, QRELS),
    "beir": file(
        "a.tsv",
        "query-id\tcorpus-id\tscore\n" + "".join(f"{q}\t{d}\t{v}\n" for q, d, v in rows(QRELS)),
    ),
    "beir without a header": file("a.tsv", "".join(f"{q}\t{d}\t{v}\n" for q, d, v in rows(QRELS))),
    **tables(QRELS, "relevance"),
    **objects(QRELS, "relevance"),
}


def same_hits(one: Hits, other: Hits) -> bool:
    """Whether two Hits say the same of every result."""
    arrays = ("query", "rank", "grade", "doc", "tied_from", "tied_to", "returned")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in arrays)
