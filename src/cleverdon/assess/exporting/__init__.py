"""What leaves a project: qrels, its history, a report of agreement, and a datasheet."""
