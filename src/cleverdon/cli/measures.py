"""The command `cleverdon measures`: list them."""

from __future__ import annotations

from cleverdon.cli.declarations import Options, argument, command


class MeasuresOptions(Options):
    words: tuple[str, ...] = argument(nargs=-1)


@command(MeasuresOptions)
def measures_command(given: MeasuresOptions) -> str:
    """List the measures, or those whose name or description has all WORDS.

    \b
    Examples:
      cleverdon measures
      cleverdon measures rank
    """
    from cleverdon.measures.description import list_measures

    return list_measures(given.words)
