"""cleverdon explain: what a measure is."""

from __future__ import annotations

import click

from cleverdon.cli.eval import _complete_measure


@click.command()
@click.argument("measure", shell_complete=_complete_measure)
def command(measure: str) -> None:
    """Say what MEASURE is: formula, user, when it is undefined, source, worked examples.

    \b
    Examples:
      cleverdon explain nDCG
      cleverdon explain ndcg_cut_10
    """
    from cleverdon.show.explain import described

    click.echo(described(measure))
