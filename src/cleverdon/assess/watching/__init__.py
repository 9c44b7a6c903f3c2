"""Watching a project: progress, speed, agreement, recall, drift and attention, as plain records."""
