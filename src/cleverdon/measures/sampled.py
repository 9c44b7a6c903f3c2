"""Estimates from judgments of a sample of the pool."""
