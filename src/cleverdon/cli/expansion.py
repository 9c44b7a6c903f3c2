"""What queries are expanded with: texts of queries and documents, and how they are weighed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from cleverdon.cli.options import COUNT, Number, rel, together
from cleverdon.cli.texts import read_named

if TYPE_CHECKING:
    from cleverdon.annotations import Grades
    from cleverdon.pool.expansion import Index, Probe

# Those of the library, which is not loaded for help; a test compares them.
TERMS = 10
ORIGINAL = 0.5


@dataclass(frozen=True)
class Expansion:
    """The files and settings that were given."""

    queries: str | None
    documents: str | None
    rephrasings: str | None
    stop_words: str | None
    common: float | None
    terms: int
    original: float
    rel: float

    def files(self) -> list[str]:
        """Those that are read."""
        given = (self.queries, self.documents, self.rephrasings, self.stop_words)
        return [file for file in given if file is not None]

    def probe(self, judged: Grades) -> Probe:
        """A probe by the texts of the judged queries and of their relevant documents."""
        return self._probe(judged, self._documents(self._relevant(judged)), None)

    def probe_and_index(self, judged: Grades) -> tuple[Probe, Index]:
        """The same, and all documents, ready to be searched."""
        from cleverdon.cli.progress import bar
        from cleverdon.pool.expansion import Index

        texts = self._documents(None)
        with bar("indexing") as update:
            index = Index.build(texts, progress=update)
        return self._probe(judged, texts, index), index

    def _probe(self, judged: Grades, documents: dict[str, str], index: Index | None) -> Probe:
        from cleverdon.cli.progress import say
        from cleverdon.errors import InputError, OptionError
        from cleverdon.pool.expansion import Probe
        from cleverdon.pool.expansion.rephrasings import read_rephrasings
        from cleverdon.show.grid import counted

        asked = read_named(str(self.queries), "queries", judged.keys())
        queries = {query: asked[query].line for query in judged if query in asked}
        if not queries:
            named = next(iter(judged), "")
            raise InputError(f"has no judged query, such as {named!r}", source=str(self.queries))
        without = len(judged) - len(queries)
        if without:
            told = f"{counted(without, 'judged query')} without a text (left out)"
            say(f"cleverdon: warning: {self.queries}: {told}")
        lost = len(self._relevant(judged) - documents.keys())
        if lost:
            told = f"{counted(lost, 'relevant document')} without a text (expand no query)"
            say(f"cleverdon: warning: {self.documents}: {told}")
        ignored = self._stop_words()
        if self.common is not None:
            if index is None:
                raise OptionError(
                    "--common is for searches in --documents: which words are common is told by "
                    "all documents"
                )
            ignored |= index.common(self.common)
        rephrased = read_rephrasings(self.rephrasings) if self.rephrasings else {}
        strange = [query for query in rephrased if query not in queries]
        if strange:
            told = f"{counted(len(strange), 'query')} not probed, such as {strange[0]!r} (left out)"
            say(f"cleverdon: warning: {self.rephrasings}: {told}")
        return Probe(
            queries, documents, rephrased, self.terms, self.original, ignored, rel=self.rel
        )

    def _relevant(self, judged: Grades) -> set[str]:
        return {
            doc
            for of_query in judged.values()
            for doc, grade in of_query.items()
            if grade >= self.rel
        }

    def _documents(self, wanted: Collection[str] | None) -> dict[str, str]:
        """The documents' texts after their titles: all, or those that are wanted."""
        found = read_named(str(self.documents), "documents", wanted)
        return {doc: f"{text.title}\n{text.text}" for doc, text in found.items()}

    def _stop_words(self) -> frozenset[str]:
        from cleverdon.errors import InputError
        from cleverdon.pool.expansion.words import STOP_WORDS, words
        from cleverdon.read import open_source
        from cleverdon.read.unpacked import decoded

        if self.stop_words is None:
            return STOP_WORDS
        text = decoded(open_source(self.stop_words).head(2**62), source=self.stop_words, line=1)
        found = frozenset(words(text))
        if not found:
            raise InputError("has no words", source=self.stop_words)
        return found


def expansion(command: Any) -> Any:
    """Options for expanding queries. The command gets them in one parameter, `expansion`."""

    @wraps(command)
    def gathered(**given: Any) -> Any:
        named = {field.name: given.pop(field.name) for field in fields(Expansion)}
        return command(expansion=Expansion(**named), **given)

    return together(
        click.option(
            "--queries",
            metavar="FILE",
            type=click.Path(),
            help="The queries' texts: TSV, JSONL, TREC topics, ...",
        ),
        click.option(
            "--documents",
            metavar="FILE",
            type=click.Path(),
            help="The documents' texts: JSONL, TSV, TREC, a folder, ... Of relevant ones at least; "
            "of all, where they are searched.",
        ),
        click.option(
            "--rephrasings",
            metavar="FILE",
            type=click.Path(),
            help="Other words for queries, to be probed as well: query and text, in the formats of "
            "--queries, as many lines a query as one likes.",
        ),
        click.option(
            "--terms",
            type=COUNT,
            metavar="N",
            default=TERMS,
            show_default=True,
            help="How many words of relevant documents expand a query.",
        ),
        click.option(
            "--original",
            type=Number(0, 1),
            default=ORIGINAL,
            show_default=True,
            help="How much the query's own words weigh together.",
        ),
        click.option(
            "--stop-words",
            metavar="FILE",
            type=click.Path(exists=True, dir_okay=False),
            help="Words that expand no query, separated by white space.  [default: English ones]",
        ),
        click.option(
            "--common",
            type=Number(0, 1, min_open=True),
            metavar="SHARE",
            help="Nor do words that more than this share of all documents have.",
        ),
        rel(),
    )(gathered)
