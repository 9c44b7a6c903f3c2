"""cleverdon logs explain: what a metric is."""

from __future__ import annotations

import click


@click.command()
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """Say what the metric NAME is, or list all of them.

    \b
    Examples:
      cleverdon logs explain
      cleverdon logs explain Abandonment
    """
    from cleverdon.measures.base import one_line
    from cleverdon.online.metrics.registry import FAMILIES, family, find, metrics
    from cleverdon.show.metric import described_metric

    if name:
        click.echo(described_metric(find(name)))
        return
    width = max(len(cls.__name__) for cls in metrics())
    for heading in FAMILIES.values():
        click.echo(heading)
        for cls in metrics():
            if family(cls) == heading:
                click.echo(f"  {cls.__name__:<{width}}  {one_line(cls)}")
        click.echo("")
    click.echo("cleverdon logs explain NAME tells more of one.")
