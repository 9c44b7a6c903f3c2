"""The core in Rust (`rust/src/python`)."""

from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Kind = Literal["score", "rank", "grade"]
Duplicates = Literal["error", "first", "best"]
Progress = Callable[[int, int], object]

class Source:
    def __init__(self, path: str) -> None: ...
    @property
    def path(self) -> str: ...
    @property
    def name(self) -> str: ...
    def hash_ahead(self) -> None: ...
    @property
    def size(self) -> int: ...
    @property
    def stamp(self) -> tuple[int, int, int, int] | None: ...
    def head(self, length: int) -> bytes: ...
    def digest(self) -> str: ...

class Layout:
    def __init__(
        self,
        *,
        query: int,
        doc: int,
        value: int,
        kind: str,
        least: int,
        most: int | None,
        shape: str,
        separator: str | None = None,
        header: int = 0,
        alone: bool = False,
        comments: bool = False,
        decimal: str | None = None,
    ) -> None: ...

class Order:
    def __init__(
        self,
        *,
        ties: str = "descending",
        single: bool = False,
        duplicates: str = "error",
        keep: int = 0,
        drop_own: bool = False,
        elsewhere: bool = False,
    ) -> None: ...

class Table:
    @staticmethod
    def read(
        source: Source, layout: Layout, duplicates: str, progress: Progress | None = None
    ) -> Table: ...
    @staticmethod
    def from_dict(nested: dict[Any, Any], kind: str, duplicates: str) -> Table: ...
    @staticmethod
    def from_rows(rows: Iterator[Any], kind: str, duplicates: str) -> Table: ...
    @staticmethod
    def from_columns(
        queries: NDArray[np.object_],
        docs: NDArray[np.object_],
        values: NDArray[np.float64],
        kind: str,
        duplicates: str,
    ) -> Table: ...
    @staticmethod
    def from_arrow(
        reader: Any, columns: tuple[str, str, str], kind: str, duplicates: str
    ) -> Table: ...
    def arrow_stream(self, columns: tuple[str, str, str]) -> Any: ...
    @property
    def queries(self) -> list[str]: ...
    @property
    def starts(self) -> NDArray[np.int64]: ...
    @property
    def values(self) -> NDArray[np.float64]: ...
    def docs(self, start: int, stop: int) -> list[str]: ...

class Judgments:
    def __init__(self, table: Table, others: list[str] | None = None) -> None: ...
    @property
    def queries(self) -> list[str]: ...
    @property
    def starts(self) -> NDArray[np.int64]: ...
    @property
    def grades(self) -> NDArray[np.float64]: ...
    def docs(self, start: int, stop: int) -> list[str]: ...
    def join_text(
        self, source: Source, layout: Layout, order: Order, progress: Progress | None = None
    ) -> Joined: ...
    def join_table(self, table: Table, order: Order) -> Joined: ...
    def join_dict(self, nested: dict[Any, Any], order: Order) -> Joined | None: ...

class Joined:
    query: NDArray[np.int64]
    rank: NDArray[np.int64]
    doc: NDArray[np.int64]
    tied_from: NDArray[np.int64]
    tied_to: NDArray[np.int64]
    returned: NDArray[np.int64]
    present: NDArray[np.bool_]
    rows: int
    tied: int
    extra: int
    extra_names: list[str]
    top: list[list[tuple[str, float]]]

class Gathering:
    def __init__(self, depth: int | None = None) -> None: ...
    def add(self, run: Table) -> None: ...
    def finish(self) -> Gathered: ...

class Gathered:
    topics: list[str]
    doc_starts: NDArray[np.int64]
    row_starts: NDArray[np.int64]
    system: NDArray[np.int64]
    doc: NDArray[np.int64]
    rank: NDArray[np.int64]
    score: NDArray[np.float64]
    def docs(self, start: int, stop: int) -> list[str]: ...

def rank_matrix(
    grades: NDArray[np.float64], scores: NDArray[np.float64], columns: int
) -> tuple[
    NDArray[np.int64],
    NDArray[np.float64],
    tuple[NDArray[np.int64], NDArray[np.int64]] | None,
]: ...
def best_first(
    starts: NDArray[np.int64], values: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]: ...
def total(
    group: NDArray[np.int64], values: NDArray[np.float64], groups: int
) -> NDArray[np.float64]: ...
def build() -> list[tuple[str, str]]: ...
