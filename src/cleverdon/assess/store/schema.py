"""The tables. Moments are seconds since 1970 (UTC), as plain numbers in either database.

What assessors say is a list of events that is only ever added to; `judgments` is where each
person's last word on each document stands, changed in the same transaction as the events.
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
    false,
    or_,
    select,
)

# Named by one rule, so that a later migration can speak of a constraint in either database.
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
"""Of the project: its title, scale, seed, how its pool was made, when."""

topics = Table(
    "topics",
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
    Column("topic_id", ForeignKey("topics.id"), nullable=False),
    Column("document_id", ForeignKey("documents.id"), nullable=False),
    # Shuffled, so that it tells nothing of ranks; null until an adaptive method gives it out.
    Column("position", Integer),
    Column("after_event", Integer),  # the last event that such a method knew of
    Column("wanted", Integer, nullable=False, server_default="1"),  # how many are to judge it
    Column("gold", Integer),  # the grade that is known to be right, where attention is checked
    Column("stratum", Integer),
    Column("probability", Double),
    # By an import, whose file chose it; all others are of the pool, or gold.
    Column("added", Boolean, nullable=False, server_default=false()),
    UniqueConstraint("topic_id", "document_id"),
    Index(None, "topic_id", "position"),
    Index(None, "document_id"),
)
"""A document that is to be judged for a topic."""

people = Table(
    "people",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    # A person; a model or click model; or earlier judgments, of people who have no account.
    Column("kind", Text, nullable=False, server_default="person"),
    Column("role", Text),  # of persons alone
    Column("password", Text),  # argon2's own notation
    Column("active", Boolean, nullable=False),
    Column("created_at", Double, nullable=False),
    CheckConstraint("kind IN ('person', 'model', 'earlier')", name="kind"),
    CheckConstraint("role IN ('administrator', 'assessor', 'viewer')", name="role"),
)


def _keys(name: str) -> Table:
    """Keys that let people in for a while: known by their digests alone."""
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
"""Who is signed in, by what the cookie holds."""

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
    Column("topic_id", ForeignKey("topics.id"), primary_key=True),
    Column("person_id", ForeignKey("people.id"), primary_key=True),
    Column("part", Text, nullable=False, server_default="all"),
    CheckConstraint("part IN ('all', 'overlap')", name="part"),
    Index(None, "person_id"),
)
"""Who judges what: all of a topic, or only those documents that several are to judge."""

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
    Column("request", Text, nullable=False),  # chosen by who asks: the same one is done once
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
"""Everything that was ever said of an item; each holds the whole state after it."""

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
"""Each person's last word on each item."""

IS_DONE = or_(judgments.c.grade.is_not(None), judgments.c.skipped.is_not(None))
"""Of a judgment: whether its person is done with the item, be it that it was skipped."""

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
"""How disagreements were settled; of each item, the last one holds."""

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
"""Of an item: whether a ruling stands, so that nobody need judge it any more."""

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
"""Who did what to accounts, assignments, settings, rulings and exports, and who signed in."""
