"""Possible effects of ties and unjudged results: bounds, and reversals of two systems."""
