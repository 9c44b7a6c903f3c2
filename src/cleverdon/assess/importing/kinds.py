"""What can be imported: whose judgments, and written by what.

Apart from all else, so that the help of the command needs no database.
"""

from __future__ import annotations

KINDS = {
    "earlier": "of people who have no account here",
    "model": "of a model, or of a click model: one more judge, never one of the people",
    "person": "of somebody who has an account, made elsewhere",
}
"""Whose judgments can be imported."""

FORMS = {
    "qrels": "TREC's, and all other formats of judgments that Cleverdon reads",
    "quepid": "what Quepid exports: ratings, cases, books",
    "label-studio": "what Label Studio exports: JSON, JSON-MIN, CSV",
}
"""What files may be; which it is can be seen."""

LARGEST = 500_000_000
"""Bytes of an import, as it is sent and as it is once it is unpacked."""

MOST_ROWS = 5_000_000
"""Rows of a Parquet or Arrow file: packed, many of them take no bytes at all."""
