"""Reading and writing runs, judgments, queries and texts in all common formats."""
