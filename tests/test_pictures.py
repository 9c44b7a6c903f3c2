"""The pictures of the guides: they contain the digest of their data, and are small enough."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from docs import pictures
from docs.made_up import QUERIES, SYSTEMS, made_up

SVGS = sorted(pictures.FOLDER.glob("*.svg"))


@pytest.fixture(scope="module")
def shown() -> dict[str, object]:
    return dict(pictures.pictures())


def test_the_collection_is_the_same_every_time() -> None:
    assert made_up() == made_up()
    qrels, runs = made_up()
    assert qrels.keys() == QUERIES.keys()
    assert tuple(runs) == SYSTEMS
    assert all(run.keys() == QUERIES.keys() for run in runs.values())
    assert len(set(QUERIES.values())) == 50


def test_there_is_a_picture_of_each_and_no_other(shown: dict[str, object]) -> None:
    assert {path.name for path in pictures.FOLDER.iterdir()} == shown.keys()


@pytest.mark.parametrize("path", SVGS, ids=lambda path: path.stem)
def test_plots_are_small_and_stand_on_white(path: Path) -> None:
    assert path.stat().st_size < 60_000
    ground = ElementTree.parse(path).getroot()[0]
    assert ground.tag.endswith("rect")
    assert ground.get("fill") == "white"


def test_the_report_is_a_png_that_says_what_it_was_made_from() -> None:
    png = (pictures.FOLDER / pictures.REPORT).read_bytes()
    assert len(png) < 300_000
    assert png.startswith(b"\x89PNG")
    assert b"tEXtComment\0Made by `make docs` from sha256:" in png
    assert png.endswith(b"IEND\xaeB`\x82")


def test_digests_are_of_titles_and_of_numbers_but_not_of_their_last_digits() -> None:
    def digest(**changed: object) -> str:
        drawn = {"title": "How good?", "datasets": {"means": [{"value": 0.5}]}, "mark": "bar"}
        return pictures.digest_of(drawn | changed, ("title", "datasets"))

    assert digest() == digest(mark="line")
    assert digest() == digest(datasets={"means": [{"value": 0.5 + 1e-13}]})
    assert digest() != digest(datasets={"means": [{"value": 0.5 + 1e-6}]})
    assert digest() != digest(title="How bad?")


def test_what_is_missing_or_of_other_numbers_is_out_of_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shown: dict[str, object]
) -> None:
    monkeypatch.setattr(pictures, "FOLDER", tmp_path)
    monkeypatch.setattr(pictures, "pictures", lambda: shown)
    assert pictures.out_of_date() == list(shown)
    for name, one in shown.items():
        (tmp_path / name).write_text(f"Made from {pictures.digest(one)}")  # type: ignore[arg-type]
    assert pictures.out_of_date() == []
    (tmp_path / "forest.svg").write_text("Made from sha256:0")
    assert pictures.out_of_date() == ["forest.svg"]
