"""The names of metrics: other names, and those that mean several metrics."""

from __future__ import annotations

import pytest

from cleverdon import NotationError
from cleverdon.logs.metrics.base import find_metric, metrics
from cleverdon.logs.tables import explain_metric


def test_other_names() -> None:
    for name in ("ZRR", "zrr", "ZeroResultRate", "zeroresults"):
        assert str(find_metric(name)) == "ZeroResults"
    assert "Also called  ZRR, ZeroResultRate" in explain_metric("ZRR")


@pytest.mark.parametrize("name", ["CTR", "ctr", "ClickThroughRate"])
def test_a_name_of_several_metrics_is_an_error_that_lists_them(name: str) -> None:
    with pytest.raises(NotationError, match=f"'{name}' is the name of several metrics") as raised:
        find_metric(name)
    for cls in metrics():
        assert (f" {cls.__name__}: " in str(raised.value)) == cls.__name__.endswith("CTR")


def test_no_name_stands_for_two_metrics() -> None:
    own = [name.casefold() for cls in metrics() for name in (cls.__name__, *cls.aliases)]
    assert len(set(own)) == len(own)
    assert not {name.casefold() for cls in metrics() for name in cls.shared_names} & set(own)
