"""Lines that DuckDB cannot even read: it puts them into a table, from which they are counted."""

from __future__ import annotations

from itertools import count
from typing import Any

from cleverdon.online.reading.tables import placed

REASONS = {
    "INVALID ENCODING": "not UTF-8",
    "LINE SIZE OVER MAXIMUM": "a line of more than 16 MB",
    "UNQUOTED VALUE": "a quote that is not closed",
    "MISSING COLUMNS": "a number of fields that is not the header's",
    "TOO MANY COLUMNS": "a number of fields that is not the header's",
}
OTHER = "a line that cannot be read"
LIMITS = "max_line_size = 16777216"
_numbers = count()


class Rejects:
    """Where DuckDB is to put the lines of one reading that it cannot read."""

    def __init__(self, backend: Any) -> None:
        self.backend = backend
        self.table = f"_rejects_{next(_numbers)}"

    def options(self) -> str:
        """What `read_csv` is told."""
        return (
            f"store_rejects = true, rejects_table = '{self.table}', "
            f"rejects_scan = '{self.table}_scans', {LIMITS}"
        )

    def found(self) -> list[tuple[str, int, list[str]]]:
        """Why, how many, and examples. A line counts once, however often it was read."""
        there = f"SELECT 1 FROM duckdb_tables() WHERE table_name = '{self.table}'"
        if not self.backend.raw_sql(there).fetchall():
            return []
        lines = self.backend.raw_sql(
            f"SELECT file_path, line, any_value(error_type)::VARCHAR, any_value(csv_line) "
            f"FROM {self.table} JOIN {self.table}_scans USING (scan_id, file_id) "
            "GROUP BY file_path, line ORDER BY file_path, line"
        ).fetchall()
        found: dict[str, list[str]] = {}
        for file, line, kind, text in lines:
            found.setdefault(REASONS.get(kind, OTHER), []).append(placed(file, line, text or ""))
        return [(reason, len(shown), shown[:5]) for reason, shown in found.items()]
