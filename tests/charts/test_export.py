"""Every plot as a file: that it can be drawn, says what it shows, and has the colours of all."""

from __future__ import annotations

import json
import os
import re
import struct
import subprocess
import sys
import zlib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from cleverdon import plots as cleverdon_plots
from cleverdon.charts import export, theme
from cleverdon.charts.base import LIMIT
from cleverdon.charts.export import _ENDINGS
from cleverdon.errors import InputError, MissingExtra, OptionError
from cleverdon.plots import distributions
from tests.comparison.made import made
from tests.plots.examples import EXAMPLES, SYSTEMS, chart, spec

every_plot = pytest.mark.parametrize("name", sorted(EXAMPLES))


def inside(found: Any) -> Iterator[dict[str, Any]]:
    """Every record of a specification, its rows aside."""
    if isinstance(found, dict):
        yield found
        for key, value in found.items():
            if key != "datasets":
                yield from inside(value)
    elif isinstance(found, list):
        for value in found:
            yield from inside(value)


def test_every_plot_has_an_example() -> None:
    assert set(EXAMPLES) == set(cleverdon_plots.__all__) - {"save"}
    assert cleverdon_plots.__all__ == sorted(cleverdon_plots.__all__)


@every_plot
def test_pixels(name: str, tmp_path: Path) -> None:
    export.save(chart(name), tmp_path / "plot.png")
    width, height, pixels = decoded((tmp_path / "plot.png").read_bytes())
    assert width > 300
    assert height > 100
    # The bytes of a blank picture are next to all the same, however they are filtered.
    assert len(set(pixels)) > 20


def decoded(png: bytes) -> tuple[int, int, bytes]:
    """Width, height and bytes of a picture, whose parts are held to their checksums."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, size, data = 8, (0, 0, 0, 0), b""
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        kind, body = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length : at + 12 + length])[0] == zlib.crc32(
            kind + body
        )
        if kind == b"IHDR":
            size = struct.unpack(">IIBB", body[:10])
        elif kind == b"IDAT":
            data += body
        at += 12 + length
    assert kind == b"IEND"
    width, height, depth, colours = size
    samples = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colours]
    pixels = zlib.decompress(data)
    assert len(pixels) == height * (1 + -(-width * samples * depth // 8))
    return width, height, pixels


@every_plot
def test_lines_and_letters(name: str, tmp_path: Path) -> None:
    export.save(chart(name), tmp_path / "plot.svg")
    tree = ElementTree.parse(tmp_path / "plot.svg")
    texts = {text.strip() for text in tree.getroot().itertext()}  # a line each
    assert wanted(spec(name)["title"]["text"]) <= texts
    assert wanted(spec(name)["title"].get("subtitle")) <= texts
    titles = set()
    for record in inside(spec(name)):
        for axis in ("x", "y"):
            if isinstance(record.get(axis), dict):
                titles |= wanted(record[axis].get("title"))
    assert titles <= texts


def wanted(title: Any) -> set[str]:
    """The lines of a title, where there is one."""
    return {title} if isinstance(title, str) else set(title or ())


@every_plot
def test_rows_are_few_and_plain(name: str) -> None:
    datasets = spec(name)["datasets"]
    assert any(datasets.values())
    assert all(len(rows) <= LIMIT for rows in datasets.values())
    json.dumps(spec(name), allow_nan=False)
    drawn_from = {
        record["data"]["name"]
        for record in inside(spec(name))
        if isinstance(record.get("data"), dict) and "name" in record["data"]
    }
    assert drawn_from <= set(datasets)


@every_plot
def test_a_system_has_one_colour_in_all_plots(name: str) -> None:
    own = dict(zip(SYSTEMS, theme.colours(SYSTEMS), strict=True))
    for record in inside(spec(name)):
        if record.get("field") == "system" and "range" in record.get("scale", {}):
            scale = record["scale"]
            if all(str(colour).startswith("#") for colour in scale["range"]):
                assert dict(zip(scale["domain"], scale["range"], strict=True)) == own


@every_plot
def test_what_is_hovered_over_says_what_it_is(name: str) -> None:
    fields = set()
    for record in inside(spec(name)):
        tooltip = record.get("tooltip", [])
        for part in tooltip if isinstance(tooltip, list) else [tooltip]:
            fields |= {part["field"]} if "field" in part else set()
    assert fields
    datasets = spec(name)["datasets"].values()
    known = {key for rows in datasets for row in rows for key in row}
    assert fields <= known or not all(datasets)  # of what an empty dataset would have


def test_print_and_page(tmp_path: Path) -> None:
    export.save(chart("trade_off"), tmp_path / "plot.pdf")
    assert (tmp_path / "plot.pdf").read_bytes().startswith(b"%PDF-")
    export.save(chart("trade_off"), str(tmp_path / "plot.HTML"))
    page = (tmp_path / "plot.HTML").read_text(encoding="utf-8")
    assert not re.search(r"""(?:src|href)\s*=\s*["']?\s*(?:https?:)?//""", page)
    assert not re.search(r"@import|url\(\s*[\"']?(?:https?:)?//", page)
    assert "vegaEmbed" in page


