"""Options for the texts of queries and documents, and how they are read."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from cleverdon.cli.declarations import Options, option
from cleverdon.cli.options import FILE

if TYPE_CHECKING:
    from cleverdon.formats.texts import Text


@dataclass(frozen=True)
class TextFiles:
    """The files of texts; either may be missing."""

    queries: str | None
    documents: str | None = None

    def of_queries(self, ids: Collection[str], *, limit: int | None = None) -> dict[str, Text]:
        return self._read(self.queries, "queries", lambda: ids, limit)

    def of_documents(
        self, ids: Callable[[], Collection[str]], *, limit: int | None = None
    ) -> dict[str, Text]:
        """Read the texts of documents; the ids are computed only if there is a file."""
        return self._read(self.documents, "documents", ids, limit)

    def of_sheet(self, rows: list[tuple[str, str]]) -> dict[str, dict[str, Text]]:
        """Read the texts for a judges' sheet, as keywords of `write_sheet`."""
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
        from cleverdon._common.progress_bar import bar, say
        from cleverdon.formats.texts import check_file_exists, read_texts

        wanted = frozenset(ids())
        check_file_exists(file)
        with bar(f"reading {file}") as update:
            found = read_texts(file, wanted=wanted, limit=limit, kind=kind, progress=update)
        if wanted and not found:
            known = min(wanted)
            say(
                f"cleverdon: warning: {file} has none of the {kind} that are shown, such as "
                f"{known!r}"
            )
        return found


queries = option(
    FILE, "The queries' texts, to show beside their ids. Formats: TSV, JSONL, TREC topics, ..."
)
documents = option(FILE, "The documents' texts. JSONL, TSV, TREC, a folder, ...")


class TextOptions(Options):
    """The files of texts."""

    queries: str | None = queries
    documents: str | None = documents

    @property
    def texts(self) -> TextFiles:
        return TextFiles(self.queries, self.documents)
