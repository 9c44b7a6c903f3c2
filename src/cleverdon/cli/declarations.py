"""Commands as declarations: option records, constraints between options, printed results.

Each option of a command is declared once, as a field of its record:

    class AgreeOptions(Options):
        qrels: tuple[str, ...] = argument(FILE, metavar="QRELS...", nargs=-1)
        aggregate: str | None = option(click.Choice(METHODS), "Combine several judges' labels.")
        output: Path | None = option(OUTPUT, "Write them to a file.", short="-o")

    @command(AgreeOptions)
    @together("--aggregate", "--output")
    @requires("--runs", "--model", because="without a model there is nothing to compare")
    def agree_command(given: AgreeOptions) -> Agreement:
        return agree(...)

`command` makes the options, checks the constraints from the top down, calls the function with the
record, and prints the Result that it returns in the format that was asked for.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from inspect import getdoc, signature
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar, dataclass_transform

import click
from click.core import ParameterSource

from cleverdon.errors import UsageError

O = TypeVar("O")  # noqa: E741 (a record of options)
F = TypeVar("F", bound=Callable[..., Any])
_Check = Callable[[click.Context], None]


class Declared:
    """A parameter of a command, without its name, which is that of the field.

    Not a click parameter yet: a record may be that of several commands.
    """

    def __init__(
        self,
        kind: type[click.Parameter],
        *,
        short: str = "",
        flags: str = "",
        rare: bool = False,
        **attributes: Any,
    ) -> None:
        self.kind, self.short, self.flags, self.rare = kind, short, flags, rare
        self.attributes = attributes

    @property
    def default(self) -> Any:
        several = self.attributes.get("multiple") or self.attributes.get("nargs") == -1
        otherwise = () if several else False if self.attributes.get("is_flag") else None
        return self.attributes.get("default", otherwise)

    def flags_of(self, field: str) -> list[str]:
        """Return the option's names, which follow from that of the field: --dry-run, or -k."""
        words = field.strip("_").replace("_", "-")
        flags = self.flags or (f"--{words}" if len(words) > 1 else f"-{words}")
        return [*self.short.split(), *flags.split()]

    def parameter(self, field: str, prefix: str, heading: str) -> click.Parameter:
        name = prefix + field
        if self.kind is click.Argument:
            return click.Argument([name], **self.attributes)
        made = _Option([name, *self.flags_of(field)], **self.attributes)
        made.heading = heading or (_RARE if self.rare else "")
        return made


class _Option(click.Option):
    """An option that knows under which heading help lists it."""

    heading = ""


_RARE = "More options"


class _Group:
    """Options that become one value of a record: see `group`."""

    def __init__(self, record: type[Options], make: Callable[..., Any], prefix: str) -> None:
        self.record, self.make, self.prefix = record, make, prefix

    @property
    def fields(self) -> Mapping[str, Declared | _Group]:
        return self.record.fields


def option(
    value: Any,
    help: str,
    *,
    short: str = "",
    flags: str = "",
    default: Any = None,
    rare: bool = False,
    **attributes: Any,
) -> Any:
    """Declare an option that takes a value.

    Args:
        value: The type of the value; a text stands for itself in help, such as "NAME".
        help: The description; `--help` has its first sentence alone. A default that is a value is
            shown behind it.
        short: Its short name, such as "-k".
        flags: Its names, where they do not follow from that of the field: "--risk".
        default: The value where the option is not given.
        rare: Whether `--help-all` alone lists it.
        attributes: Other keywords of `click.Option`: metavar, multiple, required.
    """
    if isinstance(value, str):
        attributes["metavar"] = value
    else:
        attributes["type"] = value
    if default is not None:
        attributes["default"] = default
        attributes.setdefault("show_default", "[default:" not in help)
    return Declared(click.Option, short=short, flags=flags, rare=rare, help=help, **attributes)


def flag(
    help: str, *, short: str = "", flags: str = "", rare: bool = False, **attributes: Any
) -> Any:
    """Declare an option that is given or not: see `option`."""
    how: dict[str, Any] = {"short": short, "flags": flags, "rare": rare, "is_flag": True}
    return Declared(click.Option, **how, help=help, **attributes)


def group(
    record: type[Options], make: Callable[..., Any] | None = None, *, prefix: str = ""
) -> Any:
    """Declare options that become one value of the record.

    Args:
        record: The record that has them.
        make: What makes the value from them: by default the record.
        prefix: Begins the names of their parameters, where the command has others of these names.
    """
    return _Group(record, make or record, prefix)


