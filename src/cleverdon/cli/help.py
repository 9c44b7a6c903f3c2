"""What `--help` and `--help-all` print.

`--help` fits on one screen: what the command does, up to three examples, and a line for each of its
own options, which is the first sentence of the option's help. `--help-all` has everything, and
lists the options that commands share under the headings of their records.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from inspect import cleandoc

import click

_LINES = 40
"""How long `--help` may be on a terminal of 100 columns."""

_EXAMPLES = 3
_FLAGS_WIDTH = 30
_GAP = 2


def write_help(
    command: click.Command, context: click.Context, formatter: click.HelpFormatter, *, all: bool
) -> None:
    """Write the help of a command: on one screen, or all of it."""
    command.format_usage(context, formatter)
    about, examples, more = _split_description(command.help or "")
    rows: Mapping[str, list[tuple[str, str]]]
    if all:
        command.format_help_text(context, formatter)
        rows = _sections(command, context)
    else:
        _write_text(about, formatter)
        _write_examples(examples[:_EXAMPLES], formatter)
        rows = {
            "Options": _brief_rows(command, context, more=bool(more) or len(examples) > _EXAMPLES)
        }
    for heading, lines in rows.items():
        with formatter.section(heading):
            formatter.write_dl(lines, col_max=_FLAGS_WIDTH)


def write_group_help(
    group: click.Group,
    headings: Mapping[str, Iterable[str]],
    context: click.Context,
    formatter: click.HelpFormatter,
    *,
    all: bool,
) -> None:
    """Write the help of a group: its commands by heading, and with `all` those within them."""
    group.format_usage(context, formatter)
    about, examples, _ = _split_description(group.help or "")
    if all:
        group.format_help_text(context, formatter)
    else:
        _write_text(about, formatter)
        _write_examples(examples[:_EXAMPLES], formatter)
    rows = {
        heading: [row for name in names for row in _listed(group, name, context, all=all)]
        for heading, names in headings.items()
    }
    if len(rows) == 1:
        for heading, lines in rows.items():
            with formatter.section(heading):
                formatter.write_dl(lines, col_max=_FLAGS_WIDTH)
    else:
        formatter.write_paragraph()
        _write_headed(rows, formatter)
    known = {"--help", "--no-hints"}  # what few look for takes no line of a full screen
    options = [one for one in _options(group, context) if all or known.isdisjoint(one.opts)]
    with formatter.section("Options"):
        formatter.write_dl([_record(one, context) for one in options])


def _listed(
    group: click.Group, name: str, context: click.Context, *, all: bool
) -> list[tuple[str, str]]:
    """Return the line of a command; with `all`, followed by those of its own commands."""
    lines: Mapping[str, str] = group.listed  # type: ignore[attr-defined]
    rows = [(name, lines[name])]
    inner = group.get_command(context, name) if all else None
    if isinstance(inner, click.Group):
        rows += [(f"  {name} {each}", text) for each, text in inner.listed.items()]  # type: ignore[attr-defined]
    return rows


def _write_headed(
    groups: Mapping[str, Sequence[tuple[str, str]]], formatter: click.HelpFormatter
) -> None:
    """Write lines with the heading of each group before its first: it saves a line for each."""
    left = max(map(len, groups)) + _GAP + 1
    rows = []
    for heading, lines in groups.items():
        for at, (name, text) in enumerate(lines):
            rows.append((f"{f'{heading}:' if at == 0 else '':{left}}{name}", text))
    formatter.write_dl(rows, col_max=60)


def _split_description(help: str) -> tuple[str, list[str], str]:
    """Split the help of a command into its first paragraph, its examples, and all the rest."""
    before, _, after = re.sub("\b\n(?=Example)", "\0", cleandoc(help)).partition("\0")
    about, _, more = before.strip().partition("\n\n")
    block, _, behind = after.partition("\n\n")
    lines = block.replace("\\\n", "\\\0").splitlines()[1:]
    return about, [line.replace("\0", "\n") for line in lines], (more + behind).strip()


def _write_text(text: str, formatter: click.HelpFormatter) -> None:
    formatter.write_paragraph()
    with formatter.indentation():
        formatter.write_text(" ".join(text.split()))


def _write_examples(examples: Sequence[str], formatter: click.HelpFormatter) -> None:
    if examples:
        formatter.write_paragraph()
        if len(examples) == 1:
            formatter.write(f"  Example: {examples[0].strip()}\n")
            return
        formatter.write("  Examples:\n")
        for example in examples:
            formatter.write(f"  {example}\n")


def _options(command: click.Command, context: click.Context) -> list[click.Option]:
    found = (one for one in command.get_params(context) if isinstance(one, click.Option))
    return [one for one in found if not one.hidden]


def _is_shared(option: click.Option) -> bool:
    """Tell whether only `--help-all` lists an option."""
    return bool(getattr(option, "heading", ""))


def _brief_rows(
    command: click.Command, context: click.Context, *, more: bool
) -> list[tuple[str, str]]:
    own, shared = [], 0
    for option in _options(command, context):
        if _is_shared(option):
            shared += 1
        elif not _is_about_help(option):
            own.append((_brief_flags(option, context), _brief_text(option, context)))
    if shared:
        own.append(("--help-all", f"Show all options: {shared} more, and every word on each."))
    elif own or more:
        own.append(("--help-all", "Show every word on the command."))
    else:
        own.append(("--help", "Show this message and exit."))
    return own


def _is_about_help(option: click.Option) -> bool:
    return bool({"--help", "--help-all", "--python"} & set(option.opts))


def _brief_flags(option: click.Option, context: click.Context) -> str:
    """Write the names of an option and its value; a long list of choices becomes a word."""
    flags, _ = _record(option, context)
    value = flags.split(" ")[-1]
    if len(flags) > _FLAGS_WIDTH and value not in option.opts:
        word = option.opts[-1].lstrip("-").rpartition("-")[2].upper()
        names = flags.removesuffix(value)
        flags = f"{names}{word if len(names + word) <= _FLAGS_WIDTH else 'WORD'}"
    return flags


def _lists_choices(option: click.Option, context: click.Context) -> bool:
    """Tell whether the choices of an option stand in its text, being too long for its flags."""
    return isinstance(option.type, click.Choice) and len(_record(option, context)[0]) > _FLAGS_WIDTH


def _brief_text(option: click.Option, context: click.Context) -> str:
    """Return the first sentence of an option's help, with choices or a short default."""
    _, text = _record(option, context)
    own, _, _ = (option.help or "").partition("  [")
    sentence = re.sub(r"(?<!\.)[.;:]$", "", re.split(r"(?<=[^.][.;])\s", own, maxsplit=1)[0])
    default = re.search(r"default: [^\]]+?(?=\]|; [x\d])", text)
    room = 98 - _FLAGS_WIDTH - 2 * _GAP  # click leaves two columns free
    if _lists_choices(option, context):
        words = list(option.type.choices)  # type: ignore[attr-defined]
        begin, end = (" (", ").") if ":" in sentence else (": ", "")
        shown = len(words)
        while shown > 1 and len(f"{sentence}{begin}{', '.join(words[:shown])}, ...{end}") > room:
            shown -= 1
        if shown == len(words):
            return f"{sentence}{begin}{', '.join(words)}{end or '.'}"
        if shown > 1 or not end:
            return f"{sentence}{begin}{', '.join(words[:shown])}, ...{end}"
    end = "" if sentence.endswith("...") else "."
    shown_default = f"{sentence}{end}  [{default[0]}]" if default else ""
    return shown_default if 0 < len(shown_default) <= room else f"{sentence}{end}"


def _record(option: click.Option, context: click.Context) -> tuple[str, str]:
    return option.get_help_record(context) or ("", "")


def _sections(command: click.Command, context: click.Context) -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {"Options": []}
    for option in _options(command, context):
        if not _is_about_help(option):
            heading = getattr(option, "heading", "") or "Options"
            found.setdefault(heading, []).append(_record(option, context))
    last = [one for one in _options(command, context) if _is_about_help(one)]
    found["Help"] = [_record(option, context) for option in last]
    return {heading: rows for heading, rows in found.items() if rows}
