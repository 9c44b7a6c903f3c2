"""Evaluation in SQL engines: runs are ranked and joined there, by Ibis.

The judgments come to this machine, and go to the engine as a small table of numbered documents.
Window functions number the results of each query; a join keeps the judged ones; and one row for
each query counts the others. So only judged rows leave the engine, as whole numbers, and measures
are computed from the same arrays as everywhere. The order of ids must be that of their bytes:
engines are asked before their answers are believed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl

import ibis
import numpy as np
import pyarrow
from ibis.expr import datatypes

from cleverdon._common.arrays import Ints
from cleverdon._common.progress import Progress
from cleverdon.data import Judgments
from cleverdon.errors import CleverdonError, InputError, OptionError, suggest
from cleverdon.formats.columns import choose_columns
from cleverdon.formats.inputs import is_address, is_in_sql, run_name
from cleverdon.judgment_arrays import NOT_JUDGED
from cleverdon.rank import NAMED, RankedRun, core_order, ranked_hits
from cleverdon.settings import Settings

_LARGEST_SINGLE = 3.4028235677973366e38
"""From here on a number is infinite as float32."""
_SMALLEST_SINGLE = 7.006492321624085e-46
"""Up to here a number is 0 as float32."""
_POSITION = "input_order"
"""The column that has the order of the input, which tables do not have by themselves."""
_PROBES = ("a", "B", "ab", "é", "10", "2", "日", "𝔘", "doc-1", "doc1", "A", "a ")
"""Ids that an order other than that of bytes would put elsewhere."""


@ibis.udf.scalar.builtin(name="convert_to")  # type: ignore[untyped-decorator]
def _bytes_of(text: str, encoding: str) -> datatypes.binary:
    """PostgreSQL's function that returns the bytes of a text."""


_ORDERS: dict[str, Callable[[Any], Any]] = {
    "bigquery": lambda text: text,
    "clickhouse": lambda text: text,
    "duckdb": lambda text: text,
    "postgres": lambda text: _bytes_of(text, "UTF8"),
    "snowflake": lambda text: text,
    "trino": lambda text: text,
}
"""Engines, and what to sort by so that ids stand in the order of their bytes."""


# Addresses