def argument(value: Any = None, **attributes: Any) -> Any:
    """Declare an argument, by the type of its value and other keywords of `click.Argument`."""
    return Declared(click.Argument, type=value, **attributes)


@dataclass_transform(
    kw_only_default=True, frozen_default=True, field_specifiers=(option, flag, argument, group)
)
class Options:
    """The options and arguments of a command, a field for each.

    Help lists the fields in their order, and after them those of the classes that it is based on.
    A class with a heading has options that several commands share: `--help-all` alone lists them,
    under that heading. `shown` names the inherited ones that `--help` lists nevertheless, and
    `rare` others that it does not. A plain class, because making a dataclass takes a millisecond,
    and some commands take 50.
    """

    fields: ClassVar[Mapping[str, Declared | _Group]] = {}
    headings: ClassVar[Mapping[str, str]] = {}

    def __init_subclass__(
        cls, *, heading: str = "", shown: Sequence[str] = (), rare: Sequence[str] = ()
    ) -> None:
        own = {name: one for name, one in vars(cls).items() if isinstance(one, Declared | _Group)}
        fields, headings = dict(own), dict.fromkeys(own, heading)
        for base in cls.__mro__[1:]:
            for name, one in getattr(base, "fields", {}).items():
                fields.setdefault(name, one)
                headings.setdefault(name, base.headings[name])  # type: ignore[attr-defined]
        cls.fields = fields
        cls.headings = headings | dict.fromkeys(shown, "") | dict.fromkeys(rare, _RARE)
        for name, one in own.items():
            setattr(cls, name, one.default if isinstance(one, Declared) else None)

    def __init__(self, **given: Any) -> None:
        vars(self).update(given)

    @classmethod
    def flags(cls, *without: str) -> list[str]:
        """Return the names of the options, as the user writes them; leave out some fields."""
        declared = [(name, one) for name, one in cls.fields.items() if isinstance(one, Declared)]
        return [
            one.flags_of(name)[-1].partition("/")[0]
            for name, one in declared
            if one.kind is click.Option and name not in without
        ]

    def keywords(self, function: Callable[..., Any], **others: Any) -> dict[str, Any]:
        """Return the fields that are parameters of a function, and others, to call it with."""
        names = signature(function).parameters
        own = {name: getattr(self, name) for name in type(self).fields if name in names}
        return own | others

    def changed(self, **changes: Any) -> Self:
        """Return a copy with other values."""
        return type(self)(**{**vars(self), **changes})


def command(
    record: type[O], *, name: str | None = None
) -> Callable[[Callable[[O], Any]], click.Command]:
    """Make a command of a function that takes a record of options.

    Args:
        record: The class of the record, with a field for each parameter of the command.
        name: Its name, if not that of the function without `_command`.

    A function that returns a `Result` has it printed in the format of its parameter `format_`; one
    that returns a text has that printed; None prints nothing. A number is the exit code; a pair is
    what is printed, and the exit code. Parameters called like keywords of the Result's `sections`
    choose the view.
    """
    fields: Mapping[str, Declared | _Group] = record.fields  # type: ignore[attr-defined]

    def decorate(function: Callable[[O], Any]) -> click.Command:
        @wraps(function)
        def called(**given: Any) -> None:
            context = click.get_current_context()
            for check in getattr(function, "constraints", ()):
                check(context)
            if context.params.get("output_file") is not None:
                given["format_"] = context.params["format_"] = _file_format(context)
            if context.meta.get(_PYTHON):
                from cleverdon.cli.python import python_script

                made: Any = record(**_gathered(fields, given))
                click.echo(python_script(made, context, context.meta[_GIVEN]))
                return
            try:
                found = function(record(**_gathered(fields, given)))
            except UsageError as error:
                raise click.UsageError(str(error)) from None
            code = _print(found, context)
            if code:
                context.exit(code)
            if _wants_hints(context):
                from cleverdon.cli.hints import next_step

                hint = next_step(context, context.meta[_GIVEN])
                click.echo(f"Next: {hint}" if hint else "", err=True, nl=bool(hint))

        own_name = function.__name__.removesuffix("_command").replace("_", "-")
        return _Command(
            name or own_name,
            callback=called,
            params=[*_parameters(record), _python_option(), help_all_option()],  # type: ignore[arg-type]
            help=getdoc(function),
        )

    return decorate


