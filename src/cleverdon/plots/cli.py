"""The command plot: options become the keywords of the plot's function.

A plot takes the options that stand for parameters of its function (and of `compare`, if it draws a
comparison), and no others. Where an option is not given, the function's default holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click
from click.core import ParameterSource

from cleverdon.cli import options
from cleverdon.cli.cost_options import MeasuredCosts, costs_files, read_measured_costs
from cleverdon.cli.declarations import argument, command, flag, option
from cleverdon.cli.texts import TextFiles, queries
from cleverdon.comparison.cli.options import ComparisonOptions, TestingOptions
from cleverdon.errors import suggest
from cleverdon.plots.kinds import PLOT_KINDS, PlotKind
from cleverdon.stats.intervals import METHODS

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from cleverdon import _core
    from cleverdon.charts.base import Chart
    from cleverdon.comparison.differences import Comparison
    from cleverdon.measures.base import Measure
    from cleverdon.scores import Scores


class _Keyword(NamedTuple):
    option: str  # the option that gives it
    place: int | None = None  # which of the option's values it is; None: all of them
    times: str = ""  # how often the option must be given
    default: tuple[Any, ...] = ()  # the option's values where none is given


_KEYWORDS = {
    **{name: _Keyword(name) for name in ("query", "systems", "baseline", "rel", "cutoffs")},
    **{name: _Keyword(name) for name in ("measures", "costs", "show", "binormal")},
    **{name: _Keyword(name) for name in ("interval", "confidence")},
    "measure": _Keyword("measures", 0, "once", default=("nDCG@10",)),
    "x": _Keyword("measures", 0, "twice"),
    "y": _Keyword("measures", 1, "twice"),
    "system": _Keyword("systems", 0, "once"),
    "texts": _Keyword("queries"),
    "k": _Keyword("cutoffs", 0, "once", default=(10,)),
    "depth": _Keyword("cutoffs", 0, "once"),
    "bands": _Keyword("cutoffs"),
}
"""The parameters that options give, by their names in the functions of plots."""
_TIMES = {"once": 1, "twice": 2}
_COMPARED = {
    "comparison": (
        *("measures", "systems", *ComparisonOptions.fields),
        *("primary", "interval", "confidence"),
    ),
    "all pairs": ("systems", *TestingOptions.fields),
}
"""The options that are keywords of `compare`, by the source of the plot."""
_SHOWN = ("p", "difference", "relative", "d", "delta")
"""The values that `pairs` can show; repeated here, since altair is not to be loaded for it."""
_EVERY_RESULT = 10**6
"""So many scores of results are kept for each query, where a plot needs all."""
_NAMED_RESULTS = 1000  # of each query, whose documents a plot of one query names
_RENAMED_KINDS = {"topics": "queries"}
"""Old names of kinds; they work for one release, with a note."""
_FOR_ALL = ("kind", "files", "listed", "output", "dark", "python_")
"""Parameters that every kind takes."""


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    named = {name: kind for name, kind in PLOT_KINDS.items() if name.startswith(incomplete)}
    return [CompletionItem(name, help=kind.about) for name, kind in named.items()]


class PlotOptions(TestingOptions, options.SettingsOptions):
    """The options of `cleverdon plot`."""

    kind: str | None = argument(required=False, shell_complete=_complete)
    files: tuple[str, ...] = argument(options.QRELS_AND_RUNS, nargs=-1, metavar="[QRELS RUN...]")
    listed: bool = flag("List the kinds of plots, and exit.", flags="--list")
    output: Path | None = option(
        options.OUTPUT,
        "The file to write: .svg, .png, .pdf, .html, or .json.  [default: KIND.svg]",
        short="-o",
    )
    dark: bool = flag("Draw light on dark, as for slides.")
    measures: tuple[str, ...] = options.measures_named(
        "A measure to draw, as nDCG@10; repeat for more, if a plot takes several.  [default: "
        "nDCG@10; where it takes several, those of the profile]"
    )
    systems: tuple[str, ...] = option(
        "NAME",
        "A run to draw; repeat for more.  [default: all; if each is a line, the best 15 and the "
        "baseline]",
        flags="--system",
        multiple=True,
    )
    baseline: str | None = option(
        "NAME",
        "The run to compare with, or to draw in any case. By its name or its file. 'median' is "
        "the median of all runs, for plots of differences by query.",
    )
    query: str | None = option("ID", "The query to draw.")
    queries: str | None = queries
    cutoffs: tuple[int, ...] = option(
        options.COUNT,
        "A cut-off of rankings; repeat for more, if a plot takes several.  [default: 10 in "
        "confusion and f-lines; else the plot's own]",
        flags="-k --cutoff",
        metavar="K",
        multiple=True,
    )
    rel: float | None = option(
        options.Number(), "The lowest grade that is relevant.", metavar="GRADE"
    )
    costs: tuple[str, ...] = costs_files(
        "A file of 'bench --json' or 'index --json'. It may contain a run"
    )
    show: str | None = option(
        click.Choice(_SHOWN), "The numbers that the plot pairs shows.  [default: p]"
    )
    primary: str | None = option(
        "MEASURE",
        "The measure that decides in forest: its comparisons are one family.  [default: the first "
        "measure]",
    )
    interval: str | None = option(
        click.Choice(list(METHODS)),
        "The method of intervals.  [default: that of the test and correction in forest, else t]",
    )
    confidence: float | None = option(
        options.SHARE,
        "The confidence of intervals; by-cutoff draws bands and trade-off cross hairs where it is "
        "given.  [default: 1 - level in forest, else 0.95]",
    )
    binormal: bool = flag("In precision-recall, add the curve of normal distributions of scores.")


_FOR_SOME = PlotOptions.fields.keys() - options.SettingsOptions.fields.keys() - {*_FOR_ALL}
"""Parameters that some kinds take; the others say how runs are evaluated."""


@command(PlotOptions)
def plot_command(given: PlotOptions) -> str:
    """Draw a plot of RUNS to a file. KIND names the plot; --list shows all kinds.

    Each kind takes some of the options from --measure to --seed; an error names them if another is
    given.

    \b
    Examples:
      cleverdon plot --list
      cleverdon plot precision-recall qrels.txt bm25.run --query 301
      cleverdon plot queries qrels.txt *.run --system dense --baseline bm25 -m AP -o queries.png
      cleverdon plot forest qrels.txt *.run --baseline bm25 -m nDCG@10 -m AP -o forest.pdf
      cleverdon plot attention -m RBP -m nDCG -k 50
      cleverdon plot precision-recall A='1 0 1 1 0' B='0 1 0 1 1' -o ab.svg
    """
    if given.listed or given.kind is None:
        width = max(map(len, PLOT_KINDS))
        return "\n".join(f"{name:{width}}  {kind.about}" for name, kind in PLOT_KINDS.items())
    from cleverdon._common.progress_bar import bar
    from cleverdon.charts.export import check_savable, save

    plot = _find_plot(given)
    found = read_measured_costs(given.costs)
    plot.check_files(given.files, found)
    path = given.output or Path(f"{plot.name}.svg")
    read = (*given.files, *given.costs)
    options.check_output(path, *(options.name_and_file(file)[1] for file in read))
    written = options.opened(given.files[1:])
    opened: dict[str, Any] = {**found.runs, **written}
    with bar("drawing"):
        check_savable(path)
        values = plot.option_values(given, list(opened))
        values["query"] = values["query"] or _only_typed_query(given.files)
        keywords = plot.keyword_values(values)
        source: list[Any] = []
        if given.files:
            scores = plot.evaluate(given, opened, values["measures"])
            found.check_asked(scores, written)
            source = [plot.compare(scores, values) if plot.compared else scores]
            if given.costs:
                keywords["costs"] = found.costs
            if given.queries:
                keywords["texts"] = _texts(scores, given.queries, given.query)
        save(plot.draw(*source, **keywords), path, dark=given.dark)
    return f"{path} is written"


@dataclass(frozen=True)
class _Plot:
    """A kind of plot, and the options that its function takes."""

    name: str
    kind: PlotKind
    draw: Callable[..., Chart]

    @property
    def compared(self) -> tuple[str, ...]:
        """The options that are keywords of `compare`."""
        return _COMPARED.get(self.kind.of, ())

    @cached_property
    def keywords(self) -> dict[str, _Keyword]:
        """The parameters of the function that options give."""
        parameters = signature(self.draw).parameters
        known = {name: _KEYWORDS[name] for name in parameters if name in _KEYWORDS}
        return {name: word for name, word in known.items() if word.option not in self.compared}

    @property
    def options(self) -> set[str]:
        """The options that it takes, besides those that all plots take."""
        return {*self.compared, *(word.option for word in self.keywords.values())}

    def is_required(self, keyword: str) -> bool:
        return signature(self.draw).parameters[keyword].default is Parameter.empty

    def check_options(self) -> None:
        ctx = click.get_current_context()
        evaluating = {str(one.name) for one in ctx.command.params} - _FOR_SOME
        taken = {*_FOR_ALL, *self.options, *(() if self.kind.of == "measures" else evaluating)}
        for parameter in ctx.command.params:
            given = ctx.get_parameter_source(str(parameter.name)) == ParameterSource.COMMANDLINE
            if given and parameter.name not in taken:
                own = [one.opts[-1] for one in ctx.command.params if one.name in self.options]
                raise click.UsageError(
                    f"{self.name} does not take {parameter.opts[-1]}; it takes {', '.join(own)}"
                )

    def check_files(self, files: tuple[str, ...], found: MeasuredCosts) -> None:
        if self.kind.of == "measures":
            if files:
                raise click.UsageError(
                    f"{self.name} is drawn from measures alone, and takes no files"
                )
        elif not files or (len(files) < 2 and not found.runs):
            more = ", or QRELS and --costs with a run in it" if "costs" in self.keywords else ""
            raise click.UsageError(f"{self.name} needs files: QRELS RUN...{more}")
        options.check_one_stdin(*files)

    def option_values(self, given: PlotOptions, runs: list[str]) -> dict[str, Any]:
        from cleverdon.profiles import find_profile

        values = {option: getattr(given, option) for option in _FOR_SOME}
        values["baseline"] = options.resolve_baseline(given.baseline, given.files[1:])
        defaults = {word.option: word.default for word in self.keywords.values() if word.default}
        for name, default in {**defaults, **self.kind.defaults}.items():
            values[name] = values[name] or default
        if not values["systems"] and len(runs) == 1:
            values["systems"] = tuple(runs)
        # Plots of rankings also take a measure without its cut-off.
        if values["measures"] and self.kind.of != "rankings":
            values["measures"] = find_profile(given.profile).parse(values["measures"])
        return values

    def keyword_values(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the keywords of the function, as far as they are given."""
        found = {}
        for keyword, word in self.keywords.items():
            value = values[word.option]
            if value is None or value == ():
                if self.is_required(keyword):
                    needed = f"{self.name} needs {_flag(word.option)} {word.times}"
                    raise click.UsageError(needed.rstrip())
            elif word.place is None:
                found[keyword] = value
            elif len(value) != _TIMES[word.times]:
                raise click.UsageError(f"{self.name} takes {_flag(word.option)} {word.times}")
            else:
                found[keyword] = value[word.place]
        return found

    def evaluate(
        self,
        given: PlotOptions,
        opened: dict[str, _core.Source],
        measures: tuple[Measure, ...],
    ) -> Scores:
        qrels = given.files[0]
        if self.kind.of == "rankings":
            # Any measure can be computed from rankings, and evaluating takes one at least.
            named = given.query is not None or options.as_typed(qrels) is not None
            keep = _EVERY_RESULT if given.binormal else _NAMED_RESULTS if named else 1
            return options.evaluated(qrels, opened, ("nDCG@10",), keep=keep, **given.evaluation)
        bounds = self.kind.of == "bounds"
        return options.evaluated(qrels, opened, measures, bounds=bounds, **given.evaluation)

    def compare(self, scores: Scores, values: Mapping[str, Any]) -> Comparison:
        from cleverdon.comparison.differences import compare

        how = {name: values[name] for name in self.compared if values[name] not in (None, ())}
        systems, baseline = how.get("systems"), how.get("baseline")
        if systems and baseline and baseline not in systems:
            how["systems"] = (baseline, *systems)
        numbers = [measure for measure in scores.measures if not measure.text]
        return compare(scores, **{"measures": numbers} | how)


