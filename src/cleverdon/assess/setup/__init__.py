"""Making a project: topics, documents, what is to be judged, and by whom."""
