"""Overlap with the ideal ranking."""
