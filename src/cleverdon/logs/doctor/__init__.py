"""The log doctor: which metrics a log supports, and what looks wrong with it."""
