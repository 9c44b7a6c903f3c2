"""People and their permissions: every page and API call requires one permission.

No imports of ours: the command line's help needs this module without SQLAlchemy.
"""

from __future__ import annotations

from enum import StrEnum


class Permission(StrEnum):
    """The permission that a page or an API call requires."""

    ANYONE = "anyone"  # signing in, and what the sign-in page is made of
    SIGNED_IN = "signed in"  # one's own account
    JUDGE = "judge"  # documents of the queries that are assigned, and one's own judgments
    WATCH = "watch"  # progress, agreement, recall; judgments of everybody, exports
    MANAGE = "manage"  # people, assignments, settings, imports, adjudication, the audit log


ROLE_PERMISSIONS: dict[str, frozenset[Permission]] = {
    "administrator": frozenset(Permission),
    "assessor": frozenset({Permission.ANYONE, Permission.SIGNED_IN, Permission.JUDGE}),
    "viewer": frozenset({Permission.ANYONE, Permission.SIGNED_IN, Permission.WATCH}),
}
"""The permissions of each role."""
