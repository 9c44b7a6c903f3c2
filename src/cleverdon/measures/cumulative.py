"""Cumulative gain and its kin."""
