"""Options that several commands share: what is evaluated, how, and how it is printed."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
from click.core import ParameterSource

from cleverdon.cli.declarations import Options, argument, flag, option
from cleverdon.errors import LARGEST_COUNT
from cleverdon.profiles import PROFILES
from cleverdon.settings import CHOICES
from cleverdon.tables.table import FORMATS, MOST_DIGITS, SYSTEMS

if TYPE_CHECKING:
    from cleverdon import _core
    from cleverdon.data import Judgments, Run
    from cleverdon.formats.typed import TypedRanking
    from cleverdon.measures.base import Measure
    from cleverdon.scores import Scores


def complete_measure(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from cleverdon.measures.registry import measures

    return [cls.__name__ for cls in measures() if cls.__name__.startswith(incomplete)]


class Count(click.IntRange):
    """A whole number, by default from 1 on, and never absurdly large."""

    def __init__(self, min: int = 1, max: int = LARGEST_COUNT) -> None:
        super().__init__(min, max)

    def get_metavar(self, param: click.Parameter, *_: Any, **__: Any) -> str:
        return "N"


class Number(click.FloatRange):
    """A finite number; click itself lets NaN into any range."""

    def get_metavar(self, param: click.Parameter, *_: Any, **__: Any) -> str:
        return "NUMBER"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number = float(super().convert(value, param, ctx))
        if not isfinite(number):
            self.fail(f"{value!r} is not a finite number", param, ctx)
        return number


class Share(Number):
    """A number between 0 and 1 that floating point can tell from both."""

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


def current_name(name: str, renamed: Mapping[str, str], kind: str) -> str:
    """Return the current name for an old one, with a note on standard error."""
    if name not in renamed:
        return name
    click.echo(
        f"cleverdon: note: the {kind} {name} is called {renamed[name]} now; "
        "the old name works for one more release",
        err=True,
    )
    return renamed[name]


class RenamedChoice(click.Choice):  # type: ignore[type-arg]  # generic since click 8.2
    """A choice that takes old names for one more release, with a note."""

    def __init__(self, choices: Sequence[str], renamed: Mapping[str, str], kind: str) -> None:
        super().__init__(choices)
        self.renamed, self.kind = renamed, kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return super().convert(current_name(value, self.renamed, self.kind), param, ctx)


class UnjudgedGrade(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.2
    """A word for the grades of unjudged results, or the largest of them."""

    name = "unjudged"

    def get_metavar(self, param: click.Parameter, *_: Any, **__: Any) -> str:
        return "any|not-relevant|GRADE"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> str | float:
        if value in ("any", "not-relevant"):
            return str(value)
        try:
            return Number(min=0).convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"{value!r}: expected any, not-relevant or a grade from 0 on", param, ctx)


class File(click.Path):
    """A file to read; if it does not exist, the error comes where it is read."""

    def get_metavar(self, param: click.Parameter, *_: Any, **__: Any) -> str | None:
        return "FILE" if isinstance(param, click.Option) else None


class RankingFile(click.Path):
    """A file of judgments, or of a run, in whose place a ranking can be typed.

    `has` says what it is: `qrels`, `run`, or `both` for judgments and then runs.
    """

    def __init__(self, has: str) -> None:
        super().__init__(allow_dash=True)
        self.has = has

    def get_metavar(self, param: click.Parameter, *_: Any, **__: Any) -> str | None:
        return "FILE" if isinstance(param, click.Option) else None


def read_typed_values(command: click.Command, values: dict[str, Any]) -> None:
    """Replace typed rankings among a command's values by what they hold, in place.

    The first ranking has the judgments of all, so that it stands for QRELS and for the first run.
    """
    slots = [one for one in command.params if isinstance(one.type, RankingFile)]
    slots.sort(key=lambda one: isinstance(one, click.Option))  # arguments first
    given = {one: _listed(values.get(str(one.name))) for one in slots}
    texts = [text for texts in given.values() for text in texts]
    typed: list[str] = list(typed_rankings(texts))
    if not typed:
        if len(texts) == 1 and sum(isinstance(one, click.Argument) for one in slots) > 1:
            _check_meant_as_file(texts[0])
        return
    of_files = ("qrels_format", "run_format", "columns", "source_format")
    for one in command.params:
        if one.name in of_files and isinstance(values.get(one.name), str):
            raise click.UsageError(f"{one.opts[-1]} goes with files, not with typed rankings")
    options = [one for one in slots if isinstance(one, click.Option) and given[one]]
    for one in reversed(options):
        several = len(given[one])
        typed, own = typed[:-several], typed[-several:]
        values[str(one.name)] = tuple(own) if one.nargs != 1 or one.multiple else own[0]
    if not typed:
        return
    arguments = [one for one in slots if isinstance(one, click.Argument)]
    runs = len(typed)
    has = [cast(RankingFile, one.type).has for one in arguments]
    if "qrels" in has and "run" in has:
        typed = [typed[0], *typed]
    for one, of in zip(arguments, has, strict=True):
        if one.nargs == -1:
            first = typed[:1] if of == "both" else []
            values[str(one.name)] = (*first, *typed)
            typed = []
        elif typed:
            values[str(one.name)] = typed.pop(0)
    if typed:
        fitting = runs - len(typed)
        raise click.UsageError(
            f"there are {runs} typed rankings, and {command.name} takes {fitting} of them: each "
            "is a run, and holds the judgments"
        )


def _check_meant_as_file(text: str) -> None:
    """Refuse a text that stands alone and was probably meant as a ranking."""
    from cleverdon.errors import InputError
    from cleverdon.formats.typed import ENTRIES, looks_typed

    if os.path.exists(text):
        if looks_typed(f" {text}"):
            raise InputError(
                f"{text!r} is a file here; a blank before it makes it a ranking: ' {text}'"
            )
    elif not text.strip() or re.search(r"\s", text):
        raise InputError(
            f"{text!r} is neither a file nor a ranking; the results of a ranking are {ENTRIES}"
        )


def _listed(value: Any) -> list[str]:
    values = value if isinstance(value, (tuple, list)) else [value]
    return [one for one in values if isinstance(one, str)]


COUNT = Count()
REPEATS = Count(max=1_000_000)
"""A number of repetitions: as many as somebody would wait for."""
SHARE = Share()
FILE = File()
INPUT = click.Path(allow_dash=True)
"""A file to read, or standard input."""
QRELS, RUN, QRELS_AND_RUNS = RankingFile("qrels"), RankingFile("run"), RankingFile("both")
"""The same, where rankings can be typed."""
OUTPUT = click.Path(dir_okay=False, path_type=Path)
"""A file to write."""


def measures_named(help: str, *, default: str | None = None) -> Any:
    """Offer measures; without a default, the command says what holds where none is given."""
    return option(
        "MEASURE",
        help,
        flags="-m --measure",
        multiple=True,
        default=[default] if default else None,
        shell_complete=complete_measure,
    )


measures = measures_named(
    "A measure, such as nDCG@10 or 'P(rel=2)@5'; again for more. Names of trec_eval and "
    "ir_measures are understood.  [default: those of the profile, nDCG@10 AP RR P@10 R@100]"
)

runs = argument(RUN, nargs=-1, required=True)
qrels_format = option(
    "FORMAT",
    "The judgments' format, if not to be guessed; subtopics, strata and sampled are never guessed.",
    rare=True,
)
run_format = option("FORMAT", "The runs' format, if not to be guessed.", rare=True)
order_by = option(
    click.Choice(list(CHOICES["order_by"])),
    "Order runs by their scores, or by their rank column.",
    default="score",
    rare=True,
)


def _use_columns(context: click.Context, _: click.Parameter, value: str | None) -> None:
    """Name the columns of all tables that the command reads; warn of names that none has."""
    if value is None:
        return
    from cleverdon.formats.columns import naming_columns

    named = context.with_resource(naming_columns(value))

    def warn() -> None:
        unused = named.unused()
        if unused and sys.exc_info()[0] in (None, click.exceptions.Exit):
            from cleverdon._common.progress_bar import say

            say(f"cleverdon: warning: --columns {','.join(unused)}: no file has such a column")

    context.call_on_close(warn)


columns = option(
    "ROLE=NAME,...",
    "The columns of tables, if their names do not say. Roles are query, doc, grade, score, rank, "
    'text or title, as in query="Query Text",doc=sku,grade=Rating; without a header by number, as '
    "in query=1,doc=2. gold and retrieved are the documents of judgments and of runs, where one "
    "table has both.",
    callback=_use_columns,
    expose_value=False,
    rare=True,
)


class ReadingOptions(Options, heading="Files"):
    """How qrels and runs are read."""

    qrels_format: str | None = qrels_format
    run_format: str | None = run_format
    order_by: str = order_by
    columns: str | None = columns


docs = option(COUNT, "How many documents the collection has.", metavar="N")
confidence = option(SHARE, "Of all intervals.", default=0.95)
confidence_of_level = option(SHARE, "The confidence of intervals.  [default: 1 - level]")
"""The same, of commands that have a level of significance."""
baseline = option(
    "NAME",
    "The run that all others are compared with, by its name or its file.  [default: every run "
    "with every other]",
)
section = option(
    "HEADING", "Print one of the tables alone. csv and tsv print the first by default.", rare=True
)


def depth(help: str, *, default: int | None = None) -> Any:
    """Offer the number of results of each run and query that count."""
    return option(COUNT, help, short="-k", metavar="K", default=default)


def measure(help: str, *, default: str | None = None) -> Any:
    """Offer one measure."""
    return option("MEASURE", help, short="-m", default=default, shell_complete=complete_measure)


def rel(help: str = "The lowest grade that is relevant.") -> Any:
    return option(Number(), help, metavar="GRADE", default=1)


def grade_map(help: str) -> Any:
    """Offer new grades of grades, as one list or by repeating the option: see `_split_pairs`."""
    return option(
        "OLD=NEW,...",
        f"{help}; several by commas, or again for more.",
        flags="--map",
        multiple=True,
        callback=lambda ctx, param, value: _split_pairs(value),
    )


def _split_pairs(given: Iterable[str]) -> tuple[str, ...]:
    """Split lists of OLD=NEW at their commas; a comma within OLD, as in the name of a grade, stays.

    >>> _split_pairs(["1=0, 2=1", "Yes, very=3"])
    ('1=0', '2=1', 'Yes, very=3')
    """
    # A pair ends at the first comma behind its equals sign; what has none is left to be refused.
    pairs = (pair for text in given for pair in re.findall(r"[^=]*=[^,]*|[^=]+$", text))
    return tuple(pair.removeprefix(",").strip() for pair in pairs)


def parse_grade_map(pairs: Iterable[str]) -> dict[float, float]:
    """Parse new grades of grades, where both are numbers.

    >>> parse_grade_map(["1=0", "2=1"])
    {1.0: 0.0, 2.0: 1.0}
    """
    from cleverdon.errors import OptionError

    found: dict[float, float] = {}
    for pair in pairs:
        before, _, after = pair.partition("=")
        try:
            old, new = float(before), float(after)
        except ValueError:
            raise OptionError(
                f"--map: expected grades such as 1=0,2=1,3=1; found {pair!r}"
            ) from None
        if found.setdefault(old, new) != new:
            raise OptionError(f"--map: grade {old:g} becomes both {found[old]:g} and {new:g}")
    return found


def plot(what: str) -> Any:
    return option(OUTPUT, f"Draw {what}. To .html, .svg, .png, .pdf or .json.")


def formats(help: str, words: Sequence[str] = FORMATS) -> Any:
    """Offer formats to print in; the first is the default."""
    return option(click.Choice(words), help, flags="-f --format", default=words[0])


output_file = option(
    OUTPUT,
    "Write to a file, and not to standard output. Without --format, its name says the format: "
    ".csv, .tsv, .md, .tex, .html, .json; otherwise a table.",
    flags="-o --output",
)
"""A command with this field, which is called `output_file`, prints to a file."""


def seed(what: str) -> Any:
    """Offer a seed, with which `what` is always the same."""
    return option(
        Count(min=0), f"The seed of random numbers. The same seed gives the same {what}.", default=0
    )


def level(help: str, *, default: float = 0.05) -> Any:
    return option(SHARE, help, default=default)


def attributes(help: str, *, required: bool = False) -> Any:
    """Offer a table of queries; its column is another option, `--by`."""
    return option(FILE, help, flags="--attributes", required=required)


by = option("NAME", "The attribute (column) of --attributes.")


class LayoutOptions(Options, heading="Layout"):
    """The layout of a table of systems."""

    systems: str = option(
        click.Choice(SYSTEMS),
        "Where systems stand. auto: rows, and columns where a text table would be too wide.",
        default="auto",
    )
    sort: str = option(
        "MEASURE|name|given",
        "By a measure, the best run is first; those that have no value are last.",
        default="given",
        shell_complete=complete_measure,
    )
    digits: int | None = option(
        Count(0, MOST_DIGITS),
        "Decimals of numbers that people read.  [default: 4, or those of the profile's tool]",
        metavar="N",
    )

    @property
    def layout(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in LayoutOptions.fields}


def terminal() -> dict[str, Any]:
    """Return the style and width of the terminal; nothing where the output is no terminal."""
    if not sys.stdout.isatty():
        return {}
    from shutil import get_terminal_size

    styled = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return {"styled": styled, "width": get_terminal_size().columns}


def _setting(name: str) -> Any:
    """Offer one of the choices on which tools disagree."""
    meanings = "; ".join(f"{word}: {meaning}" for word, meaning in CHOICES[name].items())
    return option(click.Choice(list(CHOICES[name])), f"{meanings}.")


class _DataOptions(Options, heading="Files"):
    """What is evaluated beside runs and judgments, and the formats of files."""

    docs: int | None = docs
    second: str | None = option(
        FILE,
        "Judgments of another kind, as of credibility, for measures of two grades.",
        metavar="QRELS",
    )
    weights: str | None = option(
        FILE, "How much each subtopic of a query counts: query, subtopic, number."
    )
    qrels_format: str | None = qrels_format
    run_format: str | None = run_format
    columns: str | None = columns


class SettingsOptions(_DataOptions, heading="Choices on which tools differ"):
    """The profile, every choice on which tools disagree, and the formats of files."""

    profile: str = option(
        click.Choice(list(PROFILES)),
        "Choose as another tool does, to get its numbers.",
        default="cleverdon",
    )
    ties: str | None = _setting("ties")
    order_by: str | None = _setting("order_by")
    precision: str | None = _setting("precision")
    missing: str | None = _setting("missing")
    undefined: str | None = _setting("undefined")
    duplicates: str | None = _setting("duplicates")
    own_document: str | None = _setting("own_document")
    no_relevant: str | None = _setting("no_relevant")
    unreturned: str | None = _setting("unreturned")

    @property
    def evaluation(self) -> dict[str, Any]:
        """Return the keywords of `evaluate`."""
        fields = (name for name in SettingsOptions.fields if name != "columns")
        return {name: getattr(self, name) for name in fields}


class EvaluationOptions(SettingsOptions):
    """The runs and judgments to evaluate, the measures, and the settings."""

    qrels: str = argument(QRELS)
    runs: tuple[str, ...] = argument(RUN, nargs=-1, metavar="RUNS...")
    measures: tuple[str, ...] = measures

    def open_runs(self) -> Mapping[str, _core.Source | Run]:
        """Open the runs' files, so that they can be hashed while numpy is imported."""
        if not self.runs:
            context = click.get_current_context()
            (missing,) = (one for one in context.command.params if one.name == "runs")
            raise click.MissingParameter(ctx=context, param=missing)
        check_one_stdin(self.qrels, *self.runs)
        return opened(self.runs)

    def read_judgments(self) -> Judgments:
        """Read the judgments as the profile and the options say, for commands that need them."""
        from cleverdon.data import Judgments
        from cleverdon.profiles import find_profile

        profile = find_profile(self.profile)
        judgments: Judgments = Judgments.read(
            self.qrels,
            format=self.qrels_format or profile.qrels_format,
            duplicates=profile.settings.changed(duplicates=self.duplicates).qrels_duplicates,
        )
        return judgments

    def evaluate(
        self,
        runs: Mapping[str, _core.Source | Run],
        *,
        judgments: Judgments | None = None,
        **more: Any,
    ) -> Scores:
        """Evaluate opened runs, with a progress bar; `more` are other keywords of `evaluate`."""
        how = self.evaluation
        if judgments is not None:
            del how["qrels_format"]
        return evaluated(judgments or self.qrels, runs, self.measures, **how, **more)


