"""tantivy, an index in a folder, as an engine."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

from cleverdon._common.extras import require
from cleverdon.engines.adapters import checked_weights, split_names
from cleverdon.engines.adapters.local import (
    LocalIndex,
    check_index_folder,
    first_results,
    query_words,
    replacing_folder,
)
from cleverdon.engines.protocol import Document, Results, SearchFailure
from cleverdon.errors import InputError, OptionError, check_count, check_word

tantivy = require("tantivy", "searching a tantivy index")

_TOKENIZERS = ("default", "en_stem", "whitespace", "raw")
_MEMORY = 128_000_000  # bytes for what is indexed and not yet written


class Tantivy(LocalIndex):
    """BM25 as tantivy computes it.

    `tokenizer` is one of tantivy's own, for indexing: "default" cuts and lowers, "en_stem" stems as
    well. With more than one of `writers`, indexing uses as many threads, and the last digits of
    scores may differ from one index to the next: tantivy adds them up segment by segment.
    """

    kind = "tantivy"

    def __init__(
        self,
        *,
        folder: str | os.PathLike[str],
        id: str = "id",
        columns: Sequence[str] = ("title", "text"),
        weights: Mapping[str, float] | None = None,
        tokenizer: str | None = None,
        operator: str = "or",
        writers: int = 1,
        threads: int | None = None,
        name: str = "tantivy",
    ) -> None:
        super().__init__(folder, name=name, threads=threads)
        check_word("operator", operator, ("or", "and"))
        self._id = id
        self._columns = split_names(columns)
        self._weights = checked_weights(weights)
        for column in self._weights:
            check_word("weights", column, self._columns)
        if tokenizer is not None:
            check_word("tokenizer", tokenizer, _TOKENIZERS)
        self._tokenizer, self._operator = tokenizer, operator
        self._writers = check_count("writers", writers)
        self._opened: Any = None
        self._searcher: Any = None

    @property
    def settings(self) -> Mapping[str, Any]:
        return {
            "kind": "tantivy",
            "folder": str(self._path),
            "columns": self._columns,
            "weights": self._weights,
            "tokenizer": self._tokenizer,
            "operator": self._operator,
        }

    async def __aenter__(self) -> Self:
        check_index_folder(self._path, kind="tantivy")
        try:
            self._opened = tantivy.Index.open(str(self._path))
            schema = json.loads((self._path / "meta.json").read_text("utf-8"))["schema"]
        except (OSError, ValueError, KeyError) as error:
            raise InputError(f"tantivy cannot read it: {error}", source=str(self._path)) from error
        self._check_tokenizer(schema)
        self._searcher = self._opened.searcher()
        try:
            self._query("word")
        except ValueError as error:
            raise OptionError(f"columns={self._columns!r}: {error}") from None
        return await super().__aenter__()

    def answer(self, query: str, k: int) -> Results:
        try:
            asked = self._query(query)
            return first_results(k, lambda wanted: self._fetch(asked, wanted))
        except ValueError as error:
            raise SearchFailure("server", f"tantivy: {error}") from error

    def index(self, documents: Iterable[Document]) -> None:
        """Fill a folder, which takes the place of the old one when it is whole."""
        if sorted(self._columns) != ["text", "title"]:
            raise OptionError(f"columns={self._columns!r}: indexing makes title and text")
        schema = tantivy.SchemaBuilder()
        schema.add_text_field(self._id, stored=True, tokenizer_name="raw", index_option="basic")
        for column in self._columns:
            schema.add_text_field(column, tokenizer_name=self._tokenizer or "default")
        with replacing_folder(self._path) as unfinished:
            index = tantivy.Index(schema.build(), path=str(unfinished))
            try:
                writer = index.writer(_MEMORY, self._writers)
                for document in documents:
                    fields = {self._id: document.id, "title": document.title, "text": document.text}
                    writer.add_document(tantivy.Document(**fields))
                writer.commit()
                writer.wait_merging_threads()
            except ValueError as error:
                raise InputError(
                    f"tantivy cannot write it: {error}", source=str(self._path)
                ) from error

    def _check_tokenizer(self, schema: Sequence[Mapping[str, Any]]) -> None:
        for field in schema:
            indexing = field["options"].get("indexing") if field["name"] in self._columns else None
            if self._tokenizer and indexing and indexing["tokenizer"] != self._tokenizer:
                raise InputError(
                    f"{field['name']} was indexed with the tokenizer {indexing['tokenizer']!r}, "
                    f"and {self._tokenizer!r} was asked for; index it again, or leave it out",
                    source=str(self._path),
                )

    def _query(self, text: str) -> Any:
        # Nothing in a text is syntax once its words are in quotes.
        quoted = " ".join(f'"{word}"' for word in dict.fromkeys(query_words(text)))
        asked, _ = self._opened.parse_query_lenient(
            quoted,
            self._columns,
            field_boosts=self._weights,
            conjunction_by_default=self._operator == "and",
        )
        return asked

    def _fetch(self, asked: Any, wanted: int) -> Results:
        # tantivy makes room for all of them beforehand, and ends the process where there is none.
        most = max(1, min(wanted, self._searcher.num_docs))
        hits = self._searcher.search(asked, most, count=False).hits
        return [(self._id_of(address), score) for score, address in hits]

    def _id_of(self, address: Any) -> str:
        held = self._searcher.doc(address)[self._id]
        if not held:
            raise SearchFailure("missing", f"a document has no stored field {self._id!r}")
        return str(held[0])
