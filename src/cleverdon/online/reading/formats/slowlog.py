"""Search slow logs of Elasticsearch and OpenSearch, as lines of text or of JSON."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cleverdon.online.reading.formats import Format
from cleverdon.online.reading.spec import LINE

_LINE = re.compile(r"^\[\d{4}-\d\d-\d\d[T ][\d:,.]+\]\[\s*\w+\s*\]\[[\w.]*(?:slow|s\.s\.|i\.s\.)")
_QUERY = r'"query"\s*:\s*"((?:[^"\\]|\\.)*)"'
_MATCH = r'"(?:match|match_phrase|term)"\s*:\s*\{\s*"[^"]+"\s*:\s*"((?:[^"\\]|\\.)*)"'
_ESCAPED = r'\\"query\\"\s*:\s*\\"((?:[^"\\]|\\[^"])*)\\"'


def inside(name: str) -> str:
    """What stands in the brackets after a name on a line of text."""
    return rf"[ ,]{name}\[([^\]]*)\]"


class SlowLog(Format):
    """Lines that say how long a search took; they know of no user, and of nothing that came after.

    Relied on: SearchSlowLog.java and SearchRequestSlowLog.java of opensearch-project/OpenSearch
    (took_millis, total_hits, source, id, which is the header X-Opaque-Id), and Elastic's "Slow
    log settings" for JSON lines with keys such as elasticsearch.slowlog.took_millis. The text of a
    search is the first `query` of its source that is text. Searches have no id: rows are numbered.
    """

    name = "slowlog"
    about = "search slow logs of Elasticsearch and OpenSearch"
    source = "elastic.co, reference, slow log settings; docs.opensearch.org, shard slow logs"
    known_by = "lines start with [time][level][...slowlog...], or have a slowlog's keys in JSON"
    lacks = "events, sessions, pages and variants; users, unless X-Opaque-Id names them"
    notes = (
        "a slow log has a line for each shard and phase, and only for what was slow: neither its "
        "counts nor its percentiles are those of all searches",
    )
    _PREFIX = "elasticsearch.slowlog."
    mapping = {
        "queries": [
            {
                "query_id": {"number": True},
                "time": {"column": "line", "pattern": r"^\[(\d{4}-[^\]]*)\]"},
                "user": {"column": "line", "pattern": inside("id")},
                "text": [
                    {"column": "line", "pattern": pattern, "decode": "json"}
                    for pattern in (_QUERY, _MATCH)
                ],
                "results": {"column": "line", "pattern": r"total_hits\[(\d+)"},
                "latency_ms": {"column": "line", "pattern": r"took_millis\[(\d+)\]"},
                "segments": {
                    "index": {"column": "line", "pattern": r"\] \[([^\]]+)\]\[\d+\] took\["},
                    "phase": {"column": "line", "pattern": r"slowlog\.(\w+)\s*\]"},
                },
                "known_by": ["line"],
            },
            *(
                {
                    "query_id": {"number": True},
                    "time": time,
                    "user": f"{prefix}id",
                    "text": [
                        {"column": f"{prefix}source", "pattern": pattern, "decode": "json"}
                        for pattern in (_QUERY, _ESCAPED, _MATCH)
                    ],
                    "results": {"column": f"{prefix}total_hits", "pattern": r"^(\d+)"},
                    "latency_ms": f"{prefix}took_millis",
                    "segments": {
                        "index": {"column": f"{prefix}message", "pattern": r"^\[([^\]]+)\]"},
                        "phase": {"column": logger, "pattern": r"slowlog\.(\w+)$"},
                    },
                    "known_by": [time, f"{prefix}took_millis", f"{prefix}source"],
                }
                for prefix, time, logger in (
                    (_PREFIX, "@timestamp", "log.logger"),
                    ("", "timestamp", "component"),
                )
            ),
        ],
    }

    @classmethod
    def recognises(cls, paths: frozenset[str], lines: Sequence[str]) -> bool:
        if paths == {LINE}:
            return any(_LINE.match(line) for line in lines)
        return super().recognises(paths, lines)
