"""Reading and writing runs, judgments, queries and texts in all common formats."""

PARQUET, ARROW, ARROW_STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"
"""The first bytes of files in these formats."""
