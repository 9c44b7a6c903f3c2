"""What a notebook gets of a chart; tests/browser/test_notebook.py opens it."""

from __future__ import annotations

import importlib.util
import json
import pickle
import re
import sys
from base64 import b64decode
from html import unescape
from types import SimpleNamespace
from xml.etree import ElementTree

import altair
import pytest

from cleverdon.charts import notebooks
from cleverdon.plots import distributions
from tests.comparison.made import made
from tests.plots.examples import EXAMPLES, chart, spec

DEFINED = "window.cleverdonDraw ="


@pytest.fixture(autouse=True)
def _short_script(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebooks, "vega_bundle", lambda: "window.vegaEmbed = null")
    monkeypatch.setattr(notebooks, "_session", notebooks._Session())


def run(monkeypatch: pytest.MonkeyPatch, number: str, code: str, cell: str | None = None) -> None:
    """Make the kernel run a cell."""
    request = {
        "header": {"msg_id": number},
        "metadata": {"cellId": cell} if cell else {},
        "content": {"code": code},
    }
    kernel = SimpleNamespace(get_parent=lambda: request)
    shell = SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=kernel))
    monkeypatch.setitem(sys.modules, "IPython", shell)


def brings_script() -> bool:
    return DEFINED in notebooks.display_chart({"mark": "point"})["text/html"]


def picture_of(html: str) -> str:
    (picture,) = re.findall(r'<img src="data:image/svg\+xml;base64,([^"]+)"', html)
    return b64decode(picture).decode()


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_a_picture_and_the_specification(name: str) -> None:
    shown = chart(name)._repr_mimebundle_()
    assert set(shown) == {"text/html", "image/svg+xml"}
    html = shown["text/html"]
    (written,) = re.findall(r'<script type="application/json">(.*?)</script>', html)
    assert json.loads(written) == spec(name)
    assert picture_of(html) == shown["image/svg+xml"]
    texts = {text.strip() for text in ElementTree.fromstring(shown["image/svg+xml"]).itertext()}
    assert spec(name)["title"]["text"] in texts
    (alt,) = re.findall(r' alt="([^"]+)"', html)
    assert unescape(alt).startswith(spec(name)["title"]["text"])
    assert not re.search(r"""(?:src|href)\s*=\s*["']?\s*(?:https?:)?//""", html)


def test_marks_of_the_picture_have_no_labels() -> None:
    shown = chart("attention")._repr_mimebundle_()["image/svg+xml"]
    assert shown.count("aria-label") < 10  # of axes and legends
    assert len(shown) < 60_000


def test_the_first_chart_of_a_session_brings_the_script(monkeypatch: pytest.MonkeyPatch) -> None:
    run(monkeypatch, "1", "a")
    assert [brings_script(), brings_script()] == [True, False]
    run(monkeypatch, "2", "b")
    assert not brings_script()


@pytest.mark.parametrize("cell", [None, "id"])
def test_a_cell_that_runs_again_brings_it_again(
    cell: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(monkeypatch, "1", "a", cell)
    assert brings_script()
    run(monkeypatch, "2", "b", "other")
    assert not brings_script()
    run(monkeypatch, "3", "a, edited" if cell else "a", cell)
    assert [brings_script(), brings_script()] == [True, False]


def test_outside_of_jupyter_each_has_the_script(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    assert [brings_script(), brings_script()] == [True, True]
    monkeypatch.delitem(sys.modules, "IPython")
    assert brings_script()


def test_no_text_ends_the_script() -> None:
    name = "</script><script>alert(1)</script><!--"
    plot = distributions.spread(made({name: {"AP": [0.1, 0.2]}}), "AP").properties(title=name)
    html: str = plot._repr_mimebundle_()["text/html"]
    assert html.count("<script") == html.count("</script>") == 2
    assert "<!--" not in html


def test_any_name_can_be_shown() -> None:
    name = "bell\a null\0 line\n half\udc80 none\uffff"
    shown = distributions.spread(made({name: {"AP": [0.1, 0.2]}}), "AP")._repr_mimebundle_()
    assert r"bell\x07" in shown["image/svg+xml"]
    shown["text/html"].encode()


def test_a_title_of_any_form_is_the_text_of_the_picture() -> None:
    for title, text in (
        ("a & b", "a &amp; b"),
        ({"text": ["a", "b"], "subtitle": "c"}, "a; b; c"),
        ({"text": "a", "subtitle": ["b", "c"]}, "a; b; c"),
        (None, "Plot"),
    ):
        html = notebooks.display_chart({"mark": "point"} | ({"title": title} if title else {}))
        assert f'alt="{text}"' in html["text/html"]


def test_what_is_changed_stays_offline() -> None:
    for changed in (chart("spread").properties(width=200), chart("spread").copy()):
        assert "image/svg+xml" in changed._repr_mimebundle_()
    kept = pickle.loads(pickle.dumps(chart("spread")))
    assert "image/svg+xml" in kept._repr_mimebundle_()


def test_charts_of_others_are_left_alone() -> None:
    own = altair.Chart(altair.Data(values=[{"x": 1}])).mark_point().encode(x="x:Q")
    assert "image/svg+xml" not in own._repr_mimebundle_()
    assert altair.renderers.active == "default"


def test_a_renderer_that_was_chosen_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with altair.renderers.enable("json"):
        assert "application/json" in str(chart("spread")._repr_mimebundle_())
    monkeypatch.setitem(sys.modules, "google.colab", SimpleNamespace())
    assert "image/svg+xml" not in chart("spread")._repr_mimebundle_()


def test_without_vl_convert_altair_shows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cleverdon.charts.base.find_spec", lambda name: None)
    assert importlib.util.find_spec("vl_convert")
    assert "image/svg+xml" not in chart("spread")._repr_mimebundle_()
