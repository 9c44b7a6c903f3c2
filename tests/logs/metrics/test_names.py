"""The names of metrics: other names, and those that mean several metrics."""

from __future__ import annotations

import re

import pytest

from cleverdon.errors import NotationError
from cleverdon.logs.metrics.base import find_metric, metrics
from cleverdon.logs.tables import explain_metric
from cleverdon.measures.notation import is_measure
from cleverdon.measures.registry import _METRICS_OF_LOGS


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


@pytest.mark.parametrize("doc", ["d7", "https://x.org/a(1),b?c=d", "a b"])
def test_a_parameter_follows_the_name(doc: str) -> None:
    assert str(find_metric(f"linkctr(doc={doc})")) == f"LinkCTR(doc={doc})"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("PageCTR(doc=d7)", "PageCTR has no parameters"),
        ("LinkCTR(d7)", r"LinkCTR\(d7\): expected LinkCTR\(doc=VALUE\)"),
        ("LinkCTR(doc=)", r"LinkCTR\(doc=\): expected"),
        ("LinkCTR(doc=d7", r"LinkCTR\(doc=d7: expected"),
        ("CTR(doc=d7)", "several metrics"),
        ("LinkCTRs(doc=d7)", "LinkCTR"),
    ],
)
def test_a_wrong_parameter_is_an_error(name: str, message: str) -> None:
    with pytest.raises(NotationError, match=message):
        find_metric(name)


def test_no_name_stands_for_two_metrics() -> None:
    own = [name.casefold() for cls in metrics() for name in (cls.__name__, *cls.aliases)]
    assert len(set(own)) == len(own)
    assert not {name.casefold() for cls in metrics() for name in cls.shared_names} & set(own)


def test_measures_know_all_names_of_metrics() -> None:
    names = {
        name.casefold()
        for cls in metrics()
        if cls.__module__.startswith("cleverdon.")
        for name in (cls.__name__, *cls.aliases, *cls.shared_names)
    }
    assert {*_METRICS_OF_LOGS} == {name for name in names if not is_measure(name)}
    ctr = {cls.__name__ for cls in metrics() if "CTR" in cls.shared_names}
    assert ctr == {*re.findall(r"\w+CTR", _METRICS_OF_LOGS["ctr"])}


@pytest.mark.parametrize("name", ["nDCG", "nDCG@10", "P", "ndcg_cut_10"])
def test_measures_are_no_metrics(name: str) -> None:
    with pytest.raises(NotationError, match=f"cleverdon eval QRELS RUN -m '{name}'"):
        find_metric(name)
