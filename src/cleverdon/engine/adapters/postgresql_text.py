"""How PostgreSQL is asked: names, vectors, weights and queries, quoted so that no text is SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import LiteralString

from cleverdon.engine.adapters.postgresql_driver import sql
from cleverdon.engine.adapters.weighing import checked_weights
from cleverdon.errors import OptionError, suggest

LABELS = "ABCD"
"""What a vector says of where its words stand, the first column's first."""

RANKS: dict[str, LiteralString] = {"ts_rank": "ts_rank", "ts_rank_cd": "ts_rank_cd"}

OPERATORS: dict[str, LiteralString] = {
    # Every word is optional. Words are quoted in the text of a query, so that the operators are
    # what stands between them; a plain query has no other.
    "or": "CAST(replace(plainto_tsquery({how}, %(query)s)::text, ' & ', ' | ') AS tsquery)",
    "and": "plainto_tsquery({how}, %(query)s)",
    "phrase": "phraseto_tsquery({how}, %(query)s)",
    "websearch": "websearch_to_tsquery({how}, %(query)s)",
}
"""What becomes of a query's text. None of them has a syntax that a text could break."""


def asked(operator: str, configuration: str) -> sql.Composed:
    """The query, as an expression to select from."""
    return sql.SQL(OPERATORS[operator]).format(how=_configured(configuration))


def vector_of(columns: Sequence[str], configuration: str) -> sql.Composed:
    """The vector of several columns, each with its label."""
    part = sql.SQL("setweight(to_tsvector({how}, coalesce({column}, '')), {label})")
    return sql.SQL("({})").format(
        sql.SQL(" || ").join(
            part.format(
                how=_configured(configuration),
                column=sql.Identifier(column),
                label=sql.Literal(label),
            )
            for column, label in zip(columns, LABELS, strict=False)
        )
    )


def table_name(table: str) -> sql.Identifier:
    """A table, perhaps with its schema before it."""
    return sql.Identifier(*table.split("."))


def weights_of(given: Mapping[str, float] | None, columns: Sequence[str]) -> dict[str, float]:
    """The weight of each label."""
    labels = {**dict(zip(columns, LABELS, strict=False)), **{label: label for label in LABELS}}
    weights = dict.fromkeys(LABELS, 1.0)
    for name, weight in checked_weights(given, most=1).items():
        if name not in labels:
            raise OptionError(f"weights: there is no column {name!r}{suggest(name, labels)}")
        weights[labels[name]] = weight
    return weights


def clean(text: str) -> str:
    """A text that PostgreSQL can hold: it has no place for NUL, nor for half of a character."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def _configured(configuration: str) -> sql.Composed:
    return sql.SQL("{}::regconfig").format(sql.Literal(configuration))
