"""The audit log: who did what, written in the transaction that does it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, insert, select

from cleverdon.assess import clock
from cleverdon.assess.store.schema import audit

SIGNED_IN = "signed in"
"""What is noted of everybody who signs in."""


@dataclass(frozen=True)
class Actor:
    """Who does something, and from which address."""

    name: str
    address: str = ""
    token: str = ""  # what the token is called, where a program does it

    def note(self, connection: Connection, action: str, about: str = "") -> None:
        """Add what they did to the log; what a program did does not look as if they had."""
        actor = f"{self.name}, by token {self.token}" if self.token else self.name
        note(connection, actor, action, about, address=self.address)


COMMAND_LINE = Actor("command line")
"""Whoever may write the project's folder, in a shell."""


@dataclass(frozen=True)
class Line:
    """A line of the log."""

    id: int
    made_at: float
    actor: str
    action: str
    about: str
    address: str


def note(
    connection: Connection, actor: str, action: str, about: str = "", *, address: str = ""
) -> None:
    """Add a line; `actor` is who did it, as `Actor.note` calls them, or nobody who is known."""
    connection.execute(
        insert(audit).values(
            made_at=clock.now(), actor=actor, action=action, about=about, address=address
        )
    )


def lines(connection: Connection, *, n: int, before: int | None = None) -> list[Line]:
    """The last `n` lines, the newest first; `before` is the id of one that is known already."""
    wanted = select(audit).order_by(audit.c.id.desc()).limit(n)
    if before is not None:
        wanted = wanted.where(audit.c.id < before)
    return [
        Line(row.id, row.made_at, row.actor, row.action, row.about, row.address)
        for row in connection.execute(wanted)
    ]
