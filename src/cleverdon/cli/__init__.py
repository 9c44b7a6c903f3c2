"""The command line: one file a command, loaded only when it is called."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from cleverdon import __version__
from cleverdon.errors import CleverdonError, MissingExtra, suggest

COMMANDS = {
    "eval": "Score runs against judgments.",
    "compare": "Compare runs topic by topic: a table that marks what is significant.",
    "claim": "Say in words what runs and judgments support, and what speaks against it.",
    "report": "Write all of it to one HTML file: claims, tables, plots, rankings, the method.",
    "plot": "Draw one of many plots: of rankings, topics, measures, or differences.",
    "power": "Say what the topics at hand can show, and how many it would take.",
    "flip": "Say whether judging the unjudged could reverse the order of two runs.",
    "slices": "Score and compare runs on each kind of topic.",
    "gate": "Hold a run against rules and a baseline, for continuous integration.",
    "correlate": "Say how alike orders of systems are, or rankings of documents.",
    "splits": "Split topics into some for training and some for testing.",
    "tune": "Choose a setting on some topics, and score the choice on others.",
    "measures": "List the measures.",
    "explain": "Say what a measure is, or where the score of a query comes from.",
    "pool": "Choose what to judge: pools, samples, one document after the other; votes, probes.",
    "judge": "Have people judge documents in a web app, from a pool to published qrels.",
    "recall": "Estimate how many relevant documents there are, and how many were found.",
    "agree": "Say how far judges agree, and make one judgment of several.",
    "collection": "Describe judgments and runs; merge, compare, filter and split judgments.",
    "logs": "Say what search logs tell: metrics, A/B tests, interleaving, judgments from clicks.",
    "search": "Put topics to a search engine, and write its results as a run.",
    "bench": "Put load on a search engine: response times, throughput, and what it can take.",
    "index": "Have a collection indexed: time, memory, disk, and how they grow with it.",
    "check": "Find what is wrong with runs and judgments, line by line.",
    "convert": "Turn a run or judgments into another format.",
    "trec_eval": "Evaluate as trec_eval does: its arguments, its output to the byte.",
    "demo": "Build and evaluate a small collection out of Python's own documentation.",
}
"""The commands and what each does: here as well, so that listing them loads none."""


EXTRAS = {
    "report": "plots",
    "plot": "plots",
    "judge": "web",
    "logs": "logs",
    "search": "engine",
    "bench": "engine",
    "index": "engine",
}
"""The extra that has all that a command needs; of other commands, it is the extra of the library
that is missing."""

LIBRARIES = {
    "argon2": "argon2-cffi",
    "hdrh": "hdrhistogram",
    "ibis": "ibis-framework",
    "multipart": "python-multipart",
    "pydantic": "fastapi",
    "starlette": "fastapi",
    "vl_convert": "vl-convert-python",
    "yaml": "pyyaml",
}
"""Modules that are not called as the library that has to be installed for them."""


class Commands(click.Group):
    """Loads a command when it is called: most of them are never needed in a run."""

    def __init__(self, *args: Any, listed: Mapping[str, str], module: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.listed = listed
        self.module = module

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.listed)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.listed:
            return None
        command: click.Command = import_module(self.module.format(cmd_name)).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in self.listed:
            ctx.fail(f"there is no command {args[0]!r}{suggest(args[0], self.listed)}")
        name, command, rest = super().resolve_command(ctx, args)
        if command is None or isinstance(command, click.Group) or ctx.resilient_parsing:
            return name, command, rest
        _check_given_once(click.Context(command, ctx, name, **command.context_settings), rest)
        return name, command, rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(self.listed.items()))


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
    listed=COMMANDS,
    module="cleverdon.cli.{}",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="cleverdon %(version)s")
def cleverdon() -> None:
    """Evaluate search: exact, fast, and with claims that can be defended.

    \b
    Examples:
      cleverdon eval qrels.txt bm25.run dense.run
      cleverdon eval qrels.txt bm25.run -m nDCG@10 -m 'AP(rel=2)' --per-query
      cleverdon claim qrels.txt bm25.run dense.run --baseline bm25
      cleverdon explain nDCG
      cleverdon check bm25.run --qrels qrels.txt

    For completion in your shell, put its line into its start-up file:

    \b
      bash: eval "$(_CLEVERDON_COMPLETE=bash_source cleverdon)"
      zsh:  eval "$(_CLEVERDON_COMPLETE=zsh_source cleverdon)"
      fish: _CLEVERDON_COMPLETE=fish_source cleverdon | source
    """


def main() -> None:
    """The entry point: runs a command, and turns every error into one line and an exit code."""
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
        code = _failed(str(error))
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


def _missing(error: Exception) -> str | None:
    """What to install, if all that is wrong is that a library is not there."""
    module = error.name.partition(".")[0] if isinstance(error, ImportError) and error.name else ""
    if not isinstance(error, ModuleNotFoundError) or module in ("", "cleverdon"):
        return None
    words = sys.argv[1:]
    group = getattr(sys.modules.get(f"cleverdon.cli.{words[0]}"), "command", None)
    command = " ".join(["cleverdon", *words[: 2 if isinstance(group, Commands) else 1]])
    if module in sys.stdlib_module_names:
        return f"{command} needs the module {module}, which this Python was built without"
    library = LIBRARIES.get(module, module.replace("_", "-"))
    homes = _extras_with(library)
    extra = EXTRAS.get(words[0])
    if extra not in homes:
        extra = homes[0] if homes else None
    return str(MissingExtra(command, package=library, extra=extra))


def _extras_with(library: str) -> list[str]:
    """The extras for users that install a library, by the package's metadata; smallest first."""
    import re
    from importlib.metadata import PackageNotFoundError, requires

    try:
        lines = requires("cleverdon") or []
    except PackageNotFoundError:
        return []
    contents: dict[str, set[str]] = {}
    for line in lines:
        extra = re.search(r"extra\s*==\s*['\"]([\w-]+)['\"]", line)
        if extra and extra[1] not in ("bench", "dev"):
            nested = re.match(r"cleverdon\[(.*?)\]", line)
            names = nested[1].split(",") if nested else re.findall(r"^[\w.-]+", line.lower())
            contents.setdefault(extra[1], set()).update(names)

    def has(extra: str) -> bool:
        own = contents[extra]
        return library.lower() in own or any(has(one) for one in own if one in contents)

    return sorted(filter(has, contents), key=lambda extra: len(contents[extra]))


def _failed(message: str, *, code: int = 1) -> int:
    click.echo(f"cleverdon: error: {message}", err=True)
    return code
