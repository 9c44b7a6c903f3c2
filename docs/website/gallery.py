"""The gallery: every plot and report, live, with the command or the Python call that made it.

Charts are drawn by one script, which is taken from vl-convert when the site is built, in the site's
light or dark colours. What `cleverdon plot` can draw is taken from its own list.
"""

from __future__ import annotations

import json
import shlex
import shutil
import textwrap
from contextlib import chdir, redirect_stderr, redirect_stdout
from glob import glob
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from zipfile import ZipFile

from cleverdon.charts import export, theme
from cleverdon.charts.vega import script_text, vega_bundle
from cleverdon.cli import cleverdon as program
from cleverdon.plots.kinds import PLOT_KINDS
from docs.made_up import made_up
from docs.website.navigation import toctree
from docs.website.sources import ROOT

_OPTIONS = {
    "attention": "-m RBP -m nDCG -m RR",
    "bounds": "-m nDCG@10 -m AP",
    "by-cutoff": "-m nDCG -k 1 -k 3 -k 5 -k 10 -k 20 -k 50",
    "correlation": "-m nDCG@10 -m AP -m RR -m P@10 -m R@100",
    "differences": "--baseline bm25",
    "forest": "--baseline bm25 -m nDCG@10 -m AP",
    "gains": "-m DCG -m ERR",
    "pareto": "--costs bm25.bench.json --costs dense.bench.json",
    "precision-recall": "--query 301",
    "queries": "--system hybrid --baseline bm25",
    "trade-off": "-m nDCG@10 -m R@100",
}
"""The options of plots that need some, or look better with them."""

_NO_FILES = {"attention", "gains"}
_FILES = "qrels.txt *.run"

_LOG = """\
from cleverdon.logs import generate_log, read_log
generate_log("log", events=20_000, seed=7, effect=0.2)
log = read_log("log")
"""


class Call(NamedTuple):
    """A plot that Python draws: its title, and code whose last line is the chart."""

    group: str
    title: str
    about: str
    code: str


CALLS = {
    "agreement": Call(
        "Judging",
        "Grades of judges",
        "How often each judge gives each grade where another gives which.",
        "from cleverdon.agreement import agree, read_labels\n"
        'agree(read_labels(["examples/labels.csv"])).plot()',
    ),
    "pool-simulation": Call(
        "Judging",
        "Adaptive pooling",
        "How many relevant documents each method finds with how many judgments.",
        "from cleverdon.pooling import simulate_methods\n"
        'runs = ["bm25.run", "dense.run", "hybrid.run"]\n'
        'simulate_methods(runs, "qrels.txt", ["mtf", "hedge", "depth"]).plot()',
    ),
    "saturation": Call(
        "Judging",
        "Saturation of a pool",
        "Whether one more system would still add relevant documents.",
        "from cleverdon.pooling import estimate_recall\n"
        'runs = ["bm25.run", "bm25+rm3.run", "dense.run", "hybrid.run"]\n'
        'estimate_recall("qrels.txt", runs).plot()',
    ),
    "log-by-day": Call(
        "Search logs",
        "A metric by day",
        "A metric of each day with its interval.",
        _LOG + "from cleverdon.logs import measure_log\n"
        "from cleverdon.logs.plots import by_day\n"
        'by_day(measure_log(log, ["Success"], by="day"), "Success")',
    ),
    "log-abtest": Call(
        "Search logs",
        "An A/B test",
        "The difference of each metric between two variants, with intervals.",
        _LOG + "from cleverdon.logs.abtest import abtest\n"
        "from cleverdon.logs.abtest.plots import effects\n"
        'effects(abtest(log, ["Success", "QueryCTR", "Abandonment"]))',
    ),
    "bench": Call(
        "Engines",
        "Response times under load",
        "Percentiles of response times, with intervals.",
        "from cleverdon.engines import bench\n"
        "def engine(query, k):\n"
        "    return [(str(number), -number) for number in range(k)]\n"
        'queries = {str(number): f"query {number}" for number in range(50)}\n'
        "bench(engine, queries, rate=200, seconds=3, warmup=0.5).plot()",
    ),
}

