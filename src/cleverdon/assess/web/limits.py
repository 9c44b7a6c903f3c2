"""What values of requests are held to, in pages and calls alike."""

from __future__ import annotations

from cleverdon.assess.setup.filling import LONGEST_ID

LARGEST = 2**31 - 1
"""The largest number: what PostgreSQL calls an integer."""

LONGEST_TOPIC = LONGEST_ID
"""Characters of a topic's name."""
