"""The first form."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make all tables."""
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.Double(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("about", sa.Text(), server_default="", nullable=False),
        sa.Column("address", sa.Text(), server_default="", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_audit_made_at"), "audit", ["made_at"], unique=False)
    op.create_table(
        "documents",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), server_default="", nullable=False),
        sa.Column("text", sa.Text(), server_default="", nullable=False),
        sa.Column("url", sa.Text(), server_default="", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_documents")),
        sa.UniqueConstraint("name", name=op.f("uq_documents_name")),
    )
    op.create_table(
        "people",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), server_default="person", nullable=False),
        sa.Column("role", sa.Text(), nullable=True),
        sa.Column("password", sa.Text(), nullable=True),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.CheckConstraint("kind IN ('person', 'model', 'earlier')", name=op.f("ck_people_kind")),
        sa.CheckConstraint(
            "role IN ('administrator', 'assessor', 'viewer')", name=op.f("ck_people_role")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_people")),
        sa.UniqueConstraint("name", name=op.f("uq_people_name")),
    )
    op.create_table(
        "settings",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_settings")),
    )
    op.create_table(
        "topics",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), server_default="", nullable=False),
        sa.Column("narrative", sa.Text(), server_default="", nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_topics")),
        sa.UniqueConstraint("name", name=op.f("uq_topics_name")),
    )
    op.create_table(
        "assignments",
        sa.Column("topic_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("part", sa.Text(), server_default="all", nullable=False),
        sa.CheckConstraint("part IN ('all', 'overlap')", name=op.f("ck_assignments_part")),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name=op.f("fk_assignments_person_id")
        ),
        sa.ForeignKeyConstraint(["topic_id"], ["topics.id"], name=op.f("fk_assignments_topic_id")),
        sa.PrimaryKeyConstraint("topic_id", "person_id", name=op.f("pk_assignments")),
    )
    op.create_index(op.f("ix_assignments_person_id"), "assignments", ["person_id"], unique=False)
    op.create_table(
        "items",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("topic_id", sa.Integer(), nullable=False),
        sa.Column("document_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=True),
        sa.Column("after_event", sa.Integer(), nullable=True),
        sa.Column("wanted", sa.Integer(), server_default="1", nullable=False),
        sa.Column("gold", sa.Integer(), nullable=True),
        sa.Column("stratum", sa.Integer(), nullable=True),
        sa.Column("probability", sa.Double(), nullable=True),
        sa.Column("added", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name=op.f("fk_items_document_id")
        ),
        sa.ForeignKeyConstraint(["topic_id"], ["topics.id"], name=op.f("fk_items_topic_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_items")),
        sa.UniqueConstraint("topic_id", "document_id", name=op.f("uq_items_topic_id_document_id")),
    )
    op.create_index(op.f("ix_items_document_id"), "items", ["document_id"], unique=False)
    op.create_index(
        op.f("ix_items_topic_id_position"), "items", ["topic_id", "position"], unique=False
    )
    op.create_table(
        "links",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_links_person_id")),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_links")),
    )
    op.create_index(op.f("ix_links_person_id"), "links", ["person_id"], unique=False)
    op.create_table(
        "tokens",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=True),
        sa.Column("used_at", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_tokens_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tokens")),
        sa.UniqueConstraint("digest", name=op.f("uq_tokens_digest")),
    )
    op.create_index(op.f("ix_tokens_person_id"), "tokens", ["person_id"], unique=False)
    op.create_table(
        "visits",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("expires_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_visits_person_id")),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_visits")),
    )
    op.create_index(op.f("ix_visits_person_id"), "visits", ["person_id"], unique=False)
    op.create_table(
        "events",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("request", sa.Text(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("grade", sa.Integer(), nullable=True),
        sa.Column("skipped", sa.Text(), nullable=True),
        sa.Column("note", sa.Text(), server_default="", nullable=False),
        sa.Column("flagged", sa.Boolean(), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=True),
        sa.Column("made_at", sa.Double(), nullable=False),
        sa.Column("said_at", sa.Double(), nullable=True),
        sa.CheckConstraint(
            "kind IN ('grade', 'skip', 'note', 'flag', 'undo', 'import')",
            name=op.f("ck_events_kind"),
        ),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name=op.f("fk_events_item_id")),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_events_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
        sa.UniqueConstraint("person_id", "request", name=op.f("uq_events_person_id_request")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        op.f("ix_events_item_id_person_id"), "events", ["item_id", "person_id"], unique=False
    )
    op.create_index(op.f("ix_events_made_at"), "events", ["made_at"], unique=False)
    op.create_table(
        "leases",
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("until", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name=op.f("fk_leases_item_id")),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_leases_person_id")),
        sa.PrimaryKeyConstraint("item_id", "person_id", name=op.f("pk_leases")),
    )
    op.create_table(
        "rulings",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("request", sa.Text(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("grade", sa.Integer(), nullable=True),
        sa.Column("note", sa.Text(), server_default="", nullable=False),
        sa.Column("made_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name=op.f("fk_rulings_item_id")),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_rulings_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rulings")),
        sa.UniqueConstraint("person_id", "request", name=op.f("uq_rulings_person_id_request")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_rulings_item_id"), "rulings", ["item_id"], unique=False)
    op.create_table(
        "judgments",
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("event_id", sa.Integer(), nullable=False),
        sa.Column("grade", sa.Integer(), nullable=True),
        sa.Column("skipped", sa.Text(), nullable=True),
        sa.Column("note", sa.Text(), server_default="", nullable=False),
        sa.Column("flagged", sa.Boolean(), nullable=False),
        sa.Column("made_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_judgments_event_id")),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name=op.f("fk_judgments_item_id")),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name=op.f("fk_judgments_person_id")),
        sa.PrimaryKeyConstraint("item_id", "person_id", name=op.f("pk_judgments")),
    )
    op.create_index(op.f("ix_judgments_person_id"), "judgments", ["person_id"], unique=False)
