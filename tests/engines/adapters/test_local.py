from __future__ import annotations

import os
from pathlib import Path

import pytest

from cleverdon.engines.adapters.local import _folder_size, replacing_file, replacing_folder
from cleverdon.errors import InputError


def test_a_folder_takes_the_place_of_the_one_before(tmp_path: Path) -> None:
    place = tmp_path / "index"
    for text in ("old", "newer"):
        with replacing_folder(place) as unfinished:
            (unfinished / "part").write_text(text)
            assert not place.exists() or (place / "part").read_text() == "old"
        assert (place / "part").read_text() == text
        assert _folder_size(place) == len(text)
    assert os.listdir(tmp_path) == ["index"]


def test_the_folder_before_comes_back_where_the_new_one_cannot_take_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "index"
    with replacing_folder(place) as unfinished:
        (unfinished / "part").write_text("old")
    rename, calls = os.rename, []

    def second_fails(source: Path, target: Path) -> None:
        calls.append(target)
        if len(calls) == 2:
            raise OSError("no space left")
        rename(source, target)

    monkeypatch.setattr(os, "rename", second_fails)
    with (
        pytest.raises(InputError, match="index: cannot be written: no space left"),
        replacing_folder(place) as unfinished,
    ):
        (unfinished / "part").write_text("new")
    assert (place / "part").read_text() == "old"
    assert os.listdir(tmp_path) == ["index"]


def test_a_file_is_there_whole_or_as_before(tmp_path: Path) -> None:
    place = tmp_path / "new" / "index.db"
    with replacing_file(place) as unfinished:
        unfinished.write_text("old")

    def interrupted() -> None:
        with replacing_file(place) as unfinished:
            unfinished.write_text("new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert place.read_text() == "old"
    assert os.listdir(place.parent) == ["index.db"]


def test_what_is_no_folder_of_ours_stays(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "empty").mkdir()
    for name in (".", "file"):
        with (
            pytest.raises(InputError, match="did not make this"),
            replacing_folder(tmp_path / name),
        ):
            pass
    with replacing_folder(tmp_path / "empty") as unfinished:
        (unfinished / "part").write_text("new")
    assert (tmp_path / "file").read_text() == "mine"
