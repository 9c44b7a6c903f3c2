"""What the log doctor has to say, as text and for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from cleverdon.errors import check_word
from cleverdon.online.days import as_date, as_time
from cleverdon.online.doctor.findings import SEVERITIES, Diagnosis, Finding, Support
from cleverdon.online.doctor.supported import how_to_map, meaning
from cleverdon.online.metrics import registry
from cleverdon.show.grid import counted, printable

FORMATS = ("text", "json")

_TIMES = ("time", "asked", "shown", "first", "last", "since")
"""Fields of examples that hold times."""
_LONGEST = 100
"""How many characters of a field are shown."""


def render(found: Diagnosis, format: str = "text") -> str:
    """All of it, in one of `FORMATS`."""
    check_word("format", format, FORMATS)
    if format == "json":
        import json

        return json.dumps(as_json(found), indent=1, ensure_ascii=False)
    parts = [_size(found), _metrics(found), _findings(found), _skipped(found), _summary(found)]
    return "\n\n".join("\n".join(part) for part in parts if part)


def as_json(found: Diagnosis) -> dict[str, Any]:
    """The same as records; times are milliseconds since 1970."""
    record = asdict(found)
    record["findings"] = [{**asdict(finding), "share": finding.share} for finding in found.findings]
    record["size"]["events"] = found.size.events
    return record


def _size(found: Diagnosis) -> list[str]:
    size = found.size
    by = "" if size.users is None else f" by {counted(size.users, 'user')}"
    lines = [f"{printable(found.source)}: {_searches(size.searches)}{by}{_span(found)}"]
    actions = ", ".join(f"{count:,} {printable(str(name))}" for name, count in size.actions.items())
    lines.append(f"{counted(size.events, 'event')}{': ' if actions else ''}{actions}")
    if found.without_bots is not None:
        lines.append(str(found.without_bots))
    return [*lines, *(printable(note) for note in found.notes)]


def _searches(count: int) -> str:
    return f"{count:,} search{'' if count == 1 else 'es'}"


def _span(found: Diagnosis) -> str:
    ends = [_date(at) for at in (found.size.first, found.size.last) if at is not None]
    return f", {ends[0]} to {ends[1]}" if ends else ""


def _date(at: int) -> str:
    try:
        return as_date(at // 86_400_000)
    except OverflowError:  # beyond the year 9999, or before the year 1
        return str(at)


def _metrics(found: Diagnosis) -> list[str]:
    full = [one.metric for one in found.supports if one.verdict == "yes"]
    lines = [f"The log supports {len(full)} of {len(found.supports)} metrics in full:"]
    lines += [f"  {line}" for line in _wrapped(full)]
    for title, verdict in (("In part:", "partly"), ("Not at all:", "no")):
        alike: dict[str, list[str]] = {}
        for one in found.supports:
            if one.verdict == verdict:
                alike.setdefault(_why(one), []).append(one.metric)
        if alike:
            lines.append(title)
        for why, metrics in alike.items():
            lines += [*(f"  {line}" for line in _wrapped(metrics)), *_indented(why)]
    return [*lines, *_stand_ins(found)]


def _stand_ins(found: Diagnosis) -> list[str]:
    """Which metrics have to take something else for a user, and how often."""
    counted = [one for one in found.supports if one.stand_ins and one.verdict != "no"]
    if not counted:
        return []
    shares = counted[0].stand_ins.items()
    told = " and ".join(
        f"the {name} of {_percent(share)} of the searches" for name, share in shares
    )
    lines = _wrapped([one.metric for one in counted])
    return [f"Where no user is named, {told} stands for the user in:", *(f"  {x}" for x in lines)]


def _why(one: Support) -> str:
    told = []
    for column in one.missing:
        told.append(f"{column} is missing: {meaning(column)}")
        told.append(f"to have it, {how_to_map(column)}")
    told += [f"there is no {action} in the log" for action in one.lacks_actions]
    if not told:
        told = [f"{column} is null for {_percent(share)}" for column, share in one.nulls.items()]
    return "\n".join(told)


def _findings(found: Diagnosis) -> list[str]:
    lines: list[str] = []
    for finding in found.findings:
        lines += _finding(finding)
    return lines


def _finding(finding: Finding) -> Iterator[str]:
    yield f"{finding.severity}: {finding.what}{_count(finding)} ({finding.name})"
    yield from _indented("\n".join(finding.details))
    for example in finding.examples:
        yield f"    | {_example(example)}"
    if finding.spoils and finding.severity != "note":
        all_of_them = len(finding.spoils) == len(registry.metrics())
        yield f"    spoils {'every metric' if all_of_them else ', '.join(finding.spoils)}"
    yield f"    {finding.remedy}"


def _count(finding: Finding) -> str:
    if finding.total is None:
        return f": {_of(finding.count, finding.noun)}" if finding.count else ""
    share = "" if finding.share is None else f", {_percent(finding.share)}"
    return f": {finding.count:,} of {_of(finding.total, finding.noun)}{share}"


def _of(number: int, things: str) -> str:
    """So many of things that are named in the plural.

    >>> _of(1, "searches with a latency"), _of(2, "users")
    ('1 search with a latency', '2 users')
    """
    first, space, rest = things.partition(" ")
    one = first.removesuffix("es" if first.endswith("ches") else "s")
    return f"{number:,} {one if number == 1 else first}{space}{rest}"


def _percent(share: float) -> str:
    """In per cent, so that something is not shown as nothing, nor less than all as all.

    >>> _percent(0.25), _percent(1), _percent(0.00004), _percent(0.99999)
    ('25.0%', '100%', 'less than 0.1%', 'more than 99.9%')
    """
    if share in (0, 1):
        return f"{share:.0%}"
    text = f"{share:.1%}"
    return {"0.0%": "less than 0.1%", "100.0%": "more than 99.9%"}.get(text, text)


def _example(example: Mapping[str, Any]) -> str:
    if list(example) == ["row"]:
        return _cut(str(example["row"]))
    return "  ".join(
        f"{name}={_cut(_value(name, value))}"
        for name, value in example.items()
        if value is not None
    )


def _value(name: str, value: Any) -> str:
    if name in _TIMES and isinstance(value, int):
        try:
            return as_time(value)
        except (OverflowError, ValueError):
            return str(value)
    if isinstance(value, str):
        return value if value and not value.isspace() else repr(value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _cut(text: str) -> str:
    text = printable(text)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _skipped(found: Diagnosis) -> list[str]:
    if not found.skipped:
        return []
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, columns in found.skipped.items():
        alike.setdefault(columns, []).append(name)
    lines = ["Not looked for:"]
    for columns, names in alike.items():
        lines += [f"  {line}" for line in _wrapped(names)]
        lines += _indented(f"for want of {', '.join(columns)}")
    return lines


def _summary(found: Diagnosis) -> list[str]:
    return [", ".join(counted(len(found.of(severity)), severity) for severity in SEVERITIES)]


def _indented(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield f"    {printable(line)}"


def _wrapped(names: list[str]) -> list[str]:
    from textwrap import wrap

    return wrap(", ".join(names), 96, break_long_words=False, break_on_hyphens=False)
