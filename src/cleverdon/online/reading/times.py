"""Times of every spelling to whole milliseconds since 1970, the same on every engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from cleverdon.errors import OptionError
from cleverdon.online.reading.engine import function, has_zone

if TYPE_CHECKING:
    from cleverdon.online.log import Log

ZONELESS = "has times without a time zone"
"""What a note of `Log.notes` says of a column whose times have no zone."""

ZONED = r"(Z|z|UTC|GMT|[+-]\d{2}(:?\d{2})?)$"
"""How a time ends that has a zone; it has to have a time of day before it."""
NUMBER = r"^-?\d+(\.\d+)?$"

_FAR = 2**62
"""A number beyond which sums of whole ones do not fit; no time in any unit is near it."""
_INSTANT = "timestamp('UTC')"
EARLIEST, LATEST = 631_152_000_000, 4_102_444_800_000
"""What a time can be, in milliseconds: 1990 to 2099. Units of epochs do not overlap in it."""
PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}


def zoneless(log: Log) -> tuple[str, ...]:
    """The columns of the log whose times have no zone, and were taken to be in some."""
    return tuple(note.split(" ", 1)[0] for note in log.notes if ZONELESS in note)


def guessed_unit(numbers: Iterable[float]) -> str | None:
    """The unit in which most of these epochs are times that can be; None where none is one.

    >>> guessed_unit([1_760_000_000, 1e20]), guessed_unit([1_760_000_000_000]), guessed_unit([5])
    ('s', 'ms', None)
    """
    votes = Counter(
        unit
        for number in numbers
        for unit, per in PER_SECOND.items()
        if EARLIEST <= number * 1000 / per < LATEST
    )
    return max(votes, key=votes.__getitem__) if votes else None


def impossible(time: Any) -> Any:
    """Whether a time in milliseconds is one that no search log has."""
    return (time < EARLIEST) | (time >= LATEST)


def from_epoch(number: Any, unit: str) -> Any:
    """Whole milliseconds of a number of seconds, milliseconds, microseconds or nanoseconds."""
    if number.type().is_integer():
        far = _FAR // 1000 if unit == "s" else _FAR
        whole = number.between(-far, far).ifelse(number, None).cast("int64")
        if unit == "s":
            return whole * 1000
        per = PER_SECOND[unit] // 1000
        # Engines divide integers as floats, which have too few digits for nanoseconds: what is
        # left is taken off first, so that the rounded quotient is exact.
        rest = (whole % per + per) % per
        return ((whole - rest) / per).round().cast("int64") if per > 1 else whole
    # Seconds with decimals are floats, in which 0.123 is a little more or less than it.
    scaled = number.cast("float64") * (1000 / PER_SECOND[unit])
    return (scaled.abs() < _FAR).ifelse(scaled, None).round().cast("int64")


def from_timestamp(stamp: Any, zone: str | None, backend: str) -> tuple[Any, Any | None]:
    """Whole milliseconds of a timestamp, taken to be in `zone` or UTC; and whether it lacks one."""
    if has_zone(stamp, backend):
        return _milliseconds(stamp, backend), None
    placed = _placed(stamp, zone, backend) if zone else stamp
    return _milliseconds(placed, backend), stamp.notnull()


def from_text(text: Any, zone: str | None, unit: str, backend: str) -> tuple[Any, Any]:
    """Whole milliseconds of a time that is text, null if it is none; and whether it lacks a zone.

    A number is an epoch in `unit`; anything else is ISO 8601, or nearly.
    """
    import ibis

    # What is seen at a glance is seen first: patterns take longer, and most times end in Z.
    number = ~text.contains(":") & text.re_search(NUMBER)
    lacks = ~number & ~text.endswith("Z") & ~text.re_search(r"\d:\d.*" + ZONED)
    instant = text.nullif("").try_cast(_INSTANT).coalesce(_mended(text).try_cast(_INSTANT))
    told = _milliseconds(instant, backend)
    if zone:
        clock = text.nullif("").try_cast("timestamp").coalesce(_mended(text).try_cast("timestamp"))
        told = lacks.ifelse(_milliseconds(_placed(clock, zone, backend), backend), told)
    fraction = from_epoch(text.try_cast("float64"), unit)
    # Some engines read '1.5' as the whole number 2; and a float has not all digits of an integer.
    whole = from_epoch((~text.contains(".")).ifelse(text, None).try_cast("int64"), unit)
    return ibis.cases((number, whole.coalesce(fraction)), else_=told), lacks


def _mended(text: Any) -> Any:
    """Times that engines do not read as they are.

    Log4j writes a comma before milliseconds, and some leave the colon out of the zone.
    """
    point = text.replace(",", ".")
    short = point.re_search(r":\d.*[+-]\d{4}$")
    return short.ifelse(point.left(point.length() - 2) + ":" + point.right(2), point).nullif("")


def _milliseconds(stamp: Any, backend: str) -> Any:
    if backend == "duckdb":
        return function("epoch_ms", [stamp.type()], "int64")(stamp)
    if backend == "pyspark":
        return function("unix_millis", [_INSTANT], "int64")(stamp.cast(_INSTANT))
    seconds = stamp.truncate("s").epoch_seconds()
    return seconds.cast("int64") * 1000 + stamp.millisecond().cast("int64")


def _placed(stamp: Any, zone: str, backend: str) -> Any:
    """The instant at which clocks in `zone` showed this time."""
    if backend in ("duckdb", "postgres"):
        return function("timezone", ["string", "timestamp"], _INSTANT)(
            zone, stamp.cast("timestamp")
        )
    if backend == "pyspark":
        return function("to_utc_timestamp", [_INSTANT, "string"], _INSTANT)(
            stamp.cast(_INSTANT), zone
        )
    raise OptionError(
        f"timezone={zone!r}: times without a zone can be placed on DuckDB, PostgreSQL and Spark, "
        f"not on {backend}; make a view there whose times have a zone"
    )


def check_zone(zone: str) -> None:
    """Raise an OptionError unless there is a time zone of this name."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

    from cleverdon.errors import suggest

    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError):
        hint = suggest(zone, sorted(available_timezones()))
        raise OptionError(
            f"timezone={zone!r} is not known{hint}; zones have names such as Europe/Berlin"
        ) from None
