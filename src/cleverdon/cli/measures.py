"""cleverdon measures: list them."""

from __future__ import annotations

import click


@click.command()
@click.argument("words", nargs=-1)
def command(words: tuple[str, ...]) -> None:
    """List the measures, or those whose name or description has all WORDS.

    \b
    Examples:
      cleverdon measures
      cleverdon measures rank
    """
    from cleverdon.errors import OptionError
    from cleverdon.measures.base import Measure, one_line
    from cleverdon.measures.registry import family, measures

    def names(cls: type[Measure]) -> tuple[str, ...]:
        return (cls.__name__, *cls.aliases, *cls.presets, *cls.shared_names)

    def matches(text: str) -> bool:
        return all(word.casefold() in text.casefold() for word in words)

    listed = [cls for cls in measures() if matches(" ".join((*names(cls), one_line(cls))))]
    if not listed:
        raise OptionError(f"no measure has {' and '.join(words)} in its name or description")
    width = max(len(cls.__name__) for cls in listed)
    heading = ""
    for cls in listed:
        if family(cls) != heading:
            click.echo(("\n" if heading else "") + family(cls))
            heading = family(cls)
        click.echo(f"  {cls.__name__:<{width}}  {one_line(cls)}")
    click.echo("\ncleverdon explain NAME tells more of one.")
