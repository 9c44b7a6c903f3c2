"""Expanded queries and what they brought: texts for engines, and the yield of each round."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cleverdon.arrays import plain
from cleverdon.errors import check_word
from cleverdon.pool.expansion import Expanded, Round, Simulated
from cleverdon.show.grid import EXACT, FORMATS, Grid, counted, laid_out, printable
from cleverdon.show.numbers import decimal

QUERIES = ("lucene", "jsonl")
"""How expanded queries are written."""


def render_queries(found: Mapping[str, Expanded], format: str = "lucene") -> str:
    """A query a line: its id, a tab and weighted words; or an object with all digits."""
    check_word("format", format, QUERIES)
    if format == "lucene":
        return "\n".join(f"{query}\t{made.lucene}" for query, made in found.items())
    return "\n".join(
        json.dumps(
            {"query_id": query, "terms": made.weights, "relevant": made.relevant},
            ensure_ascii=False,
        )
        for query, made in found.items()
    )


def render(
    found: Sequence[Round], format: str = "table", *, simulated: Simulated | None = None
) -> str:
    """What each round brought, in one of `FORMATS`; of a simulation, as shares of what is known."""
    check_word("format", format, FORMATS)
    if format == "json":
        return json.dumps(_record(found, simulated), indent=1, ensure_ascii=False)
    exact = format in EXACT
    count = "{:,}".format if format == "table" else str
    known = simulated.known if simulated else None
    header = ["round", "documents", "relevant", "share", "all documents", "all relevant"]
    header += [] if known is None else ["recall"]
    rows = []
    for one, documents, relevant in _running(found):
        share = decimal(one.share, exact=exact)
        row = [str(one.number), count(one.judged), count(one.found), share]
        row += [count(documents), count(relevant)]
        if known is not None:
            row.append(decimal(relevant / known if known else float("nan"), exact=exact))
        rows.append(row)
    return laid_out(Grid(header, rows, 1, [], notes(found, simulated)), format)


def notes(found: Sequence[Round], simulated: Simulated | None = None) -> list[str]:
    """What the rounds are, and what follows from the last of them."""
    queries = {query for one in found for query in one.documents}
    told = [
        f"{counted(len(queries), 'query')}; documents newly judged in each round, and how many of "
        "them are relevant; round 0 is what came before the probes"
    ]
    if simulated is not None:
        told += _of_simulation(simulated)
    if len(found) < 2:
        return told
    last = found[-1]
    if last.judged == 0 and simulated is None:
        told.append(f"round {last.number} is not judged yet: its sheet has no new grades")
    elif last.found == 0:
        told.append(
            f"round {last.number} brought nothing relevant: probes of this kind find no more; that "
            "there is no more does not follow (cleverdon recall estimates how much there is)"
        )
    else:
        fruitful = sum(count > 0 for count in last.relevant.values())
        told.append(
            f"round {last.number} still brought relevant documents, for "
            f"{counted(fruitful, 'query')}: go on with another"
        )
    return told


def _of_simulation(simulated: Simulated) -> list[str]:
    told = [f"recall is of the {counted(simulated.known, 'relevant document')} that are known"]
    if simulated.unjudged:
        told.append(
            f"{counted(simulated.unjudged, 'document')} found that the judgments lack (taken for "
            "not relevant)"
        )
    if simulated.without_text:
        named = printable(simulated.without_text[0])
        without = counted(len(simulated.without_text), "judged query")
        told.append(f"{without} without a text (left out), such as {named}")
    return told


def _running(found: Sequence[Round]) -> Iterator[tuple[Round, int, int]]:
    """Each round, and how many documents and relevant ones there are down to it."""
    documents = relevant = 0
    for one in found:
        documents += one.judged
        relevant += one.found
        yield one, documents, relevant


def _record(found: Sequence[Round], simulated: Simulated | None) -> dict[str, Any]:
    made: dict[str, Any] = {
        "rounds": [
            {
                "round": one.number,
                "documents": one.judged,
                "relevant": one.found,
                "share": plain(one.share),
                "all_documents": documents,
                "all_relevant": relevant,
                "queries": {
                    query: {"documents": count, "relevant": one.relevant[query]}
                    for query, count in one.documents.items()
                },
            }
            for one, documents, relevant in _running(found)
        ]
    }
    if simulated is not None:
        made |= {
            "known": simulated.known,
            "unjudged": simulated.unjudged,
            "without_text": list(simulated.without_text),
        }
    return made
