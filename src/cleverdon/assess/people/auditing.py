"""The audit log: who did what, written in the transaction that does it."""

from __future__ import annotations

from sqlalchemy import Connection, insert

from cleverdon.assess import clock
from cleverdon.assess.store.schema import audit


def note(
    connection: Connection, actor: str, action: str, about: str = "", *, address: str = ""
) -> None:
    """Add a line; `actor` is a person's name, or `command line`."""
    connection.execute(
        insert(audit).values(
            made_at=clock.now(), actor=actor, action=action, about=about, address=address
        )
    )
