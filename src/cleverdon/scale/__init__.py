"""Evaluation where the data lies: on Spark, or in SQL engines."""
