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
    """Stands in for the bar, which draws from a thread of its own."""

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


def test_a_line_has_step_bar_share_and_what_is_left() -> None:
    assert progress._line("reading", 1, 4, 30.0, 80) == f"reading {'━' * 8}{'─' * 22}  25% 0:01:30"
    assert progress._line("reading", 0, 4, 1.0, 80) == f"reading {'─' * 30}   0% -:--:--"
    assert progress._line("reading", 9, 4, 5.0, 80) == f"reading {'━' * 30} 100% 0:00:00"


def test_work_of_unknown_length_moves() -> None:
    first, second = (progress._line("comparing", 0, 0, at, 80) for at in (3725.0, 3725.1))
    assert first.endswith(" 1:02:05")
    assert first != second


@pytest.mark.parametrize("columns", [0, 1, 10, 44, 60])
def test_a_line_never_wraps(columns: int) -> None:
    line = progress._line("a step with a long name " * 4, 1, 4, 30.0, columns)
    assert len(line) < max(columns, 1)


def test_the_bar_removes_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    stderr = Terminal()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=stderr))
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    monkeypatch.setattr(progress, "_INTERVAL", 0.001)
    with progress.bar("comparing") as update:
        deadline = time.monotonic() + 10
        while " 50%" not in stderr.getvalue() and time.monotonic() < deadline:
            update("comparing", 2, 4)
        progress.say("a note")
    assert " 50%" in stderr.getvalue()
    assert on_screen(stderr.getvalue()) == ["a note", ""]


def on_screen(text: str) -> list[str]:
    """Return the lines that a terminal shows: after a carriage return, text replaces older text."""
    lines = []
    for line in text.split("\n"):
        cells = ""
        for part in line.split("\r"):
            cells = part + cells[len(part) :]
        lines.append(cells.rstrip())
    return lines


def test_a_terminal_without_these_characters_gets_plain_ones() -> None:
    assert progress._encodable("reading ━━──", "cp1252") == "reading ##--"
    assert progress._encodable("reading ━━──", "utf-8") == "reading ━━──"
