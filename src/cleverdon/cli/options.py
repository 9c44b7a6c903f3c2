"""Options that several commands share: what is evaluated, how, and how it is printed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from cleverdon.errors import LARGEST_COUNT
from cleverdon.profiles import PROFILES
from cleverdon.settings import CHOICES
from cleverdon.show.grid import FORMATS, MOST_DIGITS, SYSTEMS

if TYPE_CHECKING:
    from cleverdon import _core
    from cleverdon.data import Judgments
    from cleverdon.measures.base import Measure
    from cleverdon.scores import Scores

Command = TypeVar("Command", bound=Callable[..., Any])
Decorator = Callable[[Command], Command]


def together(*decorators: Decorator[Any]) -> Decorator[Any]:
    """Several options as one, in the order in which help lists them."""

    def decorate(command: Any) -> Any:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


def complete_measure(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from cleverdon.measures import measures

    return [cls.__name__ for cls in measures() if cls.__name__.startswith(incomplete)]


def _setting(name: str) -> Decorator[Any]:
    """An option for one of the choices on which tools disagree."""
    words = list(CHOICES[name])
    meanings = "; ".join(f"{word}: {meaning}" for word, meaning in CHOICES[name].items())
    return click.option(
        f"--{name.replace('_', '-')}", name, type=click.Choice(words), help=f"{meanings}."
    )


class Count(click.IntRange):
    """A whole number, from 1 on unless said otherwise, and never absurdly large."""

    def __init__(self, min: int = 1, max: int = LARGEST_COUNT) -> None:
        super().__init__(min, max)


class Number(click.FloatRange):
    """A finite number; click itself lets NaN into any range."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number = float(super().convert(value, param, ctx))
        if not isfinite(number):
            self.fail(f"{value!r} is not a finite number", param, ctx)
        return number


class Share(Number):
    """A part of the whole, neither nothing nor all: floating point must tell it from both."""

    least = 1e-12

    def __init__(self) -> None:
        super().__init__(0, 1, min_open=True, max_open=True)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        share = super().convert(value, param, ctx)
        if not self.least <= share <= 1 - self.least:
            self.fail(f"{value!r} is too close to {round(share)}", param, ctx)
        return share


COUNT = Count()
"""How many of something."""
REPEATS = Count(max=1_000_000)
"""How often work is repeated: as often as somebody would wait for."""
SHARE = Share()

inputs = together(
    click.argument("qrels", type=click.Path(allow_dash=True)),
    click.argument("runs", nargs=-1, required=True, type=click.Path(allow_dash=True)),
)
"""QRELS RUNS..."""


def measures_named(help: str, *, default: str | None = None) -> Decorator[Any]:
    """One measure or several; without a default, the command says what holds where none is."""
    return click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        metavar="MEASURE",
        default=[default] if default else None,
        show_default=default is not None,
        shell_complete=complete_measure,
        help=help,
    )


measures = measures_named(
    "A measure, such as nDCG@10 or 'P(rel=2)@5'; again for more. Names of trec_eval and "
    "ir_measures are understood.  [default: those of the profile, nDCG@10 AP RR P@10 R@100]"
)

settings = together(
    click.option(
        "--profile",
        type=click.Choice(list(PROFILES)),
        default="cleverdon",
        show_default=True,
        help="Choose as another tool does, to get its numbers.",
    ),
    *(_setting(name) for name in CHOICES),
)
"""The profile, and every choice on which tools disagree."""

judgments = together(
    click.option("--docs", type=COUNT, metavar="N", help="How many documents the collection has."),
    click.option(
        "--second",
        metavar="QRELS",
        type=click.Path(),
        help="Judgments of another kind, as of credibility, for measures of two grades.",
    ),
    click.option(
        "--weights",
        metavar="FILE",
        type=click.Path(),
        help="How much each subtopic of a query counts: query, subtopic, number.",
    ),
    click.option(
        "--qrels-format",
        metavar="FORMAT",
        help="The judgments' format, if not to be guessed; subtopics, "
        "strata and sampled are never guessed.",
    ),
    click.option("--run-format", metavar="FORMAT", help="The runs' format, if not to be guessed."),
)
"""What is to be known beside the judgments, and the formats of files."""


runs_read = together(
    click.option("--run-format", metavar="FORMAT", help="The runs' format, if not to be guessed."),
    click.option(
        "--order-by",
        type=click.Choice(list(CHOICES["order_by"])),
        default="score",
        show_default=True,
        help="Whether runs are ordered by their scores, or as their rank column says.",
    ),
)
"""How runs are read, where nothing else of an evaluation is to be chosen."""

