"""What `cleverdon judge init` says of the project that it has made."""

from __future__ import annotations

from shlex import quote

from cleverdon.assess.setup.making import Made, Plan
from cleverdon.assess.setup.to_judge import Adaptive
from cleverdon.cli.progress import say
from cleverdon.show.grid import counted

_EXAMPLES = 5


def warn(folder: str, plan: Plan, made: Made, documents: int) -> None:
    """Say which documents have no text, and whether several judge something, and who would."""
    if made.missing:
        examples = ", ".join(map(repr, made.missing[:_EXAMPLES]))
        more = ", ..." if len(made.missing) > _EXAMPLES else ""
        say(
            f"cleverdon: warning: no text of {len(made.missing):,} of {documents:,} documents to "
            f"judge ({examples}{more}): assessors see their ids and addresses alone"
        )
    if plan.overlap is not None and plan.overlap.share and not made.twice:
        say(
            f"cleverdon: warning: an overlap of {plan.overlap.share:.3g} drew none of so few "
            "documents; --overlap 1 takes one of each topic"
        )
    if made.short:
        say(
            f"cleverdon: warning: {counted(made.short, 'topic')} with too few people for what "
            "several are to judge: add some by `cleverdon judge people`, and then run "
            f"`cleverdon judge assign {quote(folder)}`"
        )


def summary(folder: str, plan: Plan, made: Made, documents: int) -> str:
    """What there is, and which commands come next."""
    adaptive = plan.to_judge.adaptive
    scale = ", ".join(f"{grade.value} {grade.name}" for grade in plan.scale.grades)
    several = f"{made.twice:,} ({max(plan.judges, 2)} people each)"
    lines = {
        "topics": f"{made.topics:,}",
        "documents": f"{documents:,}",
        "to judge": f"{_chosen(adaptive)}{made.items:,}{_ends(adaptive)}",
        "by several": several if made.twice else "none",
        "gold": f"{made.gold:,}" if made.gold else "none",
        "scale": f"{scale}; relevant from {plan.scale.relevant} on",
        "assessors": ", ".join(plan.assessors) or "none yet",
    }
    width = max(map(len, lines))
    return "\n".join(
        [
            f"{folder}: {plan.title}, {counted(made.items, 'document')} "
            + ("to choose from" if adaptive else "to judge"),
            *(f"  {name:<{width}}  {value}" for name, value in lines.items()),
            "Next:",
            *(f"  {command}" for command in _following(quote(folder), plan.assessors)),
        ]
    )


def _chosen(adaptive: Adaptive | None) -> str:
    return f"as {adaptive.method} gives them, out of " if adaptive else ""


def _ends(adaptive: Adaptive | None) -> str:
    """When a topic of an adaptive pool ends."""
    if adaptive is None:
        return ""
    limits = {
        "after {:,}": adaptive.limits.budget,
        "once {:,} are relevant": adaptive.limits.target,
        "after {:,} in a row that are not": adaptive.limits.patience,
    }
    said = [words.format(number) for words, number in limits.items() if number is not None]
    return f"; a topic ends {', or '.join(said)}" if said else ""


def _following(folder: str, assessors: tuple[str, ...]) -> list[str]:
    serve = f"cleverdon judge serve {folder}"
    if assessors:
        links = " ".join(f"--link {quote(name)}" for name in assessors)
        return [f"cleverdon judge people {folder} {links}", serve]
    return [
        f"cleverdon judge people {folder} --add NAME",
        f"cleverdon judge assign {folder}",
        serve,
    ]
