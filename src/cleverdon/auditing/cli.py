"""The command `cleverdon audit`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cleverdon.cli import options
from cleverdon.cli.declarations import Options, argument, command, excludes, flag
from cleverdon.errors import CleverdonError

if TYPE_CHECKING:
    from cleverdon.tables.result import Result


class CannotAudit(click.ClickException):
    """The tool did not run: exit code 2, since 1 means that it deviates."""

    exit_code = 2


class AuditOptions(Options):
    """The options of `cleverdon audit`."""

    tool: str | None = argument(metavar="TOOL", required=False)
    list_: bool = flag("List the tools, and which are installed.")
    all_: bool = flag("List every check, not only those that deviate.")
    format_: str = options.formats("How to print; csv and tsv have every check.")


@command(AuditOptions)
@excludes("--list", "TOOL")
def audit_command(given: AuditOptions) -> tuple[Result, int]:
    """Run another evaluation tool on adversarial rankings, and hold it to its documentation.

    The rankings have ties, duplicates, graded and negative judgments, missing queries, short lists
    and queries without relevant documents. For each measure and ranking you see what the
    documentation of TOOL promises, what TOOL computes, and the difference. TOOL has to be
    installed.

    The exit code is 0 where TOOL does what its documentation says, 1 where it deviates, and 2
    where that cannot be told: TOOL is unknown or not installed.

    \b
    Examples:
      cleverdon audit --list
      cleverdon audit scikit-learn
      cleverdon audit pyspark --all
      cleverdon audit lightgbm -f markdown
    """
    from cleverdon._common.progress_bar import bar
    from cleverdon.auditing.verdicts import audit, list_tools

    if given.list_:
        return list_tools(), 0
    if given.tool is None:
        raise click.UsageError("give a TOOL, or --list")
    try:
        with bar(f"auditing {given.tool}") as update:
            found: Any = audit(given.tool, progress=update)
    except CleverdonError as error:
        raise CannotAudit(str(error)) from None
    return found, int(bool(found.deviations))