qrels_format = click.option(
    "--qrels-format",
    metavar="FORMAT",
    help="The judgments' format, if not to be guessed; subtopics, strata and sampled are never "
    "guessed.",
)
"""How judgments are read, where that is all there is to choose."""


def rel(help: str = "The lowest grade that is relevant.") -> Decorator[Any]:
    """From which grade on documents are relevant."""
    return click.option(
        "--rel", type=Number(), default=1, show_default=True, metavar="GRADE", help=help
    )


def plot(what: str) -> Decorator[Any]:
    """A file to draw to."""
    return click.option(
        "--plot",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help=f"Draw {what}, to .html, .svg, .png, .pdf or .json.",
    )


confidence = click.option(
    "--confidence",
    type=SHARE,
    default=0.95,
    show_default=True,
    help="Of all intervals.",
)


def formats(help: str, words: Sequence[str] = FORMATS) -> Decorator[Any]:
    """How to print: the first of `words`, unless something else is asked for."""
    return click.option(
        "-f",
        "--format",
        "format_",
        type=click.Choice(words),
        default=words[0],
        show_default=True,
        help=help,
    )


def seed(what: str) -> Decorator[Any]:
    """Where chance starts; `what` is the same with the same seed."""
    return click.option(
        "--seed",
        type=Count(min=0),
        default=0,
        show_default=True,
        help=f"Where chance starts: the same seed gives the same {what}.",
    )


def level(help: str, *, default: float = 0.05) -> Decorator[Any]:
    """Up to which p-value something is significant."""
    return click.option(
        "--level",
        type=SHARE,
        default=default,
        show_default=True,
        help=help,
    )


def attributes(
    help: str, *, by: str = "The attribute (column) of --topics.", required: bool = False
) -> Decorator[Any]:
    """A table of topics, and the column of it that matters."""
    return together(
        click.option("--topics", required=required, type=click.Path(), metavar="FILE", help=help),
        click.option("--by", metavar="NAME", help=by),
    )


LAYOUT = ("systems", "sort", "digits")
"""The keywords of tables that `layout` offers as options."""


def layout(command: Any) -> Any:
    """How a table of systems is laid out.

    The command gets all of it in one parameter, `layout`, to hand on to `render`.
    """

    @wraps(command)
    def gathered(**given: Any) -> Any:
        return command(layout={name: given.pop(name) for name in LAYOUT}, **given)

    return together(
        click.option(
            "--systems",
            type=click.Choice(SYSTEMS),
            default="auto",
            show_default=True,
            help="Where systems stand. auto: rows, and columns where a text table would be too "
            "wide.",
        ),
        click.option(
            "--sort",
            metavar="MEASURE|name|given",
            default="given",
            show_default=True,
            shell_complete=complete_measure,
            help="By a measure, the best run is first; those that have no value are last.",
        ),
        click.option(
            "--digits",
            type=Count(0, MOST_DIGITS),
            metavar="N",
            help="Decimals of numbers that people read.  [default: 4, or those of the profile's "
            "tool]",
        ),
    )(gathered)


def terminal() -> dict[str, Any]:
    """What a table should know of the terminal that shows it; nothing where none does."""
    if not sys.stdout.isatty():
        return {}
    from shutil import get_terminal_size

    styled = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return {"styled": styled, "width": get_terminal_size().columns}


TESTING = ("test", "alternative", "correction", "level", "seed")
"""The keywords of `compare` that `testing` offers as options."""
COMPARING = ("baseline", *TESTING)
"""Those that `comparison` offers."""


def comparison(command: Any) -> Any:
    """With which run to compare, by which test, and how its p-values are read.

    The command gets all of them in one parameter, `comparing`, to hand on to `compare`.
    """

    @wraps(command)
    def gathered(**given: Any) -> Any:
        return command(comparing={name: given.pop(name) for name in COMPARING}, **given)

    return together(
        click.option(
            "--baseline",
            metavar="NAME",
            help="The run that all others are compared with.  [default: every run with every "
            "other]",
        ),
        testing,
    )(gathered)


def testing(command: Any) -> Any:
    """By which test to compare, and how its p-values are read: a parameter of the command each."""
    from cleverdon.compare.multiplicity import CORRECTIONS
    from cleverdon.compare.paired import LEVEL
    from cleverdon.compare.tests import ALTERNATIVES, FAMILY_TESTS, TESTS

    meanings = "; ".join(f"{word}: {meaning}" for word, meaning in ALTERNATIVES.items())
    return together(
        click.option(
            "--test",
            type=click.Choice([*TESTS, *FAMILY_TESTS]),
            default="randomisation",
            show_default=True,
            help="The significance test, paired by topic.",
        ),
        click.option(
            "--alternative",
            type=click.Choice(list(ALTERNATIVES)),
            default="two-sided",
            show_default=True,
            help=f"What a small p-value is to speak for. {meanings}.",
        ),
        click.option(
            "--correction",
            type=click.Choice(list(CORRECTIONS)),
            help="How p-values are corrected over the whole family: all pairs of systems by all "
            "measures.  [default: holm; Tukey's tests correct by themselves]",
        ),
        level("Up to which corrected p-value a difference is called significant.", default=LEVEL),
        seed("p-values"),
    )(command)