def _find_plot(given: PlotOptions) -> _Plot:
    """Return the kind of plot that is asked for, with options that it takes."""
    name = options.current_name((given.kind or "").replace("_", "-"), _RENAMED_KINDS, "plot")
    if name not in PLOT_KINDS:
        near = suggest(name, PLOT_KINDS) or "; cleverdon plot --list names all there are"
        raise click.UsageError(f"there is no plot {given.kind!r}{near}")

    from cleverdon import plots  # altair takes a while to load

    plot = _Plot(name, PLOT_KINDS[name], getattr(plots, name.replace("-", "_")))
    plot.check_options()
    return plot


def plot_call(given: PlotOptions, run_names: list[str]) -> tuple[str, dict[str, Any]]:
    """Return what `--python` writes: the function of the plot, and its keywords.

    `draw` has the keywords of the function, `evaluate` and `compare` have those of these two.
    """
    plot = _find_plot(given)
    plot.check_files(given.files, read_measured_costs(()))
    values = plot.option_values(given, run_names)
    found = plot.keyword_values(values)
    if plot.kind.of == "rankings":
        keep = _EVERY_RESULT if given.binormal else _NAMED_RESULTS if given.query else 1
        evaluate: dict[str, Any] = {"measures": ["nDCG@10"], "keep": keep}
    else:
        bounds = plot.kind.of == "bounds"
        evaluate = {"measures": [str(one) for one in values["measures"]], "bounds": bounds}
    compare = None
    if plot.compared:
        compare = {one: values[one] for one in plot.compared if values[one] not in (None, ())}
    return plot.name.replace("-", "_"), {
        "of": plot.kind.of,
        "evaluate": evaluate,
        "compare": compare,
        "draw": found,
    }


def _flag(option: str) -> str:
    params = click.get_current_context().command.params
    return next(one.opts[-1] for one in params if one.name == option)


def _only_typed_query(files: tuple[str, ...]) -> str | None:
    """Return the query of typed rankings, where there is one only."""
    typed = options.as_typed(files[0]) if files else None
    queries = [] if typed is None else typed.rankings.judgments.queries
    return queries[0] if len(queries) == 1 else None


def _texts(scores: Scores, file: str, query: str | None) -> dict[str, str]:
    wanted = scores.queries if query is None else [query]
    return {id: text.line for id, text in TextFiles(file).of_queries(wanted).items()}
