"""The progress bar: on a terminal, and only where work takes longer than a moment."""

from __future__ import annotations

import io
import time
from types import SimpleNamespace
from typing import ClassVar

import pytest

from cleverdon._common import progress_bar as progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Recorder:
    """Stands in for rich's bar, which looks at more of the machine than a test can set up."""

    made: ClassVar[list[Recorder]] = []

    def __init__(self, label: str) -> None:
        self.label = label
        self.told: list[tuple[int, int]] = []
        self.said: list[str] = []
        self.closed = False
        Recorder.made.append(self)

    def update(self, done: int, total: int) -> None:
        self.told.append((done, total))

    def relabel(self, label: str) -> None:
        self.label = label

    def say(self, line: str) -> None:
        self.said.append(line)

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    # Not sys.stderr itself: pytest puts its own there between a fixture and a test.
    stderr = Terminal()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=stderr))
    monkeypatch.setattr(progress, "_Bar", Recorder)
    monkeypatch.setattr(Recorder, "made", [])
    return stderr


def shown() -> Recorder:
    """The bar, once it is there."""
    deadline = time.monotonic() + 10
    while not Recorder.made and time.monotonic() < deadline:
        time.sleep(0.01)
    (bar,) = Recorder.made
    return bar


@pytest.mark.usefixtures("terminal")
def test_work_that_never_reports_is_not_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    with progress.bar("comparing"):
        assert shown().label == "comparing"
    assert shown().closed


@pytest.mark.usefixtures("terminal")
def test_what_is_done_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    with progress.bar("reading") as update:
        recorder = shown()
        deadline = time.monotonic() + 10
        while (
            not recorder.told and time.monotonic() < deadline
        ):  # it is made just before it is used
            update("reading", 1, 4)
    assert recorder.told == [(1, 4)]


def test_what_ends_soon_shows_nothing(terminal: Terminal) -> None:
    with progress.bar("reading") as update:
        update("reading", 1, 4)
    assert terminal.getvalue() == ""
    assert Recorder.made == []


def test_a_log_file_gets_no_bar(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    with progress.bar("reading") as update:
        update("reading", 1, 4)
        time.sleep(0.05)
    assert capsys.readouterr().err == ""


@pytest.mark.usefixtures("terminal")
def test_a_bar_within_another_is_that_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    with progress.bar("comparing"):
        recorder = shown()
        with progress.bar("reading"):
            assert recorder.label == "reading"
        assert recorder.label == "comparing"
        assert not recorder.closed
    assert recorder.closed
    assert len(Recorder.made) == 1


def test_what_is_said_stands_above_the_bar(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    progress.say("before")
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    with progress.bar("comparing"):
        recorder = shown()
        progress.say("within")
    assert recorder.said == ["within"]
    assert terminal.getvalue() == "before\n"


@pytest.mark.usefixtures("terminal")
def test_a_new_step_relabels_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    with progress.bar("reading") as update:
        recorder = shown()
        with progress._running._lock:  # the bar is made just before it is used
            pass
        update("counting", 1, 4)
        assert (recorder.label, recorder.told) == ("counting", [(1, 4)])
