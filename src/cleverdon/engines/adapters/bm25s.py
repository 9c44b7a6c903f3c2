"""bm25s, scores computed beforehand and kept in a folder, as an engine."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np

from cleverdon._common.extras import require
from cleverdon.engines.adapters.local import (
    LocalIndex,
    check_index_folder,
    replacing_folder,
    sort_results,
)
from cleverdon.engines.protocol import Document, Results
from cleverdon.errors import InputError, OptionError, check_within, check_word

bm25s = require("bm25s", "searching a bm25s index")
_Tokenizer = require("bm25s.tokenization", "searching a bm25s index").Tokenizer

_SETTINGS_FILE = "about.json"
_DEFAULTS = {"k1": 1.5, "b": 0.75, "method": "lucene", "stopwords": "english"}
_METHODS = ("lucene", "robertson", "atire")  # those in which what has no word of it scores 0


class BM25S(LocalIndex):
    """BM25 by one of bm25s' methods, of the words that its own tokenizer finds.

    `k1`, `b`, `method` and `stopwords` (a language, a list of words, or "" for none) are for
    indexing. Searches take those of the index, and refuse others, since scores cannot be computed
    anew without the documents.
    """

    kind = "bm25s"

    def __init__(
        self,
        *,
        folder: str | os.PathLike[str],
        k1: float | None = None,
        b: float | None = None,
        method: str | None = None,
        stopwords: str | Sequence[str] | None = None,
        threads: int | None = None,
        name: str = "bm25s",
    ) -> None:
        super().__init__(folder, name=name, threads=threads)
        given = {"k1": k1, "b": b, "method": method, "stopwords": stopwords}
        self._given = {option: value for option, value in given.items() if value is not None}
        self._chosen: dict[str, Any] = {**_DEFAULTS, **self._given}
        check_word("method", self._chosen["method"], _METHODS)
        check_within("k1", self._chosen["k1"], 0, 100)
        if not 0 <= self._chosen["b"] <= 1:
            raise OptionError(f"b={b!r}: expected a number from 0 to 1")
        self._ids: list[str] = []
        self._index: Any = None

    @property
    def settings(self) -> Mapping[str, Any]:
        return {"kind": "bm25s", "folder": str(self._path), **self._chosen}

    async def __aenter__(self) -> Self:
        check_index_folder(self._path, kind="bm25s")
        try:
            about = json.loads((self._path / _SETTINGS_FILE).read_text("utf-8"))
            self._ids = about.pop("ids")
            self._index = bm25s.BM25.load(
                str(self._path), mmap=True, load_corpus=False, show_progress=False
            )
        except (OSError, ValueError, KeyError) as error:
            raise InputError(
                f"this is not an index that cleverdon made with bm25s ({error!r:.80}); for one of "
                "your own, write a function and give python:MODULE:FUNCTION",
                source=str(self._path),
            ) from error
        for option, value in self._given.items():
            if about[option] != value:
                raise InputError(
                    f"it was indexed with {option}={about[option]}, and {value} was asked for; "
                    f"index it again, or leave {option} out",
                    source=str(self._path),
                )
        self._chosen = about
        return await super().__aenter__()

    def answer(self, query: str, k: int) -> Results:
        asked = bm25s.tokenize(
            query,
            stopwords=self._chosen["stopwords"] or None,
            return_ids=False,
            show_progress=False,
        )[0]
        asked = [word for word in asked if word]
        if not asked:
            return []
        scores = self._index.get_scores(asked)
        found = np.flatnonzero(scores)
        if len(found) > k:
            # All that score as much as the last of k, since any of them may have the later id.
            least = np.partition(scores[found], -k)[-k]
            found = found[scores[found] >= least]
        return sort_results([(self._ids[row], float(scores[row])) for row in found])[:k]

    def index(self, documents: Iterable[Document]) -> None:
        """Compute all scores; their folder takes the place of the old one when it is whole."""
        ids: list[str] = []

        def texts() -> Iterator[str]:
            for document in documents:
                ids.append(document.id)
                yield f"{document.title} {document.text}"

        with replacing_folder(self._path) as unfinished:
            tokenizer = _Tokenizer(stopwords=self._chosen["stopwords"] or None)
            cut = list(tokenizer.streaming_tokenize(texts(), allow_empty=False))
            if not any(cut):
                raise InputError("no document has a word to index", source=str(self._path))
            index = bm25s.BM25(**{name: self._chosen[name] for name in ("k1", "b", "method")})
            index.index((cut, tokenizer.get_vocab_dict()), show_progress=False)
            index.save(str(unfinished), show_progress=False)
            about = json.dumps({**self._chosen, "ids": ids}, ensure_ascii=False)
            (unfinished / _SETTINGS_FILE).write_text(about, "utf-8")
