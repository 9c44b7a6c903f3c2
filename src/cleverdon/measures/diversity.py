"""Diversity and novelty, over judgments of subtopics."""
