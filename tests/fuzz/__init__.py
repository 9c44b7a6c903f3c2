"""Thousands of damaged inputs: each gives a Cleverdon error, or what a slow parser reads."""
