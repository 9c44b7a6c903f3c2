"""Plots of engines: what they cost, beside how good they are."""