class Table:
    """A table of an engine, with its name for messages and provenance."""

    def __init__(self, rows: Any, source: str, *, backend: Any = None) -> None:
        self.rows = rows
        self.source = source
        self.name = run_name(source) if source else "run"
        self._backend = backend

    @cached_property
    def backend(self) -> Any:
        """The connection of Ibis to its engine."""
        return self._backend or self.rows.get_backend()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Fetch the table, for what has no way to ask the engine."""
        return self.rows.__arrow_c_stream__(requested_schema)

    def read_judgments(self, *, duplicates: str) -> Judgments:
        """Fetch judgments."""
        with _engine_errors(self.source):
            rows = self.backend.to_pyarrow(self.rows)
        try:
            read = Judgments.read(rows, duplicates=duplicates)
        except InputError as error:
            raise InputError(_with_ids(error.message, rows), source=self.source) from None
        return Judgments(read._table, notes=read.notes, name=self.name, source=self.source)

    def rank(
        self,
        judgments: Judgments,
        *,
        settings: Settings,
        name: str | None,
        keep: int = 0,
        also: Iterable[tuple[Settings, bool]] = (),
        part: bool = False,
        progress: Progress | None = None,
    ) -> RankedRun:
        """Rank a run in its engine, and fetch what judgments mention, as `rank.rank` does."""
        if progress is not None:
            progress(f"ranking {name or self.name} in its engine")
        with _engine_errors(self.source):
            engine = _Engine(self, judgments, settings)
            joined = engine.join(settings, keep=keep)
            present = engine.present(joined)
            extra, extra_names = engine.extra()
            if not (part or present.any()):
                found = f"it has {extra_names[0]!r}, " if extra_names else "it has no rows; "
                raise InputError(
                    f"no query of it has judgments: {found}the judgments have "
                    f"{judgments.core.queries[0]!r}; are these the right tables, in the right "
                    "order?",
                    source=self.source,
                )
            others = {}
            for way, elsewhere in also:
                same = not elsewhere and core_order(way) == core_order(settings)
                again = joined if same else engine.join(way, elsewhere=elsewhere)
                others[way, elsewhere] = ranked_hits(judgments, again, way)
        return RankedRun(
            name=name or self.name,
            hits=ranked_hits(judgments, joined, settings),
            present=present,
            source=self.source,
            digest="",
            results=int(joined.returned.sum()),
            tied=joined.tied,
            extra=extra,
            extra_names=extra_names,
            top=joined.top,
            others=others,
        )


@contextmanager
def opened_tables(qrels: Any, runs: Any) -> Iterator[tuple[Any, Any]]:
    """Open the tables of addresses, such as `duckdb:///x.db#run`; name all tables."""
    connections: dict[str, Any] = {}

    def opened(data: Any) -> Any:
        if isinstance(data, ibis.Table):
            return Table(data, _own_name(data))
        return _table_at(data, connections) if is_address(data) else data

    try:
        qrels = opened(qrels)
        if isinstance(runs, Mapping):
            runs = {name: opened(run) for name, run in runs.items()}
        elif isinstance(runs, (list, tuple)) and any(map(is_in_sql, runs)):
            tables = [opened(run) for run in runs]
            names = [run.name if isinstance(run, Table) and run.source else None for run in tables]
            if None not in names and len(set(names)) == len(names):
                runs = dict(zip(names, tables, strict=True))
            else:
                runs = tables
        else:
            runs = opened(runs)
        yield qrels, runs
    finally:
        for backend in connections.values():
            backend.disconnect()


def _own_name(table: Any) -> str:
    try:
        name: str = table.get_name()
    except Exception:  # an expression without a name
        return ""
    return "" if name.startswith("ibis_") else name.rpartition(".")[2]


def _table_at(address: str, connections: dict[str, Any]) -> Table:
    """Return the table of an address; files of Parquet are tables of DuckDB."""
    url, _, name = address.partition("#")
    if url not in connections:
        connections[url] = _connect(url)
    backend = connections[url]
    place = _without_secrets(url)
    with _engine_errors(place, url):
        if name.endswith((".parquet", ".pq")) and backend.name == "duckdb":
            return Table(backend.read_parquet(name), f"{place}#{name}")
        database, _, last = name.rpartition(".")
        known = list(backend.list_tables(database=database or None))
        if last not in known:
            raise InputError(f"there is no table {last!r}{suggest(last, known)}", source=place)
        return Table(backend.table(last, database=database or None), f"{place}#{name}")


def _connect(url: str) -> Any:
    scheme, _, rest = url.partition("://")
    place, _, options = rest.partition("?")
    if scheme == "duckdb":
        # Three slashes and a relative path, or four and an absolute one, as in other addresses.
        given: dict[str, Any] = dict(parse_qsl(options))
        path = place.removeprefix("/") or ":memory:"
        if path != ":memory:":
            given["read_only"] = given.get("read_only", "true").lower() != "false"
        with _engine_errors(url, url):
            backend = ibis.duckdb.connect(path, **given)
            backend.raw_sql("PRAGMA disable_progress_bar")
            return backend
    with _engine_errors(url, url):
        return ibis.connect(f"{scheme}://{place}" + (f"?{options}" if options else ""))


def _without_secrets(url: str) -> str:
    """Return an address without user, password and parameters.

    >>> _without_secrets("postgres://me:secret@host:5432/runs?sslkey=x")
    'postgres://host:5432/runs'
    """
    scheme, ends, rest = url.partition("?")[0].partition("://")
    return f"{scheme}{ends}{rest.rpartition('@')[2]}"


@contextmanager
def _engine_errors(source: str, url: str = "") -> Iterator[None]:
    """Turn an engine's errors into an InputError of one line, without passwords."""
    try:
        yield
    except (CleverdonError, KeyboardInterrupt):
        raise
    except Exception as error:  # every driver has its own
        message = " ".join(str(error).split()) or type(error).__name__
        secret = url.rpartition("@")[0].rpartition(":")[2]
        if len(secret) > 2:
            message = message.replace(secret, "***")
        message = re.sub(r"://\S*@", "://***@", message)
        raise InputError(message, source=_without_secrets(source)) from None


def _with_ids(message: str, rows: Any) -> str:
    """Add the ids of the row that a message names by its number, which a table does not show."""
    row = re.search(r" in row (\d+)", message)
    if row is None:
        return message
    names = list(rows.column_names)
    (query, doc, _), _ = choose_columns(names, kind="grade", source="")
    ids = [rows[names[column]][int(row[1])].as_py() for column in (query, doc)]
    return message.replace(row[0], f" for document {ids[1]!r} of query {ids[0]!r}")


