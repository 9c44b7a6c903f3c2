"""Options for the texts of queries and documents, and how they are read."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal

import click

from cleverdon.cli.options import together

if TYPE_CHECKING:
    from cleverdon.read.texts import Text


@dataclass(frozen=True)
class TextFiles:
    """The files that were named; either may be missing."""

    queries: str | None
    documents: str | None = None

    def of_queries(self, ids: Collection[str], *, limit: int | None = None) -> dict[str, Text]:
        """The texts of these queries, as far as there are any."""
        return self._read(self.queries, "queries", lambda: ids, limit)

    def of_documents(
        self, ids: Callable[[], Collection[str]], *, limit: int | None = None
    ) -> dict[str, Text]:
        """The texts of these documents, which are only asked for where there is a file."""
        return self._read(self.documents, "documents", ids, limit)

    def of_sheet(self, rows: list[tuple[str, str]]) -> dict[str, dict[str, Text]]:
        """The texts of what stands on a judges' sheet, by the names that `write_sheet` has."""
        return {
            "queries": self.of_queries({query for query, _ in rows}),
            "documents": self.of_documents(lambda: {doc for _, doc in rows}),
        }

    def _read(
        self,
        file: str | None,
        kind: Literal["queries", "documents"],
        ids: Callable[[], Collection[str]],
        limit: int | None,
    ) -> dict[str, Text]:
        if file is None:
            return {}
        from cleverdon.cli.progress import say

        wanted = frozenset(ids())
        found = read_named(file, kind, wanted, limit=limit)
        if wanted and not found:
            known = min(wanted)
            say(
                f"cleverdon: warning: {file} has none of the {kind} that are shown, such as "
                f"{known!r}"
            )
        return found


def read_named(
    file: str, kind: str, wanted: Collection[str] | None, *, limit: int | None = None
) -> dict[str, Text]:
    """The texts in a file, all or those that are wanted, with a progress bar."""
    from cleverdon.cli.progress import bar
    from cleverdon.errors import InputError
    from cleverdon.read.texts import read_texts

    with bar(f"reading {file}") as update:
        try:
            return read_texts(file, wanted=wanted, limit=limit, kind=kind, progress=update)
        except FileNotFoundError:  # said as of any other file
            raise InputError("there is no such file", source=file) from None


queries = click.option(
    "--queries",
    metavar="FILE",
    type=click.Path(),
    help="The queries' texts, to be shown beside their ids: TSV, JSONL, TREC topics, ...",
)


def texts(command: Any) -> Any:
    """Files of texts. The command gets both in one parameter, `texts`."""

    @wraps(command)
    def gathered(**given: Any) -> Any:
        files = TextFiles(given.pop("queries"), given.pop("documents"))
        return command(texts=files, **given)

    return together(
        queries,
        click.option(
            "--documents",
            metavar="FILE",
            type=click.Path(),
            help="The documents' texts: JSONL, TSV, TREC, a folder, ...",
        ),
    )(gathered)
