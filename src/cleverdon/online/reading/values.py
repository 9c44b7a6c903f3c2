"""What a part of a mapping gives on a flat table: an expression of the column's type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cleverdon.online.reading import times
from cleverdon.online.reading.engine import function
from cleverdon.online.reading.spec import Part
from cleverdon.online.reading.typed import field_of

if TYPE_CHECKING:
    import ibis


@dataclass(frozen=True)
class Value:
    """One canonical column: what it holds, whether anything stood there, and if a zone lacked.

    Where whatever stands there is a value, because of its type, `stood` is None.
    """

    value: Any
    stood: Any | None
    zoneless: Any | None = None


@dataclass(frozen=True)
class Reading:
    """What is known of a table when its values are read."""

    table: ibis.Table
    backend: str
    units: Mapping[str, str] = field(default_factory=dict)
    """For each path of a time, the unit of epochs that was guessed."""

    def column(
        self, parts: tuple[Part, ...], kind: str, *, keep_empty: bool = False
    ) -> Value | None:
        """The first of the parts that has a value; None where the table has none of them."""
        import ibis

        there = [part for part in parts if self._there(part)]
        if not there:
            return None
        raws = [self._raw(part) for part in there]
        if kind == "time":
            made = [self._time(raw, part) for raw, part in zip(raws, there, strict=True)]
            flags = [lacks for _, lacks in made if lacks is not None]
            found = [value for value, _ in made]
        else:
            found = [
                self._typed(raw, part, kind, keep_empty)
                for raw, part in zip(raws, there, strict=True)
            ]
            flags = []
        # A number may be too large for a time; whatever else has a type is a value.
        doubtful = [raw for raw in raws if raw.type().is_string() or kind == "time"]
        stood = [_written(raw) for raw in doubtful]
        return Value(
            ibis.coalesce(*found) if len(found) > 1 else found[0],
            ibis.or_(*stood) if stood else None,
            ibis.or_(*flags) if flags else None,
        )

    def sample(self, part: Part, most: int) -> list[Any]:
        """Some of what stands where a part is read, unless its type says what it is."""
        if not self._there(part):
            return []
        raw = self._raw(part)
        if not (raw.type().is_numeric() or raw.type().is_string()):
            return []
        some = self.table.select(found=raw)
        written = some.filter(some.found.notnull()).limit(most)
        return list(written.to_pyarrow()["found"].to_pylist())

    def _there(self, part: Part) -> bool:
        whole = part.counted or part.words or part.key is not None or bool(part.joined)
        return all(
            path in self.table.columns and (whole or not self.table[path].type().is_nested())
            for path in part.paths()
        )

    def _raw(self, part: Part) -> Any:
        import ibis

        if part.constant is not None:
            return ibis.literal(part.constant)
        if part.numbered:
            return (ibis.row_number() + 1).cast("string")
        if part.joined:
            first, *others = (_as_text(self.table[path]) for path in part.joined)
            for other in others:
                first = first + part.glue + other
            return first
        raw = self.table[part.path]
        if part.counted:
            return _length(raw)
        if part.words:
            raw = _joined_words(raw)
        if part.key is not None:
            raw = _keyed(raw, part.key, self.backend)
        if part.pattern is not None:
            raw = raw.cast("string").re_extract(part.pattern, 1).nullif("")
        if part.decode is not None:
            raw = _decoded(raw, part.decode)
        return raw

    def _time(self, raw: Any, part: Part) -> tuple[Any, Any | None]:
        kind = raw.type()
        unit = part.unit or self.units.get(part.path or "", "ms")
        if kind.is_numeric():
            return times.from_epoch(raw, unit), None
        if kind.is_timestamp() or kind.is_date():
            stamp = raw.cast("timestamp") if kind.is_date() else raw
            value, lacks = times.from_timestamp(stamp, part.timezone, self.backend)
        else:
            value, lacks = times.from_text(_as_text(raw), part.timezone, unit, self.backend)
        return value, None if part.timezone else lacks  # where a zone is told, none is assumed

    def _typed(self, raw: Any, part: Part, kind: str, keep_empty: bool) -> Any:
        if kind == "string":
            text = _as_text(raw)
            return text if keep_empty else text.nullif("")
        number = raw.try_cast("float64") if raw.type().is_string() else raw.cast("float64")
        if raw.type().is_floating() or raw.type().is_string():
            number = number.isnan().ifelse(None, number)
        if part.unit:
            number = number * (1000 / times.PER_SECOND[part.unit])
        if part.start == 0:
            number = number + 1
        if kind == "float64":
            return number
        if raw.type().is_integer() and not part.unit:
            return raw.cast("int64") + (1 if part.start == 0 else 0)
        # Beyond this, a float is no whole number any more, and a cast would fail.
        return (number.abs() < 2**53).ifelse(number, None).floor().cast("int64")


def _as_text(raw: Any) -> Any:
    return raw if raw.type().is_string() else raw.cast("string")


def _joined_words(raw: Any) -> Any:
    """The words of a list, be it a list or JSON that is one, with spaces between them."""
    if raw.type().is_array():
        return raw.cast("array<string>").join(" ")
    inner = raw.re_extract(r'^\s*\[\s*"(.*)"\s*\]\s*$', 1).nullif("")
    return _decoded(inner.re_replace(r'"\s*,\s*"', " "), "json").coalesce(raw)


def _length(raw: Any) -> Any:
    """How many elements a list has, be it a list or JSON that is one."""
    if raw.type().is_array():
        return raw.length()
    # DuckDB counts without a sign: added to a number with one, it would not fit 64 bits.
    length = function("json_array_length", ["string"], "uint64")
    return raw.startswith("[").ifelse(length(raw), None)


_SCALAR = r'(?:[-+.\deE]+|"[^"\\]*"|true|false|null)'


def _keyed(raw: Any, key: str, backend: str) -> Any:
    """What a JSON object has under a key, as text; null where it has nothing there.

    Not every engine can read text as JSON without failing on text that is none. There, a pattern
    finds a number that stands before or after everything that is nested, as engines write it.
    """
    import ibis

    if not raw.type().is_string() or backend == "duckdb":
        found = field_of(raw, [key])
        return ibis.null("string") if found is None else found.cast("string")
    if backend == "pyspark":
        return function("get_json_object", ["string", "string"], "string")(raw, f"$.{key}")
    others = rf'(?:\s*"[^"\\]*"\s*:\s*{_SCALAR}\s*,)*'
    before = rf'^\s*\{{{others}\s*"{key}"\s*:\s*(\d+)'
    others = rf'(?:\s*,\s*"[^"\\]*"\s*:\s*{_SCALAR})*'
    after = rf'[,{{]\s*"{key}"\s*:\s*(\d+){others}\s*\}}\s*$'
    return ibis.coalesce(*(raw.re_extract(one, 1).nullif("") for one in (before, after)))


def _written(raw: Any) -> Any:
    """Whether there is anything to read."""
    return raw.notnull() & (raw.strip() != "") if raw.type().is_string() else raw.notnull()


def _decoded(raw: Any, written: str) -> Any:
    if written == "json":
        return ('"' + raw + '"').try_cast("json").str
    return function("url_decode", ["string"], "string")(raw.replace("+", " "))
