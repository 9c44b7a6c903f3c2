"""What was asked of an engine, as SQL that can be read, and run by hand.

Ibis gives tables that it keeps or reads names that differ each time. Here those that are kept have
the names of the stages, and the others are numbered: the same log gives the same script.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ibis import Table

    from cleverdon.online.stages import Stages

_NAME = r"ibis_(?:\w+_)?(cached|memtable|[a-z]+)_[a-z0-9]{26}"
_BY_CHANCE = re.compile(rf"(?:[\"`]\w+[\"`]\.)*([\"`]){_NAME}\1|\b{_NAME}\b")


def script(stages: Stages, asked: Mapping[str, Table]) -> dict[str, str]:
    """SQL in the engine's own dialect, by what it is for: what makes the tables comes first."""
    import ibis

    texts = {name: ibis.to_sql(table) for name, table in asked.items()}
    known = {made: name for name, made in stages.kept_as.items()}
    sources = _sources(stages.log.backend, " ".join(texts.values()))

    def renamed(found: re.Match[str]) -> str:
        quote, name = found[1] or "", found[0].rpartition(".")[2].strip('"`')
        kind = found[2] or found[3]
        short = {"memtable": "forms"}.get(kind, kind)
        return f"{quote}{known.setdefault(name, f'{short}_{len(known) + 1}')}{quote}"

    def of(name: str, text: str) -> str:
        made = f"CREATE TEMP TABLE {name} AS\n" if name in stages.kept_as else ""
        return made + _BY_CHANCE.sub(renamed, text)

    readable = {name: of(name, text) for name, text in {**sources, **texts}.items()}
    forms = [name for name in known.values() if name.startswith("forms_")]
    more = {
        f"texts that are compared in another form ({name})": _FORMS.format(name) for name in forms
    }
    return {**more, **readable}


_FORMS = """\
-- Filled by Python, which decides what is the same query; empty, texts are compared as written.
CREATE TEMP TABLE {} (text VARCHAR, form VARCHAR)"""


def _sources(backend: Any, text: str) -> dict[str, str]:
    """On DuckDB, what makes the files tables."""
    if backend.name != "duckdb":
        return {}
    views = backend.raw_sql("SELECT view_name, sql FROM duckdb_views() WHERE NOT internal")
    found = [sql for name, sql in views.fetchall() if sql and name in text]
    found.sort(key=lambda sql: sql.partition(" AS ")[2])  # their names differ each time
    return {
        f"files ({number})": sql.rstrip().removesuffix(";")
        for number, sql in enumerate(found, start=1)
    }
