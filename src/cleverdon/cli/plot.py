"""cleverdon plot: one plot, as a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from cleverdon.cli import options
from cleverdon.cli.cost_options import Measured, costs_given, measured
from cleverdon.cli.plot_kinds import KINDS, OPTIONS, PLACES, TIMES, Kind
from cleverdon.cli.texts import TextFiles, queries
from cleverdon.errors import suggest

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from cleverdon import _core
    from cleverdon.measures.base import Measure
    from cleverdon.scores import Scores

_SHOWN = ("p", "difference", "relative", "d", "delta")
"""What `pairs` can show; here as well, since altair is not to be loaded for it."""
_FOR_ALL = ("kind", "files", "listed", "output", "dark")
"""Parameters that every kind takes."""
_FOR_SOME = frozenset().union(*(kind.options for kind in KINDS.values()))
"""Those that are some kinds' own; the others say how runs are evaluated."""


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    named = {name: kind for name, kind in KINDS.items() if name.startswith(incomplete)}
    return [CompletionItem(name, help=kind.about) for name, kind in named.items()]


@click.command()
@click.argument("kind", required=False, shell_complete=_complete)
@click.argument("files", nargs=-1, type=click.Path(allow_dash=True), metavar="[QRELS RUN...]")
@click.option("--list", "listed", is_flag=True, help="List the kinds of plots, and do no more.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write: .svg, .png, .pdf, .html, or .json.  [default: KIND.svg]",
)
@click.option("--dark", is_flag=True, help="Light on a dark ground, as for slides.")
@options.measures_named(
    "What to draw, such as nDCG@10; again for more, where a plot takes several.  [default: "
    "nDCG@10; where it takes several, those of the profile]"
)
@click.option(
    "--system",
    "systems",
    multiple=True,
    metavar="NAME",
    help="A run to draw; again for more.  [default: all; where each is a line, of more than 15 the "
    "best and the baseline]",
)
@click.option(
    "--baseline",
    metavar="NAME",
    help="The run that others are held against, or that is drawn in any case where runs are too "
    "many; 'median' for that of all runs, where a plot shows differences topic by topic.",
)
@click.option("--query", metavar="ID", help="The topic to draw.")
@queries
@click.option(
    "-k",
    "--cutoff",
    "cutoffs",
    multiple=True,
    type=options.COUNT,
    metavar="K",
    help="Where rankings are cut; again for more, where a plot takes several.  [default: 10 in "
    "confusion and f-lines; else the plot's own]",
)
@click.option(
    "--rel", type=options.Number(), metavar="GRADE", help="The lowest grade that is relevant."
)
@costs_given(
    "--costs", "What systems cost: what 'bench --json' or 'index --json' wrote; it may hold a run"
)
@click.option("--show", type=click.Choice(_SHOWN), help="What pairs is to show.  [default: p]")
@options.testing
@options.settings
@options.judgments
def command(
    kind: str | None,
    files: tuple[str, ...],
    listed: bool,
    output: Path | None,
    dark: bool,
    **given: Any,
) -> None:
    """Draw a plot of RUNS to a file; KIND says which, and --list what there is.

    A kind takes some of the options from --measure to --seed, and says which where another is
    given.

    \b
    Examples:
      cleverdon plot --list
      cleverdon plot precision-recall qrels.txt bm25.run --query 301
      cleverdon plot topics qrels.txt *.run --system dense --baseline bm25 -m AP -o topics.png
      cleverdon plot forest qrels.txt *.run --baseline bm25 -m nDCG@10 -m AP -o forest.pdf
      cleverdon plot attention -m RBP -m nDCG -k 50
    """
    if listed or kind is None:
        _list()
        return
    name = kind.replace("_", "-")
    if name not in KINDS:
        near = suggest(name, KINDS) or "; cleverdon plot --list names all there are"
        raise click.UsageError(f"there is no plot {kind!r}{near}")
    wanted = KINDS[name]
    _check_taken(name, wanted)
    found = measured(given["costs"])
    _check_files(name, wanted, files, found)
    path = output or Path(f"{name}.svg")
    read = (*files, *given["costs"])
    options.check_output(path, *(options.name_and_file(file)[1] for file in read))
    written = options.opened(files[1:])
    opened: dict[str, Any] = {**found.runs, **written}

    from cleverdon.cli.progress import bar

    with bar("drawing"):
        from cleverdon.show import plot
        from cleverdon.show.plot.save import check_savable

        check_savable(path)
        asked = {option: given.pop(option) for option in _FOR_SOME}
        asked = _completed(wanted, asked, opened, given["profile"])
        keywords = _keywords(name, wanted.keywords, asked)
        comparing = _keywords(name, wanted.compared, asked)
        source: list[Any] = []
        if files:
            scores = _evaluated(wanted, files[0], opened, asked["measures"], given)
            found.check_asked(scores, written)
            source = [_compared(scores, comparing) if wanted.compared else scores]
            if asked["costs"]:
                keywords["costs"] = found.costs
            if asked["queries"]:
                keywords["texts"] = _texts(scores, asked["queries"], asked["query"])
        draw = getattr(plot, name.replace("-", "_"))
        plot.save(draw(*source, **keywords), path, dark=dark)
    click.echo(f"{path} is written")


