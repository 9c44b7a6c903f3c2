"""The metrics of a log as somebody writes them who knows SQL and DuckDB, and no Cleverdon.

    python -m benchmarks.logs_by_hand FOLDER

As few passes as possible: what was done on each page, pages in sessions, then sums by user, of
which the ratios and their intervals are made. Prints the numbers as JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from math import sqrt
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from scipy import stats  # type: ignore[import-untyped, unused-ignore]

from benchmarks.peers import Values

PAGES = r"""
CREATE TEMP TABLE pages AS
WITH done AS (
    SELECT
        query_id,
        max(epoch_ms(time)) AS last_event,
        count(*) FILTER (action = 'impression') AS impressions,
        count(*) FILTER (action = 'click') AS clicks,
        min(epoch_ms(time)) FILTER (action = 'click') AS first_click,
        min(position) FILTER (action = 'click') AS top_click,
        sum(position) FILTER (action = 'click') AS positions,
        count(position) FILTER (action = 'click') AS with_position,
        sum(dwell_ms) FILTER (action = 'click') AS dwell,
        count(dwell_ms) FILTER (action = 'click') AS with_dwell,
        count(*) FILTER (action IN ('copy', 'conversion')
            OR (action = 'click' AND dwell_ms >= 30000)) AS signs
    FROM read_parquet($events)
    GROUP BY query_id
),
asked AS (
    SELECT
        query_id,
        "user",
        epoch_ms(time) AS ms,
        lower(trim(regexp_replace(text, '\s+', ' ', 'g'))) AS text,
        page,
        results,
        latency_ms,
        done.* EXCLUDE (query_id)
    FROM read_parquet($queries) LEFT JOIN done USING (query_id)
),
beside AS (
    SELECT
        *,
        max(greatest(ms, last_event)) OVER (
            PARTITION BY "user" ORDER BY ms, query_id
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS reached,
        lag(text) OVER (PARTITION BY "user" ORDER BY ms, query_id) AS text_before
    FROM asked
),
begun AS (
    SELECT
        *,
        (reached IS NULL OR ms - reached > 1800000) AS starts,
        starts OR text IS DISTINCT FROM text_before AS asks
    FROM beside
)
SELECT
    * EXCLUDE (query_id, reached, text_before, starts, asks, last_event),
    sum(starts::INT) OVER so_far AS session,
    sum(asks::INT) OVER so_far AS query
FROM begun
WINDOW so_far AS (PARTITION BY "user" ORDER BY ms, query_id ROWS UNBOUNDED PRECEDING)
"""

QUERIES = """
CREATE TEMP TABLE queries AS
SELECT
    "user",
    session,
    min(text) AS text,
    max(page) AS deepest,
    max(results) AS found,
    coalesce(sum(clicks), 0) AS clicks,
    coalesce(sum(signs), 0) AS signs
FROM pages
GROUP BY "user", session, query
"""

BY_PAGE = {
    "ImpressionCTR": ("if(impressions > 0, clicks, 0)", "impressions"),
    "PageCTR": ("if(clicks > 0, 1, 0)", "1"),
    "ZeroResults": ("if(results = 0, 1, 0)", "if(results IS NOT NULL, 1, 0)"),
    "ClickRank": ("positions", "with_position"),
    "ReciprocalClickRank": ("1.0 / top_click", "if(top_click IS NOT NULL, 1, 0)"),
    "TimeToClick": ("(first_click - ms) / 1000", "if(first_click IS NOT NULL, 1, 0)"),
    "Dwell": ("dwell / 1000", "with_dwell"),
    "Latency": ("latency_ms", "if(latency_ms IS NOT NULL, 1, 0)"),
}
BY_QUERY = {
    "QueryCTR": ("if(clicks > 0, 1, 0)", "1"),
    "Pagination": ("if(deepest > 1, 1, 0)", "1"),
}
BY_SESSION = {
    "Abandonment": ("if(clicks = 0, 1, 0)", "1"),
    "GoodAbandonment": ("if(clicks = 0 AND signs > 0, 1, 0)", "1"),
    "Success": ("if(clicks > 0 AND signs > 0, 1, 0)", "1"),
    "SessionCTR": ("if(clicks > 0, 1, 0)", "1"),
    "QueriesPerSession": ("queries", "1"),
    "Reformulation": ("queries - 1", "queries"),
}
SESSIONS = """(
    SELECT "user", count(*) AS queries, sum(clicks) AS clicks, sum(signs) AS signs
    FROM queries GROUP BY "user", session
)"""
SHARES = {
    "ImpressionCTR",
    "PageCTR",
    "ZeroResults",
    "QueryCTR",
    "Pagination",
    "Abandonment",
    "GoodAbandonment",
    "Success",
    "SessionCTR",
    "Reformulation",
}

COUNTS = """
SELECT
    count(DISTINCT "user") AS "Users",
    count(DISTINCT text) AS "DistinctQueries",
    count(*) AS "Pages",
    (SELECT count(*) FROM queries) AS "Queries",
FROM pages
"""

PERCENTILES = """
SELECT
    quantile_disc(latency_ms, [0.5, 0.9, 0.95, 0.99]) AS "Latency",
    quantile_disc(first_click - ms, [0.5, 0.9, 0.95, 0.99]) AS "TimeToClick",
FROM pages
"""

BY_MINUTE = """
SELECT ms // 60000 AS minute, count(*) AS n, quantile_disc(latency_ms, [0.5, 0.9, 0.95]) AS p
FROM pages WHERE latency_ms IS NOT NULL
GROUP BY minute HAVING n >= 20 ORDER BY minute
"""

TEXTS = """
CREATE TEMP TABLE texts AS
WITH by_user AS (
    SELECT
        text,
        "user",
        count(*) AS asked,
        count(*) FILTER (found = 0) AS nothing,
        count(*) FILTER (clicks = 0 AND found > 0) AS abandoned
    FROM queries GROUP BY text, "user"
)
SELECT
    text,
    sum(asked) AS "TopQueries",
    count(*) AS "TopQueries users",
    sum(nothing) AS "TopZeroResults",
    count(*) FILTER (nothing > 0) AS "TopZeroResults users",
    sum(abandoned) AS "TopAbandoned",
    count(*) FILTER (abandoned > 0) AS "TopAbandoned users"
FROM by_user GROUP BY text
"""
LISTS = ("TopQueries", "TopZeroResults", "TopAbandoned")

TOP = """
SELECT text, "{0}" FROM texts WHERE "{0} users" >= 5 ORDER BY "{0}" DESC, text LIMIT 10
"""

BANDS = """
WITH placed AS (
    SELECT
        "TopQueries" AS n,
        row_number() OVER (ORDER BY "TopQueries" DESC, text) - 1 AS place,
        count(*) OVER () AS texts
    FROM texts
)
SELECT
    CASE WHEN place < 0.01 * texts THEN 'head' WHEN place < 0.2 * texts THEN 'torso'
        ELSE 'tail' END AS band,
    sum(n)
FROM placed GROUP BY band
"""

LINKS = """
WITH users AS (
    SELECT
        doc,
        q."user",
        bool_or(action = 'impression') AS saw,
        bool_or(action = 'click') AS clicked
    FROM read_parquet($events) e JOIN read_parquet($queries) q USING (query_id)
    WHERE action IN ('impression', 'click') AND doc IS NOT NULL
    GROUP BY doc, q."user"
)
SELECT doc, count(*) FILTER (clicked) / count(*) FROM users WHERE saw
GROUP BY doc HAVING count(*) >= 5 ORDER BY count(*) DESC, doc LIMIT 10
"""

SPANS = {"second": 1000, "minute": 60_000, "hour": 3_600_000, "day": 86_400_000}
SECONDS = """
CREATE TEMP TABLE seconds AS
SELECT ms // 1000 * 1000 AS ms, count(*) AS n FROM pages GROUP BY 1
"""
PEAK = "SELECT max(n) FROM (SELECT sum(n) AS n FROM seconds GROUP BY {0})"


def by_hand(folder: Path) -> Values:
    """All metrics of the log in a folder."""
    files = {name: str(folder / f"{name}.parquet") for name in ("queries", "events")}
    engine = duckdb.connect()
    engine.execute(PAGES, files)
    engine.execute(QUERIES)
    found: Values = {}
    for table, ratios in (("pages", BY_PAGE), ("queries", BY_QUERY), (SESSIONS, BY_SESSION)):
        found |= _ratios(engine, table, ratios)
    found |= {name: {"value": count} for name, count in _record(engine, COUNTS).items()}
    found["Sessions"] = {"value": found["Abandonment"]["over"]}
    for name, percentiles in _record(engine, PERCENTILES).items():
        scale = 1000 if name == "TimeToClick" else 1
        labels = ("p50", "p90", "p95", "p99")
        found[name] |= {x: p / scale for x, p in zip(labels, percentiles, strict=True)}
    engine.execute(TEXTS)
    for name in LISTS:
        found[name] = dict(engine.execute(TOP.format(name)).fetchall())
    found["LinkCTR"] = dict(engine.execute(LINKS, files).fetchall())
    found["HeadTorsoTail"] = dict(engine.execute(BANDS).fetchall())
    engine.execute(SECONDS)
    peaks = {name: f"ms // {length}" for name, length in SPANS.items()}
    peaks["month"] = "date_trunc('month', make_timestamp(ms * 1000))"
    found["QueriesPerTime"] = {
        name: engine.execute(PEAK.format(bucket)).fetchall()[0][0] for name, bucket in peaks.items()
    }
    found |= _by_load(engine.execute(BY_MINUTE).fetchall())
    return {name: {x: float(v) for x, v in values.items()} for name, values in found.items()}


def _ratios(
    engine: duckdb.DuckDBPyConnection, table: str, ratios: dict[str, tuple[str, str]]
) -> Values:
    """Ratios over a table and their intervals by the delta method, users being the sample."""
    by_user, sums = [], []
    for i, (numerator, denominator) in enumerate(ratios.values()):
        by_user.append(f"sum({numerator})::DOUBLE AS n{i}, sum({denominator})::DOUBLE AS d{i}")
        sums.append(
            f"count(*) FILTER (d{i} > 0), sum(n{i}), sum(d{i}), "
            f"sum(n{i} * n{i}), sum(d{i} * d{i}), sum(n{i} * d{i})"
        )
    users = f'SELECT {", ".join(by_user)} FROM {table} GROUP BY "user"'
    (row,) = engine.execute(
        f"WITH users AS ({users}) SELECT {', '.join(sums)} FROM users"
    ).fetchall()
    return {name: _ratio(name, *row[6 * i : 6 * i + 6]) for i, name in enumerate(ratios)}


def _ratio(
    name: str, users: int, n: float, d: float, nn: float, dd: float, nd: float
) -> dict[str, float]:
    ratio = n / d
    deviation = sqrt((nn - 2 * ratio * nd + ratio**2 * dd) * users / (users - 1)) / d
    half = stats.t.ppf(0.975, users - 1) * deviation
    low, high = ratio - half, ratio + half
    if name in SHARES:
        low, high = max(low, 0.0), min(high, 1.0)
    return {"value": ratio, "low": low, "high": high, "over": d}


def _record(engine: duckdb.DuckDBPyConnection, query: str) -> dict[str, Any]:
    answer = engine.execute(query)
    names = [column[0] for column in answer.description or ()]
    (row,) = answer.fetchall()
    return dict(zip(names, row, strict=True))


def _by_load(minutes: Sequence[tuple[int, int, list[float]]]) -> Values:
    """Latency in quiet and in busy minutes, and the minutes in which it jumped."""
    by_load = sorted(minutes, key=lambda row: (row[1], row[0]))
    at, _, p = zip(*minutes, strict=True)
    usual = float(np.median([p90 for _, p90, _ in p]))
    high = [minute for minute, (_, p90, _) in zip(at, p, strict=True) if p90 >= 3 * usual]
    spikes = sum(minute - 1 not in set(high[max(i - 1, 0) : i]) for i, minute in enumerate(high))
    groups = [len(group) for group in np.array_split(np.arange(len(minutes)), 5)]
    medians, start = {}, 0
    for number, size in enumerate(groups):
        group = [row[2] for row in by_load[start : start + size]]
        start += size
        for place, label in ((0, "p50"), (2, "p95")):
            medians[f"{label} of group {number}"] = float(np.median([x[place] for x in group]))
    return {"LatencyByLoad": medians, "LatencySpikes": {"spikes": spikes, "minutes": len(high)}}


if __name__ == "__main__":
    print(json.dumps(by_hand(Path(sys.argv[1]))))
