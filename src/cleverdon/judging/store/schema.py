"""The tables of the database.

Times are seconds since 1970 (UTC), as plain numbers in either database. `events` is only ever added
to; `judgments` holds each person's current judgment of each item, changed in the same transaction
as `events`.
"""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    and_,
    false,
    func,
    or_,
    select,
)

# Constraints are named by one rule, so that a migration can name them in either database.
METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

settings = Table(
    "settings",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("value", JSON, nullable=False),
)
"""Settings of the project: title, scale, seed, origin of the pool, time."""

queries = Table(
    "queries",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),  # as qrels and runs call it
    Column("position", Integer, nullable=False),
    Column("title", Text, nullable=False),
    Column("description", Text, nullable=False, server_default=""),
    Column("narrative", Text, nullable=False, server_default=""),
)

documents = Table(
    "documents",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("title", Text, nullable=False, server_default=""),
    Column("text", Text, nullable=False, server_default=""),  # plain; HTML was turned to text
    Column("url", Text, nullable=False, server_default=""),
)

items = Table(
    "items",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("query_id", ForeignKey("queries.id"), nullable=False),
    Column("document_id", ForeignKey("documents.id"), nullable=False),
    # Shuffled, so that it tells nothing of ranks; null until an adaptive method gives it out.
    Column("position", Integer),
    Column("after_event", Integer),  # the last event that such a method knew of
    Column("wanted", Integer, nullable=False, server_default="1"),  # how many are to judge it
    Column("gold", Integer),  # the grade that is known to be right, where attention is checked
    Column("stratum", Integer),
    Column("probability", Double),
    # Added by an import; all other items are from the pool, or gold.
    Column("added", Boolean, nullable=False, server_default=false()),
    UniqueConstraint("query_id", "document_id"),
    Index(None, "query_id", "position"),
    Index(None, "document_id"),
)
"""A document that is to be judged for a query."""

people = Table(
    "people",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    # A person; a model or click model; or earlier judgments, of people who have no account.
    Column("kind", Text, nullable=False, server_default="person"),
    Column("role", Text),  # only of persons
    Column("password", Text),  # argon2's own notation
    Column("active", Boolean, nullable=False),
    Column("created_at", Double, nullable=False),
    CheckConstraint("kind IN ('person', 'model', 'earlier')", name="kind"),
    CheckConstraint("role IN ('administrator', 'assessor', 'viewer')", name="role"),
)


def _keys(name: str) -> Table:
    """Return the table of a kind of key that lets people in for a while, stored as digests."""
    return Table(
        name,
        METADATA,
        Column("digest", Text, primary_key=True),
        Column("person_id", ForeignKey("people.id"), nullable=False),
        Column("created_at", Double, nullable=False),
        Column("expires_at", Double, nullable=False),
        Index(None, "person_id"),
    )


links = _keys("links")
"""Personal sign-in links, by what the address holds."""

visits = _keys("visits")
"""Sessions of people who are signed in, by the value of the cookie."""

tokens = Table(
    "tokens",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("digest", Text, nullable=False, unique=True),
    Column("person_id", ForeignKey("people.id"), nullable=False),
    Column("name", Text, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("expires_at", Double),
    Column("used_at", Double),
    Index(None, "person_id"),
)
"""For programs: each acts as the person who made it."""

assignments = Table(
    "assignments",
    METADATA,
    Column("query_id", ForeignKey("queries.id"), primary_key=True),
    Column("person_id", ForeignKey("people.id"), primary_key=True),
    Column("part", Text, nullable=False, server_default="all"),
    CheckConstraint("part IN ('all', 'overlap')", name="part"),
    Index(None, "person_id"),
)
"""Assignments of people to queries: all of a query, or only documents that several are to judge."""

leases = Table(
    "leases",
    METADATA,
    Column("item_id", ForeignKey("items.id"), primary_key=True),
    Column("person_id", ForeignKey("people.id"), primary_key=True),
    Column("until", Double, nullable=False),
)
"""Documents that are on somebody's screen, and are kept from others for a while."""

events = Table(
    "events",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("request", Text, nullable=False),  # the idempotency key, which the sender chooses
    Column("item_id", ForeignKey("items.id"), nullable=False),
    Column("person_id", ForeignKey("people.id"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("grade", Integer),
    Column("skipped", Text),  # the reason
    Column("note", Text, nullable=False, server_default=""),
    Column("flagged", Boolean, nullable=False),
    Column("seconds", Double),  # for which it was looked at
    Column("made_at", Double, nullable=False),
    Column("said_at", Double),  # by the clock of the browser, where it was offline
    CheckConstraint("kind IN ('grade', 'skip', 'note', 'flag', 'undo', 'import')", name="kind"),
    UniqueConstraint("person_id", "request"),
    Index(None, "item_id", "person_id"),
    Index(None, "made_at"),
    sqlite_autoincrement=True,  # the number of an event is never used again
)
"""All events of an item; each row holds the whole judgment after the event."""

judgments = Table(
    "judgments",
    METADATA,
    Column("item_id", ForeignKey("items.id"), primary_key=True),
    Column("person_id", ForeignKey("people.id"), primary_key=True),
    Column("event_id", ForeignKey("events.id"), nullable=False),
    Column("grade", Integer),
    Column("skipped", Text),
    Column("note", Text, nullable=False, server_default=""),
    Column("flagged", Boolean, nullable=False),
    Column("made_at", Double, nullable=False),
    Index(None, "person_id"),
)
"""Each person's current judgment of each item."""

IS_DONE = or_(judgments.c.grade.is_not(None), judgments.c.skipped.is_not(None))
"""True for a judgment with a grade or a skip."""

rulings = Table(
    "rulings",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("request", Text, nullable=False),
    Column("item_id", ForeignKey("items.id"), nullable=False),
    Column("person_id", ForeignKey("people.id"), nullable=False),
    Column("grade", Integer),  # null: the ruling before it is taken back
    Column("note", Text, nullable=False, server_default=""),
    Column("made_at", Double, nullable=False),
    UniqueConstraint("person_id", "request"),
    Index(None, "item_id"),
    sqlite_autoincrement=True,
)
"""Rulings on disagreements; the last one on an item counts."""

NAMED_ITEMS = items.join(queries).join(documents)
"""Items with their queries and documents."""

IS_STANDING = and_(
    rulings.c.id.in_(select(func.max(rulings.c.id)).group_by(rulings.c.item_id)),
    rulings.c.grade.is_not(None),
)
"""True for a ruling that is the last one on its document and has a grade."""

_later = rulings.alias("later")
IS_SETTLED = (
    select(rulings.c.id)
    .where(
        rulings.c.item_id == items.c.id,
        rulings.c.grade.is_not(None),
        ~select(_later.c.id)
        .where(_later.c.item_id == rulings.c.item_id, _later.c.id > rulings.c.id)
        .exists(),
    )
    .correlate(items)
    .exists()
)
"""True for an item with a standing ruling, which nobody needs to judge any more."""

audit = Table(
    "audit",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("made_at", Double, nullable=False),
    Column("actor", Text, nullable=False),  # a name, so that it stays when an account goes
    Column("action", Text, nullable=False),
    Column("about", Text, nullable=False, server_default=""),
    Column("address", Text, nullable=False, server_default=""),
    Index(None, "made_at"),
    sqlite_autoincrement=True,
)
"""A log of changes to accounts, assignments, settings, rulings and exports, and of sign-ins."""
