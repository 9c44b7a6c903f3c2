"""Measures that only trec_eval has."""
