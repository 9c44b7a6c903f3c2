"""Precision at levels of recall."""