# Ranking


@dataclass(frozen=True, eq=False)
class _Joined:
    """What the core's join gives, from an engine."""

    query: Ints
    rank: Ints
    doc: Ints
    tied_from: Ints
    tied_to: Ints
    returned: Ints
    tied: int
    top: list[list[tuple[str, float]]]


class _Engine:
    """A run in its engine, with the judgments beside it."""

    def __init__(self, table: Table, judgments: Judgments, settings: Settings) -> None:
        self.source = table.source
        self.judgments = judgments
        self.settings = settings
        self.backend = table.backend
        if self.backend.name not in _ORDERS:
            raise InputError(
                f"is a table of {self.backend.name}, whose order of ids is not known to be that of "
                f"bytes; evaluated are tables of {', '.join(sorted(_ORDERS))}; of others, write "
                "the run to a Parquet file",
                source=self.source,
            )
        self._bytes = _ORDERS[self.backend.name]
        self._check_order()
        rows = table.rows
        names = list(rows.columns)
        wanted = "rank" if settings.order_by == "rank" else "score"
        (query, doc, number), kind = choose_columns(names, kind=wanted, source=self.source)
        self.has_positions = _POSITION in names
        columns = {
            "query": self._id(rows, names[query]),
            "doc": self._id(rows, names[doc]),
            "value": self._value(rows, names[number], ranks=kind == "rank"),
        }
        if self.has_positions:
            columns["position"] = rows[_POSITION]
        self.rows = rows.select(**columns)
        queries = judgments.core.queries
        numbers = np.arange(len(queries), dtype=np.int64)
        self.judged_queries = _as_memtable(
            query=pyarrow.array(queries, pyarrow.string()), q=numbers
        )
        judged = self.rows.inner_join(self.judged_queries, "query")
        kept = ["query", "q", "doc", "value"] + (["position"] if self.has_positions else [])
        self.results = judged.select(*kept)

    def _id(self, rows: Any, name: str) -> Any:
        kind = rows[name].type()
        if not (kind.is_string() or kind.is_integer() or kind.is_uuid()):
            raise InputError(
                f"column {name!r} is of type {kind}; ids are text or whole numbers",
                source=self.source,
            )
        return rows[name] if kind.is_string() else rows[name].cast("string")

    def _value(self, rows: Any, name: str, *, ranks: bool) -> Any:
        """Return the number to sort by, the highest first; null where it is none."""
        kind = rows[name].type()
        if not (kind.is_numeric() and not kind.is_boolean()):
            raise InputError(
                f"column {name!r} is of type {kind}; a score is a number", source=self.source
            )
        value = rows[name].cast("float64")
        value = (
            ibis.ifelse(value.isnan(), ibis.null("float64"), value) if kind.is_floating() else value
        )
        return -value if ranks else value

    def _check_order(self) -> None:
        """Raise an InputError unless the engine sorts ids by their bytes."""
        ids = _as_memtable(id=pyarrow.array(_PROBES, pyarrow.string()))
        keys = self._bytes(ids["id"])
        found = self.backend.to_pyarrow(ids.order_by(keys).select("id"))["id"].to_pylist()
        if found != sorted(_PROBES, key=str.encode):
            raise InputError(
                "sorts text by a collation, and not by its bytes: ties would be in another order; "
                "set a binary collation, or write the run to a Parquet file",
                source=self.source,
            )

    def join(self, settings: Settings, *, keep: int = 0, elsewhere: bool = False) -> _Joined:
        """Rank all results of judged queries, and fetch the judged ones."""
        ties, single, duplicates = core_order(settings)
        results = self.results
        if single:
            results = results.mutate(value=_as_single(results["value"]))
        results = self._without_duplicates(results, duplicates)
        if settings.own_document == "drop":
            results = results.filter(results["doc"] != results["query"])
        ranked = _numbered(results, self._tie_keys(results, ties))
        known = self._judged_docs()
        joined = ranked.left_join(known, ["q", "doc"])
        wanted = joined["row"].notnull()
        columns = ["q", "doc", "value", "rank", "tied_from", "tied_to", "row"]
        joined = joined.select(*columns, wanted=wanted)
        if elsewhere:
            joined = joined.left_join(self._any_judged(), "doc").select(
                *columns, wanted=joined["wanted"] | ibis._["judged"].notnull()
            )
        if keep:
            joined = joined.mutate(wanted=joined["wanted"] | (joined["rank"] <= keep))
        key = ibis.ifelse(joined["wanted"], joined["rank"], ibis.literal(0, "int64"))
        joined = joined.mutate(key=key)
        shown = {"kept_doc": joined["doc"].max(where=joined["key"] > 0)} if keep else {}
        # Other names than those of the columns, which ClickHouse would take for each other.
        grouped = joined.group_by(["q", "key"]).aggregate(
            judged_row=joined["row"].max(),
            first=joined["tied_from"].max(),
            last=joined["tied_to"].max(),
            tied=ibis.ifelse(joined["tied_to"] > joined["tied_from"], 1, 0).sum(),
            results=joined.count(),
            wrong=ibis.ifelse(joined["value"].isnull() | joined["doc"].isnull(), 1, 0).sum(),
            kept_value=joined["value"].max(),
            **shown,
        )
        fetched = self.backend.to_pyarrow(grouped)
        if sum(fetched["wrong"].to_pylist()):
            self._refuse_values()
        return self._arrays(fetched, keep=keep, once=duplicates == "once")

    def _judged_docs(self) -> Any:
        core = self.judgments.core
        starts = core.starts
        return _as_memtable(
            q=np.repeat(np.arange(len(starts) - 1), np.diff(starts)),
            doc=pyarrow.array(core.docs(0, int(starts[-1])), pyarrow.string()),
            row=np.arange(int(starts[-1])),
        )

    def _any_judged(self) -> Any:
        core, facts = self.judgments.core, self.judgments.notes.collection
        docs = set(core.docs(0, int(core.starts[-1])))
        if facts is not None:
            docs |= facts.judged_docs or set()
        judged = np.ones(len(docs), dtype=np.int64)
        return _as_memtable(doc=pyarrow.array(sorted(docs), pyarrow.string()), judged=judged)

    def _tie_keys(self, results: Any, ties: str) -> Any:
        if ties == "input":
            if not self.has_positions:
                raise OptionError(
                    "ties=input needs the order of the input, and a table has none: give it a "
                    f"column {_POSITION!r} with the number of each row"
                )
            return results["position"].asc()
        key = self._bytes(results["doc"])
        return key.asc() if ties == "ascending" else key.desc()

    def _without_duplicates(self, results: Any, duplicates: str) -> Any:
        """Return the results as the setting handles documents that occur twice for one query."""
        if duplicates in ("keep", "once"):
            return results
        if duplicates == "error":
            self._check_duplicates(results)
            return results
        group = ["query", "q", "doc"]
        if duplicates == "best":
            kept = {"value": results["value"].max()}
            if self.has_positions:
                kept["position"] = results["position"].min()
            return results.group_by(group).aggregate(**kept)
        if not self.has_positions:
            raise OptionError(
                "duplicates=first needs the order of the input, and a table has none: give it a "
                f"column {_POSITION!r} with the number of each row"
            )
        first = ibis.row_number().over(
            ibis.window(group_by=["q", "doc"], order_by=results["position"])
        )
        return results.mutate(first=first).filter(ibis._["first"] == 0).drop("first")

    def _check_duplicates(self, results: Any) -> None:
        pairs = results.group_by(["q", "doc"]).aggregate(times=results.count())
        twice = pairs.filter(pairs["times"] > 1).limit(1)
        for row in self.backend.to_pyarrow(twice).to_pylist():
            query, doc = self.judgments.core.queries[row["q"]], row["doc"]
            if doc is None:
                self._refuse_values()
            raise InputError(
                f"document {doc!r} occurs twice for query {query!r}; duplicates='best' keeps the "
                "one with the higher score",
                source=self.source,
            )

    def _refuse_values(self) -> None:
        rows = self.results
        wrong = rows.filter(rows["value"].isnull() | rows["doc"].isnull())
        for row in self.backend.to_pyarrow(wrong.select("query", "doc").limit(1)).to_pylist():
            if row["doc"] is None:
                raise InputError(
                    f"query {row['query']!r} has a row without a document (NULL)",
                    source=self.source,
                )
            raise InputError(
                f"document {row['doc']!r} of query {row['query']!r} has no score: it is NULL or "
                "NaN",
                source=self.source,
            )

    def _arrays(self, fetched: Any, *, keep: int, once: bool) -> _Joined:
        def column(name: str) -> Ints:
            found: Ints = fetched[name].cast("int64").fill_null(NOT_JUDGED).to_numpy()
            return found

        query, rank = column("q"), column("key")
        size = len(self.judgments.core.queries)
        # Whole numbers, which doubles hold exactly.
        returned = np.bincount(query, weights=column("results"), minlength=size).astype(np.int64)
        order = np.lexsort((rank, query))
        order = order[rank[order] > 0]
        query, rank, doc = query[order], rank[order], column("judged_row")[order]
        tied_from, tied_to = column("first")[order], column("last")[order]
        top = self._top(fetched, order, query, rank, size, keep) if keep else [[]] * size
        if keep:
            wanted = doc >= 0
        else:
            wanted = np.ones(len(doc), dtype=bool)
        if once:
            judged = np.flatnonzero(doc >= 0)
            _, first = np.unique(doc[judged], return_index=True)  # judgments' rows are of one query
            again = np.ones(len(doc), dtype=bool)
            again[judged[first]] = False
            wanted &= ~(again & (doc >= 0))
        return _Joined(
            query[wanted],
            rank[wanted],
            doc[wanted],
            tied_from[wanted],
            tied_to[wanted],
            returned,
            int(column("tied").sum()),
            top,
        )

    def _top(
        self, fetched: Any, order: Ints, query: Ints, rank: Ints, size: int, keep: int
    ) -> list[list[tuple[str, float]]]:
        top: list[list[tuple[str, float]]] = [[] for _ in range(size)]
        shown = order[rank <= keep]
        docs = fetched["kept_doc"].take(shown).to_pylist()
        values = fetched["kept_value"].take(shown).to_pylist()
        for q, doc, value in zip(query[rank <= keep].tolist(), docs, values, strict=True):
            top[q].append((doc, value))
        return top

    def present(self, joined: _Joined) -> Any:
        """Tell which judged queries the run has."""
        found = joined.returned > 0
        if self.settings.own_document == "drop":  # it has a query whose only result was dropped
            there = self.backend.to_pyarrow(self.results.select("q").distinct())
            found[there["q"].to_numpy()] = True
        return found

    def extra(self) -> tuple[int, tuple[str, ...]]:
        """Return the number of queries without judgments, and the names of the first few."""
        queries = self.rows.select("query").distinct()
        extra = queries.anti_join(self.judged_queries, "query")
        key = self._bytes(extra["query"])
        first = extra.order_by(ibis.asc(key, nulls_first=True)).limit(NAMED)
        counted = extra.aggregate(extra=extra.count(), nulls=extra["query"].isnull().sum())
        found = self.backend.to_pyarrow(counted).to_pylist()[0]
        if found["nulls"]:
            raise InputError("a row has no query (NULL)", source=self.source)
        names = self.backend.to_pyarrow(first)["query"].to_pylist() if found["extra"] else []
        return int(found["extra"]), tuple(names)