class Scripts(HTMLParser):
    """How many scripts a page has."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.count += tag == "script"


def test_a_name_cannot_leave_the_script_it_stands_in(tmp_path: Path) -> None:
    name = "</script><script>alert(1)</script><!--"
    for system, file in (("harmless", "one.html"), (name, "two.html")):
        export.save(distributions.spread(made({system: {"AP": [0.1, 0.2]}}), "AP"), tmp_path / file)
    pages = [(tmp_path / file).read_text(encoding="utf-8") for file in ("one.html", "two.html")]
    found = []
    for page in pages:
        scripts = Scripts()
        scripts.feed(page)
        found.append(scripts.count)
    assert found[0] == found[1]
    assert name not in pages[1]
    written = json.dumps(name).replace("<", "\\u003c")
    assert written in pages[1]
    assert json.loads(written) == name


@pytest.mark.parametrize("ending", [ending for ending in _ENDINGS if ending != ".pdf"])
def test_any_name_can_be_drawn(ending: str, tmp_path: Path) -> None:
    # What is no character of XML would end the process: the converter does not expect it.
    name = "bell\a null\0 line\n half\udc80 none\uffff"
    export.save(
        distributions.spread(made({name: {"AP": [0.1, 0.2]}}), "AP"), tmp_path / f"plot{ending}"
    )
    written = (tmp_path / f"plot{ending}").read_bytes()
    if ending == ".svg":
        shown = "".join(ElementTree.fromstring(written).itertext())
        assert r"bell\x07 null\x00 line\n half\udc80 none\uffff" in shown
    elif ending == ".json":
        assert json.loads(written)["datasets"]["boxes"][0]["system"] == name


def test_the_specification_as_it_is(tmp_path: Path) -> None:
    export.save(chart("spread"), tmp_path / "plot.json")
    assert json.loads((tmp_path / "plot.json").read_text(encoding="utf-8")) == spec("spread")


def test_slides_are_dark(tmp_path: Path) -> None:
    export.save(chart("spread"), tmp_path / "plot.json", dark=True)
    saved = json.loads((tmp_path / "plot.json").read_text(encoding="utf-8"))
    assert saved == spec("spread") | {"config": theme.config("dark")}
    assert chart("spread").to_dict() == spec("spread")  # which stays as it is


def test_another_ending_is_refused(tmp_path: Path) -> None:
    for name in ("plot.pgn", "plot"):
        with pytest.raises(OptionError, match="cannot be saved as"):
            export.save(chart("spread"), tmp_path / name)
    with pytest.raises(OptionError, match=r"did you mean '\.png'"):
        export.save(chart("spread"), tmp_path / "plot.pgn")
    assert not list(tmp_path.iterdir())
    assert set(_ENDINGS) == {".html", ".svg", ".png", ".pdf", ".json"}


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"missing.*cannot be written"):
        export.save(chart("spread"), tmp_path / "missing" / "plot.json")


def test_what_is_not_installed_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingExtra, match=r"vl-convert-python.*cleverdon\[plots\]"):
        export.save(chart("spread"), tmp_path / "plot.svg")
    export.save(chart("spread"), tmp_path / "plot.json")  # for which nothing is needed
    script = "import sys; sys.modules['altair'] = None; import cleverdon.plots; cleverdon.plots.roc"
    found = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=dict(os.environ)
    )
    assert found.returncode == 1
    assert found.stderr.strip().splitlines()[-1].endswith("pip install 'cleverdon[plots]'")


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_letters_can_be_read_on_paper_and_in_the_dark(mode: str) -> None:
    config = theme.config(mode)
    paper = luminance(config["background"])
    for where, part in (("axis", "labelColor"), ("title", "subtitleColor"), ("text", "color")):
        ink = luminance(config[where][part])
        lighter, darker = max(paper, ink), min(paper, ink)
        assert (lighter + 0.05) / (darker + 0.05) >= 4.5  # as WCAG 2 wants it of texts


def luminance(colour: str) -> float:
    """How light a colour is, from 0 to 1, as WCAG 2 has it."""
    digits = {"white": "ffffff"}.get(colour, colour.lstrip("#"))
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_a_page_fits_a_phone_and_is_dark_to_the_edge(tmp_path: Path) -> None:
    for mode in ("light", "dark"):
        export.save(chart("spread"), tmp_path / "plot.html", dark=mode == "dark")
        head = (tmp_path / "plot.html").read_text(encoding="utf-8")[:2000]
        assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in head
        assert "svg.marks { max-width: 100%; height: auto; }" in head
        assert f"body {{ background: {theme.config(mode)['background']}; }}" in head
        assert f"<title>{spec('spread')['title']['text']}</title>" in head
    odd = distributions.spread(made({"a": {"AP": [0.1, 0.2]}}), "AP").properties(title="<b>&\udc80")
    export.save(odd, tmp_path / "plot.html")
    head = (tmp_path / "plot.html").read_text(encoding="utf-8")[:2000]
    assert r"<title>&lt;b&gt;&amp;\udc80</title>" in head
