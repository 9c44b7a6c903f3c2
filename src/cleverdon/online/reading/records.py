"""JSON records: what paths they have, and a row for each element of a list in them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cleverdon.online.reading.spec import INDEX
from cleverdon.online.reading.tables import BROKEN, inside, json_path, quoted

if TYPE_CHECKING:
    import ibis

Steps = tuple[str, ...]


def parsed(line: str) -> dict[str, Any] | None:
    """The JSON object on a line; None where there is none."""
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def paths_of(records: Iterable[Mapping[str, Any]]) -> dict[str, Steps]:
    """Every path into the records, and its steps: a key may have a full stop in it."""
    found: dict[str, Steps] = {}

    def walk(value: Any, steps: Steps) -> None:
        if isinstance(value, list):
            for element in value:
                walk(element, steps)
        if isinstance(value, Mapping):
            for key, inner in value.items():
                found.setdefault(".".join((*steps, key)), (*steps, key))
                walk(inner, (*steps, key))

    for record in records:
        walk(record, ())
    return found


def plain_keys(records: Iterable[Mapping[str, Any]]) -> frozenset[str]:
    """The keys of the records that never hold a list or an object."""
    found: set[str] = set()
    nested: set[str] = set()
    for record in records:
        for key, value in record.items():
            (nested if isinstance(value, dict | list) else found).add(key)
    return frozenset(found - nested)


def expanded_json(flat: ibis.Table, each: Sequence[str], paths: Iterable[str]) -> ibis.Table:
    """A row for each element of lists that are JSON in text columns; a broken row stays one."""
    lists = {name: quoted(f"_list{i}") for i, name in enumerate(each)}
    made = ", ".join(
        f"try_cast(try_cast({quoted(name)} AS JSON) AS JSON[]) AS {made}"
        for name, made in lists.items()
    )
    columns = [f"CASE WHEN _at > 0 THEN _at END AS {quoted(INDEX)}"]
    for path in sorted({path for path in paths if inside(path, each)}):
        within = inside(path, each)
        assert within is not None  # only such paths are taken
        steps = path[len(within) + 1 :].split(".") if path != within else []
        element = f"{lists[within]}[_at]"
        columns.append(f"json_extract_string({element}, {json_path(steps)}) AS {quoted(path)}")
    first = lists[each[0]]
    numbers = f"CASE WHEN {quoted(BROKEN)} THEN [0] ELSE range(1, len({first}) + 1) END"
    kept = ", ".join(quoted(name) for name in flat.columns if name not in each)
    return flat.alias("_flat").sql(
        f"SELECT {kept}, {', '.join(columns)} FROM (SELECT *, unnest({numbers}) AS _at "
        f"FROM (SELECT *, {made} FROM _flat))"
    )