class _Command(click.Command):
    """A command; rankings may be typed where it takes files of judgments and runs."""

    def make_parser(self, ctx: click.Context) -> Any:
        parser: Any = super().make_parser(ctx)
        parse = parser.parse_args

        def parse_typed(args: list[str]) -> tuple[dict[str, Any], list[str], list[Any]]:
            from cleverdon.cli.options import read_typed_values

            # A ranking whose first result nobody judged is no option.
            args = [f" {arg}" if re.match(r"-[\s;|]", arg) else arg for arg in args]
            values, rest, order = parse(args=args)
            if not ctx.resilient_parsing:
                # click marks what is not given by a value of its own.
                kinds = (str, bool, list, tuple)
                ctx.meta[_GIVEN] = {n: v for n, v in values.items() if isinstance(v, kinds)}
                try:
                    read_typed_values(self, values)
                except click.UsageError as error:
                    error.ctx = ctx
                    raise
            return values, rest, order

        parser.parse_args = parse_typed
        return parser

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        from cleverdon.cli.help import write_help

        write_help(self, ctx, formatter, all=wants_all_help(ctx))


ALL_HELP = "cleverdon.help_all"
"""In the meta data of a context: whether help is to have everything."""
_PYTHON = "cleverdon.python"
_GIVEN = "cleverdon.given"
"""In the meta data of a context: the values as they stand on the command line."""
NO_HINTS = "cleverdon.no_hints"
"""In the meta data of a context: whether next steps are not to be suggested."""


def _python_option() -> click.Option:
    """Make the option `--python`: see `cli/python.py`."""
    return click.Option(
        ["python_", "--python"],
        is_flag=True,
        expose_value=False,
        callback=lambda ctx, _, value: ctx.meta.update({_PYTHON: value}),
        help="Print the same as a call in Python, and do nothing else.",
    )


