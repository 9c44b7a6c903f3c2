"""The command line: commands are loaded only when they are called."""

from __future__ import annotations

import atexit
import os
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any

import click

from cleverdon import __version__
from cleverdon.cli.declarations import NO_HINTS, help_all_option, wants_all_help
from cleverdon.errors import CleverdonError, InputNote, MissingExtra, suggest

COMMAND_GROUPS = {
    "Most used": {
        "eval": ("cli.eval", "Score runs against judgments."),
        "compare": (
            "comparison.cli.compare",
            "Compare runs query by query, with significance.",
        ),
        "claim": (
            "comparison.cli.compare",
            "State in words what the data shows, and the doubts.",
        ),
        "report": ("reports.cli", "Write claims, tables and plots to one HTML file."),
        "check": ("checks.cli", "Find errors in runs and judgments, line by line."),
    },
    "Score": {
        "measures": ("cli.measures", "List the measures."),
        "trec_eval": ("trec_eval.cli", "Evaluate as trec_eval does, to the byte."),
        "audit": ("auditing.cli", "Test another tool against its documentation."),
        "spark": ("scale.cli", "Evaluate on Spark: tables, and Parquet of any size."),
        "demo": ("demo.cli", "Build and evaluate a small collection."),
    },
    "Compare": {
        "power": (
            "comparison.cli.compare",
            "Say what your queries can show; plan how many.",
        ),
        "worst": ("comparison.cli.worst", "List the queries on which a run loses most, and why."),
        "slices": ("comparison.cli.compare", "Score and compare runs on each kind of query."),
        "flip": ("cli.flip", "Say whether judging more could reverse two runs."),
        "gate": ("comparison.cli.gate", "Check a run against rules, in continuous integration."),
        "correlate": (
            "comparison.cli.correlate",
            "Say how alike orders of systems or rankings are.",
        ),
        "splits": ("comparison.cli.tuning", "Split queries for training and testing."),
        "tune": ("comparison.cli.tuning", "Choose a setting on some queries; score on others."),
    },
    "Show": {
        "plot": ("plots.cli", "Draw rankings, queries, measures or differences."),
        "explain": ("explanation.cli", "Explain a measure, or where a score comes from."),
    },
    "Judge": {
        "pool": ("pooling.cli", "Choose what to judge: pools, samples, adaptively."),
        "judge": ("judging.cli", "Have people judge documents in a web app."),
        "recall": ("pooling.recall.cli", "Estimate how many relevant documents were found."),
        "agree": ("agreement.cli", "Say how far judges agree; combine their judgments."),
    },
    "Logs": {
        "logs": ("logs.cli", "Analyse search logs: A/B tests, interleaving, clicks."),
    },
    "Engines": {
        "search": ("engines.cli", "Send queries to an engine, and write a run."),
        "bench": ("engines.load.cli", "Measure an engine's response times and throughput."),
        "index": ("engines.cli", "Measure the time, memory and disk of indexing."),
    },
    "Files": {
        "convert": ("cli.convert", "Convert a run or judgments to another format."),
        "collection": ("collection.cli", "Describe, merge, compare, filter, split judgments."),
    },
}
"""The commands, where each is, and what it does: here as well, so that listing them loads none."""

COMMANDS = {name: home for group in COMMAND_GROUPS.values() for name, home in group.items()}


EXTRAS = {
    "report": "plots",
    "plot": "plots",
    "judge": "web",
    "logs": "logs",
    "search": "engine",
    "bench": "engine",
    "index": "engine",
    "spark": "spark",
}
"""The extra that has all that a command needs; of other commands, it is the extra of the library
that is missing."""


RENAMED_OPTIONS: dict[str, dict[str, str]] = {
    "agree": {"--assessors": "--judge-column", "--merge": "--map", "--ties": "--vote-ties"},
    "bench": {"--pairs": "--blocks", "--precision": "--rate-precision"},
    "collection filter": {"--topics": "--attributes"},
    "collection split": {"--topics": "--attributes"},
    "collection stats": {"--topics": "--attributes"},
    "collection subset": {"--per-query": "--judgments-per-query"},
    "convert": {"--name": "--tag"},
    "correlate": {"--topics": "--attributes"},
    "gate": {"--allow-different-topics": "--allow-different-queries"},
    "index": {"--sample": "--sampling"},
    "judge assign": {
        "--by": "--assign-by",
        "--show": "--list",
        "--to": "--person",
        "--topic": "--query",
    },
    "judge export": {"--as": "--combine", "--kind": "--qrels-kind", "--ties": "--vote-ties"},
    "judge import": {
        "--add": "--add-documents",
        "--as": "--judged-by",
        "--assessors": "--judge-column",
        "--docs": "--documents",
        "--name": "--judge",
        "--topic-field": "--query-field",
    },
    "judge init": {
        "--by": "--assign-by",
        "--docs": "--documents",
        "--target": "--target-relevant",
        "--topics": "--queries",
    },
    "judge people": {"--days": "--valid-days"},
    "judge status": {"--topics": "--per-query"},
    **{
        f"logs {command}": {"--queries": "--queries-table", "--events": "--events-table"}
        for command in ("check", "metrics", "abtest", "interleave")
    },
    "logs bridge": {
        "--events": "--events-table",
        "--queries": "--queries-table",
        "--run": "--runs",
        "--topics": "--query-texts",
        "--write-topics": "--write-queries",
    },
    "logs generate": {"--keystrokes": "--with-keystrokes", "--missing": "--missing-share"},
    "logs judge": {
        "--events": "--events-table",
        "--model": "--click-model",
        "--queries": "--queries-table",
        "--topics": "--query-texts",
    },
    "logs report": {
        "--events": "--events-table",
        "--json": "--data",
        "--queries": "--queries-table",
    },
    "pool expand": {"--run": "--runs"},
    "pool make": {"--by": "--weight"},
    "pool next": {"--qrels": "--write-qrels", "--target": "--target-relevant"},
    "pool qrels": {"--as": "--qrels-kind"},
    "pool sample": {"--share": "--stratum-share", "--strata": "--strata-file"},
    "pool votes": {"--deviation": "--share-deviation", "--share": "--relevant-share"},
    "power": {"--systems": "--system-count"},
    "recall": {"--precision": "--half-width", "--target": "--target-recall"},
    "report": {"--json": "--data"},
    "slices": {"--topics": "--attributes"},
    "splits": {"--topics": "--attributes"},
}
"""Old spellings of options, by command; they work for one release, with a note."""