REPORTS = {
    "report": (
        "A report",
        "All of a comparison in one file: claims, tables, plots, rankings, the method.",
        f"cleverdon report {_FILES} -o report.html",
    ),
    "logs-report": (
        "A report of a search log",
        "Key numbers, time series, funnel, lists, latency, A/B test, the method.",
        "cleverdon logs generate log --events 20K --seed 7 --effect 0.2\n"
        "cleverdon logs report log -o logs-report.html",
    ),
}


def pages(source: Path) -> dict[str, str]:
    """Draw everything, and write a page for each plot and report, and the list of them.

    Args:
        source: The folder of the site's sources, which gets the pictures of the list.
    """
    pictures = source / "gallery" / "pictures"
    live = source.parent / "live"
    pictures.mkdir(parents=True, exist_ok=True)
    live.mkdir(exist_ok=True)
    found = {}
    cards: dict[str, list[str]] = {}
    with TemporaryDirectory() as name, chdir(name):
        folder = Path(name)
        _write_data(folder, live / "collection.zip")
        for kind in PLOT_KINDS:
            title, spec, command = _plot(kind, folder)
            _pictures(spec, pictures / kind)
            found[f"gallery/{kind}"] = _page(title, PLOT_KINDS[kind].about, spec, "sh", command)
            cards.setdefault("Rankings, scores and comparisons", []).append(_card(kind, title))
        for key, call in CALLS.items():
            spec = _drawn(call.code)
            _pictures(spec, pictures / key)
            found[f"gallery/{key}"] = _page(call.title, call.about, spec, "python", call.code)
            cards.setdefault(call.group, []).append(_card(key, call.title))
        for key, (title, about, commands) in REPORTS.items():
            for command in commands.splitlines():
                _run(command)
            shutil.copyfile(f"{key}.html", live / f"{key}.html")
            found[f"gallery/{key}"] = _report_page(title, about, key, commands)
    found["gallery"] = _index(cards)
    return found


def add_scripts(html: Path) -> None:
    """Write what pages of the gallery load: the script that draws, the reports, the data."""
    # In a function, since names of the bundle and of Sphinx's own scripts are the same.
    vega = f"(() => {{\n{vega_bundle()}\n}})();\n"
    (html / "_static" / "vega.js").write_text(vega, encoding="utf-8")
    dark = json.dumps(theme.config("dark"))
    (html / "_static" / "vega-dark.js").write_text(f"window.darkCharts = {dark};\n", "utf-8")
    pictures = html.parent / "source" / "gallery" / "pictures"
    shutil.copytree(pictures, html / "gallery" / "pictures", dirs_exist_ok=True)
    shutil.copytree(html.parent / "live", html / "gallery" / "live", dirs_exist_ok=True)


def _write_data(folder: Path, archive: Path) -> None:
    qrels, runs = made_up()
    rows = [f"{q} 0 {d} {g:.0f}\n" for q, found in qrels.items() for d, g in found.items()]
    (folder / "qrels.txt").write_text("".join(rows))
    for name, run in runs.items():
        lines = [
            f"{query} Q0 {doc} {rank} {score:.6f} {name}\n"
            for query, found in run.items()
            for rank, (doc, score) in enumerate(found.items(), start=1)
        ]
        (folder / f"{name}.run").write_text("".join(lines))
    for costs in (ROOT / "examples").glob("*.bench.json"):
        shutil.copy(costs, folder)
    with ZipFile(archive, "w") as zipped:
        for path in sorted(folder.iterdir()):
            zipped.write(path, path.name)
    shutil.copytree(ROOT / "examples", folder / "examples")


