"""The script that draws: put together by another process, or by this one where that fails."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import vl_convert

from cleverdon.charts import vega


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    vega.vega_bundle.cache_clear()
    yield
    vega.vega_bundle.cache_clear()


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vl_convert, "javascript_bundle", lambda snippet: f"here: {snippet}")


@pytest.mark.usefixtures("here")
def test_another_process_puts_it_together() -> None:
    with vega.bundling_in_background():
        script = vega.vega_bundle()
    assert "window.vegaEmbed=" in script.replace(" ", "")
    assert len(script) > 500_000


@pytest.mark.usefixtures("here")
def test_without_another_process_this_one_does() -> None:
    assert vega.vega_bundle() == "here: window.vegaEmbed = vegaEmbed;"


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("program", ["raise SystemExit(3)", "print('half'); raise ValueError"])
def test_what_fails_elsewhere_is_done_here(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vega, "_PROGRAM", program)
    with vega.bundling_in_background():
        assert vega.vega_bundle().startswith("here")


@pytest.mark.usefixtures("here")
def test_where_no_process_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vega.sys, "executable", "/there/is/no/such/python")
    with vega.bundling_in_background():
        assert vega.vega_bundle().startswith("here")


def test_a_process_that_nobody_waits_for_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vega, "_PROGRAM", "import time; time.sleep(600)")
    with vega.bundling_in_background():
        (process,) = vega._PROCESSES
    assert process.returncode is not None
    assert not vega._PROCESSES


def test_it_is_put_together_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vega, "_PROGRAM", "print('elsewhere')")
    with vega.bundling_in_background():
        first = vega.vega_bundle()
    assert first.strip() == "elsewhere"
    assert vega.vega_bundle() is first
    with vega.bundling_in_background():
        assert not vega._PROCESSES  # for what is there already, no process is started
