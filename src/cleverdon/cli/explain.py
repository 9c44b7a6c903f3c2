"""cleverdon explain: what a measure is, and where profiles differ."""

from __future__ import annotations

import click

from cleverdon.cli.options import complete_measure


@click.command()
@click.argument("measure", required=False, shell_complete=complete_measure)
@click.option("--profiles", is_flag=True, help="Show where the profiles differ, as tables.")
def command(measure: str | None, profiles: bool) -> None:
    """Say what MEASURE is: formula, user, when it is undefined, source, worked examples.

    \b
    Examples:
      cleverdon explain nDCG
      cleverdon explain ndcg_cut_10
      cleverdon explain --profiles
    """
    if profiles == (measure is not None):
        raise click.UsageError("name a measure, or say --profiles")
    if measure is None:
        from cleverdon.show.profiles import differences

        click.echo(differences())
    else:
        from cleverdon.show.explain import described

        click.echo(described(measure))