class RepeatsOptions(EvaluationOptions):
    """The same, with systems of several runs."""

    repeats: tuple[str, ...] = option(
        "NAME=FILES",
        "A system of several runs, as 'dense=dense-*.run'. A name and a pattern of "
        "files, in quotes. A query's value is the mean over them; comparisons count how much they "
        "differ. Repeat for more.",
        multiple=True,
    )

    def open_runs(self) -> Mapping[str, Any]:
        """Open the runs' files, those of one system together."""
        if not self.repeats:
            return super().open_runs()
        from cleverdon.errors import InputError
        from cleverdon.formats.inputs import Repeats

        if as_typed(self.qrels) is not None:
            raise click.UsageError("--repeats goes with files, not with typed rankings")
        check_one_stdin(self.qrels, *self.runs)
        found: dict[str, Any] = dict(opened(self.runs))
        for name, files in repeated_files(self.repeats).items():
            if name in found:
                raise InputError(f"two runs are called {name!r}; give them names: NAME=FILE")
            if len(files) < 2:
                raise click.UsageError(
                    f"--repeats {name}: only {files[0]} is there, and it takes two; give a single "
                    "run as it is"
                )
            found[name] = Repeats(opened(tuple(files)).values())
        return found


def repeated_files(given: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the files of each system; of one that is given twice, all of them."""
    import glob

    found: dict[str, list[str]] = {}
    for one in given:
        name, equals, pattern = one.partition("=")
        if not (name and equals and pattern):
            raise click.UsageError(f"--repeats {one!r}: expected NAME=FILES, as dense=dense-*.run")
        files = [pattern] if os.path.exists(pattern) else sorted(glob.glob(pattern))
        if not files:
            raise click.UsageError(f"--repeats {one}: there is no file {pattern}")
        known = found.setdefault(name, [])
        for file in files:
            if file in known:
                raise click.UsageError(f"--repeats {name}: {file} is in it twice")
            known.append(file)
    return found


def typed_rankings(given: Sequence[str]) -> list[TypedRanking]:
    """Read rankings that are typed in place of files; none where they are files."""
    files = {one: name_and_file(one)[1] for one in given}
    unknown = [one for one in given if files[one] != "-" and not os.path.exists(files[one])]
    if not unknown:
        return []
    from cleverdon.formats.typed import looks_typed, together

    typed = [one for one in unknown if looks_typed(one)]
    other = next((one for one in given if one not in typed), None)
    if typed and other is not None:
        is_file = other not in unknown
        what = "is a file, to be left out" if is_file else "is neither a file nor a ranking"
        raise click.UsageError(
            f"{typed[0]!r} is a typed ranking, which holds its own judgments, and {other!r} "
            f"{what}; give either files or typed rankings"
        )
    return together(typed) if typed else []


def opened(runs: tuple[str, ...]) -> dict[str, Any]:
    """Open runs by name: that of NAME=FILE, or the file's.

    Typed rankings become `Run`s.
    """
    from cleverdon.formats.inputs import distinct_names

    named = named_files(runs, what="runs", naming=distinct_names)
    return {name: opened_run(file) for name, file in named.items()}


def opened_run(file: str) -> Any:
    """Open a file, or return the `Run` of a typed ranking."""
    from cleverdon.formats.inputs import is_address, open_source

    if is_address(file):
        return file
    typed = as_typed(file)
    return open_source(file) if typed is None else typed.run


def as_typed(file: str | None) -> TypedRanking | None:
    """Return a ranking that is typed in place of a file, as `read_typed_values` has left it."""
    # Without its class, whose module is not loaded for files.
    return cast("TypedRanking", file) if hasattr(file, "rankings") else None


def named_files(
    files: tuple[str, ...], *, what: str, naming: Callable[[list[str]], dict[str, str]]
) -> dict[str, str]:
    """Return files by name: that of NAME=FILE, or the one that `naming` gives."""
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
    """Split NAME=FILE; the name is empty where none is given."""
    if (typed := as_typed(run)) is not None:
        return typed.name, typed
    name, equals, file = run.partition("=")
    if "://" in name:  # an address, and what follows is a parameter of it
        return "", run
    return (name, file) if equals and not os.path.exists(run) else ("", run)


def resolve_baseline(baseline: str | None, runs: tuple[str, ...]) -> str | None:
    """Return the name of a run that is given by name or by file; anything else is unchanged."""
    if baseline is None:
        return None
    from cleverdon.formats.inputs import distinct_names

    named = named_files(runs, what="runs", naming=distinct_names)
    if baseline in named:
        return baseline
    alike = [name for name, file in named.items() if baseline in (file, f"{name}={file}")]
    if not alike and os.path.exists(baseline):
        existing = {name: file for name, file in named.items() if os.path.exists(file)}
        alike = [name for name, file in existing.items() if os.path.samefile(baseline, file)]
    return alike[0] if len(alike) == 1 else baseline


def evaluated(
    qrels: str | Judgments,
    runs: Mapping[str, _core.Source | Run],
    measures: tuple[str | Measure, ...],
    *,
    warn: bool = True,
    **how: Any,
) -> Scores:
    """Evaluate opened runs, with a progress bar; `how` are other keywords of `evaluate`."""
    from cleverdon._common.progress_bar import bar, say
    from cleverdon.evaluation import evaluate

    with bar("evaluating") as update:
        scores = evaluate(qrels, runs, measures or None, progress=update, **how)
    for warning in scores.warnings if warn else ():
        say(f"cleverdon: warning: {warning}")
    return scores


page_data = flag("Write the data as well, as JSON beside it.", flags="--data")


def _check_page(ctx: click.Context, param: click.Parameter, value: Path) -> Path:
    if value.suffix not in (".html", ".htm"):
        raise click.UsageError(f"a report is a page: {value.with_suffix('.html')}, not {value}")
    return value


def page_output(file: str) -> Any:
    return option(OUTPUT, "The file to write.", short="-o", default=file, callback=_check_page)


def page_title(title: str) -> Any:
    return option("TEXT", "The title of the page.", default=title)


def check_output(output: os.PathLike[str], *inputs: str | None, overwrite: bool = True) -> None:
    """Refuse to write where there is no folder, or over a file that the command line names.

    `inputs` are files that it does not name, but that are read as well. Without `overwrite`, no
    file that exists is replaced.
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
    if not overwrite:
        raise click.UsageError(f"{output} is there already: --overwrite writes over it")


def check_plot(path: Path | None) -> None:
    """Refuse a plot that cannot be saved, before any work is done."""
    if path is not None:
        from cleverdon.charts.export import check_savable  # loads altair

        check_savable(path)
        check_output(path)


def save_plot(found: Any, path: Path | None, what: str = "") -> None:
    """Save the plot of a Result, where a file is named; say `what` it shows."""
    if path is None:
        return
    from cleverdon._common.progress_bar import say
    from cleverdon.charts.export import save

    save(found.plot(), path)
    if what:
        say(f"{path}: {what}")


def _files_named() -> list[str]:
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
    if files.count("-") > 1:
        raise click.UsageError("only one of QRELS and RUNS can be standard input")


def check_of_use(useful: object, names: Iterable[str], condition: str) -> None:
    """Refuse an option that was given and has no effect."""
    context = click.get_current_context()
    if useful:
        return
    named = {parameter.name: parameter for parameter in context.command.params}
    for name in names:
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{named[name].opts[-1]} goes with {condition}")
