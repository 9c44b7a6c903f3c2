"""The database of a project: tables, connections, migrations."""
