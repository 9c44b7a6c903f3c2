"""Generate the reference pages from the registries.

python -m docs.generate            writes docs/measures.md, metrics.md, cli.md and docs/pictures
python -m docs.generate --check    fails if they are out of date
"""

from __future__ import annotations

import sys
from inspect import cleandoc, getdoc
from pathlib import Path
from textwrap import dedent

import click

from cleverdon.cli import COMMANDS, cleverdon
from cleverdon.cli.declarations import ALL_HELP
from cleverdon.logs.metrics.base import METRIC_FAMILIES, Metric, metric_family, metrics
from cleverdon.logs.tables import metric_facts
from cleverdon.measures.base import REQUIRED, Measure, own_text
from cleverdon.measures.description import (
    LEGEND,
    describe_direction,
    describe_needs,
    describe_parameters,
    other_names,
)
from cleverdon.measures.registry import FAMILIES, family, measures
from cleverdon.trec_eval.arguments import parse_options as arguments
from cleverdon.trec_eval.output import manual
from docs import pictures

HERE = Path(__file__).parent
INTRODUCTION = """\
A measure is written as its name, its parameters in brackets where they are not the default, and a
cut-off: `nDCG@10`, `P(rel=2)@5`, `nDCG(gains={1:3,2:9})@10`, `IntentAware(nDCG@10)`. Letter case
does not matter, and names of trec_eval (`ndcg_cut_10`), of ir_measures and of textbooks (`F1@5`,
`hit@5`, `recall_at_10`) are understood, and several cut-offs at once: `P@1,2,3`. Every measure
takes `judged_only=true`, which leaves out results that nobody judged. In Python a measure is a text
of this kind, or an object: `nDCG(k=10)`.

Each has examples, worked out by hand: measure, ranking, value. """

MADE = "<!-- Made by `make docs` from the code; change it there. -->"


def measures_page() -> str:
    """List every measure, by family."""
    parts = [MADE, "# The measures", INTRODUCTION + LEGEND]
    for heading in FAMILIES.values():
        parts.append(f"## {heading}")
        parts += map(measure_entry, family_members(heading))
    return "\n\n".join(parts) + "\n"


def family_members(heading: str) -> list[type[Measure]]:
    """Return the measures of a family."""
    return [cls for cls in measures() if family(cls) == heading]


def measure_entry(cls: type[Measure]) -> str:
    """Describe one measure, below a heading of the third level."""
    facts = {
        "User": cls.user,
        "Undefined": cls.undefined,
        "Needs": describe_needs(cls() if REQUIRED not in cls.defaults.values() else cls),
        "Better": describe_direction(cls),
        "Parameters": "".join(
            f"\n  - `{row.written}`: {row.text}" for row in describe_parameters(cls)
        ),
        "Also called": ", ".join(f"`{name}`" for name in other_names(cls)),
        "In trec_eval": ", ".join(f"`{name}`" for name in cls.trec_eval),
        "Source": cls.source,
    }
    listed = "\n".join(f"- {fact}: {text}" for fact, text in facts.items() if text)
    listed = listed.replace(": \n", ":\n")
    worked = f"```text\n{dedent(cls.worked).strip()}\n```"
    formula = f"$$ {cls.formula} $$"
    text = cleandoc(own_text(cls))
    return "\n\n".join([f"### {cls.__name__}", text, formula, listed, worked])


METRICS = """\
The metrics of `cleverdon logs metrics`. A *result page* is the response to one request; a *query*
is one search of a user with its further pages; a *session* ends when its user does nothing for 30
minutes. Each example is a log with one line per result page: user, time, text, and actions."""


def metrics_page() -> str:
    """List every online metric, by family."""
    parts = [MADE, "# The online metrics", METRICS]
    for heading in METRIC_FAMILIES:
        parts.append(f"## {heading}")
        parts += [_metric(cls()) for cls in metrics() if metric_family(cls) == heading]
    return "\n\n".join(parts) + "\n"


def _metric(metric: Metric) -> str:
    facts = {
        name: text for name, text in metric_facts(metric).items() if text and name != "Formula"
    }
    listed = "\n".join(f"- {fact}: {text}" for fact, text in facts.items())
    worked = f"```text\n{dedent(metric.worked).strip()}\n```"
    formula = f"$$ {metric.formula} $$"
    return "\n\n".join([f"### {metric}", getdoc(type(metric)) or "", formula, listed, worked])


COMMAND_LINE = """\
`cleverdon` suggests three things to try. `cleverdon COMMAND --help` fits on one screen: examples,
and the command's own options. `cleverdon COMMAND --help-all` has every option, as this page does,
also those that many commands share: how files are read, on which choices tools differ, how tables
are laid out.

On a terminal, a command may end with a line on standard error that begins with `Next:`. It is a
command that works, with your own files. It never appears where output or errors go to a file or to
another program. `cleverdon --no-hints COMMAND` leaves it out once, and the environment variable
`CLEVERDON_HINTS=0` always.

`cleverdon COMMAND --python` prints the same as a script in Python, with your own files and options,
and does nothing else. Options that have their default are left out. A command that is more than one
call says what Python has instead."""


def cli_page() -> str:
    """Show the help of every command, with all options."""
    parts = [MADE, "# The command line", COMMAND_LINE, _help(cleverdon, "cleverdon")]
    with click.Context(cleverdon, info_name="cleverdon") as ctx:
        for name in COMMANDS:
            command = cleverdon.get_command(ctx, name)
            if command is not None:
                parts += [f"## cleverdon {name}", _help(command, name, parent=ctx)]
            if name == "trec_eval":
                parts.append(f"```text\n{manual(arguments(['-h']), all=True).rstrip()}\n```")
            if isinstance(command, click.Group):
                parts += _subcommands(command, name, ctx)
    return "\n\n".join(parts) + "\n"


def _subcommands(group: click.Group, name: str, parent: click.Context) -> list[str]:
    parts = []
    with click.Context(group, info_name=name, parent=parent) as ctx:
        for sub in group.list_commands(ctx):
            command = group.get_command(ctx, sub)
            if command is not None:
                parts += [f"### cleverdon {name} {sub}", _help(command, sub, parent=ctx)]
    return parts


def _help(command: click.Command, name: str, parent: click.Context | None = None) -> str:
    with click.Context(command, info_name=name, parent=parent, max_content_width=100) as ctx:
        ctx.terminal_width = 100
        ctx.meta[ALL_HELP] = True
        return f"```text\n{command.get_help(ctx)}\n```"


def main() -> int:
    """Write pages and pictures, or check them."""
    pages = {
        HERE / "measures.md": measures_page(),
        HERE / "metrics.md": metrics_page(),
        HERE / "cli.md": cli_page(),
    }
    if "--check" in sys.argv[1:]:
        stale = [p.name for p, text in pages.items() if not p.exists() or p.read_text() != text]
        stale += [f"{pictures.FOLDER.name}/{name}" for name in pictures.out_of_date()]
        if stale:
            print(f"out of date: {', '.join(stale)}; run `make docs`", file=sys.stderr)
        return int(bool(stale))
    for path, text in pages.items():
        path.write_text(text, encoding="utf-8")
    pictures.write()
    return 0


if __name__ == "__main__":
    sys.exit(main())