def opened(runs: tuple[str, ...]) -> dict[str, _core.Source]:
    """The runs' files by name, opened: as NAME=FILE says, or by the files' own names.

    Opened before anything else, so that they can be hashed while numpy is imported.
    """
    from cleverdon.read import distinct_names, open_source

    found = {
        name: open_source(file)
        for name, file in named_files(runs, what="runs", naming=distinct_names).items()
    }
    for source in found.values():
        source.hash_ahead()
    return found


def named_files(
    files: tuple[str, ...], *, what: str, naming: Callable[[list[str]], dict[str, str]]
) -> dict[str, str]:
    """Files by name: as NAME=FILE says, or by the names that `naming` gives them."""
    from cleverdon.errors import InputError

    pairs = [name_and_file(given) for given in files]
    own = naming([file for name, file in pairs if not name])
    named: dict[str, str] = {}
    for given, file in pairs:
        name = given or own[file]
        if name in named:
            raise InputError(f"two {what} are called {name!r}; give them names: NAME=FILE")
        named[name] = file
    return named


def name_and_file(run: str) -> tuple[str, str]:
    """NAME=FILE apart; the name is empty where none is given."""
    name, equals, file = run.partition("=")
    return (name, file) if equals and not os.path.exists(run) else ("", run)


def evaluated(
    qrels: str | Judgments,
    runs: dict[str, _core.Source],
    measures: tuple[str | Measure, ...],
    *,
    warn: bool = True,
    **how: Any,
) -> Scores:
    """The scores of opened runs, with a progress bar; `how` are `evaluate`'s other keywords."""
    from cleverdon.cli.progress import bar, say
    from cleverdon.evaluation import evaluate

    with bar("evaluating") as update:
        scores = evaluate(
            qrels,
            runs,
            measures or None,
            progress=lambda name, done, total: update(done, total),
            **how,
        )
    for warning in scores.warnings if warn else ():
        say(f"cleverdon: warning: {warning}")
    return scores


def page(output: str, *, title: str) -> Decorator[Any]:
    """Where to write a report, and its heading."""
    return together(
        click.option(
            "-o",
            "--output",
            type=click.Path(dir_okay=False, path_type=Path),
            default=output,
            show_default=True,
            help="The file to write.",
        ),
        click.option(
            "--json", "as_json", is_flag=True, help="Write the data as well, as JSON beside it."
        ),
        click.option("--title", default=title, show_default=True, help="Its heading."),
    )


def check_output(output: os.PathLike[str], *inputs: str | None) -> None:
    """Refuse to write where there is no folder, or over a file that the command line names.

    `inputs` are files that it does not name, but that are read as well.
    """
    path = Path(output)
    if not path.parent.is_dir():
        raise click.UsageError(f"there is no folder {str(path.parent)!r} to write to")
    if not path.exists():
        return
    named = _files_named()
    if str(output) in named:
        named.remove(str(output))  # the output itself; if it is named again, it is read as well
    for file in (*inputs, *named):
        if file and file != "-" and os.path.exists(file) and os.path.samefile(path, file):
            raise click.UsageError(f"{file} is read, and would be overwritten: name another")


def _files_named() -> list[str]:
    """All files that the command line names."""
    context = click.get_current_context(silent=True)
    if context is None:
        return []
    found: list[str] = []
    for parameter in context.command.params:
        is_file = isinstance(parameter.type, click.Path) or "FILE" in (parameter.metavar or "")
        value = context.params.get(parameter.name or "")
        values = value if isinstance(value, tuple) else (value,)
        found += [str(one) for one in values if is_file and one is not None]
    return [name_and_file(file)[1] for file in found]


def check_one_stdin(*files: str) -> None:
    """Standard input can be read as one file only."""
    if files.count("-") > 1:
        raise click.UsageError("only one of QRELS and RUNS can be standard input")


def check_of_use(useful: object, names: Iterable[str], condition: str) -> None:
    """An option that was given and changes nothing is refused rather than passed over."""
    context = click.get_current_context()
    if useful:
        return
    named = {parameter.name: parameter for parameter in context.command.params}
    for name in names:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{named[name].opts[-1]} goes with {condition}")