def _plot(kind: str, folder: Path) -> tuple[str, dict[str, Any], str]:
    files = "" if kind in _NO_FILES else _FILES
    command = " ".join(filter(None, ["cleverdon plot", kind, files, _OPTIONS.get(kind)]))
    _run(f"{command} -o chart.json")
    spec = json.loads((folder / "chart.json").read_text("utf-8"))
    words = kind.replace("-", " ")
    return (
        words.upper() if len(words) < 4 else words.capitalize(),
        spec,
        f"{command} -o {kind}.html",
    )


def _run(command: str) -> None:
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()) as said:
        try:
            words = [sorted(glob(word)) if "*" in word else [word] for word in shlex.split(command)]
            program([word for found in words for word in found][1:], standalone_mode=True)
        except SystemExit as end:
            if end.code:
                raise RuntimeError(f"{command}: {said.getvalue()}") from None


def _drawn(code: str) -> dict[str, Any]:
    *body, last = code.splitlines()
    names: dict[str, Any] = {}
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        exec("\n".join(body), names)
        spec: dict[str, Any] = eval(last, names).to_dict()
    shutil.rmtree("log", ignore_errors=True)
    return spec


def _pictures(spec: dict[str, Any], path: Path) -> None:
    for mode in ("light", "dark"):
        themed = spec | {"config": theme.config(mode) | {"background": None}}
        svg = export.vl_convert().vegalite_to_svg(export.drawable(themed))
        path.with_name(f"{path.name}-{mode}.svg").write_text(svg, encoding="utf-8")


def _page(title: str, about: str, spec: dict[str, Any], language: str, code: str) -> str:
    name = "Command" if language == "sh" else "Python"
    spec_text = script_text(json.dumps(export.drawable(spec), ensure_ascii=False))
    return "\n\n".join(
        [
            f"# {title}",
            about,
            _raw(
                '<div class="live-plot" tabindex="0"><p>This plot needs JavaScript.</p></div>'
                f'<script type="application/json" class="live-plot-spec">{spec_text}</script>'
                '<script src="../_static/vega.js" defer></script>'
                '<script src="../_static/vega-dark.js" defer></script>'
                '<script src="../_static/gallery.js" defer></script>'
            ),
            f"## {name}",
            f"```{language}\n{textwrap.dedent(code)}\n```",
            _DATA,
        ]
    )


_DATA = (
    'The qrels and runs are made up: <a href="live/collection.zip">collection.zip</a> has them. '
    "Files in `examples/` are in the repository."
)


def _report_page(title: str, about: str, key: str, commands: str) -> str:
    return "\n\n".join(
        [
            f"# {title}",
            about,
            f'<a href="live/{key}.html">Open it on a page of its own</a>. It is one file, which '
            "can be sent by mail and needs no network.",
            _raw(
                f'<iframe class="live-report" src="live/{key}.html" title="{title}" '
                'loading="lazy"></iframe>'
            ),
            "## Command",
            f"```sh\n{commands}\n```",
            _DATA,
        ]
    )


def _card(key: str, title: str) -> str:
    images = "".join(
        f'<img class="only-{mode}" src="gallery/pictures/{key}-{mode}.svg" alt="" loading="lazy">'
        for mode in ("light", "dark")
    )
    return f'<a class="gallery-card" href="gallery/{key}.html">{images}<span>{title}</span></a>'


def _index(cards: dict[str, list[str]]) -> str:
    parts = [
        "# Gallery",
        "Every plot and report, live: each page has the command or the Python call that made it. "
        "Plots say more when you point at them.",
    ]
    for group, listed in cards.items():
        parts += [f"## {group}", _raw(f'<div class="gallery">{"".join(listed)}</div>')]
    parts += ["## Reports"]
    parts += [
        "\n".join(
            f"- [{title}](gallery/{key}.md): {about}" for key, (title, about, _) in REPORTS.items()
        )
    ]
    parts += [toctree([f"gallery/{key}" for key in (*PLOT_KINDS, *CALLS, *REPORTS)])]
    return "\n\n".join(parts)


def _raw(html: str) -> str:
    return f"``````{{raw}} html\n{html}\n``````"
