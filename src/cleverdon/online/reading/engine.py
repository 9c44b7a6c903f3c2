"""Functions that an engine has and Ibis has no word for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def function(name: str, kinds: Sequence[Any], result: str) -> Any:
    """The engine's own function of this name, of one or two values of these types."""
    import ibis

    def of_one(value: Any) -> Any: ...

    def of_two(first: Any, second: Any) -> Any: ...

    stub = of_one if len(kinds) == 1 else of_two
    return ibis.udf.scalar.builtin(stub, name=name, signature=(tuple(kinds), result))


def has_zone(stamp: Any, backend: str) -> bool:
    """Whether timestamps are instants, and not what some clock showed.

    Ibis has one type for both of Spark's, so that Spark is asked itself.
    """
    if backend != "pyspark":
        return bool(stamp.type().timezone is not None)
    kind = function("typeof", [stamp.type()], "string")(stamp)
    found = kind.name("kind").as_table().limit(1).to_pyarrow()["kind"].to_pylist()
    return bool(found != ["timestamp_ntz"])
