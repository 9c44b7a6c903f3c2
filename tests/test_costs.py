"""Files of costs; two files about one system."""

from __future__ import annotations

import json
from math import inf
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cleverdon.costs import (
    QUANTITIES,
    Cost,
    Costs,
    costs_from_record,
    merge_costs,
    read_costs,
    read_timed_run,
)
from cleverdon.errors import InputError

BENCH: dict[str, Any] = {
    "kind": "cleverdon bench",
    "version": 1,
    "system": "mine",
    "settings": {"rate": 100},
    "costs": {"p99": {"value": 0.05, "low": 0.04, "high": None}, "later": {"value": "?"}},
    "not_valid": [],
    "run": {"q1": {"d1": 2, "d2": 1.5}, "q2": {}},
}


def written(folder: Path, held: Any) -> Path:
    path = folder / "bench.json"
    path.write_text(held if isinstance(held, str) else json.dumps(held))
    return path


def test_a_file_says_costs_and_what_was_answered(tmp_path: Path) -> None:
    path = written(tmp_path, BENCH)
    # Quantities of later versions are ignored.
    assert read_costs(path) == Costs("mine", {"p99": Cost(0.05, 0.04)}, (), {"rate": 100})
    assert read_timed_run(path) == {"q1": {"d1": 2.0, "d2": 1.5}, "q2": {}}
    without = {key: value for key, value in BENCH.items() if key != "run"}
    assert read_timed_run(written(tmp_path, without)) is None


@pytest.mark.parametrize(
    ("held", "message"),
    [
        ("no JSON", "cannot be read as what 'cleverdon bench --json'"),
        ("[" * 100_000, "cannot be read as what 'cleverdon bench --json'"),
        ([], "is not what 'cleverdon bench --json'"),
        (BENCH | {"kind": "cleverdon results"}, "is not what 'cleverdon bench --json'"),
        (BENCH | {"version": 2}, "is of version 2, and this Cleverdon reads version 1"),
        (BENCH | {"costs": []}, "something in it is of another kind than it should be; measure"),
        (BENCH | {"costs": {"p99": 3}}, "something in it is of another kind than it should be"),
        (BENCH | {"costs": {"p99": {"value": -1}}}, "-1 is below 0, which no cost is"),
        (BENCH | {"not_valid": "late"}, "the reasons in not_valid are no list: 'late'"),
        (BENCH | {"costs": {"p99": {}}}, "'value' is missing"),
        (BENCH | {"costs": {"p99": {"value": True}}}, "True is no number"),
        (BENCH | {"costs": {"p99": {"value": None}}}, "None is no number"),
        (BENCH | {"costs": {"p99": {"value": 1, "low": "0"}}}, "'0' is no number"),
        ({key: BENCH[key] for key in BENCH if key != "system"}, "'system' is missing"),
    ],
)
def test_what_is_no_such_file_is_said(tmp_path: Path, held: Any, message: str) -> None:
    path = written(tmp_path, held)
    with pytest.raises(InputError) as error:
        read_costs(path)
    assert message in str(error.value)
    assert str(error.value).startswith(str(path))


def test_a_damaged_run_and_a_missing_file(tmp_path: Path) -> None:
    damaged: list[Any] = [[], {"q1": []}, {"q1": {"d1": "high"}}]
    for run in damaged:
        with pytest.raises(InputError, match="damaged"):
            read_timed_run(written(tmp_path, BENCH | {"run": run}))
    with pytest.raises(InputError, match="there is no such file of results"):
        read_costs(tmp_path / "none.json")


def test_two_files_of_one_system_are_put_together() -> None:
    bench = Costs("a", {"p99": Cost(0.1)}, ("the sender lagged",), {"rate": 10})
    index = Costs("a", {"index_size": Cost(1e6)}, (), {"repeat": 3})
    other = Costs("b", {"p99": Cost(0.2)})
    found = merge_costs([bench, index, other])
    assert list(found) == ["a", "b"]
    assert found["a"].settings == {"rate": 10, "repeat": 3}
    # A warning about one quantity does not apply to the other.
    assert found["a"].why_not("p99") == ("the sender lagged",)
    assert found["a"].why_not("index_size") == ()
    assert found["b"] == other
    assert merge_costs([index, index]) == {"a": index}
    # A bench can also report the size, which a late sender does not affect.
    told = Costs("a", {"index_size": Cost(1e6)}, ("the sender lagged",))
    for order in ([index, told], [told, index]):
        assert merge_costs(order)["a"].why_not("index_size") == ()
    slower = Costs("a", {"p99": Cost(0.2)})
    with pytest.raises(InputError, match="two files say p99 of 'a'"):
        merge_costs([bench, index, slower])


def test_the_ends_of_what_is_known() -> None:
    assert Cost(2.0).ends == (2.0, 2.0)
    assert Cost(2.0, 1.0, 3.0).ends == (1.0, 3.0)
    assert Cost(2.0, low=1.0).ends == (1.0, inf)
    assert Cost(2.0, high=3.0).ends == (0.0, 3.0)


_NUMBERS = st.floats(0, 1e12)
_COST = st.builds(
    Cost,
    _NUMBERS,
    st.none() | _NUMBERS,
    st.none() | _NUMBERS,
    st.lists(st.text(), max_size=2).map(tuple),
)


@given(
    st.builds(
        Costs,
        st.text(),
        st.dictionaries(st.sampled_from(list(QUANTITIES)), _COST),
        st.lists(st.text(), max_size=2).map(tuple),
        st.dictionaries(st.text(), st.integers() | st.text()),
    )
)
def test_what_is_written_is_read_back(costs: Costs) -> None:
    assert costs_from_record(json.loads(json.dumps(costs.record()))) == costs
