"""What values of requests are held to, in pages and calls alike."""

from __future__ import annotations

LARGEST = 2**31 - 1
"""The largest number: what PostgreSQL calls an integer."""

LONGEST_TOPIC = 1_000
"""Characters of a topic's name."""