def _list() -> None:
    width = max(map(len, KINDS))
    for name, kind in KINDS.items():
        click.echo(f"{name:{width}}  {kind.about}")


def _check_taken(name: str, kind: Kind) -> None:
    """What a kind does not take was given by mistake, and the plot would not be what was meant."""
    ctx = click.get_current_context()
    evaluating = {str(one.name) for one in ctx.command.params} - _FOR_SOME
    taken = {*_FOR_ALL, *kind.options, *(() if kind.of == "measures" else evaluating)}
    for parameter in ctx.command.params:
        given = ctx.get_parameter_source(str(parameter.name)) == ParameterSource.COMMANDLINE
        if given and parameter.name not in taken:
            own = [one.opts[-1] for one in ctx.command.params if one.name in kind.options]
            raise click.UsageError(
                f"{name} does not take {parameter.opts[-1]}; it takes {', '.join(own)}"
            )


def _check_files(name: str, kind: Kind, files: tuple[str, ...], found: Measured) -> None:
    if kind.of == "measures":
        if files:
            raise click.UsageError(f"{name} is drawn of measures alone, and takes no files")
    elif not files or (len(files) < 2 and not found.runs):
        more = ", or QRELS and --costs with a run in it" if "costs" in kind.needs else ""
        raise click.UsageError(f"{name} needs files: QRELS RUN...{more}")
    options.check_one_stdin(*files)


def _completed(
    kind: Kind, asked: dict[str, Any], opened: dict[str, _core.Source], profile: str
) -> dict[str, Any]:
    """The options, with what the kind has for those that are not given; measures are parsed."""
    from cleverdon.profiles import profile as find_profile

    full = {option: value or kind.defaults.get(option, value) for option, value in asked.items()}
    if not full["systems"] and len(opened) == 1:
        full["systems"] = tuple(opened)
    if full["measures"] and kind.of != "rankings":  # those take a name without its cut-off as well
        full["measures"] = find_profile(profile).parse(full["measures"])
    return full


def _keywords(name: str, keywords: tuple[str, ...], asked: dict[str, Any]) -> dict[str, Any]:
    """What is asked for, as the keywords of a function."""
    found = {}
    for keyword in keywords:
        option = OPTIONS.get(keyword, keyword)
        value = asked[option]
        place, often = PLACES.get(keyword, (None, ""))
        if value is None or value == ():
            if option in KINDS[name].needs:
                raise click.UsageError(f"{name} needs {_flag(option)} {often}".rstrip())
        elif place is None:
            found[keyword] = value
        elif len(value) != TIMES[often]:
            raise click.UsageError(f"{name} takes {_flag(option)} {often}")
        else:
            found[keyword] = value[place]
    return found


def _flag(option: str) -> str:
    """An option as it is written."""
    params = click.get_current_context().command.params
    return next(one.opts[-1] for one in params if one.name == option)


def _evaluated(
    kind: Kind,
    qrels: str,
    opened: dict[str, _core.Source],
    measures: tuple[Measure, ...],
    how: dict[str, Any],
) -> Scores:
    if kind.of == "rankings":
        # Rankings have all that is needed to compute measures, and evaluating takes one at least.
        return options.evaluated(qrels, opened, ("nDCG@10",), keep=1, **how)
    return options.evaluated(qrels, opened, measures, bounds=kind.of == "bounds", **how)


def _texts(scores: Scores, file: str, query: str | None) -> dict[str, str]:
    wanted = scores.queries if query is None else [query]
    return {id: text.line for id, text in TextFiles(file).of_queries(wanted).items()}


def _compared(scores: Scores, comparing: dict[str, Any]) -> Any:
    from cleverdon.compare import compare

    numbers = [measure for measure in scores.measures if not measure.text]
    systems, baseline = comparing.get("systems"), comparing.get("baseline")
    if systems and baseline and baseline not in systems:
        comparing = comparing | {"systems": (baseline, *systems)}
    return compare(scores, **{"measures": numbers} | comparing)