def _print_all_help(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta[ALL_HELP] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


def _wants_hints(context: click.Context) -> bool:
    """Tell whether to suggest a next step: only where somebody sees it, and did not refuse it."""
    if context.meta.get(NO_HINTS) or os.environ.get("CLEVERDON_HINTS") == "0":
        return False
    return sys.stdout.isatty() and sys.stderr.isatty()


def wants_all_help(context: click.Context) -> bool:
    return bool(context.meta.get(ALL_HELP))


def help_all_option() -> click.Option:
    """Make the option `--help-all`, which every command has."""
    return click.Option(
        ["help_all", "--help-all"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_print_all_help,
        help="Show all options, and every word on each.",
    )


def _parameters(
    record: type[Options], prefix: str = "", heading: str = ""
) -> list[click.Parameter]:
    found: list[click.Parameter] = []
    for name, one in record.fields.items():
        if isinstance(one, _Group):
            found += _parameters(one.record, one.prefix, record.headings[name] or heading)
        else:
            found.append(one.parameter(name, prefix, record.headings[name] or heading))
    return found


def _gathered(
    fields: Mapping[str, Declared | _Group], given: Mapping[str, Any], prefix: str = ""
) -> dict[str, Any]:
    found = {}
    for name, one in fields.items():
        if isinstance(one, _Group):
            found[name] = one.make(**_gathered(one.fields, given, one.prefix))
        elif prefix + name in given:  # which an option that ends the command itself is not
            found[name] = given[prefix + name]
    return found


def requires(options: str | Sequence[str], *conditions: str, because: str = "") -> Callable[[F], F]:
    """Refuse an option, or several, unless one of the conditions holds.

    Args:
        options: An option, as "--smoothing", also with a value, as "--method rrf"; or an argument,
            as "RUNS"; or a list of them.
        conditions: Other options: "--runs" holds where it is given, "--aggregate dawid-skene" where
            it has that value, "no --queries" where it is not given.
        because: Why, added to the message.
    """

    def check(context: click.Context) -> None:
        given = [one for one in named if _holds(context, one)]
        if given and not any(_holds(context, one) for one in conditions):
            verb = "needs" if " " in given[0] else "goes with"  # a value is the reason
            message = f"{given[0]} {verb} {_alternatives(conditions)}"
            raise click.UsageError(_with_reason(message, because))

    named = [options] if isinstance(options, str) else options

    return _constraint(check)


def together(*names: str, unless: str | None = None) -> Callable[[F], F]:
    """Refuse some of these options without the others, except under a condition, as "--runs"."""

    def check(context: click.Context) -> None:
        if unless is not None and _holds(context, unless):
            return
        given = [name for name in names if _given(context, name)]
        if given and len(given) < len(names):
            raise click.UsageError(f"{' and '.join(names)} go together")

    return _constraint(check)


def excludes(
    first: str, *others: str, unless: str | None = None, because: str = ""
) -> Callable[[F], F]:
    """Refuse an option together with any of the others.

    Args:
        first: The option, also with a value, as "--average median".
        others: The options that exclude it, also with values.
        unless: The condition under which all of them are accepted, as "-f json".
        because: Why, added to the message.
    """

    def check(context: click.Context) -> None:
        if unless is not None and _holds(context, unless):
            return
        for other in others:
            if _holds(context, first) and _holds(context, other):
                message = f"{first} and {other} do not go together"
                raise click.UsageError(_with_reason(message, because))

    return _constraint(check)


def needs_one(*names: str, what: str = "") -> Callable[[F], F]:
    """Refuse a command line that has none of these options, or several."""

    def check(context: click.Context) -> None:
        given = [name for name in names if _given(context, name)]
        if len(given) > 1:
            raise click.UsageError(f"{given[0]} and {given[1]} do not go together")
        if not given:
            start = f"{what}: " if what else ""
            raise click.UsageError(f"{start}give {_alternatives(names)}")

    return _constraint(check)


def needs_any(*names: str, because: str = "") -> Callable[[F], F]:
    """Refuse a command line that has none of these options."""

    def check(context: click.Context) -> None:
        if not any(_given(context, name) for name in names):
            raise click.UsageError(_with_reason(f"give {_alternatives(names)}", because))

    return _constraint(check)


def at_least(
    count: int, name: str, *, where: str | None = None, because: str = ""
) -> Callable[[F], F]:
    """Refuse fewer values of an argument, as "RUNS", or of an option.

    Args:
        count: The smallest number of values.
        name: The argument or option.
        where: The condition under which it holds, as "--plot".
        because: Why, added to the message.
    """

    def check(context: click.Context) -> None:
        if where is not None and not _holds(context, where):
            return
        if len(_values(context, name)) < count:
            words = {2: "two", 3: "three"}
            start = f"with {where}, " if where else ""
            message = f"{start}give at least {words.get(count, count)} {name.removeprefix('--')}"
            raise click.UsageError(_with_reason(message, because))

    return _constraint(check)


def rereadable(name: str, *, because: str) -> Callable[[F], F]:
    """Refuse standard input, pipes and devices as values of an argument, which may be NAME=FILE."""

    def check(context: click.Context) -> None:
        from cleverdon.cli.options import name_and_file

        for _, file in map(name_and_file, context.params[_name(context, name)]):
            stays = os.path.isfile(file) or os.path.isdir(file) or not os.path.exists(file)
            if file == "-" or not stays:
                what = "standard input" if file == "-" else file
                raise click.UsageError(f"{what} cannot be read again: {because}")

    return _constraint(check)


def at_most(count: int, argument: str, because: str = "") -> Callable[[F], F]:
    """Refuse more values of an argument, as "RUN"."""

    def check(context: click.Context) -> None:
        if len(_values(context, argument)) > count:
            message = f"give at most {'one' if count == 1 else count} {argument}"
            raise click.UsageError(_with_reason(message, because))

    return _constraint(check)


def no_stdin(*names: str, where: str | None = None, because: str = "") -> Callable[[F], F]:
    """Refuse "-" as the value of these options and arguments.

    Args:
        names: The options and arguments.
        where: The condition under which they cannot be standard input, as "--qrels".
        because: Why, added to the message.
    """

    def check(context: click.Context) -> None:
        for name in names if where is None or _holds(context, where) else ():
            if "-" in _values(context, name):
                start = f"with {where}, " if where else ""
                message = f"{start}{name} cannot be standard input"
                raise click.UsageError(_with_reason(message, because))

    return _constraint(check)


def one_stdin(*names: str) -> Callable[[F], F]:
    """Refuse "-" as more than one of the values of these options and arguments."""

    def check(context: click.Context) -> None:
        if [value for name in names for value in _values(context, name)].count("-") > 1:
            listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
            raise click.UsageError(f"only one of {listed} can be standard input")

    return _constraint(check)


def distinct(argument: str) -> Callable[[F], F]:
    """Refuse a value of an argument that is given twice."""

    def check(context: click.Context) -> None:
        values = _values(context, argument)
        twice = next((one for one in values if values.count(one) > 1), None)
        if twice is not None:
            raise click.UsageError(f"{argument}: {twice} is given twice")

    return _constraint(check)


def writes(*names: str) -> Callable[[F], F]:
    """Refuse files that cannot be written, before any work is done.

    There must be a folder for them. They must not be files that the command reads, nor be the same.
    "-" is standard output.
    """

    def check(context: click.Context) -> None:
        from cleverdon.cli.options import check_output

        files = [Path(file) for name in names for file in _values(context, name) if file != "-"]
        resolved = [file.resolve() for file in files]
        for file, place in zip(files, resolved, strict=True):
            if resolved.count(place) > 1:
                raise click.UsageError(f"{file} would be written twice: name two files")
            check_output(file)

    return _constraint(check)


def _values(context: click.Context, name: str) -> tuple[Any, ...]:
    """Return the values of an option or argument, of which there may be none."""
    value = context.params[_name(context, name)]
    return value if isinstance(value, tuple) else () if value is None else (value,)


def _with_reason(message: str, because: str) -> str:
    return f"{message}: {because}" if because else message


def _constraint(check: _Check) -> Callable[[F], F]:
    def decorate(function: F) -> F:
        # Decorators are applied from the bottom up, and checks are made from the top down.
        function.constraints = [check, *getattr(function, "constraints", ())]  # type: ignore[attr-defined]
        return function

    return decorate


def _name(context: click.Context, option: str) -> str:
    for parameter in context.command.params:
        if option[0] == "-":
            named = option in parameter.opts or option in parameter.secondary_opts
        else:
            metavar = (parameter.metavar or parameter.name or "").upper()
            named = isinstance(parameter, click.Argument) and option.upper() == metavar
        if named:
            return parameter.name or ""
    raise LookupError(f"{context.command_path} has no option {option}")


def _given(context: click.Context, option: str) -> bool:
    """Tell whether an option was given and does not have an empty value."""
    name = _name(context, option)
    default = (ParameterSource.DEFAULT, ParameterSource.DEFAULT_MAP, None)
    return context.get_parameter_source(name) not in default and context.params[name] != ()


def was_given(option: str) -> bool:
    """Tell whether an option of the command that runs was given."""
    return _given(click.get_current_context(), option)


def _holds(context: click.Context, condition: str) -> bool:
    option, _, value = condition.partition(" ")
    if option == "no":
        return not _given(context, value)
    if not value:
        return _given(context, option)
    found = context.params[_name(context, option)]
    return value in found if isinstance(found, tuple) else str(found) == value


def _alternatives(conditions: tuple[str, ...]) -> str:
    """Write "-f table" and "-f json" as "-f table or json"."""
    *start, last = conditions
    option, _, value = last.partition(" ")
    if start and value and all(one.partition(" ")[0] == option for one in start):
        last = value
        start = [start[0], *(one.partition(" ")[2] for one in start[1:])]
    return f"{', '.join(start)} or {last}" if start else last


_SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".md": "markdown",
    ".tex": "latex",
    ".html": "html",
    ".json": "json",
}
"""The formats of files whose names say them."""

_NOT_WRITTEN = (
    *(".xlsx", ".xls", ".xlsm", ".ods", ".parquet", ".arrow", ".feather", ".jsonl", ".ndjson"),
    *(".pdf", ".png", ".svg", ".docx", ".gz", ".zip"),
)
"""Endings of formats that results are not written in; a text under such a name would mislead."""


def _file_format(context: click.Context) -> str:
    """Return the format of the output file: as was asked for, or as its name says."""
    asked = str(context.params["format_"])
    if _given(context, "--format"):
        return asked
    path = Path(context.params["output_file"])
    if path.suffix.casefold() in _NOT_WRITTEN:
        *most, last = _SUFFIXES
        raise click.UsageError(
            f"{path}: results are written as {', '.join(most)} or {last}, and with any other "
            "ending as text; Excel opens .csv"
        )
    return _SUFFIXES.get(path.suffix.casefold(), asked)


def _print(returned: Any, context: click.Context) -> int:
    """Print what a command returned; return the exit code."""
    if returned is None:
        return 0
    if isinstance(returned, tuple):
        shown, code = returned
        _print(shown, context)
        return int(code)
    if isinstance(returned, int):
        return int(returned)
    if isinstance(returned, str):
        _write(returned, context)
        return 0
    from cleverdon.cli.options import terminal
    from cleverdon.tables.result_lists import Results

    format = context.params.get("format_", "table")
    one = returned.items[0] if isinstance(returned, Results) else returned
    choices = ("section", *signature(one.sections).parameters)
    view = {name: context.params[name] for name in choices if name in context.params}
    on_screen = terminal() if context.params.get("output_file") is None else {}
    _write(returned.render(format, **view, **on_screen), context)
    return 0


def _write(text: str, context: click.Context) -> None:
    """Print a text, or write it to the file that the option --output names."""
    path = context.params.get("output_file")
    if path is None or str(path) == "-":
        click.echo(text)
        return
    from cleverdon._common.files import write_file  # seldom needed

    # A lone surrogate, as in a file's name that is not UTF-8, cannot be written otherwise.
    write_file(str(path), f"{text}\n".encode("utf-8", errors="backslashreplace"))
