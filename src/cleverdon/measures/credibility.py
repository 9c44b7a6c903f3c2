"""Relevance and credibility: two grades a document."""
