"""Pairs of results: which of two comes first."""
