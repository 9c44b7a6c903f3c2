"""Topics: the queries of a collection, with their texts and attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cleverdon._common.extras import require
from cleverdon.errors import OptionError
from cleverdon.formats.attributes import QueryAttributes, read_attributes
from cleverdon.formats.columns import IDS, QUERY, QUERY_TEXTS, TEXTS, TITLES, fold
from cleverdon.formats.texts import Text, read_texts

_NO_ATTRIBUTES = frozenset(map(fold, (*QUERY, *IDS, *QUERY_TEXTS, *TEXTS, *TITLES)))


class Topics(Mapping[str, Text]):
    """The queries of a collection by their ids: the text of each, and attributes to slice by.

    Functions that take queries or attributes of queries read files, dicts and tables themselves,
    and take these too. Read topics to look at them, or to read them only once.

    >>> topics = Topics.read({"q1": {"title": "jazz", "language": "en"}, "q2": {"title": "vuelos"}})
    >>> topics["q1"].title, topics.attribute("language")
    ('jazz', {'q1': 'en'})
    >>> topics
    <Topics: 2 queries with language>
    """

    def __init__(
        self, texts: Mapping[str, Text], attributes: QueryAttributes | None = None
    ) -> None:
        self._texts = dict(texts)
        self.attributes = attributes or QueryAttributes((), {})

    @classmethod
    def read(
        cls, data: Any, *, attributes: Any = None, columns: Mapping[str, Any] | str | None = None
    ) -> Topics:
        """Read topics from a file, a folder, a dict or a table.

        Args:
            data: TREC topics, JSON, JSON Lines, CSV, TSV, Excel or Parquet; a BEIR folder; a dict
                of texts by id; a data frame.
            attributes: Attributes of the queries, as a file or a dict; by default the further
                columns or fields of `data`.
            columns: The names of columns, by what they are: `{"query": "ID", "text": "Query"}`.

        Returns:
            The topics.

        Raises:
            InputError: The data is in no known format.

        >>> Topics.read("examples/queries.tsv")["q1"].line
        'baked apple'
        """
        if isinstance(data, Topics):
            return data
        if hasattr(data, "__arrow_c_stream__"):
            pyarrow = require("pyarrow", "reading tables", extra="tables")
            data = pyarrow.table(data).to_pylist()
        fields: dict[str, Mapping[str, Any]] = {}
        texts = read_texts(data, kind="queries", columns=columns, fields=fields)
        if attributes is not None:
            return cls(texts, read_attributes(attributes))
        named = None if columns is None or isinstance(columns, str) else set(columns.values())
        rows = {
            query: {
                name: value
                for name, value in row.items()
                if fold(name) not in _NO_ATTRIBUTES
                and name not in (named or ())
                and isinstance(value, (str, int, float))
            }
            for query, row in fields.items()
        }
        return cls(texts, read_attributes(rows) if any(rows.values()) else None)

    def attribute(self, name: str) -> dict[str, str]:
        """Return the value of an attribute for each query that has it."""
        if not self.attributes.names:
            raise OptionError(f"the topics have no attributes, so there is no {name!r}")
        return self.attributes.column(name)[1]

    def __getitem__(self, query: str) -> Text:
        return self._texts[query]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)

    def __repr__(self) -> str:
        names = ", ".join(self.attributes.names)
        return f"<Topics: {len(self)} queries{f' with {names}' if names else ''}>"
