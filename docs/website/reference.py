"""Reference pages that only the site has: the public API, one page per command, the checks.

Signatures, docstrings and options are the only source. In docs/, the same commands are one page for
readers of plain Markdown (docs/generate.py).
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from types import ModuleType
from typing import Any

import click

import cleverdon
from cleverdon.checks.findings import rules
from cleverdon.cli import COMMANDS
from cleverdon.cli import cleverdon as program
from docs import generate
from docs.website.navigation import toctree

_SECTION = re.compile(r"^(Args|Returns|Raises|Yields|Examples?|Attributes):$")


def metrics_page() -> str:
    """Write the metrics of search logs."""
    return generate.metrics_page().replace(f"{generate.MADE}\n\n", "", 1)


def measure_pages() -> dict[str, str]:
    """Write one page per family of measures."""
    found = {}
    for key, heading in generate.FAMILIES.items():
        entries = [generate.measure_entry(cls) for cls in generate.family_members(heading)]
        text = "\n\n".join([f"# {heading}", *entries])
        found[f"measures/{key}"] = re.sub(r"^### ", "## ", text, flags=re.MULTILINE) + "\n"
    return found


def checks_page() -> str:
    """List what `cleverdon check` can find."""
    rows = "\n".join(
        f"| `{name}` | {rule.severity} | {_cell(rule.fix)} |" for name, rule in rules().items()
    )
    return (
        "# The checks\n\nWhat [cleverdon check](commands/cleverdon-check.md) can find in a run or "
        "in judgments, by name. An error keeps a file from being read, a warning is likely a "
        "mistake, a note is good to know.\n\n| name | severity | remedy |\n|---|---|---|\n"
        f"{rows}\n"
    )


def _cell(text: str) -> str:
    return _plain(text).replace("|", "\\|")


def _plain(text: str) -> str:
    """Escape what Markdown would take for markup; code in backticks stays as it is."""
    pieces = re.split(r"(`[^`]+`)", text)
    return "".join(
        piece if piece.startswith("`") else re.sub(r"([\\*_<>\[\]$#{}])", r"\\\1", piece)
        for piece in pieces
    )


# Commands


def command_pages() -> dict[str, str]:
    """Write one page per command and subcommand, and the list of commands."""
    found = {}
    rows = []
    names = []
    with click.Context(program, info_name="cleverdon") as ctx:
        for name in program.list_commands(ctx):
            command = program.get_command(ctx, name)
            if command is None:
                continue
            subs = dict(_subcommands(command, name, ctx))
            found |= subs
            page = f"commands/cleverdon-{name}"
            found[page] = command_page(command, name, ctx, children=list(subs))
            names.append(page)
            about = COMMANDS[name][1] if name in COMMANDS else command.get_short_help_str(200)
            rows.append(f"| [{name}]({page}.md) | {_cell(about)} |")
            for sub, text in subs.items():
                title = sub.removeprefix("commands/").replace("-", " ", 2)
                first = text.split("\n\n")[2].replace("\n", " ")
                short = title.removeprefix("cleverdon ")
                rows.append(f"| [{short}]({sub}.md) | {first} |")
    found["commands"] = "\n\n".join(
        [
            "# The commands",
            "Each page is made from the command's declared options. "
            "`cleverdon COMMAND --help` prints the same.",
            "| command | does |\n|---|---|\n" + "\n".join(rows),
            toctree(names),
        ]
    )
    return found


def _subcommands(
    group: click.Command, name: str, parent: click.Context
) -> Iterator[tuple[str, str]]:
    if isinstance(group, click.Group):
        with click.Context(group, info_name=name, parent=parent) as ctx:
            for sub in group.list_commands(ctx):
                command = group.get_command(ctx, sub)
                if command is not None:
                    page = f"commands/cleverdon-{name}-{sub}"
                    yield page, command_page(command, sub, ctx)


def command_page(
    command: click.Command, name: str, parent: click.Context, *, children: list[str] | None = None
) -> str:
    """Write the page of one command: description, examples, usage, options."""
    with click.Context(command, info_name=name, parent=parent) as ctx:
        path = ctx.command_path
        usage = ctx.get_usage().removeprefix("Usage: ")
        parts = [f"# {path}", f"```{{program}} {path}\n```"]
        about, _, examples = inspect.cleandoc(command.help or "").partition("Examples:")
        parts += [_prose(about)]
        shown = textwrap.dedent(examples.strip("\n")).strip()
        if shown:
            shown = re.sub(r"^(?=cleverdon )", "$ ", shown, flags=re.MULTILINE)
            parts += ["## Examples", f"```console\n{shown}\n```"]
        parts += ["## Usage", f"```text\n{usage}\n```"]
        own, shared = [], []
        for option in command.get_params(ctx):
            if isinstance(option, click.Option):
                (shared if option.hidden else own).append(_option(option, ctx))
        if own:
            parts += ["## Options", *own]
        if shared:
            parts += ["## Options that commands share", *shared]
        if name == "trec_eval":
            text = generate.manual(generate.arguments(["-h"]), all=True).rstrip()
            parts += ["## Manual", f"```text\n{text}\n```"]
        if children:
            listed = "\n".join(
                f"- [{_title(c)}]({c.removeprefix('commands/')}.md)" for c in children
            )
            parts += ["## Subcommands", listed]
            parts += [toctree([c.removeprefix("commands/") for c in children])]
    return "\n\n".join(filter(None, parts)) + "\n"


def _title(page: str) -> str:
    return page.removeprefix("commands/").replace("-", " ", 2)


def _prose(text: str) -> str:
    """Return the paragraphs of a help text; those after a line of \\b keep their lines."""
    blocks = []
    for block in re.split(r"\n\s*\n", text.replace("\f", "").strip()):
        if not block.strip():
            continue
        lines = block.strip("\n").split("\n")
        if block.strip() == "\b":
            continue  # it belongs to the examples, which stand elsewhere
        if lines[0].strip() == "\b":
            blocks.append("```text\n" + textwrap.dedent("\n".join(lines[1:])) + "\n```")
        elif all(line.startswith("  ") for line in lines):
            blocks.append("```text\n" + textwrap.dedent(block.strip("\n")) + "\n```")
        else:
            blocks.append(_plain("\n".join(lines)))
    return "\n\n".join(blocks)


def _option(option: click.Option, ctx: click.Context) -> str:
    hidden, option.hidden = option.hidden, False
    record = option.get_help_record(ctx)
    option.hidden = hidden
    if record is None:
        return ""
    names, text = record
    signature = re.sub(r"(?<=\S) / (?=-)", ", ", names)
    # The default and the range follow the text in brackets.
    return f"````{{option}} {signature}\n\n{_plain(text)}\n````"


# The API


def api_pages() -> dict[str, str]:
    """Write one page per public name, and the list of names."""
    found = {}
    kinds: dict[str, list[tuple[str, str]]] = {}
    public = {n: getattr(cleverdon, n) for n in cleverdon.__all__ if not n.startswith("__")}
    shown = {id(value): name for name, value in public.items()}
    for name, value in public.items():
        found[f"api/{name}"] = api_page(name, value, shown)
        kinds.setdefault(_kind(value), []).append((name, _first_line(value)))
    parts = [
        "# The Python API",
        "These names are the public API: `import cleverdon` and use them as `cleverdon.NAME`. In "
        "Python, `help(cleverdon.NAME)` shows the same text.",
    ]
    for kind in ("Functions", "Types", "Modules", "Values"):
        if names := kinds.get(kind):
            rows = "\n".join(f"| [{name}](api/{name}.md) | {text} |" for name, text in names)
            parts += [f"## {kind}", f"| name | does |\n|---|---|\n{rows}"]
            parts += [toctree([f"api/{name}" for name, _ in names], caption=kind)]
    found["api"] = "\n\n".join(parts) + "\n"
    return found


def _kind(value: Any) -> str:
    if isinstance(value, ModuleType):
        return "Modules"
    if inspect.isclass(value):
        return "Types"
    return "Functions" if callable(value) else "Values"


def _first_line(value: Any) -> str:
    text = inspect.getdoc(value) or ""
    return _cell(" ".join(text.split("\n\n")[0].split()))


def api_page(name: str, value: Any, shown: dict[int, str]) -> str:
    """Write the page of one public name.

    Args:
        name: The name.
        value: What it names.
        shown: The pages that have functions and classes already, by identity; new ones are added.
    """
    if isinstance(value, ModuleType):
        parts = [f"# cleverdon.{name}", docstring(inspect.getdoc(value) or "")]
        members = {member: getattr(value, member) for member in _public_members(value)}
        also = [
            f"- [{member}]({shown[id(found)]}.md)"
            for member, found in members.items()
            if id(found) in shown
        ]
        for member, found in members.items():
            if shown.setdefault(id(found), name) == name:
                parts.append(_entry(f"cleverdon.{name}.{member}", found))
        parts += ["## Also in this module", "\n".join(also)] if also else []
        return "\n\n".join(parts) + "\n"
    parts = [f"# {name}", _entry(f"cleverdon.{name}", value)]
    result = _result_class(value)
    if result is not None:
        title = result.__name__
        if shown.setdefault(id(result), name) == name:
            parts += [f"## What it returns: {title}", _entry(title, result)]
        else:
            parts += ["## What it returns", f"- [{title}]({shown[id(result)]}.md)"]
    return "\n\n".join(parts) + "\n"


def _public_members(module: ModuleType) -> list[str]:
    names = getattr(module, "__all__", None) or [
        name
        for name, value in vars(module).items()
        if getattr(value, "__module__", None) == module.__name__
    ]
    return [name for name in names if not name.startswith("_") and callable(getattr(module, name))]


def _result_class(value: Any) -> type | None:
    """Return the class of Cleverdon that a function returns, if its module or package names it."""
    if not inspect.isfunction(value):
        return None
    name = str(inspect.signature(value).return_annotation).strip("'\"")
    if not name.isidentifier():
        return None
    parts = value.__module__.split(".")
    for end in range(len(parts), 1, -1):
        found = getattr(import_module(".".join(parts[:end])), name, None)
        if inspect.isclass(found) and found.__module__.startswith("cleverdon"):
            return found
    return None


def _entry(path: str, value: Any) -> str:
    if inspect.isclass(value):
        return _class_entry(path, value)
    if callable(value):
        return _described(
            f"py:function {path}{_signature(value)}", inspect.getdoc(value), "```````"
        )
    return _described(f"py:data {path}", f"`{value!r}`", "```````")


def _class_entry(path: str, cls: type) -> str:
    error = issubclass(cls, BaseException)
    signature = "" if error or issubclass(cls, Enum) else _signature(cls)
    signature = signature.removesuffix(" -> None")
    parts = [docstring(inspect.getdoc(cls) or "")]
    for name, member in inspect.getmembers(cls):
        if name.startswith("_") or not _own(cls, name):
            continue
        raw = inspect.getattr_static(cls, name)
        if isinstance(raw, property) or type(raw).__name__ == "cached_property":
            doc = inspect.getdoc(raw.fget if isinstance(raw, property) else raw.func)
            if doc:
                parts.append(_described(f"py:property {name}", doc, "``````"))
        elif callable(member) and (doc := inspect.getdoc(member)) and not inspect.isclass(member):
            kind = {classmethod: "classmethod", staticmethod: "staticmethod"}.get(
                type(raw), "method"
            )
            text = _described(f"py:{kind} {name}{_signature(member, own=True)}", doc, "``````")
            parts.append(text)
    body = "\n\n".join(filter(None, parts))
    kind = "exception" if error else "class"
    return f"```````{{py:{kind}}} {path}{signature}\n\n{body}\n```````"


def _own(cls: type, name: str) -> bool:
    """Whether a member was written for Cleverdon, in this class or in a base class."""
    for base in cls.__mro__:
        if name in vars(base):
            return base.__module__.startswith("cleverdon")
    return False


def _signature(value: Any, *, own: bool = False) -> str:
    try:
        text = str(inspect.signature(value))
    except (TypeError, ValueError):
        return "()"
    text = re.sub(r"<[^<>]*>", "...", text)  # defaults without a notation
    text = re.sub(r"(?<=: )'([^']*)'|(?<=-> )'([^']*)'", lambda m: m[1] or m[2], text)
    return re.sub(r"\((self|cls)(, )?", "(", text) if own else text


def _described(head: str, text: str | None, fence: str) -> str:
    directive, _, signature = head.partition(" ")
    return f"{fence}{{{directive}}} {signature}\n\n{docstring(text or '')}\n{fence}"


def docstring(text: str) -> str:
    """Turn a docstring into Markdown: sections into lists of fields, examples into code.

    >>> print(docstring("Add.\\n\\nArgs:\\n    a: One\\n        number."))
    Add.
    <BLANKLINE>
    :param a: One number.
    """
    parts: list[str] = []
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        if found := _SECTION.match(line):
            block, at = _indented(lines, at + 1)
            parts += [_fields(found[1], block)]
        elif line.startswith(">>>"):
            end = next((n for n in range(at, len(lines)) if not lines[n].strip()), len(lines))
            parts.append("```python\n" + "\n".join(lines[at:end]) + "\n```")
            at = end
        elif line.startswith("    "):
            block, at = _indented(lines, at)
            parts.append("```text\n" + textwrap.dedent("\n".join(block)).strip("\n") + "\n```")
        elif line.strip():
            end = at
            while end < len(lines) and lines[end].strip() and not lines[end].startswith(">>>"):
                end += 1
            parts.append("\n".join(_plain(part) for part in lines[at:end]))
            at = end
        else:
            at += 1
    return "\n\n".join(filter(None, parts))


def _indented(lines: list[str], at: int) -> tuple[list[str], int]:
    block = []
    while at < len(lines) and (not lines[at].strip() or lines[at].startswith("    ")):
        block.append(lines[at])
        at += 1
    return block, at


def _fields(section: str, block: list[str]) -> str:
    body = textwrap.dedent("\n".join(block)).strip("\n")
    if section.startswith("Example"):
        return docstring(body)
    if section in ("Returns", "Yields"):
        return f":returns: {_plain(' '.join(body.split()))}"
    field = {"Args": "param", "Raises": "raises", "Attributes": "ivar"}[section]
    entries = re.split(r"\n(?=\S)", body)
    rows = []
    for entry in entries:
        name, _, text = " ".join(entry.split()).partition(": ")
        rows.append(f":{field} {name.replace('*', chr(92) + '*')}: {_plain(text)}")
    return "\n".join(rows)