def _as_memtable(**columns: Any) -> Any:
    """Return a table of this machine that an engine takes; of Arrow, since pandas is slow."""
    return ibis.memtable(pyarrow.table(columns))


def _as_single(value: Any) -> Any:
    """Return a number rounded to float32; engines refuse what is too large or small for it."""
    size = value.abs()
    infinite = ibis.ifelse(value > 0, float("inf"), float("-inf"))
    return ibis.cases(
        (value.isnull(), value),
        (size >= _LARGEST_SINGLE, infinite),
        (size <= _SMALLEST_SINGLE, 0.0),
        else_=value.cast("float32").cast("float64"),
    )


def _numbered(results: Any, ties: Any) -> Any:
    """Return the results with their ranks, and the first and last rank of their tied groups."""
    best = ibis.desc(results["value"], nulls_first=True)
    whole = ibis.window(group_by="q", order_by=[best, ties])
    # The frame of ranges also for `rank`: in a frame of rows, ClickHouse knows no equal rows.
    up_to_here = ibis.range_window(group_by="q", order_by=[best], following=0)
    return results.mutate(
        rank=(ibis.row_number().over(whole) + 1).cast("int64"),
        tied_from=(ibis.rank().over(up_to_here) + 1).cast("int64"),
        tied_to=results.count().over(up_to_here).cast("int64"),
    )
