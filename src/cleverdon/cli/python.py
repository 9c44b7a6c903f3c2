"""What `cleverdon COMMAND --python` prints: the call in Python that does the same.

`cli/equivalents.py` declares it for each command: a function, and which options become which of its
arguments. Options that are called like parameters need no declaration. The script has the user's
own values, and only those that differ from the defaults of the function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from inspect import Parameter, signature
from pathlib import PurePath
from pkgutil import resolve_name
from textwrap import indent
from types import SimpleNamespace
from typing import Any, get_type_hints

import click

from cleverdon.cli.options import as_typed, name_and_file, repeated_files, resolve_baseline
from cleverdon.measures.base import Measure

_WIDTH = 88
"""A longer call has an argument a line."""

_METHODS = {name: f"to_{name}" for name in ("markdown", "latex", "html", "csv", "json")}


@dataclass(frozen=True)
class Raw:
    """A piece of Python, as it is written."""

    text: str


@dataclass(frozen=True)
class Value:
    """A value, where a text would be the name of a field."""

    value: Any


@dataclass(frozen=True)
class Part:
    """A part of the result of a call, such as `.queries`."""

    call: Call
    part: str


class Call:
    """A call to write: a function, and where its arguments come from.

    An argument is the name of an option's field, a `Raw`, another call, whose result gets a name,
    or a function of the options that returns any of them or a value.

    Args:
        function: Its public name, below `cleverdon`; a method of the call before begins with a dot.
        arguments: The positional arguments.
        name: What its result is called.
        when: The condition under which this call is the one.
        given: Fields that become keywords even if the signature does not have them by name.
        without: Parameters that get no value, though an option is called like them.
        keywords: Parameters whose value is not that of the field of the same name.
    """

    def __init__(
        self,
        function: str,
        *arguments: Any,
        name: str = "found",
        when: Callable[[Any], object] = lambda given: True,
        given: Sequence[str] = (),
        without: Sequence[str] = (),
        **keywords: Any,
    ) -> None:
        self.function, self.arguments, self.keywords = function, arguments, keywords
        self.name, self.when, self.given, self.without = name, when, given, without


class Script:
    """How a command is written in Python: calls, and how the result is shown.

    Args:
        call: The call whose result is shown, or a function of the options that returns it.
        view: Fields that choose the view, where the Result has other names for what it takes.
        then: Calls to make afterwards.
        inside: The call that opens what has to be closed.
        show: Whether the result is printed.
        shown: What is printed, if not the result: an attribute or method of it.
        when: The condition under which this script is the one.
    """

    def __init__(
        self,
        call: Call | Callable[[Any], Call],
        *,
        view: Sequence[str] = (),
        then: Sequence[Call] = (),
        inside: Call | None = None,
        show: bool = True,
        shown: Callable[[Any], str] = lambda given: "",
        when: Callable[[Any], object] = lambda given: True,
    ) -> None:
        self.call, self.view, self.then, self.show = call, view, then, show
        self.shown, self.when, self.inside = shown, when, inside


def python_script(record: Any, context: click.Context, raw: Mapping[str, Any]) -> str:
    """Return the script of a command; refuse those that no function stands behind."""
    from cleverdon.cli.equivalents import EQUIVALENTS

    command = context.command_path.partition(" ")[2]
    given = _Values(record, context, raw)
    scripts = EQUIVALENTS.get(command, ())
    script = next((one for one in scripts if one.when(given)), None)
    if script is None:
        raise no_script(command)
    return _Writer(given).write(script)


def no_script(command: str) -> click.UsageError:
    """Return the error that says why a command has no script, and what Python has instead."""
    from cleverdon.cli.equivalents import WITHOUT

    reason = WITHOUT.get(command, "with these options, no single call in Python does the same")
    return click.UsageError(f"--python: {reason}")


class _Values(SimpleNamespace):
    """The values of the fields, also of those within groups; `raw` has them as they were typed."""

    def __init__(self, record: Any, context: click.Context, raw: Mapping[str, Any]) -> None:
        super().__init__()
        own = vars(record)
        groups = [one for one in own.values() if isinstance(one, dict)]
        for values in (*groups, own):
            for name, value in values.items():
                setattr(self, name, value)
        self.record, self.context, self.raw = record, context, raw

    def __getattr__(self, name: str) -> Any:
        return getattr(type(self.record), name, None)

    def has(self, name: str) -> bool:
        return name in vars(self)


class _Writer:
    def __init__(self, given: _Values) -> None:
        self.given = given
        self.lines: list[str] = []
        self.imports: list[str] = ["import cleverdon"]
        self.names: dict[int, str] = {}

    def write(self, script: Script) -> str:
        call = script.call if isinstance(script.call, Call) else script.call(self.given)
        if script.inside is not None:
            self.names[id(script.inside)] = script.inside.name
        if not (script.show or script.then):
            self.lines.append(self.expression(call))
        else:
            name = self.statement(call)
        if script.show:
            self.show(name, call, script)
        for call in script.then:
            if call.when(self.given):
                self.lines.append(self.expression(call, of=name))
        body = "\n".join(self.lines)
        if script.inside is not None:
            opened = self.expression(script.inside)
            body = f"with {opened} as {script.inside.name}:\n{indent(body, '    ')}"
        return "\n".join(self.imports) + f"\n\n{body}"

    def statement(self, call: Call) -> str:
        """Write a call as a statement, once; return the name of its result."""
        if id(call) not in self.names:
            text = self.expression(call)
            taken = list(self.names.values())
            name = call.name if call.name not in taken else f"{call.name}_{len(taken) + 1}"
            self.lines.append(f"{name} = {text}")
            self.names[id(call)] = name
        return self.names[id(call)]

    def expression(self, call: Call, *, of: str = "") -> str:
        method = call.function[0] in ".["
        function = None if method else find_function(call.function)
        arguments = [self.value(one) for one in self.positional(call)]
        keywords = [f"{name}={self.value(one)}" for name, one in self.keywords(call, function)]
        name = f"{of}{call.function}" if method else self.called(call.function)
        return _laid_out(name, [*arguments, *keywords])

    def called(self, function: str) -> str:
        module, colon, name = function.partition(":")
        if not colon:
            return f"cleverdon.{function}"
        line = f"from cleverdon.{module} import {name.partition('.')[0]}"
        if line not in self.imports:
            self.imports.append(line)
        return name

    def positional(self, call: Call) -> list[Any]:
        values = [self.argument(one) for one in call.arguments]
        while values and (values[-1] is None or values[-1] in ((), [])):
            values.pop()
        return values

    def argument(self, source: Any) -> Any:
        if isinstance(source, Value):
            return source.value
        if isinstance(source, str):
            return self.field(source)
        return source(self.given) if callable(source) else source

    def field(self, name: str) -> Any:
        given = self.given
        value = getattr(given, name)
        if as_typed(value) is not None:
            raise click.UsageError("--python: give files; typed rankings go with eval alone")
        if name == "runs" and isinstance(value, tuple):
            return runs_in_python(value, given)
        if name == "baseline" and given.has("runs"):
            return resolve_baseline(value, given.runs)
        return value

    def keywords(self, call: Call, function: Any) -> Iterator[tuple[str, Any]]:
        parameters: Mapping[str, Parameter] = signature(function).parameters if function else {}
        positional = list(parameters)[: len(call.arguments)]
        for name in dict.fromkeys([*parameters, *call.given, *call.keywords]):
            parameter = parameters.get(name)
            if name in (*positional, *call.without) and name not in call.keywords:
                continue
            if name == "progress":
                continue
            if name in call.keywords:
                value = self.argument(call.keywords[name])
            elif self.given.has(name):
                value = self.field(name)
            else:
                continue
            default = parameter.default if parameter else self.default(name)
            if not _is_default(value, default):
                yield name, value

    def default(self, name: str) -> Any:
        declared = type(self.given.record).fields.get(name)
        return getattr(declared, "default", None)

    def show(self, name: str, call: Call, script: Script) -> None:
        given = self.given
        shown = f"{name}{script.shown(given)}"
        view = {one: getattr(given, one) for one in (*script.view, *_view(call, given))}
        view = {
            one: value for one, value in view.items() if not _is_default(value, self.default(one))
        }
        if "baseline" in view:
            view["baseline"] = self.field("baseline")
        format = getattr(given, "format_", None)
        default = self.default("format_")
        keywords = [f"{one}={self.value(value)}" for one, value in view.items()]
        path = getattr(given, "output_file", None)
        if path is not None:
            format = given.context.params["format_"]
        if format in _METHODS and format != default:
            text = _laid_out(f"{shown}.{_METHODS[format]}", [] if format == "json" else keywords)
        elif format not in (None, default):
            text = _laid_out(f"{shown}.render", [self.value(format), *keywords])
        elif keywords or (format == "table" and not script.shown(given) and _says_less(call)):
            text = _laid_out(f"{shown}.to_text", keywords)
        else:
            text = shown if path is None else f"{shown}.to_text()"
        if path is not None and str(path) != "-":
            self.imports.insert(0, "from pathlib import Path\n")
            text = text.replace("\n", "\n    ")
            written = f'Path({self.value(path)}).write_text({text} + "\\n", encoding="utf-8")'
            self.lines.append(written)
        else:
            self.lines.append(f"print({text})")

    def value(self, value: Any) -> str:
        """Write a value as Python."""
        if isinstance(value, Call):
            return self.statement(value)
        if isinstance(value, Part):
            return f"{self.statement(value.call)}{value.part}"
        if isinstance(value, Raw):
            return value.text
        if isinstance(value, Mapping):
            parts = (f"{self.value(key)}: {self.value(one)}" for key, one in value.items())
            return "{" + ", ".join(parts) + "}"
        if isinstance(value, tuple) and value and isinstance(value[0], Call):
            return f"({', '.join(map(self.value, value))})"
        if isinstance(value, list | tuple):
            return "[" + ", ".join(map(self.value, value)) + "]"
        if is_dataclass(value) and not isinstance(value, type | Measure):
            return self.record(value)
        if isinstance(value, PurePath | Measure):
            value = str(value)
        text = repr(value)
        if isinstance(value, str) and '"' not in text:
            return f'"{text[1:-1]}"'
        return text

    def record(self, value: Any) -> str:
        """Write a dataclass by the fields that are not as by default."""
        defaults = type(value)()
        changed = [
            f"{one.name}={self.value(getattr(value, one.name))}"
            for one in fields(value)
            if getattr(value, one.name) != getattr(defaults, one.name)
        ]
        module = type(value).__module__.removeprefix("cleverdon.")
        return _laid_out(self.called(f"{module}:{type(value).__name__}"), changed)


def find_function(function: str) -> Any:
    """Return a function by its public name, or by its module and name, as `a.b:c`."""
    return resolve_name(f"cleverdon.{function}" if ":" in function else f"cleverdon:{function}")


def _result(call: Call) -> Any:
    """Return the class of what a function returns."""
    try:
        return get_type_hints(find_function(call.function)).get("return")
    except NameError:  # of a type that is imported for type checkers only
        return None


def _says_less(call: Call) -> bool:
    """Tell whether `print` shows less of a Result than its tables."""
    from cleverdon.tables.result import Result

    result = _result(call)
    own = vars(result).get("__str__") if isinstance(result, type) else None
    return own is not None and issubclass(result, Result)


def _view(call: Call, given: _Values) -> Iterator[str]:
    """Return the fields that the sections of the Result take as keywords."""
    result = _result(call)
    sections = getattr(result, "sections", None)
    for name in ("section", *(signature(sections).parameters if sections else ())):
        if name != "self" and given.has(name):
            yield name


def _is_default(value: Any, default: Any) -> bool:
    if isinstance(value, Call | Part | Raw):
        return False
    if value is None or value in ((), [], {}):
        return True
    if is_dataclass(value) and not isinstance(value, type) and default is None:
        return bool(value == type(value)())
    if isinstance(default, tuple) and isinstance(value, list | tuple):
        return tuple(value) == default
    if isinstance(value, bool) or isinstance(default, bool):
        return value is default
    return isinstance(value, int | float | str | tuple) and bool(value == default)


def _laid_out(name: str, arguments: Sequence[str]) -> str:
    line = f"{name}({', '.join(arguments)})"
    if len(line) <= _WIDTH and "\n" not in line:
        return line
    inner = "".join("    " + one.replace("\n", "\n    ") + ",\n" for one in arguments)
    return f"{name}(\n{inner})"


def runs_in_python(runs: tuple[Any, ...], given: Any) -> Any:
    """Return runs as Python takes them: a list of files, or a dict by name."""
    repeats = given.repeats if isinstance(given.repeats, tuple) else ()  # of tune, it is a number
    named = [name_and_file(run) for run in runs]
    if not repeats and not any(name for name, _ in named):
        return [file for _, file in named]
    from cleverdon.cli.options import named_files
    from cleverdon.formats.inputs import distinct_names

    found: dict[str, Any] = named_files(runs, what="runs", naming=distinct_names)
    for name, files in repeated_files(repeats).items():
        found[name] = Raw(f"cleverdon.repeats({', '.join(map(repr, files))})")
    return found
