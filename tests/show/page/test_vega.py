"""The script that draws: put together by another process, or by this one where that fails."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import vl_convert

from cleverdon.show.page import vega


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    vega.bundle.cache_clear()
    yield
    vega.bundle.cache_clear()


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vl_convert, "javascript_bundle", lambda snippet: f"here: {snippet}")


@pytest.mark.usefixtures("here")
def test_another_process_puts_it_together() -> None:
    with vega.begun():
        script = vega.bundle()
    assert "window.vegaEmbed=" in script.replace(" ", "")
    assert len(script) > 500_000


@pytest.mark.usefixtures("here")
def test_without_another_process_this_one_does() -> None:
    assert vega.bundle() == "here: window.vegaEmbed = vegaEmbed;"


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("program", ["raise SystemExit(3)", "print('half'); raise ValueError"])
def test_what_fails_elsewhere_is_done_here(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vega, "_PROGRAM", program)
    with vega.begun():
        assert vega.bundle().startswith("here")


@pytest.mark.usefixtures("here")
def test_where_no_process_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vega.sys, "executable", "/there/is/no/such/python")
    with vega.begun():
        assert vega.bundle().startswith("here")


def test_a_process_that_nobody_waits_for_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vega, "_PROGRAM", "import time; time.sleep(600)")
    with vega.begun():
        (process,) = vega._BEGUN
    assert process.returncode is not None
    assert not vega._BEGUN


def test_it_is_put_together_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vega, "_PROGRAM", "print('elsewhere')")
    with vega.begun():
        first = vega.bundle()
    assert first.strip() == "elsewhere"
    assert vega.bundle() is first
    with vega.begun():
        assert not vega._BEGUN  # for what is there already, no process is started
