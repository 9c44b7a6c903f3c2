"""Helpers that every package needs and no library has."""
