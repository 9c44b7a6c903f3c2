"""Bytes on disk: counted once, wherever they are."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import pytest

from cleverdon.engines.resources import DiskUse, _size_of


def test_names_links_and_holes(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    (folder / "deep").mkdir(parents=True)
    (folder / "one").write_bytes(bytes(1000))
    (folder / "deep" / "two").write_bytes(bytes(500))
    os.link(folder / "one", folder / "again")
    os.symlink(tmp_path, folder / "round")
    assert _size_of(str(folder)) == 1500
    with open(folder / "holes", "wb") as file:
        file.truncate(10**9)
    assert _size_of(str(folder)) < 10**6
    assert _size_of(str(tmp_path / "nothing")) == 0


def test_the_peak_counts_what_is_temporary_and_what_is_watched(tmp_path: Path) -> None:
    temporary, watched = tmp_path / "temporary", tmp_path / "watched"
    temporary.mkdir()
    watched.mkdir()
    (watched / "old").write_bytes(bytes(10_000))
    index = tmp_path / "index.db"
    index.write_bytes(bytes(700))  # replaced, and no part of what comes
    use = DiskUse(
        index=str(index), temporary=[str(temporary)], watched=[str(watched)], pids=lambda: [77]
    )
    use.sample()
    assert (use.peak, use.kept()) == (0, 700)
    (temporary / "sorted").write_bytes(bytes(3000))
    (tmp_path / ".index.db.77").write_bytes(bytes(1000))
    (tmp_path / "index.db-wal").write_bytes(bytes(50))
    for name in ("another", "index.db-porter", ".index.db.7", ".index.db.777"):
        (tmp_path / name).write_bytes(bytes(10**6))  # not of this index
    (watched / "new").write_bytes(bytes(200))
    use.sample()
    assert (use.peak, use.largest_rise) == (4250, 4250)
    (temporary / "sorted").unlink()
    (tmp_path / "index.db-wal").unlink()
    (tmp_path / ".index.db.77").replace(index)
    use.sample()
    assert (use.peak, use.index(), use.kept()) == (4250, 1000, 1200)


@pytest.mark.skipif(
    not sys.platform.startswith("linux"),
    reason="only Linux says in /proc which nameless files are open",
)
def test_open_files_without_a_name(tmp_path: Path) -> None:
    use = DiskUse(index=None, temporary=[str(tmp_path)], pids=lambda: [os.getpid()])
    with tempfile.TemporaryFile() as file:
        file.write(bytes(123_456))
        file.flush()
        use.sample()
    assert use.peak == 123_456
    use.sample()
    assert use.kept() == 0