class Commands(click.Group):
    """Loads a command when it is called: most of them are never needed in a run.

    `commands` has the module of each, below `cleverdon`, and its line in the help. The command NAME
    is the module's `NAME_command`. `groups` has headings for them.
    """

    def __init__(
        self,
        *args: Any,
        commands: Mapping[str, tuple[str, str]],
        groups: Mapping[str, Iterable[str]] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.params.append(help_all_option())
        self.groups = groups or {"Commands": commands}
        self.homes = {name: home for name, (home, _) in commands.items()}
        self.listed = {name: help for name, (_, help) in commands.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.listed)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.listed:
            return None
        module = import_module(f"cleverdon.{self.homes[cmd_name]}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in self.listed:
            ctx.fail(f"there is no command {args[0]!r}{suggest(args[0], self.listed)}")
        name, command, rest = super().resolve_command(ctx, args)
        if command is None or isinstance(command, click.Group) or ctx.resilient_parsing:
            return name, command, rest
        rest = _rename_options(f"{ctx.command_path} {name}".partition(" ")[2], rest)
        how = {**command.context_settings, "resilient_parsing": True}  # reads no typed rankings
        _check_given_once(click.Context(command, ctx, name, **how), rest)
        return name, command, rest

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; print what readers note on standard error, each note once."""
        said: set[str] = set()
        shown = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *args: Any) -> None:
            if not issubclass(category, InputNote):
                shown(message, category, *args)
            elif str(message) not in said:
                said.add(str(message))
                from cleverdon._common.progress_bar import say

                say(f"cleverdon: note: {message}")

        with warnings.catch_warnings():
            warnings.simplefilter("always", InputNote)
            warnings.showwarning = show  # type: ignore[assignment]
            return super().invoke(ctx)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from cleverdon.cli.help import write_group_help

        write_group_help(self, self.groups, ctx, formatter, all=wants_all_help(ctx))


def _rename_options(command: str, args: list[str]) -> list[str]:
    """Replace old spellings of options by the current ones, with a note on standard error."""
    renamed = RENAMED_OPTIONS.get(command, {})
    end = args.index("--") if "--" in args else len(args)
    found = []
    for arg in args[:end]:
        option, equals, value = arg.partition("=")
        if option in renamed:
            click.echo(
                f"cleverdon: note: {option} of {command} is called {renamed[option]} now; "
                "the old name works for one more release",
                err=True,
            )
            arg = f"{renamed[option]}{equals}{value}"
        found.append(arg)
    return found + args[end:]


def _check_given_once(ctx: click.Context, args: list[str]) -> None:
    """Refuse an option that takes one value and is given several: click would use the last."""
    try:
        _, _, given = ctx.command.make_parser(ctx).parse_args(list(args))
    except click.UsageError:
        return  # which comes up again when the command parses them
    for option, times in Counter(given).items():
        once = isinstance(option, click.Option) and not (option.multiple or option.is_flag)
        if once and times > 1:
            raise click.UsageError(f"{option.opts[-1]} takes one value, and is given {times}", ctx)


@click.command(
    cls=Commands,
    commands=COMMANDS,
    groups=COMMAND_GROUPS,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=lambda ctx, option, given: _print_version(ctx) if given else None,
    help="Show the version and exit.",
)
@click.option(
    "--no-hints",
    is_flag=True,
    expose_value=False,
    callback=lambda ctx, _, value: ctx.meta.update({NO_HINTS: value}),
    help="Suggest no next step; CLEVERDON_HINTS=0 does the same.",
)
@click.pass_context
def cleverdon(ctx: click.Context) -> None:
    """Evaluate search: exact, fast, and with claims that can be defended.

    \b
    Example:
      cleverdon eval qrels.txt bm25.run dense.run -m nDCG@10

    For completion in your shell, put its line into its start-up file:

    \b
      bash: eval "$(_CLEVERDON_COMPLETE=bash_source cleverdon)"
      zsh:  eval "$(_CLEVERDON_COMPLETE=zsh_source cleverdon)"
      fish: _CLEVERDON_COMPLETE=fish_source cleverdon | source
    """
    if ctx.invoked_subcommand is None:
        click.echo(_WELCOME, err=True)
        ctx.exit(2)  # nothing was done: a script that left the command out should notice


_WELCOME = """\
Cleverdon evaluates search. Three things to try:

  cleverdon eval 'R N R R N' -m P@5 -m AP    score a ranking that you type: R is relevant, N is not
  cleverdon eval qrels.txt first.run         score a run of yours against your judgments
  cleverdon demo                             make a small collection, and evaluate four systems

`cleverdon --help` lists the commands, and `cleverdon eval --help` shows one."""


def _print_version(ctx: click.Context) -> None:
    """Print what a report of a problem needs: our version, the core's build, Python and numpy."""
    import platform  # start-up, as the next two
    from importlib.metadata import version

    from cleverdon import _core  # start-up: only the commands that need the core load it

    core = dict(_core.build())
    features = core["features"].replace(",", ", ")
    click.echo(
        f"cleverdon {__version__}\n"
        f"core {core['version']}, profile {core['profile']} (optimisation {core['optimisation']}), "
        f"{core['target']} ({features}), rustc {core['rustc']}, {core['abi']}\n"
        f"Python {platform.python_version()}, numpy {version('numpy')}, click {version('click')}"
    )
    ctx.exit()


def main() -> None:
    """Run a command; turn every error into one line and an exit code."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the shell, as in `cleverdon ... >&-`
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115 (as long as the process lives)
    try:
        code = cleverdon.main(prog_name="cleverdon", standalone_mode=False)
        sys.stdout.flush()
    except CleverdonError as error:
        code = _failed(str(error))
    except click.exceptions.Exit as exit:
        code = exit.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        code = 2
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "cleverdon"
        code = _failed(f"{error.format_message()} ({command} --help shows how)", code=2)
    except click.ClickException as error:
        code = _failed(error.format_message(), code=error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        # As shells report a program that a signal ended.
        code = _failed("interrupted", code=130)
    except BrokenPipeError:
        # Whoever read the output has enough, as `head` does: no error. What is still buffered must
        # go nowhere, or Python would complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except MemoryError:
        code = _failed("out of memory")
    except OSError as error:
        code = _failed(_told_by_system(error))
    except Exception as error:
        if "CLEVERDON_TRACEBACK" in os.environ:
            raise
        if missing := _missing(error):
            sys.exit(_failed(missing))
        if "interrupt" in f"{type(error).__name__} {error}".casefold():
            # What DuckDB makes of Ctrl-C while a query runs.
            sys.exit(_failed("interrupted", code=130))
        code = _failed(
            f"a defect of Cleverdon itself: {type(error).__name__}: {error}; please report it "
            "with what CLEVERDON_TRACEBACK=1 shows",
            code=70,
        )
    sys.exit(code or 0)


def _told_by_system(error: OSError) -> str:
    """Say what the system refused as other errors do: the file first, and no number."""
    if not isinstance(error.filename, str | bytes):
        return str(error)
    missing = isinstance(error, FileNotFoundError)
    what = "there is no such file" if missing else f"{error.strerror or error}".lower()
    return f"{os.fsdecode(error.filename)}: {what}"


def run_process() -> None:
    """Run a command in a process of its own, as `cleverdon` and `python -m cleverdon` do.

    What a small evaluation takes is start and end of Python. No measure multiplies matrices, so
    numpy need not start threads for that; and the process ends without taking down its modules.
    """
    evaluates = sys.argv[1:2] == ["eval"]
    if evaluates:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported
    try:
        main()
    except SystemExit as ended:
        if ended.code or not evaluates or sys.gettrace() or sys.getprofile():
            raise
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except OSError:
            raise ended from None
    atexit._run_exitfuncs()  # those of other libraries, such as one that measures coverage
    os._exit(0)


def _missing(error: Exception) -> str | None:
    """Return the extra to install, if a library is missing."""
    from cleverdon._common.extras import extras_with, missing_library

    if not isinstance(error, ModuleNotFoundError) or (library := missing_library(error)) is None:
        return None
    words = sys.argv[1:]
    home, _ = COMMANDS.get(words[0], ("", ""))
    group = getattr(sys.modules.get(f"cleverdon.{home}"), f"{words[0]}_command", None)
    command = " ".join(["cleverdon", *words[: 2 if isinstance(group, Commands) else 1]])
    if error.name in sys.stdlib_module_names:
        return f"{command} needs the module {error.name}, which this Python was built without"
    homes = extras_with(library)
    extra = EXTRAS.get(words[0])
    if extra not in homes:
        extra = next(iter(homes), None)
    return str(MissingExtra(command, package=library, extra=extra))


def _failed(message: str, *, code: int = 1) -> int:
    click.echo(f"cleverdon: error: {message}", err=True)
    return code
