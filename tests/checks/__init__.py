"""The linter: every rule, and its agreement with what the core refuses."""
